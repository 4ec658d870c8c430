//! Live sessions in memory. The store has them too, so that they outlive a restart and other nodes see them.

use std::{
    collections::HashMap,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwapOption;
use chancery_store::{Tx, tables};
use chancery_types::RoleId;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    directory::Directory,
    login::{self, Seat, SeatProof, State},
};
use crate::{
    Error, Limits, Result,
    base::clock::ms,
    context::{
        caller::Standing,
        changes::{Change, ChangeKind},
        quarantine::{Quarantine, is_lasting},
        storage::{MayRead, Storage},
    },
};

/// The keyed hash of a session cookie.
pub(super) type CookieHash = [u8; 32];

/// How often uses are written down: what a crash can take off a session's idle time.
pub(crate) const WRITE_EVERY: Duration = Duration::from_secs(30);

/// Uses nearer to each other than this are not told apart, so that cores do not fight over one number.
const USED_STEP_MS: i64 = 1_000;

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: Uuid,
    pub(super) cookie_hash: CookieHash,
    pub(super) state: State,
    last_used_at: AtomicI64,
    /// The last use that the store knows of.
    written_at: AtomicI64,
    ended: AtomicBool,
    /// What it amounts to, and in which edition of the directory that was found.
    standing: ArcSwapOption<(u64, Option<Arc<Standing>>)>,
}

impl Session {
    fn new(id: Uuid, cookie_hash: CookieHash, state: State, last_used_at: i64) -> Self {
        Self {
            id,
            cookie_hash,
            state,
            last_used_at: AtomicI64::new(last_used_at),
            written_at: AtomicI64::new(last_used_at),
            ended: AtomicBool::new(false),
            standing: ArcSwapOption::empty(),
        }
    }

    /// Whether it has neither ended nor run out.
    pub(super) fn lives(&self, now: i64, limits: &Limits) -> bool {
        let complete = self.state.completed_at.is_some();
        !self.ended.load(Ordering::Relaxed)
            && login::lives(self.state.opened_at, self.last_used_at(), complete, now, limits)
    }

    pub(super) fn last_used_at(&self) -> i64 {
        self.last_used_at.load(Ordering::Relaxed)
    }

    pub(super) fn used(&self, now: i64) {
        if now.saturating_sub(self.last_used_at()) >= USED_STEP_MS {
            self.last_used_at.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// The last use, if the store does not know of it. It counts as written from now on: where writing fails, the next
    /// use is written in its place.
    pub(super) fn unwritten_use(&self) -> Option<(Uuid, i64)> {
        let used_at = self.last_used_at();
        (self.written_at.swap(used_at, Ordering::Relaxed) < used_at).then_some((self.id, used_at))
    }

    pub(super) async fn write_uses(tx: &mut Tx, uses: &[(Uuid, i64)]) -> Result<()> {
        for (id, used_at) in uses {
            tables::sessions::touch(tx, *id, *used_at).await?;
        }
        Ok(())
    }

    /// Removes the rows of sessions that have run out. Another node may have used one and not written it down yet.
    pub(super) async fn delete_ended(tx: &mut Tx, now: i64, limits: &Limits) -> Result<()> {
        let before = |span| now.saturating_sub(ms(span));
        let unused = before(limits.idle_max).saturating_sub(2 * ms(WRITE_EVERY));
        let ended = [before(limits.session_max), unused, before(limits.half_open_max), login::latest_ms(now)];
        tables::sessions::delete_ended(tx, ended).await?;
        Ok(())
    }

    /// What the session amounts to under this edition of the directory; `None` while it is half open.
    pub(super) fn standing(&self, directory: &Directory) -> Option<Arc<Standing>> {
        if let Some(found) = self.standing.load().as_ref().filter(|found| found.0 == directory.edition) {
            return found.1.clone();
        }
        let standing = directory.standing(self.id, &self.state.seats).map(Arc::new);
        self.standing.store(Some(Arc::new((directory.edition, standing.clone()))));
        standing
    }

    /// What the store keeps of a new session.
    pub(super) fn rows(
        id: Uuid,
        cookie_hash: &CookieHash,
        state: &State,
        now: i64,
    ) -> Result<(tables::sessions::Row, Vec<tables::sessions::Seat>)> {
        let row = tables::sessions::Row {
            id,
            cookie_hash: cookie_hash.to_vec(),
            opened_at_ms: state.opened_at,
            completed_at_ms: state.completed_at,
            last_used_at_ms: now,
        };
        let seat = |(number, seat): (i64, &Seat)| {
            let stored =
                StoredRoles::Proved { roles: seat.roles.clone(), at: seat.at, proof: seat.proof.clone().map(Box::new) };
            let roles = serde_json::to_string(&stored).map_err(Error::internal)?;
            Ok(tables::sessions::Seat { session_id: id, seat: number, identity_id: seat.identity.into(), roles })
        };
        Ok((row, (0..).zip(&state.seats).map(seat).collect::<Result<_>>()?))
    }

    fn of(row: &tables::sessions::Row, seats: &[tables::sessions::Seat]) -> Result<Self> {
        let cookie_hash = row.cookie_hash.as_slice().try_into().map_err(Error::internal)?;
        let seat = |seat: &tables::sessions::Seat| {
            let (roles, at, proof) = match serde_json::from_str(&seat.roles).map_err(Error::internal)? {
                StoredRoles::Proved { roles, at, proof } => (roles, at, proof.map(|proof| *proof)),
                StoredRoles::At(roles, at) => (roles, at, None),
                StoredRoles::Undated(roles) => (roles, row.opened_at_ms, None),
            };
            Ok(Seat { identity: seat.identity_id.into(), roles, at, proof })
        };
        let seats = seats.iter().map(seat).collect::<Result<_>>()?;
        let state = State { seats, opened_at: row.opened_at_ms, completed_at: row.completed_at_ms };
        Ok(Self::new(row.id, cookie_hash, state, row.last_used_at_ms))
    }
}

/// The roles of a seat, when it was taken and by which proof. Sessions of former releases have no proof there, or neither
/// proof nor time, and count from their beginning.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredRoles {
    Proved { roles: Vec<RoleId>, at: i64, proof: Option<Box<SeatProof>> },
    At(Vec<RoleId>, i64),
    Undated(Vec<RoleId>),
}

/// How a session is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    Id(Uuid),
    Cookie(CookieHash),
}

