//! GET /api/v2/activity.

use std::time::Duration;

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    certificates::key_type,
    client::Client,
    routes::api::v2::audit::AUDIT,
    signing::Signing,
};

const ACTIVITY: &str = "/api/v2/activity";
const CARD: &str = "4111111111111111";

/// The hour at which the clock of the tests stands.
fn noon([tokenized, detokenized, signed, issued]: [u64; 4]) -> Value {
    json!({
        "startsAt": "2026-06-21T12:00:00.000Z",
        "tokenized": tokenized, "detokenized": detokenized, "signed": signed, "issued": issued,
    })
}

async fn hours(client: &Client) -> Vec<Value> {
    client.get(ACTIVITY).await.response()["hours"].as_array().unwrap().clone()
}

/// Where calls of a new token profile go, which the administrators may make.
async fn cards(admin: &Client) -> String {
    let key = json!({"name": "cards", "keyTypeUuid": key_type(admin, "AES-256 Tokenization").await});
    let key = admin.post("/api/v2/keys", key).await.response()["uuid"].clone();
    let rules = ["Tokenize", "Detokenize", "Batch"]
        .map(|operation| json!({"roleUuid": RoleId::ADMINISTRATOR, "operation": operation}));
    let profile = json!({
        "objInfo": {"name": "cards"}, "algorithm": "Ff1", "keyUuid": key, "controlRules": rules,
        "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19},
    });
    let made = admin.post("/api/v2/token-profiles", profile).await;
    format!("/api/v2/token-profiles/{}", made.response()["objInfo"]["uuid"].as_str().unwrap())
}

/// Signatures and certificates are counted once the log has them, which is within a second.
async fn until(client: &Client, expected: Value) {
    for _ in 0..100 {
        if hours(client).await.last() == Some(&expected) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(hours(client).await.last(), Some(&expected));
}

#[tokio::test]
async fn the_last_day_is_told_by_the_hour_to_everybody_who_is_logged_in() {
    let signing = Signing::new().await;
    let (app, admin) = (&signing.app, &signing.admin);
    let cards = cards(admin).await;
    let service = signing.deploy("releases", 0).await;
    signing.submit(&service, b"release").await;
    let ann = app.person("ann", &[RoleId::APPROVER]).await;
    until(&ann, noon([0, 0, 1, 2])).await;
    let day = hours(&ann).await;
    let begins: Vec<_> = day.iter().map(|hour| hour["startsAt"].as_str().unwrap()).collect();
    assert_eq!((day.len(), begins[0], begins.is_sorted()), (24, "2026-06-20T13:00:00.000Z", true));
    assert!(day[..23].iter().all(|hour| hour["signed"] == 0 && hour["issued"] == 0), "{day:?}");
    let one = admin.post(&format!("{cards}/tokenize"), json!({"message": CARD})).await.response()["token"].clone();
    admin.post(&format!("{cards}/batch-tokenize"), json!({"messages": [CARD, CARD]})).await.response();
    admin.post(&format!("{cards}/detokenize"), json!({"token": one})).await.response();
    let wrong = admin.post(&format!("{cards}/detokenize"), json!({"token": "x"})).await;
    wrong.refused(400, "InvalidValue", Some("/token"));
    let told = hours(&ann).await;
    assert_eq!(told.last(), Some(&noon([3, 1, 1, 2])), "at once, and what is refused is not counted");
    let read = admin.get(&format!("{AUDIT}?pageSize=100")).await.response().to_string();
    assert!(!read.contains(ACTIVITY) && !read.contains("Activity"), "nobody records who looks");
}

#[tokio::test]
async fn it_is_the_same_after_a_restart_and_from_another_node() {
    let signing = Signing::new().await;
    let service = signing.deploy("releases", 0).await;
    signing.submit(&service, b"release").await;
    let cards = cards(&signing.admin).await;
    signing.admin.post(&format!("{cards}/tokenize"), json!({"message": CARD})).await.response();
    let expected = noon([1, 0, 1, 2]);
    until(&signing.admin, expected.clone()).await;
    let app: TestApp = signing.app.restarted().await;
    let client = app.logged_in(&[("Admin1", PASSWORD), ("Admin2", PASSWORD)]).await;
    assert_eq!(hours(&client).await.last(), Some(&expected));
    let mut elsewhere = Client::new(app.other_node().await);
    elsewhere.bearer.clone_from(&client.bearer);
    assert_eq!(hours(&elsewhere).await.last(), Some(&expected));
}
