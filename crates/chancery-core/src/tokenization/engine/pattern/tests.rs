use chancery_ff1::Key;
use chancery_types::RevealFrom;
use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::{
    Limits,
    tokenization::{
        mask::{Mask, Reveals},
        refusal::BadPattern,
        rules::tests::{MAY_DETOKENIZE, MAY_TOKENIZE, may_see},
    },
};

/// Made by testdata/patterns.py, which shares no line with this crate.
const FROZEN: &str = include_str!("../../../../testdata/patterns.json");

#[derive(Deserialize)]
struct Frozen {
    key: String,
    domain: String,
    iv: String,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    pattern: String,
    pass_through: String,
    message: String,
    token: String,
    token_with_iv: String,
}

pub(in super::super) fn engine(pattern: &str) -> PatternEngine {
    engine_under(&[7; 32], pattern, "", TokenProfileId::from_u128(1))
}

fn engine_under(key: &[u8], pattern: &str, passing: &str, domain: TokenProfileId) -> PatternEngine {
    let pattern = Pattern::parse(pattern, passing, &Limits::default()).unwrap();
    let key = Key::new(key).unwrap();
    let ciphers = Ciphers::new(&pattern, domain, |radix| Ok(Ff1::new(&key, radix).unwrap())).unwrap();
    PatternEngine { pattern, ciphers: Versions::new(1, vec![ciphers]).unwrap() }
}

fn one(outcome: Result<Outcome>) -> Result<String, BadValue> {
    let outcome = outcome.unwrap();
    match outcome.bad.first() {
        Some(&(0, bad)) => Err(bad),
        Some(_) => unreachable!("one value was given"),
        None => Ok(outcome.texts.at(0).unwrap().unwrap().to_owned()),
    }
}

fn tokenize(engine: &PatternEngine, message: &str) -> Result<String, BadValue> {
    one(engine.tokenize(&MAY_TOKENIZE, [message].into_iter(), &[]))
}

fn detokenize(engine: &PatternEngine, token: &str) -> Result<String, BadValue> {
    one(engine.detokenize(&MAY_DETOKENIZE, [token].into_iter(), &[], None))
}

#[test]
fn tokens_are_frozen() {
    let frozen: Frozen = serde_json::from_str(FROZEN).unwrap();
    let domain = u128::from_str_radix(&frozen.domain, 16).unwrap();
    let iv = Iv::Ff1(hex::decode(&frozen.iv).unwrap().try_into().unwrap());
    assert_eq!(frozen.cases.len(), 19);
    for Case { pattern, pass_through, message, token, token_with_iv } in frozen.cases {
        let key = hex::decode(&frozen.key).unwrap();
        let engine = engine_under(&key, &pattern, &pass_through, TokenProfileId::from_u128(domain));
        assert_eq!(tokenize(&engine, &message).as_ref(), Ok(&token), "{pattern} {message}");
        assert_eq!(detokenize(&engine, &token).as_ref(), Ok(&message));
        let messages = [message.as_str()].into_iter();
        assert_eq!(one(engine.tokenize(&MAY_TOKENIZE, messages, &[iv])).as_ref(), Ok(&token_with_iv));
        let tokens = [token_with_iv.as_str()].into_iter();
        assert_eq!(one(engine.detokenize(&MAY_DETOKENIZE, tokens, &[Some(iv)], None)), Ok(message));
    }
}

#[test]
fn profiles_on_one_key_do_not_open_each_others_tokens() {
    let domain = |id| engine_under(&[7; 32], "{001..665,667..899}{000000..999999}", "", TokenProfileId::from_u128(id));
    let token = tokenize(&domain(1), "123456789").unwrap();
    assert_ne!(detokenize(&domain(2), &token).unwrap(), "123456789");
}

#[test]
fn tokens_that_no_message_has_are_refused() {
    let engine = engine("DE<iban>{Decimal:18}");
    let token = tokenize(&engine, "DE89370400440532013000").unwrap();
    let check: u32 = token[2..4].parse().unwrap();
    let other = format!("DE{:02}{}", 2 + (check + 1) % 97, &token[4..]);
    assert_eq!(detokenize(&engine, &other), Err(BadValue::NoSuchToken));
    assert_eq!(detokenize(&engine, "DE8937"), Err(BadValue::Pattern(BadPattern::Ends)));
}

