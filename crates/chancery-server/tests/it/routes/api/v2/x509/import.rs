//! POST /api/v2/x509/import.

use chancery_types::{Base64, Perm};
use serde_json::{Value, json};

use super::elsewhere::{Bench, CA, EC, installation};
use crate::{
    app::{Setup, TestApp},
    certificates::{body, with},
    client::{Client, Reply},
};

const PATH: &str = "/api/v2/x509/import";

async fn import(client: &Client, certificates: &str) -> Reply {
    client.post(PATH, json!({"certificates": certificates})).await
}

/// Root, policy and issuing authority, and a leaf.
fn hierarchy() -> Bench {
    let bench = Bench::new();
    bench.root("root", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048");
    bench.below("policy", "root", CA);
    bench.below("issuing", "policy", CA);
    bench.below("leaf", "issuing", "-addext basicConstraints=CA:FALSE");
    bench
}

const NAMES: [&str; 4] = ["root", "policy", "issuing", "leaf"];

/// The subjects in the order of the answer.
fn subjects(imported: &Value) -> Vec<String> {
    let certificates = imported["certificates"].as_array().unwrap();
    certificates.iter().map(|one| one["subject"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_chain_in_any_order_and_form_is_kept_once() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = hierarchy();
    let pem = |name: &str| bench.read(&format!("{name}.pem"));
    let shuffled = format!(
        "some text\n{}{}and more\n{}{}{}",
        pem("leaf"),
        pem("root"),
        pem("issuing"),
        pem("policy"),
        pem("leaf")
    );
    let imported = import(&admin, &shuffled).await.response().clone();
    assert_eq!(subjects(&imported), NAMES.map(|name| format!("CN={name},O=Elsewhere,C=US")));
    let certificates = imported["certificates"].as_array().unwrap();
    for (place, certificate) in certificates.iter().enumerate() {
        let issuer = &certificates[place.saturating_sub(1)]["certificateUuid"];
        assert_eq!((&certificate["issuerUuid"], &certificate["existed"]), (issuer, &json!(false)));
    }
    bench.write("all.pem", NAMES.map(pem).concat());
    let pkcs7 = String::from_utf8(bench.openssl("crl2pkcs7 -nocrl -certfile all.pem")).unwrap();
    let pkcs7_der = Base64::encode(&bench.openssl("crl2pkcs7 -nocrl -certfile all.pem -outform DER"));
    let leaf_der = Base64::encode(&bench.openssl("x509 -in leaf.pem -outform DER"));
    for (again, count) in [(shuffled, 4), (pkcs7, 4), (pkcs7_der, 4), (leaf_der, 1)] {
        let again = import(&admin, &again).await.response().clone();
        let ids = |imported: &Value| -> Vec<Value> {
            imported["certificates"].as_array().unwrap().iter().map(|one| one["certificateUuid"].clone()).collect()
        };
        assert_eq!(ids(&again), ids(&imported)[4 - count..]);
        assert!(again["certificates"].as_array().unwrap().iter().all(|one| one["existed"] == true));
    }
    let listed = admin.get("/api/v2/x509?search=elsewhere").await;
    assert_eq!(listed.response()["results"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn what_is_imported_is_read_downloaded_and_never_issues() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = hierarchy();
    let all = NAMES.map(|name| bench.read(&format!("{name}.pem")));
    let imported = import(&admin, &all.concat()).await.response().clone();
    let id = |place: usize| imported["certificates"][place]["certificateUuid"].as_str().unwrap().to_owned();
    let leaf = admin.get(&format!("/api/v2/x509/{}", id(3))).await.response().clone();
    assert_eq!(
        (&leaf["origin"], &leaf["trusted"], &leaf["status"]),
        (&json!("Imported"), &json!(false), &json!("Valid"))
    );
    assert!(leaf.get("keyUuid").is_none() && leaf.get("certProfileUuid").is_none(), "{leaf}");
    let serial = String::from_utf8(bench.openssl("x509 -in leaf.pem -noout -serial")).unwrap();
    assert_eq!(serial.trim(), format!("serial={}", leaf["serialNumber"].as_str().unwrap()));
    let chain = admin.get(&format!("/api/v2/x509/{}/download?format=chain", id(3))).await;
    assert_eq!(chain.text(), [&all[3], &all[2], &all[1], &all[0]].map(String::as_str).concat());
    let wanted = || async { with(body(&admin, "TLS Client").await, json!({"issuerUuid": id(2)})) };
    admin.post("/api/v2/x509/generate", wanted().await).await.refused(409, "InvalidState", Some("/issuerUuid"));
    // Not published before it is trusted, and without a key in no case a list of its own.
    let public = |path: &str| format!("{}{}{}", path, id(2), if path == "/ca/" { ".crt" } else { ".crl" });
    assert_eq!(app.nobody().get(&public("/ca/")).await.status.as_u16(), 404);
    let trusted = admin.post(PATH, json!({"certificates": all.concat(), "trustCert": true})).await;
    trusted.response();
    assert_eq!(app.nobody().get(&public("/ca/")).await.body, bench.openssl("x509 -in issuing.pem -outform DER"));
    assert_eq!(app.nobody().get(&public("/crl/")).await.status.as_u16(), 404);
    admin.post("/api/v2/x509/generate", wanted().await).await.refused(409, "InvalidState", Some("/issuerUuid"));
    let leaf = admin.get(&format!("/api/v2/x509/{}", id(3))).await;
    assert_eq!(leaf.response()["trusted"], false, "only authorities are trusted");
}

#[tokio::test]
async fn the_issuer_may_be_in_the_inventory_already_and_unrevoked() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = hierarchy();
    let pem = |name: &str| bench.read(&format!("{name}.pem"));
    import(&admin, &pem("policy")).await.refused(400, "InvalidValue", Some("/certificates"));
    let root = import(&admin, &pem("root")).await.response()["certificates"][0].clone();
    let policy = import(&admin, &pem("policy")).await.response()["certificates"][0].clone();
    assert_eq!(policy["issuerUuid"], root["certificateUuid"]);
    let path = format!("/api/v2/x509/{}/revoke", policy["certificateUuid"].as_str().unwrap());
    admin.post(&path, json!({"reason": "keyCompromise"})).await.response();
    import(&admin, &pem("issuing")).await.refused(400, "InvalidValue", Some("/certificates"));
    import(&admin, &pem("policy")).await.refused(409, "InvalidState", Some("/certificates"));
}

#[tokio::test]
async fn chains_that_do_not_hold_are_refused() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = hierarchy();
    bench.root("other", EC);
    let pem = |name: &str| bench.read(&format!("{name}.pem"));
    let mut refused = Vec::new();
    let mut add = |why: &'static str, certificates: String| refused.push((why, certificates));
    // A root of the same name with another key.
    bench.openssl("req -x509 -new -config /dev/null -key other.key -subj /C=US/O=Elsewhere/CN=root -days 9 -addext basicConstraints=critical,CA:TRUE -out impostor.pem");
    add("no issuer whose key verifies", pem("impostor") + &pem("policy"));
    bench.below("sub", "leaf", CA);
    add("no certificate authority", pem("sub") + &NAMES.map(pem).concat());
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key other.key -subj /CN=short -days 9 {} -out short.pem",
        CA.replace("CA:TRUE", "CA:TRUE,pathlen:0")
    ));
    bench.write("short.key", bench.read("other.key"));
    bench.below("deep", "short", CA);
    add("path length", pem("short") + &pem("deep"));
    bench.openssl(&format!("req -x509 -new -config /dev/null -key other.key -subj /CN=past {CA} -not_before 20200101000000Z -not_after 20210101000000Z -out past.pem"));
    add("expired or not yet valid", pem("past"));
    bench.openssl(&format!("req -x509 -new -config /dev/null -key other.key -subj /CN=future {CA} -not_before 20990101000000Z -not_after 21000101000000Z -out future.pem"));
    add("expired or not yet valid", pem("future"));
    bench.openssl("genpkey -algorithm ED448 -out ed448.key");
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key ed448.key -subj /CN=ed448 -days 9 {CA} -out ed448.pem"
    ));
    add("key is of no kind that is known", pem("ed448"));
    let request = bench.openssl("req -new -config /dev/null -key other.key -subj /CN=weak");
    bench.write("request.pem", request);
    bench.openssl("x509 -req -in request.pem -sha1 -CA root.pem -CAkey root.key -days 9 -out weak.pem");
    add("is signed over Sha1", pem("root") + &pem("weak"));
    bench.openssl("x509 -req -in request.pem -CA ed448.pem -CAkey ed448.key -days 9 -out strange.pem");
    add("algorithm that is not known", pem("strange"));
    add("private key beside", pem("root") + &bench.read("root.key"));
    add("something else", pem("root") + &bench.read("request.pem"));
    add("no certificate", Base64::encode(&bench.openssl("crl2pkcs7 -nocrl -certfile /dev/null -outform DER")));
    for (why, certificates) in refused {
        let reply = import(&admin, &certificates).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
        let message = reply.json["response"]["message"].as_str().unwrap();
        assert!(message.contains(why), "{why}: {message}");
    }
    for (malformed, error) in [
        ("", "InvalidValue"),
        ("%", "ArgumentParseError"),
        ("-----BEGIN CERTIFICATE-----\nAAAA", "ArgumentParseError"),
        ("aGVsbG8=", "InvalidValue"),
    ] {
        import(&admin, malformed).await.refused(400, error, Some("/certificates"));
    }
    let kept = admin.get("/api/v2/x509").await;
    assert_eq!(kept.response()["results"], json!([]));
}

