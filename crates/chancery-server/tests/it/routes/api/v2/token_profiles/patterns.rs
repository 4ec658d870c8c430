//! Profiles with format.pattern.

use serde_json::{Value, json};

use super::{Bench, FOREIGN_ROLE, OWN_ROLE, Profile, rules};
use crate::client::Reply;

const SSN: &str = "{001..665,667..899}-{01..99}-{0001..9999}";
const IBAN: &str = "[UpperAlpha:2]<iban>{Decimal|UpperAlpha:11..30}";

/// POST of a profile with this format, and nothing from the profile for cards.
async fn create(bench: &Bench, format: Value) -> Reply {
    let body = json!({
        "objInfo": {"name": "structured"}, "algorithm": "Ff1", "keyUuid": bench.key, "format": format,
        "controlRules": rules(&["Tokenize", "Detokenize", "Batch"]),
    });
    bench.admin.post("/api/v2/token-profiles", body).await
}

async fn profile<'b>(bench: &'b Bench, format: Value) -> Profile<'b> {
    let id = create(bench, format).await.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
    Profile { client: &bench.admin, id }
}

async fn message(profile: &Profile<'_>, token: &str) -> Value {
    profile.call("detokenize", json!({"token": token})).await.response()["message"].clone()
}

#[tokio::test]
async fn social_security_numbers_keep_their_form() {
    let bench = Bench::new().await;
    let ssn = profile(&bench, json!({"pattern": SSN})).await;
    let read = ssn.read().await;
    assert_eq!(read["security"]["domainSize"], "888931098");
    assert_eq!((&read["format"]["minLength"], &read["format"]["maxLength"]), (&json!(9), &json!(9)));
    assert_eq!(read["format"]["alphabet"], Value::Null);
    for value in ["001-01-0001", "123-45-6789", "899-99-9999"] {
        let token = ssn.tokenize(value).await;
        let number = |range: std::ops::Range<usize>| token[range].parse::<u32>().unwrap();
        assert_eq!((token.len(), &token[3..4], &token[6..7]), (11, "-", "-"));
        assert!((1..900).contains(&number(0..3)) && number(0..3) != 666, "{token}");
        assert!(number(4..6) > 0 && number(7..11) > 0, "{token}");
        assert_eq!(message(&ssn, &token).await, value);
    }
    for value in ["000-45-6789", "666-45-6789", "900-45-6789", "123-00-6789", "123-45-0000", "123456789", ""] {
        ssn.call("tokenize", json!({"message": value})).await.refused(400, "InvalidValue", Some("/message"));
        ssn.call("detokenize", json!({"token": value})).await.refused(400, "InvalidValue", Some("/token"));
    }
    // A batch is many singles; what is wrong is named.
    let body = json!({"messages": ["123-45-6789", "666-45-6789", "001-01-0001"], "partial": true});
    let reply = ssn.call("batch-tokenize", body).await;
    let tokens = &reply.response()["tokens"];
    assert_eq!(tokens[0], ssn.tokenize("123-45-6789").await);
    assert_eq!(tokens[1], Value::Null);
    assert_eq!(reply.response()["errors"][0]["index"], 1);
    let back = ssn.call("batch-detokenize", json!({"tokens": [tokens[2], tokens[0]]})).await;
    assert_eq!(back.response()["messages"], json!(["001-01-0001", "123-45-6789"]));
}

