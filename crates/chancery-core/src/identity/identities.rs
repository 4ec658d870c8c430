//! `/api/v2/identities` behind the door.

mod api_keys;
mod holders;
mod previous_secret;
mod stored_identity;

use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    Action, IdentityId, IdentityKind, RoleId,
    wire::{
        Empty, ListQuery, ObjInfo, Results,
        identities::{CreateIdentity, Identity, IdentityCreated, IdentityStub, NewPassword, PatchIdentity},
        reports::AccessEffect,
    },
};
use serde_json::json;
use uuid::Uuid;
use zeroize::Zeroizing;

use self::{
    api_keys::check_scope,
    holders::{assign, check_last_holders, reassign, reassigned, roles_to_give},
};
use super::{
    administration::{end_sessions, name_taken},
    passkeys::check_has_shown_passkey,
    password,
    recovery::acknowledge,
};
use crate::{
    Caller, Error, Event, Grant, Host, Identities, Limits, Result,
    base::{
        clock::ms,
        list::Page,
        text::{check_own_name, check_own_name_anew},
    },
    context::{
        bounds::{Bounds, Kept},
        changes::{Change, ChangeKind},
    },
    identity::effect::{self, named},
};

pub(super) use self::{
    holders::{check_holds_as_much, check_may_give, check_named, check_takes_programs},
    stored_identity::{existing, kind_of, read, recovery_of},
};

