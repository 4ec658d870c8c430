//! An installation with a certificate authority, for tests that sign.

use chancery_testkit::{Tool, temp_dir};
use chancery_types::Base64;
use serde_json::{Value, json};

use crate::{
    app::{NOON_MS, PASSWORD, Setup, TestApp},
    client::{Client, Reply},
};

pub(crate) const REQUESTS: &str = "/api/v2/x509/signing-requests";
pub(crate) const PROPOSALS: &str = "/api/v2/x509/proposals";
pub(crate) const DEPLOY: &str = "/cuserv/v1/services/deploy";

pub(crate) const RSA_2048: &str = "00000000-0000-0000-6b74-000000000001";
pub(crate) const RSA_3072: &str = "00000000-0000-0000-6b74-000000000002";
pub(crate) const EC_P256: &str = "00000000-0000-0000-6b74-000000000004";
pub(crate) const ED25519: &str = "00000000-0000-0000-6b74-000000000007";

pub(crate) const APPROVER: &str = "00000000-0000-0000-726f-000000000003";

const ROOT_PROFILE: &str = "00000000-0000-0000-6370-000000000001";

/// An installation, its administrators in one session, and a root certificate.
pub(crate) struct Signing {
    pub(crate) app: TestApp,
    pub(crate) admin: Client,
    pub(crate) root: String,
    pub(crate) root_pem: String,
}

/// A deployed service and its policy.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub(crate) uuid: String,
    pub(crate) policy: String,
    pub(crate) certificate: String,
}

impl Signing {
    pub(crate) async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub(crate) async fn with(setup: Setup) -> Self {
        let app = TestApp::with(setup).await;
        let admin = app.admin().await;
        let root = json!({
            "certProfileUuid": ROOT_PROFILE, "subjectOneline": "CN=Root,O=Test,C=DE",
            "newKey": {"keyTypeUuid": EC_P256, "save": true}, "saveCert": true, "trustCert": true,
        });
        let reply = admin.post("/api/v2/x509/generate", root).await;
        let text = |member: &str| reply.response()[member].as_str().unwrap().to_owned();
        let (root, root_pem) = (text("certificateUuid"), text("certificate"));
        Self { app, admin, root, root_pem }
    }

    /// The body of a deployment: see [`deployment`].
    pub(crate) fn deployment(&self, name: &str, num_approvals: u32) -> Value {
        deployment(&self.root, name, num_approvals)
    }

    /// Deploys a service; `change` alters the body.
    pub(crate) async fn deploy_with(&self, name: &str, num_approvals: u32, change: impl FnOnce(&mut Value)) -> Service {
        let mut body = self.deployment(name, num_approvals);
        change(&mut body);
        deploy(&self.admin, body).await
    }

    pub(crate) async fn deploy(&self, name: &str, num_approvals: u32) -> Service {
        self.deploy_with(name, num_approvals, |_| ()).await
    }

    /// A new person who holds this role alone, logged in.
    pub(crate) async fn person(&self, name: &str, role: &str) -> Client {
        self.identity(name, "Person", role).await
    }

    /// A new identity that holds this role alone, logged in with a password.
    pub(crate) async fn identity(&self, name: &str, kind: &str, role: &str) -> Client {
        let password = Base64::encode(PASSWORD.as_bytes());
        let body = json!({"name": name, "kind": kind, "roleUuids": [role], "password": password});
        self.admin.post("/api/v2/identities", body).await.response();
        self.app.logged_in(&[(name, PASSWORD)]).await
    }

    /// A new role with one login.
    pub(crate) async fn role(&self, name: &str, perms: &[&str]) -> String {
        let body = json!({"name": name, "loginsRequired": 1, "perms": perms});
        self.admin.post("/api/v2/roles", body).await.response()["uuid"].as_str().unwrap().to_owned()
    }

    /// A new approver, logged in.
    pub(crate) async fn approver(&self, name: &str) -> Client {
        self.person(name, APPROVER).await
    }

    /// Approves what waits after a policy was made or changed, by as many new people as it takes; answers the policy.
    pub(crate) async fn agreed(&self, reply: &Reply) -> Value {
        let pending = &reply.response()["pendingChange"];
        let proposal = pending["uuid"].as_str().unwrap();
        for n in 0..pending["approvals"]["required"].as_u64().unwrap() {
            let approver = self.approver(&format!("{n} of {proposal}")).await;
            approver.post(&format!("{PROPOSALS}/{proposal}/approve"), json!({})).await.response();
        }
        let policy = reply.response()["objInfo"]["uuid"].as_str().unwrap();
        self.admin.get(&format!("/api/v2/x509/signing-policies/{policy}")).await.response().clone()
    }

    /// Submits a payload as the administrators.
    pub(crate) async fn submit(&self, service: &Service, payload: &[u8]) -> String {
        submit(&self.admin, service, payload).await
    }