impl Key {
    /// The session as it is stored.
    pub(super) async fn read(self, tx: &mut Tx) -> Result<Option<Session>> {
        let row = match self {
            Self::Id(id) => tables::sessions::by_id(tx, id).await?,
            Self::Cookie(hash) => tables::sessions::by_cookie(tx, &hash).await?,
        };
        let Some(row) = row else { return Ok(None) };
        let seats = tables::sessions::seats(tx, row.id).await?;
        Session::of(&row, &seats).map(Some)
    }
}

/// All sessions that this node knows of.
#[derive(Debug, Default)]
pub(crate) struct Sessions(RwLock<Maps>);

#[derive(Debug, Default)]
struct Maps {
    by_id: HashMap<Uuid, Arc<Session>>,
    by_cookie: HashMap<CookieHash, Arc<Session>>,
}

impl Sessions {
    /// Reads all at once; where that fails because of one of them, one after the other.
    pub(super) async fn load(storage: &Storage, by: &impl MayRead, quarantine: &Quarantine) -> Result<Self> {
        match Self::load_all(storage, by).await {
            Err(failure) if is_lasting(&failure) => Self::load_what_can_be_read(storage, by, quarantine).await,
            outcome => outcome,
        }
    }

    async fn load_what_can_be_read(storage: &Storage, by: &impl MayRead, quarantine: &Quarantine) -> Result<Self> {
        let ids = storage.read(by, |tx| Box::pin(async move { Ok::<_, Error>(tables::sessions::ids(tx).await?) }));
        let sessions = Self::default();
        for id in quarantine.ids(ChangeKind::Session, ids.await?) {
            let read = storage.read(by, move |tx| Box::pin(async move { Key::Id(id).read(tx).await })).await;
            if let Some(Some(session)) = quarantine.sort_out(Change::of(ChangeKind::Session, id).object(), read)? {
                sessions.insert(session);
            }
        }
        Ok(sessions)
    }

    async fn load_all(storage: &Storage, by: &impl MayRead) -> Result<Self> {
        let read = storage.read(by, |tx| {
            Box::pin(async move {
                Ok::<_, Error>((tables::sessions::all(tx).await?, tables::sessions::all_seats(tx).await?))
            })
        });
        let (rows, seats) = read.await?;
        let mut seats_of: HashMap<Uuid, Vec<_>> = HashMap::new();
        for seat in seats {
            seats_of.entry(seat.session_id).or_default().push(seat);
        }
        let sessions = Self::default();
        for row in rows {
            sessions.insert(Session::of(&row, seats_of.get(&row.id).map(Vec::as_slice).unwrap_or_default())?);
        }
        Ok(sessions)
    }

    pub(super) fn get(&self, key: Key) -> Option<Arc<Session>> {
        let maps = self.0.read().unwrap_or_else(PoisonError::into_inner);
        match key {
            Key::Id(id) => maps.by_id.get(&id).cloned(),
            Key::Cookie(hash) => maps.by_cookie.get(&hash).cloned(),
        }
    }

    /// Takes a session in as it is stored. One that is known stays, with the later of both uses: sessions do not change,
    /// they are replaced by others.
    pub(super) fn insert(&self, session: Session) -> Arc<Session> {
        self.take_in(Arc::new(session))
    }

    pub(super) fn take_in(&self, session: Arc<Session>) -> Arc<Session> {
        let mut maps = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = maps.by_id.get(&session.id) {
            known.last_used_at.fetch_max(session.last_used_at(), Ordering::Relaxed);
            return Arc::clone(known);
        }
        maps.by_id.insert(session.id, Arc::clone(&session));
        maps.by_cookie.insert(session.cookie_hash, Arc::clone(&session));
        session
    }

    /// Forgets a session; whoever still has a hand on it sees that it has ended.
    pub(crate) fn remove(&self, id: Uuid) {
        let mut maps = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = maps.by_id.remove(&id) {
            session.ended.store(true, Ordering::Relaxed);
            maps.by_cookie.remove(&session.cookie_hash);
        }
    }

    pub(super) fn all(&self) -> Vec<Arc<Session>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).by_id.values().cloned().collect()
    }
}