impl Identities {
    /// POST /api/v2/identities.
    pub async fn create_identity(&self, caller: &Caller, body: CreateIdentity) -> Result<IdentityCreated> {
        let grant = self.grant_administration(caller, Action::IdentityCreate, None).await?;
        check_own_name("/name", &body.name, &self.context.limits)?;
        if body.password.is_none() && body.kind == IdentityKind::Person {
            return Err(Error::malformed("/password", "A person needs a password; only applications do without."));
        }
        check_one_time(body.one_time, body.kind)?;
        if body.password.is_some() && body.api_key.is_some() {
            let message = "Who has a password gets no API key with it; leave apiKey out, and make one afterwards.";
            return Err(Error::malformed("/apiKey", message));
        }
        let password = match body.password {
            Some(password) => Some(self.hashed(Zeroizing::new(password.0)).await?),
            None => None,
        };
        let (id, now) = (IdentityId::from_random(chancery_keys::random()), self.context.clock.now_ms());
        let mut detail = json!({"name": body.name, "kind": body.kind, "roleUuids": body.role_uuids});
        if let Some(terms) = &body.api_key {
            detail["apiKey"] = json!(terms);
        }
        if body.one_time {
            detail["oneTime"] = json!(true);
        }
        let bounds = Kept::default().with(Some(&body.networks), Some(&body.hours), &self.context.limits)?;
        bounds.tell(&mut detail);
        let first_key = match &password {
            Some(_) => None,
            None => Some(self.first_key(id, body.api_key.unwrap_or_default(), now).map_err(in_first_key)?),
        };
        let (id, granter) = (Uuid::from(id), caller.clone());
        let effect = effect::of_identity(
            &self.state.directory.load(),
            &self.all_rules()?,
            &ObjInfo { name: body.name.clone(), uuid: id.into() },
            body.kind,
            (&[], &body.role_uuids),
        );
        let event = identity_event(Action::IdentityCreate, id).detail(detail).effect(&effect)?;
        let secret = first_key.as_ref().map(|key| key.secret.to_string());
        let row = tables::identities::Row {
            password,
            password_once_until_ms: self.one_time_until(body.one_time, now),
            bounds: bounds.stored()?,
            ..tables::identities::Row::new(id, body.name, body.kind.as_str(), now)
        };
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let roles = roles_to_give(tx, Some(&granter), body.kind, &body.role_uuids, &[]).await?;
                tables::identities::insert(tx, &row).await.map_err(name_taken)?;
                if let Some(key) = &first_key {
                    check_scope(tx, key.scope.as_ref()).await.map_err(in_first_key)?;
                    tables::api_keys::insert(tx, &key.row).await?;
                }
                assign(tx, id, &roles, now).await
            })
        })
        .await?;
        Ok(IdentityCreated { uuid: id.into(), api_key: secret })
    }

    /// GET /api/v2/identities/stubs.
    pub async fn identity_stubs(&self, caller: &Caller, query: &ListQuery) -> Result<Results<IdentityStub>> {
        let grant = self.context.grant_to_all(caller);
        let page = Page::of(query, &self.context.limits)?;
        let (search, rows) = (page.search.clone(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::identities::list(tx, Some(&search), &rows).await?) })
        });
        let stub = |row: tables::identities::Row| {
            let (kind, locked) = (kind_of(&row)?, row.locked);
            Ok(IdentityStub { obj_info: ObjInfo { name: row.name, uuid: row.id.into() }, kind, locked })
        };
        page.answer(listed.await?, stub)
    }

    /// GET /api/v2/identities/{uuid}.
    pub async fn identity(&self, caller: &Caller, id: IdentityId) -> Result<Identity> {
        let grant = self.grant_administration(caller, Action::IdentityRead, Some(id.into())).await?;
        self.context.storage.read(&grant, move |tx| Box::pin(async move { read(tx, id.into()).await })).await
    }

    /// PATCH /api/v2/identities/{uuid}.
    pub async fn change_identity(&self, caller: &Caller, id: IdentityId, body: PatchIdentity) -> Result<Identity> {
        let (now, limits, granter, id) =
            (self.context.clock.now_ms(), self.context.limits.clone(), caller.clone(), Uuid::from(id));
        let (event, told) = identity_event(Action::IdentityChange, id).told();
        let (directory, profiles) = (self.state.directory.load_full(), self.all_rules()?);
        if body.recovery_acknowledged == Some(false) {
            let message = "What was acknowledged stays so; leave recoveryAcknowledged out.";
            return Err(Error::value("/recoveryAcknowledged", message));
        }
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let row = existing(tx, id).await?;
                let before = read(tx, id).await?;
                if body.recovery_acknowledged.is_some() {
                    acknowledge(tx, &granter, &directory, &row, now).await?;
                }
                if body.name.is_some() {
                    // Audit records and approvals show names: who takes another one's is taken for them. What it holds
                    // before this change counts.
                    check_holds_as_much(tx, &granter, id).await?;
                }
                if body.networks.is_some() || body.hours.is_some() {
                    rebound(tx, &granter, &row, &body, &limits, now).await?;
                }
                if let Some(roles) = &body.role_uuids {
                    reassign(tx, &granter, &row, roles, now).await?;
                }
                if let Some(name) = &body.name {
                    check_own_name_anew("/name", name, &row.name, &limits)?;
                    tables::identities::rename(tx, id, name, &name_key(name)).await.map_err(name_taken)?;
                }
                let after = read(tx, id).await?;
                let roles = (before.role_uuids.as_slice(), after.role_uuids.as_slice());
                let effect = effect::of_identity(&directory, &profiles, &after.obj_info, after.kind, roles);
                told.changed_for(&before, &after, &limits, &effect)?;
                Ok(after)
            })
        })
        .await
    }

    /// Who would gain and lose what if an identity held these roles. Refused as the change is, where somebody is to make it.
    pub(crate) async fn identity_effect(
        &self,
        grant: &Grant,
        granter: Option<&Caller>,
        id: IdentityId,
        asked: Vec<RoleId>,
    ) -> Result<AccessEffect> {
        let granter = granter.cloned();
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move {
                let row = existing(tx, id.into()).await.map_err(|refusal| named(refusal, "/identityUuid"))?;
                let (held, roles) = reassigned(tx, granter.as_ref(), &row, &asked).await?;
                Ok::<_, Error>((kind_of(&row)?, ObjInfo { name: row.name, uuid: id }, held, roles))
            })
        });
        let (kind, info, held, roles) = read.await?;
        let (directory, profiles) = (self.state.directory.load(), self.all_rules()?);
        Ok(effect::of_identity(&directory, &profiles, &info, kind, (&held, &roles)))
    }

    /// DELETE /api/v2/identities/{uuid}. Ends its sessions.
    pub async fn delete_identity(&self, caller: &Caller, id: IdentityId) -> Result<Empty> {
        let (id, limits, now_ms) = (Uuid::from(id), self.context.limits.clone(), self.context.clock.now_ms());
        let (event, told) = identity_event(Action::IdentityDelete, id).told();
        let (directory, profiles) = (self.state.directory.load_full(), self.all_rules()?);
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let row = existing(tx, id).await?;
                let before = read(tx, id).await?;
                let roles = (before.role_uuids.as_slice(), &[][..]);
                let effect = effect::of_identity(&directory, &profiles, &before.obj_info, before.kind, roles);
                told.changed_for(&before, &Empty {}, &limits, &effect)?;
                check_last_holders(tx, &row, None).await?;
                end_sessions(tx, id).await?;
                tables::detokenize_grants::revoke_of(tx, id, now_ms).await?;
                // Its mailbox goes with it, and what waits for that.
                tables::turns::take(tx, tables::mailboxes::TURN).await?;
                tables::deliveries::end(tx, id).await?;
                tables::identities::delete(tx, id).await?;
                Ok(Empty {})
            })
        })
        .await
    }

    /// POST /api/v2/identities/{uuid}/lock. Ends its sessions.
    pub async fn lock_identity(&self, caller: &Caller, id: IdentityId) -> Result<Identity> {
        let (id, limits, now_ms) = (Uuid::from(id), self.context.limits.clone(), self.context.clock.now_ms());
        let (event, told) = identity_event(Action::IdentityLock, id).told();
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let row = existing(tx, id).await?;
                let before = read(tx, id).await?;
                check_last_holders(tx, &row, None).await?;
                tables::identities::set_locked(tx, id, true).await?;
                end_sessions(tx, id).await?;
                tables::detokenize_grants::revoke_of(tx, id, now_ms).await?;
                let after = read(tx, id).await?;
                told.changed(&before, &after, &limits)?;
                Ok(after)
            })
        })
        .await
    }

    /// POST /api/v2/identities/{uuid}/unlock. Forgives wrong passwords too.
    pub async fn unlock_identity(&self, caller: &Caller, id: IdentityId) -> Result<Identity> {
        let (id, limits) = (Uuid::from(id), self.context.limits.clone());
        let (event, told) = identity_event(Action::IdentityUnlock, id).told();
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                existing(tx, id).await?;
                let before = read(tx, id).await?;
                unlock(tx, id).await?;
                let after = read(tx, id).await?;
                told.changed(&before, &after, &limits)?;
                Ok(after)
            })
        })
        .await
    }

    /// Unlocks an identity by its name, from the host; whether it was locked. A server beside it lets the identity in within
    /// a second, also where wrong passwords delayed it.
    pub async fn unlock_from_host(&self, host: &Host, name: &str) -> Result<bool> {
        let id = self.named_by_host(host, name).await?;
        let ((event, told), limits) = (identity_event(Action::IdentityUnlock, id).told(), self.context.limits.clone());
        self.context
            .commit(host, event, move |tx| {
                Box::pin(async move {
                    let before = read(tx, id).await?;
                    unlock(tx, id).await?;
                    let after = read(tx, id).await?;
                    told.changed(&before, &after, &limits)?;
                    Ok(before.locked)
                })
            })
            .await
    }

    pub(super) async fn named_by_host(&self, host: &Host, name: &str) -> Result<Uuid> {
        let key = name_key(name);
        let found = self.context.storage.read(host, move |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::identities::by_name(tx, &key).await?) })
        });
        Ok(found.await?.ok_or_else(|| Error::not_found("identity"))?.id)
    }

    /// POST /api/v2/identities/{uuid}/password. Ends the identity's sessions. A session of this identity alone may set
    /// its own; everybody else needs Identity:Manage, and must hold what the identity holds.
    pub async fn set_password(&self, caller: &Caller, id: IdentityId, body: NewPassword) -> Result<Identity> {
        let action = Action::PasswordChange;
        let own_grant = self.context.grant_own(caller, id, action).await?;
        let own = own_grant.is_some();
        let grant = match own_grant {
            Some(grant) => grant,
            None => self.grant_administration(caller, action, Some(id.into())).await?,
        };
        let NewPassword { password, one_time } = body;
        if own && one_time {
            let message = "A password for one use is one that others give; set your own as it shall stay.";
            return Err(Error::value("/oneTime", message));
        }
        let (now, granter, id) = (self.context.clock.now_ms(), caller.clone(), Uuid::from(id));
        let until = self.one_time_until(one_time, now);
        let hash = self.hashed(Zeroizing::new(password.0)).await?;
        let freshness = self.context.freshness();
        let ((event, told), limits) =
            (identity_event(action, id).detail(json!({"own": own})).told(), self.context.limits.clone());
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let row = existing(tx, id).await?;
                let before = read(tx, id).await?;
                if !own {
                    check_holds_as_much(tx, &granter, id).await?;
                } else if kind_of(&row)? == IdentityKind::Application {
                    // Else a token of ten minutes, in the wrong hands, becomes a credential that lasts.
                    return Err(Error::forbidden("The password of an application is set by administrators."));
                } else {
                    check_has_shown_passkey(tx, &granter, id, freshness).await?;
                }
                check_one_time(one_time, kind_of(&row)?)?;
                tables::identities::set_password(tx, id, &hash, now, ((!own).then_some(now), until)).await?;
                if !own {
                    // Whoever answers a leak so means all that lets the identity in.
                    tables::api_keys::delete_of_identity(tx, id).await?;
                }
                end_sessions(tx, id).await?;
                let after = read(tx, id).await?;
                told.changed(&before, &after, &limits)?;
                Ok(after)
            })
        })
        .await
    }

    /// Until when a password that is for one use sets another one.
    fn one_time_until(&self, one_time: bool, now_ms: i64) -> Option<i64> {
        one_time.then(|| now_ms.saturating_add(ms(self.context.limits.logins.one_time_password_max)))
    }

    /// Checks a new password and hashes it.
    async fn hashed(&self, password: Zeroizing<Vec<u8>>) -> Result<String> {
        password::check_new("/password", &password, &self.context.limits)?;
        self.passwords.hash(password).await
    }
}

