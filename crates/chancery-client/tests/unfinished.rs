//! What a process removes that is about to end. In a process of its own, since it removes what every thread is writing.

use std::{fs, io};

use chancery_client::{Readers, Writers, remove_unfinished, replace_file};

#[test]
fn what_is_unfinished_can_be_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file");
    let made: io::Result<()> = replace_file(&path, Readers::Mask, Writers::Several, |_| {
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        remove_unfinished();
        Ok(())
    });
    assert_eq!(made.expect_err("it has no name").kind(), io::ErrorKind::NotFound);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
