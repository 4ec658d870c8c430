//! Keys that are of a known kind and that anybody could break all the same (CA/Browser Forum, Baseline Requirements, 6.1.1.3
//! and 6.1.6), and pairs whose halves do not belong together.

use std::sync::LazyLock;

use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ECDSA_P521_SHA512_ASN1, EcdsaVerificationAlgorithm, ParsedPublicKey,
};
use chancery_types::{Curve, HashType};
use der::Decode;
use num_bigint::BigUint;
use spki::SubjectPublicKeyInfoRef;
use thiserror::Error;
use zeroize::Zeroizing;

use super::{
    Input, SignatureScheme, SigningKey,
    anyones::{is_next_to_zero, is_of_small_order, is_point},
    pkcs1::RsaPrivateKey,
    prime::is_prime,
    public_key::RsaPublicKey,
    verify,
};
use crate::{KeySpec, kind_of_public_key};

/// Why nobody should rely on a key; reads on after `the key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WeakKey {
    /// A modulus that is prime, whose private exponent everybody can compute.
    #[error("has a prime number for its RSA modulus, so everybody can compute its private half")]
    PrimeModulus,
    /// A modulus that trial division splits.
    #[error("has an RSA modulus with a small factor")]
    SmallFactor,
    /// A modulus that Fermat's method splits, or a pair with such primes.
    #[error("has RSA primes that are too close together (FIPS 186-5, A.1.1)")]
    ClosePrimes,
    /// CVE-2017-15361.
    #[error("was made by a generator whose RSA keys can be broken (ROCA, CVE-2017-15361)")]
    Roca,
    /// A point that lies on no curve of ours.
    #[error("has a point that does not lie on its curve")]
    Point,
    /// A point of Ed25519 with which everybody can sign.
    #[error("has a point of small order, so everybody can sign with it")]
    SmallOrder,
    /// An ML-DSA key with which everybody can sign.
    #[error("has a public half that is next to nothing, so everybody can sign with it")]
    NextToZero,
    /// Factors that are composite or of different lengths.
    #[error("has RSA factors that are not two primes of half the modulus's length")]
    NotPrimes,
    /// A signature that does not verify.
    #[error("makes signatures that its public half does not verify")]
    Signature,
}

/// Rounds of the test for primes of which somebody else says that they are.
const ROUNDS: u8 = 64;

/// Rounds after which a modulus counts as prime: an honest one, which is the product of two, never passes a single one.
const ROUNDS_OF_MODULUS: u8 = 2;

/// Rounds of Fermat's method (Baseline Requirements, 6.1.1.3).
const FERMAT_ROUNDS: u32 = 100;

/// Trial division goes so far.
const FACTOR_MAX: usize = 1 << 16;

/// Refuses a public key of a known kind, a SubjectPublicKeyInfo in DER, that anybody could break. For RSA that takes some
/// milliseconds. Keys of generators with too little randomness (Debian's, CVE-2008-0166) are not known here.
pub fn check_public_key(spki: &[u8]) -> Result<(), WeakKey> {
    let (Some(spec), Ok(parsed)) = (kind_of_public_key(spki), SubjectPublicKeyInfoRef::from_der(spki)) else {
        return Err(WeakKey::Point);
    };
    let key = parsed.subject_public_key.as_bytes().unwrap_or_default();
    refuse_anyones(spec, key)?;
    match spec {
        KeySpec::Rsa(_) => check_rsa(key),
        KeySpec::Ec(curve) => ParsedPublicKey::new(of_curve(curve), key).map(drop).map_err(|_| WeakKey::Point),
        KeySpec::Ed25519 if !is_point(key) => Err(WeakKey::Point),
        KeySpec::Ed25519 | KeySpec::MlDsa(_) | KeySpec::Aes(_) | KeySpec::Hmac256 => Ok(()),
    }
}

