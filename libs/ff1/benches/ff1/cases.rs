//! What is measured: one closure per row, which does the same work again each time it is called.

use std::hint::black_box;

use ::aes::{Aes128, Aes256};
use chancery_ff1::{Alphabet, Ff1Text, Item, Kernel, Key};
use fpe::ff1::{FF1, FlexibleNumeralString};

/// What is encrypted.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) alphabet: Alphabet,
    pub(crate) length: usize,
    /// Bytes of tweak that differ from value to value, after the 16 bytes of domain.
    pub(crate) tweak: usize,
}

const fn decimal(name: &'static str, length: usize, tweak: usize) -> Shape {
    Shape { name, alphabet: Alphabet::DECIMAL, length, tweak }
}

/// The kept digits of a card number with 6 leading and 4 trailing, and the separator between them.
const KEPT: usize = 6 + 1 + 4;

pub(crate) const SHAPES: [Shape; 6] = [
    decimal("16 digits, fixed tweak", 16, 0),
    decimal("16 digits, tweak per value", 16, KEPT),
    decimal("9 digits", 9, 0),
    decimal("12 digits", 12, 0),
    decimal("19 digits", 19, 0),
    Shape { name: "16 alphanumeric", alphabet: Alphabet::ALPHANUMERIC, length: 16, tweak: 0 },
];

/// Key sizes in bits.
pub(crate) const KEYS: [usize; 2] = [256, 128];

const DOMAIN: [u8; 16] = *b"a token profile.";

/// A row, and how to take one sample of it.
pub(crate) struct Case {
    /// `None` for `fpe`
    pub(crate) kernel: Option<Kernel>,
    pub(crate) batch: bool,
    pub(crate) bits: usize,
    pub(crate) encrypt: bool,
    pub(crate) shape: Shape,
    pub(crate) values: usize,
    pub(crate) work: Box<dyn FnMut()>,
}

impl Case {
    pub(crate) fn kernel_name(&self) -> &'static str {
        self.kernel.map_or("fpe", Kernel::name)
    }

    pub(crate) fn name(&self) -> String {
        let Self { batch, bits, encrypt, shape, .. } = self;
        let mode = if *batch { "batch" } else { "single" };
        let direction = if *encrypt { "encrypt" } else { "decrypt" };
        format!("{} {mode} AES-{bits} {direction} {}", self.kernel_name(), shape.name)
    }
}

/// All rows.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for shape in SHAPES {
        for bits in KEYS {
            for encrypt in [true, false] {
                cases.push(by_fpe(shape, bits, encrypt));
                for kernel in Kernel::available() {
                    cases.extend([false, true].map(|batch| ours(kernel, batch, bits, encrypt, shape)));
                }
            }
        }
    }
    cases
}

fn key(bits: usize) -> Vec<u8> {
    (0..).take(bits / 8).collect()
}

/// Values of one shape in one buffer, without anything between them, and their tweaks.
fn values(shape: &Shape, count: usize) -> (Vec<u8>, Vec<u8>, Vec<Item>) {
    let symbol = |i: usize| shape.alphabet.symbols()[i * i * 7 % shape.alphabet.symbols().len()];
    let item = |i| Item {
        start: i * shape.length,
        length: shape.length,
        tweak_start: i * shape.tweak,
        tweak_length: shape.tweak,
    };
    let tweaks = (0..count * shape.tweak).map(|i| b'0' + (i % 10) as u8).collect();
    ((0..count * shape.length).map(symbol).collect(), tweaks, (0..count).map(item).collect())
}

fn ours(kernel: Kernel, batch: bool, bits: usize, encrypt: bool, shape: Shape) -> Case {
    let count = if batch { 1024 } else { 128 };
    let (mut text, tweaks, items) = values(&shape, count);
    let key = Key::with_kernel(&key(bits), kernel).expect("an AES key and a kernel that is here");
    let cipher = Ff1Text::new(&key, &shape.alphabet).with_tweak_prefix(&DOMAIN);
    let work: Box<dyn FnMut()> = if batch {
        Box::new(move || {
            let (text, tweaks) = (black_box(&mut text[..]), black_box(&tweaks[..]));
            let failures = match encrypt {
                true => cipher.encrypt_batch(text, tweaks, &items),
                false => cipher.decrypt_batch(text, tweaks, &items),
            };
            assert!(failures.is_empty());
        })
    } else {
        Box::new(move || {
            for item in &items {
                let value = black_box(&mut text[item.start..item.start + item.length]);
                let tweak = black_box(&tweaks[item.tweak_start..item.tweak_start + item.tweak_length]);
                let outcome = if encrypt { cipher.encrypt(tweak, value) } else { cipher.decrypt(tweak, value) };
                assert_eq!(outcome, Ok(()));
            }
        })
    };
    Case { kernel: Some(kernel), batch, bits, encrypt, shape, values: count, work }
}

/// Encrypts or decrypts digits under a tweak.
type Crypt = Box<dyn Fn(&[u8], &FlexibleNumeralString) -> FlexibleNumeralString>;

fn fpe(bits: usize, radix: u32, encrypt: bool) -> Crypt {
    macro_rules! crypt {
        ($aes:ty) => {{
            let ff1 = FF1::<$aes>::new(&key(bits), radix).expect("a good radix");
            Box::new(move |tweak, n| {
                if encrypt { ff1.encrypt(tweak, n) } else { ff1.decrypt(tweak, n) }.expect("valid")
            })
        }};
    }
    if bits == 128 { crypt!(Aes128) } else { crypt!(Aes256) }
}

fn by_fpe(shape: Shape, bits: usize, encrypt: bool) -> Case {
    let crypt = fpe(bits, shape.alphabet.size(), encrypt);
    let count = 16;
    let (mut text, tweaks, items) = values(&shape, count);
    let symbols = shape.alphabet.symbols().to_vec();
    let work = move || {
        for item in &items {
            let value = black_box(&mut text[item.start..item.start + item.length]);
            let digit = |symbol: &u8| symbols.iter().position(|other| other == symbol).expect("in it") as u16;
            let digits: Vec<u16> = value.iter().map(digit).collect();
            let tweak = [&DOMAIN, &tweaks[item.tweak_start..item.tweak_start + item.tweak_length]].concat();
            let result = crypt(&tweak, &FlexibleNumeralString::from(digits));
            for (place, digit) in value.iter_mut().zip(Vec::<u16>::from(result)) {
                *place = symbols[usize::from(digit)];
            }
        }
    };
    Case { kernel: None, batch: false, bits, encrypt, shape, values: count, work: Box::new(work) }
}
