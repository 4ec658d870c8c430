//! Grants: who detokenizes in full where a Control Rule demands approvals for that. What is asked for is a proposal; what
//! was used of it is counted in the store, in the transaction that records the use, so nobody ever gets more.

mod ask;
mod effect;
mod read;
mod tokens;
mod use_grant;

pub(crate) use use_grant::UnderGrant;

use chancery_types::{
    Base64, IdentityId, ProposalKind, RoleId, TokenProfileId,
    wire::{ObjInfo, token_profiles::DetokenizeGrant},
};
use serde::{Deserialize, Serialize};

use crate::{
    Result,
    approval::{
        moment,
        proposals::{self, Content, Read, Reading, StoredProposal},
    },
};

/// What is asked for, as people approve it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    token_profile: ObjInfo<TokenProfileId>,
    role_uuid: RoleId,
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ticket: Option<String>,
    /// All identities of the session that asked: nobody else uses it.
    requested_by: Vec<ObjInfo<IdentityId>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tokens: Option<Listed>,
    max_values: u32,
    lifetime_s: u64,
    /// The tokens' keyed hashes, while they are to be stored.
    #[serde(skip)]
    tags: Option<Vec<u8>>,
}

/// Tokens that are listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Listed {
    count: u32,
    /// SHA-256 over their keyed hashes: the list cannot become another one.
    digest: Base64,
}

impl Content for Asked {
    const KIND: ProposalKind = ProposalKind::DetokenizeGrant;
}

/// Reads one that is stored.
pub(crate) const DETOKENIZE_GRANT: Read = proposals::read::<Asked>;

/// What is asked for, and how it stands.
fn grant_of(stored: &StoredProposal, reading: Reading) -> Result<DetokenizeGrant> {
    let asked: Asked = proposals::parse(stored.content())?;
    let (state, approvals) = stored.state_at(reading.hardened, reading.now_ms);
    let row = stored.grant();
    Ok(DetokenizeGrant {
        uuid: stored.id(),
        token_profile: asked.token_profile,
        role_uuid: asked.role_uuid,
        reason: asked.reason,
        ticket: asked.ticket,
        requested_by: asked.requested_by,
        tokens: asked.tokens.map(|listed| listed.count),
        max_values: asked.max_values,
        used: row.map_or(0, |row| row.uses),
        lifetime_s: asked.lifetime_s,
        state,
        approvals,
        requested_at: moment(stored.submitted_at_ms()),
        granted_at: row.and_then(|row| row.granted_at_ms).map(moment),
        ends_at: row.and_then(|row| row.ends_at_ms).map(moment),
    })
}
