//! Requests at a time of an HTTP/2 connection on which nobody has said yet who they are.

use std::{sync::Arc, time::Duration};

use chancery_core::Error;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time,
};

/// The turns of one connection's requests: few, until one of them was a known caller's.
#[derive(Debug)]
pub(super) struct StreamTurns {
    turns: Arc<Semaphore>,
    /// How many more there are from then on.
    more: usize,
}

impl StreamTurns {
    pub(super) fn new(few: u32, all: u32) -> Self {
        let turns = Arc::new(Semaphore::new(few as usize));
        Self { turns, more: all.saturating_sub(few) as usize }
    }

    /// The first caller was authenticated on this connection.
    pub(super) fn caller_is_known(&self) {
        self.turns.add_permits(self.more);
    }

    /// A turn where nobody is before this request.
    pub(super) fn turn_at_once(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.turns).try_acquire_owned().ok()
    }

    /// Waits for a turn. A client of ours that sends a hundred requests at once waits until the first of them was
    /// looked at; who never says who they are has the others refused.
    pub(super) async fn turn(&self, patience: Duration) -> Result<OwnedSemaphorePermit, Error> {
        let turn = time::timeout(patience, Arc::clone(&self.turns).acquire_owned()).await;
        let turn = turn.map_err(|_| Error::busy("Too many requests at a time on one connection; log in first.", 1))?;
        turn.map_err(Error::internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn there_are_few_turns_until_somebody_is_known() {
        let stream_turns = StreamTurns::new(2, 5);
        let patience = Duration::from_millis(20);
        let mut held = vec![stream_turns.turn(patience).await.unwrap(), stream_turns.turn(patience).await.unwrap()];
        stream_turns.turn(patience).await.unwrap_err();
        stream_turns.caller_is_known();
        for _ in 2..5 {
            held.push(stream_turns.turn(patience).await.unwrap());
        }
        stream_turns.turn(patience).await.unwrap_err();
        drop(held);
        drop(stream_turns.turn(patience).await.unwrap());
    }
}
