//! CBC-MAC states that values of one shape share, computed when first needed and kept.

use core::sync::atomic::{AtomicUsize, Ordering};
use zeroize::Zeroize;

/// Some of the states over lengths and tweak lengths: there may be many ciphers, and each is used with few shapes. What
/// came first stays, whatever else would have the same slot is computed each time.
pub(crate) struct Starts {
    shortest: usize,
    /// How many lengths have places, from the shortest on.
    lengths: usize,
    slots: [Slot; SLOTS],
}

#[derive(Default)]
struct Slot {
    /// One more than the place that is in the slot, or one of the marks.
    holds: AtomicUsize,
    words: [AtomicUsize; WORDS],
}

/// Nothing is in the slot.
const EMPTY: usize = 0;
/// A thread is writing it, after which it never changes.
const BEING_FILLED: usize = usize::MAX;

/// Shapes of one tweak length and of so many consecutive lengths have each a slot of their own.
const SLOTS: usize = 16;

/// Words of the machine in a state.
const WORDS: usize = (u128::BITS / usize::BITS) as usize;

/// Tweaks of fewer bytes than this (without the prefix) have a place.
const TWEAKS: usize = 32;

impl Starts {
    /// For values of `shortest..=longest` symbols.
    pub(crate) fn new(shortest: usize, longest: usize) -> Self {
        let lengths = (longest + 1).saturating_sub(shortest);
        Self { shortest, lengths, slots: core::array::from_fn(|_| Slot::default()) }
    }

    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.lengths * TWEAKS
    }

    /// The place for values of this length with tweaks of this length.
    #[inline(always)]
    pub(crate) fn index(&self, length: usize, tweak_length: usize) -> Option<usize> {
        let row = length.checked_sub(self.shortest)?;
        (tweak_length < TWEAKS && row < self.lengths).then_some(row * TWEAKS + tweak_length)
    }

    /// The state of a place: what is kept, else what `compute` gives.
    #[inline(always)]
    pub(crate) fn state(&self, index: usize, compute: impl FnOnce() -> u128) -> u128 {
        let Slot { holds, words } = &self.slots[(index / TWEAKS + index) % SLOTS];
        // Acquire pairs with the release below: who sees the place sees the words.
        if holds.load(Ordering::Acquire) == index + 1 {
            let word = |(k, word): (u32, &AtomicUsize)| (word.load(Ordering::Relaxed) as u128) << (usize::BITS * k);
            return (0..).zip(words).map(word).fold(0, |state, word| state | word);
        }
        let state = compute();
        if holds.compare_exchange(EMPTY, BEING_FILLED, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            for (k, word) in (0..).zip(words) {
                word.store((state >> (usize::BITS * k)) as usize, Ordering::Relaxed);
            }
            holds.store(index + 1, Ordering::Release);
        }
        state
    }
}

impl Drop for Starts {
    /// The states are outputs of AES under the key.
    fn drop(&mut self) {
        for slot in &mut self.slots {
            slot.words.iter_mut().for_each(|word| word.get_mut().zeroize());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_its_state_whatever_the_slots_hold() {
        let starts = Starts::new(6, 38);
        let places = (6..=38).flat_map(|length| (0..TWEAKS).map(move |tweak| (length, tweak)));
        for round in 0..3 {
            let mut kept = 0;
            for (length, tweak) in places.clone() {
                let index = starts.index(length, tweak).unwrap();
                let state = (index as u128) << 64 | length as u128;
                let mut computed = false;
                let compute = || {
                    computed = true;
                    state
                };
                assert_eq!(starts.state(index, compute), state, "{length} {tweak}");
                kept += usize::from(!computed);
            }
            assert_eq!(kept, if round == 0 { 0 } else { SLOTS });
        }
        assert_eq!(starts.len(), 33 * TWEAKS);
        for (length, tweak) in [(5, 0), (39, 0), (6, TWEAKS)] {
            assert_eq!(starts.index(length, tweak), None);
        }
    }

    #[test]
    fn card_numbers_of_all_lengths_are_kept() {
        let starts = Starts::new(6, 38);
        for round in 0..2 {
            for length in 13..=19 {
                let compute = || if round == 0 { length as u128 } else { unreachable!("{length} is kept") };
                assert_eq!(starts.state(starts.index(length, 5).unwrap(), compute), length as u128);
            }
        }
    }
}
