//! From what a request shows to a [`Caller`], and GET /home/v1/login/token.

use std::sync::Arc;

use chancery_types::{
    Action, ErrorCode,
    wire::login::{HomeStatus, TokenAnswer},
};

use super::{
    Authenticated, Credentials, api_key,
    sessions::{Key, Session},
};
use crate::{
    Caller, Error, Event, Identities, Meaning, RequestInfo, Result,
    base::{clock::ms, pool},
    context::{
        caller::{Shows, Standing},
        changes::{Change, ChangeKind},
        quarantine::Object,
        record::Nobody,
        terms::RefusedKey,
    },
};

/// Whether API access is on is one of the settings.
const SETTINGS: Object = Change::all(ChangeKind::Settings).object();

/// Characters of a session cookie: 32 bytes in base64url.
const COOKIE_LEN: usize = 43;

/// A live session, and when the token that named it expires.
pub(super) struct Shown {
    pub(super) session: Arc<Session>,
    pub(super) token_expires_at: Option<i64>,
}

impl Identities {
    /// The caller of a request, which API access must be on for.
    pub async fn authenticate(&self, request: RequestInfo, credentials: Credentials<'_>) -> Result<Caller> {
        let caller = self.fully_logged_in(request, &credentials).await?;
        pool::is_of(caller.members().iter().map(|member| member.id));
        self.context.quarantine.check(SETTINGS)?;
        if self.context.settings.load().api_access {
            return Ok(caller);
        }
        Err(Box::pin(self.api_access_is_off(&caller)).await)
    }

    /// The caller of a request that a cookie session may make while API access is off: how it is switched on again.
    pub async fn authenticate_operator(&self, request: RequestInfo, credentials: Credentials<'_>) -> Result<Caller> {
        let caller = self.fully_logged_in(request, &credentials).await?;
        pool::is_of(caller.members().iter().map(|member| member.id));
        if self.context.settings.load().api_access || caller.shows() == Shows::Cookie {
            return Ok(caller);
        }
        Err(self.api_access_is_off(&caller).await)
    }

    async fn api_access_is_off(&self, caller: &Caller) -> Error {
        let refusal = Error::new(Meaning::ApiAccessDisabled, "API access is switched off on this installation.");
        self.context.refused(caller, Event::new(Action::ApiCall), refusal).await
    }

    /// What calls seldom need is in a box, here as in [`authenticate`](Self::authenticate): every connection has room for
    /// what is not.
    async fn fully_logged_in(&self, request: RequestInfo, credentials: &Credentials<'_>) -> Result<Caller> {
        let now = self.context.clock.now_ms();
        if let Credentials::Bearer(token) = credentials {
            if api_key::is_one(token) {
                return self
                    .by_api_key(request, token, now)
                    .map(|standing| Caller::new(&Authenticated(()), request, standing, Shows::ApiKey));
            }
            let now = (now, &self.context.limits);
            let known = self.state.recent.caller(request, token, &self.state.directory.load(), now);
            if let Some(caller) = known {
                return Ok(caller);
            }
        }
        Box::pin(self.look_into(request, credentials, now)).await
    }

    async fn look_into(&self, request: RequestInfo, credentials: &Credentials<'_>, now: i64) -> Result<Caller> {
        let now = (now, &self.context.limits);
        let Shown { session, token_expires_at } = self.session_of(&request, credentials).await?;
        self.check_seats(&session.state.seats)?;
        let directory = self.state.directory.load();
        let standing = session.standing(&directory).filter(|standing| standing.admits(request.source, now.0));
        let Some(standing) = standing else {
            return Err(self.unauthenticated(&request));
        };
        session.used(now.0);
        if let (Credentials::Bearer(token), Some(expires_at)) = (credentials, token_expires_at) {
            self.state.recent.note((token.as_ref(), expires_at), &session, (&directory, &standing), now);
        }
        let shows = token_expires_at.map_or(Shows::Cookie, |expires_at| Shows::Token { expires_at });
        Ok(Caller::new(&Authenticated(()), request, standing, shows))
    }

    /// What an API key amounts to that is shown from this address now. All is in memory. One refusal for all reasons: the
    /// audit records tell them apart.
    pub(super) fn by_api_key(&self, request: RequestInfo, secret: &str, now: i64) -> Result<Arc<Standing>> {
        if !api_key::has_its_length(secret) {
            return Err(self.refused_key(&request, Nobody::Unknown, now));
        }
        let (hash, directory) = (self.api_key_hash(secret), self.state.directory.load());
        let found = match self.state.recent_keys.standing(&hash, request.source, &directory) {
            Some(known) => Some(known),
            None => {
                let Some((key, version)) = directory.key(&hash) else {
                    return Err(self.refused_key(&request, Nobody::Unknown, now));
                };
                let seat = directory.seat_of_key(key, version, request.source);
                self.check_seats(std::slice::from_ref(&seat))?;
                let standing = directory.standing(key.id.into(), &[seat]).map(Arc::new);
                if let Some(standing) = &standing {
                    self.state.recent_keys.note(&hash, request.source, &directory, standing);
                }
                standing
            }
        };
        let refused = match found.as_ref().and_then(|standing| Some((standing, standing.key.as_ref()?))) {
            None => RefusedKey::Identity,
            Some((standing, terms)) => match terms.check(request.source, now) {
                Err(why) => why,
                Ok(()) if !standing.is_within_bounds(request.source, now) => RefusedKey::Identity,
                Ok(()) => {
                    self.state.key_uses.note(terms, now);
                    return Ok(Arc::clone(standing));
                }
            },
        };
        let who = directory.key(&hash).map_or(Nobody::Unknown, |(key, version)| {
            let name = directory.name(key.identity).unwrap_or_default();
            Nobody::Key(key.identity, name.to_owned(), key.recorded(version), refused)
        });
        Err(self.refused_key(&request, who, now))
    }

