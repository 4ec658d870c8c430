//! Requests that were stored before they named a set of submitters.

use chancery_store::tables::signing_requests::Filter;
use chancery_store::tables::submitter_sets::Submitter;
use chancery_store::tables::{signing_requests, submitter_sets};
use chancery_store::{Page, Start, Store, sql};
use uuid::Uuid;

use crate::harness::{Fixture, back_to_lists_without_indexes, back_to_rows_without_macs, read, write};
use crate::migrations::{back_to_submitters_of_each_request, indexes};
use crate::row_keys::keys;

on_both!(requests_of_before_are_listed_and_read_by_their_submitters);

/// Submitters by their numbers, each with a name.
async fn requests_of_before_are_listed_and_read_by_their_submitters(f: Fixture) {
    const REQUESTS: [&[(u128, &str)]; 7] = [
        &[(0xa, "ann"), (0xb, "bob")],
        &[(0xb, "bob"), (0xa, "ann")],
        &[(0xa, "ann"), (0xb, "bobby")],
        &[(0xb, "bob")],
        // Reads like the first one's, but for the length.
        &[(0xa, "ann00000000-0000-0000-0000-00000000000b3:bob")],
        &[],
        &[],
    ];
    let request = |number: usize| Uuid::from_u128(0x100 + number as u128);
    let mut indexes_before = indexes(&f.store, "signing_requests", f.url.path().is_some()).await;
    // Of a later migration, which is not run again here; SQLite loses it with the table that is made anew.
    indexes_before.retain(|index| !index.contains("signing_requests_manifests"));
    let is_postgres = f.url.path().is_none();
    let before = write(&f.store, move |tx| {
        Box::pin(async move {
            back_to_rows_without_macs(tx, is_postgres).await?;
            back_to_lists_without_indexes(tx, is_postgres).await?;
            back_to_submitters_of_each_request(tx).await?;
            sql("INSERT INTO services (id, name, name_key, template, signing_format, created_at_ms) \
                VALUES ($1, 's', 's', 't', 'Raw', 1)")
            .bind(Uuid::from_u128(1))
            .execute(tx)
            .await?;
            sql("INSERT INTO signing_policies (id, service_id, name, num_approvals, hash_algorithm, rsa_pss, \
                self_approval) VALUES ($1, $2, 'p', 0, 'Sha2_256', 0, 'Never')")
            .bind(Uuid::from_u128(2))
            .bind(Uuid::from_u128(1))
            .execute(tx)
            .await?;
            for (number, submitters) in REQUESTS.into_iter().enumerate() {
                sql("INSERT INTO signing_requests (id, service_id, policy_id, name, name_key, state, reason, digest, \
                    signature, required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, \
                    existing_signature, pre_approval_id, repeats_id, items, version) \
                    VALUES ($1, $2, $3, 'R', $4, 'Signed', 'r', $5, $6, 1, 2, 3, 4, 'Replace', $7, $8, 5, 6)")
                .bind(request(number))
                .bind(Uuid::from_u128(1))
                .bind(Uuid::from_u128(2))
                .bind(number.to_string())
                .bind(vec![7_u8])
                .bind(vec![8_u8])
                .bind(Uuid::from_u128(9))
                .bind(Uuid::from_u128(10))
                .execute(tx)
                .await?;
                for (id, name) in submitters {
                    sql("INSERT INTO signing_submitters VALUES ($1, $2, $3)")
                        .bind(request(number))
                        .bind(Uuid::from_u128(*id))
                        .bind(*name)
                        .execute(tx)
                        .await?;
                }
            }
            Ok(())
        })
    });
    before.await.unwrap();
    let store = Store::open(&f.url, keys()).await.unwrap();
    let mut sets = Vec::new();
    for (number, expected) in REQUESTS.into_iter().enumerate() {
        let (row, found) = read(&store, move |tx| {
            Box::pin(async move {
                let row = signing_requests::by_id(tx, request(number)).await?.unwrap();
                let members = submitter_sets::members(tx, row.submitters_id).await?;
                Ok((row, members))
            })
        })
        .await
        .unwrap();
        let submitter = |(id, name): &(u128, &str)| Submitter { id: Uuid::from_u128(*id), name: (*name).to_owned() };
        let mut expected: Vec<_> = expected.iter().map(submitter).collect();
        expected.sort_by_key(|submitter| submitter.id);
        assert_eq!(found, expected, "{number}");
        let all = signing_requests::Row {
            id: request(number),
            service_id: Uuid::from_u128(1),
            policy_id: Uuid::from_u128(2),
            name: "R".into(),
            name_key: number.to_string(),
            state: "Signed".into(),
            reason: Some("r".into()),
            digest: vec![7],
            signature: Some(vec![8]),
            required_at_submission: 1,
            submitted_at_ms: 2,
            decided_at_ms: Some(3),
            expires_at_ms: Some(4),
            existing_signature: Some("Replace".into()),
            pre_approval_id: Some(Uuid::from_u128(9)),
            repeats_id: Some(Uuid::from_u128(10)),
            items: 5,
            submitters_id: row.submitters_id,
            version: 6,
            approval_digest: None,
        };
        assert_eq!(row, all);
        sets.push(row.submitters_id);
    }
    let equal: Vec<_> = sets.iter().map(|set| sets.iter().position(|first| first == set).unwrap()).collect();
    assert_eq!(equal, [0, 0, 2, 3, 4, 5, 5], "who submits the same is stored once");
    for (submitters, expected) in [
        (vec![0xa], vec![0, 1, 2, 4]),
        (vec![0xb], vec![0, 1, 2, 3]),
        (vec![0xa, 0xb], vec![0, 1, 2, 3, 4]),
        (vec![0xc], vec![]),
    ] {
        let filter =
            Filter { submitters: Some(submitters.iter().copied().map(Uuid::from_u128).collect()), ..Filter::default() };
        let page = Page { limit: 10, start: Start::Offset(0), count_max: 100, scan_max: 100 };
        let listed = read(&store, move |tx| Box::pin(async move { signing_requests::list(tx, filter, &page).await }))
            .await
            .unwrap();
        let found: Vec<_> = listed.rows.iter().map(|row| row.id).collect();
        assert_eq!(found, expected.into_iter().map(request).collect::<Vec<_>>(), "{submitters:?}");
        assert_eq!(listed.total as usize, found.len());
    }
    let indexes_after = indexes(&store, "signing_requests", f.url.path().is_some()).await;
    assert!(indexes_before.iter().all(|index| indexes_after.contains(index)), "{indexes_before:?} {indexes_after:?}");
}
