//! What each route demands of its caller, whatever the body says. Its door method asks the same again; tests hold the two
//! against each other, with callers who have nothing and with callers who have one permission each.

use axum::http::Method;
use chancery_core::{Demand, RuleCall};
use chancery_types::{Action as A, Perm as P};

/// Those of whom a proposal may be.
const PROPOSALS: &[P] =
    &[P::SigningApprove, P::ServicesDeploy, P::SigningSubmit, P::CertManageGenerate, P::CertManageManage];

/// One of these permissions.
#[rustfmt::skip]
const PERMS: &[(&str, &str, A, &[P])] = &[
    ("POST", "/api/v2/audit/journal/search", A::JournalSearch, &[P::AuditRead]),
    ("POST", "/api/v2/audit/targets", A::AuditTargetCreate, &[P::SystemManage]),
    ("PATCH", "/api/v2/audit/targets/{uuid}", A::AuditTargetChange, &[P::SystemManage]),
    ("POST", "/api/v2/audit/targets/{uuid}/test", A::AuditTargetTest, &[P::SystemManage]),
    ("POST", "/api/v2/identities", A::IdentityCreate, &[P::IdentityManage]),
    ("PATCH", "/api/v2/identities/{uuid}", A::IdentityChange, &[P::IdentityManage]),
    ("POST", "/api/v2/identities/{uuid}/lock", A::IdentityLock, &[P::IdentityManage]),
    ("POST", "/api/v2/identities/{uuid}/unlock", A::IdentityUnlock, &[P::IdentityManage]),
    (
        "POST",
        "/api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm",
        A::PasskeyConfirm,
        &[P::IdentityManage],
    ),
    ("POST", "/api/v2/identity-bindings", A::IdentityBindingCreate, &[P::IdentityManage]),
    ("POST", "/api/v2/identity-providers", A::IdentityProviderCreate, &[P::IdentityManage]),
    ("PATCH", "/api/v2/identity-providers/{uuid}", A::IdentityProviderChange, &[P::IdentityManage]),
    ("POST", "/api/v2/keys", A::KeyCreate, &[P::KeysAdd]),
    ("PATCH", "/api/v2/keys/{uuid}", A::KeyChange, &[P::KeysAdd]),
    ("POST", "/api/v2/keys/{uuid}/disable", A::KeyDisable, &[P::KeysAdd]),
    ("POST", "/api/v2/keys/{uuid}/enable", A::KeyEnable, &[P::KeysAdd]),
    ("POST", "/api/v2/keys/{uuid}/rotate", A::KeyRotate, &[P::KeysAdd]),
    ("POST", "/api/v2/notice-targets", A::NoticeTargetCreate, &[P::SystemManage]),
    ("PATCH", "/api/v2/notice-targets/{uuid}", A::NoticeTargetChange, &[P::SystemManage]),
    ("POST", "/api/v2/notice-targets/{uuid}/test", A::NoticeTargetTest, &[P::SystemManage]),
    (
        "POST",
        "/api/v2/reports/access/effect",
        A::AccessRead,
        &[P::TokenizationManage, P::IdentityManage, P::ServicesDeploy, P::AuditRead],
    ),
    ("POST", "/api/v2/roles", A::RoleCreate, &[P::IdentityManage]),
    ("PATCH", "/api/v2/roles/{uuid}", A::RoleChange, &[P::IdentityManage]),
    ("PATCH", "/api/v2/system/settings", A::SettingsChange, &[P::SystemManage]),
    ("POST", "/api/v2/token-profiles", A::TokenProfileCreate, &[P::TokenizationManage]),
    ("PATCH", "/api/v2/token-profiles/{uuid}", A::TokenProfileChange, &[P::TokenizationManage]),
    ("POST", "/api/v2/token-profiles/{uuid}/copy", A::TokenProfileCreate, &[P::TokenizationManage]),
    ("PATCH", "/api/v2/token-profiles/{uuid}/permissions", A::ControlRulesChange, &[P::TokenizationManage]),
    ("POST", "/api/v2/token-profiles/{uuid}/tokens/delete", A::TokenDelete, &[P::TokenizationManage]),
    ("POST", "/api/v2/token-profiles/preview", A::TokenProfilePreview, &[P::TokenizationManage]),
    ("POST", "/api/v2/x509/cert-profiles", A::CertProfileCreate, &[P::CertManageManage]),
    ("PATCH", "/api/v2/x509/cert-profiles/{uuid}", A::CertProfileChange, &[P::CertManageManage]),
    ("POST", "/api/v2/x509/generate", A::CertificateGenerate, &[P::CertManageGenerate]),
    ("POST", "/api/v2/x509/import", A::CertificateImport, &[P::CertManageManage]),
    ("POST", "/api/v2/x509/import-key", A::AuthorityImport, &[P::CertManageExport]),
    ("POST", "/api/v2/x509/pre-approvals", A::ProposalSubmit, &[P::SigningSubmit]),
    ("POST", "/api/v2/x509/proposals/batch-approve-deny", A::ProposalApprove, &[P::SigningApprove]),
    ("POST", "/api/v2/x509/proposals/{uuid}/approve", A::ProposalApprove, &[P::SigningApprove]),
    ("POST", "/api/v2/x509/proposals/{uuid}/deny", A::ProposalDeny, PROPOSALS),
    ("POST", "/api/v2/x509/proposals/{uuid}/revoke", A::ProposalRevoke, PROPOSALS),
    ("POST", "/api/v2/x509/proposals/{uuid}/withdraw", A::ProposalWithdraw, PROPOSALS),
    ("POST", "/api/v2/x509/requests", A::CertificateRequest, &[P::CertManageGenerate]),
    ("POST", "/api/v2/x509/requests/{uuid}/approve", A::ProposalApprove, &[P::SigningApprove]),
    ("PATCH", "/api/v2/x509/services/{serviceUuid}", A::ServiceChange, &[P::ServicesDeploy]),
    (
        "PATCH",
        "/api/v2/x509/services/{serviceUuid}/issuance-policy",
        A::IssuerApprovalChange,
        &[P::CertManageManage],
    ),
    ("POST", "/api/v2/x509/services/{serviceUuid}/renew", A::ServiceRenew, &[P::ServicesDeploy]),
    ("POST", "/api/v2/x509/services/{serviceUuid}/revoke", A::CertificateRevoke, &[P::CertManageManage]),
    ("POST", "/api/v2/x509/services/{serviceUuid}/signing-policies", A::SigningPolicyCreate, &[P::ServicesDeploy]),
    ("PATCH", "/api/v2/x509/signing-policies/{uuid}", A::SigningPolicyChange, &[P::ServicesDeploy]),
    ("POST", "/api/v2/x509/signing-requests", A::SigningRequestSubmit, &[P::SigningSubmit]),
    ("POST", "/api/v2/x509/signing-requests/batch-approve-deny", A::SigningRequestApprove, &[P::SigningApprove]),
    ("POST", "/api/v2/x509/signing-requests/{uuid}/approve", A::SigningRequestApprove, &[P::SigningApprove]),
    ("POST", "/api/v2/x509/signing-requests/{uuid}/deny", A::SigningRequestDeny, &[P::SigningApprove, P::SigningSubmit]),
    ("POST", "/api/v2/x509/signing-requests/{uuid}/repeat", A::SigningRequestSubmit, &[P::SigningSubmit]),
    ("POST", "/api/v2/x509/signing-requests/{uuid}/withdraw", A::SigningRequestWithdraw, &[P::SigningSubmit]),
    ("PUT", "/api/v2/x509/{uuid}/approval", A::IssuerApprovalChange, &[P::CertManageManage]),
    ("POST", "/api/v2/x509/{uuid}/rekey", A::CertificateRekey, &[P::CertManageGenerate]),
    ("POST", "/api/v2/x509/{uuid}/release", A::CertificateRelease, &[P::CertManageManage]),
    ("POST", "/api/v2/x509/{uuid}/renew", A::CertificateRenew, &[P::CertManageGenerate]),
    ("POST", "/api/v2/x509/{uuid}/revoke", A::CertificateRevoke, &[P::CertManageGenerate]),
    ("POST", "/cuserv/v1/services/deploy", A::ServiceDeploy, &[P::ServicesDeploy]),
];

