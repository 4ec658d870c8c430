//! GET /api/v2/x509/signing-requests.

use serde_json::{Value, json};

use crate::app::Setup;
use crate::signing::{REQUESTS, Signing, deny, submission, submit};

fn uuids(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["uuid"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn requests_are_listed_by_name_and_filtered() {
    let signing = Signing::new().await;
    let (waiting, at_once) = (signing.deploy("waiting", 1).await, signing.deploy("at once", 0).await);
    let mut body = submission(&waiting, b"a");
    body["name"] = json!("zebra");
    let zebra = signing.admin.post(REQUESTS, body).await;
    let zebra = zebra.response()["uuid"].as_str().unwrap();
    let signed = signing.submit(&at_once, b"b").await;
    let denied = signing.submit(&waiting, b"c").await;
    deny(&signing.admin, &denied).await.response();

    let all = signing.admin.get(REQUESTS).await;
    let mut expected = [signed.as_str(), &denied];
    expected.sort_unstable();
    assert_eq!((uuids(all.response()), &all.response()["total"]), ([&expected[..], &[zebra]].concat(), &json!(3)));
    for (query, expected) in [
        ("state=Approval", vec![zebra]),
        ("state=Signed", vec![&signed]),
        ("state=Denied", vec![&denied]),
        ("state=Failed", vec![]),
        ("search=EBR", vec![zebra]),
        ("page=3&pageSize=1", vec![zebra]),
    ] {
        let reply = signing.admin.get(&format!("{REQUESTS}?{query}")).await;
        assert_eq!(uuids(reply.response()), expected, "{query}");
    }
    let item = signing.admin.get(&format!("{REQUESTS}?state=Signed")).await;
    assert_eq!(
        item.response()["items"][0],
        json!({
            "objInfo": {"name": "release", "uuid": signed},
            "uuid": signed,
            "name": "release",
            "state": "Signed",
            "approvalState": "Approved",
            "serviceUuid": at_once.uuid,
            "policyUuid": at_once.policy,
            "submittedAt": "2026-06-21T12:00:00Z",
            "approvalDigest": "PiPoFgA5WUoziU9lZOGxNIu9egCI1CxKy3PurtWcAJ0=",
        })
    );
}

#[tokio::test]
async fn submitters_see_the_own_requests() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let (one, other) = (signing.person("one", &role).await, signing.person("other", &role).await);
    let request = submit(&one, &service, b"x").await;
    signing.submit(&service, b"y").await;
    let seen = one.get(REQUESTS).await;
    assert_eq!((uuids(seen.response()), &seen.response()["total"]), (vec![request.as_str()], &json!(1)));
    assert_eq!(other.get(REQUESTS).await.response()["total"], 0);
    assert_eq!(signing.approver("ann").await.get(REQUESTS).await.response()["total"], 2);
}

#[tokio::test]
async fn refusals() {
    let signing = Signing::new().await;
    signing.admin.get(&format!("{REQUESTS}?state=signed")).await.refused(400, "InvalidSelection", Some("/state"));
    signing.admin.get(&format!("{REQUESTS}?pageSize=0")).await.refused(400, "InvalidValue", Some("/pageSize"));
    signing.app.nobody().get(REQUESTS).await.refused(401, "InvalidAuthToken", None);
    let role = signing.role("reader", &["Audit:Read"]).await;
    signing.person("rae", &role).await.get(REQUESTS).await.refused(403, "NotAuthorized", None);
}

#[tokio::test]
async fn a_list_goes_on_after_its_last_item_whatever_came_in_between() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let submit = |name: &'static str| {
        let (admin, mut body) = (&signing.admin, submission(&service, b"x"));
        body["name"] = json!(name);
        async move { admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned() }
    };
    let (b, d, f) = (submit("b").await, submit("d").await, submit("f").await);
    for filter in ["", "&state=Approval", "&search=", "&state=Approval&search="] {
        let first = signing.admin.get(&format!("{REQUESTS}?pageSize=2{filter}")).await.response().clone();
        let next = first["next"].as_str().unwrap();
        assert_eq!((uuids(&first), &first["total"]), (vec![b.as_str(), &d], &json!(3)), "{filter}");
        let second = signing.admin.get(&format!("{REQUESTS}?pageSize=2&after={next}{filter}")).await.response().clone();
        assert_eq!((uuids(&second), &second["next"], &second["total"]), (vec![f.as_str()], &Value::Null, &json!(3)));
    }
    let first = signing.admin.get(&format!("{REQUESTS}?pageSize=1")).await.response().clone();
    let next = first["next"].as_str().unwrap();
    submit("a").await;
    let c = submit("c").await;
    let second = signing.admin.get(&format!("{REQUESTS}?pageSize=2&after={next}")).await;
    assert_eq!(uuids(second.response()), [c.as_str(), &d], "neither one twice nor one left out");
    let of_service = format!("/api/v2/x509/services/{}/signing-requests?pageSize=2&after={next}", service.uuid);
    assert_eq!(uuids(signing.admin.get(&of_service).await.response()), [c.as_str(), &d]);

    for (query, field) in [
        (format!("page=1&after={next}"), "/page"),
        ("after=nothing".to_owned(), "/after"),
        ("after=".to_owned(), "/after"),
        ("page=300&pageSize=1000".to_owned(), "/page"),
    ] {
        signing.admin.get(&format!("{REQUESTS}?{query}")).await.refused(400, "InvalidValue", Some(field));
    }
}

