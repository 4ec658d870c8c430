//! What is kept in memory about identities, and how it follows the store.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use arc_swap::ArcSwap;
use chancery_store::tables;
use chancery_types::{IdentityId, Perm, RoleId};
use uuid::Uuid;

use super::{
    api_key::{self, Uses},
    built_in,
    directory::{Directory, Identity, Role},
    federation::{FetchedKeys, ProviderTransport},
    login::Seat,
    one_time_code,
    recent::{Recent, RecentKeys},
    recovery::tell_of,
    sessions::{Key, Session, Sessions, WRITE_EVERY},
    throttle::{Delays, Rate},
    tokens::Tokens,
};
use crate::{
    Context, Error, Identities, Result, Source,
    context::{
        background::Recurring as _,
        changes::{Change, ChangeKind},
        clock_watch::STEADY,
        record::Actor,
        storage::{Background, Evidence, MayRead, Opening},
    },
};

/// How often it is written down when API keys were last used: what it is for is to find those that nobody uses.
const WRITE_KEY_USES_EVERY: Duration = Duration::from_mins(5);

/// Finds sessions that other nodes began, writes down which were used, and forgets the others. Made only here.
pub(crate) struct KeepingSessions(());

impl Evidence for KeepingSessions {}
impl MayRead for KeepingSessions {}
impl Background for KeepingSessions {}

/// Everything that a login or the check of a caller looks at.
pub(crate) struct IdentityState {
    pub(crate) directory: ArcSwap<Directory>,
    pub(crate) sessions: Sessions,
    pub(super) tokens: Tokens,
    pub(super) recent: Recent,
    pub(super) recent_keys: RecentKeys,
    pub(super) key_uses: Uses,
    wrong_keys: Mutex<Rate<Source>>,
    delays: Mutex<Delays>,
    rate: Mutex<Rate<Source>>,
    /// The sealed secret that codes are compared with where there is none to compare with.
    pub(super) no_ones_totp: Vec<u8>,
    pub(super) provider_keys: FetchedKeys,
}

impl IdentityState {
    /// Loads it; makes what a new installation needs.
    pub(crate) async fn load(
        context: &Context,
        opening: &Opening,
        providers: Option<Arc<dyn ProviderTransport>>,
    ) -> Result<Self> {
        let Context { storage, custodian, quarantine, limits, clock, .. } = context;
        let now = clock.now_ms();
        if !storage.is_read_only() {
            let (actor, limits) = (Actor::of_task(opening.node(), opening), limits.clone());
            let ensured = storage.background(opening, move |tx| {
                Box::pin(async move {
                    built_in::ensure(tx, now, &actor, &limits).await?;
                    api_key::take_over(tx, now).await
                })
            });
            ensured.await?;
        }
        let directory = Directory::load(storage, opening, quarantine).await?;
        directory.identities().for_each(|(_, identity)| tell_of(None, identity.recovered, &identity.name));
        Ok(Self {
            tokens: Tokens::load(storage, opening, custodian, now).await?,
            directory: ArcSwap::from_pointee(directory),
            sessions: Sessions::load(storage, opening, quarantine).await?,
            recent: Recent::default(),
            recent_keys: RecentKeys::default(),
            key_uses: Uses::default(),
            wrong_keys: Mutex::default(),
            delays: Mutex::default(),
            rate: Mutex::default(),
            no_ones_totp: one_time_code::no_ones(custodian)?,
            provider_keys: FetchedKeys::new(providers, limits),
        })
    }

    /// The name that an identity has now.
    pub(crate) fn name_of(&self, id: IdentityId) -> Option<String> {
        self.directory.load().name(id).map(str::to_owned)
    }

    pub(super) fn delays(&self) -> MutexGuard<'_, Delays> {
        self.delays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wrong_keys(&self) -> MutexGuard<'_, Rate<Source>> {
        self.wrong_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn rate(&self) -> MutexGuard<'_, Rate<Source>> {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Identities {
    /// A role has changed.
    pub(crate) async fn apply_role(&self, by: &impl MayRead, id: Uuid) -> Result<()> {
        let role = self.context.storage.read(by, move |tx| Box::pin(async move { Role::read(tx, id).await })).await?;
        // Changes are applied one after the other, so no other edition comes in between.
        let directory = self.state.directory.load().with_role(id.into(), role);
        self.state.directory.store(Arc::new(directory));
        Ok(())
    }

