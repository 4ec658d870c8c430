//! Against big-number arithmetic of another library, over keys that are none: the equations of RFC 8017, 5.1.2, hold for
//! any two odd numbers in the place of the primes, also for the ones at the edges.

use chancery_rsa::{GROUP, Parts, PrivateKey, private_transforms};
use num_bigint::BigUint;

use crate::is_supported;

/// Numbers that look random, the same ones in each run (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| (self.next() >> 56) as u8).collect()
    }

    /// A number of bytes that are often all zeros or all ones.
    fn sparse(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = self.bytes(len);
        for piece in bytes.chunks_mut(7) {
            match self.next() >> 62 {
                0 => piece.fill(0),
                1 => piece.fill(0xFF),
                _ => {}
            }
        }
        bytes
    }

    /// As a prime looks from outside: odd, with the highest bit set.
    fn odd(&mut self, len: usize) -> Vec<u8> {
        let mut odd = self.sparse(len);
        odd[0] |= 0x80;
        odd[len - 1] |= 1;
        odd
    }
}

struct Numeric {
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
    fn new(numbers: &mut Numbers, len: usize) -> Self {
        let p = numbers.odd(len);
        let q_inv = (number(&numbers.sparse(len)) % number(&p)).to_bytes_be();
        Self { q: numbers.odd(len), d_p: numbers.sparse(len), d_q: numbers.sparse(len), p, q_inv }
    }

    /// The largest numbers of this length, or the smallest ones.
    fn at_edge(len: usize, largest: bool) -> Self {
        if largest {
            let ones = vec![0xFF; len];
            let below = (number(&ones) - 1_u32).to_bytes_be();
            return Self { p: ones.clone(), q: ones.clone(), d_p: ones.clone(), d_q: ones, q_inv: below };
        }
        let mut least = vec![0; len];
        (least[0], least[len - 1]) = (0x80, 1);
        // q as far above p as it can be.
        Self { p: least, q: vec![0xFF; len], d_p: vec![], d_q: vec![1], q_inv: vec![1] }
    }

    fn key(&self) -> Option<PrivateKey> {
        let Self { p, q, d_p, d_q, q_inv } = self;
        PrivateKey::new(&Parts { p, q, d_p, d_q, q_inv })
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
const LENGTHS: [usize; 3] = [128, 192, 256];

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
    let jobs: Vec<_> = ready.iter().zip(messages).map(|(key, message)| (key, message.as_slice())).collect();
    let results = private_transforms(&jobs).expect("results");
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
    for (case, refused) in [
        ("p of another length", new(&|key| key.p = vec![0xFF; 128])),
        ("p a bit shorter", new(&|key| key.p[0] = 0x7F)),
        ("q a bit shorter", new(&|key| key.q[0] = 0x7F)),
        ("q a bit longer", new(&|key| key.q.insert(0, 1))),
        ("an even p", new(&|key| key.p[191] = 2)),
        ("no p", new(&|key| key.p.clear())),
        ("an exponent too long", new(&|key| key.d_q = vec![1; 193])),
        ("qInv too long", new(&|key| key.q_inv = vec![1; 193])),
    ] {
        assert!(refused.is_none(), "{case}");
    }
    let shorter = Numeric::new(&mut numbers, 128).key().expect("a key");
    let message = [0; 384];
    assert!(private_transforms(&[]).is_none(), "none");
    assert!(private_transforms(&[(&key, &message[..]); GROUP + 1]).is_none(), "too many");
    assert!(private_transforms(&[(&key, &message), (&shorter, &message[..256])]).is_none(), "two lengths");
    assert!(private_transforms(&[(&key, &message[1..])]).is_none(), "a message too short");
    assert!(private_transforms(&[(&key, &message[..]); GROUP]).is_some());
}
