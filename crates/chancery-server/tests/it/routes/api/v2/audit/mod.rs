//! GET /api/v2/audit.

mod archives;
mod checkpoint;
mod export;
mod journal;
mod targets;

use chancery_core::Host;
use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    client::Client,
};

pub(crate) const AUDIT: &str = "/api/v2/audit";

async fn items(client: &Client, query: &str) -> Vec<Value> {
    client.get(&format!("{AUDIT}?{query}")).await.response()["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_change_has_one_record_that_says_who_did_what_to_which_object() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (one, two) = (admin.identity_uuid("Admin1").await, admin.identity_uuid("Admin2").await);
    let body = json!({"name": "r", "loginsRequired": 1, "perms": ["Audit:Read"]});
    let created = admin.post("/api/v2/roles", body).await;
    let role = created.response()["uuid"].as_str().unwrap();
    let found = items(&admin, &format!("objectUuid={role}")).await;
    let number = &found[0]["number"];
    assert_eq!(
        found,
        [json!({
            "number": number, "time": "2026-06-21T12:00:00.500Z",
            "requestId": created.headers["x-request-id"].to_str().unwrap(), "source": "127.0.0.1",
            "node": found[0]["node"], "identities": [member(&one, "Admin1"), member(&two, "Admin2")],
            "action": "RoleCreate", "objectUuid": role, "outcome": "Success", "count": 1,
            "detail": {"name": "r", "loginsRequired": 1, "perms": ["Audit:Read"], "management": false, "secondFactor": "None"},
        })]
    );
}

/// An administrator of a session, as records name them.
fn member(uuid: &str, name: &str) -> Value {
    let role = |id: RoleId, name| json!({"uuid": id, "name": name});
    let roles = [role(RoleId::ADMINISTRATOR, "Administrator"), role(RoleId::SECURITY_OFFICER, "Security Officer")];
    json!({"uuid": uuid, "name": name, "login": {"way": "Password"}, "source": "127.0.0.1", "roles": roles})
}

#[tokio::test]
async fn records_say_where_each_member_logged_in_and_which_server_wrote_them() {
    let app = TestApp::new().await;
    let (mut here, there) = (app.nobody(), [198, 51, 100, 7]);
    here.log_in("Admin1", PASSWORD).await;
    let here_half = items(&app.admin().await, "action=Login&pageSize=3").await;
    assert_eq!(here_half[2]["detail"]["fullyLoggedIn"], false);
    assert_eq!(here_half[2]["identities"].as_array().unwrap().len(), 1, "who logged in");
    assert_eq!(here_half[2]["identities"][0]["roles"][0]["name"], "Administrator");
    here = here.from(there);
    here.log_in("Admin2", PASSWORD).await;
    let here = here.from([127, 0, 0, 1]);
    here.post("/api/v2/roles", json!({"name": "r", "loginsRequired": 1, "perms": []})).await.response();
    let admin = app.admin().await;
    let found = items(&admin, "action=RoleCreate").await;
    let sources: Vec<_> = [0, 1].map(|member| found[0]["identities"][member]["source"].clone()).into();
    assert_eq!((&found[0]["source"], sources), (&json!("127.0.0.1"), vec![json!("127.0.0.1"), json!("198.51.100.7")]));
    let node = found[0]["node"].clone();
    let app = app.restarted().await;
    let admin = app.admin().await;
    admin.post("/api/v2/roles", json!({"name": "s", "loginsRequired": 1, "perms": []})).await.response();
    let found = items(&admin, "action=RoleCreate").await;
    assert_eq!(found[1]["node"], node);
    assert_ne!(found[0]["node"], node, "another run of the server");
}

#[tokio::test]
async fn an_application_logs_in_with_its_key_and_a_role_of_its_own() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let new = json!({"name": "till", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    let made = admin.post("/api/v2/identities", new).await.response().clone();
    let credentials = json!({"authType": "apikey", "authCredentials": {"apiKey": made["apiKey"]}});
    app.nobody().post("/home/v1/login", credentials).await;
    let id = made["uuid"].as_str().unwrap();
    let found = items(&admin, &format!("action=Login&identityUuid={id}")).await;
    let mut login = found[0]["identities"][0]["login"].clone();
    assert!(login["apiKey"].as_object_mut().unwrap().remove("uuid").is_some());
    assert_eq!(login, json!({"way": "ApiKey", "apiKey": {"name": "first key", "version": 1}}));
    let login = &found[0]["identities"][0]["login"];
    let expected = json!({"uuid": id, "name": "till", "login": login, "source": "127.0.0.1",
        "roles": [{"uuid": RoleId::APPLICATION, "name": "Application"}]});
    assert_eq!(found[0]["identities"], json!([expected]));
    let of_role = items(&admin, &format!("identityUuid={}", RoleId::APPLICATION)).await;
    assert_eq!(of_role, Vec::<Value>::new(), "a role is no identity");
}

/// Seats and records as a former release wrote them.
#[tokio::test]
async fn sessions_and_records_of_a_former_release_are_read() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    admin.post("/api/v2/roles", json!({"name": "r", "loginsRequired": 1, "perms": []})).await.response();
    let (one, two) = (admin.identity_uuid("Admin1").await, admin.identity_uuid("Admin2").await);
    let before = format!(r#"[{{"name":"Admin1","uuid":"{one}"}},{{"name":"Admin2","uuid":"{two}"}}]"#);
    app.harm(&format!("UPDATE audit SET identities = '{before}', node = NULL WHERE action = 'RoleCreate'"));
    let found = items(&admin, &format!("action=RoleCreate&identityUuid={two}")).await;
    assert_eq!(found[0]["identities"], json!([{"uuid": one, "name": "Admin1"}, {"uuid": two, "name": "Admin2"}]));
    assert_eq!(found[0].get("node"), None);
}

#[tokio::test]
async fn logins_beyond_the_rate_of_an_address_are_counted() {
    let logins = chancery_core::LoginLimits { per_minute: 3, ..Default::default() };
    let limits = chancery_core::Limits { logins, ..Default::default() };
    let app = TestApp::with(Setup { limits, ..Setup::default() }).await;
    let stranger = app.nobody().from([198, 51, 100, 7]);
    for _ in 0..5 {
        stranger.log_in("Admin1", "wrong").await;
    }
    let app = app.restarted().await;
    let found = items(&app.admin().await, "outcome=RateLimited").await;
    let [record] = &found[..] else { panic!("{found:?}") };
    let told = [&record["action"], &record["source"], &record["count"], &record["identities"]];
    assert_eq!(told, [&json!("Login"), &json!("198.51.100.7"), &json!(2), &json!([])]);
}

#[tokio::test]
async fn refusals_of_callers_are_recorded_one_by_one() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let clerk = app.person("clerk", &[RoleId::APPLICATION]).await;
    clerk.get(AUDIT).await.refused(403, "NotAuthorized", None);
    clerk.get(&format!("/api/v2/roles/{}", RoleId::AUDITOR)).await.refused(403, "NotAuthorized", None);
    let id = admin.identity_uuid("clerk").await;
    let found = items(&admin, &format!("identityUuid={id}&outcome=NotAuthorized")).await;
    let told: Vec<_> =
        found.iter().map(|item| (item["action"].as_str().unwrap(), item["objectUuid"].as_str())).collect();
    let auditor = RoleId::AUDITOR.to_string();
    assert_eq!(told, [("RoleRead", Some(auditor.as_str())), ("AuditRead", None)], "the newest first");
}

#[tokio::test]
async fn a_refused_further_login_is_recorded_with_its_identity() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let client = app.nobody();
    client.log_in("Admin1", PASSWORD).await;
    client.log_in("Admin1", PASSWORD).await;
    let found = items(&admin, "action=Login&outcome=InvalidAuthToken").await;
    assert_eq!((found.len(), &found[0]["identities"][0]["name"]), (1, &json!("Admin1")));
}

