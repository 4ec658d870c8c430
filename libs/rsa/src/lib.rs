#![doc = include_str!("../README.md")]

#[cfg(target_arch = "x86_64")]
mod engine;
mod number;
mod prime;
mod stack;

use prime::Pair;

/// As many operations as share the lanes: the two primes of four keys.
pub const GROUP: usize = 4;

/// The parts of a private key with two primes (RFC 8017, 3.2), each a number in bytes, the most significant first.
pub struct Parts<'a> {
    /// p, the first prime.
    pub p: &'a [u8],
    /// q, the second one.
    pub q: &'a [u8],
    /// dP = d mod (p - 1).
    pub d_p: &'a [u8],
    /// dQ = d mod (q - 1).
    pub d_q: &'a [u8],
    /// qInv = 1/q mod p.
    pub q_inv: &'a [u8],
}

/// A private key of 2048, 3072 or 4096 bits, made ready. It is wiped when it is dropped.
pub struct PrivateKey(OfSize);

enum OfSize {
    Rsa2048(Box<Pair<4>>),
    Rsa3072(Box<Pair<6>>),
    Rsa4096(Box<Pair<8>>),
}

impl PrivateKey {
    /// Makes a key ready. `None` where this processor has no AVX-512 IFMA, where the primes are not of the same one of the
    /// lengths that there are, or where a part is longer than a prime. Whether the parts belong together is not looked at.
    #[must_use]
    pub fn new(parts: &Parts<'_>) -> Option<Self> {
        if !is_supported() {
            return None;
        }
        let key = Self::made_ready(parts);
        stack::wipe();
        key
    }

    #[inline(never)]
    fn made_ready(parts: &Parts<'_>) -> Option<Self> {
        Some(Self(match number::bits(parts.p) {
            1_024 => OfSize::Rsa2048(Pair::new(parts)?),
            1_536 => OfSize::Rsa3072(Pair::new(parts)?),
            2_048 => OfSize::Rsa4096(Pair::new(parts)?),
            _ => return None,
        }))
    }

    /// Length of the modulus in bits. Keys of the same length share the lanes.
    #[must_use]
    pub const fn modulus_bits(&self) -> usize {
        match self.0 {
            OfSize::Rsa2048(_) => 2_048,
            OfSize::Rsa3072(_) => 3_072,
            OfSize::Rsa4096(_) => 4_096,
        }
    }
}

/// Whether this processor has what the engine needs.
#[must_use]
pub fn is_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    return engine::Ifma::detect().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// RSASP1 (RFC 8017, 5.2.1) for up to [`GROUP`] messages, each with a key of its own or the same: `message`^d mod n, as
/// long as the modulus. A message is as long as the modulus and below it.
///
/// `None` where there are more or none, where the keys are not all of one length, or where a message is not as long as they
/// are. A fault of the machine, or a message that is not below the modulus, gives wrong results: whoever gives them out
/// looks at them with the public key before.
#[must_use]
pub fn private_transforms(jobs: &[(&PrivateKey, &[u8])]) -> Option<Vec<Vec<u8>>> {
    macro_rules! all_of {
        ($size:ident) => {{
            let pairs = jobs.iter().map(|(key, message)| match &key.0 {
                OfSize::$size(pair) => Some((&**pair, *message)),
                _ => None,
            });
            transforms(&pairs.collect::<Option<Vec<_>>>()?)
        }};
    }
    match jobs.first()?.0.0 {
        OfSize::Rsa2048(_) => all_of!(Rsa2048),
        OfSize::Rsa3072(_) => all_of!(Rsa3072),
        OfSize::Rsa4096(_) => all_of!(Rsa4096),
    }
}

#[cfg(target_arch = "x86_64")]
fn transforms<const B: usize>(jobs: &[(&Pair<B>, &[u8])]) -> Option<Vec<Vec<u8>>> {
    let fit = jobs.len() <= GROUP && jobs.iter().all(|(_, message)| message.len() == 2 * number::byte_len(B));
    let engine = engine::Ifma::detect().filter(|_| fit)?;
    let results = engine.transforms(jobs);
    stack::wipe();
    Some(results)
}

#[cfg(not(target_arch = "x86_64"))]
fn transforms<const B: usize>(_: &[(&Pair<B>, &[u8])]) -> Option<Vec<Vec<u8>>> {
    None
}
