//! Counters for Prometheus. One recorder for the process, because the counters that core keeps are global, too.

mod requests;

use std::{sync::OnceLock, time::Duration};

use chancery_core::{Expiring, JournalNumbers, NoticeCounts, RsaPoolLevels, ShippingCounts, WitnessCounts};
use chancery_types::RecoveredBy;
use metrics::{counter, describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

pub(crate) use requests::count_request;

const EXPIRING: &str = "chancery_certificates_expiring";
const RSA_POOL: &str = "chancery_rsa_pool_keys";
const REFUSED_ROWS: &str = "chancery_refused_rows";
const READY: &str = "chancery_ready";
const STORE_LAG: &str = "chancery_store_lag_seconds";
const UNREADABLE: &str = "chancery_unreadable_objects";
const JOURNAL_RECORDS: &str = "chancery_journal_records_total";
const JOURNAL_BYTES: &str = "chancery_journal_bytes_total";
const JOURNAL_FAILURES: &str = "chancery_journal_failures_total";
const JOURNAL_FAILING: &str = "chancery_journal_failing";
const LEDGER_FAILING: &str = "chancery_audit_ledger_failing";
const CLOCK_JUMPS: &str = "chancery_clock_jumps_total";
const NOTICES_WAITING: &str = "chancery_notices_waiting";
const NOTICES: &str = "chancery_notices_total";
const SHIPPED: &str = "chancery_audit_shipped_total";
const SHIP_FAILURES: &str = "chancery_audit_ship_failures_total";
const SHIP_BEHIND: &str = "chancery_audit_ship_behind";
const SHIP_FAILING: &str = "chancery_audit_targets_failing";
const RECOVERED: &str = "chancery_recovered_identities";
const COSIGNATURES: &str = "chancery_witness_cosignatures_total";
const WITNESS_FAILURES: &str = "chancery_witness_failures_total";
const WITNESSES_FAILING: &str = "chancery_witnesses_failing";
const TIME_STAMPS: &str = "chancery_time_stamps_total";

static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();

/// Begins to count, if nobody has yet: what is counted before goes nowhere.
pub(crate) fn install() {
    RECORDER.get_or_init(new_recorder);
}

/// Everything that is counted, in Prometheus' text format; `None` where the process has a recorder of another kind.
pub(crate) fn render() -> Option<String> {
    let recorder = RECORDER.get()?.as_ref()?;
    recorder.run_upkeep();
    let mut text = recorder.render();
    requests::render(&mut text);
    Some(text)
}

fn new_recorder() -> Option<PrometheusHandle> {
    let handle = PrometheusBuilder::new().install_recorder().ok()?;
    describe_gauge!(EXPIRING, "Certificates that are not revoked and end within so many days.");
    describe_gauge!(RSA_POOL, "RSA keys that lie ready, of each size in bits that was asked for.");
    describe_gauge!(REFUSED_ROWS, "Rows of the database that are not what Chancery wrote, and are refused.");
    describe_gauge!(UNREADABLE, "Objects that cannot be read from the storage, so that calls to them are refused.");
    describe_gauge!(READY, "1 where /readyz answers 200, 0 where it says why not.");
    describe_gauge!(STORE_LAG, "Seconds for which this node may not have seen what others changed.");
    describe_counter!(JOURNAL_RECORDS, "Records that this server wrote to its journal of the data plane.");
    describe_counter!(JOURNAL_BYTES, "Their bytes.");
    describe_counter!(JOURNAL_FAILURES, "Calls that were refused because they could not be recorded.");
    describe_gauge!(JOURNAL_FAILING, "1 while the journal's files cannot be kept, 0 otherwise.");
    describe_gauge!(LEDGER_FAILING, "1 while the audit's ledger cannot be extended, 0 otherwise.");
    describe_counter!(CLOCK_JUMPS, "Jumps of the host's clock since this server started.");
    describe_gauge!(NOTICES_WAITING, "Notices that wait for their targets; looked at every half minute.");
    describe_counter!(NOTICES, "Attempts of this server to deliver notices, and notices that it gave up.");
    describe_counter!(SHIPPED, "Audit records that this server shipped to targets.");
    describe_counter!(SHIP_FAILURES, "Attempts of this server to ship audit records that failed.");
    describe_gauge!(SHIP_BEHIND, "Audit records that the target has still to get which is furthest behind.");
    describe_gauge!(SHIP_FAILING, "Targets of the audit records that take none.");
    describe_gauge!(RECOVERED, "Identities that were recovered on the host, which nobody has acknowledged yet.");
    describe_counter!(COSIGNATURES, "Cosignatures of checkpoints that this server got of witnesses.");
    describe_counter!(WITNESS_FAILURES, "Attempts of this server to get one that failed.");
    describe_gauge!(WITNESSES_FAILING, "Witnesses that do not cosign, counted for the log and for the audit ledger.");
    describe_counter!(TIME_STAMPS, "Requests for time stamps, by what became of them.");
    Some(handle)
}

/// Notes whether the node is ready, and how far it is behind the storage.
pub(crate) fn note_readiness(is_ready: bool, lag: Duration) {
    gauge!(READY).set(u8::from(is_ready));
    gauge!(STORE_LAG).set(lag.as_secs_f64());
}

/// Notes how many certificates end soon.
pub(crate) fn note_expiring(expiring: &Expiring) {
    for (days, count) in expiring {
        // A gauge is a float; no inventory is so large that it is not exact.
        gauge!(EXPIRING, "days" => days.to_string()).set(*count as f64);
    }
}

/// Notes what became of notices.
pub(crate) fn note_notices(counts: NoticeCounts) {
    let NoticeCounts { waiting, delivered, failed, given_up } = counts;
    // A gauge is a float; no target may have so many waiting that it is not exact.
    gauge!(NOTICES_WAITING).set(waiting as f64);
    counter!(NOTICES, "outcome" => "delivered").absolute(delivered);
    counter!(NOTICES, "outcome" => "failed").absolute(failed);
    counter!(NOTICES, "outcome" => "given_up").absolute(given_up);
}

/// Notes how audit records are shipped.
pub(crate) fn note_shipping(counts: ShippingCounts) {
    let ShippingCounts { shipped, failed, behind, failing } = counts;
    counter!(SHIPPED).absolute(shipped);
    counter!(SHIP_FAILURES).absolute(failed);
    gauge!(SHIP_BEHIND).set(behind as f64);
    gauge!(SHIP_FAILING).set(failing as f64);
}

/// Notes what witnesses have cosigned.
pub(crate) fn note_witnesses(counts: WitnessCounts) {
    let WitnessCounts { cosigned, failed, failing } = counts;
    counter!(COSIGNATURES).absolute(cosigned);
    counter!(WITNESS_FAILURES).absolute(failed);
    gauge!(WITNESSES_FAILING).set(failing as f64);
}

/// Notes what was written to the journal, and whether it is in trouble.
pub(crate) fn note_journal((numbers, is_failing): (JournalNumbers, bool)) {
    let JournalNumbers { records, bytes, failures } = numbers;
    counter!(JOURNAL_RECORDS).absolute(records);
    counter!(JOURNAL_BYTES).absolute(bytes);
    counter!(JOURNAL_FAILURES).absolute(failures);
    gauge!(JOURNAL_FAILING).set(u8::from(is_failing));
}

/// Notes whether the audit's ledger cannot be extended, and how often the host's clock has jumped.
pub(crate) fn note_audit(is_ledger_failing: bool, clock_jumps: u64) {
    gauge!(LEDGER_FAILING).set(u8::from(is_ledger_failing));
    counter!(CLOCK_JUMPS).absolute(clock_jumps);
}

/// Counts an answer of a time-stamping authority, whose status is 200 in any case.
pub(crate) fn count_time_stamp(granted: bool) {
    counter!(TIME_STAMPS, "outcome" => if granted { "granted" } else { "rejected" }).increment(1);
}

/// Notes how many RSA keys lie ready.
pub(crate) fn note_rsa_pool(levels: &RsaPoolLevels) {
    for (bits, keys) in levels {
        // A gauge is a float; a pool has a handful of keys.
        gauge!(RSA_POOL, "bits" => bits.to_string()).set(*keys as f64);
    }
}

/// Notes how many objects cannot be read.
pub(crate) fn note_unreadable(objects: usize) {
    // A gauge is a float; no installation has so many objects that it is not exact.
    gauge!(UNREADABLE).set(objects as f64);
}

/// Notes how many identities were recovered on the host, by who answered for it.
pub(crate) fn note_recoveries(recoveries: &[(RecoveredBy, usize)]) {
    for (by, identities) in recoveries {
        // A gauge is a float; no installation has so many people that it is not exact.
        gauge!(RECOVERED, "by" => by.as_str()).set(*identities as f64);
    }
}

/// Notes how many rows of the database are refused.
pub(crate) fn note_refused_rows(rows: usize) {
    // A gauge is a float; the store remembers some thousands at most.
    gauge!(REFUSED_ROWS).set(rows as f64);
}
