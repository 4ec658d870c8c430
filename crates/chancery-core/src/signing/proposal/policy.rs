//! Policies that are proposed: what a service signs, and after how many approvals, is decided by as many people as any
//! of its signatures takes.

use chancery_store::{Tx, tables};
use chancery_types::{
    ServiceId,
    wire::signing_policies::{PolicyRules, SigningPolicy},
};

use super::{
    content::{Content, NewPolicy},
    propose::{About, NewProposal},
};
use crate::{
    Caller, Chancery, Error, Grant, Limits, Meaning, Result,
    signing::{
        algorithms::Choice,
        policy::{NAME_TAKEN, Present, TOPIC},
        rules,
        terms::Terms,
    },
};

impl Chancery {
    /// Proposes a policy. The answer is the policy as it is, or as it will be where it is new, and what waits.
    pub(in crate::signing) async fn propose_policy(
        &self,
        caller: &Caller,
        grant: &Grant,
        required: u32,
        new: NewPolicy,
    ) -> Result<SigningPolicy> {
        let (limits, hardened) = (self.limits.clone(), self.hardened);
        let (service, checked) = (new.after.service_uuid, new.clone());
        let check = self
            .store
            .read(move |tx| Box::pin(async move { check(tx, service, &checked, &limits, hardened).await.map(|_| ()) }));
        check.await?;
        let shown = new.before.clone().unwrap_or_else(|| new.after.clone());
        let proposal = NewProposal {
            name: new.after.obj_info.name.clone(),
            note: String::new(),
            about: About::policy(service, new.after.obj_info.uuid),
            service: None,
            content: Content::Policy(Box::new(new)),
            required,
            expires_at_ms: None,
        };
        let proposed = self.propose(caller, grant, proposal, self.clock.now_ms()).await?;
        Ok(SigningPolicy { pending_change: Some(proposed), ..shown })
    }
}

/// Whether a policy can be made or changed as proposed; the reason where it cannot any more.
pub(super) async fn applicable(
    tx: &mut Tx,
    service: ServiceId,
    new: &NewPolicy,
    limits: &Limits,
    hardened: bool,
) -> Result<Result<(), String>> {
    lasting(check(tx, service, new, limits, hardened).await.map(drop))
}

/// Tells what can never be done any more, and why, from what cannot be done now.
pub(super) fn lasting<T>(result: Result<T>) -> Result<Result<T, String>> {
    match result {
        Ok(done) => Ok(Ok(done)),
        Err(refusal) => match refusal.meaning() {
            Meaning::Value | Meaning::Selection | Meaning::Exists | Meaning::State | Meaning::NotFound => {
                Ok(Err(refusal.message().to_owned()))
            }
            Meaning::Malformed
            | Meaning::Method
            | Meaning::ContentType
            | Meaning::Unauthenticated
            | Meaning::Forbidden
            | Meaning::ApiAccessDisabled
            | Meaning::TooLarge
            | Meaning::Busy
            | Meaning::Sealed
            | Meaning::Unavailable
            | Meaning::Internal => Err(refusal),
        },
    }
}

/// Makes or changes a policy as proposed. InvalidState where that is not possible any more.
pub(super) async fn apply(
    tx: &mut Tx,
    service: ServiceId,
    new: &NewPolicy,
    limits: &Limits,
    hardened: bool,
) -> Result<()> {
    tables::turns::take(tx, TOPIC).await?;
    let row = check(tx, service, new, limits, hardened).await.map_err(|why| Error::state(why.message().to_owned()))?;
    if new.before.is_some() {
        tables::signing_policies::change(tx, &row).await?;
    } else if !tables::signing_policies::insert(tx, &row).await? {
        return Err(Error::state(NAME_TAKEN));
    }
    Ok(())
}

/// What would be stored.
async fn check(
    tx: &mut Tx,
    service: ServiceId,
    NewPolicy { before, after }: &NewPolicy,
    limits: &Limits,
    hardened: bool,
) -> Result<tables::signing_policies::Row> {
    let present = Present::load(tx, service).await?;
    let SigningPolicy { obj_info, num_approvals, hash_algorithm, rsa_pss, time_stamp, self_approval, rules, .. } =
        after;
    let (rsa_pss, time_stamp) = (*rsa_pss, *time_stamp);
    let choice = Choice { format: present.service.format, hash: *hash_algorithm, rsa_pss, time_stamp };
    let rules: PolicyRules = rules.clone();
    let terms = Terms::read(choice, i64::from(*num_approvals), Some(*self_approval), rules, limits, hardened)?;
    let stricter = match before {
        None => true,
        Some(before) => {
            let old = present.policy(obj_info.uuid)?;
            if old.clone().body(hardened) != *before {
                return Err(Error::state("The policy is no longer what it was when this change was proposed."));
            }
            terms.num_approvals != old.num_approvals || terms.self_approval != old.self_approval(hardened)
        }
    };
    // What stays as it is goes round nothing that it did not go round before.
    if stricter {
        terms.check_beside(&present.policies)?;
    }
    rules::check_roles(tx, &terms.rules).await?;
    let row = terms.row(obj_info.uuid, service, obj_info.name.clone())?;
    if tables::signing_policies::name_taken(tx, &row).await? {
        return Err(Error::exists(if before.is_some() { "/objInfo/name" } else { "/name" }, NAME_TAKEN));
    }
    Ok(row)
}
