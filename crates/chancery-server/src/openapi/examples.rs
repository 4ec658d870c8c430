//! Bodies that show what a call looks like, of the calls that most people make first. A test sends each of them.

use serde_json::{Value, json};

/// In the place of an id that the reader has.
const ID: &str = "123e4567-e89b-12d3-a456-426614174000";

/// The example of a request's body, if it has one.
pub(super) fn of(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("post", "/home/v1/login") => Some(json!({
            "authType": "userpass",
            "authCredentials": {"username": "Admin1", "password": "Y29ycmVjdCBob3JzZSBiYXR0ZXJ5IHN0YXBsZQ=="}
        })),
        ("post", "/api/v2/roles") => {
            Some(json!({"name": "Payments", "loginsRequired": 1, "perms": ["Signing:Submit"]}))
        }
        ("post", "/api/v2/identities") => Some(json!({"name": "checkout", "kind": "Application", "roleUuids": [ID]})),
        ("post", "/api/v2/key-types/stubs") => Some(json!({"search": "aes-256"})),
        ("post", "/api/v2/keys") => Some(json!({"name": "cards 2026", "keyTypeUuid": ID})),
        _ => tokenization(method, path).or_else(|| certificates(method, path)).or_else(|| signing(method, path)),
    }
}

fn tokenization(method: &str, path: &str) -> Option<Value> {
    let call = path.strip_prefix("/api/v2/token-profiles")?;
    match (method, call) {
        ("post", "") => Some(json!({
            "objInfo": {"name": "card numbers"}, "algorithm": "Ff1", "keyUuid": ID,
            "format": {
                "alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepTrailing": 4, "passThrough": " -",
                "luhn": "Valid"
            },
            "controlRules": [{"roleUuid": ID, "operation": "Tokenize"}, {"roleUuid": ID, "operation": "Detokenize"}]
        })),
        ("post", "/preview") => {
            let format = json!({"alphabet": "Decimal", "minLength": 9, "maxLength": 12});
            Some(json!({"profile": {"algorithm": "Ff1", "format": format}, "samples": ["123456789"]}))
        }
        ("post", "/{uuid}/tokenize") => Some(json!({"message": "4111 1111 1111 1111"})),
        ("post", "/{uuid}/detokenize") => Some(json!({"token": "3894 0672 5516 1111"})),
        ("post", "/{uuid}/batch-tokenize") => Some(json!({"messages": ["4111111111111111", "5555555555554444"]})),
        ("post", "/{uuid}/batch-detokenize") => {
            Some(json!({"tokens": ["3894067255161111", "2750934618804444"], "partial": true}))
        }
        ("post", "/{uuid}/track-tokenize") => Some(json!({"track": ";4111111111111111=29121010000000000?"})),
        _ => None,
    }
}

fn certificates(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("post", "/api/v2/x509/generate") => Some(json!({
            "certProfileUuid": ID, "issuerUuid": ID, "subjectOneline": "CN=www.example.com,O=Example",
            "newKey": {"keyTypeUuid": ID, "save": true},
            "certParams": {"validityPeriod": {"unit": "Day", "amount": "90"}, "subjectAltNames": ["DNS:www.example.com"]}
        })),
        ("post", "/api/v2/x509/requests") => Some(json!({
            "serviceOrIssuerUuid": ID, "certProfileUuid": ID,
            "csr": "-----BEGIN CERTIFICATE REQUEST-----\n…\n-----END CERTIFICATE REQUEST-----\n"
        })),
        ("post", "/api/v2/x509/{uuid}/revoke") => Some(json!({"reason": "superseded"})),
        ("put", "/api/v2/x509/{uuid}/approval") => Some(json!({"numApprovals": 1, "selfApproval": "Never"})),
        _ => None,
    }
}

fn signing(method: &str, path: &str) -> Option<Value> {
    match (method, path) {
        ("post", "/cuserv/v1/services/deploy") => Some(json!({
            "template": "PKI Signing", "name": "releases",
            "pkisigning": {
                "newCert": {
                    "issuerUuid": ID, "subjectOneline": "CN=Example Releases,O=Example,C=US",
                    "newKey": {"keyTypeUuid": ID, "save": true},
                    "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}
                },
                "signingFormat": "CMS", "numApprovals": 1, "hashAlgorithm": "Sha2_256"
            }
        })),
        ("post", "/api/v2/x509/signing-requests") => Some(json!({
            "name": "release 1.0", "serviceUuid": ID, "policyUuid": ID,
            "digest": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "note": "The fix that customer 7 waits for", "metadata": {"commit": "0a1b2c", "branch": "main"}
        })),
        ("post", "/api/v2/x509/signing-requests/{uuid}/approve" | "/api/v2/x509/proposals/{uuid}/approve") => {
            Some(json!({"note": "built from the tag"}))
        }
        ("post", "/api/v2/x509/signing-requests/{uuid}/deny" | "/api/v2/x509/proposals/{uuid}/deny") => {
            Some(json!({"note": "wrong branch"}))
        }
        _ => None,
    }
}
