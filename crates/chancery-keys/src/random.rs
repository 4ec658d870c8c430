//! Randomness.

use aws_lc_rs::rand;

/// `N` bytes from AWS-LC's generator, which is seeded by the operating system.
///
/// There is no error: where no entropy can be had, AWS-LC ends the process rather than return (`RAND_bytes`).
#[must_use]
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    fill(&mut bytes);
    bytes
}

/// Fills a buffer as [`random`] does.
pub(crate) fn fill(bytes: &mut [u8]) {
    rand::fill(bytes).expect("RAND_bytes returns 1 or aborts");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_draws_are_equal() {
        assert_ne!(random::<16>(), random::<16>());
    }
}
