//! A database that is to be read alone.

use std::path::Path;
use std::{fs, io};

use chancery_store::{OpenError, Store, StoreError, StoreUrl, sql};

use crate::harness::{Fixture, read, write};
use crate::row_keys::keys;

on_both!(
    what_is_looked_at_is_read_beside_its_writer,
    what_is_of_another_release_is_not_brought_up_to_date,
    what_nobody_made_is_not_made,
);

const ADD: &str = "INSERT INTO things (id, name) VALUES ($1, 'a thing')";

async fn count(store: &Store) -> i64 {
    read(store, |tx| Box::pin(sql("SELECT COUNT(*) FROM things").one::<i64>(tx))).await.unwrap()
}

async fn what_is_looked_at_is_read_beside_its_writer(fixture: Fixture) {
    let look = Store::open(&fixture.url.clone().read_only(), keys()).await.unwrap();
    assert_eq!(count(&look).await, 0);
    write(&fixture.store, |tx| Box::pin(sql(ADD).bind(1_i64).execute(tx))).await.unwrap();
    assert_eq!(count(&look).await, 1);
    let refused = write(&look, |tx| Box::pin(sql("DELETE FROM things").execute(tx))).await;
    assert!(matches!(refused, Err(StoreError::Internal(_))), "{refused:?}");
    let refused = read(&look, |tx| Box::pin(sql("DELETE FROM things").execute(tx))).await;
    refused.unwrap_err();
    assert_eq!(count(&fixture.store).await, 1);
    look.close().await;
}

async fn what_is_of_another_release_is_not_brought_up_to_date(fixture: Fixture) {
    fixture.store.close().await;
    let url = fixture.url.clone().read_only();
    let look = || Store::open(&url, keys());
    fixture.by_hand("DELETE FROM migrations WHERE name = '0103_audit_archives';");
    assert!(matches!(look().await, Err(OpenError::Older(_))));
    fixture.by_hand("UPDATE migrations SET name = '9999_of_tomorrow' WHERE name = '0101_token_key_versions';");
    assert!(matches!(look().await, Err(OpenError::Newer(name)) if name == "9999_of_tomorrow"));
    fixture.by_hand("DROP TABLE migrations;");
    assert!(matches!(look().await, Err(OpenError::Absent(_))));
}

async fn what_nobody_made_is_not_made(fixture: Fixture) {
    fixture.store.close().await;
    let Some(path) = fixture.url.path() else { return };
    let nowhere = path.with_file_name("nowhere.db");
    assert!(matches!(Store::open(&StoreUrl::file(&nowhere).read_only(), keys()).await, Err(OpenError::Absent(_))));
    fs::remove_file(beside(path, "-stamp")).unwrap();
    let before = files(path);
    assert_eq!(before.len(), 1, "the file is whole by itself");
    let look = Store::open(&fixture.url.clone().read_only(), keys()).await.unwrap();
    assert_eq!(count(&look).await, 0);
    look.close().await;
    assert_eq!(files(path), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_begins_to_write_a_file_is_noticed() {
    let fixture = Fixture::sqlite().await;
    fixture.store.close().await;
    let look = Store::open(&fixture.url.clone().read_only(), keys()).await.unwrap();
    let writer = Store::open(&fixture.url, keys()).await.unwrap();
    write(&writer, |tx| Box::pin(sql(ADD).bind(1_i64).execute(tx))).await.unwrap();
    // One connection is there already, and others are made for those who read at the same time.
    let reads = (0..4).map(|_| read(&look, |tx| Box::pin(sql("SELECT COUNT(*) FROM things").one::<i64>(tx))));
    let read = futures::future::join_all(reads).await;
    assert!(read.iter().any(|read| matches!(read, Err(StoreError::Unavailable(_)))), "{read:?}");
}

fn beside(path: &Path, what: &str) -> std::path::PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(what);
    name.into()
}

/// The files of the folder, and what is in them.
fn files(path: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let read = |entry: io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        (path, bytes)
    };
    let mut files: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().map(read).collect();
    files.sort();
    files
}
