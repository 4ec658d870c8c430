use super::*;
use crate::{
    Meaning,
    tokenization::refusal::{BadPattern, BadValue},
};

fn parse(text: &str) -> Result<Pattern> {
    Pattern::parse(text, "", &Limits::default())
}

/// A message taken and put back.
fn same(pattern: &Pattern, message: &str) -> Result<String, BadValue> {
    let (mut taken, mut out) = (Taken::default(), String::new());
    let layout = pattern.take_message(message, &mut taken)?;
    pattern.put(message, &mut taken, &layout, &mut out);
    Ok(out)
}

fn refusal(pattern: &Pattern, message: &str) -> BadPattern {
    match same(pattern, message) {
        Err(BadValue::Pattern(bad)) => bad,
        other => panic!("{message:?} of {pattern:?}: {other:?}"),
    }
}

#[test]
fn refusals_name_the_position() {
    for (text, position, part) in [
        ("abc", 0, "at least one group"),
        ("[Decimal:4]", 0, "at least one group"),
        ("a}{Decimal:9}", 1, "\\}"),
        ("{Decimal:9}]", 11, "\\]"),
        ("{Decimal:9}>", 11, "\\>"),
        ("{Decimal:9}\\x", 12, "backslash"),
        ("{Decimal:9}\\", 12, "backslash"),
        ("{Decimal:9", 10, "} is missing"),
        ("{Decimal:9]", 10, "} is missing"),
        ("[Decimal:9}", 10, "] is missing"),
        ("{Decimal}", 8, "how many"),
        ("{Decimal:}", 9, "whole number"),
        ("{Decimal:1234567}", 9, "six digits"),
        ("{Decimal:0}", 9, "at least one symbol"),
        ("{Decimal:9..8}", 9, "at least one symbol"),
        ("{Decimal:9..}", 12, "whole number"),
        ("{decimal:9}", 1, "Decimal, LowerHex"),
        ("{}", 1, "a group begins with"),
        ("{Decimal+:9}", 9, "a group begins with"),
        ("{'abc:9}", 8, "closing quote"),
        ("{'':9}", 2, "nothing between"),
        (r"{'a\b':9}", 4, "backslash"),
        ("{'aba':9}", 1, "'a' occurs twice"),
        ("{Decimal|LowerHex:9}", 1, "'0' occurs twice"),
        ("{Decimal|'.':9}", 1, "at least two in each class"),
        ("x[Decimal|LowerAlpha:9]{Decimal:9}", 9, "join the symbols"),
        ("{'ab'|'cd'|'ef'|'gh'|'ij'|'kl'|'mn'|'op'|'qr':9}", 1, "at most 8 classes"),
        ("{Decimal:6..9}{Decimal:1..2}", 0, "cannot be told"),
        ("-{Decimal:6..9}7[UpperAlpha:1..2]", 1, "cannot be told"),
        ("{Decimal:6..9}<iban>x[Decimal:1..2]", 14, "always two characters"),
        ("{12..1}", 1, "same number of digits"),
        ("{12..01}", 1, "lowest number to the highest"),
        ("{01..05,05..09}", 8, "without overlap"),
        ("{0000000000..9999999999}", 1, "1 to 9"),
        ("{1..}", 1, "same number of digits"),
        ("{01,}", 4, "same number of digits"),
        ("-{07}", 1, "at least two values"),
        ("{date:YYYY-MM}", 6, "once each"),
        ("{date:YYYY-MM-DD,2000-01-01}", 6, "two days at least"),
        ("<luhn>{Decimal:9}", 0, "<iban>"),
        ("<iban>{Decimal:9}", 0, "always two characters"),
        ("DE<iban>{Decimal:9}<iban>", 19, "occurs once"),
        ("DE<iban>{LowerHex:9}", 8, "digits and capital letters"),
        ("DE<iban>-{Decimal:9}", 8, "digits and capital letters"),
        ("de<iban>{Decimal:9}", 0, "digits and capital letters"),
    ] {
        let error = parse(text).unwrap_err();
        assert_eq!((error.meaning(), error.field()), (Meaning::Value, Some("/format/pattern")), "{text}");
        let expected = format!("At position {position} (from 0): ");
        assert!(error.message().starts_with(&expected) && error.message().contains(part), "{text}: {error}");
    }
}

#[test]
fn limits_of_a_pattern() {
    let refused = |text: &str| parse(text).unwrap_err().message().to_owned();
    let long = |literal: usize| "x".repeat(literal) + "{Decimal:9}";
    assert!(parse(&long(4_096 - 11)).is_ok());
    assert!(refused(&long(4_096 - 10)).contains("1 to 4096 characters"));
    assert!(refused("").contains("1 to 4096 characters"));
    assert!(parse("{Decimal:500}[LowerAlpha:12]").is_ok());
    assert!(refused("{Decimal:501}[LowerAlpha:12]").contains("513 symbols; at most 512"));
    // Groups of several radices: 4 bits for a decimal digit, 5 for a letter.
    assert!(parse("{Decimal:3}{LowerAlpha:100}").is_ok());
    assert!(refused("{Decimal:4}{LowerAlpha:100}").contains("516 bits; at most 512"));
    let error = Pattern::parse("{Decimal:9}-", " -", &Limits::default()).unwrap_err();
    assert_eq!(error.field(), Some("/format/passThrough"));
}

#[test]
fn what_is_reserved_is_escaped() {
    let pattern = parse(r"\{{Decimal:6}\}\\{'a\'\\':2}\<\>\[\]").unwrap();
    assert_eq!(same(&pattern, r"{123456}\'\<>[]").as_deref(), Ok(r"{123456}\'\<>[]"));
}

