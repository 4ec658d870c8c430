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

use std::sync::Arc;

use crate::{Context, context::storage::Opening};

pub use chancery_verify::log::LogTile;
pub(crate) use chancery_verify::log::{Leaf, LogKey};
pub(crate) use chancery_verify::log::{checkpoint, leaf, note, tile, tree};
pub(crate) use entry::{NewEntry, append};
pub(crate) use note_signer::{NoteSigner, StoredKey};
pub(crate) use proof::{inclusion_proof, inclusion_proofs};
pub(crate) use sequencer::{load, number, ranges};
pub use setup::LogFailure;
pub(crate) use setup::LogState;
pub(crate) use witnesses::{Shown, Witnesses, cosigned, with_cosignatures};
pub use witnesses::{Witness, WitnessCounts};

#[cfg(feature = "promises")]
pub(crate) use {public::PublishingLog, sequencer::SequencingLog};

/// The transparency log, and who witnesses it.
pub struct Log {
    context: Arc<Context>,
    pub(crate) state: LogState,
    witnesses: Witnesses,
}

impl Log {
    /// Opens the log, or begins it under this name.
    pub(crate) async fn open(
        context: &Arc<Context>,
        opening: &Opening,
        name: Option<&str>,
        witnesses: Vec<Witness>,
    ) -> Result<Self, LogFailure> {
        Ok(Self {
            state: LogState::load(context, opening, (name, context.public_url.as_deref())).await?,
            witnesses: Witnesses::new(witnesses, &context.limits),
            context: Arc::clone(context),
        })
    }
}

impl AsRef<Context> for Log {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

#[cfg(test)]
mod tests;
