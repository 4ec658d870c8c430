//! Which bodies take no member that nobody knows.
//!
//! As a rule unknown members are ignored, because clients send more than we know. Where a member says what is allowed to
//! whom, one that is dropped without a word would leave its sender with less than was asked for: there it is refused.

/// The objects, by the names of their types, in which an unknown member is refused; so it is in whatever lies inside.
pub const STRICT: &[&str] = &[
    "TokenFormat",
    "PatchTokenFormat",
    "ControlRule",
    "RequestGrant",
    "CreateSigningPolicy",
    "ChangeSigningPolicy",
    "PolicyRules",
    "ChangeService",
    "RenewService",
    "CreatePreApproval",
    "NameConstraintRules",
    "CreateRole",
    "PatchRole",
    "CreateIdentity",
    "PatchIdentity",
    "NewPassword",
    "ChangePassword",
    "TotpCredentials",
    "FirstApiKey",
    "CreateApiKey",
    "PatchApiKey",
    "RotateApiKey",
    "CreateIdentityProvider",
    "PatchIdentityProvider",
    "CreateIdentityBinding",
    "ExchangeToken",
    "BeginOidc",
    "CreateCertProfile",
    "PatchCertProfile",
    "ApprovalRules",
    "PatchIssuancePolicy",
    "AccessChange",
    "SearchJournal",
    "SetMailbox",
    "ConfirmMailbox",
    "PatchPasskey",
    "ConfirmPasskey",
    "PatchSettings",
    "CreateAuditTarget",
    "PatchAuditTarget",
    "SyslogReceiver",
    "HttpReceiver",
    "FileReceiver",
    "CreateNoticeTarget",
    "PatchNoticeTarget",
    "Webhook",
    "Mailbox",
];

/// Members by which a decision is bound to what its sender saw, in objects that take unknown members. One that is nearly called so
/// is refused: without it anything would be approved.
pub const BINDING: &[(&str, &[&str])] =
    &[("ApproveRequest", &["digest", "assertions"]), ("BatchDecideRequest", &["digest"])];

/// Objects that browsers write, with members that nobody needs; so they are taken also in an object that takes no others.
pub const FROM_BROWSERS: &[&str] = &["AssertionCredential"];

/// Members that only answers have: whoever writes back what was read sends them, and they mean nothing.
pub const ANSWERED: &[(&str, &[&str])] = &[
    ("CreateRole", &["objInfo", "system"]),
    ("PatchRole", &["system"]),
    (
        "CreateIdentity",
        &["objInfo", "locked", "createdAt", "passwordResetAt", "oneTimePasswordUntil", "totp", "recovery"],
    ),
    (
        "PatchIdentity",
        &["objInfo", "kind", "locked", "createdAt", "passwordResetAt", "oneTimePasswordUntil", "totp", "recovery"],
    ),
    ("CreateSigningPolicy", &["objInfo", "signingFormat", "serviceUuid", "pendingChange"]),
    ("ChangeSigningPolicy", &["serviceUuid", "pendingChange"]),
    ("ChangeService", &["objInfo", "template", "signingFormat", "certificateUuid", "certificate", "signingPolicies"]),
    ("CreateNoticeTarget", &["uuid", "objInfo", "hasSecret", "createdAt", "deliveries"]),
    ("PatchNoticeTarget", &["uuid", "objInfo", "hasSecret", "createdAt", "deliveries"]),
    ("CreateAuditTarget", &["uuid", "objInfo", "hasSecret", "createdAt", "shipping"]),
    ("PatchAuditTarget", &["uuid", "objInfo", "hasSecret", "createdAt", "shipping"]),
    ("PatchApiKey", &["objInfo", "version", "createdAt", "rotatedAt", "lastUsedAt", "previous"]),
    ("SetMailbox", &["objInfo", "confirmedAt", "pending", "deliveries"]),
    ("CreateIdentityProvider", &["objInfo", "hasClientSecret", "revocationLists", "createdAt"]),
    (
        "PatchIdentityProvider",
        &["objInfo", "issuer", "hasClientSecret", "authorityUuid", "revocationLists", "createdAt"],
    ),
    ("CreateIdentityBinding", &["objInfo", "createdAt"]),
    // What a name or a state here would say is said in another way, so these two are warned of.
    ("PatchKey", &["uuid", "keyTypeUuid", "parameters", "origin", "boundAlgorithm", "currentVersion", "versions"]),
    ("CreateTokenProfile", &["security", "warnings"]),
    ("PatchTokenProfile", &["security", "warnings"]),
    ("PatchPasskey", &["objInfo"]),
    ("PatchSettings", &["hardened", "demo"]),
    ("PatchName", &["uuid"]),
    ("NameOnly", &["uuid"]),
    ("CreateCertProfile", &["system", "pendingChange"]),
    ("PatchCertProfile", &["system", "pendingChange"]),
    ("PatchIssuancePolicy", &["issuerUuid", "approval", "pendingChange"]),
];
