//! Dual login as a pure state machine: which login opens a session, which one advances it, which one is refused.

use std::{net::IpAddr, time::Duration};

use chancery_types::{IdentityId, RoleId, wire::audit::LoginWay};
use serde::{Deserialize, Serialize};

use crate::{Limits, base::clock::ms};

/// One identity in a session, with the roles that it held when it logged in. Roles given to it later need a new login,
/// so a session's privileges never grow by themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seat {
    pub(crate) identity: IdentityId,
    pub(crate) roles: Vec<RoleId>,
    /// When it logged in: a role that was withdrawn and given again since is a new one.
    pub(crate) at: i64,
    /// How and from where; none in a session that a former release began.
    pub(crate) proof: Option<SeatProof>,
}

impl Seat {
    /// When a second factor of ours was shown; none where none was.
    pub(crate) fn factor_at(&self) -> Option<i64> {
        let proof = self.proof.as_ref().filter(|proof| proof.login.has_own_second_factor());
        proof.map(|proof| proof.shown_at.unwrap_or(self.at))
    }
}

/// How an identity proved who it is, and from which address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeatProof {
    pub(crate) login: LoginWay,
    pub(crate) source: IpAddr,
    /// Since when this way in leads to the identity: a binding to a provider, and what the provider vouches by, may be newer
    /// than the identity. None for what is the identity's own, and in a session that a former release began.
    #[serde(default)]
    pub(crate) trusted_since: Option<i64>,
    /// When it was shown: a seat's own time may lie later, where roles were given by a clock that was ahead. None in a session
    /// that a former release began.
    #[serde(default)]
    pub(crate) shown_at: Option<i64>,
}

/// A session as the machine sees it. Times are milliseconds since 1970 UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// In the order of the logins: at least one, each identity once.
    pub(crate) seats: Vec<Seat>,
    /// The first login.
    pub(crate) opened_at: i64,
    /// The login with which the first role was satisfied.
    pub(crate) completed_at: Option<i64>,
}

/// What a login leads to. Either way the session has a new id and cookie, since its privileges have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A new session. One that the client had before goes on as it was.
    Begin(State),
    /// The session with one more seat, in the place of the old one.
    Advance(State),
}

/// Why a login was refused although the proof was right. The session stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// This identity has logged in on this session already.
    SameIdentity,
    /// It holds no role that waits for a further login.
    NothingWaiting,
}

/// How many logins a role requires; `None` when there is no such role (any more).
pub(crate) trait LoginsRequired {
    fn logins_required(&self, role: RoleId) -> Option<u32>;
}

/// Decides on the login of an identity that has proved who it is.
pub(crate) fn log_in(
    session: Option<&State>,
    arriving: Seat,
    roles: &impl LoginsRequired,
    now: i64,
    limits: &Limits,
) -> Result<Next, Refusal> {
    let Some(session) = session else {
        return Ok(Next::Begin(opened(arriving, roles, now)));
    };
    if session.seats.iter().any(|seat| seat.identity == arriving.identity) {
        return begin_again(session, arriving, roles, now, limits);
    }
    let waiting = |role: &&RoleId| {
        session.seats.iter().any(|seat| seat.roles.contains(role))
            && roles.logins_required(**role).is_some_and(|required| logins(&session.seats, **role) < required)
    };
    if !arriving.roles.iter().any(|role| waiting(&role)) {
        return Err(Refusal::NothingWaiting);
    }
    let mut next = session.clone();
    next.seats.push(arriving);
    if next.completed_at.is_none() && !satisfied(&next.seats, roles).is_empty() {
        next.completed_at = Some(now);
    }
    Ok(Next::Advance(next))
}

/// The same identity twice never counts. But the interface promises that repeating the login steps gives a new token
/// once the token has expired, and a client that keeps its cookies repeats them on the old session.
fn begin_again(
    session: &State,
    arriving: Seat,
    roles: &impl LoginsRequired,
    now: i64,
    limits: &Limits,
) -> Result<Next, Refusal> {
    let lifetime = ms(limits.token_lifetime);
    match session.completed_at {
        Some(completed_at) if now >= completed_at.saturating_add(lifetime) => {
            Ok(Next::Begin(opened(arriving, roles, now)))
        }
        Some(_) | None => Err(Refusal::SameIdentity),
    }
}

fn opened(seat: Seat, roles: &impl LoginsRequired, now: i64) -> State {
    let seats = vec![seat];
    let completed_at = (!satisfied(&seats, roles).is_empty()).then_some(now);
    State { seats, opened_at: now, completed_at }
}

/// The roles whose number of logins is reached, in the order in which the seats name them.
pub(crate) fn satisfied(seats: &[Seat], roles: &impl LoginsRequired) -> Vec<RoleId> {
    let mut satisfied = Vec::new();
    for &role in seats.iter().flat_map(|seat| &seat.roles) {
        let reached = roles.logins_required(role).is_some_and(|required| logins(seats, role) >= required);
        if reached && !satisfied.contains(&role) {
            satisfied.push(role);
        }
    }
    satisfied
}

/// How many seats hold the role. Seats are different identities, so this counts people, not logins.
fn logins(seats: &[Seat], role: RoleId) -> u32 {
    seats.iter().map(|seat| u32::from(seat.roles.contains(&role))).sum()
}

/// Whether a session still lives: 5 minutes half open, 15 minutes unused, 12 hours at all.
pub(crate) fn lives(opened_at: i64, last_used_at: i64, complete: bool, now: i64, limits: &Limits) -> bool {
    // One that was begun or used under a clock that was ahead would outlive its limits once the clock is right.
    let within = |since: i64, span| since <= latest_ms(now) && now < since.saturating_add(ms(span));
    within(opened_at, limits.session_max)
        && if complete { within(last_used_at, limits.idle_max) } else { within(opened_at, limits.half_open_max) }
}

/// By how much the clocks of nodes may differ.
const CLOCKS_APART: Duration = Duration::from_mins(5);

/// What was done later than this was done under a clock that was ahead.
pub(crate) fn latest_ms(now_ms: i64) -> i64 {
    now_ms.saturating_add(ms(CLOCKS_APART))
}

#[cfg(test)]
mod tests;
