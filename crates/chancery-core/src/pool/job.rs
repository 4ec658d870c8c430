//! Jobs as the queue holds them, without their types.

use std::sync::{Arc, Mutex, PoisonError};

use chancery_keys::ToSign;
use tokio::sync::oneshot;

use super::{
    Place,
    begun::Beginning,
    work::{Signature, Work},
};

/// How a job's result gets to whoever waits for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    AtOnce,
    /// With those of others, since the jobs take a millisecond or two.
    Together,
    /// The job sees to that.
    ByItself,
}

/// A job without its types, as the queue holds it.
pub(super) trait Job: Send {
    fn leaves(&self) -> Leaves;
    /// The signature that it needs, if it is made with one.
    fn to_sign(&self) -> Option<ToSign<'_>>;
    /// Runs it; it is called once. Without the signature that it needs, it makes that itself.
    fn run(&mut self, signature: Option<Signature>);
    /// Hands the result over.
    fn answer(self: Box<Self>);
}

/// A job with its types.
pub(super) struct Task<W: Work> {
    pub(super) place: Option<Place>,
    pub(super) job: Option<W>,
    pub(super) result: Option<W::Output>,
    pub(super) sender: oneshot::Sender<W::Output>,
    pub(super) leaves: Leaves,
}

impl<W: Work> Job for Task<W> {
    fn leaves(&self) -> Leaves {
        self.leaves
    }

    fn to_sign(&self) -> Option<ToSign<'_>> {
        self.job.as_ref()?.to_sign()
    }

    fn run(&mut self, signature: Option<Signature>) {
        self.place = None;
        self.result = self.job.take().map(|job| job.run(signature));
    }

    fn answer(self: Box<Self>) {
        if let Some(result) = self.result {
            // Where nobody is there any more to take it, the result is not needed.
            let _ = self.sender.send(result);
        }
    }
}

/// A job, and what it answers with is begun.
pub(super) struct FirstOf<W: Work<Output: Future>> {
    pub(super) place: Option<Place>,
    pub(super) first: Option<(W, Beginning<W::Output>)>,
}

impl<W: Work<Output: Future<Output: Send>>> Job for FirstOf<W> {
    fn leaves(&self) -> Leaves {
        Leaves::ByItself
    }

    fn to_sign(&self) -> Option<ToSign<'_>> {
        let (job, _) = self.first.as_ref()?;
        job.to_sign()
    }

    fn run(&mut self, signature: Option<Signature>) {
        self.place = None;
        if let Some((job, beginning)) = self.first.take() {
            beginning.begin(job.run(signature));
        }
    }

    fn answer(self: Box<Self>) {}
}

/// A job that has not begun: either a thread of the pool takes it, or its caller takes it back.
pub(super) struct Waiting {
    /// Which others it signs together with.
    pub(super) group: Option<usize>,
    pub(super) job: Mutex<Option<Box<dyn Job>>>,
}

impl Waiting {
    pub(super) fn new(job: Box<dyn Job>) -> Self {
        // What is not brief has much to hash, which several cores do better than one after the other.
        let brief = Some(&job).filter(|job| job.leaves() != Leaves::AtOnce);
        let group = brief.and_then(|job| job.to_sign()).and_then(|to_sign| to_sign.key.group());
        Self { group, job: Mutex::new(Some(job)) }
    }

    pub(super) fn take(&self) -> Option<Box<dyn Job>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Takes a job back when dropped, where it has not begun.
pub(super) struct TakenBack(pub(super) Arc<Waiting>);

impl Drop for TakenBack {
    fn drop(&mut self) {
        drop(self.0.take());
    }
}
