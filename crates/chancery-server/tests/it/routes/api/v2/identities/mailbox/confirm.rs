//! POST /api/v2/identities/{uuid}/mailbox/confirm.

use serde_json::{Value, json};

use super::{ALICE, alice};
use crate::app::{PASSWORD, TestApp};

/// A code that is not this one.
fn wrong(code: &str) -> &'static str {
    if code == "AAAA-AAAA" { "BBBB-BBBB" } else { "AAAA-AAAA" }
}

#[tokio::test]
async fn five_wrong_codes_end_a_code_and_each_is_recorded() {
    let app = TestApp::new().await;
    let (alice, path, admin) = alice(&app).await;
    let confirm = format!("{path}/confirm");
    alice.post(&confirm, json!({"code": "ABCD-EFGH"})).await.refused(409, "InvalidState", None);
    alice.json("PUT", &path, &json!({"address": ALICE})).await.response();
    let code = app.relay.code(ALICE);
    for no_code in ["", "ABCD", "ABCD-EFGH-JKLM", "ABC0-EFGH"] {
        alice.post(&confirm, json!({"code": no_code})).await.refused(400, "InvalidValue", Some("/code"));
    }
    for left in (0..5).rev() {
        let refused = alice.post(&confirm, json!({"code": wrong(&code)})).await;
        refused.refused(400, "InvalidValue", Some("/code"));
        assert_eq!(alice.get(&path).await.response()["pending"]["triesLeft"], left);
    }
    alice.post(&confirm, json!({"code": code})).await.refused(409, "InvalidState", None);
    let audit = admin.get("/api/v2/audit?action=MailboxConfirm").await.response().clone();
    let outcomes: Vec<&Value> = audit["items"].as_array().unwrap().iter().map(|record| &record["outcome"]).collect();
    assert_eq!(outcomes.len(), 11, "{audit}");
    assert!(!audit.to_string().contains(&code), "{audit}");

    app.clock.advance_ms(60_000);
    alice.json("PUT", &path, &json!({"address": ALICE})).await.response();
    alice.post(&confirm, json!({"code": app.relay.code(ALICE)})).await.response();
    alice.post(&confirm, json!({"code": app.relay.code(ALICE)})).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn a_code_is_good_for_fifteen_minutes_one_address_and_one_person() {
    let app = TestApp::new().await;
    let (alice, path, admin) = alice(&app).await;
    let confirm = format!("{path}/confirm");
    alice.json("PUT", &path, &json!({"address": ALICE})).await.response();
    let first = app.relay.code(ALICE);
    app.clock.advance_ms(9 * 60_000);
    alice.json("PUT", &path, &json!({"address": "alice@example.net"})).await.response();
    let second = app.relay.code("alice@example.net");
    alice.post(&confirm, json!({"code": first})).await.refused(400, "InvalidValue", Some("/code"));
    let own = format!("/api/v2/identities/{}/mailbox", admin.identity_uuid("Admin1").await);
    let admin = app.admin().await;
    admin.json("PUT", &own, &json!({"address": ALICE})).await.response();
    admin.post(&format!("{own}/confirm"), json!({"code": second})).await.refused(400, "InvalidValue", Some("/code"));
    app.clock.advance_ms(15 * 60_000);
    let alice = app.logged_in(&[("Alice", PASSWORD)]).await;
    alice.post(&confirm, json!({"code": second})).await.refused(409, "InvalidState", None);
}
