//! More policies for a service.

use chancery_keys::random;
use chancery_store::{Tx, tables};
use chancery_types::{
    Action, Perm, PolicyId, SelfApproval, ServiceId,
    wire::signing_policies::{CreateSigningPolicy, SigningPolicy},
};
use serde_json::json;
use uuid::Uuid;

use super::{
    algorithms::Choice,
    credential::Credential,
    service::{Policy, Service},
    terms::Terms,
};
use crate::{Caller, Chancery, Error, Event, Result, text::check_name};

/// A service, what it signs with, and the policies that it has.
struct Present {
    service: Service,
    credential: Credential,
    policies: Vec<Policy>,
}

impl Chancery {
    /// Adds a policy to a service. It is at least as strict as those that are there.
    pub async fn create_signing_policy(
        &self,
        caller: &Caller,
        service: ServiceId,
        request: CreateSigningPolicy,
    ) -> Result<SigningPolicy> {
        let (action, object) = (Action::SigningPolicyCreate, Some(service.into()));
        let grant = self.grant(caller, Perm::ServicesDeploy, action, object).await?;
        let present = self.store.read(move |tx| Box::pin(Present::load(tx, service))).await?;
        let CreateSigningPolicy { name, num_approvals, hash_algorithm, rsa_pss, self_approval } = request;
        check_name("/name", &name, &self.limits)?;
        let rsa_pss = rsa_pss.unwrap_or(false);
        let choice = Choice { format: present.service.format, hash: hash_algorithm, rsa_pss };
        choice.check(present.credential.spec(), self.hardened)?;
        let self_approval = self_approval.or_else(|| present.strictest_self_approval());
        let terms = Terms::read(choice, num_approvals, self_approval, &self.limits, self.hardened)?;
        let id = PolicyId::from_random(random());
        let event = Event::new(action).on(Uuid::from(service)).detail(json!({
            "policyUuid": id, "name": name, "hashAlgorithm": hash_algorithm, "numApprovals": terms.num_approvals,
        }));
        let (row, hardened) = (terms.row(id, service, name), self.hardened);
        self.commit(&grant, event, move |tx| {
            Box::pin(async move {
                let present = Present::load(tx, service).await?;
                terms.check_beside(&present.policies)?;
                if !tables::signing_policies::insert(tx, &row).await? {
                    return Err(Error::exists("/name", "Another policy of the service has this name."));
                }
                Ok(Policy::from_row(row, &present.service)?.body(hardened))
            })
        })
        .await
    }
}

impl Present {
    async fn load(tx: &mut Tx, id: ServiceId) -> Result<Self> {
        let service = Service::load(tx, id).await?.ok_or_else(|| Error::not_found("signing service"))?;
        let certificate = service.certificate()?;
        let credential = Credential::load(tx, certificate).await?;
        let rows = tables::signing_policies::of_service(tx, id.into()).await?;
        let policies = rows.into_iter().map(|row| Policy::from_row(row, &service)).collect::<Result<_>>()?;
        Ok(Self { service, credential, policies })
    }

    /// `Never` where one of the policies says so.
    fn strictest_self_approval(&self) -> Option<SelfApproval> {
        let never = |policy: &&Policy| policy.self_approval == SelfApproval::Never;
        self.policies.iter().find(never).map(|policy| policy.self_approval)
    }
}
