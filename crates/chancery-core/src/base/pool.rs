//! The bounded pool: what would hold an async thread (RSA, Argon2, key generation, large batches) runs here.
//!
//! A thread that has ended a job takes the next one by itself: where jobs wait, no async thread has to be woken between
//! two of them, and none of the pool's goes to sleep. The results of brief jobs leave several at a time, as long as more of
//! them wait: to wake an async thread for each takes a core from the job that it interrupts, and back. Where it is known
//! what follows a job, its thread begins that too, and nobody is woken. Signatures that cost less when several are made at
//! once are: a thread that takes the job of one takes those of others that wait.
//!
//! Signatures come from custody alone (`custody/software.rs`); everybody else only has something computed ([`Pool::run`]).
//!
//! The jobs of each caller wait in a line of their own, and the lines take turns (`queue`, `party`): nobody's flood is
//! another's wait. Passwords have a pool to themselves ([`Pool::for_passwords`]), and so have new keys
//! ([`Pool::for_new_keys`]).

mod hand_off;
mod job;
mod party;
mod queue;
mod slot;
mod work;

use std::{sync::Arc, thread, time::Duration};

use chancery_keys::{SIGNED_TOGETHER, SigningKey};
use tokio::{sync::oneshot, time};

use self::{
    hand_off::hand_off,
    job::{FirstOf, Job, Leaves, Task},
    queue::Queue,
};
use crate::{Error, Limits, Result};

pub use self::party::{OnBehalf, Party};
pub(crate) use self::{
    party::is_of,
    work::{Signature, Work},
};

/// How often a job that nobody waits for looks whether others are done.
const ASIDE_LOOK: Duration = Duration::from_millis(50);

/// The lowest priority that a thread can have.
const NICEST: i32 = 19;

/// Passwords and new keys leave the cores to signatures and tokens where both want them, and still get a quarter of one.
const PASSWORDS_NICENESS: i32 = 5;

/// One password is checked at a time for so many cores: each check takes 19 MiB, and the bandwidth of memory.
const CORES_OF_A_PASSWORD: usize = 4;

/// As many jobs at a time as there are cores; a bounded number of others waits, a bounded time.
pub(crate) struct Pool {
    queue: Arc<Queue>,
    wait_max: Duration,
}

/// What is different from one pool to another.
struct Kind {
    /// Jobs that run at a time.
    slots: usize,
    /// Jobs that may wait.
    queue_max: usize,
    /// Jobs of one party that may wait, where there is room for more.
    party_max: usize,
    /// Signatures that are made at once.
    group_max: usize,
    /// The name and the niceness of its threads, where they are its own.
    niceness: Option<(&'static str, i32)>,
}

impl Pool {
    /// A pool with a slot for every core.
    pub(crate) fn new(limits: &Limits) -> Self {
        Self::with_slots(cores(), limits)
    }

    /// A pool for so many jobs at a time.
    pub(crate) fn with_slots(slots: usize, limits: &Limits) -> Self {
        let group_max = limits.rsa_group_max.min(*SIGNED_TOGETHER.end());
        let queue_max = limits.pool_queue_max;
        Self::of(Kind { slots, queue_max, party_max: queue_max, group_max, niceness: None }, limits)
    }

    /// A pool for passwords alone: whoever tries many keeps neither signatures and tokens waiting, nor the logins of others
    /// elsewhere.
    pub(crate) fn for_passwords(limits: &Limits) -> Self {
        let kind = Kind {
            slots: cores().div_ceil(CORES_OF_A_PASSWORD),
            queue_max: limits.password_queue_max,
            party_max: limits.passwords_per_source_max,
            group_max: 1,
            niceness: Some(("passwords", PASSWORDS_NICENESS)),
        };
        Self::of(kind, limits)
    }

    /// A pool for new RSA keys alone, each of which takes up to seconds: they have half of the cores, so that whoever asks for
    /// many keeps nobody's signatures waiting.
    pub(crate) fn for_new_keys(limits: &Limits) -> Self {
        let queue_max = limits.pool_queue_max;
        let kind = Kind {
            slots: cores().div_ceil(2),
            queue_max,
            party_max: queue_max,
            group_max: 1,
            niceness: Some(("keys", PASSWORDS_NICENESS)),
        };
        Self::of(kind, limits)
    }

    fn of(kind: Kind, limits: &Limits) -> Self {
        Self { queue: Arc::new(Queue::new(kind)), wait_max: limits.pool_wait_max }
    }

    /// How many jobs run at a time.
    pub(crate) fn cores(&self) -> usize {
        self.queue.kind.slots
    }

    /// How many signatures with a key are worth being asked for at a time: as many as run, or are made at once.
    pub(crate) fn signs_at_once(&self, key: &SigningKey) -> usize {
        self.cores() * key.group().map_or(1, |_| self.queue.kind.group_max).max(1)
    }

    /// Runs a job on a blocking thread. RateLimited when too many wait already, or when this one waited too long.
    /// Once started a job runs to its end, whether or not somebody still waits for its result.
    pub(crate) async fn run<T: Send + 'static>(&self, job: impl Work<Output = T>) -> Result<T> {
        self.run_of(Party::present(), job, Leaves::AtOnce).await
    }

