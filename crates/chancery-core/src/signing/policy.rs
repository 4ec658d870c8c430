//! More policies for a service, and changes of those that it has.

use chancery_keys::random;
use chancery_store::{Tx, tables};
use chancery_types::{
    Action, Perm, PolicyId, SelfApproval, ServiceId,
    wire::{
        reports::AccessEffect,
        signing_policies::{ChangeSigningPolicy, CreateSigningPolicy, PolicyRules, SigningPolicy},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    algorithms::Choice,
    credential::Credential,
    policy_rules,
    policy_terms::Terms,
    proposals::policy::{NewPolicy, check, effect_of},
    service::{Policy, Service},
};
use crate::{
    Caller, Error, Event, Grant, Limits, Result, Signing,
    base::text::{check_name, check_renamed},
    context::changes::{Change, ChangeKind},
    identity::effect::named,
};

/// Works that compare a service's policies do so one after the other.
pub(super) const TOPIC: &str = "signing policies";

pub(super) const NAME_TAKEN: &str = "Another policy of the service has this name.";

/// A service, what it signs with, and the policies that it has.
pub(super) struct Present {
    pub(super) service: Service,
    credential: Credential,
    pub(super) policies: Vec<Policy>,
}

impl Signing {
    /// Adds a policy to a service. It is at least as strict as those that are there. Where one of them demands
    /// approvals, so does the new one itself: as many as the highest count.
    pub async fn create_signing_policy(
        &self,
        caller: &Caller,
        service: ServiceId,
        request: CreateSigningPolicy,
    ) -> Result<SigningPolicy> {
        let (action, object) = (Action::SigningPolicyCreate, Some(service.into()));
        let grant = self.context.grant(caller, Perm::ServicesDeploy, action, object).await?;
        let present = self.context.storage.read(&grant, move |tx| Box::pin(Present::load(tx, service))).await?;
        let CreateSigningPolicy { name, num_approvals, hash_algorithm, rsa_pss, time_stamp, self_approval, rules } =
            request;
        check_name("/name", &name, &self.context.limits)?;
        let (rsa_pss, time_stamp) = (rsa_pss.unwrap_or(false), time_stamp.unwrap_or(false));
        let choice = Choice { format: present.service.format, hash: hash_algorithm, rsa_pss, time_stamp };
        choice.check(present.credential.spec(), self.context.hardened)?;
        let self_approval = self_approval.or_else(|| present.strictest_self_approval());
        let rules = rules.unwrap_or_default();
        self.check_signed_approvals(&rules)?;
        let terms =
            Terms::read(choice, num_approvals, self_approval, rules, &self.context.limits, self.context.hardened)?;
        let id = PolicyId::from_random(random());
        let (row, hardened) = (terms.row(id, service, name.clone())?, self.context.hardened);
        let after = Policy::from_row(row.clone(), &present.service)?.body(hardened);
        if present.highest() > 0 {
            return Box::pin(self.propose_policy(caller, &grant, present.highest(), NewPolicy { before: None, after }))
                .await;
        }
        let event = Event::new(action).on(Uuid::from(service)).detail(json!({
            "policyUuid": id, "name": name, "hashAlgorithm": hash_algorithm, "numApprovals": terms.num_approvals,
            "timeStamp": time_stamp, "rules": terms.rules,
        }));
        let event = event.effect(&effect_of(&self.identities.state.directory.load(), None, &after))?;
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    tables::turns::take(tx, TOPIC).await?;
                    let present = Present::load(tx, service).await?;
                    present.check_free()?;
                    terms.check_beside(&present.policies)?;
                    policy_rules::check_roles(tx, &terms.rules).await?;
                    if !tables::signing_policies::insert(tx, &row).await? {
                        return Err(Error::exists("/name", NAME_TAKEN));
                    }
                    Ok(Policy::from_row(row, &present.service)?.body(hardened))
                })
            })
            .await
    }

    /// Changes a policy. Where it gets another count or another `selfApproval`, it is then as strict as the strictest
    /// policy of the service, itself included. Where the service has a policy that demands approvals, so does the
    /// change: as many as the highest count.
    pub async fn change_signing_policy(
        &self,
        caller: &Caller,
        policy: PolicyId,
        change: ChangeSigningPolicy,
    ) -> Result<SigningPolicy> {
        let action = Action::SigningPolicyChange;
        let grant = self.context.grant(caller, Perm::ServicesDeploy, action, Some(policy.into())).await?;
        change.rules.as_ref().map_or(Ok(()), |rules| self.check_signed_approvals(rules))?;
        let (event, told) = Event::new(action).on(Uuid::from(policy)).told();
        let (limits, hardened) = (self.context.limits.clone(), self.context.hardened);
        let present = self.context.storage.read(&grant, move |tx| Box::pin(Present::of_policy(tx, policy))).await?;
        if present.highest() > 0 {
            let new = present.next(policy, change, &limits, hardened)?;
            if new.before.as_ref() == Some(&new.after) {
                return Ok(new.after);
            }
            return Box::pin(self.propose_policy(caller, &grant, present.highest(), new)).await;
        }
        let event = event.changes(Change::of(ChangeKind::SigningService, present.service.id));
        let directory = self.identities.state.directory.load_full();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    tables::turns::take(tx, TOPIC).await?;
                    let present = Present::of_policy(tx, policy).await?;
                    present.check_free()?;
                    let old = present.policy(policy)?;
                    let (name, terms) = changed(old, change, &limits, hardened)?;
                    // What stays as it is goes round nothing that it did not go round before.
                    if terms.differ_in_strictness(old, hardened) {
                        terms.check_beside(&present.policies)?;
                    }
                    policy_rules::check_roles(tx, &terms.rules).await?;
                    let row = terms.row(policy, old.service, name)?;
                    if tables::signing_policies::name_taken(tx, &row).await? {
                        return Err(Error::exists("/objInfo/name", NAME_TAKEN));
                    }
                    tables::signing_policies::change(tx, &row).await?;
                    let after = Policy::from_row(row, &present.service)?.body(hardened);
                    let before = old.clone().body(hardened);
                    let effect = effect_of(&directory, Some(&before), &after);
                    told.changed_for(&before, &after, &limits, &effect)?;
                    Ok(after)
                })
            })
            .await
    }

    /// Refuses a demand that nobody could meet, and that could not be taken back.
    pub(super) fn check_signed_approvals(&self, rules: &PolicyRules) -> Result<()> {
        if !rules.signed_approvals {
            return Ok(());
        }
        self.identities.relying_party().map(drop).map_err(|why| why.at("/rules/signedApprovals"))
    }

    /// Who would gain and lose what if a policy were changed so. Refused as the change is.
    pub(crate) async fn policy_effect(
        &self,
        grant: &Grant,
        policy: PolicyId,
        change: ChangeSigningPolicy,
    ) -> Result<AccessEffect> {
        let (limits, hardened) = (self.context.limits.clone(), self.context.hardened);
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move {
                let present = Present::of_policy(tx, policy).await.map_err(|refusal| named(refusal, "/policyUuid"))?;
                let inside =
                    |refusal: Error| if refusal.field().is_some() { refusal.under("/policy") } else { refusal };
                let new = present.next(policy, change, &limits, hardened).map_err(inside)?;
                check(tx, &new, &limits, hardened).await.map_err(inside)?;
                Ok::<_, Error>(new)
            })
        });
        let NewPolicy { before, after } = read.await?;
        Ok(effect_of(&self.identities.state.directory.load(), before.as_ref(), &after))
    }
}