#[tokio::test]
async fn refusals_of_nobody_are_counted_by_source_and_minute() {
    let app = TestApp::new().await;
    let stranger = app.nobody().from([198, 51, 100, 7]);
    for _ in 0..3 {
        stranger.get(AUDIT).await.refused(401, "InvalidAuthToken", None);
    }
    stranger.log_in("Admin1", "wrong").await;
    stranger.with_bearer("forged").get(AUDIT).await.refused(401, "InvalidAuthToken", None);
    let app = app.restarted().await;
    let found = items(&app.admin().await, "outcome=InvalidAuthToken&action=ApiCall").await;
    let told: Vec<_> = found.iter().map(|item| (&item["source"], &item["count"], &item["identities"])).collect();
    assert_eq!(told, [(&json!("198.51.100.7"), &json!(4), &json!([]))]);
}

#[tokio::test]
async fn wrong_passwords_have_the_name_of_the_identity_and_unknown_names_a_hash_of_what_was_typed() {
    let app = TestApp::new().await;
    let stranger = app.nobody().from([198, 51, 100, 7]);
    for name in ["Admin1", "ADMIN1", "hunter2 typed as a name", "hunter2 typed as a name", "other"] {
        stranger.log_in(name, "wrong").await;
    }
    let app = app.restarted().await;
    let admin = app.admin().await;
    let found = items(&admin, "outcome=InvalidAuthToken&action=Login").await;
    let known: Vec<_> = found.iter().filter(|item| item["identities"] != json!([])).collect();
    let id = admin.identity_uuid("Admin1").await;
    assert_eq!(
        (known.len(), &known[0]["identities"], &known[0]["objectUuid"], &known[0]["count"], &known[0]["source"]),
        (1, &json!([{"uuid": id, "name": "Admin1"}]), &json!(id), &json!(2), &json!("198.51.100.7"))
    );
    let mut unknown: Vec<_> = found.iter().filter(|item| item["identities"] == json!([])).collect();
    unknown.sort_by_key(|item| item["count"].as_u64());
    let counts: Vec<_> = unknown.iter().map(|item| item["count"].as_u64().unwrap()).collect();
    assert_eq!(counts, [1, 2]);
    let hash = |item: &Value| item["detail"]["nameHash"].as_str().unwrap().to_owned();
    assert_eq!(hash(unknown[0]).len(), 64);
    assert_ne!(hash(unknown[0]), hash(unknown[1]));
    assert!(!admin.get(AUDIT).await.text().contains("hunter2"));
}

