//! What a call costs before a rule lets it through.

use chancery_types::{Action, Perm, TokenProfileId, wire::token_profiles::TokenBudgets};

use super::Unpaid;
use crate::{Caller, Result, Tokens, budgets::Call, tokenization::Profile};

impl Tokens {
    /// What of the budgets of a profile's rules is used now.
    pub async fn token_budgets(&self, caller: &Caller, id: TokenProfileId) -> Result<TokenBudgets> {
        let action = Action::TokenProfileRead;
        let grant = self.context.grant(caller, Perm::TokenizationManage, action, Some(id.into())).await?;
        let profile = self.token_profiles.find(id)?;
        self.budgets.uses_of_rules(&grant, id, &profile.control_rules).await
    }

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
        let call = Call { caller, profile: (profile.id, &profile.name), values: values as u64 };
        let paid = self.budgets.charge(&call, unpaid.budgets(), field).await?;
        // Last, since nothing gives values back to it.
        if let Some(grant) = unpaid.under().filter(|_| values > 0) {
            Box::pin(self.use_grant(caller, profile, grant, values)).await?;
        }
        Ok(unpaid.paid(&paid))
    }
}
