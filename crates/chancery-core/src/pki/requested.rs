//! Requests for certificates: at once, or once enough people have approved what was asked for.

use chancery_types::{
    Action, CertificateId, Perm,
    wire::{
        approval::Issued,
        proposals::Proposed,
        x509::{GenerateCertificate, RekeyCertificate, RenewCertificate, RequestCertificate},
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{
    ALT_NAMES, ISSUER, Prepared, SUBJECT,
    approval::Approved,
    cert_profile::Power,
    issue::{Clearance, Plan},
    order::Order,
    requests::at_origin,
};
use crate::{
    Caller, Chancery, Error, Event, Grant, Result,
    signing::{NewCertificate, NewService, certificate::ServiceCertificate},
};

/// A request as it came. What waits for approvals keeps it, and is made from it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Requested {
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
}

fn is_of_names(field: &str) -> bool {
    field == SUBJECT || field.starts_with(ALT_NAMES)
}

impl Requested {
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

impl Chancery {
    /// Makes a certificate with a new key: self-signed, or issued by a trusted authority whose key was saved.
    pub async fn generate_certificate(&self, caller: &Caller, request: GenerateCertificate) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, Requested::Generate(request))).await
    }

    /// Issues a certificate for the key of a PKCS#10 request.
    pub async fn request_certificate(&self, caller: &Caller, request: RequestCertificate) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, Requested::Request(request))).await
    }

    /// Issues a certificate again, for the same key and names.
    pub async fn renew_certificate(
        &self,
        caller: &Caller,
        id: CertificateId,
        request: RenewCertificate,
    ) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, Requested::Renew(id, request))).await
    }

    /// Issues a certificate again, for the same names and another key.
    pub async fn rekey_certificate(
        &self,
        caller: &Caller,
        id: CertificateId,
        request: RekeyCertificate,
    ) -> Result<Issued> {
        Box::pin(self.issue_requested(caller, Requested::Rekey(id, request))).await
    }

    async fn issue_requested(&self, caller: &Caller, requested: Requested) -> Result<Issued> {
        let object = requested.instead_of().map(Uuid::from);
        let grant = self.grant(caller, Perm::CertManageGenerate, requested.action(), object).await?;
        let Ordered { order, save, warnings } = self.ordered(&requested).await?;
        self.check_power(caller, &requested, &order).await?;
        let plan = self.plan_certificate(order).await.map_err(|refusal| requested.refusal(refusal))?;
        if !plan.demand().is_none() {
            if !save {
                let message =
                    "What waits for approvals is kept (saveCert): who asked for it is not there when it is issued.";
                return Err(Error::value("/saveCert", message));
            }
            return Box::pin(self.wait_for_approvals(caller, &grant, requested, &plan, None)).await.map(Issued::Waits);
        }
        let issued = async {
            let prepared = self.prepare_planned(plan, Clearance::Unasked).await?;
            let mut reply = prepared.reply()?;
            reply.warnings.extend(warnings);
            let (event, now_ms) = (requested.event(&prepared, save), self.clock.now_ms());
            self.commit(&grant, event, move |tx| Box::pin(prepared.issue(tx, save, now_ms))).await?;
            Ok(Issued::Made(reply))
        };
        issued.await.map_err(|refusal| requested.refusal(refusal))
    }

    /// Whoever makes an authority, a responder or a stamp makes the trust of others: that takes two persons, and the
    /// permission to change profiles. It counts what the certificate would be good for, under whatever profile.
    async fn check_power(&self, caller: &Caller, requested: &Requested, order: &Order) -> Result<()> {
        let Some(power) = order.profile.power() else { return Ok(()) };
        let from_outside = order.given.as_ref().is_some_and(|given| given.id.is_none());
        if power == Power::Responder && from_outside {
            let message =
                "Responders have keys that were made here: whoever holds one says which certificates are good.";
            return Err(Error::value("/certProfileUuid", message));
        }
        if caller.has(Perm::CertManageManage) && caller.are_two_persons() {
            return Ok(());
        }
        let what = match power {
            Power::Authority => "A certificate authority",
            Power::Responder => "An OCSP responder's certificate",
            Power::Stamps => "A certificate for time stamps",
        };
        let message =
            format!("{what} is made by two persons: a session of a role with two logins and CertManage:Manage.");
        let event = Event::new(requested.action()).on(requested.instead_of().map(Uuid::from));
        Err(self.refused(caller, event, Error::forbidden(message)).await)
    }

    async fn ordered(&self, requested: &Requested) -> Result<Ordered> {
        match requested.clone() {
            Requested::Generate(request) => self.ordered_new(request).await,
            Requested::Request(request) => self.ordered_by_csr(request).await,
            Requested::Renew(id, request) => self.ordered_again(id, request).await,
            Requested::Rekey(id, request) => self.ordered_with_another_key(id, request).await,
            Requested::Service(wanted) => wanted.order(self.hardened).map(Ordered::kept),
        }
    }

    /// Proposes what is planned, together with the service that it is for where that is new.
    pub(crate) async fn wait_for_approvals(
        &self,
        caller: &Caller,
        grant: &Grant,
        request: Requested,
        plan: &Plan,
        service: Option<NewService>,
    ) -> Result<Proposed> {
        let name = plan.name(self.limits.name_max);
        let certificate = plan.described(request.instead_of());
        let new = NewCertificate { request, certificate };
        self.propose_certificate(caller, grant, plan.demand(), (name, service), new).await
    }

    /// Makes what was approved. InvalidState where something else would come of it by now.
    pub(crate) async fn prepare_approved(&self, new: &NewCertificate, approved: Approved) -> Result<Prepared> {
        let Ordered { order, .. } = self.ordered(&new.request).await?;
        let plan = self.plan_certificate(order).await?;
        if plan.described(new.request.instead_of()) != new.certificate {
            let message = "What would be issued is no longer what was asked for and approved: the profile was changed.";
            return Err(Error::state(message));
        }
        self.prepare_planned(plan, Clearance::Approved(approved)).await
    }
}
