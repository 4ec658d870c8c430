//! The bounded pool: what would hold an async thread (RSA, Argon2, key generation, large batches) runs here.
//!
//! A thread that has ended a job takes the next one by itself: where jobs wait, no async thread has to be woken between
//! two of them, and none of the pool's goes to sleep. The results of brief jobs leave several at a time, as long as more of
//! them wait: to wake an async thread for each takes a core from the job that it interrupts, and back. Where it is known
//! what follows a job, its thread begins that too, and nobody is woken. Signatures that cost less when several are made at
//! once are: a thread that takes the job of one takes those of others that wait.

mod begun;
mod job;
mod work;

use std::{
    collections::VecDeque,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use chancery_keys::{SIGNED_TOGETHER, SigningKey, Together, sign_together};
use tokio::{sync::oneshot, task, time};
use tracing::error;

pub(crate) use self::work::{Signature, Signing, Signs, Work};
use self::{
    begun::begun,
    job::{FirstOf, Job, Leaves, TakenBack, Task, Waiting},
};
use crate::{Error, Limits, Result};

/// Results of brief jobs that leave together: the first one waits for so many jobs less one, some milliseconds.
const TOGETHER: usize = 4;

/// How many of the jobs that wait are looked at for signatures that go together.
const LOOK_MAX: usize = 64;

/// How often a job that nobody waits for looks whether others are done.
const ASIDE_LOOK: Duration = Duration::from_millis(50);

/// The lowest priority that a thread can have.
const NICEST: i32 = 19;

/// As many jobs at a time as there are cores; a bounded number of others waits, a bounded time.
pub(crate) struct Pool {
    queue: Arc<Queue>,
    queue_max: usize,
    wait_max: Duration,
}

impl Pool {
    /// A pool with a slot for every core.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::with_slots(std::thread::available_parallelism().map_or(1, usize::from), limits)
    }

    /// A pool for so many jobs at a time.
    pub(crate) fn with_slots(slots: usize, limits: &Limits) -> Self {
        Self {
            queue: Arc::new(Queue {
                slots,
                group_max: limits.rsa_group_max.min(*SIGNED_TOGETHER.end()),
                waiting: AtomicUsize::new(0),
                jobs: Mutex::default(),
            }),
            queue_max: limits.pool_queue_max,
            wait_max: limits.pool_wait_max,
        }
    }

    /// How many jobs run at a time.
    pub(crate) fn cores(&self) -> usize {
        self.queue.slots
    }

    /// How many signatures with a key are worth being asked for at a time: as many as run, or are made at once.
    pub(crate) fn signs_at_once(&self, key: &SigningKey) -> usize {
        self.queue.slots * key.group().map_or(1, |_| self.queue.group_max).max(1)
    }

    /// Runs a job on a blocking thread. RateLimited when too many wait already, or when this one waited too long.
    /// Once started a job runs to its end, whether or not somebody still waits for its result.
    pub(crate) async fn run<T: Send + 'static>(&self, job: impl Work<Output = T>) -> Result<T> {
        self.run_of(job, Leaves::AtOnce).await
    }

    /// [`run`](Self::run) for a job of a millisecond or two, as a signature is. Where others like it wait, its result may
    /// leave with theirs.
    pub(crate) async fn run_brief<T: Send + 'static>(&self, job: impl Work<Output = T>) -> Result<T> {
        self.run_of(job, Leaves::Together).await
    }

    /// Runs a brief job, and begins on its thread what it answers with: the caller is woken when that says so, and not
    /// before.
    pub(crate) async fn run_then<F>(&self, job: impl Work<Output = F>) -> Result<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (beginning, rest) = begun();
        let place = Place::take(&self.queue, self.queue_max)?;
        let task = FirstOf { place: Some(place), first: Some((job, beginning)) };
        self.outcome(Box::new(task), rest).await?.ok_or_else(no_end)
    }

    async fn run_of<T: Send + 'static>(&self, job: impl Work<Output = T>, leaves: Leaves) -> Result<T> {
        let place = Place::take(&self.queue, self.queue_max)?;
        let (sender, result) = oneshot::channel();
        let task = Task { place: Some(place), job: Some(job), result: None, sender, leaves };
        self.outcome(Box::new(task), result).await?.map_err(|_| no_end())
    }

    /// What becomes of a job, if it begins in time.
    async fn outcome<R: Future + Unpin>(&self, job: Box<dyn Job>, mut outcome: R) -> Result<R::Output> {
        let waiting = Arc::new(Waiting::new(job));
        // Where the caller goes away while it waits, the job is not begun.
        let own = TakenBack(Arc::clone(&waiting));
        self.queue.push(waiting);
        match time::timeout(self.wait_max, &mut outcome).await {
            Ok(outcome) => Ok(outcome),
            Err(_) if own.0.take().is_some() => Err(too_busy()),
            Err(_) => Ok(outcome.await),
        }
    }

    /// Runs a job that nobody waits for. It begins when no other runs or waits, takes no slot, and has the cores only as
    /// far as nothing else wants them; the end of the process does not wait for it.
    pub(crate) async fn run_aside<T, F>(&self, job: F) -> Result<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        while !self.is_idle() {
            time::sleep(ASIDE_LOOK).await;
        }
        let (sender, result) = oneshot::channel();
        let aside = move || {
            // On Linux a thread has a niceness of its own. Where it may not be nice the job runs all the same.
            if let Err(error) = rustix::process::nice(NICEST) {
                tracing::debug!(%error, "a job aside runs at the priority of others");
            }
            // Where nobody is there any more to take it, the result is not needed.
            let _ = sender.send(job());
        };
        thread::Builder::new().name("aside".to_owned()).spawn(aside).map_err(Error::internal)?;
        result.await.map_err(Error::internal)
    }

    fn is_idle(&self) -> bool {
        self.queue.jobs().running == 0 && self.queue.waiting.load(Ordering::Relaxed) == 0
    }
}

