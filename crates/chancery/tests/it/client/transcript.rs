//! What commands answered, whole, in a file that is looked at when it changes: the line, its exit code, standard output and
//! standard error. What is another one with each run (ids, moments, random bytes) stands there as a word.

use std::{env, fs};

use super::place::{Place, Said};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/client/transcript.txt");

/// Writes the file anew instead of comparing it.
const WRITE: &str = "CHANCERY_WRITE_TRANSCRIPT";

/// Lines of one answer at most: whoever completes a shell reads all of them.
const LINES_MAX: usize = 40;

/// Lines of a longer one.
const LINES_BEGIN: usize = 5;

/// Runs of letters from which on they are no words of ours, where they have a digit.
const BYTES_MIN: usize = 20;

/// Digits from which on a number is a token, a port, or a length that is another one each time.
const DIGITS_MIN: usize = 3;

/// How the name of a log begins that nobody named; its id follows.
const LOG: &str = "chancery.invalid/";
const UUID_LEN: usize = 36;

#[derive(Default)]
pub(super) struct Transcript(String);

impl Transcript {
    pub(super) fn add(&mut self, place: &Place, line: &str, said: &Said) {
        let told =
            |text: &str| text.replace(&place.folder().display().to_string(), "FOLDER").replace(&place.base(), "BASE");
        let code = said.code.map_or("none".to_owned(), |code| code.to_string());
        self.0 += &format!("$ {}\n= {code}\n", told(line));
        for (mark, text) in [("|", &said.out), ("!", &said.err)] {
            let lines = plain(&told(text));
            let count = if lines.len() > LINES_MAX { LINES_BEGIN } else { LINES_MAX };
            let shown = lines.iter().take(count).map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n");
            self.0 += &shown.collect::<String>();
            self.0 += if lines.len() > LINES_MAX { "…\n" } else { "" };
        }
        self.0.push('\n');
    }

    /// Compares it with the file.
    pub(super) fn end(self) {
        if env::var_os(WRITE).is_some() {
            return fs::write(FILE, self.0).unwrap();
        }
        let kept = fs::read_to_string(FILE).unwrap();
        for (kept, now) in kept.split("\n\n").zip(self.0.split("\n\n")) {
            assert_eq!(kept, now, "{FILE}: if this is meant, run the test with {WRITE}=1 and look at the difference");
        }
        assert_eq!(kept.lines().count(), self.0.lines().count(), "{FILE}: commands were added or taken away");
    }
}

/// The lines without what changes: proofs of the log, whose place is another one each time, and repeated lines of bytes.
fn plain(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let (mut is_proof, mut is_pem) = (false, false);
    for line in text.lines() {
        // How many lines a certificate has is another number each time.
        let was_pem = is_pem;
        is_pem = is_pem && !line.contains("-----END") || line.contains("-----BEGIN");
        if was_pem && is_pem {
            continue;
        }
        is_proof = line.starts_with("inclusionProof") || is_proof && line.starts_with(' ');
        let mut words: Vec<_> = line.split_whitespace().map(word).collect();
        // A log has grown by then as far as it has.
        if let Some(entries) = words.iter().position(|word| word == "entries,").filter(|at| *at > 0) {
            words[entries - 1] = "NUMBER".to_owned();
        }
        // How much was done by then, and in which hours: the log counts a moment later, and an hour may end in between.
        if line.starts_with("all 24 hours") {
            words.splice(3.., ["NUMBERS".to_owned()]);
        }
        let is_hour = lines.iter().any(|line| line.starts_with("HOUR FROM"))
            && words.first().is_some_and(|first| first == "TIME");
        let line = words.join(" ");
        let is_repeated = line.ends_with("BYTES") && lines.last().is_some_and(|last| last.ends_with(&line));
        if !is_proof && !is_repeated && !is_hour {
            lines.push(line);
        }
    }
    lines
}

fn word(word: &str) -> String {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "+/=_:.-".contains(character);
    let mut told = String::new();
    let mut rest = word;
    if let Some((before, name)) = word.split_once(LOG) {
        told += before;
        told += "LOG";
        rest = name.get(UUID_LEN..).unwrap_or_default();
    }
    while !rest.is_empty() {
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        let bare = run.trim_end_matches(['.', ':']);
        told += kind(bare).unwrap_or(bare);
        told += &run[bare.len()..];
        let gap = behind.find(is_part).unwrap_or(behind.len());
        told += &behind[..gap];
        rest = &behind[gap..];
    }
    told
}

/// What a run of letters and digits is, where it is another one each time.
fn kind(run: &str) -> Option<&'static str> {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let is_uuid = run.len() == UUID_LEN && run.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    // Those that the installation has from the beginning.
    if is_uuid {
        return (!run.starts_with("00000000-0000-0000-")).then_some("UUID");
    }
    if run.len() > 10 && run.as_bytes().get(10) == Some(&b'T') && run.ends_with('Z') {
        return Some("TIME");
    }
    let is_number = run.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if is_number && digits >= DIGITS_MIN {
        return Some("NUMBER");
    }
    (run.len() >= BYTES_MIN && digits > 0 && !run.contains(['.', ':']) && !run.starts_with("--")).then_some("BYTES")
}

#[test]
fn what_changes_is_told_as_a_word() {
    let text = "a  (01a20a33-06b2-74f3-9225-413f9b780451) 2026-11-23T20:57:25Z, 4111111111111111 of 12.\n\
        /IIEOjCCAqKgAwIBAgIUX3mQfuqWOFpi1SfKuX7qt17gWj0wDQYJKoZIhvcNAQEL\n\
        -----BEGIN A-----\nab\ncd\n-----END A-----\n351-81-8653\n\
        inclusionProof.checkpoint  a\n    6\nroleUuid 00000000-0000-0000-726f-000000000001";
    let expected = [
        "a (UUID) TIME, NUMBER of 12.",
        "BYTES",
        "-----BEGIN A-----",
        "-----END A-----",
        "NUMBER",
        "roleUuid 00000000-0000-0000-726f-000000000001",
    ];
    assert_eq!(plain(text), expected);
}
