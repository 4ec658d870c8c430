//! From a request to its signature: at once, or after people have approved it.

use std::{
    io::{self, IsTerminal as _, Write as _},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_core::Clock;
use chancery_types::{
    ApprovalState, RequestDecision, SigningRequestId, SigningRequestState,
    wire::signing_requests::{Approval, SigningRequest},
};

use super::plan::Job;
use crate::{
    cli::client::Sign,
    client::{
        connection::Connection,
        exit::{Exit, told, told_with},
    },
    failure::Failure,
    output,
    resources::names::Names,
    shown::Shown,
};

/// Sessions end after so long, whatever they do.
const SESSION_MAX: Duration = Duration::from_secs(12 * 3_600);

/// How often the request is looked at: soon, and then less often.
const FIRST_LOOK: Duration = Duration::from_millis(500);
const LOOK_MAX: Duration = Duration::from_secs(5);

/// What came of it.
pub(super) enum Awaited {
    Signed(Box<SigningRequest>),
    /// Not yet: what is missing.
    Waits(String),
}

/// A login by password ends some time, and nobody is there to repeat it; so that is said before anything is submitted.
pub(super) fn refuse_too_long(command: &Sign, connection: &Connection) -> Result<(), Failure> {
    let Some(left) = left_of_login(connection).filter(|_| command.wait) else { return Ok(()) };
    match command.timeout {
        Some(timeout) if timeout > left => {
            let message = format!("--timeout {}: the login ends before, in {}", text(timeout), text(left));
            let next = "Wait for less, or use an API key (--api-key-file), whose logins are renewed.";
            Err(told_with(Exit::Usage, message, next))
        }
        Some(_) | None => Ok(()),
    }
}

/// How long the login holds at most, where it cannot be renewed without a person.
fn left_of_login(connection: &Connection) -> Option<Duration> {
    let (_, server) = connection.saved.as_ref().filter(|_| !connection.has_key())?;
    let since = Clock::System.now_ms().saturating_sub(server.logged_in_at_ms);
    Some(SESSION_MAX.saturating_sub(Duration::from_millis(u64::try_from(since).unwrap_or_default())))
}

/// Looks until the request is decided, the time is over, or nobody waits.
pub(super) fn for_signature(
    command: &Sign,
    connection: &mut Connection,
    job: &Job,
    id: SigningRequestId,
) -> Result<Awaited, Failure> {
    let begun = Instant::now();
    let end = command.timeout.or_else(|| left_of_login(connection));
    let mut line = Line::default();
    let mut look = FIRST_LOOK;
    loop {
        let request = looked_at(connection, id)?;
        if let Some(decided) = decided(&request) {
            line.end();
            return decided.map(|()| Awaited::Signed(Box::new(request)));
        }
        let missing = missing(&request, connection);
        let says = format!("request {id} waits for approvals: {missing}");
        if !command.wait {
            return Ok(Awaited::Waits(says));
        }
        if end.is_some_and(|end| begun.elapsed() + look > end) {
            line.end();
            return Ok(Awaited::Waits(format!("not approved within {}: {says}", text(begun.elapsed()))));
        }
        line.show(&format!("{}: {says}", job.name), begun.elapsed());
        sleep(look);
        look = (look * 2).min(LOOK_MAX);
    }
}

/// A login that has ended meanwhile is made again, where a key does that.
fn looked_at(connection: &mut Connection, id: SigningRequestId) -> Result<SigningRequest, Failure> {
    match connection.client.signing_request(id) {
        Err(error) if error.wants_login() && connection.log_in_again()? => Ok(connection.client.signing_request(id)?),
        outcome => Ok(outcome?),
    }
}

/// What the state says; nothing while people have not decided.
fn decided(request: &SigningRequest) -> Option<Result<(), Failure>> {
    let reason = request.reason.as_deref().unwrap_or("no reason is given");
    match request.state {
        SigningRequestState::Signed => Some(Ok(())),
        SigningRequestState::Approval => None,
        SigningRequestState::Denied => {
            let last = request.approvals.iter().rev().find(|one| one.decision != RequestDecision::Approve);
            let who = last.map_or_else(|| "denied".to_owned(), denial);
            let next = "chancery request show has all of it. Submit again when the reason is gone.";
            Some(Err(told_with(Exit::Denied, format!("request {} was {who}", request.uuid), next)))
        }
        SigningRequestState::Failed if request.approval_state == ApprovalState::Pending => {
            let message = format!("request {} waited too long for its approvals: {reason}", request.uuid);
            Some(Err(told_with(Exit::Expired, message, "Submit it again, and tell those who approve.")))
        }
        SigningRequestState::Failed | SigningRequestState::None => {
            Some(Err(told(Exit::Failed, format!("request {} could not be signed: {reason}", request.uuid))))
        }
    }
}

fn denial(decision: &Approval) -> String {
    let what = if decision.decision == RequestDecision::Withdraw { "taken back" } else { "denied" };
    let who: Vec<_> = decision.identities.iter().map(|identity| identity.name.as_str()).collect();
    let why = if decision.note.is_empty() { String::new() } else { format!(": {}", decision.note) };
    format!("{what} by {}{why}", who.join(" and "))
}

/// Who has approved, and how many are missing.
pub(crate) fn missing(request: &SigningRequest, connection: &Connection) -> String {
    let given: Vec<_> = request.approvals.iter().filter(|one| one.decision == RequestDecision::Approve).collect();
    let names = given.iter().flat_map(|approval| approval.identities.iter().map(|identity| identity.name.clone()));
    let names: Vec<_> = names.collect();
    let by = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let required = usize::try_from(request.approvals_required).unwrap_or(usize::MAX);
    let left = required.saturating_sub(given.len());
    let roles = request.next_role_uuids.as_deref().unwrap_or_default();
    let lookup = Names::new(connection);
    let role = |id: &chancery_types::RoleId| {
        let uuid = id.to_string();
        lookup.name_of("role", &uuid).unwrap_or(uuid)
    };
    let of = if roles.is_empty() {
        String::new()
    } else {
        format!(", the next one of the role {}", roles.iter().map(role).collect::<Vec<_>>().join(" or "))
    };
    format!("{} of {required} given{by}, {left} missing{of}", given.len())
}

/// A time for people.
fn text(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7_200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3_600),
    }
}

/// The line that says what is waited for: on a terminal always the same one, elsewhere a new one whenever something changed.
#[derive(Default)]
struct Line {
    last: String,
    is_open: bool,
}

impl Line {
    fn show(&mut self, says: &str, since: Duration) {
        let mut error = io::stderr();
        let written = if error.is_terminal() {
            self.is_open = true;
            write!(error, "\r\u{1b}[K{} ({})", Shown(says), text(since)).and_then(|()| error.flush())
        } else if self.last == says {
            Ok(())
        } else {
            writeln!(error, "{}", Shown(says))
        };
        // Who does not read what is waited for may not be waited for either.
        let _unread = written;
        says.clone_into(&mut self.last);
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            output::note("");
        }
    }
}
