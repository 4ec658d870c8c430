//! POST /api/v2/x509/import and import-key: what is looked at before anything issues by it.

use chancery_testkit::Tool;
use chancery_types::Base64;
use serde_json::json;

use super::{
    elsewhere::{Bench, CA, EC, installation},
    import_key::PATH,
};
use crate::certificates::{profile, with};

#[tokio::test(flavor = "multi_thread")]
async fn what_issuing_could_not_read_is_not_taken_in() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    bench.openssl(&format!("genpkey {EC} -out odd.key"));
    let plain = "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign";
    let unreadable = [
        "2.5.29.14=DER:02:01:05",
        "2.5.29.17=DER:05:00",
        "2.5.29.18=DER:05:00",
        "2.5.29.31=DER:05:00",
        "2.5.29.35=DER:02:01:05",
        "2.5.29.37=DER:05:00",
        "1.3.6.1.5.5.7.1.1=DER:05:00",
        "1.3.6.1.5.5.7.1.11=DER:05:00",
        // Names with a registeredID whose first arc begins with zeros: as alternative names, and where lists of revocation are.
        "2.5.29.17=DER:30:06:88:04:55:80:04:03",
        "2.5.29.31=DER:30:0c:30:0a:a0:08:a0:06:88:04:55:80:04:03",
        // Read, and empty, or nowhere.
        "2.5.29.17=DER:30:00",
        "2.5.29.37=DER:30:00",
        "2.5.29.31=DER:30:06:30:04:81:02:06:40",
        // What OpenSSL reads in each certificate, and a proxy.
        "2.16.840.1.113730.1.1=DER:05:00",
        "1.3.6.1.5.5.7.1.7=DER:05:00",
        "1.3.6.1.5.5.7.1.8=DER:05:00",
        // Of the right type, and none inside: unused bits of no bit, a family that is a number, a system that is a name.
        "2.16.840.1.113730.1.1=DER:03:02:09:80",
        "1.3.6.1.5.5.7.1.7=DER:30:05:30:03:02:01:01",
        "1.3.6.1.5.5.7.1.8=DER:30:05:a0:03:0c:01:41",
        "1.3.6.1.5.5.7.1.14=DER:30:0c:30:0a:06:08:2b:06:01:05:05:07:15:01",
        "2.5.29.14=critical,DER:04:02:01:02",
        // Another key's identifier, and a serial number of nobody's.
        "2.5.29.35=DER:30:04:80:02:01:02",
        "2.5.29.35=DER:30:03:82:01:05",
        // A network of five bytes, a mask with a gap, a host that is none.
        "nameConstraints=DER:30:0b:a0:09:30:07:87:05:0a:00:00:00:ff",
        "nameConstraints=DER:30:0e:a0:0c:30:0a:87:08:0a:00:00:00:ff:00:ff:00",
        "nameConstraints=DER:30:0a:a0:08:30:06:82:04:2a:2e:20:61",
    ];
    for (number, extension) in unreadable.into_iter().enumerate() {
        let subject = format!("-subj /CN=odd{number}");
        bench.openssl(&format!(
            "req -x509 -new -config /dev/null -key odd.key {subject} -days 3000 {plain} -addext {extension} -out odd.pem"
        ));
        let certificates = json!({"certificates": bench.read("odd.pem")});
        let reply = admin.post("/api/v2/x509/import", certificates.clone()).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
        let reply = admin.post(PATH, with(certificates, json!({"privateKey": bench.read("odd.key")}))).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
    }
    for (extension, says) in [
        ("extendedKeyUsage=2.999.1", "a number of 40 or more"),
        ("certificatePolicies=2.48.1", "relying parties cannot read"),
    ] {
        let subject = "-subj /CN=high";
        bench.openssl(&format!(
            "req -x509 -new -config /dev/null -key odd.key {subject} -days 3000 {plain} -addext {extension} -out odd.pem"
        ));
        let reply = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("odd.pem")})).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
        assert!(reply.text().contains(says), "{extension}: {}", reply.text());
    }
    // Networks, one and from one to another, and systems: inherited, one and from one to another.
    let resources = "-addext 1.3.6.1.5.5.7.1.7=DER:30:16:30:14:04:02:00:01:30:0e:03:02:00:0a:30:08:03:02:00:0b:03:02:00:0c \
                     -addext 1.3.6.1.5.5.7.1.8=DER:30:13:a0:02:05:00:a1:0d:30:0b:02:01:05:30:06:02:01:07:02:01:09";
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key odd.key -subj /CN=numbers -days 3000 {plain} {resources} -out odd.pem"
    ));
    admin.post("/api/v2/x509/import", json!({"certificates": bench.read("odd.pem")})).await.response();
    // Of streets OpenSSL knows no bound.
    let long = format!("-subj /CN=odd/street={}", "a".repeat(129));
    bench.openssl(&format!("req -x509 -new -config /dev/null -key odd.key {long} -days 3000 {plain} -out odd.pem"));
    let body = json!({"certificates": bench.read("odd.pem"), "privateKey": bench.read("odd.key")});
    let reply = admin.post(PATH, body).await;
    reply.refused(400, "InvalidValue", Some("/certificates"));
    assert!(reply.text().contains("cannot stand as an issuer"), "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_in_an_old_string_type_is_issued_as_utf8_and_passes_no_constraint() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.openssl(&format!("genpkey {EC} -out root.key"));
    let constraints = "-addext nameConstraints=critical,excluded;DNS:evil.example";
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key root.key -subj /CN=root -days 3000 {CA} {constraints} -out root.pem"
    ));
    let body = json!({"pkcs12": bench.pkcs12("root", ""), "password": Base64::encode(b"secret")});
    let issuer = admin.post(PATH, body).await.response()["certificateUuid"].as_str().unwrap().to_owned();
    let client = json!({"certProfileUuid": profile(&admin, "TLS Client").await});
    for (mask, subject, allowed) in
        [("0x4", "/CN=Björn", true), ("0x800", "/CN=Björn", true), ("0x4", "/CN=www.evil.example", false)]
    {
        bench.write("req.cnf", format!("[req]\ndistinguished_name=dn\nstring_mask=MASK:{mask}\n[dn]\n"));
        bench.openssl(&format!("genpkey {EC} -out leaf.key"));
        let usages = "-addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=clientAuth";
        let request = format!("req -new -config req.cnf -utf8 -key leaf.key -subj {subject} {usages} -out leaf.csr");
        bench.openssl(&request);
        let sign =
            "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -days 100 -copy_extensions copyall -out leaf.pem";
        bench.openssl(sign);
        let of_request = with(client.clone(), json!({"serviceOrIssuerUuid": issuer, "csr": bench.read("leaf.csr")}));
        let issued = admin.post("/api/v2/x509/requests", of_request).await;
        let imported = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("leaf.pem")})).await;
        if !allowed {
            issued.refused(400, "InvalidValue", Some("/csr"));
            imported.refused(400, "InvalidValue", Some("/certificates"));
            continue;
        }
        let old = imported.response()["certificates"][0]["certificateUuid"].as_str().unwrap().to_owned();
        let renewed = admin.post(&format!("/api/v2/x509/{old}/renew"), client.clone()).await;
        for made in [issued, renewed] {
            bench.write("made.pem", made.response()["certificate"].as_str().unwrap());
            let said = bench.openssl("x509 -in made.pem -noout -subject -nameopt utf8,show_type");
            assert!(String::from_utf8(said).unwrap().contains("UTF8STRING:Björn"), "{mask}");
        }
    }
}

