//! Budgets of Control Rules: so many values in a window of time, for each identity or for all together.
//!
//! A server takes slices of a window from the store before it gives any of them out, so all servers together never give
//! out more than there is, whatever becomes of one of them. What it gives out of its slices it counts in memory, and on
//! SQLite also in a file that a killed process leaves as it was ([`used_file`]).

mod ledger;
mod reading;
mod used_file;
mod window;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chancery_store::{Tx, tables::budget_leases};
use chancery_types::{Action, BudgetPeriod, ErrorCode, Operation, RoleId, wire::token_profiles::Budget};
use serde_json::json;
use tracing::warn;
use uuid::Uuid;

use self::{
    ledger::{Charge, Ledger, Slot, Taken},
    used_file::UsedFile,
};
use super::token_rules::Unpaid;
use crate::{
    Caller, Chancery, Error, Event, Result,
    audit::{Actor, Entry},
    time::rfc3339_ms,
    tokenization::Profile,
};

/// A window is leased in so many slices: what a server that is cut off or killed can hold of it.
const SLICES: i64 = 64;
/// Values of a slice at most: with more a commit would cost no less a value.
const SLICE_MAX: i64 = 10_000;
/// How often a call tries to be counted whose slices others were faster to use.
const TRIES: usize = 16;
/// How often windows that are over are removed from the store.
const FORGET_EVERY: Duration = Duration::from_mins(10);

/// The budgets of a rule that have to be asked before it lets somebody do something.
#[derive(Debug)]
pub(crate) struct RuleBudgets {
    pub(crate) role: RoleId,
    pub(crate) operation: Operation,
    pub(crate) windows: Vec<Budget>,
}

/// Evidence that a call was counted. Made only here.
pub(crate) struct Paid(());

/// Leases slices of budgets, and gives them back. Made only here.
pub(crate) struct LeasingBudgets(());

/// What this server has of all budgets.
pub(crate) struct Budgets {
    ledger: Mutex<Ledger>,
    /// Held by whoever leases: others that lack the same wait for what comes of it. In whose name that is done is known
    /// once it was done.
    leasing: tokio::sync::Mutex<Option<Uuid>>,
    node: Uuid,
    /// The SQLite file that the counts are kept beside.
    store: Option<PathBuf>,
}

impl Budgets {
    /// Of a server on this SQLite file, or on PostgreSQL. Nothing is looked at before there is something to count.
    pub(crate) fn new(node: Uuid, store: Option<&Path>) -> Self {
        let (ledger, leasing) = (Mutex::new(Ledger::default()), tokio::sync::Mutex::default());
        Self { ledger, leasing, node, store: store.map(Path::to_owned) }
    }

    /// In whose name this server leases. Whoever asks has the turn.
    fn lessee(&self, known: &mut Option<Uuid>, now_ms: i64) -> Result<Uuid> {
        if let Some(lessee) = known {
            return Ok(*lessee);
        }
        let file = self.store.as_deref().map(|store| UsedFile::open(store, now_ms)).transpose();
        let lessee = match file.map_err(Error::unavailable)?.flatten() {
            Some((file, counts)) => {
                let lessee = file.lessee;
                *self.ledger() = Ledger::new(file, counts);
                lessee
            }
            None => {
                if self.store.is_some() {
                    warn!("another server counts budgets beside this store: a kill may cost the rest of a slice");
                }
                self.node
            }
        };
        *known = Some(lessee);
        Ok(lessee)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When the month began that this moment is in, in UTC.
pub(crate) fn month_start(now_ms: i64) -> i64 {
    window::around(BudgetPeriod::Month, now_ms).0
}

/// Why a rule does not let a call through.
struct UsedUp {
    budget: Budget,
    ends_at_ms: i64,
}

impl UsedUp {
    fn error(&self, operation: Operation, now_ms: i64) -> Error {
        let Budget { count, per, each } = self.budget;
        let whose = if each { " of one identity" } else { "" };
        let until = rfc3339_ms(self.ends_at_ms);
        let message = format!(
            "The call does not fit into the budget of its Control Rule for {operation}: {count} values{whose} per {per}, \
             until {until}."
        );
        let wait_s = self.ends_at_ms.saturating_sub(now_ms).saturating_add(999).div_euclid(1_000).max(1);
        Error::busy(message, u32::try_from(wait_s).unwrap_or(u32::MAX))
    }
}

/// A call that is to be counted.
struct Call<'a> {
    caller: &'a Caller,
    profile: &'a Profile,
    values: i64,
}

impl Chancery {
    /// Counts a call of so many values in the budgets of the rule that lets it through, and in the grant that it is made
    /// under. Without either it is let through as it is. `field` has the values.
    pub(crate) async fn charge<G>(
        &self,
        caller: &Caller,
        profile: &Profile,
        unpaid: Unpaid<G>,
        values: usize,
        field: &str,
    ) -> Result<G> {
        if unpaid.budgets().is_empty() && unpaid.under().is_none() || values == 0 {
            return Ok(unpaid.paid(&Paid(())));
        }
        let call = Call { caller, profile, values: i64::try_from(values).unwrap_or(i64::MAX) };
        if !unpaid.budgets().is_empty() {
            Box::pin(self.charge_one_of(&call, unpaid.budgets(), field)).await?;
        }
        // Last, since nothing gives values back to it.
        if let Some(grant) = unpaid.under() {
            Box::pin(self.use_grant(caller, profile, grant, values)).await?;
        }
        Ok(unpaid.paid(&Paid(())))
    }

