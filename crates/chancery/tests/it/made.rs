//! A demonstration that was made once and stopped. Most tests start a copy of it: making one takes a second and a half of a
//! processor for its keys and tables, and they look at what it serves.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::LazyLock,
};

use chancery_testkit::temp_dir;

use crate::process::Demo;

struct Kept {
    path: PathBuf,
    mode: u32,
    bytes: Vec<u8>,
}

/// What stands in its data folder. In memory, since nobody would remove a folder at the end.
static MADE: LazyLock<Vec<Kept>> = LazyLock::new(|| {
    let folder = temp_dir();
    assert!(Demo::start(folder.path(), &[]).server.stop().success());
    let data = folder.path().join("data");
    let mut kept = Vec::new();
    keep(&data, &data, &mut kept);
    kept
});

fn keep(data: &Path, folder: &Path, kept: &mut Vec<Kept>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            keep(data, &path, kept);
            continue;
        }
        // Room that the journal takes beforehand, and makes again.
        if path.extension().is_some_and(|extension| extension == "part") {
            continue;
        }
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        let bytes = fs::read(&path).unwrap();
        kept.push(Kept { path: path.strip_prefix(data).unwrap().to_owned(), mode, bytes });
    }
}

/// Puts one into a folder that is not there yet.
pub(crate) fn put(data: &Path) {
    for Kept { path, mode, bytes } in &*MADE {
        let path = data.join(path);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().write(true).create_new(true).mode(*mode).open(&path).unwrap();
        file.write_all(bytes).unwrap();
    }
}
