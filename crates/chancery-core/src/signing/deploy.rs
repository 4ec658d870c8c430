//! Deploying a signing service: certificate, key and policy come into being together, or not at all.

use std::sync::Arc;

use chancery_keys::random;
use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    Action, CertProfileId, ErrorCode, LogVisibility, Perm, PolicyId, ServiceId,
    wire::{
        ObjInfo,
        services::{DeployRequest, DeployedService, PkiSigning, PkiSigningMember, SigningCert},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    algorithms::Choice,
    policy_rules,
    policy_terms::Terms,
    proposals::policy::demands_of,
    service::{PKI_SIGNING, TIME_STAMPING},
};
use crate::{
    Caller, Error, Event, Grant, Result, Signing,
    approval::proposals::StoreFirst,
    base::text::check_name,
    context::record::Entry,
    identity::{Directory, effect},
    pki::{Asked, IssueRequest, Prepared, ServiceCertificate, cert_profile},
};

const NO_AUTHORITY: &str = "There is no time-stamping authority, neither here nor in the settings, so nothing can be \
    signed until there is one.";

/// A service that is ready to be stored.
pub(crate) struct NewService {
    id: ServiceId,
    policy: PolicyId,
    name: String,
    terms: Terms,
    certificate: Option<Prepared>,
    log: LogVisibility,
}

impl Signing {
    /// Deploys a service from a template: one that signs, or a time-stamping authority.
    pub async fn deploy_service(&self, caller: &Caller, request: DeployRequest) -> Result<DeployedService> {
        let DeployRequest { template, name, log, pkisigning, timestamping } = request;
        match template.as_str() {
            PKI_SIGNING => Box::pin(self.deploy_signing(caller, name, log, pkisigning)).await,
            TIME_STAMPING => self.deploy_time_stamping(caller, name, timestamping).await,
            _ => {
                let message = format!("There are two templates: {PKI_SIGNING} and {TIME_STAMPING}.");
                Err(Error::selection("/template", message))
            }
        }
    }

    /// Refuses who has no fresh second factor where keys of services take one: a deployment makes one.
    pub(super) async fn check_may_make_key(&self, caller: &Caller) -> Result<()> {
        let checked = self.context.check_fresh_factor_for(caller, Action::ServiceRenew);
        self.context.or_refused(caller, Event::new(Action::ServiceDeploy), checked).await
    }

    async fn deploy_signing(
        &self,
        caller: &Caller,
        name: String,
        log: Option<LogVisibility>,
        pkisigning: PkiSigningMember,
    ) -> Result<DeployedService> {
        if pkisigning == PkiSigningMember::Absent {
            let message = "The member pkisigning is missing: what the service signs with, and its policy.";
            return Err(Error::malformed("/pkisigning", message));
        }
        let grant = self.context.grant(caller, Perm::ServicesDeploy, Action::ServiceDeploy, None).await?;
        self.check_may_make_key(caller).await?;
        check_name("/name", &name, &self.context.limits)?;
        let id = ServiceId::from_random(random());
        let (terms, asked, warnings) = match pkisigning {
            PkiSigningMember::Given(signing) => {
                let (terms, asked, warnings) = self.signing_parts(&grant, id, *signing, &name).await?;
                (terms, Some(asked), warnings)
            }
            PkiSigningMember::OtherCase(member) => {
                (Terms::without_certificate(self.context.hardened), None, vec![misspelt(&member)])
            }
            PkiSigningMember::Absent => return Err(Error::internal("an absent member was refused above")),
        };
        let (policy, log) = (PolicyId::from_random(random()), log.unwrap_or(LogVisibility::Public));
        let mut service = NewService { id, policy, name, terms, certificate: None, log };
        match asked {
            Some(Asked::Waits(wanted, plan)) => {
                let (reply, request) = (service.reply(warnings), IssueRequest::Service(wanted));
                let first =
                    service.stored_first(self.identities.state.directory.load_full(), self.context.clock.now_ms());
                let waits = self.pki.propose_certificate(caller, &grant, request, &plan, Some(first));
                let proposed = Box::pin(waits).await?;
                Ok(DeployedService { pending_certificate: Some(proposed), ..reply })
            }
            Some(Asked::Made(certificate)) => {
                service.certificate = Some(certificate);
                self.store_service(&grant, service, warnings).await
            }
            None => self.store_service(&grant, service, warnings).await,
        }
    }

    /// What is asked for, checked, with a new key and certificate, or what people are to approve first.
    async fn signing_parts(
        &self,
        grant: &Grant,
        service: ServiceId,
        signing: PkiSigning,
        name: &str,
    ) -> Result<(Terms, Asked, Vec<String>)> {
        let PkiSigning {
            new_cert,
            signing_format,
            num_approvals,
            hash_algorithm,
            rsa_pss,
            time_stamp,
            self_approval,
            rules,
        } = signing;
        let choice = Choice {
            format: signing_format,
            hash: hash_algorithm,
            rsa_pss: rsa_pss.unwrap_or(false),
            time_stamp: time_stamp.unwrap_or(false),
        };
        let rules = rules.unwrap_or_default();
        self.check_signed_approvals(&rules).map_err(|refusal| within("/pkisigning", refusal))?;
        let terms =
            Terms::read(choice, num_approvals, self_approval, rules, &self.context.limits, self.context.hardened);
        let terms = terms.map_err(|refusal| within("/pkisigning", refusal))?;
        let in_new_cert = |refusal| within("/pkisigning/newCert", refusal);
        let wanted = wanted(&new_cert, service, cert_profile::CODE_SIGNING_CERTIFICATE).map_err(in_new_cert)?;
        let order = wanted.order(self.context.hardened).map_err(in_new_cert)?;
        choice.check(order.spec, self.context.hardened).map_err(|refusal| within("/pkisigning", refusal))?;
        self.refuse_taken_name(grant, name).await?;
        let asked = self.pki.ask_for_certificate(wanted, order).await.map_err(in_new_cert)?;
        let mut warnings = choice.warnings();
        if let Asked::Made(prepared) = &asked {
            warnings.extend(prepared.warnings.clone());
        }
        if choice.time_stamp && !self.can_stamp().await? {
            warnings.push(NO_AUTHORITY.to_owned());
        }
        Ok((terms, asked, warnings))
    }

