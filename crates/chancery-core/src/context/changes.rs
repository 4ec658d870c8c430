//! How every node's compiled state follows the store.
//!
//! A change appends a row to `changes` in its own transaction. The node that made it applies it before it answers;
//! the others, and a server beside which a host command worked, see the row at the next look.
//!
//! An object that cannot be read is put into quarantine, and the node goes on with the next. Where it is the store that
//! cannot be read, the node stays where it is, knows since when, and tries again.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use chancery_store::{
    Tx,
    tables::{self, changes::Position},
};
use futures::future::BoxFuture;
use tokio::sync::{Mutex, MutexGuard};
use tracing::warn;
use uuid::Uuid;

use super::{
    Context,
    background::Recurring as _,
    clock_watch::STEADY,
    idempotency,
    quarantine::{Object, is_lasting},
    rows::Watching,
    storage::{Background, Connections, Evidence, MayRead},
};
use crate::{Error, Result, base::clock::ms};

/// How often a node looks: four looks fit into the second within which a change must be seen everywhere.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How long an answer waits for this node to follow what it tells of. The change is durable by then, and is followed
/// sooner or later.
const APPLY_WAIT: Duration = Duration::from_secs(2);

/// So many looks in a row may end at the same object although the store answers. Then the fault is the object's.
const LOOKS_AT_ONE_MAX: u32 = 8;

/// How often it is looked whether what is in quarantine can be read again.
const QUARANTINE_EVERY: Duration = Duration::from_secs(10);

/// How often changes are removed that every node must have followed, and how old they are then. A node that has not
/// followed for longer loads everything anew.
const PRUNE_EVERY: Duration = Duration::from_hours(1);
const PRUNE_AGE: Duration = Duration::from_hours(24);

