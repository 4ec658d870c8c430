//! The public keys of providers: given with them, or fetched from where their discovery documents say. And where people log
//! in at them.
//!
//! Whoever shows a token has the keys fetched, before it is known who that is. So they are fetched by one call at a time for
//! each provider, and not again before some time has passed, whatever came of it and whatever key a token names.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chancery_keys::ProviderKeys;
use chancery_ldap::{Address, Answer, Fault, Question};
use serde::Deserialize;
use tracing::warn;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{claims::TokenRefusal, lane::Lane, ldap::LdapState, stored::ProviderContent};
use crate::{
    Clock, Error, Identities, Limits, LoginLimits, Result,
    base::{clock::ms, error::reason, pool::Pool},
};

/// Keys that are fetched at a time: those of as many providers.
const FETCHES_MAX: usize = 8;

/// Bytes of a discovery document, or of a set of keys: those of known providers have 1 to 8 KiB.
pub(super) const DOCUMENT_MAX: usize = 256 * 1_024;

/// Characters of an address in a discovery document.
const ADDRESS_MAX: usize = 2_048;

/// What a provider answered.
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// The body, whole, or as much as was asked for.
    pub body: Vec<u8>,
}

/// Where a directory is, and whom it has to be known to.
pub struct LdapPlace {
    /// Its address.
    pub address: Address,
    /// The authorities that its certificate may be of, PEM; none for those that the process trusts.
    pub authorities: Option<String>,
}

/// Why a directory did not answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// There is no connection, or none that is secret and authentic: in words for an administrator.
    NotReached(Box<dyn std::error::Error + Send + Sync>),
    /// It was reached.
    Fault(Fault),
}

impl From<Fault> for NoAnswer {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// How providers are asked. Core knows no HTTP, and neither TLS nor sockets.
pub trait ProviderTransport: Send + Sync {
    /// Gets at most so many bytes from an https address and answers them, whatever the status. It follows no redirect, and
    /// connects only to addresses that are allowed. It may block.
    ///
    /// # Errors
    /// Whatever was in the way, in words for an administrator.
    fn get(&self, url: &str, max: usize, wait: Duration) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>>;

    /// The same for a form (`application/x-www-form-urlencoded`) that is posted, perhaps with an Authorization.
    ///
    /// # Errors
    /// Whatever was in the way, in words for an administrator.
    fn post_form(
        &self,
        url: &str,
        form: &Form,
        max: usize,
        wait: Duration,
    ) -> Result<Fetched, Box<dyn std::error::Error + Send + Sync>>;

    /// Asks a directory over TLS, within `wait`. It connects only to addresses that are allowed. It may block.
    ///
    /// # Errors
    /// Why there is no answer.
    fn ask_directory(&self, _at: &LdapPlace, _question: &Question<'_>, _wait: Duration) -> Result<Answer, NoAnswer> {
        Err(NoAnswer::NotReached("this process asks no directories".into()))
    }
}

/// What is posted to a provider. Both hold secrets.
pub struct Form {
    /// The value of the header `Authorization`.
    pub authorization: Option<Zeroizing<String>>,
    /// The body.
    pub body: Zeroizing<String>,
}

/// What was fetched of all providers.
pub(crate) struct FetchedKeys {
    fetcher: Fetcher,
    /// Codes that are exchanged.
    pub(super) codes: Lane,
    pub(super) ldap: LdapState,
    of: Mutex<HashMap<Uuid, Arc<OfProvider>>>,
}

/// What fetches documents. It goes on where the call is given up for which it began.
#[derive(Clone)]
struct Fetcher {
    transport: Option<Arc<dyn ProviderTransport>>,
    pool: Arc<Pool>,
    wait: Duration,
}

/// What was fetched of one provider.
#[derive(Default)]
struct OfProvider {
    keys: Arc<Kept<ProviderKeys>>,
    endpoints: Arc<Kept<Endpoints>>,
}

/// A document that is fetched again now and then.
struct Kept<T> {
    known: Mutex<Known<T>>,
    /// Held while it is fetched: others who need what comes wait for it.
    fetching: Arc<tokio::sync::Mutex<()>>,
}

struct Known<T> {
    /// And when it was fetched.
    found: Option<(Arc<T>, i64)>,
    tried_at_ms: Option<i64>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        let known = Known { found: None, tried_at_ms: None };
        Self { known: Mutex::new(known), fetching: Arc::default() }
    }
}

