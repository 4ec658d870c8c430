//! A database that cannot be written for a while, under a running server.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_client::Client;
use chancery_testkit::{Tool, temp_dir};
use chancery_types::{Base64, SigningRequestId, SigningRequestState, wire::signing_requests::SubmitRequest};

use crate::{
    process::{Demo, Server},
    web::status,
};

/// How long a server may take to notice that nothing can be written, or that it can again.
const NOTICED: Duration = Duration::from_secs(60);

fn submit(demo: &Demo, client: &Client, bytes: usize) -> Result<SigningRequestId, String> {
    let request = SubmitRequest {
        upload_data: Some(Base64(vec![7; bytes])),
        ..SubmitRequest::new(
            format!("{bytes} bytes"),
            demo.text("/demo/serviceUuid").parse().unwrap(),
            demo.text("/demo/policyUuid").parse().unwrap(),
        )
    };
    client.submit(&request).map(|submitted| submitted.uuid).map_err(|refused| refused.to_string())
}

fn is_ready(demo: &Demo) -> bool {
    match status(demo.text("/base"), "/readyz", demo.text("/caFile")).as_str() {
        "200" => true,
        "503" => false,
        other => panic!("/readyz is {other}"),
    }
}

fn within(time: Duration, what: &str, mut look: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !look() {
        assert!(begun.elapsed() < time, "not {what} in {time:?}");
        sleep(Duration::from_millis(100));
    }
}

fn sqlite(database: &Path, text: &str) -> String {
    Tool::new("sqlite3").args(["-cmd", ".timeout 5000"]).arg(database).arg(text).run().text().trim().to_owned()
}

const TOKENIZED: &str = "SELECT COALESCE(SUM(count), 0) FROM audit WHERE action = 'Tokenize' AND outcome = 'Success'";

/// A bound on the size of files stands for a full disk, which needs no rights: what would be written beyond it fails.
#[test]
fn a_disk_that_fills_up_is_told_loses_nothing_and_is_written_again_when_there_is_room() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let client = demo.client().tried_once();
    let profile = demo.text("/demo/tokenProfileUuid").parse().unwrap();
    let database = folder.path().join("data/chancery.db");
    assert!(is_ready(&demo));
    // What the demonstration tokenized itself is written down within a second or two.
    let count = || sqlite(&database, TOKENIZED).parse::<u64>().unwrap();
    within(NOTICED, "written down", || count() > 0);
    sleep(Duration::from_secs(3));
    let before = count();

    let length = |name: &str| fs::metadata(folder.path().join("data").join(name)).map_or(0, |file| file.len());
    demo.server.bound_files(Some(length("chancery.db").max(length("chancery.db-wal")) + 300 * 1024));
    let mut answered = Vec::new();
    let refusal = loop {
        assert!(answered.len() < 200, "the disk is never full");
        match submit(&demo, &client, 60_000) {
            Ok(id) => answered.push(id),
            Err(refusal) => break refusal,
        }
    };
    assert!(refusal.contains("503") && !refusal.contains("inside Chancery"), "{refusal}");
    // What little room is left is used up, too: on a busy machine that takes long, and is no part of the time to notice.
    for size in [6_000, 600, 1] {
        while let Ok(id) = submit(&demo, &client, size) {
            answered.push(id);
        }
    }
    within(NOTICED, "told", || {
        // What others gave back meanwhile is used up again.
        while let Ok(id) = submit(&demo, &client, 1) {
            answered.push(id);
        }
        !is_ready(&demo)
    });
    assert_eq!(status(demo.text("/base"), "/healthz", demo.text("/caFile")), "200");

    let mut tokenized = 0;
    for _ in 0..20 {
        match client.tokenize(profile, "4111111111111111") {
            Ok(_) => tokenized += 1,
            Err(refused) => assert!(refused.to_string().contains("503"), "{refused}"),
        }
        assert_eq!(client.signing_request(answered[0]).unwrap().state, SigningRequestState::Signed, "reading goes on");
        let refused = submit(&demo, &client, 60_000).unwrap_err();
        assert!(refused.contains("503"), "{refused}");
        sleep(Duration::from_millis(100));
    }
    assert!(tokenized > 0, "for a while it counts in memory");

    demo.server.bound_files(None);
    within(NOTICED, "ready again", || is_ready(&demo));
    answered.push(submit(&demo, &client, 60_000).unwrap());
    for id in &answered {
        assert_eq!(client.signing_request(*id).unwrap().state, SigningRequestState::Signed);
    }
    let log = demo.server.log();
    assert!(demo.server.stop().success(), "{log}");
    assert_eq!(count(), before + tokenized, "each call is recorded once");
    assert_eq!(
        sqlite(&database, "SELECT COUNT(*) FROM signing_requests WHERE name LIKE '% bytes'"),
        answered.len().to_string()
    );
    assert_eq!(sqlite(&database, "PRAGMA integrity_check"), "ok");
}

