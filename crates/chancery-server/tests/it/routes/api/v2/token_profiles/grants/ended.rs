//! What waits is bounded for each caller, and what a grant lists is gone once nobody can use it.

use super::*;
use crate::app::TestApp;

/// Of how many grants there are lists.
fn lists(app: &TestApp) -> u64 {
    app.rows("detokenize_grant_tokens")
}

#[track_caller]
fn is_one_too_many(reply: &Reply, name: &str) {
    reply.refused(409, "InvalidState", None);
    let message = format!("{name} has asked for 20 grants that wait for approvals");
    assert!(reply.text().contains(&message) && reply.text().contains("take one back"), "{}", reply.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_caller_has_twenty_grants_that_wait_and_no_more() {
    let world = World::with(Setup::default(), 1).await;
    let active = world.granted(json!({})).await;
    let mut waiting = Vec::new();
    for _ in 0..20 {
        waiting.push(uuid(&world.ask(json!({})).await));
    }
    is_one_too_many(&world.ask(json!({})).await, "clerk");
    let other = world.bench.app.person("other", &[world.role.parse().unwrap()]).await;
    let body = json!({"reason": "mine", "maxValues": 1, "lifetime": hours("1")});
    uuid(&other.post(&world.path("grants"), body.clone()).await);
    // What took effect waits for nobody, and ends for nothing here; what is decided on, or taken back, makes room.
    world.end(&world.clerk, &active).await.response();
    is_one_too_many(&world.ask(json!({})).await, "clerk");
    world.end(&world.clerk, &waiting[0]).await.response();
    uuid(&world.ask(json!({})).await);
    world.end(&world.bench.admin, &waiting[1]).await.response();

    // Of those that ask for the last one at the same time one gets it.
    let (path, mut asking) = (world.path("grants"), Vec::new());
    for _ in 0..6 {
        let (client, path, body) =
            (world.bench.app.logged_in(&[("clerk", PASSWORD)]).await, path.clone(), body.clone());
        asking.push(tokio::spawn(async move { client.post(&path, body).await.status.as_u16() }));
    }
    let mut answers = Vec::new();
    for one in asking {
        answers.push(one.await.unwrap());
    }
    answers.sort_unstable();
    assert_eq!(answers, [200, 409, 409, 409, 409, 409]);
}

#[tokio::test]
async fn each_of_those_who_ask_together_is_counted() {
    let world = World::with(Setup::default(), 1).await;
    let (app, admin) = (&world.bench.app, &world.bench.admin);
    let pairs = json!({"name": "pairs", "loginsRequired": 2, "perms": []});
    let pairs = admin.post("/api/v2/roles", pairs).await.response()["uuid"].as_str().unwrap().to_owned();
    let requested = json!({"numApprovals": 1, "requestLifetime": hours("1")});
    let rules = json!([{"roleUuid": pairs, "operation": "Detokenize", "approval": requested}]);
    world.patch(json!({"controlRules": rules})).await;
    for name in ["one", "two", "three", "four"] {
        admin.create_person(name, &[pairs.parse().unwrap()]).await;
    }
    let session = async |first, second| app.logged_in(&[(first, PASSWORD), (second, PASSWORD)]).await;
    let body = json!({"reason": "ours", "maxValues": 1, "lifetime": hours("1")});
    let asking = session("one", "two").await;
    for _ in 0..20 {
        uuid(&asking.post(&world.path("grants"), body.clone()).await);
    }
    is_one_too_many(&session("two", "three").await.post(&world.path("grants"), body.clone()).await, "two");
    uuid(&session("three", "four").await.post(&world.path("grants"), body.clone()).await);
    app.clock.advance_ms(3_600_000);
    // What waited too long waits no more.
    uuid(&session("one", "two").await.post(&world.path("grants"), body).await);
}

#[tokio::test]
async fn a_list_goes_with_whatever_ends_its_grant() {
    let world = World::with(Setup::default(), 1).await;
    let (app, admin) = (&world.bench.app, &world.bench.admin);
    let listed = || json!({"tokens": [world.token], "maxValues": 2});
    let ann = world.approver("ann").await;
    app.clock.advance_ms(1_000);
    for ends in [admin, &ann, &world.clerk] {
        let id = uuid(&world.ask(listed()).await);
        assert_eq!(lists(app), 1);
        assert_eq!(world.end(ends, &id).await.response()["state"], "Denied");
        assert_eq!(lists(app), 0, "denied, or taken back");
    }
    for ends in [admin, &world.clerk] {
        let id = uuid(&world.ask(listed()).await);
        approve(&ann, &id).await.response();
        shows(&world.detokenize(&world.token, Some(&id)).await, MESSAGE);
        assert_eq!(lists(app), 1);
        assert_eq!(world.end(ends, &id).await.response()["state"], "Revoked");
        assert_eq!(lists(app), 0, "revoked");
        world.detokenize(&world.token, Some(&id)).await.refused(409, "InvalidState", Some("/grantUuid"));
        assert_eq!(world.read(&id).await["tokens"], 1, "how many there were stays");
    }
    let id = uuid(&world.ask(listed()).await);
    approve(&ann, &id).await.response();
    world.batch(2, &id).await.response();
    assert_eq!(lists(app), 0, "used up");
    world.detokenize(&world.token, Some(&id)).await.refused(409, "InvalidState", Some("/grantUuid"));

    let id = uuid(&world.ask(listed()).await);
    world.patch(json!({"controlRules": rules(&["Tokenize"])})).await;
    assert_eq!(approve(&ann, &id).await.response()["state"], "Failed");
    assert_eq!(lists(app), 0, "failed");
    world.patch(json!({"controlRules": demanding(&world.role, 1)})).await;

    let identity = admin.identity_uuid("clerk").await;
    uuid(&world.ask(listed()).await);
    admin.post_nothing(&format!("/api/v2/identities/{identity}/lock")).await.response();
    assert_eq!(lists(app), 0, "locked");
    admin.post_nothing(&format!("/api/v2/identities/{identity}/unlock")).await.response();
    let world = World { clerk: app.logged_in(&[("clerk", PASSWORD)]).await, ..world };
    let id = uuid(&world.ask(json!({"tokens": [world.token]})).await);
    world.bench.admin.delete(&format!("/api/v2/identities/{identity}")).await.response();
    assert_eq!(lists(&world.bench.app), 0, "removed");
    approve(&ann, &id).await.refused(409, "InvalidState", None);
}

#[tokio::test]
async fn a_list_goes_once_the_time_of_its_grant_is_over() {
    let world = World::with(Setup::default(), 1).await;
    let mut all = demanding(&world.role, 1);
    all[1]["approval"]["requestLifetime"] = hours("1");
    world.patch(json!({"controlRules": all})).await;
    let listed = |lifetime| json!({"tokens": [world.token], "lifetime": hours(lifetime)});
    let (ended, lasts) = (world.granted(listed("1")).await, world.granted(listed("8")).await);
    let lapsed = uuid(&world.ask(listed("8")).await);
    assert_eq!(lists(&world.bench.app), 3);
    world.bench.app.clock.advance_ms(2 * 3_600_000 + 1);
    let World { bench: Bench { app, admin: _, key }, profile, role, token, other, .. } = world;
    let app = app.restarted().await;
    let begun = std::time::Instant::now();
    while lists(&app) > 1 && begun.elapsed().as_secs() < 20 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(lists(&app), 1, "of the one that lasts");
    let (admin, clerk) = (app.admin().await, app.logged_in(&[("clerk", PASSWORD)]).await);
    let world = World { bench: Bench { app, admin, key }, profile, role, clerk, token, other };
    world.detokenize(&world.other, Some(&lasts)).await.refused(403, "NotAuthorized", Some("/token"));
    shows(&world.detokenize(&world.token, Some(&lasts)).await, MESSAGE);
    world.detokenize(&world.token, Some(&ended)).await.refused(409, "InvalidState", Some("/grantUuid"));
    assert_eq!(world.read(&lapsed).await["state"], "Failed");
}

#[tokio::test]
async fn a_grant_is_not_approved_for_whom_the_role_was_taken_from() {
    let world = World::with(Setup::default(), 1).await;
    let ann = world.approver("ann").await;
    world.bench.app.clock.advance_ms(1_000);
    let id = uuid(&world.ask(json!({})).await);
    world.bench.app.clock.advance_ms(1_000);
    let spare = new_role(&world.bench.admin, "spare").await;
    let path = format!("/api/v2/identities/{}", world.bench.admin.identity_uuid("clerk").await);
    // Got back it is of no use either: whoever lost it asks again.
    for roles in [json!([spare]), json!([spare, world.role])] {
        world.bench.admin.patch(&path, json!({"roleUuids": roles})).await.response();
        let refused = approve(&ann, &id).await;
        refused.refused(409, "InvalidState", None);
        assert!(refused.text().contains("has lost the role"), "{}", refused.text());
    }
    let world = World { clerk: world.bench.app.logged_in(&[("clerk", PASSWORD)]).await, ..world };
    assert_eq!(world.read(&id).await["state"], "Approval", "it still waits to be denied");
    assert_eq!(world.end(&ann, &id).await.response()["state"], "Denied");
    let again = uuid(&world.ask(json!({})).await);
    let bob = world.approver("bob").await;
    approve(&bob, &again).await.response();
    shows(&world.detokenize(&world.token, Some(&again)).await, MESSAGE);
}

/// As with a new key, whoever comes by what somebody else made is nobody who was there before.
#[tokio::test]
async fn a_grant_is_of_no_use_to_a_secret_that_somebody_else_made_since() {
    let world = World::with(Setup::default(), 1).await;
    let (app, admin) = (&world.bench.app, &world.bench.admin);
    let till = json!({"name": "till", "kind": "Application", "roleUuids": [world.role]});
    let till = admin.post("/api/v2/identities", till).await.response().clone();
    let keys = format!("/api/v2/identities/{}/api-keys", till["uuid"].as_str().unwrap());
    let key = admin.get(&keys).await.response()["results"][0]["objInfo"]["uuid"].as_str().unwrap().to_owned();
    let rotate = format!("{keys}/{key}/rotate");
    let by = |reply: &Reply| app.nobody().with_bearer(reply.response()["apiKey"].as_str().unwrap());
    let first = app.nobody().with_bearer(till["apiKey"].as_str().unwrap());
    let ann = world.approver("ann").await;
    app.clock.advance_ms(1_000);
    let body = json!({"reason": "ours", "maxValues": 9, "lifetime": hours("1")});
    let grant = uuid(&first.post(&world.path("grants"), body).await);
    approve(&ann, &grant).await.response();
    let path = world.path("detokenize");
    shows(&first.post(&path, sent(&world.token, Some(&grant))).await, MESSAGE);
    app.clock.advance_ms(1_000);
    let second = by(&first.post(&rotate, json!({})).await);
    shows(&second.post(&path, sent(&world.token, Some(&grant))).await, MESSAGE);
    app.clock.advance_ms(1_000);
    let third = by(&admin.post(&rotate, json!({})).await);
    third.post(&path, sent(&world.token, Some(&grant))).await.refused(403, "NotAuthorized", Some("/grantUuid"));
    let fourth = by(&third.post(&rotate, json!({})).await);
    fourth.post(&path, sent(&world.token, Some(&grant))).await.refused(403, "NotAuthorized", Some("/grantUuid"));
}
