//! GET /api/v2/x509/services/stubs.

use serde_json::json;

use crate::signing::{APPROVER, Signing};

const STUBS: &str = "/api/v2/x509/services/stubs";

#[tokio::test]
async fn services_are_listed_by_name_and_searched() {
    let signing = Signing::new().await;
    let beta = signing.deploy("beta builds", 1).await;
    let alpha = signing.deploy("Alpha builds", 1).await;
    let approver = signing.person("ann", APPROVER).await;
    let reply = approver.get(STUBS).await;
    let stubs = reply.response();
    assert_eq!(
        stubs["results"][0],
        json!({
            "objInfo": {"name": "Alpha builds", "uuid": alpha.uuid},
            "template": "PKI Signing",
            "signingFormat": "CMS",
            "certificateUuid": alpha.certificate,
        })
    );
    assert_eq!((&stubs["results"][1]["objInfo"]["uuid"], &stubs["total"]), (&json!(beta.uuid), &json!(2)));
    let found = approver.get(&format!("{STUBS}?search=ALPHA&page=1&pageSize=1")).await;
    assert_eq!(found.response()["total"], 1);
    approver.get(&format!("{STUBS}?pageSize=1001")).await.refused(400, "InvalidValue", Some("/pageSize"));
    signing.app.nobody().get(STUBS).await.refused(401, "InvalidAuthToken", None);
}
