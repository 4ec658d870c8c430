//! The one way of all signatures, of a single request and of the items of a manifest, at submission and with the last
//! approval:
//!
//! ```text
//! Prepared ──▶ Approved ──▶ Signed ──▶ Logged ──▶ Admitted ──▶ stored
//! ```
//!
//! - `Prepared`: everything that is to be signed is at hand, and what signs it.
//! - `Approved`: nobody is to be asked any more.
//! - `Signed`: a key has signed, outside of any transaction. Nobody has seen that, and it counts for nothing.
//! - `Logged`: what the transparency log will say of it is written.
//! - `Admitted`: inside the transaction that stores it, it was found that it may count.
//!
//! Each is a type that only the step before makes. The caller stores its request or its decision in between, and whatever
//! refuses on the way leaves nothing behind. Before a key signs, the signatures are counted in the budgets of the policy. They
//! take that with them, and where they are not stored it is put back.

mod items;
mod logged;
mod prepared;
mod sign;

pub(super) use self::{items::Signatures, logged::Logged, prepared::Prepared, sign::Failure};
