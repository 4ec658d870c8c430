//! What others denied before: whoever asks again for the same does not say so.
//!
//! The interface does not look for digests. So the lists of what was denied are looked through, as far as a list answers.

use std::{
    cell::{OnceCell, RefCell},
    cmp::Reverse,
    collections::BTreeMap,
};

use chancery_client::ClientError;
use chancery_core::folded_name;
use chancery_types::{
    Base64, IdentityId, ProposalDecision, ProposalState, RequestDecision, SigningRequestId, SigningRequestState,
    wire::{
        ObjInfo,
        proposals::{Proposal, ProposalQuery},
        signing_requests::{SigningRequest, SigningRequestQuery, SigningRequestStub},
    },
};

use crate::{client::connection::Connection, failure::Failure, shown::together};

/// Of so many that are like one, the newest, it is read who denied them.
const DETAILS_MAX: usize = 200;

const UNREAD: &str = "so many were denied before that not all were looked through: one of the same content or name may be \
    among the others";

/// What is to be said of one that waits.
#[derive(Default)]
pub(crate) struct Told {
    /// Sentences of it; none where there is nothing.
    pub(crate) lines: Vec<String>,
    /// Whether one like it was denied, or may have been among too many that are like it.
    pub(crate) is_denied: bool,
}

/// Looks for what was denied, and reads nothing twice: many that wait may be like the same ones.
pub(crate) struct Denials<'a> {
    connection: &'a Connection,
    requests: OnceCell<Listed>,
    read: RefCell<BTreeMap<SigningRequestId, Option<Denial>>>,
}

/// Requests that were denied.
struct Listed {
    requests: Vec<Stub>,
    /// Whether that is all of them.
    is_all: bool,
}

/// What a list says of a request, and what its name has in common with names that look like it.
struct Stub {
    name: String,
    stub: SigningRequestStub,
}

/// A denial by others than those who submitted it.
#[derive(Clone)]
struct Denial {
    uuid: String,
    digests: Vec<Base64>,
    by: String,
    at: String,
    note: String,
}

impl<'a> Denials<'a> {
    pub(crate) const fn new(connection: &'a Connection) -> Self {
        Self { connection, requests: OnceCell::new(), read: RefCell::new(BTreeMap::new()) }
    }

    /// Requests of the same content, and others of the same name, whatever their policy.
    pub(crate) fn of_request(&self, request: &SigningRequest) -> Result<Told, Failure> {
        let all = self.requests()?;
        // Where there are too many to look through, those of this name are still found.
        let more = if all.is_all { Vec::new() } else { self.list(Some(&request.name))?.requests };
        let others = all.requests.iter().chain(&more).filter(|one| one.stub.uuid != request.uuid);
        let others: BTreeMap<_, _> = others.map(|one| (one.stub.uuid, one)).collect();
        let is_same = |one: &&Stub| one.stub.approval_digest == request.approval_digest;
        let (same, others): (Vec<_>, Vec<_>) = others.into_values().partition(is_same);
        let name = looks(&request.name);
        let named: Vec<_> = others.into_iter().filter(|one| one.name == name).collect();
        let is_cut = same.len().max(named.len()) > DETAILS_MAX;
        let (mut of_content, mut of_name) = (Vec::new(), Vec::new());
        for uuid in newest(same).chain(newest(named)) {
            let Some(denial) = self.denial(uuid)? else { continue };
            let is_same = [&request.digest, &request.approval_digest].iter().any(|one| denial.digests.contains(one));
            let group = if is_same { &mut of_content } else { &mut of_name };
            group.push(denial);
        }
        let is_denied = is_cut || !of_content.is_empty() || !of_name.is_empty();
        let content = told("an earlier request of the same content", of_content);
        let name = told("an earlier request of this name, with other content,", of_name);
        let unread = (is_cut || !all.is_all).then(|| UNREAD.to_owned());
        Ok(Told { lines: [content, name, unread].into_iter().flatten().collect(), is_denied })
    }

    /// Proposals of exactly the same.
    pub(crate) fn of_proposal(&self, proposal: &Proposal) -> Result<Told, Failure> {
        let client = &self.connection.client;
        let query = ProposalQuery {
            kind: Some(proposal.kind),
            policy_uuid: proposal.policy_uuid,
            cert_profile_uuid: proposal.cert_profile_uuid,
            issuer_uuid: proposal.issuer_uuid,
            token_profile_uuid: proposal.token_profile_uuid,
            ..ProposalQuery::default()
        };
        let Some(listed) = seen(client.proposals(&query))? else { return Ok(Told::default()) };
        let is_all = listed.next.is_none();
        let mut denied = listed.items;
        denied.retain(|stub| stub.state == ProposalState::Denied && stub.obj_info.uuid != proposal.obj_info.uuid);
        denied.sort_by_cached_key(|one| Reverse(one.submitted_at.clone()));
        let is_cut = denied.len() > DETAILS_MAX;
        let mut same = Vec::new();
        for stub in denied.into_iter().take(DETAILS_MAX) {
            let found = seen(client.proposal(stub.obj_info.uuid))?.filter(|one| one.digest == proposal.digest);
            same.extend(found.as_ref().and_then(Denial::of_proposal));
        }
        let is_denied = is_cut || !same.is_empty();
        let again = told("an earlier proposal of exactly the same", same);
        let unread = (is_cut || !is_all).then(|| UNREAD.to_owned());
        Ok(Told { lines: [again, unread].into_iter().flatten().collect(), is_denied })
    }

