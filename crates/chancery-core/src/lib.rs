//! What Chancery does: identities, access, tokenization, certificates, signing. No HTTP, no SQL.
//!
//! [`Chancery`] is the façade over the domains, whose public methods are the door. Each takes a [`Caller`] first (or, for the
//! few things that anybody may ask, a [`Visitor`]) and goes the same way: load, grant, decide, use keys, commit state and
//! audit together. A domain names none that stands above it.

mod access_report;
mod approval;
mod audit;
mod base;
mod budgets;
mod chancery;
mod context;
mod custody;
mod identity;
mod keys;
mod log;
mod notices;
mod outbound;
mod pki;
#[cfg(feature = "promises")]
#[expect(unused, reason = "nobody calls what does not compile")]
mod promises;
mod signing;
#[cfg(test)]
mod testing;
mod tokenization;

use chancery_x509::time;

pub use access_report::Reports;
pub use approval::Approvals;
pub use audit::{Audit, AuditExport, JournalConfig, KeptArchives, ShippingCounts};
pub use base::{
    clock::Clock,
    error::{Error, Meaning, Result},
    limits::{
        ApiKeyLimits, BodyLimits, GrantLimits, ImportLimits, Limits, ListLimits, LoginLimits, NoticeLimits,
        OutageLimits, PreApprovalLimits,
    },
    network::{Network, NotANetwork},
    pool::{OnBehalf, Party},
    root_key::create_root_key,
    source::Source,
    text::folded as folded_name,
};
pub use budgets::Budgets;
pub use chancery::{Chancery, Config};
pub use chancery_journal::{Head as JournalHead, Numbers as JournalNumbers};
pub use chancery_keys::{KeyBackend, RootKeyFileError, RootKeySource, ScratchKey};
pub use chancery_store::{RefusedRow, SqliteFlush, StoreUrl};
pub use chancery_x509::time::{parse_rfc3339 as moment_ms, rfc3339};
pub use context::{
    Caller, Context, Event, Grant, Host, IdempotentCall, MadeBefore, Member, RequestId, RequestInfo, Visitor,
    storage::OpenFailure,
};
pub use custody::RsaPoolLevels;
pub use identity::{
    Answering, Credentials, Fetched, FirstIdentity, Form, Identities, LdapPlace, LoggedIn, NoAnswer, OidcStarted,
    PasswordWork, ProviderTransport, Provision, Recover, Recovered, ShownCertificates,
};
pub use keys::Keys;
pub use log::{Log, LogFailure, LogTile, Witness, WitnessCounts};
pub use notices::{NoticeConfig, NoticeCounts, NoticeEvent, NoticeEventId, NoticeFollower, Notices};
pub use outbound::{Append, Mail, NoticeTransport, Post, Posted, Syslog};
pub use pki::{Expiring, File, ListKind, ListVersion, OcspAnswer, Pki, RevocationList, TransportIdentity};
pub use signing::{OutsideAuthorities, Signing, StampTransport, TimeStampAnswer};
pub use tokenization::{Demand, JournalEntry, JournalState, OtherJournal, RuleCall, Tokens};
