//! GET /api/v2/token-profiles/{uuid}/grants/{grantUuid}, and what approvers see of a grant.

use super::*;

#[tokio::test]
async fn approvers_see_who_why_how_much_and_what_was_granted_this_month() {
    let world = World::with(Setup::default(), 1).await;
    let first = world.granted(json!({"reason": "first", "tokens": [world.token]})).await;
    world.detokenize(&world.token, Some(&first)).await.response();
    let second = uuid(&world.ask(json!({"note": "please"})).await);
    let approver = world.approver("ann").await;
    let seen = approver.get(&format!("{PROPOSALS}/{second}")).await.response().clone();
    let (kind, name) = (&seen["kind"], &seen["objInfo"]["name"]);
    assert_eq!((kind, name), (&json!("DetokenizeGrant"), &json!("chargeback")));
    assert_eq!(seen["approvals"][0]["note"], "please");
    let shown = &seen["detokenizeGrant"];
    assert_eq!(shown["grant"]["requestedBy"][0]["name"], "clerk");
    assert_eq!(shown["grant"]["tokenProfile"], json!({"name": "cards", "uuid": world.profile}));
    assert_eq!((&shown["grant"]["maxValues"], &shown["grant"]["lifetimeS"]), (&json!(3), &json!(28_800)));
    let before = shown["thisMonth"].as_array().unwrap();
    assert_eq!(before.len(), 1, "{shown}");
    let counts = ["reason", "used", "tokens", "state"].map(|member| before[0][member].clone());
    assert_eq!(counts, [json!("first"), json!(1), json!(1), json!("Active")]);
    let digest = seen["digest"].clone();
    world.patch(json!({"objInfo": {"name": "other cards"}})).await;
    let approved = approver.post(&format!("{PROPOSALS}/{second}/approve"), json!({"digest": digest})).await;
    assert_eq!(approved.response()["state"], "Active");

    // Whoever asks sees of it what is their own.
    let submits = json!({"name": "submitters", "loginsRequired": 1, "perms": ["Signing:Submit"]});
    let submits =
        world.bench.admin.post("/api/v2/roles", submits).await.response()["uuid"].as_str().unwrap().to_owned();
    let roles = [&world.role, &submits].map(|role| role.parse().unwrap());
    let asking = world.bench.app.person("asking", &roles).await;
    let body = json!({"reason": "mine", "maxValues": 1, "lifetime": hours("1")});
    let mine = uuid(&asking.post(&world.path("grants"), body).await);
    let seen = asking.get(&format!("{PROPOSALS}/{mine}")).await.response()["detokenizeGrant"].clone();
    assert_eq!((&seen["grant"]["reason"], &seen["thisMonth"]), (&json!("mine"), &json!([])));
    world.end(&asking, &mine).await.response();

    let listed = approver.get(&world.path("grants")).await.response()["items"].as_array().unwrap().len();
    assert_eq!(listed, 3);
    let stranger = world.bench.app.person("stranger", &[world.role.parse().unwrap()]).await;
    assert_eq!(stranger.get(&world.path("grants")).await.response()["items"], json!([]));
    let path = world.path(&format!("grants/{first}"));
    stranger.get(&path).await.refused(403, "NotAuthorized", None);
    world.end(&stranger, &first).await.refused(403, "NotAuthorized", None);
    approver.get(&format!("{PROFILES}/{}/grants/{first}", NOTHING)).await.refused(404, "InvalidSelection", None);
    world.bench.app.clock.advance_ms(31 * 24 * 3_600_000);
    let approver = world.bench.app.logged_in(&[("ann", PASSWORD)]).await;
    let seen = approver.get(&format!("{PROPOSALS}/{second}")).await.response().clone();
    assert_eq!(seen["detokenizeGrant"]["thisMonth"], json!([]), "a month later");
}
