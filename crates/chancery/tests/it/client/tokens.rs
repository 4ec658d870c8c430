//! Tokens after they were made: newer keys, the vault, tracks.

use std::fs;

use super::place::Place;

const RULES: &str = "for OPERATION in Tokenize Detokenize Batch; do \
    chancery rule create PROFILE --role Administrator --operation $OPERATION > /dev/null || exit 1; done";

fn profile(place: &Place, name: &str, body: &str, more: &str) {
    place.sh(&format!("chancery key create --name {name} --type 'AES-256 Tokenization'")).done();
    place.write("body.json", body);
    place.sh(&format!("chancery profile create --name {name} --key {name} --file body.json {more}")).done();
    place.sh(&RULES.replace("PROFILE", name)).done();
}

#[test]
fn tokens_are_kept_up_to_date_and_looked_after() {
    let place = Place::logged_in();
    rewrapped(&place);
    vault(&place);
    tracks(&place);
    old_tokens(&place);
    place.sh("chancery role create --name Payments --logins-required 1").done();
    assert_eq!(place.json("chancery role show Payments")["perms"], serde_json::json!([]));
    until_nobody_reads(&place);
}

/// Nothing more is sent once whoever read the answers has gone; and a line that is no text is told by its number.
fn until_nobody_reads(place: &Place) {
    for (value, asked) in
        [("4111111111111111", "tokenize --profile 'demo cards'"), ("123456789", "token exists --profile numbers")]
    {
        let endless = format!("(yes {value} | timeout 60 chancery {asked}; echo $? > code) | head -1; cat code");
        let said = place.sh(&endless);
        assert!(said.out.ends_with("\n1\n") && said.err.contains("Broken pipe"), "{asked}: {said:?}");
        let wrong = place.sh(&format!("printf '123-45-6789\\n\\377\\n' | chancery {asked}")).failed(1);
        assert!(wrong.contains("standard input, line 2: it is not UTF-8"), "{asked}: {wrong}");
    }
}

/// After a rotation the version is named, whichever way the tokens are given.
fn old_tokens(place: &Place) {
    let format = r#"{"format": {"alphabet": "Decimal", "minLength": 6, "maxLength": 19}}"#;
    profile(place, "cards-of-old", format, "--algorithm Ff1");
    let of = "--profile cards-of-old";
    let card = "4111111111111111";
    let token = place.sh(&format!("echo {card} | chancery tokenize {of} > old.tokens; cat old.tokens")).done();
    let track = place.sh(&format!("echo ';{card}=29121010000000000?' | chancery track tokenize {of}")).done();
    place.write("old.tracks", &track);
    place.sh("chancery key rotate cards-of-old && chancery profile change cards-of-old --key-version 2 --yes").done();
    for unnamed in [format!("chancery detokenize {of} < old.tokens"), format!("chancery detokenize {of} {token}")] {
        let refused = place.sh(unnamed.trim()).failed(5);
        assert!(refused.contains("--key-version"), "{refused}");
    }
    let named = format!("{of} --key-version 1");
    assert_eq!(place.sh(&format!("chancery detokenize {named} < old.tokens")).done(), format!("{card}\n"));
    assert_eq!(place.sh(format!("chancery detokenize {named} {token}").trim()).done(), format!("{card}\n"));
    let back = place.sh(&format!("chancery track detokenize {named} < old.tracks")).done();
    assert_eq!(back, format!(";{card}=29121010000000000?\n"));
}

