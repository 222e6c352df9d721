//! A campaign against a family without processes, in which everything that can go wrong does.

use pathsmith_backend::{LowerError, NoChoice};
use pathsmith_backend_c::COptions;
use pathsmith_oracles::{Disagreement, Oracle, Report, Setting, Signature, Spent, Triage};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::{FuncId, Rng};
use serde::de::Deserializer;
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};

use super::*;
use crate::config::FuzzConfig;
use crate::family::Target;
use crate::finding::TargetInfo;
use crate::folder_file::File;
use crate::store::{Header, Store};

/// Lowering options that cannot be saved if they are `broken`.
#[derive(Clone, Debug, Default)]
struct FakeOptions {
    broken: bool,
}

impl ProgramOptions for FakeOptions {
    type Function = <COptions as ProgramOptions>::Function;
    type Global = NoChoice;

    fn functions(&self) -> &[Self::Function] {
        &[]
    }

    fn globals(&self) -> &[NoChoice] {
        &[]
    }

    fn with_lists(&self, _: Vec<Self::Function>, _: Vec<NoChoice>) -> Self {
        self.clone()
    }
}

impl Serialize for FakeOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.broken {
            true => Err(S::Error::custom("these options are broken")),
            false => serializer.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for FakeOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Self { broken: false })
    }
}

#[derive(Debug)]
struct FakeBackend {
    /// A function that there is no room for.
    too_large: Option<&'static str>,
}

impl Backend for FakeBackend {
    type Options = FakeOptions;
    type Artifact = Program;

    fn name(&self) -> &'static str {
        "fake"
    }

    fn dialect(&self) -> Dialect {
        Dialect::C
    }

    fn lower(&self, program: &Program, _options: &FakeOptions) -> Result<Program, LowerError> {
        match program.functions.iter().find(|function| Some(&*function.name) == self.too_large) {
            Some(_) => {
                let (backend, what) = (self.name(), "the code".to_owned());
                Err(LowerError::Limit { backend, what, actual: 2, limit: 1 })
            }
            None => Ok(program.clone()),
        }
    }
}

/// Gets the first realization of every program wrong.
#[derive(Debug)]
struct FakeOracle;

impl Oracle for FakeOracle {
    type Artifact = Program;
    type Target = String;

    fn targets(&self) -> Result<Vec<String>, OracleError> {
        Ok(vec!["fake".to_owned()])
    }

    fn run(&mut self, program: &Program, _: &String, _: &Limits) -> Result<Report, OracleError> {
        // Preflight's program is fine.
        if program.functions[0].name == "step" {
            let (verdict, disagreements, evidence) = (Verdict::Agrees, Vec::new(), Vec::new());
            return Ok(Report { verdict, disagreements, evidence, n_checked: 8 });
        }
        let verdict = Verdict::WrongResult;
        let (function, realization) = (FuncId::new(0), 0);
        let wrong = Disagreement { function, realization, verdict, actual: None };
        Ok(Report { verdict, disagreements: vec![wrong], evidence: Vec::new(), n_checked: 1 })
    }
}

impl Triage for FakeOracle {
    const MAX_RUNS: u32 = 0;

    fn signature(
        &mut self,
        _: &Program,
        target: &String,
        report: &Report,
        _: &Limits,
    ) -> Result<Signature, OracleError> {
        Ok(Signature::new(report.verdict, target, Vec::new()))
    }

    fn crash_report(_: &String, _: &Report) -> Option<Vec<String>> {
        None
    }
}

#[derive(Debug)]
struct Fake {
    broken: bool,
    backend: FakeBackend,
    per_artifact: u32,
}

impl Family for Fake {
    const FAMILY: TargetFamily = TargetFamily::C;

    type Backend = FakeBackend;
    type Oracle = FakeOracle;

    fn backend(&self) -> &FakeBackend {
        &self.backend
    }

    fn oracle(&self, _stop: Stop) -> Result<FakeOracle, OracleError> {
        Ok(FakeOracle)
    }

    fn functions_per_artifact(&self) -> u32 {
        self.per_artifact
    }

    fn choose_options(&self, _program: &Program, _rng: &mut Rng) -> FakeOptions {
        FakeOptions { broken: self.broken }
    }

    fn targets(&self, _seed: u64, _number: u64) -> Vec<Target<Self>> {
        vec!["fake".to_owned()]
    }

    fn versions_of(&self, target: &String) -> Vec<String> {
        vec![target.clone()]
    }

    fn without_known_bugs(target: &String, flags: &[String]) -> String {
        format!("{target} {}", flags.join(" "))
    }

    fn takes_flags(_: &String, _: &Stop) -> Result<bool, OracleError> {
        Ok(true)
    }

