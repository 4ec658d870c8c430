//! What slows guessing down: delays after wrong passwords, and a limit on logins tried from one source.
//!
//! A delay belongs to an identity (or a user name of a directory) *and* a source, and concerns new logins only, so nobody can lock others out.

use std::{collections::HashMap, hash::Hash};

use chancery_types::IdentityId;

use crate::Source;

/// Wrong passwords that cost nothing but themselves.
const FREE: u32 = 4;
const FIRST_DELAY_MS: i64 = 1_000;
const LONGEST_DELAY_MS: i64 = 15 * 60 * 1_000;
/// Wrong passwords are forgotten after an hour without one: four times the longest delay.
const FORGET_MS: i64 = 4 * LONGEST_DELAY_MS;
/// Pairs of identity and source that are remembered: about 6 MB.
const PAIRS_MAX: usize = 65_536;
/// Sources counted within one minute: about 4 MB.
const SOURCES_MAX: usize = 65_536;
const MINUTE_MS: i64 = 60_000;

#[derive(Clone, Copy, Debug)]
struct Wrong {
    count: u32,
    last_at: i64,
}

impl Wrong {
    /// None for the first four, then 1 s, doubling.
    const fn delay_ms(self) -> i64 {
        match self.count.checked_sub(FREE + 1) {
            None => 0,
            Some(doublings) if doublings >= 10 => LONGEST_DELAY_MS,
            Some(doublings) => FIRST_DELAY_MS << doublings,
        }
    }

    const fn delayed_until(self) -> i64 {
        self.last_at.saturating_add(self.delay_ms())
    }

    const fn forgotten(self, now: i64) -> bool {
        // Also what is told to have been later than now by more than any delay: the clock was set back.
        now >= self.last_at.saturating_add(FORGET_MS) || now < self.last_at.saturating_sub(LONGEST_DELAY_MS)
    }
}

/// Wrong passwords, per identity and source.
#[derive(Debug)]
pub(crate) struct Delays<K: Eq + Hash = IdentityId>(HashMap<(K, Source), Wrong>);

impl<K: Eq + Hash> Default for Delays<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash + Copy> Delays<K> {
    /// Whether a login of this identity from this source must be refused unseen.
    pub(crate) fn delayed(&self, identity: K, source: Source, now: i64) -> bool {
        self.0.get(&(identity, source)).is_some_and(|wrong| !wrong.forgotten(now) && now < wrong.delayed_until())
    }

    /// A decoded password was wrong.
    pub(crate) fn wrong(&mut self, identity: K, source: Source, now: i64) {
        let key = (identity, source);
        if self.0.len() >= PAIRS_MAX && !self.0.contains_key(&key) {
            self.make_room(now);
        }
        let wrong = self.0.entry(key).or_insert(Wrong { count: 0, last_at: now });
        if wrong.forgotten(now) {
            wrong.count = 0;
        }
        *wrong = Wrong { count: wrong.count.saturating_add(1), last_at: now };
    }

    /// The password was right.
    pub(crate) fn right(&mut self, identity: K, source: Source) {
        self.0.remove(&(identity, source));
    }

    /// An administrator has vouched for the identity.
    pub(crate) fn forgive(&mut self, identity: K) {
        self.0.retain(|(delayed, _), _| *delayed != identity);
    }

    /// Drops what is forgotten, or where all is fresh the older half, so that the cost of dropping is rare.
    fn make_room(&mut self, now: i64) {
        self.0.retain(|_, wrong| !wrong.forgotten(now));
        if self.0.len() >= PAIRS_MAX {
            let mut ages: Vec<_> = self.0.values().map(|wrong| wrong.last_at).collect();
            let (_, median, _) = ages.select_nth_unstable(PAIRS_MAX / 2);
            let median = *median;
            self.0.retain(|_, wrong| wrong.last_at > median);
        }
    }
}

/// What was tried in the current minute, by each source, identity or the like.
#[derive(Debug)]
pub(crate) struct Rate<K> {
    minute: i64,
    tried: HashMap<K, u32>,
}

impl<K> Default for Rate<K> {
    fn default() -> Self {
        Self { minute: 0, tried: HashMap::new() }
    }
}

