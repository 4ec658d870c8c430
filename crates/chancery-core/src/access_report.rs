//! `/api/v2/reports/access` behind the door: who can do what now, by the compiled state that calls look at too, who could at
//! a moment before, and what a change would change of that.

mod past;

use std::sync::Arc;

use chancery_types::{
    Action, IdentityId, ObjectId, Perm, PolicyId, RoleId, TokenProfileId,
    wire::{
        ListQuery, ObjInfo,
        reports::{Access, AccessChange, AccessEffect, AccessQuery, AccessReport, AccessRight, HeldRight},
        signing_policies::ChangeSigningPolicy,
        token_profiles::ControlRule,
    },
};
use uuid::Uuid;

use self::past::Past;
use crate::{
    Audit, Caller, Context, Error, Grant, Identities, Result, Signing, Tokens,
    base::list::{self, Page},
    identity::{
        Directory, effect,
        rights::{AccessState, ByRole, by_perms, by_rules, rights},
    },
    tokenization::Profile,
};

/// Who can do what.
pub struct Reports {
    context: Arc<Context>,
    identities: Arc<Identities>,
    audit: Arc<Audit>,
    signing: Arc<Signing>,
    tokens: Arc<Tokens>,
}

impl Reports {
    pub(crate) fn new(
        context: &Arc<Context>,
        identities: &Arc<Identities>,
        audit: &Arc<Audit>,
        signing: &Arc<Signing>,
        tokens: &Arc<Tokens>,
    ) -> Self {
        Self {
            context: Arc::clone(context),
            identities: Arc::clone(identities),
            audit: Arc::clone(audit),
            signing: Arc::clone(signing),
            tokens: Arc::clone(tokens),
        }
    }
}

impl AsRef<Context> for Reports {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

/// Rights of one answer: it ends with the identity that reaches them.
const RIGHTS_MAX: usize = 10_000;

/// Who may ask what some change would do: whoever may make one, and auditors.
const CHANGERS: [Perm; 4] = [Perm::TokenizationManage, Perm::IdentityManage, Perm::ServicesDeploy, Perm::AuditRead];

/// The change that a body names, or since when it asks for all of them.
enum Named {
    Rules(TokenProfileId, Vec<ControlRule>),
    Role(RoleId, Vec<Perm>),
    Identity(IdentityId, Vec<RoleId>),
    Policy(PolicyId, Box<ChangeSigningPolicy>),
    Since(String),
}

impl Reports {
    /// Who can do what now, or could at a moment.
    pub async fn access_report(&self, caller: &Caller, query: AccessQuery) -> Result<AccessReport> {
        let grant = self.context.grant(caller, Perm::AuditRead, Action::AccessRead, None).await?;
        let AccessQuery { page_size, after, search, identity_uuid, object_uuid, right, as_of } = query;
        let page = Page::of(&ListQuery { page: None, page_size, after, search }, &self.context.limits)?;
        let Some(as_of) = as_of else {
            let (directory, profiles) = (self.identities.state.directory.load(), self.tokens.token_profiles.all());
            let profiles = profiles.iter().map(|profile| (info(profile), profile.control_rules.as_slice()));
            return reported(&directory, &by_role(&directory, profiles, object_uuid, right), identity_uuid, &page);
        };
        let (past, _) = self.access_past(caller, &grant, "/asOf", as_of).await?;
        let Past { moment, state: AccessState { directory, profiles }, uncertain, uncertain_left_out } = past;
        let profiles = profiles.iter().map(|(info, rules)| (info.clone(), rules.as_slice()));
        let by_role = by_role(&directory, profiles, object_uuid, right);
        let report = reported(&directory, &by_role, identity_uuid, &page)?;
        Ok(AccessReport { as_of: Some(moment), uncertain, uncertain_left_out, ..report })
    }

    /// What everybody gained and lost since a moment.
    async fn effect_since(&self, caller: &Caller, grant: &Grant, since: String) -> Result<AccessEffect> {
        let (past, now) = self.access_past(caller, grant, "/since", since).await?;
        let Past { moment: _, state, uncertain, uncertain_left_out } = past;
        Ok(AccessEffect { uncertain, uncertain_left_out, ..effect::of_states(&state, &now) })
    }

