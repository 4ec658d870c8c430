//! POST /api/v2/x509/generate.

use chancery_testkit::Tool;
use chancery_types::Perm;
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    certificates::{body, generate, issued, key_type, profile, root, with},
    client::Client,
};

const PATH: &str = "/api/v2/x509/generate";

/// What OpenSSL prints of a certificate.
fn text(certificate: &Value) -> String {
    let pem = certificate["certificate"].as_str().unwrap();
    Tool::new("openssl").args(["x509", "-noout", "-text", "-nameopt", "RFC2253,utf8,-esc_msb"]).input(pem).run().text()
}

/// Asserts that nothing was stored.
async fn assert_nothing_kept(client: &Client) {
    assert_eq!(client.get("/api/v2/keys/stubs").await.response()["total"], 0);
}

#[tokio::test]
async fn a_root_is_made_as_the_interface_shows() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = generate(&client, body(&client, "Root Certificate Authority").await).await;
    let members: Vec<_> = root.as_object().unwrap().keys().collect();
    assert_eq!(members, ["certificate", "certificateUuid", "keyUuid", "notAfter", "notBefore", "serialNumber"]);
    assert_eq!(
        (&root["notBefore"], &root["notAfter"]),
        (&json!("2026-06-21T12:00:00Z"), &json!("2046-06-21T12:00:00Z"))
    );
    assert_eq!(root["serialNumber"].as_str().unwrap().len(), 40);
    let text = text(&root);
    for expected in [
        "Signature Algorithm: ecdsa-with-SHA256",
        "Subject: CN=Root Certificate Authority of the test,O=Example,C=US",
        "X509v3 Basic Constraints: critical\n                CA:TRUE\n",
        "X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign\n",
        "X509v3 Subject Key Identifier",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
    assert!(!text.contains("Authority Key Identifier"), "{text}");
}

#[tokio::test]
async fn other_names_of_members_are_read_and_defaults_apply() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = profile(&client, "Root Certificate Authority").await;
    let key_type = key_type(&client, "Ed25519 Signing").await;
    let short = generate(&client, json!({"profileUuid": root, "newKey": {"keyTypeUuid": key_type}})).await;
    assert!(text(&short).contains("Subject: CN=Root Certificate Authority "));
    let id = short["certificateUuid"].as_str().unwrap();
    let read = client.get(&format!("/api/v2/x509/{id}")).await;
    assert_eq!((&read.response()["trusted"], &read.response()["keyUuid"]), (&json!(false), &short["keyUuid"]));
    let named =
        generate(&client, json!({"profileUuid": root, "subject": "/C=DE/CN=a", "newKey": {"keyTypeUuid": key_type}}));
    assert!(text(&named.await).contains("Subject: CN=a,C=DE\n"));
}

#[tokio::test]
async fn a_key_is_described_by_its_parameters_instead() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let base = with(body(&client, "Root Certificate Authority").await, json!({"newKey": {"save": true}}));
    for (params, expected) in [
        (json!({"keyAlgorithm": "Ec", "curve": "P-384"}), "ecdsa-with-SHA384"),
        (json!({"keyAlgorithm": "Ec", "keySize": 521}), "ecdsa-with-SHA512"),
        (json!({"keyAlgorithm": "Ed25519"}), "ED25519"),
    ] {
        let root = generate(&client, with(base.clone(), json!({"keyParams": params}))).await;
        assert!(text(&root).contains(&format!("Signature Algorithm: {expected}")), "{expected}");
    }
}

