//! What somebody on the host does for people who cannot log in.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use chancery_client::Client;
use chancery_testkit::Tool;
use chancery_types::{Base64, wire::login::ChangePassword};

use super::Place;

#[test]
fn unlock_always_works_on_the_host() {
    let place = Place::new();
    let _made = place.init().run();
    let (server, base) = place.serve(&[]);
    let authority = fs::read(PathBuf::from(place.path("data")).join("tls/ca.pem")).unwrap();
    let log_in = |password: &str| {
        let client = chancery_client::Client::new(&base, &authority).unwrap();
        client.log_in("Admin1", password).map_err(|refused| refused.to_string())
    };
    // A wrong password counts when the delay after the one before is over. So the last delay is eight seconds, however
    // slow the machine is.
    for delay in [0, 0, 0, 0, 0, 1_000, 2_000, 4_000] {
        std::thread::sleep(std::time::Duration::from_millis(delay));
        log_in("wrong password").unwrap_err();
    }
    log_in("first password").expect_err("delayed after eight wrong passwords");
    // The command does not wait for servers, and does not say so.
    let unlocked = place.run(&["unlock", "ADMIN1"]).run();
    assert_eq!(
        unlocked.text(),
        "ADMIN1 was not locked; delays after wrong passwords end. A running server lets that identity log in within a \
         second.\n"
    );
    // The server follows what the command changed, and a right password that is too early counts as no wrong one.
    let started = std::time::Instant::now();
    while let Err(refused) = log_in("first password") {
        assert!(started.elapsed() < std::time::Duration::from_secs(20), "{refused}");
        std::thread::sleep(std::time::Duration::from_secs(1));
    }
    let unknown = place.run(&["unlock", "Nobody"]).try_run();
    assert!(!unknown.status.success() && unknown.stderr.contains("There is no such identity."), "{}", unknown.stderr);
    drop(server);
}

#[test]
fn recover_lets_somebody_in_again_beside_a_server_and_leaves_an_alarm() {
    let place = Place::new();
    let _made = place.init().run();
    let (server, base) = place.serve(&[]);
    let authority = fs::read(PathBuf::from(place.path("data")).join("tls/ca.pem")).unwrap();
    let client = || Client::new(&base, &authority).unwrap();
    let (one, two, once) = (place.path("one"), place.path("two"), place.path("once"));
    let recover = |words: &[&str]| place.run(&[&["recover", "ADMIN1"][..], words].concat()).try_run();
    let refused = |words: &[&str], code: i32, says: &str| {
        let refused = recover(words);
        assert_eq!(refused.status.code(), Some(code), "{words:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(says), "{words:?}: {}", refused.stderr);
    };
    refused(&[], 2, "0 are named; who could: Admin2");
    refused(&["--by", "Admin2", "--password-file", &two], 2, "1 are named; who could: Admin2");
    let emergency = ["--emergency", "the telephone was lost"];
    refused(&[&["--by", "Admin2", "--password-file", &one], &emergency[..]].concat(), 5, "Admin2 is not proved");
    refused(&[&["--by", "Admin1", "--password-file", &one], &emergency[..]].concat(), 2, "two others answer");
    refused(&["--emergency", " "], 2, "Say why");
    refused(
        &[&["--password-file", &one], &emergency[..]].concat(),
        2,
        "more of --password-file or --totp than of --by",
    );
    // A password that nobody would get is not set.
    let line = format!(
        "{} recover ADMIN1 --by admin2 --password-file {two} --emergency lost {} > /dev/full",
        crate::process::PROGRAM,
        place.installation().join(" ")
    );
    let unread = Tool::new("sh").args(["-c", &line]).try_run();
    assert_eq!(unread.status.code(), Some(1), "{}", unread.stderr);
    assert!(unread.stderr.contains("nobody reads it") && unread.stderr.contains("Nothing was"), "{}", unread.stderr);
    assert!(!client().log_in("Admin1", "first password").unwrap().fully_logged_in);

    let words = [&["--by", "admin2", "--password-file", &two, "--out", &once], &emergency[..]].concat();
    let done = recover(&words);
    assert!(done.status.success(), "{}", done.stderr);
    assert!(done.text().starts_with("Recovered Admin1: admin2 alone answered for it."), "{}", done.text());
    assert_eq!(fs::metadata(&once).unwrap().permissions().mode() & 0o777, 0o600);
    refused(&words, 2, "it exists already");
    // The server beside the command follows within a second.
    let begun = std::time::Instant::now();
    while client().log_in("Admin1", "first password").is_ok() {
        assert!(begun.elapsed().as_secs() < 20, "not seen in time");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let once = fs::read_to_string(&once).unwrap().trim().to_owned();
    assert!(!done.text().contains(&once), "{}", done.text());
    let told = client().log_in("Admin1", &once).unwrap_err().to_string();
    assert!(told.contains("for one use"), "{told}");
    let [password, new_password] = [once.as_str(), "a password of my own"].map(|text| Base64(text.as_bytes().to_vec()));
    let change = ChangePassword { username: "Admin1".to_owned(), password, totp: None, passkey: None, new_password };
    client().change_password(&change).unwrap();
    assert!(!client().log_in("Admin1", "a password of my own").unwrap().fully_logged_in);
    let metrics = String::from_utf8(client().body("GET", "/metrics", None).unwrap()).unwrap();
    assert!(metrics.contains("chancery_recovered_identities{by=\"One\"} 1\n"), "{metrics}");
    assert!(server.logs("was recovered on the host"), "{}", server.log());
}
