//! What Chancery does: identities, access, tokenization, certificates, signing. No HTTP, no SQL.
//!
//! [`Chancery`] is the door. Every public method on it takes a [`Caller`] first (or, for the few things that anybody
//! may ask, a [`Visitor`]) and goes the same way: load, grant, decide, use keys, commit state and audit together.

use chancery_x509::time;

mod access;
mod access_report;
mod approval;
mod audit;
mod background;
mod chancery;
mod changes;
mod clock;
mod compiled;
mod custody;
mod error;
mod health;
mod host_work;
mod idempotency;
mod identity;
mod keys;
mod limits;
mod list;
mod log;
mod network;
mod notices;
mod pki;
mod pool;
#[cfg(feature = "promises")]
#[expect(unused, reason = "nobody calls what does not compile")]
mod promises;
mod quarantine;
mod root_key;
mod rows;
mod settings;
mod sharded;
mod signing;
mod source;
mod storage;
#[cfg(test)]
mod testing;
mod text;
mod tokenization;
mod up_to_date;

pub use access::{Demand, Grant, RuleCall};
pub use audit::{
    AuditExport, Event, JournalConfig, JournalEntry, JournalState, KeptArchives, OtherJournal, ShippingCounts,
};
pub use chancery::{Chancery, Config};
pub use chancery_journal::{Head as JournalHead, Numbers as JournalNumbers};
pub use chancery_keys::{KeyBackend, RootKeyFileError, RootKeySource, ScratchKey};
pub use chancery_store::{RefusedRow, SqliteFlush, StoreUrl};
pub use chancery_x509::time::{parse_rfc3339 as moment_ms, rfc3339};
pub use clock::Clock;
pub use custody::RsaPoolLevels;
pub use error::{Error, Meaning, Result};
pub use idempotency::{IdempotentCall, MadeBefore};
pub use identity::{
    Answering, Caller, Credentials, Fetched, FirstIdentity, Form, LdapPlace, LoggedIn, Member, NoAnswer, OidcStarted,
    PasswordWork, ProviderTransport, Provision, Recover, Recovered, RequestId, RequestInfo, ShownCertificates, Visitor,
};
pub use limits::{
    ApiKeyLimits, BodyLimits, GrantLimits, ImportLimits, Limits, ListLimits, LoginLimits, NoticeLimits, OutageLimits,
    PreApprovalLimits,
};
pub use log::{LogFailure, LogTile, Witness, WitnessCounts};
pub use network::{Network, NotANetwork};
pub use notices::{
    Append, Mail, NoticeConfig, NoticeCounts, NoticeEvent, NoticeEventId, NoticeFollower, NoticeTransport, Post,
    Posted, Syslog,
};
pub use pki::{Expiring, File, ListKind, ListVersion, OcspAnswer, RevocationList, TransportIdentity};
pub use pool::{OnBehalf, Party};
pub use root_key::create_root_key;
pub use signing::{OutsideAuthorities, StampTransport, TimeStampAnswer};
pub use source::Source;
pub use storage::{Host, OpenFailure};
pub use text::folded as folded_name;
