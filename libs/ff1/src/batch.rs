//! Many values at once: those of one shape together, as many as a kernel keeps in flight.

use alloc::vec::Vec;

use crate::aes::{Aes, Work};
use crate::feistel::{Lanes, Shape, lanes_of};
use crate::prepared::Prepared;
use crate::symbols::Symbols;
use crate::{Direction, Error, Failure, Item};

/// Lanes are handled in eights; the largest kernel has four eights in flight.
const EIGHT: usize = 8;
const MOST: usize = 4 * EIGHT;

/// One call.
pub(crate) struct Batch<'a, S: Symbols> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) symbols: &'a S,
    pub(crate) tweaks: &'a [u8],
    pub(crate) values: &'a mut [S::Unit],
    pub(crate) direction: Direction,
    pub(crate) failures: Vec<Failure>,
}

/// Values of one length with tweaks of one length that wait for more of their kind.
struct Group<'a> {
    shape: Shape<'a>,
    tweak_length: usize,
    /// The last places at which values and tweaks of these lengths may start.
    start_most: usize,
    tweak_start_most: usize,
    count: usize,
    /// Of each value: the index of its item, where it starts and where its tweak starts.
    items: [usize; MOST],
    starts: [usize; MOST],
    tweak_starts: [usize; MOST],
}

impl<'a, S: Symbols> Batch<'a, S> {
    pub(crate) fn run(mut self, items: &[Item]) -> Vec<Failure> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        // For each place of `Starts` one more than the index of its group; 0 means none yet.
        let mut places = alloc::vec![0u32; self.prepared.starts.len()];
        // Mostly an item has the shape of the one before it.
        let mut last = ((usize::MAX, usize::MAX), None);
        for (index, item) in items.iter().enumerate() {
            let shape = (item.length, item.tweak_length);
            if shape != last.0 {
                match self.group(item, &mut groups, &mut places) {
                    Ok(group) => last = (shape, group),
                    Err(error) => {
                        self.failures.push(Failure { index, error });
                        continue;
                    }
                }
            }
            let outcome = match last.1 {
                Some(group) => self.queue(index, item, &mut groups[group]),
                None => self.one(item),
            };
            if let Err(error) = outcome {
                self.failures.push(Failure { index, error });
            }
        }
        for group in &mut groups {
            self.flush(group);
        }
        self.failures.sort_unstable_by_key(|failure| failure.index);
        self.failures
    }

    /// The group for items of this shape, if there are groups for it.
    fn group(&self, item: &Item, groups: &mut Vec<Group<'a>>, places: &mut [u32]) -> Result<Option<usize>, Error> {
        let Some(place) = self.prepared.starts.index(item.length, item.tweak_length) else { return Ok(None) };
        if places[place] == 0 {
            groups.push(self.new_group(item)?);
            places[place] = groups.len() as u32;
        }
        Ok(Some(places[place] as usize - 1))
    }

    fn new_group(&self, item: &Item) -> Result<Group<'a>, Error> {
        let &Item { length, tweak_length, .. } = item;
        let shape = self.prepared.shape(length, tweak_length)?.expect("every place is for a length that fits 64 bits");
        let none = [0; MOST];
        Ok(Group {
            shape,
            tweak_length,
            start_most: self.values.len().checked_sub(length).ok_or(Error::OutOfBounds)?,
            tweak_start_most: self.tweaks.len().checked_sub(tweak_length).ok_or(Error::OutOfBounds)?,
            count: 0,
            items: none,
            starts: none,
            tweak_starts: none,
        })
    }

    /// Lets the item wait in its group.
    #[inline]
    fn queue(&mut self, index: usize, item: &Item, group: &mut Group<'_>) -> Result<(), Error> {
        if item.start > group.start_most || item.tweak_start > group.tweak_start_most {
            return Err(Error::OutOfBounds);
        }
        group.items[group.count] = index;
        group.starts[group.count] = item.start;
        group.tweak_starts[group.count] = item.tweak_start;
        group.count += 1;
        if group.count == MOST {
            self.flush(group);
        }
        Ok(())
    }

    /// Does a value of a shape that has no groups.
    fn one(&mut self, item: &Item) -> Result<(), Error> {
        item.check(self.values.len(), self.tweaks.len())?;
        let value = &mut self.values[item.start..][..item.length];
        let tweak = &self.tweaks[item.tweak_start..][..item.tweak_length];
        self.prepared.crypt(self.symbols, tweak, value, self.direction)
    }

    /// Does what waits in the group.
    fn flush(&mut self, group: &mut Group<'_>) {
        let good = self.prepared.run(Flush { batch: self, group });
        for k in (0..group.count).filter(|&k| !good[k]) {
            let value = &self.values[group.starts[k]..][..group.shape.length()];
            let found = self.symbols.digits(value, &mut Vec::new());
            self.failures.extend(found.err().map(|error| Failure { index: group.items[k], error }));
        }
        group.count = 0;
    }
}

/// The values of a group that is not empty; tells which of them were good and are done.
struct Flush<'a, 'b, 'g, S: Symbols> {
    batch: &'a mut Batch<'b, S>,
    group: &'a mut Group<'g>,
}

impl<S: Symbols> Work for Flush<'_, '_, '_, S> {
    type Output = [bool; MOST];

    #[inline(always)]
    fn run(self, aes: &impl Aes) -> [bool; MOST] {
        let Self { batch: Batch { prepared, symbols, tweaks, values, direction, .. }, group } = self;
        let Group { shape, tweak_length, count, starts, tweak_starts, .. } = group;
        // Lanes without a value repeat the first one and are not stored.
        let first = (starts[0], tweak_starts[0]);
        starts[*count..].fill(first.0);
        tweak_starts[*count..].fill(first.1);
        let (starts, tweak_starts) = (starts.as_chunks::<EIGHT>().0, tweak_starts.as_chunks::<EIGHT>().0);

        let start = prepared.start(aes, shape.length(), *tweak_length);
        let mut lanes = [const { Lanes::<EIGHT>::EMPTY }; MOST / EIGHT];
        let lanes = &mut lanes[..count.div_ceil(EIGHT)];
        let mut good = [false; MOST];
        for (e, eight) in lanes.iter_mut().enumerate() {
            let bad = symbols.load(shape, values, &starts[e], eight);
            for k in 0..EIGHT {
                good[EIGHT * e + k] = EIGHT * e + k < *count && !bad[k];
            }
            let mut mac = start.spread();
            if *tweak_length > 0 {
                mac = mac.update(aes, lanes_of(|k| &tweaks[tweak_starts[e][k]..][..*tweak_length]));
            }
            eight.tweak(aes, mac, shape);
        }
        aes.rounds(shape, *direction, lanes);
        for (e, eight) in lanes.iter().enumerate() {
            symbols.store(shape, values, &starts[e], &good.as_chunks().0[e], eight);
        }
        good
    }
}
