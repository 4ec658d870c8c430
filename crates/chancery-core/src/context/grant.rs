//! The evidence that a caller may do something. Engines demand a [`Grant`], so a forgotten check does not compile.

use std::borrow::Cow;

use chancery_types::{Action, ApiKeyId, IdentityId, IdentityKind, Perm};
use uuid::Uuid;

use super::{
    Caller, Context, Event, Member,
    record::Actor,
    storage::{Evidence, MayCommit, MayRead},
};
use crate::{Error, Result};

/// What an API key that is restricted may do by a permission; which requests it may is asked besides.
const IN_SCOPE: [Action; 4] = [
    Action::SigningRequestSubmit,
    Action::SigningRequestRead,
    Action::SigningRequestDeny,
    Action::SigningRequestWithdraw,
];

/// A permission that was checked, for which operation, and in whose name. Made only here.
#[derive(Debug)]
pub struct Grant(Checked);

impl Evidence for Grant {}
impl MayRead for Grant {}
impl MayCommit for Grant {
    fn actor(&self, _: Uuid) -> Cow<'_, Actor> {
        Cow::Borrowed(self.actor())
    }

    fn covers(&self, action: Action) -> bool {
        self.covers(action)
    }
}

/// What was checked.
#[derive(Debug)]
struct Checked {
    /// None where no permission is needed: the caller's own password or keys.
    perm: Option<Perm>,
    action: Action,
    actor: Actor,
}

/// What every fully logged-in caller may read: stubs, services, policies, certificates. It commits nothing. Made only here.
#[derive(Debug)]
#[must_use = "a read shows it"]
pub(crate) struct ReadGrant(());

impl Evidence for ReadGrant {}
impl MayRead for ReadGrant {}

impl Grant {
    /// What the caller holds.
    #[must_use]
    pub const fn perm(&self) -> Option<Perm> {
        self.0.perm
    }

    /// For which operation.
    pub(crate) const fn action(&self) -> Action {
        self.0.action
    }

    /// In whose name.
    pub(crate) const fn actor(&self) -> &Actor {
        &self.0.actor
    }

    /// Whether an event of this action may be committed with it. Whoever may do something may propose it where it takes
    /// approvals, what was approved may fail, and whoever may read a request may have its file.
    pub(crate) fn covers(&self, action: Action) -> bool {
        let follows = [
            (Action::ProposalApprove, Action::ProposalFail),
            (Action::SigningRequestApprove, Action::SigningRequestFail),
            (Action::SigningRequestRead, Action::SigningRequestDownload),
        ];
        action == self.0.action || action == Action::ProposalSubmit || follows.contains(&(self.0.action, action))
    }
}

/// What lets a caller do something without a permission: a Control Rule, or that the caller made what it is about.
pub(crate) trait Entitles: Evidence {}

impl Context {
    /// Checks that the caller holds `perm`. A refusal is audited as a failed `action` on `object`.
    pub(crate) async fn grant(
        &self,
        caller: &Caller,
        perm: Perm,
        action: Action,
        object: Option<Uuid>,
    ) -> Result<Grant> {
        self.grant_any(caller, &[perm], action, object).await
    }

    /// The same for what two persons in one session decide; one alone who holds `perm` is told this.
    pub(crate) async fn grant_to_two(
        &self,
        caller: &Caller,
        perm: Perm,
        (action, object): (Action, Option<Uuid>),
        alone: &'static str,
    ) -> Result<Grant> {
        if caller.has(perm) && !caller.are_two_persons() {
            return Err(self.refused(caller, Event::new(action).on(object), Error::forbidden(alone)).await);
        }
        self.grant(caller, perm, action, object).await
    }

    /// Checks that the caller holds one of `perms`, which are named in the refusal.
    pub(crate) async fn grant_any(
        &self,
        caller: &Caller,
        perms: &[Perm],
        action: Action,
        object: Option<Uuid>,
    ) -> Result<Grant> {
        if caller.restricted_by().is_some() && !IN_SCOPE.contains(&action) {
            let refusal = Error::forbidden("The API key is restricted, and not to this.");
            return Err(self.refused(caller, Event::new(action).on(object), refusal).await);
        }
        if let Some(perm) = perms.iter().copied().find(|perm| caller.has(*perm)) {
            if let Err(refusal) = self.check_fresh_factor_for(caller, action) {
                return Err(self.refused(caller, Event::new(action).on(object), refusal).await);
            }
            return Ok(Grant(Checked { perm: Some(perm), action, actor: Actor::of(self.node, caller) }));
        }
        let names: Vec<_> = perms.iter().map(|perm| perm.as_str()).collect();
        let refusal = Error::forbidden(format!("This needs the permission {}.", names.join(" or ")));
        Err(self.refused(caller, Event::new(action).on(object), refusal).await)
    }

