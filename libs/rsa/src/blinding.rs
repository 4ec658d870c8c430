//! Base blinding, as AWS-LC and OpenSSL have it (`BN_BLINDING`): what meets the private key is m·r^e instead of m, and
//! the result times r^-1 is that of m.
//!
//! Each key has pairs (r^e, r^-1) of its own. Whoever signs takes one out for as long as it signs, so no two operations
//! at a time are blinded by the same. After each use both numbers of a pair are squared, and after [`USES`] the pair is
//! made anew from fresh randomness.

use zeroize::{ZeroizeOnDrop, Zeroizing};

use crate::number::{DIGITS, MASK, Number};

/// Uses of one pair, by squaring: as many as in AWS-LC.
const USES: u32 = 32;

/// A pair, in Montgomery's form and below twice the modulus.
#[derive(ZeroizeOnDrop)]
pub(crate) struct Blinding<const N: usize> {
    /// r^e.
    pub(crate) factor: Number<N>,
    /// r^-1.
    pub(crate) inverse: Number<N>,
    /// How often it was used.
    #[zeroize(skip)]
    pub(crate) uses: u32,
}

impl<const N: usize> Blinding<N> {
    pub(crate) const fn is_used_up(&self) -> bool {
        self.uses >= USES
    }
}

/// A number of 260·N random bits: its remainder by a modulus is as good as uniform, since that is 4·N bits shorter.
pub(crate) fn random_number<const N: usize>(random: &mut dyn FnMut(&mut [u8])) -> Box<Zeroizing<Number<N>>> {
    let mut bytes = Zeroizing::new(vec![0; size_of::<Number<N>>()]);
    random(&mut bytes);
    let mut number = Box::new(Zeroizing::new([[0; DIGITS]; N]));
    for (digit, bytes) in number.as_flattened_mut().iter_mut().zip(bytes.as_chunks().0) {
        *digit = u64::from_le_bytes(*bytes) & MASK;
    }
    number
}