fn no_end() -> Error {
    Error::internal("a job of the pool came to no end")
}

fn too_busy() -> Error {
    Error::busy("Too much work is waiting already; try again.", 1)
}

/// The jobs that wait, and how many threads there are that take them.
struct Queue {
    slots: usize,
    /// Signatures that are made at once.
    group_max: usize,
    waiting: AtomicUsize,
    jobs: Mutex<Jobs>,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Arc<Waiting>>,
    running: usize,
}

impl Queue {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        // No code under this lock can leave the jobs half changed.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job, and a thread where there is a slot for one.
    fn push(self: &Arc<Self>, job: Arc<Waiting>) {
        let mut jobs = self.jobs();
        jobs.waiting.push_back(job);
        if jobs.running == self.slots {
            return;
        }
        jobs.running += 1;
        drop(jobs);
        let slot = Slot { queue: Arc::clone(self), is_free: false };
        task::spawn_blocking(move || slot.work());
    }
}

/// The right to run one job at a time. Without a runtime that would use it, it is given back.
struct Slot {
    queue: Arc<Queue>,
    is_free: bool,
}

impl Slot {
    /// Runs jobs until none waits.
    fn work(mut self) {
        let mut done = Vec::new();
        while let Some(waiting) = self.next() {
            let jobs: Vec<_> = waiting.iter().filter_map(|waiting| waiting.take()).collect();
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
    fn next(&mut self) -> Option<Vec<Arc<Waiting>>> {
        let mut jobs = self.queue.jobs();
        let Some(first) = jobs.waiting.pop_front() else {
            jobs.running -= 1;
            self.is_free = true;
            return None;
        };
        let others = jobs.of_group(first.group, self.queue.group_max);
        Some([first].into_iter().chain(others).collect())
    }
}

impl Jobs {
    /// Takes out what signs together with a job of this group, up to so many with it; none where that would gain nothing.
    fn of_group(&mut self, group: Option<usize>, max: usize) -> Vec<Arc<Waiting>> {
        let is_one = |(_, job): &(usize, &Arc<Waiting>)| group.is_some() && job.group == group;
        let places = self.waiting.iter().enumerate().take(LOOK_MAX).filter(is_one).map(|(place, _)| place);
        let places: Vec<_> = places.take(max.saturating_sub(1)).collect();
        if places.len() + 1 < *SIGNED_TOGETHER.start() {
            return Vec::new();
        }
        // From the last one on, so that the places of the others stay theirs.
        let mut others: Vec<_> = places.into_iter().rev().filter_map(|place| self.waiting.remove(place)).collect();
        others.reverse();
        others
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
    // As above.
    let has_ended = catch_unwind(AssertUnwindSafe(|| job.run(signature))).is_ok();
    if has_ended && leaves != Leaves::ByItself {
        done.push(job);
    }
    // Behind a job that sees to itself none may wait: there may be many of those.
    if leaves != Leaves::Together || done.len() == TOGETHER {
        answer(done);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.is_free {
            self.queue.jobs().running -= 1;
        }
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

/// A place in the queue, given back when dropped: when the job begins, or when it is taken back.
struct Place(Arc<Queue>);

impl Place {
    fn take(queue: &Arc<Queue>, max: usize) -> Result<Self> {
        if queue.waiting.fetch_add(1, Ordering::Relaxed) >= max {
            queue.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(too_busy());
        }
        Ok(Self(Arc::clone(queue)))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use chancery_keys::{
        Custodian, Input, KeyRef, KeySpec, Purpose, RootKey, RsaSize, SignError, SignatureScheme, ToSign,
    };
    use chancery_types::{HashType, KeyId};

    use super::*;
    use crate::Meaning;

    /// A job that holds a slot until it is let go.
    fn held(pool: &Arc<Pool>) -> (oneshot::Receiver<()>, mpsc::Sender<()>, task::JoinHandle<Result<()>>) {
        let (started, begun) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let pool = Arc::clone(pool);
        let job = move || {
            started.send(()).unwrap();
            ended.recv().unwrap();
        };
        (begun, end, tokio::spawn(async move { pool.run(job).await }))
    }

    #[tokio::test]
    async fn a_full_queue_refuses_and_recovers() {
        let limits = Limits { pool_queue_max: 1, pool_wait_max: Duration::from_millis(20), ..Limits::default() };
        let pool = Arc::new(Pool::with_slots(1, &limits));
        let (begun, end, job) = held(&pool);
        begun.await.unwrap();
        let (first, second) = tokio::join!(pool.run(|| 1), pool.run(|| 2));
        assert_eq!(first.unwrap_err().meaning(), Meaning::Busy, "waited too long");
        assert_eq!(second.unwrap_err().meaning(), Meaning::Busy, "found the queue full");
        end.send(()).unwrap();
        assert_eq!(pool.run(|| 3).await.unwrap(), 3);
        job.await.unwrap().expect("a job that has begun has all the time that it needs");
    }

    #[tokio::test]
    async fn all_slots_are_used_and_each_job_runs_once() {
        let pool = Arc::new(Pool::with_slots(3, &Limits::default()));
        let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let job = |n: usize| {
            let (inside, most) = (Arc::clone(&inside), Arc::clone(&most));
            pool.run(move || {
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(2));
                inside.fetch_sub(1, Ordering::SeqCst);
                n
            })
        };
        let results = futures::future::join_all((0..64).map(job)).await;
        assert_eq!(results.into_iter().map(Result::unwrap).collect::<Vec<_>>(), (0..64).collect::<Vec<_>>());
        assert_eq!(most.load(Ordering::SeqCst), 3);
        assert_eq!(pool.queue.waiting.load(Ordering::Relaxed), 0);
        while !pool.is_idle() {
            time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[tokio::test]
    async fn a_job_whose_caller_went_away_does_not_begin() {
        let pool = Arc::new(Pool::with_slots(1, &Limits::default()));
        let (begun, end, job) = held(&pool);
        begun.await.unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        let counted = {
            let ran = Arc::clone(&ran);
            move || ran.fetch_add(1, Ordering::SeqCst)
        };
        assert!(time::timeout(Duration::from_millis(5), pool.run(counted)).await.is_err());
        assert_eq!(pool.queue.waiting.load(Ordering::Relaxed), 0, "its place is free at once");
        end.send(()).unwrap();
        job.await.unwrap().unwrap();
        pool.run(|| ()).await.unwrap();
        assert_eq!(ran.load(Ordering::SeqCst), 0);
    }

    #[tokio::test]
    async fn a_panic_takes_no_slot_with_it() {
        let pool = Pool::with_slots(1, &Limits::default());
        for _ in 0..2 {
            assert_eq!(pool.run(|| panic!("as a test")).await.unwrap_err().meaning(), Meaning::Internal);
        }
        assert_eq!(pool.run(|| 1).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn results_of_brief_jobs_leave_together_while_more_of_them_wait() {
        let pool = Arc::new(Pool::with_slots(1, &Limits::default()));
        let (begun, end, job) = held(&pool);
        begun.await.unwrap();
        // As many brief jobs as leave together and one, then one that is not brief and does not end by itself.
        let ended = Arc::new(AtomicUsize::new(0));
        let brief: Vec<_> = (0..=TOGETHER)
            .map(|_| {
                let (pool, ended) = (Arc::clone(&pool), Arc::clone(&ended));
                tokio::spawn(async move {
                    pool.run_brief(|| ()).await.unwrap();
                    ended.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        task::yield_now().await;
        let (last_begun, last_end, last) = held(&pool);
        end.send(()).unwrap();
        job.await.unwrap().unwrap();
        last_begun.await.unwrap();
        // Nobody waits for a job that is not brief.
        for job in brief {
            job.await.unwrap();
        }
        assert_eq!(ended.load(Ordering::SeqCst), TOGETHER + 1);
        last_end.send(()).unwrap();
        last.await.unwrap().unwrap();
        // Without company it leaves at once.
        pool.run_brief(|| ()).await.unwrap();
        // Nor does a panic among them keep the others.
        let (one, bad, other) =
            tokio::join!(pool.run_brief(|| 1), pool.run_brief(|| panic!("as a test")), pool.run_brief(|| 2));
        assert_eq!((one.unwrap(), bad.unwrap_err().meaning(), other.unwrap()), (1, Meaning::Internal, 2));
    }

    #[test]
    fn what_signs_together_is_taken_out_and_the_rest_keeps_its_order() {
        let groups_left = |first: Option<usize>, waiting: &[Option<usize>], max| {
            let job = |group: &Option<usize>| Arc::new(Waiting { group: *group, job: Mutex::new(None) });
            let mut jobs = Jobs { waiting: waiting.iter().map(job).collect(), running: 0 };
            let taken: Vec<_> = jobs.of_group(first, max).iter().map(|job| job.group).collect();
            (taken, jobs.waiting.iter().map(|job| job.group).collect::<Vec<_>>())
        };
        let (a, b) = (Some(2_048), Some(3_072));
        let waiting = [None, a, b, a, a, None, a];
        assert_eq!(groups_left(a, &waiting, 4), (vec![a; 3], vec![None, b, None, a]));
        assert_eq!(groups_left(a, &waiting, 3), (vec![a; 2], vec![None, b, a, None, a]));
        // Too few, not wanted, or of no group.
        for (first, max) in [(b, 4), (a, 2), (a, 1), (a, 0), (None, 4)] {
            assert_eq!(groups_left(first, &waiting, max), (vec![], waiting.to_vec()));
        }
        let mut many = vec![None; LOOK_MAX];
        many.extend([a; 3]);
        assert_eq!(groups_left(a, &many, 4), (vec![], many.clone()), "too far behind");
        assert_eq!(groups_left(a, &many[1..], 4).0, vec![], "one alone");
    }

    /// A message that is to be signed.
    struct Note(Arc<SigningKey>, SignatureScheme, u8);

    impl Signs for Note {
        fn to_sign(&self) -> ToSign<'_> {
            ToSign { key: &self.0, scheme: self.1, input: Input::Message(std::slice::from_ref(&self.2)) }
        }
    }

    #[tokio::test]
    async fn each_signature_of_a_group_comes_to_its_own_caller() {
        let folder = chancery_testkit::temp_dir();
        let custodian = Custodian::new(RootKey::create_file(&folder.path().join("root.key")).unwrap()).unwrap();
        let key = |spec| {
            let reference = KeyRef { id: KeyId::from_u128(1), version: 1, purpose: Purpose::Sign, spec };
            let made = custodian.generate(reference).unwrap();
            let scheme = SignatureScheme::for_key(spec, HashType::Sha2_256, false).unwrap();
            (Arc::new(custodian.open_signing_key(&made.sealed).unwrap()), scheme)
        };
        let keys = [key(KeySpec::Rsa(RsaSize::Bits2048)), key(KeySpec::Rsa(RsaSize::Bits2048))];
        let note = |i: u8| {
            let (key, scheme) = &keys[usize::from(i) % 2];
            Note(Arc::clone(key), *scheme, i)
        };
        for (leaves, group) in [(Leaves::AtOnce, None), (Leaves::Together, keys[0].0.group())] {
            let (sender, _) = oneshot::channel();
            let job = Signing { of: note(0), then: |_, signature: Signature| signature };
            let task = Task { place: None, job: Some(job), result: None, sender, leaves };
            assert_eq!(Waiting::new(Box::new(task)).group, group, "only brief jobs sign together");
        }
        for rsa_group_max in [1, 4] {
            let pool = Arc::new(Pool::with_slots(1, &Limits { rsa_group_max, ..Limits::default() }));
            let expected = if keys[0].0.group().is_some() { rsa_group_max } else { 1 };
            assert_eq!(pool.signs_at_once(&keys[0].0), expected);
            let (begun, end, job) = held(&pool);
            begun.await.unwrap();
            // Of those that wait one panics, one fails, and the caller of one goes away.
            let calls: Vec<_> = (0..11_u8)
                .map(|i| {
                    let (pool, mut note) = (Arc::clone(&pool), note(i));
                    if i == 3 {
                        note.1 = SignatureScheme::for_key(KeySpec::Ed25519, HashType::Sha2_512, false).unwrap();
                    }
                    let then = move |_, signature: Signature| {
                        assert_ne!(i, 2, "as a test");
                        signature
                    };
                    tokio::spawn(async move {
                        match i % 2 {
                            0 => pool.run_brief(Signing { of: note, then }).await,
                            _ => {
                                let then = move |note, signature| futures::future::ready(then(note, signature));
                                pool.run_then(Signing { of: note, then }).await
                            }
                        }
                    })
                })
                .collect();
            while pool.queue.waiting.load(Ordering::Relaxed) < calls.len() {
                task::yield_now().await;
            }
            calls[5].abort();
            while pool.queue.waiting.load(Ordering::Relaxed) == calls.len() {
                task::yield_now().await;
            }
            end.send(()).unwrap();
            job.await.unwrap().unwrap();
            for (i, call) in (0..).zip(calls) {
                match (i, call.await) {
                    (2, answer) => assert_eq!(answer.unwrap().unwrap_err().meaning(), Meaning::Internal),
                    (3, answer) => assert_eq!(answer.unwrap().unwrap(), Err(SignError::WrongKey)),
                    (5, answer) => assert!(answer.unwrap_err().is_cancelled()),
                    // PKCS #1 v1.5 has one signature for a message.
                    (i, answer) => assert_eq!(answer.unwrap().unwrap(), note(i).to_sign().sign(), "{i}"),
                }
            }
        }
    }

    #[tokio::test]
    async fn results_of_brief_jobs_do_not_wait_for_jobs_that_see_to_themselves() {
        let pool = Arc::new(Pool::with_slots(1, &Limits::default()));
        let (begun, end, job) = held(&pool);
        begun.await.unwrap();
        let brief = pool.run_brief(|| 1);
        let (go_on, waits) = mpsc::channel();
        let quick = pool.run_then(|| async { 2 });
        let long = pool.run_then(move || {
            waits.recv().unwrap();
            async { 3 }
        });
        let first = async {
            let first = time::timeout(Duration::from_secs(20), brief).await;
            go_on.send(()).unwrap();
            first.expect("the long one has not ended").unwrap()
        };
        let let_go = async {
            task::yield_now().await;
            end.send(()).unwrap();
        };
        let (first, second, third, ()) = tokio::join!(first, quick, long, let_go);
        assert_eq!((first, second.unwrap(), third.unwrap()), (1, 2, 3));
        job.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn what_follows_a_job_is_begun_on_its_thread_and_ended_by_the_caller() {
        let pool = Arc::new(Pool::with_slots(1, &Limits::default()));
        let (sender, receiver) = oneshot::channel();
        let (begun_on, thread) = mpsc::channel();
        let rest = pool.run_then(move || {
            let begins = thread::current().id();
            async move {
                begun_on.send((begins, thread::current().id())).unwrap();
                (receiver.await, thread::current().id())
            }
        });
        let (ended, ()) = tokio::join!(rest, async {
            // A slot is free as soon as the rest waits.
            pool.run(|| ()).await.unwrap();
            sender.send(5).unwrap();
        });
        let (job, first) = thread.recv().unwrap();
        assert_eq!(job, first);
        assert_eq!(ended.unwrap(), (Ok(5), thread::current().id()));
        let panicked = pool.run_then(|| -> futures::future::Ready<()> { panic!("as a test") }).await;
        assert_eq!(panicked.unwrap_err().meaning(), Meaning::Internal);
        assert_eq!(pool.run_then(|| async { 6 }).await.unwrap(), 6);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_begins_when_all_others_are_done_and_is_in_nobodys_way() {
        let pool = Arc::new(Pool::with_slots(1, &Limits::default()));
        let (one_begun, one_end, _one) = held(&pool);
        one_begun.await.unwrap();
        let (started, mut begun) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let aside = tokio::spawn({
            let pool = Arc::clone(&pool);
            async move {
                pool.run_aside(move || {
                    started.send(()).unwrap();
                    ended.recv().unwrap()
                })
                .await
            }
        });
        time::sleep(4 * ASIDE_LOOK).await;
        assert!(begun.try_recv().is_err(), "another job runs");
        one_end.send(()).unwrap();
        begun.await.unwrap();
        assert_eq!(pool.run(|| 1).await.unwrap(), 1, "it takes no slot");
        end.send(2).unwrap();
        assert_eq!(aside.await.unwrap().unwrap(), 2);
    }
}
