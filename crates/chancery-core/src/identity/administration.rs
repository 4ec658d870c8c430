//! How every change of roles and identities is run: with permission, audited, one at a time. Which are allowed is decided
//! with each change.

use chancery_store::{StoreError, Tx, tables};
use chancery_types::{Action, Perm};
use futures::future::BoxFuture;
use uuid::Uuid;

use crate::{
    Caller, Error, Event, Grant, Identities, Result,
    context::changes::{Change, ChangeKind},
};

impl Identities {
    /// Makes a change that needs Identity:Manage. A rule that forbids it is audited like a missing permission.
    pub(super) async fn administer<T, F>(&self, caller: &Caller, event: Event, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let grant = self.grant_administration(caller, event.action, event.object).await?;
        self.administer_with(caller, &grant, event, work).await
    }

    pub(super) async fn grant_administration(
        &self,
        caller: &Caller,
        action: Action,
        object: Option<Uuid>,
    ) -> Result<Grant> {
        self.context.grant(caller, Perm::IdentityManage, action, object).await
    }

    pub(super) async fn administer_with<T, F>(&self, caller: &Caller, grant: &Grant, event: Event, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        let refused = Event::new(event.action).on(event.object);
        let done = self.context.commit(grant, event, |tx| {
            Box::pin(async move {
                take_turn(tx).await?;
                work(tx).await
            })
        });
        self.context.or_refused(caller, refused, done.await).await
    }
}

/// The rules count holders and compare roles, which nobody may change meanwhile; and no session may begin between the
/// end of an identity's sessions and the lock or new password that ended them.
pub(super) async fn take_turn(tx: &mut Tx) -> Result<()> {
    Ok(tables::turns::take(tx, "identities").await?)
}

/// Ends every session in which this identity sits.
pub(super) async fn end_sessions(tx: &mut Tx, identity: Uuid) -> Result<()> {
    for session in tables::sessions::delete_of_identity(tx, identity).await? {
        let session: Uuid = session.parse().map_err(Error::internal)?;
        Change::of(ChangeKind::Session, session).append(tx).await?;
    }
    Ok(())
}

/// A conflict over a name as what it is.
pub(crate) fn name_taken(error: StoreError) -> Error {
    match error {
        StoreError::Conflict(_) => Error::exists("/name", "This name is taken; letter case makes no difference."),
        StoreError::Unavailable(_)
        | StoreError::Busy
        | StoreError::Unauthentic(_)
        | StoreError::Reference(_)
        | StoreError::Text
        | StoreError::Internal(_) => error.into(),
    }
}
