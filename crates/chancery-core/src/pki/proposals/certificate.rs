//! Certificates that are proposed: what people are shown, and what is issued once they have approved it.

use std::sync::Arc;

use chancery_store::{Tx, tables};
use chancery_types::{
    Base64, CertificateId, ErrorCode, ProposalId, ProposalKind, RevocationReason, ServiceId,
    wire::{
        approval::CertificateToIssue,
        proposals::{Proposal, Proposed},
    },
};
use chancery_x509::crl::Revocation;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::issuer::demands_of;
use crate::{
    Approvals, Caller, Error, Event, Grant, Limits, Pki, Result,
    approval::{
        Requirement,
        proposals::{
            self, About, ApplyProposal, ApprovedProposal, Content, Effect, NewProposal, Read, Ready, StoreFirst,
            prepared,
        },
    },
    context::{
        changes::{Change, ChangeKind},
        record::{Actor, Entry},
    },
    identity::AskedBy,
    keys::key_type,
    log::leaf::sha256,
    pki::{
        IssueRequest, Plan, Prepared, cert_profile, certificate::usages_of_key, issuance::Ordered, issue::Clearance,
        service_certificate::ServiceCertificate, stored_certificate::StoredCertificate,
    },
};

/// A certificate as it was asked for, and what would be issued: it is issued only where both still agree.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct NewCertificate {
    request: IssueRequest,
    certificate: CertificateToIssue,
}

impl Content for NewCertificate {
    const KIND: ProposalKind = ProposalKind::Certificate;
}

/// Reads one that is stored.
pub(crate) const READ: Read = proposals::read::<NewCertificate>;

/// The certificate that was last proposed for a service, whatever became of it.
pub(crate) async fn asked_for_last(tx: &mut Tx, service: ServiceId) -> Result<Option<ServiceCertificate>> {
    let kind = NewCertificate::KIND.as_str();
    let Some(row) = tables::proposals::newest_of_service(tx, service.into(), kind).await? else {
        return Ok(None);
    };
    let new: NewCertificate = proposals::parse(&row.content)?;
    Ok(new.request.of_service().cloned())
}

impl Effect for NewCertificate {
    /// What profile and issuer demand together, and the authority whose place it takes.
    fn requirement<'t>(
        &'t self,
        tx: &'t mut Tx,
        _: &'t tables::proposals::Row,
    ) -> BoxFuture<'t, Result<Option<Requirement>>> {
        Box::pin(async move {
            let issuer = demands_of(tx, self.certificate.issuer_uuid).await?;
            let inherited = demands_of(tx, self.request.instead_of()).await?;
            let profile = match cert_profile::built_in(self.certificate.cert_profile_uuid) {
                Some(_) => None,
                None => match cert_profile::approval_of(tx, self.certificate.cert_profile_uuid).await? {
                    Some(rules) => Some(rules),
                    // Without its profile it can only fail.
                    None => return Ok(None),
                },
            };
            Ok(Some(Requirement::all([issuer, inherited, profile].iter().flatten())))
        })
    }

    /// Makes the certificate. What passes is an error: an authority on hold, too many certificates of a name.
    fn prepare<'t>(
        &'t self,
        approvals: &'t Approvals,
        grant: &'t Grant,
        approved: ApprovedProposal,
    ) -> BoxFuture<'t, Ready> {
        Box::pin(async move {
            let domains = approvals.domains.get()?;
            let pki = domains.domain::<Pki>()?;
            if let Some(issuer) = self.certificate.issuer_uuid {
                pki.check_not_held(grant, issuer).await?;
            }
            // What was compiled may be behind the store, and what fails here fails for ever.
            pki.context.catch_up().await?;
            prepared(pki.prepare_approved(grant, self, approved).await)
        })
    }

    fn recorded(&self, record: Event, _: &Limits) -> Result<Event> {
        Ok(match self.request.of_service() {
            Some(wanted) => record.changes(Change::of(ChangeKind::SigningService, wanted.service())),
            None => record,
        })
    }

    fn shown(&self, proposal: Proposal) -> Proposal {
        Proposal { certificate: Some(self.certificate.clone()), ..proposal }
    }
}

/// A certificate that is made and counts once it is stored, and what the audit records say of it.
struct Issuing {
    prepared: Prepared,
    asked_by: AskedBy,
    record: Event,
    /// The service that signs with it from then on.
    service: Option<ServiceCertificate>,
}

impl ApplyProposal for Issuing {
    fn certificate(&self) -> Option<CertificateId> {
        Some(self.prepared.id)
    }

    fn apply<'t>(
        self: Box<Self>,
        tx: &'t mut Tx,
        proposal: ProposalId,
        actor: &'t Actor,
        now_ms: i64,
    ) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let Self { prepared, asked_by, mut record, service } = *self;
            let id = prepared.id;
            prepared.check_stands_for(tx, &asked_by).await?;
            prepared.issue(tx, true, now_ms).await?;
            if let Some(service) = service {
                record = record.also("name", json!(service.take(tx, id).await?))?;
            }
            let record = record.also("proposalUuid", json!(proposal))?;
            Entry::new(now_ms, actor, record, ErrorCode::Success)?.append(tx).await
        })
    }
}

