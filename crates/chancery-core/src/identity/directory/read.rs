//! Roles and identities as their rows have them.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{IdentityId, RoleId, wire::identities::Recovery};
use uuid::Uuid;

use super::{Identity, Role};
use crate::{
    Error, Result,
    context::bounds::Bounds,
    identity::{identities::recovery_of, recovery::at_ms, roles},
};

impl Role {
    pub(super) fn of(row: tables::roles::Row) -> Result<Self> {
        Ok(Self { rules: roles::rules_of(&row)?, name: row.name })
    }

    pub(in crate::identity) async fn read(tx: &mut Tx, id: Uuid) -> Result<Option<Self>> {
        tables::roles::by_id(tx, id).await?.map(Self::of).transpose()
    }
}

impl Identity {
    pub(super) fn of(
        row: tables::identities::Row,
        roles: Vec<(RoleId, i64)>,
        passkeys: &[tables::passkeys::Row],
    ) -> Result<Self> {
        let confirmed = passkeys.iter().filter(|passkey| passkey.confirmed_at_ms.is_some());
        let recovered = |recovery: Recovery| Ok::<_, Error>((recovery.by, at_ms(&recovery)?));
        Ok(Self {
            recovered: recovery_of(&row)?.map(recovered).transpose()?,
            bounds: Bounds::of(&row)?.map(Arc::new),
            kind: row.kind.parse().map_err(Error::internal)?,
            name: row.name,
            locked: row.locked,
            trusted_since: row.password_reset_at_ms.unwrap_or(row.created_at_ms),
            totp_confirmed_at: row.totp_confirmed_at_ms,
            passkeys: confirmed.map(|passkey| passkey.id.into()).collect(),
            roles,
        })
    }

    pub(in crate::identity) async fn read(tx: &mut Tx, id: IdentityId) -> Result<Option<Self>> {
        let Some(row) = tables::identities::by_id(tx, id.into()).await? else { return Ok(None) };
        let roles = tables::identity_roles::of_identity(tx, id.into()).await?;
        let passkeys = tables::passkeys::of_identity(tx, id.into()).await?;
        let roles = roles.into_iter().map(|row| (row.role_id.into(), row.assigned_at_ms)).collect();
        Self::of(row, roles, &passkeys).map(Some)
    }
}
