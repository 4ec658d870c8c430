//! What this server has leased of budgets and what it has given out: pure counting, under one lock.

use std::{collections::HashMap, io};

use chancery_store::tables::budget_leases::Window;
use chancery_types::{BudgetPeriod, Operation};
use uuid::Uuid;

use super::used_file::UsedFile;

/// How long after a refusal by the store nobody asks it again for as much.
const REFUSED_FOR_MS: i64 = 1_000;
/// Slots at least before those are looked for whose window is over.
const TIDY_FROM: usize = 1_024;

/// One window of one budget.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    pub(super) profile: Uuid,
    pub(super) role: Uuid,
    pub(super) operation: Operation,
    pub(super) per: BudgetPeriod,
    /// Whose it is; none where all share it.
    pub(super) identity: Option<Uuid>,
    pub(super) starts_at_ms: i64,
    pub(super) ends_at_ms: i64,
}

/// What a call is counted in: a slot, and how much there is of it for everybody.
#[derive(Clone, Debug)]
pub(super) struct Charge {
    pub(super) slot: Slot,
    pub(super) count: i64,
}

/// What came of counting a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is counted, everywhere.
    Done,
    /// It is counted nowhere: of these charges too little is leased.
    Lacking(Vec<usize>),
    /// It is counted nowhere, and there is no more of this one.
    UsedUp(usize),
}

#[derive(Debug, Default)]
struct Count {
    /// How much was leased, from the beginning of the window.
    leased: i64,
    /// How much of it was given out.
    used: i64,
    /// Where that stands in the file.
    place: Option<u64>,
    /// So much the store had no more of, and until when nobody asks it again.
    refused: Option<(i64, i64)>,
}

/// All slots of a server.
#[derive(Default)]
pub(super) struct Ledger {
    counts: HashMap<Slot, Count>,
    file: Option<UsedFile>,
    tidy_at: usize,
}

impl Ledger {
    /// With a file, and with what it had counted before. Of that nothing is leased any more but what the store says.
    pub(super) fn new(file: UsedFile, counts: Vec<(Slot, i64)>) -> Self {
        let counts = counts.into_iter().zip(0..);
        let count = |used, place| Count { leased: used, used, place: Some(place), refused: None };
        let counts = counts.map(|((slot, used), place)| (slot, count(used, place)));
        Self { counts: counts.collect(), file: Some(file), tidy_at: TIDY_FROM }
    }

    /// Counts a call of so many values in all of these, or in none.
    pub(super) fn take(&mut self, charges: &[Charge], values: i64, now_ms: i64) -> io::Result<Taken> {
        let mut lacking = Vec::new();
        for (index, Charge { slot, count }) in charges.iter().enumerate() {
            let none = Count::default();
            let known = self.counts.get(slot).unwrap_or(&none);
            let left = known.leased - known.used;
            let is_refused = known.refused.is_some_and(|(least, until_ms)| values - left >= least && now_ms < until_ms);
            if known.used.saturating_add(values) > *count || (left < values && is_refused) {
                return Ok(Taken::UsedUp(index));
            }
            if left < values {
                lacking.push(index);
            }
        }
        if !lacking.is_empty() {
            return Ok(Taken::Lacking(lacking));
        }
        // Counted first in memory: where the file cannot be written, the call is refused and has cost what it asked for.
        for Charge { slot, .. } in charges {
            let Some(known) = self.counts.get_mut(slot) else { continue };
            known.used += values;
        }
        for Charge { slot, .. } in charges {
            let (Some(known), Some(file)) = (self.counts.get(slot), &self.file) else { continue };
            if let Some(place) = known.place {
                file.count(place, known.used)?;
            }
        }
        Ok(Taken::Done)
    }

    /// How much is leased of a slot and not given out.
    pub(super) fn left(&self, slot: &Slot) -> i64 {
        self.counts.get(slot).map_or(0, |known| known.leased - known.used)
    }

    /// How much of a slot was given out, by all servers with the same file.
    pub(super) fn used(&self, slot: &Slot) -> i64 {
        self.counts.get(slot).map_or(0, |known| known.used)
    }

    /// So much more is leased; or `whole` is all that was ever leased of the slot, by nobody else.
    pub(super) fn lease(&mut self, slot: &Slot, more: i64, whole: Option<i64>, now_ms: i64) -> io::Result<()> {
        self.tidy(now_ms);
        let known = self.counts.entry(slot.clone()).or_default();
        if let (None, Some(file)) = (known.place, self.file.as_mut()) {
            known.place = Some(file.add(slot, known.used)?);
        }
        known.leased = whole.unwrap_or(known.leased + more);
        known.refused = None;
        Ok(())
    }

    /// The store has so much no more.
    pub(super) fn refused(&mut self, slot: &Slot, more: i64, now_ms: i64) {
        self.tidy(now_ms);
        let known = self.counts.entry(slot.clone()).or_default();
        known.refused = Some((more, now_ms.saturating_add(REFUSED_FOR_MS)));
    }