    /// Counts it by the first of the rules whose budgets have room for it.
    async fn charge_one_of(&self, call: &Call<'_>, rules: &[Arc<RuleBudgets>], field: &str) -> Result<Paid> {
        let now_ms = self.clock.now_ms();
        let fits = |rule: &&Arc<RuleBudgets>| rule.windows.iter().all(|budget| signed(budget.count) >= call.values);
        if !rules.iter().any(|rule| fits(&rule)) {
            let message = "These are more values than the budget of the Control Rule ever allows at once; split them.";
            return Err(Error::too_large(field, message));
        }
        let mut refusal = None;
        for rule in rules.iter().filter(fits) {
            match self.charge_rule(call, rule, now_ms).await? {
                Ok(paid) => return Ok(paid),
                // Whoever waits waits for the first that has room again.
                Err(used_up) => {
                    let earlier = refusal.filter(|other: &UsedUp| other.ends_at_ms <= used_up.ends_at_ms);
                    refusal = Some(earlier.unwrap_or(used_up));
                }
            }
        }
        let operation = rules[0].operation;
        let none = || Error::internal("a call was counted by no rule and refused by none");
        Err(refusal.map_or_else(none, |used_up| used_up.error(operation, now_ms)))
    }

    async fn charge_rule(
        &self,
        call: &Call<'_>,
        rule: &RuleBudgets,
        now_ms: i64,
    ) -> Result<std::result::Result<Paid, UsedUp>> {
        let (charges, budgets) = charges(call, rule, now_ms);
        let used_up = |index: usize| UsedUp { budget: budgets[index], ends_at_ms: charges[index].slot.ends_at_ms };
        let take = || self.budgets.ledger().take(&charges, call.values, now_ms).map_err(Error::unavailable);
        match take()? {
            Taken::Done => return Ok(Ok(Paid(()))),
            Taken::UsedUp(index) => return Ok(Err(used_up(index))),
            Taken::Lacking(_) => {}
        }
        let mut turn = self.budgets.leasing.lock().await;
        let lessee = self.budgets.lessee(&mut turn, now_ms)?;
        for _ in 0..TRIES {
            let lacking = match take()? {
                Taken::Done => return Ok(Ok(Paid(()))),
                Taken::UsedUp(index) => return Ok(Err(used_up(index))),
                Taken::Lacking(lacking) => lacking,
            };
            for index in lacking {
                if !self.lease((call, lessee), &charges[index], &budgets[index], now_ms).await? {
                    return Ok(Err(used_up(index)));
                }
            }
        }
        Err(Error::busy("Others use up the budget of the Control Rule at the same time; try again.", 1))
    }

