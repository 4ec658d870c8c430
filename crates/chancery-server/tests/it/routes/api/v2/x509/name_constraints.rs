//! Name constraints of imported authorities: what is issued under them is what OpenSSL accepts under them.

use std::collections::BTreeSet;

use chancery_testkit::Tool;
use chancery_types::Base64;
use serde_json::json;

use super::{
    elsewhere::{Bench, EC, installation},
    import_key::PATH,
    requests::{P256, csr},
};
use crate::{
    certificates::{body, profile, with},
    client::{Client, Reply},
};

const SELF: &str = "/C=US/O=Elsewhere/CN=root";

const CUSTOMER: &str = "[customer]\nC=US\nO=Customer\n";

impl Bench {
    /// A root with the key `KEY.key` and these constraints: `NAME.pem`.
    fn constrained(&self, name: &str, key: &str, constraints: &str) {
        self.write(
            "req.cnf",
            format!(
                "[req]\ndistinguished_name=dn\nx509_extensions=ext\n[dn]\n[ext]\nbasicConstraints=critical,CA:TRUE\n\
                 keyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n\
                 nameConstraints=critical,{constraints}\n{CUSTOMER}"
            ),
        );
        self.openssl(&format!("req -x509 -new -config req.cnf -key {key}.key -subj {SELF} -days 3000 -out {name}.pem"));
    }

    /// A root with a key of its own and these constraints, imported with its key; answers its uuid.
    async fn imported(&self, client: &Client, name: &str, constraints: &str) -> String {
        self.openssl(&format!("genpkey {EC} -out {name}.key"));
        self.constrained(name, name, constraints);
        import(client, &self.pkcs12(name, "")).await
    }

    /// A leaf under `shared.key`.
    fn leaf(&self, name: &str, subject: &str, alt_names: &[&str]) {
        let mut line = format!(
            "req -x509 -new -config /dev/null -key leaf.key -subj {subject} -days 30 -CA shared.pem -CAkey shared.key \
             -addext basicConstraints=critical,CA:FALSE -out {name}"
        );
        if !alt_names.is_empty() {
            line.push_str(&format!(" -addext subjectAltName={}", alt_names.join(",")));
        }
        self.openssl(&line);
    }

    /// Which of the files OpenSSL accepts under a root.
    fn accepted(&self, root: &str, files: &[String]) -> BTreeSet<String> {
        let line = format!("verify -x509_strict -CAfile {root} {}", files.join(" "));
        let ran = Tool::new("openssl35").args(line.split_whitespace()).folder(self.path()).try_run();
        ran.text().lines().filter_map(|line| line.strip_suffix(": OK")).map(str::to_owned).collect()
    }
}

async fn import(client: &Client, pkcs12: &str) -> String {
    let reply = client.post(PATH, json!({"pkcs12": pkcs12, "password": Base64::encode(b"secret")})).await;
    assert!(!reply.response()["warnings"].to_string().contains("2.5.29.30"), "{}", reply.text());
    reply.response()["certificateUuid"].as_str().unwrap().to_owned()
}

const ISSUING: &str = "Issuing Certificate Authority";

async fn ask(client: &Client, issuer: &str, profile: &str, subject: &str, alt_names: &[&str]) -> Reply {
    let mut members = json!({"issuerUuid": issuer, "subjectOneline": subject});
    // An authority outlives what it issues a second later.
    let days = json!({"unit": "Day", "amount": if profile == ISSUING { "300" } else { "30" }});
    members["certParams"] = json!({"subjectAltNames": alt_names, "validityPeriod": days});
    client.post("/api/v2/x509/generate", with(body(client, profile).await, members)).await
}

