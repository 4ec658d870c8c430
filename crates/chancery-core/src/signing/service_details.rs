//! Services in full: what they are, what their certificates need, and the end of their certificates.

use std::collections::HashMap;

use chancery_store::{Listed, Tx, tables};
use chancery_types::{
    Action, Perm, ServiceId,
    wire::{
        ListQuery, Results,
        approval::IssuerApproval,
        service_details::{IssuancePolicy, PatchIssuancePolicy, Service as ServiceBody},
        services::ServiceStub,
        signing_policies::SigningPolicy,
        x509::{Certificate, CertificateStub, RevokeCertificate},
    },
};
use uuid::Uuid;

use super::service::{PKI_SIGNING, Policy, Service, stub, without_certificate};
use crate::{
    Caller, Error, Result, Signing,
    base::list::Page,
    pki::{StoredCertificate, proposals::certificate::asked_for_last},
};

impl Signing {
    /// The services in full, for any fully logged-in caller.
    pub async fn services(&self, caller: &Caller, query: &ListQuery) -> Result<Results<ServiceBody>> {
        let grant = self.context.grant_to_all(caller);
        let page = Page::of(query, &self.context.limits)?;
        let (search, rows) = (page.search.clone(), page.rows());
        let (now_ms, hardened) = (self.context.clock.now_ms(), self.context.hardened);
        let read = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                let listed = tables::services::list(tx, Some(&search), &rows).await?;
                let Listed { rows, total, total_is_at_least, next } = listed;
                Ok(Listed { rows: in_full(tx, rows, hardened, now_ms).await?, total, total_is_at_least, next })
            })
        });
        page.answer(read.await?, Ok)
    }

    /// One service in full, for any fully logged-in caller.
    pub async fn service(&self, caller: &Caller, id: ServiceId) -> Result<ServiceBody> {
        let grant = self.context.grant_to_all(caller);
        let (now_ms, hardened) = (self.context.clock.now_ms(), self.context.hardened);
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let row = existing(tx, id).await?;
                let found = in_full(tx, vec![row], hardened, now_ms).await?;
                found.into_iter().next().ok_or_else(|| Error::internal("a service that was read is not there"))
            })
        });
        read.await
    }

    /// Revokes a service's certificate, or puts it on hold: the service then signs no more.
    pub async fn revoke_service(
        &self,
        caller: &Caller,
        id: ServiceId,
        request: RevokeCertificate,
    ) -> Result<Certificate> {
        let action = Action::CertificateRevoke;
        let grant = self.context.grant(caller, Perm::CertManageManage, action, Some(id.into())).await?;
        let row = self.context.storage.read(&grant, move |tx| Box::pin(existing(tx, id))).await?;
        let certificate = row.certificate_id.ok_or_else(without_certificate)?;
        self.pki.revoke(caller, &grant, certificate.into(), request).await
    }

    /// The approval that a service's certificates need, for any fully logged-in caller.
    pub async fn issuance_policy(&self, caller: &Caller, id: ServiceId) -> Result<IssuancePolicy> {
        let grant = self.context.grant_to_all(caller);
        let issuer = self.context.storage.read(&grant, move |tx| Box::pin(issuer(tx, id))).await?;
        let approval = issuer.approval.unwrap_or_default();
        Ok(IssuancePolicy { issuer_uuid: issuer.id, approval, pending_change: None })
    }

    /// Changes the approval that a service's certificates need. Where their issuer demands approvals now, so does the
    /// change.
    pub async fn change_issuance_policy(
        &self,
        caller: &Caller,
        id: ServiceId,
        request: PatchIssuancePolicy,
    ) -> Result<IssuancePolicy> {
        let grant =
            self.context.grant(caller, Perm::CertManageManage, Action::IssuerApprovalChange, Some(id.into())).await?;
        let issuer = self.context.storage.read(&grant, move |tx| Box::pin(issuer(tx, id))).await?;
        let after = request.applied_to(issuer.approval.unwrap_or_default());
        let IssuerApproval { approval, pending_change } = self.pki.demand_approval(caller, issuer.id, after).await?;
        Ok(IssuancePolicy { issuer_uuid: issuer.id, approval, pending_change })
    }
}

async fn existing(tx: &mut Tx, id: ServiceId) -> Result<tables::services::Row> {
    tables::services::by_id(tx, id.into()).await?.ok_or_else(|| Error::not_found("service"))
}

/// What issued a service's certificate, or shall issue the one that waits for approvals.
async fn issuer(tx: &mut Tx, id: ServiceId) -> Result<StoredCertificate> {
    let issuer = match existing(tx, id).await?.certificate_id {
        Some(certificate) => StoredCertificate::load(tx, certificate.into()).await?.issuer,
        None => asked_for_last(tx, id).await?.ok_or_else(without_certificate)?.issuer_uuid,
    };
    StoredCertificate::load(tx, issuer).await
}

/// Services with all that belongs to them, read for all of them at once.
async fn in_full(
    tx: &mut Tx,
    rows: Vec<tables::services::Row>,
    hardened: bool,
    now_ms: i64,
) -> Result<Vec<ServiceBody>> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut policies: HashMap<Uuid, Vec<_>> = HashMap::new();
    for policy in tables::signing_policies::of_services(tx, &ids).await? {
        policies.entry(policy.service_id).or_default().push(policy);
    }
    let named: Vec<Uuid> = rows.iter().filter_map(|row| row.certificate_id).collect();
    let mut certificates: HashMap<Uuid, CertificateStub> = HashMap::new();
    for row in tables::certificates::by_ids(tx, &named).await? {
        certificates.insert(row.id, StoredCertificate::from_row(row)?.stub(now_ms));
    }
    rows.into_iter()
        .map(|row| {
            let policies = policies.remove(&row.id).unwrap_or_default();
            let certificate = row.certificate_id.and_then(|id| certificates.get(&id).cloned());
            body(row, policies, certificate, hardened)
        })
        .collect()
}

fn body(
    row: tables::services::Row,
    policies: Vec<tables::signing_policies::Row>,
    certificate: Option<CertificateStub>,
    hardened: bool,
) -> Result<ServiceBody> {
    let signs = (row.template == PKI_SIGNING).then(|| Service::from_row(&row)).transpose()?;
    let policies: Vec<SigningPolicy> = match &signs {
        None => Vec::new(),
        Some(service) => policies
            .into_iter()
            .map(|policy| Ok(Policy::from_row(policy, service)?.body(hardened)))
            .collect::<Result<_>>()?,
    };
    let ServiceStub { obj_info, template, signing_format, certificate_uuid } = stub(row)?;
    Ok(ServiceBody { obj_info, template, signing_format, certificate_uuid, certificate, signing_policies: policies })
}
