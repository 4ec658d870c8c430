//! Where passwords come from: a file, the environment, or a person at a terminal. Never an argument, which
//! everybody on the host can read.

use std::{
    env,
    fs::File,
    future::poll_fn,
    io::{self, IsTerminal as _},
    path::Path,
    process::{self, Command},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError, mpsc},
    task::Poll,
    thread,
};

use tokio::{
    runtime::Builder,
    signal::unix::{SignalKind, signal},
};

use crate::{
    bounded,
    failure::{Failure, While as _},
    output,
};

/// Bytes of a file that has a password, at most.
const FILE_MAX: u64 = 64 * 1024;

/// The password of one administrator.
pub(crate) fn password(of: &str, file: Option<&Path>, variable: &str) -> Result<String, Failure> {
    if let Some(path) = file {
        let text = read_file(path).doing(path.display().to_string())?;
        return Ok(without_line_end(&text).to_owned());
    }
    if let Some(password) = env::var(variable).ok().filter(|password| !password.is_empty()) {
        return Ok(password);
    }
    if io::stdin().is_terminal() {
        return ask(of);
    }
    Err(format!("there is no password for {of}: give a file, or {variable}, or run this at a terminal").into())
}

fn read_file(path: &Path) -> io::Result<String> {
    String::from_utf8(bounded::read(File::open(path)?, FILE_MAX)?).map_err(|_| io::Error::other("it is no text"))
}

/// A file's last line end is its editor's, not the password's.
pub(crate) fn without_line_end(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

fn ask(of: &str) -> Result<String, Failure> {
    let password = prompt(&format!("Password for {of}: "))?;
    if prompt("The same again: ")? == password {
        return Ok(password);
    }
    Err("the two passwords differ".into())
}

/// Asks for a line that nobody sees.
pub(crate) fn prompt(question: &str) -> Result<String, Failure> {
    let _silence = Silence::begin()?;
    output::question(question)?;
    let mut line = String::new();
    io::stdin().read_line(&mut line)?;
    output::note("");
    Ok(without_line_end(&line).to_owned())
}

/// Whether the terminal's echo is off. Whoever switches it holds this until the terminal has done it.
static IS_SILENT: Mutex<bool> = Mutex::new(false);

/// A terminal that does not show what is typed, until dropped, or until a signal ends the process.
struct Silence;

impl Silence {
    fn begin() -> Result<Self, Failure> {
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

/// From the first question on, a signal that ends the process gives the terminal its echo back first.
fn mind_signals() -> Result<(), Failure> {
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

/// Standard input, inherited, is the terminal that stty works on.
fn stty(mode: &str) -> Result<(), Failure> {
    let status = Command::new("stty").arg(mode).status().doing("stty")?;
    if status.success() { Ok(()) } else { Err(format!("stty {mode} failed: {status}").into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gives_its_first_line_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        for (content, expected) in [("a b ", "a b "), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n")] {
            let path = folder.path().join("password");
            std::fs::write(&path, content).unwrap();
            assert_eq!(password("Admin1", Some(&path), "CHANCERY_NO_SUCH").unwrap(), expected);
        }
    }
}
