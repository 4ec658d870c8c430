use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

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
use crate::{Chancery, testing::Installation};

/// So many calls move all tokens.
const CALLS: usize = 15;

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
    let types = chancery.keys.key_type_stubs(caller, &Default::default()).await.unwrap().results;
    let aes = types.iter().find(|stub| stub.obj_info.name == "AES-256 Tokenization").unwrap();
    let key = CreateKey { name: "key".to_owned(), key_type_uuid: aes.obj_info.uuid, usages: None };
    let key = chancery.keys.create_key(caller, key).await.unwrap().uuid;
    let rule = |operation| json!({"roleUuid": RoleId::ADMINISTRATOR, "operation": operation});
    let rules = ["Tokenize", "Detokenize", "Batch"].map(rule);
    let mut request = json!({"objInfo": {"name": "profile"}, "keyUuid": key, "controlRules": rules});
    request.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let request: CreateTokenProfile = serde_json::from_value(request).unwrap();
    (chancery.tokens.create_token_profile(caller, request).await.unwrap().obj_info.uuid, key)
}

/// The job of somebody who moves all tokens: read a batch from the table, call, write the batch back and count it.
async fn move_all(chancery: Arc<Chancery>, caller: Arc<Caller>, id: TokenProfileId, book: (Table, Arc<AtomicUsize>)) {
    let (table, answered) = book;
    let count = table.lock().unwrap().len();
    let batch = count.div_ceil(CALLS);
    for start in (0..count).step_by(batch) {
        let end = count.min(start + batch);
        let tokens = texts(&table.lock().unwrap()[start..end]);
        let request = RewrapRequest { tokens, ivs: None, key_version: None, partial: None };
        let answer = chancery.tokens.rewrap(&caller, id, request).await.unwrap();
        table.lock().unwrap().splice(start..end, strings(&answer.tokens));
        answered.fetch_add(end - start, Ordering::Relaxed);
    }
}

/// How many of the tokens are of the key version 2.
async fn moved(chancery: &Chancery, caller: &Caller, id: TokenProfileId, table: &Table) -> usize {
    let tokens = texts(&*table.lock().unwrap());
    let request =
        BatchDetokenizeRequest { tokens, ivs: None, partial: Some(true), key_version: Some(2), grant_uuid: None };
    chancery.tokens.batch_detokenize(caller, id, request).await.unwrap().messages.iter().flatten().count()
}

async fn none_is_lost(count: usize, members: Value) {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, Arc::new(installation.administrators().await));
    let (id, key) = profile(chancery, &caller, members).await;
    let messages: Vec<String> = (0..count).map(|number| format!("{:016}", number * 7_919)).collect();
    let request = BatchTokenizeRequest {
        messages: texts(&messages),
        partial: None,
        key_version: None,
        metadata: None,
        expires_at: None,
    };
    let made = chancery.tokens.batch_tokenize(&caller, id, request).await.unwrap();
    let table = Arc::new(Mutex::new(strings(&made.tokens)));
    chancery.keys.rotate_key(&caller, key).await.unwrap();
    let patch = serde_json::from_value(json!({"keyVersion": 2})).unwrap();
    chancery.tokens.change_token_profile(&caller, id, patch).await.unwrap();
    assert_eq!(moved(chancery, &caller, id, &table).await, 0);

    // Killed half-way, while a call waits for the pool or the store.
    let answered = Arc::new(AtomicUsize::new(0));
    let half_way = async {
        while answered.load(Ordering::Relaxed) < count / 2 {
            tokio::task::yield_now().await;
        }
    };
    let book = (Arc::clone(&table), Arc::clone(&answered));
    let job = move_all(Arc::clone(chancery), Arc::clone(&caller), id, book.clone());
    drop(future::select(Box::pin(job), Box::pin(half_way)).await);
    let found = moved(chancery, &caller, id, &table).await;
    assert!((count / 2..count).contains(&found), "{found}");

    // Another node takes the table as it is, what was moved and what was not.
    let other = installation.other_node().await;
    move_all(Arc::clone(&other), Arc::clone(&caller), id, book).await;
    assert_eq!(moved(&other, &caller, id, &table).await, count);
    let patch = serde_json::from_value(json!({"minDecryptVersion": 2})).unwrap();
    other.tokens.change_token_profile(&caller, id, patch).await.unwrap();
    let tokens = texts(&*table.lock().unwrap());
    let request = BatchDetokenizeRequest { tokens, ivs: None, partial: None, key_version: None, grant_uuid: None };
    let back = other.tokens.batch_detokenize(&caller, id, request).await.unwrap();
    assert!(back.messages.iter().flatten().eq(messages.iter().map(String::as_str)));
}

#[tokio::test]
async fn no_token_of_texts_is_lost_when_killed_half_way() {
    none_is_lost(100_000, json!({"algorithm": "AesSiv"})).await;
}

#[tokio::test]
async fn no_ff1_token_is_lost_when_killed_half_way() {
    let format = json!({"alphabet": "Decimal", "minLength": 16, "maxLength": 16, "versionPrefix": 1});
    none_is_lost(100_000, json!({"algorithm": "Ff1", "format": format})).await;
}

#[tokio::test]
async fn no_random_token_is_lost_when_killed_half_way() {
    let format = json!({"alphabet": "Decimal", "minLength": 16, "maxLength": 16});
    none_is_lost(10_000, json!({"algorithm": "Random", "format": format})).await;
}