/// What a policy is after a change.
fn changed(old: &Policy, change: ChangeSigningPolicy, limits: &Limits, hardened: bool) -> Result<(String, Terms)> {
    let ChangeSigningPolicy {
        obj_info,
        num_approvals,
        self_approval,
        time_stamp,
        rules,
        hash_algorithm,
        rsa_pss,
        signing_format,
    } = change;
    let fixed = |field: &str, same: bool| {
        let message =
            "This of a policy cannot change, so that what was submitted keeps its meaning; make another policy.";
        if same { Ok(()) } else { Err(Error::value(field, message)) }
    };
    fixed("/hashAlgorithm", hash_algorithm.is_none_or(|hash| hash == old.choice.hash))?;
    fixed("/rsaPss", rsa_pss.is_none_or(|pss| pss == old.choice.rsa_pss))?;
    fixed("/signingFormat", signing_format.is_none_or(|format| format == old.choice.format))?;
    let name = obj_info.and_then(|info| info.name).unwrap_or_else(|| old.name.clone());
    check_renamed("/objInfo/name", &name, &old.name, limits)?;
    let num_approvals = num_approvals.unwrap_or_else(|| i64::from(old.num_approvals));
    let self_approval = self_approval.unwrap_or_else(|| old.self_approval(hardened));
    let rules = rules.unwrap_or_else(|| old.rules.clone());
    let choice = Choice { time_stamp: time_stamp.unwrap_or(old.choice.time_stamp), ..old.choice };
    Ok((name, Terms::read(choice, num_approvals, Some(self_approval), rules, limits, hardened)?))
}

impl Present {
    /// What a policy belongs to.
    async fn of_policy(tx: &mut Tx, policy: PolicyId) -> Result<Self> {
        let row = tables::signing_policies::by_id(tx, policy.into()).await?;
        Self::load(tx, row.ok_or_else(|| Error::not_found("signing policy"))?.service_id.into()).await
    }

    pub(super) async fn load(tx: &mut Tx, id: ServiceId) -> Result<Self> {
        let service = Service::load(tx, id).await?.ok_or_else(|| Error::not_found("signing service"))?;
        let certificate = service.certificate()?;
        let credential = Credential::load(tx, certificate).await?;
        let rows = tables::signing_policies::of_service(tx, id.into()).await?;
        let policies = rows.into_iter().map(|row| Policy::from_row(row, &service)).collect::<Result<_>>()?;
        Ok(Self { service, credential, policies })
    }

    /// One of its policies.
    pub(super) fn policy(&self, id: PolicyId) -> Result<&Policy> {
        self.policies.iter().find(|one| one.id == id).ok_or_else(|| Error::not_found("signing policy"))
    }

    /// One of its policies, and what it is after a change.
    fn next(
        &self,
        policy: PolicyId,
        change: ChangeSigningPolicy,
        limits: &Limits,
        hardened: bool,
    ) -> Result<NewPolicy> {
        let old = self.policy(policy)?;
        let (name, terms) = changed(old, change, limits, hardened)?;
        let after = Policy::from_row(terms.row(policy, old.service, name)?, &self.service)?.body(hardened);
        Ok(NewPolicy { before: Some(old.clone().body(hardened)), after })
    }

    /// The most approvals that one of its policies demands: so many it takes to make or change one.
    fn highest(&self) -> u32 {
        self.policies.iter().map(|policy| policy.num_approvals).max().unwrap_or(0)
    }

    /// InvalidState where a policy has come to demand approvals since it was found that none does.
    fn check_free(&self) -> Result<()> {
        if self.highest() == 0 {
            Ok(())
        } else {
            Err(Error::state("The service's policies changed meanwhile; try again."))
        }
    }

    /// `Never` where one of the policies says so.
    fn strictest_self_approval(&self) -> Option<SelfApproval> {
        let never = |policy: &&Policy| policy.self_approval == SelfApproval::Never;
        self.policies.iter().find(never).map(|policy| policy.self_approval)
    }
}
