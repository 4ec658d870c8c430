#![doc = include_str!("../README.md")]

mod blinding;
#[cfg(target_arch = "x86_64")]
mod engine;
mod key;
mod number;
mod stack;

use key::Key;

/// As many operations as share the lanes: the two primes of four keys.
pub const GROUP: usize = 4;

/// The parts of a private key with two primes (RFC 8017, 3.2), each a number in bytes, the most significant first.
pub struct Parts<'a> {
    /// n, the modulus: p·q.
    pub n: &'a [u8],
    /// e, the public exponent.
    pub e: &'a [u8],
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

/// A private key of 2048, 3072 or 4096 bits with the public exponent 65,537, made ready. It is wiped when it is dropped.
pub struct PrivateKey(OfSize);

enum OfSize {
    Rsa2048(Box<Key<4, 8>>),
    Rsa3072(Box<Key<6, 12>>),
    Rsa4096(Box<Key<8, 16>>),
}

impl PrivateKey {
    /// Makes a key ready. `None` where this processor has no AVX-512 IFMA, where the primes are not of the same one of the
    /// lengths that there are, where a part is longer than it can be, or where the public exponent is another one than
    /// 65,537. Whether the parts belong together is not looked at.
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
            1_024 => OfSize::Rsa2048(Key::new(parts)?),
            1_536 => OfSize::Rsa3072(Key::new(parts)?),
            2_048 => OfSize::Rsa4096(Key::new(parts)?),
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
/// Each message is blinded before it meets what is secret of its key. `random` fills a buffer with bytes that nobody can
/// foretell; it is asked for some at the first use of a key and at each 32nd.
///
/// `None` where there are more or none, where the keys are not all of one length, or where a message is not as long as they
/// are. A fault of the machine, or a message that is not below the modulus, gives wrong results: whoever gives them out
/// looks at them with the public key before.
#[must_use]
pub fn private_transforms(jobs: &[(&PrivateKey, &[u8])], mut random: impl FnMut(&mut [u8])) -> Option<Vec<Vec<u8>>> {
    macro_rules! all_of {
        ($size:ident) => {{
            let of_size = jobs.iter().map(|(key, message)| match &key.0 {
                OfSize::$size(key) => Some((&**key, *message)),
                _ => None,
            });
            transforms(&of_size.collect::<Option<Vec<_>>>()?, &mut random)
        }};
    }
    match jobs.first()?.0.0 {
        OfSize::Rsa2048(_) => all_of!(Rsa2048),
        OfSize::Rsa3072(_) => all_of!(Rsa3072),
        OfSize::Rsa4096(_) => all_of!(Rsa4096),
    }
}

#[cfg(target_arch = "x86_64")]
fn transforms<const B: usize, const N: usize>(
    jobs: &[(&Key<B, N>, &[u8])],
    random: &mut dyn FnMut(&mut [u8]),
) -> Option<Vec<Vec<u8>>> {
    let fit = jobs.len() <= GROUP && jobs.iter().all(|(_, message)| message.len() == number::byte_len(N));
    let engine = engine::Ifma::detect().filter(|_| fit)?;
    let keys: Vec<_> = jobs.iter().map(|(key, _)| *key).collect();
    let kept: Option<Vec<_>> = keys.iter().map(|key| key.take_blinding()).collect();
    // Where one key needs a new blinding all get one: in the lanes of the others it costs nothing.
    let kept = kept.filter(|kept| !kept.iter().any(|blinding| blinding.is_used_up()));
    let mut blindings = kept.unwrap_or_else(|| {
        let numbers: Vec<_> = keys.iter().map(|_| blinding::random_number(random)).collect();
        engine.blindings(&keys, &numbers)
    });
    let results = engine.transforms(jobs, &mut blindings);
    stack::wipe();
    keys.iter().zip(blindings).for_each(|(key, blinding)| key.keep_blinding(blinding));
    Some(results)
}

#[cfg(not(target_arch = "x86_64"))]
fn transforms<const B: usize, const N: usize>(
    _: &[(&Key<B, N>, &[u8])],
    _: &mut dyn FnMut(&mut [u8]),
) -> Option<Vec<Vec<u8>>> {
    None
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
