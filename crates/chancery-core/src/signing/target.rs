//! Where signing requests go: what a service and one of its policies need to sign, read, parsed and opened once.
//!
//! Targets are part of the compiled state, which may lag behind the store for a moment. So a request, and a signature
//! that was made with one, is stored only by a transaction that has found everything as it was: the store knows of no
//! change that the compiled state had not followed, or what it knows of has left the target as it was.

use std::{ops::Deref, sync::Arc};

use chancery_store::{
    Tx,
    tables::{self, changes::Position, signing_policies::Standing},
};
use chancery_types::{CertificateId, KeyId, PolicyId, ServiceId};
use uuid::Uuid;

use super::{
    credential::{Credential, Outcome, Signer, Unusable},
    service::{Policy, Service},
};
use crate::{
    Error, Result, Signing,
    base::compiled::Compiled,
    context::storage::{Evidence, MayRead},
    log::leaf::sha256,
};

/// The targets of requests since this node started.
pub(crate) type ReadyTargets = Compiled<(ServiceId, PolicyId), Target>;

/// Where a request goes, and what would sign it.
pub(crate) struct Target {
    pub(super) policy: Policy,
    pub(super) signer: Signer,
    /// SHA-256 of the signing certificate.
    pub(super) certificate_sha256: [u8; 32],
    /// What the store said of all that.
    standing: Standing,
}

impl Target {
    /// Whether it signs with this key; with any where none is named.
    pub(crate) fn has_key(&self, key: Option<KeyId>) -> bool {
        key.is_none_or(|key| key == self.signer.credential.key.id)
    }

    /// Whether it hangs on this certificate; any where none is named.
    pub(crate) fn rests_on(&self, certificate: Option<CertificateId>) -> bool {
        certificate.is_none_or(|id| self.signer.credential.chain.iter().any(|certificate| certificate.id == id))
    }

    /// InvalidState where the policy, the service, the certificate with its chain or the key is not as it was.
    async fn check_again(&self, tx: &mut Tx) -> Result<()> {
        let standing = standing(tx, self.policy.id, &self.signer.credential).await?;
        if standing.as_ref() == Some(&self.standing) {
            return Ok(());
        }
        Err(Error::state("The service, its policy, its certificate or its key changed at the same time; try again."))
    }
}

/// A target as it was looked up.
#[derive(Clone)]
pub(super) struct Found {
    target: Arc<Target>,
    /// Up to which changes the target is no older than the store. All of them were committed.
    applied: Arc<Position>,
}

impl Deref for Found {
    type Target = Target;

    fn deref(&self) -> &Target {
        &self.target
    }
}

impl Found {
    /// InvalidState where the target is not as it was looked up. Nearly always nothing has changed since, and one statement
    /// says so.
    async fn check_again(&self, tx: &mut Tx) -> Result<()> {
        if tables::changes::is_newest(tx, &self.applied).await? {
            return Ok(());
        }
        self.target.check_again(tx).await
    }

    /// InvalidState where the target is not as it was looked up, or may not sign at this moment.
    pub(super) async fn check_usable(&self, tx: &mut Tx, at_ms: i64) -> Result<()> {
        self.check_again(tx).await?;
        self.signer.credential.check(at_ms).map_err(Unusable::refusal)
    }

    /// Whether it is this one.
    pub(super) fn is(&self, target: &Target) -> bool {
        std::ptr::eq(target, Arc::as_ptr(&self.target))
    }
}

async fn standing(tx: &mut Tx, policy: PolicyId, credential: &Credential) -> Result<Option<Standing>> {
    let chain: Vec<Uuid> = credential.chain.iter().map(|certificate| certificate.id.into()).collect();
    Ok(tables::signing_policies::standing(tx, policy.into(), &chain).await?)
}

/// Compiles what policies sign with, which stays for whoever needs it next. Made only here.
pub(crate) struct CompilingTargets(());

impl Evidence for CompilingTargets {}
impl MayRead for CompilingTargets {}

impl Signing {
    /// The target that a request names; refuses one that cannot sign now.
    pub(super) async fn target(&self, service: ServiceId, policy: PolicyId) -> Result<Found> {
        // Before it is looked up, so that it cannot be older.
        let applied = self.context.applied();
        if let Some(target) = self.targets.find(&(service, policy)) {
            target.signer.credential.check(self.context.clock.now_ms()).map_err(Unusable::refusal)?;
            return Ok(Found { target, applied });
        }
        self.read_target(service, policy).await?.signed()
    }

    /// The target as the store has it now. That it can never sign any more is an outcome, so what is compiled, and may be
    /// older, is not asked.
    pub(super) async fn read_target(&self, service: ServiceId, policy: PolicyId) -> Result<Outcome<Found>> {
        let (applied, generation, now_ms) =
            (self.context.applied(), self.targets.generation(), self.context.clock.now_ms());
        let read = self.context.storage.read(&CompilingTargets(()), move |tx| Box::pin(read(tx, service, policy)));
        let (policy, credential, standing) = read.await?;
        let keep = |signer: Signer| {
            let certificate_sha256 = sha256(signer.credential.certificate());
            let target = Arc::new(Target { signer, certificate_sha256, standing, policy });
            self.targets.keep(generation, (service, target.policy.id), &target);
            Found { target, applied }
        };
        Ok(self.open_signer(credential, now_ms).await?.map(keep))
    }
}

async fn read(tx: &mut Tx, service: ServiceId, policy: PolicyId) -> Result<(Policy, Credential, Standing)> {
    let service = Service::load(tx, service).await?;
    let service = service.ok_or_else(|| Error::selection("/serviceUuid", "There is no such signing service."))?;
    let policy = Policy::load(tx, policy, &service).await?;
    let policy = policy.ok_or_else(|| {
        Error::selection("/policyUuid", "The service has no such policy; its signing-policies lists what it has.")
    })?;
    let credential = Credential::load(tx, service.certificate()?).await?;
    let standing = standing(tx, policy.id, &credential).await?;
    let standing = standing.ok_or_else(|| Error::internal("a policy without service, certificate or key"))?;
    Ok((policy, credential, standing))
}

#[cfg(test)]
mod tests;
