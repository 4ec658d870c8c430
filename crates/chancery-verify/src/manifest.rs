//! Manifests: what stands for many items when people approve them.

use std::fmt::Write as _;

use chancery_keys::hash;
use chancery_types::HashType;

/// What stands for a manifest when people approve it: SHA-256 of its lines, each a digest in hexadecimal digits, two
/// spaces, a name and a line feed, as `sha256sum` and its like print them. A name has no control characters, so no two
/// manifests have the same lines.
#[must_use]
pub fn manifest_digest<'a>(items: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut lines = String::new();
    for (name, digest) in items {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{}  {name}", hex::encode(digest));
    }
    hash(HashType::Sha2_256, lines.as_bytes()).as_bytes().to_vec()
}
