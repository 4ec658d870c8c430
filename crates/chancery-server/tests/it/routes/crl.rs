//! GET /crl/{uuid}.crl.

use axum::{body::Body, http::Request};
use chancery_testkit::Tool;
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    certificates::{body, generate, issued, root, with},
    client::{Client, Reply},
};

/// What OpenSSL prints of an authority's list, fetched by nobody in particular.
async fn list(client: &Client, issuer: &str) -> String {
    let reply = client.get(&format!("/crl/{issuer}.crl")).await;
    assert_eq!(
        (reply.status.as_u16(), &reply.headers["content-type"]),
        (200, &"application/pkix-crl".parse().unwrap())
    );
    Tool::new("openssl").args(["crl", "-inform", "DER", "-noout", "-text"]).input(reply.body).run().text()
}

#[tokio::test]
async fn a_revocation_is_in_the_next_list() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let first = list(&app.nobody(), &root).await;
    assert!(
        first.contains("No Revoked Certificates") && first.contains("CRL Number: \n                1\n"),
        "{first}"
    );
    assert!(first.contains("Last Update: Jun 21 12:00:00 2026 GMT"), "{first}");
    assert!(first.contains("Next Update: Jun 28 12:00:00 2026 GMT"), "{first}");
    assert_eq!(list(&app.nobody(), &root).await, first);
    app.clock.advance_ms(60_000);
    let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
    client.post(&path, json!({"reason": "keyCompromise"})).await.response();
    let second = list(&app.nobody(), &root).await;
    for expected in [
        format!("Serial Number: {}", leaf["serialNumber"].as_str().unwrap()),
        "Revocation Date: Jun 21 12:01:00 2026 GMT".to_owned(),
        "Key Compromise".to_owned(),
        "CRL Number: \n                2\n".to_owned(),
    ] {
        assert!(second.contains(&expected), "{expected} in {second}");
    }
}

#[tokio::test]
async fn a_list_is_signed_anew_after_half_of_its_life() {
    let app = TestApp::new().await;
    let root = root(&app.admin().await).await;
    let number = |text: &str| text.split("CRL Number: \n").nth(1).unwrap().trim().lines().next().unwrap().to_owned();
    assert_eq!(number(&list(&app.nobody(), &root).await), "1");
    app.clock.advance_ms(84 * 3_600 * 1_000 - 1_000);
    assert_eq!(number(&list(&app.nobody(), &root).await), "1");
    app.clock.advance_ms(1_000);
    assert_eq!(number(&list(&app.nobody(), &root).await), "2");
}

#[tokio::test]
async fn a_crowd_has_a_list_signed_once() {
    let app = TestApp::new().await;
    let root = root(&app.admin().await).await;
    let nobody = app.nobody();
    let lists = futures::future::join_all((0..20).map(|_| list(&nobody, &root))).await;
    assert!(lists.iter().all(|list| list.contains("CRL Number: \n                1\n")));
}

#[tokio::test]
async fn an_authority_that_can_no_longer_sign_keeps_its_last_list() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = generate(&client, body(&client, "Root Certificate Authority").await).await;
    let id = root["certificateUuid"].as_str().unwrap();
    let first = list(&app.nobody(), id).await;
    let disable = format!("/api/v2/keys/{}/disable", root["keyUuid"].as_str().unwrap());
    client.post_nothing(&disable).await.response();
    app.clock.advance_ms(84 * 3_600 * 1_000);
    assert_eq!(list(&app.nobody(), id).await, first);
}

/// The list of this name as OpenSSL prints it.
async fn printed(client: &Client, file: &str) -> String {
    let reply = client.get(&format!("/crl/{file}")).await;
    assert_eq!(reply.status.as_u16(), 200, "{}", reply.text());
    Tool::new("openssl").args(["crl", "-inform", "DER", "-noout", "-text"]).input(reply.body).run().text()
}