#[tokio::test]
async fn requests_are_found_by_what_their_submitters_claim() {
    let signing = Signing::new().await;
    let service = signing.deploy("builds", 1).await;
    let role = signing.role("submitter", &["Signing:Submit"]).await;
    let other = signing.person("other", &role).await;
    let mut body = submission(&service, b"x");
    body["note"] = json!("Fixes the Überlauf\n(ticket 7)");
    body["metadata"] = json!({"commit": "abc=", "build": "17"});
    let claimed = signing.admin.post(REQUESTS, body).await.response()["uuid"].as_str().unwrap().to_owned();
    let bare = signing.submit(&service, b"y").await;
    for (query, expected) in [
        ("metadata.commit=abc%3D", vec![&claimed]),
        ("metadata.commit=abc=&metadata.build=17&state=Approval", vec![&claimed]),
        ("metadata.commit=abc=&metadata.build=18", vec![]),
        ("metadata.commit=17", vec![]),
        ("metadata.commit=abc=&state=Signed", vec![]),
        ("metadata.commit=abc=&state=Failed", vec![]),
        ("search=%C3%BCBERLAUF", vec![&claimed]),
        ("search=17", vec![&claimed]),
        ("search=release&state=Approval&pageSize=1&page=1", vec![std::cmp::min(&claimed, &bare)]),
    ] {
        let reply = signing.admin.get(&format!("{REQUESTS}?{query}")).await;
        assert_eq!(uuids(reply.response()), expected, "{query}");
        assert!(uuids(other.get(&format!("{REQUESTS}?{query}")).await.response()).is_empty(), "{query}");
    }
    let all = signing.admin.get(&format!("{REQUESTS}?search=ticket")).await;
    let item = &all.response()["items"][0];
    assert_eq!(item["metadata"], json!({"commit": "abc=", "build": "17"}));
    assert_eq!(item["note"], "Fixes the Überlauf\n(ticket 7)");
}

#[tokio::test]
async fn all_requests_are_counted_and_of_those_that_match_so_many() {
    let mut setup = Setup::default();
    setup.limits.lists.count_max = 2;
    let signing = Signing::with(setup).await;
    let service = signing.deploy("builds", 1).await;
    for payload in [b"a", b"b", b"c", b"d"] {
        signing.submit(&service, payload).await;
    }
    for (query, total, is_at_least) in [
        ("", 4, Value::Null),
        ("?pageSize=1&page=2", 4, Value::Null),
        ("?state=Approval", 2, json!(true)),
        ("?search=release", 2, json!(true)),
        ("?state=Signed", 0, Value::Null),
    ] {
        let list = signing.admin.get(&format!("{REQUESTS}{query}")).await;
        assert_eq!(
            (&list.response()["total"], &list.response()["totalIsAtLeast"]),
            (&json!(total), &is_at_least),
            "{query}"
        );
    }
    let records = signing.admin.get("/api/v2/audit?pageSize=1").await;
    assert!(records.response()["total"].as_u64().unwrap() > 2, "{}", records.text());
    assert_eq!(records.response()["totalIsAtLeast"], Value::Null);
}

#[tokio::test]
async fn a_list_that_waits_too_long_is_told_to_come_again() {
    let mut setup = Setup::default();
    setup.limits.lists.at_once = 1;
    setup.limits.lists.wait_max = std::time::Duration::ZERO;
    let signing = Signing::with(setup).await;
    signing.admin.get(REQUESTS).await.response();
    let (admin, mut refused) = (&signing.admin, 0);
    // Two of several come at the same time; while one is read, another waits, and no list may.
    for _ in 0..50 {
        let lists = (0..8).map(|_| admin.get(REQUESTS));
        for reply in futures::future::join_all(lists).await {
            if reply.status == 200 {
                continue;
            }
            reply.refused(429, "RateLimited", None);
            refused += 1;
        }
        if refused > 0 {
            break;
        }
    }
    assert!(refused > 0, "one list is read at a time");
    signing.admin.get(REQUESTS).await.response();
}
