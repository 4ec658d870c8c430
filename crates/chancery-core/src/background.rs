//! What an open installation does again and again, whoever calls it or nobody.

use std::{sync::Arc, time::Duration};

use futures::future::BoxFuture;
use tokio::time;
use tracing::error;

use crate::{Chancery, Result};

impl Chancery {
    /// Does something at once and then each period, until the last user of this Chancery is gone. What fails is logged,
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
            loop {
                turns.tick().await;
                let Some(chancery) = weak.upgrade() else { return };
                if let Err(failure) = turn(&chancery).await {
                    error!(error = &failure as &dyn std::error::Error, "{what} failed; trying again");
                }
            }
        });
    }
}
