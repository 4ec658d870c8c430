//! What this server has leased of budgets and what it has given out: pure counting, under one lock.

use std::{collections::HashMap, io};

use chancery_store::tables::budget_leases::Window;
use chancery_types::{BudgetPeriod, Operation, wire::token_profiles::Budget};
use uuid::Uuid;

use super::used_file::UsedFile;

/// How long after a refusal by the store nobody asks it again for as much.
const REFUSED_FOR_MS: i64 = 1_000;
/// Slots at least before those are looked for whose window is over.
const TIDY_FROM: usize = 1_024;

/// What of an object has budgets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// A Control Rule of a token profile: of this role, for this operation.
    Rule(Uuid, Operation),
    /// The signatures of a signing policy.
    Signatures,
}

/// What the store and the audit records call the signatures of a policy, among the operations of rules.
pub(super) const SIGN: &str = "Sign";

/// One window of one budget.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slot {
    /// The token profile or the signing policy.
    pub(super) object: Uuid,
    pub(super) part: Part,
    pub(super) per: BudgetPeriod,
    /// Whose it is; none where all share it.
    pub(super) identity: Option<Uuid>,
    pub(super) starts_at_ms: i64,
    pub(super) ends_at_ms: i64,
}

/// What a call is counted in: a slot, and the budget that says how much there is of it for everybody.
#[derive(Clone, Debug)]
pub(super) struct Charge {
    pub(super) slot: Slot,
    pub(super) budget: Budget,
}

impl Charge {
    /// How much there is of it. Counts are bounded far below.
    pub(super) fn count(&self) -> i64 {
        i64::try_from(self.budget.count).unwrap_or(i64::MAX)
    }
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

/// What came of leasing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leased {
    /// The lessee has this much of the window in all: nobody else has any of it.
    Whole(i64),
    /// It has so much more.
    More(i64),
    /// It has so much more, and all before that counts as used: it is not known how much of it is left.
    After { used: i64, more: i64 },
}

#[derive(Debug, Default)]
struct Count {
    /// How much was leased, from the beginning of the window.
    leased: i64,
    /// How much of it was given out.
    used: i64,
    /// How much there was for everybody when it was last leased of.
    under: i64,
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
    /// No window that ended later was forgotten. A clock that went back may be in one that was.
    forgotten_ms: i64,
}

impl Ledger {
    /// With a file, and with what it had counted before. Of that nothing is leased any more but what the store says.
    pub(super) fn new(file: UsedFile, counts: Vec<(Slot, i64)>) -> Self {
        let counts = counts.into_iter().zip(0..);
        let count = |used, place| Count { leased: used, used, place: Some(place), ..Count::default() };
        let counts = counts.map(|((slot, used), place)| (slot, count(used, place)));
        let forgotten_ms = file.forgotten_ms;
        Self { counts: counts.collect(), file: Some(file), tidy_at: TIDY_FROM, forgotten_ms }
    }

