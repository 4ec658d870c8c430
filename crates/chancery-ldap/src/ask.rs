//! The conversations: StartTLS, and whether a password is right and whose it is.

use std::io::{self, Read, Write};

use crate::{
    ber::{Bytes, Malformed, NoMessage, read_message},
    filter::{Filter, any_entry},
    message::{self, Entry, Operation, Search},
    name::DistinguishedName,
};

pub use crate::message::Outcome;

/// Messages that may answer a search: two entries, an end, and references that are not followed.
const MESSAGES_MAX: usize = 16;

// Result codes (RFC 4511, appendix A).
const SUCCESS: u32 = 0;
const SIZE_LIMIT_EXCEEDED: u32 = 4;
/// Refusals of one entry (RFC 4511 section 4.1.9): it has no such attribute, there is none, another proof is needed, one may not
/// read it, or the directory does not want to.
const OF_THE_ENTRY: [u32; 5] = [16, 32, 48, 50, 53];

/// Result codes of a bind that say nothing of who it is for: operationsError, protocolError, timeLimitExceeded,
/// authMethodNotSupported, strongerAuthRequired, referral, adminLimitExceeded, confidentialityRequired, busy, unavailable and
/// other.
const OF_THE_DIRECTORY: [u32; 11] = [1, 2, 3, 7, 8, 10, 11, 13, 51, 52, 80];

/// How the entry of a user is found.
pub enum Account<'a> {
    /// Its name is made of the user name.
    Named(&'a DistinguishedName),
    /// It is searched for in the name of a service account.
    Searched {
        /// The name of the service account.
        bind_dn: &'a str,
        /// Its password.
        bind_password: &'a [u8],
        /// Below what.
        base: &'a str,
        /// By what.
        filter: &'a Filter,
    },
}

/// Who says to be whom.
pub struct Question<'a> {
    /// How the entry is found.
    pub account: Account<'a>,
    /// Checked before: [`check_username`](crate::check_username).
    pub username: &'a str,
    /// Not empty: to bind by a name without a password succeeds, and proves nothing (RFC 4513, 5.1.2).
    pub password: &'a [u8],
    /// The attribute that tells who it is for ever.
    pub id_attribute: &'a str,
    /// How long a search may take there.
    pub time_limit_s: u32,
}

/// What a directory says.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The password is right, and this is the value of the attribute.
    Is(Vec<u8>),
    /// It is nobody whom the directory lets in.
    Not(Refusal),
}

/// Why somebody is not let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// No entry is found.
    NoEntry,
    /// More than one is.
    SeveralEntries,
    /// The password is wrong, or the account may not be used: what the directory said of it.
    Bind(Outcome),
    /// The entry has not exactly one value of the attribute, or none that may be read.
    NoId,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The connection broke, or took too long.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Not what RFC 4511 has.
    #[error("it does not answer as a directory does: {0}")]
    Answer(&'static str),
    /// It cannot do what was asked for.
    #[error("it refuses {what}: result code {}, {}", .outcome.code, .outcome.text)]
    Refused {
        /// What was asked for.
        what: &'static str,
        /// What it said.
        outcome: Outcome,
    },
    /// The password of the service account is not taken.
    #[error("it refuses the service account: result code {}, {}", .0.code, .0.text)]
    ServiceAccount(Outcome),
    /// The caller has to see to that.
    #[error("a password was empty")]
    EmptyPassword,
}

impl From<NoMessage> for Fault {
    fn from(why: NoMessage) -> Self {
        match why {
            NoMessage::Io(error) => error.into(),
            NoMessage::Malformed => malformed(),
            NoMessage::TooLong => Self::Answer("a message is too long"),
        }
    }
}

const fn malformed() -> Fault {
    Fault::Answer("a message is malformed, or none that was asked for")
}

/// Asks for TLS on a connection that began without. Not a byte is read of what follows the answer.
///
/// # Errors
///
/// [`Fault`] where there will be no TLS.
pub fn start_tls(stream: &mut (impl Read + Write + ?Sized)) -> Result<(), Fault> {
    let mut directory = Directory { stream, last: 0 };
    directory.send(message::start_tls)?;
    match directory.receive("")? {
        Operation::Extended(outcome) if outcome.code == SUCCESS => Ok(()),
        Operation::Extended(outcome) => Err(Fault::Refused { what: "StartTLS", outcome }),
        Operation::Bound(_) | Operation::Entry(_) | Operation::Reference | Operation::SearchDone(_) => Err(malformed()),
    }
}

/// Asks a directory whether a password is right, and whose it is, over a connection that is secret and authentic.
///
/// # Errors
///
/// [`Fault`] where it does not say.
pub fn ask(stream: &mut (impl Read + Write + ?Sized), question: &Question<'_>) -> Result<Answer, Fault> {
    if question.password.is_empty() {
        return Err(Fault::EmptyPassword);
    }
    let mut directory = Directory { stream, last: 0 };
    let answer = match &question.account {
        Account::Named(name) => directory.ask_by_name(&name.of(question.username), question),
        Account::Searched { bind_dn, bind_password, base, filter } => {
            directory.bind_service_account(bind_dn, bind_password)?;
            let filter = filter.encode(question.username);
            let search = Search { base, is_of_base_alone: false, ..directory_search(question, filter) };
            directory.ask_by_search(&search, question)
        }
    };
    // Good manners: whatever comes of it, the answer is known.
    let _ended = directory.send(message::unbind);
    answer
}

