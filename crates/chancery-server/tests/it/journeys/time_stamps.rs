//! Signatures with a time stamp, which outlive the certificate: of the own authority, and of authorities elsewhere.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use chancery_core::{Clock, Limits, OutsideAuthorities, StampTransport};
use chancery_testkit::{TempDir, Tool, temp_dir};
use chancery_types::Base64;
use serde_json::{Value, json};

use super::embedded::{
    installer,
    jars::{java_archive, trusted},
    osslsigncode_knows_scripts, programs,
};
use crate::{
    app::Setup,
    routes::tsa,
    signing::{EC_P256, PROPOSALS, REQUESTS, RSA_2048, Service, Signing, approve, bytes, submission},
};

const SCRIPT: &[u8] = b"Write-Output 1\r\n";

/// A service whose certificate lasts some seconds, and a second policy of it that stamps.
async fn short_lived(signing: &Signing, format: &str, key_type: &str) -> [Service; 2] {
    let plain = signing
        .deploy_with(format, 0, |body| {
            body["pkisigning"]["signingFormat"] = json!(format);
            body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(key_type);
            body["pkisigning"]["newCert"]["certParams"]["validityPeriod"] = json!({"unit": "Second", "amount": LIFE_S});
        })
        .await;
    let path = format!("/api/v2/x509/services/{}/signing-policies", plain.uuid);
    let policy = json!({"name": "stamped", "numApprovals": 0, "hashAlgorithm": "Sha2_256", "timeStamp": true});
    let reply = signing.admin.post(&path, policy).await;
    let response = reply.response();
    assert_eq!(response["timeStamp"], true);
    let stamped = Service { policy: response["objInfo"]["uuid"].as_str().unwrap().to_owned(), ..plain.clone() };
    [plain, stamped]
}

/// Long enough to sign on a busy machine, in seconds.
const LIFE_S: &str = "20";

async fn signed(signing: &Signing, service: &Service, payload: &[u8]) -> (Vec<u8>, String) {
    let reply = signing.admin.post(REQUESTS, submission(service, payload)).await;
    let request = reply.response()["uuid"].as_str().unwrap().to_owned();
    (bytes(&signing.read(&request).await["signature"]), request)
}

async fn file(signing: &Signing, service: &Service, payload: &[u8]) -> Vec<u8> {
    let (_, request) = signed(signing, service, payload).await;
    signing.admin.get(&format!("{REQUESTS}/{request}/signed/download")).await.body
}

/// What `osslsigncode verify` says, and whether it accepts.
fn osslsigncode(root_pem: &str, name: &str, file: &[u8]) -> (bool, String) {
    let folder = temp_dir();
    fs::write(folder.path().join("root.pem"), root_pem).unwrap();
    fs::write(folder.path().join(name), file).unwrap();
    let verify = ["verify", "-in", name, "-CAfile", "root.pem", "-TSA-CAfile", "root.pem"];
    let ran = Tool::new("osslsigncode").args(verify).folder(folder.path()).try_run();
    let text = ran.text();
    (ran.status.success() && text.contains("Signature verification: ok"), text)
}

