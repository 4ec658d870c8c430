//! What is kept in memory about identities, and how it follows the store.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use chancery_keys::Custodian;
use chancery_types::{IdentityId, Perm, RoleId};
use uuid::Uuid;

use super::{
    built_in,
    directory::{Directory, Identity, Role},
    login::Seat,
    recent::Recent,
    sessions::{Key, Session, Sessions, WRITE_EVERY},
    throttle::{Delays, Rate},
    tokens::Tokens,
};
use crate::{
    Chancery, Result, Source,
    changes::{Change, ChangeKind},
    quarantine::Quarantine,
    storage::{MayRead, Opening, Storage},
};

/// Finds sessions that other nodes began, writes down which were used, and forgets the others. Made only here.
pub(crate) struct KeepingSessions(());

/// Everything that a login or the check of a caller looks at.
pub(crate) struct IdentityState {
    pub(super) directory: ArcSwap<Directory>,
    pub(crate) sessions: Sessions,
    pub(super) tokens: Tokens,
    pub(super) recent: Recent,
    delays: Mutex<Delays>,
    rate: Mutex<Rate<Source>>,
}

impl IdentityState {
    /// Loads it; makes what a new installation needs.
    pub(crate) async fn load(
        storage: &Storage,
        opening: &Opening,
        custodian: &Custodian,
        quarantine: &Quarantine,
        now: i64,
    ) -> Result<Self> {
        storage.background(opening, move |tx| Box::pin(async move { built_in::ensure(tx, now).await })).await?;
        Ok(Self {
            tokens: Tokens::load(storage, opening, custodian, now).await?,
            directory: ArcSwap::from_pointee(Directory::load(storage, opening, quarantine).await?),
            sessions: Sessions::load(storage, opening, quarantine).await?,
            recent: Recent::default(),
            delays: Mutex::default(),
            rate: Mutex::default(),
        })
    }

    pub(super) fn delays(&self) -> MutexGuard<'_, Delays> {
        self.delays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn rate(&self) -> MutexGuard<'_, Rate<Source>> {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chancery {
    /// A role has changed.
    pub(crate) async fn apply_role(&self, by: &impl MayRead, id: Uuid) -> Result<()> {
        let role = self.storage.read(by, move |tx| Box::pin(async move { Role::read(tx, id).await })).await?;
        // Changes are applied one after the other, so no other edition comes in between.
        let directory = self.identity.directory.load().with_role(id.into(), role);
        self.identity.directory.store(Arc::new(directory));
        Ok(())
    }

    /// An identity has changed: somebody who may has looked at it, so its delays are forgiven.
    pub(crate) async fn apply_identity(&self, by: &impl MayRead, id: Uuid) -> Result<()> {
        let identity =
            self.storage.read(by, move |tx| Box::pin(async move { Identity::read(tx, id.into()).await })).await?;
        let directory = self.identity.directory.load().with_identity(id.into(), identity);
        self.identity.directory.store(Arc::new(directory));
        self.identity.delays().forgive(id.into());
        Ok(())
    }

    /// A role cannot be read: it grants nothing.
    pub(crate) fn forget_role(&self, id: RoleId) {
        self.identity.directory.store(Arc::new(self.identity.directory.load().with_role(id, None)));
    }

    /// An identity cannot be read: nobody acts in its name.
    pub(crate) fn forget_identity(&self, id: IdentityId) {
        self.identity.directory.store(Arc::new(self.identity.directory.load().with_identity(id, None)));
    }

    /// All roles and identities may have changed.
    pub(crate) async fn reload_directory(&self, by: &impl MayRead) -> Result<()> {
        let mut directory = Directory::load(&self.storage, by, &self.quarantine).await?;
        directory.edition = self.identity.directory.load().edition + 1;
        self.identity.directory.store(Arc::new(directory));
        Ok(())
    }

    /// All sessions may have begun or ended.
    pub(crate) async fn reload_sessions(&self, by: &impl MayRead) -> Result<()> {
        let known = self.identity.sessions.all();
        let stored = Sessions::load(&self.storage, by, &self.quarantine).await?;
        for session in stored.all() {
            self.identity.sessions.take_in(session);
        }
        // One that began meanwhile is not among those that were known.
        for session in known.iter().filter(|session| stored.get(Key::Id(session.id)).is_none()) {
            self.identity.sessions.remove(session.id);
        }
        Ok(())
    }

