//! A key that signs notes, with the name it signs them under: the transparency log has one, and the audit ledger.

use chancery_keys::{Custodian, KeyRef, KeySpec, OwnKey, SealedKey, random};
use chancery_types::KeyId;
use uuid::Uuid;

use super::note::{self, LogKey};
use crate::{
    Error, Result,
    custody::{Custody, Message, Signer},
};

/// The open key.
pub(crate) struct NoteSigner {
    pub(crate) key: LogKey,
    signer: Signer,
}

/// The key as the store has it.
pub(crate) struct StoredKey {
    pub(crate) id: Uuid,
    pub(crate) sealed: Vec<u8>,
    /// The public half, 32 bytes.
    pub(crate) public_key: Vec<u8>,
}

impl StoredKey {
    pub(crate) fn make(custodian: &Custodian, own: OwnKey) -> Result<Self> {
        let id = KeyId::from_random(random());
        let made = custodian.generate(reference(id, own)).map_err(Error::internal)?;
        let public_key = made.public_key.as_deref().and_then(note::raw_key);
        let public_key = public_key.ok_or_else(|| Error::internal("an Ed25519 key has a public half"))?;
        Ok(Self { id: id.into(), sealed: made.sealed.as_bytes().to_vec(), public_key: public_key.to_vec() })
    }
}

impl NoteSigner {
    pub(crate) fn open(custody: &Custody, own: OwnKey, name: &str, stored: StoredKey) -> Result<Self> {
        let sealed = SealedKey::from_parts(reference(stored.id.into(), own), stored.sealed);
        let signer = custody.own_signer(&sealed, own)?;
        let public_key = note::raw_key(signer.public_key()).filter(|key| key[..] == stored.public_key[..]);
        let key = public_key.and_then(|key| LogKey::new(name, key));
        let key = key.ok_or_else(|| Error::internal("a log's stored name and public key do not fit its key"))?;
        Ok(Self { key, signer })
    }

    /// The same key under another name; none where that is no name.
    pub(super) fn renamed(self, name: &str) -> Option<Self> {
        let key = LogKey::new(name, note::raw_key(self.signer.public_key())?)?;
        Some(Self { key, signer: self.signer })
    }

    /// The note of a text.
    pub(crate) async fn sign(&self, text: String) -> Result<String> {
        let scheme = note::scheme().map_err(Error::internal)?;
        let (_, signature) = self.signer.sign(Message { scheme, bytes: text.clone().into_bytes() }).await?;
        Ok(self.key.note(&text, &signature))
    }
}

const fn reference(id: KeyId, own: OwnKey) -> KeyRef {
    KeyRef { id, version: 1, purpose: own.purpose(), spec: KeySpec::Ed25519 }
}