    /// Refuses a key, and counts it: there are so many wrong ones from one source in a minute, as there are logins. Right
    /// ones go on all the same, so that nobody who shares the source is shut out by another's.
    pub(super) fn refused_key(&self, request: &RequestInfo, who: Nobody, now: i64) -> Error {
        let attempt = self.state.wrong_keys().attempt(request.counted_as(), now, self.context.limits.logins.per_minute);
        if let Err(retry_after_s) = attempt {
            self.context.counters.refused_nobody(request.source, Nobody::TooManyKeys, now);
            return Error::busy("Too many wrong API keys came from this address; try again.", retry_after_s);
        }
        self.context.counters.refused_nobody(request.source, who, now);
        Error::unauthenticated()
    }

    /// The live session that the credentials belong to; it may be half open.
    pub(super) async fn session_of(&self, request: &RequestInfo, credentials: &Credentials<'_>) -> Result<Shown> {
        let now = self.context.clock.now_ms();
        let named = match credentials {
            Credentials::None => None,
            Credentials::Cookie(cookie) if cookie.len() == COOKIE_LEN => Some((self.cookie_key(cookie), None)),
            Credentials::Bearer(token) if token.len() <= self.context.limits.token_max => {
                let verified = self.state.tokens.verify(token, now);
                verified.map(|verified| (Key::Id(verified.session), Some(verified.expires_at)))
            }
            Credentials::Cookie(_) | Credentials::Bearer(_) => None,
        };
        if let Some((key, token_expires_at)) = named
            && let Some(session) = self.live_session(key).await?
        {
            return Ok(Shown { session, token_expires_at });
        }
        Err(self.unauthenticated(request))
    }

    /// Unauthenticated where the caller's session has ended, or one of it was locked, since the caller was authenticated:
    /// whoever waited to hear of that has to look again.
    async fn expect_to_stand(&self, caller: &Caller) -> Result<()> {
        let session = self.live_session(Key::Id(caller.session())).await?;
        let directory = self.state.directory.load();
        let (source, now) = (caller.request().source, self.context.clock.now_ms());
        let standing = session.and_then(|session| session.standing(&directory));
        if standing.is_some_and(|standing| standing.admits(source, now)) {
            return Ok(());
        }
        Err(self.unauthenticated(caller.request()))
    }

    /// The caller of a call that lasts, as it stands now; nothing where its session, its token or the access to the
    /// interface has ended. That it lasts is no use of the session, which ends when nobody does anything.
    pub(crate) async fn still(&self, caller: &Caller) -> Option<Caller> {
        let (source, now) = (caller.request().source, self.context.clock.now_ms());
        if !self.context.settings.load().api_access {
            return None;
        }
        let standing = match caller.shows() {
            Shows::Token { expires_at } if expires_at <= now => return None,
            Shows::ApiKey => self.standing_of_shown_key(caller)?,
            Shows::Token { .. } | Shows::Cookie => {
                let session = self.live_session(Key::Id(caller.session())).await.ok()??;
                self.check_seats(&session.state.seats).ok()?;
                session.standing(&self.state.directory.load())?
            }
        };
        standing
            .admits(source, now)
            .then(|| Caller::new(&Authenticated(()), *caller.request(), standing, caller.shows()))
    }

    /// What the key amounts to now that was shown with a call which lasts.
    fn standing_of_shown_key(&self, caller: &Caller) -> Option<Arc<Standing>> {
        let (directory, (id, version)) = (self.state.directory.load(), caller.shown_key()?);
        let key = directory.key_by_id(caller.members().first()?.id, id)?;
        let seat = directory.seat_of_key(key, version, caller.request().source);
        self.check_seats(std::slice::from_ref(&seat)).ok()?;
        directory.standing(id.into(), &[seat]).map(Arc::new)
    }

    fn unauthenticated(&self, request: &RequestInfo) -> Error {
        self.context.counters.refused_nobody(request.source, Nobody::Unknown, self.context.clock.now_ms());
        Error::unauthenticated()
    }

    /// A bearer token for the caller's session. One that is asked for with a token lives no longer than that one, so
    /// that a stolen token cannot be kept alive.
    pub async fn bearer_token(&self, caller: &Caller) -> Result<TokenAnswer> {
        if caller.bears_key() {
            let message =
                "An API key is a bearer by itself; for a token, log in by it and ask with the session's cookie.";
            return Err(Error::new(Meaning::Unauthenticated, message));
        }
        let may = self.context.logs_in_now().await?;
        self.expect_to_stand(caller).await?;
        let now = self.context.clock.now_ms();
        let lifetime_ends = now.saturating_add(ms(self.context.limits.token_lifetime));
        let expires_at = match caller.shows() {
            Shows::Token { expires_at } => expires_at.min(lifetime_ends),
            Shows::Cookie | Shows::ApiKey => lifetime_ends,
        };
        let token = self.state.tokens.mint(&may, caller.session(), now, expires_at)?;
        self.context.counters.call(caller, Action::TokenMint, Some(caller.session()), ErrorCode::Success, 1);
        Ok(TokenAnswer { message: "Success".to_owned(), status: HomeStatus::Success, token })
    }
}
