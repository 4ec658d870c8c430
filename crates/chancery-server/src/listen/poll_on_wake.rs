//! A future that is polled only when it was woken itself.
//!
//! A task that waits for two things polls both whenever either has happened. Where one happens with every call and the
//! other every few seconds, the rare one costs each call a look, and its lock travels from core to core.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// Something that seldom happens.
pub(super) struct PollOnWake<F> {
    future: Pin<Box<F>>,
    alarm: Option<(Arc<Alarm>, Waker)>,
}

/// Remembers whether it was rung, and wakes the task.
struct Alarm {
    rung: AtomicBool,
    task: Waker,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

impl<F: Future> PollOnWake<F> {
    pub(super) fn new(future: F) -> Self {
        Self { future: Box::pin(future), alarm: None }
    }
}

impl<F: Future> Future for PollOnWake<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, alarm } = &mut *self;
        // At first, and when another task has taken over, the future has to learn whom to wake.
        let known = alarm.take().filter(|(alarm, _)| alarm.task.will_wake(context.waker()));
        let (alarm, waker) = alarm.insert(known.unwrap_or_else(|| {
            let alarm = Arc::new(Alarm { rung: AtomicBool::new(true), task: context.waker().clone() });
            (Arc::clone(&alarm), Waker::from(alarm))
        }));
        if !alarm.rung.load(Ordering::Relaxed) || !alarm.rung.swap(false, Ordering::Acquire) {
            return Poll::Pending;
        }
        future.as_mut().poll(&mut Context::from_waker(waker))
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, pin::pin, sync::Mutex, task::Waker};

    use super::*;

    #[tokio::test]
    async fn it_is_polled_at_first_and_when_it_was_woken() {
        let (polls, wake_filter) = (Mutex::new(0), Mutex::new(None::<Waker>));
        let polled = poll_fn(|context| {
            *polls.lock().unwrap() += 1;
            *wake_filter.lock().unwrap() = Some(context.waker().clone());
            if *polls.lock().unwrap() < 3 { Poll::Pending } else { Poll::Ready("done") }
        });
        let mut on_wake = pin!(PollOnWake::new(polled));
        let poll = poll_fn(|context| Poll::Ready(on_wake.as_mut().poll(context)));
        let mut poll = pin!(poll);
        let mut next = async || poll.as_mut().await;
        assert_eq!((next().await, next().await, *polls.lock().unwrap()), (Poll::Pending, Poll::Pending, 1));
        wake_filter.lock().unwrap().as_ref().unwrap().wake_by_ref();
        assert_eq!((next().await, next().await, *polls.lock().unwrap()), (Poll::Pending, Poll::Pending, 2));
        let woken = wake_filter.lock().unwrap().take().unwrap();
        std::thread::spawn(move || woken.wake()).join().unwrap();
        assert_eq!((next().await, *polls.lock().unwrap()), (Poll::Ready("done"), 3));
    }
}
