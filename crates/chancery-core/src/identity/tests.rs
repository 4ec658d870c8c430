//! Login, sessions and tokens through the door, on real storage.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use chancery_store::{StoreError, tables::identity_roles};
use chancery_types::{
    AuthType, Base64, IdentityKind, Perm, RoleId,
    wire::{
        identities::CreateIdentity,
        login::{AuthCredentials, LoginRequest},
    },
};

use super::LoggedIn;
use crate::{
    Caller, Chancery, Credentials, Error, Host, Meaning, Result,
    testing::{Installation, PASSWORD, START_MS, request, visitor},
};

const MINUTE_MS: i64 = 60_000;

fn credentials(name: &str, password: &str) -> LoginRequest {
    let auth_credentials = AuthCredentials {
        username: Some(name.to_owned()),
        password: Some(Base64(password.as_bytes().to_vec())),
        ..AuthCredentials::default()
    };
    LoginRequest { auth_credentials, auth_type: AuthType::Userpass }
}

async fn log_in(chancery: &Chancery, cookie: Option<&str>, name: &str) -> Result<LoggedIn> {
    chancery.identities.log_in(&visitor(), cookie, credentials(name, PASSWORD)).await
}

/// The cookie of a session of Admin1 and Admin2.
async fn both(chancery: &Chancery) -> String {
    let first = log_in(chancery, None, "Admin1").await.unwrap();
    log_in(chancery, Some(&first.cookie), "Admin2").await.unwrap().cookie
}

async fn by_cookie(chancery: &Chancery, cookie: &str) -> Result<Caller> {
    chancery.identities.authenticate(request(), Credentials::Cookie(cookie.into())).await
}

async fn by_token(chancery: &Chancery, token: &str) -> Result<Caller> {
    chancery.identities.authenticate(request(), Credentials::Bearer(token.into())).await
}

async fn token(chancery: &Chancery, caller: &Caller) -> String {
    chancery.identities.bearer_token(caller).await.unwrap().token
}

fn meaning<T>(result: Result<T, Error>) -> Meaning {
    result.err().expect("a refusal").meaning()
}

#[tokio::test]
async fn two_administrators_complete_a_session() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let first = log_in(chancery, None, "Admin1").await.unwrap();
    let state = &first.answer.response;
    assert_eq!((state.fully_logged_in, state.management, state.perms.len()), (false, false, 0));
    assert_eq!(meaning(by_cookie(chancery, &first.cookie).await), Meaning::Unauthenticated, "half open");
    let second = log_in(chancery, Some(&first.cookie), "aDMIN2").await.unwrap();
    let state = &second.answer.response;
    assert_eq!((state.fully_logged_in, state.management, state.perms.as_slice()), (true, true, Perm::ALL));
    let caller = by_cookie(chancery, &second.cookie).await.unwrap();
    let names: Vec<_> = caller.members().iter().map(|member| member.name.as_str()).collect();
    assert_eq!((names.as_slice(), caller.roles()), (&["Admin1", "Admin2"][..], &[RoleId::ADMINISTRATOR][..]));
}

#[tokio::test]
async fn each_change_of_privilege_has_a_new_cookie_and_the_old_one_stops_working() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let first = log_in(chancery, None, "Admin1").await.unwrap();
    let second = log_in(chancery, Some(&first.cookie), "Admin2").await.unwrap();
    assert_ne!(first.cookie, second.cookie);
    assert_eq!(meaning(by_cookie(chancery, &first.cookie).await), Meaning::Unauthenticated);
    // The old cookie names no session any more, so this begins another.
    let third = log_in(chancery, Some(&first.cookie), "Admin3").await.unwrap();
    assert!(!third.answer.response.fully_logged_in);
    assert!(by_cookie(chancery, &second.cookie).await.is_ok());
}

