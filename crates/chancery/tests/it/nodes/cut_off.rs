//! A node whose database is there and does not answer, while the others go on.

use std::{
    io::{Read as _, Write as _},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, sleep},
    time::{Duration, Instant},
};

use chancery_testkit::{Database, Postgres, TempDir, temp_dir};
use serde_json::{Value, json};

use super::{ADMINISTRATORS, session};
use crate::{serve::Place, web::Session};

const ADMINISTRATOR: &str = "00000000-0000-0000-726f-000000000001";
const COUNT: u64 = 2_000;
/// A 64th, rounded up: what a node may have of it beforehand.
const SLICE: u64 = COUNT.div_ceil(64);

/// The way to a database, on which nothing gets through for a while.
struct Cable {
    folder: TempDir,
    is_cut: Arc<AtomicBool>,
}

impl Cable {
    fn to(database: &Database) -> Self {
        const SOCKET: &str = ".s.PGSQL.5432";
        let (folder, is_cut) = (temp_dir(), Arc::new(AtomicBool::new(false)));
        let there = std::path::Path::new(&host_of(&database.address())).join(SOCKET);
        let listener = UnixListener::bind(folder.path().join(SOCKET)).unwrap();
        let cut = Arc::clone(&is_cut);
        thread::spawn(move || {
            for here in listener.incoming().flatten() {
                let there = UnixStream::connect(&there).unwrap();
                for (from, to) in [(&here, &there), (&there, &here)] {
                    let (from, to, cut) = (from.try_clone().unwrap(), to.try_clone().unwrap(), Arc::clone(&cut));
                    thread::spawn(move || carry(from, to, &cut));
                }
            }
        });
        Self { folder, is_cut }
    }

    fn address(&self, database: &Database) -> String {
        let address = database.address();
        address.replace(&host_of(&address), &self.folder.path().display().to_string())
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::Relaxed);
    }
}

fn host_of(address: &str) -> String {
    address.split_once("host=").unwrap().1.split('&').next().unwrap().to_owned()
}

fn carry(mut from: UnixStream, mut to: UnixStream, is_cut: &AtomicBool) {
    let mut bytes = [0; 8192];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        while is_cut.load(Ordering::Relaxed) {
            sleep(Duration::from_millis(5));
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _closed = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// A profile that tokenizes so many values a month; the path of its batches.
fn profile(admin: &Session) -> String {
    let made = |path: &str, body: Value| {
        let (status, answer) = admin.call("POST", path, Some(&body));
        assert_eq!(status, 200, "{path}: {answer}");
        answer["response"].clone()
    };
    let types = made("/api/v2/key-types/stubs", json!({"search": "AES-256 Tokenization"}));
    let key = made("/api/v2/keys", json!({"name": "cards", "keyTypeUuid": types["results"][0]["objInfo"]["uuid"]}));
    let budgets = json!([{"count": COUNT, "per": "Month"}]);
    let rule = |operation: &str, budgets: Value| json!({"roleUuid": ADMINISTRATOR, "operation": operation, "budgets": budgets});
    let rules = [rule("Tokenize", budgets), rule("Batch", json!([]))];
    let format = json!({"alphabet": "Decimal", "minLength": 13, "maxLength": 19});
    let profile = json!({"objInfo": {"name": "cards"}, "algorithm": "Ff1", "keyUuid": key["uuid"], "format": format,
        "controlRules": rules});
    let profile = made("/api/v2/token-profiles", profile);
    format!("/api/v2/token-profiles/{}/batch-tokenize", profile["objInfo"]["uuid"].as_str().unwrap())
}

/// How a client that takes what it gets fares at one node.
#[derive(Default)]
struct Taken {
    values: AtomicU64,
    /// Whether it was told that there is no value left.
    is_used_up: AtomicBool,
    others: AtomicU64,
}

fn take(node: &Session, path: &str, taken: &Taken, stop: &AtomicBool) {
    for size in [7, 1] {
        while !stop.load(Ordering::Relaxed) {
            let (status, answer) = node.call("POST", path, Some(&json!({"messages": vec!["4111111111111111"; size]})));
            match status {
                200 => drop(taken.values.fetch_add(size as u64, Ordering::Relaxed)),
                // A busy node says 429, too.
                429 if answer.to_string().contains("per Month, until") => break,
                _ => {
                    taken.others.fetch_add(1, Ordering::Relaxed);
                    sleep(Duration::from_millis(50));
                }
            }
        }
    }
    taken.is_used_up.store(true, Ordering::Relaxed);
}

fn within(time: Duration, what: &str, mut look: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !look() {
        assert!(begun.elapsed() < time, "not {what} in {time:?}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_node_that_is_cut_off_gives_out_its_slice_of_a_budget_and_no_more() {
    const PATIENCE: Duration = Duration::from_mins(2);
    let database = Postgres::shared().new_database();
    let cable = Cable::to(&database);
    let first = Place::on(database.address());
    let _made = first.init().run();
    let _changed = first.run(&["settings", "--api-access", "on"]).run();
    let places = [first.beside(), first.beside_on(cable.address(&database))];
    let (one, base) = first.serve(&[]);
    let admin = session(&first, &base, &ADMINISTRATORS);
    let path = profile(&admin);
    let (mut servers, mut nodes) = (vec![one], vec![admin.clone()]);
    for place in &places {
        let (server, base) = place.serve(&[]);
        nodes.push(admin.clone().at(&base, &place.path("data/tls/ca.pem")));
        servers.push(server);
    }
    let taken: Arc<[Taken; 3]> = Arc::default();
    let stop = Arc::new(AtomicBool::new(false));
    let total = || taken.iter().map(|one| one.values.load(Ordering::Relaxed)).sum::<u64>();
    let clients: Vec<_> = nodes
        .iter()
        .cloned()
        .enumerate()
        .map(|(index, node)| {
            let (path, taken, stop) = (path.clone(), Arc::clone(&taken), Arc::clone(&stop));
            thread::spawn(move || take(&node, &path, &taken[index], &stop))
        })
        .collect();
    within(PATIENCE, "a third of it taken", || total() > COUNT / 3);
    let [_, _, cut_off] = &*taken;
    assert!(cut_off.values.load(Ordering::Relaxed) > 0, "the third node gave nothing");
    cable.cut(true);
    let before = cut_off.values.load(Ordering::Relaxed);
    within(PATIENCE, "used up at the others", || taken[..2].iter().all(|one| one.is_used_up.load(Ordering::Relaxed)));
    within(PATIENCE, "refused where the database does not answer", || cut_off.others.load(Ordering::Relaxed) > 2);
    let after = cut_off.values.load(Ordering::Relaxed) - before;
    // One call may have been under way, and it may have leased another slice just before.
    assert!(after <= 2 * SLICE, "{after} values without the database");
    assert!((COUNT - 3 * SLICE..=COUNT).contains(&total()), "{} in all", total());
    cable.cut(false);
    within(PATIENCE, "used up everywhere", || cut_off.is_used_up.load(Ordering::Relaxed));
    stop.store(true, Ordering::Relaxed);
    clients.into_iter().for_each(|client| client.join().unwrap());
    assert!((COUNT - 3 * SLICE..=COUNT).contains(&total()), "{} in all", total());
    let used = admin.call("GET", &path.replace("batch-tokenize", "budgets"), None).1;
    assert!(used["response"]["budgets"][0]["used"].as_u64().unwrap() >= total(), "{used} of {}", total());
    servers.into_iter().for_each(|server| assert!(server.stop().success()));
}
