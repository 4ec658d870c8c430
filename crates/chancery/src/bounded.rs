//! Files that somebody names are read up to a bound.

use std::{fs::File, io, path::Path};

pub(crate) use chancery_client::read_bounded as read;

use crate::failure::{Failure, While as _};

/// Bytes of a file of certificates, a key, a configuration or a checkpoint, at most: far above any that is in use.
pub(crate) const FILE_MAX: u64 = 16 << 20;

/// A file that is named as `what`; where it cannot be read, the error says which one.
pub(crate) fn file(what: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    open(path).doing(named(what, path))
}

/// The same, of a text.
pub(crate) fn text(what: &str, path: &Path) -> Result<String, Failure> {
    open_text(path).doing(named(what, path))
}

/// All of a file, for whoever tells apart why it cannot be read.
pub(crate) fn open(path: &Path) -> io::Result<Vec<u8>> {
    read(File::open(path)?, FILE_MAX)
}

/// The same, of a text.
pub(crate) fn open_text(path: &Path) -> io::Result<String> {
    as_text(open(path)?)
}

/// What a file has that should be a text in UTF-8. Some editors begin one by a byte order mark, which is none of its
/// letters.
pub(crate) fn as_text(content: Vec<u8>) -> io::Result<String> {
    let text = String::from_utf8(content).map_err(|_| io::Error::other("it is no text in UTF-8"))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A file with the option that names it, where one does.
pub(crate) fn named(what: &str, path: &Path) -> String {
    let name = path.display();
    if what.is_empty() { name.to_string() } else { format!("{what} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest that is allowed is read; a device that never ends is not waited for.
    #[test]
    fn a_file_without_end_is_refused() {
        assert_eq!(read(&b"four"[..], 4).unwrap(), b"four");
        let error = file("--root", Path::new("/dev/zero")).unwrap_err();
        assert_eq!(crate::failure::describe(error.as_ref()), "--root /dev/zero: it is longer than 16777216 bytes");
        assert!(open_text(Path::new("/dev/zero")).is_err());
    }

    #[test]
    fn a_byte_order_mark_is_no_letter_of_a_text() {
        for (content, text) in [("\u{feff}secret\n", "secret\n"), ("a\u{feff}", "a\u{feff}"), ("", "")] {
            assert_eq!(as_text(content.as_bytes().to_vec()).unwrap(), text);
        }
        // UTF-16, as some shells write it.
        assert!(as_text(b"\xff\xfes\0".to_vec()).is_err());
    }
}