#[tokio::test]
async fn a_refused_further_login_leaves_the_session_as_it_was() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let first = log_in(chancery, None, "Admin1").await.unwrap();
    for again in ["Admin1", "ADMIN1"] {
        assert_eq!(meaning(log_in(chancery, Some(&first.cookie), again).await), Meaning::Unauthenticated);
    }
    let wrong = chancery.identities.log_in(&visitor(), Some(&first.cookie), credentials("Admin2", "wrong")).await;
    assert_eq!(meaning(wrong), Meaning::Unauthenticated);
    let second = log_in(chancery, Some(&first.cookie), "Admin2").await.unwrap();
    assert!(second.answer.response.fully_logged_in);
    for further in ["Admin1", "Admin3"] {
        assert_eq!(meaning(log_in(chancery, Some(&second.cookie), further).await), Meaning::Unauthenticated);
    }
    assert!(by_cookie(chancery, &second.cookie).await.is_ok());
}

/// As a former release gave such roles.
#[tokio::test]
async fn an_application_that_holds_a_role_of_two_persons_already_completes_no_login() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let robot = CreateIdentity {
        name: "robot".to_owned(),
        kind: IdentityKind::Application,
        role_uuids: vec![RoleId::APPLICATION],
        password: Some(Base64(PASSWORD.as_bytes().to_vec())),
        one_time: false,
        api_key: None,
        networks: Vec::new(),
        hours: Vec::new(),
    };
    let robot = chancery.identities.create_identity(&installation.administrators().await, robot).await.unwrap().uuid;
    let row = identity_roles::Row {
        identity_id: robot.into(),
        role_id: RoleId::ADMINISTRATOR.into(),
        assigned_at_ms: START_MS,
    };
    let stored: Result<_, StoreError> =
        chancery.storage.store().write(move |tx| Box::pin(async move { identity_roles::insert(tx, &row).await })).await;
    stored.unwrap();
    // A node that begins now has read it.
    let node = installation.other_node().await;
    let first = log_in(&node, None, "Admin1").await.unwrap();
    assert_eq!(meaning(log_in(&node, Some(&first.cookie), "robot").await), Meaning::Unauthenticated);
    let alone = log_in(&node, None, "robot").await.unwrap();
    assert_eq!((alone.answer.response.management, alone.answer.response.perms.len()), (false, 0));
    assert_eq!(by_cookie(&node, &alone.cookie).await.unwrap().roles(), [RoleId::APPLICATION]);
    assert_eq!(meaning(log_in(&node, Some(&alone.cookie), "Admin1").await), Meaning::Unauthenticated);
    let second = log_in(&node, Some(&first.cookie), "Admin2").await.unwrap();
    assert!(second.answer.response.management, "two persons complete theirs");
}

#[tokio::test]
async fn unknown_wrong_locked_and_delayed_are_refused_in_the_same_words() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let refusal = async |name: &str, password: &str| {
        chancery
            .identities
            .log_in(&visitor(), None, credentials(name, password))
            .await
            .err()
            .expect("a refusal")
            .message()
            .to_owned()
    };
    let unknown = refusal("nobody", PASSWORD).await;
    assert_eq!(refusal("Admin1", "wrong").await, unknown);
    assert_eq!(refusal("no\0body", PASSWORD).await, unknown);
    for _ in 0..4 {
        refusal("Admin1", "wrong").await;
    }
    assert_eq!(refusal("Admin1", PASSWORD).await, unknown, "delayed after the fifth wrong password");
    installation.clock.advance_ms(1_000);
    assert!(log_in(chancery, None, "Admin1").await.is_ok());
}

#[tokio::test]
async fn delays_leave_live_sessions_and_other_sources_alone() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let cookie = both(chancery).await;
    for _ in 0..8 {
        let wrong = chancery.identities.log_in(&visitor(), None, credentials("Admin1", "wrong")).await;
        assert_eq!(meaning(wrong), Meaning::Unauthenticated);
    }
    assert!(by_cookie(chancery, &cookie).await.is_ok());
    assert!(log_in(chancery, None, "Admin1").await.is_err(), "delayed here");
    let mut elsewhere = visitor();
    elsewhere.request.source = [198, 51, 100, 7].into();
    assert!(chancery.identities.log_in(&elsewhere, None, credentials("Admin1", PASSWORD)).await.is_ok());
}