    /// An identity has changed: somebody who may has looked at it, so its delays are forgiven.
    pub(crate) async fn apply_identity(&self, by: &impl MayRead, id: Uuid) -> Result<()> {
        let read = self.context.storage.read(by, move |tx| {
            Box::pin(async move {
                Ok::<_, Error>((Identity::read(tx, id.into()).await?, api_key::read(tx, id.into()).await?))
            })
        });
        let (identity, keys) = read.await?;
        if let Some(identity) = &identity {
            let before = self.state.directory.load().recovered(id.into());
            tell_of(before, identity.recovered, &identity.name);
        }
        let directory = self.state.directory.load().with_identity(id.into(), identity).with_keys(id.into(), keys);
        self.state.directory.store(Arc::new(directory));
        self.state.delays().forgive(id.into());
        Ok(())
    }

    /// The API keys of an identity have changed. That forgives it no wrong passwords: a key may change itself.
    pub(crate) async fn apply_api_keys(&self, by: &impl MayRead, id: Uuid) -> Result<()> {
        let keys = self
            .context
            .storage
            .read(by, move |tx| Box::pin(async move { api_key::read(tx, id.into()).await }))
            .await?;
        self.state.directory.store(Arc::new(self.state.directory.load().with_keys(id.into(), keys)));
        Ok(())
    }

    /// The API keys of an identity cannot be read: none of them is one.
    pub(crate) fn forget_api_keys(&self, id: IdentityId) {
        self.state.directory.store(Arc::new(self.state.directory.load().with_keys(id, Vec::new())));
    }

    /// A role cannot be read: it grants nothing.
    pub(crate) fn forget_role(&self, id: RoleId) {
        self.state.directory.store(Arc::new(self.state.directory.load().with_role(id, None)));
    }

    /// An identity cannot be read: nobody acts in its name.
    pub(crate) fn forget_identity(&self, id: IdentityId) {
        self.state.directory.store(Arc::new(self.state.directory.load().with_identity(id, None)));
    }

    /// All roles and identities may have changed.
    pub(crate) async fn reload_directory(&self, by: &impl MayRead) -> Result<()> {
        let mut directory = Directory::load(&self.context.storage, by, &self.context.quarantine).await?;
        directory.edition = self.state.directory.load().edition + 1;
        self.state.directory.store(Arc::new(directory));
        Ok(())
    }

    /// All sessions may have begun or ended.
    pub(crate) async fn reload_sessions(&self, by: &impl MayRead) -> Result<()> {
        let known = self.state.sessions.all();
        let stored = Sessions::load(&self.context.storage, by, &self.context.quarantine).await?;
        for session in stored.all() {
            self.state.sessions.take_in(session);
        }
        // One that began meanwhile is not among those that were known.
        for session in known.iter().filter(|session| stored.get(Key::Id(session.id)).is_none()) {
            self.state.sessions.remove(session.id);
        }
        Ok(())
    }

    /// Whether these identities, if they logged in together now, would be two persons with a permission. Unavailable where
    /// one of them, or one of their roles, cannot be read.
    pub(crate) fn are_two_persons_with(&self, identities: &[IdentityId], perm: Perm) -> Result<bool> {
        let closed = |id: &IdentityId| self.context.quarantine.check(Change::of(ChangeKind::Identity, *id).object());
        identities.iter().try_for_each(closed)?;
        let directory = self.state.directory.load();
        let Some(seats) = directory.seats(identities) else { return Ok(false) };
        self.check_seats(&seats)?;
        let standing = directory.standing(Uuid::nil(), &seats);
        Ok(standing.is_some_and(|standing| standing.are_two_persons() && standing.perms.has(perm)))
    }

