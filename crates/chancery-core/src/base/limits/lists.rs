//! What bounds lists.

use std::time::Duration;

/// The limits of lists, and of what they show.
#[derive(Clone, Debug)]
pub struct ListLimits {
    /// Items before a page that is asked for by its number, which are counted through: some 10 ms.
    pub offset_max: u32,
    /// Matching items that are counted for the total of a list that is asked for some; where there are more, it says so.
    pub count_max: u32,
    /// Items of a list that are looked at where no index helps: some 10 ms of reading.
    pub scan_max: u32,
    /// Certificates that a page of the inventory looks at where no index helps: some 10 ms of reading.
    pub inventory_scan_max: u32,
    /// Lists that are read at the same time, and likewise uploads.
    pub at_once: usize,
    /// Lists of one caller that may wait, and likewise uploads.
    pub waiting_max: usize,
    /// How long a list or an upload may wait for its turn.
    pub wait_max: Duration,
    /// How long one answer may look through the journal of the data plane, on one core; what is left is for the next one.
    pub journal_search_max: Duration,
    /// Members of the metadata of a signing request, each of which is a row by which requests are found.
    pub metadata_members_max: usize,
    /// Bytes, as JSON, of what an audit record tells of the members that a change changed.
    pub audit_changes_max: usize,
    /// Records of changes that one report of access as of a date, or of what has changed since, is made from.
    pub access_records_max: u32,
    /// Signing requests of one statement: all in one transaction, which on PostgreSQL takes some nine round trips for each and
    /// has ten seconds.
    pub statement_rows_max: usize,
}

impl Default for ListLimits {
    fn default() -> Self {
        Self {
            offset_max: 200_000,
            count_max: 10_000,
            scan_max: 50_000,
            inventory_scan_max: 5_000,
            at_once: 2,
            waiting_max: 32,
            wait_max: Duration::from_secs(2),
            journal_search_max: Duration::from_secs(2),
            metadata_members_max: 64,
            access_records_max: 100_000,
            statement_rows_max: 250,
            audit_changes_max: 16 * 1_024,
        }
    }
}
