//! Permissions: what a role lets its holders do, besides the Control Rules of token profiles.

wire_enum! {
    /// One permission, spelled `Group:Sub` in `perms`.
    pub enum Perm {
        /// Token profiles in full: read, create, change, delete, preview.
        TokenizationManage = "Tokenization:Manage",
        /// Data keys: create, read, change usages, rotate, disable.
        KeysAdd = "Keys:Add",
        /// Generate and revoke certificates.
        CertManageGenerate = "CertManage:Generate",
        /// Certificate profiles: create, change, delete; certificates from elsewhere: import.
        CertManageManage = "CertManage:Manage",
        /// Bring certificate authorities in with their private keys.
        CertManageExport = "CertManage:Export",
        /// Deploy services and change their policies.
        ServicesDeploy = "Services:Deploy",
        /// Submit signing requests and read them.
        SigningSubmit = "Signing:Submit",
        /// Approve and deny signing requests, proposals and certificates that wait, and read them.
        SigningApprove = "Signing:Approve",
        /// Create, change and lock identities and roles.
        IdentityManage = "Identity:Manage",
        /// Read the audit records.
        AuditRead = "Audit:Read",
        /// Change the settings of the installation.
        SystemManage = "System:Manage",
    }
}

impl Perm {
    /// Whether only roles with two logins may hold it: what changes who may do what, or what is signed by which key.
    #[must_use]
    pub const fn needs_dual_login(self) -> bool {
        match self {
            Self::TokenizationManage
            | Self::CertManageManage
            | Self::CertManageExport
            | Self::IdentityManage
            | Self::SystemManage
            | Self::ServicesDeploy => true,
            Self::KeysAdd | Self::CertManageGenerate | Self::SigningSubmit | Self::SigningApprove | Self::AuditRead => {
                false
            }
        }
    }
}
