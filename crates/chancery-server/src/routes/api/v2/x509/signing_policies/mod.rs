//! `/api/v2/x509/signing-policies`.

pub(crate) mod budgets;
pub(crate) mod uuid;
