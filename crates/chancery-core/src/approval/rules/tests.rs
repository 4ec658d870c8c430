use chancery_types::IdentityId;

use super::*;
use crate::testing::{compare_all, every};

const NOW: i64 = 1_000;

fn id(n: u128) -> IdentityId {
    IdentityId::from_u128(n)
}

fn person(n: u128) -> Participant {
    Participant { id: id(n), kind: IdentityKind::Person, trusted_since: Some(2), roles: Vec::new() }
}

fn role(n: u128) -> RoleId {
    RoleId::from_u128(n)
}

/// A person who has held a role since a moment.
fn holder(n: u128, held: u128, since: i64) -> Participant {
    Participant { roles: vec![(role(held), since)], ..person(n) }
}

fn given(identities: &[u128]) -> Approval {
    Approval { identities: identities.iter().map(|n| id(*n)).collect(), ..Approval::default() }
}

/// A request of identity 1 that needs two approvals and has none.
fn facts(standing: Standing) -> Facts {
    Facts {
        standing,
        submitted_at: NOW,
        submitters: vec![id(1)],
        approvals: Vec::new(),
        steps: Vec::new(),
        required_at_submission: 2,
        required_now: 2,
        self_approval: SelfApproval::DualControl,
        demands_passkeys: false,
    }
}

/// With one more approval to be given, and by people who may do what they do.
#[test]
fn every_standing_meets_every_event() {
    use Standing::{Approved, Denied, Expired, Failed, New, Pending, Signed, Withdrawn};
    let (approver, submitter, pre_approved) = ([person(2)], [person(1)], PreApproved::for_tests(&[id(1)]));
    let standings = every!(Standing: New, Pending, Approved, Signed, Failed, Denied, Withdrawn, Expired);
    let events = every!(Transition: Submit, SubmitPreApproved(&pre_approved), Approve(&approver), Deny(&approver),
        Withdraw(&submitter), Expire, Sign, Fail, Repeat);
    #[rustfmt::skip]
    let table = [
        //  New             Pending          Approved      Signed Failed       Denied Withdrawn Expired
        [Some(Pending),  None,            None,         None,  None,         None,  None,  None],          // Submit
        [Some(Approved), None,            None,         None,  None,         None,  None,  None],          // SubmitPreApproved
        [None,           Some(Approved),  None,         None,  None,         None,  None,  None],          // Approve
        [None,           Some(Denied),    None,         None,  None,         None,  None,  None],          // Deny
        [None,           Some(Withdrawn), None,         None,  None,         None,  None,  None],          // Withdraw
        [None,           Some(Expired),   None,         None,  None,         None,  None,  None],          // Expire
        [None,           None,            Some(Signed), None,  None,         None,  None,  None],          // Sign
        [None,           None,            Some(Failed), None,  None,         None,  None,  None],          // Fail
        [None,           None,            None,         None,  Some(Failed), None,  None,  Some(Expired)], // Repeat
    ];
    compare_all(standings, events, table, |standing, event| {
        let approvals = if standing == New { Vec::new() } else { vec![given(&[3])] };
        let reached = next(&Facts { approvals, ..facts(standing) }, event);
        reached.map_err(|refusal| assert_eq!(refusal, Refusal::Standing(standing))).ok()
    });
}

/// What changes around a request that waits: its policy, and who may approve. Only while it waits does that matter;
/// whatever is decided stays decided. Each changes what the last
/// approval of two leads to.
#[derive(Clone, Copy, Debug)]
enum Around {
    Nothing,
    PolicyStricter,
    PolicyLaxer,
    PolicyWithSteps,
    PolicyWithoutSelfApproval,
    ApproverDisabled,
    ApproverReplaced,
    ApproverNoPerson,
    ApprovedBefore,
    SubmitterJoins,
}

impl Around {
    /// What the approval of this session then leads to, where the request waits.
    fn happens(self, facts: &mut Facts, session: &mut Vec<Participant>) -> Result<Standing, Refusal> {
        match self {
            Around::Nothing => Ok(Standing::Approved),
            Around::PolicyStricter => {
                facts.required_now = 3;
                Ok(Standing::Pending)
            }
            Around::PolicyLaxer => {
                (facts.required_now, facts.required_at_submission) = (0, 3);
                Ok(Standing::Pending)
            }
            Around::PolicyWithSteps => {
                facts.steps = vec![Step { roles: vec![role(7)], count: 1 }];
                Err(Refusal::Step(vec![role(7)]))
            }
            Around::PolicyWithoutSelfApproval => {
                facts.self_approval = SelfApproval::Never;
                session.push(person(1));
                Err(Refusal::Submitter(id(1)))
            }
            Around::ApproverDisabled => {
                session[0].trusted_since = None;
                Err(Refusal::NotAnApprover(id(2)))
            }
            Around::ApproverReplaced => {
                session[0].trusted_since = Some(NOW + 1);
                Err(Refusal::TooRecent(id(2)))
            }
            Around::ApproverNoPerson => {
                session[0].kind = IdentityKind::Application;
                Err(Refusal::NotAPerson(id(2)))
            }
            Around::ApprovedBefore => {
                session.push(person(3));
                Err(Refusal::Acted(id(3)))
            }
            Around::SubmitterJoins => {
                session.push(person(1));
                Ok(Standing::Approved)
            }
        }
    }
}

