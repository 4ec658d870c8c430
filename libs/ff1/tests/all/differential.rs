//! A million random cases against the `fpe` crate.

use aes::{Aes128, Aes192, Aes256};
use chancery_ff1::{Ff1, Kernel, Key};
use fpe::ff1::{FF1, FlexibleNumeralString};

use crate::random::{Random, lay_out, shortest};

const RADICES: [u32; 14] = [2, 3, 10, 16, 26, 36, 62, 64, 85, 255, 256, 1000, 65535, 65536];
const CASES: usize = 1_000_000;
const THREADS: usize = 2;
/// Cases under one key and radix; more than a kernel has in flight.
const GROUP: usize = 70;

#[test]
fn a_million_cases_equal_fpe_on_every_kernel() {
    let groups = CASES.div_ceil(GROUP * THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || {
                let mut random = Random(thread as u64);
                for number in 0..groups {
                    group(&mut random, RADICES[number % RADICES.len()]);
                }
            });
        }
    });
}

/// Values of one key and radix: mostly of a few lengths, so that groups fill, some of any length up to 200.
fn group(random: &mut Random, radix: u32) {
    let key = random.key();
    let prefix = {
        let length = random.below(34);
        random.bytes(length)
    };
    let shortest = shortest(radix);
    let common = shortest + random.below(20);
    let (mut values, mut tweaks, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let fpe = fpe_encrypt(&key, radix);
    for _ in 0..GROUP {
        let (length, tweak) = match random.below(40) {
            0 => (shortest + random.below(201 - shortest), random.below(65)),
            1..8 => (shortest + random.below(30), random.below(65)),
            _ => (common, common % 12),
        };
        let (value, tweak) = (random.digits(radix, length), random.bytes(tweak));
        expected.push(fpe(&[&prefix[..], &tweak].concat(), &value));
        values.push(value);
        tweaks.push(tweak);
    }
    for kernel in Kernel::available() {
        let key = Key::with_kernel(&key, kernel).expect("an available kernel");
        let ff1 = Ff1::new(&key, radix).expect("a good radix").with_tweak_prefix(&prefix);
        let (mut all, all_tweaks, items) = lay_out(&values, &tweaks);
        assert_eq!(ff1.encrypt_batch(&mut all, &all_tweaks, &items), []);
        assert!(all == expected.concat(), "batch on {} with radix {radix}", kernel.name());
        assert_eq!(ff1.decrypt_batch(&mut all, &all_tweaks, &items), []);
        assert!(all == values.concat(), "batch decryption on {} with radix {radix}", kernel.name());
        for ((value, tweak), expected) in values.iter().zip(&tweaks).zip(&expected) {
            let mut single = value.clone();
            assert_eq!(ff1.encrypt(tweak, &mut single), Ok(()));
            assert_eq!(&single, expected, "{} with radix {radix} of {value:?}", kernel.name());
            assert_eq!(ff1.decrypt(tweak, &mut single), Ok(()));
            assert_eq!(&single, value, "{} with radix {radix}", kernel.name());
        }
    }
}

/// From tweak and digits.
type Encrypt = dyn Fn(&[u8], &[u16]) -> Vec<u16>;

/// `fpe` under a key of any of the three sizes.
fn fpe_encrypt(key: &[u8], radix: u32) -> Box<Encrypt> {
    macro_rules! encrypt {
        ($aes:ty) => {{
            let ff1 = FF1::<$aes>::new(key, radix).expect("a good radix");
            Box::new(move |tweak, digits| {
                ff1.encrypt(tweak, &FlexibleNumeralString::from(digits.to_vec())).expect("valid digits").into()
            })
        }};
    }
    match key.len() {
        16 => encrypt!(Aes128),
        24 => encrypt!(Aes192),
        _ => encrypt!(Aes256),
    }
}
