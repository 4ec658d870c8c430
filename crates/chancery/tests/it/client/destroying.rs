//! What cannot be undone: at a terminal it is asked, elsewhere it has to be said.

use super::{
    login::at_a_terminal,
    place::{Place, Said},
};

const CERT: &str =
    "chancery cert create --profile 'TLS Server' --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing'";

/// Every command that ends something for good, as far as its flags go, and the word that it asks for.
const COMMANDS: [(&str, &str); 13] = [
    ("token delete --profile numbers TOKEN", "delete"),
    ("profile delete numbers", "delete"),
    ("cert-profile delete Workload", "delete"),
    ("cert revoke www.example.org --reason superseded", "revoke"),
    ("service revoke scripts --reason superseded", "revoke"),
    ("ca revoke 'Issuing 1' --reason superseded", "revoke"),
    ("identity api-key delete ci 'first key'", "delete"),
    ("identity-binding delete app", "delete"),
    ("identity-provider delete gitlab", "delete"),
    ("identity delete ci", "delete"),
    ("role delete Builders", "delete"),
    ("notice-target delete alerts", "delete"),
    ("audit-target delete siem", "delete"),
];

fn furnish(place: &Place) -> String {
    let format = r#"{"format": {"alphabet": "Decimal", "minLength": 9, "maxLength": 9}}"#;
    place.write("body.json", format);
    let lines = [
        "chancery key create --name numbers --type 'AES-256 Tokenization'",
        "chancery profile create --name numbers --key numbers --algorithm Random --file body.json",
        "chancery rule create numbers --role Administrator --operation Tokenize",
        "chancery rule create numbers --role Administrator --operation Detokenize",
        "chancery rule create numbers --role Administrator --operation Batch",
        "chancery cert-profile create --name Workload --validity 30d --purpose clientAuth",
        &format!("{CERT} --subject CN=www.example.org --san DNS:www.example.org"),
        &format!("{CERT} --subject CN=held.example.org --san DNS:held.example.org"),
        "chancery service create --name scripts --issuer 'Chancery Demo Root' --subject CN=Scripts --key-type 'EC P-256 Signing' --validity 1y --format Powershell --hash Sha2_256 --num-approvals 0",
        "chancery ca create --profile 'Issuing Certificate Authority' --issuer 'Chancery Demo Root' --key-type 'EC P-256 Signing' --subject 'CN=Issuing 1,O=Demonstration'",
        "chancery role create --name Builders --logins-required 1 --perm Signing:Submit",
        "chancery identity create --name ci --kind Application --role Builders",
        "chancery identity-provider create --name gitlab --issuer https://gitlab.example.org --audience https://kms.example.org",
        "chancery identity-binding create --name app --identity ci --provider gitlab --subject project_path:octo/app",
        "chancery notice-target create --name alerts --url https://hooks.example.org/chancery --shape Slack --kind Waiting",
        "chancery audit-target create --name siem --syslog-host logs.example.org",
    ];
    for line in lines {
        place.sh(line).done();
    }
    place.sh("echo 123456789 | chancery tokenize --profile numbers").done().trim().to_owned()
}

#[test]
fn what_cannot_be_undone_is_asked_or_said() {
    let place = Place::logged_in();
    let token = furnish(&place);
    for (command, word) in COMMANDS {
        let line = format!("chancery {}", command.replace("TOKEN", &token));
        let unasked = place.sh(&format!("{line} < /dev/null")).failed(2);
        let refusal = format!("nobody is there to ask whether to {word} it");
        assert!(unasked.contains(&refusal) && unasked.contains("--yes"), "{line}: {unasked}");
        assert!(unasked.contains("cannot be had back") || unasked.contains("stays so"), "{line}: {unasked}");
        let question = format!("Type {word} to {word} this: ");
        let not = at_a_terminal(&place, &line, &[(&question, "y")]);
        assert!(not.code == Some(2) && not.out.contains("nothing was done"), "{line}: {not:?}");
        let piped = place.sh(&format!("yes {word} | {line}")).failed(2);
        assert!(piped.contains(&refusal), "only a person is asked: {piped}");
        if word == "delete" {
            // What was not agreed to is there, or this would not find it.
            let Said { code, out, .. } = at_a_terminal(&place, &line, &[(&question, word)]);
            assert!(code == Some(0) && out.contains("deleted: "), "{line}: {out}");
        } else {
            assert!(place.sh(&format!("{line} --yes")).done().contains("Revoked"), "{line}");
        }
    }
    // A hold is no end.
    place.sh("chancery cert revoke held.example.org --reason certificateHold < /dev/null").done();
    place.sh("chancery cert release held.example.org").done();
    every_such_command_is_here();
}

/// Whatever takes --yes is in the list above, or it decides on what others asked for, which has tests of its own.
fn every_such_command_is_here() {
    let mut taking = Vec::new();
    with_yes(&[], &mut taking);
    // A passkey takes a browser to make it. What others only notice is in `noticed.rs`.
    let elsewhere = [
        "approve",
        "deny",
        "rows authenticate",
        "passkey delete",
        "profile change",
        "setting change",
        "identity api-key rotate",
    ];
    taking.retain(|command| !elsewhere.contains(&command.as_str()));
    let words = |command: &str| if command.starts_with("identity api-key ") { 3 } else { 2 };
    let mut listed = COMMANDS.map(|(command, _)| command.split(' ').take(words(command)).collect::<Vec<_>>().join(" "));
    listed.sort();
    taking.sort();
    assert_eq!(taking, listed);
}

#[test]
fn a_setting_by_which_records_are_removed_sooner_is_asked_for() {
    let place = Place::logged_in();
    let change = |days: &str| format!("chancery setting change --audit-retention {days} < /dev/null");
    place.sh(&change("90")).done();
    for days in ["90,400,0", "card-data"] {
        let unasked = place.sh(&change(days)).failed(2);
        assert!(unasked.contains("removed for good") && unasked.contains("--yes"), "{days}: {unasked}");
        place.sh(&format!("{} --yes", change(days).replace(" < /dev/null", ""))).done();
    }
    place.sh(&change("forever")).done();
}

fn with_yes(path: &[String], taking: &mut Vec<String>) {
    let words: Vec<_> = path.iter().map(String::as_str).collect();
    let help = crate::process::chancery(&words).arg("--help").run().text();
    for name in super::examples::subcommands(&help) {
        with_yes(&[path, &[name]].concat(), taking);
    }
    if help.lines().any(|line| line.trim_start().starts_with("--yes")) {
        taking.push(path.join(" "));
    }
}
