//! Time-stamping authorities elsewhere: asked in order; one that failed is asked again only after a while.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chancery_keys::random;
use chancery_verify::{
    path::Link,
    read_links,
    time_stamp::{Asked, check},
};
use der::{Encode, asn1::Int};
use futures::{StreamExt, stream::FuturesUnordered};
use tokio::time::{self, Instant};
use tracing::warn;

use super::request::{MessageImprint, TimeStampReq};
use crate::{Clock, Error, Limits, Result, base::pool::Pool};

/// Calls at a time. They wait for the network, not for a core, and have a pool of their own, so that a slow authority
/// holds nobody up who does not need it.
const CALLS_MAX: usize = 16;

/// While an authority keeps silent for this long, the next one is asked, too.
const PATIENCE: Duration = Duration::from_secs(1);

/// After its first failure an authority is left alone for this long, and for twice as long after each further one.
const REST_MIN_MS: i64 = 1_000;
/// The longest that one is left alone.
const REST_MAX_MS: i64 = 60_000;

/// How requests for time stamps travel. Core knows no HTTP.
pub trait StampTransport: Send + Sync {
    /// Posts a TimeStampReq to this URL, and answers what came back: at most `max` bytes, within `wait`. It may block.
    ///
    /// # Errors
    /// Whatever was in the way; the log shows it.
    fn post(
        &self,
        url: &str,
        request: Vec<u8>,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>>;
}

/// Which authorities elsewhere are asked for time stamps, and how.
#[derive(Clone)]
pub struct OutsideAuthorities {
    urls: Vec<String>,
    roots: Option<Vec<Link>>,
    transport: Arc<dyn StampTransport>,
}

impl OutsideAuthorities {
    /// Authorities at these addresses, the preferred one first. Where `roots` (PEM) is given, their certificates must
    /// lead to one of them.
    ///
    /// InvalidValue for an address that is none, and for roots that are no certificates.
    pub fn new(urls: Vec<String>, roots: Option<&str>, transport: Arc<dyn StampTransport>) -> Result<Self> {
        if let Some(url) = urls.iter().find(|url| !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)))
        {
            return Err(Error::value(
                "/urls",
                format!("{url} is no address of a time-stamping authority: http:// or https://"),
            ));
        }
        let roots = roots.map(|pem| read_links(pem.as_bytes())).transpose();
        let roots = roots.map_err(|_| Error::value("/roots", "There is no certificate in PEM."))?;
        Ok(Self { urls, roots, transport })
    }
}

/// The authorities elsewhere of an open installation.
pub(crate) struct Outside {
    authorities: OutsideAuthorities,
    /// In the order of the addresses.
    rests: Mutex<Vec<Rest>>,
    pool: Pool,
    answer_max: usize,
    wait: Duration,
    wait_for_all: Duration,
}

/// What was wrong with an authority.
type Fault = Box<dyn std::error::Error + Send + Sync>;

/// It did not answer in time.
#[derive(Debug, thiserror::Error)]
#[error("it did not answer in time")]
struct Silent;

/// Whether an authority is left alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Rest {
    /// Failures since it last answered.
    failures: u32,
    until_ms: i64,
}

impl Rest {
    fn after_failure(self, now_ms: i64) -> Self {
        let rest_ms = REST_MIN_MS.saturating_mul(1_i64.checked_shl(self.failures.min(32)).unwrap_or(i64::MAX));
        Self { failures: self.failures.saturating_add(1), until_ms: now_ms.saturating_add(rest_ms.min(REST_MAX_MS)) }
    }

    /// For how long it is still left alone. A clock that was set back makes nobody wait longer.
    fn left_ms(self, now_ms: i64) -> i64 {
        self.until_ms.saturating_sub(now_ms).clamp(0, REST_MAX_MS)
    }
}

impl Outside {
    pub(crate) fn new(authorities: OutsideAuthorities, limits: &Limits) -> Self {
        Self {
            rests: Mutex::new(vec![Rest::default(); authorities.urls.len()]),
            pool: Pool::with_slots(CALLS_MAX, limits),
            answer_max: limits.time_stamp_max,
            wait: limits.time_stamp_wait_max,
            wait_for_all: limits.time_stamp_wait_for_all_max,
            authorities,
        }
    }

