//! Where keys are, and what a place outside of the database offers that keeps some.

use std::{pin::Pin, sync::Arc};

use thiserror::Error;

use crate::{Input, KeyRef, SignatureScheme};

/// Where the secret half of a key is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// In the database, sealed under a key from the root key, and in this process while it is open.
    Database,
    /// In the [`KeyBackend`] of this name.
    Outside(Arc<str>),
}

/// Which key it is, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyHandle {
    /// Its id, version, purpose and kind.
    pub key: KeyRef,
    /// Where its secret half is.
    pub backend: Backend,
}

/// Why a key was not used. Whoever decides what follows looks at nothing else.
#[derive(Debug, Error)]
pub enum CustodyError {
    /// It does not answer for now. Nothing has happened, the key is as it was, and trying again makes sense.
    #[error("the key is out of reach for now")]
    Unreachable(#[source] Cause),
    /// The key is gone for good, and nothing will bring it back but a backup.
    #[error("the key is gone")]
    Destroyed(#[source] Cause),
    /// The key is there, but is not used for this: trying again gives the same until somebody changes its backend.
    #[error("the key's backend refuses")]
    Refused(#[source] Cause),
}

/// What stands behind a [`CustodyError`]: for the log, never for a caller.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What a [`KeyBackend`] answers, later.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, CustodyError>> + Send + 'a>>;

/// A place outside of the database that makes keys, keeps them and signs with them, and never gives one out.
pub trait KeyBackend: Send + Sync {
    /// Its name, as the rows of its keys have it: no other's, and never changed.
    fn name(&self) -> &str;

    /// Makes a key for signatures, and answers its public half as SubjectPublicKeyInfo in DER.
    fn generate(&self, key: &KeyHandle) -> Answer<'_, Vec<u8>>;

    /// Signs, in the forms of [`SigningKey::sign`](crate::SigningKey::sign). The answer holds on to none of the references.
    fn sign(&self, key: &KeyHandle, scheme: SignatureScheme, input: Input<'_>) -> Answer<'_, Vec<u8>>;

    /// How many signatures are worth being asked for at a time.
    fn signs_at_once(&self) -> usize;
}
