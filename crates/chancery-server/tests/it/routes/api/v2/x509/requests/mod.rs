//! POST /api/v2/x509/requests.

mod approve;
mod authority;
mod subjects;
mod two_persons;

use chancery_core::Clock;
use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::Base64;
use serde_json::{Value, json};

use crate::{
    app::{Setup, TestApp},
    certificates::{body, generate, issued, profile, root, with},
    client::{Client, Reply},
};

const PATH: &str = "/api/v2/x509/requests";

/// Makes a request in PEM with OpenSSL: a kind of key and the arguments of `openssl req`.
pub(super) fn csr(key: &[&str], subject: &str, arguments: &[&str]) -> String {
    csr_in(&temp_dir(), key, subject, arguments)
}

fn csr_in(folder: &TempDir, key: &[&str], subject: &str, arguments: &[&str]) -> String {
    let openssl = |arguments: &[&str]| Tool::new("openssl35").args(arguments).folder(folder.path()).run().text();
    openssl(&[&["genpkey", "-out", "key.pem"], key].concat());
    openssl(&[&["req", "-new", "-key", "key.pem", "-subj", subject, "-config", "/dev/null"], arguments].concat())
}

pub(super) const P256: &[&str] = &["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"];

async fn request(client: &Client, issuer: &str, csr: &str, members: Value) -> Reply {
    let body = json!({
        "serviceOrIssuerUuid": issuer, "csr": csr, "certProfileUuid": profile(client, "TLS Client").await,
    });
    client.post(PATH, with(body, members)).await
}

fn text(pem: &str) -> String {
    Tool::new("openssl35").args(["x509", "-noout", "-text"]).input(pem.as_bytes().to_vec()).run().text()
}

#[tokio::test]
async fn requests_of_every_kind_of_key_are_issued() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let rsa = |bits| ["-algorithm", "RSA", "-pkeyopt", bits];
    let ec = |curve| ["-algorithm", "EC", "-pkeyopt", curve];
    for (key, algorithm) in [
        (&rsa("rsa_keygen_bits:2048")[..], "Rsa"),
        (&rsa("rsa_keygen_bits:3072"), "Rsa"),
        (P256, "Ec"),
        (&ec("ec_paramgen_curve:P-384"), "Ec"),
        (&ec("ec_paramgen_curve:P-521"), "Ec"),
        (&["-algorithm", "ED25519"], "Ed25519"),
        (&["-algorithm", "ML-DSA-44"], "MlDsa"),
        (&["-algorithm", "ML-DSA-65"], "MlDsa"),
        (&["-algorithm", "ML-DSA-87"], "MlDsa"),
    ] {
        let csr = csr(key, "/C=US/O=Example/CN=a", &[]);
        let reply = request(&admin, &issuer, &csr, json!({})).await;
        let response = reply.response();
        assert!(response.get("keyUuid").is_none() && response.get("certificateUuid").is_some(), "{response}");
        let path = format!("/api/v2/x509/{}", response["certificateUuid"].as_str().unwrap());
        let read = admin.get(&path).await.response().clone();
        assert_eq!((&read["keyAlgorithm"], &read["subject"]), (&json!(algorithm), &json!("CN=a,O=Example,C=US")));
        let key = |arguments: &[&str], input: &str| {
            Tool::new("openssl35").args(arguments).input(input.as_bytes().to_vec()).run().text()
        };
        let certified = key(&["x509", "-noout", "-pubkey"], response["certificate"].as_str().unwrap());
        assert_eq!(certified, key(&["req", "-noout", "-pubkey"], &csr));
    }
}

#[tokio::test]
async fn pss_and_bare_base64_are_read() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let rsa = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
    // OpenSSL 3.0 makes the salt as long as possible.
    for salt in ["rsa_pss_saltlen:digest", "rsa_pss_saltlen:max", "rsa_pss_saltlen:20"] {
        let pss = ["-sha384", "-sigopt", "rsa_padding_mode:pss", "-sigopt", salt];
        request(&admin, &issuer, &csr(&rsa, "/CN=a", &pss), json!({})).await.response();
    }
    let der = csr_der(&csr(P256, "/CN=b", &[]));
    request(&admin, &issuer, &Base64::encode(&der), json!({})).await.response();
    let weak = csr(&rsa, "/CN=a", &["-sha1"]);
    request(&admin, &issuer, &weak, json!({})).await.refused(400, "InvalidValue", Some("/csr"));
}

