//! GET /api/v2/x509/proposals.

use serde_json::{Value, json};

use super::Waiting;
use crate::signing::PROPOSALS;

#[tokio::test]
async fn proposals_are_listed_by_what_they_are_about() {
    let waiting = Waiting::new().await;
    let (first, second) = (waiting.propose(1).await, waiting.propose(2).await);
    waiting.ann.post(&format!("{PROPOSALS}/{first}/deny"), json!({})).await.response();
    let found = async |query: String| {
        let reply = waiting.ann.get(&format!("{PROPOSALS}?{query}")).await;
        let items = reply.response()["items"].as_array().unwrap().clone();
        let mut uuids: Vec<_> = items.iter().map(|one| one["objInfo"]["uuid"].as_str().unwrap().to_owned()).collect();
        uuids.sort();
        (uuids, reply.response()["total"].clone())
    };
    let mut both = vec![first.clone(), second.clone()];
    both.sort();
    let policy = &waiting.service.policy;
    for (query, expected) in [
        (String::new(), both.clone()),
        (format!("policyUuid={policy}&kind=Policy"), both),
        ("waiting=true".to_owned(), vec![second]),
        ("kind=Certificate".to_owned(), vec![]),
        ("policyUuid=00000000-0000-0000-0000-000000000000".to_owned(), vec![]),
    ] {
        let total = Value::from(expected.len());
        assert_eq!(found(query.clone()).await, (expected, total), "{query}");
    }
    assert_eq!(waiting.submitter.get(PROPOSALS).await.response()["total"], 0, "not their own");
}

#[tokio::test]
async fn bad_queries_are_refused() {
    let waiting = Waiting::new().await;
    for (query, error, field) in [
        ("kind=policy", "InvalidSelection", "/kind"),
        ("waiting=yes", "InvalidValue", "/waiting"),
        ("pageSize=0", "InvalidValue", "/pageSize"),
        ("after=x", "InvalidValue", "/after"),
    ] {
        waiting.ann.get(&format!("{PROPOSALS}?{query}")).await.refused(400, error, Some(field));
    }
}
