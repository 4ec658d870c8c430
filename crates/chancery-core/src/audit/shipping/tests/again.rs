//! What a target gets again, since it might have lost it.

use super::*;

/// Older ones, sent again because it might have lost them, are no sign that it takes that one.
#[tokio::test]
async fn one_record_that_a_receiver_never_takes_is_told_of_and_found() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, json!({"syslog": {"host": "logs.example.org"}})).await;
    let leaves = record(chancery, 1_300).await;
    let never = leaves - 60;
    *receiver.never.lock().unwrap() = Some(format!("sequence=\"{never}\""));
    for _ in 0..60 {
        while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
        installation.clock.advance_ms(3_600_000);
    }
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert_eq!((shipping.next_sequence, shipping.failing), (never, true), "{shipping:?}");
    assert_eq!(told(chancery, &caller, "AuditTargetFail").await.len(), 1);
    *receiver.never.lock().unwrap() = None;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert_eq!((shipping.failures, shipping.failing), (0, false));
}

#[tokio::test]
async fn a_receiver_of_syslog_gets_a_window_again_once_it_has_failed() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, json!({"syslog": {"host": "logs.example.org"}})).await;
    let leaves = record(chancery, 1_100).await;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    receiver.answer(0);
    record(chancery, 1).await;
    for _ in 0..2 {
        chancery.audit.ship_some(made.uuid.into()).await.unwrap();
        installation.clock.advance_ms(10_000);
        let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
        assert_eq!((shipping.next_sequence, shipping.error.as_deref()), (leaves - 1_000, Some("connection refused")));
    }
}

/// It may have lost what it took since, too.
#[tokio::test]
async fn a_receiver_of_syslog_that_fails_again_while_it_catches_up_gets_a_window_again() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, json!({"syslog": {"host": "logs.example.org"}})).await;
    let leaves = record(chancery, 2_000).await;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    record(chancery, 1).await;
    // A node that was started meanwhile knows as much. Batches are halved by a failure, and grow by a success.
    for (status, next) in [(0, 1_000), (0, 1_000), (200, 950), (0, 1_000), (0, 1_000), (200, 950)] {
        receiver.answer(status);
        let node = installation.node_with_notices(receiver.clone(), Limits::default()).await;
        node.audit.ship_some(made.uuid.into()).await.unwrap();
        installation.clock.advance_ms(60_000);
        let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
        assert_eq!(shipping.next_sequence, leaves - next, "{status}");
    }
    // One of two connections fails all the time: it gets on all the same, and is tried again soon.
    for turn in 0..200 {
        receiver.answer(if turn % 2 == 0 { 0 } else { 200 });
        chancery.audit.ship_some(made.uuid.into()).await.unwrap();
        installation.clock.advance_ms(4_000);
    }
    let caller = installation.administrators().await;
    let next = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping.next_sequence;
    assert!(next >= leaves - 200, "{next} of {leaves}");
    receiver.answer(200);
    chancery.audit.sequence_ledger().await.unwrap();
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    works_again(&installation, made.uuid).await;
}

/// It falls behind without end, although it is tried again soon after each failure.
#[tokio::test]
async fn a_target_that_refuses_every_second_batch_is_told_of() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, webhook()).await;
    record(chancery, 600).await;
    for (turn, failures) in [1, 1, 2, 2, 3, 3].into_iter().enumerate() {
        receiver.answer(if turn % 2 == 0 { 503 } else { 200 });
        chancery.audit.ship_some(made.uuid.into()).await.unwrap();
        installation.clock.advance_ms(1_000);
        let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
        assert_eq!((shipping.failures, shipping.failing), (failures, failures == 3), "{turn}");
    }
    assert_eq!(told(chancery, &caller, "AuditTargetFail").await.len(), 1);
    receiver.answer(200);
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert_eq!((shipping.behind, shipping.failures, shipping.failing), (0, 3, true), "{shipping:?}");
    works_again(&installation, made.uuid).await;
}

/// What is told of it is shipped, too: that must not be what it is told of again for, nor what brings the window again.
#[tokio::test]
async fn a_receiver_of_syslog_that_refuses_every_second_batch_is_told_of_once() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, json!({"syslog": {"host": "logs.example.org"}})).await;
    record(chancery, 1_100).await;
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    let leaves = record(chancery, 1).await;
    let mut refuses = true;
    // An hour, in which nothing else happens.
    for _ in 0..900 {
        chancery.audit.sequence_ledger().await.unwrap();
        for ready in chancery.audit.targets_behind().await.unwrap() {
            receiver.answer(if refuses { 0 } else { 200 });
            refuses = !refuses;
            chancery.audit.ship_some(ready).await.unwrap();
        }
        installation.clock.advance_ms(4_000);
    }
    let caller = installation.administrators().await;
    assert_eq!(told(chancery, &caller, "AuditTargetFail").await.len(), 1);
    assert_eq!(told(chancery, &caller, "AuditTargetResume").await.len(), 0);
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert!(shipping.failing && shipping.shipped < leaves + 3 * 1_000 + 100, "{shipping:?}");
    receiver.answer(200);
    chancery.audit.sequence_ledger().await.unwrap();
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    works_again(&installation, made.uuid).await;
}

/// It was sent less and less while it was down.
#[tokio::test]
async fn a_target_that_was_down_and_refuses_every_second_batch_gets_on() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let made = target(chancery, &caller, webhook()).await;
    let leaves = record(chancery, 1_000).await;
    for turn in 0..50 {
        receiver.answer(if turn < 10 || turn % 2 == 0 { 503 } else { 200 });
        chancery.audit.ship_some(made.uuid.into()).await.unwrap();
        installation.clock.advance_ms(60_000);
    }
    assert_eq!(receiver.sequences(), (0..leaves).collect::<Vec<_>>());
}

/// What was removed while it failed it cannot get any more; it waits for nothing.
#[tokio::test]
async fn a_target_that_went_back_behind_what_was_removed_goes_on_from_there() {
    let receiver = Receiver::new();
    let installation = Installation::with_notices(receiver.clone(), Limits::default()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let retention = AuditRetention { at_hand_days: Some(90), keep_days: Some(100), beyond_authorities_days: None };
    let patch = PatchSettings { audit_retention: Some(retention), ..PatchSettings::default() };
    chancery.change_settings(&caller, patch).await.unwrap();
    let old = record(chancery, 10).await;
    installation.clock.advance_ms(102 * 86_400_000);
    let host = crate::Host::running("test");
    let kept = chancery.audit.keep_archives_now(&host).await.unwrap();
    assert_eq!((kept.made, kept.removed), (1, 1));
    let caller = installation.administrators().await;
    let made = target(chancery, &caller, json!({"syslog": {"host": "logs.example.org"}})).await;
    let write = chancery.storage.store().write(|tx| {
        Box::pin(async move {
            let back = "UPDATE audit_target_states SET next_leaf = 1, first_leaf = 0";
            Ok::<_, crate::Error>(chancery_store::generated_sql(back.to_owned()).execute(tx).await?)
        })
    });
    write.await.unwrap();
    while chancery.audit.ship_some(made.uuid.into()).await.unwrap() {}
    let shipping = chancery.audit.audit_target(&caller, made.uuid).await.unwrap().shipping;
    assert_eq!((shipping.failures, shipping.behind), (0, 0), "{shipping:?}");
    assert!(shipping.shipped + old <= shipping.next_sequence, "{shipping:?}");
}