fn csr_der(pem: &str) -> Vec<u8> {
    let lines: Vec<_> = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    Base64::decode(&lines.concat()).unwrap().0
}

#[tokio::test]
async fn only_what_the_profile_allows_is_taken_from_a_request() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let wishes = [
        "-addext",
        "subjectAltName=DNS:a.example,IP:192.0.2.1,email:a@b.example",
        "-addext",
        "basicConstraints=critical,CA:TRUE",
        "-addext",
        "keyUsage=critical,keyCertSign",
        "-addext",
        "extendedKeyUsage=codeSigning",
    ];
    let greedy = csr(P256, "/CN=a", &wishes);
    let reply = request(&admin, &issuer, &greedy, json!({})).await;
    let certificate = text(reply.response()["certificate"].as_str().unwrap());
    assert!(certificate.contains("DNS:a.example, IP Address:192.0.2.1, email:a@b.example"), "{certificate}");
    for not_taken in ["CA:TRUE", "Certificate Sign", "Code Signing"] {
        assert!(!certificate.contains(not_taken), "{certificate}");
    }
    let warnings = reply.response()["warnings"].to_string();
    assert!(warnings.contains("2.5.29.19, 2.5.29.15, 2.5.29.37"), "{warnings}");
    let other = json!({"certParams": {"subjectAltNames": ["b.example"]}, "subjectOneline": "CN=b"});
    let certificate = request(&admin, &issuer, &greedy, other).await.response()["certificate"].clone();
    let certificate = text(certificate.as_str().unwrap());
    assert!(certificate.contains("DNS:b.example") && !certificate.contains("a.example"), "{certificate}");
    let code_signing = profile(&admin, "Issuing Certificate Authority").await;
    let refused = request(&admin, &issuer, &greedy, json!({"certProfileUuid": code_signing})).await;
    refused.refused(400, "InvalidValue", Some("/csr"));
    let strange = csr(P256, "/CN=a", &["-addext", "subjectAltName=RID:1.2.3"]);
    request(&admin, &issuer, &strange, json!({})).await.refused(400, "InvalidValue", Some("/csr"));
}

#[tokio::test]
async fn a_request_by_another_key_or_altered_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    for key in [P256, &["-algorithm", "ED25519"], &["-algorithm", "ML-DSA-44"]] {
        let der = csr_der(&csr(key, "/CN=somebody", &[]));
        let at = der.windows(8).position(|part| part == b"somebody").unwrap();
        let mut renamed = der.clone();
        renamed[at..at + 8].copy_from_slice(b"nobody!!");
        let mut resigned = der.clone();
        *resigned.last_mut().unwrap() ^= 1;
        for altered in [renamed, resigned] {
            let reply = request(&admin, &issuer, &Base64::encode(&altered), json!({})).await;
            reply.refused(400, "InvalidValue", Some("/csr"));
        }
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let good = csr(P256, "/CN=a", &[]);
    let truncated = good.replace("-----END CERTIFICATE REQUEST-----", "");
    let certificate = admin.get(&format!("/api/v2/x509/{issuer}")).await.response()["certificate"].clone();
    for (text, status, error_code) in [
        ("", 400, "InvalidValue"),
        ("not base64", 400, "ArgumentParseError"),
        ("aGVsbG8=", 400, "InvalidValue"),
        (truncated.as_str(), 400, "ArgumentParseError"),
        (certificate.as_str().unwrap(), 400, "InvalidValue"),
    ] {
        request(&admin, &issuer, text, json!({})).await.refused(status, error_code, Some("/csr"));
    }
    let small = csr(&["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"], "/CN=a", &[]);
    let exponent = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt", "rsa_keygen_pubexp:3"];
    let curve = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp256k1"];
    let ed448 = csr(&["-algorithm", "ED448"], "/CN=a", &[]);
    for csr in [small, csr(&exponent, "/CN=a", &[]), csr(&curve, "/CN=a", &[]), ed448, csr(P256, "/CN=a/C=12", &[])] {
        if !csr.is_empty() {
            request(&admin, &issuer, &csr, json!({})).await.refused(400, "InvalidValue", Some("/csr"));
        }
    }
    let anonymous = csr(P256, "/", &[]);
    request(&admin, &issuer, &anonymous, json!({})).await.refused(400, "InvalidValue", Some("/subjectOneline"));
    request(&admin, &issuer, &anonymous, json!({"subjectOneline": "CN=a"})).await.response();
    let nothing = "12345678-1234-1234-1234-123456789abc";
    request(&admin, nothing, &good, json!({})).await.refused(400, "InvalidSelection", Some("/serviceOrIssuerUuid"));
    let leaf = issued(&admin, "TLS Client", &issuer).await["certificateUuid"].as_str().unwrap().to_owned();
    request(&admin, &leaf, &good, json!({})).await.refused(409, "InvalidState", Some("/serviceOrIssuerUuid"));
    let root_profile = json!({"certProfileUuid": profile(&admin, "Root Certificate Authority").await});
    request(&admin, &issuer, &good, root_profile).await.refused(400, "InvalidValue", Some("/certProfileUuid"));
}

