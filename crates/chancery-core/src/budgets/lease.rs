//! Leasing slices of windows from the store, for whoever has too little to be counted, and giving them back.

use std::{sync::Arc, time::Duration};

use chancery_store::{Tx, tables::budget_leases};
use chancery_types::{Action, ErrorCode, RoleId};
use serde_json::json;
use uuid::Uuid;

use super::{
    LeasingBudgets, UsedUp,
    ledger::{Charge, Leased, Part, SIGN, Taken},
};
use crate::{
    Budgets, Error, Event, Result,
    context::{
        background::Recurring as _,
        clock_watch::STEADY,
        record::{Actor, Entry},
    },
    time::rfc3339_ms,
};

/// A window is leased in so many slices: what a server that is cut off or killed can hold of it.
const SLICES: i64 = 64;
/// Values of a slice at most: with more a commit would cost no less a value.
const SLICE_MAX: i64 = 10_000;
/// How often a call tries to be counted whose slices others were faster to use.
const TRIES: usize = 16;
/// How often windows that are over are removed from the store.
const FORGET_EVERY: Duration = Duration::from_mins(10);

/// What is to be counted, and in which windows.
pub(super) struct Bill<'a> {
    /// Of the token profile or the policy.
    pub(super) name: &'a str,
    /// Values, or signatures.
    pub(super) values: i64,
    pub(super) charges: Vec<Charge>,
}

impl Budgets {
    /// Counts it in all of the windows, or in none.
    pub(super) async fn settle(&self, bill: &Bill<'_>, now_ms: i64) -> Result<std::result::Result<(), UsedUp>> {
        let used_up = |index: usize| UsedUp::of(&bill.charges[index]);
        let take = || self.ledger().take(&bill.charges, bill.values, now_ms).map_err(Error::unavailable);
        match take()? {
            Taken::Done => return Ok(Ok(())),
            Taken::UsedUp(index) => return Ok(Err(used_up(index))),
            Taken::Lacking(_) => {}
        }
        let mut turn = self.leasing.lock().await;
        let lessee = self.lessee(&mut turn, now_ms)?;
        for _ in 0..TRIES {
            let lacking = match take()? {
                Taken::Done => return Ok(Ok(())),
                Taken::UsedUp(index) => return Ok(Err(used_up(index))),
                Taken::Lacking(lacking) => lacking,
            };
            for index in lacking {
                if !self.lease((bill, lessee), &bill.charges[index], now_ms).await? {
                    return Ok(Err(used_up(index)));
                }
            }
        }
        Err(Error::busy("Others use up the budget at the same time; try again.", 1))
    }

