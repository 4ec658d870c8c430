//! Certificates are found by their serial numbers, whichever group they are in.

use chancery_store::Store;
use chancery_store::tables::certificates::{self, Filter, Position, Row};
use chancery_store::{generated_sql, sql};
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, read, write};

on_both!(
    a_certificate_joins_the_newest_group_and_some_open_one,
    serial_numbers_are_found_in_every_group,
    an_issuer_gives_a_number_once,
);

const AUTHORITY: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);

/// Those whose number ends with zeros open a group.
const fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | number)
}

/// One issued by the authority, with the number in its id and in its serial number.
pub(crate) fn certificate(number: u128) -> Row {
    let name = format!("host-{number}");
    Row {
        id: id(number),
        name: name.clone(),
        name_key: name.clone(),
        subject: format!("CN={name}"),
        subject_key: format!("cn={name}"),
        issuer_id: AUTHORITY,
        profile_id: Uuid::nil(),
        serial: format!("4A{number:X}"),
        not_before_s: 1,
        not_after_s: 2,
        spec: "EC-P256".to_owned(),
        key_id: None,
        trusted: number == 1,
        der: vec![0x30, 0],
        revoked_at_s: None,
        revocation_reason: None,
        origin: "Generated".to_owned(),
        approval: None,
    }
}

pub(crate) async fn insert(store: &Store, row: Row) -> Outcome<()> {
    write(store, move |tx| Box::pin(async move { certificates::insert(tx, &row).await })).await
}

pub(crate) async fn by_serial(store: &Store, issuer: Uuid, serial: &str) -> Option<Row> {
    let serial = serial.to_owned();
    read(store, move |tx| Box::pin(async move { certificates::by_serial(tx, issuer, &serial).await })).await.unwrap()
}

/// The authority, and certificates of the groups 0 to 3.
const NUMBERS: [u128; 7] = [1, 2, 0x1_0000, 3, 0x2_0000, 0x3_0000, 4];

async fn fill(f: &Fixture) {
    for number in NUMBERS {
        insert(&f.store, certificate(number)).await.unwrap();
    }
}

/// The groups of certificates in the order of their ids.
pub(crate) async fn groups(store: &Store, rest: &str) -> Vec<i64> {
    let text = format!("SELECT serial_group FROM certificates {rest} ORDER BY id");
    read(store, move |tx| Box::pin(generated_sql(text).all(tx))).await.unwrap()
}

async fn a_certificate_joins_the_newest_group_and_some_open_one(f: Fixture) {
    fill(&f).await;
    // Of 1 to 4, then of those that opened one.
    assert_eq!(groups(&f.store, "").await, [0, 0, 1, 3, 1, 2, 3]);
}

async fn serial_numbers_are_found_in_every_group(f: Fixture) {
    assert_eq!(by_serial(&f.store, AUTHORITY, "4A1").await, None, "there are no groups");
    fill(&f).await;
    for number in NUMBERS {
        let wanted = certificate(number);
        assert_eq!(by_serial(&f.store, AUTHORITY, &wanted.serial).await.as_ref(), Some(&wanted));
        assert_eq!(by_serial(&f.store, wanted.id, &wanted.serial).await.is_some(), number == 1, "of another issuer");
        for issuer_id in [Some(AUTHORITY), None] {
            let filter = Filter { serial: Some(wanted.serial.clone()), issuer_id, ..Filter::default() };
            assert_eq!(listed(&f, filter).await, [wanted.id]);
        }
    }
    assert_eq!(by_serial(&f.store, AUTHORITY, "4A5").await, None);
    write(&f.store, |tx| Box::pin(sql("UPDATE certificates SET trusted = 0").execute(tx))).await.unwrap();
    let filter = Filter { serial: Some("4A2".to_owned()), ..Filter::default() };
    assert!(listed(&f, filter).await.is_empty(), "of no trusted issuer");
}

async fn listed(f: &Fixture, filter: Filter) -> Vec<Uuid> {
    let part = read(&f.store, move |tx| {
        Box::pin(
            async move { certificates::list(tx, &filter, Position::Name(String::new(), Uuid::nil()), 10, 10).await },
        )
    });
    part.await.unwrap().rows.into_iter().map(|row| row.id).collect()
}

async fn an_issuer_gives_a_number_once(f: Fixture) {
    fill(&f).await;
    let again = |issuer_id| Row { id: id(5), issuer_id, ..certificate(4) };
    assert!(insert(&f.store, again(AUTHORITY)).await.is_err());
    insert(&f.store, again(id(2))).await.unwrap();
}