    /// Leases at least as much as the call lacks; whether there was so much. Whoever leases has the turn.
    async fn lease(
        &self,
        (call, lessee): (&Call<'_>, Uuid),
        charge: &Charge,
        budget: &Budget,
        now_ms: i64,
    ) -> Result<bool> {
        let Charge { slot, count } = charge;
        let (used, left) = {
            let ledger = self.budgets.ledger();
            (ledger.used(slot), ledger.left(slot))
        };
        let asked = Asked { window: slot.window(), lessee, values: call.values, used, left };
        let warning = self.budget_warning(call.profile, slot, budget, now_ms)?;
        let (work_count, task) = (*count, LeasingBudgets(()));
        let leased = self
            .storage
            .background(&task, move |tx| Box::pin(async move { lease(tx, &asked, work_count, warning).await }));
        let leased = leased.await?;
        let mut ledger = self.budgets.ledger();
        match leased {
            Leased::Whole(whole) => ledger.lease(slot, 0, Some(whole), now_ms),
            Leased::More(more) => ledger.lease(slot, more, None, now_ms),
            Leased::None => {
                ledger.refused(slot, call.values - left, now_ms);
                return Ok(false);
            }
        }
        .map_err(Error::unavailable)?;
        Ok(true)
    }

    /// What is recorded when four fifths of a window are taken.
    fn budget_warning(&self, profile: &Profile, slot: &Slot, budget: &Budget, now_ms: i64) -> Result<Entry> {
        let mut detail = json!({
            "name": profile.name, "roleUuid": RoleId::from(slot.role), "operation": slot.operation, "count": budget.count,
            "per": budget.per, "each": budget.each, "endsAt": rfc3339_ms(slot.ends_at_ms),
        });
        if let Some(identity) = slot.identity {
            detail["identityUuid"] = json!(identity);
        }
        let event = Event::new(Action::BudgetWarn).on(slot.profile).detail(detail);
        Entry::new(now_ms, &Actor::of_task(self.node, &LeasingBudgets(())), event, ErrorCode::Success)
    }

    /// Gives back what is leased and was not given out, when a server ends.
    pub(crate) async fn give_budgets_back(&self) -> Result<()> {
        let _turn = self.budgets.leasing.lock().await;
        let left = self.budgets.ledger().take_left(self.clock.now_ms());
        if left.is_empty() {
            return Ok(());
        }
        let given = self.storage.background(&LeasingBudgets(()), move |tx| {
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
        self.every(FORGET_EVERY, "forgetting windows of budgets", |chancery| Box::pin(chancery.forget_budgets()));
    }

    async fn forget_budgets(&self) -> Result<()> {
        // A clock that is behind may still be in them.
        let before_ms = self.clock.now_ms().saturating_sub(crate::clock::ms(Duration::from_hours(1)));
        let forgotten = self.storage.background(&LeasingBudgets(()), move |tx| {
            Box::pin(async move { Ok::<_, Error>(budget_leases::forget(tx, before_ms).await?) })
        });
        forgotten.await
    }
}

/// What a call is counted in by a rule, each with its budget: where identities have budgets of their own, by each of those
/// who hold the role.
fn charges(call: &Call<'_>, rule: &RuleBudgets, now_ms: i64) -> (Vec<Charge>, Vec<Budget>) {
    let members = call.caller.members().iter();
    let holders = members.filter(|member| member.roles.iter().any(|(role, _)| *role == rule.role));
    let holders: Vec<Uuid> = holders.map(|member| member.id.into()).collect();
    let (mut charges, mut budgets) = (Vec::new(), Vec::new());
    for budget in &rule.windows {
        let (starts_at_ms, ends_at_ms) = window::around(budget.per, now_ms);
        let whose = if budget.each { holders.iter().copied().map(Some).collect() } else { vec![None] };
        for identity in whose {
            let slot = Slot {
                profile: call.profile.id.into(),
                role: rule.role.into(),
                operation: rule.operation,
                per: budget.per,
                identity,
                starts_at_ms,
                ends_at_ms,
            };
            charges.push(Charge { slot, count: signed(budget.count) });
            budgets.push(*budget);
        }
    }
    (charges, budgets)
}

/// Counts are bounded far below.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// What is to be leased.
struct Asked {
    window: budget_leases::Window,
    lessee: Uuid,
    /// Of the call that lacks them.
    values: i64,
    /// What the lessee gave out of the window.
    used: i64,
    /// What it has of it besides, as it knows.
    left: i64,
}

/// What came of it.
enum Leased {
    /// The lessee has this much of the window in all: nobody else has any of it.
    Whole(i64),
    /// It has so much more.
    More(i64),
    /// There is not so much.
    None,
}

async fn lease(tx: &mut Tx, asked: &Asked, count: i64, warning: Entry) -> Result<Leased> {
    let Asked { window, lessee, values, used, left } = asked;
    let row = budget_leases::of_window(tx, window).await?;
    // What this server, or one before it with the same file, leased without hearing of it is there to be given out.
    let own = row.filter(|row| row.lessee == Some(*lessee)).map(|row| row.leased);
    let left = own.map_or(*left, |leased| leased - used);
    if let Some(leased) = own.filter(|_| left >= *values) {
        return Ok(Leased::Whole(leased));
    }
    let least = values - left;
    let mut amount = (count / SLICES).clamp(1, SLICE_MAX).max(least).min(count);
    // Near the end of a window there is less than a slice.
    while amount < least || !budget_leases::lease(tx, window, amount, count, *lessee).await? {
        if amount <= least {
            return Ok(Leased::None);
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
    Ok(if row.lessee == Some(*lessee) { Leased::Whole(row.leased) } else { Leased::More(amount) })
}
