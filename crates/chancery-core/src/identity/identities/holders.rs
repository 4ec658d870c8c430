//! Who holds which role, within the rules.

use chancery_store::{
    StoreError, Tx,
    tables::{self, identities::Row, identity_roles, named_roles},
};
use chancery_types::{IdentityKind, Perm, RoleId, SecondFactor};
use uuid::Uuid;

use super::stored_identity::kind_of;
use crate::{
    Caller, Error, Result,
    identity::{
        roles::rules_of,
        rules::{RoleRules, check_together},
    },
};

/// Holders without whom nobody could complete a login with the role.
const LAST_HOLDERS: i64 = 2;

/// The roles asked for, each once, if this caller may give those that are not held already; if anybody may, where nobody
/// gives them.
pub(super) async fn roles_to_give(
    tx: &mut Tx,
    granter: Option<&Caller>,
    kind: IdentityKind,
    asked: &[RoleId],
    held: &[RoleId],
) -> Result<Vec<RoleId>> {
    let gives_none = asked.iter().all(|id| held.contains(id));
    let (mut roles, mut all_rules): (Vec<RoleId>, Vec<(RoleId, RoleRules)>) = Default::default();
    for (index, id) in asked.iter().enumerate() {
        if roles.contains(id) {
            continue;
        }
        roles.push(*id);
        let field = format!("/roleUuids/{index}");
        let row = tables::roles::by_id(tx, (*id).into()).await;
        if gives_none && matches!(row, Err(StoreError::Unauthentic(_))) {
            // Others are withdrawn all the same. Beside it none is given: nobody knows whether they may stand together.
            continue;
        }
        let Some(row) = row? else {
            return Err(Error::selection(field, "There is no such role."));
        };
        let rules = rules_of(&row)?;
        if !held.contains(id) {
            check_kind(kind, &rules).map_err(|refusal| refusal.at(&field))?;
            if let Some(granter) = granter {
                check_may_give(tx, granter, *id, &rules).await.map_err(|refusal| refusal.at(field))?;
            }
        }
        all_rules.push((*id, rules));
    }
    // None of them can be read where only such stay.
    if roles.is_empty() || !all_rules.is_empty() {
        check_together(&all_rules)?;
    }
    Ok(roles)
}

/// Two logins are two persons, and a second factor is what a person has: a program with a key is none of them.
fn check_kind(kind: IdentityKind, role: &RoleRules) -> Result<()> {
    match kind {
        IdentityKind::Application if role.logins_required > 1 => {
            Err(Error::value("", "A role with two logins is for persons; an application holds roles with one."))
        }
        IdentityKind::Application if role.second_factor > SecondFactor::None => {
            Err(Error::value("", "A role with a second factor is for persons; an application has none."))
        }
        IdentityKind::Application | IdentityKind::Person => Ok(()),
    }
}

pub(super) async fn assign(tx: &mut Tx, identity: Uuid, roles: &[RoleId], now: i64) -> Result<()> {
    for role in roles {
        let row = identity_roles::Row { identity_id: identity, role_id: (*role).into(), assigned_at_ms: now };
        identity_roles::insert(tx, &row).await?;
    }
    Ok(())
}

/// The roles that an identity holds, and those that it would hold: all of the checks of [`reassign`].
pub(super) async fn reassigned(
    tx: &mut Tx,
    granter: Option<&Caller>,
    row: &Row,
    asked: &[RoleId],
) -> Result<(Vec<RoleId>, Vec<RoleId>)> {
    let held = held(tx, row.id).await?;
    let roles = roles_to_give(tx, granter, kind_of(row)?, asked, &held).await?;
    check_last_holders(tx, row, Some(&roles)).await?;
    Ok((held, roles))
}

/// Replaces the roles of an identity. What it keeps it holds since it was given.
pub(super) async fn reassign(tx: &mut Tx, granter: &Caller, row: &Row, asked: &[RoleId], now: i64) -> Result<()> {
    let (_, roles) = reassigned(tx, Some(granter), row, asked).await?;
    let held = identity_roles::of_identity(tx, row.id).await?;
    // Also the rows that are not what they say: they would be in the way, and count again once somebody restores them.
    identity_roles::delete_of(tx, row.id).await?;
    for role in roles {
        let role_id = Uuid::from(role);
        let since_ms = held.iter().find(|held| held.role_id == role_id).map_or(now, |held| held.assigned_at_ms);
        let assigned = identity_roles::Row { identity_id: row.id, role_id, assigned_at_ms: since_ms };
        identity_roles::insert(tx, &assigned).await?;
    }
    Ok(())
}

