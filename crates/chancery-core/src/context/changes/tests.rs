//! Nodes on one store, and rows that somebody damaged.

use std::time::{Duration, Instant};

use chancery_store::{sql, tables};
use chancery_types::wire::health::Readiness;

use super::{Change, ChangeKind};
use crate::{
    Caller, Chancery, Credentials, Error, Meaning, Result,
    testing::{Installation, profile, request, tokenize, visitor},
};

/// Changes a row beside the interface, and tells the nodes of it.
async fn damage(chancery: &Chancery, text: &'static str, change: Change) {
    let object = change.object.expect("one object").to_string();
    let written = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            sql(text).bind(object).execute(tx).await?;
            change.append(tx).await
        })
    });
    written.await.unwrap();
}

fn is_unavailable<T>(outcome: Result<T>) -> bool {
    outcome.is_err_and(|refusal| refusal.meaning() == Meaning::Unavailable)
}

/// What a node says that has just followed the store. Where that is a second ago it is not ready, and may look once more.
async fn ready(node: &Chancery) -> Readiness {
    let began = Instant::now();
    loop {
        match node.readiness(&visitor()).await {
            Ok(readiness) => return readiness,
            Err(refusal) => assert!(began.elapsed() < Duration::from_secs(30), "{refusal}"),
        }
        node.catch_up().await.unwrap();
    }
}

const BREAK_PROFILE: &str = "UPDATE token_profiles SET format = 'x' WHERE id = $1";
const BREAK_IDENTITY: &str = "UPDATE identities SET kind = 'x' WHERE id = $1";
const MEND_IDENTITIES: &str = "UPDATE identities SET kind = 'Person' WHERE kind = 'x'";

async fn authenticated(node: &Chancery, cookie: &str) -> Result<Caller> {
    node.identities.authenticate(request(), Credentials::Cookie(cookie.into())).await
}

/// Those whose rows cannot be read are closed; the changes behind them are followed, on running and on starting nodes.
async fn one_bad_row_stops_nothing(installation: Installation) {
    let one = &installation.chancery;
    let (caller, cookie) = installation.logged_in().await;
    let (bad, good) = (profile(one, &caller, "bad").await, profile(one, &caller, "good").await);
    let two = installation.other_node().await;
    let administrator = Change::of(ChangeKind::Identity, caller.members()[0].id);
    damage(one, BREAK_PROFILE, Change::of(ChangeKind::TokenProfile, bad)).await;
    damage(one, BREAK_IDENTITY, administrator).await;
    one.tokens.delete_token_profile(&caller, good).await.unwrap();
    for (what, node) in [("running", &two), ("starting", &installation.other_node().await)] {
        node.catch_up().await.unwrap();
        assert!(is_unavailable(tokenize(node, &caller, bad).await), "{what}");
        assert_eq!(tokenize(node, &caller, good).await.unwrap_err().meaning(), Meaning::NotFound, "{what}");
        assert_eq!(ready(node).await.unreadable, 2, "{what}");
        assert!(is_unavailable(authenticated(node, &cookie).await), "{what}");
    }
    // Mended without a word to the nodes.
    one.storage.store().write(move |tx| Box::pin(sql(MEND_IDENTITIES).execute(tx))).await.map_err(Error::from).unwrap();
    two.look_at_quarantine().await.unwrap();
    authenticated(&two, &cookie).await.unwrap();
    assert_eq!(ready(&two).await.unreadable, 1);
}

#[tokio::test]
async fn one_bad_row_stops_nothing_on_sqlite() {
    one_bad_row_stops_nothing(Installation::new().await).await;
}

#[tokio::test]
async fn one_bad_row_stops_nothing_on_postgresql() {
    one_bad_row_stops_nothing(Installation::on_postgres().await).await;
}

#[tokio::test]
async fn what_is_stored_and_not_in_force_here_yet_is_answered_as_done_and_the_node_says_that_it_is_behind() {
    let installation = Installation::new().await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    tokenize(node, &caller, id).await.unwrap();
    ready(node).await;
    // As long as nobody else may apply anything, this node cannot follow the store.
    let turn = node.following.turn().await;
    node.tokens.delete_token_profile(&caller, id).await.unwrap();
    let refusal = node.readiness(&visitor()).await.unwrap_err();
    assert_eq!(refusal.meaning(), Meaning::Unavailable);
    assert!(refusal.message().contains("has not followed the storage for"), "{refusal}");
    tokenize(node, &caller, id).await.unwrap();
    drop(turn);
    node.catch_up().await.unwrap();
    ready(node).await;
    assert_eq!(tokenize(node, &caller, id).await.unwrap_err().meaning(), Meaning::NotFound);
}

/// A node that was away for so long that what it missed is no longer told looks at everything.
#[tokio::test]
async fn a_node_that_missed_what_was_pruned_loads_everything() {
    let installation = Installation::new().await;
    let (one, two) = (&installation.chancery, installation.other_node().await);
    let (caller, cookie) = installation.logged_in().await;
    let id = profile(one, &caller, "cards").await;
    two.catch_up().await.unwrap();
    let turn = two.following.turn().await;
    let (_, later) = installation.logged_in().await;
    let made = profile(one, &caller, "made").await;
    one.tokens.delete_token_profile(&caller, id).await.unwrap();
    one.identities.log_out(request(), Credentials::Cookie(cookie.as_str().into())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(20)).await;
    let prune = one.storage.store().write(|tx| Box::pin(tables::changes::prune(tx, Duration::from_millis(1))));
    assert!(prune.await.map_err(Error::from).unwrap() > 0);
    drop(turn);
    two.catch_up().await.unwrap();
    tokenize(&two, &caller, made).await.unwrap();
    assert_eq!(tokenize(&two, &caller, id).await.unwrap_err().meaning(), Meaning::NotFound);
    assert_eq!(authenticated(&two, &cookie).await.unwrap_err().meaning(), Meaning::Unauthenticated);
    authenticated(&two, &later).await.unwrap();
}
