//! Keys that the database keeps: sealed there, open here. What is slow runs on the bounded pool.

use std::sync::Arc;

use chancery_keys::{
    Backend, Custodian, CustodyError, ForeignKey, Generated, KeyHandle, KeyRef, KeySpec, OpenError, OwnKey, RsaBatch,
    SealedKey, SignError, SigningKey, ToSign,
};
use chancery_types::{Curve, KeyAlgorithm, KeyId};

use super::{
    KeyMaterial, Signer, Unsigned,
    open_keys::{OpenKeys, Opened},
    rsa_pool::RsaPool,
    signer::nothing_to_sign,
};
use crate::{
    Error, Result,
    base::pool::{Pool, Signature, Work},
};

/// Messages up to this are hashed where they are: a thread hop costs more.
const INLINE_MAX: usize = 64 * 1024;

/// The database's keys.
pub(super) struct Software {
    custodian: Arc<Custodian>,
    pool: Arc<Pool>,
    key_pool: Pool,
    pub(super) open_keys: OpenKeys,
    pub(super) rsa_pool: RsaPool,
}

impl Software {
    pub(super) fn new(custodian: Arc<Custodian>, pool: Arc<Pool>, key_pool: Pool, rsa_pool: usize) -> Self {
        Self { custodian, pool, key_pool, open_keys: OpenKeys::default(), rsa_pool: RsaPool::new(rsa_pool) }
    }

    /// Makes a key: on a pool for that alone, unless it is quick.
    pub(super) async fn generate(&self, key: KeyRef) -> Result<KeyMaterial> {
        if is_quick(key.spec) {
            return Ok(stored(self.custodian.generate(key)?));
        }
        let custodian = Arc::clone(&self.custodian);
        Ok(stored(self.key_pool.run(move || custodian.generate(key)).await??))
    }

    /// Makes a key that nobody waits for.
    pub(super) async fn generate_aside(&self, key: KeyRef) -> Result<KeyMaterial> {
        let custodian = Arc::clone(&self.custodian);
        Ok(stored(self.pool.run_aside(move || custodian.generate(key)).await??))
    }

    pub(super) async fn seal_foreign(&self, id: KeyId, key: ForeignKey) -> Result<KeyMaterial> {
        let custodian = Arc::clone(&self.custodian);
        Ok(stored(self.pool.run(move || custodian.seal_foreign_key(id, key)).await??))
    }

    /// Opens a key, or finds it open.
    pub(super) async fn signer(&self, version: &KeyMaterial, batch: RsaBatch) -> Result<Signer> {
        Ok(self.with(self.kept_open(version, batch).await?))
    }

    async fn kept_open(&self, version: &KeyMaterial, batch: RsaBatch) -> Result<Arc<SigningKey>> {
        let KeyRef { id, version: number, .. } = version.handle.key;
        let opened = Opened { id, version: number, batch };
        if let Some(open) = self.open_keys.find(opened) {
            return Ok(open);
        }
        let open = self.open_key(version, batch).await?;
        self.open_keys.keep(opened, &open);
        Ok(open)
    }

    /// Opens a key.
    pub(super) async fn open(&self, version: &KeyMaterial) -> Result<Signer> {
        Ok(self.with(self.open_key(version, RsaBatch::Never).await?))
    }

    pub(super) fn own_signer(&self, sealed: &SealedKey, own: OwnKey) -> Result<Signer> {
        let opened = self.custodian.open_own_key(sealed, own).map_err(|failure| unopened(sealed.key().id, failure))?;
        Ok(self.with(Arc::new(opened)))
    }

    async fn open_key(&self, version: &KeyMaterial, batch: RsaBatch) -> Result<Arc<SigningKey>> {
        let key = version.handle.key;
        let missing = || CustodyError::Destroyed(format!("the sealed form of key {} is not there", key.id).into());
        let sealed = SealedKey::from_parts(key, version.sealed.clone().ok_or_else(missing)?);
        let custodian = Arc::clone(&self.custodian);
        let opened = self.pool.run(move || custodian.open_signing_key(&sealed, batch)).await?;
        Ok(Arc::new(opened.map_err(|failure| unopened(key.id, failure))?))
    }

    fn with(&self, key: Arc<SigningKey>) -> Signer {
        Signer::here(SoftwareSigner { key, pool: Arc::clone(&self.pool) })
    }
}

