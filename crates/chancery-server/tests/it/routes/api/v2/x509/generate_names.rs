//! POST /api/v2/x509/generate: which names are issued.

use chancery_core::Clock;
use chancery_testkit::Tool;
use serde_json::{Value, json};

use super::requests::lint;
use crate::{
    app::{Setup, TestApp},
    certificates::{body, generate, root, with},
};

const PATH: &str = "/api/v2/x509/generate";

#[tokio::test]
async fn what_cannot_be_seen_stands_in_no_subject_and_no_name() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = with(body(&client, "TLS Client").await, json!({"issuerUuid": root}));
    for hidden in ["\u{200b}", "\u{202e}", "\u{2066}", "\u{ad}", "\u{e0041}", "\u{3164}", "\u{feff}", "\u{2028}"] {
        for subject in
            [format!("CN=Admin{hidden}"), format!("O={hidden}Example,CN=a"), format!("1.2.3.4=a{hidden}b,CN=a")]
        {
            let body = with(leaf.clone(), json!({"subjectOneline": subject}));
            client.post(PATH, body).await.refused(400, "InvalidValue", Some("/subjectOneline"));
        }
        let names = json!({"certParams": {"subjectAltNames": [format!("UPN:ann{hidden}@corp.example")]}});
        let reply = client.post(PATH, with(leaf.clone(), names)).await;
        reply.refused(400, "InvalidValue", Some("/certParams/subjectAltNames/0"));
    }
}

#[tokio::test]
async fn a_common_name_that_is_a_mailbox_or_an_address_is_held_against_what_binds_those() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let own = |name: &str, members: Value| {
        with(json!({"objInfo": {"name": name}, "validityPeriod": {"unit": "Year", "amount": "1"}}), members)
    };
    let made = |body: Value| {
        let client = &client;
        async move { client.post("/api/v2/x509/cert-profiles", body).await.response()["objInfo"]["uuid"].clone() }
    };
    let people = made(own(
        "people",
        json!({"subjectAltNames": {"presence": "Optional", "kinds": ["Dns", "Email"], "domains": ["svc.example.com"]}}),
    ))
    .await;
    let leaf = with(body(&client, "TLS Client").await, json!({"issuerUuid": root}));
    for (subject, allowed) in [("CN=a@evil.org", false), ("CN=a@svc.example.com", true), ("CN=Ann at work", true)] {
        let body = with(leaf.clone(), json!({"certProfileUuid": people, "subjectOneline": subject}));
        let reply = client.post(PATH, body).await;
        if allowed {
            reply.response();
        } else {
            reply.refused(400, "InvalidValue", Some("/subjectOneline"));
        }
    }
    let constraints =
        json!({"permitted": ["email:example.com"], "excluded": ["email:boss@example.com", "IP:10.0.0.0/8"]});
    let bound = own("bound", json!({"basicConstraints": {"ca": true}, "nameConstraints": constraints}));
    let bound = json!({"certProfileUuid": made(bound).await, "issuerUuid": root, "subjectOneline": "CN=bound"});
    let bound = generate(&client, with(body(&client, "Issuing Certificate Authority").await, bound)).await;
    for (subject, allowed) in [
        ("CN=a@evil.org", false),
        ("CN=boss@example.com", false),
        ("CN=10.1.2.3", false),
        ("CN=::ffff:10.1.2.3", false),
        ("CN=ann@example.com", true),
        ("CN=11.1.2.3", true),
        ("CN=Ann", true),
    ] {
        let year = json!({"validityPeriod": {"unit": "Day", "amount": "7"}});
        let members = json!({"issuerUuid": bound["certificateUuid"], "subjectOneline": subject, "certParams": year});
        let reply = client.post(PATH, with(leaf.clone(), members)).await;
        if allowed {
            reply.response();
        } else {
            reply.refused(400, "InvalidValue", Some("/subjectOneline"));
        }
    }
}

