//! POST /api/v2/token-profiles/{uuid}/tokens/read.

use serde_json::json;

use super::super::{
    Bench, OWN_ROLE,
    random::{CARD, on_postgres, random},
    texts,
};

async fn what_is_kept_is_read_without_the_message(bench: Bench) {
    let profile = random(&bench, json!({})).await;
    let metadata = json!({"order": 17, "tags": ["a", "ä"]});
    let body = json!({"message": CARD, "metadata": metadata, "expiresAt": "2100-02-03T04:05:06+01:00"});
    let token = profile.call("tokenize", body).await.response()["token"].clone();
    let reply = profile.call("tokens/read", json!({"token": token})).await;
    let created = reply.response()["createdAt"].clone();
    assert!(created.as_str().unwrap().ends_with(".500Z"), "{created}");
    assert_eq!(
        reply.response(),
        &json!({"metadata": metadata, "createdAt": created, "expiresAt": "2100-02-03T03:05:06.000Z", "keyVersion": 1})
    );
    // The token that is there keeps what it was made with.
    profile.call("tokenize", json!({"message": CARD, "metadata": {"order": 18}})).await.response();
    let reply = profile.call("tokens/read", json!({"token": token})).await;
    assert_eq!(reply.response()["metadata"], metadata);
    let messages = json!({"messages": ["378282246310005", "5555555555554444"], "metadata": {"all": true}});
    let tokens = profile.call("batch-tokenize", messages).await.response()["tokens"].clone();
    let reply = profile.call("tokens/read", json!({"token": tokens[1]})).await;
    let response = reply.response();
    assert_eq!((&response["metadata"], &response["expiresAt"]), (&json!({"all": true}), &json!(null)));
}

#[tokio::test]
async fn what_is_kept_is_read_without_the_message_on_sqlite() {
    what_is_kept_is_read_without_the_message(Bench::new().await).await;
}

#[tokio::test]
async fn what_is_kept_is_read_without_the_message_on_postgres() {
    what_is_kept_is_read_without_the_message(on_postgres().await).await;
}

#[tokio::test]
async fn refusals() {
    let bench = Bench::new().await;
    let profile = random(&bench, json!({})).await;
    let token = profile.tokenize(CARD).await;
    profile.call("tokens/read", json!({"token": "4222222222222"})).await.refused(400, "InvalidValue", Some("/token"));
    profile.call("tokens/read", json!({"token": "no"})).await.refused(400, "InvalidValue", Some("/token"));
    profile.call("tokens/read", json!({})).await.refused(400, "ArgumentParseError", Some("/token"));
    for rule in [
        json!({"roleUuid": OWN_ROLE, "operation": "Tokenize"}),
        json!({"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": 4}),
    ] {
        profile.patch(json!({"controlRules": [rule]})).await.response();
        profile.call("tokens/read", json!({"token": token})).await.refused(403, "NotAuthorized", None);
        profile.call("tokenized", json!({"message": CARD})).await.refused(403, "NotAuthorized", None);
    }
    let texts = texts(&bench, "AesSiv", json!({})).await;
    texts.call("tokens/read", json!({"token": CARD})).await.refused(409, "InvalidState", None);
}
