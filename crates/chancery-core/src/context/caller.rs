//! The evidence that somebody is who they say: a [`Caller`] is made only in `identity/`, from a live session.

use std::{fmt, net::IpAddr, sync::Arc};

use chancery_types::{
    ApiKeyId, IdentityId, IdentityKind, Perm, PolicyId, RoleId, ServiceId, TokenProfileId, wire::ObjInfo,
};

use super::{IdempotentCall, bounds::Bounds, record::RecordedIdentities, storage::Vouches, terms::Terms};
use crate::{Error, Result, Source};

/// The id that answer, log and audit record share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(pub u128);

impl RequestId {
    /// Its 32 digits, as ASCII.
    #[must_use]
    pub fn digits(self) -> [u8; 32] {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        std::array::from_fn(|place| DIGITS[(self.0 >> (124 - 4 * place)) as usize & 15])
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.digits().into_iter().try_for_each(|digit| fmt::Write::write_char(formatter, char::from(digit)))
    }
}

/// What the server knows of a request before it knows who calls.
#[derive(Clone, Copy, Debug)]
pub struct RequestInfo {
    /// The request's id.
    pub id: RequestId,
    /// The address the request came from; behind a trusted proxy the one that the proxy names.
    pub source: IpAddr,
}

impl RequestInfo {
    /// Whom bounds count the request to.
    #[must_use]
    pub fn counted_as(&self) -> Source {
        self.source.into()
    }
}

/// Anybody: the caller of the few door methods that need no login.
#[derive(Clone, Copy, Debug)]
pub struct Visitor {
    /// The request.
    pub request: RequestInfo,
}

/// One identity of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The identity.
    pub id: IdentityId,
    /// Its name at login.
    pub name: String,
    /// Person or application. Whoever showed an API key counts as an application.
    pub kind: IdentityKind,
    /// Since when it holds each permission that its own roles grant in this session.
    pub(crate) trusted: Vec<(Perm, i64)>,
    /// Since when it holds each of its roles that count in this session.
    pub(crate) roles: Vec<(RoleId, i64)>,
    /// When it logged in, where it has shown a second factor of ours.
    pub(crate) factor_at: Option<i64>,
}

impl Member {
    /// Since when this identity can be trusted with a permission, in milliseconds since 1970 UTC: the latest of its
    /// creation, a password reset by somebody else, and the grant. `None` where its own roles do not grant it.
    #[must_use]
    pub fn trusted_since(&self, perm: Perm) -> Option<i64> {
        self.trusted.iter().find(|(granted, _)| *granted == perm).map(|(_, since)| *since)
    }

    /// Who it is, as the interface names it.
    pub(crate) fn named(&self) -> ObjInfo<IdentityId> {
        ObjInfo { name: self.name.clone(), uuid: self.id }
    }
}

/// A set of permissions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PermSet(u32);

impl PermSet {
    pub(crate) fn has(self, perm: Perm) -> bool {
        self.0 & Self::bit(perm) != 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Perm> {
        Perm::ALL.iter().copied().filter(move |perm| self.has(*perm))
    }

    const fn bit(perm: Perm) -> u32 {
        1 << perm as u32
    }
}

impl FromIterator<Perm> for PermSet {
    fn from_iter<I: IntoIterator<Item = Perm>>(perms: I) -> Self {
        Self(perms.into_iter().fold(0, |set, perm| set | Self::bit(perm)))
    }
}

/// Who a fully logged-in session stands for and what it may do.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    /// The session's name, which is not its cookie and may be logged.
    pub(crate) session: uuid::Uuid,
    /// The identities that logged in, in that order.
    pub(crate) members: Vec<Member>,
    /// The roles whose number of logins is reached.
    pub(crate) roles: Vec<RoleId>,
    /// The union of those roles' permissions.
    pub(crate) perms: PermSet,
    /// Whether one of those roles may administer.
    pub(crate) management: bool,
    /// The members as audit records name them.
    pub(crate) recorded: RecordedIdentities,
    /// The terms of the API key that somebody showed, once for the session or with each call.
    pub(crate) key: Option<Arc<Terms>>,
    /// Whether somebody exchanged a token of an identity provider.
    pub(crate) by_token: bool,
    /// When the first of them logged in, where all of them did so with a second factor of ours.
    pub(crate) second_factor_at: Option<i64>,
    /// From where and when each of them may act who may not always from everywhere.
    pub(crate) bounds: Vec<Arc<Bounds>>,
}

impl Standing {
    /// Whether somebody may act so from this address now.
    pub(crate) fn admits(&self, source: IpAddr, now: i64) -> bool {
        self.key.as_ref().is_none_or(|key| key.check(source, now).is_ok()) && self.is_within_bounds(source, now)
    }

    /// Whether all of them may act from this address now.
    pub(crate) fn is_within_bounds(&self, source: IpAddr, now: i64) -> bool {
        self.bounds.iter().all(|bounds| bounds.admit(source, now))
    }

    /// Whether two persons are among the identities.
    pub(crate) fn are_two_persons(&self) -> bool {
        self.members.iter().filter(|member| member.kind == IdentityKind::Person).count() > 1
    }
}

