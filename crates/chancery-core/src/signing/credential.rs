//! What a service signs with: its certificate, the chain to the root, and the key.

use std::sync::Arc;

use chancery_keys::{KeySpec, SignError, SignatureScheme, SigningKey, ToSign};
use chancery_store::{Tx, tables};
use chancery_types::{CertificateId, CertificateStatus, HashType, KeyAlgorithm, KeyState, KeyUsage, SigningFormat};
use tracing::error;

use super::{
    algorithms::Choice,
    formats::{self, Content, Unsigned},
};
use crate::{
    Chancery, Error, Result,
    keys::StoredKey,
    pki::StoredCertificate,
    pool::{Signature, Signing, Signs, Work},
    time::rfc3339,
};

/// What a key other than RSA signs where it is: more than this much is hashed on the bounded pool.
const INLINE_MAX: usize = 64 * 1024;

/// A service's certificate and key.
#[derive(Clone, Debug)]
pub(crate) struct Credential {
    /// The signing certificate first, the root last.
    pub(super) chain: Vec<StoredCertificate>,
    pub(super) key: StoredKey,
}

/// A credential whose key is open.
#[derive(Clone)]
pub(super) struct Signer {
    pub(super) credential: Credential,
    pub(super) key: Arc<SigningKey>,
}

/// A signature that is complete but for what its key adds, and the time stamp.
pub(super) struct PendingSignature {
    key: Arc<SigningKey>,
    scheme: SignatureScheme,
    unsigned: Unsigned,
    place: Place,
    /// How it is time-stamped, where it is.
    stamped: Option<(SigningFormat, HashType)>,
}

/// Where a key signs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Here,
    Pool,
    /// The same, for a millisecond or two.
    PoolBriefly,
}

/// Why nothing can be signed now.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// It never can be again: the reason, in a sentence.
    Lasting(String),
    /// Somebody can undo it: the reason, in a sentence.
    Passing(String),
}

/// What became of a signature.
#[derive(Debug)]
pub(crate) enum Outcome<T = Vec<u8>> {
    /// The signature.
    Signed(T),
    /// It can never be made; why.
    Failed(String),
}

impl<T> Outcome<T> {
    /// What was signed, where a lasting failure refuses.
    pub(crate) fn signed(self) -> Result<T> {
        match self {
            Self::Signed(signature) => Ok(signature),
            Self::Failed(reason) => Err(Error::state(reason)),
        }
    }

    pub(crate) fn map<U>(self, to: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Signed(signature) => Outcome::Signed(to(signature)),
            Self::Failed(reason) => Outcome::Failed(reason),
        }
    }
}

impl Signer {
    /// Builds all of a signature that the key does not add. Lasting failures are an outcome.
    pub(super) fn prepare(&self, choice: Choice, content: Content) -> Result<Outcome<PendingSignature>> {
        let Self { credential, key } = self;
        if let Some(reason) = credential.lasting_fault(content.at_ms)? {
            return Ok(Outcome::Failed(reason));
        }
        let scheme = credential.scheme(choice)?;
        let place = match (credential.key.spec.algorithm(), content.payload_len() <= INLINE_MAX) {
            (KeyAlgorithm::Rsa, true) => Place::PoolBriefly,
            (_, true) => Place::Here,
            (_, false) => Place::Pool,
        };
        let chain = credential.chain.iter().map(|certificate| certificate.der.clone()).collect();
        let unsigned = formats::prepare(choice.format, scheme, chain, content)?;
        let stamped = choice.time_stamp.then_some((choice.format, choice.hash));
        Ok(Outcome::Signed(PendingSignature { key: Arc::clone(key), scheme, unsigned, place, stamped }))
    }
}

impl PendingSignature {
    /// Whether a thread of the pool makes all of it, and briefly.
    pub(super) fn is_of_the_pool(&self) -> bool {
        self.place == Place::PoolBriefly && self.stamped.is_none()
    }

    /// Finishes it with its signature, where it has no time stamp.
    pub(super) fn finish(self, signature: Signature) -> Result<Vec<u8>> {
        self.unsigned.finish(signature.map_err(not_signed)?, None)
    }
}

impl Signs for PendingSignature {
    fn to_sign(&self) -> ToSign<'_> {
        ToSign { key: &self.key, scheme: self.scheme, input: self.unsigned.input() }
    }
}

impl Credential {
    /// Loads what a certificate signs with.
    pub(crate) async fn load(tx: &mut Tx, certificate: CertificateId) -> Result<Self> {
        let chain = StoredCertificate::chain(tx, certificate).await?;
        let key = chain.first().and_then(|leaf| leaf.key);
        let key = key.ok_or_else(|| Error::internal("a service's certificate has no key"))?;
        let row = tables::keys::by_id(tx, key.into()).await?;
        let key = StoredKey::from_row(&row.ok_or_else(|| Error::internal("a service's key is not there"))?)?;
        Ok(Self { chain, key })
    }

