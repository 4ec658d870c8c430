//! The life of what waits for approvals, a signing request or a proposal, as a pure function: what it was, what happens, what
//! it is then. Of a proposal Signed says that it took effect.

use std::fmt;

use chancery_types::{ApprovalState, IdentityId, IdentityKind, RoleId, SelfApproval, SigningRequestState};

use super::pre_approval::PreApproved;

/// Where a request stands.
///
/// ```text
/// New ──Submit──▶ Pending ──Approve──▶ Approved ──Sign──▶ Signed
///  └──SubmitPreApproved────────────────▶  └──────Fail──▶ Failed
///                    │
///                    ├────Deny──▶ Denied
///                    ├Withdraw──▶ Withdrawn
///                    └──Expire──▶ Expired
/// ```
///
/// `New` and `Approved` exist in memory only: what is stored was always submitted, and the last approval is stored
/// together with the signature or the failure that it led to. A server that dies in between leaves a pending request.
/// `Expired` is never stored either: it follows from the time that the request was given. What failed or expired can be
/// repeated, which is a new request and leaves the old one as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not submitted yet.
    New,
    /// Waiting for approvers.
    Pending,
    /// Every approval that is needed was given; the signature is yet to be made.
    Approved,
    /// Signed.
    Signed,
    /// Approved, but its key can never sign it.
    Failed,
    /// Denied by an approver or by its submitter.
    Denied,
    /// Taken back by its submitter.
    Withdrawn,
    /// Its time to wait for approvals is over.
    Expired,
}

impl Standing {
    /// The interface's words for it.
    #[must_use]
    pub(crate) const fn words(self) -> (SigningRequestState, ApprovalState) {
        match self {
            Self::New => (SigningRequestState::None, ApprovalState::None),
            Self::Pending => (SigningRequestState::Approval, ApprovalState::Pending),
            Self::Approved => (SigningRequestState::Approval, ApprovalState::Approved),
            Self::Signed => (SigningRequestState::Signed, ApprovalState::Approved),
            Self::Failed => (SigningRequestState::Failed, ApprovalState::Approved),
            // The interface has no words of its own for what was withdrawn: it will not be signed either.
            Self::Denied | Self::Withdrawn => (SigningRequestState::Denied, ApprovalState::Denied),
            Self::Expired => (SigningRequestState::Failed, ApprovalState::Pending),
        }
    }

    /// What a stored word stands for.
    #[must_use]
    pub(crate) const fn stored(state: SigningRequestState) -> Self {
        match state {
            SigningRequestState::None => Self::New,
            SigningRequestState::Approval => Self::Pending,
            SigningRequestState::Signed => Self::Signed,
            SigningRequestState::Failed => Self::Failed,
            SigningRequestState::Denied => Self::Denied,
        }
    }
}

/// The evidence that everybody has approved who is to be asked, or that nobody is to be. Made only by [`Facts::take`].
#[derive(Debug)]
pub(crate) struct Approved(());

/// What the rules need to know of a request or a proposal.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// Where it stands.
    pub(crate) standing: Standing,
    /// When it was submitted, in milliseconds since the epoch.
    pub(crate) submitted_at: i64,
    /// All identities of the session that submitted it.
    pub(crate) submitters: Vec<IdentityId>,
    /// Every approval so far.
    pub(crate) approvals: Vec<Approval>,
    /// Whose approvals come first, in this order.
    pub(crate) steps: Vec<Step>,
    /// Approvals that the policy asked for when the request was submitted.
    pub(crate) required_at_submission: u32,
    /// Approvals that the policy asks for now.
    pub(crate) required_now: u32,
    /// Whether the policy lets submitters take part in approving.
    pub(crate) self_approval: SelfApproval,
    /// Whether approvals count only where passkeys signed them.
    pub(crate) demands_passkeys: bool,
}

/// One approval, in the name of all identities of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Approval {
    /// The session's identities.
    pub(crate) identities: Vec<IdentityId>,
    /// The roles that one of them held since before the request was submitted.
    pub(crate) roles: Vec<RoleId>,
    /// Whether a passkey of each of them signed it.
    pub(crate) is_signed: bool,
}

/// Approvals of certain roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// One of these roles.
    pub(crate) roles: Vec<RoleId>,
    /// So many approvals.
    pub(crate) count: u32,
}

impl Facts {
    /// Lets something happen. Answers the evidence where nobody is to be asked any more.
    ///
    /// # Errors
    /// Why it cannot happen; nothing has changed then.
    pub(crate) fn take(&mut self, transition: Transition<'_>) -> Result<Option<Approved>, Refusal> {
        self.standing = next(self, transition)?;
        if let Transition::Approve(session) = transition {
            let approval = self.approval_of(session);
            self.approvals.push(approval);
        }
        Ok((self.standing == Standing::Approved).then_some(Approved(())))
    }