    /// A request in full.
    pub(crate) async fn read(&self, request: &str) -> Value {
        self.admin.get(&format!("{REQUESTS}/{request}")).await.response().clone()
    }

    /// Where a request stands: state and approvalState.
    pub(crate) async fn words(&self, request: &str) -> [String; 2] {
        let request = self.read(request).await;
        ["state", "approvalState"].map(|member| request[member].as_str().unwrap().to_owned())
    }
}

/// The digest of a policy that is given as JSON.
const POLICY: &str = "
import hashlib, json, sys
policy = json.load(sys.stdin)
policy.pop('pendingChange', None)
text = json.dumps(policy, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
print(hashlib.sha256(text.encode()).hexdigest(), end='')
";

/// The body of a deployment under an issuer: CMS, P-256, SHA-256, valid for a year.
pub(crate) fn deployment(issuer: &str, name: &str, num_approvals: u32) -> Value {
    json!({
        "template": "PKI Signing",
        "name": name,
        "pkisigning": {
            "newCert": {
                "issuerUuid": issuer,
                "subjectOneline": "CN=Code Signing,O=Test,C=DE",
                "newKey": {"keyTypeUuid": EC_P256, "save": true},
                "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
            },
            "signingFormat": "CMS",
            "numApprovals": num_approvals,
            "hashAlgorithm": "Sha2_256",
        },
    })
}

pub(crate) async fn deploy(client: &Client, body: Value) -> Service {
    let reply = client.post(DEPLOY, body).await;
    let uuid = |member: &str| reply.response()[member].as_str().unwrap_or_default().to_owned();
    Service { uuid: uuid("serviceUuid"), policy: uuid("policyUuid"), certificate: uuid("certificateUuid") }
}

/// Base64 as hexadecimal digits.
pub(crate) fn hex(base64: &Value) -> String {
    bytes(base64).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The digest of one decision over many, as somebody makes it who has what the interface shows, and tools of others.
pub(crate) async fn statement_digest(client: &Client, decision: &str, uuids: &[&str]) -> String {
    let (mut policy, mut lines) = (Value::Null, String::new());
    for uuid in uuids {
        let reply = client.get(&format!("{REQUESTS}/{uuid}")).await;
        // Of one that is not there it says nothing that fits.
        let request = &reply.json["response"];
        policy = policy.as_str().map_or_else(|| request["policyUuid"].clone(), Value::from);
        if request["approvalDigest"].is_string() {
            lines += &format!("{}  {uuid}\n", hex(&request["approvalDigest"]));
        }
    }
    let policy = policy.as_str().unwrap_or_default();
    let shown = client.get(&format!("/api/v2/x509/signing-policies/{policy}")).await;
    let state = Tool::new("python").args(["-c", POLICY]).input(shown.json["response"].to_string()).run().text();
    let text = format!("chancery decisions 1\n{decision}\n{state}  {policy}\n{lines}");
    let printed = Tool::new("sha256sum").input(text).run().text();
    let bytes: Vec<_> = (0..32).map(|at| u8::from_str_radix(&printed[2 * at..2 * at + 2], 16).unwrap()).collect();
    Base64::encode(&bytes)
}

/// The body of a submission.
pub(crate) fn submission(service: &Service, payload: &[u8]) -> Value {
    let upload_data = Base64::encode(payload);
    json!({
        "name": "release", "serviceUuid": service.uuid, "policyUuid": service.policy, "uploadData": upload_data,
    })
}

/// Submits a payload; answers the request's uuid.
pub(crate) async fn submit(client: &Client, service: &Service, payload: &[u8]) -> String {
    let reply = client.post(REQUESTS, submission(service, payload)).await;
    reply.response()["uuid"].as_str().unwrap().to_owned()
}

pub(crate) async fn approve(client: &Client, request: &str) -> Reply {
    client.post(&format!("{REQUESTS}/{request}/approve"), json!({"note": "seen"})).await
}

pub(crate) async fn deny(client: &Client, request: &str) -> Reply {
    client.post_nothing(&format!("{REQUESTS}/{request}/deny")).await
}

/// The bytes of a member in base64.
pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    Base64::decode(value.as_str().unwrap()).unwrap().0
}

/// Whether this OpenSSL accepts a detached CMS over the content, with a chain to this root.
pub(crate) fn openssl_accepts(program: &str, root_pem: &str, cms: &[u8], content: &[u8]) -> bool {
    let folder = temp_dir();
    for (name, bytes) in [("root.pem", root_pem.as_bytes()), ("cms", cms), ("content", content)] {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let at = (NOON_MS / 1_000).to_string();
    let ran = Tool::new(program)
        .args(["cms", "-verify", "-binary", "-inform", "DER", "-in", "cms", "-content", "content"])
        .args(["-CAfile", "root.pem", "-purpose", "any", "-attime", &at, "-out", "verified"])
        .folder(folder.path())
        .try_run();
    ran.status.success()
}
