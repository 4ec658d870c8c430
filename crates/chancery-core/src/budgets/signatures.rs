//! Budgets of signing policies: so many signatures in a window of time, for each submitter or for all together.

use std::sync::{Arc, Mutex};

use chancery_types::{IdentityId, PolicyId, wire::token_profiles::Budget};
use tracing::error;
use uuid::Uuid;

use super::{
    charges_of,
    lease::Bill,
    ledger::{Charge, Ledger, Part},
    locked,
};
use crate::{Budgets, Error, Result};

/// What a policy says of budgets, and who submitted what it is to sign.
pub(crate) struct SignatureBudgets<'a> {
    pub(crate) policy: PolicyId,
    pub(crate) name: &'a str,
    pub(crate) windows: &'a [Budget],
    pub(crate) submitters: &'a [IdentityId],
}

/// Evidence that signatures are counted, made only here. Where nobody keeps them, they are put back: dropped, it means that
/// no transaction has stored them, so nobody has seen them.
#[must_use = "what is not kept is put back"]
pub(crate) struct Counted(Option<Box<Held>>);

struct Held {
    ledger: Arc<Mutex<Ledger>>,
    charges: Vec<Charge>,
    values: i64,
}

impl Counted {
    /// They are stored, if the transaction commits. To be called by the last work of that transaction: what fails after it
    /// stays counted, since nobody knows whether a commit that failed has happened.
    pub(crate) fn keep(mut self) {
        if let Some(held) = &mut self.0 {
            held.values = 0;
        }
    }

    /// Puts back what is more than this: some were not made.
    pub(crate) fn at_most(&mut self, signatures: u32) {
        if let Some(held) = &mut self.0 {
            let signatures = i64::from(signatures).min(held.values);
            held.put_back(held.values - signatures);
            held.values = signatures;
        }
    }
}

impl Held {
    fn put_back(&self, values: i64) {
        if values == 0 {
            return;
        }
        if let Err(why) = locked(&self.ledger).put_back(&self.charges, values) {
            // Memory has it; after a kill they count as used.
            error!(error = &why as &dyn std::error::Error, "signatures that were not stored stay counted in the file");
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.put_back(self.values);
    }
}

impl Budgets {
    /// Counts so many signatures in all of the policy's budgets, or in none: RateLimited.
    pub(crate) async fn count_signatures(&self, of: SignatureBudgets<'_>, signatures: usize) -> Result<Counted> {
        let SignatureBudgets { policy, name, windows, submitters } = of;
        if windows.is_empty() || signatures == 0 {
            return Ok(Counted(None));
        }
        let values = i64::try_from(signatures).unwrap_or(i64::MAX);
        let now_ms = self.context.clock.now_ms();
        let submitters = submitters.iter().map(|submitter| Uuid::from(*submitter)).collect::<Vec<_>>();
        let charges = charges_of((policy.into(), Part::Signatures), windows, &submitters, now_ms);
        if let Some(least) = charges.iter().find(|charge| charge.count() < values) {
            let Budget { count, per, .. } = least.budget;
            let message = format!("{signatures} signatures never fit into the policy's budget of {count} per {per}.");
            return Err(Error::state(message));
        }
        let bill = Bill { name, values, charges };
        match Box::pin(self.settle(&bill, now_ms)).await? {
            Ok(()) => {
                let (ledger, charges) = (Arc::clone(&self.ledger), bill.charges);
                Ok(Counted(Some(Box::new(Held { ledger, charges, values }))))
            }
            Err(used_up) => {
                let what = "The request does not fit into the budget of its signing policy";
                Err(used_up.error(what, "signatures", now_ms))
            }
        }
    }
}