    /// A stamp of the first authority that gives one. Unavailable where none does in time.
    ///
    /// They are asked in order; while one keeps silent, the next one is asked, too. So a silent authority costs a call
    /// [`PATIENCE`] and no more, and all of them together what the limit says.
    pub(super) async fn stamp(&self, imprint: MessageImprint, clock: &Clock) -> Result<Vec<u8>> {
        let deadline = Instant::now() + self.wait_for_all;
        let mut to_ask: VecDeque<_> = (0..self.authorities.urls.len()).collect();
        to_ask.retain(|index| self.rest(*index).left_ms(clock.now_ms()) == 0);
        let mut asked = Vec::new();
        let mut answers = FuturesUnordered::new();
        let mut stamp = None;
        while let Some(index) = to_ask.pop_front() {
            asked.push((index, Instant::now()));
            let answer = self.ask(index, imprint.clone(), deadline, clock);
            answers.push(async move { (index, answer.await) });
            let until = if to_ask.is_empty() { deadline } else { deadline.min(Instant::now() + PATIENCE) };
            stamp = self.first_stamp(&mut answers, &mut asked, until, clock).await?;
            if stamp.is_some() || Instant::now() >= deadline {
                break;
            }
        }
        drop(answers);
        self.note_silent(&asked, stamp.is_none(), clock);
        let now_ms = clock.now_ms();
        let soonest_ms = (0..self.authorities.urls.len()).map(|index| self.rest(index).left_ms(now_ms)).min();
        stamp.ok_or_else(|| unreachable(soonest_ms.unwrap_or(REST_MAX_MS)))
    }

    /// The first good answer; none when all have failed, or it is time to ask another one.
    async fn first_stamp<F>(
        &self,
        answers: &mut FuturesUnordered<F>,
        asked: &mut Vec<(usize, Instant)>,
        until: Instant,
        clock: &Clock,
    ) -> Result<Option<Vec<u8>>>
    where
        F: Future<Output = (usize, Result<Result<Vec<u8>, Fault>>)>,
    {
        while let Ok(Some((index, answer))) = time::timeout_at(until, answers.next()).await {
            asked.retain(|(other, _)| *other != index);
            match answer? {
                Ok(token) => {
                    self.note(index, Rest::default());
                    return Ok(Some(token));
                }
                Err(error) => self.note_failure(index, &*error, clock),
            }
        }
        Ok(None)
    }

    /// Those that have not answered: where another was quicker, only if it had to be asked because of them.
    fn note_silent(&self, asked: &[(usize, Instant)], all: bool, clock: &Clock) {
        for (index, since) in asked {
            if all || since.elapsed() >= PATIENCE {
                self.note_failure(*index, &Silent, clock);
            }
        }
    }

    fn note_failure(&self, index: usize, error: &(dyn std::error::Error + 'static), clock: &Clock) {
        warn!(url = self.url(index), error, "a time-stamping authority gave no stamp");
        self.note(index, self.rest(index).after_failure(clock.now_ms()));
    }

    fn url(&self, index: usize) -> &str {
        self.authorities.urls.get(index).map_or("", String::as_str)
    }

    /// Asks one. What is its fault is inside; too much to do here is not.
    async fn ask(
        &self,
        index: usize,
        imprint: MessageImprint,
        deadline: Instant,
        clock: &Clock,
    ) -> Result<Result<Vec<u8>, Fault>> {
        let asked = Asked { nonce: nonce().map_err(Error::internal)?, imprint };
        let request = TimeStampReq {
            version: 1,
            message_imprint: asked.imprint.clone(),
            req_policy: None,
            nonce: Some(asked.nonce.clone()),
            cert_req: true,
            extensions: None,
        }
        .to_der()
        .map_err(Error::internal)?;
        let (transport, url) = (Arc::clone(&self.authorities.transport), self.url(index).to_owned());
        let (max, wait) = (self.answer_max, self.wait);
        let post = move || {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() { Err(Silent.into()) } else { transport.post(&url, request, max, wait.min(left)) }
        };
        let answer = self.pool.run(post).await?;
        let checked = |answer: Vec<u8>| check(&answer, &asked, self.authorities.roots.as_deref(), clock.now_ms());
        Ok(answer.and_then(|answer| Ok(checked(answer)?)))
    }

    fn rest(&self, index: usize) -> Rest {
        let rests = self.rests.lock().unwrap_or_else(PoisonError::into_inner);
        rests.get(index).copied().unwrap_or_default()
    }

    fn note(&self, index: usize, rest: Rest) {
        if let Some(noted) = self.rests.lock().unwrap_or_else(PoisonError::into_inner).get_mut(index) {
            *noted = rest;
        }
    }
}

/// 64 random bits, shaped so that the number is positive and always as long.
fn nonce() -> der::Result<Int> {
    let mut bytes: [u8; 8] = random();
    bytes[0] = bytes[0] & 0x3f | 0x40;
    Int::new(&bytes)
}

/// Nothing was stamped, and so nothing signed.
pub(super) fn unreachable(wait_ms: i64) -> Error {
    let wait_s = u32::try_from(wait_ms.max(1).saturating_add(999) / 1_000).unwrap_or(u32::MAX);
    Error::out_of_reach("No time-stamping authority gives a stamp now, so nothing was signed; try again.", wait_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_double_up_to_a_minute() {
        let mut rest = Rest::default();
        let rests: Vec<_> = (0..40)
            .map(|_| {
                rest = rest.after_failure(1_000_000);
                rest.left_ms(1_000_000)
            })
            .collect();
        assert_eq!(rests[..8], [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
        assert_eq!(rests[39], 60_000);
        assert_eq!((rest.left_ms(1_060_000), rest.left_ms(0)), (0, 60_000), "a clock that was set back");
    }
}