#[tokio::test]
async fn a_revoked_certificate_with_a_short_serial_number_is_in_the_list_of_its_imported_issuer() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    bench.openssl(&format!("genpkey {EC} -out leaf.key"));
    let request = bench.openssl("req -new -config /dev/null -key leaf.key -subj /CN=old");
    bench.write("request.pem", request);
    bench.openssl("x509 -req -in request.pem -CA root.pem -CAkey root.key -set_serial 0xB3 -days 9 -out leaf.pem");
    let key = json!({"pkcs12": bench.pkcs12("root", ""), "password": Base64::encode(b"secret")});
    let root = admin.post(super::import_key::PATH, key).await.response()["certificateUuid"].clone();
    let leaf = import(&admin, &bench.read("leaf.pem")).await.response()["certificates"][0].clone();
    assert_eq!(leaf["serialNumber"], "B3");
    let path = format!("/api/v2/x509/{}/revoke", leaf["certificateUuid"].as_str().unwrap());
    admin.post(&path, json!({"reason": "superseded"})).await.response();
    bench.write("list.crl", app.nobody().get(&format!("/crl/{}.crl", root.as_str().unwrap())).await.body);
    let list = String::from_utf8(bench.openssl("crl -in list.crl -noout -text")).unwrap();
    assert!(list.contains("Serial Number: B3"), "{list}");
    bench.openssl("crl -in list.crl -noout -CAfile root.pem");
}