#[tokio::test]
async fn a_delta_list_tells_what_changed_since_its_base_also_after_a_restart() {
    let public_url = Some("http://pki.example".to_owned());
    let app = TestApp::with(Setup { public_url, ..Setup::default() }).await;
    let client = app.admin().await;
    let root = root(&client).await;
    let (held, revoked) = (issued(&client, "TLS Client", &root).await, issued(&client, "TLS Client", &root).await);
    let act = async |leaf: &Value, what: &str, body: Value| {
        app.clock.advance_ms(60_000);
        let path = format!("/api/v2/x509/{}/{what}", leaf["certificateUuid"].as_str().unwrap());
        client.post(&path, body).await.response().clone()
    };
    let serial = |leaf: &Value| format!("Serial Number: {}", leaf["serialNumber"].as_str().unwrap());
    act(&held, "revoke", json!({"reason": "certificateHold"})).await;
    let complete = printed(&app.nobody(), &format!("{root}.crl")).await;
    assert!(complete.contains(&serial(&held)) && complete.contains("Certificate Hold"), "{complete}");
    assert!(complete.contains(&format!("URI:http://pki.example/crl/{root}.delta.crl")), "{complete}");
    let delta = printed(&app.nobody(), &format!("{root}.delta.crl")).await;
    assert!(delta.contains("X509v3 Delta CRL Indicator: critical\n                1\n"), "{delta}");
    act(&revoked, "revoke", json!({"reason": "superseded"})).await;
    assert_eq!(act(&held, "release", json!({})).await["status"], "Valid");
    let node = Client::new(app.other_node().await);
    for client in [&node, &app.nobody()] {
        let delta = printed(client, &format!("{root}.delta.crl")).await;
        for told in [
            "X509v3 Delta CRL Indicator: critical\n                1\n",
            "CRL Number: \n                2\n",
            "Remove From CRL",
            "Superseded",
            &serial(&held),
            &serial(&revoked),
        ] {
            assert!(delta.contains(told), "{told} in {delta}");
        }
        let complete = printed(client, &format!("{root}.crl")).await;
        assert!(complete.contains(&serial(&revoked)) && !complete.contains(&serial(&held)), "{complete}");
        assert!(!complete.contains("Delta CRL Indicator"), "{complete}");
    }
    act(&held, "revoke", json!({"reason": "keyCompromise"})).await;
    let delta = printed(&app.nobody(), &format!("{root}.delta.crl")).await;
    assert!(delta.contains("Key Compromise") && !delta.contains("Remove From CRL"), "{delta}");
    // A new base after half a week: nothing changed since.
    app.clock.advance_ms(84 * 3_600 * 1_000);
    let delta = printed(&app.nobody(), &format!("{root}.delta.crl")).await;
    assert!(delta.contains("Delta CRL Indicator: critical\n                4\n"), "{delta}");
    assert!(delta.contains("No Revoked Certificates"), "{delta}");
}

/// expiredCertsOnCRL has the beginning of the authority's life: nothing that it issued ended before.
#[tokio::test]
async fn what_is_revoked_stays_on_the_lists_after_its_end_and_they_say_so() {
    const YEAR_MS: i64 = 365 * 24 * 3_600 * 1_000;
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    app.clock.advance_ms(60_000);
    let (leaf, held) = (issued(&client, "TLS Client", &root).await, issued(&client, "TLS Client", &root).await);
    let late = issued(&client, "TLS Client", &root).await;
    let path = |of: &Value, what: &str| format!("/api/v2/x509/{}/{what}", of["certificateUuid"].as_str().unwrap());
    client.post(&path(&leaf, "revoke"), json!({"reason": "superseded"})).await.response();
    client.post(&path(&held, "revoke"), json!({"reason": "certificateHold"})).await.response();
    for _ in 0..2 {
        for file in [format!("{root}.crl"), format!("{root}.delta.crl")] {
            let list = printed(&app.nobody(), &file).await;
            assert!(list.contains("2.5.29.60: \n                ..20260621120000Z\n"), "{file}: {list}");
        }
        app.clock.advance_ms(2 * YEAR_MS);
    }
    let client = app.admin().await;
    client.post(&path(&held, "release"), json!({})).await.refused(409, "InvalidState", None);
    let hold = client.post(&path(&late, "revoke"), json!({"reason": "certificateHold"})).await;
    hold.refused(409, "InvalidState", Some("/reason"));
    for (certificate, reason) in [(&late, "keyCompromise"), (&held, "superseded")] {
        client.post(&path(certificate, "revoke"), json!({"reason": reason})).await.response();
    }
    let list = printed(&app.nobody(), &format!("{root}.crl")).await;
    assert_eq!(list.matches("Revocation Date: Jun 21 12:01:00 2026 GMT").count(), 2, "since the hold: {list}");
    for certificate in [leaf, held, late] {
        assert!(list.contains(&format!("Serial Number: {}", certificate["serialNumber"].as_str().unwrap())), "{list}");
    }
}

