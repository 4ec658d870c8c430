//! `--all`: one decision over everything that waits under a policy, as one statement of exact text.

use chancery_types::{
    Base64, Decision, PolicyId, SigningRequestState,
    wire::{
        signing_policies::SigningPolicy,
        signing_requests::{BatchDecideRequest, BatchDecided, SigningRequest, SigningRequestQuery},
    },
};
use chancery_verify::{decisions_statement, hexadecimal, log::leaf::sha256, policy_digest};
use serde::Deserialize as _;

use super::{agreed, answer, expect_digest, inside, look_twice, shown, what_waits::part_in_request};
use crate::{
    cli::decide::Decide,
    client::{
        connection::Connection,
        exit::{Exit, told},
    },
    denied::{Denials, Told},
    failure::Failure,
    output,
    resources::{self, names::Names},
    shown::Shown,
};

/// Requests of one decision, as the server takes them.
const ROWS_MAX: usize = 250;

/// What is decided on, and its text.
struct AsOne {
    /// Each with what is to be looked at twice.
    requests: Vec<(SigningRequest, Vec<String>)>,
    /// What is said where nothing is decided on.
    none: &'static str,
    statement: String,
    digest: Vec<u8>,
}

pub(super) fn run(command: &Decide, connection: &Connection, policy: &str, decision: Decision) -> Result<(), Failure> {
    let resource = resources::find("policy").ok_or("there is no such kind")?;
    let policy: PolicyId = Names::new(connection).resolve(resource, policy)?.parse()?;
    let AsOne { requests, none, statement, digest } = read(connection, policy, decision)?;
    if requests.is_empty() && command.digest.is_some() {
        return Err(told(Exit::Refused, "--digest: nothing waits any more of what was shown; nothing was decided"));
    }
    if requests.is_empty() {
        let done = BatchDecided { results: Vec::new(), digest: None };
        return answer(connection, &done, || none.to_owned());
    }
    let hex = hexadecimal(&digest);
    let check = || expect_digest(command, &digest);
    let lines = || {
        let mut lines = Vec::new();
        for (request, twice) in &requests {
            lines.extend(shown(connection, request, (twice, inside::lines(connection, request))));
            lines.push(String::new());
        }
        lines.push("This is decided, as one:".to_owned());
        lines.extend(statement.lines().map(|line| format!("    {line}")));
        lines.push(format!("{:<12}{hex}  of these lines, as sha256sum prints it", "digest"));
        lines
    };
    let next =
        format!("Look at it first (chancery approve shows what waits), then repeat the command with --digest {hex}.");
    let twice: Vec<_> = requests.iter().flat_map(|(request, twice)| named(request, twice)).collect();
    agreed(command, connection, (decision, &next), (lines, &twice), check)?;
    let uuids = requests.iter().map(|(request, _)| request.uuid).collect();
    let body = BatchDecideRequest { uuids, decision, note: command.note.clone(), digest: Some(Base64(digest)) };
    let done = connection.client.decide_requests(&body)?;
    answer(connection, &done, || {
        let word = if decision == Decision::Approve { "approved" } else { "denied" };
        let lines = requests.iter().zip(&done.results);
        let lines = lines.map(|((request, _), done)| format!("{word}: {}: {}", Shown(&request.name), done.state));
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// What is to be said of several, each with its name.
fn named(request: &SigningRequest, twice: &[String]) -> impl Iterator<Item = String> {
    twice.iter().map(move |one| format!("{}: {one}", request.name))
}

/// What waits under the policy, the oldest first, with the policy as it is now.
fn read(connection: &Connection, policy: PolicyId, decision: Decision) -> Result<AsOne, Failure> {
    // As the server shows it: its digest is over members too that this program does not know.
    let state = connection.get(&format!("/api/v2/x509/signing-policies/{policy}"))?;
    let service = SigningPolicy::deserialize(&state)?.service_uuid;
    let query = SigningRequestQuery { state: Some(SigningRequestState::Approval), ..SigningRequestQuery::default() };
    let own = connection.client.session_state()?.identities;
    let denials = Denials::new(connection);
    let (mut requests, mut none) = (Vec::new(), "Nothing waits.");
    // Oldest first, and no more than one decision is over: the same command goes on with the others.
    for stub in connection.client.signing_requests_of(service, &query)?.items.into_iter().rev() {
        if stub.policy_uuid != policy {
            continue;
        }
        if requests.len() == ROWS_MAX {
            output::note(format_args!(
                "More than {ROWS_MAX} wait; these are the oldest, and the same command goes on."
            ));
            break;
        }
        let request = connection.client.signing_request(stub.uuid)?;
        let approves = decision == Decision::Approve;
        if let Some(part) = part_in_request(&own, &request).filter(|_| approves) {
            output::note(format_args!("{} is left out: you {part}.", Shown(&request.name)));
            none = "Nothing waits for you.";
            continue;
        }
        let Told { lines, is_denied } = look_twice(&denials, &request)?;
        if is_denied && approves {
            leave_out(&request, &lines);
            none = "Nothing waits that is approved with others.";
            continue;
        }
        requests.push((request, lines));
    }
    let digests = requests.iter().map(|(request, _)| (request.uuid, request.approval_digest.0.as_slice()));
    let statement = decisions_statement(decision, (policy, &policy_digest(state)), digests);
    let digest = sha256(statement.as_bytes()).to_vec();
    Ok(AsOne { requests, none, statement, digest })
}

/// Who approves again what was denied says so of it alone.
fn leave_out(request: &SigningRequest, lines: &[String]) {
    let name = Shown(&request.name);
    lines.iter().for_each(|line| output::note(format_args!("{name} is left out: {}", Shown(line))));
    output::note(format_args!("It is looked at and decided on by itself: chancery approve {}", request.uuid));
}
