use chancery_types::IdentityId;

use super::*;

const NOW: i64 = 1_000;

fn id(n: u128) -> IdentityId {
    IdentityId::from_u128(n)
}

fn person(n: u128) -> Actor {
    Actor { id: id(n), kind: IdentityKind::Person, trusted_since: Some(2) }
}

/// A request of identity 1 that needs two approvals and has none.
fn request(standing: Standing) -> Request {
    Request {
        standing,
        submitted_at: NOW,
        submitters: vec![id(1)],
        approvals: Vec::new(),
        required_at_submission: 2,
        required_now: 2,
        self_approval: SelfApproval::DualControl,
    }
}

#[test]
fn every_standing_meets_every_event() {
    use Standing::{Approved, Denied, Failed, New, Pending, Signed};
    let approver = [person(2)];
    let events = |standing| {
        let request = request(standing);
        [Event::Submit, Event::Approve(&approver), Event::Deny(&approver), Event::Sign, Event::Fail]
            .map(|event| next(&request, event))
    };
    let no = |standing| Err(Refusal::Standing(standing));
    //                                  Submit        Approve        Deny          Sign          Fail
    assert_eq!(events(New), [Ok(Pending), no(New), no(New), no(New), no(New)]);
    assert_eq!(events(Pending), [no(Pending), Ok(Pending), Ok(Denied), no(Pending), no(Pending)]);
    assert_eq!(events(Approved), [no(Approved), no(Approved), no(Approved), Ok(Signed), Ok(Failed)]);
    for decided in [Signed, Failed, Denied] {
        assert_eq!(events(decided), [no(decided), no(decided), no(decided), no(decided), no(decided)]);
    }
}

#[test]
fn a_policy_without_approvals_is_approved_on_submission() {
    let auto = Request { required_at_submission: 0, required_now: 0, ..request(Standing::New) };
    assert_eq!(next(&auto, Event::Submit), Ok(Standing::Approved));
}

#[test]
fn the_last_approval_that_is_needed_approves() {
    let mut request = request(Standing::Pending);
    assert_eq!(next(&request, Event::Approve(&[person(2)])), Ok(Standing::Pending));
    request.approvals.push(vec![id(2)]);
    assert_eq!(next(&request, Event::Approve(&[person(3)])), Ok(Standing::Approved));
}

#[test]
fn the_stricter_count_of_submission_and_now_applies() {
    let one_given = |at_submission, now| {
        let request = Request {
            approvals: vec![vec![id(2)]],
            required_at_submission: at_submission,
            required_now: now,
            ..request(Standing::Pending)
        };
        next(&request, Event::Approve(&[person(3)]))
    };
    assert_eq!(one_given(2, 0), Ok(Standing::Approved));
    assert_eq!(one_given(3, 0), Ok(Standing::Pending));
    assert_eq!(one_given(0, 3), Ok(Standing::Pending));
    assert_eq!(one_given(0, 2), Ok(Standing::Approved));
}

#[test]
fn whoever_approved_does_not_count_twice_in_any_company() {
    let request = Request { approvals: vec![vec![id(2), id(3)]], ..request(Standing::Pending) };
    for session in [vec![person(2)], vec![person(3)], vec![person(4), person(3)], vec![person(2), person(3)]] {
        let acted = session.iter().find(|actor| request.has_approved(actor.id)).map(|actor| actor.id);
        assert_eq!(next(&request, Event::Approve(&session)).err(), acted.map(Refusal::Acted));
    }
    assert_eq!(next(&request, Event::Approve(&[person(4)])), Ok(Standing::Approved));
}

#[test]
fn only_persons_approve() {
    let machine = Actor { kind: IdentityKind::Application, ..person(2) };
    let pending = request(Standing::Pending);
    assert_eq!(next(&pending, Event::Approve(std::slice::from_ref(&machine))), Err(Refusal::NotAPerson(id(2))));
    assert_eq!(next(&pending, Event::Approve(&[person(3), machine])), Err(Refusal::NotAPerson(id(2))));
    assert_eq!(next(&pending, Event::Approve(&[])), Err(Refusal::Standing(Standing::Pending)));
}

#[test]
fn submitters_approve_only_under_dual_control_where_the_policy_says_so() {
    let with = |self_approval| Request { self_approval, ..request(Standing::Pending) };
    let (alone, together) = ([person(1)], [person(1), person(2)]);
    for (self_approval, session, expected) in [
        (SelfApproval::DualControl, &alone[..], Err(Refusal::Submitter(id(1)))),
        (SelfApproval::DualControl, &together[..], Ok(Standing::Pending)),
        (SelfApproval::Never, &alone[..], Err(Refusal::Submitter(id(1)))),
        (SelfApproval::Never, &together[..], Err(Refusal::Submitter(id(1)))),
    ] {
        assert_eq!(next(&with(self_approval), Event::Approve(session)), expected, "{self_approval} {session:?}");
    }
}

#[test]
fn nobody_is_made_an_approver_for_a_request_that_waits() {
    let since =
        |trusted_since| next(&request(Standing::Pending), Event::Approve(&[Actor { trusted_since, ..person(2) }]));
    assert_eq!(since(Some(NOW + 1)), Err(Refusal::TooRecent(id(2))));
    assert_eq!(since(Some(NOW)), Ok(Standing::Pending));
    assert_eq!(since(None), Err(Refusal::NotAnApprover(id(2))));
}

#[test]
fn approvers_of_every_kind_and_submitters_deny() {
    let outsider = Actor { trusted_since: None, ..person(9) };
    let submitter = Actor { trusted_since: None, kind: IdentityKind::Application, ..person(1) };
    let newcomer = Actor { trusted_since: Some(NOW + 1), ..person(2) };
    let machine = Actor { kind: IdentityKind::Application, ..person(2) };
    let request =
        Request { self_approval: SelfApproval::Never, approvals: vec![vec![id(3)]], ..request(Standing::Pending) };
    for session in [submitter, newcomer, machine, person(3)] {
        assert_eq!(next(&request, Event::Deny(&[session])), Ok(Standing::Denied));
    }
    assert_eq!(next(&request, Event::Deny(&[outsider])), Err(Refusal::NotAnApprover(id(9))));
    assert_eq!(next(&request, Event::Deny(&[])), Err(Refusal::Standing(Standing::Pending)));
}

#[test]
fn stored_words_read_back() {
    for state in SigningRequestState::ALL {
        assert_eq!(Standing::stored(*state).words().0, *state);
    }
}
