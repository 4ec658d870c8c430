//! Blindings, with keys whose primes are primes: what they are, how they change, and that the results do not.

use std::{cell::RefCell, thread};

use num_bigint::BigUint;

use super::{Numbers, big, is_supported, of_any_size};
use crate::{
    GROUP, Parts, PrivateKey,
    blinding::Blinding,
    key::Key,
    number::{DIGITS, RADIX},
    private_transforms,
};

const E: u32 = 65_537;

/// Uses of a pair.
const USES: usize = 32;

/// A key with the first prime above 3·2^(bits - 2) and the last one below 2^bits.
pub(super) struct Real {
    n: BigUint,
    d: BigUint,
    pub(super) key: PrivateKey,
}

/// Length of a prime in bits, how far the first one is above, and how far the other one is below.
pub(super) const REAL: [(u32, u32, u32); 3] = [(1_024, 1_037, 105), (1_536, 1_837, 3_453), (2_048, 439, 1_557)];

impl Real {
    pub(super) fn new((bits, above, below): (u32, u32, u32)) -> Self {
        let one = BigUint::from(1_u32);
        let p = (BigUint::from(3_u32) << (bits - 2)) + above;
        let q = (&one << bits) - below;
        let (n, phi) = (&p * &q, (&p - 1_u32) * (&q - 1_u32));
        let d = BigUint::from(E).modinv(&phi).expect("e has an inverse");
        let (d_p, d_q) = (&d % (&p - 1_u32), &d % (&q - 1_u32));
        let q_inv = q.modinv(&p).expect("primes");
        let [n_bytes, p, q, d_p, d_q, q_inv] = [&n, &p, &q, &d_p, &d_q, &q_inv].map(BigUint::to_bytes_be);
        let parts = Parts { n: &n_bytes, e: &[1, 0, 1], p: &p, q: &q, d_p: &d_p, d_q: &d_q, q_inv: &q_inv };
        let key = PrivateKey::new(&parts).expect("a key");
        Self { n, d, key }
    }

    /// A message below the modulus, and the result.
    fn message(&self, numbers: &mut Numbers) -> (Vec<u8>, Vec<u8>) {
        let len = self.key.modulus_bits() / 8;
        let message = BigUint::from_bytes_be(&numbers.sparse(len)) % &self.n;
        let result = message.modpow(&self.d, &self.n);
        let padded = |number: BigUint| {
            let bytes = number.to_bytes_be();
            [vec![0; len - bytes.len()], bytes].concat()
        };
        (padded(message), padded(result))
    }
}

/// The pairs that a key has at the moment, as numbers out of Montgomery's form.
fn pairs(key: &PrivateKey) -> Vec<(BigUint, BigUint)> {
    fn all<const B: usize, const N: usize>(key: &Key<B, N>) -> Vec<(BigUint, BigUint)> {
        let taken: Vec<Box<Blinding<N>>> = std::iter::from_fn(|| key.take_blinding()).collect();
        let n = big(&key.modulus.digits);
        let r = BigUint::from(1_u32) << (RADIX * DIGITS * N);
        let r_inv = r.modinv(&n).expect("n is odd");
        let plain = |number| big(number) * &r_inv % &n;
        let pairs = taken.iter().map(|blinding| (plain(&blinding.factor), plain(&blinding.inverse))).collect();
        taken.into_iter().rev().for_each(|blinding| key.keep_blinding(blinding));
        pairs
    }
    of_any_size!(key, key => all(key))
}

#[test]
fn results_are_right_through_all_uses_of_a_pair_and_beyond() {
    if !is_supported() {
        return;
    }
    for size in REAL {
        let real = Real::new(size);
        let numbers = RefCell::new(Numbers(0x9E37_79B9_7F4A_7C15));
        let mut drawn = 0;
        let mut seen: Vec<BigUint> = Vec::new();
        let messages: Vec<_> = (0..GROUP).map(|_| real.message(&mut numbers.borrow_mut())).collect();
        for round in 0..2 * USES + 2 {
            let jobs: Vec<_> = messages.iter().map(|(message, _)| (&real.key, message.as_slice())).collect();
            let results = private_transforms(&jobs, |bytes| {
                drawn += 1;
                numbers.borrow_mut().fill(bytes);
            });
            let expected: Vec<_> = messages.iter().map(|(_, result)| result.clone()).collect();
            assert!(results == Some(expected), "{size:?}, round {round}");
            assert_eq!(drawn, GROUP * (round / USES + 1), "new pairs after {USES} uses and not before");
            let pairs = pairs(&real.key);
            assert_eq!(pairs.len(), GROUP);
            for (factor, inverse) in pairs {
                let e = BigUint::from(E);
                assert_eq!(&factor * inverse.modpow(&e, &real.n) % &real.n, BigUint::from(1_u32), "r^e and r^-1");
                assert!(!seen.contains(&factor), "no pair blinds twice");
                seen.push(factor);
            }
        }
    }
}

/// One after the other and several at once, with one key and with two.
#[test]
fn threads_never_share_a_pair() {
    if !is_supported() {
        return;
    }
    const THREADS: usize = 4;
    let keys = [Real::new(REAL[0]), Real::new(REAL[0])];
    thread::scope(|scope| {
        for id in 0..THREADS {
            let keys = &keys;
            scope.spawn(move || {
                let mut numbers = Numbers(id as u64 + 1);
                let messages: Vec<_> = keys.iter().map(|real| real.message(&mut numbers)).collect();
                for round in 0..20 {
                    let chosen: Vec<_> = (0..round % GROUP + 1).map(|i| (i + id) % 2).collect();
                    let jobs: Vec<_> = chosen.iter().map(|i| (&keys[*i].key, messages[*i].0.as_slice())).collect();
                    let results = private_transforms(&jobs, |bytes| numbers.fill(bytes)).expect("results");
                    assert!(results.iter().zip(chosen).all(|(result, i)| *result == messages[i].1));
                }
            });
        }
    });
    for real in &keys {
        let mut factors: Vec<_> = pairs(&real.key).into_iter().map(|(factor, _)| factor).collect();
        let count = factors.len();
        assert!(count <= THREADS * GROUP, "{count}");
        factors.sort();
        factors.dedup();
        assert_eq!(factors.len(), count);
    }
}
