//! Whose turn it is to read a list, or an upload: a few at a time, and caller after caller.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chancery_types::IdentityId;
use tokio::{sync::oneshot, time::timeout};

use crate::{Error, ListLimits, Result};

/// Who waits; a session has at least one member.
type Whose = Option<IdentityId>;

/// Turns to read what takes long or much memory.
#[derive(Default)]
pub(crate) struct ReadTurns {
    pub(crate) lists: Turns,
    /// Uploads, each of which is in memory as a whole.
    pub(crate) uploads: Turns,
    /// Searches of the journal.
    pub(crate) journals: Turns,
}

/// What is read at the same time, and who waits.
#[derive(Clone, Default)]
pub(crate) struct Turns(Arc<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    reading: usize,
    /// In the order of their turns; none of them is empty.
    callers: VecDeque<(Whose, VecDeque<oneshot::Sender<Turn>>)>,
}

/// The right to read one list, until it is dropped.
pub(crate) struct Turn(Turns);

impl Turns {
    /// Waits for a turn; RateLimited where too many of the same caller wait, or it takes too long.
    pub(crate) async fn wait(&self, whose: Whose, limits: &ListLimits) -> Result<Turn> {
        let coming = {
            let mut waiting = self.waiting();
            if waiting.reading < limits.at_once && waiting.callers.is_empty() {
                waiting.reading += 1;
                return Ok(Turn(self.clone()));
            }
            waiting.line_up(whose, limits.waiting_max)?
        };
        // Whoever goes away drops the turn with the answer, and so hands it on.
        timeout(limits.wait_max, coming).await.ok().and_then(|turn| turn.ok()).ok_or_else(busy)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn line_up(&mut self, whose: Whose, max: usize) -> Result<oneshot::Receiver<Turn>> {
        let known = self.callers.iter().position(|(caller, _)| *caller == whose);
        let place = known.unwrap_or_else(|| {
            self.callers.push_back((whose, VecDeque::new()));
            self.callers.len() - 1
        });
        let line = &mut self.callers[place].1;
        line.retain(|one| !one.is_closed());
        if line.len() >= max {
            return Err(busy());
        }
        let (turn, coming) = oneshot::channel();
        line.push_back(turn);
        Ok(coming)
    }

    /// Who is next: the first of the caller whose turn it is; then it is the next caller's.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let (whose, mut line) = self.callers.pop_front()?;
        let next = line.pop_front();
        if !line.is_empty() {
            self.callers.push_back((whose, line));
        }
        next
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        loop {
            let mut waiting = self.0.waiting();
            let Some(next) = waiting.next() else {
                waiting.reading = waiting.reading.saturating_sub(1);
                return;
            };
            // A turn that nobody takes is dropped by the channel, and locks the same.
            drop(waiting);
            if !next.is_closed() {
                drop(next.send(Turn(self.0.clone())));
                return;
            }
        }
    }
}

fn busy() -> Error {
    Error::busy("Too many calls of this kind at once; try again.", 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Meaning;

    fn limits_of(wait_max: Duration) -> ListLimits {
        ListLimits { at_once: 1, waiting_max: 2, wait_max, ..ListLimits::default() }
    }

    fn limits() -> ListLimits {
        limits_of(Duration::from_secs(60))
    }

    fn caller(number: u128) -> Whose {
        Some(uuid::Uuid::from_u128(number).into())
    }

    #[tokio::test]
    async fn callers_take_turns_however_many_lists_one_of_them_asks_for() {
        let (turns, limits) = (Turns::default(), limits());
        let reading = turns.wait(caller(1), &limits).await.unwrap();
        let (said, mut heard) = tokio::sync::mpsc::unbounded_channel();
        for (name, whose) in [("1a", 1), ("1b", 1), ("2a", 2)] {
            let (turns, limits, said) = (turns.clone(), limits.clone(), said.clone());
            let waits = {
                let turns = turns.clone();
                async move {
                    let turn = turns.wait(caller(whose), &limits).await.unwrap();
                    said.send(name).unwrap();
                    drop(turn);
                }
            };
            let before = lined_up(&turns);
            tokio::spawn(waits);
            while lined_up(&turns) == before {
                tokio::task::yield_now().await;
            }
        }
        let refused = turns.wait(caller(1), &limits).await.err().unwrap();
        assert_eq!((refused.meaning(), refused.retry_after_s()), (Meaning::Busy, Some(1)));
        drop(reading);
        let order = [heard.recv().await.unwrap(), heard.recv().await.unwrap(), heard.recv().await.unwrap()];
        assert_eq!(order, ["1a", "2a", "1b"]);
        assert_eq!(turns.waiting().reading, 0, "every turn came back");
    }

    fn lined_up(turns: &Turns) -> usize {
        turns.waiting().callers.iter().map(|(_, line)| line.len()).sum()
    }

    #[tokio::test]
    async fn a_list_that_would_wait_too_long_is_refused_and_its_turn_is_the_next_ones() {
        let limits = limits_of(Duration::from_millis(1));
        let turns = Turns::default();
        let reading = turns.wait(caller(1), &limits).await.unwrap();
        let refused = turns.wait(caller(2), &limits).await.err().unwrap();
        assert_eq!(refused.meaning(), Meaning::Busy);
        drop(reading);
        assert!(turns.wait(caller(2), &limits).await.is_ok());
    }
}
