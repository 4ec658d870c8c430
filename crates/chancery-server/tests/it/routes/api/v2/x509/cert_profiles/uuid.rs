//! /api/v2/x509/cert-profiles and /api/v2/x509/cert-profiles/{uuid}.

use chancery_testkit::Tool;
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    certificates::{body, generate, key_type, profile, root, with},
    client::{Client, Reply},
};

const PATH: &str = "/api/v2/x509/cert-profiles";

async fn create(client: &Client, members: Value) -> Reply {
    let least = json!({"objInfo": {"name": "Example"}, "validityPeriod": {"unit": "Day", "amount": "30"}});
    client.post(PATH, with(least, members)).await
}

/// Makes a profile; answers its path.
async fn created(client: &Client, members: Value) -> String {
    let reply = create(client, members).await;
    format!("{PATH}/{}", reply.response()["objInfo"]["uuid"].as_str().unwrap())
}

fn uuid(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

#[tokio::test]
async fn the_least_profile_has_the_defaults_and_can_be_written_back() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let path = created(&admin, json!({})).await;
    let read = admin.get(&path).await.response().clone();
    let rules = json!({"presence": "Optional", "kinds": null, "domains": null, "wildcards": false});
    let expected = json!({
        "objInfo": {"name": "Example", "uuid": uuid(&path)},
        "validityPeriod": {"unit": "Day", "amount": "30"}, "maxValidityPeriod": null,
        "basicConstraints": {"ca": false, "pathLength": null}, "keyUsages": ["digitalSignature"],
        "extendedKeyUsages": [], "keyTypeUuids": null, "hashAlgorithms": null,
        "subject": {"allowed": null, "required": [], "values": {}}, "subjectAltNames": rules, "policies": [],
        "crlUrls": null, "ocspUrls": null, "issuerUrls": null, "enabled": true, "system": false,
        "approval": {"numApprovals": 0},
    });
    assert_eq!(read, expected);
    assert_eq!(admin.patch(&path, read.clone()).await.response(), &expected);
    let again = with(read, json!({"objInfo": {"name": "Another"}}));
    let another = admin.post(PATH, again).await.response().clone();
    assert_eq!(another["subjectAltNames"], rules);
    let stubs = admin.get(&format!("{PATH}/stubs?search=ano")).await.response().clone();
    assert_eq!((&stubs["total"], &stubs["results"][0]["objInfo"]), (&json!(1), &another["objInfo"]));
    assert_eq!(stubs["results"][0]["system"], false);
}

#[tokio::test]
async fn built_in_profiles_are_read_and_stay_as_they_are() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let path = format!("{PATH}/{}", profile(&admin, "TLS Server").await);
    let read = admin.get(&path).await.response().clone();
    assert_eq!((&read["system"], &read["extendedKeyUsages"]), (&json!(true), &json!(["serverAuth"])));
    assert_eq!(read["keyUsages"], json!(["digitalSignature", "keyEncipherment"]));
    admin.patch(&path, json!({"enabled": false})).await.refused(409, "InvalidState", None);
    admin.delete(&path).await.refused(409, "InvalidState", None);
    create(&admin, json!({"objInfo": {"name": "tls server"}})).await.refused(
        409,
        "AlreadyExists",
        Some("/objInfo/name"),
    );
    let nothing = format!("{PATH}/12345678-1234-1234-1234-123456789abc");
    admin.get(&nothing).await.refused(404, "InvalidSelection", None);
    admin.patch(&nothing, json!({})).await.refused(404, "InvalidSelection", None);
    admin.delete(&nothing).await.refused(404, "InvalidSelection", None);
}