#[tokio::test]
async fn leaves_are_issued_down_a_hierarchy() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let issuing = issued(&client, "Issuing Certificate Authority", &root).await;
    let issuing = issuing["certificateUuid"].as_str().unwrap();
    let warning = "No publicUrl is configured (--public-url), so the certificate does not say where its issuer's CRL and certificate are.";
    for (name, purpose) in [
        ("Code Signing Certificate", "X509v3 Extended Key Usage: \n                Code Signing\n"),
        ("Time Stamping", "X509v3 Extended Key Usage: critical\n                Time Stamping\n"),
        ("OCSP Responder", "OCSP No Check"),
        ("TLS Client", "X509v3 Extended Key Usage: \n                TLS Web Client Authentication\n"),
    ] {
        let request = with(
            body(&client, name).await,
            json!({"issuerUuid": issuing, "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}}),
        );
        let leaf = generate(&client, request).await;
        let text = text(&leaf);
        assert!(text.contains(purpose), "{name}: {text}");
        assert!(text.contains("X509v3 Authority Key Identifier") && !text.contains("CRL Distribution"), "{text}");
        assert_eq!(leaf["warnings"], json!([warning]));
    }
}

#[tokio::test]
async fn alternative_names_are_carried() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let root = root(&client).await;
    let names = json!(["DNS:*.example.com", "IP:192.0.2.1", "::1", "email:a@example.com", "URI:https://example.com/"]);
    let request =
        with(body(&client, "TLS Server").await, json!({"issuerUuid": root, "certParams": {"subjectAltNames": names}}));
    let leaf = generate(&client, request).await;
    let expected = "DNS:*.example.com, IP Address:192.0.2.1, IP Address:0:0:0:0:0:0:0:1, email:a@example.com, \
                    URI:https://example.com/";
    assert!(text(&leaf).contains(expected), "{}", text(&leaf));
}

#[tokio::test]
async fn addresses_come_from_the_public_url() {
    let app = TestApp::with(Setup { public_url: Some("http://pki.example".to_owned()), ..Setup::default() }).await;
    let client = app.admin().await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let text = text(&leaf);
    assert!(text.contains(&format!("URI:http://pki.example/crl/{root}.crl")), "{text}");
    assert!(text.contains(&format!("CA Issuers - URI:http://pki.example/ca/{root}.crt")), "{text}");
    assert!(text.contains("OCSP - URI:http://pki.example/ocsp"), "{text}");
    assert_eq!(leaf.get("warnings"), None);
}

#[tokio::test]
async fn what_is_not_saved_is_known_and_can_be_revoked() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let base = with(body(&client, "Root Certificate Authority").await, json!({"saveCert": false, "trustCert": false}));
    let key = base["newKey"]["keyTypeUuid"].clone();
    let unsaved = with(base.clone(), json!({"newKey": {"keyTypeUuid": key, "save": false}}));
    let made = generate(&client, unsaved.clone()).await;
    assert_eq!(made.get("keyUuid"), None);
    assert!(text(&made).contains("Root Certificate Authority"));
    client.post(PATH, base).await.refused(400, "InvalidValue", Some("/newKey/save"));
    client.post(PATH, with(unsaved, json!({"trustCert": true}))).await.refused(400, "InvalidValue", Some("/trustCert"));

    let root = root(&client).await;
    let wanted = json!({
        "saveCert": false, "newKey": {"keyTypeUuid": key, "save": false}, "trustCert": false, "issuerUuid": root,
        "subjectOneline": "CN=unsaved",
    });
    let made = generate(&client, with(body(&client, "TLS Client").await, wanted)).await;
    let listed = client.get(&format!("/api/v2/x509?serialNumber={}", made["serialNumber"].as_str().unwrap())).await;
    let found = &listed.response()["results"][0];
    assert_eq!((&found["objInfo"]["uuid"], &found["subject"]), (&made["certificateUuid"], &json!("CN=unsaved")));
    let path = format!("/api/v2/x509/{}", made["certificateUuid"].as_str().unwrap());
    let detail = client.get(&path).await.response().clone();
    for member in ["serialNumber", "notBefore", "notAfter"] {
        assert_eq!(detail[member], made[member], "{member}");
    }
    assert_eq!((&detail["issuerUuid"], detail.get("certificate")), (&json!(root), None));
    client.get(&format!("{path}/download")).await.refused(409, "InvalidState", None);
    for again in ["renew", "rekey"] {
        client.post(&format!("{path}/{again}"), json!({})).await.refused(409, "InvalidState", None);
    }
    client.post(&format!("{path}/revoke"), json!({"reason": "keyCompromise"})).await.response();
    let list = client.get(&format!("/crl/{root}.crl")).await;
    let crl = Tool::new("openssl").args(["crl", "-inform", "DER", "-noout", "-text"]).input(list.body).run();
    assert!(crl.text().contains(&made["serialNumber"].as_str().unwrap().to_uppercase()), "{}", crl.text());
}

