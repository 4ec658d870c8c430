//! The connections of one socket: who may have one more, and which one ends where there are too many.

use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use chancery_core::Source;
use tokio::{
    net::TcpStream,
    sync::watch,
    task::{AbortHandle, JoinSet},
};

use super::{
    Site,
    connection::{self, ConnectionState},
    per_source::{ConnectionSlot, ConnectionsPerSource},
};

/// How long a connection may ask nothing, while another has no slot.
const PATIENCE: Duration = Duration::from_secs(1);

/// All of them.
pub(super) struct Connections {
    site: Arc<Site>,
    stop: watch::Receiver<bool>,
    pub(super) tasks: JoinSet<()>,
    places: ConnectionsPerSource,
    /// The oldest first.
    open: VecDeque<Open>,
}

struct Open {
    state: Arc<ConnectionState>,
    task: AbortHandle,
    /// How many calls had begun when they were last looked at, and since when.
    begun: usize,
    since: Instant,
}

/// What would be lost with a connection, the least first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Loss {
    /// Nothing has begun on it for a while, and nothing is in flight.
    Idle,
    /// A call of nobody known has been in flight for a while.
    Slow,
    /// Somebody not known has just asked something.
    Fresh,
}

impl Open {
    fn source(&self) -> Option<Source> {
        self.state.source.get().copied()
    }

    /// None where somebody known would lose a call, or has just asked something.
    fn loss(&mut self) -> Option<Loss> {
        let begun = self.state.begun();
        if begun != self.begun {
            (self.begun, self.since) = (begun, Instant::now());
        }
        let has_waited = self.since.elapsed() >= PATIENCE;
        if has_waited && self.state.is_idle() {
            return Some(Loss::Idle);
        }
        let lost = if has_waited { Loss::Slow } else { Loss::Fresh };
        (!self.state.has_known_caller()).then_some(lost)
    }
}

/// A connection that was accepted, and the place of its source, unless it is a trusted proxy's.
pub(super) struct Arrived {
    stream: TcpStream,
    peer: IpAddr,
    place: Option<ConnectionSlot>,
}

impl Connections {
    pub(super) fn new(site: Arc<Site>, stop: watch::Receiver<bool>) -> Self {
        Self { site, stop, tasks: JoinSet::new(), places: ConnectionsPerSource::default(), open: VecDeque::new() }
    }

    /// Takes a connection's measure; one too many of its source is closed at once, so that those behind it in the
    /// system's queue need not wait for its end.
    pub(super) fn arrived(&self, stream: TcpStream) -> Option<Arrived> {
        let bounds = &self.site.bounds;
        let peer = stream.peer_addr().ok()?.ip().to_canonical();
        let place = if bounds.trusted_proxies.trusts(peer) {
            None
        } else {
            Some(self.places.take(peer.into(), bounds.connections_of_source_max())?)
        };
        Some(Arrived { stream, peer, place })
    }

    /// Serves a connection, or gives it back where there is no slot for it yet: then another is ended, if one can be spared.
    pub(super) fn take(&mut self, arrived: Arrived) -> Option<Arrived> {
        if self.tasks.len() >= self.site.bounds.connections_max {
            self.make_room(arrived.peer.into());
            return Some(arrived);
        }
        let Arrived { stream, peer, place } = arrived;
        let state = Arc::new(ConnectionState::default());
        if place.is_some() {
            let _told_once = state.source.set(peer.into());
        }
        let handled = connection::handle(
            stream,
            peer,
            Arc::clone(&self.site),
            (Arc::clone(&state), self.places.clone()),
            self.stop.clone(),
        );
        let task = self.tasks.spawn(async move {
            handled.await;
            drop(place);
        });
        if self.open.len() >= 2 * self.site.bounds.connections_max {
            self.open.retain(|open| !open.task.is_finished());
        }
        self.open.push_back(Open { state, task, begun: 0, since: Instant::now() });
        None
    }

    /// Ends the oldest connection that has never asked anything. Where all have, one of the source that has most, if that is
    /// more than the newcomer's: else a few sources could hold all connections for good. A trusted proxy's own are left.
    fn make_room(&mut self, newcomer: Source) {
        self.open.retain(|open| !open.task.is_finished());
        let is_silent = |open: &Open| open.source().is_some() && open.state.begun() == 0;
        let spared = match self.open.iter_mut().enumerate().find(|(_, open)| is_silent(open)) {
            // The others are younger.
            Some((index, silent)) => (silent.loss() == Some(Loss::Idle)).then_some(index),
            None => self.of_the_largest(newcomer),
        };
        if let Some(open) = spared.and_then(|index| self.open.remove(index)) {
            open.task.abort();
        }
    }

    fn of_the_largest(&mut self, newcomer: Source) -> Option<usize> {
        let counted = self.open.iter().filter_map(Open::source).map(|source| (self.places.of(source), source));
        let (count, most) = counted.max_by_key(|(count, _)| *count)?;
        if count <= self.places.of(newcomer) {
            return None;
        }
        let theirs = self.open.iter_mut().enumerate().filter(|(_, open)| open.source() == Some(most));
        theirs.filter_map(|(index, open)| Some((open.loss()?, index))).min().map(|(_, index)| index)
    }
}
