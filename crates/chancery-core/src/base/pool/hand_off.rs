//! A future that a thread of the pool begins, and whoever waits for it ends.
//!
//! What follows a job is often short and then waits for something else, as the store's writer. Were the waiting task woken
//! when the job is done, only to go to sleep again, an async thread would be woken for each job, and would take a core from
//! the next one.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

/// How far it is.
enum Stage<F: Future> {
    /// Not begun; who waits for it.
    Ahead(Option<Waker>),
    /// It waits itself.
    Begun(Pin<Box<F>>),
    Ended(F::Output),
    /// It will never begin.
    Gone,
}

type Shared<F> = Arc<Mutex<Stage<F>>>;

fn stage<F: Future>(shared: &Shared<F>) -> MutexGuard<'_, Stage<F>> {
    // No code under this lock can leave it half changed.
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Both halves.
pub(super) fn hand_off<F: Future>() -> (Beginning<F>, Rest<F>) {
    let shared = Arc::new(Mutex::new(Stage::Ahead(None)));
    (Beginning { shared: Arc::clone(&shared), waiter: None }, Rest(shared))
}

/// The half of the thread that begins it. Where this is dropped before, also by a panic, the other half learns so.
pub(super) struct Beginning<F: Future> {
    shared: Shared<F>,
    /// Who waits to hear of the first look at the future, but from the future itself if that goes on waiting.
    waiter: Option<Waker>,
}

impl<F: Future> Beginning<F> {
    /// Polls the future once, in the name of whoever waits.
    pub(super) fn begin(mut self, future: F) {
        if let Stage::Ahead(waiter) = &mut *stage(&self.shared) {
            self.waiter = waiter.take();
        }
        let waker = self.waiter.clone().unwrap_or_else(|| Waker::noop().clone());
        let mut future = Box::pin(future);
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Pending => {
                self.waiter = None;
                self.set(Stage::Begun(future));
            }
            Poll::Ready(output) => self.set(Stage::Ended(output)),
        }
    }

    /// Wakes the waiter, and one who has looked in between, perhaps since the future woke it already.
    fn set(&mut self, new: Stage<F>) {
        let before = std::mem::replace(&mut *stage(&self.shared), new);
        let looked = match before {
            Stage::Ahead(looked) => looked,
            Stage::Begun(_) | Stage::Ended(_) | Stage::Gone => None,
        };
        looked.into_iter().chain(self.waiter.take()).for_each(Waker::wake);
    }
}

impl<F: Future> Drop for Beginning<F> {
    fn drop(&mut self) {
        let is_ahead = matches!(*stage(&self.shared), Stage::Ahead(_));
        if is_ahead {
            self.set(Stage::Gone);
        }
    }
}

/// The half of the task that waits: the future itself as soon as it is begun. None where it never was.
pub(super) struct Rest<F: Future>(Shared<F>);

impl<F: Future> Future for Rest<F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut stage = stage(&self.0);
        match std::mem::replace(&mut *stage, Stage::Gone) {
            Stage::Ahead(_) => *stage = Stage::Ahead(Some(cx.waker().clone())),
            Stage::Begun(mut future) => match future.as_mut().poll(cx) {
                Poll::Ready(output) => return Poll::Ready(Some(output)),
                Poll::Pending => *stage = Stage::Begun(future),
            },
            Stage::Ended(output) => return Poll::Ready(Some(output)),
            Stage::Gone => return Poll::Ready(None),
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::{future, thread, time::Duration};

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn what_is_begun_elsewhere_ends_here_whoever_is_faster() {
        for delay_us in [0, 1, 10, 100, 1_000] {
            for _ in 0..50 {
                let (beginning, rest) = hand_off();
                let (sender, receiver) = oneshot::channel();
                let pause = Duration::from_micros(delay_us);
                let begins = thread::spawn(move || {
                    thread::sleep(pause);
                    beginning.begin(receiver);
                });
                let ends = thread::spawn(move || sender.send(7).unwrap());
                assert_eq!(tokio::time::timeout(Duration::from_secs(20), rest).await.unwrap(), Some(Ok(7)));
                begins.join().unwrap();
                ends.join().unwrap();
            }
        }
    }

    #[tokio::test]
    async fn a_wake_between_the_first_look_and_its_end_is_not_lost() {
        let (beginning, rest) = hand_off();
        let (looked, has_looked) = oneshot::channel();
        let mut rest = Box::pin(rest);
        assert!(future::poll_fn(|cx| Poll::Ready(rest.as_mut().poll(cx).is_pending())).await);
        let waits = tokio::spawn(rest);
        // The future wakes its waiter at its first look, and ends at the second.
        let mut looks = 0;
        let mut told = Some(looked);
        thread::spawn(move || {
            beginning.begin(future::poll_fn(move |cx| {
                looks += 1;
                if looks == 2 {
                    return Poll::Ready(looks);
                }
                cx.waker().wake_by_ref();
                let _ = told.take().map(|told| told.send(()));
                // For as long as the woken one may need to look, and to find nothing yet.
                thread::sleep(Duration::from_millis(20));
                Poll::Pending
            }));
        });
        has_looked.await.unwrap();
        assert_eq!(tokio::time::timeout(Duration::from_secs(20), waits).await.unwrap().unwrap(), Some(2));
    }

    #[tokio::test]
    async fn what_is_ready_at_once_or_never_begun_is_told() {
        let (beginning, rest) = hand_off();
        beginning.begin(future::ready(1));
        assert_eq!(rest.await, Some(1));
        let (beginning, rest) = hand_off::<future::Ready<u8>>();
        let waits = tokio::spawn(rest);
        tokio::task::yield_now().await;
        drop(beginning);
        assert_eq!(waits.await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_panic_at_the_first_look_is_told_to_who_waits() {
        let (beginning, rest) = hand_off::<future::PollFn<fn(&mut Context<'_>) -> Poll<u8>>>();
        let waits = tokio::spawn(rest);
        tokio::task::yield_now().await;
        let begins = thread::spawn(move || beginning.begin(future::poll_fn(|_| panic!("as a test"))));
        assert_eq!(tokio::time::timeout(Duration::from_secs(20), waits).await.unwrap().unwrap(), None);
        assert!(begins.join().is_err());
    }

    #[tokio::test]
    async fn where_nobody_waits_any_more_the_future_is_dropped() {
        let (beginning, rest) = hand_off();
        drop(rest);
        let (sender, receiver) = oneshot::channel::<()>();
        beginning.begin(receiver);
        assert!(sender.is_closed());
    }
}
