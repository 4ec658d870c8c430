//! Enumerations of the API about deliveries of notices and audit records to targets elsewhere.

#![expect(missing_docs, reason = "the variants are the interface's own words; each enumeration says what it is for")]

wire_enum! {
    /// What a notice tells of.
    pub enum NoticeKind {
        /// A signing request or a proposal waits for approvals.
        Waiting,
        /// It was approved, and waits for more approvals.
        Approved,
        /// A signing request has every approval and was signed.
        Signed,
        /// A proposal has every approval and took effect.
        Applied,
        /// It was denied.
        Denied,
        /// Whoever submitted it took it back.
        Withdrawn,
        /// It has failed.
        Failed,
        /// It waited too long for its approvals.
        Expired,
        /// A pre-approval was ended.
        Revoked,
        /// A certificate will end in 30, 7 or 1 days.
        CertificateEnds,
        /// An API key will end in 30, 7 or 1 days.
        ApiKeyEnds,
        /// A row of the database was refused.
        RowRefused,
        /// A journal of the data plane is not there, or cannot be kept.
        JournalFailed,
        /// No record of the audit becomes a leaf of its ledger any more.
        LedgerFailed,
        /// The clock of a server jumped.
        ClockJumped,
        /// Four fifths of a budget are used.
        BudgetLow,
        /// A target of the audit records takes none.
        AuditTargetFailed,
        /// Somebody was let in again on the host, who had lost every way in.
        IdentityRecovered,
        /// A way in which an identity logs in was made, changed or taken away: its password, its one-time codes, a passkey,
        /// an API key.
        LoginChanged,
        /// A witness does not cosign, or has seen another history.
        WitnessFailed,
        /// Somebody tries a target out.
        Test,
    }
}

wire_enum! {
    /// What kind of object a notice is about.
    pub enum NoticeObject {
        SigningRequest,
        Proposal,
        Certificate,
        ApiKey,
        Identity,
        TokenProfile,
        SigningPolicy,
        AuditTarget,
    }
}

wire_enum! {
    /// What stands in a syslog message.
    #[derive(Default)]
    pub enum SyslogBody {
        /// The record as an export of the ledger has it, in JSON.
        #[default]
        Json,
        /// Its members in the Common Event Format.
        Cef,
    }
}

wire_enum! {
    /// By which protocol a receiver takes syslog messages.
    #[derive(Default)]
    pub enum SyslogTransport {
        /// Syslog over TLS (RFC 5425), which acknowledges nothing but the end of a connection.
        #[default]
        Tls,
        /// RELP over TLS, which acknowledges every message.
        Relp,
    }
}

wire_enum! {
    /// In which form a webhook gets notices.
    pub enum WebhookShape {
        /// The notice as it is, in JSON.
        Chancery,
        /// A message as Slack's incoming webhooks take it.
        Slack,
        /// A message with an adaptive card, as Microsoft Teams takes it.
        Teams,
    }
}