impl<T: Send + Sync + 'static> Kept<T> {
    fn known(&self) -> MutexGuard<'_, Known<T>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known, or what comes of fetching it: once at a time, and not again before some time has passed.
    ///
    /// It is fetched by a task of its own. Whoever hangs up meanwhile would else take from all others what they wait for, and
    /// from the next ones what was fetched.
    async fn get(
        self: &Arc<Self>,
        wanted: Wanted,
        (clock, limits): (&Clock, &LoginLimits),
        fetch: impl Future<Output = Result<T, String>> + Send + 'static,
    ) -> Option<Arc<T>> {
        if let Some(known) = self.known().usable(wanted, clock.now_ms(), limits) {
            return known;
        }
        let turn = Arc::clone(&self.fetching).lock_owned().await;
        let now_ms = clock.now_ms();
        if let Some(known) = self.known().usable(wanted, now_ms, limits) {
            return known;
        }
        let kept = Arc::clone(self);
        let fetched = tokio::spawn(async move {
            let found = fetch.await;
            let mut known = kept.known();
            // Not before: who comes meanwhile waits for what is found.
            known.tried_at_ms = Some(now_ms);
            match found {
                Ok(found) => known.found = Some((Arc::new(found), now_ms)),
                Err(why) => warn!(why, "an identity provider could not be asked"),
            }
            drop((known, turn));
        });
        if let Err(error) = fetched.await {
            warn!(%error, "the documents of an identity provider were not fetched to the end");
        }
        self.known().usable(wanted, now_ms, limits).flatten()
    }
}

impl<T> Known<T> {
    /// What is fresh enough, or what there is where nothing fresher may be fetched.
    fn usable(&self, wanted: Wanted, now_ms: i64, limits: &LoginLimits) -> Option<Option<Arc<T>>> {
        let within = |since: i64, span| now_ms < since.saturating_add(ms(span));
        let kept =
            |span| self.found.as_ref().filter(|(_, at_ms)| within(*at_ms, span)).map(|(found, _)| Arc::clone(found));
        if wanted == Wanted::Fresh
            && let Some(found) = kept(limits.provider_keys_fresh)
        {
            return Some(Some(found));
        }
        // What was of before goes on for a while where the provider is away.
        let waits = self.tried_at_ms.is_some_and(|at_ms| within(at_ms, limits.provider_keys_pause));
        waits.then(|| kept(limits.provider_keys_max))
    }
}

impl FetchedKeys {
    pub(crate) fn new(transport: Option<Arc<dyn ProviderTransport>>, limits: &Limits) -> Self {
        let pool = Arc::new(Pool::with_slots(FETCHES_MAX, limits));
        let fetcher = Fetcher { transport, pool, wait: limits.logins.provider_wait_max };
        Self { fetcher, codes: Lane::new(limits), ldap: LdapState::new(limits), of: Mutex::default() }
    }

    fn of(&self, id: Uuid) -> Arc<OfProvider> {
        Arc::clone(self.of.lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_default())
    }

    /// What providers are asked by.
    pub(super) fn transport(&self) -> Result<Arc<dyn ProviderTransport>, String> {
        self.fetcher.transport()
    }
}

impl Fetcher {
    fn transport(&self) -> Result<Arc<dyn ProviderTransport>, String> {
        self.transport.clone().ok_or_else(|| "this process asks no providers; the server does".to_owned())
    }

    async fn keys(self, issuer: String) -> Result<ProviderKeys, String> {
        let (url, discovery) = self.discovery(&issuer).await?;
        let jwks_uri = checked_address(&url, "jwks_uri", discovery.jwks_uri)?;
        let keys = self.fetch(&jwks_uri).await?;
        ProviderKeys::parse(&keys).map_err(|error| format!("{jwks_uri}: {error}"))
    }

