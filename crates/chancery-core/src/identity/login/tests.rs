use super::*;

const DUAL: RoleId = RoleId::from_u128(1);
const OTHER_DUAL: RoleId = RoleId::from_u128(2);
const SINGLE: RoleId = RoleId::from_u128(3);
const OTHER_SINGLE: RoleId = RoleId::from_u128(4);
const GONE: RoleId = RoleId::from_u128(5);
const MINUTE: i64 = 60_000;

struct Roles;

impl LoginsRequired for Roles {
    fn logins_required(&self, role: RoleId) -> Option<u32> {
        match role {
            DUAL | OTHER_DUAL => Some(2),
            SINGLE | OTHER_SINGLE => Some(1),
            _ => None,
        }
    }
}

fn seat(identity: u128, roles: &[RoleId]) -> Seat {
    Seat { identity: IdentityId::from_u128(identity), roles: roles.to_vec(), at: 0, proof: None }
}

fn try_log_in(session: Option<&State>, arriving: Seat, now: i64) -> Result<Next, Refusal> {
    log_in(session, arriving, &Roles, now, &Limits::default())
}

/// The session after these logins, the first at time 0 and each a second after the one before.
fn after(seats: &[Seat]) -> State {
    let mut session: Option<State> = None;
    for (second, seat) in (0..).zip(seats) {
        session = Some(match try_log_in(session.as_ref(), seat.clone(), second * 1_000).unwrap() {
            Next::Begin(state) | Next::Advance(state) => state,
        });
    }
    session.unwrap()
}

#[test]
fn complete_once_as_many_different_identities_share_a_role() {
    for (seats, expected) in [
        (vec![seat(1, &[SINGLE])], vec![SINGLE]),
        (vec![seat(1, &[SINGLE, OTHER_SINGLE])], vec![SINGLE, OTHER_SINGLE]),
        (vec![seat(1, &[DUAL])], vec![]),
        (vec![seat(1, &[DUAL]), seat(2, &[DUAL])], vec![DUAL]),
        (vec![seat(1, &[DUAL, OTHER_DUAL]), seat(2, &[DUAL])], vec![DUAL]),
        (vec![seat(1, &[DUAL, OTHER_DUAL]), seat(2, &[OTHER_DUAL, DUAL])], vec![DUAL, OTHER_DUAL]),
        (vec![seat(1, &[GONE])], vec![]),
        (vec![seat(1, &[])], vec![]),
    ] {
        let session = after(&seats);
        assert_eq!(satisfied(&session.seats, &Roles), expected, "{seats:?}");
        assert_eq!(session.completed_at.is_some(), !expected.is_empty(), "{seats:?}");
    }
}

#[test]
fn the_second_login_advances_and_keeps_the_opening_time() {
    let half_open = after(&[seat(1, &[DUAL])]);
    let Ok(Next::Advance(complete)) = try_log_in(Some(&half_open), seat(2, &[DUAL]), 7) else { panic!() };
    assert_eq!((complete.opened_at, complete.completed_at), (0, Some(7)));
    assert_eq!(complete.seats, [seat(1, &[DUAL]), seat(2, &[DUAL])]);
}

#[test]
fn a_further_login_must_hold_a_role_that_still_waits() {
    let half_open = [seat(1, &[DUAL])];
    let complete = [seat(1, &[DUAL]), seat(2, &[DUAL])];
    let one_waits = [seat(1, &[DUAL, OTHER_DUAL]), seat(2, &[DUAL])];
    let single = [seat(1, &[SINGLE])];
    for (session, arriving, expected) in [
        (&half_open[..], seat(2, &[OTHER_DUAL]), Err(Refusal::NothingWaiting)),
        (&half_open, seat(2, &[SINGLE]), Err(Refusal::NothingWaiting)),
        (&half_open, seat(2, &[]), Err(Refusal::NothingWaiting)),
        (&half_open, seat(2, &[OTHER_DUAL, DUAL]), Ok(vec![DUAL])),
        (&complete, seat(3, &[DUAL]), Err(Refusal::NothingWaiting)),
        (&complete, seat(3, &[OTHER_DUAL]), Err(Refusal::NothingWaiting)),
        (&one_waits, seat(3, &[DUAL]), Err(Refusal::NothingWaiting)),
        (&one_waits, seat(3, &[OTHER_DUAL]), Ok(vec![DUAL, OTHER_DUAL])),
        (&single, seat(2, &[SINGLE]), Err(Refusal::NothingWaiting)),
        (&single, seat(2, &[OTHER_SINGLE]), Err(Refusal::NothingWaiting)),
    ] {
        let reached = try_log_in(Some(&after(session)), arriving.clone(), MINUTE).map(|next| match next {
            Next::Advance(state) => satisfied(&state.seats, &Roles),
            Next::Begin(state) => panic!("began anew: {state:?}"),
        });
        assert_eq!(reached, expected, "{arriving:?} after {session:?}");
    }
}

