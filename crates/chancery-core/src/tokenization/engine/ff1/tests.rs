mod parts;

use chancery_ff1::Key;
use chancery_types::{Luhn, RevealFrom, wire::token_profiles::TokenFormat};
use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::{
    Limits,
    tokenization::{
        mask::{Mask, Reveals},
        rules::tests::{MAY_DETOKENIZE, MAY_TOKENIZE, may_see},
    },
};

/// Made by testdata/tokens.py, which shares no line with this crate.
const FROZEN: &str = include_str!("../../../../testdata/tokens.json");

#[derive(Deserialize)]
struct Frozen {
    key: String,
    domain: String,
    iv: String,
    version: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    format: TokenFormat,
    message: String,
    token: String,
    token_with_iv: String,
}

fn engine(format: &TokenFormat) -> Ff1Engine {
    engine_of(&[&[7; 32]], 1, format, TokenProfileId::from_u128(1))
}

/// With one key for each version from `oldest` on.
fn engine_of(keys: &[&[u8]], oldest: u32, format: &TokenFormat, domain: TokenProfileId) -> Ff1Engine {
    let format = Format::compile(format, &Limits::default()).unwrap();
    let cipher = |key: &&[u8]| Ff1::new(&Key::new(key).unwrap(), format.alphabet().radix()).unwrap();
    let ciphers = Versions::new(oldest, keys.iter().map(cipher).collect()).unwrap();
    Ff1Engine::with_ciphers(format, domain, &ciphers).unwrap()
}

fn cards(luhn: Luhn) -> TokenFormat {
    TokenFormat { keep_trailing: 4, pass_through: " -".into(), luhn, ..format("Decimal", 13, 19) }
}

fn format(alphabet: &str, min_length: u32, max_length: u32) -> TokenFormat {
    TokenFormat {
        alphabet: Some(alphabet.into()),
        min_length,
        max_length,
        keep_leading: 0,
        keep_trailing: 0,
        pass_through: String::new(),
        luhn: Luhn::Ignore,
        token_length: None,
        pattern: None,
        version_prefix: None,
    }
}

fn one(outcome: Result<Outcome>) -> Result<String, BadValue> {
    let outcome = outcome.unwrap();
    match outcome.bad.first() {
        Some(&(0, bad)) => Err(bad),
        Some(_) => unreachable!("one value was given"),
        None => Ok(outcome.texts.at(0).unwrap().unwrap().to_owned()),
    }
}

fn tokenize(engine: &Ff1Engine, message: &str) -> Result<String, BadValue> {
    one(engine.tokenize(&MAY_TOKENIZE, [message].into_iter(), &[]))
}

fn detokenize(engine: &Ff1Engine, token: &str) -> Result<String, BadValue> {
    one(engine.detokenize(&MAY_DETOKENIZE, [token].into_iter(), &[], None))
}

#[test]
fn tokens_are_frozen() {
    let frozen: Frozen = serde_json::from_str(FROZEN).unwrap();
    let domain = u128::from_str_radix(&frozen.domain, 16).unwrap();
    let iv = Iv::Ff1(hex::decode(&frozen.iv).unwrap().try_into().unwrap());
    let key = hex::decode(&frozen.key).unwrap();
    for Case { format, message, token, token_with_iv } in frozen.cases {
        let engine = engine_of(&[&key], frozen.version, &format, TokenProfileId::from_u128(domain));
        assert_eq!(tokenize(&engine, &message).as_ref(), Ok(&token));
        assert_eq!(detokenize(&engine, &token).as_ref(), Ok(&message));
        let messages = [message.as_str()].into_iter();
        assert_eq!(one(engine.tokenize(&MAY_TOKENIZE, messages, &[iv])).as_ref(), Ok(&token_with_iv));
        let tokens = [token_with_iv.as_str()].into_iter();
        assert_eq!(one(engine.detokenize(&MAY_DETOKENIZE, tokens, &[Some(iv)], None)), Ok(message));
    }
}

#[test]
fn profiles_on_one_key_do_not_open_each_others_tokens() {
    let domain = |id| engine_of(&[&[7; 32]], 1, &cards(Luhn::Ignore), TokenProfileId::from_u128(id));
    let token = tokenize(&domain(1), "4111111111111111").unwrap();
    assert_ne!(detokenize(&domain(2), &token).unwrap(), "4111111111111111");
}

