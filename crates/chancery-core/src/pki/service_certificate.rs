//! The certificate of a service: asked for when the service is deployed and when it is renewed, and made at once, or once
//! enough people have approved it. Until then the service signs with the one that it has, if any.

use chancery_store::{Tx, tables};
use chancery_types::{
    CertProfileId, CertificateId, KeyTypeId, ServiceId,
    wire::x509::{CertParams, NewKey, ValidityPeriod},
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Order, Plan, Prepared, Wanted, cert_profile, issue::Clearance};
use crate::{Error, Pki, Result};

/// A certificate with a new key, by which a service signs from then on. What waits for approvals keeps it, and is made from
/// it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ServiceCertificate {
    pub(crate) service_uuid: ServiceId,
    /// The one that it takes the place of.
    pub(crate) instead_of: Option<CertificateId>,
    /// One that is built in.
    pub(crate) cert_profile_uuid: CertProfileId,
    pub(crate) issuer_uuid: CertificateId,
    pub(crate) subject_oneline: String,
    pub(crate) key_type_uuid: KeyTypeId,
    /// By default the profile's.
    pub(crate) validity_period: Option<ValidityPeriod>,
}

impl ServiceCertificate {
    pub(crate) const fn service(&self) -> ServiceId {
        self.service_uuid
    }

    pub(crate) const fn instead_of(&self) -> Option<CertificateId> {
        self.instead_of
    }

    /// Fields of refusals are those of `newCert`.
    pub(crate) fn order(&self, hardened: bool) -> Result<Order> {
        let profile = cert_profile::built_in(self.cert_profile_uuid);
        let wanted = Wanted {
            profile: profile.ok_or_else(|| Error::internal("the profile of a service's certificate is not there"))?,
            issuer: Some(self.issuer_uuid),
            subject: Some(&self.subject_oneline),
            new_key: &NewKey { key_type_uuid: Some(self.key_type_uuid), save: Some(true) },
            key_params: None,
            cert_params: &CertParams { validity_period: self.validity_period.clone(), ..CertParams::default() },
            trust: false,
        };
        Order::read(wanted, hardened)
    }

    /// InvalidState where the service has another certificate by now than the one to be replaced.
    pub(crate) async fn check(&self, tx: &mut Tx) -> Result<()> {
        let row = tables::services::by_id(tx, self.service_uuid.into()).await?;
        let row = row.ok_or_else(|| Error::internal("the service of a certificate is not there"))?;
        if row.certificate_id == self.instead_of.map(Uuid::from) { Ok(()) } else { Err(renewed()) }
    }

    /// Gives the service its certificate, which is stored already. Answers the service's name.
    pub(crate) async fn take(&self, tx: &mut Tx, certificate: CertificateId) -> Result<String> {
        let from = self.instead_of.map(Uuid::from);
        let taken = tables::services::set_certificate(tx, self.service_uuid.into(), from, certificate.into()).await?;
        let service = tables::services::by_id(tx, self.service_uuid.into()).await?.filter(|_| taken);
        Ok(service.ok_or_else(renewed)?.name)
    }
}

fn renewed() -> Error {
    Error::state("The service's certificate was renewed meanwhile.")
}

/// What becomes of it.
pub(crate) enum Asked {
    Made(Prepared),
    /// Somebody is to be asked first.
    Waits(ServiceCertificate, Plan),
}

impl Pki {
    /// Makes a certificate as it is ordered, unless its issuer demands approvals.
    pub(crate) async fn ask_for_certificate(&self, wanted: ServiceCertificate, order: Order) -> Result<Asked> {
        let plan = self.plan_certificate(order).await?;
        if plan.requirement().is_none() {
            return self.prepare_planned(plan, Clearance::Unasked).await.map(Asked::Made);
        }
        Ok(Asked::Waits(wanted, plan))
    }
}
