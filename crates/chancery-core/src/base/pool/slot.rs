//! The right to run one job at a time, and the thread that has it.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Instant,
};

use chancery_keys::{Together, sign_together};
use tokio::task;
use tracing::error;

use super::{
    Party, Signature,
    job::{Job, Leaves},
    queue::{Queue, Waiting},
};

/// Results of brief jobs that leave together: the first one waits for so many jobs less one, some milliseconds.
pub(super) const TOGETHER: usize = 4;

/// The right to run one job at a time. Without a runtime that would use it, it is given back.
pub(super) struct Slot {
    queue: Arc<Queue>,
    is_free: bool,
    /// Whose jobs it ran last, and until when.
    ran: Vec<Party>,
    at: Option<Instant>,
}

impl Slot {
    pub(super) const fn new(queue: Arc<Queue>) -> Self {
        Self { queue, is_free: false, ran: Vec::new(), at: None }
    }

    /// Runs jobs until none waits.
    pub(super) fn work(mut self) {
        let (mut taken, mut done) = (Vec::new(), Vec::new());
        while self.next(&mut taken) {
            self.ran.extend(taken.iter().map(|waiting| waiting.party));
            let jobs: Vec<_> = taken.drain(..).map(|waiting| waiting.job).collect();
            // A panic is told by its hook; whoever waits learns that there is no result.
            let signatures = catch_unwind(AssertUnwindSafe(|| signatures(&jobs)));
            let mut signatures = signatures.unwrap_or_default().into_iter();
            for job in jobs {
                run(job, signatures.next(), &mut done);
            }
        }
        answer(&mut done);
    }

    /// The next job, or several that sign together; none gives the slot back in the same moment, so that no job can be added
    /// in between.
    fn next(&mut self, taken: &mut Vec<Waiting>) -> bool {
        let now = Instant::now();
        let before = self.at.replace(now);
        let mut jobs = self.queue.jobs();
        if let Some(before) = before {
            jobs.charge(&self.ran, now - before);
        }
        self.ran.clear();
        jobs.take(self.queue.kind.group_max, taken);
        if taken.is_empty() {
            jobs.running -= 1;
            self.is_free = true;
        }
        !taken.is_empty()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.is_free {
            self.queue.jobs().running -= 1;
        }
    }
}

/// The signatures that several jobs need; none for a single one, which makes its own.
fn signatures(jobs: &[Box<dyn Job>]) -> Vec<Signature> {
    let to_sign: Option<Vec<_>> = jobs.iter().map(|job| job.to_sign()).collect();
    let together = to_sign.filter(|to_sign| to_sign.len() > 1).map(|to_sign| sign_together(&to_sign));
    let Together { signatures, wrong } = together.unwrap_or_default();
    if wrong > 0 {
        error!(wrong, "RSA operations came out wrong and were made again: have this machine looked at");
    }
    signatures
}

/// Runs a job, and puts it to those that are done, whose results leave when it is time.
fn run(mut job: Box<dyn Job>, signature: Option<Signature>, done: &mut Vec<Box<dyn Job>>) {
    let leaves = job.leaves();
    if leaves == Leaves::AtOnce {
        answer(done);
    }
    // A panic is told by its hook here, too.
    let has_ended = catch_unwind(AssertUnwindSafe(|| job.run(signature))).is_ok();
    if has_ended && leaves != Leaves::ByItself {
        done.push(job);
    }
    // Behind a job that sees to itself none may wait: there may be many of those.
    if leaves != Leaves::Together || done.len() == TOGETHER {
        answer(done);
    }
}

/// Hands results over. Several are handed over by a task of the runtime: each would wake a thread of it, which would often
/// interrupt this one between two of them.
fn answer(done: &mut Vec<Box<dyn Job>>) {
    if done.len() > 1 {
        let done = mem::take(done);
        task::spawn(async move { done.into_iter().for_each(Job::answer) });
    } else {
        done.drain(..).for_each(Job::answer);
    }
}