#[tokio::test]
async fn every_member_is_refused_for_its_own_reason() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let year = |amount: &str| json!({"unit": "Year", "amount": amount});
    let many = vec!["1.2.3"; 101];
    for (members, error_code, field) in [
        (json!({"objInfo": {"name": ""}}), "InvalidValue", "/objInfo/name"),
        (json!({"validityPeriod": year("0")}), "InvalidValue", "/validityPeriod/amount"),
        (json!({"validityPeriod": {"unit": "Millisecond", "amount": "999"}}), "InvalidValue", "/validityPeriod/amount"),
        (json!({"validityPeriod": year("3"), "maxValidityPeriod": year("2")}), "InvalidValue", "/validityPeriod"),
        (json!({"maxValidityPeriod": year("9999")}), "InvalidValue", "/maxValidityPeriod/amount"),
        (json!({"basicConstraints": {"pathLength": 0}}), "InvalidValue", "/basicConstraints/pathLength"),
        (json!({"keyUsages": []}), "InvalidValue", "/keyUsages"),
        (json!({"keyUsages": ["keyCertSign", "cRLSign"]}), "InvalidValue", "/keyUsages"),
        (json!({"basicConstraints": {"ca": true}, "keyUsages": ["keyCertSign"]}), "InvalidValue", "/keyUsages"),
        (json!({"keyUsages": ["everything"]}), "InvalidSelection", "/keyUsages/0"),
        (json!({"extendedKeyUsages": ["everything"]}), "InvalidValue", "/extendedKeyUsages/0"),
        (json!({"extendedKeyUsages": ["clientAuth", "2.999.1"]}), "InvalidValue", "/extendedKeyUsages/1"),
        (json!({"policies": ["2.48.1"]}), "InvalidValue", "/policies/0"),
        (json!({"extendedKeyUsages": ["clientAuth", "1.3.6.1.5.5.7.3.2"]}), "InvalidValue", "/extendedKeyUsages/1"),
        (json!({"extendedKeyUsages": ["2.5.29.37.0"]}), "InvalidValue", "/extendedKeyUsages"),
        (json!({"extendedKeyUsages": ["timeStamping", "clientAuth"]}), "InvalidValue", "/extendedKeyUsages"),
        (json!({"keyTypeUuids": []}), "InvalidValue", "/keyTypeUuids"),
        (json!({"keyTypeUuids": ["12345678-1234-1234-1234-123456789abc"]}), "InvalidSelection", "/keyTypeUuids/0"),
        (json!({"hashAlgorithms": ["Sha2_256", "Sha1"]}), "InvalidSelection", "/hashAlgorithms/1"),
        (json!({"subject": {"required": ["XY"]}}), "InvalidSelection", "/subject/required/0"),
        (json!({"subject": {"allowed": ["CN"], "required": ["O"]}}), "InvalidValue", "/subject/required"),
        (json!({"subject": {"values": {"O": []}}}), "InvalidValue", "/subject/values/O"),
        (json!({"subjectAltNames": {"presence": "Optional", "kinds": []}}), "InvalidValue", "/subjectAltNames/kinds"),
        (
            json!({"subjectAltNames": {"presence": "Optional", "kinds": ["Dns"], "domains": ["*.example"]}}),
            "InvalidValue",
            "/subjectAltNames/domains/0",
        ),
        (
            json!({"subjectAltNames": {"presence": "Optional", "domains": ["example.com"]}}),
            "InvalidValue",
            "/subjectAltNames/kinds",
        ),
        (json!({"policies": ["2.5.29.32.0"]}), "InvalidValue", "/policies"),
        (json!({"policies": ["x"]}), "InvalidValue", "/policies/0"),
        (json!({"policies": many}), "LimitExceeded", "/policies"),
        (json!({"crlUrls": ["file:///etc"]}), "InvalidValue", "/crlUrls/0"),
        (json!({"ocspUrls": ["http://a b"]}), "InvalidValue", "/ocspUrls/0"),
    ] {
        let reply = create(&admin, members).await;
        let status = if error_code == "LimitExceeded" { 413 } else { 400 };
        reply.refused(status, error_code, Some(field));
    }
    let at_the_limit: Vec<_> = (0..100).map(|number| format!("1.2.{number}")).collect();
    create(&admin, json!({"policies": at_the_limit})).await.response();
}

#[tokio::test]
async fn there_are_only_so_many_profiles() {
    let mut setup = Setup::default();
    setup.limits.cert_profiles_max = 1;
    let app = TestApp::with(setup).await;
    let admin = app.admin().await;
    create(&admin, json!({})).await.response();
    create(&admin, json!({})).await.refused(413, "LimitExceeded", Some(""));
}