    async fn endpoints(self, issuer: String) -> Result<Endpoints, String> {
        let (url, discovery) = self.discovery(&issuer).await?;
        Ok(Endpoints {
            authorization: checked_address(&url, "authorization_endpoint", discovery.authorization_endpoint)?,
            token: checked_address(&url, "token_endpoint", discovery.token_endpoint)?,
            says_issuer: discovery.authorization_response_iss_parameter_supported,
        })
    }

    /// By OpenID Connect Discovery 1.0, section 4; with the address that it was at.
    async fn discovery(&self, issuer: &str) -> Result<(String, Discovery), String> {
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let document = self.fetch(&url).await?;
        let discovery: Discovery = serde_json::from_slice(&document).map_err(|error| format!("{url}: {error}"))?;
        if discovery.issuer != issuer {
            return Err(format!("{url} is of another issuer"));
        }
        Ok((url, discovery))
    }

    async fn fetch(&self, url: &str) -> Result<Vec<u8>, String> {
        let (transport, wait, address) = (self.transport()?, self.wait, url.to_owned());
        // One byte more, which tells what is too long.
        let job = move || transport.get(&address, DOCUMENT_MAX + 1, wait).map_err(|why| reason(&*why));
        let fetched = self.pool.run(job).await.map_err(|error: Error| reason(&error))?;
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

/// How new the keys have to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// As fresh as usual.
    Fresh,
    /// Fetched again, if they may be: a token names a key that is not among them.
    Newer,
}

/// What a provider says of itself (OpenID Connect Discovery 1.0, section 3), as far as we ask.
#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: Option<String>,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// Where people log in at a provider.
pub(super) struct Endpoints {
    pub(super) authorization: String,
    pub(super) token: String,
    /// Whether its answers say whose they are (RFC 9207).
    pub(super) says_issuer: bool,
}

impl Identities {
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
        let (of, by) = (self.state.provider_keys.of(id), (&self.context.clock, &self.context.limits.logins));
        of.keys.get(wanted, by, self.fetcher().keys(issuer.to_owned())).await.ok_or(TokenRefusal::NoKeys)
    }

    fn fetcher(&self) -> Fetcher {
        self.state.provider_keys.fetcher.clone()
    }

    /// Where people log in at a provider.
    pub(super) async fn provider_endpoints(&self, id: Uuid, issuer: &str) -> Result<Arc<Endpoints>, TokenRefusal> {
        let (of, by) = (self.state.provider_keys.of(id), (&self.context.clock, &self.context.limits.logins));
        of.endpoints
            .get(Wanted::Fresh, by, self.fetcher().endpoints(issuer.to_owned()))
            .await
            .ok_or(TokenRefusal::Provider)
    }
}

/// An address that a discovery document names: browsers are sent there, or secrets.
fn checked_address(url: &str, member: &str, address: Option<String>) -> Result<String, String> {
    let is_plain = |address: &String| {
        address.starts_with("https://")
            && address.len() <= ADDRESS_MAX
            && address.bytes().all(|byte| byte.is_ascii_graphic())
            && !address.contains('#')
    };
    address.filter(is_plain).ok_or_else(|| format!("{url}: {member} is no https address"))
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn who_hangs_up_takes_nothing_from_those_who_wait_or_come_later() {
        let (clock, limits) = (Clock::fixed(1_000), LoginLimits::default());
        let (kept, by) = (Arc::new(Kept::<&str>::default()), (&clock, &limits));
        let (answer, answered) = oneshot::channel();
        let slow = async { answered.await.map_err(|_| "given up".to_owned()) };
        let hung_up = tokio::time::timeout(Duration::from_millis(20), kept.get(Wanted::Newer, by, slow)).await;
        assert!(hung_up.is_err());
        // The first is gone; another one comes while the document is under way.
        let never = async { Err("a second one was fetched".to_owned()) };
        let (found, _) = tokio::join!(kept.get(Wanted::Newer, by, never), async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            answer.send("keys").unwrap();
        });
        assert_eq!(found.as_deref(), Some(&"keys"));
        let never = async { Err("a second one was fetched".to_owned()) };
        assert_eq!(kept.get(Wanted::Fresh, by, never).await.as_deref(), Some(&"keys"));
    }
}
