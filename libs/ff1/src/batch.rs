//! Many values at once: those of one shape together, as many as a kernel keeps in flight.

use alloc::vec::Vec;

use crate::aes::{Aes, Work};
use crate::feistel::{Lanes, Shape};
use crate::mac::Mac;
use crate::prepared::{One, Prepared};
use crate::symbols::Symbols;
use crate::{Direction, Error, Failure, Item};

/// The work of one call.
pub(crate) struct Batch<'a, S: Symbols> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) symbols: &'a S,
    pub(crate) tweaks: &'a [u8],
    pub(crate) values: &'a mut [S::Unit],
    pub(crate) items: &'a [Item],
    pub(crate) direction: Direction,
}

/// Values of one length with tweaks of one length that wait for more of their kind.
struct Group<'a> {
    shape: Shape<'a>,
    start: Mac<1>,
    /// Indices of the items.
    waiting: [usize; MOST],
    count: usize,
}

/// Lanes are handled in eights; the largest kernel has four eights in flight.
const EIGHT: usize = 8;
const MOST: usize = 4 * EIGHT;

impl<S: Symbols> Work for Batch<'_, S> {
    type Output = Vec<Failure>;

    #[inline(always)]
    fn run(mut self, aes: &impl Aes) -> Vec<Failure> {
        let mut failures = Vec::new();
        let mut groups: Vec<Group<'_>> = Vec::new();
        // For each place of `Starts` one more than the index of its group; 0 means none yet.
        let mut places = alloc::vec![0u32; self.prepared.starts.len()];
        for (index, item) in self.items.iter().enumerate() {
            if let Err(error) = self.take(aes, index, item, &mut groups, &mut places, &mut failures) {
                failures.push(Failure { index, error });
            }
        }
        for group in &mut groups {
            self.flush(aes, group, &mut failures);
        }
        failures.sort_unstable_by_key(|failure| failure.index);
        failures
    }
}

impl<'a, S: Symbols> Batch<'a, S> {
    /// Lets the item wait in its group, or does it at once if there are no groups for its shape.
    #[inline(always)]
    fn take(
        &mut self,
        aes: &impl Aes,
        index: usize,
        item: &Item,
        groups: &mut Vec<Group<'a>>,
        places: &mut [u32],
        failures: &mut Vec<Failure>,
    ) -> Result<(), Error> {
        let value = item.value().filter(|range| range.end <= self.values.len()).ok_or(Error::OutOfBounds)?;
        let tweak = item.tweak().and_then(|range| self.tweaks.get(range)).ok_or(Error::OutOfBounds)?;
        let Some(place) = self.prepared.starts.index(item.length, item.tweak_length) else {
            let Self { prepared, symbols, direction, .. } = *self;
            return One { prepared, symbols, tweak, value: &mut self.values[value], direction }.run(aes);
        };
        if places[place] == 0 {
            groups.push(Group::new(self.prepared, aes, item)?);
            places[place] = groups.len() as u32;
        }
        let group = &mut groups[places[place] as usize - 1];
        group.waiting[group.count] = index;
        group.count += 1;
        if group.count == MOST {
            self.flush(aes, group, failures);
        }
        Ok(())
    }

    /// Does what waits in the group.
    #[inline(always)]
    fn flush(&mut self, aes: &impl Aes, group: &mut Group<'_>, failures: &mut Vec<Failure>) {
        let Group { shape, start, waiting, count } = group;
        let eights = count.div_ceil(EIGHT);
        // Lanes without an item repeat the first one and are not stored.
        let items = waiting.map(|index| self.items[index]);
        let mut lanes = [const { Lanes::<EIGHT>::EMPTY }; MOST / EIGHT];
        let mut keep = [[false; EIGHT]; MOST / EIGHT];
        let starts = items.map(|item| item.start);
        let starts = starts.as_chunks::<EIGHT>().0;
        let lanes = &mut lanes[..eights];
        for (e, eight) in lanes.iter_mut().enumerate() {
            let bad = self.symbols.load(shape, self.values, &starts[e], eight);
            keep[e] = core::array::from_fn(|k| EIGHT * e + k < *count && !bad[k]);
            let tweaks = core::array::from_fn(|k| {
                let item = &items[EIGHT * e + k];
                &self.tweaks[item.tweak_start..item.tweak_start + item.tweak_length]
            });
            eight.tweak(aes, start.spread().update(aes, tweaks), shape);
        }
        aes.rounds(shape, self.direction, lanes);
        for (e, eight) in lanes.iter().enumerate() {
            self.symbols.store(shape, self.values, &starts[e], &keep[e], eight);
        }
        for k in (0..*count).filter(|k| !keep[k / EIGHT][k % EIGHT]) {
            let value = &self.values[items[k].start..][..items[k].length];
            let found = self.symbols.digits(value, &mut Vec::new());
            failures.extend(found.err().map(|error| Failure { index: waiting[k], error }));
        }
        *count = 0;
    }
}

impl<'a> Group<'a> {
    fn new(prepared: &'a Prepared, aes: &impl Aes, item: &Item) -> Result<Self, Error> {
        let &Item { length, tweak_length, .. } = item;
        let shape = prepared.shape(length, tweak_length)?.expect("every place is for a length that fits 64 bits");
        Ok(Self { shape, start: prepared.start(aes, length, tweak_length), waiting: [0; MOST], count: 0 })
    }
}
