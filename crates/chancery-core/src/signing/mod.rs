//! Code signing: services, policies, requests that people approve, and signatures.

mod algorithms;
mod batch;
pub(crate) mod certificate;
mod credential;
mod decide;
mod decision;
mod demand;
mod deploy;
mod embedded;
mod evidence;
pub(crate) mod formats;
mod made;
mod manifest;
mod matter;
mod pages;
mod policy;
mod proposal;
mod read;
mod refusal;
mod renew;
mod repeat;
mod request;
pub(crate) mod rules;
mod service;
mod stored;
mod submit;
mod submitters;
mod target;
mod terms;
#[cfg(test)]
mod testing;
mod time_stamp;
mod turns;
mod verify;

pub(crate) use demand::Demand;
pub(crate) use deploy::NewService;
pub use evidence::{
    Stamp, Trust, VerifiedSignature, certificate_of_signer, content_hash, read_certificates, verify_raw,
    verify_signature,
};
pub use manifest::manifest_digest;
pub(crate) use proposal::NewCertificate;
pub(crate) use submitters::StoredSubmitters;
pub(crate) use target::ReadyTargets;
pub(crate) use terms::check_num_approvals;
pub(crate) use time_stamp::Outside;
pub use time_stamp::{BadStamp, OutsideAuthorities, StampTransport, TimeStampAnswer};
pub(crate) use turns::Turns;
pub use verify::{NotVerified, Verified, verify_detached};
