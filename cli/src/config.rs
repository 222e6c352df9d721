//! The generator's config: a preset, then a file, then single settings from the command line.

mod keys;
mod layers;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use clap::builder::PossibleValue;
use pathsmith_campaign::FuzzConfig;
use pathsmith_campaign::files::read_text;
use pathsmith_campaign::review::GenSettings;
use pathsmith_generate::GenConfig;
use pathsmith_generate::template::Template;
use pathsmith_mutate::MutateConfig;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

pub(crate) use self::keys::{fuzz_keys, gen_keys, mutate_keys};
use self::layers::{Layers, Sections};
use crate::errors::Failure;
use crate::input::Input;
use crate::solve::EngineArg;
use crate::templates::read_template;

/// The largest config file that is read, in bytes. A guess: some hundred times what --print-config
/// prints.
const MAX_CONFIG: u64 = 1 << 20;

/// The config: a preset, a file, and single settings.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Config")]
pub(crate) struct ConfigArgs {
    /// The preset to start from
    #[arg(long, value_enum, default_value_t)]
    pub(crate) preset: Preset,

    /// A TOML file with settings, as --print-config prints them; those left out are the preset's.
    /// `fuzz` and the commands that generate programs read the same files and names
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// One setting, such as `--set sketch.vars=12` or `--set walk.mode=loops`; overrides the file.
    /// Settings of the generator have the same names in all commands, with or without `generate.`
    /// in front
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,

    /// Which engines find the constants [default: auto]
    #[arg(short, long, value_enum)]
    engine: Option<EngineArg>,

    /// A template of your own that functions are made of as well (docs/shapes.md)
    #[arg(long = "template", value_name = "FILE")]
    templates: Vec<Input>,

    /// Generate functions that others may call, for `pathsmith link`: they name no global
    #[arg(long)]
    callable: bool,

    /// Let every function draw its own sizes, shares and types, up to those of the config
    #[arg(long)]
    swarm: bool,
}

/// A config to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Preset {
    /// All of SYMLANG
    #[default]
    Full,
    /// The language of the REIFY paper: i32 and arrays of it, flat terms with + - * / %
    Paper,
}

impl Preset {
    pub(crate) fn config(self) -> GenConfig {
        match self {
            Self::Full => GenConfig::default(),
            Self::Paper => GenConfig::paper(),
        }
    }
}

impl ConfigArgs {
    /// The generator's config.
    pub(crate) fn load(&self) -> Result<GenConfig, Failure> {
        let check = |config: &GenConfig| config.validate().map_err(|error| error.to_string());
        let mut config = self.layered(&self.preset.config(), Sections::Generate, check)?;
        self.apply(&mut config)?;
        config.validate().map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(config)
    }

    /// The config of a campaign, in which the generator's is a section.
    pub(crate) fn load_fuzz(&self) -> Result<FuzzConfig, Failure> {
        let base = FuzzConfig { generate: self.preset.config(), ..FuzzConfig::default() };
        let check = |config: &FuzzConfig| config.validate().map_err(|error| error.to_string());
        let mut config = self.layered(&base, Sections::Campaign, check)?;
        self.apply(&mut config.generate)?;
        config.validate().map_err(|error| Failure::Usage(error.to_string()))?;
        Ok(config)
    }

    /// The options as they are, for other builds of pathsmith.
    pub(crate) fn to_gen_settings(&self) -> Result<GenSettings, Failure> {
        let name = |value: Option<PossibleValue>| value.map(|value| value.get_name().to_owned());
        let config = self.config.as_deref().map(read_config).transpose()?;
        let templates = self.templates.iter().map(|file| {
            let source = read_template(file)?;
            Ok((source.name, source.text))
        });
        Ok(GenSettings {
            functions: None,
            preset: name(self.preset.to_possible_value()).filter(|_| self.preset != Preset::Full),
            engine: name(self.engine.and_then(|engine| engine.to_possible_value())),
            settings: self.settings.clone(),
            config,
            templates: templates.collect::<Result<_, Failure>>()?,
            callable: self.callable,
            swarm: self.swarm,
        })
    }

    /// What has flags of its own.
    fn apply(&self, config: &mut GenConfig) -> Result<(), Failure> {
        for file in &self.templates {
            let source = read_template(file)?;
            // With its place, which the config's own check does not know.
            Template::parse(&source.name, &source.text)?;
            config.template.own.push(source);
        }
        if self.callable {
            config.observe = config.observe.without_globals();
        }
        config.swarm |= self.swarm;
        if let Some(engine) = self.engine {
            config.solve.engine = engine.into();
        }
        Ok(())
    }

