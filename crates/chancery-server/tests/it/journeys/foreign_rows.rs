//! Somebody who may write the database, and nothing else, gains nothing: each row that they change is refused and told,
//! and the others go on. They use psql, and know the tables as well as we do.

use std::time::Duration;

use chancery_types::{Perm, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    certificates::{body, generate, issued, root, with},
    client::Client,
    signing::{REQUESTS, Signing, approve, submission},
};

async fn signing() -> Signing {
    Signing::with(Setup { postgres: true, ..Setup::default() }).await
}

/// Changes rows; somebody who changes none has shown nothing.
fn harm(app: &TestApp, statement: &str) {
    let changed =
        app.database().psql(&format!("WITH changed AS ({statement} RETURNING 1) SELECT COUNT(*) FROM changed"));
    assert_ne!(changed.trim(), "0", "{statement}");
}

/// A client of a node that starts now, with nothing in its memory.
async fn elsewhere(app: &TestApp, logins: &[&str]) -> Client {
    let mut client = Client::new(app.other_node().await);
    for name in logins {
        assert_eq!(client.log_in(name, PASSWORD).await.status, 200, "{name}");
    }
    let token = client.get("/home/v1/login/token").await;
    client.bearer = token.json["token"].as_str().map(str::to_owned);
    client
}