/// A leaf from elsewhere may be looked after whose name could not be issued here: its successor is refused, with the reason.
#[tokio::test(flavor = "multi_thread")]
async fn a_leaf_whose_name_cannot_be_said_again_has_no_successor() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.imported_root(&admin).await;
    // Of streets OpenSSL knows no bound.
    let long = format!("-subj /CN=leaf/street={}", "a".repeat(60_000));
    bench.openssl(&format!("genpkey {EC} -out leaf.key"));
    bench.openssl(&format!("req -new -config /dev/null -key leaf.key {long} -out leaf.csr"));
    bench.openssl("x509 -req -in leaf.csr -CA root.pem -CAkey root.key -days 100 -out leaf.pem");
    let imported = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("leaf.pem")})).await;
    let leaf = imported.response()["certificates"][0]["certificateUuid"].as_str().unwrap().to_owned();
    let client = json!({"certProfileUuid": profile(&admin, "TLS Client").await});
    for operation in ["renew", "rekey"] {
        let reply = admin.post(&format!("/api/v2/x509/{leaf}/{operation}"), client.clone()).await;
        assert_eq!((reply.status.as_u16(), &reply.json["success"]), (409, &json!(false)), "{}", reply.text());
        assert!(reply.text().contains("cannot be issued again"), "{}", reply.text());
    }
}