/// By another node's clock, or one that was set back.
#[tokio::test]
async fn a_delta_list_tells_also_of_what_was_revoked_before_its_base() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let revoke = async || {
        // A session of before would not have begun yet.
        let client = app.admin().await;
        let leaf = issued(&client, "TLS Client", &root).await;
        let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
        client.post(&path, json!({"reason": "superseded"})).await.response();
        format!("Serial Number: {}", leaf["serialNumber"].as_str().unwrap())
    };
    revoke().await;
    app.clock.advance_ms(3 * 3_600_000);
    printed(&app.nobody(), &format!("{root}.crl")).await;
    for behind_ms in [540_000, 2 * 3_600_000] {
        app.clock.advance_ms(-behind_ms);
        let late = revoke().await;
        app.clock.advance_ms(behind_ms + 60_000);
        for list in [format!("{root}.crl"), format!("{root}.delta.crl")] {
            let list = printed(&app.nobody(), &list).await;
            assert!(list.contains(&late), "{list}");
        }
    }
}

#[tokio::test]
async fn who_has_the_list_already_is_told_so() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    for file in [format!("/crl/{root}.crl"), format!("/crl/{root}.delta.crl")] {
        let first = app.nobody().get(&file).await;
        assert_eq!(first.headers["last-modified"], "Sun, 21 Jun 2026 12:00:00 GMT");
        assert_eq!(first.headers["cache-control"], "public, max-age=300, must-revalidate");
        let tag = first.headers["etag"].clone();
        let again = async |known: &str| {
            let request = Request::get(&file).header("if-none-match", known).body(Body::empty()).unwrap();
            app.nobody().call(request).await
        };
        let same = again(&format!("\"other\", {}", tag.to_str().unwrap())).await;
        assert_eq!((same.status.as_u16(), same.body.len(), &same.headers["etag"]), (304, 0, &tag));
        assert_eq!(again("\"other\"").await.status.as_u16(), 200);
    }
    let before = app.nobody().get(&format!("/crl/{root}.crl")).await.headers["etag"].clone();
    let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
    client.post(&path, json!({"reason": "superseded"})).await.response();
    let request = Request::get(format!("/crl/{root}.crl")).header("if-none-match", before).body(Body::empty()).unwrap();
    assert_eq!(app.nobody().call(request).await.status.as_u16(), 200);
}

