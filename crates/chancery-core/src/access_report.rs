//! `/api/v2/reports/access` behind the door: who can do what now, by the compiled state that calls look at too, and what a
//! change would change of that.

use std::sync::Arc;

use chancery_types::{
    Action, IdentityId, ObjectId, Perm, PolicyId, RoleId, TokenProfileId,
    wire::{
        ListQuery, ObjInfo, Results,
        reports::{Access, AccessChange, AccessEffect, AccessQuery, AccessRight, HeldRight},
        signing_policies::ChangeSigningPolicy,
        token_profiles::ControlRule,
    },
};
use uuid::Uuid;

use crate::{
    Caller, Chancery, Error, Result,
    access::{ByRole, by_perms, by_rules, rights},
    identity::Directory,
    list::{self, Page},
    tokenization::Profile,
};

/// Rights of one answer: it ends with the identity that reaches them.
const RIGHTS_MAX: usize = 10_000;

/// Who may ask what some change would do: whoever may make one, and auditors.
const CHANGERS: [Perm; 4] = [Perm::TokenizationManage, Perm::IdentityManage, Perm::ServicesDeploy, Perm::AuditRead];

/// The change that a body names.
enum Named {
    Rules(TokenProfileId, Vec<ControlRule>),
    Role(RoleId, Vec<Perm>),
    Identity(IdentityId, Vec<RoleId>),
    Policy(PolicyId, Box<ChangeSigningPolicy>),
}

impl Chancery {
    /// Who can do what now.
    pub async fn access_report(&self, caller: &Caller, query: AccessQuery) -> Result<Results<Access>> {
        let _grant = self.grant(caller, Perm::AuditRead, Action::AccessRead, None).await?;
        let AccessQuery { page_size, after, search, identity_uuid, object_uuid, right } = query;
        let page = Page::of(&ListQuery { page: None, page_size, after, search }, &self.limits)?;
        let directory = self.identity.directory.load();
        let by_role = by_role(&directory, &self.token_profiles.all(), object_uuid, right);
        let listed = directory.identities().filter(|(id, _)| identity_uuid.is_none_or(|only| only == *id));
        let able = listed.filter(|(_, identity)| rights(&directory, identity, &by_role).next().is_some());
        let named =
            able.map(|(id, identity)| (ObjInfo { name: identity.name.clone(), uuid: id }, Arc::clone(identity)));
        let cut = page.cut(named, |(info, _)| info)?;
        let (mut results, mut count, mut next) = (Vec::new(), 0, cut.next);
        let last = cut.results.len().saturating_sub(1);
        for (index, (obj_info, identity)) in cut.results.into_iter().enumerate() {
            let rights: Vec<_> = rights(&directory, &identity, &by_role).cloned().collect();
            count += rights.len();
            let is_full = count >= RIGHTS_MAX && index < last;
            if is_full {
                next = Some(list::after(&obj_info));
            }
            results.push(Access { obj_info, kind: identity.kind, locked: identity.locked, rights });
            if is_full {
                break;
            }
        }
        Ok(Results { results, next, page: None, ..empty(cut.total, cut.page_size) })
    }

    /// Who would gain and lose what by a change that is not made. For whoever may make it, and whoever may read the report.
    /// What the change itself would be refused for is refused here. A rule that forbids it to the caller is only asked where
    /// it is the caller who may make it: auditors look at what others do. It is not recorded: nobody has tried the change.
    pub async fn access_effect(&self, caller: &Caller, change: AccessChange) -> Result<AccessEffect> {
        let action = Action::AccessRead;
        self.grant_any(caller, &CHANGERS, action, None).await?;
        let change = Named::of(change)?;
        let grant = self.grant_any(caller, &[change.perm(), Perm::AuditRead], action, Some(change.object())).await?;
        let granter = (grant.perm() == Some(change.perm())).then_some(caller);
        match change {
            Named::Rules(profile, rules) => self.rules_effect(&grant, profile, rules).await,
            Named::Role(role, perms) => self.role_effect(&grant, granter, role, perms).await,
            Named::Identity(identity, roles) => self.identity_effect(&grant, granter, identity, roles).await,
            Named::Policy(policy, change) => self.policy_effect(&grant, policy, *change).await,
        }
    }
}