impl<K: Eq + Hash> Rate<K> {
    /// Counts an attempt; `Err` with the seconds until the next minute for one who has had `max`.
    pub(crate) fn attempt(&mut self, who: K, now: i64, max: u32) -> Result<(), u32> {
        let minute = now.div_euclid(MINUTE_MS);
        if minute != self.minute || self.tried.len() >= SOURCES_MAX {
            self.minute = minute;
            self.tried.clear();
        }
        let tried = self.tried.entry(who).or_default();
        if *tried >= max {
            let rest_ms = MINUTE_MS - now.rem_euclid(MINUTE_MS);
            return Err(u32::try_from(rest_ms / 1_000).unwrap_or(60) + 1);
        }
        *tried += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::Limits;

    const ALICE: IdentityId = IdentityId::from_u128(1);
    const BOB: IdentityId = IdentityId::from_u128(2);

    fn source(text: &str) -> Source {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn delays_double_from_one_second_after_the_fifth_to_fifteen_minutes() {
        let (mut delays, here, mut now) = (Delays::default(), source("192.0.2.1"), 0);
        for expected_ms in [
            0, 0, 0, 0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 900_000, 900_000,
        ] {
            delays.wrong(ALICE, here, now);
            assert_eq!(delays.delayed(ALICE, here, now), expected_ms > 0, "{expected_ms}");
            assert!(expected_ms == 0 || delays.delayed(ALICE, here, now + expected_ms - 1), "{expected_ms}");
            now += expected_ms;
            assert!(!delays.delayed(ALICE, here, now), "{expected_ms}");
        }
    }

    #[test]
    fn a_delay_concerns_one_identity_from_one_source() {
        let (mut delays, here) = (Delays::default(), source("192.0.2.1"));
        (0..9).for_each(|_| delays.wrong(ALICE, here, 0));
        assert!(delays.delayed(ALICE, here, 0));
        assert!(!delays.delayed(BOB, here, 0));
        assert!(!delays.delayed(ALICE, source("192.0.2.2"), 0));
    }

    #[test]
    fn a_right_password_an_unlock_and_an_hour_end_it() {
        let here = source("192.0.2.1");
        let wrong = || {
            let mut delays = Delays::default();
            (0..20).for_each(|_| delays.wrong(ALICE, here, 0));
            delays
        };
        let mut delays = wrong();
        delays.right(ALICE, here);
        assert!(!delays.delayed(ALICE, here, 0));
        let mut delays = wrong();
        delays.forgive(BOB);
        assert!(delays.delayed(ALICE, here, 0));
        delays.forgive(ALICE);
        assert!(!delays.delayed(ALICE, here, 0));
        let mut delays = wrong();
        delays.wrong(ALICE, here, FORGET_MS);
        assert!(!delays.delayed(ALICE, here, FORGET_MS), "counts from one again");
    }

    #[test]
    fn memory_is_bounded_and_the_newest_stay() {
        let (mut delays, here) = (Delays::default(), source("192.0.2.1"));
        for number in 0..=u128::try_from(PAIRS_MAX).unwrap() {
            delays.wrong(IdentityId::from_u128(number), here, i64::try_from(number).unwrap());
        }
        assert!(delays.0.len() <= PAIRS_MAX);
        let newest = IdentityId::from_u128(u128::try_from(PAIRS_MAX).unwrap());
        assert!(delays.0.contains_key(&(newest, here)));
        assert!(delays.0.contains_key(&(IdentityId::from_u128(u128::try_from(PAIRS_MAX).unwrap() - 1), here)));
    }

    #[test]
    fn a_source_has_600_logins_a_minute() {
        let (mut rate, limits) = (Rate::default(), Limits::default());
        let attempts = |rate: &mut Rate<Source>, source, now| {
            (0..601).map(|_| rate.attempt(source, now, limits.logins.per_minute)).filter(Result::is_ok).count()
        };
        assert_eq!(attempts(&mut rate, source("192.0.2.1"), 30_000), 600);
        assert_eq!(rate.attempt(source("192.0.2.1"), 30_000, limits.logins.per_minute), Err(31));
        assert_eq!(attempts(&mut rate, source("192.0.2.2"), 30_000), 600);
        assert_eq!(attempts(&mut rate, source("192.0.2.1"), 60_000), 600);
    }
}