const NAMES: &[(&str, &[&str])] = &[
    ("/CN=a", &["DNS:example.com"]),
    ("/CN=a", &["DNS:www.EXAMPLE.com"]),
    ("/CN=a", &["DNS:a.b.example.com", "DNS:example.org"]),
    ("/CN=a", &["DNS:badexample.com"]),
    ("/CN=a", &["DNS:*.example.com"]),
    ("/CN=a", &["DNS:secret.example.com"]),
    ("/CN=a", &["DNS:com"]),
    ("/CN=a", &["IP:10.1.2.3"]),
    ("/CN=a", &["IP:11.0.0.1"]),
    ("/CN=a", &["IP:2001:db8::1"]),
    ("/CN=a", &["email:a@example.com"]),
    ("/CN=a", &["email:b@EXAMPLE.com"]),
    ("/CN=a", &["email:A@example.com"]),
    ("/CN=a", &["email:a@mail.example.com"]),
    ("/CN=a", &["URI:https://www.example.com/x"]),
    ("/CN=a", &["URI:https://example.com"]),
    ("/CN=a", &["URI:https://example.org:8443/www.example.com"]),
    ("/CN=a", &["URI:urn:a:b"]),
    ("/CN=a", &["DNS:example.com", "IP:10.0.0.1", "email:a@example.com", "URI:spiffe://example.com/a"]),
    ("/CN=www.example.com", &[]),
    ("/CN=www.example.org", &[]),
    ("/CN=www.example.org", &["DNS:example.com"]),
    ("/CN=www.example.org", &["IP:10.0.0.1"]),
    ("/CN=a/emailAddress=a@example.com", &[]),
    ("/CN=a/emailAddress=a@example.org", &["email:a@example.com"]),
    ("/C=US/O=Customer/CN=a", &[]),
    ("/C=us/O=CUSTOMER/CN=a", &["DNS:example.com"]),
    ("/C=US/O=Customer", &[]),
    ("/C=US/O=Customers/CN=a", &[]),
    ("/O=Customer/C=US/CN=a", &[]),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_is_issued_is_what_openssl_accepts() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    for key in ["shared", "leaf"] {
        bench.openssl(&format!("genpkey {EC} -out {key}.key"));
    }
    bench.constrained("shared", "shared", "permitted;DNS:example.com");
    for (index, (subject, alt_names)) in NAMES.iter().enumerate() {
        bench.leaf(&format!("theirs{index}.pem"), subject, alt_names);
    }
    let (mut refused, mut issued) = (0, 0);
    for (number, constraints) in [
        "permitted;DNS:example.com",
        "permitted;DNS:.example.com",
        // An empty host, which stands for all of them.
        "DER:30:06:a0:04:30:02:82:00",
        "excluded;DNS:example.com",
        "DER:30:06:a1:04:30:02:82:00",
        "permitted;DNS:example.com,permitted;DNS:example.org,excluded;DNS:secret.EXAMPLE.org",
        "permitted;IP:10.0.0.0/255.0.0.0",
        "excluded;IP:10.0.0.0/255.0.0.0",
        "excluded;IP:0.0.0.0/0.0.0.0,excluded;IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0",
        "permitted;IP:2001:db8:0:0:0:0:0:0/ffff:ffff:0:0:0:0:0:0",
        "permitted;email:example.com",
        "permitted;email:.example.com",
        "permitted;email:a@example.com",
        "excluded;email:a@example.com",
        "permitted;URI:.example.com",
        "permitted;URI:example.com",
        "excluded;URI:example.org",
        "permitted;dirName:customer",
        "excluded;dirName:customer",
        "permitted;otherName:1.3.6.1.5.5.7.8.7;IA5STRING:example.com,permitted;RID:1.2.3",
    ]
    .into_iter()
    .enumerate()
    {
        bench.constrained("shared", "shared", constraints);
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        let issuer = bench.imported(&admin, &format!("root{number}"), constraints).await;
        for (index, (subject, alt_names)) in NAMES.iter().enumerate() {
            theirs.push(format!("theirs{index}.pem"));
            let reply = ask(&admin, &issuer, "TLS Client", subject, alt_names).await;
            if reply.status == 200 {
                bench.write(&format!("ours{index}.pem"), reply.response()["certificate"].as_str().unwrap());
                ours.push(format!("ours{index}.pem"));
            } else {
                assert!(reply.text().contains("break the rule nameConstraints"), "{}", reply.text());
            }
        }
        let accepted = bench.accepted("shared.pem", &theirs);
        let mut as_ours: BTreeSet<_> = accepted.iter().map(|name| name.replace("theirs", "ours")).collect();
        if constraints.starts_with("excluded;email") {
            // Here we are stricter: most servers of mail read the part before the `@` in any letter case.
            let other_letters = NAMES.iter().position(|(_, names)| names.contains(&"email:A@example.com")).unwrap();
            assert!(as_ours.remove(&format!("ours{other_letters}.pem")));
        }
        assert_eq!(ours.iter().cloned().collect::<BTreeSet<_>>(), as_ours, "{constraints}");
        assert_eq!(bench.accepted(&format!("root{number}.pem"), &ours), as_ours, "{constraints}");
        issued += ours.len();
        refused += NAMES.len() - ours.len();
    }
    assert!(issued > 100 && refused > 100, "{issued} issued, {refused} refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_names_the_member_and_nothing_is_signed() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let constraints = "permitted;DNS:example.com,permitted;dirName:customer";
    let issuer = bench.imported(&admin, "root", constraints).await;
    let inside = "/C=US/O=Customer/CN=a";
    let two = ["DNS:example.com", "DNS:example.org"];
    let reply = ask(&admin, &issuer, "TLS Client", inside, &two).await;
    reply.refused(400, "InvalidValue", Some("/certParams/subjectAltNames/1"));
    let said = "The certificate would break the rule nameConstraints: DNS:example.org lies outside of what \
                CN=root,O=Elsewhere,C=US permits: DNS:example.com.";
    assert_eq!(reply.json["response"]["message"], said);
    let reply = ask(&admin, &issuer, "TLS Client", "CN=a", &[]).await;
    reply.refused(400, "InvalidValue", Some("/subjectOneline"));
    assert!(reply.text().contains("permits: DirName:O=Customer,C=US."), "{}", reply.text());
    let request = |subject, names: &[&str]| json!({"serviceOrIssuerUuid": issuer, "csr": csr(P256, subject, names)});
    let profile = json!({"certProfileUuid": profile(&admin, "TLS Client").await});
    let outside = ["-addext", "subjectAltName=DNS:example.org"];
    let given = json!({"certParams": {"subjectAltNames": ["DNS:example.org"]}});
    for (body, field) in [
        (request("/CN=a", &[]), "/csr"),
        (request(inside, &outside), "/csr"),
        (with(request(inside, &[]), given), "/certParams/subjectAltNames/0"),
        (with(request(inside, &[]), json!({"subjectOneline": "CN=a"})), "/subjectOneline"),
    ] {
        let reply = admin.post("/api/v2/x509/requests", with(body, profile.clone())).await;
        reply.refused(400, "InvalidValue", Some(field));
    }
    let other = bench.imported(&admin, "other", "excluded;DNS:example.net").await;
    let old = ask(&admin, &other, "TLS Client", "CN=a", &[]).await.response().clone();
    for verb in ["renew", "rekey"] {
        let path = format!("/api/v2/x509/{}/{verb}", old["certificateUuid"].as_str().unwrap());
        admin.post(&path, json!({"issuerUuid": issuer})).await.refused(400, "InvalidValue", Some("/issuerUuid"));
    }
    let held = admin.get(&format!("/api/v2/x509?issuer={issuer}")).await;
    let names: Vec<_> = held.response()["results"].as_array().unwrap().iter().map(|stub| &stub["uuid"]).collect();
    assert_eq!(names.len(), 1, "only the root itself: {names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_authority_of_a_chain_is_heeded_and_one_may_bear_its_own_name() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let constraints = "permitted;DNS:example.com,permitted;dirName:customer";
    let root = bench.imported(&admin, "root", constraints).await;
    // An authority outside of the names, unless it is the same one with another key (RFC 5280, 6.1.3).
    ask(&admin, &root, ISSUING, "CN=below", &[]).await.refused(400, "InvalidValue", Some("/subjectOneline"));
    ask(&admin, &root, "TLS Client", SELF, &[]).await.refused(400, "InvalidValue", Some("/subjectOneline"));
    for subject in [SELF, "/C=US/O=Customer/CN=ca.example.org"] {
        let below = ask(&admin, &root, ISSUING, subject, &[]).await;
        let below = below.response();
        bench.write("chain.pem", below["certificate"].as_str().unwrap());
        let id = below["certificateUuid"].as_str().unwrap();
        let inside = "/C=US/O=Customer/CN=a";
        ask(&admin, id, "TLS Client", "/CN=a", &[]).await.refused(400, "InvalidValue", Some("/subjectOneline"));
        let reply = ask(&admin, id, "TLS Client", inside, &["DNS:example.org"]).await;
        reply.refused(400, "InvalidValue", Some("/certParams/subjectAltNames/0"));
        let leaf = ask(&admin, id, "TLS Client", inside, &["DNS:www.example.com"]).await;
        bench.write("leaf.pem", leaf.response()["certificate"].as_str().unwrap());
        let verify = "verify -x509_strict -CAfile root.pem -untrusted chain.pem leaf.pem";
        assert_eq!(bench.openssl(verify), b"leaf.pem: OK\n", "{subject}");
    }
}

/// Relying parties hold the responder's certificate against the constraints too.
#[tokio::test(flavor = "multi_thread")]
async fn ocsp_responders_bear_names_that_are_permitted() {
    let app = installation().await;
    let admin = app.admin().await;
    for constraints in ["permitted;dirName:customer", "excluded;dirName:customer", "permitted;DNS:example.com"] {
        let bench = Bench::new();
        let issuer = bench.imported(&admin, "root", constraints).await;
        let subject = if constraints.starts_with("permitted;dir") { "/C=US/O=Customer/CN=a" } else { "/CN=a" };
        let leaf = ask(&admin, &issuer, "TLS Client", subject, &[]).await;
        bench.write("leaf.pem", leaf.response()["certificate"].as_str().unwrap());
        assert_eq!(super::elsewhere::ocsp(&app, &bench).await, "leaf.pem: good", "{constraints}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn chains_with_an_authority_outside_of_the_names_are_not_taken_in() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.openssl(&format!("genpkey {EC} -out root.key"));
    bench.constrained("root", "root", "permitted;dirName:customer");
    bench.below("below", "root", super::elsewhere::CA);
    let chain = bench.read("root.pem") + &bench.read("below.pem");
    let reply = admin.post("/api/v2/x509/import", json!({"certificates": chain})).await;
    reply.refused(400, "InvalidValue", Some("/certificates"));
    assert!(reply.text().contains("is an authority that its issuers may not certify"), "{}", reply.text());
    // Constraints that cannot be read limit nobody knows what.
    bench.openssl(&format!("genpkey {EC} -out odd.key"));
    bench.constrained("odd", "odd", "DER:30:03:a0:01:30");
    let reply = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("odd.pem")})).await;
    reply.refused(400, "InvalidValue", Some("/certificates"));
    assert!(reply.text().contains("its name constraints cannot be read"), "{}", reply.text());
}
