//! The root key file: made once, with mode 0600, and refused when it is not as it was made.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use chancery_keys::{Custodian, RootKey, RootKeyFileError, RootKeySource};

fn refusal(path: &Path) -> String {
    RootKey::from_file(path).err().map(|error| error.to_string()).unwrap_or_default()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_new_file_has_32_bytes_and_mode_0600_and_is_read_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("root.key");
    let made = Custodian::new(RootKey::create_file(&path).unwrap()).unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.len(), metadata.permissions().mode() & 0o7777), (32, 0o600));
    let read = Custodian::new(RootKeySource::File(path).load().unwrap()).unwrap();
    assert_eq!(read.root_key_id(), made.root_key_id());
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("root.key");
    fs::write(&path, "mine").unwrap();
    assert!(matches!(RootKey::create_file(&path), Err(RootKeyFileError::Exists(_))));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

#[test]
fn only_the_owner_may_have_access() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("root.key");
    drop(RootKey::create_file(&path).unwrap());
    for mode in [0o601, 0o602, 0o604, 0o610, 0o620, 0o640, 0o644, 0o660, 0o666, 0o777] {
        set_mode(&path, mode);
        let refused = refusal(&path);
        assert!(refused.contains(&format!("mode {mode:04o}")), "{refused}");
    }
    for mode in [0o400, 0o600, 0o700] {
        set_mode(&path, mode);
        assert_eq!(refusal(&path), "", "{mode:o}");
    }
}

#[test]
fn a_root_key_is_exactly_32_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("root.key");
    for len in [0, 1, 31, 33, 64] {
        fs::write(&path, vec![1; len]).unwrap();
        set_mode(&path, 0o600);
        let refused = refusal(&path);
        assert!(refused.contains(&format!("has {len} bytes")), "{refused}");
    }
}

#[test]
fn missing_files_directories_and_pipes_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.key");
    assert!(matches!(RootKey::from_file(&missing), Err(RootKeyFileError::Missing(path)) if path == missing));
    assert!(matches!(RootKey::from_file(directory.path()), Err(RootKeyFileError::NotRegular(_))));

    // A pipe that nobody writes to: refused, not waited for.
    let pipe = directory.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg("-m").arg("600").arg(&pipe).status().unwrap().success());
    assert!(matches!(RootKey::from_file(&pipe), Err(RootKeyFileError::NotRegular(_))));
}

#[test]
fn a_link_is_judged_by_the_file_it_names() {
    let directory = tempfile::tempdir().unwrap();
    let (path, link) = (directory.path().join("root.key"), directory.path().join("link.key"));
    drop(RootKey::create_file(&path).unwrap());
    symlink(&path, &link).unwrap();
    assert_eq!(refusal(&link), "");
    set_mode(&path, 0o644);
    assert!(matches!(RootKey::from_file(&link), Err(RootKeyFileError::Permissions { mode: 0o644, .. })));
}
