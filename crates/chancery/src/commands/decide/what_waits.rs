//! What waits for decisions: signing requests and proposals, by their names.

use chancery_client::ClientError;
use chancery_types::{
    Decision, ErrorCode, IdentityId, ObjectId, ProposalDecision, ProposalId, RequestDecision, SigningRequestId,
    SigningRequestState,
    wire::{
        ObjInfo,
        proposals::{Proposal, ProposalQuery, ProposalStub},
        signing_requests::{SigningRequest, SigningRequestQuery},
    },
};

use chancery_verify::hexadecimal;

use crate::{
    cli::decide::Decide,
    client::{
        connection::Connection,
        exit::{Exit, told, told_with},
    },
    failure::Failure,
    resources::{self, names::Names},
    shown::Shown,
};

/// Something that people decide on.
pub(super) enum Waiting {
    Request(Box<SigningRequest>),
    Proposal(Box<Proposal>),
}

/// By its uuid, or by its name among those that wait: what was decided before may be called the same.
pub(super) fn find(connection: &Connection, names: &Names<'_>, name: &str) -> Result<Waiting, Failure> {
    if name.parse::<ObjectId>().is_ok() {
        return by_uuid(connection, name);
    }
    let query = SigningRequestQuery {
        state: Some(SigningRequestState::Approval),
        search: Some(name.to_owned()),
        ..SigningRequestQuery::default()
    };
    let requests = connection.client.signing_requests(&query)?.items;
    let requests = requests.into_iter().filter(|stub| stub.name == name);
    let mut found: Vec<_> = requests.map(|stub| (stub.uuid.to_string(), "request", stub.submitted_at)).collect();
    let waiting = proposals(connection, Some(name))?.into_iter().filter(|stub| stub.obj_info.name == name);
    found.extend(waiting.map(|stub| (stub.obj_info.uuid.to_string(), "proposal", stub.submitted_at)));
    match found.as_slice() {
        [(uuid, ..)] => by_uuid(connection, uuid),
        [] => by_uuid(connection, &decided(names, name)?),
        several => {
            let lines = several.iter().map(|(uuid, kind, at)| format!("\n    {uuid}  {kind}  {at}"));
            let next = format!("Say which, by its uuid:{}", lines.collect::<String>());
            let message = format!("{name}: {} of this name wait", several.len());
            Err(told_with(Exit::Usage, message, next))
        }
    }
}

/// Refuses a name with --yes where another one of the name has ended in which the caller had no part: whoever says --yes has
/// looked at one before, and it may have been that one.
pub(super) fn expect_alone(connection: &Connection, name: &str, waiting: &Waiting) -> Result<(), Failure> {
    let (uuid, digest) = match waiting {
        Waiting::Request(request) => (request.uuid.to_string(), &request.approval_digest),
        Waiting::Proposal(proposal) => (proposal.obj_info.uuid.to_string(), &proposal.digest),
    };
    if name.parse::<ObjectId>().is_ok() {
        return Ok(());
    }
    let own = connection.client.session_state()?.identities;
    let mut others = ended(connection, name)?.filter(|one| one.uuid() != uuid);
    let foreign = others.try_fold(None, |found, one| match found {
        Some(found) => Ok::<_, Failure>(Some(found)),
        None => Ok((!one.was_decided_by(connection, &own)?).then(|| one.uuid())),
    });
    let Some(other) = foreign? else { return Ok(()) };
    let message =
        format!("{name}: another one of this name was there, {other}, and --yes does not say which you have seen");
    let next = format!("Look at what waits now, then: chancery approve {uuid} --digest {}", hexadecimal(&digest.0));
    Err(told_with(Exit::Usage, message, next))
}

/// One that may have ended.
enum Ended {
    Request(SigningRequestId),
    Proposal(ProposalId),
}

/// All of this name, whatever became of them.
fn ended(connection: &Connection, name: &str) -> Result<impl Iterator<Item = Ended>, Failure> {
    let query = SigningRequestQuery { search: Some(name.to_owned()), ..SigningRequestQuery::default() };
    let requests = connection.client.signing_requests(&query)?.items.into_iter();
    let requests = requests.filter(|stub| stub.name == name).map(|stub| Ended::Request(stub.uuid));
    let query = ProposalQuery { search: Some(name.to_owned()), ..ProposalQuery::default() };
    let proposals = may_see(connection.client.proposals(&query).map(|answer| answer.items))?.into_iter();
    let proposals = proposals.filter(|stub| stub.obj_info.name == name);
    let proposals = proposals.map(|stub| Ended::Proposal(stub.obj_info.uuid));
    Ok(requests.chain(proposals).collect::<Vec<_>>().into_iter())
}

impl Ended {
    fn uuid(&self) -> String {
        match self {
            Self::Request(uuid) => uuid.to_string(),
            Self::Proposal(uuid) => uuid.to_string(),
        }
    }

    /// Whether one of these has said something of it: then it is none that they have looked at and not decided.
    fn was_decided_by(&self, connection: &Connection, own: &[ObjInfo<IdentityId>]) -> Result<bool, Failure> {
        let is_own = |identity: &ObjInfo<IdentityId>| own.iter().any(|one| one.uuid == identity.uuid);
        Ok(match self {
            Self::Request(uuid) => {
                let request = connection.client.signing_request(*uuid)?;
                request.approvals.iter().flat_map(|one| &one.identities).any(is_own)
            }
            Self::Proposal(uuid) => {
                let proposal = connection.client.proposal(*uuid)?;
                proposal.approvals.iter().flat_map(|one| &one.identities).any(is_own)
            }
        })
    }
}

