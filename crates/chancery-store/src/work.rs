//! One piece of work and the caller who waits for it.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::{StoreError, Tx};

/// How long a work may take: it holds up all others behind it.
pub(crate) const WORK_TIME: Duration = Duration::from_secs(10);

/// What becomes of what the work wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Keep,
    Undo,
}

/// A work without its types, as the queue holds it.
pub(crate) trait Job: Send {
    /// Runs it on this thread; it is called once.
    fn run(&mut self, tx: &mut Tx) -> Verdict;
    /// Whether nobody waits for the answer any more.
    fn is_abandoned(&self) -> bool;
    /// Answers: the work's own result when the transaction ended well, else the failure.
    fn answer(self: Box<Self>, ended: Result<(), StoreError>);
}

/// A work with its types.
pub(crate) struct Work<W, T, E> {
    work: Option<W>,
    result: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<W, T, E> Work<W, T, E> {
    pub(crate) fn new(work: W) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (caller, answer) = oneshot::channel();
        (Work { work: Some(work), result: None, caller }, answer)
    }
}

impl<W, T, E> Job for Work<W, T, E>
where
    W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, tx: &mut Tx) -> Verdict {
        let result = match self.work.take() {
            Some(work) => perform_here(work, tx),
            None => Err(StoreError::Internal("a work ran twice".into()).into()),
        };
        let verdict = if result.is_ok() { Verdict::Keep } else { Verdict::Undo };
        self.result = Some(result);
        verdict
    }

    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn answer(self: Box<Self>, ended: Result<(), StoreError>) {
        let result = match (ended, self.result) {
            (Err(failure), _) => Err(failure.into()),
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(StoreError::Internal("a work was answered before it ran".into()).into()),
        };
        // A caller who went away meanwhile is no failure: the work is complete.
        let _ = self.caller.send(result);
    }
}

/// Runs a work within its time; a panic becomes an error.
pub(crate) async fn perform<W, T, E>(work: W, tx: &mut Tx) -> Result<T, E>
where
    W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>>,
    E: From<StoreError>,
{
    tokio::time::timeout(WORK_TIME, caught(work, tx)).await.unwrap_or_else(|_| Err(too_late().into()))
}

/// [`perform`] on this thread, which may wait.
pub(crate) fn perform_here<W, T, E>(work: W, tx: &mut Tx) -> Result<T, E>
where
    W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>>,
    E: From<StoreError>,
{
    wait(caught(work, tx), WORK_TIME).unwrap_or_else(|| Err(too_late().into()))
}

async fn caught<W, T, E>(work: W, tx: &mut Tx) -> Result<T, E>
where
    W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>>,
    E: From<StoreError>,
{
    let result = match AssertUnwindSafe(async { work(tx).await }).catch_unwind().await {
        Ok(result) => result?,
        Err(panic) => return Err(panicked(panic.as_ref()).into()),
    };
    if tx.has_failed() {
        return Err(StoreError::Internal("a work went on after a statement that failed".into()).into());
    }
    tx.end_work()?;
    Ok(result)
}

fn too_late() -> StoreError {
    StoreError::Unavailable("the work did not end in time".into())
}

fn panicked(panic: &(dyn Any + Send)) -> StoreError {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    StoreError::Internal(format!("a work panicked: {}", text.unwrap_or("without a text")))
}

/// What the future comes to, if it does so in time. Statements on SQLite run while it is polled, so most works are done
/// at the first look.
pub(crate) fn wait<F: Future>(future: F, time: Duration) -> Option<F::Output> {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
    let started = Instant::now();
    loop {
        if let Poll::Ready(outcome) = future.as_mut().poll(&mut context) {
            return Some(outcome);
        }
        thread::park_timeout(time.checked_sub(started.elapsed())?);
    }
}
