//! The journal of the data plane, from the calls of a server that is killed to what the host is told afterwards.

use std::{fs, path::Path};

use chancery_testkit::{Ran, temp_dir};
use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::process::{Demo, chancery};

const CALLS: usize = 200;

fn audit(data: &Path, what: &[&str]) -> Ran {
    chancery(&[&["audit"][..], what].concat())
        .arg("--data")
        .arg(data)
        .arg("--root-key")
        .arg(data.join("root.key"))
        .try_run()
}

fn who(data: &Path, token: &str) -> Ran {
    audit(data, &["who", token, "--profile", "demo cards"])
}

#[test]
fn whoever_read_a_token_is_told_after_a_kill_and_what_was_changed_is_found() {
    let folder = temp_dir();
    let data = folder.path().join("data");
    let mut demo = Demo::start(folder.path(), &[]);
    let (client, profile) = (demo.client(), demo.text("/demo/tokenProfileUuid").parse().unwrap());
    let made = client.tokenize(profile, "4012 8888 8888 1881").unwrap();
    let token = made.token.clone();
    let others: Vec<_> = (0..CALLS).map(|number| client.tokenize(profile, &luhn(number)).unwrap().token).collect();
    client.detokenize(profile, made).unwrap();
    demo.server.signal("-KILL");
    demo.server.wait();

    let told = who(&data, &token.replace(' ', ""));
    assert!(told.status.success(), "{}", told.stderr);
    let lines: Vec<Value> = told.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let actions: Vec<_> = lines.iter().map(|line| (&line["action"], &line["view"], &line["outcome"])).collect();
    let (success, full) = (Value::from("Success"), Value::from("Full"));
    assert_eq!(
        actions,
        [(&Value::from("Tokenize"), &Value::Null, &success), (&Value::from("Detokenize"), &full, &success)]
    );
    assert_eq!(lines[1]["identities"].as_array().unwrap().len(), 2, "both administrators: {}", lines[1]);
    assert_eq!(lines[1]["source"], "127.0.0.1");
    for token in [&others[0], &others[CALLS - 1]] {
        assert!(who(&data, token).status.success(), "the last answered call is there, too");
    }
    assert_eq!(who(&data, "4111111111111112").status.code(), Some(2));
    let later = audit(&data, &["who", &token, "--profile", "demo cards", "--from", "2100-01-01T00:00:00Z"]);
    assert_eq!(later.status.code(), Some(2), "{}", later.text());

    // Where nobody could look it is not said that nobody has.
    let nowhere = folder.path().join("nowhere");
    for (data, profile) in [(&nowhere, "demo cards"), (&data, "nosuch")] {
        let unseen = audit(data, &["who", &token, "--profile", profile]);
        assert_eq!(unseen.status.code(), Some(1), "{}", unseen.stderr);
    }
    let verified = audit(&data, &["verify-journal"]);
    assert!(verified.status.success(), "{}", verified.stderr);
    let state: Value = serde_json::from_str(&verified.text()).unwrap();
    let head = state["head"].as_str().unwrap().to_owned();
    let again = audit(&data, &["verify-journal", "--head", &head]);
    assert!(again.status.success(), "{}", again.stderr);

    let segment = fs::read_dir(data.join("journal")).unwrap().map(|file| file.unwrap().path());
    let segment = segment.filter(|path| path.extension().is_some_and(|it| it == "journal")).max().unwrap();
    let whole = fs::read(&segment).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    let mut changed = whole.clone();
    changed[end / 2] ^= 1;
    fs::write(&segment, &changed).unwrap();
    let found = audit(&data, &["verify-journal"]);
    assert_eq!(found.status.code(), Some(1));
    assert!(found.stderr.contains("Not whole: segment ") && found.stderr.contains(", record "), "{}", found.stderr);
    changed = whole.clone();
    changed[end - 300..].fill(0);
    fs::write(&segment, &changed).unwrap();
    let found = audit(&data, &["verify-journal", "--head", &head]);
    assert!(found.stderr.contains("Not whole"), "cut off: {}", found.stderr);
    fs::write(&segment, &whole).unwrap();
    assert!(audit(&data, &["verify-journal", "--head", &head]).status.success());
}

