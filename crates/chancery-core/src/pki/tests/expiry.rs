//! Warnings of certificates that will end.

use super::*;

/// What was told of the ends of certificates, and how many days before; the newest first.
async fn expiries(chancery: &Chancery) -> Vec<(CertificateId, i64)> {
    let filter =
        tables::audit::Filter { action: Some("CertificateExpiry".to_owned()), ..tables::audit::Filter::default() };
    let start = chancery_store::Start::Offset(0);
    let page = chancery_store::Page { limit: 100, start, count_max: 100, scan_max: 100 };
    let list =
        chancery.storage.store().read(move |tx| Box::pin(async move { tables::audit::list(tx, filter, &page).await }));
    let records = list.await.map_err(Error::from).unwrap().rows.into_iter().map(|row| row.record);
    let told = records.map(|record| {
        let detail: serde_json::Value = serde_json::from_str(&record.detail).unwrap();
        (CertificateId::from(record.object.unwrap()), detail["days"].as_i64().unwrap())
    });
    told.collect()
}

/// The one whose clock is right takes back the mark that the other one has moved, and moves it itself.
#[tokio::test]
async fn two_nodes_whose_clocks_differ_do_not_tell_of_an_end_at_each_look() {
    const APART_MS: i64 = 2 * 3_600 * 1_000;
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let spec = KeySpec::Ec(Curve::P256);
    let (root, _) = issue(chancery, order(&BUILT_IN[0], spec, None)).await;
    let period = crate::pki::validity::Period { amount: 40, unit: ValidityUnit::Day };
    let (leaf, _) = issue(chancery, Order { period, ..order(&BUILT_IN[6], spec, Some(root)) }).await;
    let nodes = (installation.other_node().await, installation.other_node().await);
    for _ in 0..22 {
        nodes.0.pki.look_for_expiry().await.unwrap();
        installation.clock.advance_ms(APART_MS);
        nodes.1.pki.look_for_expiry().await.unwrap();
        installation.clock.advance_ms(-APART_MS);
        nodes.0.pki.look_for_expiry().await.unwrap();
        installation.clock.advance_ms(12 * 3_600 * 1_000);
    }
    assert_eq!(expiries(chancery).await, [(leaf, 30)]);
}

#[tokio::test]
async fn expiry_is_told_at_30_7_and_1_days_once_also_after_a_restart() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let spec = KeySpec::Ec(Curve::P256);
    let days = |amount| crate::pki::validity::Period { amount, unit: ValidityUnit::Day };
    let (root, _) = issue(chancery, order(&BUILT_IN[0], spec, None)).await;
    let (long, _) = issue(chancery, Order { period: days(40), ..order(&BUILT_IN[6], spec, Some(root)) }).await;
    let (short, _) = issue(chancery, Order { period: days(5), ..order(&BUILT_IN[6], spec, Some(root)) }).await;
    let mut told = Vec::new();
    for day in 0..41 {
        // Each look is another node's, as after a restart, and a second look tells nothing more.
        for node in [installation.other_node().await, installation.other_node().await] {
            node.pki.look_for_expiry().await.unwrap();
        }
        let records = expiries(chancery).await;
        told.extend(records[..records.len() - told.len()].iter().map(|(id, days)| (day, *id, *days)));
        installation.clock.advance_ms(24 * 3_600 * 1_000);
    }
    told.sort();
    assert_eq!(told, [(4, short, 1), (10, long, 30), (33, long, 7), (39, long, 1)]);
    let node = installation.other_node().await;
    node.pki.look_for_expiry().await.unwrap();
    assert_eq!(node.pki.expiring(&visitor()), [(30, 0), (7, 0), (1, 0)]);
}