#[tokio::test]
async fn a_changed_role_identity_and_key_are_told_as_they_were_and_as_they_are() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let uuid = |reply: &crate::client::Reply| reply.response()["uuid"].as_str().unwrap().to_owned();
    let role = uuid(&admin.post("/api/v2/roles", json!({"name": "r", "loginsRequired": 1, "perms": []})).await);
    let change = json!({"name": "s", "perms": ["Audit:Read"]});
    admin.patch(&format!("/api/v2/roles/{role}"), change).await.response();
    let record = &items(&admin, &format!("objectUuid={role}&action=RoleChange")).await[0];
    assert_eq!(
        record["detail"],
        json!({"name": "r", "changes": [
            {"member": "/objInfo/name", "before": "r", "after": "s"},
            {"member": "/perms/0", "after": "Audit:Read"},
        ]})
    );
    let person = admin.create_person("ann", &[RoleId::APPLICATION]).await;
    let roles = json!({"roleUuids": [RoleId::APPROVER]});
    admin.patch(&format!("/api/v2/identities/{person}"), roles).await.response();
    admin.post_nothing(&format!("/api/v2/identities/{person}/lock")).await.response();
    let changes = |record: &Value| record["detail"]["changes"].clone();
    let found = items(&admin, &format!("objectUuid={person}&pageSize=2")).await;
    assert_eq!(changes(&found[0]), json!([{"member": "/locked", "before": false, "after": true}]));
    let told = changes(&found[1]);
    assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
    assert!(told[0]["member"].as_str().unwrap().ends_with("/0"), "{told}");
}

#[tokio::test]
async fn a_new_password_and_an_unlock_from_the_host_say_whose() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let ann = admin.create_person("ann", &[RoleId::APPLICATION]).await;
    app.clock.advance_ms(1_000);
    let password = json!({"password": chancery_types::Base64::encode(b"another one, and long")});
    admin.post(&format!("/api/v2/identities/{ann}/password"), password).await.response();
    admin.post_nothing(&format!("/api/v2/identities/{ann}/lock")).await.response();
    app.chancery.identities.unlock_from_host(&Host::running("chancery unlock"), "ANN").await.unwrap();
    let found = items(&admin, &format!("objectUuid={ann}&pageSize=3")).await;
    let change = json!({"member": "/locked", "before": true, "after": false});
    assert_eq!(found[0]["detail"], json!({"name": "ann", "changes": [change]}));
    assert_eq!((&found[0]["requestId"], &found[0]["identities"]), (&json!("chancery unlock"), &json!([])));
    let account = &found[0]["account"];
    assert!(account["uid"].is_number() && account["host"].as_str().is_some_and(|host| !host.is_empty()), "{account}");
    let reset = json!({"member": "/passwordResetAt", "after": "2026-06-21T12:00:01.500Z"});
    assert_eq!(found[2]["detail"], json!({"own": false, "name": "ann", "changes": [reset]}));
}

