//! What every handler can reach: the door, and little else.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use chancery_core::{Chancery, Error};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

/// Large bodies in memory at a time: each is up to 90 MiB as it came and 64 MiB decoded.
const LARGE_BODIES_MAX: usize = 4;

/// The state of the router. Derefs to the door, so that a handler says `app.tokenize(…)`.
#[derive(Clone)]
pub(crate) struct App {
    chancery: Arc<Chancery>,
    large_bodies: Arc<Semaphore>,
    /// Whether the server is about to stop.
    draining: Arc<AtomicBool>,
}

impl App {
    pub(crate) fn new(chancery: Arc<Chancery>) -> Self {
        Self { chancery, large_bodies: Arc::new(Semaphore::new(LARGE_BODIES_MAX)), draining: Arc::default() }
    }

    /// From now on the server is not ready: nobody is to send it new calls, though it answers them.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Waits until there is room for one more large body; RateLimited when that takes too long.
    pub(crate) async fn room_for_large_body(&self) -> Result<OwnedSemaphorePermit, Error> {
        let room = Arc::clone(&self.large_bodies).acquire_owned();
        let room = time::timeout(self.limits().pool_wait_max, room).await;
        room.map_err(|_| Error::busy("Too many large bodies are being worked on; try again.", 1))?
            .map_err(Error::internal)
    }
}

impl Deref for App {
    type Target = Arc<Chancery>;

    fn deref(&self) -> &Arc<Chancery> {
        &self.chancery
    }
}
