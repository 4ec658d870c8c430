//! Signals that end a command: it leaves the terminal as it was, and no half of a file.

use std::{
    future::poll_fn,
    io,
    process::{self, Command},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError, mpsc},
    task::Poll,
    thread,
};

use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

use crate::failure::{Failure, While as _};

/// From now on a signal that ends the process gives the terminal its echo back first, and removes what is being written and
/// has not its name yet.
pub(crate) fn mind_signals() -> Result<(), Failure> {
    static MINDED: OnceLock<Result<(), String>> = OnceLock::new();
    let minded = MINDED.get_or_init(|| {
        let (tell, told) = mpsc::channel();
        // A thread of its own: some commands ask from within a runtime.
        thread::spawn(move || {
            let ended = wait_for_the_end(|| {
                let _it_waits = tell.send(Ok(()));
            });
            match ended {
                Ok(signal) => {
                    // Held until the end: nobody switches the echo off again.
                    let mut is_silent = Silence::locked();
                    Silence::end(&mut is_silent);
                    chancery_client::remove_unfinished();
                    process::exit(128 + signal);
                }
                Err(error) => {
                    let _it_waits = tell.send(Err(error.to_string()));
                }
            }
        });
        told.recv().unwrap_or_else(|error| Err(error.to_string()))
    });
    minded.clone().map_err(Failure::from)
}

/// The number of the signal that shall end the process. From `ready` on none of them does so by itself.
pub(crate) fn wait_for_the_end(ready: impl FnOnce()) -> io::Result<i32> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let kinds = [SignalKind::interrupt(), SignalKind::quit(), SignalKind::terminate(), SignalKind::hangup()];
        let ends = kinds.into_iter().map(|kind| Ok((kind, signal(kind)?)));
        let mut ends = ends.collect::<io::Result<Vec<_>>>()?;
        ready();
        let first = poll_fn(|context| {
            let came = ends.iter_mut().find_map(|(kind, signal)| signal.poll_recv(context).is_ready().then_some(*kind));
            came.map_or(Poll::Pending, Poll::Ready)
        });
        Ok(first.await.as_raw_value())
    })
}

/// Whether the terminal's echo is off. Whoever switches it holds this until the terminal has done it.
static IS_SILENT: Mutex<bool> = Mutex::new(false);

/// A terminal that does not show what is typed, until dropped, or until a signal ends the process.
pub(crate) struct Silence;

impl Silence {
    pub(crate) fn begin() -> Result<Self, Failure> {
        mind_signals()?;
        // Where this fails, the lock is given back before the echo is.
        let silence = Self;
        let mut is_silent = Self::locked();
        *is_silent = true;
        stty("-echo")?;
        Ok(silence)
    }

    fn end(is_silent: &mut bool) {
        if std::mem::take(is_silent) {
            let _best_effort = stty("echo");
        }
    }

    fn locked() -> MutexGuard<'static, bool> {
        IS_SILENT.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        Self::end(&mut Self::locked());
    }
}

/// Standard input, inherited, is the terminal that stty works on.
fn stty(mode: &str) -> Result<(), Failure> {
    let status = Command::new("stty").arg(mode).status().doing("stty")?;
    if status.success() { Ok(()) } else { Err(format!("stty {mode} failed: {status}").into()) }
}
