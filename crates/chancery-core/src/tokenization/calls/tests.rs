use chancery_types::{
    KeyTypeId,
    wire::{keys::CreateKey, token_profiles::CreateTokenProfile},
};
use serde_json::json;

use super::*;
use crate::{Chancery, Meaning, testing::Installation, tokenization::rules::tests::MAY_TOKENIZE};

const CARD: &str = "4111111111111111";

fn message() -> TokenizeRequest {
    TokenizeRequest { message: CARD.to_owned(), key_version: None, metadata: None, expires_at: None }
}

/// A profile for card numbers, with every rule for the administrators.
async fn profile(chancery: &Chancery, caller: &Caller) -> TokenProfileId {
    let types = chancery.keys.key_type_stubs(caller, &Default::default()).await.unwrap().results;
    let aes = |name: &str| -> KeyTypeId {
        types.iter().find(|stub| stub.obj_info.name == name).map(|stub| stub.obj_info.uuid).unwrap()
    };
    let key_type_uuid = aes("AES-256 Tokenization");
    let key = CreateKey { name: "key".to_owned(), key_type_uuid, usages: None };
    let key = chancery.keys.create_key(caller, key).await.unwrap();
    let rules = ["Tokenize", "Detokenize", "Batch"]
        .map(|operation| json!({"roleUuid": chancery_types::RoleId::ADMINISTRATOR, "operation": operation}));
    let request: CreateTokenProfile = serde_json::from_value(json!({
        "objInfo": {"name": "cards"},
        "algorithm": "Ff1",
        "keyUuid": key.uuid,
        "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19},
        "controlRules": rules,
    }))
    .unwrap();
    chancery.tokens.create_token_profile(caller, request).await.unwrap().obj_info.uuid
}

#[tokio::test]
async fn a_change_on_one_node_is_seen_on_another() {
    let installation = Installation::new().await;
    let (one, caller) = (&installation.chancery, installation.administrators().await);
    let two = installation.other_node().await;
    let id = profile(one, &caller).await;
    two.catch_up().await.unwrap();
    let token = one.tokens.tokenize(&caller, id, message()).await.unwrap().token;
    assert_eq!(two.tokens.tokenize(&caller, id, message()).await.unwrap().token, token);
    one.tokens
        .change_permissions(&caller, id, serde_json::from_value(json!({"controlRules": []})).unwrap())
        .await
        .unwrap();
    two.catch_up().await.unwrap();
    let refusal = two.tokens.tokenize(&caller, id, message()).await.err().unwrap();
    assert_eq!(refusal.meaning(), Meaning::Forbidden);
    one.tokens.delete_token_profile(&caller, id).await.unwrap();
    two.catch_up().await.unwrap();
    let refusal = two.tokens.tokenize(&caller, id, message()).await.err().unwrap();
    assert_eq!(refusal.meaning(), Meaning::NotFound);
    let three = installation.other_node().await;
    assert_eq!(three.tokens.tokenize(&caller, id, message()).await.err().unwrap().meaning(), Meaning::NotFound);
}

#[tokio::test]
async fn no_token_is_given_out_by_a_version_that_was_changed_before_it_counted_as_used() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller).await;
    let stale = chancery.tokens.token_profiles.find(id).unwrap();
    let change = || serde_json::from_value(json!({"format": {"maxLength": 18}})).unwrap();
    chancery.tokens.change_token_profile(&caller, id, change()).await.unwrap();
    assert_eq!(chancery.tokens.note_use(&MAY_TOKENIZE, &stale).await.unwrap_err().meaning(), Meaning::State);
    let fresh = chancery.tokens.token_profiles.find(id).unwrap();
    assert!(!fresh.is_used());
    chancery.tokens.note_use(&MAY_TOKENIZE, &fresh).await.unwrap();
    let change = serde_json::from_value(json!({"format": {"maxLength": 17}})).unwrap();
    let refusal = chancery.tokens.change_token_profile(&caller, id, change).await.err().unwrap();
    assert_eq!(refusal.meaning(), Meaning::State);
}

#[tokio::test]
async fn a_key_version_that_was_taken_back_makes_no_token_where_that_is_not_known_yet() {
    let installation = Installation::new().await;
    let (one, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(one, &caller).await;
    let token = one.tokens.tokenize(&caller, id, message()).await.unwrap().token;
    let key = one.tokens.token_profile(&caller, id).await.unwrap().key_uuid;
    one.keys.rotate_key(&caller, key).await.unwrap();
    let moved = |version| serde_json::from_value(json!({"keyVersion": version})).unwrap();
    one.tokens.change_token_profile(&caller, id, moved(2)).await.unwrap();
    let two = installation.other_node().await;
    one.tokens.change_token_profile(&caller, id, moved(1)).await.unwrap();
    // It may have looked by itself just now; mostly it has not, and is refused once.
    match two.tokens.tokenize(&caller, id, message()).await {
        Ok(made) => assert_eq!(made.token, token),
        Err(refused) => assert_eq!(refused.meaning(), Meaning::State),
    }
    assert_eq!(two.tokens.tokenize(&caller, id, message()).await.unwrap().token, token, "it has caught up");
    // Once one was made, wherever that was, there is no way back.
    one.tokens.change_token_profile(&caller, id, moved(2)).await.unwrap();
    two.catch_up().await.unwrap();
    two.tokens.tokenize(&caller, id, message()).await.unwrap();
    let refusal = one.tokens.change_token_profile(&caller, id, moved(1)).await.err().unwrap();
    assert_eq!((refusal.meaning(), refusal.field()), (Meaning::State, Some("/keyVersion")));
}

#[tokio::test]
async fn a_profile_that_does_not_compile_fails_alone() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller).await;
    let broken = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            let mut row = tables::token_profiles::by_id(tx, id.into()).await?.ok_or_else(|| Error::not_found("row"))?;
            row.format = "{}".to_owned();
            Ok::<_, Error>(tables::token_profiles::update(tx, &row).await?)
        })
    });
    assert!(broken.await.unwrap());
    let other = installation.other_node().await;
    assert_eq!(other.tokens.tokenize(&caller, id, message()).await.err().unwrap().meaning(), Meaning::Unavailable);
}