/// What the audit tells of rows, once it does.
async fn told(client: &Client, count: u64) -> Vec<String> {
    for _ in 0..200 {
        let reply = client.get("/api/v2/audit?action=RowRefuse").await;
        if reply.response()["total"].as_u64().unwrap() >= count {
            let records = reply.response()["items"].as_array().unwrap();
            let table = |record: &Value| record["detail"]["table"].as_str().unwrap().to_owned();
            return records.iter().map(table).collect();
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nothing was told");
}

#[tokio::test]
async fn a_foreign_password_hash_logs_nobody_in() {
    let app = TestApp::on_postgres().await;
    let admin = app.admin().await;
    admin.create_person("eve", &[RoleId::APPLICATION]).await;
    harm(
        &app,
        "UPDATE identities SET password = (SELECT password FROM identities WHERE name = 'eve') WHERE name = 'Admin1'",
    );
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status, 503);
    assert_eq!(app.nobody().log_in("eve", PASSWORD).await.status, 200, "the others go on");
    let ready = app.nobody().get("/readyz").await;
    assert_eq!(ready.json["refusedRows"], 1, "{}", ready.text());
    assert!(app.nobody().get("/metrics").await.text().contains("chancery_refused_rows"));
    assert_eq!(told(&admin, 1).await, ["identities"]);
    let there = elsewhere(&app, &["Admin2"]).await;
    assert_eq!(there.log_in("Admin1", PASSWORD).await.status, 503);
}

#[tokio::test]
async fn a_role_that_was_added_raised_or_copied_gives_nothing() {
    let app = TestApp::on_postgres().await;
    let eve = app.with_perms("eve", &[Perm::AuditRead]).await;
    eve.get("/api/v2/audit").await.response();
    let eve_id = app.admin().await.identity_uuid("eve").await;
    harm(
        &app,
        &format!(
            "INSERT INTO identity_roles (identity_id, role_id, assigned_at_ms, mac) \
             SELECT '{eve_id}', role_id, assigned_at_ms, mac FROM identity_roles WHERE role_id = '{}' LIMIT 1",
            RoleId::SECURITY_OFFICER
        ),
    );
    harm(
        &app,
        "UPDATE roles SET perms = '{\"Identity:Manage\": 1, \"Audit:Read\": 1}', management = 1 WHERE name = 'role of eve'",
    );
    let eve = elsewhere(&app, &["eve"]).await;
    for path in ["/api/v2/system/settings", "/api/v2/audit"] {
        let reply = eve.get(path).await;
        assert!([401, 403, 503].contains(&reply.status.as_u16()), "{path}: {}", reply.text());
    }
    let admin = elsewhere(&app, &["Admin1", "Admin2"]).await;
    admin.get("/api/v2/identities/stubs").await.response();
    let tables = told(&admin, 2).await;
    assert!(tables.iter().any(|table| table == "roles") && tables.iter().any(|table| table == "identity_roles"));
}

#[tokio::test]
async fn a_setting_that_somebody_wrote_opens_nothing() {
    let app = TestApp::with(Setup { postgres: true, api_access: false, ..Setup::default() }).await;
    harm(&app, "UPDATE settings SET value = 'true' WHERE name = 'apiAccess'");
    let reply = elsewhere(&app, &["Admin1", "Admin2"]).await.get("/api/v2/identities/stubs").await;
    assert_eq!(reply.json["errorCode"], "ApiAccessDisabled", "{}", reply.text());
}

#[tokio::test]
async fn a_seat_in_a_session_gives_nothing() {
    let app = TestApp::on_postgres().await;
    let admin = app.admin().await;
    let eve = app.with_perms("eve", &[Perm::AuditRead]).await;
    let (eve_id, bearer) = (admin.identity_uuid("eve").await, eve.bearer.clone().unwrap());
    for (seat, name) in [(1, "Admin1"), (2, "Admin2")] {
        harm(
            &app,
            &format!(
                "INSERT INTO session_seats (session_id, seat, identity_id, roles, mac) \
                 SELECT mine.session_id, {seat}, theirs.identity_id, theirs.roles, theirs.mac \
                 FROM session_seats AS mine, session_seats AS theirs JOIN identities ON identities.id = theirs.identity_id \
                 WHERE mine.identity_id = '{eve_id}' AND mine.seat = 0 AND identities.name = '{name}' LIMIT 1"
            ),
        );
    }
    let there = Client::new(app.other_node().await).with_bearer(&bearer);
    let reply = there.get("/api/v2/system/settings").await;
    assert!(![200, 500].contains(&reply.status.as_u16()), "{}", reply.text());
    admin.get("/api/v2/system/settings").await.response();
}

#[tokio::test]
async fn approvals_digests_and_policies_that_somebody_wrote_sign_nothing() {
    let signing = signing().await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let service = signing.deploy("builds", 2).await;
    let [approved, changed, good] = [
        signing.submit(&service, b"a").await,
        signing.submit(&service, b"b").await,
        signing.submit(&service, b"c").await,
    ];
    let admin_id = signing.admin.identity_uuid("Admin2").await;
    let app = &signing.app;
    harm(
        app,
        &format!(
            "INSERT INTO approvals (request_id, version, decision, note, decided_at_ms, roles) \
             VALUES ('{approved}', 77, 'Approve', '', 1, '[]')"
        ),
    );
    harm(
        app,
        &format!(
            "INSERT INTO approval_identities (request_id, version, decision, identity_id, identity_name) \
             VALUES ('{approved}', 77, 'Approve', '{admin_id}', 'Admin2')"
        ),
    );
    harm(
        app,
        &format!(
            "UPDATE signing_requests SET digest = (SELECT digest FROM signing_requests WHERE id = '{good}') WHERE id = '{changed}'"
        ),
    );
    for request in [&approved, &changed] {
        approve(&ann, request).await.refused(503, "Unavailable", None);
    }
    approve(&ann, &good).await.response();
    assert_eq!(approve(&bob, &good).await.response()["state"], "Signed");
    let other = signing.deploy("other", 0).await;
    harm(app, &format!("UPDATE signing_policies SET num_approvals = 0 WHERE id = '{}'", service.policy));
    let admin = elsewhere(app, &["Admin1", "Admin2"]).await;
    admin.post(REQUESTS, submission(&service, b"d")).await.refused(503, "Unavailable", None);
    admin.post(REQUESTS, submission(&other, b"d")).await.response();
    let tables = told(&admin, 3).await;
    for table in ["approvals", "signing_requests", "signing_policies"] {
        assert!(tables.iter().any(|told| told == table), "{table}: {tables:?}");
    }
}

#[tokio::test]
async fn a_submitter_who_is_taken_out_of_the_set_does_not_approve_his_own() {
    let signing = signing().await;
    let service = signing.deploy("builds", 1).await;
    let request = signing.submit(&service, b"a").await;
    harm(&signing.app, "DELETE FROM submitter_set_members WHERE set_id IS NOT NULL");
    approve(&signing.admin, &request).await.refused(503, "Unavailable", None);
}

#[tokio::test]
async fn items_of_a_manifest_are_those_that_were_approved() {
    let signing = signing().await;
    let ann = signing.approver("ann").await;
    let service = signing.deploy("builds", 1).await;
    let item = |name: &str| json!({"name": name, "digest": chancery_types::Base64::encode(&[7_u8; 32])});
    let manifest = json!({
        "name": "m", "serviceUuid": service.uuid, "policyUuid": service.policy, "items": [item("a"), item("b")],
    });
    let request = signing.admin.post(REQUESTS, manifest).await.response()["uuid"].as_str().unwrap().to_owned();
    harm(&signing.app, "UPDATE signing_items SET digest = set_byte(digest, 0, 1) WHERE number = 2");
    approve(&ann, &request).await.refused(503, "Unavailable", None);
}

#[tokio::test]
async fn a_certificate_is_neither_trusted_nor_valid_again_by_the_database() {
    let app = TestApp::on_postgres().await;
    let admin = app.admin().await;
    let root = root(&admin).await;
    let issued_one = issued(&admin, "Issuing Certificate Authority", &root).await;
    let revoked = issued_one["certificateUuid"].as_str().unwrap();
    admin.post(&format!("/api/v2/x509/{revoked}/revoke"), json!({"reason": "keyCompromise"})).await.response();
    let untrusted =
        with(body(&admin, "Issuing Certificate Authority").await, json!({"issuerUuid": root, "trustCert": false}));
    let untrusted = generate(&admin, untrusted).await["certificateUuid"].as_str().unwrap().to_owned();
    harm(
        &app,
        &format!("UPDATE certificates SET revoked_at_s = NULL, revocation_reason = NULL WHERE id = '{revoked}'"),
    );
    harm(&app, &format!("UPDATE certificates SET trusted = 1 WHERE id = '{untrusted}'"));
    for issuer in [revoked, &untrusted] {
        let body = with(body(&admin, "Issuing Certificate Authority").await, json!({"issuerUuid": issuer}));
        admin.post("/api/v2/x509/generate", body).await.refused(503, "Unavailable", None);
        admin.get(&format!("/api/v2/x509/{issuer}")).await.refused(503, "Unavailable", None);
    }
    issued(&admin, "Issuing Certificate Authority", &root).await;
    let list = admin.get("/api/v2/x509/certificates/stubs").await;
    assert!(list.status.as_u16() < 500, "{}", list.text());
    let tables = told(&admin, 2).await;
    assert_eq!(tables, ["certificates"; 2]);
}