#[tokio::test]
async fn tokens_of_ibans_are_ibans() {
    let bench = Bench::new().await;
    let iban = profile(&bench, json!({"pattern": IBAN, "passThrough": " "})).await;
    for value in ["DE89 3704 0044 0532 0130 00", "MT84MALT011000012345MTLCAST001S"] {
        let token = iban.tokenize(value).await;
        let bare: String = token.chars().filter(|&character| character != ' ').collect();
        let digits: String =
            bare[4..].chars().chain(bare[..4].chars()).map(|c| c.to_digit(36).unwrap().to_string()).collect();
        assert_eq!(digits.bytes().fold(0, |rest, digit| (rest * 10 + u32::from(digit - b'0')) % 97), 1, "{token}");
        let kind = |text: &str| {
            text.chars()
                .map(|c| {
                    if c.is_ascii_digit() {
                        '0'
                    } else if c == ' ' {
                        ' '
                    } else {
                        'A'
                    }
                })
                .collect::<String>()
        };
        assert_eq!(kind(&token), kind(value));
        assert_eq!(&token[..2], &value[..2]);
        assert_eq!(message(&iban, &token).await, value);
    }
    let wrong = iban.call("tokenize", json!({"message": "DE88 3704 0044 0532 0130 00"})).await;
    wrong.refused(400, "InvalidValue", Some("/message"));
    let no_track = iban.call("track-tokenize", json!({"track": ";4111111111111111=2912?"})).await;
    no_track.refused(400, "InvalidValue", Some("/track"));
}

#[tokio::test]
async fn a_partial_rule_counts_the_symbols_of_groups() {
    let bench = Bench::new().await;
    let ssn = profile(&bench, json!({"pattern": SSN})).await;
    let token = ssn.tokenize("123-45-6789").await;
    let partial = |reveal: u32| {
        json!({"controlRules": [
            {"roleUuid": OWN_ROLE, "operation": "PartialDetokenize", "reveal": reveal, "revealFrom": "End", "maskChar": "#"}]})
    };
    ssn.patch(partial(4)).await.response();
    assert_eq!(message(&ssn, &token).await, "###-##-6789");
    // Two check digits would give the last two hidden symbols away.
    let rule = |reveal: u32| json!([{"roleUuid": FOREIGN_ROLE, "operation": "PartialDetokenize", "reveal": reveal}]);
    let iban = |reveal: u32| {
        json!({"objInfo": {"name": "iban"}, "algorithm": "Ff1", "keyUuid": bench.key,
               "format": {"pattern": "DE<iban>{Decimal:18}"}, "controlRules": rule(reveal)})
    };
    let refused = bench.admin.post("/api/v2/token-profiles", iban(18)).await;
    refused.refused(400, "InvalidValue", Some("/controlRules/0/reveal"));
}

#[tokio::test]
async fn refusals_name_the_member() {
    let bench = Bench::new().await;
    for (format, code, field) in [
        (json!({"pattern": "{Decimal:5}"}), "InvalidValue", "/format/pattern"),
        (json!({"pattern": "{date:YYYY-MM-DD}"}), "InvalidValue", "/format/pattern"),
        (json!({"pattern": "{Decimal:6..9}{LowerHex:1..3}"}), "InvalidValue", "/format/pattern"),
        (json!({"pattern": ""}), "InvalidValue", "/format/pattern"),
        (json!({"pattern": 7}), "ArgumentParseError", "/format/pattern"),
        (json!({"pattern": SSN, "alphabet": "Decimal"}), "InvalidValue", "/format/alphabet"),
        (json!({"pattern": SSN, "minLength": 8}), "InvalidValue", "/format/minLength"),
        (json!({"pattern": SSN, "maxLength": 10}), "InvalidValue", "/format/maxLength"),
        (json!({"pattern": SSN, "keepLeading": 1}), "InvalidValue", "/format/keepLeading"),
        (json!({"pattern": SSN, "keepTrailing": 1}), "InvalidValue", "/format/keepTrailing"),
        (json!({"pattern": SSN, "luhn": "Valid"}), "InvalidValue", "/format/luhn"),
        (json!({"pattern": SSN, "tokenLength": 20}), "InvalidValue", "/format/tokenLength"),
        (json!({"pattern": SSN, "versionPrefix": 1}), "InvalidValue", "/format/versionPrefix"),
        (json!({"pattern": SSN, "passThrough": "-"}), "InvalidValue", "/format/passThrough"),
        (json!({"pattern": SSN, "passThrough": "7"}), "InvalidValue", "/format/passThrough"),
    ] {
        let reply = create(&bench, format.clone()).await;
        reply.refused(400, code, Some(field));
    }
    let small = create(&bench, json!({"pattern": "{01..12}/{01..31}/{00..99}"})).await;
    assert!(small.json["response"]["message"].as_str().unwrap().contains("only 37200 different values"));
}