#[test]
fn every_standing_meets_every_change_around_it() {
    let standings = every!(Standing: New, Pending, Approved, Signed, Failed, Denied, Withdrawn, Expired);
    let changes = every!(Around: Nothing, PolicyStricter, PolicyLaxer, PolicyWithSteps, PolicyWithoutSelfApproval,
        ApproverDisabled, ApproverReplaced, ApproverNoPerson, ApprovedBefore, SubmitterJoins);
    let one_given_of_two = |standing| Facts { approvals: vec![given(&[3])], ..facts(standing) };
    for (standing, around) in standings.iter().flat_map(|standing| changes.map(|around| (*standing, around))) {
        let (mut facts, mut session) = (one_given_of_two(standing), vec![person(2)]);
        let reached = around.happens(&mut facts, &mut session);
        let expected = if standing == Standing::Pending { reached } else { Err(Refusal::Standing(standing)) };
        assert_eq!(next(&facts, Transition::Approve(&session)), expected, "{standing:?}, {around:?}");
    }
}

#[test]
fn a_pre_approval_that_was_found_for_others_says_nothing() {
    let of_others = PreApproved::for_tests(&[id(1), id(2)]);
    assert_eq!(
        next(&facts(Standing::New), Transition::SubmitPreApproved(&of_others)),
        Err(Refusal::Standing(Standing::New))
    );
}

#[test]
fn a_policy_without_approvals_is_approved_on_submission() {
    let auto = Facts { required_at_submission: 0, required_now: 0, ..facts(Standing::New) };
    assert_eq!(next(&auto, Transition::Submit), Ok(Standing::Approved));
}

#[test]
fn the_last_approval_that_is_needed_approves() {
    let mut facts = facts(Standing::Pending);
    assert_eq!(next(&facts, Transition::Approve(&[person(2)])), Ok(Standing::Pending));
    facts.approvals.push(given(&[2]));
    assert_eq!(next(&facts, Transition::Approve(&[person(3)])), Ok(Standing::Approved));
}

#[test]
fn the_stricter_count_of_submission_and_now_applies() {
    let one_given = |at_submission, now| {
        let facts = Facts {
            approvals: vec![given(&[2])],
            required_at_submission: at_submission,
            required_now: now,
            ..facts(Standing::Pending)
        };
        next(&facts, Transition::Approve(&[person(3)]))
    };
    assert_eq!(one_given(2, 0), Ok(Standing::Approved));
    assert_eq!(one_given(3, 0), Ok(Standing::Pending));
    assert_eq!(one_given(0, 3), Ok(Standing::Pending));
    assert_eq!(one_given(0, 2), Ok(Standing::Approved));
}

#[test]
fn whoever_approved_does_not_count_twice_in_any_company() {
    let facts = Facts { approvals: vec![given(&[2, 3])], ..facts(Standing::Pending) };
    for session in [vec![person(2)], vec![person(3)], vec![person(4), person(3)], vec![person(2), person(3)]] {
        let acted = session.iter().find(|actor| facts.has_approved(actor.id)).map(|actor| actor.id);
        assert_eq!(next(&facts, Transition::Approve(&session)).err(), acted.map(Refusal::Acted));
    }
    assert_eq!(next(&facts, Transition::Approve(&[person(4)])), Ok(Standing::Approved));
}

#[test]
fn only_persons_approve() {
    let machine = Participant { kind: IdentityKind::Application, ..person(2) };
    let pending = facts(Standing::Pending);
    assert_eq!(next(&pending, Transition::Approve(std::slice::from_ref(&machine))), Err(Refusal::NotAPerson(id(2))));
    assert_eq!(next(&pending, Transition::Approve(&[person(3), machine.clone()])), Err(Refusal::NotAPerson(id(2))));
    assert_eq!(next(&pending, Transition::Approve(&[])), Err(Refusal::Standing(Standing::Pending)));
}

#[test]
fn submitters_approve_only_under_dual_control_where_the_policy_says_so() {
    let with = |self_approval| Facts { self_approval, ..facts(Standing::Pending) };
    let (alone, together) = ([person(1)], [person(1), person(2)]);
    for (self_approval, session, expected) in [
        (SelfApproval::DualControl, &alone[..], Err(Refusal::Submitter(id(1)))),
        (SelfApproval::DualControl, &together[..], Ok(Standing::Pending)),
        (SelfApproval::Never, &alone[..], Err(Refusal::Submitter(id(1)))),
        (SelfApproval::Never, &together[..], Err(Refusal::Submitter(id(1)))),
    ] {
        assert_eq!(next(&with(self_approval), Transition::Approve(session)), expected, "{self_approval} {session:?}");
    }
}

