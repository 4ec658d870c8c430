//! POST /tsa and POST /tsa/{serviceUuid}.

use std::{fmt::Write as _, fs};

use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::{Base64, Perm, RoleId};
use serde_json::{Value, json};

use crate::{
    app::{NOON_MS, PASSWORD, Setup},
    client::{Client, Reply},
    journeys::signatures,
    signing::{DEPLOY, EC_P256, ED25519, RSA_3072, Signing},
};

const EC_P384: &str = "00000000-0000-0000-6b74-000000000005";
const EC_P521: &str = "00000000-0000-0000-6b74-000000000006";
const DATA: &str = "to whom it may concern\n";
const DEFAULT_POLICY: &str = "2.999.3161.1";

/// An installation and a folder for a client that works on files.
struct Stamping {
    signing: Signing,
    folder: TempDir,
}

impl Stamping {
    async fn new() -> Self {
        Self::with(Signing::new().await)
    }

    fn with(signing: Signing) -> Self {
        let folder = temp_dir();
        for (name, text) in [("root.pem", signing.root_pem.as_str()), ("data", DATA), ("other", "something else")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Self { signing, folder }
    }

    /// Deploys an authority; answers the answer.
    async fn deploy(&self, name: &str, key_type: &str, members: Value) -> Value {
        deploy(&self.signing, name, key_type, members).await.response().clone()
    }

    /// A request as OpenSSL makes it.
    fn query(&self, options: &str) -> Vec<u8> {
        let arguments = format!("ts -query -data data -out query {options}");
        let _made = Tool::new("openssl35").args(arguments.split_whitespace()).folder(self.folder.path()).run();
        fs::read(self.folder.path().join("query")).unwrap()
    }

    async fn ask(&self, path: &str, query: impl Into<Vec<u8>>) -> Vec<u8> {
        let reply = self.send(path, query).await;
        assert_eq!(reply.status.as_u16(), 200, "{}", reply.text());
        assert_eq!(reply.headers["content-type"], "application/timestamp-reply");
        reply.body
    }

    async fn send(&self, path: &str, query: impl Into<Vec<u8>>) -> Reply {
        let query: Vec<u8> = query.into();
        self.signing.app.nobody().send("POST", path, Some("application/timestamp-query"), query).await
    }

    /// Whether this OpenSSL accepts the answer to the last query, for this data.
    fn accepts(&self, program: &str, reply: &[u8], options: &str) -> bool {
        fs::write(self.folder.path().join("reply"), reply).unwrap();
        let at = NOON_MS / 1_000 + 1;
        let arguments = format!("ts -verify -in reply -CAfile root.pem -attime {at} {options}");
        let ran = Tool::new(program).args(arguments.split_whitespace()).folder(self.folder.path()).try_run();
        ran.status.success() && ran.text().contains("Verification: OK")
    }

    /// What OpenSSL reads in an answer.
    fn text(&self, reply: &[u8]) -> String {
        fs::write(self.folder.path().join("reply"), reply).unwrap();
        let arguments = ["ts", "-reply", "-in", "reply", "-text"];
        Tool::new("openssl35").args(arguments).folder(self.folder.path()).run().text()
    }
}

/// The answer to the deployment of an authority; `members` are those of `timestamping` besides the certificate.
pub(crate) async fn deploy(signing: &Signing, name: &str, key_type: &str, members: Value) -> Reply {
    deploy_as(&signing.admin, signing, name, key_type, members).await
}

async fn deploy_as(client: &Client, signing: &Signing, name: &str, key_type: &str, mut members: Value) -> Reply {
    members["newCert"] = json!({
        "issuerUuid": signing.root,
        "subjectOneline": format!("CN={name},O=Test,C=DE"),
        "newKey": {"keyTypeUuid": key_type, "save": true},
        "certParams": {"validityPeriod": {"unit": "Year", "amount": "10"}},
    });
    let body = json!({"template": "Time Stamping", "name": name, "timestamping": members});
    client.post(DEPLOY, body).await
}

const HEADER: &str = "
Every key that a time-stamping authority may have, with every hash of what is stamped, and the programs that accepted the
answer for the request and for the data (`openssl ts -verify`), and refused it for other data. Those of RSA, P-256 and P-384
are also validated by Bouncy Castle 1.80, and that of a CMS as well (`journeys::time_stamps`).

| key | hash | OpenSSL 3.0 | OpenSSL 3.5 |
|---|---|---|---|
";

#[tokio::test]
async fn stamps_of_every_kind_of_key_are_accepted_by_two_releases_of_openssl() {
    let stamping = Stamping::new().await;
    let mut section = HEADER.to_owned();
    for (name, key_type) in [("RSA", RSA_3072), ("EC P-256", EC_P256), ("EC P-384", EC_P384), ("EC P-521", EC_P521)] {
        let service = stamping.deploy(name, key_type, json!({})).await["serviceUuid"].as_str().unwrap().to_owned();
        let path = format!("/tsa/{service}");
        for hash in ["sha256", "sha384", "sha512", "sha3-256", "sha3-384", "sha3-512"] {
            let reply = stamping.ask(&path, stamping.query(&format!("-{hash} -cert"))).await;
            for program in ["openssl", "openssl35"] {
                assert!(stamping.accepts(program, &reply, "-queryfile query"), "{program} {name} {hash}");
                assert!(stamping.accepts(program, &reply, "-data data"), "{program} {name} {hash}");
                assert!(!stamping.accepts(program, &reply, "-data other"), "{program} {name} {hash}");
            }
            let _ = writeln!(section, "| {name} | {hash} | yes | yes |");
        }
    }
    signatures::compare("Time stamps", &section);
}

#[tokio::test]
async fn a_stamp_says_what_was_asked_when_and_by_whom() {
    let stamping = Stamping::new().await;
    stamping.deploy("The Authority", EC_P256, json!({})).await;
    let text = stamping.text(&stamping.ask("/tsa", stamping.query("-sha512")).await);
    for told in [
        "Status: Granted.",
        "Hash Algorithm: sha512",
        "Jun 21 12:00:00.5 2026 GMT",
        "Accuracy: 0x01 seconds, unspecified millis, unspecified micros",
        "Ordering: no",
        "Nonce: 0x",
        "TSA: DirName:/C=DE/O=Test/CN=The Authority",
        &format!("Policy OID: {DEFAULT_POLICY}"),
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let serial = |text: &str| text.lines().find(|line| line.starts_with("Serial number: 0x")).unwrap().to_owned();
    let again = stamping.text(&stamping.ask("/tsa", stamping.query("-sha512 -no_nonce")).await);
    assert!(again.contains("Nonce: unspecified"), "{again}");
    assert_ne!(serial(&text), serial(&again));
    assert_eq!(serial(&text).len(), "Serial number: 0x".len() + 40, "{text}");
}

#[tokio::test]
async fn certificates_go_along_where_they_are_asked_for() {
    let stamping = Stamping::new().await;
    let authority = stamping.deploy("tsa", RSA_3072, json!({})).await;
    let certificate = format!("/api/v2/x509/{}", authority["certificateUuid"].as_str().unwrap());
    let pem = stamping.signing.admin.get(&certificate).await.response()["certificate"].clone();
    fs::write(stamping.folder.path().join("tsa.pem"), pem.as_str().unwrap()).unwrap();
    let without = stamping.ask("/tsa", stamping.query("-sha256")).await;
    assert!(!stamping.accepts("openssl", &without, "-queryfile query"), "no certificate to verify it with");
    for program in ["openssl", "openssl35"] {
        assert!(stamping.accepts(program, &without, "-queryfile query -untrusted tsa.pem"), "{program}");
    }
    let with = stamping.ask("/tsa", stamping.query("-sha256 -cert")).await;
    assert!(with.len() > without.len() + 1_000);
    let purpose = Tool::new("openssl").args(["x509", "-in", "tsa.pem", "-noout", "-ext", "extendedKeyUsage"]);
    let text = purpose.folder(stamping.folder.path()).run().text();
    assert!(text.contains("critical") && text.contains("Time Stamping"), "{text}");
}

#[tokio::test]
async fn bouncy_castle_takes_the_answers() {
    let stamping = Stamping::new().await;
    let mut lines = String::new();
    for (name, key_type) in [("rsa", RSA_3072), ("p256", EC_P256), ("p384", EC_P384)] {
        let service = stamping.deploy(name, key_type, json!({})).await["serviceUuid"].as_str().unwrap().to_owned();
        for options in ["-sha256 -cert", "-sha3-512 -cert -no_nonce"] {
            let query = stamping.query(options);
            let reply = stamping.ask(&format!("/tsa/{service}"), query.clone()).await;
            lines += &format!("{} {}\n", Base64::encode(&query), Base64::encode(&reply));
        }
        let refused = stamping.ask(&format!("/tsa/{service}"), stamping.query("-sha1")).await;
        lines += &format!("{} {}\n", Base64::encode(&stamping.query("-sha1")), Base64::encode(&refused));
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/routes/tsa/Validate.java");
    let jars = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/bouncycastle/*");
    let verdicts = Tool::new("java").args(["-cp", jars, source]).input(lines).run().text();
    let good = format!("good 2026-06-21T12:00:00.500Z {DEFAULT_POLICY}");
    assert_eq!(verdicts.lines().collect::<Vec<_>>(), [&good, &good, "rejected 1"].repeat(3));
}

#[tokio::test]
async fn the_first_is_the_default_until_another_is_said_to_be() {
    let stamping = Stamping::new().await;
    let asked = async |path: &str| {
        let text = stamping.text(&stamping.ask(path, stamping.query("-sha256")).await);
        text.lines().find_map(|line| line.strip_prefix("Policy OID: ").map(str::to_owned)).unwrap()
    };
    let nobody = stamping.send("/tsa", stamping.query("-sha256")).await;
    assert_eq!(nobody.status.as_u16(), 404, "{}", nobody.text());
    let first = stamping.deploy("first", EC_P256, json!({"policyOid": "1.2.3.1"})).await;
    assert_eq!(asked("/tsa").await, "1.2.3.1");
    stamping.deploy("second", EC_P256, json!({"policyOid": "1.2.3.2"})).await;
    assert_eq!(asked("/tsa").await, "1.2.3.1");
    stamping.deploy("third", EC_P256, json!({"policyOid": "1.2.3.3", "default": true})).await;
    assert_eq!(asked("/tsa").await, "1.2.3.3");
    assert_eq!(asked(&format!("/tsa/{}", first["serviceUuid"].as_str().unwrap())).await, "1.2.3.1");
    for path in ["/tsa/x", "/tsa/00000000-0000-0000-0000-0000000000aa"] {
        assert_eq!(stamping.send(path, stamping.query("-sha256")).await.status.as_u16(), 404, "{path}");
    }
}

/// What Go's parser does, which takes no arc from 2^31 on; Python's strict ones take them and show what they are.
const GO_LIKE: &str = "
import sys
data, at, longest = sys.stdin.buffer.read(), 0, 0
def walk(data):
    global longest
    at = 0
    while at < len(data):
        tag, length, at = data[at], data[at + 1], at + 2
        if length & 0x80:
            many = length & 0x7f
            length, at = int.from_bytes(data[at:at + many], 'big'), at + many
        value, at = data[at:at + length], at + length
        if tag == 6:
            arc = 0
            for byte in value:
                arc = arc << 7 | byte & 0x7f
                if byte & 0x80 == 0:
                    longest, arc = max(longest, arc), 0
        elif tag & 0x20:
            walk(value)
        elif tag == 4 and value[:1] == b'\\x30':
            walk(value)
walk(data)
print(longest < 2 ** 28, 'fits' if longest < 2 ** 31 else 'does not fit')
";

#[tokio::test]
async fn the_default_policy_can_be_read_by_parsers_with_arcs_of_31_bits() {
    let stamping = Stamping::new().await;
    stamping.deploy("tsa", EC_P256, json!({})).await;
    let answer = stamping.ask("/tsa", stamping.query("-sha256 -cert")).await;
    let told = Tool::new("python3").args(["-c", GO_LIKE]).input(answer).run().text();
    assert_eq!(told.trim(), "True fits");
}

#[tokio::test]
async fn a_policy_with_an_arc_that_few_can_read_is_refused() {
    let stamping = Stamping::new().await;
    for policy in ["2.25.165084092700511969831031241147850479574", "1.2.268435456", "2.268435376.1"] {
        let reply = deploy(&stamping.signing, "tsa", EC_P256, json!({"policyOid": policy})).await;
        reply.refused(400, "InvalidValue", Some("/timestamping/policyOid"));
    }
    stamping.deploy("tsa", EC_P256, json!({"policyOid": "2.999.268435455"})).await;
}

#[tokio::test]
async fn what_is_not_stamped_is_told_why() {
    let stamping = Stamping::new().await;
    stamping.deploy("tsa", EC_P256, json!({"policyOid": "1.2.3.1"})).await;
    let told = async |query: Vec<u8>, reason: &str| {
        let text = stamping.text(&stamping.ask("/tsa", query).await);
        assert!(text.contains("Status: Rejected.") && text.contains(reason), "{reason}: {text}");
        assert!(text.contains("TST info:\nNot included."), "{text}");
    };
    for hash in ["-sha1", "-md5", "-sha224"] {
        told(stamping.query(hash), "Failure info: unrecognized or unsupported algorithm identifier").await;
    }
    told(stamping.query("-sha256 -tspolicy 1.2.3.2"), "Failure info: the requested TSA policy is not supported").await;
    let good = stamping.query("-sha256 -tspolicy 1.2.3.1");
    assert!(stamping.accepts("openssl", &stamping.ask("/tsa", stamping.query("-sha256 -cert")).await, "-data data"));
    for none in [b"no request".to_vec(), Vec::new(), good[1..].to_vec(), vec![0x30; 20 * 1024]] {
        told(none, "Failure info: the data submitted has the wrong format").await;
    }
}

#[tokio::test]
async fn nothing_is_stamped_with_a_certificate_that_is_not_good_or_a_key_that_may_not() {
    let stamping = Stamping::new().await;
    let query = stamping.query("-sha256");
    let told = async |path: &str, failure: &str, reason: &str| {
        let text = stamping.text(&stamping.ask(path, query.clone()).await);
        assert!(text.contains(failure) && text.contains(reason), "{text}");
    };
    let admin = &stamping.signing.admin;
    let (failure, later) = ("due to system failure", "time source is not available");
    let held = stamping.deploy("held", EC_P256, json!({})).await;
    let revoke = format!("/api/v2/x509/{}/revoke", held["certificateUuid"].as_str().unwrap());
    admin.post(&revoke, json!({"reason": "certificateHold"})).await.response();
    told("/tsa", later, "is on hold").await;
    admin.post(&revoke, json!({"reason": "keyCompromise"})).await.response();
    told("/tsa", failure, "is revoked").await;
    let disabled = stamping.deploy("disabled", RSA_3072, json!({})).await;
    let certificate = format!("/api/v2/x509/{}", disabled["certificateUuid"].as_str().unwrap());
    let key = admin.get(&certificate).await.response()["keyUuid"].as_str().unwrap().to_owned();
    admin.post_nothing(&format!("/api/v2/keys/{key}/disable")).await.response();
    told(&format!("/tsa/{}", disabled["serviceUuid"].as_str().unwrap()), failure, "key is disabled").await;
    // A renewed authority stamps on, with a new key.
    let renew = format!("/api/v2/x509/services/{}/renew", held["serviceUuid"].as_str().unwrap());
    admin.post_nothing(&renew).await.response();
    let text = stamping.text(&stamping.ask("/tsa", query.clone()).await);
    assert!(text.contains("Status: Granted."), "{text}");
    stamping.signing.app.clock.advance_ms(11 * 366 * 24 * 3_600_000);
    told("/tsa", failure, "expired at").await;
}

/// Others trust stamps, as they trust what an authority issues: whoever deploys services makes none alone.
#[tokio::test]
async fn an_authority_is_made_by_two_who_decide_whom_others_trust() {
    let signing = Signing::new().await;
    for (perms, may) in [
        (&[Perm::ServicesDeploy][..], false),
        (&[Perm::CertManageManage], false),
        (&[Perm::ServicesDeploy, Perm::CertManageManage], true),
    ] {
        let name = format!("role {}", perms.iter().map(Perm::to_string).collect::<Vec<_>>().join(" "));
        let role = json!({"name": name, "loginsRequired": 2, "perms": perms});
        let role = signing.admin.post("/api/v2/roles", role).await.response()["uuid"].clone();
        let role: RoleId = role.as_str().unwrap().parse().unwrap();
        let [one, other] = ["one", "other"].map(|who| format!("{who} of {name}"));
        for who in [&one, &other] {
            signing.admin.create_person(who, &[role]).await;
        }
        let two = signing.app.logged_in(&[(one.as_str(), PASSWORD), (other.as_str(), PASSWORD)]).await;
        let reply = deploy_as(&two, &signing, "tsa", EC_P256, json!({})).await;
        if may {
            assert!(reply.response()["certificateUuid"].is_string());
        } else {
            reply.refused(403, "NotAuthorized", None);
            signing.admin.saw_audited("ServiceDeploy").await;
        }
    }
}

#[tokio::test]
async fn deployments_are_checked() {
    let signing = Signing::new().await;
    let refused = async |key_type: &str, members: Value, error_code: &str, field: &str| {
        let reply = deploy(&signing, "tsa", key_type, members).await;
        reply.refused(400, error_code, Some(&format!("/timestamping{field}")));
    };
    refused(ED25519, json!({}), "InvalidSelection", "/newCert/newKey/keyTypeUuid").await;
    refused(EC_P256, json!({"policyOid": "1.2.x"}), "InvalidValue", "/policyOid").await;
    refused(EC_P256, json!({"policyOid": 7}), "ArgumentParseError", "/policyOid").await;
    let missing = json!({"template": "Time Stamping", "name": "tsa", "pkisigning": {}});
    signing.admin.post(DEPLOY, missing).await.refused(400, "ArgumentParseError", Some("/pkisigning/newCert"));
    let missing = json!({"template": "Time Stamping", "name": "tsa"});
    signing.admin.post(DEPLOY, missing).await.refused(400, "ArgumentParseError", Some("/timestamping"));
    let authority = deploy(&signing, "tsa", EC_P256, json!({})).await.response().clone();
    assert!(authority.get("policyUuid").is_none(), "{authority}");
    let again = deploy(&signing, "TSA", EC_P256, json!({})).await;
    again.refused(409, "AlreadyExists", Some("/name"));
    let stubs = signing.admin.get("/api/v2/x509/services/stubs").await.response().clone();
    assert_eq!(stubs["results"][0]["template"], "Time Stamping");
    assert!(stubs["results"][0].get("signingFormat").is_none(), "{stubs}");
    // It signs nothing but stamps.
    let uuid = authority["serviceUuid"].as_str().unwrap();
    let policies = format!("/api/v2/x509/services/{uuid}/signing-policies");
    signing.admin.get(&policies).await.refused(404, "InvalidSelection", None);
    let policy = json!({"name": "p", "numApprovals": 0, "hashAlgorithm": "Sha2_256"});
    signing.admin.post(&policies, policy).await.refused(404, "InvalidSelection", None);
    let request = json!({"name": "r", "serviceUuid": uuid, "policyUuid": uuid, "uploadData": ""});
    let reply = signing.admin.post(crate::signing::REQUESTS, request).await;
    reply.refused(400, "InvalidSelection", Some("/serviceUuid"));
}

#[tokio::test]
async fn no_prefix_and_no_flipped_byte_is_an_error_of_the_server() {
    let stamping = Stamping::new().await;
    stamping.deploy("tsa", EC_P256, json!({})).await;
    let query = stamping.query("-sha256 -cert");
    let mut queries: Vec<_> = (0..query.len()).map(|len| query[..len].to_vec()).collect();
    for at in 0..query.len() {
        for mask in [0x01, 0x40, 0x80, 0xff] {
            let mut flipped = query.clone();
            flipped[at] ^= mask;
            queries.push(flipped);
        }
    }
    for query in queries {
        let reply = stamping.ask("/tsa", query.clone()).await;
        // TimeStampResp, PKIStatusInfo, its status: granted or rejected.
        let status = reply.windows(3).find(|bytes| bytes[..2] == [2, 1]).unwrap()[2];
        assert!([0, 2].contains(&status), "{query:02x?}");
    }
}

#[tokio::test]
async fn the_public_listener_stamps_too() {
    let stamping = Stamping::with(Signing::with(Setup::default()).await);
    stamping.deploy("tsa", EC_P256, json!({})).await;
    let public = chancery_server::public_router(std::sync::Arc::clone(&stamping.signing.app.chancery));
    let client = crate::client::Client::new(public);
    let query = stamping.query("-sha256 -cert");
    let reply = client.send("POST", "/tsa", Some("application/timestamp-query"), query).await;
    assert!(stamping.accepts("openssl35", &reply.body, "-queryfile query"));
}
