//! How every node's compiled state follows the store.
//!
//! A change appends a row to `changes` in its own transaction. The node that made it applies it before it answers;
//! the others, and a server beside which a host command worked, see the row at the next look.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use chancery_store::{Tx, tables};
use uuid::Uuid;

use crate::{Chancery, Result};

/// How often a node looks: four looks fit into the second within which a change must be seen everywhere.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The parts of the compiled state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// The installation's settings.
    Settings,
    /// A role's permissions or its number of logins.
    Role,
    /// An identity: locked, renamed, other roles.
    Identity,
    /// A session that began, advanced or ended.
    Session,
    /// A key's usages, state or versions.
    Key,
    /// A token profile or its Control Rules.
    TokenProfile,
    /// Whether a certificate is revoked, or trusted as an issuer.
    Revocation,
    /// A certificate profile that people made.
    CertProfile,
    /// A signing service's certificate, or one of its policies.
    SigningService,
}

impl ChangeKind {
    const ALL: [Self; 9] = [
        Self::Settings,
        Self::Role,
        Self::Identity,
        Self::Session,
        Self::Key,
        Self::TokenProfile,
        Self::Revocation,
        Self::CertProfile,
        Self::SigningService,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Role => "role",
            Self::Identity => "identity",
            Self::Session => "session",
            Self::Key => "key",
            Self::TokenProfile => "tokenProfile",
            Self::Revocation => "revocation",
            Self::CertProfile => "certProfile",
            Self::SigningService => "signingService",
        }
    }
}

/// One part of the compiled state that is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) kind: ChangeKind,
    /// The object; none where there is only one, or for all of the kind.
    pub(crate) object: Option<Uuid>,
}

impl Change {
    /// This object is stale.
    pub(crate) fn of(kind: ChangeKind, object: impl Into<Uuid>) -> Self {
        Self { kind, object: Some(object.into()) }
    }

    /// Tells the other nodes, in the transaction that makes it.
    pub(crate) async fn append(self, tx: &mut Tx) -> Result<()> {
        tables::changes::append(tx, self.kind.as_str(), self.object).await?;
        Ok(())
    }

    /// The only object of its kind, or all of them, are stale.
    pub(crate) const fn all(kind: ChangeKind) -> Self {
        Self { kind, object: None }
    }
}

impl Chancery {
    /// Applies what changed since the last look. Callers take turns, so an older state never overwrites a newer one.
    pub(crate) async fn catch_up(&self) -> Result<()> {
        let mut seen = self.seen.lock().await;
        loop {
            let since = *seen;
            let read = self.store.read(move |tx| Box::pin(async move { tables::changes::since(tx, since).await }));
            let rows = read.await?;
            let all = (rows.len() as i64) < tables::changes::SINCE_MAX;
            for row in rows {
                // A kind that this release does not know was written by a newer one beside it, about what it alone has.
                if let Some(kind) = ChangeKind::ALL.into_iter().find(|kind| kind.as_str() == row.kind) {
                    self.apply(Change { kind, object: row.object }).await?;
                }
                *seen = row.seq;
            }
            self.applied.store(*seen, Ordering::Release);
            if all {
                return Ok(());
            }
        }
    }

    /// The last change that the whole compiled state has followed. What is looked up in it afterwards is no older; where
    /// the store knows of no later change, it is as the store is.
    pub(crate) fn applied(&self) -> i64 {
        self.applied.load(Ordering::Acquire)
    }

    /// Follows the store until the last user of this Chancery is gone.
    pub(crate) fn follow_changes(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "following the store", |chancery| Box::pin(chancery.catch_up()));
    }
}
