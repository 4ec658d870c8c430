//! `chancery audit verify`: a ledger from the calls of a server to what somebody finds out who has an export of it, and to what
//! the host is told of its database.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use chancery_client::Client;
use chancery_testkit::{Ran, Tool, temp_dir};
use chancery_types::wire::audit::{AuditCheckpoint, AuditExportQuery};
use serde_json::{Value, json};

use crate::process::{Demo, chancery};

fn verify(what: &[&str]) -> Ran {
    chancery(&[&["audit", "verify"][..], what].concat()).try_run()
}

fn verify_at(data: &Path, what: &[&str]) -> Ran {
    let (folder, key) = (data.display().to_string(), data.join("root.key").display().to_string());
    verify(&[what, &["--data", &folder, "--root-key", &key]].concat())
}

#[test]
fn what_was_done_to_an_export_or_to_the_database_is_named() {
    let folder = temp_dir();
    let data = folder.path().join("data");
    let mut demo = Demo::start(folder.path(), &[]);
    let client = demo.client();
    for number in 0..20 {
        let role = json!({"name": format!("role {number}"), "loginsRequired": 1, "perms": []});
        client.create_role(&serde_json::from_value(role).unwrap()).unwrap();
    }
    let (exported, newest) = exported_at_rest(&client);
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let (whole, kept) = (file("audit.jsonl", &exported), file("audit.checkpoint", &newest.checkpoint));
    let good = verify(&[&whole, "--checkpoint", &kept, "--key", &newest.key]);
    assert!(good.status.success(), "{}", good.stderr);
    let state: Value = serde_json::from_str(&good.text()).unwrap();
    assert_eq!((&state["newer"], &state["checkpoint"]["records"]), (&json!(0), &state["records"]));
    // Whatever tools have made of the ends.
    let ends = file("ends.jsonl", &format!("{}\r\n\r\n", exported.replace('\n', "\r\n")));
    let crlf = newest.checkpoint.replace('\n', "\r\n");
    let open = newest.checkpoint.trim_end();
    for note in [open, &format!("{open}\n\n"), &crlf, &format!("\r\n{crlf}\r\n")] {
        let good = verify(&[&ends, "--checkpoint", &file("ends.checkpoint", note), "--key", &newest.key]);
        assert!(good.status.success(), "{note:?}: {}", good.stderr);
    }
    for none in ["", "{}\n", &newest.checkpoint.replace("\n\n", "\n")] {
        let found = verify(&[&whole, "--checkpoint", &file("none.checkpoint", none), "--key", &newest.key]);
        assert_eq!(found.status.code(), Some(2), "{none:?}: {}", found.stderr);
        assert!(found.stderr.contains("it is no signed note"), "{}", found.stderr);
    }
    assert_eq!(verify(&[&whole, "--checkpoint", "nowhere", "--key", &newest.key]).status.code(), Some(2));
    let forged = file("forged.checkpoint", &newest.checkpoint.replacen("checkpoint ", "checkpoint 1", 1));
    assert_eq!(verify(&[&whole, "--checkpoint", &forged, "--key", &newest.key]).status.code(), Some(1));
    assert!(verify(&[&whole]).stderr.contains("compare it with one that you kept"));

    let line = exported.lines().find(|line| line.contains("\"role 7\"")).unwrap();
    let record: Value = serde_json::from_str(line).unwrap();
    let (leaf, number) = (&record["leaf"], &record["number"]);
    let changed = file("changed.jsonl", &exported.replace(line, &line.replace("role 7", "role 8")));
    let found = verify(&[&changed, "--key", &newest.key]);
    assert_eq!((found.status.code(), found.text().as_str()), (Some(1), ""));
    assert_eq!(found.stderr, format!("Not whole: leaf {leaf}, number {number}: the record was changed.\n"));
    let removed = file("removed.jsonl", &exported.replace(&format!("{line}\n"), ""));
    let found = verify(&[&removed, "--key", &newest.key]);
    assert!(found.stderr.contains(&format!("Not whole: leaf {leaf}: the record is missing")), "{}", found.stderr);
    let plain = io::read_to_string(client.export_audit(&AuditExportQuery::default()).unwrap()).unwrap();
    let found = verify(&[&file("plain.jsonl", &plain), "--key", &newest.key]);
    assert_eq!(found.status.code(), Some(2));
    assert!(found.stderr.contains("chancery audit export --ledger true"), "{}", found.stderr);
    assert_eq!(verify(&["nowhere.jsonl", "--key", &newest.key]).status.code(), Some(2));
    assert_eq!(verify(&[&file("other.jsonl", "no export\n")]).status.code(), Some(2));

    demo.server.signal("-TERM");
    demo.server.wait();
    let keyless = verify(&["--data", &data.display().to_string(), "--root-key", "nowhere"]);
    assert_eq!(keyless.status.code(), Some(2), "what cannot be opened says nothing of the records: {}", keyless.stderr);
    let good = verify_at(&data, &["--checkpoint", &kept]);
    assert!(good.status.success(), "{}", good.stderr);
    let journal = || {
        let verify = chancery(&["audit", "verify-journal", "--checkpoint", &kept, "--data"]).arg(&data);
        verify.arg("--root-key").arg(data.join("root.key")).try_run()
    };
    let own = journal();
    assert!(own.status.success(), "{}", own.stderr);
    // Another journal in its place is not the one of which the checkpoint speaks.
    let (place, aside) = (data.join("journal"), data.join("journal.aside"));
    fs::rename(&place, &aside).unwrap();
    let again = Demo::start(folder.path(), &[]);
    assert!(again.server.stop().success());
    let other = journal();
    assert_eq!(other.status.code(), Some(1), "{}", other.stderr);
    assert!(other.stderr.contains("is none that the checkpoint names: "), "{}", other.stderr);
    fs::remove_dir_all(&place).unwrap();
    fs::rename(&aside, &place).unwrap();
    let change = format!("UPDATE audit SET outcome = 'NotAuthorized' WHERE seq = {number}");
    let sqlite = Tool::new("sqlite3").arg(data.join("chancery.db")).arg(&change).run();
    assert_eq!(sqlite.text(), "");
    let found = verify_at(&data, &["--checkpoint", &kept]);
    assert_eq!(found.status.code(), Some(1));
    assert!(
        found.stderr.contains(&format!("leaf {leaf}, number {number}: the record was changed")),
        "{}",
        found.stderr
    );
}

