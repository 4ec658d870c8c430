//! Files that are written as a whole or not at all, for their owner alone.

use std::{
    io::{self, Write as _},
    path::Path,
};

use chancery_client::{Readers, Writers, replace_file};

/// Puts a file with mode 0600 in place at once: a reader sees the old content or the new one, also after a crash. One
/// process at a time.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_file(path, Readers::Owner, Writers::One, |file| file.write_all(content))
}

/// The same where several processes may do it at the same time: the last one wins as a whole.
pub(crate) fn replace_beside_others(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_file(path, Readers::Owner, Writers::Several, |file| file.write_all(content))
}
