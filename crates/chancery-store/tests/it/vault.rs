//! Tokens of Random profiles: many rows at a time, each token and each message once.

use std::collections::HashSet;

use chancery_store::Store;
use chancery_store::tables::vault_tokens::{self as vault, Common, Hash, New, Resealed, Row};
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, read, write};

on_both!(
    rows_of_several_statements_are_found_again,
    tokens_and_messages_are_there_once,
    two_writers_of_the_same_messages_add_each_once,
    a_seal_is_replaced_only_if_it_is_the_one_that_was_read,
    what_has_expired_is_removed_in_bounded_numbers,
    a_domain_without_a_profile_is_found_and_emptied,
);

const DOMAIN: Uuid = Uuid::from_u128(7);

const COMMON: Common = Common { domain: DOMAIN, key_version: 1, created_at_ms: 5, expires_at_ms: None };

fn hash(number: usize) -> Hash {
    // Scattered, as hashes are.
    ((number as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)).to_be_bytes()
}

/// Row `number`, with the token of the same number.
fn new(number: usize) -> New {
    with_token(number, number)
}

fn with_token(token: usize, message: usize) -> New {
    New {
        token_hash: hash(token),
        message_hash: Some(hash(1_000_000 + message)),
        sealed: format!("{token} of {message}").into_bytes(),
    }
}

async fn insert(store: &Store, common: Common, rows: Vec<New>) -> Outcome<u64> {
    write(store, move |tx| Box::pin(async move { vault::insert(tx, &common, &rows).await })).await
}

async fn by_tokens(store: &Store, tokens: impl IntoIterator<Item = usize>) -> Vec<Row> {
    let hashes: Vec<Hash> = tokens.into_iter().map(hash).collect();
    read(store, move |tx| Box::pin(async move { vault::by_tokens(tx, &hashes).await })).await.unwrap()
}

async fn by_messages(store: &Store, messages: impl IntoIterator<Item = usize>) -> Vec<Row> {
    let hashes: Vec<Hash> = messages.into_iter().map(|message| hash(1_000_000 + message)).collect();
    read(store, move |tx| Box::pin(async move { vault::by_messages(tx, &hashes).await })).await.unwrap()
}

async fn count(store: &Store) -> i64 {
    read(store, |tx| Box::pin(vault::count(tx, DOMAIN))).await.unwrap()
}

async fn rows_of_several_statements_are_found_again(f: Fixture) {
    // 512 + 512 + 256 + 16 + 4
    assert_eq!(insert(&f.store, COMMON, (0..1_300).map(new).collect()).await, Ok(1_300));
    let mut found = by_tokens(&f.store, 0..1_400).await;
    found.sort_by_key(|row| row.token_hash);
    let mut expected: Vec<Row> = (0..1_300)
        .map(new)
        .map(|New { token_hash, message_hash, sealed }| Row {
            token_hash,
            message_hash,
            sealed,
            key_version: 1,
            created_at_ms: 5,
            expires_at_ms: None,
        })
        .collect();
    expected.sort_by_key(|row| row.token_hash);
    assert_eq!(found, expected);
    assert_eq!(by_messages(&f.store, [3, 1_299, 1_300]).await.len(), 2);
    let asked: Vec<Hash> = (1_298..1_302).map(hash).collect();
    let taken = read(&f.store, move |tx| Box::pin(async move { vault::taken(tx, &asked).await })).await.unwrap();
    assert_eq!(HashSet::from_iter(taken), HashSet::from([hash(1_298), hash(1_299)]));
}

async fn tokens_and_messages_are_there_once(f: Fixture) {
    assert_eq!(insert(&f.store, COMMON, vec![new(1), new(2)]).await, Ok(2));
    let rows = vec![with_token(1, 3), with_token(4, 2), new(5), with_token(5, 6)];
    assert_eq!(insert(&f.store, COMMON, rows).await, Ok(1), "token 1, message 2, and token 5 twice in one statement");
    assert_eq!(by_tokens(&f.store, [1]).await[0].sealed, b"1 of 1");
    assert_eq!(by_messages(&f.store, [2]).await[0].sealed, b"2 of 2");
    assert!(by_messages(&f.store, [3]).await.is_empty());
    // Without a message's hash any number of rows may be of the same message.
    let unknown = |token| New { message_hash: None, ..new(token) };
    assert_eq!(insert(&f.store, COMMON, vec![unknown(7), unknown(8)]).await, Ok(2));
    assert_eq!(count(&f.store).await, 5);
}

