//! What an audit record says was done.

#![expect(missing_docs, reason = "the variants say what was done; there is no more to tell")]

wire_enum! {
    /// What was done or tried, as the audit records name it.
    pub enum Action {
        Login,
        Logout,
        TokenMint,
        ApiCall,
        SettingsRead,
        SettingsChange,
        RoleCreate,
        RoleRead,
        RoleChange,
        RoleDelete,
        IdentityCreate,
        IdentityRead,
        IdentityChange,
        IdentityDelete,
        IdentityLock,
        IdentityUnlock,
        PasswordChange,
        TotpEnrol,
        TotpConfirm,
        TotpRemove,
        TotpReset,
        ApiKeyCreate,
        ApiKeyRead,
        ApiKeyChange,
        ApiKeyRotate,
        ApiKeyDelete,
        ApiKeyExpiry,
        IdentityProviderCreate,
        IdentityProviderRead,
        IdentityProviderChange,
        IdentityProviderDelete,
        IdentityBindingCreate,
        IdentityBindingRead,
        IdentityBindingDelete,
        PasskeyEnrol,
        PasskeyConfirm,
        PasskeyRead,
        PasskeyChange,
        PasskeyDelete,
        AuditRead,
        AuditExport,
        AccessRead,
        ServerStart,
        ServerStop,
        ClockJump,
        Backup,
        Provision,
        RowsAuthenticate,
        RowRefuse,
        KeyCreate,
        KeyRead,
        KeyChange,
        KeyRotate,
        KeyDisable,
        KeyEnable,
        TokenProfileCreate,
        TokenProfileRead,
        TokenProfileChange,
        TokenProfileDelete,
        TokenProfilePreview,
        ControlRulesChange,
        Tokenize,
        Detokenize,
        PartialDetokenize,
        BatchTokenize,
        BatchDetokenize,
        TrackTokenize,
        TrackDetokenize,
        Rewrap,
        TokenRead,
        TokenDelete,
        TokenizedRead,
        CertProfileCreate,
        CertProfileChange,
        CertProfileDelete,
        IssuerApprovalChange,
        CertificateGenerate,
        CertificateImport,
        AuthorityImport,
        CertificateRequest,
        CertificateRenew,
        CertificateRekey,
        CertificateRevoke,
        CertificateRelease,
        CertificateExpiry,
        CrlSign,
        ServiceDeploy,
        ServiceRenew,
        ServiceChange,
        SigningPolicyCreate,
        SigningPolicyRead,
        SigningPolicyChange,
        SigningRequestSubmit,
        SigningRequestRead,
        SigningRequestDownload,
        SigningRequestApprove,
        SigningRequestDeny,
        SigningRequestWithdraw,
        SigningRequestFail,
        ProposalSubmit,
        ProposalRead,
        ProposalApprove,
        ProposalDeny,
        ProposalWithdraw,
        ProposalRevoke,
        ProposalFail,
        SigningRequestExpire,
        ProposalExpire,
        NoticeTargetCreate,
        NoticeTargetRead,
        NoticeTargetChange,
        NoticeTargetDelete,
        NoticeTargetTest,
        MailboxSet,
        MailboxRead,
        MailboxConfirm,
        MailboxRemove,
        NoticeGiveUp,
        AuditTargetCreate,
        AuditTargetRead,
        AuditTargetChange,
        AuditTargetDelete,
        AuditTargetTest,
        AuditTargetFail,
        AuditTargetResume,
        JournalSearch,
        JournalMiss,
        JournalFail,
        JournalResume,
        JournalRemove,
        WitnessFail,
        WitnessResume,
        BudgetWarn,
        DetokenizeGrantRead,
        DetokenizeGrantUse,
    }
}

wire_enum! {
    /// Several actions of the audit records, by what they are about.
    pub enum Concern {
        /// What changes who may do what: roles, identities, API keys, Control Rules with their profiles, and API access.
        Access,
    }
}

impl Concern {
    /// The actions.
    #[must_use]
    pub const fn actions(self) -> &'static [Action] {
        match self {
            Self::Access => &[
                Action::Provision,
                Action::RoleCreate,
                Action::RoleChange,
                Action::RoleDelete,
                Action::IdentityCreate,
                Action::IdentityChange,
                Action::IdentityDelete,
                Action::IdentityLock,
                Action::IdentityUnlock,
                Action::TotpConfirm,
                Action::TotpRemove,
                Action::TotpReset,
                Action::ApiKeyCreate,
                Action::ApiKeyChange,
                Action::ApiKeyRotate,
                Action::ApiKeyDelete,
                Action::IdentityProviderCreate,
                Action::IdentityProviderChange,
                Action::IdentityProviderDelete,
                Action::IdentityBindingCreate,
                Action::IdentityBindingDelete,
                Action::PasskeyConfirm,
                Action::PasskeyDelete,
                Action::TokenProfileCreate,
                Action::TokenProfileChange,
                Action::TokenProfileDelete,
                Action::ControlRulesChange,
                Action::SettingsChange,
            ],
        }
    }
}

wire_enum! {
    /// What may take a fresh second factor of everybody in the session: what an installation can be taken over by.
    pub enum FreshFactorFor {
        /// Approving and denying.
        Decisions,
        /// Files that the whole audit leaves by.
        Exports,
        /// What gives somebody more: roles, identities, passwords of others, API keys, providers and bindings, passkeys of others.
        Access,
        /// Keys: made, changed, rotated, disabled, enabled.
        Custody,
        /// What everybody is held to: Control Rules with their profiles, signing policies, certificate profiles, approvals that
        /// issuing takes, services.
        Rules,
    }
}

impl FreshFactorFor {
    /// The actions. What only takes something away, such as locking an identity or deleting a key of it, is never held up.
    #[must_use]
    pub const fn actions(self) -> &'static [Action] {
        match self {
            Self::Decisions => &[
                Action::SigningRequestApprove,
                Action::SigningRequestDeny,
                Action::ProposalApprove,
                Action::ProposalDeny,
            ],
            Self::Exports => &[Action::AuditExport],
            Self::Access => &[
                Action::RoleCreate,
                Action::RoleChange,
                Action::RoleDelete,
                Action::IdentityCreate,
                Action::IdentityChange,
                Action::IdentityDelete,
                Action::IdentityUnlock,
                Action::PasswordChange,
                Action::TotpReset,
                Action::ApiKeyCreate,
                Action::ApiKeyChange,
                Action::ApiKeyRotate,
                Action::IdentityProviderCreate,
                Action::IdentityProviderChange,
                Action::IdentityBindingCreate,
                Action::PasskeyConfirm,
            ],
            Self::Custody => {
                &[Action::KeyCreate, Action::KeyChange, Action::KeyRotate, Action::KeyDisable, Action::KeyEnable]
            }
            Self::Rules => &[
                Action::ControlRulesChange,
                Action::TokenProfileCreate,
                Action::TokenProfileChange,
                Action::TokenProfileDelete,
                Action::SigningPolicyCreate,
                Action::SigningPolicyChange,
                Action::CertProfileCreate,
                Action::CertProfileChange,
                Action::CertProfileDelete,
                Action::IssuerApprovalChange,
                Action::ServiceDeploy,
                Action::ServiceChange,
            ],
        }
    }
}
