//! What an open installation does again and again, whoever calls it or nobody.

use std::{
    sync::{Arc, Weak, atomic::Ordering},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use tokio::time;
use tracing::{error, info};

use crate::{Chancery, Result};

/// How often the log tells that something still fails.
const TELL_EVERY: Duration = Duration::from_mins(1);

impl Chancery {
    /// Does something at once and then each period, until it shuts down or its last user is gone. What fails is logged,
    /// and done again when its time comes.
    pub(crate) fn every(
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
                let Some(chancery) = Self::while_open(&weak) else { return };
                match turn(&chancery).await {
                    Ok(()) if failing.take().is_some() => info!("{what} works again"),
                    Ok(()) => {}
                    Err(_) if chancery.is_closing() => return,
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
    pub(crate) fn while_open(weak: &Weak<Self>) -> Option<Arc<Self>> {
        weak.upgrade().filter(|chancery| !chancery.is_closing())
    }

    fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Relaxed)
    }
}
