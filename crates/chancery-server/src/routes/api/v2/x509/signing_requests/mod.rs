//! `/api/v2/x509/signing-requests`.

pub(crate) mod approval_statement;
pub(crate) mod approve;
pub(crate) mod batch_approve_deny;
pub(crate) mod deny;
pub(crate) mod items;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod repeat;
pub(crate) mod signed;
pub(crate) mod submit;
pub(crate) mod withdraw;