#[test]
fn a_server_tells_an_auditor_who_had_a_token_and_says_where_it_cannot() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let listen = demo.address();
    let (client, profile) = (demo.client(), demo.text("/demo/tokenProfileUuid").parse().unwrap());
    let made = client.tokenize(profile, "4012 8888 8888 1881").unwrap();
    let token = made.token.clone();
    client.detokenize(profile, made).unwrap();
    let auditor = json!({"name": "watcher", "kind": "Application", "roleUuids": [RoleId::AUDITOR]});
    let key = client.create_identity(&serde_json::from_value(auditor).unwrap()).unwrap().api_key.unwrap();
    let base = demo.text("/base").to_owned();
    let who = |arguments: &[&str]| {
        let arguments = [&["audit", "who", "--profile", "demo cards", "--ca", demo.text("/caFile")][..], arguments];
        chancery(&arguments.concat()).env("CHANCERY_SERVER", &base).env("CHANCERY_API_KEY", &key)
    };
    let told = who(&[&token, "--output", "json"]).run();
    let answer: Value = serde_json::from_str(&told.text()).unwrap();
    let calls = answer["response"]["items"].as_array().unwrap();
    let actions: Vec<_> = calls.iter().map(|call| call["action"].as_str().unwrap()).collect();
    assert_eq!((actions, &answer["response"]["complete"]), (vec!["Tokenize", "Detokenize"], &json!(true)));
    let table = who(&[]).input(format!("{token}\nanother line\n")).run();
    let lines: Vec<_> = table.text().lines().map(str::to_owned).collect();
    assert!(lines.len() == 3 && lines[2].contains("Admin1 + Admin2") && lines[2].contains("Full"), "{lines:?}");
    let nobody = who(&["4111111111111112"]).try_run();
    assert_eq!((nobody.status.code(), nobody.text().as_str()), (Some(2), ""), "{}", nobody.stderr);
    assert!(nobody.stderr.contains("Nobody"), "{}", nobody.stderr);
    let early = who(&[&token, "--to", "2020-01-01T00:00:00Z"]).try_run();
    assert_eq!(early.status.code(), Some(2), "{}", early.stderr);
    let wrong = who(&[&token, "--from", "yesterday"]).try_run();
    assert_eq!(wrong.status.code(), Some(5), "{}", wrong.stderr);
    let data = folder.path().join("data").display().to_string();
    let both = who(&[&token, "--data", &data, "--server", &base]).try_run();
    assert_eq!(both.status.code(), Some(2), "{}", both.stderr);
    assert!(both.stderr.contains("either a server"), "{}", both.stderr);

    // It starts with another journal: that of before is not looked through any more, and the answer says so.
    assert!(demo.server.stop().success());
    let elsewhere = folder.path().join("elsewhere").display().to_string();
    let demo = Demo::start_again(folder.path(), &listen, &["--journal-dir", &elsewhere]);
    let who = |arguments: &[&str]| {
        let arguments = [&["audit", "who", "--profile", "demo cards", "--ca", demo.text("/caFile")][..], arguments];
        chancery(&arguments.concat()).env("CHANCERY_SERVER", &base).env("CHANCERY_API_KEY", &key)
    };
    let told = who(&[&token]).try_run();
    assert_eq!((told.status.code(), told.text().as_str()), (Some(1), ""), "{}", told.stderr);
    assert!(told.stderr.contains("Not looked through: the journal of "), "{}", told.stderr);
}

#[test]
fn a_server_that_misses_its_journal_says_so() {
    let folder = temp_dir();
    let data = folder.path().join("data");
    let demo = Demo::start(folder.path(), &[]);
    assert!(demo.server.stop().success());
    fs::remove_dir_all(data.join("journal")).unwrap();
    let demo = Demo::start(folder.path(), &[]);
    assert!(demo.server.logs("a journal is not there"), "{}", demo.server.log());
    let database = data.join("chancery.db");
    let sql = "SELECT COUNT(*) FROM audit WHERE action = 'JournalMiss'";
    let told = chancery_testkit::Tool::new("sqlite3").args(["-cmd", ".timeout 5000"]).arg(&database).arg(sql).run();
    assert_eq!(told.text(), "1\n");
    let profile = demo.text("/demo/tokenProfileUuid").parse().unwrap();
    demo.client().tokenize(profile, "4111111111111111").unwrap();
}

/// A card number with a right check digit, another for each number.
fn luhn(number: usize) -> String {
    let digits = format!("4{number:014}");
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0') * if place % 2 == 0 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}