#[tokio::test]
async fn a_request_narrows_a_profile_and_never_widens_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let p256 = key_type(&admin, "EC P-256 Signing").await;
    let path = created(
        &admin,
        json!({
            "validityPeriod": {"unit": "Day", "amount": "30"}, "maxValidityPeriod": {"unit": "Day", "amount": "60"},
            "keyUsages": ["digitalSignature", "keyAgreement"], "extendedKeyUsages": ["clientAuth", "serverAuth"],
            "keyTypeUuids": [p256], "hashAlgorithms": ["Sha2_384", "Sha2_256"],
            "subject": {"allowed": ["CN", "O"], "required": ["O"], "values": {"O": ["Example"]}},
            "subjectAltNames": {"presence": "Optional", "kinds": ["Dns", "Email"], "domains": ["example.com"]},
            "policies": ["1.3.6.1.4.1.99999.1"], "crlUrls": ["http://crl.example/x.crl"], "issuerUrls": [],
        }),
    )
    .await;
    let good = with(
        body(&admin, "TLS Client").await,
        json!({"certProfileUuid": uuid(&path), "subjectOneline": "CN=a,O=Example", "issuerUuid": issuer}),
    );
    let days = |amount: &str| json!({"validityPeriod": {"unit": "Day", "amount": amount}});
    let params = |params: Value| json!({"certParams": params});
    for (members, field) in [
        (json!({"subjectOneline": "CN=a"}), "/subjectOneline"),
        (json!({"subjectOneline": "CN=a,O=Other"}), "/subjectOneline"),
        (json!({"subjectOneline": "CN=a,O=Example,C=US"}), "/subjectOneline"),
        (json!({"newKey": {"keyTypeUuid": key_type(&admin, "EC P-384 Signing").await}}), "/newKey/keyTypeUuid"),
        (params(days("61")), "/certParams/validityPeriod"),
        (params(json!({"hashAlgorithm": "Sha2_512"})), "/certParams/hashAlgorithm"),
        (params(json!({"subjectAltNames": ["IP:192.0.2.1"]})), "/certParams/subjectAltNames/0"),
        (params(json!({"subjectAltNames": ["a.example.com", "a.example.org"]})), "/certParams/subjectAltNames/1"),
        (params(json!({"subjectAltNames": ["notexample.com"]})), "/certParams/subjectAltNames/0"),
        (params(json!({"subjectAltNames": ["*.example.com"]})), "/certParams/subjectAltNames/0"),
        (params(json!({"subjectAltNames": ["email:a@example.org"]})), "/certParams/subjectAltNames/0"),
        (params(json!({"keyUsages": ["nonRepudiation"]})), "/certParams/keyUsages/0"),
        (params(json!({"keyUsages": []})), "/certParams/keyUsages"),
        (params(json!({"extendedKeyUsages": ["codeSigning"]})), "/certParams/extendedKeyUsages/0"),
        (params(json!({"extendedKeyUsages": []})), "/certParams/extendedKeyUsages"),
        (params(json!({"pathLength": 0})), "/certParams/pathLength"),
    ] {
        let reply = admin.post("/api/v2/x509/generate", with(good.clone(), members)).await;
        reply.refused(400, "InvalidValue", Some(field));
    }
    let full = text(&generate(&admin, good.clone()).await);
    for said in [
        "Digital Signature, Key Agreement",
        "TLS Web Client Authentication, TLS Web Server Authentication",
        "ecdsa-with-SHA384",
        "1.3.6.1.4.1.99999.1",
        "http://crl.example/x.crl",
    ] {
        assert!(full.contains(said), "{said}: {full}");
    }
    let narrow = json!({"subjectAltNames": ["A.Example.com", "email:a@mail.example.com"], "keyUsages": ["digitalSignature"],
        "extendedKeyUsages": ["clientAuth"], "hashAlgorithm": "Sha2_256",
        "validityPeriod": {"unit": "Day", "amount": "60"}});
    let narrow = text(&generate(&admin, with(good, params(narrow))).await);
    assert!(narrow.contains("DNS:A.Example.com, email:a@mail.example.com"), "{narrow}");
    assert!(!narrow.contains("Server Authentication") && !narrow.contains("Key Agreement"), "{narrow}");
}

fn text(generated: &Value) -> String {
    let pem = generated["certificate"].as_str().unwrap();
    chancery_testkit::Tool::new("openssl").args(["x509", "-noout", "-text"]).input(pem.as_bytes().to_vec()).run().text()
}

