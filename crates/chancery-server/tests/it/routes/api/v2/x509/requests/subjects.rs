//! POST /api/v2/x509/requests: a common name that is a host, an address or a mailbox is held against what binds those, as
//! alternative names are.

use chancery_testkit::Tool;
use serde_json::{Value, json};

use super::{P256, csr, csr_of, request, wrapped};
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
        // What OpenSSL or Java take for hosts, though they are none.
        ("w*.example.org", false),
        ("*w.example.org", false),
        ("www.ex*le.org", false),
        ("-example.org", false),
        ("example..org", false),
        (".example.org", false),
        ("example.org:443", false),
        ("*.example.com", false),
        ("w*.example.com", false),
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
        ("w*.example.org", false),
        ("*w.secret.example.com", false),
        ("-example.org", false),
        ("example..org", false),
        (".example.org", false),
        ("www.example.com", true),
        ("ann@example.com", true),
        ("Ann", true),
    ] {
        ask(&admin, bound, common_name, "", &members, allowed).await;
    }
}

/// Windows asked for extensions by an attribute of its own, which OpenSSL shows as the one of PKCS#9.
#[tokio::test]
async fn alternative_names_of_the_attribute_of_windows_are_read() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let names = wrapped(0x30, &[&[0x82, 9], b"b.example"]);
    let extension = wrapped(0x30, &[&[0x06, 3, 0x55, 0x1d, 17], &wrapped(0x04, &[&names])]);
    let oid = [0x06, 10, 0x2b, 6, 1, 4, 1, 0x82, 0x37, 2, 1, 14];
    let attribute = wrapped(0x30, &[&oid, &wrapped(0x31, &[&wrapped(0x30, &[&extension])])]);
    let common = wrapped(0x31, &[&wrapped(0x30, &[&[0x06, 3, 0x55, 4, 3], &[0x0c, 1, b'a']])]);
    let csr = csr_of(&wrapped(0x30, &[&common]), &attribute);
    let made = request(&admin, &issuer, &csr, json!({})).await;
    let text = Tool::new("openssl35").args(["x509", "-noout", "-ext", "subjectAltName"]);
    let text = text.input(made.response()["certificate"].as_str().unwrap().as_bytes().to_vec()).run().text();
    assert!(text.contains("DNS:b.example"), "{text}");
}
