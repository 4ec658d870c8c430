//! POST /api/v2/x509/requests: a common name that is a host, an address or a mailbox is held against what binds those, as
//! alternative names are.

use serde_json::{Value, json};

use super::{P256, csr, request};
use crate::{
    app::TestApp,
    certificates::{body, generate, root, with},
    client::Client,
};

async fn own_profile(client: &Client, members: Value) -> Value {
    let least = json!({"objInfo": {"name": "own"}, "validityPeriod": {"unit": "Year", "amount": "1"}});
    let made = client.post("/api/v2/x509/cert-profiles", with(least, members)).await;
    made.response()["objInfo"]["uuid"].clone()
}

/// Asks three times: with the name in the request, in the body, and in the body over a request that is all right.
async fn ask(client: &Client, issuer: &str, common_name: &str, alt_names: &str, members: &Value, allowed: bool) {
    let more: &[&str] = &["-addext", &format!("subjectAltName={alt_names}")];
    let more = if alt_names.is_empty() { &[] } else { more };
    let inside = csr(P256, &format!("/CN={common_name}"), more);
    let beside = with(members.clone(), json!({"subjectOneline": format!("CN={common_name}")}));
    for (csr, members, field) in [
        (inside.as_str(), members, "/csr"),
        (&inside, &beside, "/subjectOneline"),
        (&csr(P256, "/CN=a", more), &beside, "/subjectOneline"),
    ] {
        let reply = request(client, issuer, csr, members.clone()).await;
        if allowed {
            reply.response();
        } else {
            reply.refused(400, "InvalidValue", Some(field));
        }
    }
}

#[tokio::test]
async fn a_common_name_lies_in_the_domains_of_the_profile() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let rules = json!({"presence": "Optional", "kinds": ["Dns", "Email"], "domains": ["example.com"]});
    let members = json!({"certProfileUuid": own_profile(&admin, json!({"subjectAltNames": rules})).await});
    for (common_name, allowed) in [
        ("evil.example.org", false),
        ("EVIL.example.org.", false),
        ("*.example.org", false),
        ("notexample.com", false),
        ("192.0.2.1", false),
        ("2001:db8::1", false),
        ("a@example.org", false),
        ("www.example.com", true),
        ("a@mail.example.com", true),
        ("Ann", true),
    ] {
        for alt_names in ["", "DNS:www.example.com"] {
            ask(&admin, &issuer, common_name, alt_names, &members, allowed).await;
        }
    }
    // As for alternative names.
    let outside = csr(P256, "/CN=a", &["-addext", "subjectAltName=DNS:a.example.org"]);
    let reply = request(&admin, &issuer, &outside, members).await;
    reply.refused(400, "InvalidValue", Some("/csr"));
}

#[tokio::test]
async fn a_common_name_keeps_to_the_constraints_of_the_authority() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let constraints = json!({
        "permitted": ["DNS:example.com", "email:example.com"],
        "excluded": ["DNS:secret.example.com", "IP:10.0.0.0/8", "email:boss@example.com"],
    });
    let bound = json!({"basicConstraints": {"ca": true}, "nameConstraints": constraints});
    let bound = json!({
        "certProfileUuid": own_profile(&admin, bound).await, "issuerUuid": issuer, "subjectOneline": "CN=bound",
    });
    let bound = generate(&admin, with(body(&admin, "Issuing Certificate Authority").await, bound)).await;
    let bound = bound["certificateUuid"].as_str().unwrap();
    let members = json!({"certParams": {"validityPeriod": {"unit": "Day", "amount": "7"}}});
    for (common_name, allowed) in [
        ("www.example.org", false),
        ("secret.example.com", false),
        ("a.SECRET.example.com", false),
        ("10.1.2.3", false),
        ("::ffff:10.1.2.3", false),
        ("a@example.org", false),
        ("BOSS@example.com", false),
        ("www.example.com", true),
        ("ann@example.com", true),
        ("Ann", true),
    ] {
        ask(&admin, bound, common_name, "", &members, allowed).await;
    }
}
