//! Nobody gets more than was granted: clients at the same time, several nodes, a kill.

use std::sync::Arc;

use super::*;
use crate::app::TestApp;

/// Eight clients that go on until there is nothing left, single and batches mixed; how many values they got.
async fn eight(clients: Vec<Client>, path: &str, token: &str, grant: &str) -> u64 {
    let (path, token, grant) = (Arc::new(path.to_owned()), Arc::new(token.to_owned()), Arc::new(grant.to_owned()));
    let tasks = clients.into_iter().enumerate().map(|(index, client)| {
        let (path, token, grant) = (Arc::clone(&path), Arc::clone(&token), Arc::clone(&grant));
        tokio::spawn(async move {
            let mut got = 0;
            for size in [5 + index, 3] {
                let body = json!({"tokens": vec![&*token; size], "grantUuid": *grant});
                while client.post(&format!("{path}/batch-detokenize"), body.clone()).await.status.as_u16() == 200 {
                    got += size as u64;
                }
            }
            while client.post(&format!("{path}/detokenize"), sent(&token, Some(&grant))).await.status.as_u16() == 200 {
                got += 1;
            }
            got
        })
    });
    let tasks: Vec<_> = tasks.collect();
    let mut got = 0;
    for task in tasks {
        got += task.await.unwrap();
    }
    got
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn eight_clients_get_exactly_as_many_values_as_were_granted() {
    let world = World::with(Setup::default(), 1).await;
    let id = world.granted(json!({"maxValues": 211})).await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        clients.push(world.bench.app.logged_in(&[("clerk", PASSWORD)]).await);
    }
    let path = format!("{PROFILES}/{}", world.profile);
    assert_eq!(eight(clients, &path, &world.token, &id).await, 211);
    let uses =
        world.bench.admin.get(&format!("/api/v2/audit?action=DetokenizeGrantUse&objectUuid={id}&pageSize=1000")).await;
    let told =
        uses.response()["items"].as_array().unwrap().iter().map(|use_| use_["detail"]["values"].as_u64().unwrap());
    assert_eq!(told.sum::<u64>(), 211);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_together_give_out_exactly_as_many() {
    let world = World::with(Setup { postgres: true, ..Setup::default() }, 1).await;
    let id = world.granted(json!({"maxValues": 150})).await;
    let nodes = [world.bench.app.routes.clone(), world.bench.app.other_node().await];
    let mut clients = Vec::new();
    for index in 0..8 {
        let mut client = Client::new(nodes[index % 2].clone());
        client.bearer = world.bench.app.logged_in(&[("clerk", PASSWORD)]).await.bearer;
        clients.push(client);
    }
    let path = format!("{PROFILES}/{}", world.profile);
    assert_eq!(eight(clients, &path, &world.token, &id).await, 150);
    // Revoked on one, it is of no use on the other at once.
    let id = world.granted(json!({})).await;
    world.end(&world.bench.admin, &id).await.response();
    let mut client = Client::new(nodes[1].clone());
    client.bearer = world.clerk.bearer.clone();
    let reply = client.post(&world.path("detokenize"), sent(&world.token, Some(&id))).await;
    reply.refused(409, "InvalidState", Some("/grantUuid"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_kill_in_the_midst_gives_nobody_more() {
    let world = World::with(Setup::default(), 1).await;
    let id = world.granted(json!({"maxValues": 60})).await;
    let path = format!("{PROFILES}/{}", world.profile);
    let World { bench: Bench { app, admin, key: _ }, clerk, token, .. } = world;
    let mut got = 0;
    for _ in 0..7 {
        let body = json!({"tokens": vec![&token; 3], "grantUuid": id});
        clerk.post(&format!("{path}/batch-detokenize"), body).await.response();
        got += 3;
    }
    drop((admin, clerk));
    let app: TestApp = app.killed().await;
    let mut clients = Vec::new();
    for _ in 0..8 {
        clients.push(app.logged_in(&[("clerk", PASSWORD)]).await);
    }
    got += eight(clients, &path, &token, &id).await;
    assert_eq!(got, 60);
}