#[test]
fn a_partial_view_counts_the_symbols_of_groups() {
    let show = |pattern: &str, message: &str, reveal, from| {
        let engine = engine(pattern);
        let token = tokenize(&engine, message).unwrap();
        let grant = may_see(Mask::new(Reveals::of(reveal, from), '*'));
        one(engine.detokenize(&grant, [token.as_str()].into_iter(), &[], None)).unwrap()
    };
    let ssn = "{001..665,667..899}-{01..99}-{0001..9999}";
    assert_eq!(show(ssn, "123-45-6789", 4, RevealFrom::End), "***-**-6789");
    assert_eq!(show(ssn, "123-45-6789", 9, RevealFrom::End), "***-**-****");
    assert_eq!(show("DE<iban>{Decimal:18}", "DE89370400440532013000", 4, RevealFrom::Start), "DE8937****************");
    let dated = "{date:YYYY-MM-DD}{Decimal:4}";
    assert_eq!(show(dated, "2001-09-110000", 4, RevealFrom::Start), "2001-**-******");
    let mail = "{AlphaNumeric|'._+-':5..64}@[AlphaNumeric+'.-':3..255]";
    assert_eq!(show(mail, "john.doe@example.com", 11, RevealFrom::End), "********@example.com");
}

#[test]
fn a_batch_goes_on_after_bad_values() {
    let engine = engine("{01..12}/{00..99} {Decimal|UpperAlpha:5..9}");
    let messages = ["01/99 12345", "13/99 12345", "12/00 ABCDE", "12/00 A", "01/99 A1B2C3"];
    let Outcome { texts, bad } = engine.tokenize(&MAY_TOKENIZE, messages.into_iter(), &[]).unwrap();
    let length = BadPattern::Length { position: 6, length: 1, min: 5, max: 9 };
    assert_eq!(bad, [(1, BadValue::Pattern(BadPattern::Number { position: 0 })), (3, BadValue::Pattern(length))]);
    for index in [0, 2, 4] {
        assert_eq!(texts.at(index).unwrap().unwrap(), tokenize(&engine, messages[index]).unwrap());
    }
    let bytes = IvKind::Ff1.length();
    let outcome = engine.detokenize(&MAY_DETOKENIZE, ["01/99 12345"].into_iter(), &[None], None).unwrap();
    assert_eq!(outcome.bad, [(0, BadValue::Iv { bytes })]);
}

/// A whole domain of bits, most of which walk: every token once.
#[test]
fn walking_is_a_permutation() {
    // 1,000,000 of 1,048,576: every value of a slice goes somewhere else and comes back.
    let engine = engine("{000..999}-{00..99}-{00..09}");
    let messages: Vec<String> =
        (0..2_000).map(|n| format!("{:03}-{:02}-0{}", n / 1000 * 999, n / 10 % 100, n % 10)).collect();
    let outcome = engine.tokenize(&MAY_TOKENIZE, messages.iter().map(String::as_str), &[]).unwrap();
    let tokens: std::collections::HashSet<&str> = outcome.texts.iter().flatten().collect();
    assert_eq!((outcome.bad.len(), tokens.len()), (0, 2_000));
}

/// One group of a pattern, as its text, and values that it accepts, as a regular expression. Letters never follow digits
/// without a literal between them, so that ends can be told.
fn any_group() -> impl Strategy<Value = (String, String)> {
    let lengths = (1usize..6, 0usize..4).prop_map(|(min, more)| (min, min + more));
    let symbols = prop::sample::select(vec![
        ("Decimal", "[0-9]"),
        ("UpperAlpha", "[A-Z]"),
        ("Decimal|LowerAlpha", "[0-9a-z]"),
        ("LowerHex", "[0-9a-f]"),
        ("'äöü🂡'|'01'", "[äöü🂡01]"),
        ("'01'", "[01]"),
    ]);
    let symbols = (symbols, lengths, any::<bool>()).prop_map(|((alphabet, class), (min, max), keep)| {
        let keep = keep && !alphabet.contains('|');
        let group = format!("{alphabet}:{min}..{max}");
        (if keep { format!("[{group}]") } else { format!("{{{group}}}") }, format!("{class}{{{min},{max}}}"))
    });
    let fixed = prop::sample::select(vec![
        ("{001..665,667..899}", "(00[1-9]|[1-5][0-9]{2}|66[0-5]|8[0-9]{2})"),
        ("{01..12}", "(0[1-9]|1[0-2])"),
        ("[00..99]", "[0-9]{2}"),
        ("{date:DD.MM.YYYY}", "(0[1-9]|1[0-9]|2[0-8])\\.0[1-9]\\.(19|20)[0-9]{2}"),
        ("{0..1}", "[01]"),
    ]);
    prop_oneof![2 => symbols, 1 => fixed.prop_map(|(group, values)| (group.to_owned(), values.to_owned()))]
}

