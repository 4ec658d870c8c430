use chancery_types::{IdentityId, IdentityKind};

use super::*;
use crate::{Meaning, signing::testing::Builds, testing::Installation};

fn member(id: u128, name: &str) -> Member {
    Member {
        id: IdentityId::from_u128(id),
        name: name.to_owned(),
        kind: IdentityKind::Person,
        trusted: Vec::new(),
        roles: Vec::new(),
        factor_at: None,
    }
}

#[test]
fn a_set_is_called_after_its_members_and_their_names_in_any_order() {
    let set = id_of(&[member(1, "ann"), member(2, "bob")]);
    // Other nodes call it so too, whatever release they are of.
    assert_eq!(set.to_string(), "93e85082-bcd1-87bb-a482-1cc4861049f5");
    assert_eq!(id_of(&[member(2, "bob"), member(1, "ann")]), set);
    for others in [
        vec![member(1, "ann")],
        vec![member(1, "ann"), member(2, "bobby")],
        vec![member(1, "bob"), member(2, "ann")],
        vec![member(1, "ann"), member(3, "bob")],
    ] {
        assert_ne!(id_of(&others), set, "{others:?}");
    }
}

#[test]
fn what_is_remembered_is_bounded() {
    let stored = StoredSubmitters::default();
    for set in 0..=SETS_MAX as u128 {
        stored.learn(Uuid::from_u128(set), true);
    }
    assert_eq!(stored.sets().len(), 1);
}

/// Each node stores the set with its first request, whoever was first, and names it from then on.
async fn every_request_says_who_submitted_it(installation: Installation) {
    let (one, caller) = (&installation.chancery, &installation.administrators().await);
    let other = &installation.other_node().await;
    let builds = Builds::deployed(one, caller).await;
    assert!(!one.signing.stored_submitters.has(set_id(caller)));
    let at_once: Vec<_> = (0..8).map(|turn| builds.submit(if turn % 2 == 0 { one } else { other }, caller)).collect();
    let mut requests = futures::future::try_join_all(at_once).await.unwrap();
    assert!(one.signing.stored_submitters.has(set_id(caller)) && other.signing.stored_submitters.has(set_id(caller)));
    requests.push(builds.submit(one, caller).await.unwrap());
    for request in requests {
        let names: Vec<_> = request.submitted_by.iter().map(|submitter| submitter.name.as_str()).collect();
        assert_eq!(names, ["Admin1", "Admin2"]);
    }
}

/// A database that lost the newest commits: nothing is stored that names nobody, and the next request stores the set.
async fn a_set_that_is_not_there_any_more_is_stored_again(installation: Installation) {
    let (chancery, caller) = (&installation.chancery, &installation.administrators().await);
    let builds = Builds::deployed(chancery, caller).await;
    chancery.signing.stored_submitters.learn(set_id(caller), true);
    let refusal = builds.submit(chancery, caller).await.unwrap_err();
    assert_eq!(refusal.meaning(), Meaning::Internal, "{refusal}");
    assert_eq!(builds.submit(chancery, caller).await.unwrap().submitted_by.len(), 2);
}

#[tokio::test]
async fn every_request_says_who_submitted_it_on_sqlite() {
    every_request_says_who_submitted_it(Installation::new().await).await;
}

#[tokio::test]
async fn every_request_says_who_submitted_it_on_postgresql() {
    every_request_says_who_submitted_it(Installation::on_postgres().await).await;
}

#[tokio::test]
async fn a_set_that_is_not_there_any_more_is_stored_again_on_sqlite() {
    a_set_that_is_not_there_any_more_is_stored_again(Installation::new().await).await;
}

#[tokio::test]
async fn a_set_that_is_not_there_any_more_is_stored_again_on_postgresql() {
    a_set_that_is_not_there_any_more_is_stored_again(Installation::on_postgres().await).await;
}