/// What was shown with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// The session cookie.
    Cookie,
    /// A bearer token of a session.
    Token {
        /// When it expires.
        expires_at: i64,
    },
    /// An API key, of which there is no session.
    ApiKey,
}

/// A fully logged-in session that makes a request, or somebody who shows an API key with it.
#[derive(Clone, Debug)]
pub struct Caller {
    request: RequestInfo,
    standing: Arc<Standing>,
    shows: Shows,
    /// The request as one that may be repeated.
    call: Option<Arc<IdempotentCall>>,
}

impl Caller {
    /// Only `identity/` vouches for a caller.
    pub(crate) const fn new(_: &impl Vouches, request: RequestInfo, standing: Arc<Standing>, shows: Shows) -> Self {
        Self { request, standing, shows, call: None }
    }

    /// The same caller, whose request may be repeated.
    #[must_use]
    pub fn repeatably(self, call: Arc<IdempotentCall>) -> Self {
        Self { call: Some(call), ..self }
    }

    pub(crate) const fn call(&self) -> Option<&Arc<IdempotentCall>> {
        self.call.as_ref()
    }

    pub(crate) const fn shows(&self) -> Shows {
        self.shows
    }

    /// Whether an API key was shown with the request itself, so that it belongs to no session.
    pub(crate) const fn bears_key(&self) -> bool {
        matches!(self.shows, Shows::ApiKey)
    }

    /// Whether somebody logged in by an API key, or shows one, or exchanged a token of an identity provider.
    pub(crate) fn is_of_a_program(&self) -> bool {
        self.standing.key.is_some() || self.standing.by_token
    }

    /// Whether somebody logged in by an API key, or shows one.
    pub(crate) fn has_key(&self) -> bool {
        self.standing.key.is_some()
    }

    /// The key that is shown with the request itself, and which of its secrets.
    pub(crate) fn shown_key(&self) -> Option<(ApiKeyId, u32)> {
        let key = self.standing.key.as_ref().filter(|_| self.bears_key())?;
        Some((key.id, key.version))
    }

    /// The key that gives less than its identity has.
    pub(crate) fn restricted_by(&self) -> Option<ApiKeyId> {
        self.standing.key.as_ref().filter(|key| key.is_restricted()).map(|key| key.id)
    }

    /// Refuses a token profile that the caller's API key is not for.
    pub(crate) fn check_profile(&self, profile: TokenProfileId) -> Result<()> {
        match &self.standing.key {
            Some(key) if !key.takes_profile(profile) => Err(beyond_the_key("this token profile")),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses a policy that the caller's API key is not for.
    pub(crate) fn check_policy(&self, service: ServiceId, policy: PolicyId) -> Result<()> {
        match &self.standing.key {
            Some(key) if !key.takes_policy(service, policy) => Err(beyond_the_key("this signing policy")),
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses the requests of all services, or of one, to a caller whose API key is not for them.
    pub(crate) fn check_requests_of(&self, service: Option<ServiceId>) -> Result<()> {
        let takes = |key: &Terms| service.map_or(!key.is_restricted(), |service| key.takes_service(service));
        match &self.standing.key {
            Some(key) if !takes(key) => Err(beyond_the_key("these signing requests")),
            Some(_) | None => Ok(()),
        }
    }

    /// The request that is being made.
    #[must_use]
    pub const fn request(&self) -> &RequestInfo {
        &self.request
    }

    /// The session; not its cookie.
    #[must_use]
    pub fn session(&self) -> uuid::Uuid {
        self.standing.session
    }

    /// The identities in whose name this happens: at least one.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.standing.members
    }

    /// Whether two persons have logged in, as roles with two logins demand.
    #[must_use]
    pub fn are_two_persons(&self) -> bool {
        self.standing.are_two_persons()
    }

    /// Since when, in milliseconds since 1970 UTC, everybody here has shown a second factor of ours; none where somebody has not.
    pub(crate) fn second_factor_at(&self) -> Option<i64> {
        self.standing.second_factor_at
    }

    /// Whether these are two persons who may decide whom others trust: what ends that trust is theirs to do, too.
    pub(crate) fn manages_trust(&self) -> bool {
        self.has(Perm::CertManageManage) && self.are_two_persons()
    }

    /// The members as audit records name them.
    pub(crate) fn recorded(&self) -> &RecordedIdentities {
        &self.standing.recorded
    }

    /// The roles that the session holds.
    #[must_use]
    pub fn roles(&self) -> &[RoleId] {
        &self.standing.roles
    }

    /// Whether one of the roles grants this.
    #[must_use]
    pub fn has(&self, perm: Perm) -> bool {
        self.standing.perms.has(perm)
    }

    /// Everything the roles grant, in the interface's order.
    pub fn perms(&self) -> impl Iterator<Item = Perm> {
        self.standing.perms.iter()
    }

    /// Whether the session may administer.
    #[must_use]
    pub fn management(&self) -> bool {
        self.standing.management
    }
}

fn beyond_the_key(what: &str) -> Error {
    Error::forbidden(format!("The API key is restricted, and not to {what}."))
}