/// The first value in these bytes, whole and what it holds, and what stands behind it.
fn value(der: &[u8]) -> [&[u8]; 3] {
    let (head, length) = match der[1] {
        0x81 => (3, usize::from(der[2])),
        0x82 => (4, usize::from(u16::from_be_bytes([der[2], der[3]]))),
        short => (2, usize::from(short)),
    };
    [&der[..head + length], &der[head..head + length], &der[head + length..]]
}

fn wrapped(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let value = parts.concat();
    let length = u16::try_from(value.len()).unwrap().to_be_bytes();
    let head = if value.len() < 128 { vec![tag, length[1]] } else { vec![tag, 0x82, length[0], length[1]] };
    // In DER a length is as short as it can be.
    let head = if (128..256).contains(&value.len()) { vec![tag, 0x81, length[1]] } else { head };
    [head, value].concat()
}

/// A request, well signed, whose subject is this name in DER, with these attributes, as no tool would make it.
fn csr_of(name: &[u8], attributes: &[u8]) -> String {
    let folder = temp_dir();
    let der = csr_der(&csr_in(&folder, P256, "/CN=a", &[]));
    let [_, request, _] = value(&der);
    let [_, info, behind] = value(request);
    let [algorithm, ..] = value(behind);
    let [version, _, rest] = value(info);
    let [_, _, key] = value(rest);
    let info = wrapped(0x30, &[version, name, value(key)[0], &wrapped(0xa0, &[attributes])]);
    std::fs::write(folder.path().join("info"), &info).unwrap();
    let signed = Tool::new("openssl35").args(["dgst", "-sha256", "-sign", "key.pem", "-out", "signature", "info"]);
    let _signed = signed.folder(folder.path()).run();
    let signature = std::fs::read(folder.path().join("signature")).unwrap();
    Base64::encode(&wrapped(0x30, &[&info, algorithm, &wrapped(0x03, &[&[0], &signature])]))
}

#[tokio::test]
async fn a_name_with_an_empty_part_is_not_certified() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let common = wrapped(0x31, &[&wrapped(0x30, &[&[0x06, 3, 0x55, 4, 3], &[0x0c, 1, b'a']])]);
    request(&admin, &issuer, &csr_of(&wrapped(0x30, &[&common]), &[]), json!({})).await.response();
    for parts in [&[&[0x31, 0][..]][..], &[&[0x31, 0], &common], &[&common, &[0x31, 0]]] {
        let reply = request(&admin, &issuer, &csr_of(&wrapped(0x30, parts), &[]), json!({})).await;
        reply.refused(400, "InvalidValue", Some("/csr"));
        assert!(reply.text().contains("A part of the name is empty."), "{}", reply.text());
    }
}

#[tokio::test]
async fn a_request_has_a_largest_length() {
    let csr = csr(P256, "/CN=a", &[]);
    let mut setup = Setup::default();
    setup.limits.csr_max = csr.len();
    let app = TestApp::with(setup).await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    request(&admin, &issuer, &csr, json!({})).await.response();
    let reply = request(&admin, &issuer, &format!("{csr}\n"), json!({})).await;
    reply.refused(413, "LimitExceeded", Some("/csr"));
}

