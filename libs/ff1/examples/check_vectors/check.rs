//! Holds one vector against every way of computing it.

use chancery_ff1::{Alphabet, Error, Failure, Ff1, Ff1Text, Item, Kernel, Key};

use crate::vectors::Case;

/// More than the largest kernel keeps in flight, and not a multiple of it.
const COPIES: usize = 33;

/// Checks encryption and decryption, single and in a batch, as digits and (where it has an alphabet) as text.
pub(crate) fn check(case: &Case, kernel: Kernel) -> Result<(), String> {
    let digits = |digits: &Option<Vec<u16>>, forward| {
        let digits = digits.as_ref().ok_or_else(|| "not written in the alphabet".to_owned())?;
        both_ways(&Digits::new(case, kernel).map_err(|e| e.to_string())?, &case.tweak, digits, forward)
    };
    expect(case, "digits", &digits)?;
    let Some(alphabet) = case.alphabet else { return Ok(()) };
    let text = |digits: &Option<Vec<u16>>, forward| {
        let digits = digits.as_ref().ok_or_else(|| "not written in the alphabet".to_owned())?;
        let text: Vec<u8> = digits.iter().map(|&digit| alphabet.symbols()[usize::from(digit)]).collect();
        let result =
            both_ways(&Text::new(case, kernel, &alphabet).map_err(|e| e.to_string())?, &case.tweak, &text, forward)?;
        let back = |symbol: &u8| alphabet.symbols().iter().position(|other| other == symbol).map(|d| d as u16);
        result.iter().map(back).collect::<Option<Vec<u16>>>().ok_or_else(|| "left the alphabet".to_owned())
    };
    expect(case, "text", &text)
}

/// Computes one direction; true is encryption.
type Crypt<'a> = dyn Fn(&Option<Vec<u16>>, bool) -> Result<Vec<u16>, String> + 'a;

fn expect(case: &Case, what: &str, crypt: &Crypt<'_>) -> Result<(), String> {
    let small = case.plain.as_ref().is_some_and(|d| u64::from(case.radix).saturating_pow(d.len() as u32) < 1_000_000);
    let encrypted = crypt(&case.plain, true);
    if !case.valid || small {
        return match encrypted {
            Ok(_) => Err(format!("{what}: accepted, though to be refused")),
            Err(_) => Ok(()),
        };
    }
    if Some(encrypted.map_err(|e| format!("{what}: encrypt: {e}"))?) != case.cipher {
        return Err(format!("{what}: encrypts to something else"));
    }
    if Some(crypt(&case.cipher, false).map_err(|e| format!("{what}: decrypt: {e}"))?) != case.plain {
        return Err(format!("{what}: decrypts to something else"));
    }
    Ok(())
}

/// What digits and text have in common.
trait Cipher<T> {
    fn single(&self, tweak: &[u8], value: &mut [T], forward: bool) -> Result<(), Error>;
    fn batch(&self, values: &mut [T], tweaks: &[u8], items: &[Item], forward: bool) -> Vec<Failure>;
}

struct Digits(Ff1);
struct Text(Ff1Text);

impl Digits {
    fn new(case: &Case, kernel: Kernel) -> Result<Self, Error> {
        Ok(Self(Ff1::new(&Key::with_kernel(&case.key, kernel)?, case.radix)?))
    }
}

impl Text {
    fn new(case: &Case, kernel: Kernel, alphabet: &Alphabet) -> Result<Self, Error> {
        Ok(Self(Ff1Text::new(&Key::with_kernel(&case.key, kernel)?, alphabet)))
    }
}

macro_rules! cipher {
    ($name:ty, $unit:ty) => {
        impl Cipher<$unit> for $name {
            fn single(&self, tweak: &[u8], value: &mut [$unit], forward: bool) -> Result<(), Error> {
                if forward { self.0.encrypt(tweak, value) } else { self.0.decrypt(tweak, value) }
            }

            fn batch(&self, values: &mut [$unit], tweaks: &[u8], items: &[Item], forward: bool) -> Vec<Failure> {
                if forward {
                    self.0.encrypt_batch(values, tweaks, items)
                } else {
                    self.0.decrypt_batch(values, tweaks, items)
                }
            }
        }
    };
}
cipher!(Digits, u16);
cipher!(Text, u8);

/// The result of the single call, if the batch agrees with it.
fn both_ways<T: Copy + PartialEq>(
    cipher: &impl Cipher<T>,
    tweak: &[u8],
    value: &[T],
    forward: bool,
) -> Result<Vec<T>, String> {
    let length = value.len();
    let item = |i: usize| Item { start: i * length, length, tweak_start: 0, tweak_length: tweak.len() };
    let items: Vec<Item> = (0..COPIES).map(item).collect();
    let mut many = value.repeat(COPIES);
    let failures = cipher.batch(&mut many, tweak, &items, forward);

    let mut one = value.to_vec();
    match cipher.single(tweak, &mut one, forward) {
        Ok(()) if failures.is_empty() && many == one.repeat(COPIES) => Ok(one),
        Err(error) if failures.len() == COPIES && failures.iter().all(|f| f.error == error) => Err(error.to_string()),
        _ => Err("batch and single differ".to_owned()),
    }
}