    fn take_spent(_oracle: &mut FakeOracle) -> Spent {
        Spent::default()
    }

    fn describe(target: &String) -> TargetInfo {
        TargetInfo {
            name: target.clone(),
            command: target.clone(),
            version: "1".to_owned(),
            setting: Setting::named("-O1"),
            flags: Vec::new(),
            path: target.clone(),
            runner: Vec::new(),
            env: BTreeMap::new(),
        }
    }

    fn files(_: &Finding, _: &String, _: &Program) -> Result<Vec<File>, SerializeError> {
        Ok(Vec::new())
    }
}

fn campaign(family: Fake) -> Campaign<Fake> {
    let mut plan = Plan::default();
    plan.generate.graph.blocks = 2;
    plan.generate.link.share = 0.0;
    plan.mutate.share = 0.0;
    let preflight = Preflight::new(&family).unwrap();
    Campaign {
        preflight,
        notes: Vec::new(),
        lost: Lost::default(),
        family,
        plan,
        limits: Limits::default(),
        seed: 3,
        triage: true,
        stop: Stop::new(),
        jobs: Jobs::default(),
        replays: Jobs::default(),
        at_hand: AtHand::new(|| unreachable!("no finding is run on other versions")),
        known_off: 0.0,
        adaptive: true,
        activity: Default::default(),
        memory: Memory::default(),
    }
}

/// Runs the first two batches, and records them as a campaign does.
fn run(broken: bool, store: &mut Store) -> Result<(), CampaignError> {
    let backend = FakeBackend { too_large: None };
    let campaign = campaign(Fake { broken, backend, per_artifact: 1 });
    let done = store.progress(TargetFamily::C)?.0;
    let stopping = Stopping { count: Some(2), deadline: None };
    campaign.run(done, stopping, 1, &mut |event| {
        match event {
            Event::BatchDone { family, number, stats, missed, grown } => {
                store.finish_batch(family, number, &stats, &missed, &grown)?;
            }
            Event::Found(family, finding) => drop(store.record(family, &finding)?),
            Event::BatchUnfinished(_)
            | Event::Triaging { .. }
            | Event::Sighted(_)
            | Event::Flaky(_)
            | Event::TargetLost { .. }
            | Event::Oversized(_)
            | Event::InfrastructureFailure { .. }
            | Event::Reduced(_)
            | Event::Versions { .. } => {}
        }
        Ok(())
    })
}

#[test]
fn a_finding_that_cannot_be_saved_is_an_error_and_is_found_again() {
    let dir = tempfile::tempdir().unwrap();
    let header = Header {
        version: "0.0.0".to_owned(),
        fingerprint: String::new(),
        identities: BTreeMap::new(),
        targets: Vec::new(),
        sanitize: false,
        config: FuzzConfig::default(),
    };
    let mut store = Store::create(dir.path(), &header).unwrap();
    let error = run(true, &mut store).unwrap_err();
    assert!(matches!(error, CampaignError::Serialize(_)), "{error}");
    let said = "cannot write the lowering options as JSON: these options are broken";
    assert_eq!(error.to_string(), said);
    // Nothing half is recorded, and the batch is not done.
    assert_eq!(store.ids().unwrap(), [] as [i64; 0]);
    assert_eq!(store.progress(TargetFamily::C).unwrap(), Default::default());

    run(false, &mut store).unwrap();
    assert_eq!(store.progress(TargetFamily::C).unwrap().0, Done { below: 2, ..Done::default() });
    let finding = store.finding(store.ids().unwrap()[0]).unwrap().finding;
    assert_eq!((finding.number, finding.variant), (0, 0));
    assert!(finding.call.is_some());
}

#[test]
fn a_case_that_is_too_large_is_left_out_and_counted() {
    // In a batch with others, and alone.
    for per_artifact in [4, 1] {
        let backend = FakeBackend { too_large: Some("f1") };
        let campaign = campaign(Fake { broken: false, backend, per_artifact });
        let stopping = Stopping { count: Some(4), deadline: None };
        let (mut left_out, mut stats) = (Vec::new(), Stats::default());
        let ran = campaign.run(Done::default(), stopping, 1, &mut |event| {
            match event {
                Event::Oversized(case) => left_out.push((case.number, case.why)),
                Event::BatchDone { stats: batch, .. } => stats.add(&batch),
                _ => {}
            }
            Ok(())
        });
        ran.unwrap();
        let why = "the code exceeds a limit of fake: 2 is more than 1".to_owned();
        assert_eq!(left_out, [(1, why)]);
        assert_eq!(
            (stats.n_cases, stats.n_oversized, stats.n_runs),
            (3, 1, if per_artifact == 4 { 1 } else { 3 })
        );
    }
}