/// A certificate without a key usage restricts nothing: its successor has what the profile says.
#[tokio::test(flavor = "multi_thread")]
async fn a_leaf_without_a_key_usage_is_renewed_as_its_profile_says() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let issuer = bench.imported_root(&admin).await;
    bench.openssl(&format!("genpkey {EC} -out leaf.key"));
    bench.openssl(
        "req -new -config /dev/null -key leaf.key -subj /CN=leaf -addext extendedKeyUsage=clientAuth -out leaf.csr",
    );
    bench.openssl(
        "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -days 100 -copy_extensions copyall -out leaf.pem",
    );
    let imported = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("leaf.pem")})).await;
    let leaf = imported.response()["certificates"][0]["certificateUuid"].as_str().unwrap().to_owned();
    let client = json!({"certProfileUuid": profile(&admin, "TLS Client").await, "issuerUuid": issuer});
    let renewed = admin.post(&format!("/api/v2/x509/{leaf}/renew"), client).await;
    bench.write("made.pem", renewed.response()["certificate"].as_str().unwrap());
    let said = String::from_utf8(bench.openssl("x509 -in made.pem -noout -ext keyUsage,extendedKeyUsage")).unwrap();
    assert!(said.contains("Digital Signature") && said.contains("TLS Web Client Authentication"), "{said}");
}

/// Makes RSA keys of kinds that anybody can break; writes PKCS#1 in PEM.
const BREAKABLE: &str = r#"
import base64, random, sys
random.seed(7)
PRIMES = [n for n in range(3, 168) if all(n % d for d in range(2, n))]
M = 1
for prime in PRIMES: M *= prime
def is_prime(n):
    if n % 2 == 0 or any(n % prime == 0 for prime in PRIMES): return False
    d, s = n - 1, 0
    while d % 2 == 0: d, s = d // 2, s + 1
    for _ in range(20):
        x = pow(random.randrange(2, n - 1), d, n)
        if x in (1, n - 1): continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1: break
        else: return False
    return True
def roca():
    while True:
        p = random.getrandbits(1025 - M.bit_length()) * M + pow(65537, random.getrandbits(64), M)
        if p >> 1022 == 3 and p % 65537 != 1 and is_prime(p): return p
def after(p):
    while True:
        p += 2
        if p % 65537 != 1 and is_prime(p): return p
if sys.argv[1] == "roca": p, q = roca(), roca()
else:
    q = after(random.getrandbits(1024) | 3 << 1022 | 1)
    p = after(q)
