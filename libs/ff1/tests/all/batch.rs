//! A batch gives what single calls give, however it is cut.

use chancery_ff1::{Alphabet, Error, Failure, Ff1, Ff1Text, Item, Kernel, Key};

use crate::random::{Random, lay_out, shortest};

/// Values of two lengths and two tweak lengths in an order that repeats, so that groups fill at different times.
fn values(random: &mut Random, alphabet: &Alphabet, count: usize) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let shortest = shortest(alphabet.size());
    (0..count)
        .map(|i| {
            let digits = random.digits(alphabet.size(), shortest + 3 + i % 3 / 2);
            let text = digits.iter().map(|&digit| alphabet.symbols()[usize::from(digit)]).collect();
            (text, random.bytes(i % 5 / 4 * 11))
        })
        .unzip()
}

#[test]
fn every_split_of_a_batch_gives_the_same() {
    let mut random = Random(1);
    let alphabet = Alphabet::DECIMAL;
    let (values, tweaks) = values(&mut random, &alphabet, 150);
    let key = random.key();
    for kernel in Kernel::available() {
        let ff1 = Ff1Text::new(&Key::with_kernel(&key, kernel).unwrap(), &alphabet);
        let (clear, tweaks_flat, items) = lay_out(&values, &tweaks);
        let mut singles = values.clone();
        for (value, tweak) in singles.iter_mut().zip(&tweaks) {
            assert_eq!(ff1.encrypt(tweak, value), Ok(()));
        }
        let singles = singles.concat();
        for split in 0..=items.len() {
            let mut text = clear.clone();
            assert_eq!(ff1.encrypt_batch(&mut text, &tweaks_flat, &items[..split]), []);
            assert_eq!(ff1.encrypt_batch(&mut text, &tweaks_flat, &items[split..]), []);
            assert!(text == singles, "split at {split} on {}", kernel.name());
            assert_eq!(ff1.decrypt_batch(&mut text, &tweaks_flat, &items), []);
            assert!(text == clear, "{}", kernel.name());
        }
    }
}

#[test]
fn text_and_digits_give_the_same_for_every_length() {
    let mut random = Random(2);
    let odd = Alphabet::new("zyxw!a0b1c2").unwrap();
    let alphabets = [Alphabet::DECIMAL, Alphabet::ALPHANUMERIC, Alphabet::PRINTABLE, Alphabet::new("ab").unwrap(), odd];
    for kernel in Kernel::available() {
        for alphabet in alphabets {
            let key = Key::with_kernel(&random.key(), kernel).unwrap();
            let digits = Ff1::new(&key, alphabet.size()).unwrap();
            let text = digits.with_alphabet(&alphabet).unwrap();
            assert_eq!(digits.with_alphabet(&Alphabet::LOWER_HEX).err(), Some(Error::Radix(16)));
            let symbol = |&digit: &u16| alphabet.symbols()[usize::from(digit)];
            for length in shortest(alphabet.size())..140 {
                let mut value = random.digits(alphabet.size(), length);
                let clear: Vec<u8> = value.iter().map(symbol).collect();
                let (mut single, mut batch) = (clear.clone(), clear.repeat(9));
                digits.encrypt(b"tweak", &mut value).unwrap();
                let expected: Vec<u8> = value.iter().map(symbol).collect();
                text.encrypt(b"tweak", &mut single).unwrap();
                assert_eq!(single, expected, "{} of {length}", kernel.name());
                let item = |i| Item { start: i * length, length, tweak_start: 0, tweak_length: 5 };
                let items: Vec<Item> = (0..9).map(item).collect();
                assert_eq!(text.encrypt_batch(&mut batch, b"tweak", &items), []);
                assert_eq!(batch, expected.repeat(9), "{} of {length}", kernel.name());
                assert_eq!(text.decrypt_batch(&mut batch, b"tweak", &items), []);
                assert_eq!(batch, clear.repeat(9), "{} of {length}", kernel.name());
            }
        }
    }
}

#[test]
fn a_prefix_is_the_start_of_the_tweak() {
    let mut random = Random(3);
    for kernel in Kernel::available() {
        let ff1 = Ff1::new(&Key::with_kernel(&random.key(), kernel).unwrap(), 10).unwrap();
        for prefix in 0..40 {
            for suffix in 0..40 {
                let tweak = random.bytes(prefix + suffix);
                let value = random.digits(10, 16);
                let (mut whole, mut parts) = (value.clone(), value);
                ff1.encrypt(&tweak, &mut whole).unwrap();
                // In two steps, and twice: the second call finds the state kept.
                let prefixed =
                    ff1.with_tweak_prefix(&tweak[..prefix / 2]).with_tweak_prefix(&tweak[prefix / 2..prefix]);
                prefixed.encrypt(&tweak[prefix..], &mut parts).unwrap();
                assert_eq!(parts, whole);
                prefixed.decrypt(&tweak[prefix..], &mut parts).unwrap();
                ff1.decrypt(&tweak, &mut whole).unwrap();
                assert_eq!(parts, whole);
            }
        }
    }
}

