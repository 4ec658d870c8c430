//! Eight numbers side by side in the lanes of AVX-512 registers: lanes 0 to 3 hold what is done modulo p for four keys,
//! lanes 4 to 7 the same modulo q. A lane never meets another until both halves are joined at the end.
//!
//! No branch, no address and no instruction whose time depends on its operands sees a secret: the one table is read as a
//! whole for each look into it.
//!
//! Every `unsafe` here calls functions compiled for the features in [`Ifma::detect`], or stores a register.

mod exponent;
mod montgomery;

use std::arch::x86_64::{__m512i, _mm512_setr_epi64, _mm512_setzero_si512, _mm512_shuffle_i64x2, _mm512_storeu_epi64};

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use self::montgomery::{Modulus, add, carried, multiply, product, reduce, reduced_once, subtract};
use crate::{
    GROUP,
    number::{self, DIGITS, Number},
    prime::{Pair, Prime},
};

const LANES: usize = 2 * GROUP;

/// Five digits of eight numbers.
type Block = [__m512i; DIGITS];

/// Eight numbers as long as a prime.
type Lanes<const B: usize> = [Block; B];

/// That this processor has AVX-512F and AVX-512 IFMA.
#[derive(Clone, Copy)]
pub(crate) struct Ifma(());

impl Ifma {
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")).then_some(Self(()))
    }

    /// The operation for one to four keys.
    pub(crate) fn transforms<const B: usize>(self, jobs: &[(&Pair<B>, &[u8])]) -> Vec<Vec<u8>> {
        #[expect(unsafe_code, reason = "compiled for features that were detected")]
        // SAFETY: self is made only where the processor has both features.
        unsafe {
            transforms(jobs)
        }
    }
}

/// What is secret while it lasts, on the heap and wiped at the end. The caller wipes the stack, where the compiler keeps
/// more of it.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Work<const B: usize> {
    /// Twice as long as a prime.
    wide: [Lanes<B>; 2],
    table: exponent::Table<B>,
    x: Lanes<B>,
    y: Lanes<B>,
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
fn transforms<const B: usize>(jobs: &[(&Pair<B>, &[u8])]) -> Vec<Vec<u8>> {
    // A lane that nobody needs does the first one's work.
    let of_lane = |lane: usize| jobs.get(lane % GROUP).unwrap_or(&jobs[0]);
    let prime = |lane: usize| -> &Prime<B> {
        let (pair, _) = of_lane(lane);
        if lane < GROUP { &pair.p } else { &pair.q }
    };
    let modulus = Modulus { digits: spread(|lane| &prime(lane).modulus), n0: lanes(|lane| prime(lane).n0) };
    let zero = [[_mm512_setzero_si512(); DIGITS]; B];
    let mut work = Box::new(Work { wide: [zero; 2], table: [zero; exponent::POWERS], x: zero, y: zero });
    let Work { wide, table, x, y } = &mut *work;

    // The message modulo both primes, in Montgomery's form: it is below R times either.
    let messages: [_; LANES] = std::array::from_fn(|lane| {
        let mut digits: [Number<B>; 2] = [[[0; DIGITS]; B]; 2];
        number::read(of_lane(lane).1, digits.as_flattened_mut().as_flattened_mut());
        digits
    });
    *wide = [spread(|lane| &messages[lane][0]), spread(|lane| &messages[lane][1])];
    *x = reduce(wide, &modulus);
    *x = multiply(wide, x, &spread(|lane| &prime(lane).cube), &modulus);

    // m1 = c^dP mod p and m2 = c^dQ mod q (RFC 8017, 5.1.2, 2b), out of Montgomery's form and below the prime.
    exponent::raise(wide, table, x, &spread(|lane| &prime(lane).one), &modulus, |byte| {
        lanes(|lane| u64::from(prime(lane).exponent.as_flattened()[byte]))
    });
    *wide = [*x, zero];
    *x = reduce(wide, &modulus);
    *x = reduced_once(x, &modulus);

    // h = (m1 - m2)·qInv mod p, in lanes 0 to 3; what the others do from here on is thrown away. m2 may be above p, but is
    // below 2p, as both primes have their highest bit.
    *y = other_half(x);
    *y = subtract(&add(&add(x, &modulus.digits), &modulus.digits), y);
    *y = multiply(wide, y, &spread(|lane| &of_lane(lane).0.q_inv), &modulus);
    *y = reduced_once(y, &modulus);

    // m = m2 + q·h.
    product(wide, y, &other_half(&modulus.digits));
    wide[0] = add(&wide[0], &other_half(x));
    *wide = carried(wide);

    let digits: Zeroizing<Vec<[u64; LANES]>> =
        Zeroizing::new(wide.as_flattened().as_flattened().iter().map(|digit| each(*digit)).collect());
    let result = |lane: usize| {
        let own: Zeroizing<Vec<u64>> = Zeroizing::new(digits.iter().map(|digit| digit[lane]).collect());
        let mut result = vec![0; 2 * number::byte_len(B)];
        number::write(&own, &mut result);
        result
    };
    (0..jobs.len()).map(result).collect()
}

/// A number for each lane.
#[target_feature(enable = "avx512f")]
#[inline]
fn spread<'a, const B: usize>(of: impl Fn(usize) -> &'a Number<B>) -> Lanes<B> {
    let mut spread = [[_mm512_setzero_si512(); DIGITS]; B];
    for (block, places) in spread.iter_mut().enumerate() {
        for (digit, place) in places.iter_mut().enumerate() {
            *place = lanes(|lane| of(lane)[block][digit]);
        }
    }
    spread
}

/// A digit for each lane.
#[target_feature(enable = "avx512f")]
#[inline]
fn lanes(of: impl Fn(usize) -> u64) -> __m512i {
    let at = |lane| of(lane).cast_signed();
    _mm512_setr_epi64(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7))
}

/// Each lane's digit.
#[target_feature(enable = "avx512f")]
#[inline]
fn each(digits: __m512i) -> [u64; LANES] {
    let mut each = [0; LANES];
    #[expect(unsafe_code, reason = "a register is stored through a pointer")]
    // SAFETY: the pointer is to eight numbers of 64 bits, and the store needs no alignment.
    unsafe {
        _mm512_storeu_epi64(each.as_mut_ptr(), digits);
    }
    each.map(i64::cast_unsigned)
}

/// Lanes 4 to 7 in the place of 0 to 3, and the other way round.
#[target_feature(enable = "avx512f")]
#[inline]
fn other_half<const B: usize>(x: &Lanes<B>) -> Lanes<B> {
    x.map(|block| block.map(|digit| _mm512_shuffle_i64x2::<0b01_00_11_10>(digit, digit)))
}
