//! What of the budgets of a token profile, or of a signing policy, is used: their `budgets` behind the door.

use chancery_store::tables::budget_leases::{self, Row};
use chancery_types::{
    IdentityId, PolicyId, TokenProfileId,
    wire::{
        signing_policies::{PolicyBudgetUse, PolicyBudgets},
        token_profiles::{Budget, BudgetUse, ControlRule, TokenBudgets},
    },
};
use uuid::Uuid;

use super::{
    ledger::{Charge, Part, Slot},
    window,
};
use crate::{Budgets, Error, Grant, Result, time::rfc3339_ms};

/// Windows of identities that are answered: those of which most was used.
const SHOWN_MAX: u32 = 1_000;

/// One window of a budget, and what of it is used.
struct Use {
    charge: Charge,
    used: u64,
    left: u64,
}

/// What the store says of the windows of an object, and in whose name this server leases.
struct Leases {
    rows: Vec<Row>,
    lessee: Uuid,
    now_ms: i64,
}

impl Budgets {
    /// What of the budgets of a profile's rules is used now.
    pub(crate) async fn uses_of_rules(
        &self,
        grant: &Grant,
        id: TokenProfileId,
        rules: &[ControlRule],
    ) -> Result<TokenBudgets> {
        let leases = self.leases(grant, id.into()).await?;
        let mut budgets = Vec::new();
        for rule in rules {
            let part = Part::Rule(rule.role_uuid.into(), rule.operation);
            for Use { charge, used, left } in self.uses((id.into(), part), &rule.budgets, &leases) {
                let Charge { slot, budget } = charge;
                budgets.push(BudgetUse {
                    role_uuid: rule.role_uuid,
                    operation: rule.operation,
                    count: budget.count,
                    per: budget.per,
                    each: budget.each,
                    identity_uuid: slot.identity.map(IdentityId::from),
                    starts_at: rfc3339_ms(slot.starts_at_ms),
                    ends_at: rfc3339_ms(slot.ends_at_ms),
                    used,
                    left,
                });
            }
        }
        Ok(TokenBudgets { budgets })
    }

    /// What of a signing policy's budgets is used now.
    pub(crate) async fn uses_of_policy(
        &self,
        grant: &Grant,
        policy: PolicyId,
        budgets: &[Budget],
    ) -> Result<PolicyBudgets> {
        let leases = self.leases(grant, policy.into()).await?;
        let uses = self.uses((policy.into(), Part::Signatures), budgets, &leases).into_iter();
        let shown = |Use { charge: Charge { slot, budget }, used, left }| PolicyBudgetUse {
            count: budget.count,
            per: budget.per,
            each: budget.each,
            identity_uuid: slot.identity.map(IdentityId::from),
            starts_at: rfc3339_ms(slot.starts_at_ms),
            ends_at: rfc3339_ms(slot.ends_at_ms),
            used,
            left,
        };
        Ok(PolicyBudgets { budgets: uses.map(shown).collect() })
    }

    async fn leases(&self, grant: &Grant, object: Uuid) -> Result<Leases> {
        let now_ms = self.context.clock.now_ms();
        let rows = self.context.storage.read(grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(budget_leases::of_object(tx, object, now_ms, SHOWN_MAX).await?) })
        });
        let rows = rows.await?;
        let lessee = self.lessee(&mut *self.leasing.lock().await, now_ms)?;
        Ok(Leases { rows, lessee, now_ms })
    }

    fn uses(&self, (object, part): (Uuid, Part), budgets: &[Budget], leases: &Leases) -> Vec<Use> {
        let mut uses = Vec::new();
        for budget in budgets {
            let (starts_at_ms, ends_at_ms) = window::around(budget.per, leases.now_ms);
            let slot = |identity| Slot { object, part, per: budget.per, identity, starts_at_ms, ends_at_ms };
            let slots = leases.rows.iter().map(|row| (slot(row.window.identity), Some(row)));
            let is_of_budget = |(slot, row): &(Slot, Option<&Row>)| {
                slot.identity.is_some() == budget.each && row.is_some_and(|row| row.window == slot.window())
            };
            let mut found: Vec<_> = slots.filter(is_of_budget).collect();
            if found.is_empty() && !budget.each {
                found.push((slot(None), None));
            }
            uses.extend(found.into_iter().map(|(slot, row)| {
                let charge = Charge { slot, budget: *budget };
                let used = self.used(&charge.slot, row, leases.lessee);
                let left = charge.count().saturating_sub(used).max(0);
                let [used, left] = [used, left].map(|number| u64::try_from(number).unwrap_or_default());
                Use { charge, used, left }
            }));
        }
        uses
    }

    /// What other servers have leased counts as used; what this one has left does not.
    fn used(&self, slot: &Slot, row: Option<&Row>, lessee: Uuid) -> i64 {
        let ledger = self.ledger();
        match row {
            Some(row) if row.lessee == Some(lessee) && ledger.remembers(slot) => ledger.used(slot),
            Some(row) => row.leased - ledger.left(slot),
            None => 0,
        }
    }
}
