//! `pathsmith show`
use crate::errors::Failure;
/// Show
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    Ok(())
}
