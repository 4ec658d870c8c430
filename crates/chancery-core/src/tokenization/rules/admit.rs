//! What a call demands of its caller before anything is known of what it says.

use chancery_types::{Action, Perm, TokenProfileId};

use crate::{
    Caller, Result, Tokens,
    tokenization::{Noted, rules::Call},
};

/// What a call demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// No more than to be logged in.
    Login,
    /// One of these permissions; a refusal is audited as a failed action.
    Perms(&'static [Perm], Action),
    /// Control Rules of this token profile.
    Rules(RuleCall, TokenProfileId),
}

/// A call for which Control Rules are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleCall {
    /// One value.
    Tokenize,
    /// One value.
    Detokenize,
    /// Many values.
    BatchTokenize,
    /// Many values.
    BatchDetokenize,
    /// Track data.
    TrackTokenize,
    /// Track data.
    TrackDetokenize,
    /// Many tokens into others.
    Rewrap,
    /// What is kept beside a message.
    TokenRead,
    /// Whether a message has a token.
    TokenizedRead,
    /// Asking for approvals.
    RequestGrant,
}

impl RuleCall {
    const fn action(self) -> Action {
        match self {
            Self::Tokenize => Action::Tokenize,
            Self::Detokenize => Action::Detokenize,
            Self::BatchTokenize => Action::BatchTokenize,
            Self::BatchDetokenize => Action::BatchDetokenize,
            Self::TrackTokenize => Action::TrackTokenize,
            Self::TrackDetokenize => Action::TrackDetokenize,
            Self::Rewrap => Action::Rewrap,
            Self::TokenRead => Action::TokenRead,
            Self::TokenizedRead => Action::TokenizedRead,
            Self::RequestGrant => Action::ProposalSubmit,
        }
    }
}

impl Tokens {
    /// Refuses a caller who may not make this call, whatever it says: so that nothing of a large body is taken from them.
    /// The call itself asks again.
    pub async fn admit_call(&self, caller: &Caller, demand: Demand) -> Result<()> {
        match demand {
            Demand::Login => Ok(()),
            Demand::Perms(perms, action) => self.context.grant_any(caller, perms, action, None).await.map(drop),
            Demand::Rules(RuleCall::RequestGrant, profile) => self.admit_grant_request(caller, profile).await,
            Demand::Rules(call, profile) => {
                let allowed = self.rules_allow(caller, call, profile)?;
                if allowed.is_ok() {
                    return Ok(());
                }
                self.record_call(caller, profile, Noted::of(call.action(), 0), allowed).await
            }
        }
    }

    /// What the rules say. An error, which is not counted, where this node can make no such call for anybody.
    fn rules_allow(&self, caller: &Caller, call: RuleCall, profile: TokenProfileId) -> Result<Result<()>> {
        let tokenize = |call| Ok(self.may_tokenize(&self.context.tokenizes_now()?, caller, profile, call).map(drop));
        let detokenize = |call| {
            let now = self.context.detokenizes_now()?;
            let allowed = self.may_detokenize(&now, caller, profile, call).map(drop);
            // The body, which is not read yet, may name a grant, and has the tokens that the journal is to have.
            Ok(if self.has_detokenize_rule(caller, profile, call) { Ok(()) } else { allowed })
        };
        match call {
            RuleCall::Tokenize => tokenize(Call::Single),
            RuleCall::Detokenize => detokenize(Call::Single),
            RuleCall::BatchTokenize => tokenize(Call::Batch),
            RuleCall::BatchDetokenize => detokenize(Call::Batch),
            RuleCall::TrackTokenize => tokenize(Call::Track),
            RuleCall::TrackDetokenize => detokenize(Call::Track),
            RuleCall::Rewrap => match detokenize(Call::Rewrap)? {
                Ok(()) => tokenize(Call::Rewrap),
                refused @ Err(_) => Ok(refused),
            },
            RuleCall::TokenRead | RuleCall::TokenizedRead => detokenize(Call::Vault),
            RuleCall::RequestGrant => Ok(Ok(())),
        }
    }
}