impl Named {
    /// The one change that a body names.
    fn of(change: AccessChange) -> Result<Self> {
        let AccessChange {
            token_profile_uuid,
            control_rules,
            role_uuid,
            perms,
            identity_uuid,
            role_uuids,
            policy_uuid,
            policy,
        } = change;
        let policy = policy.map(Box::new);
        let named = [
            pair(("/tokenProfileUuid", token_profile_uuid), ("/controlRules", control_rules), Self::Rules)?,
            pair(("/roleUuid", role_uuid), ("/perms", perms), Self::Role)?,
            pair(("/identityUuid", identity_uuid), ("/roleUuids", role_uuids), Self::Identity)?,
            pair(("/policyUuid", policy_uuid), ("/policy", policy), Self::Policy)?,
        ];
        let mut named = named.into_iter().flatten();
        match (named.next(), named.next()) {
            (Some((_, change)), None) => Ok(change),
            (Some(_), Some((member, _))) => Err(Error::value(member, "One change is looked at in a call.")),
            (None, _) => {
                let message = "A change is needed: tokenProfileUuid with controlRules, roleUuid with perms, identityUuid \
                               with roleUuids, or policyUuid with policy.";
                Err(Error::malformed("/tokenProfileUuid", message))
            }
        }
    }

    /// The permission that makes it.
    const fn perm(&self) -> Perm {
        match self {
            Self::Rules(..) => Perm::TokenizationManage,
            Self::Role(..) | Self::Identity(..) => Perm::IdentityManage,
            Self::Policy(..) => Perm::ServicesDeploy,
        }
    }

    fn object(&self) -> Uuid {
        match self {
            Self::Rules(id, _) => (*id).into(),
            Self::Role(id, _) => (*id).into(),
            Self::Identity(id, _) => (*id).into(),
            Self::Policy(id, _) => (*id).into(),
        }
    }
}

/// A change of which both members are there, and the first of them; none where neither is.
fn pair<A, B>(
    (of, id): (&'static str, Option<A>),
    (with, change): (&'static str, Option<B>),
    named: fn(A, B) -> Named,
) -> Result<Option<(&'static str, Named)>> {
    let missing = |member: &'static str, other: &str| {
        Error::malformed(member, format!("{} is needed beside {}.", &member[1..], &other[1..]))
    };
    match (id, change) {
        (Some(id), Some(change)) => Ok(Some((of, named(id, change)))),
        (Some(_), None) => Err(missing(with, of)),
        (None, Some(_)) => Err(missing(of, with)),
        (None, None) => Ok(None),
    }
}

const fn empty(total: u64, page_size: u32) -> Results<Access> {
    Results { results: Vec::new(), total, total_is_at_least: false, page: None, page_size, next: None }
}

fn by_role(
    directory: &Directory,
    profiles: &[Arc<Profile>],
    object: Option<ObjectId>,
    only: Option<AccessRight>,
) -> ByRole<HeldRight> {
    let mut all = ByRole::new();
    let is_asked = |held: &HeldRight| only.is_none_or(|only| only == held.right);
    for (id, role) in directory.roles().filter(|_| object.is_none()) {
        all.entry(id).or_default().extend(by_perms(id, role).filter(is_asked));
    }
    let asked =
        profiles.iter().filter(|profile| object.is_none_or(|object| Uuid::from(object) == Uuid::from(profile.id)));
    for profile in asked {
        let info = ObjInfo { name: profile.name.clone(), uuid: profile.id };
        for held in by_rules(directory, &info, &profile.control_rules).filter(is_asked) {
            all.entry(held.role.uuid).or_default().push(held);
        }
    }
    all.retain(|_, rights| !rights.is_empty());
    all
}

#[cfg(test)]
mod tests;
