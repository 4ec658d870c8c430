//! The roles that every installation has.

use std::collections::BTreeMap;

use chancery_store::{StoreError, Tx, name_key, tables};
use chancery_types::{Action, ErrorCode, Perm, RoleId, wire::roles::Role};
use serde_json::json;

use super::roles::body_of;
use crate::{
    Error, Event, Limits, Result,
    context::{
        changes::{Change, ChangeKind},
        record::{Actor, Entry},
    },
};

/// A role as this release defines it.
struct BuiltIn {
    id: RoleId,
    name: &'static str,
    logins_required: u32,
    perms: &'static [Perm],
    management: bool,
}

const ROLES: [BuiltIn; 5] = [
    BuiltIn {
        id: RoleId::ADMINISTRATOR,
        name: "Administrator",
        logins_required: 2,
        perms: Perm::ALL,
        management: true,
    },
    BuiltIn {
        id: RoleId::SECURITY_OFFICER,
        name: "Security Officer",
        logins_required: 2,
        perms: &[Perm::IdentityManage, Perm::AuditRead, Perm::SystemManage],
        management: true,
    },
    BuiltIn {
        id: RoleId::APPROVER,
        name: "Approver",
        logins_required: 1,
        perms: &[Perm::SigningApprove],
        management: false,
    },
    BuiltIn { id: RoleId::APPLICATION, name: "Application", logins_required: 1, perms: &[], management: false },
    BuiltIn { id: RoleId::AUDITOR, name: "Auditor", logins_required: 1, perms: &[Perm::AuditRead], management: false },
];

/// Makes the built-in roles what this release says they are. A permission that a newer release adds is held from now
/// on, not from the beginning. What this makes of roles that are there is recorded: whoever asks who could do what at a
/// moment before reads it from the records.
pub(super) async fn ensure(tx: &mut Tx, now: i64, actor: &Actor, limits: &Limits) -> Result<()> {
    let is_new = tables::roles::ids(tx).await?.is_empty();
    for role in &ROLES {
        let stored = match tables::roles::by_id(tx, role.id.into()).await {
            // Whoever holds it is without it until it is restored.
            Err(StoreError::Unauthentic(_)) => continue,
            stored => stored?,
        };
        let since: BTreeMap<String, i64> = match &stored {
            Some(row) => serde_json::from_str(&row.perms).map_err(Error::internal)?,
            None => BTreeMap::new(),
        };
        let perms: BTreeMap<_, _> =
            role.perms.iter().map(|perm| (perm.as_str(), since.get(perm.as_str()).copied().unwrap_or(now))).collect();
        let row = tables::roles::Row {
            id: role.id.into(),
            name: role.name.to_owned(),
            name_key: name_key(role.name),
            logins_required: role.logins_required,
            perms: serde_json::to_string(&perms).map_err(Error::internal)?,
            management: role.management,
            system: true,
            second_factor: None,
        };
        match stored {
            None => {
                tables::roles::insert(tx, &row).await?;
                if !is_new {
                    record(tx, now, actor, made(&row)?).await?;
                }
            }
            Some(stored) if stored != row => {
                tables::roles::update(tx, &row).await?;
                let event = Event::new(Action::RoleChange).on(stored.id);
                record(tx, now, actor, event.changed(&body_of(stored)?, &body_of(row)?, limits)?).await?;
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn made(row: &tables::roles::Row) -> Result<Event> {
    let Role { obj_info, logins_required, perms, management, second_factor, system: _ } = body_of(row.clone())?;
    Ok(Event::new(Action::RoleCreate).on(row.id).detail(json!({
        "name": obj_info.name, "loginsRequired": logins_required, "perms": perms, "management": management,
        "secondFactor": second_factor,
    })))
}

async fn record(tx: &mut Tx, now: i64, actor: &Actor, event: Event) -> Result<()> {
    let stale = event.object.map(|id| Change::of(ChangeKind::Role, id));
    let event = stale.into_iter().fold(event, Event::changes);
    Entry::new(now, actor, event, ErrorCode::Success)?.append(tx).await
}
