//! `/api/v2/x509/proposals`.

pub(crate) mod approval_statement;
pub(crate) mod approve;
pub(crate) mod batch_approve_deny;
pub(crate) mod deny;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod revoke;
pub(crate) mod withdraw;
