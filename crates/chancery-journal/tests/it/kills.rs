//! Processes that are killed while they write: nothing that was answered is lost.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Command, Stdio},
    thread,
};

use super::*;

const FOLDER: &str = "JOURNAL_TEST_FOLDER";
/// Kills; each is another moment.
const KILLS: usize = 50;
const WRITERS: usize = 4;

/// Not a test of its own: what the next one starts and kills.
#[test]
fn a_child_that_writes_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else { return };
    let journal = &open(&folder).journal;
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                for number in 0.. {
                    let token = format!("{} {writer} {number}", std::process::id());
                    let mut call = reads(journal, &token);
                    if number % 50 == 0 {
                        call.tags = call.tags.repeat(3_000);
                    }
                    journal.append(&call).unwrap();
                    // Answered: whoever reads this may rely on it.
                    writeln!(std::io::stdout().lock(), "answered {token}").unwrap();
                }
            });
        }
    });
}

#[test]
fn no_record_of_an_answered_call_is_lost_by_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let root_key = folder.path().join("root.key");
    drop(chancery_keys::RootKey::create_file(&root_key).unwrap());
    if env::var_os("JOURNAL_TEST_ROOT_KEY").is_none() {
        // The same test again, with a root key that its children have as well.
        let again = Command::new(env::current_exe().unwrap())
            .args(["--exact", "kills::no_record_of_an_answered_call_is_lost_by_a_kill"])
            .env("JOURNAL_TEST_ROOT_KEY", &root_key)
            .output()
            .unwrap();
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stdout));
        return;
    }
    let journal = folder.path().join("journal");
    let mut answered = Vec::new();
    for kill in 0..KILLS {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "kills::a_child_that_writes_until_it_is_killed"])
            .env(FOLDER, &journal)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        for line in lines.by_ref().take(200 + 37 * kill) {
            answered.extend(line.unwrap().strip_prefix("answered ").map(str::to_owned));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What it had answered before it died.
        answered.extend(lines.filter_map(|line| line.ok()?.strip_prefix("answered ").map(str::to_owned)));
    }
    let opened = open(&journal);
    assert_eq!(opened.fault, None);
    let recorded: std::collections::HashSet<_> = tags_in(&journal).into_iter().collect();
    assert!(answered.len() > 10_000, "{}", answered.len());
    for token in &answered {
        assert!(recorded.contains(&opened.journal.tag(token)), "{token} is lost");
    }
}