#[tokio::test]
async fn a_source_may_try_600_logins_a_minute() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    // Incomplete requests count too and cost no Argon2 work, so that this test is quick.
    let mut incomplete = credentials("Admin1", PASSWORD);
    incomplete.auth_credentials.password = None;
    for _ in 0..600 {
        assert_eq!(meaning(chancery.identities.log_in(&visitor(), None, incomplete.clone()).await), Meaning::Malformed);
    }
    let error = log_in(chancery, None, "Admin1").await.err().unwrap();
    assert_eq!((error.meaning(), error.retry_after_s()), (Meaning::Busy, Some(61)));
    installation.clock.advance_ms(MINUTE_MS);
    assert!(log_in(chancery, None, "Admin1").await.is_ok());
}

#[tokio::test]
async fn sessions_end_half_open_idle_and_absolutely() {
    let installation = Installation::new().await;
    let (chancery, clock) = (&installation.chancery, &installation.clock);
    let first = log_in(chancery, None, "Admin1").await.unwrap();
    clock.advance_ms(5 * MINUTE_MS);
    let second = log_in(chancery, Some(&first.cookie), "Admin2").await.unwrap();
    assert!(!second.answer.response.fully_logged_in, "the half-open session had ended");

    let cookie = both(chancery).await;
    let token = token(chancery, &by_cookie(chancery, &cookie).await.unwrap()).await;
    clock.advance_ms(9 * MINUTE_MS);
    by_token(chancery, &token).await.unwrap();
    clock.advance_ms(14 * MINUTE_MS);
    by_cookie(chancery, &cookie).await.expect("the use of the bearer counts");
    for _ in 0..49 {
        clock.advance_ms(14 * MINUTE_MS);
        by_cookie(chancery, &cookie).await.unwrap();
    }
    clock.advance_ms(14 * MINUTE_MS);
    assert_eq!(meaning(by_cookie(chancery, &cookie).await), Meaning::Unauthenticated, "12 hours");

    let cookie = both(chancery).await;
    clock.advance_ms(15 * MINUTE_MS);
    assert_eq!(meaning(by_cookie(chancery, &cookie).await), Meaning::Unauthenticated, "idle");
}

#[tokio::test]
async fn a_token_lives_ten_minutes_and_dies_with_its_session() {
    let installation = Installation::new().await;
    let (chancery, clock) = (&installation.chancery, &installation.clock);
    let cookie = both(chancery).await;
    let caller = by_cookie(chancery, &cookie).await.unwrap();
    let first = token(chancery, &caller).await;
    by_token(chancery, &first).await.unwrap();
    clock.advance_ms(10 * MINUTE_MS - 1);
    let by_first = by_token(chancery, &first).await.unwrap();
    let second = token(chancery, &caller).await;
    let not_longer = token(chancery, &by_first).await;
    clock.advance_ms(1);
    assert_eq!(meaning(by_token(chancery, &first).await), Meaning::Unauthenticated, "expired, also from the cache");
    assert_eq!(meaning(by_token(chancery, &not_longer).await), Meaning::Unauthenticated, "a token prolongs no token");
    by_token(chancery, &second).await.unwrap();
    chancery.identities.log_out(request(), Credentials::Cookie(cookie.into())).await.unwrap();
    assert_eq!(meaning(by_token(chancery, &second).await), Meaning::Unauthenticated);
}

#[tokio::test]
async fn changed_tokens_are_refused() {
    let installation = Installation::new().await;
    let other = Installation::new().await;
    let chancery = &installation.chancery;
    let caller = by_cookie(chancery, &both(chancery).await).await.unwrap();
    let good = token(chancery, &caller).await;
    let (header, rest) = good.split_once('.').unwrap();
    let (claims, signature) = rest.split_once('.').unwrap();
    let none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
    let foreign =
        token(&other.chancery, &by_cookie(&other.chancery, &both(&other.chancery).await).await.unwrap()).await;
    for bad in [
        String::new(),
        "a.b.c".to_owned(),
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{signature}"),
        format!("{header}.{claims}.AAAA{}", &signature[4..]),
        format!("{header}.{}{claims}.{signature}", &claims[..4]),
        foreign,
        format!("{good}{}", "A".repeat(4096)),
        format!("{good} "),
    ] {
        assert_eq!(meaning(by_token(chancery, &bad).await), Meaning::Unauthenticated, "{bad}");
    }
    by_token(chancery, &good).await.unwrap();
}

