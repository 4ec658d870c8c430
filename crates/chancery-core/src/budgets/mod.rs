//! Budgets of Control Rules and of signing policies: so many values or signatures in a window of time, for each identity
//! or for all together.
//!
//! A server takes slices of a window from the store before it gives any of them out, so all servers together never give
//! out more than there is, whatever becomes of one of them. What it gives out of its slices it counts in memory, and on
//! SQLite also in a file that a killed process leaves as it was ([`used_file`]).

mod lease;
mod ledger;
mod reading;
mod signatures;
mod used_file;
mod window;

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chancery_types::{Action, BudgetPeriod, Operation, RoleId, TokenProfileId, wire::token_profiles::Budget};
use tracing::warn;
use uuid::Uuid;

use self::{
    lease::Bill,
    ledger::{Charge, Ledger, Part, Slot},
    used_file::UsedFile,
};
use crate::{
    Caller, Context, Error, Result,
    context::storage::{Background, Evidence, MayRead, Recording},
    time::rfc3339_ms,
};

pub(crate) use self::signatures::{Counted, SignatureBudgets};

/// Values of a window at most: far more than anybody counts, and far from where numbers end.
const COUNT_MAX: u64 = 1_000_000_000_000;

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

impl Evidence for LeasingBudgets {}
impl MayRead for LeasingBudgets {}
impl Background for LeasingBudgets {}
impl Recording for LeasingBudgets {
    const NAME: &'static str = "budgets";
    const ACTIONS: &'static [Action] = &[Action::BudgetWarn];
}

/// What this server has of all budgets.
pub struct Budgets {
    context: Arc<Context>,
    ledger: Arc<Mutex<Ledger>>,
    /// Held by whoever leases: others that lack the same wait for what comes of it. In whose name that is done is known
    /// once it was done.
    leasing: tokio::sync::Mutex<Option<Uuid>>,
    /// The SQLite file that the counts are kept beside.
    store: Option<PathBuf>,
}

impl AsRef<Context> for Budgets {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

impl Budgets {
    /// Of a server on this SQLite file, or on PostgreSQL. Nothing is looked at before there is something to count.
    pub(crate) fn new(context: Arc<Context>, store: Option<&Path>) -> Self {
        let (ledger, leasing) = (Arc::default(), tokio::sync::Mutex::default());
        Self { context, ledger, leasing, store: store.map(Path::to_owned) }
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
                self.context.node
            }
        };
        *known = Some(lessee);
        Ok(lessee)
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        locked(&self.ledger)
    }
}

fn locked(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Checks the budgets of one rule, or of one policy. `at` is where they are in the body.
pub(crate) fn check_budgets(at: &str, budgets: &[Budget]) -> Result<()> {
    for (place, budget) in budgets.iter().enumerate() {
        if !(1..=COUNT_MAX).contains(&budget.count) {
            return Err(Error::value(format!("{at}/{place}/count"), format!("count is 1 to {COUNT_MAX}.")));
        }
        let is_same = |other: &Budget| (other.per, other.each) == (budget.per, budget.each);
        if budgets[..place].iter().any(is_same) {
            let message = "There is a budget before it for windows of this length, for the same ones.";
            return Err(Error::value(format!("{at}/{place}/per"), message));
        }
    }
    Ok(())
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
    fn of(charge: &Charge) -> Self {
        Self { budget: charge.budget, ends_at_ms: charge.slot.ends_at_ms }
    }

    /// RateLimited until the window ends: what does not fit into whose budget, and what is counted there.
    fn error(&self, what: &str, counted: &str, now_ms: i64) -> Error {
        let Budget { count, per, each } = self.budget;
        let whose = if each { " of one identity" } else { "" };
        let until = rfc3339_ms(self.ends_at_ms);
        let message = format!("{what}: {count} {counted}{whose} per {per}, until {until}.");
        let wait_s = self.ends_at_ms.saturating_sub(now_ms).saturating_add(999).div_euclid(1_000).max(1);
        Error::busy(message, u32::try_from(wait_s).unwrap_or(u32::MAX))
    }
}

/// A call that is to be counted, under which profile.
pub(crate) struct Call<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) profile: (TokenProfileId, &'a str),
    pub(crate) values: u64,
}

impl Budgets {
    /// Counts it by the first of the rules whose budgets have room for it. Where there are none, or no values, there is nothing to
    /// count. `field` has the values.
    pub(crate) async fn charge(&self, call: &Call<'_>, rules: &[Arc<RuleBudgets>], field: &str) -> Result<Paid> {
        if rules.is_empty() || call.values == 0 {
            return Ok(Paid(()));
        }
        Box::pin(self.charge_one_of(call, rules, field)).await
    }

    async fn charge_one_of(&self, call: &Call<'_>, rules: &[Arc<RuleBudgets>], field: &str) -> Result<Paid> {
        let now_ms = self.context.clock.now_ms();
        let fits = |rule: &&Arc<RuleBudgets>| rule.windows.iter().all(|budget| call.values <= budget.count);
        if !rules.iter().any(|rule| fits(&rule)) {
            let message = "These are more values than the budget of the Control Rule ever allows at once; split them.";
            return Err(Error::too_large(field, message));
        }
        let mut refusal = None;
        for rule in rules.iter().filter(fits) {
            let charges = charges(call, rule, now_ms);
            let values = i64::try_from(call.values).unwrap_or(i64::MAX);
            match self.settle(&Bill { name: call.profile.1, values, charges }, now_ms).await? {
                Ok(()) => return Ok(Paid(())),
                // Whoever waits waits for the first that has room again.
                Err(used_up) => {
                    let earlier = refusal.filter(|other: &UsedUp| other.ends_at_ms <= used_up.ends_at_ms);
                    refusal = Some(earlier.unwrap_or(used_up));
                }
            }
        }
        let operation = rules[0].operation;
        let none = || Error::internal("a call was counted by no rule and refused by none");
        let what = format!("The call does not fit into the budget of its Control Rule for {operation}");
        Err(refusal.map_or_else(none, |used_up| used_up.error(&what, "values", now_ms)))
    }
}

/// What a call is counted in by a rule: where identities have budgets of their own, by each of those who hold the role.
fn charges(call: &Call<'_>, rule: &RuleBudgets, now_ms: i64) -> Vec<Charge> {
    let members = call.caller.members().iter();
    let holders = members.filter(|member| member.roles.iter().any(|(role, _)| *role == rule.role));
    let holders: Vec<Uuid> = holders.map(|member| member.id.into()).collect();
    let part = Part::Rule(rule.role.into(), rule.operation);
    charges_of((call.profile.0.into(), part), &rule.windows, &holders, now_ms)
}

/// The windows of these budgets that are open now. Of those that identities have of their own, one for each of these.
fn charges_of((object, part): (Uuid, Part), budgets: &[Budget], identities: &[Uuid], now_ms: i64) -> Vec<Charge> {
    let mut charges = Vec::new();
    for budget in budgets {
        let (starts_at_ms, ends_at_ms) = window::around(budget.per, now_ms);
        let whose = if budget.each { identities.iter().copied().map(Some).collect() } else { vec![None] };
        for identity in whose {
            let slot = Slot { object, part, per: budget.per, identity, starts_at_ms, ends_at_ms };
            charges.push(Charge { slot, budget: *budget });
        }
    }
    charges
}
