//! Values and tokens, a line each: there and back, and what no line can hold.

use super::{login::at_a_terminal, place::Place};

#[test]
fn values_pass_through_pipes_as_they_are() {
    let place = Place::logged_in();
    let there = "printf '4111111111111111\\n5555555555554444\\n' | chancery tokenize --profile 'demo cards'";
    let back = place.sh(&format!("{there} | chancery detokenize --profile 'demo cards'")).done();
    assert_eq!(back, "4111111111111111\n5555555555554444\n");
    refused_values(&place);

    // A key with an initialization vector for each token: a tab parts them, there and back.
    place.sh("chancery key create --name mail --type 'AES-256 Tokenization'").done();
    place.sh("chancery profile create --name mail --algorithm AesGcm --use-iv true --key mail").done();
    for operation in ["Tokenize", "Detokenize", "Batch"] {
        place.sh(&format!("chancery rule create mail --role Administrator --operation {operation}")).done();
    }
    let token = place.sh("chancery tokenize --profile mail somebody@example.org").done();
    place.write("token", &token);
    let back = place.sh("chancery detokenize --profile mail < token").done();
    assert_eq!(back, "somebody@example.org\n");

    // What a person would not see is a part of the value all the same.
    let hidden = "a\tb\u{200c}\u{1b}[1m\n\u{202e}\n";
    place.write("hidden", hidden);
    let both = "chancery tokenize --profile mail < hidden | chancery detokenize --profile mail";
    assert_eq!(place.sh(both).done(), hidden);
    assert!(at_a_terminal(&place, both, &[]).done().contains("a\\u{9}b\\u{200c}\\u{1b}[1m"));

    // Two lines are no line.
    place.sh("chancery tokenize --profile mail \"$(printf 'a\\nb')\" > token").done();
    place.sh("(chancery tokenize --profile mail plain; cat token) > tokens").done();
    let refused = place.sh("chancery detokenize --profile mail < tokens").failed(2);
    assert!(refused.contains("line 2: there is a line end") && refused.contains("--output json"), "{refused}");
    let json = place.sh("chancery detokenize --profile mail --output json < tokens").done();
    assert!(json.contains(r#"["plain","a\nb"]"#), "{json}");
}

/// A refusal names the values at fault by their places in the whole input.
fn refused_values(place: &Place) {
    let lines = "(yes 4111111111111111 | head -1001; echo abc; echo 4111111111111111; echo d)";
    for output in ["table", "json"] {
        let line = format!("{lines} | chancery tokenize --profile 'demo cards' --output {output} > /dev/null");
        let refused = place.sh(&line).failed(5);
        assert!(refused.contains("2 of 4 values were refused"), "{refused}");
        assert!(refused.contains("\n  line 1002: ") && refused.contains("\n  line 1004: "), "{refused}");
        assert!(!refused.contains("line 1003"), "{refused}");
    }
    let refused = place.sh("chancery tokenize --profile 'demo cards' 4111111111111111 abc").failed(5);
    assert!(refused.contains("\n  value 2: "), "{refused}");
}
