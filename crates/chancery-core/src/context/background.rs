//! What an open installation does again and again, whoever calls it or nobody.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use tokio::time;
use tracing::{error, info};

use super::Context;
use crate::Result;

/// How often the log tells that something still fails.
const TELL_EVERY: Duration = Duration::from_mins(1);

/// What has work that recurs, of its own accord.
pub(crate) trait Recurring: AsRef<Context> + Send + Sync + Sized + 'static {
    /// Does something at once and then each period, until it shuts down or its last user is gone. What fails is logged,
    /// and done again when its time comes.
    fn every(
        self: &Arc<Self>,
        period: Duration,
        what: &'static str,
        turn: for<'a> fn(&'a Self) -> BoxFuture<'a, Result<()>>,
    ) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut turns = time::interval(period);
            turns.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
            let mut failing: Option<Instant> = None;
            loop {
                turns.tick().await;
                let Some(domain) = Self::while_open(&weak) else { return };
                match turn(&domain).await {
                    Ok(()) if failing.take().is_some() => info!("{what} works again"),
                    Ok(()) => {}
                    Err(_) if (*domain).as_ref().is_closing() => return,
                    // What is done four times a second would fill the log.
                    Err(_) if failing.is_some_and(|told| told.elapsed() < TELL_EVERY) => {}
                    Err(failure) => {
                        error!(error = &failure as &dyn std::error::Error, "{what} failed; trying again");
                        failing = Some(Instant::now());
                    }
                }
            }
        });
    }

    /// For one more turn of a task: nothing once it shuts down or its last user is gone.
    fn while_open(weak: &Weak<Self>) -> Option<Arc<Self>> {
        weak.upgrade().filter(|domain| !(**domain).as_ref().is_closing())
    }
}

impl<T: AsRef<Context> + Send + Sync + 'static> Recurring for T {}
