//! Nodes that are cut off from their database.

use std::time::{Duration, Instant};

use chancery_types::{
    AuthType, Base64,
    wire::login::{AuthCredentials, LoginRequest},
};

use crate::{
    Chancery, Limits, Meaning, OutageLimits, Result,
    testing::{Installation, PASSWORD, detokenize, profile, tokenize, visitor},
};

const SHORT: Duration = Duration::from_millis(400);

fn is_cut_off<T>(outcome: Result<T>) -> bool {
    outcome.is_err_and(|refusal| {
        refusal.meaning() == Meaning::Unavailable && refusal.message().contains("has not followed the storage")
    })
}

/// What a call comes to on a node that has just followed the store; a machine that is busy may take longer than `SHORT` from
/// the one to the other.
async fn in_time<T>(node: &Chancery, call: impl AsyncFn() -> Result<T>) -> T {
    let began = Instant::now();
    loop {
        node.catch_up().await.unwrap();
        match call().await {
            Ok(value) => return value,
            refused => assert!(is_cut_off(refused) && began.elapsed() < Duration::from_secs(30)),
        }
    }
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
    in_time(node, async || detokenize(node, &caller, id, &token).await).await;
    in_time(node, async || node.identities.bearer_token(&caller).await).await;
    // As long as nobody else may apply anything, this node cannot follow the store.
    let turn = node.following.turn().await;
    tokio::time::sleep(2 * SHORT).await;
    assert!(is_cut_off(detokenize(node, &caller, id, &token).await));
    assert!(is_cut_off(node.identities.bearer_token(&caller).await));
    assert!(is_cut_off(node.identities.log_in(&visitor(), None, login()).await));
    tokenize(node, &caller, id).await.expect("for longer than it detokenizes");
    drop(turn);
    in_time(node, async || detokenize(node, &caller, id, &token).await).await;
    in_time(node, async || node.identities.bearer_token(&caller).await).await;
    in_time(node, async || node.identities.log_in(&visitor(), None, login()).await).await;
}

#[tokio::test]
async fn a_node_that_is_cut_off_for_long_does_not_tokenize_either() {
    let limits = with(OutageLimits { tokenize_staleness_max: SHORT, ..OutageLimits::default() });
    let installation = Installation::with_limits(limits).await;
    let (node, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(node, &caller, "cards").await;
    in_time(node, async || tokenize(node, &caller, id).await).await;
    let turn = node.following.turn().await;
    tokio::time::sleep(2 * SHORT).await;
    assert!(is_cut_off(tokenize(node, &caller, id).await));
    drop(turn);
    in_time(node, async || tokenize(node, &caller, id).await).await;
}
