//! The ledger's name and key, made when the installation is first opened, with a checkpoint over nothing.

use chancery_keys::{Custodian, KeyRef, KeySpec, Purpose, SealedKey, random};
use chancery_store::tables::audit_ledger::{self, Checkpoint, Row};
use chancery_types::KeyId;
use chancery_verify::ledger::LedgerCheckpoint;
use uuid::Uuid;

use crate::{
    Clock, Error, Result,
    custody::{Custody, Signer},
    log::{LogKey, note, signed},
    storage::{Opening, Storage},
    time::rfc3339_ms,
};

/// The open ledger: what checkpoints are signed with.
pub(crate) struct Ledger {
    pub(crate) key: LogKey,
    signer: Signer,
}

impl Ledger {
    /// Opens the ledger, or begins it; of two nodes that do so at once, both get what the first one made.
    pub(crate) async fn load(
        storage: &Storage,
        opening: &Opening,
        custodian: &Custodian,
        custody: &Custody,
        clock: &Clock,
    ) -> Result<Self> {
        let read =
            storage.read(opening, |tx| Box::pin(async move { Ok::<_, Error>(audit_ledger::read(tx).await?) })).await?;
        if let Some(row) = read {
            return Self::open(custody, &row);
        }
        let row = make(custodian)?;
        let first = LedgerCheckpoint::first(&row.origin, rfc3339_ms(clock.now_ms()));
        let note = Self::open(custody, &row)?.sign(&first).await?;
        let write = storage.background(opening, move |tx| {
            Box::pin(async move {
                if audit_ledger::insert_if_absent(tx, &row).await? {
                    audit_ledger::add(tx, &Checkpoint { number: 0, note }).await?;
                }
                Ok::<_, Error>(audit_ledger::read(tx).await?)
            })
        });
        let row = write.await?.ok_or_else(|| Error::internal("the ledger that was stored is not there"))?;
        Self::open(custody, &row)
    }

    fn open(custody: &Custody, row: &Row) -> Result<Self> {
        let sealed = SealedKey::from_parts(reference(row.key_id.into()), row.sealed.clone());
        let signer = custody.ledger_signer(&sealed)?;
        let public_key = note::raw_key(signer.public_key()).filter(|key| key[..] == row.public_key[..]);
        let key = public_key.and_then(|key| LogKey::new(&row.origin, key));
        let key = key.ok_or_else(|| Error::internal("the ledger's stored name and public key do not fit its key"))?;
        Ok(Self { key, signer })
    }

    /// Signs a checkpoint. It may be shown to somebody once it is stored, and no other of its number ever may.
    pub(super) async fn sign(&self, checkpoint: &LedgerCheckpoint) -> Result<String> {
        signed(&self.key, &self.signer, checkpoint.to_text()).await
    }
}

/// A new ledger. Its name follows from its key: the public address is not known yet when it has its first leaf, and a name
/// never changes after that. Nobody else has this one, and it never resolves (RFC 2606).
fn make(custodian: &Custodian) -> Result<Row> {
    let id = KeyId::from_random(random());
    let made = custodian.generate(reference(id)).map_err(Error::internal)?;
    let public_key = made.public_key.as_deref().and_then(note::raw_key);
    let public_key = public_key.ok_or_else(|| Error::internal("an Ed25519 key has a public half"))?;
    Ok(Row {
        origin: format!("chancery.invalid/{}/audit", Uuid::from(id)),
        key_id: id.into(),
        sealed: made.sealed.as_bytes().to_vec(),
        public_key: public_key.to_vec(),
    })
}

const fn reference(id: KeyId) -> KeyRef {
    KeyRef { id, version: 1, purpose: Purpose::Ledger, spec: KeySpec::Ed25519 }
}
