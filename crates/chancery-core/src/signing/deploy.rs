//! Deploying a signing service: certificate, key and policy come into being together, or not at all.

use chancery_keys::random;
use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    Action, CertProfileId, LogVisibility, Perm, PolicyId, ServiceId,
    wire::{
        services::{DeployRequest, DeployedService, PkiSigning, PkiSigningMember, SigningCert},
        x509::{CertParams, NewKey},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    algorithms::Choice,
    rules,
    service::{PKI_SIGNING, TIME_STAMPING},
    terms::Terms,
};
use crate::{
    Caller, Chancery, Error, Event, Grant, Result,
    pki::{Order, Prepared, Wanted, cert_profile},
    text::check_name,
};

const NO_AUTHORITY: &str = "There is no time-stamping authority, neither here nor in the settings, so nothing can be \
    signed until there is one.";

/// A service that is ready to be stored.
struct NewService {
    id: ServiceId,
    policy: PolicyId,
    name: String,
    terms: Terms,
    certificate: Option<Prepared>,
    log: LogVisibility,
}

impl Chancery {
    /// Deploys a service from a template: one that signs, or a time-stamping authority.
    pub async fn deploy_service(&self, caller: &Caller, request: DeployRequest) -> Result<DeployedService> {
        let DeployRequest { template, name, log, pkisigning, timestamping } = request;
        match template.as_str() {
            PKI_SIGNING => self.deploy_signing(caller, name, log, pkisigning).await,
            TIME_STAMPING => self.deploy_time_stamping(caller, name, timestamping).await,
            _ => {
                let message = format!("There are two templates: {PKI_SIGNING} and {TIME_STAMPING}.");
                Err(Error::selection("/template", message))
            }
        }
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
        let grant = self.grant(caller, Perm::ServicesDeploy, Action::ServiceDeploy, None).await?;
        check_name("/name", &name, &self.limits)?;
        let (terms, certificate, warnings) = match pkisigning {
            PkiSigningMember::Given(signing) => self.signing_parts(*signing, &name).await?,
            PkiSigningMember::OtherCase(member) => {
                (Terms::without_certificate(self.hardened), None, vec![misspelt(&member)])
            }
            PkiSigningMember::Absent => return Err(Error::internal("an absent member was refused above")),
        };
        let service = NewService {
            id: ServiceId::from_random(random()),
            policy: PolicyId::from_random(random()),
            name,
            terms,
            certificate,
            log: log.unwrap_or(LogVisibility::Public),
        };
        let reply = service.reply(warnings);
        self.store_service(&grant, service).await?;
        Ok(reply)
    }

    /// What is asked for, checked, with a new key and certificate.
    async fn signing_parts(&self, signing: PkiSigning, name: &str) -> Result<(Terms, Option<Prepared>, Vec<String>)> {
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
        let terms =
            Terms::read(choice, num_approvals, self_approval, rules.unwrap_or_default(), &self.limits, self.hardened);
        let terms = terms.map_err(|refusal| within("/pkisigning", refusal))?;
        let order = order(&new_cert, cert_profile::CODE_SIGNING_CERTIFICATE, self.hardened)
            .map_err(|refusal| within("/pkisigning/newCert", refusal))?;
        choice.check(order.key_type.spec, self.hardened).map_err(|refusal| within("/pkisigning", refusal))?;
        self.refuse_taken_name(name).await?;
        let prepared = self.prepare_certificate(order).await;
        let prepared = prepared.map_err(|refusal| within("/pkisigning/newCert", refusal))?;
        let mut warnings = [choice.warnings(), prepared.warnings.clone()].concat();
        if choice.time_stamp && !self.can_stamp().await? {
            warnings.push(NO_AUTHORITY.to_owned());
        }
        Ok((terms, Some(prepared), warnings))
    }

    /// To be asked before the key is made, which may take seconds; the transaction asks again.
    pub(super) async fn refuse_taken_name(&self, name: &str) -> Result<()> {
        let key = name_key(name);
        let taken = self.store.read(move |tx| Box::pin(async move { tables::services::name_taken(tx, &key).await }));
        if taken.await? { Err(name_taken()) } else { Ok(()) }
    }

    async fn store_service(&self, grant: &Grant, service: NewService) -> Result<()> {
        let now_ms = self.clock.now_ms();
        let event = Event::new(Action::ServiceDeploy).on(Uuid::from(service.id)).detail(json!({
            "name": service.name,
            "certificateUuid": service.certificate.as_ref().map(|certificate| certificate.id),
            "policyUuid": service.policy,
            "signingFormat": service.terms.choice.format,
            "hashAlgorithm": service.terms.choice.hash,
            "numApprovals": service.terms.num_approvals,
            "log": service.log,
        }));
        self.commit(grant, event, move |tx| Box::pin(service.insert(tx, now_ms))).await
    }
}

impl NewService {
    fn reply(&self, warnings: Vec<String>) -> DeployedService {
        DeployedService {
            service_uuid: self.id,
            certificate_uuid: self.certificate.as_ref().map(|certificate| certificate.id),
            policy_uuid: Some(self.policy),
            warnings,
        }
    }

    async fn insert(self, tx: &mut Tx, now_ms: i64) -> Result<()> {
        let Self { id, policy, name, terms, certificate, log } = self;
        let certificate_id = certificate.as_ref().map(|certificate| certificate.id);
        if let Some(certificate) = certificate {
            let stored = certificate.issue(tx, true, now_ms).await;
            stored.map_err(|refusal| within("/pkisigning/newCert", refusal))?;
        }
        // A service's first policy has the service's name.
        rules::check_roles(tx, &terms.rules).await.map_err(|refusal| within("/pkisigning", refusal))?;
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
pub(super) fn order(new_cert: &SigningCert, profile: CertProfileId, hardened: bool) -> Result<Order> {
    let SigningCert { issuer_uuid, subject_oneline, new_key, cert_params } = new_cert;
    if new_key.save == Some(false) {
        return Err(Error::value("/newKey/save", "A service cannot sign with a key that is not saved."));
    }
    let profile = cert_profile::built_in(profile);
    let wanted = Wanted {
        profile: profile.ok_or_else(|| Error::internal("a service's built-in profile is not there"))?,
        issuer: Some(*issuer_uuid),
        subject: Some(subject_oneline),
        new_key: &NewKey { key_type_uuid: Some(new_key.key_type_uuid), save: Some(true) },
        key_params: None,
        cert_params: &CertParams {
            validity_period: Some(cert_params.validity_period.clone()),
            ..CertParams::default()
        },
        trust: false,
    };
    Order::read(wanted, hardened)
}

/// A refusal of a part, at the part's place in the body.
pub(super) fn within(parent: &str, refusal: Error) -> Error {
    if refusal.field().is_some() { refusal.under(parent) } else { refusal }
}

pub(super) fn name_taken() -> Error {
    Error::exists("/name", "Another service has this name.")
}
