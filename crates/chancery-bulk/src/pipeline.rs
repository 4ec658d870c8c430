//! One thread reads pieces, several work on them, and the calling one writes them in the order in which they were read.
//!
//! Worker after worker gets one, and worker after worker is asked for what it made: so the order stays without anybody
//! sorting, and no more pieces are in memory than a few for each worker.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::sync_channel,
    },
    thread,
};

use crate::error::Result;

/// Pieces that wait for a worker, and that wait for the writer, for each worker.
const WAITING: usize = 1;

/// Runs until there is nothing more to read, or until something fails; then everything before that is written.
pub(crate) fn run<I: Send, O: Send>(
    workers: usize,
    stop: &AtomicBool,
    mut read: impl FnMut() -> Result<Option<I>> + Send,
    work: impl Fn(I) -> Result<O> + Sync,
    mut write: impl FnMut(O) -> Result<()>,
) -> Result<()> {
    thread::scope(|scope| {
        let (mut to, mut from) = (Vec::new(), Vec::new());
        for _ in 0..workers {
            let (give, taken) = sync_channel::<Result<I>>(WAITING);
            let (hand, made) = sync_channel::<Result<O>>(WAITING);
            let work = &work;
            scope.spawn(move || {
                for piece in taken {
                    if hand.send(piece.and_then(work)).is_err() {
                        return;
                    }
                }
            });
            to.push(give);
            from.push(made);
        }
        scope.spawn(move || {
            for worker in to.iter().cycle() {
                let Some(piece) = read().transpose() else { return };
                let is_last = piece.is_err();
                if worker.send(piece).is_err() || is_last {
                    return;
                }
            }
        });
        // A worker without a further piece has ended: all before it were written.
        let outcome = from.iter().cycle().map_while(|made| made.recv().ok()).try_for_each(|made| write(made?));
        stop.store(true, Ordering::Relaxed);
        drop(from);
        outcome
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BulkError;

    #[test]
    fn pieces_are_written_in_order_up_to_the_first_failure() {
        for (fails_at, expected) in [(None, 100), (Some(37), 37), (Some(0), 0)] {
            let stop = AtomicBool::new(false);
            let mut next = 0..100;
            let mut written = Vec::new();
            let work = |piece| if Some(piece) == fails_at { Err(BulkError::Stopped) } else { Ok(piece) };
            let outcome = run(
                3,
                &stop,
                || Ok(next.next()),
                work,
                |piece| {
                    written.push(piece);
                    Ok(())
                },
            );
            assert_eq!(outcome.is_err(), fails_at.is_some());
            assert_eq!(written, (0..expected).collect::<Vec<_>>());
            assert!(stop.into_inner());
        }
    }

    #[test]
    fn a_writer_that_fails_and_a_reader_that_fails_end_it() {
        let stop = AtomicBool::new(false);
        let full = run(2, &stop, || Ok(Some(1)), Ok, |_| Err(BulkError::Stopped));
        assert!(full.is_err());
        let mut written = 0;
        let mut read = [Ok(Some(1)), Ok(Some(2)), Err(BulkError::Stopped)].into_iter();
        let damaged = run(
            2,
            &stop,
            || read.next().unwrap_or(Ok(None)),
            Ok,
            |piece| {
                written += piece;
                Ok(())
            },
        );
        assert!(damaged.is_err());
        assert_eq!(written, 3);
    }
}