    /// Counts a call of so many values in all of these, or in none.
    pub(super) fn take(&mut self, charges: &[Charge], values: i64, now_ms: i64) -> io::Result<Taken> {
        let mut lacking = Vec::new();
        for (index, charge) in charges.iter().enumerate() {
            let none = Count::default();
            let known = self.counts.get(&charge.slot).unwrap_or(&none);
            let left = known.leased - known.used;
            // Of a count that was lowered others may have more than there is now, whatever is left here.
            let lacks = left < values || charge.count() < known.under;
            if known.used.saturating_add(values) > charge.count() || (lacks && known.is_refused(values - left, now_ms))
            {
                return Ok(Taken::UsedUp(index));
            }
            if lacks {
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
        charges.iter().try_for_each(|charge| self.keep(&charge.slot))?;
        Ok(Taken::Done)
    }

    /// Counts so much less in all of these: it was given to nobody.
    pub(super) fn put_back(&mut self, charges: &[Charge], values: i64) -> io::Result<()> {
        for Charge { slot, .. } in charges {
            let Some(known) = self.counts.get_mut(slot) else { continue };
            known.used -= values.min(known.used);
            // There is room again.
            known.refused = None;
        }
        charges.iter().try_for_each(|charge| self.keep(&charge.slot))
    }

    /// Writes down how much of a slot is given out.
    fn keep(&self, slot: &Slot) -> io::Result<()> {
        let (Some(known), Some(file)) = (self.counts.get(slot), &self.file) else { return Ok(()) };
        known.place.map_or(Ok(()), |place| file.count(place, known.used))
    }

    /// Whether all is known that was ever given out of a slot, unless somebody else did.
    pub(super) fn remembers(&self, slot: &Slot) -> bool {
        slot.ends_at_ms > self.forgotten_ms || self.counts.contains_key(slot)
    }

    /// How much is leased of a slot and not given out.
    pub(super) fn left(&self, slot: &Slot) -> i64 {
        self.counts.get(slot).map_or(0, |known| known.leased - known.used)
    }

    /// How much of a slot was given out, by all servers with the same file.
    pub(super) fn used(&self, slot: &Slot) -> i64 {
        self.counts.get(slot).map_or(0, |known| known.used)
    }

    /// What came of leasing where there was enough.
    pub(super) fn lease(&mut self, charge: &Charge, leased: Leased, now_ms: i64) -> io::Result<()> {
        self.tidy(now_ms)?;
        let known = self.counts.entry(charge.slot.clone()).or_default();
        (known.leased, known.used) = match leased {
            Leased::Whole(whole) => (whole, known.used),
            Leased::More(more) => (known.leased + more, known.used),
            Leased::After { used, more } => (used + more, used),
        };
        (known.refused, known.under) = (None, charge.count());
        if let (None, Some(file)) = (known.place, self.file.as_mut()) {
            known.place = Some(file.add(&charge.slot, known.used)?);
        }
        Ok(())
    }

    /// The store has so much no more.
    pub(super) fn refused(&mut self, slot: &Slot, more: i64, now_ms: i64) -> io::Result<()> {
        self.tidy(now_ms)?;
        // What is remembered of a slot is all that was given out of it, and of this one that is not known.
        if self.remembers(slot) {
            let known = self.counts.entry(slot.clone()).or_default();
            known.refused = Some((more, now_ms.saturating_add(REFUSED_FOR_MS)));
        }
        Ok(())
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
    fn tidy(&mut self, now_ms: i64) -> io::Result<()> {
        if self.counts.len() < self.tidy_at.max(TIDY_FROM) {
            return Ok(());
        }
        let ends = self.counts.keys().map(|slot| slot.ends_at_ms).filter(|end_ms| *end_ms <= now_ms);
        self.forgotten_ms = ends.max().unwrap_or(i64::MIN).max(self.forgotten_ms);
        if let Some(file) = &mut self.file {
            // Before any place is used again.
            file.forget(self.forgotten_ms)?;
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
        Ok(())
    }
}

impl Count {
    /// Whether the store said a moment ago that it has not so much. A clock that went back makes the moment no longer.
    fn is_refused(&self, more: i64, now_ms: i64) -> bool {
        self.refused.is_some_and(|(least, until_ms)| {
            more >= least && now_ms < until_ms && now_ms >= until_ms.saturating_sub(REFUSED_FOR_MS)
        })
    }
}

impl Slot {
    /// As the store has it.
    pub(super) fn window(&self) -> Window {
        let (role, operation) = match self.part {
            Part::Rule(role, operation) => (role, operation.as_str()),
            Part::Signatures => (Uuid::nil(), SIGN),
        };
        Window {
            object: self.object,
            role,
            operation: operation.to_owned(),
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

    fn charge(identity: Option<u128>, count: u64) -> Charge {
        let slot = Slot {
            object: Uuid::from_u128(1),
            part: Part::Rule(Uuid::from_u128(2), Operation::Detokenize),
            per: BudgetPeriod::Day,
            identity: identity.map(Uuid::from_u128),
            starts_at_ms: 0,
            ends_at_ms: 100,
        };
        Charge { slot, budget: Budget { count, per: BudgetPeriod::Day, each: identity.is_some() } }
    }

    #[test]
    fn a_call_is_counted_in_all_windows_or_in_none() {
        let mut ledger = Ledger::default();
        let both = [charge(None, 10), charge(Some(7), 5)];
        assert_eq!(ledger.take(&both, 1, 1).unwrap(), Taken::Lacking(vec![0, 1]));
        ledger.lease(&both[0], Leased::More(10), 1).unwrap();
        ledger.lease(&both[1], Leased::More(5), 1).unwrap();
        assert_eq!(ledger.take(&both, 4, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&both, 2, 1).unwrap(), Taken::UsedUp(1));
        assert_eq!((ledger.left(&both[0].slot), ledger.left(&both[1].slot)), (6, 1), "nothing was taken");
        assert_eq!(ledger.take(&both[..1], 6, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&both[..1], 1, 1).unwrap(), Taken::UsedUp(0));
    }

    #[test]
    fn a_count_that_was_lowered_holds_at_once() {
        let mut ledger = Ledger::default();
        ledger.lease(&charge(None, 10), Leased::More(10), 1).unwrap();
        assert_eq!(ledger.take(&[charge(None, 10)], 4, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&[charge(None, 4)], 1, 1).unwrap(), Taken::UsedUp(0));
        let less = [charge(None, 8)];
        assert_eq!(ledger.take(&less, 1, 1).unwrap(), Taken::Lacking(vec![0]), "others may have had all of it");
        ledger.lease(&less[0], Leased::More(0), 1).unwrap();
        assert_eq!(ledger.take(&less, 4, 1).unwrap(), Taken::Done);
    }

    #[test]
    fn the_store_is_not_asked_again_at_once_for_what_it_has_no_more_of() {
        let mut ledger = Ledger::default();
        let one = [charge(None, 10)];
        ledger.lease(&one[0], Leased::More(2), 1).unwrap();
        ledger.refused(&one[0].slot, 3, 1).unwrap();
        assert_eq!(ledger.take(&one, 5, 0).unwrap(), Taken::Lacking(vec![0]), "the clock went back");
        assert_eq!(ledger.take(&one, 5, 1).unwrap(), Taken::UsedUp(0), "three more");
        assert_eq!(ledger.take(&one, 4, 1).unwrap(), Taken::Lacking(vec![0]), "two more may be there");
        assert_eq!(ledger.take(&one, 2, 1).unwrap(), Taken::Done);
        assert_eq!(ledger.take(&one, 3, 1 + REFUSED_FOR_MS).unwrap(), Taken::Lacking(vec![0]));
    }

    #[test]
    fn what_is_left_is_given_back_once() {
        let mut ledger = Ledger::default();
        let one = charge(None, 10);
        ledger.lease(&one, Leased::More(5), 1).unwrap();
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
            ledger.lease(&charge(Some(identity), 1), Leased::More(1), 101).unwrap();
        }
        assert!(ledger.counts.len() <= TIDY_FROM, "{}", ledger.counts.len());
        let length = std::fs::metadata(folder.path().join("db-budgets")).unwrap().len();
        assert!(length < 100 * (TIDY_FROM as u64 + 1), "{length}");
        let later = Slot { ends_at_ms: 101, ..charge(Some(0), 1).slot };
        assert!(!ledger.remembers(&charge(Some(0), 1).slot) && ledger.remembers(&later));
        drop(ledger);
        let (file, counts) = UsedFile::open(&folder.path().join("db"), 0).unwrap().unwrap();
        assert!(!Ledger::new(file, counts).remembers(&charge(Some(0), 1).slot), "nor does the next server");
    }

    #[test]
    fn what_was_given_to_nobody_is_there_again() {
        let mut ledger = Ledger::default();
        let both = [charge(None, 10), charge(Some(7), 5)];
        both.iter().for_each(|one| ledger.lease(one, Leased::More(5), 1).unwrap());
        assert_eq!(ledger.take(&both, 5, 1).unwrap(), Taken::Done);
        ledger.put_back(&both, 2).unwrap();
        assert_eq!((ledger.used(&both[0].slot), ledger.left(&both[1].slot)), (3, 2));
        assert_eq!(ledger.take(&both, 2, 1).unwrap(), Taken::Done);
        ledger.put_back(&both, 100).unwrap();
        assert_eq!(ledger.used(&both[0].slot), 0, "never less than nothing");
    }
}
