//! POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm.

use chancery_types::{Perm, RoleId};
use serde_json::json;

use super::{carol, setup};
use crate::{
    app::{PASSWORD, TestApp},
    authenticator::{authenticator, confirm, enrol, passkeys_path},
};

#[tokio::test]
async fn whoever_confirms_is_no_part_of_the_enrolment_and_was_there_before_it() {
    let app = TestApp::with(setup()).await;
    let (carol, path, admin) = carol(&app).await;
    // Both administrators sit there when one of them enrols, so a third one has to come.
    let own = passkeys_path(&admin.identity_uuid("Admin1").await);
    let made = enrol(&admin, &own, "k", &authenticator()).await.response().clone();
    confirm(&admin, &own, &made).await.refused(403, "NotAuthorized", None);
    app.clock.advance_ms(1_000);
    let persona = admin.create_person("persona", &[RoleId::ADMINISTRATOR]).await;
    assert!(!persona.is_empty());
    let promoted = app.logged_in(&[("Admin1", PASSWORD), ("persona", PASSWORD)]).await;
    confirm(&promoted, &own, &made).await.refused(403, "NotAuthorized", None);
    // Of what is enrolled from now on it is the second person.
    let later = enrol(&admin, &own, "later", &authenticator()).await.response().clone();
    confirm(&promoted, &own, &later).await.response();
    admin.saw_audited("PasskeyConfirm").await;

    // Who holds less than the person could act as it.
    let pair = json!({"name": "pair", "loginsRequired": 2, "perms": [Perm::IdentityManage]});
    let pair = admin.post("/api/v2/roles", pair).await.response()["uuid"].as_str().unwrap().parse().unwrap();
    for name in ["one", "other"] {
        admin.create_person(name, &[pair]).await;
    }
    let helper = app.logged_in(&[("one", PASSWORD), ("other", PASSWORD)]).await;
    let of_carol = enrol(&carol, &path, "k", &authenticator()).await.response().clone();
    confirm(&helper, &path, &of_carol).await.refused(403, "NotAuthorized", None);
    app.clock.advance_ms(7 * 24 * 3_600_000);
    let admin = app.admin().await;
    confirm(&admin, &path, &of_carol).await.refused(409, "InvalidState", None);
}