#[tokio::test]
async fn path_lengths_are_handed_down() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let own = created(&admin, json!({"basicConstraints": {"ca": true}})).await;
    let authority = |issuer: &Value, params: Value| json!({"certProfileUuid": uuid(&own), "issuerUuid": issuer, "certParams": params, "trustCert": true});
    let base = body(&admin, "Root Certificate Authority").await;
    let top = generate(&admin, with(base.clone(), authority(&Value::Null, json!({"pathLength": 2})))).await;
    let top = top["certificateUuid"].clone();
    let issue = |issuer: Value, params: Value| {
        admin.post("/api/v2/x509/generate", with(base.clone(), authority(&issuer, params)))
    };
    issue(top.clone(), json!({"pathLength": 2})).await.refused(400, "InvalidValue", Some("/certParams/pathLength"));
    let middle = issue(top, json!({})).await.response().clone();
    assert!(text(&middle).contains("CA:TRUE, pathlen:1"), "{}", text(&middle));
    let last = issue(middle["certificateUuid"].clone(), json!({})).await.response().clone();
    assert!(text(&last).contains("CA:TRUE, pathlen:0"), "{}", text(&last));
    let below = issue(last["certificateUuid"].clone(), json!({})).await;
    below.refused(400, "InvalidValue", Some("/certProfileUuid"));
}

#[tokio::test]
async fn a_used_profile_is_disabled_and_not_deleted() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let unused = created(&admin, json!({"objInfo": {"name": "Unused"}})).await;
    admin.delete(&unused).await.response();
    admin.get(&unused).await.refused(404, "InvalidSelection", None);
    let used = created(&admin, json!({})).await;
    let order = with(body(&admin, "TLS Client").await, json!({"certProfileUuid": uuid(&used)}));
    let issued = generate(&admin, order.clone()).await;
    admin.delete(&used).await.refused(409, "InvalidState", None);
    assert_eq!(admin.patch(&used, json!({"enabled": false})).await.response()["enabled"], false);
    let refused = admin.post("/api/v2/x509/generate", order.clone()).await;
    refused.refused(409, "InvalidState", Some("/certProfileUuid"));
    let certificate = admin.get(&format!("/api/v2/x509/{}", issued["certificateUuid"].as_str().unwrap())).await;
    assert_eq!(certificate.response()["certProfileUuid"], uuid(&used));
    admin.patch(&used, json!({"enabled": true, "maxValidityPeriod": {"unit": "Day", "amount": "30"}})).await.response();
    generate(&admin, order).await;
    assert_eq!(
        admin.patch(&used, json!({"maxValidityPeriod": null})).await.response()["maxValidityPeriod"],
        Value::Null
    );
}

#[tokio::test]
async fn the_subject_lies_in_the_domains_too_and_a_mailbox_in_it_becomes_an_alternative_name() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let rules = json!({"presence": "Optional", "kinds": ["Dns", "Email", "Upn"], "domains": ["example.com"]});
    let path = created(&admin, json!({"subjectAltNames": rules})).await;
    let ask = async |subject: &str, names: Value| {
        let members = json!({
            "certProfileUuid": uuid(&path), "issuerUuid": issuer, "subjectOneline": subject,
            "certParams": {"subjectAltNames": names},
        });
        admin.post("/api/v2/x509/generate", with(body(&admin, "TLS Client").await, members)).await
    };
    for subject in [
        "CN=evil.example.org",
        "CN=EVIL.example.org.",
        "CN=*.example.org",
        "CN=192.0.2.1",
        "CN=notexample.com",
        "CN=w*.example.org",
        "CN=example.org:443",
        "CN=http://example.org/",
        "CN=*.example.com",
        "CN=a,emailAddress=a@example.org",
        "CN=evil.example.org,emailAddress=a@example.org",
        "CN=a,emailAddress=nobody",
    ] {
        for names in [json!([]), json!(["DNS:www.example.com"])] {
            ask(subject, names).await.refused(400, "InvalidValue", Some("/subjectOneline"));
        }
    }
    ask("CN=a", json!(["UPN:ann@example.org"])).await.refused(
        400,
        "InvalidValue",
        Some("/certParams/subjectAltNames/0"),
    );
    ask("CN=www.example.com", json!([])).await.response();
    let made = ask("CN=Ann,emailAddress=ann@mail.example.com", json!(["UPN:ann@example.com"])).await;
    let text = Tool::new("openssl35").args(["x509", "-noout", "-text"]);
    let text = text.input(made.response()["certificate"].as_str().unwrap().as_bytes().to_vec()).run().text();
    assert!(text.contains("email:ann@mail.example.com") && text.contains("othername: UPN:"), "{text}");
}