#[tokio::test]
async fn a_restart_keeps_sessions_and_tokens() {
    let installation = Installation::new().await;
    let cookie = both(&installation.chancery).await;
    let half_open = log_in(&installation.chancery, None, "Admin1").await.unwrap().cookie;
    let token = token(&installation.chancery, &by_cookie(&installation.chancery, &cookie).await.unwrap()).await;
    installation.clock.advance_ms(9 * MINUTE_MS);
    by_token(&installation.chancery, &token).await.unwrap();
    installation.chancery.shut_down().await;
    let restarted = installation.other_node().await;
    by_token(&restarted, &token).await.unwrap();
    installation.clock.advance_ms(14 * MINUTE_MS);
    by_cookie(&restarted, &cookie).await.expect("the last use was written down");
    assert!(!log_in(&restarted, Some(&half_open), "Admin2").await.unwrap().answer.response.fully_logged_in);
}

#[tokio::test]
async fn other_nodes_see_sessions_begin_at_once_and_end_soon() {
    let installation = Installation::new().await;
    let (one, two) = (Arc::clone(&installation.chancery), installation.other_node().await);
    let first = log_in(&one, None, "Admin1").await.unwrap();
    let second = log_in(&two, Some(&first.cookie), "Admin2").await.unwrap();
    assert!(second.answer.response.fully_logged_in, "seen at once");
    by_cookie(&one, &second.cookie).await.unwrap();
    by_cookie(&two, &second.cookie).await.unwrap();
    one.identities.log_out(request(), Credentials::Cookie((&second.cookie).into())).await.unwrap();
    assert!(by_cookie(&one, &second.cookie).await.is_err());
    let ended = Instant::now();
    while by_cookie(&two, &second.cookie).await.is_ok() {
        assert!(ended.elapsed() < Duration::from_secs(30), "it never ends there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// As it is where a call has waited for what this node did not know yet.
#[tokio::test]
async fn a_session_that_ended_since_its_caller_was_authenticated_gets_no_token() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let (locked, ended) = (both(chancery).await, both(chancery).await);
    let of_locked = by_cookie(chancery, &locked).await.unwrap();
    let of_ended = by_cookie(chancery, &ended).await.unwrap();
    chancery.identities.bearer_token(&of_ended).await.unwrap();
    chancery.identities.log_out(request(), Credentials::Cookie((&ended).into())).await.unwrap();
    assert_eq!(meaning(chancery.identities.bearer_token(&of_ended).await), Meaning::Unauthenticated);
    let operator = installation.administrators().await;
    chancery.identities.lock_identity(&operator, of_locked.members()[0].id).await.unwrap();
    assert_eq!(meaning(chancery.identities.bearer_token(&of_locked).await), Meaning::Unauthenticated);
}

#[tokio::test]
async fn while_api_access_is_off_only_a_cookie_session_may_operate() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let cookie = both(chancery).await;
    let caller = by_cookie(chancery, &cookie).await.unwrap();
    let token = token(chancery, &caller).await;
    let off = chancery_types::wire::system::PatchSettings { api_access: Some(false), ..Default::default() };
    chancery.change_host_settings(&Host::running("test"), off).await.unwrap();
    assert_eq!(meaning(by_cookie(chancery, &cookie).await), Meaning::ApiAccessDisabled);
    assert_eq!(meaning(by_token(chancery, &token).await), Meaning::ApiAccessDisabled);
    let operator = async |credentials| chancery.identities.authenticate_operator(request(), credentials).await;
    assert_eq!(meaning(operator(Credentials::Bearer(token.into())).await), Meaning::ApiAccessDisabled);
    operator(Credentials::Cookie(cookie.into())).await.unwrap();
    assert_eq!(meaning(operator(Credentials::None).await), Meaning::Unauthenticated);
}