fn directory_search<'a>(question: &Question<'a>, filter: Bytes) -> Search<'a> {
    let Question { id_attribute, time_limit_s, .. } = *question;
    Search { base: "", is_of_base_alone: true, filter, attribute: id_attribute, time_limit_s }
}

/// A directory at the other end, and the number of the last request.
struct Directory<'a, S: ?Sized> {
    stream: &'a mut S,
    last: u32,
}

/// What a search has found.
enum Found {
    Nothing,
    One(Entry),
    Several,
}

impl<S: Read + Write + ?Sized> Directory<'_, S> {
    fn ask_by_name(&mut self, name: &str, question: &Question<'_>) -> Result<Answer, Fault> {
        if let Some(refusal) = self.bind(name, question.password)? {
            return Ok(Answer::Not(refusal));
        }
        let search = Search { base: name, ..directory_search(question, any_entry()) };
        Ok(match self.search(&search)? {
            Found::One(entry) => only(entry).map_or(Answer::Not(Refusal::NoId), Answer::Is),
            Found::Nothing | Found::Several => Answer::Not(Refusal::NoId),
        })
    }

    fn ask_by_search(&mut self, search: &Search<'_>, question: &Question<'_>) -> Result<Answer, Fault> {
        let entry = match self.search(search)? {
            Found::Nothing => return Ok(Answer::Not(Refusal::NoEntry)),
            Found::Several => return Ok(Answer::Not(Refusal::SeveralEntries)),
            Found::One(entry) => entry,
        };
        // Whoever binds by no name is anonymous, whatever the password is.
        if entry.name.is_empty() {
            return Err(Fault::Answer("an entry has no name"));
        }
        let refused = self.bind(&entry.name, question.password)?;
        Ok(match (refused, only(entry)) {
            (Some(refusal), _) => Answer::Not(refusal),
            (None, Some(id)) => Answer::Is(id),
            (None, None) => Answer::Not(Refusal::NoId),
        })
    }

    fn bind_service_account(&mut self, name: &str, password: &[u8]) -> Result<(), Fault> {
        if name.is_empty() || password.is_empty() {
            return Err(Fault::EmptyPassword);
        }
        match self.bind(name, password)? {
            None => Ok(()),
            Some(Refusal::Bind(outcome)) => Err(Fault::ServiceAccount(outcome)),
            Some(Refusal::NoEntry | Refusal::SeveralEntries | Refusal::NoId) => Err(malformed()),
        }
    }

    fn bind(&mut self, name: &str, password: &[u8]) -> Result<Option<Refusal>, Fault> {
        self.send(|id| message::bind(id, name, password))?;
        match self.receive("")? {
            Operation::Bound(outcome) if outcome.code == SUCCESS => Ok(None),
            Operation::Bound(outcome) if OF_THE_DIRECTORY.contains(&outcome.code) => {
                Err(Fault::Refused { what: "a bind", outcome })
            }
            Operation::Bound(outcome) => Ok(Some(Refusal::Bind(outcome))),
            Operation::Entry(_) | Operation::Reference | Operation::SearchDone(_) | Operation::Extended(_) => {
                Err(malformed())
            }
        }
    }

    fn search(&mut self, search: &Search<'_>) -> Result<Found, Fault> {
        self.send(|id| message::search(id, search))?;
        let mut found = None;
        for _ in 0..MESSAGES_MAX {
            match self.receive(search.attribute)? {
                Operation::Entry(_) if found.is_some() => return Ok(Found::Several),
                Operation::Entry(entry) => found = Some(entry),
                Operation::Reference => {}
                Operation::SearchDone(outcome) => {
                    return match (outcome.code, found) {
                        (SUCCESS, Some(entry)) => Ok(Found::One(entry)),
                        (SUCCESS, None) => Ok(Found::Nothing),
                        (SIZE_LIMIT_EXCEEDED, _) => Ok(Found::Several),
                        // One's own entry, which one may not read. Were that the directory's fault, the answer would tell that
                        // the password was right, and count no try.
                        (code, None) if search.is_of_base_alone && OF_THE_ENTRY.contains(&code) => Ok(Found::Nothing),
                        (_, _) => Err(Fault::Refused { what: "a search", outcome }),
                    };
                }
                Operation::Bound(_) | Operation::Extended(_) => return Err(malformed()),
            }
        }
        Err(Fault::Answer("a search has no end"))
    }

    fn send(&mut self, request: impl FnOnce(u32) -> Bytes) -> Result<(), Fault> {
        self.last += 1;
        self.stream.write_all(&request(self.last))?;
        self.stream.flush()?;
        Ok(())
    }

    /// What answers the last request; everything else is no answer, also a notice that the directory ends the connection.
    fn receive(&mut self, attribute: &str) -> Result<Operation, Fault> {
        let content = read_message(self.stream)?;
        let (id, operation) = message::read(&content, attribute).map_err(|Malformed| malformed())?;
        if id == self.last { Ok(operation) } else { Err(Fault::Answer("a message answers another request")) }
    }
}

/// The value, where there is one.
fn only(entry: Entry) -> Option<Vec<u8>> {
    let mut values = entry.values;
    values.pop().filter(|value| values.is_empty() && !value.is_empty())
}

#[cfg(test)]
mod tests;