/// After a rotation, tokens move to the new version; what was moved stays what it is.
fn rewrapped(place: &Place) {
    profile(place, "notes", r#"{"useIv": false}"#, "--algorithm AesSiv");
    place.write("notes", "one\ntwo\n");
    place.sh("chancery tokenize --profile notes < notes > old").done();
    let same = place.sh("chancery rewrap --profile notes < old").done();
    assert_eq!(same, fs::read_to_string(place.path("old")).unwrap());
    place.sh("chancery key rotate notes && chancery profile change notes --key-version 2").done();
    let new = place.sh("chancery rewrap --profile notes < old > new; cat new").done();
    assert!(new.lines().count() == 2 && new != same);
    assert_eq!(place.sh("chancery rewrap --profile notes < new").done(), new);
    assert_eq!(place.sh("chancery detokenize --profile notes < new").done(), "one\ntwo\n");
    let first = new.lines().next().unwrap();
    assert_eq!(place.sh(&format!("chancery rewrap --profile notes {first}")).done(), format!("{first}\n"));
    assert_eq!(place.json(&format!("chancery rewrap --profile notes {first}"))["keyVersion"], 2);
    let wrong = place.sh("printf '%s\\nno token\\n' $(head -1 new) | chancery rewrap --profile notes").failed(5);
    assert!(wrong.contains("line 2: "), "{wrong}");
    let version = place.sh(&format!("chancery rewrap --profile notes --key-version 1 {first}")).failed(5);
    assert!(version.contains("line") || version.contains("value 1: "), "{version}");
    let none = place.sh("chancery rewrap --profile notes < /dev/null").done();
    assert_eq!(none, "");
    place.sh("chancery rewrap first").failed(2);
}

fn vault(place: &Place) {
    let format = r#"{"format": {"alphabet": "Decimal", "minLength": 9, "maxLength": 9, "passThrough": "-"}}"#;
    profile(place, "numbers", format, "--algorithm Random");
    let tokenize = "chancery tokenize --profile numbers --metadata source=payroll --expires-at 2099-01-31T12:00:00Z";
    let token = place.sh(&format!("echo 123-45-6789 | {tokenize}")).done();
    place.write("tokens", &token);
    let shown = place.sh("chancery token show --profile numbers < tokens").done();
    assert!(shown.starts_with("TOKEN ") && shown.contains(token.trim()), "{shown}");
    assert!(shown.contains("2099-01-31T12:00:00.000Z") && shown.contains(r#"{"source":"payroll"}"#), "{shown}");
    let json = place.json(&format!("chancery token show --profile numbers {}", token.trim()));
    assert_eq!(json["metadata"]["source"], "payroll");
    let exists = "chancery token exists --profile numbers";
    let both = place.sh(&format!("printf '123-45-6789\\n987-65-4321\\n' | {exists}")).done();
    assert_eq!(both, "true\nfalse\n");
    assert_eq!(place.json(&format!("{exists} 987-65-4321"))["tokenized"], false);
    let deleted = place.sh("chancery token delete --profile numbers --yes < tokens").done();
    assert_eq!(deleted, format!("deleted: {token}"));
    let gone = place.sh("(echo; cat tokens) | chancery token delete --profile numbers --yes").failed(5);
    assert!(gone.contains("line 1: "), "{gone}");
    let gone = place.sh("chancery token show --profile numbers < tokens").failed(5);
    assert!(gone.contains("line 1: ") && gone.contains("InvalidValue"), "{gone}");
    assert_eq!(place.sh(&format!("{exists} 123-45-6789")).done(), "false\n");
    let back = place.sh("chancery detokenize --profile numbers --metadata a=b 123").failed(2);
    assert!(back.contains("of new tokens"), "{back}");
    let other = place.sh("chancery token show --profile notes token").failed(5);
    assert!(other.contains("value 1: "), "{other}");
    let nobody = place.sh("chancery token show --profile nobody token").failed(2);
    assert!(nobody.contains("there is no such token profile"), "{nobody}");
}

fn tracks(place: &Place) {
    let track = ";4111111111111111=29121010000000000?";
    place.write("tracks", format!("{track}\n"));
    let token = place.sh("chancery track tokenize --profile 'demo cards' < tracks").done();
    assert!(token.starts_with(';') && token.ends_with("=29121010000000000?\n") && !token.contains("4111111111111111"));
    place.write("tracks.tokens", &token);
    assert_eq!(
        place.sh("chancery track detokenize --profile 'demo cards' < tracks.tokens").done(),
        format!("{track}\n")
    );
    let json = place.json(&format!("chancery track tokenize --profile 'demo cards' '{track}'"));
    assert_eq!(json["track"], token.trim());
    let wrong = place.sh("echo 4111111111111111 | chancery track tokenize --profile 'demo cards'").failed(5);
    assert!(wrong.contains("line 1: "), "{wrong}");

    let preview = "chancery profile preview --algorithm Ff1 --format '{\"alphabet\": \"Decimal\", \"minLength\": 6, \"maxLength\": 19}'";
    let tried = place.json(&format!("{preview} --sample 4111111111111111,12"));
    assert!(tried["tokens"][0].is_string() && tried["tokens"][1].is_null(), "{tried}");
}
