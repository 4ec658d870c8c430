//! `--journal-dir` and `--journal-keep-days`

use std::path::{Path, PathBuf};

use chancery_core::JournalConfig;

use crate::failure::Failure;

/// Twelve months, as PCI DSS wants them, and some weeks in which to look.
const JOURNAL_KEEP_DAYS: u32 = 400;
const JOURNAL_KEEP_DAYS_MAX: u32 = 3_660;

/// A segment is made ahead, so this is taken from the disk twice; at 50,000 calls a second it is full within two seconds.
const JOURNAL_SEGMENT: usize = 16 << 20;

pub(super) fn of(data: &Path, folder: Option<PathBuf>, keep_days: Option<u32>) -> Result<JournalConfig, Failure> {
    let keep_days = keep_days.unwrap_or(JOURNAL_KEEP_DAYS);
    if !(1..=JOURNAL_KEEP_DAYS_MAX).contains(&keep_days) {
        return Err(format!("--journal-keep-days {keep_days}: 1 to {JOURNAL_KEEP_DAYS_MAX} days").into());
    }
    let folder = folder.unwrap_or_else(|| data.join("journal"));
    Ok(JournalConfig { folder, segment_bytes: JOURNAL_SEGMENT, keep_days })
}
