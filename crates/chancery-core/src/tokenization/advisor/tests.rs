use chancery_types::RoleId;
use serde_json::{Value, json};

use super::*;
use crate::{Limits, tokenization::shape::new_format};

/// The notes on a profile: its algorithm, whether equal messages have equal tokens, its format, its rules.
fn notes(algorithm: TokenAlgorithm, repeats: bool, format: &Value, rules: &[(u128, Operation, Option<u32>)]) -> String {
    let limits = Limits::default();
    let format = new_format(algorithm, serde_json::from_value(format.clone()).unwrap(), &limits).unwrap();
    let shape = Shape::compile(algorithm, &format, &limits).unwrap();
    let rule = |&(role, operation, reveal): &(u128, Operation, Option<u32>)| ControlRule {
        role_uuid: RoleId::from_u128(role),
        operation,
        reveal,
        reveal_from: None,
        mask_char: None,
        mask: None,
        budgets: Vec::new(),
        approval: None,
    };
    let rules: Vec<_> = rules.iter().map(rule).collect();
    let case = Case { algorithm, shape: &shape, repeats, shares_domain: false, oldest_version: 1, rules: &rules };
    advise(&case).notes.join(" ")
}

fn cards(luhn: &str) -> Value {
    json!({"alphabet": "Decimal", "minLength": 13, "maxLength": 19, "keepTrailing": 4, "luhn": luhn})
}

#[test]
fn spaces_in_decimal() {
    let power = |radix, exponent| Space(vec![(radix, exponent)]).decimal();
    assert_eq!(power(10, 8), "100000000");
    assert_eq!(power(10, 9), "1000000000");
    assert_eq!(power(2, 64), "18446744073709551616");
    assert_eq!(power(65536, 4), "18446744073709551616");
    assert_eq!(power(36, 11), "131621703842267136");
    assert_eq!(power(10, 512), format!("1{}", "0".repeat(512)));
    assert_eq!(Space(vec![(898, 1), (99, 1), (9_999, 1)]).decimal(), "888931098");
    assert_eq!(Space(vec![(1_000_000_000, 1), (1_000_000_000, 1)]).decimal(), "1000000000000000000");
}

#[test]
fn says_when_tokenizing_batches_amounts_to_detokenizing() {
    use Operation::{Batch, Detokenize, PartialDetokenize, Tokenize};
    let rules = |all: &[(u128, Operation)]| all.iter().map(|&(role, op)| (role, op, None)).collect::<Vec<_>>();
    let says = |repeats, operations: &[_]| {
        notes(TokenAlgorithm::Ff1, repeats, &cards("Valid"), &rules(operations)).contains("trying all 100000000 ")
    };
    assert!(says(true, &[(1, Tokenize), (1, Batch)]));
    assert!(says(true, &[(1, Batch), (1, Tokenize), (2, Detokenize)]));
    assert!(!says(false, &[(1, Tokenize), (1, Batch)]), "with an iv trying does not help");
    assert!(!says(true, &[(1, Tokenize), (2, Batch)]));
    assert!(!says(true, &[(1, Tokenize), (1, Batch), (1, Detokenize)]), "it may anyway");

    // What a partial rule reveals need not be tried.
    let long = json!({"alphabet": "Decimal", "minLength": 16, "maxLength": 16});
    let partial = |role, reveal| [(1, Tokenize, None), (1, Batch, None), (role, PartialDetokenize, Some(reveal))];
    let long_notes = |role, reveal| notes(TokenAlgorithm::Ff1, true, &long, &partial(role, reveal));
    assert!(long_notes(1, 5).contains("which reveals 5 symbols"));
    assert!(!long_notes(1, 4).contains("by trying"));
    assert!(!long_notes(2, 5).contains("by trying"));

    let both = [(1, Tokenize, None), (1, Batch, None)];
    for (algorithm, repeats) in
        [(TokenAlgorithm::AesSiv, true), (TokenAlgorithm::Hmac, true), (TokenAlgorithm::AesGcm, false)]
    {
        assert_eq!(notes(algorithm, repeats, &Value::Null, &both).contains("few enough to be listed"), repeats);
    }
}

#[test]
fn says_when_a_token_may_equal_its_message() {
    let says = |format: &Value| notes(TokenAlgorithm::Ff1, false, format, &[]).contains("equals its message");
    assert!(says(&cards("Ignore")));
    assert!(says(&cards("Valid")));
    assert!(says(&json!({"pattern": "{Decimal:6}"})));
    assert_eq!(notes(TokenAlgorithm::Ff1, false, &cards("Invalid"), &[]), "");
    // A longer token is never its message.
    let longer = json!({"alphabet": "Decimal", "minLength": 6, "maxLength": 9, "tokenLength": 16});
    assert!(!says(&longer));
    for algorithm in [TokenAlgorithm::AesSiv, TokenAlgorithm::AesGcm, TokenAlgorithm::Hmac] {
        assert!(!notes(algorithm, false, &Value::Null, &[]).contains("equals its message"));
    }
}

#[test]
fn says_when_equal_tokens_tell_of_frequent_messages() {
    let digits = |length: u32| json!({"alphabet": "Decimal", "minLength": length, "maxLength": 19});
    let says = |repeats, length| notes(TokenAlgorithm::Ff1, repeats, &digits(length), &[]);
    assert!(says(true, 8).contains("only 100000000 values"));
    assert!(!says(true, 9).contains("values"));
    assert!(says(true, 9).contains("equal messages can be seen"));
    assert!(!says(false, 8).contains("values"));
}

#[test]
fn says_what_tokens_show_and_may_be_taken_for() {
    let iban = json!({"pattern": "[UpperAlpha:2]<iban>{Decimal|UpperAlpha:11..30}"});
    assert!(notes(TokenAlgorithm::Ff1, true, &iban, &[]).contains("valid IBANs"));
    assert!(notes(TokenAlgorithm::Ff1, true, &cards("Valid"), &[]).contains("pass Luhn like real"));
    assert!(notes(TokenAlgorithm::AesGcm, false, &Value::Null, &[]).contains("length of a token"));
    assert!(!notes(TokenAlgorithm::Hmac, true, &Value::Null, &[]).contains("length of a token"));
    // Of a date there are not many tokens.
    let date = json!({"pattern": "{date:YYYY-MM-DD}"});
    assert!(notes(TokenAlgorithm::Random, true, &date, &[]).contains("only 73049 tokens"));
}

#[test]
fn tokens_of_versions_that_are_given_up_read_as_wrong_messages() {
    let limits = Limits::default();
    let says = |algorithm, format: Value, oldest_version| {
        let format = new_format(algorithm, serde_json::from_value(format).unwrap(), &limits).unwrap();
        let shape = Shape::compile(algorithm, &format, &limits).unwrap();
        let case = Case { algorithm, shape: &shape, repeats: false, shares_domain: false, oldest_version, rules: &[] };
        advise(&case).notes.join(" ").contains("plausible, wrong message")
    };
    let (ff1, numbers) = (TokenAlgorithm::Ff1, json!({"alphabet": "Decimal", "minLength": 9, "maxLength": 12}));
    assert!(says(ff1, numbers.clone(), 2));
    assert!(!says(ff1, numbers, 1), "none was given up");
    assert!(says(ff1, json!({"pattern": "{001..665,667..899}-{01..99}-{0001..9999}"}), 3));
    let prefixed = json!({"alphabet": "Decimal", "minLength": 9, "maxLength": 12, "versionPrefix": 1});
    assert!(!says(ff1, prefixed, 2), "each tells its version");
    assert!(!says(TokenAlgorithm::AesSiv, Value::Null, 2));
}