#[test]
fn refuses_what_the_format_does_not_take() {
    let valid = engine(&cards(Luhn::Valid));
    for (message, refusal) in [
        ("411111111111", BadValue::TooShort { symbols: 12, min: 13 }),
        ("", BadValue::TooShort { symbols: 0, min: 13 }),
        ("41111111111111111111", BadValue::TooLong { symbols: 20, max: 19 }),
        ("4111 1111x1111 1111", BadValue::NotInAlphabet { position: 9 }),
        ("٤١١١١١١١١١١١١١١١", BadValue::NotInAlphabet { position: 0 }),
        ("4111111111111112", BadValue::Luhn),
    ] {
        assert_eq!(tokenize(&valid, message), Err(refusal));
        let as_token = if refusal == BadValue::Luhn { BadValue::NoSuchToken } else { refusal };
        assert_eq!(detokenize(&valid, message), Err(as_token));
    }
    let large = "-".repeat(65_536) + "1";
    assert_eq!(tokenize(&valid, &large), Err(BadValue::TooLarge { bytes_max: 65_536 }));
    assert_eq!(tokenize(&valid, &large[1..]), Err(BadValue::TooShort { symbols: 1, min: 13 }));
}

#[test]
fn tokens_of_luhn_invalid_fail_luhn_and_valid_ones_are_not_taken() {
    let engine = engine(&cards(Luhn::Invalid));
    let token = tokenize(&engine, "4111-1111-1111-1111").unwrap();
    let digits: Vec<u16> = token.chars().filter_map(|c| engine.format().alphabet().digit(c)).collect();
    assert!(!crate::tokenization::luhn::passes(&digits));
    assert_eq!(detokenize(&engine, "4111-1111-1111-1111"), Err(BadValue::NoSuchToken));
    assert_eq!(detokenize(&engine, &token).unwrap(), "4111-1111-1111-1111");
}

#[test]
fn tokens_of_a_fixed_length_that_no_message_has_are_refused() {
    let engine = engine(&TokenFormat { token_length: Some(16), ..format("Decimal", 6, 9) });
    let token = tokenize(&engine, "123456").unwrap();
    assert_eq!(token.len(), 16);
    assert_eq!(detokenize(&engine, &token[1..]), Err(BadValue::TooShort { symbols: 15, min: 16 }));
    // Of 10^16 tokens about one in 10^7 stands for a message.
    let refused = (0..100).filter(|n| detokenize(&engine, &format!("{n:016}")) == Err(BadValue::NoSuchToken)).count();
    assert!(refused > 95, "{refused}");
}

#[test]
fn a_partial_view_masks_the_message() {
    let engine = engine(&cards(Luhn::Valid));
    let token = tokenize(&engine, "4111-1111-1111-1111").unwrap();
    let grant = may_see(Mask::new(Reveals::of(6, RevealFrom::Start), '#'));
    assert_eq!(one(engine.detokenize(&grant, [token.as_str()].into_iter(), &[], None)).unwrap(), "4111-11##-####-####");
}

#[test]
fn a_batch_goes_on_after_bad_values() {
    let engine = engine(&cards(Luhn::Valid));
    let messages = ["4111111111111111", "no", "4111111111111112", "4222222222222"];
    let Outcome { texts, bad } = engine.tokenize(&MAY_TOKENIZE, messages.into_iter(), &[]).unwrap();
    assert_eq!(bad, [(1, BadValue::NotInAlphabet { position: 0 }), (2, BadValue::Luhn)]);
    assert_eq!(texts.at(1), Some(None));
    assert_eq!(texts.at(3).unwrap().unwrap(), tokenize(&engine, messages[3]).unwrap());
    let ivs = [None, Some(Iv::Ff1([0; 16]))];
    let tokens = [messages[0], messages[0]].into_iter();
    let outcome = engine.detokenize(&MAY_DETOKENIZE, tokens, &ivs, None).unwrap();
    assert_eq!(outcome.bad, [(0, BadValue::Iv { bytes: 16 })]);
}

