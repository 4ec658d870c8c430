//! Budgets of signing policies, and GET /api/v2/x509/signing-policies/{uuid}/budgets.

use axum::http::header::RETRY_AFTER;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, Setup, TestApp},
    client::{Client, Reply},
    signing::{PROPOSALS, REQUESTS, Service, Signing, approve, deny, statement_digest, submission, submit},
};

/// SHA-256 of `a`, `b` and `c`.
const A: &str = "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=";
const B: &str = "PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=";
const C: &str = "Ln0sA6lQeuJl7PW1NWiFpTOTogKdJBOUmXJloaJa78Y=";

async fn deploy(signing: &Signing, num_approvals: u32, budgets: Value) -> Service {
    let rules = json!({"budgets": budgets});
    signing.deploy_with("builds", num_approvals, |body| body["pkisigning"]["rules"] = rules).await
}

async fn sign(client: &Client, service: &Service) -> Reply {
    client.post(REQUESTS, submission(service, b"x")).await
}

async fn manifest(client: &Client, service: &Service, digests: &[&str]) -> Reply {
    let items: Vec<_> = digests.iter().map(|digest| json!({"name": digest, "digest": digest})).collect();
    let body = json!({"name": "all", "serviceUuid": service.uuid, "policyUuid": service.policy, "items": items});
    client.post(REQUESTS, body).await
}

fn path(service: &Service) -> String {
    format!("/api/v2/x509/signing-policies/{}/budgets", service.policy)
}

/// How much of each window is used.
async fn used(client: &Client, service: &Service) -> Vec<u64> {
    let reply = client.get(&path(service)).await;
    reply.response()["budgets"].as_array().unwrap().iter().map(|one| one["used"].as_u64().unwrap()).collect()
}

/// A refusal that says when there is room again.
#[track_caller]
fn used_up(reply: &Reply, retry_after: &str, window: &str) {
    reply.refused(429, "RateLimited", None);
    assert_eq!(reply.headers[RETRY_AFTER], retry_after, "{}", reply.text());
    assert!(reply.text().contains(window), "{}", reply.text());
}

#[tokio::test]
async fn a_window_has_so_many_signatures_however_they_are_asked_for() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 0, json!([{"count": 4, "per": "Minute"}, {"count": 6, "per": "Day"}])).await;
    let admin = &signing.admin;
    sign(admin, &service).await.response();
    let by_digest = json!({"name": "d", "serviceUuid": service.uuid, "policyUuid": service.policy, "digest": A});
    admin.post(REQUESTS, by_digest).await.response();
    used_up(
        &manifest(admin, &service, &[A, B, C]).await,
        "60",
        "4 signatures per Minute, until 2026-06-21T12:01:00.000Z",
    );
    assert_eq!(used(admin, &service).await, [2, 2], "what does not fit costs nothing");
    manifest(admin, &service, &[A, B]).await.response();
    used_up(&sign(admin, &service).await, "60", "4 signatures per Minute");
    signing.app.clock.advance_ms(60_000);
    manifest(admin, &service, &[B, C]).await.response();
    used_up(&sign(admin, &service).await, "43140", "6 signatures per Day");
    let found = admin.get(&path(&service)).await.response()["budgets"].clone();
    let minute = json!({
        "count": 4, "per": "Minute", "each": false, "startsAt": "2026-06-21T12:01:00.000Z",
        "endsAt": "2026-06-21T12:02:00.000Z", "used": 2, "left": 2,
    });
    assert_eq!((&found[0], &found[1]["left"]), (&minute, &json!(0)));
    let listed = admin.get(&format!("/api/v2/x509/services/{}/signing-requests", service.uuid)).await;
    assert_eq!(listed.response()["total"], 4, "what is refused leaves nothing");
}

#[tokio::test]
async fn bare_signatures_are_counted_as_all_others() {
    let signing = Signing::new().await;
    let raw = |body: &mut Value| {
        body["pkisigning"]["signingFormat"] = json!("Raw");
        body["pkisigning"]["rules"] = json!({"budgets": [{"count": 1, "per": "Hour"}]});
    };
    let service = signing.deploy_with("raw", 0, raw).await;
    sign(&signing.admin, &service).await.response();
    used_up(&sign(&signing.admin, &service).await, "3600", "1 signatures per Hour");
}