    /// What a session may do to the one identity that it is of. An API key is less than its identity. Where the action takes a
    /// fresh second factor it does so here, too: a session that was stolen would else become a password, or a key without end.
    pub(crate) async fn grant_own(
        &self,
        caller: &Caller,
        identity: IdentityId,
        action: Action,
    ) -> Result<Option<Grant>> {
        if caller.is_of_a_program() || !matches!(caller.members(), [member] if member.id == identity) {
            return Ok(None);
        }
        if let Err(refusal) = self.check_fresh_factor_for(caller, action) {
            let event = Event::new(action).on(Uuid::from(identity));
            return Err(self.refused(caller, event, refusal).await);
        }
        Ok(Some(Grant(Checked { perm: None, action, actor: Actor::of(self.node, caller) })))
    }

    /// What a person may do to what is its own alone, in whatever session it sits. Whoever shows a key is a program.
    pub(crate) fn grant_member(&self, caller: &Caller, identity: IdentityId, action: Action) -> Option<Grant> {
        let is_it = |member: &Member| member.id == identity && member.kind == IdentityKind::Person;
        let sits = caller.members().iter().any(is_it);
        sits.then(|| Grant(Checked { perm: None, action, actor: Actor::of(self.node, caller) }))
    }

    /// What whoever shows an API key with a call may do to that key.
    pub(crate) fn grant_shown_key(
        &self,
        caller: &Caller,
        (identity, key): (IdentityId, ApiKeyId),
        action: Action,
    ) -> Option<Grant> {
        let is_it = matches!(caller.members(), [member] if member.id == identity)
            && caller.shown_key().is_some_and(|(shown, _)| shown == key);
        is_it.then(|| Grant(Checked { perm: None, action, actor: Actor::of(self.node, caller) }))
    }

    /// To ask for what a Control Rule takes approvals for. Whoever shows a restricted key asks for nothing that outlasts it.
    pub(crate) fn grant_by_rule(&self, caller: &Caller, _: &impl Entitles, action: Action) -> Grant {
        Grant(Checked { perm: None, action, actor: Actor::of(self.node, caller) })
    }

    /// What those who made a proposal may do to it, all of them in one session.
    pub(crate) fn grant_proposer(&self, caller: &Caller, _: &impl Entitles, action: Action) -> Grant {
        Grant(Checked { perm: None, action, actor: Actor::of(self.node, caller) })
    }

    /// What every fully logged-in caller may read.
    #[expect(clippy::unused_self, reason = "grants are given at the door")]
    pub(crate) fn grant_to_all(&self, _: &Caller) -> ReadGrant {
        ReadGrant(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meaning, testing::Installation};

    #[tokio::test]
    async fn a_grant_commits_what_it_was_given_for_and_nothing_else() {
        let installation = Installation::new().await;
        let (chancery, caller) = (&installation.chancery, installation.administrators().await);
        let grant = chancery.grant(&caller, Perm::KeysAdd, Action::KeyRead, None).await.unwrap();
        for (action, expected) in [(Action::KeyRead, Ok(())), (Action::KeyCreate, Err(Meaning::Internal))] {
            let done = chancery.commit(&grant, Event::new(action), |_| Box::pin(async { Ok(()) })).await;
            assert_eq!(done.map_err(|error| error.meaning()), expected, "{action}");
        }
    }

    #[tokio::test]
    async fn only_the_one_identity_of_a_session_is_its_own() {
        let installation = Installation::new().await;
        let (chancery, two) = (&installation.chancery, installation.administrators().await);
        let id = two.members()[0].id;
        assert!(chancery.grant_own(&two, id, Action::PasswordChange).await.unwrap().is_none(), "two sit in it");
        assert!(chancery.grant_member(&two, id, Action::MailboxSet).is_some(), "and it is one of them");
        assert!(chancery.grant_member(&two, IdentityId::from_u128(1), Action::MailboxSet).is_none());
    }
}
