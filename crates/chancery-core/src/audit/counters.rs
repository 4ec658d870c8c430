//! Counts instead of records, for what happens too often to write down one by one: tokenization calls (flushed each
//! second) and refusals of nobody in particular (one record a source and minute). A crash loses what was not flushed.

use std::{
    collections::HashMap,
    mem,
    net::{IpAddr, Ipv4Addr},
    sync::{Mutex, PoisonError},
};

use chancery_types::{Action, ErrorCode, IdentityId};
use foldhash::fast::RandomState;
use uuid::Uuid;

use super::{Actor, Counted, Event};
use crate::{Caller, Source, sharded::Sharded};

/// Sources counted apart in one minute; the rest is counted together, so that a flood of addresses fills no memory.
const SOURCES_MAX: usize = 10_000;
/// Stands for all sources beyond the maximum.
const OTHERS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
const MINUTE_MS: i64 = 60_000;

/// What is counted together: a session stands for its identities.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CallKey {
    session: Uuid,
    object: Uuid,
    action: Action,
    outcome: ErrorCode,
}

/// How often, how many values, and in whose name.
struct Calls {
    calls: u64,
    values: u64,
    identities: Vec<(IdentityId, String)>,
}

/// The counts since the last flush.
#[derive(Default)]
pub(crate) struct Counters {
    /// Ids of our own making need no hash that withstands floods.
    calls: Sharded<HashMap<CallKey, Calls, RandomState>>,
    nobody: Mutex<HashMap<(Source, i64), u64>>,
}

impl Counters {
    /// Counts a call on an object, with the number of values it carried.
    pub(crate) fn call(&self, caller: &Caller, action: Action, object: Uuid, outcome: ErrorCode, values: u64) {
        let key = CallKey { session: caller.session(), object, action, outcome };
        let mut own = self.calls.own();
        let counted = own.entry(key).or_insert_with(|| {
            let identities = caller.members().iter().map(|member| (member.id, member.name.clone())).collect();
            Calls { calls: 0, values: 0, identities }
        });
        counted.calls += 1;
        counted.values += values;
    }

    /// Counts a refusal of somebody who did not say who they are.
    pub(crate) fn refused_nobody(&self, source: IpAddr, now_ms: i64) {
        let (source, minute) = (Source::from(source), now_ms.div_euclid(MINUTE_MS));
        let mut nobody = self.nobody.lock().unwrap_or_else(PoisonError::into_inner);
        let full = nobody.len() >= SOURCES_MAX && !nobody.contains_key(&(source, minute));
        *nobody.entry((if full { OTHERS.into() } else { source }, minute)).or_default() += 1;
    }

    /// Takes the counts out as records; of the refusals only those whose minute is over, or all of them at the end.
    pub(super) fn take(&self, now_ms: i64, all: bool) -> Vec<Counted> {
        let mut sums: HashMap<CallKey, Calls> = HashMap::new();
        for mut calls in self.calls.all() {
            for (key, counted) in mem::take(&mut *calls) {
                match sums.get_mut(&key) {
                    Some(sum) => {
                        sum.calls += counted.calls;
                        sum.values += counted.values;
                    }
                    None => {
                        sums.insert(key, counted);
                    }
                }
            }
        }
        let minute = now_ms.div_euclid(MINUTE_MS);
        let mut nobody = self.nobody.lock().unwrap_or_else(PoisonError::into_inner);
        let over = nobody.extract_if(|(_, counted), _| all || *counted < minute).collect::<Vec<_>>();
        let calls = sums.into_iter().map(|(key, counted)| of_calls(&key, counted));
        calls.chain(over.into_iter().map(|((source, _), count)| of_nobody(source, count))).collect()
    }
}

fn of_calls(key: &CallKey, counted: Calls) -> Counted {
    Counted {
        actor: Actor { request_id: String::new(), source: None, identities: counted.identities },
        event: Event::new(key.action)
            .on(key.object)
            .detail(serde_json::json!({"session": key.session, "values": counted.values})),
        outcome: key.outcome,
        count: counted.calls,
    }
}

fn of_nobody(source: Source, count: u64) -> Counted {
    Counted {
        actor: Actor { request_id: String::new(), source: Some(source.address()), identities: Vec::new() },
        event: Event::new(Action::ApiCall),
        outcome: ErrorCode::InvalidAuthToken,
        count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_counted_by_source_and_minute() {
        let counters = Counters::default();
        let (one, two) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for (source, now_ms) in [(one, 0), (one, 59_999), (two, 1), (one, 60_000)] {
            counters.refused_nobody(source, now_ms);
        }
        let mut counts: Vec<_> =
            counters.take(60_001, false).into_iter().map(|counted| (counted.actor.source, counted.count)).collect();
        counts.sort();
        assert_eq!(counts, [(Some(one), 2), (Some(two), 1)]);
        assert_eq!(counters.take(60_001, true).len(), 1, "the minute that is not over, at the end");
        assert_eq!(counters.take(i64::MAX, true).len(), 0);
    }

    #[test]
    fn a_flood_of_sources_is_counted_together() {
        let counters = Counters::default();
        for source in 0..SOURCES_MAX as u32 + 5 {
            counters.refused_nobody(IpAddr::from(source.to_be_bytes().map(|byte| byte | 1)), 0);
            counters.refused_nobody(IpAddr::from((source + 0x0100_0000).to_be_bytes()), 0);
        }
        let counted = counters.take(MINUTE_MS, false);
        assert!(counted.len() <= SOURCES_MAX + 1);
        let total: u64 = counted.iter().map(|counted| counted.count).sum();
        assert_eq!(total, 2 * (SOURCES_MAX as u64 + 5));
    }
}
