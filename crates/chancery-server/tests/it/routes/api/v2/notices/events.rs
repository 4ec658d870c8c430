//! GET /api/v2/notices with `Accept: text/event-stream`.

use std::time::{Duration, Instant};

use axum::{
    body::{Body, BodyDataStream},
    http::{Request, StatusCode, header},
    response::Response,
};
use chancery_types::Perm;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{PATH, submit};
use crate::{app::Setup, client::Client, signing::Signing};

/// Longer than anything takes here, on a busy machine.
const LONG: Duration = Duration::from_secs(30);

/// An event as it came.
#[derive(Clone, Debug)]
struct Event {
    id: String,
    name: String,
    data: Value,
}

struct Events {
    body: BodyDataStream,
    text: String,
}

async fn ask(client: &Client, query: &str, last: Option<&str>) -> Response {
    let mut request = Request::get(format!("{PATH}{query}")).header(header::ACCEPT, "text/event-stream");
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    client.begin(request.body(Body::empty()).unwrap()).await
}

impl Events {
    /// Follows; the first event says so.
    async fn of(client: &Client, query: &str, last: Option<&str>) -> (Self, Event) {
        let answer = ask(client, query, last).await;
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/event-stream");
        let mut events = Self { body: answer.into_body().into_data_stream(), text: String::new() };
        let begun = events.next().await.unwrap();
        assert_eq!(begun.name, "begun");
        (events, begun)
    }

    /// The next event, or none at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((frame, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let of = |line: &str| {
                        line.strip_prefix(name).and_then(|line| line.strip_prefix(": ")).map(str::to_owned)
                    };
                    frame.lines().find_map(of).unwrap_or_default()
                };
                let (id, name, data) = (field("id"), field("event"), field("data"));
                self.text = rest.to_owned();
                if name.is_empty() {
                    continue;
                }
                return Some(Event { id, name, data: serde_json::from_str(&data).unwrap() });
            }
            let part = timeout(LONG, self.body.next()).await.expect("something comes")?;
            self.text.push_str(std::str::from_utf8(&part.unwrap()).unwrap());
        }
    }

    /// The objects of so many notices.
    async fn objects(&mut self, number: usize) -> Vec<Value> {
        let mut objects = Vec::new();
        while objects.len() < number {
            let event = self.next().await.expect("it goes on");
            assert_eq!(event.name, "notice");
            objects.push(event.data["objectUuid"].clone());
        }
        objects
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_comes_at_once_as_far_as_the_caller_may_see_it() {
    let signing = Signing::new().await;
    let service = signing.deploy("releases", 1).await;
    let (admin, app) = (&signing.admin, &signing.app);
    let submitter = app.with_perms("submitter", &[Perm::SigningSubmit]).await;
    let approver = app.with_perms("approver", &[Perm::SigningApprove]).await;
    let old = submit(admin, &service, "before anybody followed").await;
    let (mut of_approver, _) = Events::of(&approver, "", None).await;
    let (mut of_submitter, _) = Events::of(&submitter, "", None).await;
    let (mut of_denials, _) = Events::of(&approver, "?kind=Denied", None).await;

    let mut submitted = Vec::new();
    for name in ["one", "two", "three"] {
        submitted.push(submit(admin, &service, name).await);
    }
    let own = submit(&submitter, &service, "my own").await;
    submitted.push(own.clone());
    assert_eq!(of_approver.objects(4).await, submitted, "in the order in which it happened, and nothing old");
    assert_eq!(of_submitter.objects(1).await, std::slice::from_ref(&own), "nothing of what is not its own");
    let path = format!("/api/v2/x509/signing-requests/{}/deny", own.as_str().unwrap());
    approver.post(&path, json!({"note": "not this"})).await.response();
    let denied = of_denials.next().await.unwrap();
    assert_eq!((&denied.data["kind"], &denied.data["objectUuid"]), (&json!("Denied"), &own), "{denied:?}");
    assert!(!denied.data.to_string().contains("not this"));
    assert_ne!(old, own);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_was_cut_off_goes_on_after_the_last_event_without_loss() {
    let signing = Signing::new().await;
    let service = signing.deploy("releases", 1).await;
    let admin = &signing.admin;
    let (mut events, begun) = Events::of(admin, "", None).await;
    let first = submit(admin, &service, "first").await;
    let last = events.next().await.unwrap();
    assert_eq!(last.data["objectUuid"], first);
    drop(events);

    // More than are read at a time.
    let mut missed = Vec::new();
    for number in 0..130 {
        missed.push(submit(admin, &service, &format!("missed {number}")).await);
    }
    for (since, before) in [(&last, vec![]), (&begun, vec![first.clone()])] {
        let (mut events, _) = Events::of(admin, "", Some(&since.id)).await;
        let expected: Vec<_> = before.into_iter().chain(missed.iter().cloned()).collect();
        let mut came: Vec<Value> = Vec::new();
        while came.last() != expected.last() {
            came.extend(events.objects(1).await);
        }
        // What is only little older than the last event may come twice.
        came.retain(|object| expected.contains(object));
        assert_eq!(came, expected);
        let live = submit(admin, &service, "and then").await;
        assert_eq!(events.objects(1).await, std::slice::from_ref(&live));
        missed.push(live);
    }
    let (mut events, _) = Events::of(admin, "", Some("1-1")).await;
    assert_eq!(events.next().await.unwrap().name, "gap", "that is older than what is kept");
    for wrong in ["x", "1", "-1-1", "1-1-1", "99999999999999999999-1"] {
        let answer = ask(admin, "", Some(wrong)).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_with_the_session_within_a_second_and_a_little() {
    let signing = Signing::new().await;
    let admin = &signing.admin;
    let watcher = signing.app.with_perms("watcher", &[Perm::SigningApprove]).await;
    let (mut events, begun) = Events::of(&watcher, "", None).await;
    let uuid = admin.identity_uuid("watcher").await;
    let locked = Instant::now();
    admin.post_nothing(&format!("/api/v2/identities/{uuid}/lock")).await.response();
    assert!(events.next().await.is_none());
    // Before the connection is tried for its own sake, after 15 seconds.
    assert!(locked.elapsed() < Duration::from_secs(12), "{:?}", locked.elapsed());
    assert_eq!(ask(&watcher, "", Some(&begun.id)).await.status(), StatusCode::UNAUTHORIZED);

    let (mut events, _) = Events::of(admin, "", None).await;
    admin.post_nothing("/home/v1/logout").await;
    assert!(events.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_follows_more_often_than_the_limit_says() {
    let mut setup = Setup::default();
    (setup.limits.notices.followers_per_caller_max, setup.limits.notices.followers_max) = (2, 3);
    let signing = Signing::with(setup).await;
    let watcher = signing.app.with_perms("watcher", &[Perm::SigningApprove]).await;
    let (first, _) = Events::of(&watcher, "", None).await;
    let (_second, _) = Events::of(&watcher, "", None).await;
    assert_eq!(ask(&watcher, "", None).await.status(), StatusCode::TOO_MANY_REQUESTS, "the own share");
    let (_third, _) = Events::of(&signing.admin, "", None).await;
    assert_eq!(ask(&signing.admin, "", None).await.status(), StatusCode::TOO_MANY_REQUESTS, "that of all");
    drop(first);
    let _again = Events::of(&watcher, "", None).await;
}
