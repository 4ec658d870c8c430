//! Purposes and certificate policies of imported authorities: what relying parties would refuse is not issued in silence.

use chancery_testkit::Tool;
use serde_json::{Value, json};

use super::{
    elsewhere::{Bench, CA, EC, installation, ocsp},
    requests::{P256, csr},
};
use crate::{
    certificates::{body, issued, profile, with},
    client::Client,
    signing::{DEPLOY, EC_P256, deployment},
};

const GENERATE: &str = "/api/v2/x509/generate";

/// Of certificates without the policies that are demanded.
const TOLD: &str = "is under none of the certificate policies that are demanded";

/// An authority below `root`, with these extensions besides its own, imported with its key; answers its uuid.
async fn imported(client: &Client, bench: &Bench, name: &str, extensions: &[&str]) -> String {
    let more: String = extensions.iter().flat_map(|extension| [" -addext ", *extension]).collect();
    bench.below(name, "root", &format!("{CA}{more}"));
    let imported = bench.import(client, name, "-certfile root.pem").await;
    assert!(!imported["warnings"].to_string().contains("2.5.29.37"), "issuing heeds it: {imported}");
    imported["certificateUuid"].as_str().unwrap().to_owned()
}

async fn own_profile(client: &Client, name: &str, members: Value) {
    let least = json!({"objInfo": {"name": name}, "validityPeriod": {"unit": "Month", "amount": "1"}});
    client.post("/api/v2/x509/cert-profiles", with(least, members)).await.response();
}

fn days(days: &str) -> Value {
    json!({"validityPeriod": {"unit": "Day", "amount": days}})
}

