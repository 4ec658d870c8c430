//! Against big-number arithmetic of another library, over keys that are none: the equations of RFC 8017, 5.1.2, hold for
//! any two odd numbers in the place of the primes, also for the ones at the edges. Blindings are found with primes only, so
//! here they are 1.

use num_bigint::BigUint;

use super::{Numbers, is_supported, put_no_blinding};
use crate::{GROUP, Parts, PrivateKey, private_transforms};

/// What draws nothing: a blinding is there.
fn none(_: &mut [u8]) {
    panic!("a blinding was made");
}

pub(super) struct Numeric {
    n: Vec<u8>,
    e: Vec<u8>,
    p: Vec<u8>,
    q: Vec<u8>,
    d_p: Vec<u8>,
    d_q: Vec<u8>,
    q_inv: Vec<u8>,
}

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

impl Numeric {
    pub(super) fn new(numbers: &mut Numbers, len: usize) -> Self {
        let p = numbers.odd(len);
        let q_inv = (number(&numbers.sparse(len)) % number(&p)).to_bytes_be();
        Self::of(p, numbers.odd(len), [numbers.sparse(len), numbers.sparse(len), q_inv])
    }

    fn of(p: Vec<u8>, q: Vec<u8>, [d_p, d_q, q_inv]: [Vec<u8>; 3]) -> Self {
        Self { n: (number(&p) * number(&q)).to_bytes_be(), e: vec![1, 0, 1], p, q, d_p, d_q, q_inv }
    }

    /// The largest numbers of this length, or the smallest ones.
    pub(super) fn at_edge(len: usize, largest: bool) -> Self {
        if largest {
            let ones = vec![0xFF; len];
            let below = (number(&ones) - 1_u32).to_bytes_be();
            return Self::of(ones.clone(), ones.clone(), [ones.clone(), ones, below]);
        }
        let mut least = vec![0; len];
        (least[0], least[len - 1]) = (0x80, 1);
        // q as far above p as it can be.
        Self::of(least, vec![0xFF; len], [vec![], vec![1], vec![1]])
    }

    pub(super) fn key(&self) -> Option<PrivateKey> {
        let Self { n, e, p, q, d_p, d_q, q_inv } = self;
        PrivateKey::new(&Parts { n, e, p, q, d_p, d_q, q_inv })
    }

    /// A message below the modulus.
    fn message(&self, bytes: &[u8]) -> Vec<u8> {
        padded(&(number(bytes) % (number(&self.p) * number(&self.q))), 2 * self.p.len())
    }

    /// RFC 8017, 5.1.2, step 2b.
    fn expected(&self, message: &[u8]) -> Vec<u8> {
        let [p, q, d_p, d_q, q_inv] = [&self.p, &self.q, &self.d_p, &self.d_q, &self.q_inv].map(|part| number(part));
        let c = number(message);
        let (m_1, m_2) = (c.modpow(&d_p, &p), c.modpow(&d_q, &q));
        let h = (m_1 + &p + &p - &m_2) * q_inv % &p;
        padded(&(m_2 + q * h), message.len())
    }
}

fn padded(number: &BigUint, len: usize) -> Vec<u8> {
    let bytes = number.to_bytes_be();
    [vec![0; len - bytes.len()], bytes].concat()
}

/// Each size's primes in bytes.
pub(super) const LENGTHS: [usize; 3] = [128, 192, 256];

#[test]
fn results_are_those_of_another_library() {
    if !is_supported() {
        return;
    }
    let mut numbers = Numbers(0x1234_5678_9ABC_DEF1);
    for len in LENGTHS {
        for round in 0..12 {
            let count = round % GROUP + 1;
            let keys: Vec<_> = (0..count).map(|_| Numeric::new(&mut numbers, len)).collect();
            let messages: Vec<_> = keys.iter().map(|key| key.message(&numbers.sparse(2 * len))).collect();
            check(&keys, &messages);
        }
    }
}

#[test]
fn numbers_at_the_edges() {
    if !is_supported() {
        return;
    }
    for len in LENGTHS {
        for largest in [false, true] {
            let keys: Vec<_> = (0..GROUP).map(|_| Numeric::at_edge(len, largest)).collect();
            let ones = vec![0xFF; 2 * len];
            let messages = [
                vec![0; 2 * len],
                keys[1].message(&[1]),
                // A multiple of p, so that one half is zero.
                keys[2].message(&keys[2].p),
                padded(&(number(&keys[3].p) * number(&keys[3].q) - 1_u32), 2 * len),
            ];
            check(&keys, &messages);
            let same: Vec<_> = keys.iter().map(|key| key.message(&ones)).collect();
            check(&keys, &same);
        }
    }
}

fn check(keys: &[Numeric], messages: &[Vec<u8>]) {
    let ready: Vec<_> = keys.iter().map(|key| key.key().expect("a key")).collect();
    ready.iter().for_each(put_no_blinding);
    let jobs: Vec<_> = ready.iter().zip(messages).map(|(key, message)| (key, message.as_slice())).collect();
    let results = private_transforms(&jobs, none).expect("results");
    let expected: Vec<_> = keys.iter().zip(messages).map(|(key, message)| key.expected(message)).collect();
    for (lane, (result, expected)) in results.iter().zip(&expected).enumerate() {
        assert!(result == expected, "{} bytes, key {lane} of {}", messages[lane].len(), keys.len());
    }
    assert_eq!(results.len(), expected.len());
}

#[test]
fn what_does_not_fit_is_refused() {
    if !is_supported() {
        return;
    }
    let mut numbers = Numbers(7);
    let new = |change: &dyn Fn(&mut Numeric)| {
        let mut key = Numeric::new(&mut Numbers(9), 192);
        change(&mut key);
        key.key()
    };
    let key = new(&|_| ()).expect("a key");
    assert_eq!(key.modulus_bits(), 3_072);
    // Zeros in front are nothing.
    assert!(new(&|key| key.p.insert(0, 0)).is_some());
    assert!(new(&|key| key.e.insert(0, 0)).is_some());
    for (case, refused) in [
        ("p of another length", new(&|key| key.p = vec![0xFF; 128])),
        ("p a bit shorter", new(&|key| key.p[0] = 0x7F)),
        ("q a bit shorter", new(&|key| key.q[0] = 0x7F)),
        ("q a bit longer", new(&|key| key.q.insert(0, 1))),
        ("an even p", new(&|key| key.p[191] = 2)),
        ("no p", new(&|key| key.p.clear())),
        ("an exponent too long", new(&|key| key.d_q = vec![1; 193])),
        ("qInv too long", new(&|key| key.q_inv = vec![1; 193])),
        ("an even n", new(&|key| key.n[383] = 2)),
        ("n too long", new(&|key| key.n.insert(0, 1))),
        ("another e", new(&|key| key.e = vec![3])),
        ("e longer than it may be", new(&|key| key.e = vec![1, 0, 1, 0, 1])),
    ] {
        assert!(refused.is_none(), "{case}");
    }
    let shorter = Numeric::new(&mut numbers, 128).key().expect("a key");
    let message = [0; 384];
    assert!(private_transforms(&[], none).is_none(), "none");
    assert!(private_transforms(&[(&key, &message[..]); GROUP + 1], none).is_none(), "too many");
    assert!(private_transforms(&[(&key, &message), (&shorter, &message[..256])], none).is_none(), "two lengths");
    assert!(private_transforms(&[(&key, &message[1..])], none).is_none(), "a message too short");
    assert!(private_transforms(&[(&key, &message[..]); GROUP], |bytes| bytes.fill(7)).is_some());
}
