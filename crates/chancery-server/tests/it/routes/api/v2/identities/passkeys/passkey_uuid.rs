//! PATCH and DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}.

use chancery_types::{Perm, RoleId};
use serde_json::json;

use super::{carol, setup};
use crate::{
    app::TestApp,
    authenticator::{authenticator, enrol},
};

#[tokio::test]
async fn nobody_renames_or_deletes_somebody_elses_but_those_who_manage_identities() {
    let app = TestApp::with(setup()).await;
    let (carol, path, admin) = carol(&app).await;
    let made = enrol(&carol, &path, "laptop", &authenticator()).await.response().clone();
    enrol(&carol, &path, "telephone", &authenticator()).await.response();
    let path = format!("{path}/{}", made["objInfo"]["uuid"].as_str().unwrap());
    let named = |name: &str| json!({"name": name});
    for other in [app.person("dave", &[RoleId::APPROVER]).await, app.with_perms("eve", &[Perm::AuditRead]).await] {
        other.patch(&path, named("x")).await.refused(403, "NotAuthorized", None);
        other.delete(&path).await.refused(403, "NotAuthorized", None);
    }
    carol.patch(&path, named("Telephone")).await.refused(409, "AlreadyExists", Some("/name"));
    carol.patch(&path, named("")).await.refused(400, "InvalidValue", Some("/name"));
    let misspelt = json!({"name": "x", "typo": 1});
    carol.patch(&path, misspelt).await.refused(400, "ArgumentParseError", Some("/typo"));
    assert_eq!(admin.patch(&path, named("her laptop")).await.response()["objInfo"]["name"], "her laptop");
    carol.delete(&path).await.response();
    admin.delete(&path).await.refused(404, "InvalidSelection", None);
    for action in ["PasskeyChange", "PasskeyDelete"] {
        admin.saw_audited(action).await;
    }
}