/// The ledger and its newest checkpoint, of the same records: what a server counts it writes within a second, which may be
/// between the two.
fn exported_at_rest(client: &Client) -> (String, AuditCheckpoint) {
    let asked = AuditExportQuery { ledger: Some(true), ..AuditExportQuery::default() };
    for _ in 0..50 {
        let exported = io::read_to_string(client.export_audit(&asked).unwrap()).unwrap();
        let newest = client.audit_checkpoint().unwrap();
        if exported.contains(&serde_json::to_string(&newest.checkpoint).unwrap()) {
            return (exported, newest);
        }
    }
    panic!("there are new records each time");
}

/// Whoever checks a copy makes no evidence of it, and no trace in it.
#[test]
fn what_is_judged_is_neither_changed_nor_signed() {
    let folder = temp_dir();
    let data = folder.path().join("data");
    let demo = Demo::start(folder.path(), &[]);
    assert!(demo.server.stop().success());
    // A record of this moment, which nobody has vouched for yet.
    let forged = "INSERT INTO audit (at_ms, request_id, source, identities, action, outcome, detail, count) \
                  VALUES (unixepoch() * 1000, 'forged', '', '[]', 'KeyDisable', 'Success', 'null', 1)";
    let sqlite = Tool::new("sqlite3").arg(data.join("chancery.db")).arg(forged).run();
    assert_eq!(sqlite.text(), "");
    fs::remove_file(data.join("chancery.db-stamp")).unwrap();
    let before = files(&data);
    for _ in 0..2 {
        let found = verify_at(&data, &[]);
        assert!(found.status.success(), "{}", found.stderr);
        let state: Value = serde_json::from_str(&found.text()).unwrap();
        assert_eq!(state["newer"], 1);
        assert!(found.stderr.contains("nothing proves them yet"), "{}", found.stderr);
        for what in [&["audit", "verify-journal"][..], &["rows", "list"]] {
            let judged = chancery(&[what, &["--data"]].concat()).arg(&data).arg("--root-key");
            let judged = judged.arg(data.join("root.key")).try_run();
            assert!(judged.status.success(), "{what:?}: {}", judged.stderr);
        }
        assert_eq!(files(&data), before);
    }
}

/// What is in a folder, by its path.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}
