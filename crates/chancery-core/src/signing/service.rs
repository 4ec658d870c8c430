//! Services and policies as they come out of the store, and their lists.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, CertificateId, HashType, LogVisibility, Perm, PolicyId, SelfApproval, ServiceId, SigningFormat,
    wire::{
        Items, ListQuery, ObjInfo, Results,
        services::ServiceStub,
        signing_policies::{PolicyBudgets, PolicyRules, SigningPolicy},
    },
};

use super::algorithms::Choice;
use crate::{Caller, Error, Result, Signing, base::list::Page};

/// The template of services that sign.
pub(super) const PKI_SIGNING: &str = "PKI Signing";
/// The template of time-stamping authorities, which sign nothing but time stamps and have no policies.
pub(super) const TIME_STAMPING: &str = "Time Stamping";

/// A signing service's row, parsed.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub(crate) id: ServiceId,
    pub(crate) format: SigningFormat,
    /// None where it was deployed without one.
    pub(crate) certificate: Option<CertificateId>,
    pub(crate) log: LogVisibility,
}

/// A policy's row, parsed, and what its service says for all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) id: PolicyId,
    pub(crate) service: ServiceId,
    pub(crate) name: String,
    pub(crate) num_approvals: u32,
    pub(crate) choice: Choice,
    pub(crate) self_approval: SelfApproval,
    pub(crate) rules: PolicyRules,
    pub(crate) log: LogVisibility,
}

impl Service {
    /// Parses a row. What does not parse was not written by us: InternalError.
    pub(super) fn from_row(row: &tables::services::Row) -> Result<Self> {
        Ok(Self {
            id: row.id.into(),
            format: row.signing_format.parse().map_err(Error::internal)?,
            certificate: row.certificate_id.map(CertificateId::from),
            log: row.log.parse().map_err(Error::internal)?,
        })
    }

    /// The signing service with this id.
    pub(crate) async fn load(tx: &mut Tx, id: ServiceId) -> Result<Option<Self>> {
        let row = tables::services::by_id(tx, id.into()).await?.filter(|row| row.template == PKI_SIGNING);
        row.as_ref().map(Self::from_row).transpose()
    }

    /// Its certificate; InvalidState where it was deployed without one.
    pub(crate) fn certificate(&self) -> Result<CertificateId> {
        self.certificate.ok_or_else(without_certificate)
    }
}

pub(super) fn without_certificate() -> Error {
    Error::state(
        "The service has no signing certificate: it was deployed without one, or the certificate waits for approvals.",
    )
}

pub(super) fn stub(row: tables::services::Row) -> Result<ServiceStub> {
    let signs = row.template == PKI_SIGNING;
    Ok(ServiceStub {
        signing_format: signs.then(|| Service::from_row(&row).map(|service| service.format)).transpose()?,
        obj_info: ObjInfo { name: row.name, uuid: row.id.into() },
        template: row.template,
        certificate_uuid: row.certificate_id.map(CertificateId::from),
    })
}

impl Policy {
    /// Parses a row of this service's.
    pub(crate) fn from_row(row: tables::signing_policies::Row, service: &Service) -> Result<Self> {
        let hash: HashType = row.hash_algorithm.parse().map_err(Error::internal)?;
        Ok(Self {
            id: row.id.into(),
            service: service.id,
            name: row.name,
            num_approvals: row.num_approvals,
            choice: Choice { format: service.format, hash, rsa_pss: row.rsa_pss, time_stamp: row.time_stamp },
            self_approval: row.self_approval.parse().map_err(Error::internal)?,
            rules: serde_json::from_str(&row.rules).map_err(Error::internal)?,
            log: service.log,
        })
    }

    /// The policy with this id, if it is one of the service's.
    pub(crate) async fn load(tx: &mut Tx, id: PolicyId, service: &Service) -> Result<Option<Self>> {
        let row = tables::signing_policies::by_id(tx, id.into()).await?;
        let row = row.filter(|row| row.service_id == uuid::Uuid::from(service.id));
        row.map(|row| Self::from_row(row, service)).transpose()
    }

    /// Whether submitters may take part in approving: in hardened mode they never may, whatever the policy says.
    pub(crate) const fn self_approval(&self, hardened: bool) -> SelfApproval {
        if hardened { SelfApproval::Never } else { self.self_approval }
    }

    /// As lists and answers show it.
    pub(crate) fn body(self, hardened: bool) -> SigningPolicy {
        SigningPolicy {
            num_approvals: self.num_approvals,
            signing_format: self.choice.format,
            service_uuid: self.service,
            hash_algorithm: self.choice.hash,
            rsa_pss: self.choice.rsa_pss,
            time_stamp: self.choice.time_stamp,
            self_approval: self.self_approval(hardened),
            rules: self.rules,
            pending_change: None,
            obj_info: ObjInfo { name: self.name, uuid: self.id },
        }
    }
}

impl Signing {
    /// The services, for any fully logged-in caller.
    pub async fn service_stubs(&self, caller: &Caller, query: &ListQuery) -> Result<Results<ServiceStub>> {
        let grant = self.context.grant_to_all(caller);
        let page = Page::of(query, &self.context.limits)?;
        let (search, rows) = (page.search.clone(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::services::list(tx, Some(&search), &rows).await?) })
        });
        page.answer(listed.await?, stub)
    }

    /// One policy, for any fully logged-in caller.
    pub async fn signing_policy(&self, caller: &Caller, policy: PolicyId) -> Result<SigningPolicy> {
        let grant = self.context.grant_to_all(caller);
        let hardened = self.context.hardened;
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let row = tables::signing_policies::by_id(tx, policy.into()).await?;
                let row = row.ok_or_else(|| Error::not_found("signing policy"))?;
                let service = Service::load(tx, row.service_id.into()).await?;
                let service = service.ok_or_else(|| Error::internal("a policy's service is not there"))?;
                Ok(Policy::from_row(row, &service)?.body(hardened))
            })
        });
        read.await
    }

    /// What of a policy's budgets is used now. It tells how much each submitter has signed.
    pub async fn signing_policy_budgets(&self, caller: &Caller, policy: PolicyId) -> Result<PolicyBudgets> {
        let (action, object) = (Action::SigningPolicyRead, Some(policy.into()));
        let grant = self.context.grant(caller, Perm::ServicesDeploy, action, object).await?;
        let row =
            self.context.storage.read(&grant, move |tx| Box::pin(tables::signing_policies::by_id(tx, policy.into())));
        let row = row.await?.ok_or_else(|| Error::not_found("signing policy"))?;
        let rules: PolicyRules = serde_json::from_str(&row.rules).map_err(Error::internal)?;
        self.budgets.uses_of_policy(&grant, policy, &rules.budgets).await
    }

    /// A service's policies, for any fully logged-in caller.
    pub async fn signing_policies(&self, caller: &Caller, service: ServiceId) -> Result<Items<SigningPolicy>> {
        let grant = self.context.grant_to_all(caller);
        let hardened = self.context.hardened;
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let service = Service::load(tx, service).await?.ok_or_else(|| Error::not_found("signing service"))?;
                let rows = tables::signing_policies::of_service(tx, service.id.into()).await?;
                let items = rows.into_iter().map(|row| Ok(Policy::from_row(row, &service)?.body(hardened)));
                items.collect::<Result<Vec<_>>>()
            })
        });
        let items = read.await?;
        Ok(Items { total: items.len() as u64, items, total_is_at_least: false, next: None })
    }
}
