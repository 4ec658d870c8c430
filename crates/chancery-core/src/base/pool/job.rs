//! Jobs as the queue holds them, without their types.

use chancery_keys::ToSign;
use tokio::sync::oneshot;

use super::{
    hand_off::Beginning,
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
    /// Which others it signs together with. What is not brief has much to hash, which several cores do better than one after
    /// the other.
    fn group(&self) -> Option<usize> {
        let brief = (self.leaves() != Leaves::AtOnce).then(|| self.to_sign()).flatten();
        brief.and_then(|to_sign| to_sign.key.group())
    }
    /// Runs it; it is called once. Without the signature that it needs, it makes that itself.
    fn run(&mut self, signature: Option<Signature>);
    /// Hands the result over.
    fn answer(self: Box<Self>);
}

/// A job with its types.
pub(super) struct Task<W: Work> {
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
        if let Some((job, beginning)) = self.first.take() {
            beginning.begin(job.run(signature));
        }
    }

    fn answer(self: Box<Self>) {}
}
