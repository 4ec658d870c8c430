//! Whether the time that operations take tells something of messages or of keys: the test of dudect ("Dude, is my code
//! constant time?", Reparaz, Balasch and Verbauwhede, 2017).
//!
//! An operation is measured again and again, each time with inputs of one of two classes, which chance chooses: always the
//! same ones, or random ones. If the time depends on the inputs, the classes have different means, which Welch's t-test
//! tells from noise. Interruptions only make measurements longer, so the test is repeated on what is below each of a
//! hundred percentiles, as dudect does; and on squares of the distance from the mean, where only the spread may differ.
//!
//! For the threshold: of a hundred and two tests of equal classes one exceeds |t| = 5 in at most one of 17,000 runs
//! (102 · 5.7·10^-7, if no two of them had anything in common). dudect calls code suspicious from 10 on. A planted leak has
//! to pass the same threshold within the same number of measurements.

use std::{
    env,
    hint::black_box,
    time::{Duration, Instant},
};

use super::{
    Numbers,
    blindings::{REAL, Real},
    is_supported, of_any_size, put_no_blinding,
    transforms::{LENGTHS, Numeric},
};
use crate::{GROUP, PrivateKey, number, private_transforms};

/// |t| from which on there is a leak.
const LEAK: f64 = 5.0;

/// With fewer measurements left below a percentile nothing is said of them.
const ENOUGH: usize = 500;

const PERCENTILES: usize = 100;

/// Times in nanoseconds, by class.
type Times = [Vec<f64>; 2];

/// The largest |t| of all tests.
fn t_max(times: &Times) -> f64 {
    let mut sorted: Vec<f64> = times.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    // dudect's percentiles: denser where the measurements are short.
    let percentile =
        |i: usize| sorted[((1.0 - 0.5_f64.powf(10.0 * i as f64 / PERCENTILES as f64)) * sorted.len() as f64) as usize];
    let cropped = (1..=PERCENTILES).map(|i| {
        let below = percentile(i);
        t(&times.each_ref().map(|class| class.iter().copied().filter(|time| *time < below).collect()))
    });
    let spread = times.each_ref().map(|class| {
        let mean = mean(class);
        class.iter().map(|time| (time - mean).powi(2)).collect()
    });
    cropped.chain([t(times), t(&spread)]).fold(0.0, f64::max)
}

/// Welch's |t|.
fn t(samples: &Times) -> f64 {
    if samples.iter().any(|class| class.len() < ENOUGH) {
        return 0.0;
    }
    let [one, other] = samples.each_ref().map(|class| {
        let mean = mean(class);
        let variance = class.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (class.len() - 1) as f64;
        (mean, variance / class.len() as f64)
    });
    (one.0 - other.0).abs() / (one.1 + other.1).sqrt().max(f64::MIN_POSITIVE)
}

fn mean(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len() as f64
}

/// Measures so many operations, of classes that chance chooses.
fn measure(count: usize, mut operation: impl FnMut(usize) -> Duration) -> Times {
    let mut chance = Numbers(0xD1CE_D1CE_D1CE_D1CE);
    let mut times = Times::default();
    for _ in 0..count {
        let class = (chance.next() >> 63) as usize;
        times[class].push(operation(class).as_nanos() as f64);
    }
    times
}

/// What a leak takes that is planted: about one of the 1,300 multiplications of the shortest key.
fn one_more_multiplication() {
    black_box(number::doubled(
        black_box(&[[0x000A_BCDE_F012_3456; 5]; 4]),
        30,
        black_box(&[[0x000F_FFFF_FFFF_FFFF; 5]; 4]),
    ));
}

fn at_length() -> bool {
    let is_asked = env::var_os("CHANCERY_TEST_AT_LENGTH").is_some();
    if !is_asked {
        println!("SKIPPED: takes minutes, and is run where CHANCERY_TEST_AT_LENGTH is set");
    }
    is_asked && is_supported()
}

/// Keys of each length, and how many of their operations are measured: half a minute for each comparison.
const COUNTS: [usize; 3] = [20_000, 8_000, 4_000];

/// What an operation is given.
struct Input<'a> {
    keys: &'a [PrivateKey],
    messages: Vec<Vec<u8>>,
    /// Whether an odd message, or an odd exponent, costs a multiplication more.
    leaks: bool,
}

impl Input<'_> {
    fn time(&self, random: &mut Numbers) -> Duration {
        let jobs: Vec<_> =
            self.messages.iter().zip(self.keys.iter().cycle()).map(|(message, key)| (key, &**message)).collect();
        let began = Instant::now();
        if self.leaks && is_odd(jobs[0]) {
            one_more_multiplication();
        }
        black_box(private_transforms(black_box(&jobs), |bytes| random.fill(bytes)));
        began.elapsed()
    }
}