/// Nothing for whoever may see none.
fn may_see<T>(answer: Result<Vec<T>, ClientError>) -> Result<Vec<T>, Failure> {
    match answer {
        Err(ClientError::Refused { error_code: ErrorCode::NotAuthorized, .. }) => Ok(Vec::new()),
        answer => Ok(answer?),
    }
}

/// What waits no more, or is not there: the server says which.
fn decided(names: &Names<'_>, name: &str) -> Result<String, Failure> {
    let resolve = |kind: &str| names.resolve(resources::find(kind).ok_or("there is no such kind")?, name);
    resolve("request").or_else(|first| resolve("proposal").map_err(|_| first))
}

fn by_uuid(connection: &Connection, uuid: &str) -> Result<Waiting, Failure> {
    match connection.client.signing_request(uuid.parse::<SigningRequestId>()?) {
        Ok(request) => Ok(Waiting::Request(Box::new(request))),
        Err(none @ ClientError::Refused { status: 404, .. }) => {
            match connection.client.proposal(uuid.parse::<ProposalId>()?) {
                Ok(proposal) => Ok(Waiting::Proposal(Box::new(proposal))),
                Err(ClientError::Refused { status: 404, .. }) => Err(none.into()),
                Err(error) => Err(error.into()),
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// The proposals that wait; none for whoever may see none.
pub(super) fn proposals(connection: &Connection, search: Option<&str>) -> Result<Vec<ProposalStub>, Failure> {
    let search = search.map(str::to_owned);
    let query = ProposalQuery { waiting: Some(true), search, ..ProposalQuery::default() };
    may_see(connection.client.proposals(&query).map(|answer| answer.items))
}

/// The same as the server answers it.
pub(super) fn print_proposals(connection: &Connection) -> Result<(), Failure> {
    match connection.call("GET", "/api/v2/x509/proposals?waiting=true", None) {
        Err(ClientError::Refused { error_code: ErrorCode::NotAuthorized, .. }) => Ok(()),
        answer => answer?.print(),
    }
}

/// What the caller has to do with something that waits.
#[derive(Clone, Copy)]
pub(super) struct Own {
    /// What was done already, or that there is nothing to do.
    pub(super) part: Option<&'static str>,
    may_approve: bool,
}

impl Own {
    pub(super) fn of_request(own: &[ObjInfo<IdentityId>], request: &SigningRequest) -> Self {
        Self { part: part_in_request(own, request), may_approve: request.may_approve }
    }

    pub(super) fn of_proposal(own: &[ObjInfo<IdentityId>], proposal: &Proposal) -> Self {
        Self { part: part_in_proposal(own, proposal), may_approve: proposal.may_approve }
    }

    pub(super) fn beside(self, mut lines: Vec<String>) -> Vec<String> {
        let nevertheless = if self.may_approve { "; you may approve it all the same" } else { "" };
        lines.extend(self.part.map(|part| format!("{:<12}{part}{nevertheless}", "you")));
        lines
    }

    /// Nobody is asked what would be refused. Whoever is not asked hears it of the server, with its reason.
    pub(super) fn expect(self, command: &Decide, decision: Decision, name: &str) -> Result<(), Failure> {
        let is_asked = !command.yes && command.digest.is_none();
        match self.part {
            Some(part) if is_asked && decision == Decision::Approve && !self.may_approve => {
                Err(told(Exit::Refused, format!("{}: nobody is asked, since you {part}", Shown(name))))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// What the caller has done with it already, or that it is none of the caller's business.
pub(super) fn part_in_request(own: &[ObjInfo<IdentityId>], request: &SigningRequest) -> Option<&'static str> {
    let approvals = request.approvals.iter().filter(|one| one.decision == RequestDecision::Approve);
    part(own, &request.submitted_by, approvals.flat_map(|one| &one.identities)).or(no_business(request.may_approve))
}

/// The same of a proposal.
fn part_in_proposal(own: &[ObjInfo<IdentityId>], proposal: &Proposal) -> Option<&'static str> {
    let approvals = proposal.approvals.iter().filter(|one| one.decision == ProposalDecision::Approve);
    part(own, &proposal.submitted_by, approvals.flat_map(|one| &one.identities)).or(no_business(proposal.may_approve))
}

const fn no_business(may_approve: bool) -> Option<&'static str> {
    if may_approve {
        return None;
    }
    Some("may not approve it: other roles are to, or it is older than your account, password, role or permission")
}

fn part<'a>(
    own: &[ObjInfo<IdentityId>],
    submitted_by: &[ObjInfo<IdentityId>],
    mut approved_by: impl Iterator<Item = &'a ObjInfo<IdentityId>>,
) -> Option<&'static str> {
    let is_own = |identity: &ObjInfo<IdentityId>| own.iter().any(|one| one.uuid == identity.uuid);
    if approved_by.any(is_own) {
        return Some("approved it already");
    }
    submitted_by.iter().any(is_own).then_some("submitted it")
}