    /// The same at a moment: what was to wait no longer than until `expires_at_ms` waits no more.
    pub(crate) fn at(mut self, now_ms: i64, expires_at_ms: Option<i64>) -> Self {
        if expires_at_ms.is_some_and(|end_ms| end_ms <= now_ms) {
            // Refused where it does not wait: that stays as it is.
            self.standing = next(&self, Transition::Expire).unwrap_or(self.standing);
        }
        self
    }

    /// How many approvals it takes: a policy that becomes stricter counts, one that becomes laxer does not. Steps may
    /// demand more where a policy got them while the request had approvals of other roles already.
    #[must_use]
    pub(crate) fn required(&self) -> u32 {
        let (_, missing) = self.missing();
        self.required_at_submission.max(self.required_now).max(self.given().saturating_add(missing))
    }

    /// The step that the next approval belongs to, if one is left.
    #[must_use]
    pub(crate) fn current_step(&self) -> Option<&Step> {
        self.missing().0
    }

    /// The first step that is not complete, and how many approvals of steps are missing.
    fn missing(&self) -> (Option<&Step>, u32) {
        let mut approvals = self.counted();
        let (mut current, mut missing) = (None, 0_u32);
        for step in &self.steps {
            let fits = |given: &&Approval| given.roles.iter().any(|role| step.roles.contains(role));
            // The next step begins after the approval that completed this one.
            let found = approvals.by_ref().filter(fits).take(step.count as usize).count();
            let left = step.count.saturating_sub(u32::try_from(found).unwrap_or(u32::MAX));
            if left > 0 && current.is_none() {
                current = Some(step);
            }
            missing = missing.saturating_add(left);
        }
        (current, missing)
    }

    /// How many approvals there are.
    #[must_use]
    pub(crate) fn given(&self) -> u32 {
        u32::try_from(self.counted().count()).unwrap_or(u32::MAX)
    }

    /// The approvals that count: where passkeys are demanded, those without do not, whenever they were given.
    fn counted(&self) -> impl Iterator<Item = &Approval> {
        self.approvals.iter().filter(|given| given.is_signed || !self.demands_passkeys)
    }

    fn is_submitter(&self, id: IdentityId) -> bool {
        self.submitters.contains(&id)
    }

    fn has_approved(&self, id: IdentityId) -> bool {
        self.approvals.iter().any(|given| given.identities.contains(&id))
    }

    /// What an approval by this session would say.
    #[must_use]
    pub(crate) fn approval_of(&self, session: &[Participant]) -> Approval {
        let held = session.iter().flat_map(|participant| &participant.roles);
        let mut roles: Vec<_> = held.filter(|(_, since)| *since <= self.submitted_at).map(|(role, _)| *role).collect();
        roles.sort_unstable();
        roles.dedup();
        let identities = session.iter().map(|participant| participant.id).collect();
        // Whoever takes it has evidence of that, or there is no decision to store.
        Approval { identities, roles, is_signed: self.demands_passkeys }
    }
}

/// One identity of a session that acts on a request.
#[derive(Clone, Debug)]
pub(crate) struct Participant {
    /// Who.
    pub(crate) id: IdentityId,
    /// Whether somebody or something.
    pub(crate) kind: IdentityKind,
    /// Since when it can be trusted to approve: the latest of its creation, its last password reset by somebody else
    /// and its grant of the permission; `None` where it does not hold the permission.
    pub(crate) trusted_since: Option<i64>,
    /// The roles that it holds, and since when.
    pub(crate) roles: Vec<(RoleId, i64)>,
}

