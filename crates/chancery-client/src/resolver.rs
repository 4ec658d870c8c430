//! Where the server is. The library asks for each call anew, on a thread of its own, also where it has a connection or the
//! address is one already: a thread a call, which cost bulk runs 3 % of their processor time.

use std::{
    net::SocketAddr,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use ureq::{
    Error,
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

/// How long an answer is good for: a server that has moved is found again as soon.
const GOOD_FOR: Duration = Duration::from_secs(5);

/// Keeps the last answer for a moment.
#[derive(Debug, Default)]
pub(crate) struct Remembering {
    last: Mutex<Option<Found>>,
}

#[derive(Debug)]
struct Found {
    authority: String,
    at: Instant,
    addresses: Vec<SocketAddr>,
}

impl Remembering {
    fn last(&self) -> MutexGuard<'_, Option<Found>> {
        // Nothing that holds the lock can panic.
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resolver for Remembering {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let by_names = DefaultResolver::default();
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        if let Some(found) = &*self.last()
            && found.authority == authority
            && found.at.elapsed() < GOOD_FOR
        {
            let mut answer = by_names.empty();
            found.addresses.iter().for_each(|address| answer.push(*address));
            return Ok(answer);
        }
        let answer = by_names.resolve(uri, config, timeout)?;
        *self.last() = Some(Found { authority, at: Instant::now(), addresses: answer.to_vec() });
        Ok(answer)
    }
}
