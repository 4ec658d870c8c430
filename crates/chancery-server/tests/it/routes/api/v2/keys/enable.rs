//! POST /api/v2/keys/{uuid}/enable.

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
