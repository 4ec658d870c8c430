//! What can be shown to read, and what to change something. Only the types that are named here and in `task.rs` can.

use std::borrow::Cow;

use chancery_types::Action;
use uuid::Uuid;

use super::Host;
use crate::{
    Grant,
    access::{DetokenizeGrant, ReadGrant, TokenizeGrant},
    audit::Actor,
    identity::{AnsweredFor, Vouched},
};

pub(super) mod sealed {
    /// In a module of its own, so that no other type becomes evidence by implementing what follows.
    pub(crate) trait Evidence: Sync {}
}

use sealed::Evidence;

/// For whom connections are set apart.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Connections {
    /// Whoever follows what changes.
    Followers,
    /// Calls of the data plane, and logins.
    Data,
    Others,
}

/// May read.
pub(crate) trait MayRead: Evidence {
    /// Which connections it reads on.
    const CONNECTIONS: Connections = Connections::Others;
}

/// May change something that is recorded: in whose name, and what.
pub(crate) trait MayCommit: Evidence {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor>;

    /// Whether it is evidence for this.
    fn covers(&self, action: Action) -> bool;
}

impl Evidence for Grant {}
impl Evidence for ReadGrant {}
impl Evidence for TokenizeGrant {}
impl Evidence for DetokenizeGrant {}
impl Evidence for Vouched {}
impl Evidence for Host {}
impl Evidence for AnsweredFor {}

impl MayRead for Grant {}
impl MayRead for ReadGrant {}
impl MayRead for Host {}

impl MayRead for TokenizeGrant {
    const CONNECTIONS: Connections = Connections::Data;
}

impl MayRead for DetokenizeGrant {
    const CONNECTIONS: Connections = Connections::Data;
}

impl MayCommit for Grant {
    fn actor(&self, _: Uuid) -> Cow<'_, Actor> {
        Cow::Borrowed(self.actor())
    }

    fn covers(&self, action: Action) -> bool {
        self.covers(action)
    }
}

/// Who logs in or out is known, and is no caller yet, or any more.
impl MayCommit for Vouched {
    fn actor(&self, _: Uuid) -> Cow<'_, Actor> {
        Cow::Borrowed(self.actor())
    }

    fn covers(&self, action: Action) -> bool {
        use Action as A;
        matches!(action, A::Login | A::Logout | A::PasswordChange | A::TotpEnrol | A::TotpConfirm | A::TotpRemove)
    }
}

/// Whoever has a shell on the host may do what the command does that they run.
impl MayCommit for Host {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor> {
        Cow::Owned(Actor::of_host(node, self))
    }

    fn covers(&self, _: Action) -> bool {
        true
    }
}

/// Whoever runs the command and those who answer for it together.
impl MayCommit for AnsweredFor {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor> {
        Cow::Owned(Actor::of_answered(node, self))
    }

    fn covers(&self, action: Action) -> bool {
        action == Action::IdentityRecover
    }
}
