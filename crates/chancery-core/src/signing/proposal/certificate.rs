//! Certificates that are proposed, and changes of what certificates take: of their profiles, and of the authorities that
//! issue them.

use chancery_store::{Tx, tables};
use chancery_types::{
    CertificateId, ErrorCode, ProposalId, ProposalKind, ServiceId,
    wire::{
        approval::{IssuerApproval, ProposedCertProfile, ProposedIssuerApproval},
        cert_profiles::CertProfile,
        proposals::Proposed,
    },
};
use serde_json::json;

use super::{
    content::{Content, NewCertificate},
    policy::lasting,
    propose::{About, NewProposal},
};
use crate::{
    Caller, Chancery, Error, Event, Grant, Result,
    audit::{Actor, Entry},
    pki::{
        Prepared,
        approval::{Approved, check_demand},
        cert_profile,
    },
    signing::{NewService, certificate::ServiceCertificate, demand::Demand},
};

/// A certificate that is made and counts once it is stored, and what the audit records say of it.
pub(super) struct Issuing {
    prepared: Prepared,
    record: Event,
    /// The service that signs with it from then on.
    service: Option<ServiceCertificate>,
}

impl Chancery {
    /// Proposes a certificate.
    pub(crate) async fn propose_certificate(
        &self,
        caller: &Caller,
        grant: &Grant,
        demand: Demand,
        (name, service): (String, Option<NewService>),
        new: NewCertificate,
    ) -> Result<Proposed> {
        let certificate = &new.certificate;
        let about = About {
            service: new.request.of_service().map(ServiceCertificate::service),
            profile: Some(certificate.cert_profile_uuid),
            issuer: certificate.issuer_uuid,
            ..About::default()
        };
        let now_ms = self.clock.now_ms();
        let content = Content::Certificate(Box::new(new));
        let new = NewProposal { service, ..demanded(&demand, (about, name), content, now_ms)? };
        self.propose(caller, grant, new, now_ms).await
    }

    /// Proposes the change of a certificate profile. The answer is the profile as it is, and what waits.
    pub(crate) async fn propose_cert_profile(
        &self,
        caller: &Caller,
        grant: &Grant,
        demand: Demand,
        new: ProposedCertProfile,
    ) -> Result<CertProfile> {
        let (checked, limits) = (new.clone(), self.limits.clone());
        let check = self
            .store
            .read(move |tx| Box::pin(async move { cert_profile::check_change(tx, &checked, &limits).await.map(drop) }));
        check.await?;
        let shown = new.before.clone();
        let about = About { profile: Some(shown.obj_info.uuid), ..About::default() };
        let named = (about, new.after.obj_info.name.clone());
        let proposed = self.propose_demanded(caller, grant, demand, named, Content::CertProfile(Box::new(new))).await?;
        Ok(CertProfile { pending_change: Some(proposed), ..shown })
    }

    /// Proposes what an authority shall demand. The answer is what it demands now, and what waits.
    pub(crate) async fn propose_issuer_approval(
        &self,
        caller: &Caller,
        grant: &Grant,
        demand: Demand,
        (id, name): (CertificateId, String),
        new: ProposedIssuerApproval,
    ) -> Result<IssuerApproval> {
        let checked = new.clone();
        let check = self.store.read(move |tx| Box::pin(async move { check_demand(tx, id, &checked).await }));
        check.await?;
        let approval = new.before.clone();
        let about = About { issuer: Some(id), ..About::default() };
        let proposed =
            self.propose_demanded(caller, grant, demand, (about, name), Content::Issuer(id, Box::new(new))).await?;
        Ok(IssuerApproval { approval, pending_change: Some(proposed) })
    }

    async fn propose_demanded(
        &self,
        caller: &Caller,
        grant: &Grant,
        demand: Demand,
        (about, name): (About, String),
        content: Content,
    ) -> Result<Proposed> {
        let now_ms = self.clock.now_ms();
        self.propose(caller, grant, demanded(&demand, (about, name), content, now_ms)?, now_ms).await
    }

    /// Makes what has every approval; the reason where it can never be made any more. What passes is an error, after
    /// which nothing has happened: an authority on hold, too many certificates of a name.
    pub(super) async fn issuing(&self, new: &NewCertificate) -> Result<Result<Box<Issuing>, String>> {
        if let Some(issuer) = new.certificate.issuer_uuid {
            self.check_not_held(issuer).await?;
        }
        // What was compiled may be behind the store, and what fails here fails for ever.
        self.catch_up().await?;
        let made = async {
            let prepared = Box::pin(self.prepare_approved(new, Approved::by_proposal())).await?;
            let now_ms = self.clock.now_ms();
            let service = new.request.of_service().cloned();
            let wanted = service.clone();
            let checked = self.store.read(move |tx| {
                Box::pin(async move {
                    if let Some(wanted) = wanted {
                        wanted.check(tx).await?;
                    }
                    prepared.check(tx, now_ms).await?;
                    Ok::<_, Error>(prepared)
                })
            });
            let prepared = checked.await?;
            Ok(Box::new(Issuing { record: new.request.event(&prepared, true), prepared, service }))
        };
        lasting(Box::pin(made).await)
    }
}

/// The certificate that was last proposed for a service, whatever became of it.
pub(in crate::signing) async fn asked_for_last(tx: &mut Tx, service: ServiceId) -> Result<Option<ServiceCertificate>> {
    let kind = ProposalKind::Certificate.as_str();
    let Some(row) = tables::proposals::newest_of_service(tx, service.into(), kind).await? else { return Ok(None) };
    match Content::parse(&row.content)? {
        Content::Certificate(new) => Ok(new.request.of_service().cloned()),
        Content::PreApproval(_) | Content::Policy(_) | Content::CertProfile(_) | Content::Issuer(..) => Ok(None),
    }
}

/// A proposal that takes what is demanded.
fn demanded(demand: &Demand, (about, name): (About, String), content: Content, now_ms: i64) -> Result<NewProposal> {
    let expires_at_ms = demand.expiry(now_ms)?;
    Ok(NewProposal { name, note: String::new(), content, about, service: None, required: demand.count, expires_at_ms })
}

impl Issuing {
    pub(super) const fn id(&self) -> CertificateId {
        self.prepared.id
    }

    /// Issues, in the transaction that stores the last approval.
    pub(super) async fn issue(self, tx: &mut Tx, proposal: ProposalId, actor: &Actor, now_ms: i64) -> Result<()> {
        let Self { prepared, record, service } = self;
        let id = prepared.id;
        prepared.issue(tx, true, now_ms).await?;
        if let Some(service) = service {
            service.take(tx, id).await?;
        }
        let record = record.also("proposalUuid", json!(proposal))?;
        Entry::new(now_ms, actor, record, ErrorCode::Success)?.append(tx).await
    }
}
