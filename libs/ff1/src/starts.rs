//! CBC-MAC states that values of one shape share, computed when first needed and kept.

use alloc::boxed::Box;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use zeroize::Zeroize;

/// A table over lengths and tweak lengths. Threads may fill one place at the same time: they write the same.
pub(crate) struct Starts {
    shortest: usize,
    places: Box<[Place]>,
}

#[derive(Default)]
struct Place {
    filled: AtomicBool,
    words: [AtomicUsize; WORDS],
}

/// Words of the machine in a state.
const WORDS: usize = (u128::BITS / usize::BITS) as usize;

/// Tweaks of fewer bytes than this (without the prefix) have a place.
const TWEAKS: usize = 32;

impl Starts {
    /// A table for values of `shortest..=longest` symbols.
    pub(crate) fn new(shortest: usize, longest: usize) -> Self {
        let lengths = (longest + 1).saturating_sub(shortest);
        Self { shortest, places: (0..lengths * TWEAKS).map(|_| Place::default()).collect() }
    }

    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// The place for values of this length with tweaks of this length.
    #[inline(always)]
    pub(crate) fn index(&self, length: usize, tweak_length: usize) -> Option<usize> {
        let row = length.checked_sub(self.shortest)?;
        (tweak_length < TWEAKS && row < self.places.len() / TWEAKS).then_some(row * TWEAKS + tweak_length)
    }

    /// What is there, else what `compute` gives.
    #[inline(always)]
    pub(crate) fn state(&self, index: usize, compute: impl FnOnce() -> u128) -> u128 {
        let Place { filled, words } = &self.places[index];
        // Acquire pairs with the release below: who sees the flag sees the words.
        if filled.load(Ordering::Acquire) {
            let word = |(k, word): (u32, &AtomicUsize)| (word.load(Ordering::Relaxed) as u128) << (usize::BITS * k);
            return (0..).zip(words).map(word).fold(0, |state, word| state | word);
        }
        let state = compute();
        for (k, word) in (0..).zip(words) {
            word.store((state >> (usize::BITS * k)) as usize, Ordering::Relaxed);
        }
        filled.store(true, Ordering::Release);
        state
    }
}

impl Drop for Starts {
    /// The states are outputs of AES under the key.
    fn drop(&mut self) {
        for place in &mut self.places {
            place.words.iter_mut().for_each(|word| word.get_mut().zeroize());
        }
    }
}
