//! `chancery approve` and `chancery deny`: what waits, shown as whoever decides must see it, and the decision on what was
//! shown.

mod as_one;
mod compared;
mod inside;
mod statement;
mod twice;
mod what_waits;

use std::{
    fmt::Display,
    io::{self, IsTerminal as _},
};

use chancery_types::{
    Decision, HashType, Perm, ProposalState, SigningFormat, SigningRequestState,
    wire::{
        proposals::Proposal,
        signing_requests::{ApproveRequest, DecideRequest, Provenance, SigningRequest, SigningRequestQuery},
    },
};
use chancery_verify::hexadecimal;

use self::what_waits::{Own, Waiting};
use super::sign::wait::missing;
use crate::{
    cli::decide::{Approve, Decide},
    client::{
        connection::{Connection, Output, logged_in},
        consent,
        exit::{Exit, told, usage},
        inputs::somebody_is_there,
    },
    denied::{Denials, Told},
    failure::Failure,
    output,
    resources::{names::Names, proposal},
    shown::{Shown, ShownName, in_lines, together},
};

/// What to do where nobody can be asked: by its uuid and digest it is what was shown, whatever has its name by then.
fn look(decision: Decision, uuid: impl Display, digest: &[u8]) -> String {
    let (word, hex) = (word(decision), hexadecimal(digest));
    format!(
        "Look at it first (chancery approve shows what waits), then decide on what you saw: chancery {word} {uuid} --digest {hex}"
    )
}

const fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Approve => "approve",
        Decision::Deny => "deny",
    }
}

/// Refuses what has another digest than was said.
fn expect_digest(command: &Decide, digest: &[u8]) -> Result<(), Failure> {
    let hex = hexadecimal(digest);
    match &command.digest {
        Some(said) if !said.eq_ignore_ascii_case(&hex) => {
            let message =
                format!("--digest: what waits is not what was shown, its digest is {hex}; nothing was decided");
            Err(told(Exit::Refused, message))
        }
        Some(_) | None => Ok(()),
    }
}

/// Decides, or shows what a passkey signs of the decision.
pub(crate) fn approve(command: &Approve) -> Result<Exit, Failure> {
    let Approve { decide, show } = command;
    match show {
        Some(path) => statement::show(path, decide.file.as_deref(), decide.server.output),
        None => run(decide, Decision::Approve),
    }
}

pub(crate) fn run(command: &Decide, decision: Decision) -> Result<Exit, Failure> {
    if command.file.is_some() && command.requests.len() != 1 {
        return Err(usage("--file is of one request, which is named"));
    }
    if command.requests.is_empty() && !command.all && (command.yes || command.note.is_some()) {
        return Err(usage("nothing is named that is decided on; without a name this shows what waits"));
    }
    if command.digest.is_some() && !command.all && command.requests.len() != 1 {
        return Err(usage("--digest is of one request or proposal, which is named, or of --all"));
    }
    logged_in(&command.server, |connection| {
        if decision == Decision::Approve && !connection.client.whoami()?.perms.contains(&Perm::SigningApprove) {
            return Err(told(Exit::Refused, "you may not approve: that takes the permission Signing:Approve"));
        }
        if let Some(policy) = &command.policy {
            return as_one::run(command, connection, policy, decision).map(|()| Exit::Done);
        }
        if command.requests.is_empty() {
            return waiting(connection).map(|()| Exit::Done);
        }
        let names = Names::new(connection);
        let found = command.requests.iter().map(|name| what_waits::find(connection, &names, name));
        // All of them are found before one of them is decided.
        let found = found.collect::<Result<Vec<_>, _>>()?;
        if command.file.is_some() && found.iter().any(|one| matches!(one, Waiting::Proposal(_))) {
            return Err(usage("--file is of a signing request, and this is a proposal"));
        }
        if decision == Decision::Approve && command.yes && command.digest.is_none() && command.file.is_none() {
            for (name, one) in command.requests.iter().zip(&found) {
                what_waits::expect_alone(connection, name, one)?;
            }
        }
        let denials = Denials::new(connection);
        found.iter().try_for_each(|one| match one {
            Waiting::Request(request) => {
                let twice = look_twice(&denials, request)?.lines;
                decide(command, connection, (request, &twice), decision)
            }
            Waiting::Proposal(proposal) => {
                let twice = denials.of_proposal(proposal)?.lines;
                decide_proposal(command, connection, (proposal, &twice), decision)
            }
        })?;
        Ok(Exit::Done)
    })
}

