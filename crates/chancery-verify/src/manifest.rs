//! What people approve: what stands for a manifest's many items, and for all that one signature covers.

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

/// What an approval is of, where a signature covers more than a digest: SHA-256 of `chancery approval 1` and a line feed,
/// then a line for each part as `sha256sum` prints it: the digest itself as `digest`, and SHA-256 of what else is signed by
/// its name in the interface. The first line is none of a manifest's.
#[must_use]
pub fn approval_digest<'a>(digest: &[u8], others: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut lines = format!("chancery approval 1\n{}  digest\n", hex::encode(digest));
    for (name, content) in others {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "{}  {name}", hex::encode(hash(HashType::Sha2_256, content).as_bytes()));
    }
    hash(HashType::Sha2_256, lines.as_bytes()).as_bytes().to_vec()
}
