//! Renewing a service's signing certificate: a new certificate with a new key of the same kind; the service stays.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, Perm, ServiceId,
    wire::services::{RenewService, RenewedService},
};
use serde_json::json;
use uuid::Uuid;

use super::{service::without_certificate, time_stamp::unreadable_policy};
use crate::{
    Caller, Error, Event, Result, Signing,
    context::changes::{Change, ChangeKind},
    keys::key_type,
    pki::{Asked, IssueRequest, ServiceCertificate, StoredCertificate, proposals::certificate::asked_for_last},
};

impl Signing {
    /// Gives a service a new certificate with a new key. What waits for approvals is signed with the new one.
    pub async fn renew_service(
        &self,
        caller: &Caller,
        service: ServiceId,
        request: RenewService,
    ) -> Result<RenewedService> {
        let action = Action::ServiceRenew;
        let grant = self.context.grant(caller, Perm::ServicesDeploy, action, Some(service.into())).await?;
        let (last, unreadable) = self
            .context
            .storage
            .read(&grant, move |tx| {
                Box::pin(
                    async move { Ok::<_, Error>((last(tx, service).await?, unreadable_policy(tx, service).await?)) },
                )
            })
            .await?;
        let RenewService { issuer_uuid, subject_oneline, validity_period } = request;
        let wanted = ServiceCertificate {
            issuer_uuid: issuer_uuid.unwrap_or(last.issuer_uuid),
            subject_oneline: subject_oneline.unwrap_or(last.subject_oneline),
            validity_period: validity_period.or(last.validity_period),
            ..last
        };
        let previous = wanted.instead_of;
        let order = wanted.order(self.context.hardened).map_err(at_top)?;
        let renewed = RenewedService {
            service_uuid: service,
            certificate_uuid: None,
            pending_certificate: None,
            previous_certificate_uuid: previous,
            warnings: Vec::new(),
        };
        let prepared = match self.pki.ask_for_certificate(wanted.clone(), order).await.map_err(at_top)? {
            Asked::Made(prepared) => prepared,
            Asked::Waits(wanted, plan) => {
                let request = IssueRequest::Service(wanted);
                let proposed = Box::pin(self.pki.propose_certificate(caller, &grant, request, &plan, None)).await?;
                return Ok(RenewedService { pending_certificate: Some(proposed), ..renewed });
            }
        };
        let certificate = prepared.id;
        let warnings = prepared.warnings.iter().cloned().chain(unreadable).collect();
        let event = Event::new(action)
            .on(Uuid::from(service))
            .detail(json!({"certificateUuid": certificate, "previousCertificateUuid": previous}))
            .changes(Change::of(ChangeKind::SigningService, service));
        let (event, told) = event.told();
        let now_ms = self.context.clock.now_ms();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    prepared.issue(tx, true, now_ms).await.map_err(at_top)?;
                    told.members([("name", json!(wanted.take(tx, certificate).await?))])
                })
            })
            .await?;
        Ok(RenewedService { certificate_uuid: Some(certificate), warnings, ..renewed })
    }
}

/// The certificate that the service has, as if it was asked for again; where it never had one, what was asked for last. The
/// kind of key stays, since the policies were checked for it.
async fn last(tx: &mut Tx, service: ServiceId) -> Result<ServiceCertificate> {
    let row = tables::services::by_id(tx, service.into()).await?.ok_or_else(|| Error::not_found("service"))?;
    let Some(id) = row.certificate_id else {
        return asked_for_last(tx, service).await?.ok_or_else(without_certificate);
    };
    let present = StoredCertificate::load(tx, id.into()).await?;
    let profile = present.profile.ok_or_else(|| Error::internal("a service's certificate has no profile"))?;
    Ok(ServiceCertificate {
        service_uuid: service,
        instead_of: Some(present.id),
        cert_profile_uuid: profile,
        issuer_uuid: present.issuer,
        subject_oneline: present.subject,
        key_type_uuid: key_type::id(present.spec),
        validity_period: None,
    })
}

/// The period has no parent here.
fn at_top(refusal: Error) -> Error {
    let field = refusal.field().and_then(|field| field.strip_prefix("/certParams")).map(str::to_owned);
    match field {
        Some(field) => refusal.at(field),
        None => refusal,
    }
}
