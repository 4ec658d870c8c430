//! Notices as they happen, for callers who follow them.
//!
//! While somebody follows, one task of this node looks for what is new and hands it to all of them; each passes on what
//! its caller may see. Whoever was cut off names the last event that came, and gets from the store what happened since.
//! On PostgreSQL a work may commit after another with a higher number, so both look back a little: by so many numbers,
//! and so many seconds. What comes twice by that has the same id.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    str::FromStr,
    sync::{Arc, Mutex, PoisonError, Weak, atomic::Ordering},
    time::Duration,
};

use chancery_store::{
    Tx,
    tables::{self, notices::Row},
};
use chancery_types::{IdentityId, NoticeKind, wire::notices::Notice};
use tokio::{
    sync::{Mutex as AsyncMutex, broadcast},
    time::{self, Instant},
};
use tracing::error;
use uuid::Uuid;

use super::{deliver::DeliveringNotices, told::sight};
use crate::{Caller, Error, Limits, Notices, Result, base::clock::ms, context::background::Recurring as _};

/// How often it is looked for what is new, and whether the caller may still follow: a session that ends stops hearing
/// within a second.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// After so long without an event something is sent, so that a connection that is gone is found out, by both ends.
const BEAT_EVERY: Duration = Duration::from_secs(15);

/// How far back is looked for what was committed late.
const LATE_NUMBERS: i64 = 1_000;
const LATE_MS: i64 = 10_000;

/// Notices that are handed out before the slowest has taken them; it is cut off then, and goes on from where it was.
const AHEAD: usize = 1_024;

/// Read from the store at a time.
const TOGETHER: u32 = 100;

/// Which event was the last: what happened later has a higher number, or is not much older.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoticeEventId {
    sequence: i64,
    at_ms: i64,
}

impl std::fmt::Display for NoticeEventId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.sequence, self.at_ms)
    }
}

impl FromStr for NoticeEventId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0);
        let parts = text.split_once('-').map(|(sequence, at_ms)| (number(sequence), number(at_ms)));
        match parts {
            Some((Some(sequence), Some(at_ms))) => Ok(Self { sequence, at_ms }),
            _ => Err(Error::value(
                "/Last-Event-ID",
                "This is the id of an event of this server, such as 12-1767225600000.",
            )),
        }
    }
}

/// What a follower hears.
#[derive(Clone, Debug)]
pub enum NoticeEvent {
    /// It follows from here on.
    Begun(NoticeEventId),
    /// Something happened.
    Notice(NoticeEventId, Box<Notice>),
    /// What was asked for is not kept any more: whoever counts on having heard all looks at the lists again.
    Gap(NoticeEventId),
    /// Nothing happened for a while.
    Beat,
}

/// A notice, and whose its object is.
struct Told {
    row: Row,
    concerned: Vec<Uuid>,
}

/// What followers share.
pub(super) struct Followers {
    sender: broadcast::Sender<Arc<Told>>,
    rooms: Arc<Mutex<HashMap<IdentityId, u32>>>,
    /// Whether the task runs; held while it begins, so that nobody follows before it knows what is old.
    runs: AsyncMutex<bool>,
}

/// A place among the followers, given back when it is dropped.
struct Room {
    rooms: Arc<Mutex<HashMap<IdentityId, u32>>>,
    whose: IdentityId,
}

impl Followers {
    pub(super) fn new() -> Self {
        Self { sender: broadcast::channel(AHEAD).0, rooms: Arc::default(), runs: AsyncMutex::new(false) }
    }

    fn room(&self, whose: IdentityId, limits: &Limits) -> Result<Room> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, own) = (rooms.values().sum::<u32>(), rooms.get(&whose).copied().unwrap_or(0));
        if own >= limits.notices.followers_per_caller_max {
            let max = limits.notices.followers_per_caller_max;
            return Err(Error::busy(format!("You follow notices {max} times already, and no more are taken."), 30));
        }
        if all >= limits.notices.followers_max {
            return Err(Error::busy("Too many follow notices; ask for the list instead, or try again.", 30));
        }
        rooms.insert(whose, own + 1);
        Ok(Room { rooms: Arc::clone(&self.rooms), whose })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let left = rooms.get(&self.whose).copied().unwrap_or(0).saturating_sub(1);
        if left == 0 {
            rooms.remove(&self.whose);
        } else {
            rooms.insert(self.whose, left);
        }
    }
}

