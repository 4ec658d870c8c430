//! Copies of a running database.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chancery_store::{BackupError, Store, StoreUrl, sql};
use chancery_testkit::temp_dir;

use crate::harness::{Fixture, add_thing, things, write};
use crate::row_keys::keys;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_made_under_load_holds_whole_works_and_all_that_were_answered_before() {
    let f = Fixture::sqlite().await;
    let stop = Arc::new(AtomicBool::new(false));
    let (store, stopped) = (f.store.clone(), Arc::clone(&stop));
    let load = tokio::spawn(async move {
        let mut id = 0;
        while !stopped.load(Ordering::Relaxed) {
            // Two rows a work: a copy has both or none.
            write(&store, move |tx| {
                Box::pin(async move {
                    add_thing(tx, id, &format!("first {id}")).await?;
                    add_thing(tx, id + 1, &format!("second {id}")).await
                })
            })
            .await
            .unwrap();
            id += 2;
        }
    });
    write(&f.store, |tx| Box::pin(add_thing(tx, -1, "before"))).await.unwrap();
    let folder = temp_dir();
    for number in 0..5 {
        let path = folder.path().join(format!("copy {number}.db"));
        f.store.backup(&path).await.unwrap();
        assert_eq!(mode(&path), 0o600);
        let copy = Store::open(&StoreUrl::file(&path), keys()).await.unwrap();
        assert!(copy.integrity_check().await.unwrap().is_empty());
        let names = things(&copy).await;
        assert_eq!(names[0], "before");
        assert_eq!(names.len() % 2, 1, "half a work was copied");
    }
    stop.store(true, Ordering::Relaxed);
    load.await.unwrap();
}

#[tokio::test]
async fn a_copy_never_replaces_a_file() {
    let f = Fixture::sqlite().await;
    let folder = temp_dir();
    let path = folder.path().join("old");
    std::fs::write(&path, "precious").unwrap();
    let refusal = f.store.backup(&path).await.unwrap_err();
    assert!(matches!(refusal, BackupError::Exists(_)), "{refusal}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    let refusal = f.store.backup(&folder.path().join("no/folder")).await.unwrap_err();
    assert!(matches!(refusal, BackupError::File { .. }), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_copied_by_its_own_tools() {
    let f = Fixture::postgres().await;
    let folder = temp_dir();
    let refusal = f.store.backup(&folder.path().join("copy")).await.unwrap_err();
    assert!(matches!(refusal, BackupError::Postgres), "{refusal}");
}

#[tokio::test]
async fn the_files_are_the_owners_alone() {
    let f = Fixture::sqlite().await;
    let path = f.url.path().unwrap();
    assert_eq!(mode(path), 0o600);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    assert_eq!(mode(Path::new(&log)), 0o600);
}

#[tokio::test]
async fn the_check_finds_a_row_that_refers_to_nothing() {
    let f = Fixture::sqlite().await;
    assert!(f.store.integrity_check().await.unwrap().is_empty());
    write(&f.store, |tx| {
        Box::pin(async move {
            add_thing(tx, 1, "one").await?;
            sql("INSERT INTO parts (id, thing) VALUES (1, 1)").execute(tx).await
        })
    })
    .await
    .unwrap();
    f.store.close().await;
    // Foreign keys are not looked at unless one asks.
    let path = f.url.path().unwrap().display().to_string();
    let script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('DELETE FROM things'); c.commit()";
    let _ = chancery_testkit::Tool::new("python3").args(["-c", script, &path]).run();
    let store = Store::open(&f.url, keys()).await.unwrap();
    assert_eq!(store.integrity_check().await.unwrap(), ["parts refers to rows that do not exist"]);
}

/// What a killed server leaves: the file and its log, as they are while it runs.
fn killed(f: &Fixture, to: &Path) {
    let from = f.url.path().unwrap();
    for what in ["", "-wal", "-stamp"] {
        let name = |path: &Path| format!("{}{what}", path.display());
        std::fs::copy(name(from), name(to)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_restored_beside_the_log_of_a_killed_server_is_refused_with_what_to_remove() {
    let f = Fixture::sqlite().await;
    write(&f.store, |tx| Box::pin(add_thing(tx, 1, "kept"))).await.unwrap();
    let folder = temp_dir();
    let (copy, place) = (folder.path().join("copy.db"), folder.path().join("place.db"));
    f.store.backup(&copy).await.unwrap();
    write(&f.store, |tx| Box::pin(add_thing(tx, 2, "later"))).await.unwrap();
    let beside = |what: &str| format!("{}{what}", place.display());
    for round in 0..2 {
        killed(&f, &place);
        if round == 0 {
            let own = Store::open(&StoreUrl::file(&place), keys()).await.unwrap();
            assert_eq!(things(&own).await, ["kept", "later"], "a killed server's own log is played");
            own.close().await;
            assert!(!Path::new(&beside("-wal")).exists(), "closed, it is folded in");
            continue;
        }
        std::fs::copy(&copy, &place).unwrap();
        let refusal = Store::open(&StoreUrl::file(&place), keys()).await.err().expect("another file's log").to_string();
        assert!(refusal.contains(&format!("remove {} and {}", beside("-wal"), beside("-shm"))), "{refusal}");
        std::fs::remove_file(beside("-wal")).unwrap();
        let restored = Store::open(&StoreUrl::file(&place), keys()).await.unwrap();
        assert_eq!(things(&restored).await, ["kept"]);
        write(&restored, |tx| Box::pin(add_thing(tx, 3, "goes on"))).await.unwrap();
    }
}

#[tokio::test]
async fn a_damaged_file_is_told_with_what_may_be_the_cause() {
    let folder = temp_dir();
    let path = folder.path().join("torn.db");
    std::fs::write(&path, "not at all what SQLite writes".repeat(100)).unwrap();
    let refusal = Store::open(&StoreUrl::file(&path), keys()).await.err().expect("no database").to_string();
    assert!(refusal.contains("is damaged") && refusal.contains("restored backup"), "{refusal}");
}

#[tokio::test]
async fn a_backup_that_was_killed_is_no_backup_and_the_next_one_removes_it() {
    let f = Fixture::sqlite().await;
    let folder = temp_dir();
    let (path, partial) = (folder.path().join("copy.db"), folder.path().join("copy.db.partial"));
    std::fs::write(&partial, "half").unwrap();
    let running = std::fs::File::open(&partial).unwrap();
    running.lock().unwrap();
    let refusal = f.store.backup(&path).await.unwrap_err();
    assert!(matches!(refusal, BackupError::Running(_)) && !path.exists(), "{refusal}");
    // Closing it would not do: a program that another test starts has the file too until it runs.
    running.unlock().unwrap();
    f.store.backup(&path).await.unwrap();
    assert!(!partial.exists());
    let copy = Store::open(&StoreUrl::file(&path), keys()).await.unwrap();
    assert!(copy.integrity_check().await.unwrap().is_empty());
}
