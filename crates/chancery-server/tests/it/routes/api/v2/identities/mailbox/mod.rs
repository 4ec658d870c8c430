//! GET, PUT and DELETE /api/v2/identities/{uuid}/mailbox.

mod confirm;

use std::sync::atomic::Ordering;

use chancery_core::Limits;
use chancery_types::{Perm, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    client::Client,
};

const ALICE: &str = "alice@example.org";

fn path(id: &str) -> String {
    format!("/api/v2/identities/{id}/mailbox")
}

/// A person, the path of its mailbox, and those who administer.
pub(super) async fn alice(app: &TestApp) -> (Client, String, Client) {
    let admin = app.admin().await;
    let alice = app.with_perms("Alice", &[Perm::SigningApprove]).await;
    let path = path(&admin.identity_uuid("Alice").await);
    (alice, path, admin)
}

/// Sets an address and enters the code that was mailed there.
pub(super) async fn confirmed(app: &TestApp, alice: &Client, path: &str, body: Value) -> Value {
    let address = body["address"].as_str().unwrap().to_owned();
    alice.json("PUT", path, &body).await.response();
    let code = app.relay.code(&address);
    alice.post(&format!("{path}/confirm"), json!({"code": code})).await.response().clone()
}

#[tokio::test]
async fn an_address_counts_once_its_code_was_entered_and_the_former_until_then() {
    let app = TestApp::new().await;
    let (alice, path, admin) = alice(&app).await;
    let none = alice.get(&path).await.response().clone();
    assert_eq!((none.get("address"), &none["enabled"]), (None, &json!(false)), "{none}");
    let set = alice.json("PUT", &path, &json!({"address": ALICE, "kinds": ["Waiting"]})).await.response().clone();
    assert_eq!((set.get("address"), &set["enabled"]), (None, &json!(false)), "{set}");
    assert_eq!((&set["pending"]["address"], &set["pending"]["triesLeft"]), (&json!(ALICE), &json!(5)), "{set}");
    let code = app.relay.code(ALICE);
    assert!(!set.to_string().contains(&code), "only the mail has the code");
    let made = alice.post(&format!("{path}/confirm"), json!({"code": code.to_lowercase()})).await.response().clone();
    assert_eq!(
        (&made["address"], &made["kinds"], &made["enabled"]),
        (&json!(ALICE), &json!(["Waiting"]), &json!(true))
    );
    assert_eq!((made.get("pending"), &made["objInfo"]["name"]), (None, &json!("Alice")));

    app.clock.advance_ms(60_000);
    let other = json!({"address": "alice@example.net", "enabled": false});
    let set = alice.json("PUT", &path, &other).await.response().clone();
    assert_eq!((&set["address"], &set["enabled"]), (&json!(ALICE), &json!(true)), "what was confirmed stays in effect");
    assert_eq!(set["pending"]["enabled"], false);
    assert_eq!(alice.get(&path).await.response(), &set);
    assert_eq!(admin.get(&path).await.response(), &set, "also for those who manage identities");

    let before = app.relay.count();
    let same = json!({"address": ALICE, "kinds": [], "enabled": false});
    let set = alice.json("PUT", &path, &same).await.response().clone();
    assert_eq!((&set["enabled"], set.get("pending")), (&json!(false), None), "a confirmed address needs no code");
    assert_eq!(app.relay.count(), before);
}

#[tokio::test]
async fn nobody_sets_somebody_elses_and_those_who_manage_identities_read_and_remove_it() {
    let app = TestApp::new().await;
    let (alice, path, admin) = alice(&app).await;
    let body = json!({"address": "mallory@example.org"});
    admin.json("PUT", &path, &body).await.refused(403, "NotAuthorized", None);
    admin.post(&format!("{path}/confirm"), json!({"code": "ABCD-EFGH"})).await.refused(403, "NotAuthorized", None);
    admin.saw_audited("MailboxSet").await;
    admin.saw_audited("MailboxConfirm").await;
    let bob = app.with_perms("Bob", &[Perm::SigningApprove]).await;
    for reply in [bob.get(&path).await, bob.json("PUT", &path, &body).await, bob.delete(&path).await] {
        reply.refused(403, "NotAuthorized", None);
    }
    assert_eq!(app.relay.count(), 0);

    confirmed(&app, &alice, &path, json!({"address": ALICE})).await;
    assert_eq!(admin.get(&path).await.response()["address"], ALICE);
    admin.delete(&path).await.response();
    assert_eq!(admin.get(&path).await.response().get("address"), None);
    alice.delete(&path).await.refused(404, "InvalidSelection", None);
    alice.json("PUT", &path, &json!({"address": ALICE})).await.refused(429, "RateLimited", None);
}