#[tokio::test]
async fn records_go_on_by_cursor_while_new_ones_come() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for number in 0..3 {
        admin.create_person(&format!("person {number}"), &[RoleId::APPLICATION]).await;
    }
    let all = items(&admin, "action=IdentityCreate").await;
    let first = admin.get(&format!("{AUDIT}?action=IdentityCreate&pageSize=1")).await.response().clone();
    assert_eq!(first["items"], json!([all[0]]));
    admin.create_person("person 3", &[RoleId::APPLICATION]).await;
    let next = first["next"].as_str().unwrap();
    let second = items(&admin, &format!("action=IdentityCreate&pageSize=2&after={next}")).await;
    assert_eq!(second, all[1..], "the new one does not shift the others");
}

#[tokio::test]
async fn no_password_key_or_token_is_in_any_record() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let new = json!({"name": "till", "kind": "Application", "roleUuids": [RoleId::APPLICATION]});
    let created = admin.post("/api/v2/identities", new).await;
    let key = created.response()["apiKey"].as_str().unwrap();
    let id = admin.create_person("clerk", &[RoleId::APPLICATION]).await;
    let other = chancery_types::Base64::encode(b"a password to be kept");
    admin.post(&format!("/api/v2/identities/{id}/password"), json!({"password": other})).await.response();
    app.nobody().log_in("clerk", "some wrong password").await;
    let records = app.restarted().await.admin().await.get(AUDIT).await;
    assert_ne!(records.response()["items"], json!([]));
    let encoded = chancery_types::Base64::encode(PASSWORD.as_bytes());
    let (bearer, cookie) = (admin.bearer.clone().unwrap(), admin.cookie().unwrap());
    let cookie = cookie.split_once('=').unwrap().1;
    for secret in
        [key, PASSWORD, &encoded, &other, "a password to be kept", "some wrong password", "argon2", &bearer, cookie]
    {
        assert!(!records.text().contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn pages_and_times() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for number in 0..3 {
        app.clock.advance_ms(1_000);
        admin.create_person(&format!("person {number}"), &[RoleId::APPLICATION]).await;
    }
    let all = items(&admin, "action=IdentityCreate").await;
    let second = admin.get(&format!("{AUDIT}?action=IdentityCreate&page=2&pageSize=1")).await;
    assert_eq!((&second.response()["items"], &second.response()["total"]), (&json!([all[1]]), &json!(3)));
    let query = "action=IdentityCreate&from=2026-06-21T12:00:02.500Z&to=2026-06-21T14:00:03.500%2B02:00";
    assert_eq!(items(&admin, query).await, [all[1].clone()]);
    for (query, code, field) in [
        ("page=0", "InvalidValue", "/page"),
        ("pageSize=1001", "InvalidValue", "/pageSize"),
        ("from=yesterday", "InvalidValue", "/from"),
        ("to=2026-06-21", "InvalidValue", "/to"),
        ("action=Nothing", "InvalidSelection", "/action"),
        ("outcome=Fine", "InvalidSelection", "/outcome"),
        ("identityUuid=x", "InvalidSelection", "/identityUuid"),
        ("objectUuid=x", "InvalidSelection", "/objectUuid"),
    ] {
        admin.get(&format!("{AUDIT}?{query}")).await.refused(400, code, Some(field));
    }
}

#[tokio::test]
async fn it_needs_audit_read() {
    let app = TestApp::new().await;
    app.nobody().get(AUDIT).await.refused(401, "InvalidAuthToken", None);
    app.person("clerk", &[RoleId::APPROVER]).await.get(AUDIT).await.refused(403, "NotAuthorized", None);
    app.person("auditor", &[RoleId::AUDITOR]).await.get(AUDIT).await.response();
}