#[tokio::test]
async fn each_submitter_has_as_many_and_both_of_a_session_pay() {
    let signing = Signing::new().await;
    let budgets = json!([{"count": 2, "per": "Hour", "each": true}, {"count": 4, "per": "Hour"}]);
    let service = deploy(&signing, 0, budgets).await;
    let role = signing.role("ci", &["Signing:Submit"]).await;
    let (ann, bob) = (signing.person("ann", &role).await, signing.person("bob", &role).await);
    for _ in 0..2 {
        sign(&ann, &service).await.response();
    }
    used_up(&sign(&ann, &service).await, "3600", "2 signatures of one identity per Hour");
    sign(&bob, &service).await.response();
    // A session of two.
    sign(&signing.admin, &service).await.response();
    used_up(&sign(&bob, &service).await, "3600", "4 signatures per Hour");
    let found = signing.admin.get(&path(&service)).await.response()["budgets"].clone();
    let each = found.as_array().unwrap().iter().filter(|one| one["each"] == true).collect::<Vec<_>>();
    let used: Vec<_> = each.iter().map(|one| one["used"].as_u64().unwrap()).collect();
    assert_eq!(used, [2, 1, 1, 1], "{found}");
    assert!(each.iter().all(|one| one["identityUuid"].is_string()), "{found}");
}

#[tokio::test]
async fn it_is_counted_with_the_last_approval_for_whoever_submitted() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 1, json!([{"count": 1, "per": "Hour", "each": true}])).await;
    let role = signing.role("ci", &["Signing:Submit"]).await;
    let (ann, bob) = (signing.person("ann", &role).await, signing.person("bob", &role).await);
    let lead = signing.approver("lead").await;
    let mut waiting = Vec::new();
    for payload in [b"1", b"2", b"3"] {
        waiting.push(submit(&ann, &service, payload).await);
    }
    let of_bob = submit(&bob, &service, b"4").await;
    deny(&lead, &waiting[2]).await.response();
    assert_eq!(used(&signing.admin, &service).await, [] as [u64; 0], "what waits or is denied costs nothing");
    approve(&lead, &waiting[0]).await.response();
    used_up(&approve(&lead, &waiting[1]).await, "3600", "1 signatures of one identity per Hour");
    assert_eq!(signing.read(&waiting[1]).await["approvals"], json!([]), "and it waits on");
    approve(&lead, &of_bob).await.response();
    assert_eq!(used(&signing.admin, &service).await, [1, 1]);
    signing.app.clock.advance_ms(3_600_000);
    let lead = signing.app.logged_in(&[("lead", PASSWORD)]).await;
    assert_eq!(approve(&lead, &waiting[1]).await.response()["state"], "Signed");
}

#[tokio::test]
async fn what_was_approved_beforehand_is_counted_too() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 1, json!([{"count": 1, "per": "Hour"}])).await;
    let body = json!({"name": "nightly", "policyUuid": service.policy, "digests": [A, B]});
    let proposed = signing.admin.post("/api/v2/x509/pre-approvals", body).await;
    let id = proposed.response()["uuid"].as_str().unwrap().to_owned();
    let lead = signing.approver("lead").await;
    lead.post(&format!("{PROPOSALS}/{id}/approve"), json!({})).await.response();
    let request = submit(&signing.admin, &service, b"a").await;
    assert_eq!(signing.words(&request).await, ["Signed", "Approved"]);
    used_up(&signing.admin.post(REQUESTS, submission(&service, b"b")).await, "3600", "1 signatures per Hour");
    let detail = signing.admin.get(&format!("{PROPOSALS}/{id}")).await;
    assert_eq!(detail.response()["preApproval"]["uses"], 1, "{}", detail.text());
}

#[tokio::test]
async fn what_is_not_stored_is_put_back() {
    let signing = Signing::new().await;
    let rules = json!({"budgets": [{"count": 5, "per": "Day"}], "signaturesPerHour": 1});
    let service = signing.deploy_with("builds", 0, |body| body["pkisigning"]["rules"] = rules).await;
    sign(&signing.admin, &service).await.response();
    for _ in 0..6 {
        // The key has signed, and the transaction says no.
        sign(&signing.admin, &service).await.refused(429, "RateLimited", None);
    }
    assert_eq!(used(&signing.admin, &service).await, [1]);
}