    /// Whether these identities, if they logged in together now, would be two persons with a permission. Unavailable where
    /// one of them, or one of their roles, cannot be read.
    pub(crate) fn are_two_persons_with(&self, identities: &[IdentityId], perm: Perm) -> Result<bool> {
        let closed = |id: &IdentityId| self.quarantine.check(Change::of(ChangeKind::Identity, *id).object());
        identities.iter().try_for_each(closed)?;
        let directory = self.identity.directory.load();
        let Some(seats) = directory.seats(identities) else { return Ok(false) };
        self.check_seats(&seats)?;
        let standing = directory.standing(Uuid::nil(), &seats);
        Ok(standing.is_some_and(|standing| standing.are_two_persons() && standing.perms.has(perm)))
    }

    /// Unavailable where one of those who sit in a session, or one of their roles, cannot be read.
    pub(super) fn check_seats(&self, seats: &[Seat]) -> Result<()> {
        if self.quarantine.count() == 0 {
            return Ok(());
        }
        let closed = |kind: ChangeKind, id: Uuid| self.quarantine.check(Change::of(kind, id).object());
        for seat in seats {
            closed(ChangeKind::Identity, seat.identity.into())?;
            seat.roles.iter().try_for_each(|role| closed(ChangeKind::Role, (*role).into()))?;
        }
        Ok(())
    }

    /// A session has begun or ended.
    pub(crate) async fn apply_session(&self, by: &impl MayRead, id: Uuid) -> Result<()> {
        let stored = self.storage.read(by, move |tx| Box::pin(async move { Key::Id(id).read(tx).await }));
        match stored.await? {
            Some(session) => drop(self.identity.sessions.insert(session)),
            None => self.identity.sessions.remove(id),
        }
        Ok(())
    }

    /// A session as it is stored.
    pub(super) async fn stored_session(&self, key: Key) -> Result<Option<Session>> {
        self.storage.read(&KeepingSessions(()), move |tx| Box::pin(async move { key.read(tx).await })).await
    }

    /// The live session, from memory, or from the store where another node has begun or used it.
    pub(super) async fn live_session(&self, key: Key) -> Result<Option<Arc<Session>>> {
        if let Key::Id(id) = key {
            self.quarantine.check(Change::of(ChangeKind::Session, id).object())?;
        }
        let now = self.clock.now_ms();
        let lives = |session: &Arc<Session>| session.lives(now, &self.limits);
        if let Some(session) = self.identity.sessions.get(key).filter(lives) {
            return Ok(Some(session));
        }
        let Some(stored) = self.stored_session(key).await? else { return Ok(None) };
        if !stored.lives(now, &self.limits) {
            return Ok(None);
        }
        let session = self.identity.sessions.insert(stored);
        // It may have ended between the reading and the insertion, and its end been applied already. Looked at again
        // afterwards, it is either gone, or its end will be applied later.
        if self.stored_session(Key::Id(session.id)).await?.is_none() {
            self.identity.sessions.remove(session.id);
        }
        Ok(Some(session).filter(lives))
    }

    /// Keeps the sessions until the last user of this Chancery is gone.
    pub(crate) fn keep_sessions_in_turn(self: &Arc<Self>) {
        self.every(WRITE_EVERY, "keeping sessions", |chancery| Box::pin(chancery.keep_sessions()));
    }

    /// Writes down which sessions were used, and forgets those that have run out.
    pub(crate) async fn keep_sessions(&self) -> Result<()> {
        let now = self.clock.now_ms();
        let limits = self.limits.clone();
        let (live, over): (Vec<_>, Vec<_>) =
            self.identity.sessions.all().into_iter().partition(|session| session.lives(now, &limits));
        for session in over {
            self.identity.sessions.remove(session.id);
        }
        let used: Vec<_> = live.iter().filter_map(|session| session.unwritten_use()).collect();
        let kept = self.storage.background(&KeepingSessions(()), move |tx| {
            Box::pin(async move {
                Session::write_uses(tx, &used).await?;
                Session::delete_ended(tx, now, &limits).await
            })
        });
        kept.await
    }
}