/// What waits, each as it is to be seen: first what the caller has no part in yet.
fn waiting(connection: &Connection) -> Result<(), Failure> {
    if connection.output == Output::Json {
        connection.call("GET", "/api/v2/x509/signing-requests?state=Approval", None)?.print()?;
        return what_waits::print_proposals(connection);
    }
    let own = connection.client.session_state()?.identities;
    let (mut open, mut others) = (Vec::new(), Vec::new());
    let mut add = |own: Own, lines: Vec<String>| {
        let group = if own.part.is_none() { &mut open } else { &mut others };
        group.push(own.beside(lines));
    };
    let query = SigningRequestQuery { state: Some(SigningRequestState::Approval), ..SigningRequestQuery::default() };
    let denials = Denials::new(connection);
    for stub in connection.client.signing_requests(&query)?.items {
        let request = connection.client.signing_request(stub.uuid)?;
        let twice = look_twice(&denials, &request)?.lines;
        let lines = shown(connection, &request, (&twice, inside::in_short(&request)));
        add(Own::of_request(&own, &request), lines);
    }
    let names = Names::new(connection);
    for stub in what_waits::proposals(connection, None)? {
        let proposal = connection.client.proposal(stub.obj_info.uuid)?;
        let twice = denials.of_proposal(&proposal)?.lines;
        add(Own::of_proposal(&own, &proposal), proposal::shown(&proposal, &twice, &names));
    }
    if open.is_empty() && others.is_empty() {
        return output::line("Nothing waits.");
    }
    open.append(&mut others);
    output::line(open.iter().map(|lines| lines.join("\n")).collect::<Vec<_>>().join("\n\n"))
}

/// The same for what is proposed: people approve its content, and nothing that it became meanwhile.
fn decide_proposal(
    command: &Decide,
    connection: &Connection,
    (proposal, twice): (&Proposal, &[String]),
    decision: Decision,
) -> Result<(), Failure> {
    let (id, name) = (proposal.obj_info.uuid, &proposal.obj_info.name);
    if proposal.state != ProposalState::Approval {
        return Err(told(Exit::Refused, format!("{name} does not wait: it is {}", proposal.state)));
    }
    let own = connection.client.session_state()?.identities;
    let own = Own::of_proposal(&own, proposal);
    let shown = || own.beside(proposal::shown(proposal, twice, &Names::new(connection)));
    let next = look(decision, id, &proposal.digest.0);
    let check = || expect_digest(command, &proposal.digest.0).and_then(|()| own.expect(command, decision, name));
    agreed(command, connection, (decision, &next), (shown, twice), check)?;
    let note = command.note.clone();
    if decision == Decision::Deny {
        let done = connection.client.deny_proposal(id, &DecideRequest { note })?;
        return answer(connection, &done, || format!("denied: {}", Shown(name)));
    }
    let body = ApproveRequest { note, digest: Some(proposal.digest.clone()), assertions: Vec::new() };
    let done = connection.client.approve_proposal(id, &body)?;
    answer(connection, &done, || {
        let count = done.approvals;
        format!("approved: {}: {} of {} approvals; {}", Shown(name), count.given, count.required, done.state)
    })
}