/// Whether everybody can sign whatever they like with this public key, a SubjectPublicKeyInfo in DER.
#[must_use]
pub fn is_anyones_key(spki: &[u8]) -> bool {
    let parsed = SubjectPublicKeyInfoRef::from_der(spki).ok();
    let key = parsed.as_ref().and_then(|parsed| parsed.subject_public_key.as_bytes());
    kind_of_public_key(spki).zip(key).is_some_and(|(spec, key)| refuse_anyones(spec, key).is_err())
}

/// Refuses a key with which everybody can sign whatever they like. Cheap, so it stands before each verification too: a key
/// that came in where nobody looked, or before anybody did, signs nothing.
pub(super) fn refuse_anyones(spec: KeySpec, key: &[u8]) -> Result<(), WeakKey> {
    match spec {
        KeySpec::Ed25519 if is_of_small_order(key) => Err(WeakKey::SmallOrder),
        KeySpec::MlDsa(set) if is_next_to_zero(set, key) => Err(WeakKey::NextToZero),
        KeySpec::Ed25519
        | KeySpec::MlDsa(_)
        | KeySpec::Rsa(_)
        | KeySpec::Ec(_)
        | KeySpec::Aes(_)
        | KeySpec::Hmac256 => Ok(()),
    }
}

const fn of_curve(curve: Curve) -> &'static EcdsaVerificationAlgorithm {
    match curve {
        Curve::P256 => &ECDSA_P256_SHA256_ASN1,
        Curve::P384 => &ECDSA_P384_SHA384_ASN1,
        Curve::P521 => &ECDSA_P521_SHA512_ASN1,
    }
}

fn check_rsa(key: &[u8]) -> Result<(), WeakKey> {
    let Ok(key) = RsaPublicKey::from_der(key) else { return Err(WeakKey::NotPrimes) };
    let bytes = key.modulus.as_bytes();
    let modulus = BigUint::from_bytes_be(bytes);
    if has_small_factor(&modulus) {
        return Err(WeakKey::SmallFactor);
    }
    if is_roca(&modulus) {
        return Err(WeakKey::Roca);
    }
    if has_close_factors(&modulus) {
        return Err(WeakKey::ClosePrimes);
    }
    // What cannot be tested is not relied on.
    if is_prime(bytes, ROUNDS_OF_MODULUS).unwrap_or(true) { Err(WeakKey::PrimeModulus) } else { Ok(()) }
}

fn remainder(number: &BigUint, divisor: u64) -> u64 {
    (number % divisor).iter_u64_digits().next().unwrap_or(0)
}

/// The primes up to [`FACTOR_MAX`], as many as fit multiplied together.
static PRODUCTS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut is_composite = vec![false; FACTOR_MAX];
    let mut products = vec![1_u64];
    for number in 2..FACTOR_MAX {
        if is_composite[number] {
            continue;
        }
        (number * number..FACTOR_MAX).step_by(number).for_each(|multiple| is_composite[multiple] = true);
        let prime = number as u64;
        match products.last_mut() {
            Some(last) if last.checked_mul(prime).is_some() => *last *= prime,
            _ => products.push(prime),
        }
    }
    products
});

fn has_small_factor(modulus: &BigUint) -> bool {
    let common = |mut one: u64, mut two: u64| {
        while two != 0 {
            (one, two) = (two, one % two);
        }
        one
    };
    PRODUCTS.iter().any(|product| common(*product, remainder(modulus, *product)) != 1)
}

/// The primes of the broken generator are powers of 65,537 modulo a product of many small primes, and so is what they make.
/// One other modulus of 2^27 or so looks like that.
fn is_roca(modulus: &BigUint) -> bool {
    const PRIMES: [u64; 38] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107,
        109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ];
    PRIMES.iter().all(|prime| {
        let wanted = remainder(modulus, *prime);
        let powers = std::iter::successors(Some(1), |power| Some(power * 65_537 % prime));
        powers.take(usize::try_from(*prime).unwrap_or_default()).any(|power| power == wanted)
    })
}

