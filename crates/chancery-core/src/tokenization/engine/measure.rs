//! What a batch of card numbers costs in the engine, beside the bare FF1 kernel: `cargo xtask bench profiles` runs this
//! as a test of the release build, because no door leads to an engine without a caller.

use std::{hint::black_box, time::Instant};

use chancery_ff1::{Alphabet, Ff1, Item, Key};
use chancery_types::{TokenProfileId, wire::Texts};
use serde_json::{Value, json};

use super::{Ff1Engine, Outcome, pattern};
use crate::{
    Limits,
    tokenization::{
        batch,
        format::Format,
        luhn,
        rules::tests::{MAY_DETOKENIZE, MAY_TOKENIZE},
        templates,
        versions::Versions,
    },
};

/// The server's: the system's would take new pages from the kernel for every batch.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const VALUES: usize = 10_000;
const PASSES: usize = 31;
const DOMAIN: TokenProfileId = TokenProfileId::from_u128(7);

/// One card template.
struct Case {
    name: String,
    engine: Ff1Engine,
    messages: Texts,
    tokens: Texts,
    /// The same digits and tweaks for the kernel alone.
    kernel: chancery_ff1::Ff1Text,
    text: Vec<u8>,
    tweaks: Vec<u8>,
    items: Vec<Item>,
}

/// Patterns whose values are numbers of no one radix: name, pattern, a value, and the bits of its number.
const PATTERNS: [(&str, &str, &str, usize); 2] = [
    ("pattern of SSNs", "{001..665,667..899}-{01..99}-{0001..9999}", "123-45-6789", 30),
    ("pattern of IBANs", "[UpperAlpha:2]<iban>{Decimal|UpperAlpha:11..30}", "GB29NWBK60161331926819", 66),
];

/// Writes one JSON object to the file that CHANCERY_FIGURES names: `rows` with the median nanoseconds per value of each
/// card template, `patterns` with those of [`PATTERNS`].
#[test]
#[ignore = "a measurement, run by `cargo xtask bench profiles`"]
fn measure_card_templates() {
    let mut cases: Vec<Case> = templates::names().filter(|name| name.starts_with("card number")).map(case).collect();
    let mut samples = vec![[(); 3].map(|()| Vec::new()); cases.len()];
    for _ in 0..PASSES {
        for (case, samples) in cases.iter_mut().zip(&mut samples) {
            let times = [case.time_kernel(), case.time_tokenize(), case.time_detokenize()];
            samples.iter_mut().zip(times).for_each(|(samples, time)| samples.push(time));
        }
    }
    let row = |(case, samples): (&Case, [Vec<f64>; 3])| -> Value {
        let [kernel, tokenize, detokenize] = samples.map(median);
        json!({"template": case.name, "kernel": kernel, "tokenize": tokenize, "detokenize": detokenize})
    };
    let rows: Vec<_> = cases.iter().zip(samples).map(row).collect();
    let figures = json!({"rows": rows, "patterns": PATTERNS.map(measure_pattern)});
    let file = std::env::var_os("CHANCERY_FIGURES").expect("`cargo xtask bench profiles` names the file");
    std::fs::write(file, figures.to_string()).unwrap();
}

/// The kernel beside it does one turn over as many bits.
fn measure_pattern((name, pattern, value, bits): (&str, &str, &str, usize)) -> Value {
    let engine = pattern::tests::engine(pattern);
    // Each the token of the one before.
    let next = |message: &String| {
        let token = engine.tokenize(&MAY_TOKENIZE, std::iter::once(message.as_str()), &[]).unwrap();
        token.texts.at(0).flatten().map(str::to_owned)
    };
    let messages: Texts = std::iter::successors(Some(value.to_owned()), next).take(VALUES).collect();
    let values = |texts| batch::values(texts, 0..VALUES);
    let tokens = engine.tokenize(&MAY_TOKENIZE, values(&messages), &[]).unwrap().texts;
    let cipher = Ff1::new(&Key::new(&[7; 32]).unwrap(), 2).unwrap().with_tweak_prefix(DOMAIN.as_bytes());
    let item = |index| Item { start: bits * index, length: bits, tweak_start: 0, tweak_length: 1 };
    let (mut digits, items): (_, Vec<Item>) = (vec![0; bits * VALUES], (0..VALUES).map(item).collect());
    let mut samples = [(); 3].map(|()| Vec::new());
    for _ in 0..PASSES {
        samples[0].push(time(|| cipher.encrypt_batch(black_box(&mut digits), &[0xff], &items).len(), 0));
        let tokenize = || engine.tokenize(&MAY_TOKENIZE, values(black_box(&messages)), &[]).unwrap().texts.len();
        samples[1].push(time(tokenize, VALUES));
        let detokenize = || engine.detokenize(&MAY_DETOKENIZE, values(black_box(&tokens)), &[], None);
        samples[2].push(time(|| detokenize().unwrap().texts.len(), VALUES));
    }
    let [kernel, tokenize, detokenize] = samples.map(median);
    json!({"template": name, "kernel": kernel, "tokenize": tokenize, "detokenize": detokenize})
}

