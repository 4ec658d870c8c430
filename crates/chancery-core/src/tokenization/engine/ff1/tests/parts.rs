//! A part of a batch as one text, against its values one by one in the general way.

use super::*;
use crate::tokenization::mask::Reveals;

/// Both ways of a batch, from texts and from single values in the general way, which must not differ.
fn part_as_singles(engine: &Ff1Engine, texts: &Texts, range: Range<usize>) -> Outcome {
    let general = Ff1Engine { decimal: None, ..engine_like(engine) };
    let values = || batch::values(texts, range.clone());
    let made = engine.tokenize_texts(&MAY_TOKENIZE, (texts, range.clone()), &[]).unwrap();
    let singly = general.tokenize(&MAY_TOKENIZE, values(), &[]).unwrap();
    assert_eq!(made.bad, singly.bad);
    assert!(made.texts == singly.texts);
    // As tokens: the values, of which most are none, and those just made.
    let mask = Mask::new(Reveals::of(4, RevealFrom::End), '*');
    for grant in [MAY_DETOKENIZE, may_see(mask)] {
        let opened = engine.detokenize_texts(&grant, (texts, range.clone()), &[], None).unwrap();
        let singly = general.detokenize(&grant, values(), &[], None).unwrap();
        assert_eq!(opened.bad, singly.bad);
        assert!(opened.texts == singly.texts);
    }
    let tokens: Texts = made.texts.iter().flatten().collect();
    let back = engine.detokenize_texts(&MAY_DETOKENIZE, (&tokens, 0..tokens.len()), &[], None).unwrap();
    assert_eq!(back.bad, []);
    let refused: Vec<usize> = made.bad.iter().map(|&(index, _)| index).collect();
    let messages = values().enumerate().filter(|(index, _)| !refused.contains(index)).map(|(_, value)| value);
    assert!(back.texts.iter().flatten().eq(messages));
    made
}

/// Under the same key and domain as [`engine`] makes it.
fn engine_like(engine: &Ff1Engine) -> Ff1Engine {
    let cipher = Ff1::new(&Key::new(&[7; 32]).unwrap(), engine.format.alphabet().radix()).unwrap();
    let ciphers = Versions::new(1, vec![cipher]).unwrap();
    Ff1Engine::with_ciphers(engine.format.clone(), TokenProfileId::from_u128(1), &ciphers).unwrap()
}

#[test]
fn a_part_of_a_batch_of_thousands_is_as_its_values_are_singly() {
    let card = |n: u64| with_check_digit(&format!("4{:014}0", n * 76_543_210_987 % 100_000_000_000_000));
    for luhn in [Luhn::Ignore, Luhn::Valid, Luhn::Invalid] {
        let engine = engine(&cards(luhn));
        let mut values: Vec<String> = (0..7000).map(card).collect();
        // Each in another of the pieces that go through FF1 together.
        values[1500] = "4111111111111112".into();
        values[2600].replace_range(3..4, "x");
        values[3700].insert(4, ' ');
        values[4800].pop();
        values[5999] = "41".into();
        let texts: Texts = values.iter().collect();
        for range in [0..7000, 1..6999, 0..1024, 1024..2048, 2500..2700, 6900..7000, 10..11, 0..0] {
            let Outcome { texts: tokens, bad } = part_as_singles(&engine, &texts, range.clone());
            assert_eq!(tokens.len(), range.len());
            let refused = [1500, 2600, 4800, 5999].into_iter().filter(|index| range.contains(index));
            let refused: Vec<usize> = refused.map(|index| index - range.start).collect();
            let found: Vec<usize> = bad.into_iter().map(|(index, _)| index).collect();
            let lenient = |index: &usize| luhn != Luhn::Ignore || [2600, 5999].contains(&(index + range.start));
            assert_eq!(found, refused.into_iter().filter(lenient).collect::<Vec<_>>());
        }
    }
}

#[test]
fn even_values_keep_to_the_limit_of_a_value() {
    let mut engine = engine(&cards(Luhn::Ignore));
    engine.format.value_max = 15;
    let texts: Texts = ["4111111111111111", "4111111111111129"].into_iter().collect();
    let Outcome { bad, .. } = part_as_singles(&engine, &texts, 0..2);
    assert_eq!(bad, [0, 1].map(|index| (index, BadValue::TooLarge { bytes_max: 15 })));
}

proptest! {
    #[test]
    fn a_part_of_a_batch_is_as_its_values_are_singly(
        (min, more, leading, trailing) in (7u32..20, 0u32..20, 0u32..10, 0u32..10),
        luhn in prop::sample::select(vec![Luhn::Ignore, Luhn::Valid, Luhn::Invalid]),
        spaced: bool,
        (length, count, odd) in (6usize..60, 0usize..80, prop::option::of(any::<prop::sample::Index>())),
        odd_value in "[0-9]{1,60}|[0-9 -]{1,60}|[0-9é:/x]{8,60}",
        (seed, valid, from) in (any::<u64>(), any::<bool>(), 0usize..3),
    ) {
        let wire = TokenFormat {
            keep_leading: leading,
            keep_trailing: trailing,
            pass_through: if spaced { " -é".into() } else { String::new() },
            luhn,
            ..format("Decimal", min + leading + trailing, min + leading + trailing + more)
        };
        let (min, max) = (wire.min_length as usize, wire.max_length as usize);
        // Of three batches one has a length that may be refused.
        let length = if length % 3 == 0 { length } else { min + length % (max - min + 1) };
        let mut state = seed;
        let mut digit = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'0' + (state >> 60) as u8 % 10)
        };
        let mut values: Vec<String> = (0..count).map(|_| (0..length).map(|_| digit()).collect()).collect();
        if valid {
            values.iter_mut().for_each(|value| *value = with_check_digit(value));
        }
        if let (Some(odd), false) = (odd, values.is_empty()) {
            let index = odd.index(values.len());
            values[index] = odd_value;
        }
        let texts: Texts = values.iter().collect();
        let engine = engine(&wire);
        prop_assert!(engine.decimal.is_some());
        part_as_singles(&engine, &texts, from.min(values.len())..values.len());
    }
}
