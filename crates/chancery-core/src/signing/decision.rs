//! A decision of people on a signing request or a proposal, as it is stored.

use std::str::FromStr;

use chancery_store::{
    Tx,
    tables::decisions::{self, Decision, Identity, On},
};
use chancery_types::{IdentityId, RoleId, UnknownSpelling, wire::ObjInfo};
use uuid::Uuid;

use super::request::Given;
use crate::{Error, Member, Result};

/// A decision and in whose name it was made.
#[derive(Clone, Debug)]
pub(super) struct StoredDecision<D> {
    pub(super) decision: D,
    roles: Vec<RoleId>,
    pub(super) row: Decision,
    pub(super) identities: Vec<Identity>,
}

impl<D: FromStr<Err = UnknownSpelling>> StoredDecision<D> {
    /// The decisions on a subject, oldest first.
    pub(super) async fn all(tx: &mut Tx, on: On, subject: Uuid) -> Result<Vec<Self>> {
        let rows = decisions::of(tx, on, subject).await?;
        let all = if rows.is_empty() { Vec::new() } else { decisions::identities(tx, on, subject).await? };
        let decision = |row: Decision| {
            Ok(Self {
                decision: row.decision.parse().map_err(Error::internal)?,
                roles: serde_json::from_str(&row.roles).map_err(Error::internal)?,
                identities: all.iter().filter(|identity| identity.version == row.version).cloned().collect(),
                row,
            })
        };
        rows.into_iter().map(decision).collect()
    }
}

impl<D> StoredDecision<D> {
    /// What it says as an approval.
    pub(super) fn given(&self) -> Given {
        let identities = self.identities.iter().map(|identity| identity.id.into()).collect();
        Given { identities, roles: self.roles.clone() }
    }

    /// In whose name it was made.
    pub(super) fn names(&self) -> Vec<ObjInfo<IdentityId>> {
        let name = |one: &Identity| ObjInfo { name: one.name.clone(), uuid: one.id.into() };
        self.identities.iter().map(name).collect()
    }
}

/// Records a decision in the name of all identities of a session.
pub(super) async fn insert(tx: &mut Tx, on: On, row: &Decision, members: &[Member]) -> Result<()> {
    decisions::insert(tx, on, row).await?;
    for member in members {
        decisions::insert_identity(tx, on, row, member.id.into(), &member.name).await?;
    }
    Ok(())
}
