//! What is counted is counted once: over several writings, a restart and several nodes, on both databases.

use chancery_store::sql;
use chancery_types::TokenProfileId;
use serde_json::json;

use crate::{
    Chancery,
    context::activity::*,
    testing::{Installation, START_MS, detokenize, profile, tokenize},
};

async fn hours(chancery: &Chancery, caller: &Caller) -> Vec<ActivityHour> {
    let told = chancery.activity(caller).await.unwrap().hours;
    assert_eq!(told.len(), 24);
    told
}

/// The sums of the day: tokenized, detokenized, signed, issued.
async fn sums(chancery: &Chancery, caller: &Caller) -> [u64; 4] {
    let hours = hours(chancery, caller).await;
    let sum = |of: fn(&ActivityHour) -> u64| hours.iter().map(of).sum();
    [sum(|hour| hour.tokenized), sum(|hour| hour.detokenized), sum(|hour| hour.signed), sum(|hour| hour.issued)]
}

async fn tokenize_times(chancery: &Chancery, caller: &Caller, id: TokenProfileId, times: usize) {
    for _ in 0..times {
        tokenize(chancery, caller, id).await.unwrap();
    }
}

/// How many rows there are, and the sum of their counts.
async fn stored(chancery: &Chancery) -> (i64, i64) {
    let read = chancery.storage.store().read(|tx| {
        Box::pin(async move {
            let rows: i64 = sql("SELECT COUNT(*) FROM activity").one(tx).await?;
            let sum: i64 = sql("SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM activity").one(tx).await?;
            Ok::<_, Error>((rows, sum))
        })
    });
    read.await.unwrap()
}

#[tokio::test]
async fn what_was_written_is_not_written_again_and_what_comes_is_added() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, "cards").await;
    tokenize_times(chancery, &caller, id, 2).await;
    assert_eq!(sums(chancery, &caller).await, [2, 0, 0, 0], "before it is written");
    for _ in 0..2 {
        chancery.write_activity().await.unwrap();
        assert_eq!(stored(chancery).await, (1, 2));
    }
    tokenize_times(chancery, &caller, id, 3).await;
    chancery.write_activity().await.unwrap();
    assert_eq!((stored(chancery).await, sums(chancery, &caller).await), ((1, 5), [5, 0, 0, 0]));
}

#[tokio::test]
async fn a_restart_keeps_what_was_done_and_the_new_server_adds_to_it() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, "cards").await;
    tokenize_times(chancery, &caller, id, 2).await;
    chancery.shut_down().await;
    let next = installation.other_node().await;
    tokenize_times(&next, &caller, id, 1).await;
    next.write_activity().await.unwrap();
    assert_eq!((stored(&next).await, sums(&next, &caller).await), ((2, 3), [3, 0, 0, 0]));
}

#[tokio::test]
async fn nodes_are_summed_with_what_the_one_that_is_asked_has_not_written_yet() {
    let installation = Installation::on_postgres().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let (id, other) = (profile(chancery, &caller, "cards").await, installation.other_node().await);
    tokenize_times(chancery, &caller, id, 2).await;
    let token = tokenize(&other, &caller, id).await.unwrap();
    detokenize(&other, &caller, id, &token).await.unwrap();
    assert_eq!(sums(chancery, &caller).await, [2, 0, 0, 0], "the other one has not written yet");
    other.write_activity().await.unwrap();
    assert_eq!(sums(chancery, &caller).await, [3, 1, 0, 0]);
    chancery.write_activity().await.unwrap();
    assert_eq!([sums(chancery, &caller).await, sums(&other, &caller).await], [[3, 1, 0, 0]; 2]);
}

#[tokio::test]
async fn hours_pass_out_of_sight_after_a_day_and_out_of_the_store_after_a_week() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, "cards").await;
    tokenize_times(chancery, &caller, id, 2).await;
    let now = hours(chancery, &caller).await;
    assert_eq!((&*now[23].starts_at, now[23].tokenized), (&*rfc3339_ms(START_MS), 2), "the last one is not over");
    installation.clock.advance_ms(23 * HOUR_MS);
    let caller = installation.administrators().await;
    let later = hours(chancery, &caller).await;
    assert_eq!((&later[0], later[23].tokenized), (&now[23], 0));
    installation.clock.advance_ms(HOUR_MS);
    let caller = installation.administrators().await;
    assert_eq!(sums(chancery, &caller).await, [0; 4]);
    chancery.write_activity().await.unwrap();
    assert_eq!(stored(chancery).await, (1, 2), "it is written late, and in its hour");
    assert!(chancery.activity.hours.lock().unwrap().is_empty(), "and forgotten here");
    installation.clock.advance_ms(6 * 24 * HOUR_MS);
    for (advanced, kept) in [(0, (2, 3)), (HOUR_MS, (2, 2))] {
        installation.clock.advance_ms(advanced);
        let caller = installation.administrators().await;
        tokenize_times(chancery, &caller, id, 1).await;
        chancery.write_activity().await.unwrap();
        assert_eq!(stored(chancery).await, kept);
    }
}

#[tokio::test]
async fn what_is_refused_is_not_counted_also_among_others_that_are_not() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let types = chancery.keys.key_type_stubs(&caller, &Default::default()).await.unwrap().results;
    let aes = types.into_iter().find(|stub| stub.obj_info.name == "AES-256 Tokenization").unwrap().obj_info.uuid;
    let key = serde_json::from_value(json!({"name": "cards", "keyTypeUuid": aes})).unwrap();
    let key = chancery.keys.create_key(&caller, key).await.unwrap().uuid;
    let rules = ["Tokenize", "Detokenize", "Batch"]
        .map(|operation| json!({"roleUuid": chancery_types::RoleId::ADMINISTRATOR, "operation": operation}));
    let made = json!({
        "objInfo": {"name": "cards"}, "algorithm": "Ff1", "keyUuid": key, "controlRules": rules,
        "format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19},
    });
    let made = chancery.tokens.create_token_profile(&caller, serde_json::from_value(made).unwrap()).await.unwrap();
    let id = made.obj_info.uuid;
    let batch = |partial: bool| {
        let sent = json!({"messages": ["4111111111111111", "x", "5500005555555559"], "partial": partial});
        serde_json::from_value(sent).unwrap()
    };
    assert!(chancery.tokens.batch_tokenize(&caller, id, batch(false)).await.is_err());
    assert_eq!(sums(chancery, &caller).await, [0; 4]);
    let tokens = chancery.tokens.batch_tokenize(&caller, id, batch(true)).await.unwrap().tokens;
    assert_eq!(sums(chancery, &caller).await, [2, 0, 0, 0]);
    let tokens: Vec<_> = tokens.iter().flatten().chain(["y"]).collect();
    let sent = serde_json::from_value(json!({"tokens": tokens, "partial": true})).unwrap();
    chancery.tokens.batch_detokenize(&caller, id, sent).await.unwrap();
    assert_eq!(sums(chancery, &caller).await, [2, 2, 0, 0]);
    let sent = serde_json::from_value(json!({"tokens": tokens[..2]})).unwrap();
    chancery.tokens.rewrap(&caller, id, sent).await.unwrap();
    assert_eq!(sums(chancery, &caller).await, [2, 2, 0, 0], "a token for a token");
}