/// Two persons and CertManage:Manage for whatever others believe; also where the profile is one's own.
#[tokio::test]
async fn one_person_makes_no_authority_responder_or_stamp() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let alone = app.with_perms("alone", &[Perm::CertManageGenerate]).await;
    let root = root(&admin).await;
    let own = json!({
        "objInfo": {"name": "innocent"}, "keyUsages": ["digitalSignature"],
        "extendedKeyUsages": ["timeStamping"], "validityPeriod": {"unit": "Year", "amount": "1"},
    });
    admin.post("/api/v2/x509/cert-profiles", own).await.response();
    let powerful =
        ["Root Certificate Authority", "Issuing Certificate Authority", "Time Stamping", "OCSP Responder", "innocent"];
    for profile in powerful {
        let mut wanted = body(&admin, profile).await;
        if profile != "Root Certificate Authority" {
            wanted["issuerUuid"] = json!(root);
        }
        wanted["subjectOneline"] = json!("CN=powerful");
        wanted["trustCert"] = json!(false);
        let refused = alone.post(PATH, wanted.clone()).await;
        refused.refused(403, "NotAuthorized", None);
        assert!(refused.text().contains("CertManage:Manage"), "{}", refused.text());
        let made = generate(&admin, wanted).await;
        let path = format!("/api/v2/x509/{}", made["certificateUuid"].as_str().unwrap());
        for again in ["renew", "rekey"] {
            alone.post(&format!("{path}/{again}"), json!({})).await.refused(403, "NotAuthorized", None);
        }
    }
    admin.saw_audited("CertificateRekey").await;
    let leaf = with(body(&admin, "TLS Client").await, json!({"issuerUuid": root, "trustCert": false}));
    alone.post(PATH, leaf).await.response();
}

/// Whoever has a responder's key says which certificates are good.
#[tokio::test]
async fn no_responder_has_a_key_from_outside() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let root = root(&admin).await;
    let request = Tool::new("openssl")
        .args(["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "/dev/null"])
        .args(["-subj", "/CN=responder"])
        .run();
    let profile = &body(&admin, "OCSP Responder").await["certProfileUuid"];
    let wanted = json!({"csr": request.text(), "certProfileUuid": profile, "serviceOrIssuerUuid": root});
    admin.post("/api/v2/x509/requests", wanted).await.refused(400, "InvalidValue", Some("/certProfileUuid"));
}

#[tokio::test]
async fn an_issuer_that_may_not_issue_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let base = body(&client, "Root Certificate Authority").await;
    let key = &base["newKey"]["keyTypeUuid"];
    let untrusted = generate(&client, with(base.clone(), json!({"trustCert": false}))).await;
    let keyless = generate(&client, with(base.clone(), json!({"newKey": {"keyTypeUuid": key, "save": false}}))).await;
    let root = root(&client).await;
    let leaf = issued(&client, "TLS Client", &root).await;
    let issuing = issued(&client, "Issuing Certificate Authority", &root).await;
    let revoked = issued(&client, "Issuing Certificate Authority", &root).await;
    let revoke = format!("/api/v2/x509/{}/revoke", revoked["certificateUuid"].as_str().unwrap());
    client.post(&revoke, json!({"reason": "keyCompromise"})).await.response();
    let wanted = body(&client, "TLS Client").await;
    let under = |issuer: &Value| with(wanted.clone(), json!({"issuerUuid": issuer}));
    for issuer in [&untrusted, &keyless, &leaf, &revoked] {
        let refused = client.post(PATH, under(&issuer["certificateUuid"])).await;
        refused.refused(409, "InvalidState", Some("/issuerUuid"));
    }
    for unknown in ["00000000-0000-0000-0000-000000000000", "no uuid"] {
        client.post(PATH, under(&json!(unknown))).await.refused(400, "InvalidSelection", Some("/issuerUuid"));
    }
    let deeper = with(
        body(&client, "Issuing Certificate Authority").await,
        json!({"issuerUuid": issuing["certificateUuid"], "certParams": {"validityPeriod": {"unit": "Day", "amount": "1"}}}),
    );
    client.post(PATH, deeper).await.refused(400, "InvalidValue", Some("/certProfileUuid"));
    client.post(PATH, with(base, json!({"issuerUuid": root}))).await.refused(400, "InvalidValue", Some("/issuerUuid"));
}