/// Formats that create accepts, over every rule of a format.
fn any_format() -> impl Strategy<Value = TokenFormat> {
    let alphabet = prop_oneof![
        3 => Just("Decimal"),
        1 => Just("LowerHex"),
        1 => Just("UpperAlpha"),
        1 => Just("AlphaNumeric"),
        1 => Just("Printable"),
        1 => Just("01"),
        1 => Just("äöüßÄÖÜẞ🂡é"),
    ];
    let luhn = prop_oneof![2 => Just(Luhn::Ignore), 1 => Just(Luhn::Valid), 1 => Just(Luhn::Invalid)];
    let lengths = (1u32..40, 0u32..20, 0u32..8, 0u32..8, prop::option::of(1u32..5));
    (alphabet, lengths, luhn, prop::option::of(1u32..24), prop::sample::select(vec!["", "\u{1F600}\t", "\u{7f}"]))
        .prop_map(|(alphabet, (min, more, lead, trail, prefix), luhn, longer, pass_through)| TokenFormat {
            keep_leading: lead,
            keep_trailing: trail,
            luhn,
            version_prefix: prefix,
            pass_through: pass_through.into(),
            token_length: longer.map(|longer| min + more + longer),
            ..format(alphabet, min, min + more)
        })
        .prop_map(|format| match format.token_length {
            Some(_) if format.keep_leading == 0 => {
                TokenFormat { keep_trailing: 0, luhn: Luhn::Ignore, pass_through: String::new(), ..format }
            }
            Some(_) | None => TokenFormat { token_length: None, ..format },
        })
        .prop_filter("create refuses it", |format| Format::compile(format, &Limits::default()).is_ok())
}

/// A message of the format out of any digits.
fn message(format: &Format, mut digits: Vec<u16>, places: &[prop::sample::Index]) -> String {
    let radix = u16::try_from(format.alphabet().radix()).unwrap();
    digits.iter_mut().for_each(|digit| *digit %= radix);
    if format.has_check_digit() {
        digits[0] = crate::tokenization::luhn::check_digit(&digits, 0);
    }
    let mut text: Vec<char> = digits.into_iter().map(|digit| format.alphabet().symbol(digit)).collect();
    for place in places {
        if let Some(&character) = format.pass_through.first() {
            text.insert(place.index(text.len() + 1), character);
        }
    }
    text.into_iter().collect()
}

fn any_messages() -> impl Strategy<Value = (TokenFormat, Vec<String>)> {
    any_format().prop_flat_map(|wire| {
        let format = Format::compile(&wire, &Limits::default()).unwrap();
        let digits = prop::collection::vec(any::<u16>(), format.min..=format.max);
        let places = prop::collection::vec(any::<prop::sample::Index>(), 0..5);
        let messages = prop::collection::vec((digits, places), 1..20).prop_map(move |messages| {
            messages.into_iter().map(|(digits, places)| message(&format, digits, &places)).collect()
        });
        (Just(wire), messages)
    })
}

#[test]
fn a_prefix_tells_the_version_and_none_is_ever_tried() {
    let wire = TokenFormat { version_prefix: Some(1), ..format("Decimal", 6, 9) };
    let of = |oldest, keys: &[&[u8]]| engine_of(keys, oldest, &wire, TokenProfileId::from_u128(1));
    let (one, two, three): (&[u8], &[u8], &[u8]) = (&[1; 32], &[2; 32], &[3; 32]);
    let old = tokenize(&of(1, &[one]), "123456").unwrap();
    let new = tokenize(&of(1, &[one, two]), "123456").unwrap();
    assert_eq!((&old[..1], &new[..1], old.len()), ("1", "2", 7));
    let both = of(1, &[one, two]);
    let tokens = [old.as_str(), &new, "3999999", "2x9999", "19999", "2"];
    let outcome = both.detokenize(&MAY_DETOKENIZE, tokens.into_iter(), &[], None).unwrap();
    assert_eq!(outcome.texts.iter().flatten().collect::<Vec<_>>(), ["123456", "123456"]);
    let short = BadValue::TooShort { symbols: 5, min: 7 };
    let refusals = [
        BadValue::Version { version: 3, oldest: 1, newest: 2 },
        BadValue::NotInAlphabet { position: 1 },
        short,
        BadValue::TooShort { symbols: 1, min: 7 },
    ];
    assert_eq!(outcome.bad.iter().map(|(_, bad)| *bad).collect::<Vec<_>>(), refusals);
    let later = of(2, &[two, three]);
    assert_eq!(detokenize(&later, &old), Err(BadValue::Version { version: 1, oldest: 2, newest: 3 }));
    assert_eq!(detokenize(&later, &new).unwrap(), "123456");
    let asked = |version| one_of(&later, &new, Some(version));
    assert_eq!(asked(2).unwrap(), "123456");
    assert_eq!(asked(3), Err(BadValue::OtherVersion { version: 2 }));
}