/// Fermat's method: the modulus as the difference of two squares.
fn has_close_factors(modulus: &BigUint) -> bool {
    let mut root = modulus.sqrt();
    if &root * &root < *modulus {
        root += 1_u32;
    }
    let mut rest = &root * &root - modulus;
    for _ in 0..FERMAT_ROUNDS {
        if is_square(&rest) {
            return true;
        }
        rest += &root * 2_u32 + 1_u32;
        root += 1_u32;
    }
    false
}

fn is_square(number: &BigUint) -> bool {
    // What squares leave of 64: most others are told by that.
    const LEFT: [u64; 12] = [0, 1, 4, 9, 16, 17, 25, 33, 36, 41, 49, 57];
    if !LEFT.contains(&remainder(number, 64)) {
        return false;
    }
    let root = number.sqrt();
    &root * &root == *number
}

/// Refuses a pair from elsewhere, read already, that nobody should rely on; `pkcs1` is an RSA key's own encoding.
pub(crate) fn check_pair(key: &SigningKey, pkcs1: Option<&[u8]>) -> Result<(), WeakKey> {
    check_public_key(key.public_key_spki())?;
    if let Some(der) = pkcs1 {
        check_primes(der)?;
    }
    let spec = key.key().spec;
    let message = b"a signature to see whether both halves belong together";
    let signed = SignatureScheme::for_key(spec, HashType::Sha2_512, false).ok().and_then(|scheme| {
        let signature = key.sign(scheme, Input::Message(message)).ok()?;
        verify(key.public_key_spki(), scheme, Input::Message(message), &signature).ok()
    });
    signed.ok_or(WeakKey::Signature)
}

fn check_primes(der: &[u8]) -> Result<(), WeakKey> {
    let key = RsaPrivateKey::from_der(der).map_err(|_| WeakKey::NotPrimes)?;
    let (one, two) = (key.prime1.as_bytes(), key.prime2.as_bytes());
    let half = key.modulus.as_bytes().len() / 2;
    let is_good =
        |prime: &[u8]| prime.len() == half && prime[0] & 0x80 != 0 && is_prime(prime, ROUNDS).unwrap_or(false);
    if !is_good(one) || !is_good(two) {
        return Err(WeakKey::NotPrimes);
    }
    // |p − q| > 2^(nlen/2 − 100), where nlen/2 is 8 · half.
    let bits = 8 * half - 100;
    if difference_bits(one, two) <= bits { Err(WeakKey::ClosePrimes) } else { Ok(()) }
}

/// Bits of the difference of two numbers of equally many bytes.
fn difference_bits(one: &[u8], two: &[u8]) -> usize {
    let (large, small) = if one >= two { (one, two) } else { (two, one) };
    let mut difference = Zeroizing::new(large.to_vec());
    let mut borrow = 0_u16;
    for (byte, small) in difference.iter_mut().rev().zip(small.iter().rev()) {
        let (before, taken) = (u16::from(*byte), u16::from(*small) + borrow);
        borrow = u16::from(before < taken);
        *byte = ((before + 256 - taken) & 0xff) as u8;
    }
    let zeros = difference.iter().take_while(|byte| **byte == 0).count();
    let leading = difference.get(zeros).map_or(0, |byte| byte.leading_zeros() as usize);
    8 * (difference.len() - zeros) - leading
}

#[cfg(test)]
mod tests {
    use der::{Encode, asn1::UintRef};

    use super::*;

    fn number(text: &str) -> BigUint {
        text.parse().unwrap()
    }

    #[test]
    fn moduli_with_small_factors_or_close_ones_are_told() {
        let prime = (BigUint::from(1_u8) << 521) - 1_u8;
        let other = (BigUint::from(1_u8) << 607) - 1_u8;
        for (modulus, small) in [(&prime * 65_521_u32, true), (&prime * 65_537_u32, false), (&prime * &other, false)] {
            assert_eq!(has_small_factor(&modulus), small, "{modulus}");
        }
        assert!(has_close_factors(&(&prime * (&prime + 2_u8))));
        assert!(has_close_factors(&(&prime * &prime)));
        assert!(!has_close_factors(&(&prime * &other)));
        assert_eq!(PRODUCTS.iter().filter(|product| **product % 65_521 == 0).count(), 1, "the largest is there");
        assert!(is_square(&number("15241578750190521")) && !is_square(&number("15241578750190520")));
    }