fn case(name: &str) -> Case {
    let wire = templates::by_name(name, &Limits::default()).unwrap().unwrap().format;
    let cipher = Ff1::new(&Key::new(&[7; 32]).unwrap(), 10).unwrap();
    let versions = Versions::new(1, vec![cipher.clone()]).unwrap();
    let engine =
        Ff1Engine::with_ciphers(Format::compile(&wire, &Limits::default()).unwrap(), DOMAIN, &versions).unwrap();
    let messages: Texts = (0..VALUES as u64).map(card).collect();
    let Outcome { texts: tokens, bad } = engine.tokenize_texts(&MAY_TOKENIZE, (&messages, 0..VALUES), &[]).unwrap();
    assert_eq!(bad, []);
    let (leading, trailing) = (wire.keep_leading as usize, wire.keep_trailing as usize);
    let (mut text, mut tweaks, mut items) = (Vec::new(), Vec::new(), Vec::new());
    for message in messages.iter().flatten() {
        let (start, tweak_start) = (text.len(), tweaks.len());
        let free = &message.as_bytes()[leading..message.len() - trailing];
        text.extend(&free[..free.len() - usize::from(engine.format().has_check_digit())]);
        tweaks.extend(&message.as_bytes()[..leading]);
        tweaks.push(0xff);
        tweaks.extend(&message.as_bytes()[message.len() - trailing..]);
        let (length, tweak_length) = (text.len() - start, tweaks.len() - tweak_start);
        items.push(Item { start, length, tweak_start, tweak_length });
    }
    let kernel = cipher.with_tweak_prefix(DOMAIN.as_bytes()).with_alphabet(&Alphabet::DECIMAL).unwrap();
    Case { name: name.to_owned(), engine, messages, tokens, kernel, text, tweaks, items }
}

/// The n-th of many numbers of sixteen digits that pass Luhn.
fn card(n: u64) -> String {
    let mut digits: Vec<u16> = format!("4{:014}0", n * 6_364_136_223 % 100_000_000_000_000)
        .bytes()
        .map(|byte| u16::from(byte - b'0'))
        .collect();
    digits[15] = luhn::check_digit(&digits, 15);
    digits.iter().map(u16::to_string).collect()
}

impl Case {
    fn time_kernel(&mut self) -> f64 {
        let (kernel, items, tweaks) = (&self.kernel, &self.items, black_box(&self.tweaks));
        time(|| kernel.encrypt_batch(black_box(&mut self.text), tweaks, items).len(), 0)
    }

    fn time_tokenize(&self) -> f64 {
        let values = || (black_box(&self.messages), 0..VALUES);
        time(|| self.engine.tokenize_texts(&MAY_TOKENIZE, values(), &[]).unwrap().texts.len(), VALUES)
    }

    fn time_detokenize(&self) -> f64 {
        let values = || (black_box(&self.tokens), 0..VALUES);
        time(|| self.engine.detokenize_texts(&MAY_DETOKENIZE, values(), &[], None).unwrap().texts.len(), VALUES)
    }
}

/// Nanoseconds per value. Once without the clock, so that what ran before has less to do with it.
fn time(mut work: impl FnMut() -> usize, expected: usize) -> f64 {
    assert_eq!(work(), expected);
    let begin = Instant::now();
    assert_eq!(work(), expected);
    begin.elapsed().as_secs_f64() * 1e9 / VALUES as f64
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
