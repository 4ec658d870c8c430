//! POST /api/v2/x509/import-key: authorities that OpenSSL made.

use chancery_core::Clock;
use chancery_testkit::Tool;
use chancery_types::Base64;
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    certificates::{body, issued, key_type, profile, root, with},
    client::{Client, Reply},
};

use super::{
    elsewhere::{Bench, CA, EC, installation, ocsp},
    requests::{P256, csr},
};

pub(super) const PATH: &str = "/api/v2/x509/import-key";

fn password(text: &str) -> String {
    Base64::encode(text.as_bytes())
}

async fn import(client: &Client, body: Value) -> Reply {
    client.post(PATH, body).await
}

fn uuid(imported: &Value) -> String {
    imported["certificateUuid"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn imported_authorities_issue_revoke_and_answer_and_openssl_follows_them() {
    let app = installation().await;
    let admin = app.admin().await;
    for algorithm in [
        "-algorithm RSA -pkeyopt rsa_keygen_bits:3072",
        EC,
        "-algorithm EC -pkeyopt ec_paramgen_curve:P-384",
        "-algorithm ED25519",
        "-algorithm ML-DSA-65",
    ] {
        let bench = Bench::new();
        bench.root("root", algorithm);
        let imported =
            import(&admin, json!({"pkcs12": bench.pkcs12("root", ""), "password": password("secret")})).await;
        let imported = imported.response().clone();
        let issuer = uuid(&imported);
        let read = admin.get(&format!("/api/v2/x509/{issuer}")).await.response().clone();
        assert_eq!((&read["origin"], &read["trusted"]), (&json!("Imported"), &json!(true)));
        assert_eq!((&read["certificate"], &read["keyUuid"]), (&json!(bench.read("root.pem")), &imported["keyUuid"]));
        let key = admin.get(&format!("/api/v2/keys/{}", imported["keyUuid"].as_str().unwrap())).await;
        assert_eq!(key.response()["origin"], "Imported");
        let leaf = issued(&admin, "TLS Client", &issuer).await;
        bench.write("leaf.pem", leaf["certificate"].as_str().unwrap());
        let crl = |bytes: &[u8]| bench.write("list.crl", bytes);
        let list = app.nobody().get(&format!("/crl/{issuer}.crl")).await.body;
        crl(&list);
        let verify = "verify -x509_strict -crl_check_all -CRLfile list.crl -CAfile root.pem leaf.pem";
        assert_eq!(bench.openssl(verify), b"leaf.pem: OK\n", "{algorithm}");
        assert_eq!(ocsp(&app, &bench).await, "leaf.pem: good");
        let path = format!("/api/v2/x509/{}/revoke", uuid(&leaf));
        admin.post(&path, json!({"reason": "superseded"})).await.response();
        crl(&app.nobody().get(&format!("/crl/{issuer}.crl")).await.body);
        let ran = Tool::new("openssl35").args(verify.split(' ')).folder(bench.path()).try_run();
        assert!(!ran.status.success() && ran.stderr.contains("certificate revoked"), "{algorithm}: {}", ran.stderr);
        assert_eq!(ocsp(&app, &bench).await, "leaf.pem: revoked");
    }
}

/// What was revoked elsewhere before is not known here, so such lists do not say that they keep what has expired: not where the
/// certificate was issued here for a key that came later, either.
#[tokio::test(flavor = "multi_thread")]
async fn lists_of_a_key_from_elsewhere_do_not_say_that_they_keep_what_has_expired() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let (own, imported) = (root(&admin).await, bench.imported_root(&admin).await);
    bench.openssl(&format!("genpkey {EC} -out later.key"));
    let request = bench.openssl("req -new -config /dev/null -key later.key -subj /CN=later");
    let request = json!({
        "serviceOrIssuerUuid": own, "csr": String::from_utf8(request).unwrap(),
        "certProfileUuid": profile(&admin, "Issuing Certificate Authority").await,
    });
    let later = admin.post("/api/v2/x509/requests", request).await.response().clone();
    bench.write("later.pem", later["certificate"].as_str().unwrap());
    let given = uuid(&bench.import(&admin, "later", "").await);
    assert_eq!(given, uuid(&later));
    for (issuer, says_so) in [(own, true), (imported, false), (given, false)] {
        bench.write("list.crl", app.nobody().get(&format!("/crl/{issuer}.crl")).await.body);
        let text = String::from_utf8(bench.openssl("crl -inform DER -in list.crl -noout -text")).unwrap();
        assert_eq!(text.contains("2.5.29.60"), says_so, "{text}");
    }
}

/// Of key identifiers, one in some 70,000 begins as an object identifier with a padded arc does.
#[tokio::test(flavor = "multi_thread")]
async fn any_key_identifier_is_taken() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let extensions = CA.replace("=hash", "=0604558004030405060708090a0b0c0d0e0f1011");
    bench.root("root", EC);
    let subject = "-subj /C=US/O=Elsewhere/CN=root";
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key root.key {subject} -days 3000 {extensions} -out root.pem"
    ));
    let issuer = uuid(&bench.import(&admin, "root", "").await);
    let leaf = issued(&admin, "TLS Client", &issuer).await;
    bench.write("leaf.pem", leaf["certificate"].as_str().unwrap());
    bench.openssl("verify -x509_strict -CAfile root.pem leaf.pem");
    assert!(ocsp(&app, &bench).await.contains("good"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_below_a_root_elsewhere_issues_from_requests_too() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    bench.below("issuing", "root", &CA.replace("CA:TRUE", "CA:TRUE,pathlen:0"));
    // The key beside its chain, in PEM and encrypted; the root comes first, though nobody asks for an order.
    let key = bench.openssl("pkcs8 -topk8 -in issuing.key -v2 aes-256-cbc -passout pass:secret");
    let body = json!({
        "privateKey": String::from_utf8(key).unwrap(), "password": password("secret"),
        "certificates": bench.read("root.pem") + &bench.read("issuing.pem"),
    });
    let imported = import(&admin, body).await.response().clone();
    let [root, issuing] = &imported["certificates"].as_array().unwrap()[..] else { panic!("{imported}") };
    assert_eq!((&issuing["issuerUuid"], &root["issuerUuid"]), (&root["certificateUuid"], &root["certificateUuid"]));
    assert_eq!(issuing["certificateUuid"], imported["certificateUuid"]);
    let issuer = uuid(&imported);
    let request = json!({
        "serviceOrIssuerUuid": issuer, "csr": csr(P256, "/CN=client", &[]),
        "certProfileUuid": profile(&admin, "TLS Client").await,
    });
    let leaf = admin.post("/api/v2/x509/requests", request).await.response().clone();
    bench.write("leaf.pem", leaf["certificate"].as_str().unwrap());
    let verify = "verify -x509_strict -CAfile root.pem -untrusted issuing.pem leaf.pem";
    assert_eq!(bench.openssl(verify), b"leaf.pem: OK\n");
    let chain = admin.get(&format!("/api/v2/x509/{}/download?format=chain", uuid(&leaf))).await;
    assert!(chain.text().ends_with(&(bench.read("issuing.pem") + &bench.read("root.pem"))), "{}", chain.text());
    // The root's key stayed where it was.
    let under = |issuer: &str| json!({"issuerUuid": issuer});
    let root = with(body_of(&admin, "TLS Client").await, under(&uuid(root)));
    admin.post("/api/v2/x509/generate", root).await.refused(409, "InvalidState", Some("/issuerUuid"));
    // And the path length holds.
    let deeper = with(body_of(&admin, "Issuing Certificate Authority").await, under(&issuer));
    let year = json!({"certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}});
    admin.post("/api/v2/x509/generate", with(deeper, year)).await.refused(
        400,
        "InvalidValue",
        Some("/certProfileUuid"),
    );
}

async fn body_of(client: &Client, profile: &str) -> Value {
    body(client, profile).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_length_further_up_holds_too() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.openssl(&format!("genpkey {EC} -out root.key"));
    let limited = CA.replace("CA:TRUE", "CA:TRUE,pathlen:1");
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key root.key -subj /CN=root -days 3000 {limited} -out root.pem"
    ));
    let constraints = "-addext policyConstraints=critical,requireExplicitPolicy:3";
    bench.below("issuing", "root", &format!("{CA} {constraints}"));
    let body = json!({"pkcs12": bench.pkcs12("issuing", "-certfile root.pem"), "password": password("secret")});
    let imported = import(&admin, body).await.response().clone();
    assert!(imported["warnings"].to_string().contains("policies alone: 2.5.29.36."), "{imported}");
    let issuer = uuid(&imported);
    let year = json!({"validityPeriod": {"unit": "Year", "amount": "1"}});
    let deeper = json!({"issuerUuid": issuer, "certParams": year});
    let wanted = with(body_of(&admin, "Issuing Certificate Authority").await, deeper);
    admin.post("/api/v2/x509/generate", wanted).await.refused(400, "InvalidValue", Some("/certProfileUuid"));
    issued(&admin, "TLS Client", &issuer).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_is_refused_and_nothing_is_kept() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    bench.root("other", EC);
    bench.below("leaf", "root", "-addext basicConstraints=critical,CA:FALSE");
    bench.below("orphan", "other", CA);
    let file = bench.pkcs12("root", "");
    let plain = |name: &str| bench.read(&format!("{name}.key"));
    let certificate = |name: &str| bench.read(&format!("{name}.pem"));
    let secret = password("secret");
    let encrypted =
        String::from_utf8(bench.openssl("pkcs8 -topk8 -in root.key -v2 aes-256-cbc -passout pass:secret")).unwrap();
    let des = String::from_utf8(bench.openssl("pkcs8 -topk8 -in root.key -v2 des3 -passout pass:secret")).unwrap();
    for (body, status, error, field) in [
        (json!({}), 400, "ArgumentParseError", "/privateKey"),
        (json!({"pkcs12": file}), 400, "ArgumentParseError", "/password"),
        (json!({"pkcs12": file, "password": "!"}), 400, "ArgumentParseError", "/password"),
        (json!({"pkcs12": file, "password": password("Secret")}), 400, "InvalidValue", "/password"),
        (json!({"pkcs12": file, "privateKey": plain("root"), "password": secret}), 400, "InvalidValue", "/pkcs12"),
        (json!({"pkcs12": "?", "password": secret}), 400, "ArgumentParseError", "/pkcs12"),
        (json!({"pkcs12": 7, "password": secret}), 400, "ArgumentParseError", "/pkcs12"),
        (json!({"pkcs12": bench.pkcs12("root", "-macalg sha1"), "password": secret}), 400, "InvalidValue", "/pkcs12"),
        (
            json!({"privateKey": des, "password": secret, "certificates": certificate("root")}),
            400,
            "InvalidValue",
            "/privateKey",
        ),
        (json!({"privateKey": encrypted, "certificates": certificate("root")}), 400, "ArgumentParseError", "/password"),
        (
            json!({"privateKey": plain("root"), "password": secret, "certificates": certificate("root")}),
            400,
            "InvalidValue",
            "/password",
        ),
        (
            json!({"privateKey": plain("root"), "certificates": certificate("other")}),
            400,
            "InvalidValue",
            "/privateKey",
        ),
        (json!({"privateKey": plain("root")}), 400, "InvalidValue", "/privateKey"),
        (
            json!({"privateKey": plain("leaf"), "certificates": certificate("leaf") + &certificate("root")}),
            400,
            "InvalidValue",
            "/certificates",
        ),
        (
            json!({"privateKey": plain("orphan"), "certificates": certificate("orphan")}),
            400,
            "InvalidValue",
            "/certificates",
        ),
        (
            json!({"privateKey": plain("root"), "certificates": certificate("root") + &plain("root")}),
            400,
            "InvalidValue",
            "/certificates",
        ),
    ] {
        let reply = import(&admin, body.clone()).await;
        reply.refused(status, error, Some(field));
        assert!(!reply.text().contains("PRIVATE KEY-"), "{}", reply.text());
    }
    let kept = admin.get("/api/v2/x509?search=elsewhere").await;
    assert_eq!(kept.response()["results"], json!([]));
    assert_eq!(admin.get("/api/v2/keys/stubs").await.response()["total"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_bring_a_key_in_and_the_record_tells() {
    let app = installation().await;
    let admin = app.admin().await;
    let alone = json!({"name": "lone importer", "loginsRequired": 1, "perms": ["CertManage:Export"]});
    assert_eq!(admin.post("/api/v2/roles", alone).await.status.as_u16(), 400);
    let bench = Bench::new();
    bench.root("root", EC);
    let body = json!({"pkcs12": bench.pkcs12("root", ""), "password": password("secret")});
    let imported = import(&admin, body.clone()).await.response().clone();
    let records = admin.get("/api/v2/audit?action=AuthorityImport").await;
    let records = records.response()["items"].clone();
    assert_eq!(records.as_array().unwrap().len(), 1, "{records}");
    let text = records.to_string();
    let fingerprint = String::from_utf8(bench.openssl("x509 -in root.pem -noout -fingerprint -sha256")).unwrap();
    let fingerprint = fingerprint.trim().rsplit('=').next().unwrap().replace(':', "");
    assert!(text.contains(&fingerprint) && text.contains("Admin2"), "{text}");
    for secret in [&body["pkcs12"], &body["password"]] {
        assert!(!text.contains(secret.as_str().unwrap()), "{text}");
    }
    // A second time the key is there already.
    import(&admin, body).await.refused(409, "AlreadyExists", Some("/certificates"));
    assert!(imported["warnings"].to_string().contains("existed outside of this installation"), "{imported}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issuer_that_was_only_trusted_gets_its_key_later() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    let trusted = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("root.pem")})).await;
    let id = trusted.response()["certificates"][0]["certificateUuid"].clone();
    let body = json!({"pkcs12": bench.pkcs12("root", ""), "password": password("secret")});
    let imported = import(&admin, body).await.response().clone();
    assert_eq!((&imported["certificateUuid"], &imported["certificates"][0]["existed"]), (&id, &json!(true)));
    issued(&admin, "TLS Client", id.as_str().unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_successor_of_an_imported_authority_follows_a_profile_that_is_named() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    let body = json!({"pkcs12": bench.pkcs12("root", ""), "password": password("secret")});
    let imported = import(&admin, body).await.response().clone();
    let path = |verb: &str| format!("/api/v2/x509/{}/{verb}", uuid(&imported));
    admin.post(&path("rekey"), json!({})).await.refused(400, "InvalidValue", Some("/certProfileUuid"));
    let profile = json!({"certProfileUuid": profile(&admin, "Root Certificate Authority").await});
    admin.post(&path("renew"), profile.clone()).await.refused(409, "InvalidState", None);
    let next = admin.post(&path("rekey"), profile.clone()).await.response().clone();
    let read = admin.get(&format!("/api/v2/x509/{}", uuid(&next))).await.response().clone();
    assert_eq!((&read["origin"], &read["subject"]), (&json!("Generated"), &json!("CN=root,O=Elsewhere,C=US")));
    let other = json!({"certProfileUuid": "00000000-0000-0000-0000-000000000001"});
    let path = format!("/api/v2/x509/{}/rekey", uuid(&next));
    admin.post(&path, other).await.refused(400, "InvalidValue", Some("/certProfileUuid"));
}

#[tokio::test]
async fn hardened_mode_and_limits_hold() {
    let mut setup = Setup { clock: Clock::System, hardened: true, ..Setup::default() };
    setup.limits.imports.import_iterations_max = 5_000;
    let app = TestApp::with(setup).await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048");
    // The MAC, the certificates and the key: three derivations of 2,048 iterations.
    let body = json!({"pkcs12": bench.pkcs12("root", ""), "password": password("secret")});
    import(&admin, body).await.refused(413, "LimitExceeded", Some("/pkcs12"));
    let body = json!({"pkcs12": bench.pkcs12("root", "-iter 1000"), "password": password("secret")});
    import(&admin, body).await.refused(400, "InvalidSelection", Some("/pkcs12"));
}

/// Bytes that were altered or are missing are refused, each in its own words: nothing panics, nothing is our fault.
#[tokio::test(flavor = "multi_thread")]
async fn altered_files_are_the_senders_fault() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", "-algorithm ED25519");
    let Base64(file) = Base64::decode(&bench.pkcs12("root", "-iter 1 -nomaciter")).unwrap();
    let certificate = bench.openssl("x509 -in root.pem -outform DER");
    let key = bench.openssl("pkey -in root.key -outform DER");
    let altered = |bytes: &[u8]| -> Vec<String> {
        let flips = (0..bytes.len()).step_by(3).map(|at| {
            let mut altered = bytes.to_vec();
            altered[at] ^= 1 << (at % 8);
            altered
        });
        let cuts = (0..bytes.len()).step_by(7).map(|len| bytes[..len].to_vec());
        flips.chain(cuts).map(|altered| Base64::encode(&altered)).collect()
    };
    let mut bodies = Vec::new();
    for pkcs12 in altered(&file) {
        bodies.push(json!({"pkcs12": pkcs12, "password": password("secret")}));
    }
    for private_key in altered(&key) {
        bodies.push(json!({"privateKey": private_key, "certificates": bench.read("root.pem")}));
    }
    for certificates in altered(&certificate) {
        bodies.push(json!({"privateKey": Base64::encode(&key), "certificates": certificates}));
    }
    for body in bodies {
        let reply = import(&admin, body.clone()).await;
        let status = reply.status.as_u16();
        assert!([200, 400, 409].contains(&status), "{body}: {}", reply.text());
    }
    let unknown = key_type(&admin, "Ed25519 Signing").await;
    assert!(!unknown.is_empty(), "the server goes on");
}