#[tokio::test]
async fn nothing_outlives_its_issuer() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let period = |unit: &str, amount: &str| json!({"validityPeriod": {"unit": unit, "amount": amount}});
    let short = with(body(&client, "Root Certificate Authority").await, json!({"certParams": period("Day", "2")}));
    let issuer = generate(&client, short).await["certificateUuid"].clone();
    let wanted = with(body(&client, "TLS Client").await, json!({"issuerUuid": issuer}));
    let lasting = |params: Value| with(wanted.clone(), json!({"certParams": params}));
    client.post(PATH, lasting(period("Day", "2"))).await.response();
    for params in [period("Second", "172801"), period("Day", "3"), json!({})] {
        let refused = client.post(PATH, lasting(params)).await;
        refused.refused(400, "InvalidValue", Some("/certParams/validityPeriod"));
        assert!(refused.text().contains("2026-06-23T12:00:00Z"), "{}", refused.text());
    }
    app.clock.advance_ms(2 * 24 * 3_600 * 1_000 + 1_000);
    let client = app.admin().await;
    client.post(PATH, lasting(period("Second", "1"))).await.refused(409, "InvalidState", Some("/issuerUuid"));
}

#[tokio::test]
async fn a_weak_hash_never_signs_a_certificate() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let base = body(&client, "Root Certificate Authority").await;
    for hash in ["Md5", "RipeMd", "Sha1", "Sha256"] {
        let refused = client.post(PATH, with(base.clone(), json!({"certParams": {"hashAlgorithm": hash}}))).await;
        refused.refused(400, "InvalidSelection", Some("/certParams/hashAlgorithm"));
    }
    let strong = generate(&client, with(base, json!({"certParams": {"hashAlgorithm": "Sha2_512"}}))).await;
    assert!(text(&strong).contains("ecdsa-with-SHA512"));
}

#[tokio::test]
async fn short_rsa_is_warned_of_and_refused_in_hardened_mode() {
    for hardened in [false, true] {
        let app = TestApp::with(Setup { hardened, ..Setup::default() }).await;
        let client = app.admin().await;
        let rsa = key_type(&client, "RSA 2048 Signing").await;
        let request = with(
            body(&client, "Root Certificate Authority").await,
            json!({"newKey": {"keyTypeUuid": rsa, "save": true}}),
        );
        let reply = client.post(PATH, request).await;
        if hardened {
            reply.refused(400, "InvalidSelection", Some("/newKey/keyTypeUuid"));
        } else {
            assert!(reply.response()["warnings"][0].as_str().unwrap().starts_with("RSA with 2048 bits"));
        }
    }
}