#[test]
fn values_that_do_not_fit_are_refused_by_position() {
    use BadPattern::{CheckDigits, Date, Ends, Length, Number, Unexpected};
    let ssn = parse("{001..665,667..899}-{01..99}-{0001..9999}").unwrap();
    assert!(same(&ssn, "123-45-6789").is_ok());
    for (message, bad) in [
        ("000-45-6789", Number { position: 0 }),
        ("666-45-6789", Number { position: 0 }),
        ("900-45-6789", Number { position: 0 }),
        ("123-00-6789", Number { position: 4 }),
        ("123-45-0000", Number { position: 7 }),
        ("123-45-678", Ends),
        ("", Ends),
        ("123-45-67890", Unexpected { position: 11 }),
        ("123 45-6789", Unexpected { position: 3 }),
        ("123456789", Unexpected { position: 3 }),
        ("1", Ends),
        ("x", Unexpected { position: 0 }),
        ("١23-45-6789", Unexpected { position: 0 }),
    ] {
        assert_eq!(refusal(&ssn, message), bad, "{message}");
    }
    let iban = Pattern::parse("[UpperAlpha:2]<iban>{Decimal|UpperAlpha:11..30}", " ", &Limits::default()).unwrap();
    assert!(same(&iban, "DE89 3704 0044 0532 0130 00").is_ok());
    for (message, bad) in [
        ("DE88 3704 0044 0532 0130 00", CheckDigits),
        ("DE89 3704 0044 0532 0130 0a", Unexpected { position: 26 }),
        ("DE 89 37", Length { position: 6, length: 2, min: 11, max: 30 }),
        ("DE8", Ends),
    ] {
        assert_eq!(refusal(&iban, message), bad, "{message}");
    }
    let mail = parse("{AlphaNumeric|'._+-':5..64}@[AlphaNumeric+'.-':3..255]").unwrap();
    assert!(same(&mail, "john.doe@example.com").is_ok());
    assert_eq!(refusal(&mail, "joe@example.com"), Length { position: 0, length: 3, min: 5, max: 64 });
    assert_eq!(refusal(&mail, "john.doe@ex@mple"), Unexpected { position: 11 });
    assert_eq!(refusal(&mail, "john.doe"), Ends);
    let date = parse("{date:MM/DD/YYYY}").unwrap();
    assert!(same(&date, "02/29/2024").is_ok());
    assert_eq!(refusal(&date, "02/29/2023"), Date { position: 0 });
}

/// 00, 01 and 99 leave the same remainder as 97, 98 and 02: taken as they are, they would not come back.
#[test]
fn check_digits_that_no_iban_has_are_refused() {
    let iban = parse("DE<iban>{Decimal:6}").unwrap();
    let mut same_remainder = 0;
    for number in 0..2_000 {
        for check in ["00", "01", "99"] {
            let text = format!("DE{check}{number:06}");
            let moved: u128 = format!("{number:06}1314{check}").parse().unwrap();
            if moved % 97 == 1 {
                same_remainder += 1;
                assert_eq!(refusal(&iban, &text), BadPattern::CheckDigits);
            }
        }
    }
    assert!(same_remainder > 20, "{same_remainder}");
}

#[test]
fn the_encrypted_space_is_that_of_the_shortest_message() {
    let domain = |text: &str| parse(text).unwrap().domain_min();
    assert_eq!(domain("{001..665,667..899}-{01..99}-[0001..9999]"), [(898, 1), (99, 1)]);
    assert_eq!(domain("{Decimal|UpperAlpha:11..30}"), [(10, 11)]);
    assert_eq!(domain("{date:YYYYMMDD}[Decimal:1]"), [(73_049, 1)]);
}

#[test]
fn a_used_pattern_may_only_take_more() {
    for (old, new, reads) in [
        ("{Decimal:6..8}", "{Decimal:6..8}", true),
        ("{Decimal:6..8}", "{Decimal:5..9}", true),
        ("{Decimal:6}", "{Decimal:6..9}", true),
        ("{Decimal:6..8}", "{Decimal:7..8}", false),
        ("{Decimal:6..8}", "{Decimal:6..7}", false),
        ("{Decimal:6}", "{LowerHex:6}", false),
        ("{Decimal:6}", "[Decimal:6]{Decimal:6}", false),
        ("{Decimal:6}-", "{Decimal:6}/", false),
        ("{Decimal|UpperAlpha:6}", "{UpperAlpha|Decimal:6}", false),
        ("[Decimal:6]{Decimal:6}", "[LowerHex:6]{Decimal:6}", true),
        ("[LowerHex:6]{Decimal:6}", "[Decimal:6]{Decimal:6}", false),
        ("[Decimal:6]{Decimal:6}", "{Decimal:6}{Decimal:6}", false),
        ("{01..12}{Decimal:6}", "{01..13}{Decimal:6}", false),
        ("{'a\\'':6}", "{'a'+'\\'':6}", true),
    ] {
        let orphaned = parse(new).unwrap().orphans_tokens_of(&parse(old).unwrap());
        assert_eq!(orphaned, (!reads).then_some("/format/pattern"), "{old} {new}");
    }
    let with = |passing| Pattern::parse("{Decimal:6}", passing, &Limits::default()).unwrap();
    assert_eq!(with(" -").orphans_tokens_of(&with(" ")), None);
    assert_eq!(with("-").orphans_tokens_of(&with(" ")), Some("/format/passThrough"));
}
