//! The transparency log: every signature and every certificate is a leaf of one Merkle tree that only grows.
//!
//! The transaction that stores a signature or a certificate adds an entry (`entry`). Within a second the sequencer gives
//! it a place and signs a checkpoint over the tree. Anybody reads checkpoint, tiles and entries (`public`), and whoever
//! keeps the detail of a request can prove later, without this installation, that its signature was logged (`verify`).

mod checkpoint;
mod entry;
pub(crate) mod leaf;
mod note;
mod proof;
mod public;
mod sequencer;
mod setup;
mod tile;
mod tree;
mod verify;

pub use checkpoint::Checkpoint;
pub(crate) use entry::{NewEntry, append};
pub use leaf::{CertificateLeaf, CommitmentLeaf, Leaf, SignatureLeaf};
pub use note::{LogKey, NotALogKey, NotSigned};
pub(crate) use proof::{inclusion_proof, inclusion_proofs};
pub(crate) use setup::Log;
pub use setup::LogFailure;
pub use tile::LogTile;
pub use verify::{
    Logged, NotLogged, verify_inclusion, verify_log_consistency, verify_logged_certificate, verify_logged_signature,
};

#[cfg(test)]
mod tests;