#[tokio::test]
async fn a_pattern_may_be_written_back_changed_and_taken_away() {
    let bench = Bench::new().await;
    let ssn = profile(&bench, json!({"pattern": SSN, "minLength": 9})).await;
    let read = ssn.read().await;
    assert_eq!(ssn.patch(read.clone()).await.response(), &read);
    let phone = ssn.patch(json!({"format": {"pattern": "+[Decimal:1..3] {Decimal:7..12}", "passThrough": "-"}})).await;
    assert_eq!(
        (&phone.response()["format"]["minLength"], &phone.response()["format"]["maxLength"]),
        (&json!(8), &json!(15))
    );
    let without = ssn.patch(json!({"format": {"pattern": null}})).await;
    without.refused(400, "ArgumentParseError", Some("/format/alphabet"));
    let plain = ssn.patch(json!({"format": {"pattern": null, "alphabet": "Decimal", "passThrough": ""}})).await;
    assert_eq!(plain.response()["format"]["pattern"], Value::Null);
    // And from an alphabet to a pattern: what does not go together is to be put back.
    let cards = bench.profile(json!({})).await;
    let refused = cards.patch(json!({"format": {"pattern": "{Decimal:16}"}})).await;
    refused.refused(400, "InvalidValue", Some("/format/keepTrailing"));
    let change = json!({"format": {"pattern": "{Decimal:16}", "keepTrailing": 0, "luhn": "Ignore", "passThrough": ""}});
    assert_eq!(cards.patch(change).await.response()["format"]["alphabet"], Value::Null);
}

#[tokio::test]
async fn a_used_pattern_only_takes_more() {
    let bench = Bench::new().await;
    let phone = profile(&bench, json!({"pattern": "+[Decimal:1..3] {Decimal:7..12}"})).await;
    let token = phone.tokenize("+1 5550109999").await;
    for (pattern, field) in [
        (json!("+[Decimal:1..3] {Decimal:8..12}"), "/format/pattern"),
        (json!("+{Decimal:1..3} {Decimal:7..12}"), "/format/pattern"),
        (json!("{Decimal:7..12}"), "/format/pattern"),
    ] {
        let reply = phone.patch(json!({"format": {"pattern": pattern}})).await;
        reply.refused(409, "InvalidState", Some(field));
    }
    let plain = json!({"format": {"pattern": null, "alphabet": "Decimal", "minLength": 7}});
    phone.patch(plain).await.refused(409, "InvalidState", Some("/format/pattern"));
    let more = json!({"format": {"pattern": "+[Decimal:1..4] {Decimal:7..14}", "passThrough": "-/"}});
    phone.patch(more).await.response();
    assert_eq!(message(&phone, &token).await, "+1 5550109999");
    assert_eq!(phone.tokenize("+1 5550109999").await, token);
    phone.patch(json!({"format": {"passThrough": "-"}})).await.refused(
        409,
        "InvalidState",
        Some("/format/passThrough"),
    );
}

#[tokio::test]
async fn with_iv_the_same_value_has_other_tokens() {
    let bench = Bench::new().await;
    let body = json!({"objInfo": {"name": "iv"}, "algorithm": "Ff1", "keyUuid": bench.key, "useIv": true,
                      "format": {"pattern": SSN}, "controlRules": rules(&["Tokenize", "Detokenize"])});
    let id = bench.admin.post("/api/v2/token-profiles", body).await.response()["objInfo"]["uuid"]
        .as_str()
        .unwrap()
        .to_owned();
    let ssn = Profile { client: &bench.admin, id };
    let made = ssn.call("tokenize", json!({"message": "123-45-6789"})).await.response().clone();
    let again = ssn.call("tokenize", json!({"message": "123-45-6789"})).await.response().clone();
    assert_ne!(made["token"], again["token"]);
    let back = ssn.call("detokenize", json!({"token": made["token"], "iv": made["iv"]})).await;
    assert_eq!(back.response()["message"], "123-45-6789");
    ssn.call("detokenize", json!({"token": made["token"]})).await.refused(400, "ArgumentParseError", Some("/iv"));
}