    /// Who would gain and lose what by a change that is not made. For whoever may make it, and whoever may read the report.
    /// What the change itself would be refused for is refused here. A rule that forbids it to the caller is only asked where
    /// it is the caller who may make it: auditors look at what others do. It is not recorded: nobody has tried the change.
    pub async fn access_effect(&self, caller: &Caller, change: AccessChange) -> Result<AccessEffect> {
        let action = Action::AccessRead;
        self.context.grant_any(caller, &CHANGERS, action, None).await?;
        let change = Named::of(change)?;
        let grant = self.context.grant_any(caller, &[change.perm(), Perm::AuditRead], action, change.object()).await?;
        let granter = (grant.perm() == Some(change.perm())).then_some(caller);
        match change {
            Named::Rules(profile, rules) => self.tokens.rules_effect(&grant, profile, rules).await,
            Named::Role(role, perms) => self.identities.role_effect(&grant, granter, role, perms).await,
            Named::Identity(identity, roles) => self.identities.identity_effect(&grant, granter, identity, roles).await,
            Named::Policy(policy, change) => self.signing.policy_effect(&grant, policy, *change).await,
            Named::Since(since) => self.effect_since(caller, &grant, since).await,
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
            since,
        } = change;
        let policy = policy.map(Box::new);
        let named = [
            pair(("/tokenProfileUuid", token_profile_uuid), ("/controlRules", control_rules), Self::Rules)?,
            pair(("/roleUuid", role_uuid), ("/perms", perms), Self::Role)?,
            pair(("/identityUuid", identity_uuid), ("/roleUuids", role_uuids), Self::Identity)?,
            pair(("/policyUuid", policy_uuid), ("/policy", policy), Self::Policy)?,
            since.map(|since| ("/since", Self::Since(since))),
        ];
        let mut named = named.into_iter().flatten();
        match (named.next(), named.next()) {
            (Some((_, change)), None) => Ok(change),
            (Some(_), Some((member, _))) => Err(Error::value(member, "One change is looked at in a call.")),
            (None, _) => {
                let message = "A change is needed: tokenProfileUuid with controlRules, roleUuid with perms, identityUuid \
                               with roleUuids, policyUuid with policy, or since.";
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
            Self::Since(_) => Perm::AuditRead,
        }
    }

    fn object(&self) -> Option<Uuid> {
        match self {
            Self::Rules(id, _) => Some((*id).into()),
            Self::Role(id, _) => Some((*id).into()),
            Self::Identity(id, _) => Some((*id).into()),
            Self::Policy(id, _) => Some((*id).into()),
            Self::Since(_) => None,
        }
    }
}

fn info(profile: &Profile) -> ObjInfo<TokenProfileId> {
    ObjInfo { name: profile.name.clone(), uuid: profile.id }
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

/// A page of a report.
fn reported(
    directory: &Directory,
    by_role: &ByRole<HeldRight>,
    only: Option<IdentityId>,
    page: &Page,
) -> Result<AccessReport> {
    let listed = directory.identities().filter(|(id, _)| only.is_none_or(|only| only == *id));
    let able = listed.filter(|(_, identity)| rights(directory, identity, by_role).next().is_some());
    let named = able.map(|(id, identity)| (ObjInfo { name: identity.name.clone(), uuid: id }, Arc::clone(identity)));
    let cut = page.cut(named, |(info, _)| info)?;
    let (mut results, mut count, mut next) = (Vec::new(), 0, cut.next);
    let last = cut.results.len().saturating_sub(1);
    for (index, (obj_info, identity)) in cut.results.into_iter().enumerate() {
        let rights: Vec<_> = rights(directory, &identity, by_role).cloned().collect();
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
    let (total, page_size) = (cut.total, cut.page_size);
    Ok(AccessReport { results, total, page_size, next, as_of: None, uncertain: Vec::new(), uncertain_left_out: 0 })
}

fn by_role<'a>(
    directory: &Directory,
    profiles: impl Iterator<Item = (ObjInfo<TokenProfileId>, &'a [ControlRule])>,
    object: Option<ObjectId>,
    only: Option<AccessRight>,
) -> ByRole<HeldRight> {
    let mut all = ByRole::new();
    let is_asked = |held: &HeldRight| only.is_none_or(|only| only == held.right);
    for (id, role) in directory.roles().filter(|_| object.is_none()) {
        all.entry(id).or_default().extend(by_perms(id, role).filter(is_asked));
    }
    let asked = profiles.filter(|(info, _)| object.is_none_or(|object| Uuid::from(object) == Uuid::from(info.uuid)));
    for (info, rules) in asked {
        for held in by_rules(directory, &info, rules).filter(is_asked) {
            all.entry(held.role.uuid).or_default().push(held);
        }
    }
    all.retain(|_, rights| !rights.is_empty());
    all
}

#[cfg(test)]
mod tests;
