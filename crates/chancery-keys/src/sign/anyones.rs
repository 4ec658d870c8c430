//! Public keys with which everybody can sign, though they have the form of one. Neither the algorithms nor AWS-LC refuse
//! them when they verify, and whoever presents one has a key that is nobody's own.

use std::sync::LazyLock;

use num_bigint::BigUint;

use crate::MlDsaSet;

/// The coordinates y of the points whose order divides 8, without their signs (RFC 8032, 5.1): of order 1, 4, 2 and,
/// twice, 8. `[S]B = R + [k]A` then holds of an S that everybody knows, as [k]A is one of eight points.
const SMALL_ORDER: [[u8; 32]; 5] = [
    little_endian(0, [1, 0]),
    little_endian(0, [0, 0]),
    little_endian(0xff, [0xec, 0x7f]),
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// 32 bytes that are all the same but for the first and the last.
const fn little_endian(all: u8, [first, last]: [u8; 2]) -> [u8; 32] {
    let mut bytes = [all; 32];
    bytes[0] = first;
    bytes[31] = last;
    bytes
}

/// 2^255 − 19.
static P: LazyLock<BigUint> = LazyLock::new(|| (BigUint::from(1_u8) << 255) - 19_u8);

/// Whether a point of Ed25519 has small order. Neither its sign nor a coordinate that is not reduced hides that.
pub(crate) fn is_of_small_order(point: &[u8]) -> bool {
    let y = coordinate(point) % &*P;
    SMALL_ORDER.iter().any(|small| y == BigUint::from_bytes_le(small))
}

/// Whether these bytes are a point of Ed25519 in its one form (RFC 8032, 5.1.3): y below p, and a square (y² − 1)/(dy² + 1).
pub(super) fn is_point(point: &[u8]) -> bool {
    let p = &*P;
    let y = coordinate(point);
    if point.len() != 32 || y >= *p {
        return false;
    }
    let yy = &y * &y % p;
    // d = −121665/121666; a fraction is a square where the product of its halves is one, so all is multiplied by 121666.
    let (u, v) = ((&yy + p - 1_u8) * 121_666_u32, (p - 121_665_u32) * &yy + 121_666_u32);
    let product = u * v * 121_666_u32 * 121_666_u32 % p;
    let half = (p - 1_u8) >> 1;
    // Euler's criterion; 0 is the square of 0.
    product.modpow(&half, p) <= BigUint::from(1_u8)
}

/// y, without the sign of x in the last bit.
fn coordinate(point: &[u8]) -> BigUint {
    let mut bytes = point.to_vec();
    if let Some(last) = bytes.last_mut() {
        *last &= 0x7f;
    }
    BigUint::from_bytes_le(&bytes)
}

/// Bits of each coefficient of `t1`, behind the 32 bytes of `rho` (FIPS 204, algorithm 22, pkEncode).
const T1_BITS: usize = 10;

/// So near to 0 modulo 2^10 a coefficient counts as small: one in 32 of an honest key's is.
const SMALL: u16 = 16;

/// Whether the public half of an ML-DSA key is next to nothing. With t1 = 0 the verifier computes w1 from z alone, which
/// everybody chooses; with small coefficients hints make up for them. Of an honest key, whose coefficients are as good as
/// random, half of them are never small.
pub(super) fn is_next_to_zero(set: MlDsaSet, key: &[u8]) -> bool {
    let k = match set {
        MlDsaSet::MlDsa44 => 4,
        MlDsaSet::MlDsa65 => 6,
        MlDsaSet::MlDsa87 => 8,
    };
    let t1 = key.get(32..).unwrap_or_default();
    let coefficient = |at: usize| {
        let (byte, shift) = (at * T1_BITS / 8, at * T1_BITS % 8);
        let both = t1.get(byte..byte + 2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]));
        both >> shift & 0x3ff
    };
    let is_small = |one: &u16| *one < SMALL || *one > 0x3ff - SMALL;
    2 * (0..256 * k).map(coefficient).filter(is_small).count() > 256 * k
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
    use chancery_types::HashType;

    use super::*;
    use crate::{Input, KeySpec, SignatureScheme, VerifyError, WeakKey, check_public_key, is_anyones_key, verify};

    /// `id-Ed25519` (RFC 8410), up to the key.
    const ED25519_SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

    /// All encodings of points of small order: both signs, and the two that are not reduced.
    fn encodings() -> Vec<[u8; 32]> {
        let unreduced = [little_endian(0xff, [0xed, 0x7f]), little_endian(0xff, [0xee, 0x7f])];
        let signed = |mut point: [u8; 32]| {
            point[31] |= 0x80;
            point
        };
        SMALL_ORDER.into_iter().chain(unreduced).flat_map(|point| [point, signed(point)]).collect()
    }

    #[test]
    fn points_of_small_order_are_told_however_they_are_written() {
        for point in encodings() {
            assert!(is_of_small_order(&point), "{}", hex::encode(point));
        }
        let pair = Ed25519KeyPair::generate().unwrap();
        assert!(!is_of_small_order(pair.public_key().as_ref()));
        assert!(is_point(pair.public_key().as_ref()));
    }

    /// AWS-LC itself takes what anybody writes under some of them: otherwise there would be nothing to refuse.
    #[test]
    fn the_library_accepts_what_anybody_signs() {
        let forged = [&little_endian(0, [1, 0])[..], &[0; 32]].concat();
        let taken = |point: &[u8; 32]| UnparsedPublicKey::new(&ED25519, point).verify(b"anything", &forged).is_ok();
        assert!(taken(&SMALL_ORDER[0]));
    }

    /// Held against the way of RFC 8032 itself, which computes the root.
    #[test]
    fn nobodys_keys_are_refused_wherever_they_come_in() {
        let scheme = SignatureScheme::for_key(KeySpec::Ed25519, HashType::Sha2_512, false).unwrap();
        for point in encodings() {
            let spki = [&ED25519_SPKI[..], &point].concat();
            assert_eq!(check_public_key(&spki), Err(WeakKey::SmallOrder), "{}", hex::encode(point));
            assert!(is_anyones_key(&spki));
            let forged = [&point[..], &[0; 32]].concat();
            assert_eq!(verify(&spki, scheme, Input::Message(b"anything"), &forged), Err(VerifyError::PublicKey));
        }
        let off_curve = [&ED25519_SPKI[..], &little_endian(0, [2, 0])].concat();
        assert_eq!(check_public_key(&off_curve), Err(WeakKey::Point));
        assert!(!is_anyones_key(&off_curve));
    }

    #[test]
    fn points_lie_on_the_curve() {
        let p = &*P;
        let root_exists = |y: u32| {
            let yy = BigUint::from(y) * y;
            let inverse = |number: BigUint| number.modpow(&(p - 2_u8), p);
            let d = (p - 121_665_u32) * inverse(BigUint::from(121_666_u32)) % p;
            let square = ((&yy + p - 1_u8) * inverse(d * &yy + 1_u8)) % p;
            // RFC 8032, 5.1.3, step 3: a root, or a root times that of −1.
            let root = square.modpow(&((p + 3_u8) >> 3), p);
            let other = &root * BigUint::from(2_u8).modpow(&((p - 1_u8) >> 2), p) % p;
            (&root * &root) % p == square || (&other * &other) % p == square
        };
        let mut on = 0;
        for y in 0..=255_u8 {
            let mut point = [0; 32];
            point[0] = y;
            assert_eq!(is_point(&point), root_exists(y.into()), "{y}");
            on += u32::from(is_point(&point));
        }
        assert!((96..160).contains(&on), "about half: {on}");
        assert!(!is_point(&little_endian(0xff, [0xed, 0x7f])) && !is_point(&[1; 31]), "not in the one form");
    }

    #[test]
    fn public_halves_of_nothing_are_told() {
        for (set, len) in [(MlDsaSet::MlDsa44, 1_312), (MlDsaSet::MlDsa65, 1_952), (MlDsaSet::MlDsa87, 2_592)] {
            let with = |byte: u8| [&[7; 32][..], &vec![byte; len - 32]].concat();
            assert!(is_next_to_zero(set, &with(0)) && is_next_to_zero(set, &with(0xff)));
            let mut mixed = with(0);
            mixed[32..32 + len / 3].fill(0x5a);
            assert!(is_next_to_zero(set, &mixed));
            assert!(!is_next_to_zero(set, &with(0x5a)));
        }
    }
}
