//! GET /api/v2/x509/services, GET and PATCH /api/v2/x509/services/{serviceUuid}.

use serde_json::{Value, json};

use crate::{
    routes::tsa::deploy,
    signing::{APPROVER, EC_P256, Signing},
};

const SERVICES: &str = "/api/v2/x509/services";

/// Two authorities, of which the first is the default one; their paths.
async fn two(signing: &Signing) -> [String; 2] {
    let mut paths = [const { String::new() }; 2];
    for (path, name) in paths.iter_mut().zip(["first", "second"]) {
        let deployed = deploy(signing, name, EC_P256, json!({"policyOid": "1.2.3.1"})).await;
        *path = format!("{SERVICES}/{}", deployed.response()["serviceUuid"].as_str().unwrap());
    }
    paths
}

fn stamps_under(body: &Value) -> (&str, bool) {
    let timestamping = &body["timestamping"];
    (timestamping["policyOid"].as_str().unwrap(), timestamping["default"].as_bool().unwrap())
}

#[tokio::test]
async fn the_policy_and_the_default_of_an_authority_that_exists_can_be_changed() {
    let signing = Signing::new().await;
    let [first, second] = two(&signing).await;
    let patch = async |path: &str, timestamping: Value| {
        signing.admin.patch(path, json!({"timestamping": timestamping})).await.response().clone()
    };
    assert_eq!(stamps_under(&patch(&first, json!({})).await), ("1.2.3.1", true));
    assert_eq!(stamps_under(&patch(&first, json!({"policyOid": "2.999.7"})).await), ("2.999.7", true));
    assert_eq!(stamps_under(&patch(&second, json!({"default": true})).await), ("1.2.3.1", true));
    assert_eq!(stamps_under(&patch(&first, json!({"default": false})).await), ("2.999.7", false));
    let records = signing.admin.get("/api/v2/audit?action=ServiceChange").await;
    let details = records.response()["items"].as_array().unwrap().clone();
    let change = json!([{"member": "/timestamping/policyOid", "before": "1.2.3.1", "after": "2.999.7"}]);
    let told = |record: &Value| record["detail"]["changes"] == change && record["detail"]["name"].is_string();
    assert!(details.len() == 4 && details.iter().any(told), "{details:?}");
}

#[tokio::test]
async fn what_cannot_be_is_refused_and_changes_nothing() {
    let signing = Signing::new().await;
    let [first, second] = two(&signing).await;
    let admin = &signing.admin;
    for (timestamping, field) in [
        (json!({"policyOid": "2.25.165084092700511969831031241147850479574"}), "/timestamping/policyOid"),
        (json!({"policyOid": "stamps"}), "/timestamping/policyOid"),
        (json!({"default": false}), "/timestamping/default"),
    ] {
        let body = json!({"timestamping": timestamping});
        admin.patch(&first, body).await.refused(400, "InvalidValue", Some(field));
    }
    admin.patch(&first, json!({})).await.refused(400, "ArgumentParseError", Some("/timestamping"));
    let nobodys = format!("{SERVICES}/00000000-0000-0000-0000-0000000000aa");
    admin.patch(&nobodys, json!({"timestamping": {}})).await.refused(404, "InvalidSelection", None);
    let signs = format!("{SERVICES}/{}", signing.deploy("signs", 0).await.uuid);
    admin.patch(&signs, json!({"timestamping": {}})).await.refused(400, "InvalidValue", Some("/timestamping"));
    let other = signing.person("Somebody", APPROVER).await;
    other.patch(&second, json!({"timestamping": {"default": true}})).await.refused(403, "NotAuthorized", None);
    let kept = admin.patch(&first, json!({"timestamping": {}})).await;
    assert_eq!(stamps_under(kept.response()), ("1.2.3.1", true));
}

#[tokio::test]
async fn a_service_is_answered_with_its_policies_and_its_certificate() {
    let signing = Signing::new().await;
    let (beta, alpha) = (signing.deploy("beta", 1).await, signing.deploy("Alpha", 2).await);
    let approver = signing.person("ann", APPROVER).await;
    let list = approver.get(&format!("{SERVICES}?pageSize=1")).await.response().clone();
    let one = &list["results"][0];
    let policies = approver.get(&format!("{SERVICES}/{}/signing-policies", alpha.uuid)).await;
    let stub = approver.get("/api/v2/x509?name=Code&pageSize=10").await;
    let stubs = stub.response()["results"].as_array().unwrap().clone();
    let certificate = stubs.iter().find(|stub| stub["objInfo"]["uuid"] == *alpha.certificate).unwrap();
    assert_eq!(
        *one,
        json!({
            "objInfo": {"name": "Alpha", "uuid": alpha.uuid},
            "template": "PKI Signing",
            "signingFormat": "CMS",
            "certificateUuid": alpha.certificate,
            "certificate": certificate,
            "signingPolicies": policies.response()["items"],
        })
    );
    assert_eq!(list["total"], 2);
    let next = list["next"].as_str().unwrap();
    let second = approver.get(&format!("{SERVICES}?pageSize=1&after={next}")).await.response().clone();
    assert_eq!((&second["results"][0]["objInfo"]["uuid"], second.get("next")), (&json!(beta.uuid), None));
    assert_eq!(second.get("page"), None);
    assert_eq!(approver.get(&format!("{SERVICES}/{}", alpha.uuid)).await.response(), one);
    approver.get(&format!("{SERVICES}/{}", alpha.certificate)).await.refused(404, "InvalidSelection", None);
}
