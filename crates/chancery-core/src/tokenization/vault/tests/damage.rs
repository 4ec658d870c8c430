//! Rows that somebody has damaged fail their tokens alone.

use chancery_store::sql;
use chancery_types::{
    ErrorCode,
    wire::token_profiles::{BatchDetokenizeRequest, BatchTokenizeRequest},
};
use serde_json::json;

use super::{Bench, batch, cards, meaning};
use crate::{Error, Meaning};

/// Somebody damaged what the vault holds of one token.
#[tokio::test]
async fn a_row_that_cannot_be_read_fails_its_token_alone() {
    let bench = Bench::new(json!({})).await;
    let tokens = batch(bench.chancery(), &bench.caller, bench.id, &cards(3)).await;
    let damage = "UPDATE vault_tokens SET sealed = token_hash \
        WHERE token_hash = (SELECT MIN(token_hash) FROM vault_tokens)";
    let damaged = bench.chancery().storage.store().write(move |tx| Box::pin(sql(damage).execute(tx)));
    assert_eq!(damaged.await.map_err(Error::from).unwrap(), 1);
    let request = |partial: bool| -> BatchDetokenizeRequest {
        serde_json::from_value(json!({"tokens": tokens, "partial": partial})).unwrap()
    };
    let answer = bench.chancery().tokens.batch_detokenize(&bench.caller, bench.id, request(true)).await.unwrap();
    let bad: Vec<usize> = (0..3).filter(|index| answer.messages.at(*index).flatten().is_none()).collect();
    assert_eq!(answer.errors.iter().map(|error| error.index).collect::<Vec<_>>(), bad);
    assert_eq!((bad.len(), answer.errors[0].error_code), (1, ErrorCode::Unavailable));
    let whole = bench.chancery().tokens.batch_detokenize(&bench.caller, bench.id, request(false)).await;
    assert_eq!(meaning(whole), Meaning::Unavailable);
    // Tokenizing the same messages again finds the same rows.
    let again: BatchTokenizeRequest = serde_json::from_value(json!({"messages": cards(3), "partial": true})).unwrap();
    let again = bench.chancery().tokens.batch_tokenize(&bench.caller, bench.id, again).await.unwrap();
    assert_eq!(again.errors.iter().map(|error| error.index).collect::<Vec<_>>(), bad);
}

/// Values of another type than the column's, which SQLite takes, and of a version that no key has.
#[tokio::test]
async fn a_row_with_a_value_that_nobody_writes_fails_its_token_alone() {
    for damage in [
        "UPDATE vault_tokens SET sealed = 'text' WHERE token_hash = (SELECT MIN(token_hash) FROM vault_tokens)",
        "UPDATE vault_tokens SET created_at_ms = x'ff' WHERE token_hash = (SELECT MIN(token_hash) FROM vault_tokens)",
        "UPDATE vault_tokens SET expires_at_ms = 'soon' WHERE token_hash = (SELECT MIN(token_hash) FROM vault_tokens)",
        "UPDATE vault_tokens SET key_version = 77 WHERE token_hash = (SELECT MIN(token_hash) FROM vault_tokens)",
    ] {
        let bench = Bench::new(json!({})).await;
        let tokens = batch(bench.chancery(), &bench.caller, bench.id, &cards(3)).await;
        let damaged = bench.chancery().storage.store().write(move |tx| Box::pin(sql(damage).execute(tx)));
        assert_eq!(damaged.await.map_err(Error::from).unwrap(), 1);
        let request = json!({"tokens": tokens, "partial": true});
        let request: BatchDetokenizeRequest = serde_json::from_value(request).unwrap();
        let answer = bench.chancery().tokens.batch_detokenize(&bench.caller, bench.id, request).await.unwrap();
        let codes: Vec<_> = answer.errors.iter().map(|error| error.error_code).collect();
        assert_eq!(codes, [ErrorCode::Unavailable], "{damage}");
    }
}