#[test]
fn a_third_login_does_not_move_the_completion() {
    let session = after(&[seat(1, &[DUAL, OTHER_DUAL]), seat(2, &[DUAL]), seat(3, &[OTHER_DUAL])]);
    assert_eq!((session.opened_at, session.completed_at), (0, Some(1_000)));
}

#[test]
fn the_same_identity_twice_never_counts() {
    for session in [
        vec![seat(1, &[DUAL])],
        vec![seat(1, &[DUAL]), seat(2, &[DUAL])],
        vec![seat(1, &[DUAL, OTHER_DUAL]), seat(2, &[DUAL])],
        vec![seat(1, &[SINGLE])],
    ] {
        let again = seat(1, &[DUAL, OTHER_DUAL, SINGLE]);
        assert_eq!(try_log_in(Some(&after(&session)), again, MINUTE), Err(Refusal::SameIdentity), "{session:?}");
    }
}

#[test]
fn repeating_the_login_steps_after_the_token_has_expired_begins_anew() {
    let complete = after(&[seat(1, &[DUAL]), seat(2, &[DUAL])]);
    let expired = 1_000 + 10 * MINUTE;
    assert_eq!(try_log_in(Some(&complete), seat(2, &[DUAL]), expired - 1), Err(Refusal::SameIdentity));
    let Ok(Next::Begin(again)) = try_log_in(Some(&complete), seat(2, &[DUAL]), expired) else { panic!() };
    assert_eq!(again, State { seats: vec![seat(2, &[DUAL])], opened_at: expired, completed_at: None });
    // A stranger to the session is refused however old it is, and so is the only member of a half-open one.
    assert_eq!(try_log_in(Some(&complete), seat(3, &[DUAL]), expired), Err(Refusal::NothingWaiting));
    let half_open = after(&[seat(1, &[DUAL])]);
    assert_eq!(try_log_in(Some(&half_open), seat(1, &[DUAL]), expired), Err(Refusal::SameIdentity));
}

#[test]
fn sessions_end_half_open_idle_and_absolutely() {
    let limits = Limits::default();
    let (hour, opened) = (60 * MINUTE, 1_000);
    for (last_used, complete, now, expected) in [
        (opened, false, opened + 5 * MINUTE - 1, true),
        (opened, false, opened + 5 * MINUTE, false),
        // Being used does not prolong a half-open session.
        (opened + 4 * MINUTE, false, opened + 5 * MINUTE, false),
        (opened, true, opened + 15 * MINUTE - 1, true),
        (opened, true, opened + 15 * MINUTE, false),
        (opened + 14 * MINUTE, true, opened + 28 * MINUTE, true),
        (opened + 12 * hour - 2, true, opened + 12 * hour - 1, true),
        (opened + 12 * hour - 1, true, opened + 12 * hour, false),
        // Begun or used under a clock that was ahead by more than those of nodes may differ.
        (opened, true, opened - 5 * MINUTE, true),
        (opened, true, opened - 5 * MINUTE - 1, false),
        (opened + 10 * MINUTE, true, opened + 5 * MINUTE - 1, false),
    ] {
        assert_eq!(lives(opened, last_used, complete, now, &limits), expected, "{last_used} {complete} {now}");
    }
}
