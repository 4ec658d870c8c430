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
        IdentityRecover,
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
        LedgerFail,
        LedgerResume,
        AuditArchive,
        AuditArchiveRemove,
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
                Action::IdentityRecover,
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
        /// What becomes of the whole audit: exports, where records are shipped to, and for how long they are kept.
        Exports,
        /// What gives somebody more: roles, identities, passwords and API keys also of one's own, providers and bindings, passkeys
        /// of others; and certificates that log in.
        Access,
        /// Keys in custody: made, taken in, changed, rotated, disabled, enabled; those of authorities and services, too. Also
        /// certificates of authorities, responders and stamps, for whatever key, and holds that are released.
        Custody,
        /// What everybody is held to: Control Rules with their profiles, signing policies, certificate profiles, approvals that
        /// issuing takes, authorities that are imported, services.
        Rules,
    }
}

impl Action {
    /// Which of them an action is, said of each: a new one does not compile before somebody has thought of it. What only reads
    /// or takes something away, such as locking an identity or deleting a key of it, is never held up; nor is daily work that
    /// programs do, such as issuing under a profile, which approvals are for. Where it depends on what is in a request, whoever
    /// reads that asks besides: settings, services that come with a key, and certificates that are more than daily work.
    #[must_use]
    #[rustfmt::skip]
    pub const fn fresh_factor_for(self) -> Option<FreshFactorFor> {
        match self {
            Self::SigningRequestApprove | Self::SigningRequestDeny | Self::ProposalApprove | Self::ProposalDeny =>
                Some(FreshFactorFor::Decisions),
            Self::AuditExport | Self::AuditTargetCreate | Self::AuditTargetChange => Some(FreshFactorFor::Exports),
            Self::RoleCreate | Self::RoleChange | Self::RoleDelete
            | Self::IdentityCreate | Self::IdentityChange | Self::IdentityDelete | Self::IdentityUnlock
            | Self::PasswordChange | Self::TotpReset
            | Self::ApiKeyCreate | Self::ApiKeyChange | Self::ApiKeyRotate
            | Self::IdentityProviderCreate | Self::IdentityProviderChange | Self::IdentityBindingCreate
            | Self::PasskeyConfirm => Some(FreshFactorFor::Access),
            Self::KeyCreate | Self::KeyChange | Self::KeyRotate | Self::KeyDisable | Self::KeyEnable
            | Self::CertificateGenerate | Self::CertificateRekey | Self::CertificateRelease | Self::AuthorityImport
            | Self::ServiceRenew => Some(FreshFactorFor::Custody),
            Self::TokenProfileCreate | Self::TokenProfileChange | Self::TokenProfileDelete | Self::ControlRulesChange
            | Self::CertProfileCreate | Self::CertProfileChange | Self::CertProfileDelete | Self::IssuerApprovalChange
            | Self::CertificateImport
            | Self::SigningPolicyCreate | Self::SigningPolicyChange
            | Self::ServiceDeploy | Self::ServiceChange => Some(FreshFactorFor::Rules),
            // Logins, and what proves everything by itself.
            Self::Login | Self::Logout | Self::TokenMint | Self::TotpEnrol | Self::TotpConfirm | Self::TotpRemove
            // Changing this setting takes one whatever it says.
            | Self::SettingsChange
            // A passkey that is made is confirmed by somebody else.
            | Self::PasskeyEnrol
            // What is only read, or named anew.
            | Self::ApiCall | Self::SettingsRead | Self::RoleRead | Self::IdentityRead | Self::ApiKeyRead
            | Self::IdentityProviderRead | Self::IdentityBindingRead | Self::PasskeyRead | Self::PasskeyChange
            | Self::AuditRead | Self::AccessRead | Self::KeyRead | Self::TokenProfileRead | Self::TokenProfilePreview
            | Self::TokenRead | Self::TokenizedRead | Self::SigningPolicyRead | Self::SigningRequestRead
            | Self::SigningRequestDownload | Self::ProposalRead | Self::NoticeTargetRead | Self::MailboxRead
            | Self::AuditTargetRead | Self::DetokenizeGrantRead | Self::JournalSearch
            // What takes away.
            | Self::IdentityLock | Self::ApiKeyDelete | Self::IdentityProviderDelete | Self::IdentityBindingDelete
            | Self::PasskeyDelete | Self::CertificateRevoke | Self::TokenDelete | Self::SigningRequestWithdraw
            | Self::ProposalWithdraw | Self::ProposalRevoke | Self::MailboxRemove | Self::NoticeTargetDelete
            | Self::AuditTargetDelete
            // Daily work: what a rule, a profile or a policy allows.
            | Self::Tokenize | Self::Detokenize | Self::PartialDetokenize | Self::BatchTokenize | Self::BatchDetokenize
            | Self::TrackTokenize | Self::TrackDetokenize | Self::Rewrap | Self::DetokenizeGrantUse
            | Self::CertificateRequest | Self::CertificateRenew
            | Self::SigningRequestSubmit | Self::ProposalSubmit
            // Notices hold nothing that is secret.
            | Self::NoticeTargetCreate | Self::NoticeTargetChange | Self::NoticeTargetTest | Self::MailboxSet
            | Self::MailboxConfirm | Self::AuditTargetTest
            // The host's, and what happens by itself.
            | Self::ApiKeyExpiry | Self::ServerStart | Self::ServerStop | Self::ClockJump | Self::Backup | Self::Provision
            | Self::RowsAuthenticate | Self::RowRefuse | Self::CertificateExpiry | Self::CrlSign
            | Self::SigningRequestFail | Self::ProposalFail | Self::SigningRequestExpire | Self::ProposalExpire
            | Self::NoticeGiveUp | Self::AuditTargetFail | Self::AuditTargetResume | Self::JournalMiss | Self::JournalFail
            | Self::JournalResume | Self::LedgerFail | Self::LedgerResume | Self::AuditArchive | Self::AuditArchiveRemove
            | Self::JournalRemove | Self::BudgetWarn | Self::IdentityRecover | Self::WitnessFail | Self::WitnessResume => None,
        }
    }
}
