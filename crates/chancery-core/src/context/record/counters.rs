//! Counts instead of records, for what happens too often to write down one by one: tokenization calls (flushed each
//! second) and refusals of nobody in particular (one record a source and minute).
//!
//! What cannot be written is kept, in parcels that do not change any more and have a number each: where it is not known
//! whether a parcel was written, it is tried again, and the number tells. While much waits, or for long, calls are
//! refused: nobody makes calls that are in no record. A crash loses what is not written.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use chancery_types::{
    Action, ErrorCode, IdentityId, IdentityProviderId,
    wire::audit::{AuditApiKey, AuditCertificate, AuditIdentity},
};
use chancery_verify::hexadecimal;
use foldhash::fast::RandomState;
use uuid::Uuid;

use super::{Actor, Counted, Event, RecordedIdentities};
use crate::{Caller, Limits, Source, base::sharded::Sharded, context::terms::RefusedKey};

/// Sources counted apart in one minute; the rest is counted together, so that a flood of addresses fills no memory.
const SOURCES_MAX: usize = 10_000;
/// Names told apart of one source in one minute; the rest is counted together.
const NAMES_MAX: usize = 50;
/// Stands for all sources beyond the maximum.
const OTHERS: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
const MINUTE_MS: i64 = 60_000;

/// Records of one parcel: they are written in one transaction, which others may have to wait for.
const PARCEL: usize = 500;

/// When nothing is refused.
const NEVER: u64 = u64::MAX;

/// What is counted together: a session stands for its identities.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct CallKey {
    session: Uuid,
    /// From where, of calls that bear an API key: they have no session, whose members say from where they logged in.
    source: Option<IpAddr>,
    /// None where the call named nothing that exists: callers could name more than could be kept.
    object: Option<Uuid>,
    action: Action,
    outcome: ErrorCode,
}

/// How often, how many values, and in whose name.
struct Calls {
    calls: u64,
    values: u64,
    identities: RecordedIdentities,
}

