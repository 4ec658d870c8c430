//! The time that the head of a request may take, without a timer for each request.
//!
//! hyper asks for a timer whenever it begins to wait for a head. One of the runtime's would be entered into a table that
//! all threads share, and taken out of it again, for every request. These are moments that hyper compares with the clock
//! when its connection is polled; `drive` polls each connection often enough.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};

/// Makes moments for hyper.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeadTimer;

/// A moment that nobody is woken at.
struct Moment(Instant);

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Moment(deadline))
    }
}

impl Sleep for Moment {}

impl Future for Moment {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if Instant::now() < self.0 { Poll::Pending } else { Poll::Ready(()) }
    }
}