#[tokio::test]
async fn one_decision_over_many_is_counted_for_all_of_them_or_for_none() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 1, json!([{"count": 3, "per": "Day"}])).await;
    let lead = signing.approver("lead").await;
    let mut uuids = Vec::new();
    for n in 0..4 {
        uuids.push(signing.submit(&service, &[n]).await);
    }
    let decide = async |uuids: &[String]| {
        let listed: Vec<_> = uuids.iter().map(String::as_str).collect();
        let digest = statement_digest(&signing.admin, "Approve", &listed).await;
        let body = json!({"uuids": uuids, "decision": "Approve", "digest": digest});
        lead.post(&format!("{REQUESTS}/batch-approve-deny"), body).await
    };
    let refused = decide(&uuids).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json["errorCode"]),
        (429, &json!("RateLimited")),
        "{}",
        refused.text()
    );
    assert_eq!(refused.headers[RETRY_AFTER], "43200");
    assert!(refused.text().contains("3 signatures per Day"), "{}", refused.text());
    assert_eq!(used(&signing.admin, &service).await, [0], "all or none");
    decide(&uuids[..3]).await.response();
    assert_eq!(used(&signing.admin, &service).await, [3]);
    let each = json!({"uuids": [uuids[3]], "decision": "Approve"});
    let each = lead.post(&format!("{REQUESTS}/batch-approve-deny"), each).await;
    assert_eq!(each.response()["results"][0]["errorCode"], "RateLimited", "one by one it says so, too");
}

#[tokio::test]
async fn four_fifths_are_told() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 0, json!([{"count": 5, "per": "Hour"}])).await;
    for _ in 0..5 {
        sign(&signing.admin, &service).await.response();
    }
    let found = signing.admin.get("/api/v2/audit?action=BudgetWarn").await.response()["items"].clone();
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    let detail = json!({
        "name": "builds", "operation": "Sign", "count": 5, "per": "Hour", "each": false,
        "endsAt": "2026-06-21T13:00:00.000Z",
    });
    assert_eq!((&found[0]["detail"], &found[0]["objectUuid"]), (&detail, &json!(service.policy)));
    let notices = signing.admin.get("/api/v2/notices?kind=BudgetLow").await.response()["items"].clone();
    assert_eq!(
        (&notices[0]["objectKind"], &notices[0]["objectUuid"]),
        (&json!("SigningPolicy"), &json!(service.policy)),
        "{notices}"
    );
}

#[tokio::test]
async fn what_no_budget_can_be_is_refused_with_its_place() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 0, json!([{"count": 2, "per": "Day"}])).await;
    manifest(&signing.admin, &service, &[A, B, C]).await.refused(400, "InvalidValue", Some("/items"));
    let policy = path(&service).replace("/budgets", "");
    for (budgets, code, field) in [
        (json!([{"count": 0, "per": "Day"}]), "InvalidValue", "/rules/budgets/0/count"),
        (json!([{"count": 1_000_000_000_001_u64, "per": "Day"}]), "InvalidValue", "/rules/budgets/0/count"),
        (json!([{"count": 1, "per": "Day"}, {"count": 2, "per": "Day"}]), "InvalidValue", "/rules/budgets/1/per"),
        (json!([{"count": 1, "per": "Year"}]), "InvalidSelection", "/rules/budgets/0/per"),
        (json!([{"per": "Day"}]), "ArgumentParseError", "/rules/budgets/0/count"),
    ] {
        let refused = signing.admin.patch(&policy, json!({"rules": {"budgets": budgets}})).await;
        refused.refused(400, code, Some(field));
    }
    let beneath = signing.admin.post(crate::signing::DEPLOY, {
        let mut body = signing.deployment("other", 0);
        body["pkisigning"]["rules"] = json!({"budgets": [{"count": 0, "per": "Day"}]});
        body
    });
    beneath.await.refused(400, "InvalidValue", Some("/pkisigning/rules/budgets/0/count"));
}

#[tokio::test]
async fn a_changed_budget_takes_approvals_and_then_holds_at_once() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 1, json!([{"count": 2, "per": "Day"}])).await;
    let (first, second) = (signing.submit(&service, b"a").await, manifest(&signing.admin, &service, &[B, C]).await);
    let lead = signing.approver("lead").await;
    approve(&lead, &first).await.response();
    let second = second.response()["uuid"].as_str().unwrap().to_owned();
    used_up(&approve(&lead, &second).await, "43200", "2 signatures per Day");
    let change = async |count: u64| {
        let rules = json!({"budgets": [{"count": count, "per": "Day"}]});
        signing.admin.patch(&path(&service).replace("/budgets", ""), json!({"rules": rules})).await
    };
    let more = change(3).await;
    used_up(&approve(&lead, &second).await, "43200", "2 signatures per Day");
    assert_eq!(signing.agreed(&more).await["rules"]["budgets"][0]["count"], 3);
    signing.agreed(&change(1).await).await;
    approve(&lead, &second).await.refused(409, "InvalidState", None);
    signing.agreed(&change(3).await).await;
    assert_eq!(approve(&lead, &second).await.response()["state"], "Signed");
    assert_eq!(used(&signing.admin, &service).await, [3], "what is used stays used");
}

