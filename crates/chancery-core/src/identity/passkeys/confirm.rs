//! POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm: a second person means it too.

use chancery_store::tables::{self, passkeys::Row};
use chancery_types::{
    Action, IdentityId, IdentityKind, PasskeyId, Perm,
    wire::passkeys::{ConfirmPasskey, Passkey},
};
use serde_json::json;
use uuid::Uuid;

use super::stored::{confirm_until_ms, enrolled_by, shown, stored};
use crate::{
    Caller, Error, Event, Identities, Member, Result,
    context::changes::{Change, ChangeKind},
    identity::identities::{check_holds_as_much, existing},
};

impl Identities {
    /// Lets a passkey sign, and log in. Whoever confirms one could act as the identity by it, and so holds as much.
    pub async fn confirm_passkey(
        &self,
        caller: &Caller,
        identity: IdentityId,
        id: PasskeyId,
        body: ConfirmPasskey,
    ) -> Result<Passkey> {
        let event = Event::new(Action::PasskeyConfirm).on(Uuid::from(id));
        let event = event.detail(json!({"identityUuid": identity})).changes(Change::of(ChangeKind::Identity, identity));
        let ((event, told), limits, confirmer) = (event.told(), self.context.limits.clone(), caller.clone());
        let now = self.context.clock.now_ms();
        let party = self.relying_party();
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let before = stored(tx, identity, id).await?;
                check_second_person(&confirmer, &before)?;
                check_holds_as_much(tx, &confirmer, before.identity_id).await?;
                if existing(tx, before.identity_id).await?.locked {
                    return Err(Error::state("The identity is locked."));
                }
                if before.confirmed_at_ms.is_some() {
                    return Err(Error::state("The passkey is confirmed already."));
                }
                if confirm_until_ms(&before, &limits) <= now {
                    return Err(Error::state(
                        "The passkey waited too long to be confirmed; delete it, and make another.",
                    ));
                }
                if before.rp_id != party?.id() {
                    return Err(Error::state(
                        "The passkey is for another host than the one by which browsers come here.",
                    ));
                }
                let shown_before = shown(&before, &limits)?;
                if shown_before.public_key_sha256 != body.public_key_sha256 {
                    let message = "This is not the digest of the passkey's public key, so nothing was confirmed.";
                    return Err(Error::value("/publicKeySha256", message));
                }
                let names: Vec<_> = confirmer.members().iter().map(Member::named).collect();
                let by = serde_json::to_string(&names).map_err(Error::internal)?;
                let identity_id = before.identity_id;
                let after = Row { confirmed_at_ms: Some(now), confirmed_by: Some(by), ..before };
                let shown_after = shown(&after, &limits)?;
                told.changed(&shown_before, &shown_after, &limits)?;
                tables::passkeys::change(tx, after.id, move |row| {
                    *row = after;
                    true
                })
                .await?;
                // From now on nobody has codes made for this identity by its password alone, nor has whoever began that before.
                tables::identities::end_totp_pending(tx, identity_id).await?;
                Ok(shown_after)
            })
        })
        .await
    }
}

/// Among those who confirm is a person who had no part in the enrolment, and who managed identities before it: not one whom
/// somebody made or promoted in answer to it. No program confirms.
fn check_second_person(caller: &Caller, row: &Row) -> Result<()> {
    if caller.is_of_a_program() {
        return Err(Error::forbidden("Persons confirm passkeys, and no programs."));
    }
    let enrolled_by = enrolled_by(row)?;
    let is_second = |member: &Member| {
        member.kind == IdentityKind::Person
            && Uuid::from(member.id) != row.identity_id
            && !enrolled_by.contains(&member.id)
            && member.trusted_since(Perm::IdentityManage).is_some_and(|since| since <= row.created_at_ms)
    };
    if caller.members().iter().any(is_second) {
        return Ok(());
    }
    Err(Error::forbidden(
        "A passkey is confirmed by a second person, who had no part in its enrolment and has held Identity:Manage since \
         before it.",
    ))
}
