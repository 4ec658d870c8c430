//! One piece of work and the caller who waits for it.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use crate::{StoreError, Tx};

/// How long a work may take: it holds up all others behind it.
const WORK_TIME: Duration = Duration::from_secs(10);

/// What becomes of what the work wrote.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Keep,
    Undo,
}

/// A work without its types, as the queue holds it.
pub(crate) trait Job: Send {
    /// Runs it; it is called once.
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Verdict>;
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
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> BoxFuture<'t, Verdict> {
        let work = self.work.take();
        Box::pin(async move {
            let result = match work {
                Some(work) => perform(work, tx).await,
                None => Err(StoreError::Internal("a work ran twice".into()).into()),
            };
            let verdict = if result.is_ok() { Verdict::Keep } else { Verdict::Undo };
            self.result = Some(result);
            verdict
        })
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
    let run = AssertUnwindSafe(async { work(tx).await }).catch_unwind();
    let result = match tokio::time::timeout(WORK_TIME, run).await {
        Ok(Ok(result)) => result?,
        Ok(Err(panic)) => return Err(panicked(panic.as_ref()).into()),
        Err(_) => return Err(StoreError::Unavailable("the work did not end in time".into()).into()),
    };
    if tx.has_failed() {
        return Err(StoreError::Internal("a work went on after a statement that failed".into()).into());
    }
    Ok(result)
}

fn panicked(panic: &(dyn Any + Send)) -> StoreError {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    StoreError::Internal(format!("a work panicked: {}", text.unwrap_or("without a text")))
}
