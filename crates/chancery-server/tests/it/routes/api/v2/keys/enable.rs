//! POST /api/v2/keys/{uuid}/enable.

use chancery_types::Perm;
use serde_json::json;

use super::{data_key, path_of};
use crate::app::TestApp;

#[tokio::test]
async fn a_key_is_switched_on_again() {
    let app = TestApp::new().await;
    let client = app.admin().await;
    let key = data_key(&client, "cards").await;
    client.post_nothing(&format!("{}/disable", path_of(&key))).await.response();
    assert_eq!(client.post_nothing(&format!("{}/enable", path_of(&key))).await.response(), &key);
}

#[tokio::test]
async fn one_person_does_not_let_a_key_do_again_what_it_was_kept_from() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let alone = app.with_perms("keeper", &[Perm::KeysAdd]).await;
    let key = data_key(&alone, "cards").await;
    let path = path_of(&key);
    alone.post_nothing(&format!("{path}/disable")).await.response();
    alone.post_nothing(&format!("{path}/enable")).await.refused(403, "NotAuthorized", None);
    admin.saw_audited("KeyEnable").await;
    admin.post_nothing(&format!("{path}/enable")).await.response();
    // The same through the usages: one person takes them away, two give them back.
    alone.patch(&path, json!({"usages": ["Tokenize"]})).await.response();
    let both = json!({"usages": ["Tokenize", "Detokenize"]});
    alone.patch(&path, both.clone()).await.refused(403, "NotAuthorized", Some("/usages"));
    alone.patch(&path, json!({"usages": ["Tokenize"]})).await.response();
    admin.patch(&path, both).await.response();
}