/// Somebody who follows.
pub struct NoticeFollower {
    notices: Arc<Notices>,
    caller: Caller,
    kind: Option<NoticeKind>,
    receiver: broadcast::Receiver<Arc<Told>>,
    /// What is to be told first.
    first: VecDeque<NoticeEvent>,
    /// Where the reading of what was missed stands; none when all of it was read.
    missed: Option<Missed>,
    read: VecDeque<Arc<Told>>,
    /// Numbers that were read from the store, and may also be handed out.
    passed: BTreeSet<i64>,
    last: NoticeEventId,
    looked_at: Instant,
    beat_at: Instant,
    _room: Room,
}

/// What happened since an event.
struct Missed {
    since: NoticeEventId,
    after: i64,
}

impl Notices {
    /// Follows what happens from now on, or since an event, of one kind or of all.
    pub async fn follow_notices(
        self: &Arc<Self>,
        caller: &Caller,
        kind: Option<NoticeKind>,
        since: Option<NoticeEventId>,
    ) -> Result<NoticeFollower> {
        let whose = caller.members().first().ok_or_else(|| Error::internal("a caller is somebody"))?.id;
        let room = self.state.followers.room(whose, &self.context.limits)?;
        let receiver = self.heard().await?;
        let grant = self.context.grant_to_all(caller);
        let last = self
            .context
            .storage
            .read(&grant, |tx| Box::pin(async move { Ok::<_, Error>(tables::notices::last(tx).await?) }));
        let now_ms = self.context.clock.now_ms();
        let now = NoticeEventId { sequence: last.await?, at_ms: now_ms };
        // Numbers are those of another store where they are too high.
        let is_of_another = since.is_some_and(|since| since.sequence > now.sequence);
        let since = since.filter(|_| !is_of_another);
        let last = since.unwrap_or(now);
        let kept_since_ms = now_ms.saturating_sub(ms(self.context.limits.notices.kept));
        let mut first = VecDeque::from([NoticeEvent::Begun(last)]);
        if is_of_another || since.is_some_and(|since| since.at_ms < kept_since_ms) {
            first.push_back(NoticeEvent::Gap(now));
        }
        let missed = since.map(|since| Missed { since, after: since.sequence.saturating_sub(LATE_NUMBERS) });
        Ok(NoticeFollower {
            notices: Arc::clone(self),
            caller: caller.clone(),
            kind,
            receiver,
            first,
            missed,
            read: VecDeque::new(),
            passed: BTreeSet::new(),
            last,
            looked_at: Instant::now(),
            beat_at: Instant::now(),
            _room: room,
        })
    }

    /// Hears what is new from now on. Nobody hears before the task knows what is old.
    async fn heard(self: &Arc<Self>) -> Result<broadcast::Receiver<Arc<Told>>> {
        let followers = &self.state.followers;
        let mut runs = followers.runs.lock().await;
        if !*runs {
            let mut seen = Seen::default();
            self.new_notices(&mut seen).await?;
            tokio::spawn(hand_out(Arc::downgrade(self), seen));
            *runs = true;
        }
        Ok(followers.sender.subscribe())
    }

    /// Notices that were not there at the last look.
    async fn new_notices(&self, seen: &mut Seen) -> Result<Vec<Told>> {
        let (before, first) = (seen.clone(), seen.high.is_none());
        let read = self.context.storage.read(&DeliveringNotices(()), move |tx| {
            Box::pin(async move {
                let high = match before.high {
                    Some(high) => high,
                    None => tables::notices::last(tx).await?,
                };
                let after = high.saturating_sub(LATE_NUMBERS);
                let limit = u32::try_from(LATE_NUMBERS).unwrap_or(u32::MAX).saturating_add(TOGETHER);
                let numbers = tables::notices::numbers(tx, after, limit).await?;
                let mut told = Vec::new();
                for number in numbers.iter().filter(|number| !first && !before.numbers.contains(number)) {
                    if let Some(row) = tables::notices::by_seq(tx, *number).await? {
                        told.push(with_concerned(tx, row).await?);
                    }
                }
                Ok::<_, Error>((high, numbers, told))
            })
        });
        let (high, numbers, told) = read.await?;
        let high = numbers.last().copied().unwrap_or(high).max(high);
        *seen = Seen {
            high: Some(high),
            numbers: numbers.into_iter().filter(|number| *number > high.saturating_sub(LATE_NUMBERS)).collect(),
        };
        Ok(told)
    }
}

/// What the last look found.
#[derive(Clone, Default)]
struct Seen {
    /// The highest number; none before the first look.
    high: Option<i64>,
    /// Those near below it.
    numbers: BTreeSet<i64>,
}

async fn with_concerned(tx: &mut Tx, row: Row) -> Result<Told> {
    let concerned = tables::notices::concerned(tx, &row.notice).await?;
    Ok(Told { row, concerned })
}