#[test]
fn without_a_prefix_the_call_says_the_version() {
    let wire = format("Decimal", 6, 9);
    let engine = |oldest, keys: &[&[u8]]| engine_of(keys, oldest, &wire, TokenProfileId::from_u128(1));
    let old = tokenize(&engine(1, &[&[1; 32]]), "123456").unwrap();
    let both = engine(1, &[&[1; 32], &[2; 32]]);
    assert_eq!(one_of(&both, &old, Some(1)).unwrap(), "123456");
    assert_ne!(one_of(&both, &old, Some(2)).unwrap(), "123456", "a plausible wrong answer");
}

#[test]
fn a_token_may_have_more_bytes_than_a_message() {
    let wire = TokenFormat { pass_through: "-".into(), ..format("01234567é🂡", 20, 20) };
    let engine = engine(&wire);
    let message = "-".repeat(65_536 - 20) + &"0".repeat(20);
    let token = tokenize(&engine, &message).unwrap();
    assert!(token.len() > 65_536);
    assert_eq!(detokenize(&engine, &token).as_ref(), Ok(&message));
}

#[test]
fn a_batch_of_thousands_is_many_singles() {
    let engine = engine(&cards(Luhn::Valid));
    let message = |n: u32| match n % 700 {
        699 => "no number".to_owned(),
        _ => with_check_digit(&format!("4{:014}0", u64::from(n) * 76_543_210_987 % 100_000_000_000_000)),
    };
    let messages: Vec<String> = (0..2500).map(message).collect();
    let batch = engine.tokenize(&MAY_TOKENIZE, messages.iter().map(String::as_str), &[]).unwrap();
    assert_eq!(batch.bad, [699, 1399, 2099].map(|index| (index, BadValue::NotInAlphabet { position: 0 })));
    for (message, token) in messages.iter().zip(batch.texts.iter()) {
        assert_eq!(tokenize(&engine, message).ok().as_deref(), token);
    }
}

fn one_of(engine: &Ff1Engine, token: &str, version: Option<u32>) -> Result<String, BadValue> {
    one(engine.detokenize(&MAY_DETOKENIZE, [token].into_iter(), &[], version))
}

