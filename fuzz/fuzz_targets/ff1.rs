//! FF1 on every kernel, single and in a batch, against the `fpe` crate.
#![no_main]

use aes::Aes256;
use chancery_ff1::{Ff1, Item, Kernel, Key};
use fpe::ff1::{FF1, FlexibleNumeralString};
use libfuzzer_sys::fuzz_target;

/// More than a kernel has in flight.
const COPIES: usize = 33;

fuzz_target!(|input: (u16, [u8; 32], u8, &[u8], Vec<u16>)| {
    let (radix, key, prefix, tweak, mut digits) = input;
    let radix = u32::from(radix) + 1;
    let prefix = &tweak[..tweak.len().min(prefix.into())];
    let rest = &tweak[prefix.len()..];
    // Above that, `fpe` takes too long.
    digits.truncate(300);
    let expected = fpe(&key, radix, tweak, &digits);
    for kernel in Kernel::available() {
        let key = Key::with_kernel(&key, kernel).expect("32 bytes, a kernel that is here");
        let Ok(ff1) = Ff1::new(&key, radix) else {
            assert!(expected.is_none());
            return;
        };
        let ff1 = ff1.with_tweak_prefix(prefix);
        let length = digits.len();
        let item = |i| Item { start: i * length, length, tweak_start: 0, tweak_length: rest.len() };
        let items: Vec<Item> = (0..COPIES).map(item).collect();
        let (mut single, mut batch) = (digits.clone(), digits.repeat(COPIES));
        let outcome = ff1.encrypt(rest, &mut single);
        let failures = ff1.encrypt_batch(&mut batch, rest, &items);
        assert_eq!(outcome.is_err(), expected.is_none(), "{outcome:?}");
        assert_eq!(failures.len(), if outcome.is_err() { COPIES } else { 0 });
        assert_eq!(single, expected.as_deref().unwrap_or(&digits));
        assert_eq!(batch, single.repeat(COPIES));
        if outcome.is_ok() {
            assert_eq!(ff1.decrypt(rest, &mut single), Ok(()));
            assert_eq!(ff1.decrypt_batch(&mut batch, rest, &items), []);
            assert_eq!(single, digits);
            assert_eq!(batch, digits.repeat(COPIES));
        }
    }
});

/// `None` if it is to be refused. `fpe` does not check digits itself.
fn fpe(key: &[u8], radix: u32, tweak: &[u8], digits: &[u16]) -> Option<Vec<u16>> {
    if digits.iter().any(|&digit| u32::from(digit) >= radix) {
        return None;
    }
    let ff1 = FF1::<Aes256>::new(key, radix).ok()?;
    ff1.encrypt(tweak, &FlexibleNumeralString::from(digits.to_vec())).ok().map(Into::into)
}