/// Shows what is decided on, looks at what else is to be looked at, and asks.
fn agreed(
    command: &Decide,
    connection: &Connection,
    (decision, next): (Decision, &str),
    (shown, twice): (impl Fn() -> Vec<String>, &[String]),
    check: impl FnOnce() -> Result<(), Failure>,
) -> Result<(), Failure> {
    if connection.output == Output::Table {
        shown().iter().try_for_each(output::line)?;
    }
    // Whoever is asked sees it where the question stands, wherever standard output goes.
    let is_asked = !command.yes && command.digest.is_none() && somebody_is_there();
    if is_asked && (connection.output == Output::Json || !io::stdout().is_terminal()) {
        shown().iter().for_each(output::note);
    } else if connection.output == Output::Json {
        twice.iter().for_each(|one| output::note(format_args!("look twice: {}", Shown(one))));
    }
    check()?;
    if command.yes || command.digest.is_some() { Ok(()) } else { consent::asked_or(word(decision), next) }
}

fn decide(
    command: &Decide,
    connection: &Connection,
    (request, twice): (&SigningRequest, &[String]),
    decision: Decision,
) -> Result<(), Failure> {
    if request.state != SigningRequestState::Approval {
        return Err(told(Exit::Refused, format!("{} does not wait: it is {}", request.name, request.state)));
    }
    let own = Own::of_request(&connection.client.session_state()?.identities, request);
    let check = || -> Result<(), Failure> {
        expect_digest(command, &request.approval_digest.0)?;
        own.expect(command, decision, &request.name)?;
        let Some(path) = &command.file else { return Ok(()) };
        let said = match &request.manifest {
            Some(_) => compared::item(connection, request, path)?,
            None => compared::file(request, path)?,
        };
        said.iter().for_each(output::note);
        Ok(())
    };
    let shown = || own.beside(shown(connection, request, (twice, inside::lines(connection, request))));
    let next = look(decision, request.uuid, &request.approval_digest.0);
    agreed(command, connection, (decision, &next), (shown, twice), check)?;
    let note = command.note.clone();
    match decision {
        Decision::Approve => {
            // What was shown, and nothing that it became meanwhile.
            let body = ApproveRequest { note, digest: Some(request.approval_digest.clone()), assertions: Vec::new() };
            let done = connection.client.approve(request.uuid, &body)?;
            let state = match done.state {
                SigningRequestState::Approval => {
                    format!("{} more needed", done.approvals.required.saturating_sub(done.approvals.given))
                }
                state @ (SigningRequestState::None
                | SigningRequestState::Signed
                | SigningRequestState::Failed
                | SigningRequestState::Denied) => state.to_string(),
            };
            answer(connection, &done, || {
                let count = done.approvals;
                format!("approved: {}: {} of {} approvals; {state}", Shown(&request.name), count.given, count.required)
            })
        }
        Decision::Deny => {
            let done = connection.client.deny(request.uuid, &DecideRequest { note })?;
            answer(connection, &done, || format!("denied: {}", Shown(&request.name)))
        }
    }
}

fn answer(connection: &Connection, done: &impl serde::Serialize, line: impl FnOnce() -> String) -> Result<(), Failure> {
    match connection.output {
        Output::Json => output::line(serde_json::to_string(done)?),
        Output::Table => output::line(line()),
    }
}

/// What is not as it seems: the request's own words, and what others denied before.
fn look_twice(denials: &Denials<'_>, request: &SigningRequest) -> Result<Told, Failure> {
    let Told { lines, is_denied } = denials.of_request(request)?;
    let lines = twice::of_words(request).into_iter().chain(lines).collect();
    Ok(Told { lines, is_denied })
}

