//! What can be had back, and others notice all the same: at a terminal it is asked, elsewhere it has to be said.

use super::{login::at_a_terminal, place::Place};

const QUESTION: &str = "Type change to change this: ";

/// A profile of card numbers whose tokens do not tell their key version, with a key of two versions.
fn cards() -> Place {
    let place = Place::logged_in();
    place.write(
        "body.json",
        r#"{"format": {"alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepTrailing": 4}}"#,
    );
    let rules = ["Tokenize", "Detokenize", "Batch"];
    let rules =
        rules.map(|operation| format!("chancery rule create pans --role Administrator --operation {operation}"));
    for line in [
        "chancery key create --name pans --type 'AES-256 Tokenization'".to_owned(),
        "chancery profile create --name pans --key pans --algorithm Ff1 --file body.json".to_owned(),
        "chancery key rotate pans".to_owned(),
    ]
    .into_iter()
    .chain(rules)
    {
        place.sh(&line).done();
    }
    place
}

fn tokenize(place: &Place) -> String {
    place.sh("echo 4111111111111111 | chancery tokenize --profile pans").done().trim().to_owned()
}

#[test]
fn a_key_version_that_callers_would_have_to_send_is_asked_or_said() {
    let place = cards();
    let old = tokenize(&place);
    let line = "chancery profile change pans --key-version 2";
    let unasked = place.sh(&format!("{line} < /dev/null")).failed(2);
    assert!(unasked.contains("has to send keyVersion") && unasked.contains("--yes"), "{unasked}");
    let not = at_a_terminal(&place, line, &[(QUESTION, "y")]);
    assert!(not.code == Some(2) && not.out.contains("nothing was done"), "{not:?}");
    let moved = at_a_terminal(&place, line, &[(QUESTION, "change")]);
    assert_eq!(moved.code, Some(0), "{moved:?}");
    assert!(moved.out.contains("From now on callers have to send keyVersion"), "the server says it, too: {moved:?}");
    place.sh(&format!("echo {old} | chancery detokenize --profile pans")).failed(5);

    // Nobody has a token of version 2 yet, and back is no change that anybody would notice.
    place.sh("chancery profile change pans --key-version 1 < /dev/null").done();
    assert!(place.sh(&format!("echo {old} | chancery detokenize --profile pans")).done().contains("4111111111111111"));
    let said = place.sh(&format!("{line} --yes < /dev/null"));
    assert!(said.code == Some(0) && said.err.contains("From now on callers"), "{said:?}");

    let new = tokenize(&place);
    let raise = "chancery profile change pans --min-decrypt-version 2";
    let unasked = place.sh(&format!("{raise} < /dev/null")).failed(2);
    assert!(unasked.contains("read as other, plausible values"), "{unasked}");
    assert_eq!(place.json("chancery profile show pans")["minDecryptVersion"], 1);
    let raised = place.sh(&format!("{raise} --yes < /dev/null"));
    assert!(raised.code == Some(0) && raised.err.contains("key version 1 is not refused"), "{raised:?}");
    assert!(place.sh(&format!("echo {new} | chancery detokenize --profile pans")).done().contains("4111111111111111"));
}

#[test]
fn a_secret_that_still_goes_on_is_asked_about_before_it_ends() {
    let place = Place::logged_in();
    place.sh("chancery role create --name Builders --logins-required 1 --perm Signing:Submit").done();
    place.sh("chancery identity create --name ci --kind Application --role Builders --out ci.key").done();
    let line = "chancery identity api-key rotate ci 'first key'";
    place.sh(&format!("{line} --out second.key < /dev/null")).done();
    let base = place.base();
    place.sh(&format!("chancery whoami --server {base} --ca ca.pem --api-key-file ci.key")).done();
    let listed = place.sh("chancery identity api-key list ci").done();
    assert!(listed.contains("OLD LAST USED"), "{listed}");
    let previous = &place.json("chancery identity api-key list ci")["results"][0]["previous"];
    let used = previous["lastUsedAt"].as_str().expect("it was used a moment ago");
    assert!(listed.contains(used), "{listed}");

    let unasked = place.sh(&format!("{line} --out third.key < /dev/null")).failed(2);
    let says = format!(
        "goes on until {}, and was last used at {used}. This ends it at once.",
        previous["until"].as_str().unwrap()
    );
    assert!(unasked.contains(&says) && unasked.contains("--yes"), "{unasked}");
    assert!(!place.path("third.key").exists(), "nothing was asked of the server");
    place.sh(&format!("chancery whoami --server {base} --ca ca.pem --api-key-file ci.key")).done();
    let rotated = at_a_terminal(&place, line, &[("Type rotate to rotate this: ", "rotate")]);
    assert!(rotated.code == Some(0) && rotated.out.contains("This rotation ended the secret"), "{rotated:?}");
    place.sh(&format!("chancery whoami --server {base} --ca ca.pem --api-key-file ci.key")).failed(3);
    let again = place.sh(&format!("{line} --yes --out fourth.key < /dev/null"));
    assert!(again.code == Some(0) && again.err.contains("This rotation ended the secret"), "{again:?}");
}

#[test]
fn whoever_did_it_is_named_also_where_nobody_is_logged_in() {
    let place = Place::logged_in();
    let all = place.sh("chancery audit list --limit 1000").done();
    let by = |action: &str| all.lines().find(|line| line.contains(action)).unwrap_or_default();
    assert!(by("ServerStart").contains(" (host) "), "{all}");
    assert!(by("Provision").contains(" (host) "), "{all}");
    assert!(by("Login").contains(" Approver1 "), "{all}");
}