/// Refuses to take a built-in role with two logins from one of its last two holders. `keeps` is what the identity will
/// still hold; nothing, when it is locked or removed.
pub(super) async fn check_last_holders(tx: &mut Tx, row: &Row, keeps: Option<&[RoleId]>) -> Result<()> {
    if row.locked {
        return Ok(());
    }
    for id in held(tx, row.id).await? {
        if keeps.is_some_and(|keeps| keeps.contains(&id)) {
            continue;
        }
        let role = tables::roles::by_id(tx, id.into()).await;
        if matches!(role, Err(StoreError::Unauthentic(_))) {
            // Nobody logs in with it until it is restored, and whoever holds it can be locked.
            continue;
        }
        let Some(role) = role? else { continue };
        let protected = role.system && role.logins_required > 1;
        if protected && identity_roles::unlocked_holders(tx, role.id).await? <= LAST_HOLDERS {
            let message = format!("The last two holders of the role {} cannot be locked or removed.", role.name);
            return Err(Error::state(message));
        }
    }
    Ok(())
}

/// Refuses a password or a name from somebody who holds less than the identity: with the one they could log in as it, with
/// the other let somebody else appear as it.
pub(in crate::identity) async fn check_holds_as_much(tx: &mut Tx, granter: &Caller, identity: Uuid) -> Result<()> {
    for held in identity_roles::held_by(tx, identity).await? {
        // One that is not there was taken away, and may come back.
        let role = tables::roles::by_id(tx, held.role_id).await?.ok_or_else(|| tx.refuse("roles", held.role_id))?;
        check_may_give(tx, granter, held.role_id.into(), &rules_of(&role)?).await?;
    }
    Ok(())
}

/// Refuses a role that gives more than this caller holds: by its permissions, or because rules name it that this caller
/// could not write. Without the latter whoever manages identities would reach what rules give to an application, by
/// making one.
pub(in crate::identity) async fn check_may_give(
    tx: &mut Tx,
    granter: &Caller,
    id: RoleId,
    role: &RoleRules,
) -> Result<()> {
    role.check_held_by(granter)?;
    check_named(tx, granter, id).await
}

/// Refuses a role that is named by rules which this caller could not write.
pub(in crate::identity) async fn check_named(tx: &mut Tx, granter: &Caller, role: RoleId) -> Result<()> {
    let id = role.into();
    let refuse = |named: bool, who: &str, perm: Perm| {
        if !named {
            return Ok(());
        }
        Err(Error::forbidden(format!("{who} name this role: to give what it gives needs {perm} besides.")))
    };
    if !granter.has(Perm::TokenizationManage) {
        let named = named_roles::by_token_profiles(tx, id).await?;
        refuse(named, "Control Rules of token profiles", Perm::TokenizationManage)?;
    }
    if !granter.has(Perm::ServicesDeploy) {
        refuse(named_roles::by_policies(tx, id).await?, "Signing policies", Perm::ServicesDeploy)?;
    }
    if !granter.has(Perm::CertManageManage) {
        let named = named_roles::by_certificates(tx, id).await?;
        refuse(named, "The approvals that certificates need", Perm::CertManageManage)?;
    }
    Ok(())
}

/// Refuses an API key, or tokens of a provider, of an identity that could do nothing by them: two logins are two persons,
/// and a program is none.
pub(in crate::identity) async fn check_takes_programs(tx: &mut Tx, identity: Uuid) -> Result<()> {
    for id in held(tx, identity).await? {
        let role = tables::roles::by_id(tx, id.into()).await?;
        if role.is_some_and(|role| role.logins_required < 2 && role.second_factor.is_none()) {
            return Ok(());
        }
    }
    let message = "All roles of this identity take two logins, which are two persons', or a second factor; a program has neither.";
    Err(Error::state(message))
}

async fn held(tx: &mut Tx, identity: Uuid) -> Result<Vec<RoleId>> {
    let rows = identity_roles::of_identity(tx, identity).await?;
    Ok(rows.into_iter().map(|row| row.role_id.into()).collect())
}
