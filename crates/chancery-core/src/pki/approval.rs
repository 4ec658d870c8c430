//! Approval before issue: what profiles and authorities demand, and what people are shown.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, Base64, CertificateId, Perm,
    wire::{
        approval::{ApprovalRules, CertificateToIssue, IssuerApproval, ProposedIssuerApproval},
        signing_policies::PolicyRules,
    },
};
use uuid::Uuid;

use super::{issue::Plan, stored::StoredCertificate};
use crate::{
    Caller, Chancery, Error, Event, Limits, Result,
    changes::{Change, ChangeKind},
    log::leaf::sha256,
    signing::{Demand, check_num_approvals, rules},
};

/// Who changes what an authority demands does so one after the other.
const TOPIC: &str = "issuer approvals";

/// The evidence that everybody has approved a certificate who is to be asked. Proposals make it, when they have every
/// approval.
pub(crate) struct Approved {
    _given: (),
}

impl Approved {
    /// Only for the last approval of a proposal.
    pub(crate) const fn by_proposal() -> Self {
        Self { _given: () }
    }
}

/// What is stored of an authority's demands.
pub(crate) fn parse(text: Option<&str>) -> Result<Option<ApprovalRules>> {
    text.map(serde_json::from_str).transpose().map_err(Error::internal)
}

/// As it is stored.
pub(crate) fn text(rules: &ApprovalRules) -> Result<String> {
    serde_json::to_string(rules).map_err(Error::internal)
}

/// Checks what is demanded. Fields are those of the rules.
pub(crate) fn check(approval: &ApprovalRules, limits: &Limits) -> Result<()> {
    let num_approvals = check_num_approvals(approval.num_approvals, limits)?;
    rules::check(&policy_rules(approval), num_approvals, limits).map_err(of_rules)
}

/// Whether the roles are there that are named.
pub(crate) async fn check_roles(tx: &mut Tx, approval: &ApprovalRules) -> Result<()> {
    rules::check_roles(tx, &policy_rules(approval)).await.map_err(of_rules)
}

/// The rules of a signing policy that say the same.
pub(crate) fn policy_rules(approval: &ApprovalRules) -> PolicyRules {
    PolicyRules {
        approval_steps: approval.approval_steps.clone(),
        request_lifetime: approval.request_lifetime.clone(),
        ..PolicyRules::default()
    }
}

fn of_rules(refusal: Error) -> Error {
    let field = refusal.field().and_then(|field| field.strip_prefix("/rules")).map(str::to_owned);
    match field {
        Some(field) => refusal.at(field),
        None => refusal,
    }
}

impl Plan {
    /// What people approve.
    pub(super) fn described(&self, instead_of: Option<CertificateId>) -> CertificateToIssue {
        let (order, profile) = (&self.order, self.order.profile.text());
        CertificateToIssue {
            subject: order.subject_to_be(),
            subject_alt_names: order.alt_names.iter().map(ToString::to_string).collect(),
            key_usages: profile.key_usages,
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
            key_type_uuid: order.key_type.id,
            public_key_sha256: order.given.as_ref().map(|key| Base64(sha256(&key.spki).to_vec())),
            save_key: order.save_key,
            trust_cert: order.trust,
            instead_of,
        }
    }
}

impl Chancery {
    /// Says what an authority demands of everything that it issues. Where it demands approvals now, so does the change.
    pub async fn demand_approval(
        &self,
        caller: &Caller,
        id: CertificateId,
        after: ApprovalRules,
    ) -> Result<IssuerApproval> {
        let action = Action::IssuerApprovalChange;
        let grant = self.grant(caller, Perm::CertManageManage, action, Some(id.into())).await?;
        let issuer = self.store.read(move |tx| Box::pin(StoredCertificate::load(tx, id))).await?;
        if !issuer.trusted {
            return Err(Error::state(
                "The certificate was not trusted as an issuer (trustCert), so it issues nothing.",
            ));
        }
        check(&after, &self.limits)?;
        let before = issuer.approval.unwrap_or_default();
        if before == after {
            return Ok(IssuerApproval { approval: after, pending_change: None });
        }
        let demand = Demand::all([&before]);
        let event = issuer_event(id).changed(&before, &after, &self.limits)?;
        let new = ProposedIssuerApproval { before, after };
        if !demand.is_none() {
            return Box::pin(self.propose_issuer_approval(caller, &grant, demand, (id, issuer.name), new)).await;
        }
        self.commit(&grant, event, move |tx| Box::pin(change_demand(tx, id, new))).await
    }

    /// InvalidState while an authority, or what issued it, is on hold: that passes.
    pub(crate) async fn check_not_held(&self, issuer: CertificateId) -> Result<()> {
        let chain = self.store.read(move |tx| Box::pin(StoredCertificate::chain(tx, issuer))).await?;
        let revoked: Vec<_> = chain.iter().filter_map(|certificate| certificate.revoked).collect();
        let held =
            |one: &chancery_x509::crl::Revocation| one.reason == chancery_types::RevocationReason::CertificateHold;
        if revoked.is_empty() || !revoked.iter().all(held) {
            return Ok(());
        }
        Err(Error::state("The issuer, or what issued it, is on hold; nothing was approved."))
    }
}

/// What is compiled of an authority is stale after it.
pub(crate) fn issuer_change(id: CertificateId) -> Change {
    Change::of(ChangeKind::Revocation, id)
}

fn issuer_event(id: CertificateId) -> Event {
    Event::new(Action::IssuerApprovalChange).on(Uuid::from(id)).changes(issuer_change(id))
}

/// Whether an authority's demands can change so.
pub(crate) async fn check_demand(tx: &mut Tx, id: CertificateId, new: &ProposedIssuerApproval) -> Result<()> {
    let issuer = StoredCertificate::load(tx, id).await?;
    if issuer.approval.unwrap_or_default() != new.before {
        return Err(Error::state("What the authority demands was changed by somebody else at the same time."));
    }
    check_roles(tx, &new.after).await
}

/// Changes what an authority demands.
pub(crate) async fn change_demand(
    tx: &mut Tx,
    id: CertificateId,
    new: ProposedIssuerApproval,
) -> Result<IssuerApproval> {
    tables::turns::take(tx, TOPIC).await?;
    check_demand(tx, id, &new).await?;
    let approval = (new.after.num_approvals > 0).then(|| text(&new.after)).transpose()?;
    tables::certificates::demand(tx, id.into(), approval.as_deref()).await?;
    Ok(IssuerApproval { approval: new.after, pending_change: None })
}
