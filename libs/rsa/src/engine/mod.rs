//! Eight numbers side by side in the lanes of AVX-512 registers: lanes 0 to 3 hold what is done modulo p for four keys,
//! lanes 4 to 7 the same modulo q. A lane never meets another until both halves are joined at the end. What is done modulo
//! n, to blind and for blindings, has four numbers or twice four.
//!
//! No branch, no address and no instruction whose time depends on its operands sees a secret: the one table is read as a
//! whole for each look into it.
//!
//! Every `unsafe` here calls functions compiled for the features in [`Ifma::detect`], or stores a register.

mod exponent;
mod montgomery;

use std::arch::x86_64::{__m512i, _mm512_setr_epi64, _mm512_shuffle_i64x2, _mm512_storeu_epi64};

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use self::montgomery::{Moduli, add, multiply, pass_carries, product, reduce, reduced_once, square, subtract, zeros};
use crate::{
    GROUP,
    blinding::Blinding,
    key::{Exponent, Key, Prime},
    number::{self, DIGITS, Number},
};

const LANES: usize = 2 * GROUP;

/// Squares that make a number's power by 2^16: once more times the number it is the one by e = 65,537.
const PUBLIC_SQUARES: usize = 16;

/// Five digits of eight numbers.
type Block = [__m512i; DIGITS];

/// Eight numbers as long as a prime, or as a modulus.
type Lanes<const B: usize> = [Block; B];

/// That this processor has AVX-512F and AVX-512 IFMA.
#[derive(Clone, Copy)]
pub(crate) struct Ifma(());

impl Ifma {
    pub(crate) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")).then_some(Self(()))
    }

    /// The operation for one to four keys, each with a blinding of its own, which is made ready for its next use.
    pub(crate) fn transforms<const B: usize, const N: usize>(
        self,
        jobs: &[(&Key<B, N>, &[u8])],
        blindings: &mut [Box<Blinding<N>>],
    ) -> Vec<Vec<u8>> {
        #[expect(unsafe_code, reason = "compiled for features that were detected")]
        // SAFETY: self is made only where the processor has both features.
        unsafe {
            transforms(jobs, blindings)
        }
    }

    /// New blindings for one to four keys, from a random number for each.
    pub(crate) fn blindings<const B: usize, const N: usize>(
        self,
        keys: &[&Key<B, N>],
        random: &[Box<Zeroizing<Number<N>>>],
    ) -> Vec<Box<Blinding<N>>> {
        #[expect(unsafe_code, reason = "compiled for features that were detected")]
        // SAFETY: as above.
        unsafe {
            blindings(keys, random)
        }
    }
}

/// What is secret while it lasts, on the heap and wiped at the end. The caller wipes the stack, where the compiler keeps
/// more of it.
#[derive(Zeroize, ZeroizeOnDrop)]
struct Work<const B: usize, const N: usize> {
    /// Twice as long as a prime.
    wide: [Lanes<B>; 2],
    table: exponent::Table<B>,
    x: Lanes<B>,
    y: Lanes<B>,
    /// Twice as long as a modulus.
    wider: [Lanes<N>; 2],
    z: Lanes<N>,
}

