//! What one connection, and all of them, may cost. The limits of what a request holds are in core.

use std::time::Duration;

use super::TrustedProxies;

/// The limits of the transport.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Connections at a time on one socket. Each costs an open file, of which the store and the log need some, too.
    pub connections_max: usize,
    /// Connections of one source among them; half of them unless it is set, so that nobody has them all.
    pub connections_per_source_max: Option<usize>,
    /// Who may have any number of connections, and says from whom they are.
    pub trusted_proxies: TrustedProxies,
    /// How long a TLS handshake may take.
    pub handshake_max: Duration,
    /// How long the head of a request may take, and how long a connection may wait for its next request; a fifth more
    /// may go by until it is noticed.
    pub head_max: Duration,
    /// How long a client may refuse to take any byte of its answer.
    pub write_stall_max: Duration,
    /// Bytes of a request's head, all header fields together.
    pub head_bytes_max: u32,
    /// Requests at a time on one HTTP/2 connection.
    pub streams_max: u32,
    /// The same until one of them was of somebody who is logged in; more wait for their turn.
    pub streams_before_login_max: u32,
    /// How long the calls in flight may take to finish when the server stops.
    pub stop_max: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections_max: connections_default(),
            connections_per_source_max: None,
            trusted_proxies: TrustedProxies::default(),
            handshake_max: Duration::from_secs(10),
            head_max: Duration::from_secs(30),
            write_stall_max: Duration::from_secs(30),
            head_bytes_max: 32 * 1024,
            streams_max: 100,
            streams_before_login_max: 8,
            stop_max: Duration::from_secs(30),
        }
    }
}

impl Bounds {
    /// Connections that one source may have.
    pub(super) fn connections_of_source_max(&self) -> usize {
        self.connections_per_source_max.unwrap_or(self.connections_max / 2).max(1)
    }
}

/// Three quarters of the files that this process may open, and 8,192 at most.
fn connections_default() -> usize {
    const MANY: usize = 8_192;
    /// What Linux allows a process unless told otherwise.
    const FILES_DEFAULT: usize = 1_024;
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let soft = files.and_then(|values| values.split_whitespace().next()?.parse().ok()).unwrap_or(FILES_DEFAULT);
    (soft / 4 * 3).min(MANY)
}