/// What happens to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Transition<'a> {
    /// It is submitted.
    Submit,
    /// It is submitted, and a pre-approval stands in for the approvals that it needs.
    SubmitPreApproved(&'a PreApproved),
    /// All identities of one session approve it, as one.
    Approve(&'a [Participant]),
    /// All identities of one session deny it.
    Deny(&'a [Participant]),
    /// All identities of one session take it back.
    Withdraw(&'a [Participant]),
    /// Its time to wait is over.
    Expire,
    /// Its key has signed it.
    Sign,
    /// Its key will never sign it.
    Fail,
    /// It is submitted again, as a new request.
    Repeat,
}

/// Why something cannot happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The request's standing does not allow it.
    Standing(Standing),
    /// This identity has approved the request already.
    Acted(IdentityId),
    /// Only persons approve.
    NotAPerson(IdentityId),
    /// This identity submitted the request, and the policy does not let it approve.
    Submitter(IdentityId),
    /// This identity does not hold the permission to approve.
    NotAnApprover(IdentityId),
    /// This identity did not submit the request.
    NotASubmitter(IdentityId),
    /// It is the turn of other roles to approve.
    Step(Vec<RoleId>),
    /// The request is older than this identity, its last password reset by another, or its permission to approve.
    TooRecent(IdentityId),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the rules of approval refuse: {self:?}")
    }
}

impl std::error::Error for Refusal {}

/// Where a request stands afterwards.
///
/// # Errors
/// Why it cannot happen to this request; nothing has changed then.
fn next(facts: &Facts, transition: Transition<'_>) -> Result<Standing, Refusal> {
    match (facts.standing, transition) {
        (Standing::New, Transition::Submit) => Ok(with_approvals(facts)),
        // The evidence is of one submission; in another's name it says nothing.
        (Standing::New, Transition::SubmitPreApproved(evidence)) if evidence.is_for(&facts.submitters) => {
            Ok(Standing::Approved)
        }
        (Standing::Pending, Transition::Approve(session)) => {
            refuse_approval(facts, session)?;
            let mut approved = facts.clone();
            approved.approvals.push(facts.approval_of(session));
            Ok(with_approvals(&approved))
        }
        // Whoever may not is not told where it stands.
        (standing, Transition::Deny(session)) => {
            may_deny(facts, session)?;
            if standing == Standing::Pending { Ok(Standing::Denied) } else { Err(Refusal::Standing(standing)) }
        }
        (standing, Transition::Withdraw(session)) => {
            may_withdraw(facts, session)?;
            if standing == Standing::Pending { Ok(Standing::Withdrawn) } else { Err(Refusal::Standing(standing)) }
        }
        (Standing::Pending, Transition::Expire) => Ok(Standing::Expired),
        (Standing::Approved, Transition::Sign) => Ok(Standing::Signed),
        (Standing::Approved, Transition::Fail) => Ok(Standing::Failed),
        (Standing::Failed | Standing::Expired, Transition::Repeat) => Ok(facts.standing),
        (
            Standing::New
            | Standing::Pending
            | Standing::Approved
            | Standing::Signed
            | Standing::Failed
            | Standing::Denied
            | Standing::Withdrawn
            | Standing::Expired,
            Transition::Submit
            | Transition::SubmitPreApproved(_)
            | Transition::Approve(_)
            | Transition::Expire
            | Transition::Sign
            | Transition::Fail
            | Transition::Repeat,
        ) => Err(Refusal::Standing(facts.standing)),
    }
}

fn with_approvals(facts: &Facts) -> Standing {
    if facts.given() >= facts.required() { Standing::Approved } else { Standing::Pending }
}

/// Whether something waits for an approval that this session may give.
pub(super) fn may_approve(facts: &Facts, session: &[Participant]) -> bool {
    facts.standing == Standing::Pending && refuse_approval(facts, session).is_ok()
}

/// Why a session may not approve: each of its identities must be able to, since the approval is in the name of all.
fn refuse_approval(facts: &Facts, session: &[Participant]) -> Result<(), Refusal> {
    // Without identities there is nobody in whose name to approve; no session is empty, but this is the wrong place to
    // fail open.
    if session.is_empty() {
        return Err(Refusal::Standing(facts.standing));
    }
    // First what would not change by logging in differently, so that a second approval always reads the same.
    if let Some(participant) = session.iter().find(|participant| facts.has_approved(participant.id)) {
        return Err(Refusal::Acted(participant.id));
    }
    session.iter().try_for_each(|participant| may_take_part(facts, participant, session.len()))?;
    let roles = facts.approval_of(session).roles;
    match facts.current_step() {
        Some(step) if !roles.iter().any(|role| step.roles.contains(role)) => Err(Refusal::Step(step.roles.clone())),
        Some(_) | None => Ok(()),
    }
}

fn may_take_part(facts: &Facts, participant: &Participant, session_len: usize) -> Result<(), Refusal> {
    if participant.kind != IdentityKind::Person {
        return Err(Refusal::NotAPerson(participant.id));
    }
    if facts.is_submitter(participant.id) {
        match facts.self_approval {
            SelfApproval::DualControl if session_len >= 2 => {}
            SelfApproval::DualControl | SelfApproval::Never => return Err(Refusal::Submitter(participant.id)),
        }
    }
    let trusted_since = participant.trusted_since.ok_or(Refusal::NotAnApprover(participant.id))?;
    // Whoever can make, take over or promote an identity could otherwise do it in answer to a request that waits.
    if facts.submitted_at < trusted_since {
        return Err(Refusal::TooRecent(participant.id));
    }
    Ok(())
}

/// Whether a session may deny. Denying is the safe direction: any approver may, also a machine, a newcomer or one who
/// has approved before, and whoever submitted the request.
fn may_deny(facts: &Facts, session: &[Participant]) -> Result<(), Refusal> {
    if session.iter().any(|participant| participant.trusted_since.is_some() || facts.is_submitter(participant.id)) {
        return Ok(());
    }
    Err(session.first().map_or(Refusal::Standing(facts.standing), |participant| Refusal::NotAnApprover(participant.id)))
}

/// Whoever submitted a request takes it back, whatever the others say.
fn may_withdraw(facts: &Facts, session: &[Participant]) -> Result<(), Refusal> {
    if session.iter().any(|participant| facts.is_submitter(participant.id)) {
        return Ok(());
    }
    Err(session.first().map_or(Refusal::Standing(facts.standing), |participant| Refusal::NotASubmitter(participant.id)))
}

#[cfg(test)]
mod tests;
