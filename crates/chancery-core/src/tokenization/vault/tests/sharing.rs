//! Profiles that share a vault: each reads what the others make and seal.

use chancery_store::tables::token_profiles;
use chancery_types::{
    TokenProfileId,
    wire::token_profiles::{RewrapRequest, TokenProfile, TokenRequest},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Bench;
use crate::{Chancery, Error, Meaning, Result, testing};

const CARD: &str = "4111111111111111";

/// A profile with the members and the key of the bench's, but for these.
async fn copy(bench: &Bench, changes: Value) -> TokenProfileId {
    let changes = serde_json::from_value(changes).unwrap();
    bench.chancery().tokens.copy_token_profile(&bench.caller, bench.id, changes).await.unwrap().obj_info.uuid
}

async fn sharing(bench: &Bench) -> TokenProfileId {
    copy(bench, json!({"objInfo": {"name": "second"}, "tweakDomain": bench.id})).await
}

async fn patch(bench: &Bench, chancery: &Chancery, id: TokenProfileId, changes: Value) -> Result<TokenProfile> {
    let changes = serde_json::from_value(changes).unwrap();
    chancery.tokens.change_token_profile(&bench.caller, id, changes).await
}

#[tokio::test]
async fn what_one_profile_seals_under_a_newer_key_version_the_others_read() {
    let bench = Bench::new(json!({})).await;
    let (chancery, caller, second) = (bench.chancery(), &bench.caller, sharing(&bench).await);
    let token = bench.tokenize(CARD).await.unwrap();
    let key = chancery.tokens.token_profile(caller, bench.id).await.unwrap().key_uuid;
    chancery.keys.rotate_key(caller, key).await.unwrap();
    patch(&bench, chancery, second, json!({"keyVersion": 2})).await.unwrap();
    // The first makes rows of version 1 still, and leaves those of version 2 as they are.
    for id in [second, bench.id] {
        let tokens = [token.as_str()].into_iter().collect();
        let request = RewrapRequest { tokens, ivs: None, key_version: None, partial: None };
        chancery.tokens.rewrap(caller, id, request).await.unwrap();
        let record = chancery.tokens.read_token(caller, bench.id, TokenRequest { token: token.clone() }).await.unwrap();
        assert_eq!(record.key_version, 2);
        assert_eq!(bench.detokenize(&token).await.unwrap(), CARD);
        assert_eq!(bench.tokenize(CARD).await.unwrap(), token);
    }
    chancery.tokens.delete_token_profile(caller, second).await.unwrap();
    assert_eq!(bench.detokenize(&token).await.unwrap(), CARD);
}

#[tokio::test]
async fn whoever_is_left_of_a_vault_goes_on_reading_it() {
    let bench = Bench::new(json!({})).await;
    let (chancery, second) = (bench.chancery(), sharing(&bench).await);
    let token = bench.tokenize(CARD).await.unwrap();
    chancery.tokens.delete_token_profile(&bench.caller, bench.id).await.unwrap();
    let refusal = patch(&bench, chancery, second, json!({"format": {"keepTrailing": 0}})).await.unwrap_err();
    assert_eq!((refusal.meaning(), refusal.field()), (Meaning::State, Some("/format/keepTrailing")));
    let refusal = patch(&bench, chancery, second, json!({"tweakDomain": null})).await.unwrap_err();
    assert_eq!((refusal.meaning(), refusal.field()), (Meaning::State, Some("/tweakDomain")));
    patch(&bench, chancery, second, json!({"format": {"maxLength": 20}})).await.unwrap();
    assert_eq!(testing::detokenize(chancery, &bench.caller, second, &token).await.unwrap(), CARD);
}

#[tokio::test]
async fn versions_of_whoever_is_gone_are_given_up_and_read_again() {
    let bench = Bench::new(json!({})).await;
    let (chancery, caller, second) = (bench.chancery(), &bench.caller, sharing(&bench).await);
    let token = bench.tokenize(CARD).await.unwrap();
    let key = chancery.tokens.token_profile(caller, bench.id).await.unwrap().key_uuid;
    chancery.keys.rotate_key(caller, key).await.unwrap();
    for id in [bench.id, second] {
        patch(&bench, chancery, id, json!({"keyVersion": 2})).await.unwrap();
    }
    let request = serde_json::from_value(json!({"message": "5555555555554444"})).unwrap();
    chancery.tokens.tokenize(caller, second, request).await.unwrap();
    chancery.tokens.delete_token_profile(caller, bench.id).await.unwrap();
    let given_up = patch(&bench, chancery, second, json!({"minDecryptVersion": 2})).await.unwrap();
    assert!(given_up.warnings.iter().any(|warning| warning.contains("key version 1 is refused")), "{given_up:?}");
    let refusal = testing::detokenize(chancery, caller, second, &token).await.unwrap_err();
    assert_eq!(refusal.meaning(), Meaning::Value);
    patch(&bench, chancery, second, json!({"minDecryptVersion": 1})).await.unwrap();
    assert_eq!(testing::detokenize(chancery, caller, second, &token).await.unwrap(), CARD);
}

/// As they were stored before formats were compared.
#[tokio::test]
async fn profiles_that_differ_already_go_on_and_can_only_come_closer() {
    let bench = Bench::new(json!({})).await;
    let second = copy(&bench, json!({"objInfo": {"name": "second"}, "format": {"keepTrailing": 0}})).await;
    let (id, domain) = (Uuid::from(second), Uuid::from(bench.id));
    let stored = bench.chancery().storage.store().write(move |tx| {
        Box::pin(async move {
            let row = token_profiles::by_id(tx, id).await?.unwrap();
            let shared = token_profiles::Row { tweak_domain: Some(domain), ..row };
            Ok::<_, Error>(token_profiles::update(tx, &shared).await?)
        })
    });
    assert!(stored.await.unwrap());
    let token = bench.tokenize(CARD).await.unwrap();
    let node = bench.installation.other_node().await;
    assert_eq!(testing::detokenize(&node, &bench.caller, second, &token).await.unwrap(), CARD);
    patch(&bench, &node, second, json!({"objInfo": {"name": "renamed"}})).await.unwrap();
    let refusal = patch(&bench, &node, second, json!({"format": {"maxLength": 20}})).await.unwrap_err();
    assert_eq!((refusal.meaning(), refusal.field()), (Meaning::Value, Some("/format/keepTrailing")));
    patch(&bench, &node, second, json!({"format": {"keepTrailing": 4}})).await.unwrap();
}
