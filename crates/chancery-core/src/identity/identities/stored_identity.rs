//! Makes of an identity's row, with its roles, what the API answers of it.

use chancery_store::{
    Tx,
    tables::{self, identities::Row, identity_roles},
};
use chancery_types::{
    IdentityKind,
    wire::{
        ObjInfo,
        identities::{Identity, Recovery, TotpState},
    },
};
use uuid::Uuid;

use crate::{Error, Result, context::bounds::Kept, time::rfc3339_ms};

pub(in crate::identity) async fn existing(tx: &mut Tx, id: Uuid) -> Result<Row> {
    tables::identities::by_id(tx, id).await?.ok_or_else(|| Error::not_found("identity"))
}

/// The identity as the interface shows it.
pub(in crate::identity) async fn read(tx: &mut Tx, id: Uuid) -> Result<Identity> {
    let row = existing(tx, id).await?;
    let roles = identity_roles::of_identity(tx, id).await?;
    let Kept { networks, hours } = Kept::of(&row)?;
    Ok(Identity {
        networks,
        hours,
        kind: kind_of(&row)?,
        recovery: recovery_of(&row)?,
        one_time_password_until: row.password_once_until_ms.map(rfc3339_ms),
        obj_info: ObjInfo { name: row.name, uuid: id.into() },
        role_uuids: roles.into_iter().map(|role| role.role_id.into()).collect(),
        locked: row.locked,
        created_at: rfc3339_ms(row.created_at_ms),
        password_reset_at: row.password_reset_at_ms.map(rfc3339_ms),
        totp: row.totp_confirmed_at_ms.map(|at| TotpState { confirmed_at: rfc3339_ms(at) }),
    })
}

/// How it was recovered on the host, where nobody has acknowledged that yet.
pub(in crate::identity) fn recovery_of(row: &Row) -> Result<Option<Recovery>> {
    row.recovery.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)
}

pub(in crate::identity) fn kind_of(row: &Row) -> Result<IdentityKind> {
    row.kind.parse().map_err(Error::internal)
}
