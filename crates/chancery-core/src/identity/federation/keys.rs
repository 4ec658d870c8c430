//! The public keys of providers: given with them, or fetched from where their discovery documents say.
//!
//! Whoever shows a token has the keys fetched, before it is known who that is. So they are fetched by one call at a time for
//! each provider, and not again before some time has passed, whatever came of it and whatever key a token names.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chancery_keys::ProviderKeys;
use serde::Deserialize;
use tracing::warn;
use uuid::Uuid;

use super::{claims::TokenRefusal, stored::ProviderContent};
use crate::{Chancery, Error, Limits, LoginLimits, Result, clock::ms, error::reason, pool::Pool};

/// Keys that are fetched at a time: those of as many providers.
const FETCHES_MAX: usize = 8;

/// Bytes of a discovery document, or of a set of keys: those of known providers have 1 to 8 KiB.
const DOCUMENT_MAX: usize = 256 * 1_024;

/// What a provider answered.
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// The body, whole, or as much as was asked for.
    pub body: Vec<u8>,
}

/// How documents of providers are fetched. Core knows no HTTP.
pub trait ProviderTransport: Send + Sync {
    /// Gets at most so many bytes from an https address and answers them, whatever the status. It follows no redirect, and
    /// connects only to addresses that are allowed. It may block.
    ///
    /// # Errors
    /// Whatever was in the way, in words for an administrator.
    fn get(&self, url: &str, max: usize, wait: Duration) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>>;
}

/// What was fetched of all providers.
pub(crate) struct FetchedKeys {
    transport: Option<Arc<dyn ProviderTransport>>,
    pool: Pool,
    of: Mutex<HashMap<Uuid, Arc<OfProvider>>>,
}

/// What was fetched of one provider.
#[derive(Default)]
struct OfProvider {
    known: Mutex<Known>,
    /// Held by whoever fetches: others who need what comes wait for it.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Clone, Default)]
struct Known {
    /// And when they were fetched.
    keys: Option<(Arc<ProviderKeys>, i64)>,
    tried_at_ms: Option<i64>,
}

impl OfProvider {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Keys that are fresh enough, or that nothing fresher may be fetched for.
    fn usable(
        &self,
        wanted: Wanted,
        now_ms: i64,
        limits: &LoginLimits,
    ) -> Option<Result<Arc<ProviderKeys>, TokenRefusal>> {
        let within = |since: i64, span| now_ms < since.saturating_add(ms(span));
        let kept =
            |span| self.keys.as_ref().filter(|(_, at_ms)| within(*at_ms, span)).map(|(keys, _)| Arc::clone(keys));
        if wanted == Wanted::Fresh
            && let Some(keys) = kept(limits.provider_keys_fresh)
        {
            return Some(Ok(keys));
        }
        // Those of before go on for a while where the provider is away.
        let waits = self.tried_at_ms.is_some_and(|at_ms| within(at_ms, limits.provider_keys_pause));
        waits.then(|| kept(limits.provider_keys_max).ok_or(TokenRefusal::NoKeys))
    }
}

impl FetchedKeys {
    pub(crate) fn new(transport: Option<Arc<dyn ProviderTransport>>, limits: &Limits) -> Self {
        Self { transport, pool: Pool::with_slots(FETCHES_MAX, limits), of: Mutex::default() }
    }

    fn of(&self, id: Uuid) -> Arc<OfProvider> {
        Arc::clone(self.of.lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_default())
    }
}

/// How new the keys have to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// As fresh as usual.
    Fresh,
    /// Fetched again, if they may be: a token names a key that is not among them.
    Newer,
}

impl Chancery {
    /// The keys of a provider.
    pub(super) async fn provider_keys(
        &self,
        (id, issuer): (Uuid, &str),
        content: &ProviderContent,
        wanted: Wanted,
    ) -> Result<Arc<ProviderKeys>, TokenRefusal> {
        if let Some(given) = &content.jwks {
            return ProviderKeys::parse(given.as_bytes()).map(Arc::new).map_err(|_| TokenRefusal::NoKeys);
        }
        let (of, limits) = (self.identity.provider_keys.of(id), &self.limits.logins);
        if let Some(keys) = of.known().usable(wanted, self.clock.now_ms(), limits) {
            return keys;
        }
        let _fetching = of.fetching.lock().await;
        let now_ms = self.clock.now_ms();
        if let Some(keys) = of.known().usable(wanted, now_ms, limits) {
            return keys;
        }
        // Noted before, so that a call that is given up counts.
        of.known().tried_at_ms = Some(now_ms);
        match self.fetch_keys(issuer).await {
            Ok(keys) => of.known().keys = Some((Arc::new(keys), now_ms)),
            Err(why) => warn!(issuer, why, "the keys of an identity provider could not be fetched"),
        }
        let known = of.known().clone();
        known.usable(wanted, now_ms, limits).unwrap_or(Err(TokenRefusal::NoKeys))
    }

    /// By OpenID Connect Discovery 1.0, section 4.
    async fn fetch_keys(&self, issuer: &str) -> Result<ProviderKeys, String> {
        #[derive(Deserialize)]
        struct Discovery {
            issuer: String,
            jwks_uri: String,
        }
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let document = self.fetch(&url).await?;
        let Discovery { issuer: said, jwks_uri } =
            serde_json::from_slice(&document).map_err(|error| format!("{url}: {error}"))?;
        if said != issuer {
            return Err(format!("{url} is of another issuer"));
        }
        if !jwks_uri.starts_with("https://") {
            return Err(format!("{url}: jwks_uri is no https address"));
        }
        let keys = self.fetch(&jwks_uri).await?;
        ProviderKeys::parse(&keys).map_err(|error| format!("{jwks_uri}: {error}"))
    }

    async fn fetch(&self, url: &str) -> Result<Vec<u8>, String> {
        let Some(transport) = self.identity.provider_keys.transport.clone() else {
            return Err("this process fetches nothing; the server does".to_owned());
        };
        let (wait, address) = (self.limits.logins.provider_wait_max, url.to_owned());
        // One byte more, which tells what is too long.
        let job = move || transport.get(&address, DOCUMENT_MAX + 1, wait).map_err(|why| reason(&*why));
        let fetched = self.identity.provider_keys.pool.run(job).await.map_err(|error: Error| reason(&error))?;
        let Fetched { status, body } = fetched.map_err(|why| format!("{url}: {why}"))?;
        if status != 200 {
            return Err(format!("{url}: status {status}"));
        }
        if body.len() > DOCUMENT_MAX {
            return Err(format!("{url}: longer than {DOCUMENT_MAX} bytes"));
        }
        Ok(body)
    }
}
