//! GET /api/v2/roles/stubs.

use chancery_types::RoleId;
use serde_json::json;

use crate::app::TestApp;

const STUBS: &str = "/api/v2/roles/stubs";

#[tokio::test]
async fn anybody_logged_in_sees_the_built_in_roles_by_name() {
    let app = TestApp::new().await;
    let application = app.person("clerk", &[RoleId::APPLICATION]).await;
    let role = |name: &str, number: u8, logins_required: u8| {
        let uuid = format!("00000000-0000-0000-726f-{number:012}");
        json!({"objInfo": {"name": name, "uuid": uuid}, "loginsRequired": logins_required, "system": true})
    };
    let expected = json!({
        "results": [
            role("Administrator", 1, 2), role("Application", 4, 1), role("Approver", 3, 1), role("Auditor", 5, 1),
            role("Security Officer", 2, 2),
        ],
        "total": 5, "page": 1, "pageSize": 10_000,
    });
    assert_eq!(application.get(STUBS).await.response(), &expected);
    app.nobody().get(STUBS).await.refused(401, "InvalidAuthToken", None);
}

#[tokio::test]
async fn pages_and_search() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let names = async |query: &str| {
        let reply = admin.get(&format!("{STUBS}?{query}")).await;
        let stubs = reply.response()["results"].as_array().unwrap().clone();
        let names: Vec<_> = stubs.iter().map(|stub| stub["objInfo"]["name"].as_str().unwrap().to_owned()).collect();
        (names.join(","), reply.json["response"]["total"].as_u64().unwrap())
    };
    assert_eq!(names("page=2&pageSize=2").await, ("Approver,Auditor".to_owned(), 5));
    assert_eq!(names("pageSize=2&page=4").await, (String::new(), 5));
    assert_eq!(names("search=APPL").await, ("Application".to_owned(), 1));
    assert_eq!(names("search=%25").await, (String::new(), 0));
    for (query, field) in
        [("page=0", "/page"), ("pageSize=0", "/pageSize"), ("pageSize=1001", "/pageSize"), ("page=x", "/page")]
    {
        admin.get(&format!("{STUBS}?{query}")).await.refused(400, "InvalidValue", Some(field));
    }
}