    /// `base`, under the file, under the single settings. `check` finds what makes no sense.
    fn layered<T: Serialize + DeserializeOwned>(
        &self,
        base: &T,
        sections: Sections,
        check: impl Fn(&T) -> Result<(), String>,
    ) -> Result<T, Failure> {
        layered(base, sections, self.config.as_deref(), &self.settings, check)
    }
}

/// The config of `pathsmith mutate`: a file, and single settings.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Config")]
pub(crate) struct MutateConfigArgs {
    /// A TOML file with settings, as --print-config prints them; those left out have their defaults
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    config: Option<PathBuf>,

    /// One setting, such as `--set weights.twin=3` or `--set sizes.region=9`; overrides the file
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl MutateConfigArgs {
    pub(crate) fn load(&self) -> Result<MutateConfig, Failure> {
        let check = |config: &MutateConfig| config.validate().map_err(|error| error.to_string());
        let base = MutateConfig::default();
        layered(&base, Sections::Mutate, self.config.as_deref(), &self.settings, check)
    }
}

/// `base`, under a file, under single settings. `check` finds what makes no sense.
fn layered<T: Serialize + DeserializeOwned>(
    base: &T,
    sections: Sections,
    file: Option<&Path>,
    settings: &[String],
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<T, Failure> {
    let mut layers = Layers::over(to_table(base)?, sections);
    if let Some(path) = file {
        layers.add_file(path.display().to_string(), read_config(path)?)?;
    }
    for setting in settings {
        layers.add_setting(setting)?;
    }
    layers.read(|table| {
        let config = from_table(table)?;
        check(&config)?;
        Ok(config)
    })
}

fn read_config(path: &Path) -> Result<String, Failure> {
    read_text(path, MAX_CONFIG)
        .map_err(|source| Failure::io(format!("cannot read {}", path.display()), source))
}

/// The config as a TOML file.
pub(crate) fn to_toml(config: &impl Serialize) -> Result<String, Failure> {
    Ok(to_table(config)?.to_string())
}

fn to_table(config: &impl Serialize) -> Result<Table, Failure> {
    Table::try_from(config).map_err(|error| Failure::Input(format!("the config: {error}")))
}

fn from_table<T: DeserializeOwned>(table: &Table) -> Result<T, String> {
    table.clone().try_into().map_err(|error: toml::de::Error| error.message().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(settings: &[&str]) -> Result<GenConfig, String> {
        let args = ConfigArgs {
            preset: Preset::Paper,
            config: None,
            settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
            engine: None,
            templates: Vec::new(),
            callable: false,
            swarm: false,
        };
        args.load().map_err(|failure| failure.to_string())
    }

    #[test]
    fn settings_override_the_preset() {
        assert_eq!(load(&[]), Ok(GenConfig::paper()));
        let config = load(&["sketch.vars=12", "walk.mode=loops", "walk.iterations=2..9"]).unwrap();
        assert_eq!(config.sketch.vars, 12);
        assert_eq!(config.walk.iterations.to_string(), "2..9");
        assert_eq!(config.sketch.language, GenConfig::paper().sketch.language);
        let typed = load(&[r#"sketch.types=["i64", "u8"]"#]).unwrap();
        assert_eq!(typed.sketch.types.len(), 2);
    }

    #[test]
    fn wrong_settings_are_named() {
        let error = |setting| load(&[setting]).unwrap_err();
        assert!(error("sketch.var=12").contains("unknown field `var`"));
        assert!(error("sketch.vars=many").contains("--set sketch.vars=many"));
        assert!(error("sketch.vars=0").contains("--set sketch.vars=0: "));
        assert!(error("sketch.vars=0").contains("`vars` is 0"));
        assert!(error("sketch.vars").contains("expected KEY=VALUE"));
        assert!(error("graph.branch_share=2.0").contains("`branch_share` is 2"));
        assert!(error(r#"sketch.types="i64""#).contains(r#"write sketch.types = ["i64"]"#));
        // Settings of campaigns do not concern the generator.
        assert!(error("c.random_settings=1").contains("unknown field `c`"));
    }

    #[test]
    fn settings_of_the_generator_have_two_names() {
        let short = load(&["sketch.vars=12", "walk.mode=loops"]);
        assert!(short.is_ok());
        assert_eq!(load(&["generate.sketch.vars=12", "generate.walk.mode=loops"]), short);
        // The later one counts, whatever its name.
        assert_eq!(load(&["sketch.vars=5", "generate.sketch.vars=12", "walk.mode=loops"]), short);
    }

    #[test]
    fn a_config_reads_back_as_it_was_printed() {
        for preset in [Preset::Full, Preset::Paper] {
            let config = preset.config();
            let table: Table = to_toml(&config).unwrap().parse().unwrap();
            assert_eq!(from_table(&table), Ok(config));
        }
    }
}
