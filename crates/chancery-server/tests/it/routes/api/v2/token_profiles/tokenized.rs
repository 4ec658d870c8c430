//! POST /api/v2/token-profiles/{uuid}/tokenized.

use serde_json::json;

use super::{
    Bench,
    random::{CARD, random},
    texts,
};

#[tokio::test]
async fn says_whether_a_message_has_a_token_and_makes_none() {
    let bench = Bench::new().await;
    let profile = random(&bench, json!({})).await;
    for _ in 0..2 {
        let reply = profile.call("tokenized", json!({"message": CARD})).await;
        assert_eq!(reply.response(), &json!({"tokenized": false}));
    }
    profile.tokenize(CARD).await;
    for message in [CARD, "4111111111111111"] {
        let reply = profile.call("tokenized", json!({"message": message})).await;
        assert_eq!(reply.response(), &json!({"tokenized": true}), "{message}");
    }
    let reply = profile.call("tokenized", json!({"message": "378282246310005"})).await;
    assert_eq!(reply.response(), &json!({"tokenized": false}));
}

#[tokio::test]
async fn refusals() {
    let bench = Bench::new().await;
    let profile = random(&bench, json!({})).await;
    profile.call("tokenized", json!({"message": "4111111111111112"})).await.refused(
        400,
        "InvalidValue",
        Some("/message"),
    );
    profile.call("tokenized", json!({})).await.refused(400, "ArgumentParseError", Some("/message"));
    profile.patch(json!({"deterministic": false})).await.response();
    profile.call("tokenized", json!({"message": CARD})).await.refused(409, "InvalidState", None);
    let texts = texts(&bench, "AesSiv", json!({})).await;
    texts.call("tokenized", json!({"message": CARD})).await.refused(409, "InvalidState", None);
}