impl Pki {
    /// Proposes what is planned. `first` stores what comes into being with it.
    pub(crate) async fn propose_certificate(
        &self,
        caller: &Caller,
        grant: &Grant,
        request: IssueRequest,
        plan: &Plan,
        first: Option<StoreFirst>,
    ) -> Result<Proposed> {
        let certificate = plan.described(request.instead_of());
        let about = About {
            service: request.of_service().map(ServiceCertificate::service),
            profile: Some(certificate.cert_profile_uuid),
            issuer: certificate.issuer_uuid,
            ..About::default()
        };
        let named = about.service.filter(|_| first.is_none()).map(Uuid::from);
        let refused = Event::new(grant.action()).on(named.or(request.instead_of().map(Uuid::from)));
        let asked_by = AskedBy::Caller(caller.clone(), Arc::clone(&self.context));
        let (now_ms, name) = (self.context.clock.now_ms(), plan.name(self.context.limits.name_max));
        let stands_for = plan.stands_for();
        let checked =
            self.context.storage.read(grant, move |tx| Box::pin(async move { stands_for.check(tx, &asked_by).await }));
        self.context.or_refused(caller, refused, checked.await).await?;
        let effect = Arc::new(NewCertificate { request, certificate });
        let new = NewProposal::demanded(&plan.requirement(), name, about, effect, now_ms)?;
        self.approvals.propose(caller, grant, NewProposal { first, ..new }, now_ms).await
    }

    /// Makes what was approved. InvalidState where something else would come of it by now, or where whoever asked for it may
    /// not have it any more.
    async fn prepare_approved(
        &self,
        grant: &Grant,
        new: &NewCertificate,
        approved: ApprovedProposal,
    ) -> Result<Issuing> {
        let NewCertificate { request, certificate } = new;
        let Ordered { order, .. } = self.ordered(grant, request).await?;
        self.check_power_still(request, &order, &approved.proposers)?;
        let plan = self.plan_certificate(order).await?;
        if plan.described(request.instead_of()) != *certificate {
            let message = "What would be issued is no longer what was asked for and approved: the profile was changed.";
            return Err(Error::state(message));
        }
        let asked_by = AskedBy::ProposedAt(approved.proposed_at_ms);
        let prepared = self.prepare_planned(plan, Clearance::Approved(approved)).await?;
        let (now_ms, service) = (self.context.clock.now_ms(), request.of_service().cloned());
        let (wanted, asked) = (service.clone(), asked_by.clone());
        let checked = self.context.storage.read(grant, move |tx| {
            Box::pin(async move {
                if let Some(wanted) = wanted {
                    wanted.check(tx).await?;
                }
                prepared.check_stands_for(tx, &asked).await?;
                prepared.check(tx, now_ms).await?;
                Ok::<_, Error>(prepared)
            })
        });
        let prepared = checked.await?;
        Ok(Issuing { record: request.event(&prepared, true), prepared, asked_by, service })
    }

    /// InvalidState while an authority, or what issued it, is on hold: that passes.
    async fn check_not_held(&self, grant: &Grant, issuer: CertificateId) -> Result<()> {
        let chain = self.context.storage.read(grant, move |tx| Box::pin(StoredCertificate::chain(tx, issuer))).await?;
        let revoked: Vec<_> = chain.iter().filter_map(|certificate| certificate.revoked).collect();
        let held = |one: &Revocation| one.reason == RevocationReason::CertificateHold;
        if revoked.is_empty() || !revoked.iter().all(held) {
            return Ok(());
        }
        Err(Error::state("The issuer, or what issued it, is on hold; nothing was approved."))
    }
}

impl Plan {
    /// What people approve.
    pub(super) fn described(&self, instead_of: Option<CertificateId>) -> CertificateToIssue {
        let (order, profile) = (&self.order, self.order.profile.text());
        CertificateToIssue {
            subject: order.subject_to_be(),
            subject_alt_names: order.alt_names.iter().map(ToString::to_string).collect(),
            key_usages: usages_of_key(&order.profile, Some(order.spec.algorithm())).collect(),
            extended_key_usages: profile.extended_key_usages,
            basic_constraints: profile.basic_constraints,
            name_constraints: profile.name_constraints,
            policies: profile.policies,
            crl_urls: profile.crl_urls,
            ocsp_urls: profile.ocsp_urls,
            issuer_urls: profile.issuer_urls,
            validity_period: order.period.into(),
            hash_algorithm: self.scheme.hash(),
            cert_profile_uuid: profile.obj_info.uuid,
            cert_profile: profile.obj_info.name,
            issuer_uuid: order.issuer,
            issuer_sha256: self.authority.as_ref().map(|issuer| Base64(sha256(issuer.der()).to_vec())),
            key_type_uuid: key_type::id(order.spec),
            public_key_sha256: order.given.as_ref().map(|key| Base64(sha256(&key.spki).to_vec())),
            save_key: order.save_key,
            trust_cert: order.trust,
            instead_of,
        }
    }
}
