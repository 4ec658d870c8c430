//! What a relying party checks, without the installation that signed: signatures, the paths of their certificates, time
//! stamps, and what the transparency log proves. Pure: bytes, a time and what is trusted are given in.

mod approvals;
mod cms;
mod evidence;
mod facts;
pub mod ledger;
pub mod log;
mod manifest;
pub mod path;
pub mod provenance;
mod text;
pub mod time_stamp;

pub use approvals::{
    ApprovalStatement, ApproverKeys, Content, NoApproverKeys, NotApproved, Subject, ToApprove, approval_challenge,
    installation_digest, signing_key_digest, verify_approvals,
};
pub use cms::{NotVerified, Verified, verify_detached};
pub use evidence::{
    Stamp, Trust, VerifiedSignature, certificate_of_signer, content_hash, read_certificates, read_cms, read_crls,
    read_links, read_purpose, verify_by_signer, verify_raw, verify_raw_digest, verify_signature,
};
pub use facts::{SignatureFacts, signature_consequence};
pub use manifest::{approval_digest, decisions_statement, manifest_digest, policy_digest};
pub use text::hexadecimal;
pub use time_stamp::BadStamp;

#[cfg(test)]
mod testing {
    use std::time::SystemTime;

    /// This machine's time, which is that of the tools that tests call.
    pub(crate) fn now_ms() -> i64 {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    }
}