/// A pattern that create accepts for Ff1, and messages that it accepts.
fn any_messages() -> impl Strategy<Value = (String, Vec<String>)> {
    let groups = prop::collection::vec(any_group(), 1..6);
    let whole = groups.prop_map(|groups| {
        let (patterns, values): (Vec<_>, Vec<_>) = groups.into_iter().unzip();
        (patterns.join("\\>"), values.join(">"))
    });
    // Enough to encrypt, whatever else there is.
    let whole =
        whole.prop_map(|(pattern, values)| (format!("{pattern}:{{LowerHex:5}}"), format!("{values}:[0-9a-f]{{5}}")));
    whole.prop_flat_map(|(pattern, values)| {
        let values = proptest::string::string_regex(&values).unwrap();
        (Just(pattern), prop::collection::vec(values, 1..8))
    })
}

proptest! {
    #[test]
    fn detokenize_inverts_tokenize((pattern, messages) in any_messages(), iv in prop::option::of(any::<[u8; 16]>())) {
        let engine = engine(&pattern);
        let ivs: Vec<Iv> = iv.map(Iv::Ff1).iter().copied().cycle().take(messages.len()).collect();
        let batch = engine.tokenize(&MAY_TOKENIZE, messages.iter().map(String::as_str), &ivs).unwrap();
        prop_assert_eq!(&batch.bad, &[]);
        let tokens = || batch.texts.iter().flatten();
        for (message, token) in messages.iter().zip(tokens()) {
            let single = one(engine.tokenize(&MAY_TOKENIZE, [message.as_str()].into_iter(), &ivs[..ivs.len().min(1)]));
            prop_assert_eq!(single.as_deref(), Ok(token), "a batch is many singles");
            let mut taken = Taken::default();
            prop_assert!(engine.pattern.take_token(token, &mut taken).is_ok(), "a token has the pattern");
            prop_assert_eq!(token.chars().count(), message.chars().count());
            for (was, is) in message.chars().zip(token.chars()) {
                prop_assert_eq!(was == '>' || was == ':', is == '>' || is == ':', "literals stay");
            }
        }
        let ivs: Vec<_> = ivs.into_iter().map(Some).collect();
        let back = engine.detokenize(&MAY_DETOKENIZE, tokens(), &ivs, None).unwrap();
        prop_assert_eq!(&back.bad, &[]);
        prop_assert!(back.texts.iter().flatten().eq(messages.iter().map(String::as_str)));
    }

    #[test]
    fn drawn_values_have_the_shape_of_the_message((pattern, messages) in any_messages()) {
        let pattern = Pattern::parse(&pattern, "", &Limits::default()).unwrap();
        let mut taken = Taken::default();
        for message in &messages {
            let layout = pattern.take_message(message, &mut taken).unwrap();
            let mut drawn = String::new();
            pattern.draw(message, &mut taken, &layout, || u64::from_le_bytes(chancery_keys::random()), &mut drawn);
            let again = pattern.take_token(&drawn, &mut taken).unwrap();
            let mut tweaks = [Vec::new(), Vec::new()];
            let before = pattern.take_message(message, &mut taken).unwrap();
            pattern.append_tweak(&taken, &before, &mut tweaks[0]);
            pattern.append_tweak(&taken, &again, &mut tweaks[1]);
            prop_assert_eq!(&tweaks[0], &tweaks[1], "what is kept is the same");
        }
    }

    #[test]
    fn any_text_as_pattern_and_value_is_refused_or_comes_back(
        pattern in r"[-{}\[\]<>:'|+.,0-9a-bD\\]{0,24}|(\{(Decimal|'ab'|0[0-4]\.\.[5-9][0-9])(:[1-9](\.\.[5-9])?)?\}|[-a:]){1,5}",
        value in "[-0-9ab:]{0,12}",
    ) {
        let Ok(pattern) = Pattern::parse(&pattern, "", &Limits::default()) else { return Ok(()) };
        let mut taken = Taken::default();
        let (mut same, before) = (String::new(), taken.places.len());
        match pattern.take_message(&value, &mut taken) {
            Ok(layout) => {
                pattern.put(&value, &mut taken, &layout, &mut same);
                prop_assert_eq!(same, value);
            }
            Err(_) => prop_assert_eq!(taken.places.len(), before),
        }
    }
}