    /// Takes what is left of all slots whose window is open: nobody gives it out any more.
    pub(super) fn take_left(&mut self, now_ms: i64) -> Vec<(Slot, i64)> {
        let open = self.counts.iter_mut().filter(|(slot, known)| slot.ends_at_ms > now_ms && known.leased > known.used);
        open.map(|(slot, known)| {
            let left = known.leased - known.used;
            known.leased = known.used;
            (slot.clone(), left)
        })
        .collect()
    }

    /// Forgets windows that are over, once there are twice as many slots as were left the last time.
    fn tidy(&mut self, now_ms: i64) {
        if self.counts.len() < self.tidy_at.max(TIDY_FROM) {
            return;
        }
        let file = &mut self.file;
        self.counts.retain(|slot, known| {
            let is_open = slot.ends_at_ms > now_ms;
            if let (false, Some(place), Some(file)) = (is_open, known.place, file.as_mut()) {
                file.release(place);
            }
            is_open
        });
        self.tidy_at = TIDY_FROM.max(self.counts.len().saturating_mul(2));
    }
}

impl Slot {
    /// As the store has it.
    pub(super) fn window(&self) -> Window {
        Window {
            profile: self.profile,
            role: self.role,
            operation: self.operation.as_str().to_owned(),
            per: self.per.as_str().to_owned(),
            identity: self.identity,
            starts_at_ms: self.starts_at_ms,
            ends_at_ms: self.ends_at_ms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charge(identity: Option<u128>, count: i64) -> Charge {
        let slot = Slot {
            profile: Uuid::from_u128(1),
            role: Uuid::from_u128(2),
            operation: Operation::Detokenize,
            per: BudgetPeriod::Day,
            identity: identity.map(Uuid::from_u128),
            starts_at_ms: 0,
            ends_at_ms: 100,
        };
        Charge { slot, count }
    }

    #[test]
    fn a_call_is_counted_in_all_windows_or_in_none() {
        let mut ledger = Ledger::default();
        let both = [charge(None, 10), charge(Some(7), 5)];
        assert_eq!(ledger.take(&both, 1, 1).unwrap(), Taken::Lacking(vec![0, 1]));
        ledger.lease(&both[0].slot, 10, None, 1).unwrap();
        ledger.lease(&both[1].slot, 5, None, 1).unwrap();
        assert_eq!(ledger.take(&both, 4, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&both, 2, 1).unwrap(), Taken::UsedUp(1));
        assert_eq!((ledger.left(&both[0].slot), ledger.left(&both[1].slot)), (6, 1), "nothing was taken");
        assert_eq!(ledger.take(&both[..1], 6, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&both[..1], 1, 1).unwrap(), Taken::UsedUp(0));
    }

    #[test]
    fn a_count_that_was_lowered_holds_at_once() {
        let mut ledger = Ledger::default();
        ledger.lease(&charge(None, 10).slot, 10, None, 1).unwrap();
        assert_eq!(ledger.take(&[charge(None, 10)], 4, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&[charge(None, 4)], 1, 1).unwrap(), Taken::UsedUp(0));
    }

    #[test]
    fn the_store_is_not_asked_again_at_once_for_what_it_has_no_more_of() {
        let mut ledger = Ledger::default();
        let one = [charge(None, 10)];
        ledger.lease(&one[0].slot, 2, None, 1).unwrap();
        ledger.refused(&one[0].slot, 3, 1);
        assert_eq!(ledger.take(&one, 5, 1).unwrap(), Taken::UsedUp(0), "three more");
        assert_eq!(ledger.take(&one, 4, 1).unwrap(), Taken::Lacking(vec![0]), "two more may be there");
        assert_eq!(ledger.take(&one, 2, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&one, 3, 1 + REFUSED_FOR_MS).unwrap(), Taken::Lacking(vec![0]));
    }

    #[test]
    fn what_is_left_is_given_back_once() {
        let mut ledger = Ledger::default();
        let one = charge(None, 10);
        ledger.lease(&one.slot, 5, None, 1).unwrap();
        ledger.take(std::slice::from_ref(&one), 2, 1).unwrap();
        assert_eq!(ledger.take_left(1), [(one.slot.clone(), 3)]);
        assert_eq!((ledger.take_left(1), ledger.left(&one.slot)), (Vec::new(), 0));
    }

    #[test]
    fn windows_that_are_over_are_forgotten_with_their_places() {
        let folder = chancery_testkit::temp_dir();
        let (file, counts) = UsedFile::open(&folder.path().join("db"), 0).unwrap().unwrap();
        let mut ledger = Ledger::new(file, counts);
        for identity in 0..2 * TIDY_FROM as u128 {
            ledger.lease(&charge(Some(identity), 1).slot, 1, None, 101).unwrap();
        }
        assert!(ledger.counts.len() <= TIDY_FROM, "{}", ledger.counts.len());
        let length = std::fs::metadata(folder.path().join("db-budgets")).unwrap().len();
        assert!(length < 100 * (TIDY_FROM as u64 + 1), "{length}");
    }
}
