//! Requests for certificates: at once, or once enough people have approved what was asked for.

use std::sync::Arc;

use chancery_types::{
    Action, CertificateId, IdentityId, Perm,
    wire::{
        approval::Issued,
        x509::{GenerateCertificate, RekeyCertificate, RenewCertificate, RequestCertificate},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{
    ALT_NAMES, ISSUER, Prepared, SUBJECT,
    cert_profile::Power,
    issue::Clearance,
    order::{Order, csr::at_origin},
    service_certificate::ServiceCertificate,
};
use crate::{Caller, Error, Event, Grant, Pki, Result, identity::AskedBy};

/// A request as it came. What waits for approvals keeps it, and is made from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum IssueRequest {
    Generate(GenerateCertificate),
    Request(RequestCertificate),
    Renew(CertificateId, RenewCertificate),
    Rekey(CertificateId, RekeyCertificate),
    Service(ServiceCertificate),
}

/// What was asked for, read and checked.
pub(super) struct Ordered {
    pub(super) order: Order,
    pub(super) save: bool,
    pub(super) warnings: Vec<String>,
    /// Whether it is another one for the key of an authority.
    pub(super) renews_authority: bool,
}

impl Ordered {
    /// One that is kept, as one that takes the place of another always is.
    pub(super) const fn kept(order: Order) -> Self {
        Self { order, save: true, warnings: Vec::new(), renews_authority: false }
    }
}

fn is_of_names(field: &str) -> bool {
    field == SUBJECT || field.starts_with(ALT_NAMES)
}

impl IssueRequest {
    pub(crate) const fn action(&self) -> Action {
        match self {
            Self::Generate(_) => Action::CertificateGenerate,
            Self::Request(_) => Action::CertificateRequest,
            Self::Renew(..) => Action::CertificateRenew,
            Self::Rekey(..) => Action::CertificateRekey,
            Self::Service(_) => Action::ServiceRenew,
        }
    }

    /// The certificate whose place the new one takes.
    pub(crate) const fn instead_of(&self) -> Option<CertificateId> {
        match self {
            Self::Generate(_) | Self::Request(_) => None,
            Self::Renew(id, _) | Self::Rekey(id, _) => Some(*id),
            Self::Service(wanted) => wanted.instead_of(),
        }
    }

    /// The certificate as that of a service.
    pub(crate) const fn of_service(&self) -> Option<&ServiceCertificate> {
        match self {
            Self::Service(wanted) => Some(wanted),
            Self::Generate(_) | Self::Request(_) | Self::Renew(..) | Self::Rekey(..) => None,
        }
    }

    /// What issuing says of the issuer and of the names, where this request has them.
    fn refusal(&self, refusal: Error) -> Error {
        match self {
            Self::Request(request) => at_origin(request, refusal),
            // The names are those of the certificate before: only another issuer may certify them.
            Self::Renew(..) | Self::Rekey(..) if refusal.field().is_some_and(is_of_names) => refusal.at(ISSUER),
            Self::Generate(_) | Self::Renew(..) | Self::Rekey(..) | Self::Service(_) => refusal,
        }
    }

    /// What the audit records say of the certificate that was asked for.
    pub(crate) fn event(&self, prepared: &Prepared, saved: bool) -> Event {
        if let Some(wanted) = self.of_service() {
            return Event::new(self.action()).on(Uuid::from(wanted.service())).detail(json!({
                "certificateUuid": prepared.id, "previousCertificateUuid": wanted.instead_of(),
            }));
        }
        Event::new(self.action()).on(Uuid::from(prepared.id)).detail(json!({
            "subject": prepared.subject, "serialNumber": prepared.serial.to_hex(), "saved": saved,
            "insteadOf": self.instead_of(),
        }))
    }
}

impl Pki {
    /// Makes a certificate with a new key: self-signed, or issued by a trusted authority whose key was saved.
    pub async fn generate_certificate(&self, caller: &Caller, request: GenerateCertificate) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, IssueRequest::Generate(request))).await
    }

    /// Issues a certificate for the key of a PKCS#10 request.
    pub async fn request_certificate(&self, caller: &Caller, request: RequestCertificate) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, IssueRequest::Request(request))).await
    }

    /// Issues a certificate again, for the same key and names.
    pub async fn renew_certificate(
        &self,
        caller: &Caller,
        id: CertificateId,
        request: RenewCertificate,
    ) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, IssueRequest::Renew(id, request))).await
    }

    /// Issues a certificate again, for the same names and another key.
    pub async fn rekey_certificate(
        &self,
        caller: &Caller,
        id: CertificateId,
        request: RekeyCertificate,
    ) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, IssueRequest::Rekey(id, request))).await
    }

    async fn issue_requested(&self, caller: &Caller, request: IssueRequest) -> Result<Issued> {
        let object = request.instead_of().map(Uuid::from);
        let grant = self.context.grant(caller, Perm::CertManageGenerate, request.action(), object).await?;
        let Ordered { order, save, warnings, renews_authority } = self.ordered(&grant, &request).await?;
        let refused = || Event::new(request.action()).on(object);
        if let Some(what) = powerful(&order)? {
            let checked = if caller.manages_trust() {
                // Whoever has such a key made here has shown one for that.
                self.context.check_fresh_factor_for(caller, Action::CertificateGenerate)
            } else {
                Err(Error::forbidden(format!(
                    "{what} is made by two persons: a session of a role with two logins and CertManage:Manage."
                )))
            };
            self.context.or_refused(caller, refused(), checked).await?;
        }
        // Two certificates of one authority and key would each have a revocation list that calls itself the whole.
        if renews_authority {
            return Err(Error::state(
                "An authority takes another key when it is renewed (rekey); its old one stays with what it issued.",
            ));
        }
        let plan = self.plan_certificate(order).await.map_err(|refusal| request.refusal(refusal))?;
        if !plan.requirement().is_none() {
            if !save {
                let message =
                    "What waits for approvals is kept (saveCert): who asked for it is not there when it is issued.";
                return Err(Error::value("/saveCert", message));
            }
            let waits = self.propose_certificate(caller, &grant, request, &plan, None);
            return Box::pin(waits).await.map(Issued::Waits);
        }
        let issued = async {
            let prepared = self.prepare_planned(plan, Clearance::Unasked).await?;
            let mut reply = prepared.reply()?;
            reply.warnings.extend(warnings);
            let (event, now_ms) = (request.event(&prepared, save), self.context.clock.now_ms());
            let asked_by = AskedBy::Caller(caller.clone(), Arc::clone(&self.context));
            let issued = self.context.commit(&grant, event, move |tx| {
                Box::pin(async move {
                    prepared.check_stands_for(tx, &asked_by).await?;
                    prepared.issue(tx, save, now_ms).await
                })
            });
            self.context.or_refused(caller, refused(), issued.await).await?;
            Ok(Issued::Made(reply))
        };
        issued.await.map_err(|refusal| request.refusal(refusal))
    }

    /// Refuses what takes two persons where those who asked for it would not be given it any more: their roles, and what the
    /// profile makes of the certificate, may have changed while it waited.
    pub(super) fn check_power_still(
        &self,
        request: &IssueRequest,
        order: &Order,
        proposers: &[IdentityId],
    ) -> Result<()> {
        // What services sign with is made by whoever deploys them; its key never leaves.
        if request.of_service().is_some() {
            return Ok(());
        }
        let Some(what) = powerful(order)? else { return Ok(()) };
        if self.identities.are_two_persons_with(proposers, Perm::CertManageManage)? {
            return Ok(());
        }
        let message = format!(
            "{what} is made by two persons with CertManage:Manage, and those who asked for it do not hold that any more."
        );
        Err(Error::state(message))
    }

    pub(super) async fn ordered(&self, grant: &Grant, request: &IssueRequest) -> Result<Ordered> {
        match request.clone() {
            IssueRequest::Generate(request) => self.ordered_new(request).await,
            IssueRequest::Request(request) => self.ordered_by_csr(grant, request).await,
            IssueRequest::Renew(id, request) => self.ordered_again(grant, id, request).await,
            IssueRequest::Rekey(id, request) => self.ordered_with_another_key(grant, id, request).await,
            IssueRequest::Service(wanted) => wanted.order(self.context.hardened).map(Ordered::kept),
        }
    }
}

/// What takes two persons and the permission to change profiles, because whoever makes it makes the trust of others: an
/// authority, a responder, a stamp. It counts what the certificate would be good for, under whatever profile.
fn powerful(order: &Order) -> Result<Option<&'static str>> {
    let Some(power) = order.profile.power() else { return Ok(None) };
    let from_outside = order.given.as_ref().is_some_and(|given| given.id.is_none());
    if power == Power::Responder && from_outside {
        let message = "Responders have keys that were made here: whoever holds one says which certificates are good.";
        return Err(Error::value("/certProfileUuid", message));
    }
    Ok(Some(match power {
        Power::Authority => "A certificate authority",
        Power::Responder => "An OCSP responder's certificate",
        Power::Stamps => "A certificate for time stamps",
    }))
}
