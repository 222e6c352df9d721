//! `pathsmith shape`

use pathsmith_generate::shape::{
    GraphOptions, Iterations, PathSampler, Shape, ShapeStats, WalkMode, WalkOptions, parse_shapes,
    random_cfg,
};
use pathsmith_symlang::Seed;

use crate::errors::{Failure, note};
use crate::input::Input;
use crate::output::{OutputArgs, written};

/// Generate control-flow graphs and paths through them
///
/// Prints one graph with one path to a line, as JSON: the number of blocks, the successors of each,
/// and the blocks that the path visits. Block 0 is the entry. The same seed produces the same
/// shapes; number K of a seed does not depend on how many there are.
///
/// Examples:
///   pathsmith shape --seed 3 --blocks 40 | pathsmith show - --format svg -o shape.svg
///   pathsmith shape --count 100000 --stats
///   pathsmith shape --walk loops --iterations "log 2..1000" --max-len 5000
///   pathsmith shape --graphs mined.jsonl --count 10
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many shapes to generate
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// Print statistics of graphs, paths and loop iterations instead of the shapes
    #[arg(long)]
    stats: bool,

    #[command(flatten)]
    graph: GraphArgs,

    #[command(flatten)]
    walk: WalkArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// Options left out are those of [`GraphOptions::default`].
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Graphs")]
struct GraphArgs {
    /// Take the graphs from FILE instead of generating them: JSON lines such as this command prints;
    /// `path` may be left out, and graphs of real programs are brought into form
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "blocks", "branches", "switches", "switch_width", "exits", "forward", "loops", "loop_blocks",
        "nesting", "reducible",
    ])]
    graphs: Option<Input>,

    /// How many blocks there are, without entry, exit and what --loops adds
    #[arg(long, value_name = "N", default_value_t = GraphOptions::default().blocks)]
    blocks: u32,

    /// The share of blocks with two successors
    #[arg(long, value_name = "SHARE", default_value_t = GraphOptions::default().branch_share)]
    branches: f64,

    /// The share of blocks with three or more successors
    #[arg(long, value_name = "SHARE", default_value_t = GraphOptions::default().switch_share)]
    switches: f64,

    /// The most successors that a block has
    #[arg(long, value_name = "N", default_value_t = GraphOptions::default().switch_width)]
    switch_width: u32,

    /// The share of blocks with an edge to the exit
    #[arg(long, value_name = "SHARE", default_value_t = GraphOptions::default().exit_edges)]
    exits: f64,

    /// The share of edges that lead to later blocks; the others lead anywhere
    #[arg(long, value_name = "SHARE", default_value_t = GraphOptions::default().forward)]
    forward: f64,

    /// How many blocks to replace by reducible loops
    #[arg(long, value_name = "N", default_value_t = GraphOptions::default().loops)]
    loops: u32,

    /// How many blocks such a loop has besides its header and its latch
    #[arg(long, value_name = "N", default_value_t = GraphOptions::default().loop_blocks)]
    loop_blocks: u32,

    /// How deep such loops may nest
    #[arg(long, value_name = "N", default_value_t = GraphOptions::default().nesting)]
    nesting: u32,

    /// Make no loops with several entries
    #[arg(long)]
    reducible: bool,
}

/// Options left out are those of [`WalkOptions::default`].
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Paths")]
struct WalkArgs {
    /// How paths are chosen
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Walk::Uniform)]
    walk: Walk,

    /// How often loops are run through with --walk loops: "5", "2..10", "log 2..1000" (each
    /// order of magnitude alike) or "mean 8"
    #[arg(long, value_name = "N", default_value_t = WalkOptions::default().iterations)]
    iterations: Iterations,

    /// The longest path, before the shortest way to the exit is taken
    #[arg(long, value_name = "N", default_value_t = WalkOptions::default().max_len)]
    max_len: u32,

    /// The shortest path, if the graph has a loop to spend the steps in
    #[arg(long, value_name = "N", default_value_t = WalkOptions::default().min_len)]
    min_len: u32,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Walk {
    /// Every successor is as likely as the others
    Uniform,
    /// Every loop is run through as often as is drawn from --iterations
    Loops,
}

impl GraphArgs {
    fn options(&self) -> GraphOptions {
        GraphOptions {
            blocks: self.blocks,
            branch_share: self.branches,
            switch_share: self.switches,
            switch_width: self.switch_width,
            exit_edges: self.exits,
            forward: self.forward,
            loops: self.loops,
            loop_blocks: self.loop_blocks,
            nesting: self.nesting,
            irreducible: !self.reducible,
        }
    }

    /// The graphs that were given, if any were.
    fn given(&self) -> Result<Option<Vec<Shape>>, Failure> {
        let Some(input) = &self.graphs else { return Ok(None) };
        parse_input(input, &input.read()?).map(Some)
    }
}

impl WalkArgs {
    fn options(&self) -> WalkOptions {
        WalkOptions {
            mode: match self.walk {
                Walk::Uniform => WalkMode::Uniform,
                Walk::Loops => WalkMode::Loops,
            },
            max_len: self.max_len,
            min_len: self.min_len,
            iterations: self.iterations,
        }
    }
}

/// Reads the graphs in what `input` holds, and says what had to be changed in them.
pub(crate) fn parse_input(input: &Input, bytes: &[u8]) -> Result<Vec<Shape>, Failure> {
    let malformed = |why: String| Failure::Input(format!("{}: {why}", input.name()));
    let text = std::str::from_utf8(bytes).map_err(|error| {
        malformed(format!("not a text: byte {} does not belong to UTF-8", error.valid_up_to()))
    })?;
    let shapes = parse_shapes(text).map_err(|error| malformed(error.to_string()))?;
    for (i, shape) in shapes.iter().enumerate() {
        let name = shape.name.clone().unwrap_or_else(|| format!("number {i}"));
        for change in &shape.notes {
            note(&format!("{}: graph {name}: {change}", input.name()));
        }
    }
    Ok(shapes)
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let usage = |error: &dyn std::error::Error| Failure::Usage(error.to_string());
    let given = args.graph.given()?;
    let graph_options = args.graph.options();
    graph_options.validate().map_err(|error| usage(&error))?;
    let walk_options = args.walk.options();
    walk_options.validate().map_err(|error| usage(&error))?;
    let seed = Seed::new(args.seed).child("shape");
    args.output.write(|out| {
        let mut stats = ShapeStats::default();
        for number in 0..args.count {
            let mut rng = seed.nth(number).rng();
            let (name, cfg) = match &given {
                Some(shapes) => {
                    let shape = &shapes[(number % shapes.len() as u64) as usize];
                    (shape.name.clone(), shape.cfg.clone())
                }
                None => (None, random_cfg(&graph_options, &mut rng)),
            };
            let sampler = PathSampler::new(&cfg);
            let path = sampler.path(&walk_options, &mut rng);
            if args.stats {
                stats.add(&cfg, sampler.forest(), &path);
                continue;
            }
            let shape = Shape { name, path: Some(path), notes: Vec::new(), cfg };
            written(writeln!(out, "{}", shape.to_json_line()))?;
        }
        if args.stats { written(write!(out, "{stats}")) } else { Ok(()) }
    })
}