#[tokio::test]
async fn who_names_the_time_of_the_list_is_told_so_where_no_tag_says_otherwise() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaves = [issued(&client, "TLS Client", &root).await, issued(&client, "TLS Client", &root).await];
    let file = format!("/crl/{root}.crl");
    let ask = async |conditions: &[(&str, &str)]| {
        let request =
            conditions.iter().fold(Request::get(&file), |request, (name, value)| request.header(*name, *value));
        app.nobody().call(request.body(Body::empty()).unwrap()).await
    };
    let modified = |reply: &Reply| reply.headers["last-modified"].to_str().unwrap().to_owned();
    let first = ask(&[]).await;
    let (since, tag) = (modified(&first), first.headers["etag"].to_str().unwrap().to_owned());
    for (conditions, status) in [
        (&[("if-modified-since", since.as_str())][..], 304),
        (&[("if-modified-since", "Sun, 21 Jun 2026 12:00:01 GMT")], 304),
        (&[("if-modified-since", "Sunday, 21-Jun-26 12:00:00 GMT")], 304),
        (&[("if-modified-since", "Sun, 21 Jun 2026 11:59:59 GMT")], 200),
        (&[("if-modified-since", "yesterday")], 200),
        (&[("if-modified-since", &since), ("if-none-match", "\"other\"")], 200),
        (&[("if-modified-since", "Sun, 21 Jun 2026 11:59:59 GMT"), ("if-none-match", &tag)], 304),
        (&[("if-none-match", &format!("W/{tag}"))], 304),
    ] {
        let reply = ask(conditions).await;
        assert_eq!((reply.status.as_u16(), reply.body.is_empty()), (status, status == 304), "{conditions:?}");
        assert_eq!(modified(&reply), since);
    }
    // Lists that follow each other within one second of the clock are told apart all the same.
    let mut known = since;
    for leaf in leaves {
        let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
        client.post(&path, json!({"reason": "superseded"})).await.response();
        let next = ask(&[("if-modified-since", &known)]).await;
        assert_eq!(next.status.as_u16(), 200, "another list within the second of {known}");
        known = modified(&next);
        assert_eq!(known, "Sun, 21 Jun 2026 12:00:00 GMT", "never in the future");
    }
    app.clock.advance_ms(2_000);
    let last = modified(&ask(&[]).await);
    assert_eq!(ask(&[("if-modified-since", &last)]).await.status.as_u16(), 304);
}

#[tokio::test]
async fn only_authorities_have_lists() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let untrusted = with(body(&client, "Root Certificate Authority").await, json!({"trustCert": false}));
    let untrusted = generate(&client, untrusted).await;
    let [leaf, untrusted] = [leaf, untrusted].map(|made| made["certificateUuid"].as_str().unwrap().to_owned());
    for file in [
        format!("{leaf}.crl"),
        format!("{untrusted}.crl"),
        format!("{leaf}.delta.crl"),
        format!("{root}.crt"),
        format!("{root}.other.crl"),
        root.clone(),
        "00000000-0000-0000-0000-000000000000.crl".to_owned(),
        ".crl".to_owned(),
    ] {
        let reply = app.nobody().get(&format!("/crl/{file}")).await;
        assert_eq!(reply.status.as_u16(), 404, "{file}");
    }
}

/// As somebody may do who writes the database and nothing else: the authority's signature tells.
#[tokio::test]
async fn a_list_that_was_put_in_the_place_of_a_newer_one_is_signed_anew() {
    for what in ["before", "none"] {
        let app = TestApp::new().await;
        let client = app.admin().await;
        let root = root(&client).await;
        let leaf = issued(&client, "TLS Client", &root).await;
        let before = app.nobody().get(&format!("/crl/{root}.crl")).await.body;
        let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
        client.post(&path, json!({"reason": "keyCompromise"})).await.response();
        let serial = format!("Serial Number: {}", leaf["serialNumber"].as_str().unwrap());
        assert!(list(&app.nobody(), &root).await.contains(&serial));
        let other = if what == "none" { hex::encode("not a list") } else { hex::encode(before) };
        let bytes = if app.is_on_postgres() { format!("'\\x{other}'") } else { format!("x'{other}'") };
        assert_eq!(app.harm(&format!("UPDATE crls SET der = {bytes} WHERE issuer_id = '{root}'")), 1);
        let app = app.restarted().await;
        let third = list(&app.nobody(), &root).await;
        assert!(third.contains(&serial) && third.contains("CRL Number: \n                3\n"), "{what}: {third}");
        assert_eq!(list(&app.nobody(), &root).await, third);
    }
}