    fn requests(&self) -> Result<&Listed, Failure> {
        if let Some(listed) = self.requests.get() {
            return Ok(listed);
        }
        let listed = self.list(None)?;
        Ok(self.requests.get_or_init(|| listed))
    }

    fn list(&self, search: Option<&str>) -> Result<Listed, Failure> {
        let query = SigningRequestQuery {
            state: Some(SigningRequestState::Denied),
            search: search.map(str::to_owned),
            ..SigningRequestQuery::default()
        };
        let Some(listed) = seen(self.connection.client.signing_requests(&query))? else {
            return Ok(Listed { requests: Vec::new(), is_all: true });
        };
        let requests = listed.items.into_iter().map(|stub| Stub { name: looks(&stub.name), stub });
        Ok(Listed { requests: requests.collect(), is_all: listed.next.is_none() })
    }

    /// `None` where those who submitted it took it back themselves, and where the caller may not see it.
    fn denial(&self, uuid: SigningRequestId) -> Result<Option<Denial>, Failure> {
        let known = self.read.borrow().get(&uuid).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = seen(self.connection.client.signing_request(uuid))?;
        let denial = found.as_ref().and_then(Denial::of_request);
        self.read.borrow_mut().insert(uuid, denial.clone());
        Ok(denial)
    }
}

impl Denial {
    fn of_request(request: &SigningRequest) -> Option<Self> {
        let last = request.approvals.iter().rfind(|one| one.decision == RequestDecision::Deny);
        let denial = last.filter(|one| is_by_others(&one.identities, &request.submitted_by))?;
        Some(Self {
            uuid: request.uuid.to_string(),
            digests: vec![request.digest.clone(), request.approval_digest.clone()],
            by: together(&denial.identities),
            at: denial.decided_at.clone(),
            note: denial.note.clone(),
        })
    }

    fn of_proposal(proposal: &Proposal) -> Option<Self> {
        let last = proposal.approvals.iter().rfind(|one| one.decision == ProposalDecision::Deny);
        let denial = last.filter(|one| is_by_others(&one.identities, &proposal.submitted_by))?;
        Some(Self {
            uuid: proposal.obj_info.uuid.to_string(),
            digests: vec![proposal.digest.clone()],
            by: together(&denial.identities),
            at: denial.decided_at.clone(),
            note: denial.note.clone(),
        })
    }
}

/// What those who submitted something end themselves must hide no denial.
fn is_by_others(identities: &[ObjInfo<IdentityId>], submitted_by: &[ObjInfo<IdentityId>]) -> bool {
    identities.iter().any(|identity| submitted_by.iter().all(|own| own.uuid != identity.uuid))
}

/// What names have in common that people take for one, whatever blanks they have.
fn looks(name: &str) -> String {
    folded_name(name).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn newest(mut all: Vec<&Stub>) -> impl Iterator<Item = SigningRequestId> {
    all.sort_by_cached_key(|one| Reverse(one.stub.submitted_at.clone()));
    all.into_iter().take(DETAILS_MAX).map(|one| one.stub.uuid)
}

/// The newest of them, and how many there are.
fn told(what: &str, denials: Vec<Denial>) -> Option<String> {
    let count = denials.len();
    let Denial { uuid, by, at, note, .. } = denials.into_iter().max_by(|one, other| one.at.cmp(&other.at))?;
    let times = if count == 1 { String::new() } else { format!(" ({count} such were denied in all)") };
    let note = if note.is_empty() { note } else { format!(": {note}") };
    Some(format!("{what} was denied by {by}, {at}, {uuid}{times}{note}"))
}

/// Nothing where the caller may not see it: whatever else is wrong is told.
fn seen<T>(answer: Result<T, ClientError>) -> Result<Option<T>, Failure> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(ClientError::Refused { status: 403 | 404, .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denial(at: &str, note: &str) -> Denial {
        Denial {
            uuid: format!("of {at}"),
            digests: Vec::new(),
            by: "bob".to_owned(),
            at: at.to_owned(),
            note: note.to_owned(),
        }
    }

    #[test]
    fn the_newest_denial_is_told_and_how_many_there_are() {
        assert_eq!(told("it", Vec::new()), None);
        assert_eq!(told("it", vec![denial("1", "")]).as_deref(), Some("it was denied by bob, 1, of 1"));
        let several = told("it", vec![denial("1", "no"), denial("3", "malware"), denial("2", "no")]);
        assert_eq!(several.as_deref(), Some("it was denied by bob, 3, of 3 (3 such were denied in all): malware"));
    }

    #[test]
    fn names_are_compared_as_people_read_them() {
        assert_eq!(looks("Setup\u{a0} 1.EXE "), looks("setup 1.exe"));
        assert_ne!(looks("setup1.exe"), looks("setup 1.exe"));
    }
}
