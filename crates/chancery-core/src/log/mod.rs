//! The transparency log: every signature and every certificate is a leaf of one Merkle tree that only grows.
//!
//! The transaction that stores a signature or a certificate adds an entry (`entry`). Within a second the sequencer gives
//! it a place and signs a checkpoint over the tree. Anybody reads checkpoint, tiles and entries (`public`), and whoever
//! keeps the detail of a request can prove later, without this installation, that its signature was logged (`chancery-verify`).

mod entry;
mod note_signer;
mod proof;
mod public;
mod sequencer;
mod setup;
mod witnesses;

pub use chancery_verify::log::LogTile;
pub(crate) use chancery_verify::log::{Leaf, LogKey};
pub(crate) use chancery_verify::log::{checkpoint, leaf, note, tile, tree};
pub(crate) use entry::{NewEntry, append};
pub(crate) use note_signer::{NoteSigner, StoredKey};
pub(crate) use proof::{inclusion_proof, inclusion_proofs};
pub(crate) use public::PublishingLog;
pub(crate) use sequencer::{SequencingLog, load, number, ranges};
pub(crate) use setup::Log;
pub use setup::LogFailure;
pub(crate) use witnesses::{AskingWitnesses, Shown, Witnesses, cosigned, with_cosignatures};
pub use witnesses::{Witness, WitnessCounts};

#[cfg(test)]
mod tests;
