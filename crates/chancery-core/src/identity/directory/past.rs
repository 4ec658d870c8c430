//! Roles and identities of another moment, by which nobody logs in: only what rights follow from.

use std::sync::Arc;

use chancery_types::{IdentityId, IdentityKind, Perm, RoleId, SecondFactor};

use super::{Directory, Identity, Role};
use crate::identity::RoleRules;

impl Directory {
    /// A directory of these alone.
    pub(crate) fn of_past(
        roles: impl IntoIterator<Item = (RoleId, Role)>,
        identities: impl IntoIterator<Item = (IdentityId, Identity)>,
    ) -> Self {
        Self {
            roles: roles.into_iter().map(|(id, role)| (id, Arc::new(role))).collect(),
            identities: identities.into_iter().map(|(id, identity)| (id, Arc::new(identity))).collect(),
            ..Self::default()
        }
    }
}

impl Role {
    /// A role that permits this.
    pub(crate) fn of_past(name: String, logins_required: u32, perms: impl IntoIterator<Item = Perm>) -> Self {
        let perms = perms.into_iter().map(|perm| (perm, 0)).collect();
        Self { name, rules: RoleRules { logins_required, perms, management: false, second_factor: SecondFactor::None } }
    }
}

impl Identity {
    /// An identity that holds these roles.
    pub(crate) fn of_past(name: String, kind: IdentityKind, roles: impl IntoIterator<Item = RoleId>) -> Self {
        Self {
            name,
            kind,
            locked: false,
            trusted_since: 0,
            totp_confirmed_at: None,
            passkeys: Vec::new(),
            roles: roles.into_iter().map(|role| (role, 0)).collect(),
            recovered: None,
            bounds: None,
        }
    }
}
