//! Renewing a service's signing certificate: a new certificate with a new key of the same kind; the service stays.

use chancery_store::tables;
use chancery_types::{
    Action, CertificateId, Perm, ServiceId,
    wire::{
        services::{RenewService, RenewedService},
        x509::{CertParams, NewKey},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::service::without_certificate;
use crate::{
    Caller, Chancery, Error, Event, Result,
    changes::{Change, ChangeKind},
    keys::key_type::KeyType,
    pki::{Order, StoredCertificate, Wanted, cert_profile},
};

impl Chancery {
    /// Gives a service a new certificate with a new key. What waits for approvals is signed with the new one.
    pub async fn renew_service(
        &self,
        caller: &Caller,
        service: ServiceId,
        request: RenewService,
    ) -> Result<RenewedService> {
        let action = Action::ServiceRenew;
        let grant = self.grant(caller, Perm::ServicesDeploy, action, Some(service.into())).await?;
        let present = self.store.read(move |tx| Box::pin(present(tx, service))).await?;
        let previous = present.id;
        let order = order(&present, request, self.hardened)?;
        let prepared = self.prepare_certificate(order).await.map_err(at_top)?;
        let (certificate, warnings) = (prepared.id, prepared.warnings.clone());
        let event = Event::new(action)
            .on(Uuid::from(service))
            .detail(json!({"certificateUuid": certificate, "previousCertificateUuid": previous}))
            .changes(Change::of(ChangeKind::SigningService, service));
        let now_ms = self.clock.now_ms();
        self.commit(&grant, event, move |tx| {
            Box::pin(async move {
                prepared.issue(tx, true, now_ms).await.map_err(at_top)?;
                let (service, from, to) = (service.into(), previous.into(), certificate.into());
                if !tables::services::set_certificate(tx, service, from, to).await? {
                    return Err(Error::state("The service's certificate was renewed meanwhile."));
                }
                Ok(())
            })
        })
        .await?;
        Ok(RenewedService {
            service_uuid: service,
            certificate_uuid: certificate,
            previous_certificate_uuid: previous,
            warnings,
        })
    }
}

async fn present(tx: &mut chancery_store::Tx, service: ServiceId) -> Result<StoredCertificate> {
    let row = tables::services::by_id(tx, service.into()).await?.ok_or_else(|| Error::not_found("service"))?;
    let certificate: CertificateId = row.certificate_id.map(CertificateId::from).ok_or_else(without_certificate)?;
    StoredCertificate::load(tx, certificate).await
}

/// The same again, but for what the request says. The kind of key stays, since the policies were checked for it.
fn order(present: &StoredCertificate, request: RenewService, hardened: bool) -> Result<Order> {
    let RenewService { issuer_uuid, subject_oneline, validity_period } = request;
    let key_type = KeyType::by_spec(present.spec).ok_or_else(|| Error::internal("a certificate's key has no type"))?;
    let profile = present.profile.and_then(cert_profile::built_in);
    let wanted = Wanted {
        profile: profile.ok_or_else(|| Error::internal("the profile of a service's certificate is not there"))?,
        issuer: Some(issuer_uuid.unwrap_or(present.issuer)),
        subject: Some(subject_oneline.as_deref().unwrap_or(&present.subject)),
        new_key: &NewKey { key_type_uuid: Some(key_type.id), save: Some(true) },
        key_params: None,
        cert_params: &CertParams { validity_period, ..CertParams::default() },
        trust: false,
    };
    Order::read(wanted, hardened).map_err(at_top)
}

/// The period has no parent here.
fn at_top(refusal: Error) -> Error {
    let field = refusal.field().and_then(|field| field.strip_prefix("/certParams")).map(str::to_owned);
    match field {
        Some(field) => refusal.at(field),
        None => refusal,
    }
}
