//! Many values at once: those of one shape together, as many as a kernel keeps in flight.

use alloc::vec::Vec;

use crate::aes::{Aes, Work};
use crate::decimals::Decimals;
use crate::feistel::{Lanes, Shape, lanes_of};
use crate::mac::Mac;
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
    items: [Item; MOST],
    /// Of each item its index in the batch.
    indices: [usize; MOST],
}

/// Values of one length with tweaks of one length, all within bounds.
pub(crate) struct Run<'a> {
    pub(crate) direction: Direction,
    pub(crate) tweaks: &'a [u8],
    pub(crate) tweak_length: usize,
    pub(crate) items: &'a [Item],
}

impl<'a, S: Symbols> Batch<'a, S> {
    pub(crate) fn run(mut self, items: &[Item]) -> Vec<Failure> {
        // Nothing to put together: groups would cost more than the value.
        if let [item] = items {
            self.one(0, item);
            return self.failures;
        }
        let mut groups: Vec<Group<'_>> = Vec::new();
        // For each place of `Starts` one more than the index of its group; 0 means none yet.
        let mut places = alloc::vec![0u32; self.prepared.starts.len()];
        let mut index = 0;
        while let Some(item) = items.get(index) {
            index += match self.group(item, &mut groups, &mut places) {
                Ok(Some(group)) => self.take(index, &items[index..], &mut groups[group]),
                Ok(None) => self.one(index, item),
                Err(error) => self.refuse(index, error),
            };
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
        Ok(Group {
            shape,
            tweak_length,
            start_most: self.values.len().checked_sub(length).ok_or(Error::OutOfBounds)?,
            tweak_start_most: self.tweaks.len().checked_sub(tweak_length).ok_or(Error::OutOfBounds)?,
            count: 0,
            items: [Item::default(); MOST],
            indices: [0; MOST],
        })
    }

    /// Does the items that follow one another in the group's shape, or lets them wait if they are few; tells how many.
    fn take(&mut self, index: usize, items: &[Item], group: &mut Group<'_>) -> usize {
        let same = items.iter().take_while(|item| group.takes(item)).count();
        if same >= MOST {
            self.crypt(group, &items[..same], |k| index + k);
            return same;
        }
        for (k, item) in items[..same].iter().enumerate() {
            self.queue(index + k, item, group);
        }
        if same == 0 { self.refuse(index, Error::OutOfBounds) } else { same }
    }

    /// Lets the item wait in its group.
    fn queue(&mut self, index: usize, item: &Item, group: &mut Group<'_>) {
        (group.items[group.count], group.indices[group.count]) = (*item, index);
        group.count += 1;
        if group.count == MOST {
            self.flush(group);
        }
    }

    /// Does a value of a shape that has no groups.
    fn one(&mut self, index: usize, item: &Item) -> usize {
        let outcome = item.check(self.values.len(), self.tweaks.len()).and_then(|()| {
            let value = &mut self.values[item.start..][..item.length];
            let tweak = &self.tweaks[item.tweak_start..][..item.tweak_length];
            self.prepared.crypt(self.symbols, tweak, value, self.direction)
        });
        outcome.map_or_else(|error| self.refuse(index, error), |()| 1)
    }

    /// Does what waits in the group.
    fn flush(&mut self, group: &mut Group<'_>) {
        if group.count > 0 {
            self.crypt(group, &group.items[..group.count], |k| group.indices[k]);
        }
        group.count = 0;
    }

    /// Does items of the group's shape that are within bounds; `index` tells where they are in the batch.
    fn crypt(&mut self, group: &Group<'_>, items: &[Item], index: impl Fn(usize) -> usize) {
        let &mut Self { prepared, symbols, tweaks, direction, .. } = self;
        let run = Run { direction, tweaks, tweak_length: group.tweak_length, items };
        let refused = prepared.run(Crypt { run, shape: &group.shape, prepared, symbols, values: self.values });
        for k in refused {
            let value = &self.values[items[k].start..][..group.shape.length()];
            let found = symbols.digits(value, &mut Vec::new());
            self.failures.extend(found.err().map(|error| Failure { index: index(k), error }));
        }
    }

    /// Tells that this was one item.
    fn refuse(&mut self, index: usize, error: Error) -> usize {
        self.failures.push(Failure { index, error });
        1
    }
}

impl Group<'_> {
    /// Whether the item is of this shape and within bounds.
    #[inline(always)]
    fn takes(&self, item: &Item) -> bool {
        // One branch for each item, not four.
        (item.length == self.shape.length())
            & (item.tweak_length == self.tweak_length)
            & (item.start <= self.start_most)
            & (item.tweak_start <= self.tweak_start_most)
    }
}

/// Values of one shape; gives the places in the run of those that are refused.
struct Crypt<'a, 'v, S: Symbols> {
    run: Run<'a>,
    shape: &'a Shape<'a>,
    prepared: &'a Prepared,
    symbols: &'a S,
    values: &'v mut [S::Unit],
}

impl<S: Symbols> Work for Crypt<'_, '_, S> {
    type Output = Vec<usize>;

    #[inline(always)]
    fn run(self, aes: &impl Aes) -> Vec<usize> {
        let Self { run, shape, prepared, symbols, values } = self;
        let start = prepared.start(aes, shape.length(), run.tweak_length);
        let mut refused = Vec::new();
        if let Some(text) = symbols.decimal(values)
            && let Some(job) = Decimals::new(&run, shape, start)
            && aes.decimals(&job, text, &mut refused)
        {
            return refused;
        }
        for (n, items) in run.items.chunks(MOST).enumerate() {
            let good = some(aes, &run, shape, start, items, symbols, values);
            refused.extend((0..items.len()).filter(|&k| !good[k]).map(|k| n * MOST + k));
        }
        refused
    }
}

/// At most [`MOST`] values; tells which of them were good and are done.
#[inline(always)]
fn some<S: Symbols>(
    aes: &impl Aes,
    run: &Run<'_>,
    shape: &Shape<'_>,
    start: Mac<1>,
    items: &[Item],
    symbols: &S,
    values: &mut [S::Unit],
) -> [bool; MOST] {
    // Lanes without a value repeat the first one and are not stored.
    let mut padded = [items[0]; MOST];
    padded[..items.len()].copy_from_slice(items);
    let mut lanes = [const { Lanes::<EIGHT>::EMPTY }; MOST / EIGHT];
    let lanes = &mut lanes[..items.len().div_ceil(EIGHT)];
    let mut good = [false; MOST];
    for ((e, eight), items_of) in lanes.iter_mut().enumerate().zip(padded.as_chunks::<EIGHT>().0) {
        let bad = symbols.load(shape, values, &lanes_of(|k| items_of[k].start), eight);
        for k in 0..EIGHT {
            good[EIGHT * e + k] = EIGHT * e + k < items.len() && !bad[k];
        }
        let mut mac = start.spread();
        if run.tweak_length > 0 {
            mac = mac.update(aes, lanes_of(|k| &run.tweaks[items_of[k].tweak_start..][..run.tweak_length]));
        }
        eight.tweak(aes, mac, shape);
    }
    aes.rounds(shape, run.direction, lanes);
    for ((e, eight), items_of) in lanes.iter().enumerate().zip(padded.as_chunks::<EIGHT>().0) {
        symbols.store(shape, values, &lanes_of(|k| items_of[k].start), &good.as_chunks().0[e], eight);
    }
    good
}