proptest! {
    #[test]
    fn detokenize_inverts_tokenize((wire, messages) in any_messages(), iv in prop::option::of(any::<[u8; 16]>().prop_map(Iv::Ff1))) {
        let engine = engine(&wire);
        let ivs: Vec<Iv> = iv.iter().copied().cycle().take(messages.len()).collect();
        let batch = engine.tokenize(&MAY_TOKENIZE, messages.iter().map(String::as_str), &ivs).unwrap();
        prop_assert_eq!(&batch.bad, &[]);
        let tokens = || batch.texts.iter().flatten();
        for (message, token) in messages.iter().zip(tokens()) {
            let single = one(engine.tokenize(&MAY_TOKENIZE, [message.as_str()].into_iter(), iv.as_slice()));
            prop_assert_eq!(single.as_deref(), Ok(token), "a batch is many singles");
            let mut digits = Vec::new();
            let prefix = wire.version_prefix.unwrap_or(0) as usize;
            let unprefixed: String = token.chars().skip(prefix).collect();
            prop_assert!(engine.format().take_token(&unprefixed, &mut digits).is_ok(), "a token has the format");
            if let Some(length) = wire.token_length {
                prop_assert_eq!(token.chars().count(), length as usize);
                continue;
            }
            let digits: Vec<_> = token.chars().filter_map(|symbol| engine.format().alphabet().digit(symbol)).collect();
            match wire.luhn {
                Luhn::Ignore => {}
                Luhn::Valid => prop_assert!(crate::tokenization::luhn::passes(&digits)),
                Luhn::Invalid => prop_assert!(!crate::tokenization::luhn::passes(&digits)),
            }
            for (was, is) in message.chars().zip(unprefixed.chars()) {
                let passes = engine.format().passes_through(was);
                prop_assert_eq!(passes.then_some(was), engine.format().passes_through(is).then_some(is));
            }
        }
        let ivs: Vec<_> = ivs.into_iter().map(Some).collect();
        let back = engine.detokenize(&MAY_DETOKENIZE, tokens(), &ivs, None).unwrap();
        prop_assert_eq!(&back.bad, &[]);
        prop_assert!(back.texts.iter().flatten().eq(messages.iter().map(String::as_str)));
    }

    #[test]
    fn tokens_of_every_version_that_is_read_come_back(
        (wire, messages) in any_messages(),
        keys in prop::collection::vec(any::<[u8; 32]>(), 1..4),
        domain in any::<u128>(),
    ) {
        let keys: Vec<&[u8]> = keys.iter().map(<[u8; 32]>::as_slice).collect();
        let of = |count: usize| engine_of(&keys[..count], 1, &wire, TokenProfileId::from_u128(domain));
        let newest = of(keys.len());
        prop_assume!(newest.format().check_holds_version(newest.versions().newest()).is_ok());
        for (version, count) in (1..).zip(1..=keys.len()) {
            let made = of(count).tokenize(&MAY_TOKENIZE, messages.iter().map(String::as_str), &[]).unwrap();
            let told = if wire.version_prefix.is_some() { None } else { Some(version) };
            let back = newest.detokenize(&MAY_DETOKENIZE, made.texts.iter().flatten(), &[], told).unwrap();
            prop_assert_eq!(&back.bad, &[]);
            prop_assert!(back.texts.iter().flatten().eq(messages.iter().map(String::as_str)));
        }
    }

    #[test]
    fn decimal_text_is_treated_as_digits_are(
        (min, more, leading, trailing) in (8u32..20, 0u32..20, 0u32..8, 0u32..8),
        luhn in prop::sample::select(vec![Luhn::Ignore, Luhn::Valid, Luhn::Invalid]),
        spaced: bool,
        values in prop::collection::vec(("[0-9]{1,40}|[0-9 -]{1,40}|[0-9é:/x]{8,30}", any::<bool>()), 0..12),
        iv in prop::option::of(any::<[u8; 16]>().prop_map(Iv::Ff1)),
    ) {
        let wire = TokenFormat {
            keep_leading: leading,
            keep_trailing: trailing,
            pass_through: if spaced { " -é".into() } else { String::new() },
            luhn,
            ..format("Decimal", min + leading + trailing, min + leading + trailing + more)
        };
        let (quick, general) = (engine(&wire), Ff1Engine { decimal: None, ..engine(&wire) });
        prop_assert!(quick.decimal.is_some());
        let valid = |(value, make_valid): &(String, bool)| if *make_valid { with_check_digit(value) } else { value.clone() };
        let values: Vec<String> = values.iter().map(valid).collect();
        let ivs: Vec<Iv> = iv.iter().copied().cycle().take(values.len()).collect();
        let tokens = [&quick, &general].map(|engine| {
            engine.tokenize(&MAY_TOKENIZE, values.iter().map(String::as_str), &ivs).unwrap()
        });
        prop_assert_eq!(&tokens[0].bad, &tokens[1].bad);
        prop_assert!(tokens[0].texts == tokens[1].texts);
        // As tokens: those just made, and the values, of which most are none.
        let any: Vec<&str> = tokens[0].texts.iter().flatten().chain(values.iter().map(String::as_str)).collect();
        let mut ivs: Vec<Option<Iv>> = iv.iter().map(|iv| Some(*iv)).cycle().take(any.len()).collect();
        ivs.first_mut().into_iter().for_each(|first| *first = None);
        for grant in [MAY_DETOKENIZE, may_see(Mask::new(Reveals::of(4, RevealFrom::End), '*'))] {
            let messages =
                [&quick, &general].map(|engine| engine.detokenize(&grant, any.iter().copied(), &ivs, None).unwrap());
            prop_assert_eq!(&messages[0].bad, &messages[1].bad);
            prop_assert!(messages[0].texts == messages[1].texts);
        }
    }
}

/// With another last digit, so that it passes Luhn, if it ends in one.
fn with_check_digit(value: &str) -> String {
    let digits: Vec<u16> = value.bytes().filter(u8::is_ascii_digit).map(|byte| u16::from(byte - b'0')).collect();
    match value.strip_suffix(|last: char| last.is_ascii_digit()) {
        Some(rest) => format!("{rest}{}", crate::tokenization::luhn::check_digit(&digits, digits.len() - 1)),
        None => value.to_owned(),
    }
}