/// Hands out what is new, as long as somebody follows.
async fn hand_out(weak: Weak<Notices>, mut seen: Seen) {
    let mut looks = time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(time::MissedTickBehavior::Delay);
    let mut is_failing = false;
    loop {
        looks.tick().await;
        let Some(notices) = Notices::while_open(&weak) else { return };
        let followers = &notices.state.followers;
        {
            let mut runs = followers.runs.lock().await;
            if followers.sender.receiver_count() == 0 {
                *runs = false;
                return;
            }
        }
        match notices.new_notices(&mut seen).await {
            Ok(told) => {
                is_failing = false;
                for one in told {
                    // Nobody hears it where the last one has just gone.
                    let _heard = followers.sender.send(Arc::new(one));
                }
            }
            Err(failure) if !is_failing => {
                is_failing = true;
                error!(error = &failure as &dyn std::error::Error, "new notices cannot be read; trying again");
            }
            Err(_) => {}
        }
    }
}

impl NoticeFollower {
    /// What happens next; nothing more where the session has ended, or the follower has fallen behind.
    pub async fn next(&mut self) -> Option<NoticeEvent> {
        loop {
            if self.looked_at.elapsed() >= LOOK_EVERY {
                if self.notices.context.is_closing.load(Ordering::Relaxed) {
                    return None;
                }
                self.caller = self.notices.identities.still(&self.caller).await?;
                self.looked_at = Instant::now();
            }
            if let Some(event) = self.first.pop_front() {
                return Some(event);
            }
            let told = match self.read.pop_front() {
                Some(told) => Some(told),
                None if self.missed.is_some() => {
                    self.read_missed().await?;
                    continue;
                }
                None => match time::timeout(LOOK_EVERY, self.receiver.recv()).await {
                    Ok(told) => {
                        let told = told.ok()?;
                        if self.passed.remove(&told.row.seq) {
                            continue;
                        }
                        Some(told)
                    }
                    Err(_) => None,
                },
            };
            match told {
                Some(told) => {
                    if let Some(event) = self.event(&told) {
                        self.beat_at = Instant::now();
                        return Some(event);
                    }
                }
                None if self.beat_at.elapsed() >= BEAT_EVERY => {
                    self.beat_at = Instant::now();
                    return Some(NoticeEvent::Beat);
                }
                None => {}
            }
        }
    }

    /// Reads some of what was missed; nothing where that cannot be read.
    async fn read_missed(&mut self) -> Option<()> {
        let Missed { since, after } = self.missed.as_ref()?;
        let (after, from) = (*after, (since.sequence, since.at_ms.saturating_sub(LATE_MS)));
        let grant = self.notices.context.grant_to_all(&self.caller);
        let read = self.notices.context.read_list(&self.caller, &grant, move |tx| {
            Box::pin(async move {
                let mut told = Vec::new();
                for row in tables::notices::since(tx, after, from, TOGETHER).await? {
                    told.push(with_concerned(tx, row).await?);
                }
                Ok(told)
            })
        });
        let told = match read.await {
            Ok(told) => told,
            Err(failure) => {
                error!(error = &failure as &dyn std::error::Error, "notices cannot be read for somebody who follows");
                return None;
            }
        };
        let is_all = told.len() < TOGETHER as usize;
        match (told.last(), &mut self.missed) {
            (Some(last), Some(missed)) if !is_all => missed.after = last.row.seq,
            _ => self.missed = None,
        }
        self.passed.extend(told.iter().map(|told| told.row.seq));
        // What is far below was committed long ago, and is not handed out any more.
        while self.passed.len() > 4 * AHEAD {
            self.passed.pop_first();
        }
        self.read.extend(told.into_iter().map(Arc::new));
        Some(())
    }

    /// The event of a notice, if the caller may see it.
    fn event(&mut self, told: &Told) -> Option<NoticeEvent> {
        let Told { row, concerned } = told;
        self.last =
            NoticeEventId { sequence: self.last.sequence.max(row.seq), at_ms: self.last.at_ms.max(row.notice.at_ms) };
        let is_wanted = self.kind.is_none_or(|kind| kind.as_str() == row.notice.kind);
        if !is_wanted || !sight(&self.caller).sees(&row.notice, concerned) {
            return None;
        }
        match super::shown(self.notices.context.outbound.console(), row.clone()) {
            Ok(notice) => Some(NoticeEvent::Notice(self.last, Box::new(notice))),
            Err(failure) => {
                error!(error = &failure as &dyn std::error::Error, "a stored notice cannot be read");
                None
            }
        }
    }
}
