//! The ledger's name and key, made when the installation is first opened, with a checkpoint over nothing.

use chancery_keys::{Custodian, OwnKey};
use chancery_store::tables::audit_ledger::{self, Checkpoint, Row};
use chancery_verify::ledger::LedgerCheckpoint;

use super::alarm::Failing;
use crate::{
    Context, Error, Result,
    context::storage::Opening,
    custody::Custody,
    log::{NoteSigner, StoredKey},
    time::rfc3339_ms,
};

/// The open ledger: what checkpoints are signed with.
pub(crate) struct Ledger(pub(crate) NoteSigner, pub(super) Failing);

impl Ledger {
    /// Opens the ledger, or begins it; of two nodes that do so at once, both get what the first one made.
    pub(crate) async fn load(context: &Context, opening: &Opening) -> Result<Self> {
        let Context { storage, custodian, custody, clock, .. } = context;
        let read =
            storage.read(opening, |tx| Box::pin(async move { Ok::<_, Error>(audit_ledger::read(tx).await?) })).await?;
        if let Some(row) = read {
            return Self::open(custody, row);
        }
        let row = make(custodian)?;
        let first = LedgerCheckpoint::first(&row.origin, rfc3339_ms(clock.now_ms()));
        let note = Self::open(custody, row.clone())?.sign(&first).await?;
        let write = storage.background(opening, move |tx| {
            Box::pin(async move {
                if audit_ledger::insert_if_absent(tx, &row).await? {
                    audit_ledger::add(tx, &Checkpoint { number: 0, note }).await?;
                }
                Ok::<_, Error>(audit_ledger::read(tx).await?)
            })
        });
        let row = write.await?.ok_or_else(|| Error::internal("the ledger that was stored is not there"))?;
        Self::open(custody, row)
    }

    fn open(custody: &Custody, row: Row) -> Result<Self> {
        let Row { origin, key_id: id, sealed, public_key } = row;
        let signer = NoteSigner::open(custody, OwnKey::Ledger, &origin, StoredKey { id, sealed, public_key })?;
        Ok(Self(signer, Failing::default()))
    }

    /// Signs a checkpoint. It may be shown to somebody once it is stored, and no other of its number ever may.
    pub(in crate::audit) async fn sign(&self, checkpoint: &LedgerCheckpoint) -> Result<String> {
        self.0.sign(checkpoint.to_text()).await
    }
}

/// A new ledger. Its name follows from its key: the public address is not known yet when it has its first leaf, and a name
/// never changes after that. Nobody else has this one, and it never resolves (RFC 2606).
fn make(custodian: &Custodian) -> Result<Row> {
    let StoredKey { id: key_id, sealed, public_key } = StoredKey::make(custodian, OwnKey::Ledger)?;
    Ok(Row { origin: format!("chancery.invalid/{key_id}/audit"), key_id, sealed, public_key })
}