    #[test]
    fn what_the_broken_generator_makes_is_told() {
        let product: u64 = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41].iter().product();
        // Any power of 65,537 modulo a multiple of all of the primes, as its moduli are.
        let all: BigUint =
            [43_u32, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131, 137, 139, 149]
                .iter()
                .chain(&[151, 157, 163, 167])
                .fold(BigUint::from(product), |all, prime| all * *prime);
        let modulus = BigUint::from(65_537_u32).modpow(&BigUint::from(123_456_u32), &all) + &all * 7_u8;
        assert!(is_roca(&modulus));
        assert!(!is_roca(&(modulus + 2_u8)));
    }

    /// 2^`bits` and this.
    fn near(bits: u32, more: i32) -> BigUint {
        let power = BigUint::from(1_u8) << bits;
        if more < 0 { power - more.unsigned_abs() } else { power + more.unsigned_abs() }
    }

    fn public(modulus: &BigUint) -> Vec<u8> {
        let modulus = modulus.to_bytes_be();
        let modulus = UintRef::new(&modulus).unwrap();
        RsaPublicKey { modulus, public_exponent: UintRef::new(&[1, 0, 1]).unwrap() }.to_der().unwrap()
    }

    #[test]
    fn public_keys_are_refused_for_what_is_wrong_with_them() {
        let (one, two) = (near(1_279, -1), near(2_203, -1));
        assert_eq!(check_rsa(&public(&(&one * &two))), Ok(()));
        assert_eq!(check_rsa(&public(&two)), Err(WeakKey::PrimeModulus));
        assert_eq!(check_rsa(&public(&(&two * 65_521_u32))), Err(WeakKey::SmallFactor));
        assert_eq!(check_rsa(&public(&(near(512, -569) * near(512, -629)))), Err(WeakKey::ClosePrimes));
    }

    #[test]
    fn factors_of_a_pair_are_primes_of_half_its_length_and_far_apart() {
        let (large, near_it) = (near(512, -569), near(512, -629));
        let far = (BigUint::from(3_u8) << 510) + 761_u32;
        let check = |one: &BigUint, two: &BigUint| {
            let (modulus, one, two) = ((one * two).to_bytes_be(), one.to_bytes_be(), two.to_bytes_be());
            let any = UintRef::new(&[5]).unwrap();
            let key = RsaPrivateKey {
                version: 0,
                modulus: UintRef::new(&modulus).unwrap(),
                public_exponent: any,
                private_exponent: any,
                prime1: UintRef::new(&one).unwrap(),
                prime2: UintRef::new(&two).unwrap(),
                exponent1: any,
                exponent2: any,
                coefficient: any,
            };
            check_primes(&key.to_der().unwrap())
        };
        assert_eq!(check(&large, &far), Ok(()));
        assert_eq!(check(&near_it, &large), Err(WeakKey::ClosePrimes));
        assert_eq!(check(&large, &(&far + 2_u8)), Err(WeakKey::NotPrimes), "composite");
        assert_eq!(check(&(near(512, -569) * &far), &BigUint::from(65_537_u32)), Err(WeakKey::NotPrimes), "tiny");
    }

    #[test]
    fn differences_are_counted_in_bits() {
        for (one, two, bits) in [
            (&[0_u8, 0][..], &[0_u8, 0][..], 0),
            (&[1, 0], &[0, 255], 1),
            (&[0, 255], &[1, 0], 1),
            (&[255, 0], &[0, 0], 16),
            (&[2, 0], &[0, 1], 9),
        ] {
            assert_eq!(difference_bits(one, two), bits, "{one:?} {two:?}");
        }
    }
}
