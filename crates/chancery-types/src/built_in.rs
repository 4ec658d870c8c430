//! Ids of built-in objects, the same on every installation.

use crate::RoleId;

/// `ro` in the fourth group, then a number.
const fn role(number: u128) -> RoleId {
    RoleId::from_u128((0x726f << 48) | number)
}

impl RoleId {
    /// Two logins; every permission.
    pub const ADMINISTRATOR: Self = role(1);
    /// Two logins; identities, settings, audit records.
    pub const SECURITY_OFFICER: Self = role(2);
    /// One login; approves and denies signing requests.
    pub const APPROVER: Self = role(3);
    /// One login; no permission, works by Control Rules.
    pub const APPLICATION: Self = role(4);
    /// One login; reads the audit records.
    pub const AUDITOR: Self = role(5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_structured_and_never_change() {
        assert_eq!(RoleId::ADMINISTRATOR.to_string(), "00000000-0000-0000-726f-000000000001");
        assert_eq!(RoleId::AUDITOR.to_string(), "00000000-0000-0000-726f-000000000005");
    }
}
