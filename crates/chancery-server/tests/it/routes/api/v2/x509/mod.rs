//! GET /api/v2/x509.

mod approval;
mod cert_profiles;
mod crls;
mod download;
mod elsewhere;
mod generate;
mod generate_names;
mod import;
mod import_checks;
mod import_key;
mod import_successors;
mod import_weak_keys;
mod issue_approvals;
mod issuer_limits;
mod name_constraints;
mod namesakes;
mod policy_proposals;
mod pre_approvals;
mod proposals;
mod rekey;
mod release;
mod renew;
mod requests;
mod revoke;
mod services;
mod signing_policies;
mod signing_requests;
mod uuid;

use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    certificates::{body, generate, issued, key_type, root, with},
    client::Client,
};

/// The names that a query finds, and the next page.
async fn found(client: &Client, query: &str) -> (Vec<String>, Option<String>) {
    let reply = client.get(&format!("/api/v2/x509?{query}")).await;
    let response = reply.response();
    let name = |stub: &Value| stub["objInfo"]["name"].as_str().unwrap().to_owned();
    let names = response["results"].as_array().unwrap().iter().map(name).collect();
    (names, response["next"].as_str().map(str::to_owned))
}

/// A root `R`, under it the clients `a`, `B` (revoked), `c` (on hold) and `d` (Ed25519, one day).
async fn inventory(client: &Client) -> String {
    let root = root(client).await;
    let ed25519 = key_type(client, "Ed25519 Signing").await;
    for name in ["a", "B", "c", "d"] {
        let mut wanted = with(
            body(client, "TLS Client").await,
            json!({"issuerUuid": root, "subjectOneline": format!("CN={name},O=Leaves")}),
        );
        if name == "d" {
            let day = json!({"validityPeriod": {"unit": "Day", "amount": "1"}});
            wanted = with(wanted, json!({"certParams": day, "newKey": {"keyTypeUuid": ed25519}}));
        }
        let made = generate(client, wanted).await;
        let revoke = format!("/api/v2/x509/{}/revoke", made["certificateUuid"].as_str().unwrap());
        let reason = match name {
            "B" => "superseded",
            "c" => "certificateHold",
            _ => continue,
        };
        client.post(&revoke, json!({"reason": reason})).await.response();
    }
    root
}

#[tokio::test]
async fn certificates_are_found_by_what_they_say() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = inventory(&client).await;
    app.clock.advance_ms(24 * 3_600 * 1_000 + 1_000);
    let client = app.admin().await;
    let own = "Root Certificate Authority of the test";
    for (query, names) in [
        (String::new(), vec!["a", "B", "c", "d", own]),
        ("search=o=lEAVES".to_owned(), vec!["a", "B", "c", "d"]),
        ("search=%25".to_owned(), vec![]),
        (format!("issuer={root}&status=Valid"), vec!["a", own]),
        ("status=Revoked".to_owned(), vec!["B"]),
        ("status=Held".to_owned(), vec!["c"]),
        ("status=Expired".to_owned(), vec!["d"]),
        ("keyAlgorithm=Ed25519".to_owned(), vec!["d"]),
        ("keyAlgorithm=Rsa".to_owned(), vec![]),
        ("expiresBefore=2027-06-21T12:00:00Z".to_owned(), vec!["d"]),
        ("expiresBefore=2027-06-21T12:00:01Z&status=Valid".to_owned(), vec!["a"]),
        ("issuer=00000000-0000-0000-0000-000000000000".to_owned(), vec![]),
        ("search=o%3Dleaves%25".to_owned(), vec![]),
        ("search=_%3Dleaves".to_owned(), vec![]),
        ("name=b".to_owned(), vec!["B"]),
        ("name=ROOT%20c&issuer=00000000-0000-0000-0000-000000000000".to_owned(), vec![]),
        ("name=Root%20C".to_owned(), vec![own]),
        ("name=oot".to_owned(), vec![]),
        ("expiresBefore=2100-01-01T00:00:00Z&name=R".to_owned(), vec![own]),
    ] {
        assert_eq!(found(&client, &query).await, (names.into_iter().map(str::to_owned).collect(), None), "{query}");
    }
}

#[tokio::test]
async fn pages_follow_each_other_also_while_certificates_are_added() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = inventory(&client).await;
    let (first, next) = found(&client, "pageSize=2").await;
    assert_eq!(first, ["a", "B"]);
    let wanted = with(body(&client, "TLS Client").await, json!({"issuerUuid": root, "subjectOneline": "CN=A2"}));
    generate(&client, wanted).await;
    let (second, next) = found(&client, &format!("pageSize=2&after={}", next.unwrap())).await;
    assert_eq!(second, ["c", "d"]);
    let (third, next) = found(&client, &format!("pageSize=2&after={}", next.unwrap())).await;
    assert_eq!((third, next), (vec!["Root Certificate Authority of the test".to_owned()], None));
}

