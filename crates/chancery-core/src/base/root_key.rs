//! The root key of a new installation.

use std::path::Path;

use chancery_keys::{RootKey, RootKeyFileError};

/// Makes a new root key and writes it to a file that did not exist, readable by its owner alone.
pub fn create_root_key(path: &Path) -> Result<(), RootKeyFileError> {
    RootKey::create_file(path).map(drop)
}