#[tokio::test]
async fn a_bad_body_is_refused() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let base = body(&client, "Root Certificate Authority").await;
    let key = &base["newKey"]["keyTypeUuid"];
    let amount = |amount: &str| json!({"certParams": {"validityPeriod": {"unit": "Day", "amount": amount}}});
    let long = "a".repeat(65);
    let mut cases = vec![
        (json!({"certProfileUuid": null}), "ArgumentParseError", "/certProfileUuid"),
        (json!({"certProfileUuid": 1}), "ArgumentParseError", "/certProfileUuid"),
        (json!({"certProfileUuid": "x"}), "InvalidSelection", "/certProfileUuid"),
        (json!({"certProfileUuid": key}), "InvalidSelection", "/certProfileUuid"),
        (json!({"subjectOneline": 1}), "ArgumentParseError", "/subjectOneline"),
        (json!({"subjectOneline": ""}), "InvalidValue", "/subjectOneline"),
        (json!({"subjectOneline": "CN="}), "InvalidValue", "/subjectOneline"),
        (json!({"subjectOneline": "CN=a,C=USA"}), "InvalidValue", "/subjectOneline"),
        (json!({"subjectOneline": format!("CN={long}")}), "InvalidValue", "/subjectOneline"),
        (json!({"newKey": null}), "ArgumentParseError", "/newKey/keyTypeUuid"),
        (json!({"newKey": {"save": true}}), "ArgumentParseError", "/newKey/keyTypeUuid"),
        (json!({"newKey": {"keyTypeUuid": key, "save": "yes"}}), "ArgumentParseError", "/newKey/save"),
        (json!({"newKey": {"keyTypeUuid": base["certProfileUuid"]}}), "InvalidSelection", "/newKey/keyTypeUuid"),
        (json!({"newKey": [key, true]}), "ArgumentParseError", "/newKey"),
        (json!({"keyParams": {"keyAlgorithm": "Ec", "keySize": 256}}), "InvalidValue", "/keyParams"),
        (json!({"keyParams": {"keyAlgorithm": "Dsa"}}), "InvalidSelection", "/keyParams/keyAlgorithm"),
        (
            json!({"newKey": {}, "keyParams": {"keyAlgorithm": "Rsa", "keySize": 1024}}),
            "InvalidSelection",
            "/keyParams",
        ),
        (json!({"saveCert": 1}), "ArgumentParseError", "/saveCert"),
        (
            json!({"certParams": {"validityPeriod": {"unit": "Day", "amount": 1}}}),
            "ArgumentParseError",
            "/certParams/validityPeriod/amount",
        ),
        (
            json!({"certParams": {"validityPeriod": {"unit": "Days", "amount": "1"}}}),
            "InvalidSelection",
            "/certParams/validityPeriod/unit",
        ),
        (
            json!({"certParams": {"validityPeriod": {"unit": "Millisecond", "amount": "999"}}}),
            "InvalidValue",
            "/certParams/validityPeriod/amount",
        ),
        (json!({"certParams": {"subjectAltNames": ["DNS:a"]}}), "InvalidValue", "/certParams/subjectAltNames"),
    ];
    for refused in ["0", "-1", "1.5", "", "99999999999999999999999999"] {
        cases.push((amount(refused), "InvalidValue", "/certParams/validityPeriod/amount"));
    }
    for (members, error, field) in cases {
        client.post(PATH, with(base.clone(), members)).await.refused(400, error, Some(field));
    }
    let twice = format!("{{\"profileUuid\":{},{}", base["certProfileUuid"], &base.to_string()[1..]);
    client.send("POST", PATH, None, twice).await.refused(400, "ArgumentParseError", Some("/certProfileUuid"));
    client.post(PATH, json!([1])).await.refused(400, "ArgumentParseError", None);
    assert_nothing_kept(&client).await;
}

#[tokio::test]
async fn one_name_is_issued_so_often_a_day() {
    let mut setup = Setup::default();
    setup.limits.certificates_per_name_max = 2;
    let app = TestApp::with(setup).await;
    let client = app.admin().await;
    let wanted = with(body(&client, "TLS Client").await, json!({"subjectOneline": "CN=looping"}));
    let issue = async |wanted: &Value| app.admin().await.post("/api/v2/x509/generate", wanted.clone()).await;
    issue(&wanted).await.response();
    app.clock.advance_ms(3_600 * 1_000);
    issue(&wanted).await.response();
    let refused = issue(&with(wanted.clone(), json!({"subjectOneline": "CN=Looping,O=Other"}))).await;
    refused.refused(429, "RateLimited", None);
    assert_eq!(refused.headers["retry-after"], (23 * 3_600).to_string().as_str());
    issue(&with(wanted.clone(), json!({"subjectOneline": "CN=another"}))).await.response();
    app.clock.advance_ms(23 * 3_600 * 1_000);
    issue(&wanted).await.response();
    issue(&wanted).await.refused(429, "RateLimited", None);
}
