//! POST /api/v2/x509/{uuid}/renew and rekey of certificates that were made elsewhere: nothing that they say is lost unsaid.

use serde_json::json;

use super::elsewhere::{Bench, EC, installation};
use crate::certificates::{profile, with};

const AUTHORITY: &str = "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign";

#[tokio::test(flavor = "multi_thread")]
async fn what_no_profile_writes_is_not_lost_in_silence() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let issuer = bench.imported_root(&admin).await;
    bench.openssl(&format!("genpkey {EC} -out made.key"));
    let made = async |subject: &str, extensions: &str| {
        let request =
            format!("req -new -config /dev/null -key made.key -subj /CN={subject} {extensions} -out made.csr");
        bench.openssl(&request);
        let sign =
            "x509 -req -in made.csr -CA root.pem -CAkey root.key -days 100 -copy_extensions copyall -out made.pem";
        bench.openssl(sign);
        let imported = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("made.pem")})).await;
        imported.response()["certificates"][0]["certificateUuid"].as_str().unwrap().to_owned()
    };
    let ask = async |uuid: &str, operation: &str, name: &str| {
        let body = json!({"certProfileUuid": profile(&admin, name).await, "issuerUuid": issuer});
        admin.post(&format!("/api/v2/x509/{uuid}/{operation}"), body).await
    };
    // Nobody trusts it here, and it is an authority all the same.
    let authority = made("authority", AUTHORITY).await;
    let renewed = ask(&authority, "renew", "Issuing Certificate Authority").await;
    assert_eq!(renewed.status.as_u16(), 409, "{}", renewed.text());
    assert!(renewed.text().contains("An authority takes another key"), "{}", renewed.text());
    let policies = "-addext policyConstraints=critical,requireExplicitPolicy:2,inhibitPolicyMapping:1";
    let bound = made("bound", &format!("{AUTHORITY} {policies} -addext inhibitAnyPolicy=critical,3")).await;
    let rekeyed = ask(&bound, "rekey", "Issuing Certificate Authority").await;
    assert_eq!(rekeyed.status.as_u16(), 409, "{}", rekeyed.text());
    assert!(rekeyed.text().contains("policyConstraints (2.5.29.36)"), "{}", rekeyed.text());

    let comment =
        "-addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=clientAuth -addext nsComment=kept";
    let leaf = made("leaf", comment).await;
    for operation in ["renew", "rekey"] {
        let warnings = ask(&leaf, operation, "TLS Client").await.response()["warnings"].clone();
        let warnings = warnings.to_string();
        assert!(warnings.contains("the new certificate lacks them: 2.16.840.1.113730.1.13."), "{warnings}");
    }
}

/// A key agrees for enciphering alone, and one of two policies is qualified.
const BOUND: &str = "[req]\ndistinguished_name=dn\nreq_extensions=ext\n[dn]\n[ext]\n\
                     keyUsage=critical,keyEncipherment,keyAgreement,encipherOnly\nextendedKeyUsage=clientAuth\n\
                     certificatePolicies=1.2.3.4,@qualified\n[qualified]\npolicyIdentifier=1.3.5.8\n\
                     CPS.1=http://cps.example/\nuserNotice.1=@notice\n[notice]\nexplicitText=as agreed\n";

#[tokio::test(flavor = "multi_thread")]
async fn usages_and_policies_that_are_lost_are_told() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    let issuer = bench.imported_root(&admin).await;
    bench.write("req.cnf", BOUND);
    bench.openssl(&format!("genpkey {EC} -out leaf.key"));
    bench.openssl("req -new -config req.cnf -key leaf.key -subj /CN=leaf -out leaf.csr");
    bench.openssl(
        "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -days 100 -copy_extensions copyall -out leaf.pem",
    );
    let imported = admin.post("/api/v2/x509/import", json!({"certificates": bench.read("leaf.pem")})).await;
    let leaf = imported.response()["certificates"][0]["certificateUuid"].as_str().unwrap().to_owned();
    let usages = "The profile or the new key does not have these key usages, and the new certificate lacks them: \
                  keyEncipherment, encipherOnly (a limit of keyAgreement).";
    for (name, policies, told) in [
        (
            "one",
            json!(["1.2.3.4"]),
            "The profile does not have these certificate policies, and the new certificate lacks them: 1.3.5.8.",
        ),
        (
            "both",
            json!(["1.2.3.4", "1.3.5.8"]),
            "No profile writes qualifiers of certificate policies, and the new certificate lacks those of: 1.3.5.8.",
        ),
    ] {
        let least = json!({"objInfo": {"name": name}, "validityPeriod": {"unit": "Day", "amount": "30"}});
        let members = json!({
            "keyUsages": ["keyEncipherment", "keyAgreement"], "extendedKeyUsages": ["clientAuth"], "policies": policies,
        });
        admin.post("/api/v2/x509/cert-profiles", with(least, members)).await.response();
        let body = json!({"certProfileUuid": profile(&admin, name).await, "issuerUuid": issuer});
        for operation in ["renew", "rekey"] {
            let reply = admin.post(&format!("/api/v2/x509/{leaf}/{operation}"), body.clone()).await;
            let warnings = reply.response()["warnings"].as_array().unwrap();
            for text in [usages, told] {
                assert!(warnings.contains(&json!(text)), "{name} {operation}: {warnings:?}");
            }
        }
    }
}