#[test]
fn nobody_is_made_an_approver_for_a_request_that_waits() {
    let since = |trusted_since| {
        next(&facts(Standing::Pending), Transition::Approve(&[Participant { trusted_since, ..person(2) }]))
    };
    assert_eq!(since(Some(NOW + 1)), Err(Refusal::TooRecent(id(2))));
    assert_eq!(since(Some(NOW)), Ok(Standing::Pending));
    assert_eq!(since(None), Err(Refusal::NotAnApprover(id(2))));
}

#[test]
fn approvers_of_every_kind_and_submitters_deny() {
    let outsider = Participant { trusted_since: None, ..person(9) };
    let submitter = Participant { trusted_since: None, kind: IdentityKind::Application, ..person(1) };
    let newcomer = Participant { trusted_since: Some(NOW + 1), ..person(2) };
    let machine = Participant { kind: IdentityKind::Application, ..person(2) };
    let facts = Facts { self_approval: SelfApproval::Never, approvals: vec![given(&[3])], ..facts(Standing::Pending) };
    for session in [submitter, newcomer, machine, person(3)] {
        assert_eq!(next(&facts, Transition::Deny(&[session])), Ok(Standing::Denied));
    }
    let ended = Facts { standing: Standing::Signed, ..facts.clone() };
    for facts in [&facts, &ended] {
        assert_eq!(next(facts, Transition::Deny(std::slice::from_ref(&outsider))), Err(Refusal::NotAnApprover(id(9))));
    }
    assert_eq!(next(&facts, Transition::Deny(&[])), Err(Refusal::Standing(Standing::Pending)));
}

#[test]
fn stored_words_read_back() {
    for state in SigningRequestState::ALL {
        assert_eq!(Standing::stored(*state).words().0, *state);
    }
}

/// A request that needs four approvals: one of role 7, then one of role 8 or 9, then two of anybody.
fn in_steps() -> Facts {
    let step = |roles: &[u128]| Step { roles: roles.iter().map(|n| role(*n)).collect(), count: 1 };
    Facts { steps: vec![step(&[7]), step(&[8, 9])], required_at_submission: 4, ..facts(Standing::Pending) }
}

#[test]
fn steps_are_taken_in_their_order_and_by_their_roles() {
    let mut facts = in_steps();
    let turn_of = |roles: &[u128]| Err(Refusal::Step(roles.iter().map(|n| role(*n)).collect()));
    for early in [person(2), holder(2, 8, 0), holder(2, 7, NOW + 1)] {
        assert_eq!(next(&facts, Transition::Approve(&[early])), turn_of(&[7]));
    }
    for (who, others) in [(holder(2, 7, NOW), Some(holder(9, 7, 0))), (holder(3, 9, 0), None), (person(4), None)] {
        let session = [who];
        assert_eq!(next(&facts, Transition::Approve(&session)), Ok(Standing::Pending));
        facts.approvals.push(facts.approval_of(&session));
        if let Some(another) = others {
            assert_eq!(next(&facts, Transition::Approve(&[another])), turn_of(&[8, 9]), "the first step is complete");
        }
    }
    assert_eq!((facts.current_step(), facts.required()), (None, 4));
    assert_eq!(next(&facts, Transition::Approve(&[person(5)])), Ok(Standing::Approved));
}

#[test]
fn one_of_a_session_with_the_role_is_enough() {
    let session = [person(2), holder(3, 7, 0)];
    assert_eq!(next(&in_steps(), Transition::Approve(&session)), Ok(Standing::Pending));
}

#[test]
fn steps_that_a_policy_gets_later_are_taken_too() {
    let facts = Facts { approvals: vec![given(&[2]), given(&[3]), given(&[4])], ..in_steps() };
    assert_eq!(facts.required(), 5, "three of anybody, and two steps");
    assert_eq!(next(&facts, Transition::Approve(&[person(5)])), Err(Refusal::Step(vec![role(7)])));
    assert_eq!(next(&facts, Transition::Approve(&[holder(5, 7, 0)])), Ok(Standing::Pending));
}

#[test]
fn only_who_submitted_it_withdraws_it() {
    let approver = [person(2)];
    let pending = facts(Standing::Pending);
    for facts in [&pending, &facts(Standing::Signed)] {
        assert_eq!(next(facts, Transition::Withdraw(&approver)), Err(Refusal::NotASubmitter(id(2))));
    }
    assert_eq!(next(&pending, Transition::Withdraw(&[person(2), person(1)])), Ok(Standing::Withdrawn));
    assert_eq!(next(&pending, Transition::Withdraw(&[])), Err(Refusal::Standing(Standing::Pending)));
}
