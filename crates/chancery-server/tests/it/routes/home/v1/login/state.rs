//! GET /home/v1/login: where a session stands.

use serde_json::json;

use crate::app::{PASSWORD, TestApp};

#[tokio::test]
async fn each_login_changes_where_the_session_stands() {
    let app = TestApp::new().await;
    let nobody = json!({"message": "Success", "response": {
        "fullyLoggedIn": false, "hardened": false, "management": false, "perms": [], "identities": []}});
    let client = app.nobody();
    assert_eq!(client.get("/home/v1/login").await.json, nobody);

    client.log_in("Admin1", PASSWORD).await;
    let half = client.get("/home/v1/login").await.json;
    assert_eq!(half["response"]["fullyLoggedIn"], false);
    assert_eq!(half["response"]["perms"], json!([]));
    assert_eq!(half["response"]["identities"].as_array().unwrap().len(), 1);
    assert_eq!(half["response"]["identities"][0]["name"], "Admin1");

    let answer = client.log_in("Admin2", PASSWORD).await;
    let whole = client.get("/home/v1/login").await.json;
    for member in ["fullyLoggedIn", "hardened", "management", "perms"] {
        assert_eq!(whole["response"][member], answer.json["response"][member], "{member}");
    }
    let names: Vec<_> = whole["response"]["identities"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Admin1", "Admin2"]);
    let uuid = client.identity_uuid("Admin2").await;
    assert_eq!(whole["response"]["identities"][1]["uuid"], uuid);

    client.post("/home/v1/logout", json!({})).await;
    assert_eq!(client.get("/home/v1/login").await.json, nobody);
}

#[tokio::test]
async fn a_token_that_is_none_is_nobodys_and_one_that_is_good_tells_its_session() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let token = admin.with_cookie_alone().get("/home/v1/login/token").await.json["token"].as_str().unwrap().to_owned();
    let known = app.nobody().with_bearer(&token).get("/home/v1/login").await.json;
    assert_eq!(known["response"]["identities"].as_array().unwrap().len(), 2);
    let unknown = app.nobody().with_bearer("no token").get("/home/v1/login").await;
    assert_eq!((unknown.status.as_u16(), &unknown.json["response"]["identities"]), (200, &json!([])));
}