#[test]
fn refused_items_are_named_in_order_and_disturb_nothing() {
    for kernel in Kernel::available() {
        let ff1 = Ff1Text::new(&Key::with_kernel(&[5; 32], kernel).unwrap(), &Alphabet::DECIMAL);
        let mut text = b"1234567812345678".repeat(40);
        let clear = text.clone();
        let mut items: Vec<Item> = (0..40).map(|i| Item { start: 16 * i, length: 16, ..Item::default() }).collect();
        text[16 * 3 + 7] = b'x';
        text[16 * 35] = 0xff;
        text[16 * 35 + 1] = b':';
        items[5].length = 5;
        items[36].start = usize::MAX;
        items[7].tweak_length = 1;
        let spoilt = text.clone();
        let failures = ff1.encrypt_batch(&mut text, &[], &items);
        let expected = [
            (3, Error::NotInAlphabet { position: 7 }),
            (5, Error::DomainTooSmall { radix: 10, length: 5 }),
            (7, Error::OutOfBounds),
            (35, Error::NotInAlphabet { position: 0 }),
            (36, Error::OutOfBounds),
        ];
        assert_eq!(failures, expected.map(|(index, error)| Failure { index, error }), "{}", kernel.name());
        let mut good = clear[..16].to_vec();
        ff1.encrypt(&[], &mut good).unwrap();
        for (i, (value, before)) in text.chunks(16).zip(spoilt.chunks(16)).enumerate() {
            let refused = expected.iter().any(|(index, _)| *index == i);
            assert_eq!(value, if refused { before } else { &good[..] }, "item {i} on {}", kernel.name());
        }
    }
}

/// Enough values of one shape for kernels that read one part of them and write another while they encrypt a third.
#[test]
fn long_runs_of_decimal_text_are_many_singles() {
    let mut random = Random(4);
    let portable = |key: &[u8]| Ff1Text::new(&Key::with_kernel(key, Kernel::Portable).unwrap(), &Alphabet::DECIMAL);
    for (length, tweak_length, count) in
        [(8, 0, 64), (11, 5, 127), (12, 5, 128), (13, 11, 129), (16, 0, 200), (16, 11, 331)]
    {
        let key = random.key();
        let symbol = |&digit: &u16| b'0' + digit as u8;
        let clear: Vec<u8> = random.digits(10, length * count).iter().map(symbol).collect();
        let tweaks = random.bytes(tweak_length * count);
        let item = |i| Item { start: i * length, length, tweak_start: i * tweak_length, tweak_length };
        let items: Vec<Item> = (0..count).map(item).collect();
        let spoilt: Vec<usize> =
            [0, 23, 24, 31, 32, 63, 64, 100, count - 1].into_iter().filter(|&i| i < count).collect();
        let mut expected = clear.clone();
        for item in &items {
            let tweak = &tweaks[item.tweak_start..][..tweak_length];
            portable(&key).encrypt(tweak, &mut expected[item.start..][..length]).unwrap();
        }
        for kernel in Kernel::available() {
            let ff1 = Ff1Text::new(&Key::with_kernel(&key, kernel).unwrap(), &Alphabet::DECIMAL);
            let mut text = clear.clone();
            assert_eq!(ff1.encrypt_batch(&mut text, &tweaks, &items), []);
            assert!(text == expected, "{} {length} {tweak_length} {count}", kernel.name());
            spoilt.iter().for_each(|&i| text[i * length + i % length] = b'/');
            let refused = spoilt.iter().map(|&i| (i, Error::NotInAlphabet { position: i % length }));
            let mut refused: Vec<_> = refused.map(|(index, error)| Failure { index, error }).collect();
            refused.dedup();
            assert_eq!(ff1.decrypt_batch(&mut text, &tweaks, &items), refused, "{}", kernel.name());
            for (i, (value, clear)) in text.chunks(length).zip(clear.chunks(length)).enumerate() {
                assert!(value == clear || spoilt.contains(&i), "item {i} on {}", kernel.name());
            }
        }
    }
}

#[test]
fn digits_of_no_radix_are_refused_without_harm() {
    for kernel in Kernel::available() {
        let key = Key::with_kernel(&[5; 16], kernel).unwrap();
        for length in [8, 19, 38, 60] {
            let ff1 = Ff1::new(&key, 10).unwrap();
            let mut digits = vec![9; 20 * length];
            digits[length..2 * length].fill(65535);
            digits[3 * length - 1] = 10;
            let items: Vec<Item> = (0..20).map(|i| Item { start: i * length, length, ..Item::default() }).collect();
            let wrong = |index, position| Failure { index, error: Error::DigitOutOfRange { position } };
            assert_eq!(ff1.decrypt_batch(&mut digits, &[], &items), [wrong(1, 0), wrong(2, length - 1)]);
            assert_eq!(digits[length..2 * length], vec![65535; length]);
            assert_eq!(ff1.encrypt(&[], &mut digits[length..2 * length]), Err(Error::DigitOutOfRange { position: 0 }));
        }
    }
}
