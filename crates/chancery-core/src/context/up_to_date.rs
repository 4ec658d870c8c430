//! Whether this node may answer from memory. One that is cut off from its database goes on with what it knows, but not for
//! ever: whoever was locked and whatever was revoked meanwhile, it does not know. And where nobody can be told who
//! detokenized, nobody does.

use std::time::{Duration, Instant};

use tokio::time::timeout;

use super::Context;
use crate::{Error, Result};

/// How long a login waits for a node that is behind to follow the store after all.
const CATCH_UP_WAIT: Duration = Duration::from_secs(2);

/// What refusals for this reason say in `Retry-After`.
const RETRY_AFTER_S: u32 = 5;

/// Evidence that this node may tokenize now. Made only here.
#[derive(Debug)]
pub(crate) struct TokenizesNow(());

/// Evidence that this node may detokenize now. Made only here.
#[derive(Debug)]
pub(crate) struct DetokenizesNow(());

/// Evidence that this node knows who was locked and what was ended until a moment ago. Made only here.
#[derive(Debug)]
pub(crate) struct LogsInNow(());

impl Context {
    /// Unavailable where this node has not followed the store for longer than tokenizing may, or cannot write down who
    /// tokenizes. For each call: it looks at the clock and at two numbers.
    pub(crate) fn tokenizes_now(&self) -> Result<TokenizesNow> {
        self.serves(self.limits.outage.tokenize_staleness_max)?;
        Ok(TokenizesNow(()))
    }

    /// The same for detokenizing.
    pub(crate) fn detokenizes_now(&self) -> Result<DetokenizesNow> {
        self.serves(self.limits.outage.detokenize_staleness_max)?;
        Ok(DetokenizesNow(()))
    }

    fn serves(&self, staleness_max: Duration) -> Result<()> {
        let now = Instant::now();
        if self.following.lag_at(now) > staleness_max {
            return Err(self.cut_off());
        }
        if self.counters.refuses_at(now) { Err(uncounted()) } else { Ok(()) }
    }

    /// Whether this node may say from memory what is revoked. For each answer: it looks at the clock and at a number.
    pub(crate) fn knows_what_is_revoked(&self) -> bool {
        self.following.lag_at(Instant::now()) <= self.limits.outage.revocation_staleness_max
    }

    /// Whether this node knows until a moment ago who was locked, and who may what.
    pub(crate) fn knows_who_may(&self) -> bool {
        self.following.lag_at(Instant::now()) <= self.limits.outage.login_staleness_max
    }

    /// Unavailable where this node would give out a session or a bearer token without knowing what others have ended.
    pub(crate) async fn logs_in_now(&self) -> Result<LogsInNow> {
        let lags = || self.following.lag_at(Instant::now()) > self.limits.outage.login_staleness_max;
        if lags() {
            // Perhaps it was only busy: then one look suffices.
            let _followed_or_not = timeout(CATCH_UP_WAIT, self.catch_up()).await;
            if lags() {
                return Err(self.cut_off());
            }
        }
        if self.counters.refuses_at(Instant::now()) { Err(uncounted()) } else { Ok(LogsInNow(())) }
    }

    fn cut_off(&self) -> Error {
        let lag = self.following.lag_at(Instant::now()).as_secs();
        let message = format!(
            "This node has not followed the storage for {lag} seconds and does not know what was locked or revoked \
             since; try another node, or again when the storage is back."
        );
        Error::out_of_reach(message, RETRY_AFTER_S)
    }
}

fn uncounted() -> Error {
    const MESSAGE: &str = "Earlier calls could not be written to the audit records yet, so no further ones are \
        answered; try another node, or again when the storage is back.";
    Error::out_of_reach(MESSAGE, RETRY_AFTER_S)
}

#[cfg(test)]
mod tests;
