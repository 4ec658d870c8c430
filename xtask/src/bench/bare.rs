//! Bare operations, by the core's example `bare`: the bound of whatever cannot do without them.

use super::server;
use crate::{Result, sh};

/// How fast an operation is with nothing round it.
#[derive(Clone, Copy, Default)]
pub(super) struct Bare {
    /// Operations a second, with a thread on every core.
    pub(super) per_s: f64,
    /// Processor time of one.
    pub(super) cpu_us: f64,
}

/// Measures one operation, for a second: on every core, as the server has them all busy. Cores that share their units are
/// slower then, also by their own account.
pub(super) fn measure(operation: &str) -> Result<Bare> {
    const SECONDS: &str = "1";
    let cores = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut bare = server::program("examples/bare")?;
    parse(&sh::output(bare.args([operation, SECONDS, &cores]))?)
}

fn parse(printed: &str) -> Result<Bare> {
    let figures: Vec<f64> = printed.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    match *figures.as_slice() {
        [done, seconds, cpu_ns] if done > 0.0 => Ok(Bare { per_s: done / seconds, cpu_us: cpu_ns / 1e3 }),
        _ => Err(format!("no figures of a bare operation: {printed}")),
    }
}

/// Each figure's median over the rounds.
pub(super) fn median(rounds: &[Bare]) -> Bare {
    let of = |figure: fn(&Bare) -> f64| super::median(rounds.iter().map(figure).collect());
    Bare { per_s: of(|round| round.per_s), cpu_us: of(|round| round.cpu_us) }
}

#[test]
fn figures_of_a_bare_operation() {
    let bare = parse("1000 0.5 25000\n").expect("figures");
    assert_eq!((bare.per_s, bare.cpu_us), (2_000.0, 25.0));
    assert!(parse("0 0.5 0\n").is_err() && parse("no operation x\n").is_err());
}