/// Sixteen clients that go on until there is nothing left; how many signatures they got.
async fn sixteen(clients: Vec<Client>, service: &Service) -> u64 {
    let tasks = clients.into_iter().map(|client| {
        let service = service.clone();
        tokio::spawn(async move {
            let mut got = 0;
            // Three at a time, then one by one.
            loop {
                match manifest(&client, &service, &[A, B, C]).await.status.as_u16() {
                    200 => got += 3,
                    429 => break,
                    other => panic!("{other}"),
                }
            }
            loop {
                match sign(&client, &service).await.status.as_u16() {
                    200 => got += 1,
                    429 => break got,
                    other => panic!("{other}"),
                }
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut got = 0;
    for task in tasks {
        got += task.await.unwrap();
    }
    got
}

/// How many signatures the transparency log tells of, or would.
async fn signed(admin: &Client, service: &Service) -> u64 {
    let (mut count, mut after) = (0, String::new());
    loop {
        let path = format!("/api/v2/x509/services/{}/signing-requests?pageSize=1000{after}", service.uuid);
        let page = admin.get(&path).await.response().clone();
        for request in page["items"].as_array().unwrap() {
            assert_eq!(request["state"], "Signed");
            count += if request["name"] == "all" { 3 } else { 1 };
        }
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return count,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_clients_get_exactly_as_many_signatures_as_there_are() {
    let signing = Signing::new().await;
    let service = deploy(&signing, 0, json!([{"count": 500, "per": "Day"}, {"count": 499, "per": "Month"}])).await;
    let mut clients = Vec::new();
    for _ in 0..16 {
        clients.push(signing.app.admin().await);
    }
    assert_eq!(sixteen(clients, &service).await, 499);
    assert_eq!(used(&signing.admin, &service).await, [499, 499]);
    assert_eq!(signed(&signing.admin, &service).await, 499);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_nodes_never_sign_more() {
    let signing = Signing::with(Setup { postgres: true, ..Setup::default() }).await;
    let service = deploy(&signing, 0, json!([{"count": 640, "per": "Day"}])).await;
    let nodes = [signing.app.routes.clone(), signing.app.other_node().await];
    let mut clients = Vec::new();
    for index in 0..16 {
        let mut client = Client::new(nodes[index % 2].clone());
        client.bearer = signing.app.admin().await.bearer;
        clients.push(client);
    }
    let got = sixteen(clients, &service).await;
    // A slice of ten at most is left with the one that did not take the last.
    assert!((640 - 10..=640).contains(&got), "{got}");
    assert_eq!(signed(&signing.admin, &service).await, got);
}

#[tokio::test]
async fn a_kill_loses_no_count_on_sqlite_and_a_stop_gives_back() {
    let signing = Signing::new().await;
    if signing.app.is_on_postgres() {
        return;
    }
    let service = deploy(&signing, 0, json!([{"count": 200, "per": "Day"}])).await;
    for _ in 0..7 {
        sign(&signing.admin, &service).await.response();
    }
    let Signing { app, admin, .. } = signing;
    drop(admin);
    let app: TestApp = app.killed().await;
    let admin = app.admin().await;
    assert_eq!(used(&admin, &service).await, [7]);
    manifest(&admin, &service, &[A, B, C]).await.response();
    let app = app.restarted().await;
    let admin = app.admin().await;
    assert_eq!(used(&admin, &service).await, [10]);
    let mut got = 10;
    while sign(&admin, &service).await.status.as_u16() == 200 {
        got += 1;
    }
    assert_eq!(got, 200);
}

#[tokio::test]
async fn it_needs_services_deploy() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 0).await;
    assert_eq!(used(&signing.admin, &service).await, [] as [u64; 0]);
    signing.approver("ann").await.get(&path(&service)).await.refused(403, "NotAuthorized", None);
    signing.app.nobody().get(&path(&service)).await.refused(401, "InvalidAuthToken", None);
    let missing = path(&service).replace(&service.policy, "11111111-1111-1111-1111-111111111111");
    signing.admin.get(&missing).await.refused(404, "InvalidSelection", None);
}
