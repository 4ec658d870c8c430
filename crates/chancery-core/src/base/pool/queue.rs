//! The jobs that wait: a line for each party, and the parties take turns.
//!
//! However much one party has waiting, another's job comes after one job of each. A party whose jobs took long lets others
//! go ahead until they had as much time. Nor can one party fill the queue: it may have as many jobs waiting as there are free
//! places beside them, so half of all alone, a third beside another such, and there is always room for who comes next.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use chancery_keys::SIGNED_TOGETHER;
use tokio::{runtime::Handle, task};
use tracing::error;

use super::{Kind, Party, job::Job, slot::Slot, too_busy};
use crate::Result;

/// How many of the jobs that wait are looked at for signatures that go together.
pub(super) const LOOK_MAX: usize = 64;

/// The time that a turn stands for: what a job takes longer than this, its party lets others have first.
const TURN: Duration = Duration::from_millis(1);

/// No party waits longer than for so much, however long its jobs took.
const DEBT_MAX: Duration = Duration::from_millis(250);

/// Empty lines that are kept, so that one need not be made for each job where few wait.
const SPARE_MAX: usize = 16;

/// The jobs that wait, and how many threads there are that take them.
pub(super) struct Queue {
    pub(super) kind: Kind,
    jobs: Mutex<Jobs>,
}

#[derive(Default)]
pub(super) struct Jobs {
    /// No party is here without a job.
    lines: HashMap<Party, Line>,
    /// Every party that is in `lines`, in the order of their turns.
    turns: VecDeque<Party>,
    waiting: usize,
    pub(super) running: usize,
    last_ticket: u64,
    spare: Vec<VecDeque<Waiting>>,
}

/// What one party has waiting, in the order in which it came.
#[derive(Default)]
struct Line {
    jobs: VecDeque<Waiting>,
    /// Time that its jobs took beyond its turns.
    debt: Duration,
}

/// A job that has not begun.
pub(super) struct Waiting {
    /// Rising in each line.
    ticket: u64,
    pub(super) party: Party,
    /// Which others it signs together with.
    pub(super) group: Option<usize>,
    pub(super) job: Box<dyn Job>,
}

impl Queue {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, jobs: Mutex::default() }
    }

    pub(super) fn jobs(&self) -> MutexGuard<'_, Jobs> {
        // No code under this lock can leave the jobs half changed.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Jobs that have not begun.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.jobs().waiting
    }

    /// Adds a job, and a thread where there is a slot for one. RateLimited where the party has no room for it.
    pub(super) fn push(self: &Arc<Self>, party: Party, job: Box<dyn Job>) -> Result<Ticket> {
        let group = job.group();
        let mut jobs = self.jobs();
        let number = jobs.add(party, group, job, &self.kind)?;
        let ticket = Ticket { queue: Arc::clone(self), party, number, is_open: true };
        if jobs.running == self.kind.slots {
            return Ok(ticket);
        }
        jobs.running += 1;
        drop(jobs);
        self.begin_slot(Slot::new(Arc::clone(self)));
        Ok(ticket)
    }

    fn begin_slot(&self, slot: Slot) {
        let Some((name, niceness)) = self.kind.niceness else {
            task::spawn_blocking(move || slot.work());
            return;
        };
        // A thread that has been nice once cannot be used for anything else.
        let runtime = Handle::current();
        let work = move || {
            let _entered = runtime.enter();
            super::be_nice(niceness);
            slot.work();
        };
        if let Err(error) = thread::Builder::new().name(name.to_owned()).spawn(work) {
            error!(%error, "no thread for the jobs of a pool; they are refused when they have waited for too long");
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        let jobs = self.jobs();
        jobs.running == 0 && jobs.waiting == 0
    }
}

impl Jobs {
    fn add(&mut self, party: Party, group: Option<usize>, job: Box<dyn Job>, kind: &Kind) -> Result<u64> {
        let own = self.lines.get(&party).map_or(0, |line| line.jobs.len());
        if own >= kind.queue_max.saturating_sub(self.waiting).min(kind.party_max) {
            return Err(too_busy());
        }
        self.last_ticket += 1;
        let waiting = Waiting { ticket: self.last_ticket, party, group, job };
        if own == 0 {
            self.turns.push_back(party);
            let jobs = self.spare.pop().unwrap_or_default();
            self.lines.insert(party, Line { jobs, debt: Duration::ZERO });
        }
        if let Some(line) = self.lines.get_mut(&party) {
            line.jobs.push_back(waiting);
            self.waiting += 1;
        }
        Ok(self.last_ticket)
    }

