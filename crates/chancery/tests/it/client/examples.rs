//! Every `--help` ends with an example, and every example works as it stands there, at a terminal and at none, and for
//! nobody who is not logged in.

use std::collections::{BTreeMap, BTreeSet};

use chancery_testkit::temp_dir;

use crate::{process::chancery, relay::Relay};

use super::{
    login::at_a_terminal,
    place::{Place, Said},
    steps::STEPS,
    transcript::Transcript,
};

/// Commands that serve until they are stopped, or take a code of the moment or a browser's passkey: tests of their own run
/// them.
const OF_THEIR_OWN: [&str; 8] = [
    "serve",
    "quickstart",
    "totp confirm",
    "totp remove",
    "identity reset-totp",
    "passkey confirm",
    "passkey rename",
    "passkey delete",
];

/// The commands below this one, as its help lists them.
pub(super) fn subcommands(help: &str) -> Vec<String> {
    let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = listed
        .lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The example of every command that does something.
fn collect(path: &[String], found: &mut BTreeMap<String, String>) {
    let words: Vec<_> = path.iter().map(String::as_str).collect();
    let help = chancery(&words).arg("--help").run().text();
    let below = subcommands(&help);
    for name in &below {
        collect(&[path, std::slice::from_ref(name)].concat(), found);
    }
    if below.is_empty() {
        server_is_last(path, &help);
        let example = help.split("Example:\n").nth(1).unwrap_or_else(|| panic!("{path:?} has no example: {help}"));
        let example: Vec<_> = example.lines().map(str::trim).collect();
        found.insert(path.join(" "), example.join(" ").trim().to_owned());
    }
}

/// What a command asks of whom comes first, and which server that is last, but for the examples.
fn server_is_last(path: &[String], help: &str) {
    let is_heading = |line: &&str| line.ends_with(':') && line.starts_with(|first: char| first.is_ascii_uppercase());
    let headings: Vec<_> = help.lines().filter(is_heading).collect();
    let Some(server) = headings.iter().position(|heading| *heading == "Server:") else {
        // Those that ask none.
        return assert!(!help.contains("--server-profile"), "{path:?}: {help}");
    };
    let last = headings.len() - 1;
    assert_eq!((headings[last], server), ("Example:", last - 1), "{path:?}: {headings:?}");
}

fn furnish(place: &Place) {
    place.write("new-password", "battery staple\n");
    place.write("newer-password", "a password of my own\n");
    // Some editors begin a text so.
    place.write("mail.json", "\u{feff}{\"useIv\": false}");
    let rule = |operation: &str| {
        format!(r#"{{"roleUuid": "00000000-0000-0000-726f-000000000001", "operation": "{operation}"}}"#)
    };
    let rules = ["Tokenize", "Detokenize", "Batch"].map(rule).join(",");
    place.write("rules.json", format!(r#"{{"controlRules": [{rules}]}}"#));
    place.write("tax-numbers.txt", "123-45-6789\n");
    place.write("tracks.txt", ";4111111111111111=29121010000000000?\n");
    let tax = r#"{"format": {"alphabet": "Decimal", "minLength": 9, "maxLength": 9, "passThrough": "-"}, "#;
    place.write("tax.json", format!(r#"{tax}"controlRules": [{rules}]}}"#));
    place.write("brief.json", r#"{"pkisigning": {"rules": {"requestLifetime": {"unit": "Second", "amount": "1"}}}}"#);
    let stamps = r#"{"template": "Time Stamping", "name": "stamps", "timestamping": {"newCert": {"issuerUuid": "ROOT",
        "subjectOneline": "CN=Stamps", "newKey": {"keyTypeUuid": "00000000-0000-0000-6b74-000000000004"},
        "certParams": {"validityPeriod": {"unit": "Year", "amount": "1"}}}}}"#;
    place.write("stamps.json", stamps);
    place.write("client.secret", "a secret of the provider\n");
    place.write("uploaded.ps1", "Write-Output 'hello'\n");
    place.write("cards.csv", "pan\n4111111111111111\n5555555555554444\n");
    for name in ["release.tar", "app.tar", "wrong.tar", "mistake.tar", "failed.tar"] {
        place.write(name, name);
    }
    let other = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout other.key -out other.pem -days 30 -subj /CN=Other";
    place.sh(other).done();
}

#[test]
fn every_example_works_as_it_stands_in_the_help() {
    let mut examples = BTreeMap::new();
    collect(&[], &mut examples);
    let kept = temp_dir();
    let relay = Relay::listen(kept.path());
    let place = Place::just_made(&relay.arguments().each_ref().map(String::as_str));
    furnish(&place);
    let mut transcript = Transcript::default();
    let mut left: BTreeSet<_> = examples.keys().cloned().collect();
    for name in OF_THEIR_OWN {
        assert!(left.remove(name), "{name}");
    }
    for step in STEPS {
        let (profile, step) = match step.strip_prefix('@') {
            Some(step) => ("approver", step),
            None => ("default", *step),
        };
        let line = match step.strip_prefix('$') {
            Some(line) => line,
            None => {
                assert!(left.remove(step), "{step}: no such command, or twice");
                examples[step].as_str()
            }
        };
        if step == "logout" {
            changes_at_a_terminal(&place, &mut transcript);
        }
        let line = line.replace("https://127.0.0.1:8443", &place.base()).replace("BASE", &place.base());
        let mut typed = format!("export CHANCERY_SERVER_PROFILE={profile}; {line}");
        if step == "mailbox confirm" {
            typed = typed.replace("7KDM-Q2XF", &relay.code("approver@example.org"));
        }
        if step == "audit effect" {
            typed = typed.replace("2026-01-31T00:00:00Z", "$(date -u +%FT%T.%3NZ)");
        }
        if step == "grant show" || step == "grant revoke" {
            let listed = place.json("chancery grant list 'demo cards'");
            typed = typed.replace("01890a5d-ac96-774b-bcce-b302099a8057", listed["items"][0]["uuid"].as_str().unwrap());
        }
        for_nobody(&place, step, &line, &mut transcript);
        let said = place.sh(&typed);
        // Nobody is at the addresses of the examples.
        let expected = i32::from(step.ends_with("-target test"));
        assert_eq!(said.code, Some(expected), "{step}: {line}: {said:?}");
        if line.contains("chancery ") && !NOT_KEPT.contains(&step) {
            transcript.add(&place, &line, &said);
        }
        at_one_terminal(&place, step, &typed);
    }
    assert!(left.is_empty(), "examples that no step runs: {left:?}");
    for name in examples.keys() {
        let line = format!("chancery {name} --nonsense");
        let said = place.sh(&line);
        assert_eq!((said.code, said.out.as_str()), (Some(2), ""), "{line}: {said:?}");
        assert!(said.err.contains("--nonsense"), "{said:?}");
        transcript.add(&place, &line, &said);
    }
    assert!(place.path("man1/chancery-sign.1").is_file() && place.path("man1/chancery-role-list.1").is_file());
    assert!(place.path("signed.ps1").metadata().unwrap().len() > 1_000);
    transcript.end();
}

/// A secret is another each time, what other programs say is theirs, why an address is not reached is the network's, how far a target is a matter of the moment, and a journal is another each time.
const NOT_KEPT: [&str; 12] = [
    "totp enrol",
    "notice-target test",
    "audit-target create",
    "audit-target change",
    "audit-target test",
    "audit-target list",
    "audit-target show",
    "audit checkpoint",
    "audit key",
    "audit who",
    "audit verify",
    "audit verify-journal",
];

/// Commands that anybody may run who has the program, and those of the host, which ask no server.
const FOR_ANYBODY: [&str; 18] = [
    "login",
    "password",
    "totp enrol",
    "completions",
    "man",
    "verify",
    "settings",
    "unlock",
    "recover",
    "rows list",
    "rows authenticate",
    "audit archive",
    "audit verify",
    "audit verify-journal",
    "backup",
    "init",
    "serve",
    "quickstart",
];

/// Whoever is logged in nowhere learns that, and how to: with the exit code for it, on standard error, and nothing is done.
fn for_nobody(place: &Place, step: &str, line: &str, transcript: &mut Transcript) {
    if step.starts_with('$') || FOR_ANYBODY.contains(&step) {
        return;
    }
    let said = place.sh(&format!("export XDG_CONFIG_HOME=$PWD/nobody; {line}"));
    assert_eq!((said.code, said.out.as_str()), (Some(3), ""), "{step}: {line}: {said:?}");
    assert!(said.err.contains("chancery login"), "{step}: {said:?}");
    transcript.add(place, &format!("for nobody: chancery {step}"), &said);
}

/// What is asked at a terminal, and what is typed there.
type Answer = (&'static str, &'static str);

/// Changes that somebody makes at one terminal, where they are asked: the line, and what they answer.
const AT_A_TERMINAL: [(&str, &[Answer], i32); 9] = [
    ("chancery role create --name Typed --logins-required 1 --perm Signing:Submit", &[], 0),
    ("chancery role change Typed --perm Signing:Approve", &[], 0),
    ("chancery role delete Typed", &[("Type delete to delete this: ", "no")], 2),
    ("chancery role delete Typed", &[("Type delete to delete this: ", "delete")], 0),
    ("chancery role delete Typed", &[], 2),
    ("chancery sign typed.tar --service 'demo releases'", &[], 8),
    ("chancery approve typed.tar", &[("Type approve to approve this: ", "no")], 2),
    ("chancery approve typed.tar --server-profile approver", &[("Type approve to approve this: ", "approve")], 0),
    ("chancery deny typed.tar --server-profile approver", &[], 5),
];

/// Those, as they are seen: a terminal shows both outputs.
fn changes_at_a_terminal(place: &Place, transcript: &mut Transcript) {
    place.write("typed.tar", "typed");
    for (line, answers, code) in AT_A_TERMINAL {
        let seen = at_a_terminal(place, &format!("export CHANCERY_SERVER_PROFILE=default; {line}"), answers);
        assert_eq!(seen.code, Some(code), "{line}: {seen:?}");
        let seen = Said { out: seen.out.replace("\r\n", "\n"), ..seen };
        transcript.add(place, &format!("at a terminal: {line}"), &seen);
    }
}

/// What only shows something shows the same at a terminal, where the titles are bold and lines are no longer than it.
fn at_one_terminal(place: &Place, step: &str, typed: &str) {
    let verb = step.split(' ').next_back().unwrap_or_default();
    // The newest records and the log's size are others with each call.
    if !["list", "show", "status", "templates", "template"].contains(&verb) || step.starts_with("audit") {
        return;
    }
    let unfolded = |text: &str| text.split_whitespace().collect::<String>();
    let look = || {
        let piped = place.sh(typed).done();
        let seen = at_a_terminal(place, typed, &[]).done().replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        (unfolded(&seen), unfolded(&piped))
    };
    let (mut seen, mut piped) = look();
    // What is in the log is proven anew after each checkpoint, which may come between the two.
    for _ in 0..5 {
        if seen == piped {
            break;
        }
        (seen, piped) = look();
    }
    assert_eq!(seen, piped, "{step}");
}
