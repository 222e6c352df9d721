//! Whole programs from a seed.

use thiserror::Error;

use super::{Unsolved, break_rules, generate_leaf};
use crate::config::GenConfig;
use crate::link::{LinkError, Linked, Pool, PoolError, link};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::function_name;

/// Why there is no program.
#[derive(Clone, Debug, Error)]
pub enum ProgramError {
    /// Too many of its functions could not be solved; this is the last of them.
    #[error("{} functions in a row are unsolved; the last: {}", MAX_UNSOLVED, .0.gave_up.why)]
    Unsolved(Box<Unsolved>),
    /// A function cannot be linked.
    #[error(transparent)]
    Pool(#[from] PoolError),
    /// Functions could not be linked.
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// How many functions that cannot be solved are passed over.
const MAX_UNSOLVED: u64 = 100;

/// Makes program number `number` of `seed`, from functions that no other program has. Its entry is
/// called by its number.
///
/// # Errors
/// If functions cannot be solved, or the result is not what it should be.
pub fn generate_program(
    config: &GenConfig,
    dialect: Dialect,
    seed: Seed,
    number: u64,
) -> Result<Linked, ProgramError> {
    let seed = seed.child("program").nth(number);
    let pool = generate_pool(config, dialect, seed, config.link.functions as usize)?;
    let name = function_name(number);
    let mut linked = link(&pool, &config.link, &name, &mut seed.child("link").rng())?;
    if config.crash_only {
        break_rules(&mut linked.program, &mut seed.child("crash").rng());
    }
    Ok(linked)
}

/// Makes program number `number` of `seed`, from the functions of a pool.
///
/// # Errors
/// As [`link`].
pub fn program_from_pool(
    config: &GenConfig,
    pool: &Pool,
    seed: Seed,
    number: u64,
) -> Result<Linked, LinkError> {
    let seed = seed.child("pooled").nth(number);
    let mut linked = link(pool, &config.link, &function_name(number), &mut seed.rng())?;
    if config.crash_only {
        break_rules(&mut linked.program, &mut seed.child("crash").rng());
    }
    Ok(linked)
}

/// Makes a pool of the first `size` functions of `seed` that can be solved.
///
/// # Errors
/// If functions cannot be solved.
pub fn generate_pool(
    config: &GenConfig,
    dialect: Dialect,
    seed: Seed,
    size: usize,
) -> Result<Pool, ProgramError> {
    // What is linked has to be known; rules are broken later.
    let mut config = GenConfig { crash_only: false, ..config.clone() };
    // What is called may not assign to globals.
    config.observe = config.observe.without_globals();
    // Realizations that nobody calls are not looked for.
    let most = config.link.most_realizations();
    config.realize.tries = config.realize.tries.min(most.saturating_mul(4));
    config.realize.most = config.realize.most.min(most);
    let mut pool = Pool::new(dialect);
    let mut n_unsolved = 0;
    for number in 0.. {
        if pool.len() == size {
            break;
        }
        match generate_leaf(&config, dialect, seed, number) {
            Ok(leaf) => {
                pool.add(leaf.program, most as usize)?;
                n_unsolved = 0;
            }
            Err(unsolved) if n_unsolved + 1 >= MAX_UNSOLVED => {
                return Err(ProgramError::Unsolved(unsolved));
            }
            Err(_) => n_unsolved += 1,
        }
    }
    Ok(pool)
}
