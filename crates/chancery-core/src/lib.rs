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
mod base;
mod chancery;
mod changes;
mod custody;
mod health;
mod host_work;
mod idempotency;
mod identity;
mod keys;
mod log;
mod notices;
mod pki;
#[cfg(feature = "promises")]
#[expect(unused, reason = "nobody calls what does not compile")]
mod promises;
mod quarantine;
mod rows;
mod settings;
mod signing;
mod storage;
#[cfg(test)]
mod testing;
mod tokenization;
mod up_to_date;

pub use access::{Demand, Grant, RuleCall};
pub use audit::{
    AuditExport, Event, JournalConfig, JournalEntry, JournalState, KeptArchives, OtherJournal, ShippingCounts,
};
pub use base::clock::Clock;
pub use base::error::{Error, Meaning, Result};
pub use base::limits::{
    ApiKeyLimits, BodyLimits, GrantLimits, ImportLimits, Limits, ListLimits, LoginLimits, NoticeLimits, OutageLimits,
    PreApprovalLimits,
};
pub use base::network::{Network, NotANetwork};
pub use base::pool::{OnBehalf, Party};
pub use base::root_key::create_root_key;
pub use base::source::Source;
pub use base::text::folded as folded_name;
pub use chancery::{Chancery, Config};
pub use chancery_journal::{Head as JournalHead, Numbers as JournalNumbers};
pub use chancery_keys::{KeyBackend, RootKeyFileError, RootKeySource, ScratchKey};
pub use chancery_store::{RefusedRow, SqliteFlush, StoreUrl};
pub use chancery_x509::time::{parse_rfc3339 as moment_ms, rfc3339};
pub use custody::RsaPoolLevels;
pub use idempotency::{IdempotentCall, MadeBefore};
pub use identity::{
    Answering, Caller, Credentials, Fetched, FirstIdentity, Form, LdapPlace, LoggedIn, Member, NoAnswer, OidcStarted,
    PasswordWork, ProviderTransport, Provision, Recover, Recovered, RequestId, RequestInfo, ShownCertificates, Visitor,
};
pub use log::{LogFailure, LogTile, Witness, WitnessCounts};
pub use notices::{
    Append, Mail, NoticeConfig, NoticeCounts, NoticeEvent, NoticeEventId, NoticeFollower, NoticeTransport, Post,
    Posted, Syslog,
};
pub use pki::{Expiring, File, ListKind, ListVersion, OcspAnswer, RevocationList, TransportIdentity};
pub use signing::{OutsideAuthorities, StampTransport, TimeStampAnswer};
pub use storage::{Host, OpenFailure};