impl<const B: usize, const N: usize> Work<B, N> {
    #[target_feature(enable = "avx512f")]
    fn new() -> Box<Self> {
        let (short, long) = ([zeros(); B], [zeros(); N]);
        let table = [short; exponent::POWERS];
        Box::new(Self { wide: [short; 2], table, x: short, y: short, wider: [long; 2], z: long })
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
fn transforms<const B: usize, const N: usize>(
    jobs: &[(&Key<B, N>, &[u8])],
    blindings: &mut [Box<Blinding<N>>],
) -> Vec<Vec<u8>> {
    let keys = four(jobs).map(|(key, _)| *key);
    let pairs = four(blindings);
    let moduli = moduli(&keys);
    let mut work = Work::new();

    // Blinded before anything secret is seen: c·r^e mod n, out of Montgomery's form since only one of both is in it.
    let messages = four(jobs).map(|(_, message)| {
        let mut digits: Number<N> = [[0; DIGITS]; N];
        number::read(message, digits.as_flattened_mut());
        digits
    });
    let Work { wider, z, .. } = &mut *work;
    *z = spread(|lane| &messages[lane % GROUP]);
    multiply(wider, z, &spread(|lane| &pairs[lane % GROUP].factor), &moduli);

    raise(&mut work, &keys, |prime| &prime.private);

    // And the blinding is taken off: (c·r^e)^d·r^-1 = c^d mod n.
    let Work { wider, z, .. } = &mut *work;
    multiply(wider, z, &spread(|lane| &pairs[lane % GROUP].inverse), &moduli);
    *z = reduced_once(z, &moduli);
    let transformed = numbers(z);
    let results = transformed[..jobs.len()].iter().map(|number| {
        let mut result = vec![0; number::byte_len(N)];
        number::write(number.as_flattened(), &mut result);
        result
    });
    let results = results.collect();

    // (r²)^e and (r²)^-1.
    *z = spread(|lane| if lane < GROUP { &pairs[lane].factor } else { &pairs[lane - GROUP].inverse });
    square(wider, z, &moduli);
    let squares = numbers(z);
    for (lane, blinding) in blindings.iter_mut().enumerate() {
        (blinding.factor, blinding.inverse) = (squares[lane], squares[GROUP + lane]);
        blinding.uses += 1;
    }
    results
}

#[target_feature(enable = "avx512f,avx512ifma")]
#[inline(never)]
fn blindings<const B: usize, const N: usize>(
    keys: &[&Key<B, N>],
    random: &[Box<Zeroizing<Number<N>>>],
) -> Vec<Box<Blinding<N>>> {
    let (keys, count) = (four(keys).map(|key| *key), keys.len());
    let random = four(random);
    let moduli = moduli(&keys);
    let mut work = Work::new();
    let Work { wider, z, .. } = &mut *work;

    // r in Montgomery's form: what is uniform stays so.
    *wider = [spread(|lane| random[lane % GROUP]), [zeros(); N]];
    reduce(wider, &moduli, z);
    let r = *z;
    for _ in 0..PUBLIC_SQUARES {
        square(wider, z, &moduli);
    }
    multiply(wider, z, &r, &moduli);
    let factors = numbers(z);

    // The inverse of r/R is r^-1·R, which is r^-1 in Montgomery's form.
    *z = r;
    for _ in 0..2 {
        *wider = [*z, [zeros(); N]];
        reduce(wider, &moduli, z);
    }
    raise(&mut work, &keys, |prime| &prime.inverting);
    let inverses = numbers(&work.z);
    let made = (0..count).map(|lane| Box::new(Blinding { factor: factors[lane], inverse: inverses[lane], uses: 0 }));
    made.collect()
}

/// For each lane of a half. One that nobody needs does the first one's work.
fn four<T>(of: &[T]) -> [&T; GROUP] {
    std::array::from_fn(|lane| of.get(lane).unwrap_or(&of[0]))
}

/// z to the power of secret exponents, by the Chinese remainder theorem. What is in lanes 4 to 7 of z must be the same as in
/// lanes 0 to 3; afterwards the result is in lanes 0 to 3, below the modulus.
#[target_feature(enable = "avx512f,avx512ifma")]
fn raise<const B: usize, const N: usize>(
    work: &mut Work<B, N>,
    keys: &[&Key<B, N>; GROUP],
    exponent: impl Fn(&Prime<B>) -> &Exponent<B>,
) {
    let prime = |lane: usize| if lane < GROUP { &keys[lane].p } else { &keys[lane - GROUP].q };
    let primes =
        Moduli { digits: spread(|lane| &prime(lane).modulus.digits), n0: lanes(|lane| prime(lane).modulus.n0) };
    let Work { wide, table, x, y, z, .. } = work;

    // z modulo both primes, in Montgomery's form: it is below R times either.
    wide.as_flattened_mut().copy_from_slice(z);
    reduce(wide, &primes, x);
    multiply(wide, x, &spread(|lane| &prime(lane).cube), &primes);

    // m1 = c^dP mod p and m2 = c^dQ mod q (RFC 8017, 5.1.2, 2b), out of Montgomery's form and below the prime.
    exponent::raise(wide, table, x, &spread(|lane| &prime(lane).one), &primes, |byte| {
        lanes(|lane| u64::from(exponent(prime(lane)).as_flattened()[byte]))
    });
    *wide = [*x, [zeros(); B]];
    reduce(wide, &primes, x);
    *x = reduced_once(x, &primes);

    // h = (m1 - m2)·qInv mod p, in lanes 0 to 3; what the others do from here on is thrown away. m2 may be above p, but is
    // below 2p, as both primes have their highest bit.
    *y = other_half(x);
    *y = subtract(&add(&add(x, &primes.digits), &primes.digits), y);
    multiply(wide, y, &spread(|lane| &keys[lane % GROUP].q_inv), &primes);
    *y = reduced_once(y, &primes);

    // m = m2 + q·h.
    product(wide, y, &other_half(&primes.digits));
    wide[0] = add(&wide[0], &other_half(x));
    pass_carries(z.as_flattened_mut(), wide.as_flattened().as_flattened());
}

/// The keys' own moduli, in both halves.
#[target_feature(enable = "avx512f")]
fn moduli<const B: usize, const N: usize>(keys: &[&Key<B, N>; GROUP]) -> Moduli<N> {
    let modulus = |lane: usize| &keys[lane % GROUP].modulus;
    Moduli { digits: spread(|lane| &modulus(lane).digits), n0: lanes(|lane| modulus(lane).n0) }
}

/// A number for each lane.
#[target_feature(enable = "avx512f")]
#[inline]
fn spread<'a, const B: usize>(of: impl Fn(usize) -> &'a Number<B>) -> Lanes<B> {
    let mut spread = [zeros(); B];
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

/// Each lane's number.
#[target_feature(enable = "avx512f")]
fn numbers<const B: usize>(x: &Lanes<B>) -> Box<Zeroizing<[Number<B>; LANES]>> {
    let mut numbers = Box::new(Zeroizing::new([[[0; DIGITS]; B]; LANES]));
    for (block, digits) in x.iter().enumerate() {
        for (digit, of_lanes) in digits.iter().enumerate() {
            for (number, value) in numbers.iter_mut().zip(each(*of_lanes)) {
                number[block][digit] = value;
            }
        }
    }
    numbers
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
