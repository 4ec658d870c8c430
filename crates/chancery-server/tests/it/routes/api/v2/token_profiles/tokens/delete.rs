//! POST /api/v2/token-profiles/{uuid}/tokens/delete.

use serde_json::json;

use super::super::{
    Bench,
    random::{CARD, on_postgres, random},
};

async fn a_token_that_was_deleted_is_gone(bench: Bench) {
    let profile = random(&bench, json!({})).await;
    let token = profile.tokenize(CARD).await;
    let reply = profile.call("tokens/delete", json!({"token": token})).await;
    assert_eq!(reply.response(), &json!({}));
    for call in ["detokenize", "tokens/read", "tokens/delete"] {
        profile.call(call, json!({"token": token})).await.refused(400, "InvalidValue", Some("/token"));
    }
    let reply = profile.call("tokenized", json!({"message": CARD})).await;
    assert_eq!(reply.response(), &json!({"tokenized": false}));
    assert_ne!(profile.tokenize(CARD).await, token);
    let reply = bench.admin.get("/api/v2/audit?pageSize=100").await;
    let items = reply.response()["items"].as_array().unwrap().clone();
    let record = items.iter().find(|item| item["action"] == "TokenDelete").unwrap();
    assert_eq!(record["detail"]["tokenHash"].as_str().unwrap().len(), 32, "{record}");
    assert!(!reply.text().contains(&token));
}

#[tokio::test]
async fn a_token_that_was_deleted_is_gone_on_sqlite() {
    a_token_that_was_deleted_is_gone(Bench::new().await).await;
}

#[tokio::test]
async fn a_token_that_was_deleted_is_gone_on_postgres() {
    a_token_that_was_deleted_is_gone(on_postgres().await).await;
}

#[tokio::test]
async fn refusals() {
    let bench = Bench::new().await;
    let cards = bench.profile(json!({})).await;
    cards.call("tokens/delete", json!({"token": CARD})).await.refused(409, "InvalidState", None);
    cards.call("tokens/delete", json!({"token": 1})).await.refused(400, "ArgumentParseError", Some("/token"));
}