#[tokio::test]
async fn limits_and_permissions_hold() {
    let bench = Bench::new();
    bench.root("root", EC);
    bench.root("other", EC);
    let (one, two) = (bench.read("root.pem"), bench.read("root.pem") + &bench.read("other.pem"));
    for (certificates_max, bytes_max) in [(1, two.len()), (2, two.len() - 1)] {
        let mut setup = Setup { clock: chancery_core::Clock::System, ..Setup::default() };
        setup.limits.imports.import_certificates_max = certificates_max;
        setup.limits.imports.import_max = bytes_max;
        let app = TestApp::with(setup).await;
        let admin = app.admin().await;
        import(&admin, &two).await.refused(413, "LimitExceeded", Some("/certificates"));
        let issuer = app.with_perms("issuer", &[Perm::CertManageGenerate]).await;
        import(&issuer, &one).await.refused(403, "NotAuthorized", None);
        import(&admin, &one).await.response();
    }
}

#[tokio::test]
async fn it_is_the_same_on_postgresql() {
    let setup = Setup { clock: chancery_core::Clock::System, postgres: true, ..Setup::default() };
    let app = TestApp::with(setup).await;
    let admin = app.admin().await;
    let bench = hierarchy();
    let all = NAMES.map(|name| bench.read(&format!("{name}.pem"))).concat();
    for existed in [false, true] {
        let imported = import(&admin, &all).await.response().clone();
        assert!(imported["certificates"].as_array().unwrap().iter().all(|one| one["existed"] == existed), "{imported}");
    }
    let key = json!({"pkcs12": bench.pkcs12("policy", ""), "password": Base64::encode(b"secret")});
    let policy = admin.post(super::import_key::PATH, key).await.response()["certificateUuid"].clone();
    crate::certificates::issued(&admin, "TLS Client", policy.as_str().unwrap()).await;
}