#[tokio::test]
async fn a_foreign_authority_is_certified_within_the_path_length() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let issuing = json!({"certProfileUuid": profile(&admin, "Issuing Certificate Authority").await});
    let crossed = request(&admin, &issuer, &csr(P256, "/CN=Other CA", &[]), issuing.clone()).await;
    let certificate = text(crossed.response()["certificate"].as_str().unwrap());
    assert!(certificate.contains("CA:TRUE, pathlen:0"), "{certificate}");
    let crossed = crossed.response()["certificateUuid"].as_str().unwrap().to_owned();
    let refused = request(&admin, &crossed, &csr(P256, "/CN=x", &[]), json!({})).await;
    refused.refused(409, "InvalidState", Some("/serviceOrIssuerUuid"));
    let sub = with(body(&admin, "Issuing Certificate Authority").await, json!({"issuerUuid": issuer}));
    let sub = generate(&admin, sub).await["certificateUuid"].as_str().unwrap().to_owned();
    let below = request(&admin, &sub, &csr(P256, "/CN=x", &[]), issuing).await;
    below.refused(400, "InvalidValue", Some("/certProfileUuid"));
}

#[tokio::test]
async fn a_request_is_found_in_what_tools_print_around_it() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let bare = csr(P256, "/CN=a", &[]);
    let printed = csr(P256, "/CN=a", &["-text"]);
    assert!(printed.starts_with("Certificate Request:"), "{printed}");
    let gnutls = format!("PKCS #10 Certificate Request Information:\n\tVersion: 1\n\n{bare}\nand more\n");
    let blanks: String = bare.lines().map(|line| format!("{line} \t\r\n")).collect();
    for text in [printed, gnutls, bare.replace('\n', "\r\n"), blanks, bare.replace("CERTIFICATE", "NEW CERTIFICATE")] {
        request(&admin, &issuer, &text, json!({})).await.response();
    }
    let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    for several in [format!("{bare}{bare}"), format!("{key}{bare}")] {
        request(&admin, &issuer, &several, json!({})).await.refused(400, "InvalidValue", Some("/csr"));
    }
}

#[tokio::test]
async fn a_request_that_is_named_by_alternative_names_alone_gets_a_critical_extension() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let issuer = root(&admin).await;
    let anonymous = csr(P256, "/", &["-addext", "subjectAltName=DNS:a.example,DNS:b.example"]);
    let made = request(&admin, &issuer, &anonymous, json!({})).await.response().clone();
    let certificate = text(made["certificate"].as_str().unwrap());
    assert!(certificate.contains("X509v3 Subject Alternative Name: critical"), "{certificate}");
    assert!(certificate.contains("Subject: \n"), "{certificate}");
    let read = admin.get(&format!("/api/v2/x509/{}", made["certificateUuid"].as_str().unwrap())).await;
    assert_eq!(
        (&read.response()["subject"], &read.response()["objInfo"]["name"]),
        (&json!(""), &json!("DNS:a.example"))
    );
    let renewed = format!("/api/v2/x509/{}/renew", made["certificateUuid"].as_str().unwrap());
    admin.post(&renewed, json!({})).await.response();
    let authority = json!({"certProfileUuid": profile(&admin, "Issuing Certificate Authority").await});
    request(&admin, &issuer, &anonymous, authority).await.refused(400, "InvalidValue", Some("/subjectOneline"));
    for (names, why) in [
        ("DNS:a.example,DNS:A.example", "twice"),
        ("DNS:*.com", "none that a certificate may carry"),
        ("URI:https://a.example/%zz", "none that a certificate may carry"),
    ] {
        let csr = csr(P256, "/CN=a", &["-addext", &format!("subjectAltName={names}")]);
        let reply = request(&admin, &issuer, &csr, json!({})).await;
        reply.refused(400, "InvalidValue", Some("/csr"));
        assert!(reply.text().contains(why), "{}", reply.text());
    }
    let upn = csr(P256, "/CN=a", &["-addext", "subjectAltName=otherName:msUPN;UTF8:ann@corp.example"]);
    let made = request(&admin, &issuer, &upn, json!({})).await.response().clone();
    assert!(text(made["certificate"].as_str().unwrap()).contains("UPN:"), "{made}");
}