/// The parts of the compiled state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ChangeKind {
    /// The installation's settings.
    Settings,
    /// A role's permissions or its number of logins.
    Role,
    /// An identity: locked, renamed, other roles.
    Identity,
    /// The API keys of an identity.
    ApiKeys,
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
    pub(crate) const ALL: [Self; 10] = [
        Self::Settings,
        Self::Role,
        Self::Identity,
        Self::ApiKeys,
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
            Self::ApiKeys => "apiKeys",
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// What it is in quarantine as.
    pub(crate) const fn object(self) -> Object {
        (self.kind.as_str(), self.object)
    }

    /// What a row speaks of. A kind that this release does not know was written by a newer one beside it, about what it
    /// alone has.
    fn named(kind: &str, object: Option<Uuid>) -> Option<Self> {
        let kind = ChangeKind::ALL.into_iter().find(|known| known.as_str() == kind)?;
        Some(Self { kind, object })
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

/// The compiled state of all domains, which follows the store.
pub(crate) trait Compiled: Send + Sync {
    /// Brings one part of it up to date with the store.
    fn apply<'a>(&'a self, by: &'a FollowingChanges, change: Change) -> BoxFuture<'a, Result<()>>;

    /// Takes out of it what cannot be read.
    fn close(&self, change: Change);

    /// Reads anew what was without a row that was refused.
    fn reload<'a>(&'a self, by: &'a Watching) -> BoxFuture<'a, Result<()>>;
}

/// How far this node has followed the store.
pub(crate) struct Following {
    seen: Mutex<Seen>,
    /// The same position, once all up to it is applied.
    applied: ArcSwap<Position>,
    began: Instant,
    /// When the state was read that is applied, in milliseconds since `began`.
    read_at_ms: AtomicU64,
}

/// What the next look goes on from. Whoever holds it applies changes: one after the other, so that an older state never
/// overwrites a newer one.
pub(crate) struct Seen {
    position: Position,
    /// Whether the last look failed. The store may be another one since, such as a standby that has not received
    /// everything, to which the position means nothing: everything is looked at again.
    is_lost: bool,
    /// The change at which the last looks ended, and how many.
    stuck: Option<(Change, u32)>,
}

impl Following {
    /// From a position that was read before anything was loaded.
    pub(crate) fn from(position: Position, began: Instant) -> Self {
        let applied = ArcSwap::from_pointee(position.clone());
        let seen = Mutex::new(Seen { position, is_lost: false, stuck: None });
        Self { seen, applied, began, read_at_ms: AtomicU64::new(0) }
    }

    /// Waits for the turn to apply changes; nobody else does until it is dropped.
    pub(crate) async fn turn(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().await
    }

    /// For how long this node may not have seen, at this time, what others changed.
    pub(crate) fn lag_at(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began)
            .saturating_sub(Duration::from_millis(self.read_at_ms.load(Ordering::Relaxed)))
    }

    fn followed(&self, position: Position, read_at: Instant) {
        self.applied.store(Arc::new(position));
        let read_at_ms = u64::try_from(read_at.duration_since(self.began).as_millis()).unwrap_or(u64::MAX);
        self.read_at_ms.fetch_max(read_at_ms, Ordering::Relaxed);
    }
}

#[cfg(test)]
impl Seen {
    pub(crate) const fn position(&self) -> &Position {
        &self.position
    }
}

/// Follows what changes, and removes old changes. Made only here.
pub(crate) struct FollowingChanges(());

impl Evidence for FollowingChanges {}
impl MayRead for FollowingChanges {
    const CONNECTIONS: Connections = Connections::Followers;
}
impl Background for FollowingChanges {}

impl Context {
    /// Applies what changed since the last look. An error says that this node is behind: the store, or a part of the way
    /// to it, is out of reach.
    pub(crate) async fn catch_up(&self) -> Result<()> {
        let mut seen = self.following.turn().await;
        let (read_at, since) = (Instant::now(), seen.position.clone());
        let look = self
            .storage
            .read(&FollowingChanges(()), move |tx| Box::pin(async move { tables::changes::since(tx, &since).await }));
        let found = match look.await {
            Ok(found) => found,
            Err(failure) => {
                seen.is_lost = true;
                return Err(failure.into());
            }
        };
        match found.changes {
            Some(changes) if !seen.is_lost => {
                let mut done = HashSet::new();
                let named = changes.into_iter().filter_map(|row| Change::named(&row.kind, row.object));
                for change in named.filter(|change| done.insert(*change)) {
                    self.apply_in_turn(change, &mut seen).await?;
                }
            }
            Some(_) | None => {
                for kind in ChangeKind::ALL {
                    self.apply_in_turn(Change::all(kind), &mut seen).await?;
                }
            }
        }
        (seen.is_lost, seen.stuck) = (false, None);
        seen.position = found.position.clone();
        self.following.followed(found.position, read_at);
        Ok(())
    }

    /// Applies one change, or puts its object into quarantine. An error where trying again may help, after which nothing
    /// behind it is applied.
    async fn apply_in_turn(&self, change: Change, seen: &mut Seen) -> Result<()> {
        let compiled = self.compiled.get()?;
        let Err(failure) = compiled.apply(&FollowingChanges(()), change).await else {
            // Token profiles are looked at one by one, and those that cannot be used were just put there.
            if change.kind != ChangeKind::TokenProfile {
                self.quarantine.lift(change.object());
            }
            return Ok(());
        };
        let looks = seen.stuck.filter(|(stuck, _)| *stuck == change).map_or(1, |(_, looks)| looks + 1);
        seen.stuck = Some((change, looks));
        if !is_lasting(&failure) && looks < LOOKS_AT_ONE_MAX {
            return Err(failure);
        }
        seen.stuck = None;
        self.quarantine.put(change.object(), &failure);
        compiled.close(change);
        Ok(())
    }

    /// After a change of this node's own, which is durable: its answer waits for it to be in force here, though not for
    /// long. Whatever fails is done again with the next look, and until then the node knows that it is behind.
    pub(crate) async fn catch_up_with_own_change(&self) {
        match tokio::time::timeout(APPLY_WAIT, self.catch_up()).await {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => {
                warn!(error = &failure as &dyn std::error::Error, "a change is stored, and not in force here yet");
            }
            Err(_) => warn!("a change is stored, and not in force here yet: following the store takes too long"),
        }
    }

    /// The last change that the whole compiled state has followed. What is looked up in it afterwards is no older; where
    /// the store knows of no later change, it is as the store is.
    pub(crate) fn applied(&self) -> Arc<Position> {
        self.following.applied.load_full()
    }

    /// Follows the store until the last user of this Chancery is gone.
    pub(crate) fn follow_changes(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "following the store", |chancery| Box::pin(chancery.catch_up()));
        self.every(QUARANTINE_EVERY, "looking at what could not be read", |chancery| {
            Box::pin(chancery.look_at_quarantine())
        });
        self.every(PRUNE_EVERY, "removing old changes", |chancery| Box::pin(chancery.prune_changes()));
    }

    /// Tries again what is in quarantine: somebody may have mended the row, of which no change tells.
    async fn look_at_quarantine(&self) -> Result<()> {
        for (kind, id) in self.quarantine.all() {
            let Some(change) = Change::named(kind, id) else { continue };
            let mut seen = self.following.turn().await;
            self.apply_in_turn(change, &mut seen).await?;
        }
        Ok(())
    }

    async fn prune_changes(&self) -> Result<()> {
        let now_ms = self.clock.now_ms();
        let before_ms = now_ms.saturating_sub(ms(PRUNE_AGE));
        let may_forget = self.is_steady(STEADY);
        let pruned = self.storage.background(&FollowingChanges(()), move |tx| {
            Box::pin(async move {
                tables::changes::prune(tx, PRUNE_AGE).await?;
                if may_forget {
                    idempotency::forget(tx, now_ms).await?;
                }
                Ok::<_, Error>(tables::nodes::forget(tx, before_ms).await?)
            })
        });
        pruned.await
    }
}

#[cfg(test)]
mod tests;
