//! `/api/v2/identities/{uuid}/passkeys` behind the door: list, rename, delete.

use chancery_store::{
    Tx, name_key,
    tables::{self, passkeys::Row},
};
use chancery_types::{
    Action, IdentityId, PasskeyId, Perm,
    wire::{
        Empty,
        passkeys::{Passkey, Passkeys, PatchPasskey},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::stored::{shown, stored};
use crate::{
    Caller, Error, Event, Grant, Identities, Member, Result,
    base::text::check_renamed,
    context::{
        changes::{Change, ChangeKind},
        settings::Freshness,
    },
    identity::{
        administration::name_taken,
        identities::{check_holds_as_much, existing},
    },
};

impl Identities {
    /// GET /api/v2/identities/{uuid}/passkeys.
    pub async fn passkeys(&self, caller: &Caller, id: IdentityId) -> Result<Passkeys> {
        let grant = self.may_manage_passkeys(caller, id, None, Action::PasskeyRead).await?;
        let identity = Uuid::from(id);
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                existing(tx, identity).await?;
                Ok::<_, Error>(tables::passkeys::of_identity(tx, identity).await?)
            })
        });
        let rows = read.await?;
        Ok(Passkeys { results: rows.iter().map(|row| shown(row, &self.context.limits)).collect::<Result<_>>()? })
    }

    /// PATCH /api/v2/identities/{uuid}/passkeys/{passkeyUuid}.
    pub async fn rename_passkey(
        &self,
        caller: &Caller,
        identity: IdentityId,
        id: PasskeyId,
        body: PatchPasskey,
    ) -> Result<Passkey> {
        let grant = self.may_manage_passkeys(caller, identity, Some(id), Action::PasskeyChange).await?;
        let event = passkey_event(Action::PasskeyChange, identity, id);
        let ((event, told), limits) = (event.told(), self.context.limits.clone());
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let before = stored(tx, identity, id).await?;
                check_renamed("/name", &body.name, &before.name, &limits)?;
                let after = Row { name_key: name_key(&body.name), name: body.name, ..before.clone() };
                let shown_after = shown(&after, &limits)?;
                told.changed(&shown(&before, &limits)?, &shown_after, &limits)?;
                let changed = tables::passkeys::change(tx, after.id, move |row| {
                    (row.name, row.name_key) = (after.name, after.name_key);
                    true
                });
                changed.await.map_err(name_taken)?;
                Ok(shown_after)
            })
        })
        .await
    }

    /// DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}. What it signed stays; sessions that it began end.
    pub async fn delete_passkey(&self, caller: &Caller, identity: IdentityId, id: PasskeyId) -> Result<Empty> {
        let grant = self.may_manage_passkeys(caller, identity, Some(id), Action::PasskeyDelete).await?;
        let event = passkey_event(Action::PasskeyDelete, identity, id);
        let before = self.context.storage.read(&grant, move |tx| Box::pin(stored(tx, identity, id))).await?;
        let counted = before.confirmed_at_ms.is_some();
        // What let nobody in yet changes no identity: else whoever makes and deletes it again and again is forgiven wrong
        // passwords each time.
        let event = if counted { event.changes(Change::of(ChangeKind::Identity, identity)) } else { event };
        let ((event, told), limits, deleter) = (event.told(), self.context.limits.clone(), caller.clone());
        let freshness = self.context.freshness();
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let row = stored(tx, identity, id).await?;
                check_may_delete(tx, &deleter, &row, freshness).await?;
                told.changed(&shown(&row, &limits)?, &Empty {}, &limits)?;
                if row.confirmed_at_ms.is_some() != counted {
                    return Err(Error::state("The passkey was confirmed at the same time; try again."));
                }
                tables::passkeys::delete(tx, row.identity_id, row.id).await?;
                Ok(Empty {})
            })
        })
        .await
    }

    /// A person its own, in whatever session it sits; all else takes Identity:Manage.
    async fn may_manage_passkeys(
        &self,
        caller: &Caller,
        identity: IdentityId,
        id: Option<PasskeyId>,
        action: Action,
    ) -> Result<Grant> {
        if let Some(grant) = self.context.grant_member(caller, identity, action).filter(|_| !caller.is_of_a_program()) {
            return Ok(grant);
        }
        let object = id.map_or(Uuid::from(identity), Uuid::from);
        self.grant_administration(caller, action, Some(object)).await
    }
}

/// A passkey that was confirmed keeps whoever has the password alone from enrolling one-time codes, so neither the password nor a
/// session that was left open takes it away: its person has just shown a second factor, or it is ended as codes
/// are, by those who hold as much.
async fn check_may_delete(tx: &mut Tx, caller: &Caller, row: &Row, freshness: Freshness) -> Result<()> {
    let owner = member_of(caller, row.identity_id);
    if row.confirmed_at_ms.is_none() || freshness.has(owner.and_then(|owner| owner.factor_at)) {
        return Ok(());
    }
    if owner.is_some() && !caller.has(Perm::IdentityManage) {
        return Err(Error::forbidden(
            "A passkey that was confirmed is deleted by its person right after a login with a passkey or a one-time code, or by \
             Identity:Manage.",
        ));
    }
    check_holds_as_much(tx, caller, row.identity_id).await
}

/// Somebody's own password or API key is a way in that outlasts the session. For the same reason whoever has a confirmed passkey
/// makes one only right after a login with a second factor: the password alone does not.
pub(in crate::identity) async fn check_has_shown_passkey(
    tx: &mut Tx,
    caller: &Caller,
    identity: Uuid,
    freshness: Freshness,
) -> Result<()> {
    if freshness.has(member_of(caller, identity).and_then(|member| member.factor_at)) {
        return Ok(());
    }
    let passkeys = tables::passkeys::of_identity(tx, identity).await?;
    if passkeys.iter().all(|passkey| passkey.confirmed_at_ms.is_none()) {
        return Ok(());
    }
    Err(Error::forbidden(
        "Whoever has a confirmed passkey does this right after a login with it or with a one-time code; and sets the password \
         with it on the login page, too.",
    ))
}

/// What it takes to give an identity a way in that outlasts the session, or to widen one: of one's own, by being who it is;
/// of somebody else's, by holding as much.
pub(in crate::identity) async fn check_may_give_way_in(
    tx: &mut Tx,
    caller: &Caller,
    identity: Uuid,
    own: bool,
    freshness: Freshness,
) -> Result<()> {
    if own {
        check_has_shown_passkey(tx, caller, identity, freshness).await
    } else {
        check_holds_as_much(tx, caller, identity).await
    }
}

fn member_of(caller: &Caller, identity: Uuid) -> Option<&Member> {
    caller.members().iter().find(|member| Uuid::from(member.id) == identity)
}

fn passkey_event(action: Action, identity: IdentityId, id: PasskeyId) -> Event {
    Event::new(action).on(Uuid::from(id)).detail(json!({"identityUuid": identity}))
}
