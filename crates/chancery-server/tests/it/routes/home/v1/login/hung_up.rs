//! Whoever hangs up before a login is answered is counted, delayed and recorded as whoever waits.

use std::{sync::atomic::Ordering, time::Duration};

use futures::FutureExt as _;
use tokio::time::sleep;

use crate::{
    app::{PASSWORD, TestApp, until},
    directories::{CAROL_PASSWORD, Staff},
};

/// Until what nobody waits for is done.
const DONE: Duration = Duration::from_millis(1_500);

#[tokio::test]
async fn guesses_of_passwords_count_without_anybody_waiting_for_the_answer() {
    let app = TestApp::new().await;
    for _ in 0..5 {
        // Begun, and dropped.
        assert!(app.nobody().log_in("Admin1", "wrong").now_or_never().is_none());
    }
    sleep(DONE).await;
    assert_eq!(app.nobody().log_in("Admin1", PASSWORD).await.status, 401, "they delay");
    app.clock.advance_ms(60_000);
    sleep(DONE).await;
    let records = app.admin().await.get("/api/v2/audit?action=Login&outcome=InvalidAuthToken").await;
    let count = |item: &serde_json::Value| item["count"].as_u64().unwrap_or(1);
    let items = records.response()["items"].as_array().unwrap().clone();
    assert_eq!(items.iter().map(count).sum::<u64>(), 6, "{items:?}");
}

#[tokio::test]
async fn guesses_at_a_directory_count_and_keep_their_place() {
    let staff = Staff::new().await;
    *staff.fake.takes.lock().unwrap() = Duration::from_secs(60);
    let hang_up = || {
        let client = staff.app.nobody();
        assert!(staff.log_in(&client, "carol", "wrong").now_or_never().is_none());
    };
    for _ in 0..4 {
        hang_up();
    }
    until("four are asked", async || staff.fake.count() == 4).await;
    let client = staff.app.nobody();
    let fifth = staff.log_in(&client, "carol", "wrong").await;
    assert_eq!(fifth.status, 429, "four of a source ask at once, whether somebody waits for the answers or not");
    assert_eq!(staff.fake.count(), 4);
    *staff.fake.takes.lock().unwrap() = Duration::ZERO;
    let is_answered = || staff.fake.at_once.load(Ordering::SeqCst) == 0;
    until("four are answered", async || is_answered()).await;
    sleep(DONE).await;
    hang_up();
    until("one more is asked", async || staff.fake.count() == 5).await;
    until("it is answered", async || is_answered()).await;
    sleep(DONE).await;
    assert_eq!(staff.log_in(&client, "carol", CAROL_PASSWORD).await.status, 401, "they delay");
    assert_eq!(staff.fake.count(), 5);
    let refusals = staff.app.refused_logins().await;
    assert!(refusals.iter().any(|(detail, _)| detail["why"] == "Password"), "{refusals:?}");
}
