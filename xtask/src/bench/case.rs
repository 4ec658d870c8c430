//! What is measured side by side: cases that take turns.

use super::{
    server::{Chancery, Server},
    wrk::{self, Load, Outcome, Vary},
};
use crate::Result;

/// A request that is sent again and again.
pub(super) struct Case<'a> {
    pub(super) name: String,
    pub(super) server: &'a Server,
    pub(super) url: String,
    pub(super) body: String,
    pub(super) connections: u32,
    pub(super) vary: Vary,
}

impl<'a> Case<'a> {
    /// A request of 64 clients.
    pub(super) fn new(name: impl Into<String>, server: &'a Server, path: &str, body: &impl ToString) -> Self {
        let (url, body) = (format!("{}{path}", server.base), body.to_string());
        Self { name: name.into(), server, url, body, connections: 64, vary: Vary::Nothing }
    }
}

/// All cases in turn, again and again, so that whatever else the machine does falls on all alike; `beside` has its turn
/// in each round. Answers each case's medians.
pub(super) fn measure(
    chancery: &Chancery,
    cases: &[Case<'_>],
    (rounds, seconds): (usize, u32),
    mut beside: impl FnMut() -> Result,
) -> Result<Vec<Outcome>> {
    let mut outcomes = vec![Vec::new(); cases.len()];
    for _ in 0..rounds {
        let token = chancery.token()?;
        for (case, outcomes) in cases.iter().zip(&mut outcomes) {
            let Case { url, body, connections, vary, .. } = case;
            let load = Load { url, body, token: &token, connections: *connections, seconds, vary: vary.clone() };
            outcomes.push(wrk::run(case.server, &load).map_err(|error| format!("{}: {error}", case.name))?);
        }
        beside()?;
    }
    Ok(outcomes.iter().map(|outcomes| wrk::median(outcomes)).collect())
}