    /// Leases at least as much as the call lacks; whether there was so much. Whoever leases has the turn.
    async fn lease(&self, (bill, lessee): (&Bill<'_>, Uuid), charge: &Charge, now_ms: i64) -> Result<bool> {
        let Charge { slot, .. } = charge;
        let (remembers, used, left) = {
            let ledger = self.ledger();
            (ledger.remembers(slot), ledger.used(slot), ledger.left(slot))
        };
        let (window, count, values) = (slot.window(), charge.count(), bill.values);
        let asked = Asked { window, lessee, values, remembers, used, left };
        let (warning, task) = (self.budget_warning(bill.name, charge, now_ms)?, LeasingBudgets(()));
        let leased = self
            .context
            .storage
            .background(&task, move |tx| Box::pin(async move { lease(tx, &asked, count, warning).await }));
        let leased = leased.await?;
        let mut ledger = self.ledger();
        match leased {
            Some(leased) => ledger.lease(charge, leased, now_ms),
            None => ledger.refused(slot, values - left, now_ms),
        }
        .map_err(Error::unavailable)?;
        Ok(leased.is_some())
    }

    /// What is recorded when four fifths of a window are taken.
    fn budget_warning(&self, name: &str, Charge { slot, budget }: &Charge, now_ms: i64) -> Result<Entry> {
        let mut detail = json!({
            "name": name, "count": budget.count, "per": budget.per, "each": budget.each,
            "endsAt": rfc3339_ms(slot.ends_at_ms),
        });
        match slot.part {
            Part::Rule(role, operation) => {
                detail["roleUuid"] = json!(RoleId::from(role));
                detail["operation"] = json!(operation);
            }
            Part::Signatures => detail["operation"] = json!(SIGN),
        }
        if let Some(identity) = slot.identity {
            detail["identityUuid"] = json!(identity);
        }
        let event = Event::new(Action::BudgetWarn).on(slot.object).detail(detail);
        Entry::new(now_ms, &Actor::of_task(self.context.node, &LeasingBudgets(())), event, ErrorCode::Success)
    }

    /// Gives back what is leased and was not given out, when a server ends.
    pub(crate) async fn give_budgets_back(&self) -> Result<()> {
        let _turn = self.leasing.lock().await;
        let left = self.ledger().take_left(self.context.clock.now_ms());
        if left.is_empty() {
            return Ok(());
        }
        let given = self.context.storage.background(&LeasingBudgets(()), move |tx| {
            Box::pin(async move {
                for (slot, amount) in &left {
                    budget_leases::give_back(tx, &slot.window(), *amount).await?;
                }
                Ok::<_, Error>(())
            })
        });
        given.await
    }

    /// Removes windows that are over from the store, until the last user of this Chancery is gone.
    pub(crate) fn forget_budgets_in_turn(self: &Arc<Self>) {
        self.every(FORGET_EVERY, "forgetting windows of budgets", |budgets| Box::pin(budgets.forget_budgets()));
    }

    async fn forget_budgets(&self) -> Result<()> {
        if !self.context.is_steady(STEADY) {
            return Ok(());
        }
        // A clock that is behind may still be in them.
        let before_ms = self.context.clock.now_ms().saturating_sub(crate::base::clock::ms(Duration::from_hours(1)));
        let forgotten = self.context.storage.background(&LeasingBudgets(()), move |tx| {
            Box::pin(async move { Ok::<_, Error>(budget_leases::forget(tx, before_ms).await?) })
        });
        forgotten.await
    }
}

/// What is to be leased.
struct Asked {
    window: budget_leases::Window,
    lessee: Uuid,
    /// Of the call that lacks them.
    values: i64,
    /// Whether the lessee knows all that it gave out of the window.
    remembers: bool,
    /// What that was.
    used: i64,
    /// What it has of it besides, as it knows.
    left: i64,
}

/// What came of it; none where there is not so much.
async fn lease(tx: &mut Tx, asked: &Asked, count: i64, warning: Entry) -> Result<Option<Leased>> {
    let Asked { window, lessee, values, remembers, used, left } = asked;
    let row = budget_leases::of_window(tx, window).await?;
    let before = row.as_ref().map_or(0, |row| row.leased);
    // What this server, or one before it with the same file, leased without hearing of it is there to be given out.
    let own = row.filter(|row| *remembers && row.lessee == Some(*lessee)).map(|row| row.leased);
    let left = own.map_or(*left, |leased| leased - used);
    if left >= *values {
        // Not told by the store, it is lacking because the count was lowered: others may hold more than there is now.
        let rest = own.map(Leased::Whole).or_else(|| (before <= count).then_some(Leased::More(0)));
        return Ok(rest);
    }
    let least = values - left;
    let mut amount = (count / SLICES).clamp(1, SLICE_MAX).max(least).min(count);
    // Near the end of a window there is less than a slice.
    while amount < least || !budget_leases::lease(tx, window, amount, count, *lessee).await? {
        if amount <= least {
            return Ok(None);
        }
        amount = (amount / 2).max(least);
    }
    let Some(row) = budget_leases::of_window(tx, window).await? else {
        return Err(Error::internal("a lease that was taken is not there"));
    };
    let warned_at = count - count / 5;
    if row.leased >= warned_at && row.leased - amount < warned_at {
        warning.append(tx).await?;
    }
    Ok(Some(match (row.lessee == Some(*lessee), remembers) {
        (true, true) => Leased::Whole(row.leased),
        (true, false) => Leased::After { used: row.leased - amount, more: amount },
        (false, _) => Leased::More(amount),
    }))
}
