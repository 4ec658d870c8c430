//! Nodes that are cut off from their database.

use std::time::Duration;

use chancery_types::{
    AuthType, Base64,
    wire::login::{AuthCredentials, LoginRequest},
};

use crate::{
    Limits, Meaning, OutageLimits, Result,
    testing::{Installation, PASSWORD, detokenize, profile, tokenize, visitor},
};

const SHORT: Duration = Duration::from_millis(400);

fn is_cut_off<T>(outcome: Result<T>) -> bool {
    outcome.is_err_and(|refusal| {
        refusal.meaning() == Meaning::Unavailable && refusal.message().contains("has not followed the storage")
    })
}

fn with(outage: OutageLimits) -> Limits {
    Limits { outage, ..Limits::default() }
}

fn login() -> LoginRequest {
    let auth_credentials = AuthCredentials {
        username: Some("Admin1".to_owned()),
        password: Some(Base64(PASSWORD.as_bytes().to_vec())),
        ..AuthCredentials::default()
    };
    LoginRequest { auth_credentials, auth_type: AuthType::Userpass }
}

#[tokio::test]
async fn a_node_that_is_cut_off_stops_what_could_have_been_ended_elsewhere() {
    let limits =
        with(OutageLimits { detokenize_staleness_max: SHORT, login_staleness_max: SHORT, ..OutageLimits::default() });
    let installation = Installation::with_limits(limits).await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    let token = tokenize(node, &caller, id).await.unwrap();
    node.catch_up().await.unwrap();
    detokenize(node, &caller, id, &token).await.unwrap();
    node.identities.bearer_token(&caller).await.unwrap();
    // As long as nobody else may apply anything, this node cannot follow the store.
    let turn = node.following.turn().await;
    tokio::time::sleep(2 * SHORT).await;
    assert!(is_cut_off(detokenize(node, &caller, id, &token).await));
    assert!(is_cut_off(node.identities.bearer_token(&caller).await));
    assert!(is_cut_off(node.identities.log_in(&visitor(), None, login()).await));
    tokenize(node, &caller, id).await.expect("for longer than it detokenizes");
    drop(turn);
    node.catch_up().await.unwrap();
    detokenize(node, &caller, id, &token).await.unwrap();
    node.identities.bearer_token(&caller).await.unwrap();
    node.identities.log_in(&visitor(), None, login()).await.unwrap();
}

#[tokio::test]
async fn a_node_that_is_cut_off_for_long_does_not_tokenize_either() {
    let limits = with(OutageLimits { tokenize_staleness_max: SHORT, ..OutageLimits::default() });
    let installation = Installation::with_limits(limits).await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    node.catch_up().await.unwrap();
    tokenize(node, &caller, id).await.unwrap();
    let turn = node.following.turn().await;
    tokio::time::sleep(2 * SHORT).await;
    assert!(is_cut_off(tokenize(node, &caller, id).await));
    drop(turn);
    node.catch_up().await.unwrap();
    tokenize(node, &caller, id).await.unwrap();
}
