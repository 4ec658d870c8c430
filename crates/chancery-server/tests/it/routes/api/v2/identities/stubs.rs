//! GET /api/v2/identities/stubs.

use chancery_types::RoleId;
use serde_json::json;

use crate::app::TestApp;

const STUBS: &str = "/api/v2/identities/stubs";

#[tokio::test]
async fn anybody_logged_in_sees_names_kinds_and_locks() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let clerk = app.person("clerk", &[RoleId::APPLICATION]).await;
    let locked = admin.create_person("zoe", &[RoleId::APPROVER]).await;
    admin.post_nothing(&format!("/api/v2/identities/{locked}/lock")).await.response();
    let reply = clerk.get(&format!("{STUBS}?search=O")).await;
    let expected = json!([{"objInfo": {"name": "zoe", "uuid": locked}, "kind": "Person", "locked": true}]);
    assert_eq!((&reply.response()["results"], &reply.response()["total"]), (&expected, &json!(1)));
    let all = clerk.get(STUBS).await;
    let names: Vec<_> =
        all.response()["results"].as_array().unwrap().iter().map(|stub| stub["objInfo"]["name"].clone()).collect();
    assert_eq!(names, ["Admin1", "Admin2", "clerk", "zoe"]);
    app.nobody().get(STUBS).await.refused(401, "InvalidAuthToken", None);
}