    /// [`run`](Self::run) in the turns of a party that is known otherwise.
    pub(crate) async fn run_for<T: Send + 'static>(&self, party: Party, job: impl Work<Output = T>) -> Result<T> {
        self.run_of(party, job, Leaves::AtOnce).await
    }

    /// [`run`](Self::run) for a job of a millisecond or two, as a signature is. Where others like it wait, its result may
    /// leave with theirs.
    pub(crate) async fn run_brief<T: Send + 'static>(&self, job: impl Work<Output = T>) -> Result<T> {
        self.run_of(Party::present(), job, Leaves::Together).await
    }

    /// Runs a brief job, and begins on its thread what it answers with: the caller is woken when that says so, and not
    /// before.
    pub(crate) async fn run_then<F>(&self, job: impl Work<Output = F>) -> Result<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (beginning, rest) = hand_off();
        let task = FirstOf { first: Some((job, beginning)) };
        self.outcome(Party::present(), Box::new(task), rest).await?.ok_or_else(no_end)
    }

    async fn run_of<T: Send + 'static>(&self, party: Party, job: impl Work<Output = T>, leaves: Leaves) -> Result<T> {
        let (sender, result) = oneshot::channel();
        let task = Task { job: Some(job), result: None, sender, leaves };
        self.outcome(party, Box::new(task), result).await?.map_err(|_| no_end())
    }

    /// What becomes of a job, if it begins in time. Where the caller goes away while it waits, it is not begun.
    async fn outcome<R: Future + Unpin>(&self, party: Party, job: Box<dyn Job>, mut outcome: R) -> Result<R::Output> {
        let mut ticket = self.queue.push(party, job)?;
        if let Ok(outcome) = time::timeout(self.wait_max, &mut outcome).await {
            ticket.close();
            return Ok(outcome);
        }
        if ticket.take_back() { Err(too_busy()) } else { Ok(outcome.await) }
    }

    /// Runs a job that nobody waits for. It begins when no other runs or waits, takes no slot, and has the cores only as
    /// far as nothing else wants them; the end of the process does not wait for it.
    pub(crate) async fn run_aside<T, F>(&self, job: F) -> Result<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        while !self.queue.is_idle() {
            time::sleep(ASIDE_LOOK).await;
        }
        let (sender, result) = oneshot::channel();
        let aside = move || {
            be_nice(NICEST);
            // Where nobody is there any more to take it, the result is not needed.
            let _ = sender.send(job());
        };
        thread::Builder::new().name("aside".to_owned()).spawn(aside).map_err(Error::internal)?;
        result.await.map_err(Error::internal)
    }
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Lets others go first, from here on. On Linux a thread has a niceness of its own; where it may not be nice, it works all
/// the same.
pub(crate) fn be_nice(niceness: i32) {
    if let Err(error) = rustix::process::nice(niceness) {
        tracing::debug!(%error, "a thread runs at the priority of others");
    }
}

fn no_end() -> Error {
    Error::internal("a job of the pool came to no end")
}

fn too_busy() -> Error {
    Error::busy("Too much work is waiting already; try again.", 1)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        time::Instant,
    };

    use chancery_keys::{
        Custodian, Input, KeyRef, KeySpec, Purpose, RootKey, RsaBatch, RsaSize, SignError, SignatureScheme, ToSign,
    };
    use chancery_types::{HashType, KeyId};

    use tokio::task;

    use super::{slot::TOGETHER, *};
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
        let ended = Instant::now();
        // Its thread may need longer to go on than a job may wait.
        let third = loop {
            match pool.run(|| 3).await {
                Err(refusal) if refusal.meaning() == Meaning::Busy && ended.elapsed().as_secs() < 30 => {}
                outcome => break outcome,
            }
        };
        assert_eq!(third.unwrap(), 3);
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
        assert_eq!(pool.queue.waiting(), 0);
        while !pool.queue.is_idle() {
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
        assert_eq!(pool.queue.waiting(), 0, "its place is free at once");
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

    /// A message that is to be signed.
    struct Note(Arc<SigningKey>, SignatureScheme, u8);

    impl Note {
        fn to_sign(&self) -> ToSign<'_> {
            ToSign { key: &self.0, scheme: self.1, input: Input::Message(std::slice::from_ref(&self.2)) }
        }
    }

    /// Its signature, and what is done with it.
    struct Signing<F> {
        of: Note,
        then: F,
    }

    impl<T: Send + 'static, F: FnOnce(Note, Signature) -> T + Send + 'static> Work for Signing<F> {
        type Output = T;

        fn to_sign(&self) -> Option<ToSign<'_>> {
            Some(self.of.to_sign())
        }

        fn run(self, signature: Option<Signature>) -> T {
            let signature = signature.unwrap_or_else(|| self.of.to_sign().sign());
            (self.then)(self.of, signature)
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
            (Arc::new(custodian.open_signing_key(&made.sealed, RsaBatch::Allowed).unwrap()), scheme)
        };
        let keys = [key(KeySpec::Rsa(RsaSize::Bits2048)), key(KeySpec::Rsa(RsaSize::Bits2048))];
        let note = |i: u8| {
            let (key, scheme) = &keys[usize::from(i) % 2];
            Note(Arc::clone(key), *scheme, i)
        };
        for (leaves, group) in [(Leaves::AtOnce, None), (Leaves::Together, keys[0].0.group())] {
            let (sender, _) = oneshot::channel();
            let job = Signing { of: note(0), then: |_, signature: Signature| signature };
            let task = Task { job: Some(job), result: None, sender, leaves };
            assert_eq!(task.group(), group, "only brief jobs sign together");
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
            while pool.queue.waiting() < calls.len() {
                task::yield_now().await;
            }
            calls[5].abort();
            while pool.queue.waiting() == calls.len() {
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
