//! GET /api/v2/reports/access behind the door: who can do what now, by the compiled state that calls look at too.

use std::{collections::HashMap, sync::Arc};

use chancery_types::{
    Action, ObjectId, Operation, Perm, RevealFrom, RoleId,
    wire::{
        ListQuery, ObjInfo, Results,
        audit::AuditRole,
        reports::{Access, AccessQuery, AccessRight, HeldMask, HeldRight},
        token_profiles::ControlRule,
    },
};
use uuid::Uuid;

use crate::{
    Caller, Chancery, Result,
    identity::{Directory, Identity, Role},
    list::{self, Page},
    tokenization::Profile,
};

/// Rights of one answer: it ends with the identity that reaches them.
const RIGHTS_MAX: usize = 10_000;

/// What each role lets its holders do, as far as somebody asked.
type ByRole = HashMap<RoleId, Vec<HeldRight>>;

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
}

const fn empty(total: u64, page_size: u32) -> Results<Access> {
    Results { results: Vec::new(), total, total_is_at_least: false, page: None, page_size, next: None }
}

/// What an identity can do: by those of its roles that somebody of its kind can log in with.
fn rights<'a>(
    directory: &'a Directory,
    identity: &'a Identity,
    by_role: &'a ByRole,
) -> impl Iterator<Item = &'a HeldRight> {
    let counting = identity.roles.iter().filter(|(role, _)| directory.counts(identity.kind, *role));
    counting.filter_map(|(role, _)| by_role.get(role)).flatten()
}

fn by_role(
    directory: &Directory,
    profiles: &[Arc<Profile>],
    object: Option<ObjectId>,
    only: Option<AccessRight>,
) -> ByRole {
    let mut all = ByRole::new();
    let is_asked = |right: AccessRight| only.is_none_or(|only| only == right);
    for (id, role) in directory.roles().filter(|_| object.is_none()) {
        let perms = role.rules.perms.keys().map(|perm| (right_of(*perm), *perm));
        let held = perms
            .filter(|(right, _)| is_asked(*right))
            .map(|(right, perm)| HeldRight { perm: Some(perm), ..held(id, role, right) });
        all.entry(id).or_default().extend(held);
    }
    let asked =
        profiles.iter().filter(|profile| object.is_none_or(|object| Uuid::from(object) == Uuid::from(profile.id)));
    for profile in asked {
        for rule in &profile.control_rules {
            let Some(right) = right_by(rule.operation).filter(|right| is_asked(*right)) else { continue };
            let Some(role) = directory.role(rule.role_uuid) else { continue };
            let token_profile = Some(ObjInfo { name: profile.name.clone(), uuid: profile.id });
            let held = HeldRight { token_profile, mask: mask_of(rule), ..held(rule.role_uuid, role, right) };
            all.entry(rule.role_uuid).or_default().push(held);
        }
    }
    all.retain(|_, rights| !rights.is_empty());
    all
}

fn held(id: RoleId, role: &Role, right: AccessRight) -> HeldRight {
    HeldRight {
        right,
        role: AuditRole { uuid: id, name: role.name.clone() },
        logins_required: role.rules.logins_required,
        perm: None,
        token_profile: None,
        mask: None,
    }
}

const fn right_of(perm: Perm) -> AccessRight {
    match perm {
        Perm::SigningSubmit => AccessRight::Sign,
        Perm::SigningApprove => AccessRight::Approve,
        Perm::TokenizationManage
        | Perm::KeysAdd
        | Perm::CertManageGenerate
        | Perm::CertManageManage
        | Perm::CertManageExport
        | Perm::ServicesDeploy
        | Perm::IdentityManage
        | Perm::AuditRead
        | Perm::SystemManage => AccessRight::Administer,
    }
}

/// None of Batch, which gives nothing by itself.
const fn right_by(operation: Operation) -> Option<AccessRight> {
    match operation {
        Operation::Tokenize => Some(AccessRight::Tokenize),
        Operation::Detokenize | Operation::PartialDetokenize => Some(AccessRight::Detokenize),
        Operation::Batch => None,
    }
}

fn mask_of(rule: &ControlRule) -> Option<HeldMask> {
    (rule.operation == Operation::PartialDetokenize).then(|| HeldMask {
        reveal: rule.reveal,
        reveal_from: rule.reveal.map(|_| rule.reveal_from.unwrap_or(RevealFrom::End)),
        mask: rule.mask,
        mask_char: rule.mask_char.clone().unwrap_or_else(|| "*".to_owned()),
    })
}