    /// Unavailable where one of those who sit in a session, or one of their roles, cannot be read.
    pub(super) fn check_seats(&self, seats: &[Seat]) -> Result<()> {
        if self.context.quarantine.count() == 0 {
            return Ok(());
        }
        let closed = |kind: ChangeKind, id: Uuid| self.context.quarantine.check(Change::of(kind, id).object());
        for seat in seats {
            closed(ChangeKind::Identity, seat.identity.into())?;
            seat.roles.iter().try_for_each(|role| closed(ChangeKind::Role, (*role).into()))?;
        }
        Ok(())
    }

    /// A session has begun or ended.
    pub(crate) async fn apply_session(&self, by: &impl MayRead, id: Uuid) -> Result<()> {
        let stored = self.context.storage.read(by, move |tx| Box::pin(async move { Key::Id(id).read(tx).await }));
        match stored.await? {
            Some(session) => drop(self.state.sessions.insert(session)),
            None => self.state.sessions.remove(id),
        }
        Ok(())
    }

    /// A session as it is stored.
    pub(super) async fn stored_session(&self, key: Key) -> Result<Option<Session>> {
        self.context.storage.read(&KeepingSessions(()), move |tx| Box::pin(async move { key.read(tx).await })).await
    }

    /// The live session, from memory, or from the store where another node has begun or used it.
    pub(super) async fn live_session(&self, key: Key) -> Result<Option<Arc<Session>>> {
        if let Key::Id(id) = key {
            self.context.quarantine.check(Change::of(ChangeKind::Session, id).object())?;
        }
        let now = self.context.clock.now_ms();
        let lives = |session: &Arc<Session>| session.lives(now, &self.context.limits);
        if let Some(session) = self.state.sessions.get(key).filter(lives) {
            return Ok(Some(session));
        }
        let Some(stored) = self.stored_session(key).await? else { return Ok(None) };
        if !stored.lives(now, &self.context.limits) {
            return Ok(None);
        }
        let session = self.state.sessions.insert(stored);
        // It may have ended between the reading and the insertion, and its end been applied already. Looked at again
        // afterwards, it is either gone, or its end will be applied later.
        if self.stored_session(Key::Id(session.id)).await?.is_none() {
            self.state.sessions.remove(session.id);
        }
        Ok(Some(session).filter(lives))
    }

    /// Keeps the sessions, and the uses of API keys, until the last user of this Chancery is gone.
    pub(crate) fn keep_sessions_in_turn(self: &Arc<Self>) {
        self.every(WRITE_EVERY, "keeping sessions", |identities| Box::pin(identities.keep_sessions()));
        self.every(WRITE_KEY_USES_EVERY, "writing uses of API keys", |identities| {
            Box::pin(identities.write_key_uses())
        });
    }

    /// Writes down when API keys were last used.
    pub(crate) async fn write_key_uses(&self) -> Result<()> {
        let uses = self.state.key_uses.take();
        if uses.is_empty() {
            return Ok(());
        }
        let rows = uses.clone();
        let written = self.context.storage.background(&KeepingSessions(()), move |tx| {
            Box::pin(async move {
                for row in &rows {
                    tables::api_key_uses::note(tx, row).await?;
                }
                Ok::<_, Error>(())
            })
        });
        written.await.inspect_err(|_| self.state.key_uses.put_back(&uses))
    }

    /// Writes down which sessions were used, and forgets those that have run out.
    pub(crate) async fn keep_sessions(&self) -> Result<()> {
        let now = self.context.clock.now_ms();
        let limits = self.context.limits.clone();
        let (live, over): (Vec<_>, Vec<_>) =
            self.state.sessions.all().into_iter().partition(|session| session.lives(now, &limits));
        for session in over {
            self.state.sessions.remove(session.id);
        }
        let used: Vec<_> = live.iter().filter_map(|session| session.unwritten_use()).collect();
        let may_forget = self.context.is_steady(STEADY);
        let kept = self.context.storage.background(&KeepingSessions(()), move |tx| {
            Box::pin(async move {
                Session::write_uses(tx, &used).await?;
                if may_forget {
                    tables::used_tokens::forget_ended(tx, now).await?;
                }
                Session::delete_ended(tx, now, &limits).await
            })
        });
        kept.await
    }
}