fn stamping(issuer: &str) -> Value {
    let new_cert = json!({
        "issuerUuid": issuer, "subjectOneline": "CN=Stamps", "newKey": {"keyTypeUuid": EC_P256, "save": true},
        "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}},
    });
    json!({"template": "Time Stamping", "name": "stamps", "timestamping": {"newCert": new_cert}})
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_would_accept_is_refused_however_it_is_asked_for() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    let mail = imported(&admin, &bench, "mail", &["extendedKeyUsage=critical,emailProtection"]).await;
    let reply = admin.post(DEPLOY, deployment(&mail, "mail", 0)).await;
    reply.refused(400, "InvalidValue", Some("/pkisigning/newCert/issuerUuid"));
    let said = "The certificate would break the rule extendedKeyUsage: codeSigning lies outside of what \
                CN=mail,O=Elsewhere,C=US permits: emailProtection.";
    assert_eq!(reply.json["response"]["message"], said);
    let reply = admin.post(DEPLOY, stamping(&mail)).await;
    reply.refused(400, "InvalidValue", Some("/timestamping/newCert/issuerUuid"));
    let under = |issuer: &str| json!({"issuerUuid": issuer, "certParams": days("30")});
    let wanted = with(body(&admin, "TLS Client").await, under(&mail));
    admin.post(GENERATE, wanted.clone()).await.refused(400, "InvalidValue", Some("/issuerUuid"));
    let request = json!({
        "serviceOrIssuerUuid": mail, "csr": csr(P256, "/CN=a", &[]),
        "certProfileUuid": profile(&admin, "TLS Client").await,
    });
    let reply = admin.post("/api/v2/x509/requests", request).await;
    reply.refused(400, "InvalidValue", Some("/serviceOrIssuerUuid"));
    let sockets = imported(&admin, &bench, "sockets", &["extendedKeyUsage=clientAuth,serverAuth"]).await;
    let old = issued(&admin, "TLS Client", &sockets).await;
    for verb in ["renew", "rekey"] {
        let path = format!("/api/v2/x509/{}/{verb}", old["certificateUuid"].as_str().unwrap());
        let reply = admin.post(&path, json!({"issuerUuid": mail})).await;
        reply.refused(400, "InvalidValue", Some("/issuerUuid"));
    }
    let held = admin.get(&format!("/api/v2/x509?issuer={mail}")).await;
    assert_eq!(held.response()["results"], json!([]));
    // One that states no purpose may stand below, and what stands above it holds all the same.
    let year = json!({"issuerUuid": mail, "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}});
    let below = with(body(&admin, "Issuing Certificate Authority").await, year);
    let below = admin.post(GENERATE, below).await.response()["certificateUuid"].as_str().unwrap().to_owned();
    let reply = admin.post(GENERATE, with(wanted, under(&below))).await;
    reply.refused(400, "InvalidValue", Some("/issuerUuid"));
    assert!(reply.text().contains("of what CN=mail,O=Elsewhere,C=US permits"), "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn purposes_that_are_left_are_issued_and_others_are_told() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    for (name, usage) in [("code", "codeSigning"), ("any", "emailProtection,anyExtendedKeyUsage")] {
        let issuer = imported(&admin, &bench, name, &[format!("extendedKeyUsage={usage}").as_str()]).await;
        let deployed = admin.post(DEPLOY, deployment(&issuer, name, 0)).await.response().clone();
        assert!(!deployed["warnings"].to_string().contains("extendedKeyUsage"), "{deployed}");
    }
    let client = imported(&admin, &bench, "client", &["extendedKeyUsage=clientAuth"]).await;
    own_profile(&admin, "both", json!({"extendedKeyUsages": ["clientAuth", "serverAuth"]})).await;
    let both = with(body(&admin, "both").await, json!({"issuerUuid": client}));
    let made = admin.post(GENERATE, both.clone()).await.response().clone();
    let told = "Relying parties refuse the certificate for serverAuth (extendedKeyUsage): serverAuth lies outside of what \
                CN=client,O=Elsewhere,C=US permits: clientAuth.";
    assert_eq!(made["warnings"], json!([told]));
    let one = json!({"certParams": {"extendedKeyUsages": ["serverAuth"]}});
    admin.post(GENERATE, with(both, one)).await.refused(400, "InvalidValue", Some("/issuerUuid"));
}

/// Roots limit too, as OpenSSL and `chancery verify` read them. Nobody holds a responder against that.
#[tokio::test(flavor = "multi_thread")]
async fn a_root_with_purposes_limits_all_but_its_responder() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.openssl(&format!("genpkey {EC} -out root.key"));
    bench.openssl(&format!(
        "req -x509 -new -config /dev/null -key root.key -subj /CN=root -days 3000 {CA} \
         -addext extendedKeyUsage=clientAuth -out root.pem"
    ));
    let root = bench.import(&admin, "root", "").await["certificateUuid"].as_str().unwrap().to_owned();
    admin.post(DEPLOY, deployment(&root, "code", 0)).await.refused(
        400,
        "InvalidValue",
        Some("/pkisigning/newCert/issuerUuid"),
    );
    let leaf = issued(&admin, "TLS Client", &root).await;
    bench.write("leaf.pem", leaf["certificate"].as_str().unwrap());
    assert_eq!(bench.openssl("verify -purpose sslclient -CAfile root.pem leaf.pem"), b"leaf.pem: OK\n");
    assert_eq!(ocsp(&app, &bench).await, "leaf.pem: good");
}

#[tokio::test(flavor = "multi_thread")]
async fn policies_that_are_demanded_and_not_stated_are_told() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    let demands = ["policyConstraints=critical,requireExplicitPolicy:0", "certificatePolicies=1.2.3.4"];
    let bound = imported(&admin, &bench, "bound", &demands).await;
    let deployed = admin.post(DEPLOY, deployment(&bound, "code", 0)).await.response().clone();
    assert!(deployed["warnings"].to_string().contains(TOLD), "{deployed}");
    own_profile(&admin, "none", json!({"extendedKeyUsages": ["clientAuth"]})).await;
    own_profile(&admin, "other", json!({"extendedKeyUsages": ["clientAuth"], "policies": ["1.2.3.5"]})).await;
    own_profile(&admin, "stated", json!({"extendedKeyUsages": ["clientAuth"], "policies": ["1.2.3.4"]})).await;
    for (name, is_accepted) in [("none", false), ("other", false), ("stated", true)] {
        let made = issued(&admin, name, &bound).await;
        assert_eq!(made["warnings"].to_string().contains(TOLD), !is_accepted, "{name}: {made}");
        bench.write("leaf.pem", made["certificate"].as_str().unwrap());
        let verify = "verify -policy 1.2.3.4 -CAfile root.pem -untrusted bound.pem leaf.pem";
        let ran = Tool::new("openssl35").args(verify.split(' ')).folder(bench.path()).try_run();
        assert_eq!(ran.status.success(), is_accepted, "{name}: {}", ran.stderr);
    }
}
