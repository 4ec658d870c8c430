//! Proposals: what takes effect once enough people have approved it. A pre-approval stands in for the approvals of
//! requests to come; a policy is made or changed; a certificate is issued; what certificates take approvals of changes.
//! Their approvals follow the rules of signing requests
//! (`signing/request.rs`), where Signed stands for what has taken effect.

mod batch;
mod certificate;
mod content;
mod decide;
mod demanded;
mod effect;
mod life;
mod policy;
mod pre_approval;
mod propose;
mod read;
mod stored;

pub(super) use certificate::asked_for_last;
pub(crate) use content::NewCertificate;
pub(super) use content::NewPolicy;
pub(crate) use pre_approval::PreApproved;