#[tokio::test]
async fn stamped_signatures_outlive_their_certificate_and_others_do_not() {
    let signing = Signing::with(Setup { clock: Clock::System, ..Setup::default() }).await;
    tsa::deploy(&signing, "stamps", EC_P256, json!({})).await.response();
    let folder = temp_dir();
    let mut files = Vec::new();
    for (format, key_type, name, payload) in [
        ("Authenticode", RSA_2048, "x.exe", programs().remove(0)),
        ("Msi", EC_P256, "x.msi", installer()),
        ("Powershell", EC_P256, "x.ps1", SCRIPT.to_vec()),
        ("JavaJar", EC_P256, "x.jar", java_archive(&folder)),
    ] {
        if format == "Powershell" && !osslsigncode_knows_scripts() {
            continue;
        }
        for service in short_lived(&signing, format, key_type).await {
            files.push((name, file(&signing, &service, &payload).await));
        }
    }
    let verified = |name: &str, file: &[u8]| {
        if name == "x.jar" { jarsigner(&signing.root_pem, file) } else { osslsigncode(&signing.root_pem, name, file) }
    };
    tokio::time::sleep(Duration::from_secs(LIFE_S.parse::<u64>().unwrap() + 1)).await;
    for pair in files.chunks(2) {
        let [(name, plain), (_, stamped)] = pair else { panic!("a plain and a stamped file of each") };
        assert!(!verified(name, plain).0, "{name} without a stamp");
        let (good, text) = verified(name, stamped);
        assert!(good, "{name} with a stamp: {text}");
        let told = if *name == "x.jar" { "timestamp" } else { "Timestamp" };
        assert!(text.contains(told), "{name}: {text}");
    }
}

/// What `jarsigner -verify -strict` says, and whether it accepts.
fn jarsigner(root_pem: &str, jar: &[u8]) -> (bool, String) {
    let folder = trusted(root_pem);
    fs::write(folder.path().join("x.jar"), jar).unwrap();
    let verify =
        ["-verify", "-strict", "-verbose", "-certs", "-keystore", "trusted", "-storepass", "changeit", "x.jar"];
    let ran = Tool::new("jarsigner").args(verify).folder(folder.path()).try_run();
    let text = ran.text();
    (ran.status.success() && text.contains("jar verified."), text)
}

