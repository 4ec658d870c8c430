//! POST /api/v2/x509/{uuid}/revoke.

use chancery_types::Perm;
use serde_json::{Value, json};

use crate::{
    app::TestApp,
    certificates::{body, generate, issued, root, with},
};

#[tokio::test]
async fn a_revoked_certificate_says_when_and_why_and_stays_revoked() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let path = format!("/api/v2/x509/{}", leaf["certificateUuid"].as_str().unwrap());
    app.clock.advance_ms(1_000);
    let revoked = client.post(&format!("{path}/revoke"), json!({"reason": "superseded"})).await.response().clone();
    assert_eq!(
        (&revoked["status"], &revoked["revokedAt"], &revoked["revocationReason"]),
        (&json!("Revoked"), &json!("2026-06-21T12:00:01Z"), &json!("superseded"))
    );
    assert_eq!(without_proof(client.get(&path).await.response()), without_proof(&revoked));
    for reason in ["superseded", "keyCompromise", "certificateHold"] {
        let again = client.post(&format!("{path}/revoke"), json!({"reason": reason})).await;
        again.refused(409, "InvalidState", None);
    }
    assert_eq!(without_proof(client.get(&path).await.response()), without_proof(&revoked));
}

/// A detail without the proof that the certificate is logged, which comes within a second.
fn without_proof(detail: &Value) -> Value {
    let mut detail = detail.clone();
    detail.as_object_mut().unwrap().remove("inclusionProof").unwrap();
    detail
}

#[tokio::test]
async fn what_is_on_hold_can_be_revoked_for_good() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
    let held = client.post(&path, json!({"reason": "certificateHold"})).await;
    assert_eq!(held.response()["status"], "Held");
    client.post(&path, json!({"reason": "certificateHold"})).await.refused(409, "InvalidState", None);
    let revoked = client.post(&path, json!({"reason": "keyCompromise"})).await;
    assert_eq!(revoked.response()["status"], "Revoked");
}

#[tokio::test]
async fn a_bad_call_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let path = format!("/api/v2/x509/{}/revoke", root(&client).await);
    for (body, error, field) in [
        (json!({}), "ArgumentParseError", Some("/reason")),
        (json!({"reason": 1}), "ArgumentParseError", Some("/reason")),
        (json!({"reason": "KeyCompromise"}), "InvalidSelection", Some("/reason")),
        (json!([1]), "ArgumentParseError", None),
    ] {
        client.post(&path, body).await.refused(400, error, field);
    }
    let unknown = "/api/v2/x509/00000000-0000-0000-0000-000000000000/revoke";
    client.post(unknown, json!({"reason": "superseded"})).await.refused(404, "InvalidSelection", None);
}

#[tokio::test]
async fn one_person_ends_leaves_and_nothing_that_others_rest_on() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let alone = app.with_perms("issuer", &[Perm::CertManageGenerate]).await;
    let root = root(&admin).await;
    let path = |uuid: &Value| format!("/api/v2/x509/{}/revoke", uuid.as_str().unwrap());
    let mut weighty = vec![json!(root)];
    for profile in ["Issuing Certificate Authority", "OCSP Responder", "Time Stamping"] {
        weighty.push(issued(&admin, profile, &root).await["certificateUuid"].clone());
    }
    // What was not saved is judged by its profile.
    let unsaved = body(&admin, "Time Stamping").await;
    let key = json!({"keyTypeUuid": unsaved["newKey"]["keyTypeUuid"], "save": false});
    let unsaved = with(unsaved, json!({"issuerUuid": root, "newKey": key, "saveCert": false}));
    weighty.push(generate(&admin, unsaved).await["certificateUuid"].clone());
    for certificate in &weighty {
        for reason in ["certificateHold", "cACompromise"] {
            alone.post(&path(certificate), json!({"reason": reason})).await.refused(403, "NotAuthorized", None);
        }
    }
    admin.saw_audited("CertificateRevoke").await;
    let leaf = issued(&admin, "TLS Client", &root).await["certificateUuid"].clone();
    alone.post(&path(&leaf), json!({"reason": "superseded"})).await.response();
    for certificate in weighty.iter().rev() {
        admin.post(&path(certificate), json!({"reason": "superseded"})).await.response();
    }
}
