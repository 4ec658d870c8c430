//! What each role lets its holders do: by its permissions, and by the Control Rules of token profiles. Reports of access, and the
//! effect of a change, are made of it.

use std::{collections::HashMap, sync::Arc};

use chancery_types::{
    Operation, Perm, RevealFrom, RoleId, TokenProfileId,
    wire::{
        ObjInfo,
        audit::AuditRole,
        reports::{AccessRight, HeldMask, HeldRight},
        token_profiles::ControlRule,
    },
};

use crate::identity::{Directory, Identity, Role};

/// What each role lets its holders do, as far as somebody asked.
pub(crate) type ByRole<T> = HashMap<RoleId, Vec<T>>;

/// What rights follow from, as it is at some moment.
pub(crate) struct AccessState {
    pub(crate) directory: Arc<Directory>,
    /// Each with its Control Rules, by name.
    pub(crate) profiles: Vec<(ObjInfo<TokenProfileId>, Vec<ControlRule>)>,
}

/// Those roles of an identity that somebody of its kind can log in with.
pub(super) fn counting(directory: &Directory, identity: &Identity) -> impl Iterator<Item = RoleId> {
    identity.roles.iter().map(|(role, _)| *role).filter(|role| directory.counts(identity.kind, *role))
}

/// What an identity can do.
pub(crate) fn rights<'a, T>(
    directory: &'a Directory,
    identity: &'a Identity,
    by_role: &'a ByRole<T>,
) -> impl Iterator<Item = &'a T> {
    counting(directory, identity).filter_map(|role| by_role.get(&role)).flatten()
}

/// What a role permits.
pub(crate) fn by_perms(id: RoleId, role: &Role) -> impl Iterator<Item = HeldRight> {
    role.rules.perms.keys().map(move |perm| HeldRight { perm: Some(*perm), ..held(id, role, right_of(*perm)) })
}

/// What rules give to their roles, as far as those are there.
pub(crate) fn by_rules<'a>(
    directory: &'a Directory,
    profile: &'a ObjInfo<TokenProfileId>,
    rules: impl IntoIterator<Item = &'a ControlRule>,
) -> impl Iterator<Item = HeldRight> {
    rules.into_iter().filter_map(|rule| {
        let (right, role) = (right_by(rule.operation)?, directory.role(rule.role_uuid)?);
        let token_profile = Some(profile.clone());
        let num_approvals = rule.approval.as_ref().and_then(|rules| u32::try_from(rules.num_approvals).ok());
        Some(HeldRight { token_profile, mask: mask_of(rule), num_approvals, ..held(rule.role_uuid, role, right) })
    })
}

fn held(id: RoleId, role: &Role, right: AccessRight) -> HeldRight {
    HeldRight {
        right,
        role: AuditRole { uuid: id, name: role.name.clone() },
        logins_required: role.rules.logins_required,
        perm: None,
        token_profile: None,
        mask: None,
        num_approvals: None,
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
