//! Deploying a time-stamping authority: a service that gives stamps to anybody and has no policies.

use chancery_keys::random;
use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    Action, KeyAlgorithm, LogVisibility, Perm, ServiceId,
    wire::services::{DeployedService, TimeStamping},
};
use serde_json::json;
use uuid::Uuid;

use super::oid::Oid;
use crate::{
    Caller, Error, Event, Result, Signing,
    base::text::check_name,
    context::record::Told,
    pki::{Prepared, cert_profile},
    signing::{
        deploy::{name_taken, wanted, within},
        service::TIME_STAMPING,
    },
};

/// The policy of authorities that state none, described in docs/INTERFACE.md: below the arc that ITU-T X.660 gives to
/// examples, until there is one of our own. One made from a UUID has an arc of 128 bits, which many verifiers cannot read.
const POLICY: &str = "2.999.3161.1";

/// What is told of an authority from before policies had to be readable.
pub(in crate::signing) const UNREADABLE: &str = "The policy that the stamps name has an arc of 2^28 or more, so that many verifiers, Go's among them, cannot read \
     the stamps: change it with PATCH /api/v2/x509/services/{serviceUuid}.";

/// Deployments that look for a default come one after the other.
pub(super) const TOPIC: &str = "default time-stamping authority";

/// An authority that is ready to be stored.
struct NewAuthority {
    service: tables::services::Row,
    policy_oid: String,
    takes_default: bool,
    certificate: Prepared,
}

impl Signing {
    /// Deploys a time-stamping authority.
    pub(in crate::signing) async fn deploy_time_stamping(
        &self,
        caller: &Caller,
        name: String,
        timestamping: Option<Box<TimeStamping>>,
    ) -> Result<DeployedService> {
        let Some(timestamping) = timestamping else {
            let message = "The member timestamping is missing: what the authority stamps with.";
            return Err(Error::malformed("/timestamping", message));
        };
        let action = Action::ServiceDeploy;
        let grant = self.context.grant(caller, Perm::ServicesDeploy, action, None).await?;
        // Others trust its stamps, as they trust what an authority issues.
        let _may_decide_on_trust = self.context.grant(caller, Perm::CertManageManage, action, None).await?;
        self.check_may_make_key(caller).await?;
        check_name("/name", &name, &self.context.limits)?;
        let TimeStamping { new_cert, policy_oid, default } = *timestamping;
        let policy_oid = policy_oid.unwrap_or_else(|| POLICY.to_owned());
        check_policy(&policy_oid)?;
        let id = ServiceId::from_random(random());
        let wanted = wanted(&new_cert, id, cert_profile::TIME_STAMPING_CERTIFICATE).map_err(in_new_cert)?;
        let order = wanted.order(self.context.hardened).map_err(in_new_cert)?;
        if !matches!(order.spec.algorithm(), KeyAlgorithm::Rsa | KeyAlgorithm::Ec) {
            let message = "Verifiers take time stamps of RSA and EC keys only.";
            return Err(Error::selection("/timestamping/newCert/newKey/keyTypeUuid", message));
        }
        self.refuse_taken_name(&grant, &name).await?;
        let certificate = self.pki.prepare_certificate(order).await.map_err(in_new_cert)?;
        let reply = DeployedService {
            service_uuid: id,
            certificate_uuid: Some(certificate.id),
            pending_certificate: None,
            policy_uuid: None,
            warnings: certificate.warnings.clone(),
        };
        let event = Event::new(action).on(Uuid::from(id)).detail(json!({
            "name": name, "template": TIME_STAMPING, "certificateUuid": certificate.id, "policyOid": policy_oid,
        }));
        let (event, told) = event.told();
        let now_ms = self.context.clock.now_ms();
        let service = tables::services::Row {
            id: id.into(),
            name_key: name_key(&name),
            name,
            template: TIME_STAMPING.to_owned(),
            signing_format: String::new(),
            certificate_id: Some(certificate.id.into()),
            created_at_ms: now_ms,
            // Stamps are not signatures of a release: the log has none of them.
            log: LogVisibility::Public.as_str().to_owned(),
        };
        let new = NewAuthority { service, policy_oid, takes_default: default == Some(true), certificate };
        self.context.commit(&grant, event, move |tx| Box::pin(new.insert(tx, told, now_ms))).await?;
        Ok(reply)
    }
}

impl NewAuthority {
    async fn insert(self, tx: &mut Tx, told: Told, now_ms: i64) -> Result<()> {
        let Self { service, policy_oid, takes_default, certificate } = self;
        certificate.issue(tx, true, now_ms).await.map_err(in_new_cert)?;
        if !tables::services::insert(tx, &service).await? {
            return Err(name_taken());
        }
        tables::turns::take(tx, TOPIC).await?;
        let is_default = takes_default || tables::time_stamping_services::default(tx).await?.is_none();
        told.members([("default", json!(is_default))])?;
        if is_default {
            tables::time_stamping_services::clear_default(tx).await?;
        }
        let row = tables::time_stamping_services::Row { service_id: service.id, policy_oid, is_default };
        Ok(tables::time_stamping_services::insert(tx, &row).await?)
    }
}

/// Whether stamps may name this policy.
pub(super) fn check_policy(policy_oid: &str) -> Result<()> {
    let message = match policy_oid.parse::<Oid>() {
        Ok(oid) if oid.is_readable() => return Ok(()),
        Ok(_) => {
            "The arcs of a policy are below 2^28 (below 2 the second one by 80 less): many verifiers read no others."
        }
        Err(_) => "A policy is a dotted object identifier, such as 1.3.6.1.4.1.99999.1.",
    };
    Err(Error::value("/timestamping/policyOid", message))
}

fn in_new_cert(refusal: Error) -> Error {
    within("/timestamping/newCert", refusal)
}
