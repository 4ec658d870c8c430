//! The ledger of the audit records, as whoever has a copy of it sees it: each record is a leaf of a Merkle tree that only
//! grows, and signed checkpoints over that tree are linked to each other. A copy is an export made with `ledger`, or what a
//! host reads from its own database in the same form.

mod archives;
mod checkpoint;
mod copy;
mod demand;
mod fault;
mod journals;
mod verify;

pub use archives::STAYS;
pub use checkpoint::{JournalAnchor, LedgerCheckpoint};
pub use copy::LedgerCopy;
pub use demand::{Demand, NotWitnessed, Witnessed};
pub use fault::LedgerFault;
pub use verify::{LedgerState, TOLERANCE_MS, verify_ledger};

pub use crate::log::tree::leaf_hash;