#[tokio::test]
async fn the_stamp_of_a_cms_is_over_its_signature() {
    let signing = Signing::new().await;
    tsa::deploy(&signing, "stamps", RSA_2048, json!({})).await.response();
    let root: String = signing.root_pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let mut lines = String::new();
    for (name, key_type, hash) in [("rsa", RSA_2048, "Sha2_384"), ("ec", EC_P256, "Sha3_256")] {
        let service = signing
            .deploy_with(name, 0, |body| {
                body["pkisigning"]["newCert"]["newKey"]["keyTypeUuid"] = json!(key_type);
                body["pkisigning"]["hashAlgorithm"] = json!(hash);
                body["pkisigning"]["timeStamp"] = json!(true);
            })
            .await;
        let (cms, _) = signed(&signing, &service, b"content").await;
        assert!(crate::signing::openssl_accepts("openssl35", &signing.root_pem, &cms, b"content"), "{name}");
        lines += &format!("{} {root}\n", Base64::encode(&cms));
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/journeys/time_stamps/Stamped.java");
    let jars = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/tools/bouncycastle/*");
    let verdicts = Tool::new("java").args(["-cp", jars, source]).input(lines).run().text();
    let good = "good 2026-06-21T12:00:00.500Z";
    assert_eq!(verdicts.lines().collect::<Vec<_>>(), [good, good]);
}

/// Authorities elsewhere, of OpenSSL: one at `http://good`, one at `http://stale` that answers what others asked, and
/// nobody anywhere else.
struct Elsewhere {
    folder: TempDir,
    asked: Mutex<Vec<String>>,
    is_down: Mutex<bool>,
    /// Nobody waits for the silent any more.
    is_over: AtomicBool,
    /// What happens while the next stamp is made.
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

const SETTINGS: &str = "\
[tsa]
default_tsa = one
[one]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256, sha384, sha512
ess_cert_id_alg = sha256
[stamps]
extendedKeyUsage = critical,timeStamping
";

impl Elsewhere {
    fn new() -> Arc<Self> {
        let this = Self {
            folder: temp_dir(),
            asked: Mutex::default(),
            is_down: Mutex::new(false),
            is_over: AtomicBool::new(false),
            meanwhile: Mutex::default(),
        };
        fs::write(this.folder.path().join("settings"), SETTINGS).unwrap();
        fs::write(this.folder.path().join("serial"), "01").unwrap();
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null";
        this.openssl(&format!("req -x509 {key} -keyout root.key -out root.pem -subj /CN=Elsewhere -days 30 -addext basicConstraints=critical,CA:true"));
        this.openssl(&format!("req {key} -keyout tsa.key -out tsa.csr -subj /CN=TSA"));
        this.openssl("x509 -req -in tsa.csr -CA root.pem -CAkey root.key -CAcreateserial -out tsa.pem -days 20 -extfile settings -extensions stamps");
        fs::write(this.folder.path().join("data"), "something else").unwrap();
        this.openssl("ts -query -data data -sha256 -cert -out query");
        this.reply("stale");
        Arc::new(this)
    }

    fn openssl(&self, arguments: &str) {
        let _ran = Tool::new("openssl35").args(arguments.split_whitespace()).folder(self.folder.path()).run();
    }

    fn reply(&self, name: &str) {
        self.openssl(&format!(
            "ts -reply -config settings -section one -queryfile query -signer tsa.pem -inkey tsa.key -chain root.pem -out {name}"
        ));
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.path().join(name)).unwrap()
    }

    /// Who was asked since this was called last.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn authorities(self: &Arc<Self>, urls: &[&str], roots: Option<&str>) -> Option<OutsideAuthorities> {
        let urls = urls.iter().map(|url| (*url).to_owned()).collect();
        let transport: Arc<dyn StampTransport> = Arc::<Self>::clone(self);
        Some(OutsideAuthorities::new(urls, roots, transport).unwrap())
    }
}

impl StampTransport for Elsewhere {
    fn post(
        &self,
        url: &str,
        request: Vec<u8>,
        max: usize,
        wait: Duration,
    ) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
        assert!(max == 64 * 1024 && wait <= Duration::from_secs(5), "{max} {wait:?}");
        self.asked.lock().unwrap().push(url.to_owned());
        if let Some(meanwhile) = self.meanwhile.lock().unwrap().take() {
            meanwhile();
        }
        match url {
            "http://good" if !*self.is_down.lock().unwrap() => {
                fs::write(self.folder.path().join("query"), request).unwrap();
                self.reply("reply");
                Ok(self.read("reply"))
            }
            "http://stale" => Ok(self.read("stale")),
            "http://silent" | "http://mute" => {
                let until = Instant::now() + wait;
                while Instant::now() < until && !self.is_over.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(5));
                }
                Err("no answer".into())
            }
            _ => Err("nobody is there".into()),
        }
    }
}

/// An installation on a clock that shows the real time and stands still, with these authorities elsewhere.
async fn with_elsewhere(elsewhere: &Arc<Elsewhere>, urls: &[&str]) -> Signing {
    let clock = Clock::fixed(Clock::System.now_ms());
    let root_pem = String::from_utf8(elsewhere.read("root.pem")).unwrap();
    let outside_stamps = elsewhere.authorities(urls, Some(&root_pem));
    Signing::with(Setup { clock, outside_stamps, ..Setup::default() }).await
}

fn stamped(body: &mut Value) {
    body["pkisigning"]["timeStamp"] = json!(true);
}

#[tokio::test]
async fn authorities_elsewhere_are_asked_in_order_and_failing_ones_left_alone_for_a_while() {
    let elsewhere = Elsewhere::new();
    let signing = with_elsewhere(&elsewhere, &["http://down", "http://stale", "http://good"]).await;
    let service = signing.deploy_with("stamped", 0, stamped).await;
    let (cms, _) = signed(&signing, &service, b"content").await;
    assert_eq!(elsewhere.asked(), ["http://down", "http://stale", "http://good"]);
    let token = elsewhere.read("reply");
    assert!(cms.windows(100).any(|window| window == &token[token.len() - 100..]), "the stamp is in the CMS");
    signed(&signing, &service, b"content").await;
    assert_eq!(elsewhere.asked(), ["http://good"]);
    signing.app.clock.advance_ms(1_000);
    signed(&signing, &service, b"content").await;
    assert_eq!(elsewhere.asked(), ["http://down", "http://stale", "http://good"]);
    signing.app.clock.advance_ms(1_999);
    signed(&signing, &service, b"content").await;
    assert_eq!(elsewhere.asked(), ["http://good"], "twice as long");
    // An own authority needs nobody.
    tsa::deploy(&signing, "own", EC_P256, json!({})).await.response();
    signing.app.clock.advance_ms(60_000);
    signed(&signing, &service, b"content").await;
    assert_eq!(elsewhere.asked(), [""; 0]);
}

#[tokio::test]
async fn two_silent_authorities_hold_a_submission_for_no_longer_than_all_may_take() {
    let elsewhere = Elsewhere::new();
    let outside_stamps = elsewhere.authorities(&["http://silent", "http://mute"], None);
    // The second is asked after one second.
    let [time_stamp_wait_for_all_max, time_stamp_wait_max] = [3, 60].map(Duration::from_secs);
    let limits = Limits { time_stamp_wait_for_all_max, time_stamp_wait_max, ..Limits::default() };
    let signing = Signing::with(Setup { limits, outside_stamps, ..Setup::default() }).await;
    let service = signing.deploy_with("stamped", 0, stamped).await;
    let begun = Instant::now();
    signing.admin.post(REQUESTS, submission(&service, b"content")).await.refused(503, "Unavailable", None);
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    assert_eq!(elsewhere.asked(), ["http://silent", "http://mute"]);
    signing.admin.post(REQUESTS, submission(&service, b"content")).await.refused(503, "Unavailable", None);
    assert_eq!(elsewhere.asked(), [""; 0], "both are left alone for a while");
}

#[tokio::test]
async fn while_an_authority_is_silent_the_next_one_is_asked_and_it_is_left_alone() {
    let elsewhere = Elsewhere::new();
    let signing = with_elsewhere(&elsewhere, &["http://silent", "http://good"]).await;
    let service = signing.deploy_with("stamped", 0, stamped).await;
    signed(&signing, &service, b"content").await;
    assert_eq!(elsewhere.asked(), ["http://silent", "http://good"]);
    signed(&signing, &service, b"content").await;
    assert_eq!(elsewhere.asked(), ["http://good"]);
    elsewhere.is_over.store(true, Ordering::Relaxed);
}

#[tokio::test]
async fn without_a_stamp_nothing_is_signed_and_no_approval_recorded() {
    let elsewhere = Elsewhere::new();
    *elsewhere.is_down.lock().unwrap() = true;
    let signing = with_elsewhere(&elsewhere, &["http://good"]).await;
    let service = signing.deploy_with("stamped", 1, stamped).await;
    let request = signing.submit(&service, b"content").await;
    let ann = signing.approver("ann").await;
    let reply = approve(&ann, &request).await;
    reply.refused(503, "Unavailable", None);
    assert_eq!(reply.headers["retry-after"], "1");
    assert_eq!(elsewhere.asked(), ["http://good"]);
    assert_eq!(signing.words(&request).await, ["Approval", "Pending"]);
    assert_eq!(signing.read(&request).await["approvals"], json!([]));
    *elsewhere.is_down.lock().unwrap() = false;
    approve(&ann, &request).await.refused(503, "Unavailable", None);
    assert_eq!(elsewhere.asked(), [""; 0], "left alone for a second");
    signing.app.clock.advance_ms(1_000);
    assert_eq!(approve(&ann, &request).await.response()["state"], "Signed");
    let auto = signing.deploy_with("auto", 0, stamped).await;
    *elsewhere.is_down.lock().unwrap() = true;
    let reply = signing.admin.post(REQUESTS, submission(&auto, b"content")).await;
    reply.refused(503, "Unavailable", None);
    let requests = signing.admin.get(&format!("/api/v2/x509/services/{}/signing-requests", auto.uuid)).await;
    assert_eq!(requests.response()["total"], 0);
}

/// A signature takes its time, here that of a stamp; what happens meanwhile counts.
#[tokio::test]
async fn a_policy_that_becomes_stricter_while_the_last_approval_signs() {
    let elsewhere = Elsewhere::new();
    let signing = with_elsewhere(&elsewhere, &["http://good"]).await;
    let service = signing.deploy_with("stamped", 1, stamped).await;
    let policy = format!("/api/v2/x509/signing-policies/{}", service.policy);
    let change = signing.admin.patch(&policy, json!({"numApprovals": 2})).await;
    let proposal = change.response()["pendingChange"]["uuid"].as_str().unwrap().to_owned();
    let request = signing.submit(&service, b"content").await;
    let (ann, bob) = (signing.approver("ann").await, signing.approver("bob").await);
    let (runtime, path) = (tokio::runtime::Handle::current(), format!("{PROPOSALS}/{proposal}/approve"));
    let meanwhile = move || {
        let reply = runtime.block_on(bob.post(&path, json!({})));
        assert_eq!(reply.response()["state"], "Applied");
    };
    *elsewhere.meanwhile.lock().unwrap() = Some(Box::new(meanwhile));
    let first = approve(&ann, &request).await;
    assert_eq!([&first.response()["state"], &first.response()["signature"]], ["Approval", ""]);
    assert_eq!(first.response()["approvals"], json!({"given": 1, "required": 2}));
    let second = approve(&signing.approver("cid").await, &request).await;
    assert_eq!(second.response()["state"], "Signed");
}

#[tokio::test]
async fn an_authority_of_another_root_is_not_taken() {
    let (elsewhere, other) = (Elsewhere::new(), Elsewhere::new());
    let clock = Clock::fixed(Clock::System.now_ms());
    let root_pem = String::from_utf8(other.read("root.pem")).unwrap();
    let outside_stamps = elsewhere.authorities(&["http://good"], Some(&root_pem));
    let signing = Signing::with(Setup { clock, outside_stamps, ..Setup::default() }).await;
    let service = signing.deploy_with("stamped", 0, stamped).await;
    signing.admin.post(REQUESTS, submission(&service, b"x")).await.refused(503, "Unavailable", None);
}

#[tokio::test]
async fn the_switch_of_a_policy() {
    let signing = Signing::new().await;
    let mut raw = signing.deployment("raw", 0);
    raw["pkisigning"]["signingFormat"] = json!("Raw");
    stamped(&mut raw);
    let reply = signing.admin.post(crate::signing::DEPLOY, raw).await;
    reply.refused(400, "InvalidValue", Some("/pkisigning/timeStamp"));
    let mut body = signing.deployment("stamped", 0);
    stamped(&mut body);
    let reply = signing.admin.post(crate::signing::DEPLOY, body).await;
    let warnings = reply.response()["warnings"].as_array().unwrap().clone();
    assert!(warnings.iter().any(|text| text.as_str().unwrap().contains("time-stamping authority")), "{warnings:?}");
    let text = |member: &str| reply.response()[member].as_str().unwrap().to_owned();
    let service = Service { uuid: text("serviceUuid"), policy: text("policyUuid"), certificate: String::new() };
    signing.admin.post(REQUESTS, submission(&service, b"x")).await.refused(503, "Unavailable", None);
    let path = format!("/api/v2/x509/signing-policies/{}", service.policy);
    assert_eq!(signing.admin.get(&path).await.response()["timeStamp"], true);
    let off = signing.admin.send("PATCH", &path, Some("application/json"), r#"{"timeStamp":false}"#).await;
    assert_eq!(off.response()["timeStamp"], false);
    signing.submit(&service, b"x").await;
    let plain = signing.deploy("plain", 0).await;
    let read = signing.admin.get(&format!("/api/v2/x509/signing-policies/{}", plain.policy)).await;
    assert_eq!(read.response()["timeStamp"], false, "off by default");
}
