//! Proposals: what takes effect once enough people have approved it. A pre-approval stands in for the approvals of
//! requests to come; a grant lets somebody detokenize; a policy is made or changed; a certificate is issued; what certificates take approvals of changes.
//! What each of them does is an [`Effect`]; all else is the same for all of them and stands here.

mod decide;
mod decide_many;
mod effect;
mod propose;
mod read;
mod signed;
mod stored_proposal;

pub(crate) use self::{
    decide::ApprovedProposal,
    effect::{
        ApplyProposal, Content, Effect, Effects, Read, Reading, Ready, parse, prepared, read, retried, sees_others,
    },
    propose::{About, NewProposal, StoreFirst},
    stored_proposal::{IsProposer, StoredProposal},
};
