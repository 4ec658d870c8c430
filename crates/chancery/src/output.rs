//! Standard output, which is what a command answers, and what it tells beside that on standard error.

use std::{
    fmt, fs,
    io::{self, IsTerminal, Write as _},
    os::fd::AsFd,
    os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _},
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use chancery_client::Destination;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{FileType, OFlags, fstat},
};

use crate::failure::{Failure, While as _};

/// Whether somebody has closed the other end before all was written.
static IS_CUT: AtomicBool = AtomicBool::new(false);

/// How many of something that is called so.
pub(crate) fn counted(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Whether what is written there can come to somebody, as far as that can be known before.
pub(crate) fn is_read(place: &Destination) -> Result<bool, Failure> {
    match place {
        Destination::Standard => is_standard_read(),
        Destination::Into(path) if fs::metadata(path)?.file_type().is_char_device() => {
            let terminal = OFlags::NOCTTY.bits().cast_signed();
            Ok(!keeps_nothing(&fs::OpenOptions::new().append(true).custom_flags(terminal).open(path)?)?)
        }
        Destination::Into(_) | Destination::Replaced(_) => Ok(true),
    }
}

/// A device shows what is written into it where it is a terminal; /dev/null, /dev/full and the like keep nothing, under
/// whatever names. Standard output is one of them too where a program is begun without any.
fn keeps_nothing(opened: &(impl AsFd + IsTerminal)) -> io::Result<bool> {
    let kind = FileType::from_raw_mode(fstat(opened)?.st_mode);
    Ok(kind == FileType::CharacterDevice && !opened.is_terminal())
}

fn is_standard_read() -> Result<bool, Failure> {
    let output = io::stdout();
    let keeps_nothing = keeps_nothing(&output).doing("standard output")?;
    let mut ends = [PollFd::new(&output, PollFlags::OUT)];
    poll(&mut ends, Some(&Timespec::default())).map_err(io::Error::from).doing("standard output")?;
    let is_closed = ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP);
    Ok(!is_closed && !keeps_nothing)
}

/// Whether standard output is a terminal: asked once, and not for each value.
pub(crate) fn is_terminal() -> bool {
    static IS_TERMINAL: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());
    *IS_TERMINAL
}

/// Whether that was so until all was written.
pub(crate) fn was_read() -> bool {
    !IS_CUT.load(Ordering::Relaxed)
}

/// Writes a line. Whoever has closed the other end has read what they wanted; that no room is left for an answer is a
/// failure.
pub(crate) fn line(text: impl fmt::Display) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            IS_CUT.store(true, Ordering::Relaxed);
            Ok(())
        }
        outcome => outcome.doing("standard output"),
    }
}

/// Tells something on standard error. Whoever closed it does not want to know; the command goes on.
pub(crate) fn note(text: impl fmt::Display) {
    let _told = writeln!(io::stderr(), "{text}");
}

/// Asks something at the terminal, without a line end.
pub(crate) fn question(text: &str) -> Result<(), Failure> {
    let mut terminal = io::stderr().lock();
    Ok(write!(terminal, "{text}").and_then(|()| terminal.flush())?)
}

/// The same without a line end.
pub(crate) fn part(text: &str) {
    let mut terminal = io::stderr().lock();
    let _told = write!(terminal, "{text}").and_then(|()| terminal.flush());
}
