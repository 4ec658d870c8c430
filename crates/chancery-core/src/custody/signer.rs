//! What signs: a key, wherever it is, and two ways to have it sign.

use std::sync::Arc;

use chancery_keys::{Input, KeyBackend, KeyHandle, KeySpec, SignatureScheme};

use super::software::SoftwareSigner;
use crate::{Error, Result};

/// What a key is to sign, with whatever is needed to go on when it has.
pub(crate) trait Unsigned: Send + 'static {
    /// How it is to be signed.
    fn scheme(&self) -> SignatureScheme;

    /// What is to be signed; none while only [`due`](Self::due) can make it.
    fn input(&self) -> Option<Input<'_>>;

    /// Called when the key's turn has come. What must not be older than the signature, as the time of a stamp, is made here.
    fn due(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A message, for those who need nothing else to go on.
pub(crate) struct Message {
    pub(crate) scheme: SignatureScheme,
    pub(crate) bytes: Vec<u8>,
}

impl Unsigned for Message {
    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }

    fn input(&self) -> Option<Input<'_>> {
        Some(Input::Message(&self.bytes))
    }
}

/// A key that signs. Clones share it.
#[derive(Clone)]
pub(crate) struct Signer(Kept);

#[derive(Clone)]
enum Kept {
    Here(SoftwareSigner),
    Outside(Arc<Outside>),
}

/// A key that a backend keeps.
pub(super) struct Outside {
    pub(super) handle: KeyHandle,
    pub(super) public_key: Vec<u8>,
    pub(super) backend: Arc<dyn KeyBackend>,
}

impl Signer {
    pub(super) const fn here(signer: SoftwareSigner) -> Self {
        Self(Kept::Here(signer))
    }

    pub(super) fn outside(outside: Outside) -> Self {
        Self(Kept::Outside(Arc::new(outside)))
    }

    /// The kind of its key.
    pub(crate) fn spec(&self) -> KeySpec {
        match &self.0 {
            Kept::Here(signer) => signer.spec(),
            Kept::Outside(outside) => outside.handle.key.spec,
        }
    }

    /// Its public half as SubjectPublicKeyInfo in DER.
    pub(crate) fn public_key(&self) -> &[u8] {
        match &self.0 {
            Kept::Here(signer) => signer.public_key(),
            Kept::Outside(outside) => &outside.public_key,
        }
    }

    /// How many signatures are worth being asked for at a time.
    pub(crate) fn signs_at_once(&self) -> usize {
        match &self.0 {
            Kept::Here(signer) => signer.signs_at_once(),
            Kept::Outside(outside) => outside.backend.signs_at_once().max(1),
        }
    }

    /// Signs; answers what was given, and its signature.
    pub(crate) async fn sign<U: Unsigned>(&self, of: U) -> Result<(U, Vec<u8>)> {
        match &self.0 {
            Kept::Here(signer) => signer.sign(of).await,
            Kept::Outside(outside) => outside.sign(of).await,
        }
    }

    /// Signs, and goes on where that was done, with what was given and its signature: nobody is woken in between. Where
    /// there is no room for it now, it does not go on.
    pub(crate) async fn sign_then<U, T, F>(
        &self,
        of: U,
        then: impl FnOnce(Result<(U, Vec<u8>)>) -> F + Send + 'static,
    ) -> Result<T>
    where
        U: Unsigned,
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        match &self.0 {
            Kept::Here(signer) => signer.sign_then(of, then).await,
            Kept::Outside(outside) => then(outside.sign(of).await).await,
        }
    }
}

impl Outside {
    async fn sign<U: Unsigned>(&self, mut of: U) -> Result<(U, Vec<u8>)> {
        of.due()?;
        let input = of.input().ok_or_else(nothing_to_sign)?;
        let signature = self.backend.sign(&self.handle, of.scheme(), input);
        let signature = signature.await?;
        Ok((of, signature))
    }
}

/// A fault of ours.
pub(super) fn nothing_to_sign() -> Error {
    Error::internal("there is nothing to sign when it is due")
}
