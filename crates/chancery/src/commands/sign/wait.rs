//! From a request to its signature: at once, or after people have approved it.

use std::{
    io::{self, IsTerminal as _, Write as _},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_client::ClientError;
use chancery_core::Clock;
use chancery_types::{
    ApprovalState, ErrorCode, RequestDecision, SigningRequestId, SigningRequestState,
    wire::{
        Envelope,
        signing_requests::{Approval, SigningRequest},
        whoami::WhoAmI,
    },
};
use chancery_x509::time::parse_rfc3339;
use serde::Deserialize as _;
use serde_json::json;

use super::{Failures, subject::Subject};
use crate::{
    cli::client::Sign,
    client::{
        connection::{Answer, Connection, Output},
        exit::{Exit, exit_of, next_of, passes, told_with},
    },
    failure::{Failure, While as _, describe},
    output,
    resources::names::Names,
    shown::{Shown, ShownName, together},
};

/// How often the request is looked at: soon, and then less often.
const FIRST_LOOK: Duration = Duration::from_millis(500);
const LOOK_MAX: Duration = Duration::from_secs(5);

/// A login by password ends some time, and nobody is there to repeat it; so that is said before anything is submitted.
pub(super) fn refuse_too_long(command: &Sign, connection: &Connection) -> Result<(), Failure> {
    let Some(left) = left_of_login(connection)?.filter(|_| command.wait) else { return Ok(()) };
    match command.timeout {
        Some(timeout) if timeout > left => {
            let message = format!("--timeout {}: the login ends before, in {}", text(timeout), text(left));
            let next = "Wait for less, or use an API key (--api-key-file), whose logins are renewed.";
            Err(told_with(Exit::Usage, message, next))
        }
        Some(_) => Ok(()),
        None => {
            output::note(format_args!(
                "It waits until people decide, and no longer than {}: then the login ends. An API key (--api-key-file) has \
                 no such end.",
                text(left)
            ));
            Ok(())
        }
    }
}

/// How long the login holds at most, as the server says, where it cannot be renewed without a person.
fn left_of_login(connection: &Connection) -> Result<Option<Duration>, Failure> {
    if connection.saved.is_none() || connection.has_key() {
        return Ok(None);
    }
    let who: WhoAmI = serde_json::from_value(connection.get("/api/v2/whoami")?)?;
    let left = |end_ms: i64| u64::try_from(end_ms.saturating_sub(Clock::System.now_ms())).unwrap_or_default();
    Ok(who.session_ends_at.as_deref().and_then(parse_rfc3339).map(|end| Duration::from_millis(left(end))))
}

/// Looks at all of them until they are decided, the time is over, or nobody waits. What is signed is taken at once, whatever
/// the others wait for.
pub(super) fn until_decided(
    command: &Sign,
    connection: &mut Connection,
    mut open: Vec<Pending>,
    failures: &mut Failures,
) {
    let begun = Instant::now();
    // Where the server does not say it now, the first look finds out why.
    let end = command.timeout.or_else(|| left_of_login(connection).ok().flatten());
    let (mut line, mut look) = (Line::default(), FIRST_LOOK);
    while !open.is_empty() {
        let is_last = !command.wait || end.is_some_and(|end| begun.elapsed() >= end);
        let (is_alone, mut left) = (open.len() == 1, Vec::new());
        for mut pending in open {
            let stepped = pending.step(command, connection, is_last, begun);
            let answered = pending.answer(connection);
            match stepped.and_then(|waits| answered.map(|()| waits)) {
                Ok(None) => line.end(),
                Ok(Some(waits)) => {
                    line.show(&mut pending, &waits, begun.elapsed(), is_alone);
                    left.push(pending);
                }
                Err(failure) => {
                    line.end();
                    failures.add(pending.number, failure);
                }
            }
        }
        open = left;
        if !open.is_empty() {
            // The last look is made when the time is over.
            sleep(end.map_or(look, |end| look.min(end.saturating_sub(begun.elapsed()))));
            look = (look * 2).min(LOOK_MAX);
        }
    }
}

/// A file, or a manifest, whose request is submitted.
pub(super) struct Pending {
    number: usize,
    subject: Subject,
    id: SigningRequestId,
    /// The request as it was seen last.
    answer: Option<Answer>,
    /// Whether programs were told of it on standard output, as it stands.
    is_answered: bool,
    /// What people were told last.
    said: String,
}

impl Pending {
    pub(super) const fn new(number: usize, subject: Subject, id: SigningRequestId) -> Self {
        Self { number, subject, id, answer: None, is_answered: false, said: String::new() }
    }

    /// Looks once: nothing when it is signed and written, otherwise why to look again.
    fn step(
        &mut self,
        command: &Sign,
        connection: &mut Connection,
        is_last: bool,
        begun: Instant,
    ) -> Result<Option<String>, Failure> {
        let is_first = self.answer.is_none();
        let request = match self.look(connection) {
            Err(failure) if passes(&failure) && !is_last => {
                return Ok(Some(format!("{}; trying again", describe(failure.as_ref()))));
            }
            Err(failure) if is_first && is_not_there(&failure) => {
                let next = "chancery request list shows what was submitted.";
                return Err(told_with(Exit::Usage, format!("{}: there is none", self.shown()), next));
            }
            seen => seen.map_err(|failure| self.open_still(&failure))?,
        };
        if is_first {
            // Nobody waits for hours for what is not theirs.
            self.subject.refuse_another(command, &request).doing(self.shown())?;
        }
        match decided(&request) {
            Some(Ok(())) => {
                let taken = self.subject.take(command, connection, &request);
                taken.map(|()| None).map_err(|failure| self.open_still(&failure))
            }
            Some(Err(failure)) => Err(failure).doing(self.shown()),
            None => {
                let waits = format!("waits for approvals: {}", missing(&request, connection));
                if !is_last {
                    return Ok(Some(waits));
                }
                let within = format!("not approved within {}: ", text(begun.elapsed()));
                let within = if command.wait { within } else { String::new() };
                let waits = told_with(Exit::Waiting, within + &waits, "The request goes on waiting.");
                Err(self.open_still(&waits))
            }
        }
    }

    /// A login that has ended meanwhile is made again, where a key does that.
    fn look(&mut self, connection: &mut Connection) -> Result<SigningRequest, Failure> {
        let path = format!("/api/v2/x509/signing-requests/{}", self.id);
        let answer = match connection.call("GET", &path, None) {
            Err(error) if error.wants_login() && connection.log_in_again()? => connection.call("GET", &path, None)?,
            outcome => outcome?,
        };
        let request = SigningRequest::deserialize(&answer.response).doing("the request as the server has it")?;
        if request.state != SigningRequestState::Approval {
            self.is_answered = false;
        }
        self.answer = Some(answer);
        Ok(request)
    }

    /// Tells programs of it when it begins to wait and when it ends: whoever is ended meanwhile has its uuid.
    fn answer(&mut self, connection: &Connection) -> Result<(), Failure> {
        if connection.output != Output::Json || std::mem::replace(&mut self.is_answered, true) {
            return Ok(());
        }
        match &self.answer {
            Some(answer) => answer.print(),
            None => output::line(serde_json::to_string(&Envelope::success(json!({"uuid": self.id})))?),
        }
    }

    fn shown(&self) -> String {
        format!("{}: request {}", self.subject.shown(), self.id)
    }

    /// A failure after which the request is still there: how to come back to it.
    fn open_still(&self, failure: &Failure) -> Failure {
        let message = format!("{}: {}", self.shown(), describe(failure.as_ref()));
        let first = next_of(failure).map(|next| next + "\n").unwrap_or_default();
        let next = format!("{first}Go on, with what else was said: {}", self.subject.line(self.id));
        told_with(exit_of(failure), message, next)
    }
}

/// Whether the server knows no such request.
fn is_not_there(failure: &Failure) -> bool {
    let refused = failure.downcast_ref::<ClientError>();
    refused.and_then(ClientError::error_code) == Some(ErrorCode::InvalidSelection)
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
            Some(Err(told_with(Exit::Denied, who, next)))
        }
        SigningRequestState::Failed if request.approval_state == ApprovalState::Pending => {
            let message = format!("it waited too long for its approvals: {reason}");
            Some(Err(told_with(Exit::Expired, message, "Submit it again, and tell those who approve.")))
        }
        SigningRequestState::Failed | SigningRequestState::None => {
            let next = format!("When the reason is gone: chancery request repeat {}", request.uuid);
            Some(Err(told_with(Exit::Failed, format!("it could not be signed: {reason}"), next)))
        }
    }
}

