//! The connections of one socket: who may have one more, and which one ends where there are too many.

use std::{
    collections::VecDeque,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    net::TcpStream,
    sync::watch,
    task::{AbortHandle, JoinSet},
};

use super::{
    Site,
    connection::{self, Counts},
    per_source::{ConnectionSlot, ConnectionsPerSource},
};

/// How long a connection may stay silent while another has no place.
const PATIENCE: Duration = Duration::from_secs(1);

/// All of them.
pub(super) struct Connections {
    site: Arc<Site>,
    stop: watch::Receiver<bool>,
    pub(super) tasks: JoinSet<()>,
    places: ConnectionsPerSource,
    /// Those that had asked nothing when they were looked at last, the oldest first.
    silent: VecDeque<Silent>,
}

struct Silent {
    since: Instant,
    counts: Arc<Counts>,
    task: AbortHandle,
}

impl Silent {
    fn is_still(&self) -> bool {
        !self.task.is_finished() && !self.counts.has_begun()
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
        Self { site, stop, tasks: JoinSet::new(), places: ConnectionsPerSource::default(), silent: VecDeque::new() }
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

    /// Serves a connection, or gives it back where there is no slot for it yet: then a silent one is ended.
    pub(super) fn take(&mut self, arrived: Arrived) -> Option<Arrived> {
        if self.tasks.len() >= self.site.bounds.connections_max {
            self.make_room();
            return Some(arrived);
        }
        let Arrived { stream, peer, place } = arrived;
        let counts = Arc::new(Counts::default());
        let handled = connection::handle(
            stream,
            peer,
            Arc::clone(&self.site),
            (Arc::clone(&counts), self.places.clone()),
            self.stop.clone(),
        );
        let task = self.tasks.spawn(async move {
            handled.await;
            drop(place);
        });
        if self.silent.len() >= 2 * self.site.bounds.connections_max {
            self.silent.retain(Silent::is_still);
        }
        self.silent.push_back(Silent { since: Instant::now(), counts, task });
        None
    }

    /// Ends the connection that has been silent for longest. One that has asked something is not touched, and nothing
    /// is in flight on one that has not.
    fn make_room(&mut self) {
        while let Some(oldest) = self.silent.front() {
            if oldest.is_still() {
                if oldest.since.elapsed() >= PATIENCE {
                    oldest.task.abort();
                    self.silent.pop_front();
                }
                return;
            }
            self.silent.pop_front();
        }
    }
}
