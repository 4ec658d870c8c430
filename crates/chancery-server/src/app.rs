//! What every handler can reach: the door, and little else.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::response::Response;
use chancery_core::{BodyLimits, Chancery, Error, Source};
use chancery_types::IdentityId;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

use crate::{
    answer::room::AnswerRoom,
    shares::{Share, Shares},
};

/// Large bodies in memory at a time: each is up to 90 MiB as it came and 64 MiB decoded.
const LARGE_BODIES_MAX: usize = 4;

/// The state of the router. Derefs to the door, so that a handler says `app.tokens.tokenize(…)`.
#[derive(Clone)]
pub(crate) struct App {
    chancery: Arc<Chancery>,
    large_bodies: Arc<Semaphore>,
    bodies: Arc<Bodies>,
    answers: Arc<AnswerRoom>,
    /// Whether the server is about to stop.
    draining: Arc<AtomicBool>,
}

/// What bodies hold while they come.
struct Bodies {
    /// Of those who are not known yet.
    of_visitors: Shares<Source>,
    /// Of callers, in memory.
    in_memory: Shares<IdentityId>,
    /// Of callers, on disk.
    on_disk: Shares<IdentityId>,
}

impl Bodies {
    fn new(limits: &BodyLimits) -> Self {
        Self {
            of_visitors: Shares::new(limits.visitor_bytes_max, limits.visitor_bytes_per_source_max),
            in_memory: Shares::new(limits.body_memory_max, limits.body_memory_per_caller_max),
            on_disk: Shares::new(limits.spool_max, limits.spool_per_caller_max),
        }
    }
}

impl App {
    pub(crate) fn new(chancery: Arc<Chancery>) -> Self {
        let limits = &chancery.limits().bodies;
        let (bodies, answers) = (Arc::new(Bodies::new(limits)), Arc::new(AnswerRoom::new(limits)));
        Self {
            chancery,
            bodies,
            answers,
            large_bodies: Arc::new(Semaphore::new(LARGE_BODIES_MAX)),
            draining: Arc::default(),
        }
    }

    /// From now on the server is not ready: nobody is to send it new calls, though it answers them.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// The share of a body that comes from somebody who is not known yet.
    pub(crate) fn visitor_bytes(&self, source: Source) -> Share<Source> {
        self.bodies.of_visitors.of(source)
    }

    /// The share of the memory of a large body.
    pub(crate) fn body_memory(&self, caller: IdentityId) -> Share<IdentityId> {
        self.bodies.in_memory.of(caller)
    }

    /// The share of the disk of a large body.
    pub(crate) fn body_disk(&self, caller: IdentityId) -> Share<IdentityId> {
        self.bodies.on_disk.of(caller)
    }

    /// An answer, if it is large in its share of the memory.
    pub(crate) fn let_through(&self, answer: Response) -> Response {
        self.answers.let_through(answer)
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