/// A volume of the journal that is full at the start. Each start begins a segment of 16 MiB, and this leaves no room for that.
#[test]
fn a_server_without_room_for_its_journal_starts_and_refuses_what_it_cannot_record() {
    const KIB: u32 = 8 * 1024;
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let (data, listen) = (folder.path().join("data"), demo.address());
    let Demo { server, state } = demo;
    assert!(server.stop().success());
    let arguments = ["quickstart", "--data", data.to_str().unwrap(), "--listen", &listen];
    let mut server = Server::spawn_with_short_files(KIB, folder.path(), &arguments);
    // The demonstration says that it could not tokenize, and serves.
    server.wait_until("the last line", |server| server.output().contains("until Ctrl-C.").then_some(()));
    let demo = Demo { server, state };
    let (client, profile) = (demo.client().tried_once(), demo.text("/demo/tokenProfileUuid").parse().unwrap());
    let refused = client.tokenize(profile, "4111111111111111").map(drop).unwrap_err().to_string();
    assert!(refused.contains("503"), "{refused}");
    let signed = submit(&demo, &client, 100).unwrap();
    assert_eq!(client.signing_request(signed).unwrap().state, SigningRequestState::Signed, "the rest goes on");
    assert!(demo.server.logs("the journal's volume is full"), "{}", demo.server.log());
    let metric = |name: &str| String::from_utf8(client.body("GET", "/metrics", None).unwrap()).unwrap().contains(name);
    within(NOTICED, "told", || metric("\nchancery_journal_failing 1\n"));
    demo.server.bound_files(None);
    within(NOTICED, "written again", || client.tokenize(profile, "4111111111111111").is_ok());
    within(NOTICED, "well", || metric("\nchancery_journal_failing 0\n"));
}

/// Another process, such as a command on the host, that stands still in the middle of its change.
#[test]
fn a_write_lock_that_somebody_keeps_stops_writing_alone_and_for_no_longer() {
    let folder = temp_dir();
    let demo = Demo::start(folder.path(), &[]);
    let client = demo.client().tried_once();
    let first = submit(&demo, &client, 1).unwrap();
    let mut holder = Command::new("sqlite3")
        .arg(folder.path().join("data/chancery.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = b".timeout 5000\nBEGIN IMMEDIATE;\nSELECT 'held';\n";
    holder.stdin.as_mut().unwrap().write_all(text).unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "held\n");

    let begun = Instant::now();
    let refused = submit(&demo, &client, 1).unwrap_err();
    assert!(refused.contains("503") && begun.elapsed() < Duration::from_secs(30), "{refused} {:?}", begun.elapsed());
    assert_eq!(client.signing_request(first).unwrap().state, SigningRequestState::Signed);
    within(NOTICED, "told", || !is_ready(&demo));

    holder.kill().unwrap();
    holder.wait().unwrap();
    within(NOTICED, "ready again", || is_ready(&demo));
    submit(&demo, &client, 1).unwrap();
}
