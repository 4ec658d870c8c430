//! Where signatures are stored: the one place that all of them pass. Outside of it a key has made something that nobody
//! has seen; inside it is decided whether that counts, in the transaction that also stores the request.

use chancery_store::Tx;
use chancery_types::{CertificateId, SigningRequestId};

use super::{
    credential::{Credential, Unusable},
    policy_rules,
    service::{Policy, Service},
    target::Found,
};
use crate::{
    Error, Result,
    log::{
        self, Leaf, NewEntry,
        leaf::{SignatureFacts, sha256},
    },
};

/// Signatures of one request that a key has made, and that are worth nothing until they are stored.
#[derive(Clone, Debug)]
pub(super) struct Made {
    policy: Policy,
    at_ms: i64,
    /// Each digest, and SHA-256 of the signature; none for an item that could not be signed.
    signatures: Vec<Option<(Vec<u8>, [u8; 32])>>,
}

impl Made {
    /// Nothing yet, made under this policy at this moment.
    pub(super) const fn new(policy: Policy, at_ms: i64) -> Self {
        Self { policy, at_ms, signatures: Vec::new() }
    }

    /// And this signature. A request's signatures are numbered in the order in which they are given here.
    pub(super) fn with(mut self, digest: &[u8], signature: &[u8]) -> Self {
        self.signatures.push(Some((digest.to_vec(), sha256(signature))));
        self
    }

    /// And none, in the place of an item that could not be signed.
    pub(super) fn without(mut self) -> Self {
        self.signatures.push(None);
        self
    }

    /// With what the log would tell of them, made under the certificate with this SHA-256: that needs no transaction.
    pub(super) fn told(self, request: SigningRequestId, certificate: [u8; 32]) -> Result<Told> {
        let Self { policy, at_ms, signatures } = self;
        let mut entries = Vec::with_capacity(signatures.len());
        for (item, made) in (0..).zip(&signatures) {
            let Some((digest, signature)) = made else { continue };
            let leaf = Leaf::of_signature(SignatureFacts {
                time_s: at_ms.div_euclid(1_000),
                format: policy.choice.format,
                hash: policy.choice.hash,
                digest,
                certificate,
                signature: *signature,
            });
            entries.push(NewEntry::new(request, item, &leaf, policy.log)?);
        }
        Ok(Told { policy, at_ms, certificate, entries })
    }
}

/// The same signatures, with what the log would tell of them.
#[derive(Clone, Debug)]
pub(super) struct Told {
    policy: Policy,
    at_ms: i64,
    certificate: [u8; 32],
    /// One for each signature.
    entries: Vec<NewEntry>,
}

impl Told {
    /// Lets them count: the policy's rates allow them, what they were made with may still sign, and the log tells of
    /// them once they are [stored](Allowed::tell). To be called in the transaction that stores them with their request;
    /// where it refuses, nothing is stored.
    pub(super) async fn allow(self, tx: &mut Tx, usable: Usable) -> Result<Allowed> {
        let Self { policy, at_ms, certificate, entries } = self;
        if usable.certificate != certificate {
            return Err(Error::internal("the log was to tell of another certificate than the one that may sign"));
        }
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        policy_rules::check_rate(tx, &policy, count, at_ms).await?;
        Ok(Allowed(entries))
    }
}

/// That a certificate and its key may sign under a policy: found so in the transaction that stores the signatures, since
/// a revocation, or a policy that asks for more, may have been committed while the key signed.
pub(super) struct Usable {
    /// SHA-256 of the certificate.
    certificate: [u8; 32],
}

impl Usable {
    /// Looks at the certificate, its chain and its key, and whether the policy is as it was when it was content with the
    /// approvals.
    pub(super) async fn of(tx: &mut Tx, certificate: CertificateId, made: &Made) -> Result<Self> {
        let Made { policy, at_ms, .. } = made;
        let service = Service::load(tx, policy.service).await?;
        let now = match &service {
            Some(service) => Policy::load(tx, policy.id, service).await?,
            None => None,
        };
        if now.as_ref() != Some(policy) {
            return Err(Error::state("The policy changed at the same time; try again."));
        }
        let credential = Credential::load(tx, certificate).await?;
        credential.check(*at_ms).map_err(Unusable::refusal)?;
        Ok(Self { certificate: sha256(credential.certificate()) })
    }

    /// Looks whether all is as it was when the target was read.
    pub(super) async fn as_read(tx: &mut Tx, target: &Found, at_ms: i64) -> Result<Self> {
        target.check_again(tx).await?;
        target.signer.credential.check(at_ms).map_err(Unusable::refusal)?;
        Ok(Self { certificate: target.certificate_sha256 })
    }

    /// SHA-256 of the certificate.
    pub(super) const fn certificate(&self) -> [u8; 32] {
        self.certificate
    }
}

/// Signatures that may be stored.
#[must_use = "the log has to tell of them"]
pub(super) struct Allowed(Vec<NewEntry>);

impl Allowed {
    /// Lets the log tell of them. After the compare-and-swap of their request: whoever loses that has no entry that could
    /// meet the winner's.
    pub(super) async fn tell(self, tx: &mut Tx) -> Result<()> {
        log::append(tx, self.0).await
    }
}
