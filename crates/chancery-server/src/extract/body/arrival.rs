//! The time that a body may take, by the rate at which it comes.

use std::{
    future::poll_fn,
    pin::pin,
    sync::atomic::{AtomicUsize, Ordering},
    task::Poll,
    time::{Duration, Instant},
};

use axum::{
    BoxError,
    body::{Bytes, HttpBody},
};
use chancery_core::{BodyLimits, Error, Meaning};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::time;

use super::too_large;

/// A timer that is later than this was not looked at: the process was stopped, or its machine was.
const STOOD_STILL: Duration = Duration::from_secs(2);

/// A body that counts its bytes as they arrive, and has no more than it may.
pub(super) struct Arriving<'a, B> {
    body: Limited<B>,
    max: usize,
    arrived: &'a AtomicUsize,
}

impl<'a, B> Arriving<'a, B>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    pub(super) fn new(body: B, max: usize, arrived: &'a AtomicUsize) -> Self {
        Self { body: Limited::new(body, max), max, arrived }
    }

    /// The next bytes, if any are still to come; trailers are none.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(frame) = self.body.frame().await else { return Ok(None) };
        let data = frame.map_err(|error| broken(&*error, self.max))?.into_data().unwrap_or_default();
        self.arrived.fetch_add(data.len(), Ordering::Relaxed);
        Ok(Some(data))
    }

    pub(super) fn has_ended(&self) -> bool {
        self.body.is_end_stream()
    }

    /// How many bytes are still to come at least.
    pub(super) fn rest_min(&self) -> usize {
        self.body.size_hint().lower().try_into().unwrap_or(usize::MAX)
    }
}

/// Waits for a body as long as it comes fast enough: whole within the first span of [`BodyLimits::body_wait_max`], or else
/// with so many bytes in each that it keeps [`BodyLimits::body_rate_min`]. Most bodies are there with their heads, and need no
/// timer. While this process stood still nobody was too slow: what was sent meanwhile is there, and was not looked at.
pub(super) async fn patiently<T>(
    received: impl Future<Output = Result<T, Error>>,
    arrived: &AtomicUsize,
    limits: &BodyLimits,
) -> Result<T, Error> {
    let mut received = pin!(received);
    if let Poll::Ready(received) = poll_fn(|context| Poll::Ready(received.as_mut().poll(context))).await {
        return received;
    }
    let span = limits.body_wait_max;
    let enough = (limits.body_rate_min as u128 * span.as_millis() / 1_000).try_into().unwrap_or(usize::MAX);
    let waited = async {
        let mut before = 0;
        loop {
            let begun = Instant::now();
            if let Ok(received) = time::timeout(span, received.as_mut()).await {
                return received;
            }
            if begun.elapsed() > span + STOOD_STILL {
                continue;
            }
            let now = arrived.load(Ordering::Relaxed);
            if now - before < enough {
                return Err(Error::new(Meaning::Malformed, "The body did not arrive in time."));
            }
            before = now;
        }
    };
    Box::pin(waited).await
}

fn broken(error: &(dyn std::error::Error + Send + Sync + 'static), max: usize) -> Error {
    if error.is::<LengthLimitError>() {
        too_large(max)
    } else {
        Error::new(Meaning::Malformed, "The body did not arrive in full.")
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use futures::{StreamExt as _, stream};

    use super::*;

    /// A body of pieces of this many bytes, one every 20 ms.
    async fn received(piece: usize, pieces: usize) -> Result<usize, Error> {
        let body = stream::iter(0..pieces).then(move |_| async move {
            time::sleep(Duration::from_millis(20)).await;
            Ok::<_, std::io::Error>(vec![b' '; piece])
        });
        let limits =
            BodyLimits { body_wait_max: Duration::from_millis(200), body_rate_min: 10_000, ..BodyLimits::default() };
        let arrived = AtomicUsize::new(0);
        let mut body = Arriving::new(Body::from_stream(body), 1 << 30, &arrived);
        let all = async {
            let mut all = 0;
            while let Some(data) = body.next().await? {
                all += data.len();
            }
            Ok(all)
        };
        patiently(all, &arrived, &limits).await
    }

    #[tokio::test]
    async fn what_came_while_the_process_stood_still_is_in_time() {
        let limits = BodyLimits { body_wait_max: Duration::from_millis(300), ..BodyLimits::default() };
        let begun = Instant::now();
        // It comes late and at once behind the timer; the thread is not there to see either in time.
        let late = async {
            time::sleep(Duration::from_millis(100)).await;
            std::thread::sleep(STOOD_STILL + Duration::from_millis(500));
            time::sleep(Duration::from_millis(100)).await;
            Ok(())
        };
        patiently(late, &AtomicUsize::new(0), &limits).await.unwrap();
        assert!(begun.elapsed() > STOOD_STILL);
    }

    #[tokio::test]
    async fn whoever_is_too_slow_is_ended_and_whoever_is_not_may_take_long() {
        let begun = Instant::now();
        assert_eq!(received(1, 1_000_000).await.unwrap_err().message(), "The body did not arrive in time.");
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_eq!(received(1, 3).await.unwrap(), 3, "whole within the first span");
        // 200 ms have at most ten pieces, and two at the very least.
        assert_eq!(received(4_000, 30).await.unwrap(), 120_000);
    }
}