fn stored(Generated { sealed, public_key }: Generated) -> KeyMaterial {
    let handle = KeyHandle { key: *sealed.key(), backend: Backend::Database };
    KeyMaterial { handle, sealed: Some(sealed.into_bytes()), public_key }
}

/// Whether making a key takes no longer than the way to the pool and back.
const fn is_quick(spec: KeySpec) -> bool {
    match spec {
        KeySpec::Ec(Curve::P256) | KeySpec::Ed25519 | KeySpec::Aes(_) | KeySpec::Hmac256 => true,
        KeySpec::Rsa(_) | KeySpec::Ec(Curve::P384 | Curve::P521) | KeySpec::MlDsa(_) => false,
    }
}

/// What it means that a sealed key does not open.
fn unopened(key: KeyId, failure: OpenError) -> Error {
    let cause = format!("key {key}: {failure}").into();
    match failure {
        // Nothing is lost: it opens under its own.
        OpenError::OtherRootKey => CustodyError::Unreachable(cause).into(),
        OpenError::Format | OpenError::Broken | OpenError::Unusable => CustodyError::Destroyed(cause).into(),
        OpenError::Purpose { .. } => Error::internal(failure),
    }
}

/// What it means that a good key did not sign: where the library failed it may do better at once; rules refuse the rest
/// before it comes here.
fn unsigned(failure: SignError) -> Error {
    match failure {
        SignError::Failed(_) => CustodyError::Unreachable(failure.into()).into(),
        SignError::WrongKey | SignError::WrongDigest | SignError::NeedsMessage | SignError::KeyTooShort => {
            Error::internal(failure)
        }
    }
}

/// An open key, and where it signs.
#[derive(Clone)]
pub(super) struct SoftwareSigner {
    key: Arc<SigningKey>,
    pool: Arc<Pool>,
}

/// Where a signature is made.
enum Place {
    /// Where the caller is: the way to the pool costs more.
    Inline,
    /// On the pool, for a millisecond or two: results leave several at a time, and RSA is done in groups.
    PoolBriefly,
    /// On the pool: there is much to hash.
    Pool,
}

impl SoftwareSigner {
    pub(super) fn spec(&self) -> KeySpec {
        self.key.key().spec
    }

    pub(super) fn public_key(&self) -> &[u8] {
        self.key.public_key_spki()
    }

    pub(super) fn signs_at_once(&self) -> usize {
        self.pool.signs_at_once(&self.key)
    }

    fn place(&self, of: &impl Unsigned) -> Place {
        let is_small = of.input().is_none_or(|input| input.message_len() <= INLINE_MAX);
        match (self.spec().algorithm(), is_small) {
            (_, false) => Place::Pool,
            (KeyAlgorithm::Rsa, true) => Place::PoolBriefly,
            (_, true) => Place::Inline,
        }
    }

    fn job<U, T, F>(&self, of: U, then: F) -> Signing<U, F>
    where
        F: FnOnce(U, Result<Vec<u8>>) -> T,
    {
        Signing { key: Arc::clone(&self.key), of, then }
    }

    pub(super) async fn sign<U: Unsigned>(&self, of: U) -> Result<(U, Vec<u8>)> {
        let place = self.place(&of);
        let job = self.job(of, |of, signature| Ok((of, signature?)));
        match place {
            Place::Inline => job.run(None),
            Place::PoolBriefly => self.pool.run_brief(job).await?,
            Place::Pool => self.pool.run(job).await?,
        }
    }

    pub(super) async fn sign_then<U, T, F>(
        &self,
        of: U,
        then: impl FnOnce(Result<(U, Vec<u8>)>) -> F + Send + 'static,
    ) -> Result<T>
    where
        U: Unsigned,
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        if let Place::PoolBriefly = self.place(&of) {
            let then = |of, signature: Result<Vec<u8>>| then(signature.map(|signature| (of, signature)));
            return self.pool.run_then(self.job(of, then)).await?;
        }
        then(self.sign(of).await).await
    }
}

/// A signature that is to be made, and what is done with it.
struct Signing<U, F> {
    key: Arc<SigningKey>,
    of: U,
    then: F,
}

