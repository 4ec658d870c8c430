//! What is stored comes back, byte for byte, on both databases.

use chancery_store::tables::settings;
use chancery_store::{Columns, FromColumns, StoreError, generated_sql, sql};
use uuid::Uuid;

use crate::harness::{Fixture, Outcome, add_thing, read, things, write};

on_both!(
    texts_of_every_kind,
    a_nul_is_refused,
    texts_are_sorted_by_their_bytes,
    bytes_up_to_64_mib,
    numbers_at_their_bounds,
    nulls_flags_and_uuids,
    a_row_that_does_not_decode_is_an_error,
    each_parameter_has_its_value_in_whatever_order,
);

async fn texts_of_every_kind(f: Fixture) {
    let texts = [
        "",
        " ",
        "'; DROP TABLE things; --",
        "$1 ? :name",
        "naïve ﬀ ß İ",
        "e\u{301} é",
        "日本語",
        "😀\u{10FFFF}",
        "\u{1}\t\n\r\u{7f}",
    ];
    for (id, text) in (0..).zip(texts) {
        write(&f.store, move |tx| Box::pin(add_thing(tx, id, text))).await.unwrap();
    }
    assert_eq!(things(&f.store).await, texts);
}

async fn a_nul_is_refused(f: Fixture) {
    for text in ["\0", "a\0b", "a\0"] {
        let outcome = write(&f.store, move |tx| Box::pin(add_thing(tx, 1, text))).await;
        assert_eq!(outcome, Err(StoreError::Text));
        let found = read(&f.store, move |tx| {
            Box::pin(async move { sql("SELECT COUNT(*) FROM things WHERE name = $1").bind(text).one::<i64>(tx).await })
        });
        assert_eq!(found.await, Err(StoreError::Text));
    }
}

/// PostgreSQL's own order here would be that of English.
async fn texts_are_sorted_by_their_bytes(f: Fixture) {
    for name in ["ä", "b", "a", "B", "z", "-a", "Z"] {
        write(&f.store, move |tx| Box::pin(settings::set(tx, name, "0"))).await.unwrap();
    }
    let names: Vec<_> =
        read(&f.store, |tx| Box::pin(settings::all(tx))).await.unwrap().into_iter().map(|row| row.name).collect();
    assert_eq!(names, ["-a", "B", "Z", "a", "b", "z", "ä"]);
}

#[derive(Debug, PartialEq)]
struct Bytes(Option<Vec<u8>>);

impl FromColumns for Bytes {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Bytes(columns.optional("bytes")?))
    }
}

async fn bytes_up_to_64_mib(f: Fixture) {
    let every_byte: Vec<u8> = (0..=255).collect();
    let large: Vec<u8> = (0..64 << 20).map(|place: u32| (place % 251) as u8).collect();
    for (id, bytes) in (0_i64..).zip([None, Some(vec![]), Some(every_byte), Some(b"12".to_vec()), Some(large)]) {
        let stored = bytes.clone();
        write(&f.store, move |tx| {
            Box::pin(async move {
                sql("INSERT INTO things (id, bytes) VALUES ($1, $2)").bind(id).bind(stored).execute(tx).await
            })
        })
        .await
        .unwrap();
        let found = read(&f.store, move |tx| {
            Box::pin(async move { sql("SELECT bytes FROM things WHERE id = $1").bind(id).one::<Bytes>(tx).await })
        });
        assert!(found.await == Ok(Bytes(bytes)), "row {id}");
    }
}

async fn numbers_at_their_bounds(f: Fixture) {
    let numbers =
        [i64::MIN, i64::MIN + 1, -(1 << 53) - 1, -1, 0, 1, i64::from(u32::MAX), (1 << 53) + 1, i64::MAX - 1, i64::MAX];
    for number in numbers {
        write(&f.store, move |tx| {
            Box::pin(async move { sql("INSERT INTO things (id) VALUES ($1)").bind(number).execute(tx).await })
        })
        .await
        .unwrap();
    }
    let found: Outcome<Vec<i64>> =
        read(&f.store, |tx| Box::pin(sql("SELECT id FROM things ORDER BY id").all(tx))).await;
    assert_eq!(found.unwrap(), numbers);
}