    /// To be asked before the key is made, which may take seconds; the transaction asks again.
    pub(super) async fn refuse_taken_name(&self, grant: &Grant, name: &str) -> Result<()> {
        let key = name_key(name);
        let taken = self
            .context
            .storage
            .read(grant, move |tx| Box::pin(async move { tables::services::name_taken(tx, &key).await }));
        if taken.await? { Err(name_taken()) } else { Ok(()) }
    }

    async fn store_service(
        &self,
        grant: &Grant,
        service: NewService,
        warnings: Vec<String>,
    ) -> Result<DeployedService> {
        let (reply, now_ms) = (service.reply(warnings), self.context.clock.now_ms());
        let event = service.event(&self.identities.state.directory.load())?;
        self.context.commit(grant, event, move |tx| Box::pin(service.insert(tx, now_ms))).await?;
        Ok(reply)
    }
}

impl NewService {
    fn reply(&self, warnings: Vec<String>) -> DeployedService {
        DeployedService {
            service_uuid: self.id,
            certificate_uuid: self.certificate.as_ref().map(|certificate| certificate.id),
            pending_certificate: None,
            policy_uuid: Some(self.policy),
            warnings,
        }
    }

    /// What the audit records say of it.
    fn event(&self, directory: &Directory) -> Result<Event> {
        let policy = ObjInfo { name: self.name.clone(), uuid: Uuid::from(self.policy).into() };
        let demands = demands_of(&self.terms.rules, self.terms.num_approvals);
        let event = Event::new(Action::ServiceDeploy).on(Uuid::from(self.id)).detail(json!({
            "name": self.name,
            "certificateUuid": self.certificate.as_ref().map(|certificate| certificate.id),
            "policyUuid": self.policy,
            "signingFormat": self.terms.choice.format,
            "hashAlgorithm": self.terms.choice.hash,
            "numApprovals": self.terms.num_approvals,
            "log": self.log,
        }));
        event.effect(&effect::of_demands(directory, &policy, None, demands))
    }

    /// Stored, with a record of its own, before the proposal of its certificate.
    fn stored_first(self, directory: Arc<Directory>, now_ms: i64) -> StoreFirst {
        Box::new(move |tx, actor| {
            Box::pin(async move {
                let record = self.event(&directory)?;
                self.insert(tx, now_ms).await?;
                Entry::new(now_ms, actor, record, ErrorCode::Success)?.append(tx).await
            })
        })
    }

    async fn insert(self, tx: &mut Tx, now_ms: i64) -> Result<()> {
        let Self { id, policy, name, terms, certificate, log } = self;
        let certificate_id = certificate.as_ref().map(|certificate| certificate.id);
        if let Some(certificate) = certificate {
            let stored = certificate.issue(tx, true, now_ms).await;
            stored.map_err(|refusal| within("/pkisigning/newCert", refusal))?;
        }
        // A service's first policy has the service's name.
        policy_rules::check_roles(tx, &terms.rules).await.map_err(|refusal| within("/pkisigning", refusal))?;
        let policy = terms.row(policy, id, name.clone())?;
        let row = tables::services::Row {
            id: id.into(),
            name_key: name_key(&name),
            name,
            template: PKI_SIGNING.to_owned(),
            signing_format: terms.choice.format.as_str().to_owned(),
            certificate_id: certificate_id.map(Uuid::from),
            created_at_ms: now_ms,
            log: log.as_str().to_owned(),
        };
        if !tables::services::insert(tx, &row).await? {
            return Err(name_taken());
        }
        tables::signing_policies::insert(tx, &policy).await?;
        Ok(())
    }
}

fn misspelt(member: &str) -> String {
    format!(
        "The member {member} must be written pkisigning, in lower case: this service has no signing certificate and can \
         never sign."
    )
}

/// The certificate that is asked for, under this built-in profile.
pub(super) fn wanted(cert: &SigningCert, service: ServiceId, profile: CertProfileId) -> Result<ServiceCertificate> {
    if cert.new_key.save == Some(false) {
        return Err(Error::value("/newKey/save", "A service cannot sign with a key that is not saved."));
    }
    Ok(ServiceCertificate {
        service_uuid: service,
        instead_of: None,
        cert_profile_uuid: profile,
        issuer_uuid: cert.issuer_uuid,
        subject_oneline: cert.subject_oneline.clone(),
        key_type_uuid: cert.new_key.key_type_uuid,
        validity_period: Some(cert.cert_params.validity_period.clone()),
    })
}

/// A refusal of a part, at the part's place in the body.
pub(super) fn within(parent: &str, refusal: Error) -> Error {
    if refusal.field().is_some() { refusal.under(parent) } else { refusal }
}

pub(super) fn name_taken() -> Error {
    Error::exists("/name", "Another service has this name.")
}
