//! What is demanded of witnesses: so many of these have cosigned a checkpoint.

use super::{checkpoint::LedgerCheckpoint, fault::LedgerFault};
use crate::log::{BadCosignature, Cosigned, LogKey, WitnessKey, cosignatures};

/// So many of these witnesses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Those that count.
    pub witnesses: Vec<WitnessKey>,
    /// How many of them.
    pub count: usize,
}

/// The newest checkpoint that enough witnesses have cosigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witnessed {
    /// The checkpoint.
    pub checkpoint: LedgerCheckpoint,
    /// By whom.
    pub cosigned: Vec<Cosigned>,
}

impl Demand {
    /// The cosignatures of a note, where there are enough.
    ///
    /// # Errors
    ///
    /// [`NotWitnessed`] says what is missing.
    pub fn meets(&self, note: &str) -> Result<Vec<Cosigned>, NotWitnessed> {
        let found = cosignatures(note, &self.witnesses)?;
        if found.len() >= self.count {
            return Ok(found);
        }
        Err(NotWitnessed::TooFew { found: found.len(), demanded: self.count })
    }

    /// The newest of these checkpoints that is the ledger's and has enough. What claims to be of a witness and is not is a fault
    /// wherever it stands.
    pub(super) fn newest<'n>(
        &self,
        notes: impl Iterator<Item = &'n String>,
        key: &LogKey,
        faults: &mut Vec<LedgerFault>,
    ) -> Option<Witnessed> {
        if self.count == 0 {
            return None;
        }
        let (mut newest, mut most): (Option<Witnessed>, usize) = (None, 0);
        for note in notes {
            // What the ledger has not signed is told elsewhere.
            let Ok(checkpoint) = LedgerCheckpoint::open(note, key) else { continue };
            match self.meets(note) {
                Ok(cosigned) => {
                    let is_newer = newest.as_ref().is_none_or(|newest| newest.checkpoint.number < checkpoint.number);
                    if is_newer {
                        newest = Some(Witnessed { checkpoint, cosigned });
                    }
                }
                Err(NotWitnessed::TooFew { found, .. }) => most = most.max(found),
                Err(NotWitnessed::Bad(bad)) => {
                    faults.push(LedgerFault::Cosignature { number: checkpoint.number, bad });
                }
            }
        }
        if newest.is_none() {
            faults.push(LedgerFault::NotWitnessed { found: most, demanded: self.count });
        }
        newest
    }
}

/// Why a note does not have what is demanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotWitnessed {
    /// Fewer witnesses have cosigned it.
    #[error("{found} of the witnesses have cosigned the checkpoint, and {demanded} are demanded")]
    TooFew {
        /// How many have.
        found: usize,
        /// How many have to.
        demanded: usize,
    },
    /// What claims to be a cosignature is none.
    #[error(transparent)]
    Bad(#[from] BadCosignature),
}
