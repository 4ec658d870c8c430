//! What is in an archive: the lines of an export of the ledger, compressed.

use std::io::Read as _;

use chancery_store::tables::audit_archives::Row;
use chancery_types::{HashType, wire::audit::AuditRecord};
use chancery_verify::ledger::leaf_hash;
use chancery_verify::log::tree::Hash;

use crate::{Error, Result, time::parse_rfc3339};

/// How hard it is compressed: records are alike, and an archive is made once.
const LEVEL: i32 = 9;

/// Bytes of an archive's lines that are unpacked: several times what one is made with.
const LINES_MAX: u64 = 32 * 1024 * 1024;

/// A record of an archive.
pub(crate) struct Archived {
    pub(crate) leaf: i64,
    /// The bytes that are the leaf.
    pub(crate) record: String,
}

impl Archived {
    /// A line of an export: the leaf is its last member, and no part of the record.
    pub(super) fn of_line(line: &str) -> Option<Self> {
        let (record, leaf) = line.rsplit_once(",\"leaf\":")?;
        let leaf = leaf.strip_suffix('}')?.parse().ok()?;
        Some(Self { leaf, record: format!("{record}}}") })
    }

    pub(super) fn hash(&self) -> Hash {
        leaf_hash(self.record.as_bytes())
    }

    /// When it says that it was made.
    pub(super) fn at_ms(&self) -> Option<i64> {
        parse_rfc3339(&self.read().ok()?.time)
    }

    /// What it says.
    pub(crate) fn read(&self) -> Result<AuditRecord> {
        serde_json::from_str(&self.record).map_err(Error::internal)
    }
}

/// The records of some lines; none where one is no line of an archive.
pub(super) fn records(lines: &str) -> Option<Vec<Archived>> {
    lines.lines().map(Archived::of_line).collect()
}

pub(super) fn sha256(lines: &[u8]) -> Vec<u8> {
    chancery_keys::hash(HashType::Sha2_256, lines).as_bytes().to_vec()
}

pub(super) fn compressed(lines: &[u8]) -> Result<Vec<u8>> {
    zstd::stream::encode_all(lines, LEVEL).map_err(Error::internal)
}

/// The lines of an archive; none where they are not those that were put into it. No more than that is unpacked.
pub(super) fn lines_of(row: &Row) -> Option<String> {
    let bytes = u64::try_from(row.head.bytes).ok().filter(|bytes| *bytes <= LINES_MAX)?;
    let mut lines = Vec::new();
    zstd::stream::read::Decoder::new(&*row.lines).ok()?.take(bytes.saturating_add(1)).read_to_end(&mut lines).ok()?;
    let is_whole = lines.len() as u64 == bytes && sha256(&lines) == row.head.sha256;
    String::from_utf8(lines).ok().filter(|_| is_whole)
}