async fn two_writers_of_the_same_messages_add_each_once(f: Fixture) {
    // Their tokens differ; both write in the order of the messages, in several transactions.
    let writer = |first_token: usize| {
        let store = f.store.clone();
        tokio::spawn(async move {
            let mut added = 0;
            for batch in 0..5 {
                let mut rows: Vec<New> = (batch * 1_000..(batch + 1) * 1_000)
                    .map(|message| with_token(first_token + message, message))
                    .collect();
                rows.sort_by_key(|row| row.message_hash);
                added += insert(&store, COMMON, rows).await.unwrap();
            }
            added
        })
    };
    let (one, two) = (writer(0), writer(100_000));
    assert_eq!(one.await.unwrap() + two.await.unwrap(), 5_000);
    assert_eq!(count(&f.store).await, 5_000);
    assert_eq!(by_messages(&f.store, 0..5_000).await.len(), 5_000);
}

async fn a_seal_is_replaced_only_if_it_is_the_one_that_was_read(f: Fixture) {
    insert(&f.store, COMMON, (0..5).map(new).collect()).await.unwrap();
    let reseal = |new_version, old_version| {
        let store = f.store.clone();
        async move {
            let resealed = |number| Resealed { token_hash: hash(number), old_version, sealed: b"new".to_vec() };
            let rows: Vec<_> = [1, 2, 3, 9].map(resealed).into();
            write(&store, move |tx| Box::pin(async move { vault::reseal(tx, new_version, &rows).await })).await
        }
    };
    assert_eq!(reseal(2, 1).await, Ok(3));
    assert_eq!(reseal(2, 1).await, Ok(0), "the second time nothing is of version 1 any more");
    let rows = by_tokens(&f.store, [0, 1]).await;
    let of = |number: usize| rows.iter().find(|row| row.token_hash == hash(number)).unwrap();
    assert_eq!((of(0).key_version, &of(0).sealed[..]), (1, &b"0 of 0"[..]));
    assert_eq!((of(1).key_version, &of(1).sealed[..]), (2, &b"new"[..]));
}

async fn what_has_expired_is_removed_in_bounded_numbers(f: Fixture) {
    let expires = |expires_at_ms| Common { expires_at_ms, ..COMMON };
    insert(&f.store, expires(Some(100)), (0..10).map(new).collect()).await.unwrap();
    insert(&f.store, expires(Some(200)), (10..20).map(new).collect()).await.unwrap();
    insert(&f.store, expires(None), (20..30).map(new).collect()).await.unwrap();
    let delete = |now_ms| {
        let store = f.store.clone();
        async move { write(&store, move |tx| Box::pin(vault::delete_expired(tx, now_ms, 8))).await.unwrap() }
    };
    assert_eq!([delete(99).await, delete(100).await, delete(100).await, delete(100).await], [0, 8, 2, 0]);
    let one = |token: usize, now_ms| {
        let store = f.store.clone();
        async move {
            write(&store, move |tx| Box::pin(async move { vault::delete(tx, &hash(token), now_ms).await }))
                .await
                .unwrap()
        }
    };
    assert!(one(10, 199).await);
    assert!(!one(10, 199).await, "it is gone");
    assert!(!one(11, 200).await, "what has expired is not there");
    assert!(one(20, 200).await);
    let messages: Vec<Hash> = (11..13).chain(21..23).map(|message| hash(1_000_000 + message)).collect();
    let asked = messages.clone();
    write(&f.store, move |tx| Box::pin(async move { vault::release_expired_messages(tx, &asked, 200).await }))
        .await
        .unwrap();
    assert_eq!(count(&f.store).await, 9 + 9, "the tokens stay");
    let left =
        read(&f.store, move |tx| Box::pin(async move { vault::by_messages(tx, &messages).await })).await.unwrap();
    assert_eq!(left.len(), 2, "of those that have not expired");
}

async fn a_domain_without_a_profile_is_found_and_emptied(f: Fixture) {
    let other = Uuid::from_u128(8);
    insert(&f.store, COMMON, (0..3).map(new).collect()).await.unwrap();
    insert(&f.store, Common { domain: other, ..COMMON }, (3..8).map(new).collect()).await.unwrap();
    let next = |after: String| {
        let store = f.store.clone();
        async move { read(&store, move |tx| Box::pin(async move { vault::next_domain(tx, &after).await })).await.unwrap() }
    };
    assert_eq!(next(String::new()).await, Some(DOMAIN.to_string()));
    assert_eq!(next(DOMAIN.to_string()).await, Some(other.to_string()));
    assert_eq!(next(other.to_string()).await, None);
    let deleted = write(&f.store, move |tx| {
        Box::pin(async move {
            assert!(!vault::domain_is_used(tx, &other.to_string()).await?);
            Ok((
                vault::delete_of_domain(tx, &other.to_string(), 4).await?,
                vault::delete_of_domain(tx, &other.to_string(), 4).await?,
            ))
        })
    });
    assert_eq!(deleted.await, Ok((4, 1)));
    assert_eq!(count(&f.store).await, 3);
}
