//! Several nodes, each a process, on one PostgreSQL.

mod cut_off;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, sleep},
    time::{Duration, Instant},
};

use chancery_testkit::{Database, Postgres};
use serde_json::json;

use crate::{process::Server, serve::Place, web::Session};

/// How soon a change is to be in force everywhere, with what a machine under load takes.
const SOON: Duration = Duration::from_secs(20);

fn session(place: &Place, base: &str, logins: &[(&str, &str)]) -> Session {
    let authority = place.path("data/tls/ca.pem");
    Session::of(base, &authority, Path::new(&place.path("x")).parent().unwrap(), logins)
}

const ADMINISTRATORS: [(&str, &str); 2] = [("Admin1", "first password"), ("Admin2", "second password")];

/// A new approver.
fn person(admin: &Session, name: &str) -> String {
    let roles = ["00000000-0000-0000-726f-000000000003"];
    let password = chancery_types::Base64::encode(b"third password");
    let body = json!({"name": name, "kind": "Person", "roleUuids": roles, "password": password});
    let (status, made) = admin.call("POST", "/api/v2/identities", Some(&body));
    assert_eq!(status, 200, "{made}");
    made["response"]["uuid"].as_str().unwrap().to_owned()
}

/// Stops the process where it has changed something and not committed.
fn pause_in_a_change(server: &Server, database: &Database) {
    let begun = Instant::now();
    loop {
        server.signal("-STOP");
        let open = "SELECT COUNT(*) FROM pg_stat_activity \
            WHERE datname = current_database() AND state = 'idle in transaction' AND backend_xid IS NOT NULL";
        if database.psql(open).trim() != "0" {
            return;
        }
        server.signal("-CONT");
        assert!(begun.elapsed() < Duration::from_secs(60), "it never stood in a change");
        sleep(Duration::from_millis(7));
    }
}

/// Whether this comes true soon.
fn soon(mut look: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < SOON {
        if look() {
            return true;
        }
        sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn one_authority_vouches_for_every_node_and_no_start_tells_of_tables_that_are_there() {
    let database = Postgres::shared().new_database();
    let first = Place::on(database.address());
    let _made = first.init().run();
    let _changed = first.run(&["settings", "--api-access", "on"]).run();
    let second = first.beside();
    let (one, one_base) = first.serve(&[]);
    let (other, other_base) = second.serve(&[]);
    let authority = |place: &Place| std::fs::read(place.path("data/tls/ca.pem")).unwrap();
    assert_eq!(authority(&first), authority(&second));
    // Both are asked by what the first one's clients trust.
    let admin = session(&first, &one_base, &ADMINISTRATORS);
    for base in [&one_base, &other_base] {
        let there = admin.clone().at(base, &first.path("data/tls/ca.pem"));
        let (status, answer) = there.call("GET", "/api/v2/identities/stubs", None);
        assert_eq!(status, 200, "{answer}");
    }
    for server in [&one, &other] {
        assert!(server.log().contains("serving") && !server.log().contains("already exists"), "{}", server.log());
    }
    assert!(one.stop().success());
    // Under another name it has another certificate, and its clients trust it as before.
    let (before, certificate) = (authority(&first), std::fs::read(first.path("data/tls/tls.pem")).unwrap());
    let (one, base) = first.serve(&["--tls-name", "kms.example"]);
    assert_ne!(std::fs::read(first.path("data/tls/tls.pem")).unwrap(), certificate);
    assert_eq!(authority(&first), before);
    session(&second, &base, &ADMINISTRATORS);
    assert!(one.stop().success() && other.stop().success());
}

#[test]
fn a_node_that_stands_still_in_a_change_holds_up_none_of_the_others() {
    let database = Postgres::shared().new_database();
    let first = Place::on(database.address());
    let _made = first.init().run();
    let _changed = first.run(&["settings", "--api-access", "on"]).run();
    let second = first.beside();
    let (paused, paused_base) = first.serve(&[]);
    let (other, base) = second.serve(&[]);
    let admin = session(&second, &base, &ADMINISTRATORS);
    let there = session(&first, &paused_base, &ADMINISTRATORS);
    let (sam, eve) = (person(&admin, "sam"), person(&admin, "eve"));
    let path = |id: &str, what: &str| format!("/api/v2/identities/{id}/{what}");

    for round in 0..3 {
        let of_sam = session(&second, &base, &[("sam", "third password")]);
        let there_too = of_sam.clone().at(&paused_base, &first.path("data/tls/ca.pem"));
        let listed = |session: &Session, status| session.call("GET", "/api/v2/x509/signing-requests", None).0 == status;
        assert!(soon(|| listed(&of_sam, 200) && listed(&there_too, 200)), "round {round}: not logged in");
        // The first node changes this and that, until it is stopped.
        let stop = Arc::new(AtomicBool::new(false));
        let load: Vec<_> = (0..4)
            .map(|_| {
                let (there, stop, eve) = (there.clone(), Arc::clone(&stop), eve.clone());
                thread::spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        for what in ["lock", "unlock"] {
                            there.call("POST", &format!("/api/v2/identities/{eve}/{what}"), None);
                        }
                    }
                })
            })
            .collect();
        pause_in_a_change(&paused, &database);
        stop.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let (status, answer) = admin.call("POST", &path(&sam, "lock"), None);
        let took = began.elapsed();
        assert_eq!(status, 200, "round {round}: {answer}");
        assert!(took < SOON, "round {round}: the lock took {took:?}");
        assert!(soon(|| listed(&of_sam, 401)), "round {round}: it is not in force");
        sleep(Duration::from_secs(6).saturating_sub(began.elapsed()));
        let began = Instant::now();
        let (status, answer) = admin.call("POST", &path(&eve, "unlock"), None);
        assert!(status == 200 && began.elapsed() < SOON, "round {round}: {status} {answer}");
        paused.signal("-CONT");
        assert!(soon(|| listed(&there_too, 401)), "round {round}: the node that was paused does not follow");
        load.into_iter().for_each(|one| one.join().unwrap());
        assert_eq!(admin.call("POST", &path(&sam, "unlock"), None).0, 200);
    }
    assert!(paused.stop().success() && other.stop().success());
}
