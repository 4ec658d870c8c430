//! Removes tokens that nobody can read any more: those that have expired, and those of profiles that are gone. And what
//! grants list that nobody can use any more.

use std::{sync::Arc, time::Duration};

use chancery_store::{
    Tx,
    tables::{detokenize_grants, vault_tokens},
};
use tokio::time;
use tracing::{info, warn};

use crate::{
    Error, Result, Tokens,
    context::{
        background::Recurring as _,
        clock_watch::STEADY,
        storage::{Background, Evidence, MayRead},
    },
};

/// How often there is a look. What has expired is as if it were not there from its moment on; this is about room.
const EVERY: Duration = Duration::from_mins(1);

/// Rows of one transaction: some milliseconds, since others wait behind it.
const ROWS: u32 = 500;

/// Between two transactions, so that others come first.
const PAUSE: Duration = Duration::from_millis(20);

/// Lists of grants of one transaction: some 160 KB each.
const LISTS: u32 = 50;

/// Removes what nobody can read from the vault, and lists of grants that ended. Made only here.
pub(crate) struct TidyingVaults(());

impl Evidence for TidyingVaults {}
impl MayRead for TidyingVaults {}
impl Background for TidyingVaults {}

impl Tokens {
    /// Tidies until the last user of this Chancery is gone, which may be between two transactions.
    pub(crate) fn tidy_vaults(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut looks = time::interval(EVERY);
            looks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
            loop {
                looks.tick().await;
                let mut removed = 0;
                loop {
                    let Some(tokens) = weak.upgrade() else { return };
                    match tokens.tidy_once().await {
                        Ok(0) => break,
                        Ok(rows) => removed += rows,
                        Err(error) => {
                            warn!(
                                error = &error as &dyn std::error::Error,
                                "the vault could not be tidied; trying again"
                            );
                            break;
                        }
                    }
                    drop(tokens);
                    time::sleep(PAUSE).await;
                }
                if removed > 0 {
                    info!(removed, "tokens that nobody can read any more were removed from the vault");
                }
            }
        });
    }

    /// Does the same with the lists of grants that ended by time.
    pub(crate) fn forget_lists_of_grants_in_turn(self: &Arc<Self>) {
        self.every(EVERY, "forgetting what grants list", |tokens| Box::pin(tokens.forget_lists_of_grants()));
    }

    async fn forget_lists_of_grants(&self) -> Result<()> {
        if !self.context.is_steady(STEADY) {
            return Ok(());
        }
        // A clock that is behind may still be before their ends.
        let before_ms = self.context.clock.now_ms().saturating_sub(crate::base::clock::ms(Duration::from_hours(1)));
        while self
            .context
            .storage
            .background(&TidyingVaults(()), move |tx| {
                Box::pin(async move {
                    Ok::<_, Error>(detokenize_grants::forget_ended(tx, before_ms, LISTS).await? == u64::from(LISTS))
                })
            })
            .await?
        {
            time::sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Removes some rows; how many. With none there is nothing left to remove.
    pub(super) async fn tidy_once(&self) -> Result<u64> {
        let now_ms = self.context.clock.now_ms();
        let expired_ms = self.context.is_steady(STEADY).then_some(now_ms);
        // Looked for without the writer: nearly always there is none.
        let next = self.context.storage.read(&TidyingVaults(()), move |tx| Box::pin(next_to_tidy(tx, expired_ms)));
        let Some(domain) = next.await? else {
            return Ok(0);
        };
        self.context
            .storage
            .background(&TidyingVaults(()), move |tx| {
                Box::pin(async move {
                    Ok::<_, Error>(match domain {
                        Work::Expired => vault_tokens::delete_expired(tx, now_ms, ROWS).await?,
                        // It may have been taken up since.
                        Work::Domain(domain) if vault_tokens::domain_is_used(tx, &domain).await? => 0,
                        Work::Domain(domain) => vault_tokens::delete_of_domain(tx, &domain, ROWS).await?,
                    })
                })
            })
            .await
    }
}

/// What there is to remove.
enum Work {
    Expired,
    /// All of a domain that no profile has any more.
    Domain(String),
}

/// What has expired at this time, if any may be told.
async fn next_to_tidy(tx: &mut Tx, expired_ms: Option<i64>) -> Result<Option<Work>> {
    if let Some(now_ms) = expired_ms
        && vault_tokens::any_expired(tx, now_ms).await?
    {
        return Ok(Some(Work::Expired));
    }
    let mut last = String::new();
    while let Some(domain) = vault_tokens::next_domain(tx, &last).await? {
        if !vault_tokens::domain_is_used(tx, &domain).await? {
            return Ok(Some(Work::Domain(domain)));
        }
        last = domain;
    }
    Ok(None)
}
