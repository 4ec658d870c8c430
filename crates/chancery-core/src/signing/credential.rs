//! What a service signs with: its certificate, the chain to the root, and the key.

use chancery_keys::{Input, KeySpec, SignatureScheme};
use chancery_store::{Tx, tables};
use chancery_types::{CertificateId, CertificateStatus, HashType, KeyState, KeyUsage, SigningFormat};

use super::{
    algorithms::Choice,
    formats::{self, Content, Unsigned},
};
use crate::{Error, Result, Signing, custody, keys::StoredKey, pki::StoredCertificate, time::rfc3339};

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
    pub(super) key: custody::Signer,
}

/// A signature that is complete but for what its key adds, and the time stamp.
pub(super) struct PendingSignature {
    scheme: SignatureScheme,
    unsigned: Unsigned,
    /// How it is time-stamped, where it is.
    stamped: Option<(SigningFormat, HashType)>,
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
        let Self { credential, .. } = self;
        if let Some(reason) = credential.lasting_fault(content.at_ms)? {
            return Ok(Outcome::Failed(reason));
        }
        let scheme = credential.scheme(choice)?;
        let chain = credential.chain.iter().map(|certificate| certificate.der.clone()).collect();
        let unsigned = formats::prepare(choice.format, scheme, chain, content)?;
        let stamped = choice.time_stamp.then_some((choice.format, choice.hash));
        Ok(Outcome::Signed(PendingSignature { scheme, unsigned, stamped }))
    }
}

impl PendingSignature {
    /// Whether it is to have a time stamp.
    pub(super) const fn is_stamped(&self) -> bool {
        self.stamped.is_some()
    }

    /// Finishes it with its signature, where it has no time stamp.
    pub(super) fn finish(self, signature: Vec<u8>) -> Result<Vec<u8>> {
        self.unsigned.finish(signature, None)
    }
}

impl custody::Unsigned for PendingSignature {
    fn scheme(&self) -> SignatureScheme {
        self.scheme
    }

    fn input(&self) -> Option<Input<'_>> {
        Some(self.unsigned.input())
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

impl Unusable {
    /// Where a lasting reason refuses like a passing one: nothing is begun that could only fail.
    pub(crate) fn refusal(self) -> Error {
        match self {
            Self::Lasting(reason) | Self::Passing(reason) => Error::state(reason),
        }
    }
}

impl Signing {
    /// Opens the key of a credential that may sign at this moment. Lasting failures are an outcome, passing ones are
    /// errors.
    pub(super) async fn open_signer(&self, credential: Credential, at_ms: i64) -> Result<Outcome<Signer>> {
        if let Some(reason) = credential.lasting_fault(at_ms)? {
            return Ok(Outcome::Failed(reason));
        }
        unless_gone(self.keys.content_signing_key(credential.key.id).await.map(|key| Signer { credential, key }))
    }

    /// Makes a signature, outside any transaction. Lasting failures are an outcome; passing ones are errors, after
    /// which nothing has happened.
    pub(super) async fn make_signature(&self, signer: &Signer, choice: Choice, content: Content) -> Result<Outcome> {
        match signer.prepare(choice, content)? {
            Outcome::Signed(prepared) => self.make(&signer.key, prepared).await,
            Outcome::Failed(reason) => Ok(Outcome::Failed(reason)),
        }
    }

    /// Makes a signature that is prepared, with its time stamp. A key that is gone is an outcome.
    pub(super) async fn make(&self, key: &custody::Signer, prepared: PendingSignature) -> Result<Outcome> {
        let stored_soon = self.context.storage.announce();
        let signed = unless_gone(key.sign(prepared).await)?;
        drop(stored_soon);
        let (PendingSignature { unsigned, stamped, .. }, signature) = match signed {
            Outcome::Signed(signed) => signed,
            Outcome::Failed(reason) => return Ok(Outcome::Failed(reason)),
        };
        let time_stamp = match stamped {
            Some((format, hash)) => Some(formats::time_stamp(format, &self.stamp_signature(&signature, hash).await?)?),
            None => None,
        };
        Ok(Outcome::Signed(unsigned.finish(signature, time_stamp)?))
    }
}

/// What became of it, where only that the key is gone for good is an end: whatever else keeps a key from signing passes.
pub(super) fn unless_gone<T>(signed: Result<T>) -> Result<Outcome<T>> {
    match signed {
        Err(error) if error.is_of_a_key_that_is_gone() => {
            Ok(Outcome::Failed("The service's key is gone: it cannot be opened any more.".to_owned()))
        }
        signed => Ok(Outcome::Signed(signed?)),
    }
}
