//! A copy of the ledger, read line by line.

use std::ops::Range;

use chancery_types::Base64;
use chancery_x509::time::parse_rfc3339;
use serde::Deserialize;

use super::{archives::STAYS, fault::LedgerFault, leaf_hash};
use crate::log::tree::{self, Hash};

/// What is kept of a record.
pub(super) struct Record {
    pub(super) number: i64,
    pub(super) time_ms: i64,
    pub(super) leaf: Option<u64>,
    /// The leaf hash of what the copy has.
    pub(super) hash: Hash,
    /// The journal of which it says that records are missing.
    pub(super) missed: Option<String>,
    /// Which of the archives that were given beside the copy it is from; none where the copy itself has it.
    pub(super) archive: Option<usize>,
    /// Whether it stays at hand when those around it are archived and removed.
    pub(super) stays: bool,
}

/// All that a copy of the ledger has, as it was read: hashes of the records, the hashes that were stored when they became
/// leaves, and the checkpoints.
#[derive(Default)]
pub struct LedgerCopy {
    pub(super) records: Vec<Record>,
    pub(super) hashes: Vec<Hash>,
    pub(super) checkpoints: Vec<String>,
    pub(super) key: Option<String>,
    pub(super) unreadable: Vec<LedgerFault>,
    /// Over which leaves archives went, as the records of their making and removal say.
    pub(super) archives: Vec<Range<u64>>,
    /// Whether the sequencer may still make leaves of records in it. An export waits for that, and has leaves alone.
    pub(super) is_live: bool,
    /// Lines of what is being read, which is one of the archives or the copy itself.
    lines: u64,
    reads: Option<usize>,
}

/// What a line may have. A record's other members count by their bytes alone.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    number: Option<i64>,
    time: Option<String>,
    action: Option<String>,
    object_uuid: Option<String>,
    leaf: Option<u64>,
    leaf_hashes: Option<Base64>,
    checkpoint: Option<String>,
    ledger_key: Option<String>,
    unreadable_archive: Option<i64>,
}

/// A record of the making or the removal of an archive.
#[derive(Deserialize)]
struct ArchiveLine {
    detail: ArchiveDetail,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ArchiveDetail {
    first_leaf: u64,
    leaves: u64,
}

/// What a record is called that says over which leaves an archive goes, or went.
const ARCHIVES: [&str; 2] = ["AuditArchive", "AuditArchiveRemove"];

/// What a record is called that says that a journal, or a part of it, is not where it was written.
const JOURNAL_MISS: &str = "JournalMiss";

impl LedgerCopy {
    /// That of a store at work, in which records may be committed that are no leaves yet.
    #[must_use]
    pub fn live() -> Self {
        Self { is_live: true, ..Self::default() }
    }

    /// Reads the next line. One that is no part of a copy is a fault.
    pub fn push(&mut self, line: &str) {
        self.push_of(None, line);
    }

    /// Reads the next line of one of the archives that are given beside the copy.
    pub fn push_archived(&mut self, archive: usize, line: &str) {
        self.push_of(Some(archive), line);
    }

    fn push_of(&mut self, archive: Option<usize>, line: &str) {
        if self.reads != archive {
            (self.reads, self.lines) = (archive, 0);
        }
        self.lines += 1;
        if self.read(archive, line).is_none() {
            let line = self.lines;
            self.unreadable
                .push(archive.map_or(LedgerFault::Line { line }, |archive| LedgerFault::ArchiveLine { archive, line }));
        }
    }

    /// Whether any record is of this archive.
    #[must_use]
    pub fn has_archive(&self, archive: usize) -> bool {
        self.records.iter().any(|record| record.archive == Some(archive))
    }

    /// The key that the copy itself names.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Whether it has any records.
    #[must_use]
    pub fn has_records(&self) -> bool {
        !self.records.is_empty()
    }

    /// Whether it has anything but records, which alone prove nothing.
    #[must_use]
    pub fn has_ledger(&self) -> bool {
        self.key.is_some() || !self.hashes.is_empty() || !self.checkpoints.is_empty()
    }

    fn read(&mut self, archive: Option<usize>, line: &str) -> Option<()> {
        let parsed: Line = serde_json::from_str(line).ok()?;
        match parsed {
            Line { number: Some(number), time: Some(time), leaf, action, object_uuid, .. } => {
                let hash = leaf_hash(plain(line, leaf)?.as_bytes());
                if action.as_deref().is_some_and(|action| ARCHIVES.contains(&action))
                    && let Ok(ArchiveLine { detail: ArchiveDetail { first_leaf, leaves } }) = serde_json::from_str(line)
                {
                    self.archives.push(first_leaf..first_leaf.saturating_add(leaves));
                }
                let stays = action.as_deref().is_some_and(|action| STAYS.iter().any(|stays| stays.as_str() == action));
                let missed = object_uuid.filter(|_| action.as_deref() == Some(JOURNAL_MISS));
                let time_ms = parse_rfc3339(&time)?;
                self.records.push(Record { number, time_ms, leaf, hash, missed, archive, stays });
            }
            Line { leaf_hashes: Some(Base64(hashes)), .. } => self.hashes.extend(tree::hashes(&hashes)?),
            Line { unreadable_archive: Some(first_leaf), .. } => {
                self.unreadable.push(LedgerFault::Archive { first_leaf });
            }
            Line { checkpoint: Some(note), .. } => self.checkpoints.push(note),
            Line { ledger_key: Some(key), .. } if self.key.is_none() => self.key = Some(key),
            _ => return None,
        }
        Some(())
    }
}

/// The record as an export without `ledger` has it: `leaf` is the last member of a line and no part of the record.
fn plain(line: &str, leaf: Option<u64>) -> Option<String> {
    match leaf {
        None => Some(line.to_owned()),
        Some(leaf) => Some(line.strip_suffix(&format!(",\"leaf\":{leaf}}}"))?.to_owned() + "}"),
    }
}