/// Two of one name and one key, as an authority leaves them that was renewed.
fn twins() -> Bench {
    let bench = Bench::new();
    bench.root("first", EC);
    for (serial, name) in [(1, "first"), (2, "second")] {
        let own = format!("-key first.key -subj /C=US/O=Elsewhere/CN=first {CA} -set_serial {serial}");
        bench.openssl(&format!("req -x509 -new -config /dev/null {own} -days 2000 -out {name}.pem"));
    }
    bench
}

/// An authority below one of them that says so in its authorityKeyIdentifier.
fn below_with(bench: &Bench, name: &str, issuer: &str, identifier: &str) -> String {
    let extensions = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n";
    bench.write("named.cnf", format!("{extensions}{identifier}\n"));
    bench.openssl(&format!("genpkey {EC} -out {name}.key"));
    let request = bench.openssl(&format!("req -new -config /dev/null -key {name}.key -subj /CN={name}"));
    bench.write("request.pem", request);
    let issued = format!("-CA {issuer}.pem -CAkey first.key -extfile named.cnf -days 1000 -out {name}.pem");
    bench.openssl(&format!("x509 -req -in request.pem {issued}"));
    bench.read(&format!("{name}.pem"))
}

#[tokio::test]
async fn of_two_issuers_with_one_key_the_one_is_taken_that_is_named_and_valid() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = twins();
    let mut issuers = Vec::new();
    for name in ["first", "second"] {
        let imported = import(&admin, &bench.read(&format!("{name}.pem"))).await.response().clone();
        issuers.push(imported["certificates"][0]["certificateUuid"].clone());
    }
    let named = "authorityKeyIdentifier=issuer:always";
    for (place, issuer) in ["first", "second"].into_iter().enumerate() {
        let below = below_with(&bench, &format!("of-{issuer}"), issuer, named);
        let imported = import(&admin, &below).await.response().clone();
        assert_eq!(imported["certificates"][0]["issuerUuid"], issuers[place], "{issuer}");
    }
    let path = format!("/api/v2/x509/{}/revoke", issuers[0].as_str().unwrap());
    admin.post(&path, json!({"reason": "superseded"})).await.response();
    let below = below_with(&bench, "of-any", "first", "authorityKeyIdentifier=keyid");
    let imported = import(&admin, &below).await.response().clone();
    assert_eq!(imported["certificates"][0]["issuerUuid"], issuers[1], "the other one is revoked");

    // All in one body, in any order.
    let (app, bench) = (installation().await, twins());
    let admin = app.admin().await;
    let below = below_with(&bench, "of-second", "second", named);
    let all = below + &bench.read("first.pem") + &bench.read("second.pem");
    assert_eq!(import(&admin, &all).await.response()["certificates"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn what_verifiers_would_look_for_elsewhere_or_not_know_is_refused() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = twins();
    import(&admin, &bench.read("first.pem")).await.response();
    // authorityCertIssuer CN=Nobody, with the serial number of the issuer.
    let nobody = "authorityKeyIdentifier=DER:301aa115a4133011310f300d06035504030c064e6f626f6479820101";
    for (extension, why) in [
        (nobody, "authorityKeyIdentifier that is not its issuer's"),
        ("issuerAltName=critical,URI:http://ca.example", "issuerAltName is critical"),
    ] {
        let refused = import(&admin, &below_with(&bench, "below", "first", extension)).await;
        refused.refused(400, "InvalidValue", Some("/certificates"));
        assert!(refused.text().contains(why), "{}", refused.text());
    }
}