/// Whether message and exponent are odd.
fn is_odd((key, message): (&PrivateKey, &[u8])) -> bool {
    let is_odd = |number: &[u8]| number.last().is_some_and(|last| last % 2 == 1);
    is_odd(message) && of_any_size!(key, key => is_odd(key.p.private.as_flattened()))
}

/// The next operations with the key are blinded by 1.
fn without_blinding(key: &PrivateKey) {
    of_any_size!(key, key => while key.take_blinding().is_some() {});
    (0..GROUP).for_each(|_| put_no_blinding(key));
}

/// One key, and always the same messages or random ones.
fn by_messages(size: usize, is_blinded: bool, leaks: bool) -> Times {
    let (real, len) = (Real::new(REAL[size]), 2 * LENGTHS[size]);
    let (mut numbers, mut random) = (Numbers(0x5EED), Numbers(0xFEED));
    // The number 2 is the shortest that is not its own power, and even.
    let fixed = [&vec![0; len - 1][..], &[2]].concat();
    measure(COUNTS[size], |class| {
        if !is_blinded {
            without_blinding(&real.key);
        }
        let messages = (0..GROUP).map(|_| {
            let mut chosen = numbers.bytes(len);
            // Below each modulus.
            chosen[0] &= 0x3F;
            [&fixed, &chosen][class].clone()
        });
        let input = Input { messages: messages.collect(), keys: std::slice::from_ref(&real.key), leaks };
        input.time(&mut random)
    })
}

/// The same messages, and always the same key or random ones. A key is made ready for each operation, so that those of both
/// classes lie in the same places. Blindings are for primes only, so here they are 1; exponents they do not hide anyway.
fn by_keys(size: usize, leaks: bool) -> Times {
    let (mut numbers, mut random, len) = (Numbers(0x5EED), Numbers(0xFEED), LENGTHS[size]);
    // The smallest exponents that there can be.
    let fixed = Numeric::at_edge(len, false);
    let chosen: Vec<_> = (0..64).map(|_| Numeric::new(&mut numbers, len)).collect();
    let message = [&[0], &numbers.bytes(2 * len - 2)[..], &[1]].concat();
    measure(COUNTS[size], |class| {
        let random_one = &chosen[(numbers.next() >> 58) as usize];
        let keys = [[&fixed, random_one][class].key().expect("a key")];
        without_blinding(&keys[0]);
        Input { keys: &keys, messages: vec![message.clone(); GROUP], leaks }.time(&mut random)
    })
}

#[test]
fn time_tells_nothing() {
    if !at_length() {
        return;
    }
    for (size, length) in LENGTHS.iter().enumerate() {
        for (name, times) in [
            ("messages, without blinding", by_messages(size, false, false)),
            ("messages", by_messages(size, true, false)),
            ("keys", by_keys(size, false)),
        ] {
            let t = t_max(&times);
            println!("RSA-{}, {name}: |t| = {t:.2}", 16 * length);
            assert!(t < LEAK, "RSA-{}, {name}: the time tells something", 16 * length);
        }
    }
}

#[test]
fn a_planted_leak_is_found() {
    if !at_length() {
        return;
    }
    let began = Instant::now();
    (0..1_000).for_each(|_| one_more_multiplication());
    println!("the leak: {} ns", began.elapsed().as_nanos() / 1_000);
    for (name, times) in [("messages", by_messages(0, true, true)), ("keys", by_keys(0, true))] {
        let t = t_max(&times);
        println!("RSA-2048, {name}, with a leak: |t| = {t:.2}");
        assert!(t > LEAK, "{name}: the leak is not found");
    }
}

/// The test itself, on times that are made up.
#[test]
fn the_test_tells_classes_apart() {
    let noise = |numbers: &mut Numbers| (0..8).map(|_| (numbers.next() >> 52) as f64).sum::<f64>();
    let made_up = |shift: f64| {
        let mut numbers = Numbers(0x0C1A_55E5);
        let mut times = Times::default();
        for i in 0..20_000 {
            // One in ten is interrupted for long.
            let interrupted = if numbers.next().is_multiple_of(10) { 1e7 * noise(&mut numbers) } else { 0.0 };
            times[i % 2].push(noise(&mut numbers) + interrupted + shift * (i % 2) as f64);
        }
        t_max(&times)
    };
    assert!(made_up(0.0) < LEAK, "{}", made_up(0.0));
    // A fifth of the standard deviation, which the interruptions hide from a single t-test.
    assert!(made_up(670.0) > LEAK, "{}", made_up(670.0));
}