#[tokio::test]
async fn the_inventory_is_the_same_on_postgresql() {
    let app = TestApp::on_postgres().await;
    let client = app.admin().await;
    inventory(&client).await;
    let (first, next) = found(&client, "search=leaves&status=Valid&pageSize=1").await;
    assert_eq!(first, ["a"]);
    let after = next.unwrap();
    assert_eq!(
        found(&client, &format!("search=leaves&status=Valid&after={after}")).await,
        (vec!["d".to_owned()], None)
    );
}

#[tokio::test]
async fn a_list_by_end_and_a_search_go_on_where_the_page_before_stopped() {
    let mut setup = Setup::default();
    setup.limits.lists.inventory_scan_max = 2;
    for app in [TestApp::with(setup).await, TestApp::on_postgres().await] {
        let client = app.admin().await;
        inventory(&client).await;
        let own = "Root Certificate Authority of the test";
        let ends = "expiresBefore=2100-01-01T00:00:00Z";
        for (query, mut expected) in [
            (ends.to_owned(), vec!["d", "a", "B", "c", own]),
            (format!("{ends}&search=o%3D"), vec!["d", "a", "B", "c", own]),
            ("search=o%3Dleaves".to_owned(), vec!["a", "B", "c", "d"]),
            ("keyAlgorithm=Ed25519".to_owned(), vec!["d"]),
        ] {
            let (mut names, mut after) = (Vec::new(), String::new());
            loop {
                let (page, next) = found(&client, &format!("{query}&pageSize=2{after}")).await;
                names.extend(page);
                let Some(next) = next else { break };
                after = format!("&after={next}");
            }
            // Those of one end are ordered by id.
            names.sort();
            expected.sort();
            assert_eq!(names, expected, "{query}");
        }
        let (first, next) = found(&client, &format!("{ends}&pageSize=1")).await;
        assert_eq!(first, ["d"]);
        let mixed = client.get(&format!("/api/v2/x509?after={}", next.unwrap())).await;
        assert!(mixed.status == 200 || mixed.status == 400, "{}", mixed.text());
    }
}

#[tokio::test]
async fn a_certificate_is_found_by_its_serial_number() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let serial = leaf["serialNumber"].as_str().unwrap();
    let name = vec!["TLS Client of the test".to_owned()];
    let colons: Vec<_> = serial.as_bytes().chunks(2).map(|byte| std::str::from_utf8(byte).unwrap()).collect();
    for (query, expected) in [
        (format!("serialNumber={serial}"), name.clone()),
        (format!("serialNumber={}&issuer={root}", colons.join(":").to_lowercase()), name),
        (format!("serialNumber={serial}&issuer=00000000-0000-0000-0000-000000000000"), vec![]),
        ("serialNumber=01".to_owned(), vec![]),
    ] {
        assert_eq!(found(&client, &query).await, (expected, None), "{query}");
    }
}

#[tokio::test]
async fn a_stub_says_the_essential() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let reply = client.get("/api/v2/x509?search=client").await;
    let stub = json!({
        "objInfo": {"name": "TLS Client of the test", "uuid": leaf["certificateUuid"]},
        "subject": "CN=TLS Client of the test,O=Example,C=US",
        "issuerUuid": root,
        "serialNumber": leaf["serialNumber"],
        "notBefore": "2026-06-21T12:00:00Z",
        "notAfter": "2027-06-21T12:00:00Z",
        "status": "Valid",
        "trusted": false,
        "keyAlgorithm": "Ec",
    });
    assert_eq!(reply.response(), &json!({"results": [stub], "pageSize": 50}));
}

#[tokio::test]
async fn a_bad_query_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    for (query, error, field) in [
        ("pageSize=0", "InvalidValue", "/pageSize"),
        ("pageSize=1001", "InvalidValue", "/pageSize"),
        ("status=valid", "InvalidSelection", "/status"),
        ("keyAlgorithm=Dsa", "InvalidSelection", "/keyAlgorithm"),
        ("issuer=x", "InvalidSelection", "/issuer"),
        ("expiresBefore=tomorrow", "InvalidValue", "/expiresBefore"),
        ("after=x", "InvalidValue", "/after"),
        ("after=AAAA", "InvalidValue", "/after"),
        ("expiresBefore=2100-01-01T00:00:00Z&after=AAAAAAAAAAAAAAAAAAAAAAA=", "InvalidValue", "/after"),
        ("name=%00", "InvalidValue", "/name"),
        ("serialNumber=x", "InvalidValue", "/serialNumber"),
        ("serialNumber=", "InvalidValue", "/serialNumber"),
    ] {
        client.get(&format!("/api/v2/x509?{query}")).await.refused(400, error, Some(field));
    }
    app.nobody().get("/api/v2/x509").await.refused(401, "InvalidAuthToken", None);
}