    /// Whether it may sign at this moment. Nothing is ever signed with a certificate that is expired or revoked, or
    /// whose issuers are.
    pub(crate) fn check(&self, now_ms: i64) -> Result<(), Unusable> {
        self.chain.iter().try_for_each(|certificate| check_certificate(certificate, now_ms))?;
        if self.key.state == KeyState::Disabled {
            return Err(Unusable::Lasting("The service's key is disabled.".to_owned()));
        }
        if !self.key.usages.contains(&KeyUsage::Sign) {
            return Err(Unusable::Lasting("The service's key may not sign.".to_owned()));
        }
        Ok(())
    }

    /// [`check`](Self::check), where a lasting reason is no error.
    fn lasting_fault(&self, now_ms: i64) -> Result<Option<String>> {
        match self.check(now_ms) {
            Ok(()) => Ok(None),
            Err(Unusable::Lasting(reason)) => Ok(Some(reason)),
            Err(passing @ Unusable::Passing(_)) => Err(passing.refusal()),
        }
    }

    /// The signing certificate in DER.
    pub(crate) fn certificate(&self) -> &[u8] {
        self.chain.first().map_or(&[], |leaf| &leaf.der)
    }

    /// The kind of its key.
    pub(crate) const fn spec(&self) -> KeySpec {
        self.key.spec
    }

    /// How its key signs under a policy.
    pub(crate) fn scheme(&self, choice: Choice) -> Result<SignatureScheme> {
        // Checked when the service was deployed: what fails here was not written by us.
        SignatureScheme::for_key(self.key.spec, choice.hash, choice.rsa_pss).map_err(Error::internal)
    }
}

fn check_certificate(certificate: &StoredCertificate, now_ms: i64) -> Result<(), Unusable> {
    let subject = &certificate.subject;
    match certificate.status(now_ms) {
        CertificateStatus::Valid if certificate.validity.contains(now_ms) => Ok(()),
        CertificateStatus::Valid => Err(Unusable::Passing(format!("The certificate {subject} is not valid yet."))),
        CertificateStatus::Held => Err(Unusable::Passing(format!("The certificate {subject} is on hold."))),
        CertificateStatus::Revoked => Err(Unusable::Lasting(format!("The certificate {subject} is revoked."))),
        CertificateStatus::Expired => {
            let end = rfc3339(certificate.validity.not_after_s());
            Err(Unusable::Lasting(format!("The certificate {subject} expired at {end}.")))
        }
    }
}

/// Why a good key did not sign: where the library failed it may do so again, and nothing has happened.
fn not_signed(error: SignError) -> Error {
    match error {
        SignError::Failed(_) => Error::unavailable(error),
        SignError::WrongKey | SignError::WrongDigest | SignError::NeedsMessage | SignError::KeyTooShort => {
            Error::internal(error)
        }
    }
}

impl Unusable {
    /// Where a lasting reason refuses like a passing one: nothing is begun that could only fail.
    pub(crate) fn refusal(self) -> Error {
        match self {
            Self::Lasting(reason) | Self::Passing(reason) => Error::state(reason),
        }
    }
}

impl Chancery {
    /// Opens the key of a credential that may sign at this moment. Lasting failures are an outcome, passing ones are
    /// errors.
    pub(super) async fn open_signer(&self, credential: Credential, at_ms: i64) -> Result<Outcome<Signer>> {
        if let Some(reason) = credential.lasting_fault(at_ms)? {
            return Ok(Outcome::Failed(reason));
        }
        match self.living_signing_key(credential.key.id, self.content_batch()).await? {
            Ok(key) => Ok(Outcome::Signed(Signer { credential, key })),
            Err(gone) => {
                error!(error = &gone as &dyn std::error::Error, key = %credential.key.id, "a signing key is gone");
                Ok(Outcome::Failed("The service's key is gone: it cannot be opened any more.".to_owned()))
            }
        }
    }

    /// Makes a signature, outside any transaction. Lasting failures are an outcome; passing ones are errors, after
    /// which nothing has happened.
    pub(super) async fn make_signature(&self, signer: &Signer, choice: Choice, content: Content) -> Result<Outcome> {
        match signer.prepare(choice, content)? {
            Outcome::Signed(prepared) => Ok(Outcome::Signed(self.make(prepared).await?)),
            Outcome::Failed(reason) => Ok(Outcome::Failed(reason)),
        }
    }

    /// Makes a signature that is prepared, with its time stamp.
    pub(super) async fn make(&self, prepared: PendingSignature) -> Result<Vec<u8>> {
        let (place, stamped) = (prepared.place, prepared.stamped);
        let job =
            Signing { of: prepared, then: |prepared: PendingSignature, signature| (prepared.unsigned, signature) };
        let (unsigned, signature) = match place {
            Place::Here => job.run(None),
            Place::Pool => self.pool.run(job).await?,
            Place::PoolBriefly => {
                let _stored_soon = self.store.announce();
                self.pool.run_brief(job).await?
            }
        };
        let signature = signature.map_err(not_signed)?;
        let time_stamp = match stamped {
            Some((format, hash)) => Some(formats::time_stamp(format, &self.stamp_signature(&signature, hash).await?)?),
            None => None,
        };
        unsigned.finish(signature, time_stamp)
    }
}