#[derive(Debug, PartialEq)]
struct Mixed {
    flag: bool,
    count: u32,
    uuid: Uuid,
    no_uuid: Option<Uuid>,
    no_number: Option<i64>,
    no_text: Option<String>,
}

impl FromColumns for Mixed {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Mixed {
            flag: columns.get("flag")?,
            count: columns.get("count")?,
            uuid: columns.get("uuid")?,
            no_uuid: columns.optional("no_uuid")?,
            no_number: columns.optional("no_number")?,
            no_text: columns.optional("no_text")?,
        })
    }
}

async fn nulls_flags_and_uuids(f: Fixture) {
    const ECHO: &str = "SELECT CAST($1 AS BIGINT) AS flag, CAST($2 AS BIGINT) AS count, CAST($3 AS TEXT) AS uuid, \
        CAST($4 AS TEXT) AS no_uuid, CAST($5 AS BIGINT) AS no_number, CAST($6 AS TEXT) AS no_text";
    let uuid = Uuid::from_u128(0xFEDC_BA98_7654_3210_FEDC_BA98_7654_3210);
    let found = read(&f.store, move |tx| {
        Box::pin(async move {
            let echo = sql(ECHO).bind(true).bind(u32::MAX).bind(uuid);
            echo.bind(None::<Uuid>).bind(None::<i64>).bind(None::<&str>).one::<Mixed>(tx).await
        })
    });
    let expected = Mixed { flag: true, count: u32::MAX, uuid, no_uuid: None, no_number: None, no_text: None };
    assert_eq!(found.await, Ok(expected));
}

async fn a_row_that_does_not_decode_is_an_error(f: Fixture) {
    let rows = [
        "SELECT CAST(2 AS BIGINT) AS flag",
        "SELECT CAST(-1 AS BIGINT) AS count, CAST(1 AS BIGINT) AS flag",
        "SELECT CAST(1 AS BIGINT) AS flag, CAST(1 AS BIGINT) AS count, CAST('x' AS TEXT) AS uuid",
        "SELECT CAST(NULL AS BIGINT) AS flag",
        "SELECT CAST('1' AS TEXT) AS flag",
    ];
    for row in rows {
        let outcome = read(&f.store, move |tx| Box::pin(sql(row).one::<Mixed>(tx))).await;
        assert!(matches!(outcome, Err(StoreError::Internal(_))), "{row}: {outcome:?}");
    }
}

async fn each_parameter_has_its_value_in_whatever_order(f: Fixture) {
    const IN_ORDER: &str = "SELECT CAST($1 AS TEXT) || CAST($2 AS TEXT) || CAST($1 AS TEXT)";
    const TURNED: &str = "SELECT CAST($2 AS TEXT) || CAST($1 AS TEXT) || CAST($2 AS TEXT)";
    let found: Outcome<Vec<String>> = read(&f.store, |tx| {
        Box::pin(async move {
            let mut found = Vec::new();
            for value in ["b", "c"] {
                for text in [IN_ORDER, TURNED] {
                    found.push(sql(text).bind("a").bind(value).one(tx).await?);
                    found.push(generated_sql(text.to_owned()).bind("a").bind(value).one(tx).await?);
                }
            }
            Ok(found)
        })
    })
    .await;
    assert_eq!(found.unwrap(), ["aba", "aba", "bab", "bab", "aca", "aca", "cac", "cac"]);
    for bound in [sql(TURNED), sql(TURNED).bind("a")] {
        let missing: Outcome<String> = read(&f.store, |tx| Box::pin(bound.one(tx))).await;
        assert!(missing.is_err(), "{missing:?}");
    }
}
