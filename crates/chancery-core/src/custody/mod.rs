//! Custody: makes keys, keeps those in use open, and signs with them.
//!
//! Most secrets are sealed in the database and open in this process (`software`); a key for signatures may also be in a
//! backend that never gives it out. Who signs sees a [`Signer`] and cannot tell the two apart.

mod open_keys;
mod rsa_pool;
mod signer;
mod software;

use std::sync::Arc;

use chancery_keys::{
    Backend, Custodian, CustodyError, ForeignKey, KeyBackend, KeyHandle, KeyRef, KeySpec, OwnKey, Purpose, RsaBatch,
    SealedKey, random,
};
use chancery_types::KeyId;
use signer::Outside;
use software::Software;

use crate::{Clock, Error, Result, base::pool::Pool};

pub use rsa_pool::RsaPoolLevels;
pub(crate) use signer::{Message, Signer, Unsigned};

/// A version of a key as it is stored.
pub(crate) struct KeyMaterial {
    pub(crate) handle: KeyHandle,
    /// Its sealed form, where it is the database that keeps it.
    pub(crate) sealed: Option<Vec<u8>>,
    /// SubjectPublicKeyInfo, for keys that have a public half.
    pub(crate) public_key: Option<Vec<u8>>,
}

/// All keys of an installation, whatever keeps them.
pub(crate) struct Custody {
    software: Software,
    clock: Clock,
    /// What makes and keeps new keys for signatures; without it the database does.
    outside: Option<Arc<dyn KeyBackend>>,
}

impl Custody {
    /// With a pool for new keys, and so many RSA keys of each size made ahead, once it was asked for.
    pub(crate) fn new(
        custodian: &Arc<Custodian>,
        pool: &Arc<Pool>,
        key_pool: Pool,
        clock: &Clock,
        rsa_pool: usize,
        outside: Option<Arc<dyn KeyBackend>>,
    ) -> Arc<Self> {
        let custody = Arc::new(Self {
            software: Software::new(Arc::clone(custodian), Arc::clone(pool), key_pool, rsa_pool),
            clock: clock.clone(),
            outside,
        });
        rsa_pool::fill(&custody);
        custody
    }

    /// A new key: one that was made ahead, or one that is made now.
    pub(crate) async fn new_key(&self, purpose: Purpose, spec: KeySpec) -> Result<KeyMaterial> {
        if self.outside.is_none()
            && let Some(ready) = self.software.rsa_pool.take(spec)
        {
            return Ok(ready);
        }
        self.generate(KeyRef { id: self.new_key_id(), version: 1, purpose, spec }).await
    }

    /// Makes the key that the reference names, a first version or a later one.
    pub(crate) async fn generate(&self, key: KeyRef) -> Result<KeyMaterial> {
        match &self.outside {
            Some(outside) if key.purpose == Purpose::Sign => {
                let handle = KeyHandle { key, backend: Backend::Outside(outside.name().into()) };
                let public_key = outside.generate(&handle).await?;
                Ok(KeyMaterial { handle, sealed: None, public_key: Some(public_key) })
            }
            Some(_) | None => self.software.generate(key).await,
        }
    }

    /// Seals a key for signatures that was made elsewhere.
    pub(crate) async fn seal_foreign(&self, key: ForeignKey) -> Result<KeyMaterial> {
        self.software.seal_foreign(self.new_key_id(), key).await
    }

    /// In time, since the keys of certificates are as many as certificates.
    fn new_key_id(&self) -> KeyId {
        KeyId::in_time(self.clock.now_ms(), random())
    }

    /// A key for signatures, which stays open: opening one parses and checks it, which for RSA costs as much as a signature.
    pub(crate) async fn signer(&self, version: &KeyMaterial, batch: RsaBatch) -> Result<Signer> {
        match self.outside(version)? {
            Some(outside) => Ok(outside),
            None => self.software.signer(version, batch).await,
        }
    }

    /// A key for signatures that need not stay open.
    pub(crate) async fn passing_signer(&self, version: &KeyMaterial) -> Result<Signer> {
        match self.outside(version)? {
            Some(outside) => Ok(outside),
            None => self.software.open(version).await,
        }
    }

    /// A key with which this installation signs for itself.
    pub(crate) fn own_signer(&self, sealed: &SealedKey, own: OwnKey) -> Result<Signer> {
        self.software.own_signer(sealed, own)
    }

    /// Closes a key of which something changed, or all of them.
    pub(crate) fn close(&self, id: Option<KeyId>) {
        self.software.open_keys.close(id);
    }

    /// How many RSA keys lie ready.
    pub(crate) fn rsa_pool_levels(&self) -> RsaPoolLevels {
        self.software.rsa_pool.levels()
    }

    /// Makes no more keys ahead.
    pub(crate) fn shut_down(&self) {
        self.software.rsa_pool.close();
    }

    /// None: it is the database that keeps the key.
    fn outside(&self, version: &KeyMaterial) -> Result<Option<Signer>> {
        let KeyMaterial { handle, public_key, .. } = version;
        let Backend::Outside(name) = &handle.backend else { return Ok(None) };
        let known = self.outside.as_ref().filter(|outside| outside.name() == &**name);
        let backend = known.ok_or_else(|| {
            // The key is where it was; only this server was not told of the place.
            CustodyError::Unreachable(
                format!("no backend {name} is known here, which has key {}", handle.key.id).into(),
            )
        })?;
        let public_key = public_key.clone().ok_or_else(|| Error::internal("a signing key has a public half"))?;
        let outside = Outside { handle: handle.clone(), public_key, backend: Arc::clone(backend) };
        Ok(Some(Signer::outside(outside)))
    }
}