fn denial(decision: &Approval) -> String {
    let what = if decision.decision == RequestDecision::Withdraw { "taken back" } else { "denied" };
    let why = if decision.note.is_empty() { String::new() } else { format!(": {}", decision.note) };
    format!("{what} by {}{why}", together(&decision.identities))
}

/// Who has approved, and how many are missing.
pub(crate) fn missing(request: &SigningRequest, connection: &Connection) -> String {
    let given: Vec<_> = request.approvals.iter().filter(|one| one.decision == RequestDecision::Approve).collect();
    let names: Vec<_> = given.iter().map(|approval| together(&approval.identities)).collect();
    let by = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let required = usize::try_from(request.approvals_required).unwrap_or(usize::MAX);
    let left = required.saturating_sub(given.len());
    let roles = request.next_role_uuids.as_deref().unwrap_or_default();
    let lookup = Names::new(connection);
    let role = |id: &chancery_types::RoleId| {
        let uuid = id.to_string();
        lookup.name_of("role", &uuid).map_or(uuid, |name| ShownName(&name).to_string())
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

/// The line that says what is waited for: on a terminal always the same one, where it is for one file; otherwise a new one
/// whenever something changed.
#[derive(Default)]
struct Line {
    is_open: bool,
}

impl Line {
    fn show(&mut self, pending: &mut Pending, says: &str, since: Duration, is_alone: bool) {
        let mut error = io::stderr();
        let text_of = |pending: &Pending| Shown(&format!("{}: {says}", pending.shown())).to_string();
        let written = if is_alone && error.is_terminal() {
            self.is_open = true;
            write!(error, "\r\u{1b}[K{} ({})", text_of(pending), text(since)).and_then(|()| error.flush())
        } else if pending.said == says {
            Ok(())
        } else {
            writeln!(error, "{}", text_of(pending))
        };
        // Who does not read what is waited for may not be waited for either.
        let _unread = written;
        says.clone_into(&mut pending.said);
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.is_open) {
            output::note("");
        }
    }
}
