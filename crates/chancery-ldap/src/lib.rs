//! As much of LDAP (RFC 4511) as a login by a directory needs: a bind, a search for one entry, StartTLS. Over any stream, so
//! there are neither sockets nor TLS here; who connects sees to these and to the time that all of it may take.
//!
//! What a directory answers is read within bounds that are set before it is looked at: bytes of a message, messages, and no
//! recursion. Referrals are not followed. Filters and names are templates, into which a user name goes as a value and never
//! as syntax.

mod address;
mod ask;
mod ber;
mod filter;
mod message;
mod name;

pub use address::Address;
pub use ask::{Account, Answer, Fault, Outcome, Question, Refusal, ask, start_tls};
pub use filter::Filter;
pub use name::{DistinguishedName, check_username, counted_username};

/// Stands for the user name in a filter or a distinguished name.
pub const USERNAME: &str = "{username}";

/// Why a text is no filter, name or address, in words for whoever wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotOne(pub &'static str);