/// Asserts that pkilint finds nothing at WARNING or above in a certificate, alone and below its issuer.
pub(super) fn lint(issuer: &str, certificate: &str, what: &str) {
    let folder = temp_dir();
    let file = |name: &str, pem: &str| {
        std::fs::write(folder.path().join(name), pem).unwrap();
        folder.path().join(name)
    };
    let (issuer, certificate) = (file("issuer.pem", issuer), file("certificate.pem", certificate));
    for (linter, files) in
        [("lint_pkix_cert", vec![&certificate]), ("lint_pkix_signer_signee_cert_chain", vec![&issuer, &certificate])]
    {
        let ran = Tool::new(linter).args(["lint", "-s", "WARNING"]).args(files).try_run();
        let found = ran.text();
        assert!(ran.status.success() && found.trim().is_empty(), "{linter} on {what}: {found}{}", ran.stderr);
    }
}

#[tokio::test]
async fn unusual_names_and_constraints_stand_before_pkilint() {
    let app = TestApp::with(Setup { clock: Clock::System, ..Setup::default() }).await;
    let admin = app.admin().await;
    let top = generate(&admin, body(&admin, "Root Certificate Authority").await).await;
    let pem = |made: &Value| made["certificate"].as_str().unwrap().to_owned();
    let issuer = top["certificateUuid"].as_str().unwrap().to_owned();

    let anonymous = csr(P256, "/", &["-addext", "subjectAltName=DNS:a.example,DNS:b.example"]);
    let made = request(&admin, &issuer, &anonymous, json!({})).await.response().clone();
    lint(&pem(&top), &pem(&made), "an empty subject");

    let upn = csr(P256, "/CN=a", &["-addext", "subjectAltName=otherName:msUPN;UTF8:ann@corp.example"]);
    let made = request(&admin, &issuer, &upn, json!({})).await.response().clone();
    lint(&pem(&top), &pem(&made), "a user principal name");

    let constrained = json!({
        "objInfo": {"name": "Limited"}, "validityPeriod": {"unit": "Year", "amount": "2"}, "basicConstraints": {"ca": true},
        "nameConstraints": {"permitted": ["DNS:example.com", "dirName:O=Example,C=US"], "excluded": ["IP:0.0.0.0/0"]},
    });
    let made = admin.post("/api/v2/x509/cert-profiles", constrained).await.response().clone();
    let members = json!({
        "certProfileUuid": made["objInfo"]["uuid"], "issuerUuid": issuer, "subjectOneline": "CN=Limited,O=Example,C=US",
        "trustCert": true,
    });
    let limited = generate(&admin, with(body(&admin, "TLS Client").await, members)).await;
    lint(&pem(&top), &pem(&limited), "an authority with name constraints");
    let members = json!({
        "issuerUuid": limited["certificateUuid"], "subjectOneline": "CN=www.example.com,O=Example,C=US",
        "certParams": {"subjectAltNames": ["DNS:www.example.com"], "validityPeriod": {"unit": "Day", "amount": "9"}},
    });
    let below = generate(&admin, with(body(&admin, "TLS Server").await, members)).await;
    lint(&pem(&limited), &pem(&below), "a leaf below constraints");
}

#[tokio::test]
async fn without_a_subject_a_certificate_is_named_by_its_profile_and_number_or_beside() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for (name, names) in [("TLS Client", json!([])), ("Root Certificate Authority", json!([]))] {
        let members = json!({"subjectOneline": null, "certParams": {"subjectAltNames": names}});
        let made = generate(&admin, with(body(&admin, name).await, members)).await;
        let read = admin.get(&format!("/api/v2/x509/{}", made["certificateUuid"].as_str().unwrap())).await;
        let expected = format!("CN={name} {}", &made["serialNumber"].as_str().unwrap()[..8]);
        assert_eq!(read.response()["subject"], expected);
        assert!(made["warnings"].to_string().contains("names no subject"), "{made}");
    }
    let members = json!({"subjectOneline": null, "certParams": {"subjectAltNames": ["a.example"]}});
    let made = generate(&admin, with(body(&admin, "TLS Server").await, members)).await;
    let certificate = text(made["certificate"].as_str().unwrap());
    assert!(certificate.contains("X509v3 Subject Alternative Name: critical"), "{certificate}");
    assert!(made["warnings"].to_string().contains("its issuer has no name"), "{made}");
    let twice = json!({"certParams": {"subjectAltNames": ["a.example", "A.example"]}});
    let reply = admin.post("/api/v2/x509/generate", with(body(&admin, "TLS Server").await, twice)).await;
    reply.refused(400, "InvalidValue", Some("/certParams/subjectAltNames/1"));
}
