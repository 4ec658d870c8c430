//! Certificates as they come out of the store.

use chancery_keys::KeySpec;
use chancery_store::{Tx, tables};
use chancery_types::{
    CertProfileId, CertificateId, CertificateStatus, KeyId, Origin, RevocationReason,
    wire::{ObjInfo, approval::ApprovalRules, log::InclusionProof, x509},
};
use der::pem::LineEnding;

use chancery_x509::crl::Revocation;

use super::{proposals::issuer, validity::Validity};
use crate::{Error, Result, time::rfc3339};

/// Certificates of the longest chain: more than any verifier follows.
pub(super) const CHAIN_MAX: usize = 16;

/// A certificate's row, parsed.
#[derive(Clone, Debug)]
pub(crate) struct StoredCertificate {
    pub(crate) id: CertificateId,
    pub(crate) name: String,
    pub(crate) subject: String,
    pub(crate) issuer: CertificateId,
    /// `None` where it was made elsewhere.
    pub(crate) profile: Option<CertProfileId>,
    pub(crate) serial: String,
    pub(crate) validity: Validity,
    pub(crate) spec: KeySpec,
    /// Its key, if that was kept.
    pub(crate) key: Option<KeyId>,
    pub(crate) trusted: bool,
    /// Empty where it was not saved: [`check_saved`](Self::check_saved).
    pub(crate) der: Vec<u8>,
    pub(crate) revoked: Option<Revocation>,
    pub(crate) origin: Origin,
    /// What it demands of everything that it issues.
    pub(crate) approval: Option<ApprovalRules>,
}

impl StoredCertificate {
    /// The certificate of this id, if there is one.
    pub(crate) async fn find(tx: &mut Tx, id: CertificateId) -> Result<Option<Self>> {
        tables::certificates::by_id(tx, id.into()).await?.map(Self::from_row).transpose()
    }

    /// The certificate of this id in a path.
    pub(crate) async fn load(tx: &mut Tx, id: CertificateId) -> Result<Self> {
        Self::find(tx, id).await?.ok_or_else(|| Error::not_found("certificate"))
    }

    /// The certificate and what issued it, up to the root.
    pub(crate) async fn chain(tx: &mut Tx, id: CertificateId) -> Result<Vec<Self>> {
        Self::load(tx, id).await?.with_issuers(tx).await
    }

    /// This one and what issued it, up to the root.
    pub(crate) async fn with_issuers(self, tx: &mut Tx) -> Result<Vec<Self>> {
        let mut chain = vec![self];
        while let Some(last) = chain.last()
            && !last.is_self_signed()
        {
            if chain.len() == CHAIN_MAX {
                return Err(Error::internal("a stored chain of certificates has no end"));
            }
            let issuer = last.issuer;
            chain.push(Self::load(tx, issuer).await?);
        }
        Ok(chain)
    }

    /// Parses a row. What does not parse was not written by us: InternalError.
    pub(crate) fn from_row(row: tables::certificates::Row) -> Result<Self> {
        let revoked = match (row.revoked_at_s, row.revocation_reason) {
            (Some(at_s), Some(reason)) => Some(Revocation { at_s, reason: reason.parse().map_err(Error::internal)? }),
            (None, None) => None,
            _ => return Err(Error::internal("a stored certificate is half revoked")),
        };
        Ok(Self {
            id: row.id.into(),
            name: row.name,
            subject: row.subject,
            issuer: row.issuer_id.into(),
            profile: (!row.profile_id.is_nil()).then(|| row.profile_id.into()),
            serial: row.serial,
            validity: Validity::between(row.not_before_s, row.not_after_s),
            spec: row.spec.parse().map_err(Error::internal)?,
            key: row.key_id.map(KeyId::from),
            trusted: row.trusted,
            der: row.der,
            revoked,
            origin: row.origin.parse().map_err(Error::internal)?,
            approval: issuer::parse(row.approval.as_deref())?,
        })
    }

    /// InvalidState where the inventory knows of the certificate and does not have it.
    pub(crate) fn check_saved(&self) -> Result<()> {
        if self.der.is_empty() {
            return Err(Error::state("The certificate itself was not saved (saveCert); whoever asked for it has it."));
        }
        Ok(())
    }

    pub(crate) fn is_self_signed(&self) -> bool {
        self.issuer == self.id
    }

    /// Where it stands. A revoked certificate stays revoked after its end.
    pub(crate) fn status(&self, now_ms: i64) -> CertificateStatus {
        match self.revoked {
            Some(Revocation { reason: RevocationReason::CertificateHold, .. }) => CertificateStatus::Held,
            Some(_) => CertificateStatus::Revoked,
            None if now_ms.div_euclid(1_000) > self.validity.not_after_s() => CertificateStatus::Expired,
            None => CertificateStatus::Valid,
        }
    }

    /// As lists show it.
    pub(crate) fn stub(&self, now_ms: i64) -> x509::CertificateStub {
        x509::CertificateStub {
            obj_info: ObjInfo { name: self.name.clone(), uuid: self.id },
            subject: self.subject.clone(),
            issuer_uuid: self.issuer,
            serial_number: self.serial.clone(),
            not_before: rfc3339(self.validity.not_before_s()),
            not_after: rfc3339(self.validity.not_after_s()),
            status: self.status(now_ms),
            trusted: self.trusted,
            key_algorithm: self.spec.algorithm(),
        }
    }

    /// In full.
    pub(crate) fn detail(&self, inclusion_proof: Option<InclusionProof>, now_ms: i64) -> Result<x509::Certificate> {
        let stub = self.stub(now_ms);
        Ok(x509::Certificate {
            uuid: self.id,
            obj_info: stub.obj_info,
            subject: stub.subject,
            issuer_uuid: stub.issuer_uuid,
            cert_profile_uuid: self.profile,
            origin: self.origin,
            serial_number: stub.serial_number,
            not_before: stub.not_before,
            not_after: stub.not_after,
            status: stub.status,
            trusted: stub.trusted,
            key_algorithm: stub.key_algorithm,
            key_uuid: self.key,
            revoked_at: self.revoked.map(|revoked| rfc3339(revoked.at_s)),
            revocation_reason: self.revoked.map(|revoked| revoked.reason),
            approval: self.approval.clone(),
            certificate: (!self.der.is_empty()).then(|| pem(&self.der)).transpose()?,
            inclusion_proof,
        })
    }
}

/// A certificate in PEM.
pub(crate) fn pem(der: &[u8]) -> Result<String> {
    der::pem::encode_string("CERTIFICATE", LineEnding::LF, der).map_err(Error::internal)
}