/// What an approver has to see, in lines, with what is to be looked at twice and what is inside. What nobody checked is called the
/// submitter's claim.
fn shown(
    connection: &Connection,
    request: &SigningRequest,
    (twice, inside): (&[String], Vec<(&'static str, String)>),
) -> Vec<String> {
    let names = Names::new(connection);
    let name_of =
        |kind: &str, uuid: String| names.name_of(kind, &uuid).map_or(uuid, |name| ShownName(&name).to_string());
    let service = name_of("service", request.service_uuid.to_string());
    let policy = name_of("policy", request.policy_uuid.to_string());
    let digest = hexadecimal(&request.digest.0);
    let mut lines = vec![("request", request.uuid.to_string()), ("file", request.name.clone())];
    lines.extend(twice.iter().map(|one| ("look twice", one.clone())));
    lines.extend([
        ("submitted", format!("{} by {}", request.submitted_at, together(&request.submitted_by))),
        ("service", service),
        ("policy", format!("{policy}: {}, {}", request.signing_format, request.hash_algorithm)),
        ("digest", format!("{digest}  {}", what_digest(request))),
    ]);
    if request.approval_digest != request.digest {
        lines.push(("approves", format!("{}  of all that is signed", hexadecimal(&request.approval_digest.0))));
    }
    if let Some(manifest) = &request.manifest {
        lines.push((
            "manifest",
            format!("{}: chancery request items {}", output::counted(manifest.total.into(), "file"), request.uuid),
        ));
    }
    lines.extend(inside);
    lines.extend(request.program_name.iter().map(|name| ("program", name.clone())));
    lines.extend(request.program_url.iter().map(|url| ("program url", url.clone())));
    lines.extend(request.page_hashes.iter().map(|_| ("page hashes", "signed too".to_owned())));
    lines.extend(request.note.iter().map(|note| ("claim", format!("note: {note}"))));
    for (name, value) in request.metadata.iter().flatten() {
        lines.push(("claim", format!("{name}: {value}")));
    }
    lines.extend(request.provenance.iter().flat_map(provenance));
    lines.push(("approvals", missing(request, connection)));
    lines.extend(request.expires_at.iter().map(|end| ("until", end.clone())));
    in_lines(&lines)
}

/// What the server verified of where the file comes from, apart from what the submitter claims.
fn provenance(provenance: &Provenance) -> Vec<(&'static str, String)> {
    let Provenance { issuer, builder_id, build_type, invocation_id, started_on, finished_on, .. } = provenance;
    let mut lines = vec![
        ("provenance", format!("verified: signed by {issuer}")),
        ("builder", builder_id.clone()),
        ("build type", build_type.clone()),
    ];
    lines.extend(invocation_id.iter().map(|id| ("build", id.clone())));
    lines.extend(started_on.iter().map(|at| ("build began", at.clone())));
    lines.extend(finished_on.iter().map(|at| ("build ended", at.clone())));
    lines.extend(provenance.sources.iter().map(|source| {
        let digests = source.digest.iter().map(|(name, digest)| format!("{name} {digest}"));
        let names = source.name.iter().chain(&source.uri).cloned();
        ("source", names.chain(digests).collect::<Vec<_>>().join("  "))
    }));
    let more = (provenance.sources_total as usize).saturating_sub(provenance.sources.len());
    lines.extend((more > 0).then(|| ("source", format!("and {more} more"))));
    lines
}

/// Whether a person can make the digest with a tool that they have.
const fn what_digest(request: &SigningRequest) -> &'static str {
    let is_apart = matches!(request.signing_format, SigningFormat::Cms | SigningFormat::Raw);
    match request.hash_algorithm {
        _ if request.manifest.is_some() => "of the manifest's lines, as sha256sum prints them",
        _ if !is_apart => "of what the format signs of the file: chancery approve --file compares it",
        HashType::Sha2_256 => "of the file, as sha256sum prints it",
        HashType::Sha2_384 => "of the file, as sha384sum prints it",
        HashType::Sha2_512 => "of the file, as sha512sum prints it",
        HashType::Md5
        | HashType::RipeMd
        | HashType::Sha1
        | HashType::Sha2_224
        | HashType::Sha3_224
        | HashType::Sha3_256
        | HashType::Sha3_384
        | HashType::Sha3_512
        | HashType::Shake128
        | HashType::Shake256
        | HashType::Shake256_64 => "of the file",
    }
}