/// Who was refused before anybody knew who calls.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Nobody {
    /// Somebody without a name.
    Unknown,
    /// Somebody who called themselves by a name that nobody has: what for, and a keyed hash of it, since people type
    /// passwords there.
    Name(Action, [u8; 32]),
    /// Somebody who did not prove to be this identity, and what for.
    Unproved(Action, IdentityId, String),
    /// Somebody who showed a key that is this identity's and lets it not in: the key, and why.
    Key(IdentityId, String, AuditApiKey, RefusedKey),
    /// Somebody who showed a token that was not taken: whose it is and of which provider, where that is known, and why.
    Token(Option<(IdentityId, String)>, Option<IdentityProviderId>, &'static str),
    /// Somebody whom a provider sent back, and who was not logged in: who it is and by which provider, or a keyed hash of whom
    /// the provider says that it is, where that is known, and why.
    Person(Option<(IdentityId, String)>, Option<IdentityProviderId>, Option<[u8; 32]>, &'static str),
    /// Somebody who was not logged in by a client certificate: who it is and of which authority, where that is known, which
    /// certificate, and why.
    Certificate(Option<(IdentityId, String)>, Option<IdentityProviderId>, Option<Box<AuditCertificate>>, &'static str),
    /// Somebody whom a directory, or we, did not let in: who it is, where that is known, by which directory, a keyed hash of the
    /// user name, and why.
    Ldap(Option<(IdentityId, String)>, IdentityProviderId, [u8; 32], &'static str),
    /// Somebody who showed more wrong keys than one may from one address.
    TooManyKeys,
    /// Somebody who tried to log in, or what takes the same proof, more often than one may from one address: nothing of what
    /// they sent was looked at.
    TooOften(Action),
}

/// Who was refused from one source in one minute, and how often.
#[derive(Default)]
struct Refused(HashMap<Nobody, u64>);

impl Refused {
    fn count(&mut self, who: Nobody) {
        let is_named = match who {
            Nobody::Name(..)
            | Nobody::Unproved(..)
            | Nobody::Key(..)
            | Nobody::Token(..)
            | Nobody::Person(..)
            | Nobody::Certificate(..)
            | Nobody::Ldap(..) => true,
            Nobody::Unknown | Nobody::TooManyKeys | Nobody::TooOften(_) => false,
        };
        let full = is_named && self.0.len() >= NAMES_MAX && !self.0.contains_key(&who);
        *self.0.entry(if full { Nobody::Unknown } else { who }).or_default() += 1;
    }
}

/// The counts that are not written yet.
pub(crate) struct Counters {
    node: Uuid,
    /// Ids of our own making need no hash that withstands floods.
    calls: Sharded<HashMap<CallKey, Calls, RandomState>>,
    nobody: Mutex<HashMap<(Source, i64), Refused>>,
    waiting: tokio::sync::Mutex<Waiting>,
    /// How many records of calls wait, in `calls` and in `waiting`.
    entries: AtomicUsize,
    entries_max: usize,
    age_max: Duration,
    began: Instant,
    /// From when on calls are refused, in milliseconds since `began`.
    refuses_from_ms: AtomicU64,
}

/// Parcels in the order in which they are written.
#[derive(Default)]
pub(crate) struct Waiting {
    parcels: VecDeque<Arc<Parcel>>,
    last: i64,
    /// When the first of them was taken from the counts.
    since: Option<Instant>,
}

/// Records that are written together, or not at all.
pub(crate) struct Parcel {
    pub(crate) number: i64,
    pub(crate) at_ms: i64,
    pub(crate) counted: Vec<Counted>,
}

impl Waiting {
    pub(crate) fn first(&self) -> Option<Arc<Parcel>> {
        self.parcels.front().map(Arc::clone)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Counted> {
        self.parcels.iter().flat_map(|parcel| &parcel.counted)
    }
}

impl Counters {
    pub(crate) fn new(node: Uuid, limits: &Limits) -> Self {
        Self {
            node,
            calls: Sharded::default(),
            nobody: Mutex::default(),
            waiting: tokio::sync::Mutex::default(),
            entries: AtomicUsize::new(0),
            entries_max: limits.outage.unwritten_counts_max,
            age_max: limits.outage.unwritten_counts_age_max,
            began: Instant::now(),
            refuses_from_ms: AtomicU64::new(NEVER),
        }
    }

    /// Whether no call may be made that would have to be counted.
    pub(crate) fn refuses_at(&self, now: Instant) -> bool {
        let from_ms = self.refuses_from_ms.load(Ordering::Relaxed);
        from_ms != NEVER && self.ms_at(now) >= from_ms
    }

    fn ms_at(&self, time: Instant) -> u64 {
        u64::try_from(time.saturating_duration_since(self.began).as_millis()).unwrap_or(NEVER)
    }

    /// Counts a call on an object, with the number of values it carried.
    pub(crate) fn call(&self, caller: &Caller, action: Action, object: Option<Uuid>, outcome: ErrorCode, values: u64) {
        let source = caller.bears_key().then(|| caller.request().source);
        let key = CallKey { session: caller.session(), source, object, action, outcome };
        let mut own = self.calls.own();
        let counted = own.entry(key).or_insert_with(|| {
            if self.entries.fetch_add(1, Ordering::Relaxed) >= self.entries_max {
                self.refuses_from_ms.store(0, Ordering::Relaxed);
            }
            Calls { calls: 0, values: 0, identities: caller.recorded().clone() }
        });
        counted.calls += 1;
        counted.values += values;
    }

    /// Counts a refusal of somebody who did not say who they are.
    pub(crate) fn refused_nobody(&self, source: IpAddr, who: Nobody, now_ms: i64) {
        let (source, minute) = (Source::from(source), now_ms.div_euclid(MINUTE_MS));
        let mut nobody = self.nobody.lock().unwrap_or_else(PoisonError::into_inner);
        let full = nobody.len() >= SOURCES_MAX && !nobody.contains_key(&(source, minute));
        nobody.entry((if full { OTHERS.into() } else { source }, minute)).or_default().count(who);
    }

    /// What waits to be written; whoever has it writes.
    pub(crate) async fn waiting(&self) -> tokio::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().await
    }

    /// Makes parcels of the counts; of the refusals only of those whose minute is over, or of all at the end.
    pub(crate) fn pack(&self, waiting: &mut Waiting, now_ms: i64, all: bool) {
        let mut counted = self.take(now_ms, all).into_iter().peekable();
        while counted.peek().is_some() {
            waiting.last += 1;
            let counted = counted.by_ref().take(PARCEL).collect();
            waiting.parcels.push_back(Arc::new(Parcel { number: waiting.last, at_ms: now_ms, counted }));
        }
        if !waiting.parcels.is_empty() {
            waiting.since.get_or_insert_with(Instant::now);
        }
        self.note(waiting);
    }

    /// The first parcel is written.
    pub(crate) fn written(&self, waiting: &mut Waiting) {
        if let Some(parcel) = waiting.parcels.pop_front() {
            let calls = parcel.counted.iter().filter(|counted| counted.is_of_calls()).count();
            self.entries.fetch_sub(calls, Ordering::Relaxed);
        }
        if waiting.parcels.is_empty() {
            waiting.since = None;
        }
        self.note(waiting);
    }

    /// Notes from when on calls are refused.
    fn note(&self, waiting: &Waiting) {
        let from_ms = if self.entries.load(Ordering::Relaxed) > self.entries_max {
            0
        } else {
            waiting.since.map_or(NEVER, |since| self.ms_at(since + self.age_max))
        };
        self.refuses_from_ms.store(from_ms, Ordering::Relaxed);
    }

    /// Takes the counts out as records.
    fn take(&self, now_ms: i64, all: bool) -> Vec<Counted> {
        let mut sums: HashMap<CallKey, Calls> = HashMap::new();
        for mut calls in self.calls.all() {
            for (key, counted) in mem::take(&mut *calls) {
                match sums.get_mut(&key) {
                    Some(sum) => {
                        sum.calls += counted.calls;
                        sum.values += counted.values;
                        self.entries.fetch_sub(1, Ordering::Relaxed);
                    }
                    None => {
                        sums.insert(key, counted);
                    }
                }
            }
        }
        let minute = now_ms.div_euclid(MINUTE_MS);
        let mut nobody = self.nobody.lock().unwrap_or_else(PoisonError::into_inner);
        let over = nobody.extract_if(|(_, counted), _| all || *counted != minute).collect::<Vec<_>>();
        let calls = sums.into_iter().map(|(key, counted)| of_calls(self.node, &key, counted));
        let refused = over.into_iter().flat_map(|((source, _), refused)| {
            refused.0.into_iter().map(move |(who, count)| of_nobody(self.node, source, who, count))
        });
        calls.chain(refused).collect()
    }
}

fn of_calls(node: Uuid, key: &CallKey, counted: Calls) -> Counted {
    Counted {
        actor: Actor::named(node, String::new(), counted.identities),
        event: Event::new(key.action)
            .on(key.object)
            .detail(serde_json::json!({"session": key.session, "values": counted.values})),
        outcome: key.outcome,
        count: counted.calls,
    }
}

fn of_nobody(node: Uuid, source: Source, who: Nobody, count: u64) -> Counted {
    let outcome = match who {
        Nobody::TooOften(_) | Nobody::TooManyKeys => ErrorCode::RateLimited,
        Nobody::Unknown
        | Nobody::Name(..)
        | Nobody::Unproved(..)
        | Nobody::Key(..)
        | Nobody::Token(..)
        | Nobody::Person(..)
        | Nobody::Certificate(..)
        | Nobody::Ldap(..) => ErrorCode::InvalidAuthToken,
    };
    let (event, identities) = match who {
        Nobody::Unknown | Nobody::TooManyKeys => (Event::new(Action::ApiCall), RecordedIdentities::default()),
        Nobody::Key(uuid, name, key, why) => {
            let identity = AuditIdentity { name, uuid, login: None, source: None, roles: Vec::new() };
            let detail = serde_json::json!({"apiKey": key, "why": why.as_str()});
            (Event::new(Action::ApiCall).detail(detail), RecordedIdentities::new(&[identity]))
        }
        Nobody::Token(whose, provider, why) => by_a_provider(whose, detail_of("TokenExchange", provider, why)),
        Nobody::Person(whose, provider, subject, why) => {
            let mut detail = detail_of("Oidc", provider, why);
            if let Some(subject) = subject {
                detail["subjectHash"] = hexadecimal(&subject).into();
            }
            by_a_provider(whose, detail)
        }
        Nobody::Certificate(whose, provider, certificate, why) => {
            let mut detail = detail_of("Certificate", provider, why);
            if let Some(certificate) = certificate {
                detail["certificate"] = serde_json::json!(certificate);
            }
            by_a_provider(whose, detail)
        }
        Nobody::Ldap(whose, provider, name, why) => {
            let mut detail = detail_of("Ldap", Some(provider), why);
            detail["nameHash"] = hexadecimal(&name).into();
            by_a_provider(whose, detail)
        }
        Nobody::TooOften(action) => (Event::new(action), RecordedIdentities::default()),
        Nobody::Name(action, hash) => {
            let detail = serde_json::json!({"nameHash": hexadecimal(&hash)});
            (Event::new(action).detail(detail), RecordedIdentities::default())
        }
        Nobody::Unproved(action, uuid, name) => {
            let identity = AuditIdentity { name, uuid, login: None, source: None, roles: Vec::new() };
            (Event::new(action).on(Uuid::from(uuid)), RecordedIdentities::new(&[identity]))
        }
    };
    Counted {
        actor: Actor { source: Some(source.address()), ..Actor::named(node, String::new(), identities) },
        event,
        outcome,
        count,
    }
}

/// Of a login by what a provider says: of a workload, of a person, or of whoever has a key.
fn detail_of(way: &'static str, provider: Option<IdentityProviderId>, why: &'static str) -> serde_json::Value {
    let mut detail = serde_json::json!({"way": way, "why": why});
    if let Some(provider) = provider {
        detail["providerUuid"] = provider.to_string().into();
    }
    detail
}

fn by_a_provider(whose: Option<(IdentityId, String)>, detail: serde_json::Value) -> (Event, RecordedIdentities) {
    let named = |(uuid, name)| AuditIdentity { name, uuid, login: None, source: None, roles: Vec::new() };
    let identities: Vec<_> = whose.into_iter().map(named).collect();
    let on = identities.first().map(|identity| Uuid::from(identity.uuid));
    (Event::new(Action::Login).on(on).detail(detail), RecordedIdentities::new(&identities))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_counted_by_source_and_minute() {
        let counters = Counters::new(Uuid::nil(), &Limits::default());
        let (one, two) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        for (source, now_ms) in [(one, 0), (one, 59_999), (two, 1), (one, 60_000)] {
            counters.refused_nobody(source, Nobody::Unknown, now_ms);
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
        let counters = Counters::new(Uuid::nil(), &Limits::default());
        for source in 0..SOURCES_MAX as u32 + 5 {
            let sources = [source.to_be_bytes().map(|byte| byte | 1), (source + 0x0100_0000).to_be_bytes()];
            for source in sources {
                counters.refused_nobody(IpAddr::from(source), Nobody::Unknown, 0);
            }
        }
        let counted = counters.take(MINUTE_MS, false);
        assert!(counted.len() <= SOURCES_MAX + 1);
        let total: u64 = counted.iter().map(|counted| counted.count).sum();
        assert_eq!(total, 2 * (SOURCES_MAX as u64 + 5));
    }

    #[test]
    fn wrong_logins_of_one_source_are_told_apart_by_name_and_bounded() {
        let (counters, source) = (Counters::new(Uuid::nil(), &Limits::default()), IpAddr::from([192, 0, 2, 1]));
        let ann = || Nobody::Unproved(Action::Login, IdentityId::from_u128(1), "ann".to_owned());
        for name in 0..200 {
            counters.refused_nobody(source, ann(), 0);
            counters.refused_nobody(source, Nobody::Name(Action::Login, [name; 32]), 0);
        }
        let counted = counters.take(MINUTE_MS, false);
        assert_eq!(counted.len(), NAMES_MAX + 1);
        let of_ann = counted.iter().find(|counted| !counted.actor.identities.are_none()).unwrap();
        assert!(of_ann.count == 200 && of_ann.actor.identities.0.contains("\"ann\""), "{:?}", of_ann.actor);
        assert_eq!(counted.iter().map(|counted| counted.count).sum::<u64>(), 400);
    }

    #[test]
    fn logins_that_were_too_many_are_told_apart_from_wrong_ones_also_where_names_are_not_any_more() {
        let counters = Counters::new(Uuid::nil(), &Limits::default());
        let source = IpAddr::from([192, 0, 2, 1]);
        for name in 0..60 {
            counters.refused_nobody(source, Nobody::Name(Action::Login, [name; 32]), 0);
        }
        for _ in 0..7 {
            counters.refused_nobody(source, Nobody::TooOften(Action::Login), 0);
        }
        let counted = counters.take(MINUTE_MS, false);
        let too_often: Vec<_> = counted.iter().filter(|counted| counted.outcome == ErrorCode::RateLimited).collect();
        assert_eq!((too_often.len(), too_often[0].count, too_often[0].event.action), (1, 7, Action::Login));
        assert_eq!(counted.iter().map(|counted| counted.count).sum::<u64>(), 67);
    }
}
