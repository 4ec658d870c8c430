use std::sync::Mutex;

use chancery_types::{
    RoleId,
    wire::{
        Texts,
        keys::CreateKey,
        token_profiles::{BatchDetokenizeRequest, BatchTokenizeRequest, CreateTokenProfile},
    },
};
use futures::future;
use serde_json::{Value, json};

use super::*;
use crate::testing::Installation;

const TOKENS: usize = 100_000;
/// Values of one call.
const BATCH: usize = 7_000;

/// What a caller has stored: its tokens, each batch replaced when its answer came.
type Table = Arc<Mutex<Vec<String>>>;

fn texts<'t>(values: impl IntoIterator<Item = &'t String>) -> Texts {
    let mut texts = Texts::default();
    values.into_iter().for_each(|value| texts.push(value));
    texts
}

fn strings(texts: &Texts) -> Vec<String> {
    texts.iter().map(|text| text.unwrap().to_owned()).collect()
}

/// A profile under a new key with every rule for the administrators.
async fn profile(chancery: &Chancery, caller: &Caller, members: Value) -> (TokenProfileId, chancery_types::KeyId) {
    let types = chancery.key_type_stubs(caller, &Default::default()).await.unwrap().results;
    let aes = types.iter().find(|stub| stub.obj_info.name == "AES-256 Tokenization").unwrap();
    let key = CreateKey { name: "key".to_owned(), key_type_uuid: aes.obj_info.uuid, usages: None };
    let key = chancery.create_key(caller, key).await.unwrap().uuid;
    let rule = |operation| json!({"roleUuid": RoleId::ADMINISTRATOR, "operation": operation});
    let rules = ["Tokenize", "Detokenize", "Batch"].map(rule);
    let mut request = json!({"objInfo": {"name": "profile"}, "keyUuid": key, "controlRules": rules});
    request.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let request: CreateTokenProfile = serde_json::from_value(request).unwrap();
    (chancery.create_token_profile(caller, request).await.unwrap().obj_info.uuid, key)
}

/// The job of somebody who moves all tokens: read a batch from the table, call, write the batch back.
async fn move_all(chancery: Arc<Chancery>, caller: Arc<Caller>, id: TokenProfileId, table: Table) {
    for start in (0..TOKENS).step_by(BATCH) {
        let end = TOKENS.min(start + BATCH);
        let tokens = texts(&table.lock().unwrap()[start..end]);
        let request = RewrapRequest { tokens, ivs: None, key_version: None, partial: None };
        let answer = chancery.rewrap(&caller, id, request).await.unwrap();
        table.lock().unwrap().splice(start..end, strings(&answer.tokens));
    }
}

async fn none_is_lost(members: Value, is_new: fn(&str) -> bool) {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, Arc::new(installation.administrators().await));
    let (id, key) = profile(chancery, &caller, members).await;
    let messages: Vec<String> = (0..TOKENS).map(|number| format!("{:016}", number * 7_919)).collect();
    let request = BatchTokenizeRequest {
        messages: texts(&messages),
        partial: None,
        key_version: None,
        metadata: None,
        expires_at: None,
    };
    let made = chancery.batch_tokenize(&caller, id, request).await.unwrap();
    let table = Arc::new(Mutex::new(strings(&made.tokens)));
    chancery.rotate_key(&caller, key).await.unwrap();
    let patch = serde_json::from_value(json!({"keyVersion": 2})).unwrap();
    chancery.change_token_profile(&caller, id, patch).await.unwrap();
    let moved = || table.lock().unwrap().iter().filter(|token| is_new(token)).count();

    // Killed half-way, while a call waits for the pool.
    let half_way = async {
        while moved() < TOKENS / 2 {
            tokio::task::yield_now().await;
        }
    };
    let job = move_all(Arc::clone(chancery), Arc::clone(&caller), id, Arc::clone(&table));
    drop(future::select(Box::pin(job), Box::pin(half_way)).await);
    assert!((TOKENS / 2..TOKENS).contains(&moved()), "{}", moved());

    // Another node takes the table as it is, what was moved and what was not.
    let other = installation.other_node().await;
    move_all(Arc::clone(&other), Arc::clone(&caller), id, Arc::clone(&table)).await;
    assert_eq!(moved(), TOKENS);
    let patch = serde_json::from_value(json!({"minDecryptVersion": 2})).unwrap();
    other.change_token_profile(&caller, id, patch).await.unwrap();
    let tokens = texts(&*table.lock().unwrap());
    let request = BatchDetokenizeRequest { tokens, ivs: None, partial: None, key_version: None };
    let back = other.batch_detokenize(&caller, id, request).await.unwrap();
    assert!(back.messages.iter().flatten().eq(messages.iter().map(String::as_str)));
}

#[tokio::test]
async fn no_token_of_texts_is_lost_when_killed_half_way() {
    // The last byte of the version is 2: in base64url the sixth character has its bits 10 and four of the next byte.
    none_is_lost(json!({"algorithm": "AesSiv"}), |token| matches!(token.as_bytes()[5], b'g'..=b'v')).await;
}

#[tokio::test]
async fn no_ff1_token_is_lost_when_killed_half_way() {
    let format = json!({"alphabet": "Decimal", "minLength": 16, "maxLength": 16, "versionPrefix": 1});
    none_is_lost(json!({"algorithm": "Ff1", "format": format}), |token| token.starts_with('2')).await;
}