/// A Control Rule of the token profile in the path.
#[rustfmt::skip]
const RULES: &[(&str, RuleCall)] = &[
    ("batch-tokenize", RuleCall::BatchTokenize),
    ("batch-detokenize", RuleCall::BatchDetokenize),
    ("rewrap", RuleCall::Rewrap),
    ("tokenize", RuleCall::Tokenize),
    ("detokenize", RuleCall::Detokenize),
    ("track-tokenize", RuleCall::TrackTokenize),
    ("track-detokenize", RuleCall::TrackDetokenize),
    ("tokenized", RuleCall::TokenizedRead),
    ("tokens/read", RuleCall::TokenRead),
    ("grants", RuleCall::RequestGrant),
];

/// No more than to be logged in.
const LOGIN: &[(&str, &str)] = &[("POST", "/api/v2/key-types/stubs")];

/// What the route demands; `None` of one that is not declared here, whose bodies are small.
pub(super) fn of(method: &Method, route: &str, path: &str) -> Option<Demand> {
    let perms = PERMS.iter().find(|(known, of, ..)| method == known && *of == route);
    if let Some((_, _, action, perms)) = perms {
        return Some(Demand::Perms(perms, *action));
    }
    if LOGIN.iter().any(|(known, of)| method == known && *of == route) {
        return Some(Demand::Login);
    }
    let call = route.strip_prefix("/api/v2/token-profiles/{uuid}/").filter(|_| method == Method::POST)?;
    let (_, call) = RULES.iter().find(|(name, _)| *name == call)?;
    let profile = path.strip_prefix("/api/v2/token-profiles/")?.split('/').next()?;
    Some(Demand::Rules(*call, profile.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their bodies have no use for more, and each may be sent by whoever it concerns.
    const SMALL: &[&str] = &[
        "/api/v2/identities/{uuid}/password",
        "/api/v2/identities/{uuid}/api-keys",
        "/api/v2/identities/{uuid}/api-keys/{keyUuid}",
        "/api/v2/identities/{uuid}/api-keys/{keyUuid}/rotate",
        "/api/v2/identities/{uuid}/mailbox",
        "/api/v2/identities/{uuid}/mailbox/confirm",
        "/api/v2/identities/{uuid}/passkeys",
        "/api/v2/identities/{uuid}/passkeys/begin",
        "/api/v2/identities/{uuid}/passkeys/{passkeyUuid}",
        "/api/v2/token-profiles/{uuid}/grants/{grantUuid}/revoke",
    ];

    #[test]
    fn every_route_with_a_body_is_declared() {
        let document = serde_json::to_value(crate::openapi()).unwrap();
        let mut missing = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let takes_json = operation["requestBody"]["content"].get("application/json").is_some();
                let id = "00000000-0000-0000-0000-0000000000aa";
                let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                let declared = of(&method, path, &path.replace("{uuid}", id)).is_some();
                let small = path.starts_with("/home/v1/") || SMALL.contains(&path.as_str());
                if takes_json && declared == small {
                    missing.push(format!("{method} {path}"));
                }
            }
        }
        assert!(missing.is_empty(), "add to the tables above: {missing:?}");
    }
}
