//! GET /api/v2/token-profiles/{uuid}/budgets behind the door.

use chancery_store::tables::budget_leases::{self, Row};
use chancery_types::{
    Action, IdentityId, Perm, TokenProfileId,
    wire::token_profiles::{Budget, BudgetUse, ControlRule, TokenBudgets},
};

use uuid::Uuid;

use super::{ledger::Slot, signed, window};
use crate::{Caller, Chancery, Error, Result, time::rfc3339_ms};

/// Windows of identities that are answered: those of which most was used.
const SHOWN_MAX: u32 = 1_000;

impl Chancery {
    /// What of the budgets of a profile's rules is used now.
    pub async fn token_budgets(&self, caller: &Caller, id: TokenProfileId) -> Result<TokenBudgets> {
        let action = Action::TokenProfileRead;
        let grant = self.grant(caller, Perm::TokenizationManage, action, Some(id.into())).await?;
        let profile = self.token_profiles.find(id)?;
        let now_ms = self.clock.now_ms();
        let rows = self.storage.read(&grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(budget_leases::of_profile(tx, id.into(), now_ms, SHOWN_MAX).await?) })
        });
        let rows = rows.await?;
        let lessee = self.budgets.lessee(&mut *self.budgets.leasing.lock().await, now_ms)?;
        let mut budgets = Vec::new();
        for rule in &profile.control_rules {
            for budget in &rule.budgets {
                self.add_uses(&mut budgets, id, (rule, *budget), (&rows, lessee), now_ms);
            }
        }
        Ok(TokenBudgets { budgets })
    }

    fn add_uses(
        &self,
        uses: &mut Vec<BudgetUse>,
        profile: TokenProfileId,
        (rule, budget): (&ControlRule, Budget),
        (rows, lessee): (&[Row], Uuid),
        now_ms: i64,
    ) {
        let (starts_at_ms, ends_at_ms) = window::around(budget.per, now_ms);
        let slot = |identity| Slot {
            profile: profile.into(),
            role: rule.role_uuid.into(),
            operation: rule.operation,
            per: budget.per,
            identity,
            starts_at_ms,
            ends_at_ms,
        };
        let mut found: Vec<(Slot, Option<&Row>)> = rows
            .iter()
            .map(|row| (slot(row.window.identity), row))
            .filter(|(slot, row)| row.window.identity.is_some() == budget.each && row.window == slot.window())
            .map(|(slot, row)| (slot, Some(row)))
            .collect();
        if found.is_empty() && !budget.each {
            found.push((slot(None), None));
        }
        for (slot, row) in found {
            let ledger = self.budgets.ledger();
            // What other servers have leased counts as used; what this one has left does not.
            let used = match row {
                Some(row) if row.lessee == Some(lessee) => ledger.used(&slot),
                Some(row) => row.leased - ledger.left(&slot),
                None => 0,
            };
            let left = signed(budget.count).saturating_sub(used).max(0);
            uses.push(BudgetUse {
                role_uuid: rule.role_uuid,
                operation: rule.operation,
                count: budget.count,
                per: budget.per,
                each: budget.each,
                identity_uuid: slot.identity.map(IdentityId::from),
                starts_at: rfc3339_ms(starts_at_ms),
                ends_at: rfc3339_ms(ends_at_ms),
                used: u64::try_from(used).unwrap_or_default(),
                left: u64::try_from(left).unwrap_or_default(),
            });
        }
    }
}