#[tokio::test]
async fn name_constraints_of_a_profile_are_issued_critical_and_hold_below() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let constraints = json!({"permitted": ["DNS:example.com", "dirName:O=Example,C=US"], "excluded": ["IP:0.0.0.0/0"]});
    let path = created(
        &admin,
        json!({
            "basicConstraints": {"ca": true}, "nameConstraints": constraints,
            "validityPeriod": {"unit": "Year", "amount": "5"},
        }),
    )
    .await;
    let read = admin.get(&path).await.response().clone();
    assert_eq!(read["nameConstraints"], constraints);
    assert_eq!(admin.patch(&path, read.clone()).await.response(), &read);
    let issuer = root(&admin).await;
    let authority = json!({
        "certProfileUuid": uuid(&path), "issuerUuid": issuer, "subjectOneline": "CN=Limited,O=Elsewhere",
        "trustCert": true,
    });
    let authority = generate(&admin, with(body(&admin, "TLS Client").await, authority)).await;
    let text = Tool::new("openssl35").args(["x509", "-noout", "-ext", "nameConstraints"]);
    let text = text.input(authority["certificate"].as_str().unwrap().as_bytes().to_vec()).run().text();
    for said in ["X509v3 Name Constraints: critical", "DNS:example.com", "DirName:", "IP:0.0.0.0/0.0.0.0"] {
        assert!(text.contains(said), "{text}");
    }
    let below = async |subject: &str, names: Value| {
        let members = json!({
            "issuerUuid": authority["certificateUuid"], "subjectOneline": subject,
            "certParams": {"subjectAltNames": names, "validityPeriod": {"unit": "Day", "amount": "9"}},
        });
        admin.post("/api/v2/x509/generate", with(body(&admin, "TLS Client").await, members)).await
    };
    below("CN=a,O=Example,C=US", json!(["DNS:www.example.com"])).await.response();
    below("CN=a,O=Other,C=US", json!([])).await.refused(400, "InvalidValue", Some("/subjectOneline"));
    for name in ["DNS:www.example.org", "IP:192.0.2.1"] {
        let reply = below("CN=a,O=Example,C=US", json!([name])).await;
        reply.refused(400, "InvalidValue", Some("/certParams/subjectAltNames/0"));
    }
    // Another key does not get rid of them.
    let again = format!("/api/v2/x509/{}/rekey", authority["certificateUuid"].as_str().unwrap());
    admin.patch(&path, json!({"nameConstraints": null})).await.response();
    let rekeyed = admin.post(&again, json!({})).await.response()["certificate"].clone();
    let text = Tool::new("openssl35").args(["x509", "-noout", "-ext", "nameConstraints"]);
    let text = text.input(rekeyed.as_str().unwrap().as_bytes().to_vec()).run().text();
    assert!(text.contains("X509v3 Name Constraints: critical"), "{text}");
    for (members, field) in [
        (json!({"nameConstraints": {"permitted": ["DNS:example.com"]}}), "/nameConstraints"),
        (json!({"basicConstraints": {"ca": true}, "nameConstraints": {}}), "/nameConstraints"),
        (
            json!({"basicConstraints": {"ca": true}, "nameConstraints": {"excluded": ["IP:10.0.0.1/8"]}}),
            "/nameConstraints/excluded/0",
        ),
    ] {
        create(&admin, with(members, json!({"objInfo": {"name": "Other"}}))).await.refused(
            400,
            "InvalidValue",
            Some(field),
        );
    }
    let misspelt = json!({"basicConstraints": {"ca": true}, "nameConstraints": {"permit": ["DNS:example.com"]}});
    create(&admin, misspelt).await.refused(400, "ArgumentParseError", Some("/nameConstraints/permit"));
}
