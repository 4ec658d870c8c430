//! GET /api/v2/audit/export.

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{app::TestApp, client::Client};

const EXPORT: &str = "/api/v2/audit/export";

async fn lines(client: &Client, query: &str) -> Vec<Value> {
    let reply = client.get(&format!("{EXPORT}?{query}")).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.headers["content-type"]),
        (200, &"application/x-ndjson".parse().unwrap())
    );
    assert!(reply.text().is_empty() || reply.text().ends_with('\n'));
    reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn it_has_what_the_list_has_of_every_page_and_is_recorded_itself() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let role = json!({"name": "r", "loginsRequired": 1, "perms": []});
    let role = admin.post("/api/v2/roles", role).await.response()["uuid"].as_str().unwrap().to_owned();
    // More than are read at a time.
    for number in 0..205 {
        admin.patch(&format!("/api/v2/roles/{role}"), json!({"name": format!("r{number}")})).await.response();
    }
    let listed = admin.get("/api/v2/audit?pageSize=1000&action=RoleChange").await.response()["items"].clone();
    let exported = lines(&admin, "action=RoleChange").await;
    assert_eq!((exported.len(), json!(exported)), (205, listed));
    let own = admin.get("/api/v2/audit?action=AuditExport").await.response()["items"].clone();
    assert_eq!(own[0]["detail"], json!({"filters": {"action": "RoleChange"}}));
    assert_eq!(own[0]["identities"][1]["name"], "Admin2");
    let all = lines(&admin, "").await;
    // A count of the calls before may be written meanwhile.
    let newest = all.iter().find(|record| record["action"] == "AuditExport").unwrap();
    assert_eq!(newest["detail"], json!({"filters": {}}), "its own record is there");
}

#[tokio::test]
async fn each_filter_holds_and_a_wrong_one_is_refused_before_anything_is_recorded() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let ann = admin.create_person("ann", &[RoleId::AUDITOR]).await;
    admin.post_nothing(&format!("/api/v2/identities/{ann}/lock")).await.response();
    let node = lines(&admin, "action=IdentityLock").await[0]["node"].as_str().unwrap().to_owned();
    let admin_id = admin.identity_uuid("Admin1").await;
    for (query, actions) in [
        (format!("objectUuid={ann}"), vec!["IdentityLock", "IdentityCreate"]),
        (format!("objectUuid={ann}&identityUuid={admin_id}&nodeUuid={node}"), vec!["IdentityLock", "IdentityCreate"]),
        (format!("objectUuid={admin_id}&concerns=Access"), vec![]),
        (format!("concerns=Access&nodeUuid={node}"), vec!["IdentityLock", "IdentityCreate"]),
        (format!("action=IdentityLock&nodeUuid={ann}"), vec![]),
        ("from=2027-01-01T00:00:00Z".to_owned(), vec![]),
    ] {
        let found = lines(&admin, &query).await;
        let found: Vec<_> = found.iter().map(|record| record["action"].as_str().unwrap()).collect();
        assert_eq!(found, actions, "{query}");
    }
    let before = lines(&admin, "action=AuditExport").await.len();
    for (query, code, field) in [
        ("from=yesterday", "InvalidValue", "/from"),
        ("concerns=Everything", "InvalidSelection", "/concerns"),
        ("nodeUuid=x", "InvalidSelection", "/nodeUuid"),
    ] {
        admin.get(&format!("{EXPORT}?{query}")).await.refused(400, code, Some(field));
    }
    assert_eq!(lines(&admin, "action=AuditExport").await.len(), before + 1);
}

#[tokio::test]
async fn the_ledger_has_each_record_as_it_is_its_leaf_and_then_what_proves_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for number in 0..205 {
        admin
            .post("/api/v2/roles", json!({"name": format!("r{number}"), "loginsRequired": 1, "perms": []}))
            .await
            .response();
    }
    let exported = lines(&admin, "ledger=true").await;
    let (records, proof): (Vec<_>, Vec<_>) = exported.into_iter().partition(|line| line.get("number").is_some());
    // The minted token of this session is recorded beside its calls: by a machine that is slow, behind them; and on PostgreSQL
    // what commits late has a lower number and a later leaf.
    let own = records.iter().rfind(|record| record["action"] == "AuditExport").unwrap();
    assert_eq!(own["detail"], json!({"filters": {"ledger": true}}));
    let mut leaves: Vec<_> = records.iter().map(|record| record["leaf"].as_u64().unwrap()).collect();
    leaves.sort_unstable();
    assert_eq!(leaves, (0..records.len() as u64).collect::<Vec<_>>());
    let plain: Vec<_> = lines(&admin, "to=2100-01-01T00:00:00Z").await;
    let same = plain.iter().find(|record| record["number"] == records[7]["number"]).unwrap();
    let mut without = records[7].clone();
    without.as_object_mut().unwrap().remove("leaf");
    assert_eq!(&without, same);
    let newest = admin.get("/api/v2/audit/checkpoint").await.response().clone();
    let kinds = ["leafHashes", "checkpoint", "ledgerKey"]
        .map(|kind| proof.iter().filter(|line| line.get(kind).is_some()).count());
    assert_eq!((kinds[0], kinds[2], kinds.iter().sum::<usize>()), (records.len().div_ceil(256), 1, proof.len()));
    assert_eq!(proof.last().unwrap()["ledgerKey"], newest["key"]);
    admin.get(&format!("{EXPORT}?ledger=true&action=Login")).await.refused(400, "InvalidValue", Some("/ledger"));
}

#[tokio::test]
async fn it_needs_audit_read_and_a_refusal_is_recorded() {
    let app = TestApp::new().await;
    app.nobody().get(EXPORT).await.refused(401, "InvalidAuthToken", None);
    app.person("clerk", &[RoleId::APPROVER]).await.get(EXPORT).await.refused(403, "NotAuthorized", None);
    let admin = app.admin().await;
    let refused = admin.get("/api/v2/audit?action=AuditExport").await.response()["items"].clone();
    assert_eq!((&refused[0]["outcome"], &refused[0]["detail"]), (&json!("NotAuthorized"), &Value::Null));
}

/// An image on a page at a sibling's name, which the browser loads with the session's cookie.
#[tokio::test]
async fn a_page_of_another_origin_makes_no_record_in_the_names_of_the_session() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let browser = admin.with_cookie_alone();
    let image = |site: &str| {
        let request = axum::http::Request::get(EXPORT).header("Host", "kms.test").header("Sec-Fetch-Site", site);
        request.header("Sec-Fetch-Dest", "image").body(axum::body::Body::empty()).unwrap()
    };
    for site in ["same-site", "cross-site"] {
        browser.call(image(site)).await.refused(403, "NotAuthorized", None);
    }
    assert_eq!(admin.get("/api/v2/audit?action=AuditExport").await.response()["items"], json!([]));
    assert_eq!(browser.call(image("same-origin")).await.status.as_u16(), 200);
    let made = admin.get("/api/v2/audit?action=AuditExport").await.response()["items"].clone();
    assert_eq!(made.as_array().unwrap().len(), 1);
}
