//! GET /api/v2/token-profiles/stubs.

use serde_json::json;

use super::Bench;

#[tokio::test]
async fn lists_every_profile_by_name() {
    let bench = Bench::new().await;
    let reply = bench.admin.get("/api/v2/token-profiles/stubs").await;
    assert_eq!(reply.response(), &json!({"results": [], "total": 0, "page": 1, "pageSize": 10_000}));
    for name in ["b", "A", "c"] {
        bench.profile(json!({"objInfo": {"name": name}, "useIv": name == "c"})).await;
    }
    let reply = bench.admin.get("/api/v2/token-profiles/stubs").await;
    let results = reply.response()["results"].as_array().unwrap();
    let names: Vec<_> = results.iter().map(|stub| stub["objInfo"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "b", "c"]);
    let uuid = &results[2]["objInfo"]["uuid"];
    let stub = json!({
        "objInfo": {"name": "c", "uuid": uuid},
        "algorithm": "Ff1",
        "alphabet": "Decimal",
        "useIv": true,
        "keyVersion": 1,
        "minDecryptVersion": 1,
        "system": false,
    });
    assert_eq!(results[2], stub);
}

#[tokio::test]
async fn pages_and_searches() {
    let bench = Bench::new().await;
    for name in ["cards one", "CARDS two", "phones"] {
        bench.profile(json!({"objInfo": {"name": name}})).await;
    }
    let reply = bench.admin.get("/api/v2/token-profiles/stubs?search=Cards&page=2&pageSize=1").await;
    let response = reply.response();
    assert_eq!(response["results"][0]["objInfo"]["name"], "CARDS two");
    assert_eq!((&response["total"], &response["page"], &response["pageSize"]), (&json!(2), &json!(2), &json!(1)));
    let reply = bench.admin.get("/api/v2/token-profiles/stubs?pageSize=0").await;
    reply.refused(400, "InvalidValue", Some("/pageSize"));
}
