//! Files that are written as a whole or not at all, most of them for their owner alone.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// Puts a file with mode 0600 in place at once: a reader sees the old content or the new one, also after a crash. One
/// process at a time.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_by(path, ".new", 0o600, |file| file.write_all(content))
}

/// The same where several processes may do it at the same time: the last one wins as a whole.
pub(crate) fn replace_beside_others(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_by(path, &suffix(), 0o600, |file| file.write_all(content))
}

/// The same for what is no secret, and for what makes the content: everybody whom the user lets read new files reads it.
pub(crate) fn replace_readable<E: From<io::Error>>(
    path: &Path,
    make: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    replace_by(path, &suffix(), 0o666, make)
}

fn suffix() -> String {
    format!(".{}.new", std::process::id())
}

fn replace_by<E: From<io::Error>>(
    path: &Path,
    suffix: &str,
    mode: u32,
    make: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    let fresh = folder.join(name);
    // What an interrupted writer left behind may have any mode.
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().read(true).write(true).create_new(true).mode(mode).open(&fresh)?;
    let put = make(&mut file).and_then(|()| Ok(file.sync_all().and_then(|()| fs::rename(&fresh, path))?));
    if let Err(error) = put {
        // Why it failed is what the caller has to know.
        let _left_behind = fs::remove_file(&fresh);
        return Err(error);
    }
    Ok(File::open(folder)?.sync_all()?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_owner_alone_reads_the_whole_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(folder.path().join("secret.new"), "left behind").unwrap();
        for content in ["one", "the other"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
