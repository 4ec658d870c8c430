//! What is proposed about signing: policies, and approvals of requests to come.

pub(crate) mod policy;
pub(crate) mod pre_approval;