#[tokio::test]
async fn each_of_two_who_are_logged_in_sets_the_own_and_no_program_does() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let own = path(&admin.identity_uuid("Admin2").await);
    admin.json("PUT", &own, &json!({"address": "admin2@example.org"})).await.response();

    let clerk = json!({"name": "till", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    let made = admin.post("/api/v2/identities", clerk).await.response().clone();
    let (till, key) = (path(made["uuid"].as_str().unwrap()), made["apiKey"].as_str().unwrap());
    let program = app.nobody().with_bearer(key);
    program.json("PUT", &till, &json!({"address": "till@example.org"})).await.refused(403, "NotAuthorized", None);

    let (alice, path, _) = alice(&app).await;
    let uuid = admin.identity_uuid("Alice").await;
    let key = alice.post(&format!("/api/v2/identities/{uuid}/api-keys"), json!({"name": "script"})).await;
    let script = app.nobody().with_bearer(key.response()["apiKey"].as_str().unwrap());
    script.json("PUT", &path, &json!({"address": ALICE})).await.refused(403, "NotAuthorized", None);
    script.get(&path).await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn nobody_floods_a_mailbox_by_us() {
    let app = TestApp::new().await;
    let (alice, path, _) = alice(&app).await;
    let set = async |address: &str| alice.json("PUT", &path, &json!({"address": address})).await;
    set(ALICE).await.response();
    let refused = set("victim@example.org").await;
    refused.refused(429, "RateLimited", None);
    assert_eq!(refused.headers["retry-after"], "61");
    for _ in 0..4 {
        app.clock.advance_ms(60_000);
        set(ALICE).await.response();
    }
    app.clock.advance_ms(60_000);
    let refused = set(ALICE).await;
    refused.refused(429, "RateLimited", None);
    assert_eq!(app.relay.count(), 5);
    // To remove it all is no way round.
    alice.delete(&path).await.response();
    set(ALICE).await.refused(429, "RateLimited", None);
    app.clock.advance_ms(56 * 60_000);
    let alice = app.logged_in(&[("Alice", PASSWORD)]).await;
    alice.json("PUT", &path, &json!({"address": ALICE})).await.response();
}

#[tokio::test]
async fn what_is_no_address_kind_or_service_is_refused_where_it_stands() {
    let app = TestApp::new().await;
    let (alice, path, _) = alice(&app).await;
    for (body, code, field) in [
        (json!({"address": "a@b\r\nBcc: c@d"}), "InvalidValue", Some("/address")),
        (json!({"address": "nobody"}), "InvalidValue", Some("/address")),
        (json!({}), "ArgumentParseError", Some("/address")),
        (json!({"address": ALICE, "kinds": ["Loud"]}), "InvalidSelection", Some("/kinds/0")),
        (json!({"address": ALICE, "serviceUuids": [crate::guards::UUID]}), "InvalidSelection", Some("/serviceUuids/0")),
        (json!({"address": ALICE, "kind": ["Waiting"]}), "ArgumentParseError", Some("/kind")),
    ] {
        alice.json("PUT", &path, &body).await.refused(400, code, field);
    }
    let many = json!({"address": ALICE, "kinds": vec!["Waiting"; 50]});
    alice.json("PUT", &path, &many).await.refused(413, "LimitExceeded", Some("/kinds"));
    assert_eq!(app.relay.count(), 0);
}

#[tokio::test]
async fn without_a_relay_or_room_none_is_set_and_a_relay_that_refuses_is_told() {
    let mut limits = Limits::default();
    limits.notices.mailboxes_max = 1;
    let app = TestApp::with(Setup { limits, ..Setup::default() }).await;
    let (alice, path, admin) = alice(&app).await;
    app.relay.answers.store(0, Ordering::Relaxed);
    let refused = alice.json("PUT", &path, &json!({"address": ALICE})).await;
    refused.refused(409, "InvalidState", None);
    assert!(refused.text().contains("--smtp-host"), "{}", refused.text());
    app.relay.answers.store(550, Ordering::Relaxed);
    alice.json("PUT", &path, &json!({"address": ALICE})).await.refused(400, "InvalidValue", Some("/address"));
    app.clock.advance_ms(60_000);
    app.relay.answers.store(451, Ordering::Relaxed);
    alice.json("PUT", &path, &json!({"address": ALICE})).await.refused(503, "Unavailable", None);
    app.clock.advance_ms(60_000);
    app.relay.answers.store(250, Ordering::Relaxed);
    confirmed(&app, &alice, &path, json!({"address": ALICE})).await;
    let own = self::path(&admin.identity_uuid("Admin1").await);
    admin.json("PUT", &own, &json!({"address": "admin1@example.org"})).await.refused(413, "LimitExceeded", None);
}

#[tokio::test]
async fn records_say_what_was_and_what_is() {
    let app = TestApp::new().await;
    let (alice, path, admin) = alice(&app).await;
    confirmed(&app, &alice, &path, json!({"address": ALICE})).await;
    alice.delete(&path).await.response();
    for (action, expected) in
        [("MailboxSet", "/pending"), ("MailboxConfirm", "/address"), ("MailboxRemove", "/address")]
    {
        let audit = admin.get(&format!("/api/v2/audit?action={action}")).await.response().clone();
        let record = &audit["items"][0];
        assert_eq!((&record["outcome"], &record["detail"]["name"]), (&json!("Success"), &json!("Alice")), "{record}");
        let changes = record["detail"]["changes"].as_array().unwrap();
        let change = changes.iter().find(|change| change["member"] == expected);
        assert!(change.is_some_and(|change| change.to_string().contains(ALICE)), "{record}");
        assert!(!audit.to_string().contains(&app.relay.code(ALICE)), "a code is no record's business");
    }
}

#[tokio::test]
async fn who_is_deleted_leaves_no_mailbox() {
    let app = TestApp::new().await;
    let (alice, path, admin) = alice(&app).await;
    confirmed(&app, &alice, &path, json!({"address": ALICE})).await;
    admin.delete(path.trim_end_matches("/mailbox")).await.response();
    admin.get(&path).await.refused(404, "InvalidSelection", None);
    assert_eq!(app.harm("DELETE FROM mailboxes"), 0);
    assert_eq!(app.harm("DELETE FROM delivery_states"), 0);
}
