//! POST /api/v2/token-profiles/{uuid}/grants/{grantUuid}/revoke, and how else a grant ends.

use super::*;

#[tokio::test]
async fn it_ends_by_time_by_revocation_and_with_its_identity() {
    let world = World::with(Setup::default(), 1).await;
    let by_time = world.granted(json!({"lifetime": hours("1")})).await;
    world.bench.app.clock.advance_ms(3_599_999);
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let world = World { clerk, ..world };
    shows(&world.detokenize(&world.token, Some(&by_time)).await, MESSAGE);
    world.bench.app.clock.advance_ms(1);
    world.detokenize(&world.token, Some(&by_time)).await.refused(409, "InvalidState", Some("/grantUuid"));
    assert_eq!(world.read(&by_time).await["state"], "Ended");

    let admin = world.bench.app.admin().await;
    let approver = world.approver("stops").await;
    for stops in [&approver, &admin, &world.clerk] {
        let id = world.granted(json!({})).await;
        assert_eq!(world.end(stops, &id).await.response()["state"], "Revoked");
        let refused = world.detokenize(&world.token, Some(&id)).await;
        refused.refused(409, "InvalidState", Some("/grantUuid"));
        world.end(stops, &id).await.refused(409, "InvalidState", None);
    }
    let waiting = uuid(&world.ask(json!({})).await);
    assert_eq!(world.end(&world.clerk, &waiting).await.response()["state"], "Denied");
    let waiting = uuid(&world.ask(json!({})).await);
    assert_eq!(world.end(&admin, &waiting).await.response()["state"], "Denied");

    let (locked, asked) = (world.granted(json!({})).await, uuid(&world.ask(json!({})).await));
    let identity = admin.identity_uuid("clerk").await;
    for step in ["lock", "unlock"] {
        admin.post_nothing(&format!("/api/v2/identities/{identity}/{step}")).await.response();
    }
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let reply = clerk.post(&world.path("detokenize"), sent(&world.token, Some(&locked))).await;
    reply.refused(409, "InvalidState", Some("/grantUuid"));
    assert_eq!(approve(&approver, &asked).await.status.as_u16(), 409, "it ended with the lock");
}

#[tokio::test]
async fn it_ends_with_the_role_for_good() {
    let world = World::with(Setup::default(), 1).await;
    let id = world.granted(json!({})).await;
    world.bench.app.clock.advance_ms(1_000);
    let spare = new_role(&world.bench.admin, "spare").await;
    let identity = world.bench.admin.identity_uuid("clerk").await;
    let path = format!("/api/v2/identities/{identity}");
    world.bench.admin.patch(&path, json!({"roleUuids": [spare]})).await.response();
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let reply = clerk.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await;
    reply.refused(403, "NotAuthorized", Some("/grantUuid"));
    world.bench.admin.patch(&path, json!({"roleUuids": [spare, world.role]})).await.response();
    let clerk = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await;
    let reply = clerk.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await;
    reply.refused(403, "NotAuthorized", Some("/grantUuid"));
}
