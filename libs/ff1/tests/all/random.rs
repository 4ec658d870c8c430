//! Random cases without a dependency: SplitMix64, the same cases on every run.

use chancery_ff1::Item;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }

    /// Random digits, or now and then the least or greatest ones, where carries run through.
    pub(crate) fn digits(&mut self, radix: u32, count: usize) -> Vec<u16> {
        let kind = self.below(8);
        let digit = |random: &mut Self| match kind {
            0 => 0,
            1 => radix - 1,
            _ => random.next() as u32 % radix,
        };
        (0..count).map(|_| digit(self) as u16).collect()
    }

    pub(crate) fn key(&mut self) -> Vec<u8> {
        let length = [16, 24, 32][self.below(3)];
        self.bytes(length)
    }
}

/// The fewest digits that make a million values.
pub(crate) fn shortest(radix: u32) -> usize {
    (1..).find(|&n| u64::from(radix).pow(n) >= 1_000_000).expect("2^20 is enough") as usize
}

/// Values and tweaks in one buffer each, one after the other.
pub(crate) fn lay_out<T: Copy>(values: &[Vec<T>], tweaks: &[Vec<u8>]) -> (Vec<T>, Vec<u8>, Vec<Item>) {
    let (mut start, mut tweak_start) = (0, 0);
    let items = values.iter().zip(tweaks).map(|(value, tweak)| {
        let item = Item { start, length: value.len(), tweak_start, tweak_length: tweak.len() };
        (start, tweak_start) = (start + value.len(), tweak_start + tweak.len());
        item
    });
    let items = items.collect();
    (values.concat(), tweaks.concat(), items)
}
