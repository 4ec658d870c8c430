//! POST /api/v2/x509/{uuid}/renew and rekey of certificates that were made elsewhere: nothing that they say is lost unsaid.

use chancery_types::Base64;
use serde_json::json;

use super::import_key::{Bench, EC, PATH, installation};
use crate::certificates::profile;

const AUTHORITY: &str = "-addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign";

#[tokio::test(flavor = "multi_thread")]
async fn what_no_profile_writes_is_not_lost_in_silence() {
    let app = installation().await;
    let admin = app.admin().await;
    let bench = Bench::new();
    bench.root("root", EC);
    let body = json!({"pkcs12": bench.pkcs12("root", ""), "password": Base64::encode(b"secret")});
    let issuer = admin.post(PATH, body).await.response()["certificateUuid"].clone();
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
