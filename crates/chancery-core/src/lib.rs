//! What Chancery does: identities, access, tokenization, certificates, signing. No HTTP, no SQL.
//!
//! [`Chancery`] is the door. Every public method on it takes a [`Caller`] first (or, for the few things that anybody
//! may ask, a [`Visitor`]) and goes the same way: load, grant, decide, use keys, commit state and audit together.

mod access;
mod audit;
mod background;
mod chancery;
mod changes;
mod clock;
mod compiled;
mod error;
mod health;
mod host;
mod host_work;
mod identity;
mod keys;
mod limits;
mod list;
mod log;
mod pki;
mod pool;
mod root_key;
mod settings;
mod sharded;
mod signing;
mod source;
#[cfg(test)]
mod testing;
mod text;
mod time;
mod tokenization;

pub use access::Grant;
pub use audit::Event;
pub use chancery::{Chancery, Config, OpenFailure};
pub use chancery_keys::{RootKeyFileError, RootKeySource};
pub use chancery_store::StoreUrl;
pub use clock::Clock;
pub use error::{Error, Meaning, Result};
pub use host::Host;
pub use identity::{Caller, Credentials, FirstIdentity, LoggedIn, Member, Provision, RequestId, RequestInfo, Visitor};
pub use keys::RsaPoolLevels;
pub use limits::Limits;
pub use log::{
    CertificateLeaf, Checkpoint, CommitmentLeaf, Leaf, LogFailure, LogKey, LogTile, Logged, NotALogKey, NotLogged,
    NotSigned, SignatureLeaf, verify_inclusion, verify_log_consistency, verify_logged_certificate,
    verify_logged_signature,
};
pub use pki::{Expiring, File, ListKind, OcspAnswer, RevocationList, TransportIdentity, new_transport_identity};
pub use root_key::create_root_key;
pub use signing::{
    BadStamp, NotVerified, OutsideAuthorities, Stamp, StampTransport, TimeStampAnswer, Trust, Verified,
    VerifiedSignature, certificate_of_signer, content_hash, manifest_digest, read_certificates, verify_detached,
    verify_raw, verify_signature,
};
pub use source::Source;
pub use time::{parse_rfc3339 as moment_ms, rfc3339};