fn check_one_time(one_time: bool, kind: IdentityKind) -> Result<()> {
    if one_time && kind == IdentityKind::Application {
        // It could not set another one.
        return Err(Error::value("/oneTime", "A password for one use is for people."));
    }
    Ok(())
}

/// What is wrong with the key that an application is made with, in the body that makes the application.
fn in_first_key(refusal: Error) -> Error {
    if refusal.field().is_some() { refusal.under("/apiKey") } else { refusal }
}

/// Sets from where and when an identity may act. Whoever lifts a bound gives what lies beyond it, and so holds as much.
async fn rebound(
    tx: &mut Tx,
    granter: &Caller,
    row: &tables::identities::Row,
    body: &PatchIdentity,
    limits: &Limits,
    now: i64,
) -> Result<()> {
    check_holds_as_much(tx, granter, row.id).await?;
    let (networks, hours) = (body.networks.as_deref(), body.hours.as_deref());
    let kept = Kept::of(row)?.with(networks, hours, limits)?;
    let is_own = granter.members().iter().any(|member| Uuid::from(member.id) == row.id);
    if is_own && !Bounds::compiled(&kept)?.admit(granter.request().source, now) {
        let member = if networks.is_some() { "/networks" } else { "/hours" };
        let message = "This would shut out the session that asks for it, from where it is now.";
        return Err(Error::value(member, message));
    }
    Ok(tables::identities::set_bounds(tx, row.id, kept.stored()?.as_deref()).await?)
}

async fn unlock(tx: &mut Tx, id: Uuid) -> Result<()> {
    Ok(tables::identities::set_locked(tx, id, false).await?)
}

fn identity_event(action: Action, id: Uuid) -> Event {
    Event::new(action).on(id).changes(Change::of(ChangeKind::Identity, id))
}