d = pow(65537, -1, (p - 1) * (q - 1))
def length(n): return bytes([n]) if n < 128 else bytes([128 + (n.bit_length() + 7) // 8]) + n.to_bytes((n.bit_length() + 7) // 8, "big")
def number(n):
    content = n.to_bytes(n.bit_length() // 8 + 1, "big")
    return b"\x02" + length(len(content)) + content
parts = b"".join(map(number, [0, p * q, 65537, d, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p)]))
text = base64.encodebytes(b"\x30" + length(len(parts)) + parts).decode()
print("-----BEGIN RSA PRIVATE KEY-----\n" + text + "-----END RSA PRIVATE KEY-----")
"#;

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_anybody_can_break_are_neither_certified_nor_imported() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let issuer = crate::certificates::root(&admin).await;
    let profile = profile(&admin, "TLS Client").await;
    for (kind, why) in [("roca", "ROCA"), ("close", "too close together")] {
        let key = Tool::new("python3").args(["-c", BREAKABLE, kind]).run().text();
        bench.write("weak.key", key);
        bench.openssl("req -new -config /dev/null -key weak.key -subj /CN=weak -out weak.csr");
        let body = json!({"serviceOrIssuerUuid": issuer, "csr": bench.read("weak.csr"), "certProfileUuid": profile});
        let reply = admin.post("/api/v2/x509/requests", body).await;
        reply.refused(400, "InvalidValue", Some("/csr"));
        assert!(reply.text().contains(why), "{}", reply.text());
        bench.openssl(&format!(
            "req -x509 -new -config /dev/null -key weak.key -subj /CN=weak -days 3000 {CA} -out weak.pem"
        ));
        bench.openssl("pkcs8 -topk8 -nocrypt -in weak.key -out weak.p8");
        let body = json!({"certificates": bench.read("weak.pem"), "privateKey": bench.read("weak.p8")});
        let reply = admin.post(PATH, body).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json["errorCode"]),
            (400, &json!("InvalidValue")),
            "{}",
            reply.text()
        );
        assert!(reply.text().contains(why), "{}", reply.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_seen_comes_in_by_no_certificate_and_no_request() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let issuer = bench.imported_root(&admin).await;
    bench.openssl(&format!("genpkey {EC} -out odd.key"));
    for hidden in ["\u{200b}", "\u{202e}", "\u{feff}"] {
        let subject = format!("-utf8 -subj /CN=Admin{hidden}");
        bench.openssl(&format!("req -x509 -new -config /dev/null -key odd.key {subject} -days 3000 {CA} -out odd.pem"));
        let certificates = json!({"certificates": bench.read("odd.pem")});
        let reply = admin.post("/api/v2/x509/import", certificates.clone()).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
        let reply = admin.post(PATH, with(certificates, json!({"privateKey": bench.read("odd.key")}))).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
        let request = bench.openssl(&format!("req -new -config /dev/null -key odd.key {subject}"));
        let request = json!({
            "certProfileUuid": profile(&admin, "TLS Client").await, "serviceOrIssuerUuid": issuer,
            "csr": String::from_utf8(request).unwrap(),
        });
        admin.post("/api/v2/x509/requests", request).await.refused(400, "InvalidValue", Some("/csr"));
    }
    // Nor as the name of a certificate that has no subject.
    bench.write("upn.cnf", "[v]\nsubjectAltName=otherName:msUPN;UTF8:ann\u{200b}@corp.example\n");
    bench.openssl("req -new -config /dev/null -key odd.key -subj / -out upn.csr");
    bench.openssl(
        "x509 -req -in upn.csr -CA root.pem -CAkey root.key -days 100 -extfile upn.cnf -extensions v -out upn.pem",
    );
    let reply = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("upn.pem")})).await;
    reply.refused(400, "InvalidValue", Some("/certificates"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_root_that_no_relying_party_takes_is_not_taken_in() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.openssl(&format!("genpkey {EC} -out odd.key"));
    for extension in [
        "1.2.3.4=critical,DER:05:00",
        "2.5.29.31=DER:05:00",
        "2.5.29.32=critical,DER:05:00",
        "2.5.29.36=critical,DER:05:00",
        "2.5.29.30=critical,DER:30:00",
    ] {
        bench.openssl(&format!(
            "req -x509 -new -config /dev/null -key odd.key -subj /CN=odd -days 3000 {CA} -addext {extension} -out odd.pem"
        ));
        let certificates = json!({"certificates": bench.read("odd.pem")});
        let reply = admin.post("/api/v2/x509/import", certificates.clone()).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
        let reply = admin.post(PATH, with(certificates, json!({"privateKey": bench.read("odd.key")}))).await;
        reply.refused(400, "InvalidValue", Some("/certificates"));
    }
}