impl<U, F, T> Work for Signing<U, F>
where
    U: Unsigned,
    F: FnOnce(U, Result<Vec<u8>>) -> T + Send + 'static,
    T: Send + 'static,
{
    type Output = T;

    /// None where it is to be made by itself.
    fn to_sign(&self) -> Option<ToSign<'_>> {
        Some(ToSign { key: &self.key, scheme: self.of.scheme(), input: self.of.input()? })
    }

    fn run(mut self, signature: Option<Signature>) -> T {
        let signature = match signature {
            Some(made_with_others) => made_with_others.map_err(unsigned),
            None => self.sign_now(),
        };
        (self.then)(self.of, signature)
    }
}

impl<U: Unsigned, F> Signing<U, F> {
    fn sign_now(&mut self) -> Result<Vec<u8>> {
        self.of.due()?;
        let input = self.of.input().ok_or_else(nothing_to_sign)?;
        self.key.sign(self.of.scheme(), input).map_err(unsigned)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use chancery_keys::{Purpose, RsaSize};
    use tokio::task::{spawn_blocking, yield_now};

    use super::*;
    use crate::{Meaning, testing::Installation};

    #[tokio::test]
    async fn a_key_that_does_not_open_is_gone_unless_another_root_key_would_open_it() {
        let (here, elsewhere) = (Installation::new().await, Installation::new().await);
        let (here, elsewhere) = (&here.chancery.custody, &elsewhere.chancery.custody);
        let new = async |custody: &super::super::Custody, purpose| {
            let spec = if purpose == Purpose::Sign { KeySpec::Ec(Curve::P256) } else { KeySpec::Hmac256 };
            custody.new_key(purpose, spec).await.unwrap()
        };
        let sealed = new(here, Purpose::Sign).await.sealed.unwrap();
        let altered = [&sealed[..sealed.len() - 1], &[!sealed[sealed.len() - 1]]].concat();
        for (version, meaning, retry_after_s, is_gone) in [
            (new(elsewhere, Purpose::Sign).await, Meaning::Unavailable, Some(1), false),
            (KeyMaterial { sealed: Some(altered), ..new(here, Purpose::Sign).await }, Meaning::State, None, true),
            (KeyMaterial { sealed: None, ..new(here, Purpose::Sign).await }, Meaning::State, None, true),
            (new(here, Purpose::Data).await, Meaning::Internal, None, false),
        ] {
            for _ in 0..2 {
                let refusal = here.signer(&version, RsaBatch::Never).await.err().expect("it does not open");
                let told = (refusal.meaning(), refusal.retry_after_s(), refusal.is_of_a_key_that_is_gone());
                assert_eq!(told, (meaning, retry_after_s, is_gone), "{refusal}");
            }
        }
    }

    #[tokio::test]
    async fn a_key_that_is_open_for_batches_is_found_by_nobody_else() {
        let installation = Installation::new().await;
        let custody = &installation.chancery.custody;
        let version = custody.new_key(Purpose::Sign, KeySpec::Rsa(RsaSize::Bits2048)).await.unwrap();
        let allowed = custody.software.kept_open(&version, RsaBatch::Allowed).await.unwrap();
        let never = custody.software.kept_open(&version, RsaBatch::Never).await.unwrap();
        assert_eq!(never.group(), None);
        assert!(!Arc::ptr_eq(&allowed, &never));
        let KeyRef { id, version, .. } = version.handle.key;
        custody.close(Some(id));
        for batch in [RsaBatch::Allowed, RsaBatch::Never] {
            assert!(custody.software.open_keys.find(Opened { id, version, batch }).is_none(), "{batch:?}");
        }
    }

    #[tokio::test]
    async fn new_keys_take_no_slot_of_signatures() {
        let installation = Installation::new().await;
        let software = &installation.chancery.custody.software;
        let cores = software.pool.cores();
        let all = Arc::new(Barrier::new(cores + 1));
        let hold = |_| {
            let (pool, all) = (Arc::clone(&software.pool), Arc::clone(&all));
            tokio::spawn(async move { pool.run(move || all.wait()).await.map(drop) })
        };
        let held: Vec<_> = (0..cores).map(hold).collect();
        // They have every slot from here on.
        yield_now().await;
        let spec = KeySpec::Rsa(RsaSize::Bits2048);
        let key = KeyRef { id: KeyId::from_u128(1), version: 1, purpose: Purpose::Sign, spec };
        assert!(software.generate(key).await.unwrap().public_key.is_some());
        spawn_blocking(move || all.wait()).await.unwrap();
        for job in held {
            job.await.unwrap().unwrap();
        }
    }
}
