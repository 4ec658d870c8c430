//! Bearer tokens that were shown lately and who stood behind them, so that a call verifies and looks up nothing.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use foldhash::fast::RandomState;

use super::{Authenticated, api_key::KeyHash, directory::Directory, sessions::Session};
use crate::{
    Caller, Limits, RequestInfo,
    base::sharded::Sharded,
    context::caller::{Shows, Standing},
};

/// Tokens that a thread remembers: some 3 MB.
const KNOWN_MAX: usize = 4_096;

/// What a token amounted to.
struct Known {
    session: Arc<Session>,
    /// When the token expires.
    expires_at: i64,
    /// The edition of the directory in which the session amounted to this.
    edition: u64,
    /// This thread's own: of one that all share, all would count the users.
    standing: Arc<Standing>,
}

impl Known {
    fn holds(&self, now: i64, limits: &Limits) -> bool {
        now < self.expires_at && self.session.lives(now, limits)
    }
}

/// Outsiders look up what they like, but only tokens of ours get in: no hash that withstands floods is needed.
#[derive(Default)]
pub(super) struct Recent(Sharded<HashMap<Box<str>, Known, RandomState>>);

impl Recent {
    /// Who makes a request with this token, where nothing has changed since it was looked into.
    pub(super) fn caller(
        &self,
        request: RequestInfo,
        token: &str,
        directory: &Directory,
        (now, limits): (i64, &Limits),
    ) -> Option<Caller> {
        let own = self.0.own();
        let known = own.get(token).filter(|known| known.edition == directory.edition && known.holds(now, limits))?;
        if !known.standing.admits(request.source, now) {
            return None;
        }
        known.session.used(now);
        Some(Caller::new(
            &Authenticated(()),
            request,
            Arc::clone(&known.standing),
            Shows::Token { expires_at: known.expires_at },
        ))
    }

    /// Remembers what a token of ours amounts to in this edition of the directory.
    pub(super) fn note(
        &self,
        (token, expires_at): (&str, i64),
        session: &Arc<Session>,
        (directory, standing): (&Directory, &Standing),
        (now, limits): (i64, &Limits),
    ) {
        let mut own = self.0.own();
        if own.len() >= KNOWN_MAX {
            own.retain(|_, known| known.holds(now, limits));
        }
        if own.len() >= KNOWN_MAX {
            own.clear();
        }
        let (session, standing) = (Arc::clone(session), Arc::new(standing.clone()));
        own.insert(token.into(), Known { session, expires_at, edition: directory.edition, standing });
    }
}

/// API keys that were shown lately, by their hashes, from which addresses, and what they amounted to in which edition of the
/// directory. Their standing names the address, which records of calls have from there.
#[derive(Default)]
pub(super) struct RecentKeys(Sharded<HashMap<(KeyHash, IpAddr), InEdition, RandomState>>);

/// What a key amounts to, and in which edition of the directory.
type InEdition = (u64, Arc<Standing>);

impl RecentKeys {
    /// What the key amounts to, where nothing has changed since it was looked into.
    pub(super) fn standing(&self, hash: &KeyHash, source: IpAddr, directory: &Directory) -> Option<Arc<Standing>> {
        let own = self.0.own();
        own.get(&(*hash, source)).filter(|known| known.0 == directory.edition).map(|known| Arc::clone(&known.1))
    }

    /// Remembers what a key of ours amounts to in this edition of the directory.
    pub(super) fn note(&self, hash: &KeyHash, source: IpAddr, directory: &Directory, standing: &Arc<Standing>) {
        let mut own = self.0.own();
        if own.len() >= KNOWN_MAX {
            own.retain(|_, known| known.0 == directory.edition);
        }
        if own.len() >= KNOWN_MAX {
            own.clear();
        }
        own.insert((*hash, source), (directory.edition, Arc::new(Standing::clone(standing))));
    }
}