#[tokio::test]
async fn an_excluded_address_is_not_certified_inside_another() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let bound = client.post("/api/v2/x509/cert-profiles", json!({
        "objInfo": {"name": "bound"}, "validityPeriod": {"unit": "Year", "amount": "1"}, "basicConstraints": {"ca": true},
        "nameConstraints": {"excluded": ["IP:10.0.0.0/8"]},
    })).await.response()["objInfo"]["uuid"].clone();
    let bound = json!({"certProfileUuid": bound, "issuerUuid": root, "subjectOneline": "CN=bound"});
    let bound = generate(&client, with(body(&client, "Issuing Certificate Authority").await, bound)).await;
    let leaf = with(body(&client, "TLS Server").await, json!({"issuerUuid": bound["certificateUuid"]}));
    for (address, allowed) in [
        ("64:ff9b:1::10.1.2.3", false),
        ("64:ff9b:1:a01:2:300::", false),
        ("64:ff9b:1:ff0a:1:203::", false),
        ("64:ff9b:1:ffff:a:102:300:0", false),
        ("2001:db8::5efe:10.1.2.3", false),
        ("fe80::200:5efe:10.1.2.3", false),
        ("64:ff9b:1::11.1.2.3", true),
        ("2001:db8::5efe:11.1.2.3", true),
        ("2001:db8::a01:203", true),
    ] {
        let week = json!({"unit": "Day", "amount": "7"});
        let params = json!({"validityPeriod": week, "subjectAltNames": [format!("IP:{address}")]});
        let reply = client.post(PATH, with(leaf.clone(), json!({"certParams": params}))).await;
        if allowed {
            reply.response();
        } else {
            reply.refused(400, "InvalidValue", Some("/certParams/subjectAltNames/0"));
        }
    }
}

#[tokio::test]
async fn a_leaf_does_not_bear_the_name_of_its_issuer() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let name = body(&client, "Root Certificate Authority").await["subjectOneline"].as_str().unwrap().to_owned();
    let leaf = with(body(&client, "TLS Client").await, json!({"issuerUuid": root}));
    for subject in [name.clone(), name.to_uppercase()] {
        let body = with(leaf.clone(), json!({"subjectOneline": subject}));
        client.post(PATH, body).await.refused(400, "InvalidValue", Some("/subjectOneline"));
    }
    // An authority may: that is how its key is changed.
    let again =
        with(body(&client, "Issuing Certificate Authority").await, json!({"issuerUuid": root, "subjectOneline": name}));
    generate(&client, again).await;
}

#[tokio::test]
async fn a_common_name_stands_for_no_top_level_domain() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    for profile in ["TLS Client", "TLS Server", "Code Signing Certificate"] {
        let leaf = with(body(&client, profile).await, json!({"issuerUuid": root}));
        for subject in ["CN=*.com", "CN=*.*.example.com", "CN=*."] {
            let body = with(leaf.clone(), json!({"subjectOneline": subject}));
            client.post(PATH, body).await.refused(400, "InvalidValue", Some("/subjectOneline"));
        }
    }
    let leaf =
        with(body(&client, "TLS Client").await, json!({"issuerUuid": root, "subjectOneline": "CN=*.example.com"}));
    client.post(PATH, leaf).await.response();
}

/// RFC 5280, 4.1.2.6: where the subject is empty, a verifier has to look at the names beside it.
#[tokio::test]
async fn a_leaf_with_names_and_no_subject_has_an_empty_subject_and_a_critical_extension() {
    // The linters look at the real time.
    let app = TestApp::with(Setup { clock: Clock::System, ..Setup::default() }).await;
    let client = app.admin().await;
    let issuer = generate(&client, body(&client, "Root Certificate Authority").await).await;
    let leaf = with(
        body(&client, "TLS Server").await,
        json!({"issuerUuid": issuer["certificateUuid"], "subjectOneline": null}),
    );
    let pem = |made: &Value| made["certificate"].as_str().unwrap().to_owned();
    let openssl = |made: &Value, arguments: &[&str]| {
        Tool::new("openssl35").args(["x509", "-noout"]).args(arguments).input(pem(made)).run().text()
    };
    let names = "X509v3 Subject Alternative Name: ";
    let anonymous = with(leaf.clone(), json!({"certParams": {"subjectAltNames": ["a.example", "IP:192.0.2.1"]}}));
    let made = generate(&client, anonymous).await;
    assert_eq!(openssl(&made, &["-subject"]), "subject=\n");
    let expected = format!("{names}critical\n    DNS:a.example, IP Address:192.0.2.1\n");
    assert_eq!(openssl(&made, &["-ext", "subjectAltName"]), expected);
    assert!(!made.to_string().contains("names no subject"), "nothing to warn of: {made}");
    lint(&pem(&issuer), &pem(&made), "a leaf without a subject");
    let path = format!("/api/v2/x509/{}/renew", made["certificateUuid"].as_str().unwrap());
    let again = client.post(&path, json!({})).await.response().clone();
    assert_eq!(openssl(&again, &["-subject", "-ext", "subjectAltName"]), format!("subject=\n{expected}"));
    // Who has a subject is named by it, and the names beside it need not be understood.
    let named = json!({"subjectOneline": "CN=a.example", "certParams": {"subjectAltNames": ["a.example"]}});
    let made = generate(&client, with(leaf, named)).await;
    assert_eq!(openssl(&made, &["-ext", "subjectAltName"]), format!("{names}\n    DNS:a.example\n"));
}
