//! GET /api/v2/whoami.

use chancery_types::RoleId;
use serde_json::json;

use crate::{
    app::{PASSWORD, TestApp},
    routes::api::v2::audit::AUDIT,
};

const WHOAMI: &str = "/api/v2/whoami";

#[tokio::test]
async fn it_says_who_by_what_right_and_until_when() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let ann = admin.create_person("ann", &[RoleId::AUDITOR]).await;
    let client = app.logged_in(&[("ann", PASSWORD)]).await;
    let told = client.get(WHOAMI).await.response().clone();
    let identities = json!([{
        "uuid": ann, "name": "ann", "kind": "Person", "login": {"way": "Password"}, "source": "127.0.0.1",
        "roles": [{"uuid": RoleId::AUDITOR, "name": "Auditor"}],
    }]);
    assert_eq!(told["identities"], identities);
    assert_eq!((&told["perms"], &told["management"]), (&json!(["Audit:Read"]), &json!(false)));
    let ends = ["tokenExpiresAt", "unusedEndsAt", "sessionEndsAt"].map(|name| told[name].as_str().unwrap().to_owned());
    assert_eq!(ends, ["2026-06-21T12:10:00.000Z", "2026-06-21T12:15:00.500Z", "2026-06-22T00:00:00.500Z"]);
    let by_cookie = client.with_cookie_alone().get(WHOAMI).await.response().clone();
    assert_eq!((by_cookie.get("tokenExpiresAt"), &by_cookie["sessionUuid"]), (None, &told["sessionUuid"]));
    let login = admin.get(&format!("{AUDIT}?action=Login&objectUuid={ann}")).await.response()["items"][0].clone();
    assert_eq!(login["detail"]["session"], told["sessionUuid"], "as the audit names it");
    let both = admin.get(WHOAMI).await.response().clone();
    assert_eq!((both["identities"].as_array().unwrap().len(), &both["management"]), (2, &json!(true)));
}

#[tokio::test]
async fn it_needs_a_session_that_lives() {
    let app = TestApp::new().await;
    app.nobody().get(WHOAMI).await.refused(401, "InvalidAuthToken", None);
    let half = app.nobody();
    half.log_in("Admin1", PASSWORD).await;
    half.get(WHOAMI).await.refused(401, "InvalidAuthToken", None);
    let admin = app.admin().await;
    let ann = admin.create_person("ann", &[RoleId::AUDITOR]).await;
    let client = app.logged_in(&[("ann", PASSWORD)]).await;
    client.get(WHOAMI).await.response();
    admin.post_nothing(&format!("/api/v2/identities/{ann}/lock")).await.response();
    client.get(WHOAMI).await.refused(401, "InvalidAuthToken", None);
}