    /// The job whose turn it is, and after it up to so many in all that sign together with it.
    pub(super) fn take(&mut self, group_max: usize, into: &mut Vec<Waiting>) {
        let Some(first) = self.next() else { return };
        let group = first.group;
        into.push(first);
        if group.is_some() && self.waiting > 0 {
            self.take_group(group, group_max, into);
        }
    }

    fn next(&mut self) -> Option<Waiting> {
        loop {
            let party = self.turns.pop_front()?;
            let line = self.lines.get_mut(&party)?;
            let owes = line.debt >= TURN && !self.turns.is_empty();
            line.debt = line.debt.saturating_sub(TURN);
            if owes {
                self.turns.push_back(party);
                continue;
            }
            let job = line.jobs.pop_front()?;
            self.waiting -= 1;
            if line.jobs.is_empty() {
                self.end(party);
            } else {
                self.turns.push_back(party);
            }
            return Some(job);
        }
    }

    /// Takes out what signs together with a job of this group, in the order of the turns; nothing where that would gain
    /// nothing.
    fn take_group(&mut self, group: Option<usize>, max: usize, into: &mut Vec<Waiting>) {
        let in_turn = (0..).flat_map(|place| self.turns.iter().map(move |party| (*party, place)));
        let waits = in_turn.filter_map(|(party, place)| Some((party, place, self.lines.get(&party)?.jobs.get(place)?)));
        // No more than wait: after the last of them there is no end.
        let others = waits
            .take(LOOK_MAX.min(self.waiting))
            .filter(|(_, _, job)| job.group == group)
            .map(|(party, place, _)| (party, place));
        let others: Vec<_> = others.take(max.saturating_sub(1)).collect();
        if others.len() + 1 < *SIGNED_TOGETHER.start() {
            return;
        }
        let first = into.len();
        // From the last one on, so that the places of the others stay theirs.
        into.extend(others.into_iter().rev().filter_map(|(party, place)| self.remove(party, place)));
        into[first..].reverse();
    }

    fn remove(&mut self, party: Party, place: usize) -> Option<Waiting> {
        let line = self.lines.get_mut(&party)?;
        let job = line.jobs.remove(place)?;
        self.waiting -= 1;
        if line.jobs.is_empty() {
            self.turns.retain(|other| *other != party);
            self.end(party);
        }
        Some(job)
    }

    /// Forgets a party that has nothing waiting any more; it is in the turns no longer.
    fn end(&mut self, party: Party) {
        if let Some(line) = self.lines.remove(&party)
            && self.spare.len() < SPARE_MAX
        {
            self.spare.push(line.jobs);
        }
    }

    /// Notes what jobs of these parties took. Who has nothing waiting any more keeps nobody waiting.
    pub(super) fn charge(&mut self, parties: &[Party], took: Duration) {
        let each = took / u32::try_from(parties.len().max(1)).unwrap_or(u32::MAX);
        for party in parties {
            if let Some(line) = self.lines.get_mut(party) {
                line.debt = line.debt.saturating_add(each).min(DEBT_MAX);
            }
        }
    }
}

/// The right to take a job back while it waits; where it is dropped, the job does not begin any more.
pub(super) struct Ticket {
    queue: Arc<Queue>,
    party: Party,
    number: u64,
    is_open: bool,
}

impl Ticket {
    /// Whether the job had not begun, and will not.
    pub(super) fn take_back(&mut self) -> bool {
        self.is_open = false;
        let mut jobs = self.queue.jobs();
        let line = jobs.lines.get(&self.party);
        let place = line.and_then(|line| line.jobs.binary_search_by_key(&self.number, |job| job.ticket).ok());
        let job = place.and_then(|place| jobs.remove(self.party, place));
        // Dropped when nobody waits for the lock any more.
        drop(jobs);
        job.is_some()
    }

    /// The job has ended.
    pub(super) fn close(mut self) {
        self.is_open = false;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.is_open {
            self.take_back();
        }
    }
}

#[cfg(test)]
mod tests;
