//! Brings a database up to date: forward only, all in one transaction.

mod triggers;

use std::path::Path;
use std::time::Duration;

use crate::authority::Authenticator;
use crate::backend::Backend;
use crate::sqlite::DatabaseFile;
use crate::work::wait;
use crate::{Columns, FromColumns, OpenError, RowKeys, StoreError, Tx, row_keys, sql, tables};

/// One file of `migrations/`.
struct Migration {
    name: &'static str,
    text: &'static str,
}

macro_rules! migrations {
    ($($name:literal,)*) => {
        &[$(Migration { name: $name, text: include_str!(concat!("../migrations/", $name, ".sql")) },)*]
    };
}

/// All of them, in order. A name and, once released, its file never change.
const MIGRATIONS: &[Migration] = migrations![
    "0000_system",
    "0001_identity",
    "0002_audit",
    "0003_keys",
    "0004_tokenization",
    "0005_pki",
    "0006_signing",
    "0007_token_versions",
    "0008_vault",
    "0009_cert_profiles",
    "0010_inventory",
    "0011_signing_rules",
    "0012_signed_files",
    "0016_revocation",
    "0017_time_stamping",
    "0018_log",
    "0019_proposals",
    "0020_manifests",
    "0021_import",
    "0025_page_hashes",
    "0030_approval_before_issue",
    "0031_waiting_requests",
    "0032_serial_groups",
    "0033_signatures_write_less",
    "0034_submitter_sets",
    "0035_programs",
    "0036_changes_by_transaction",
    "0037_nodes",
    "0038_lists_by_index",
    "0039_request_claims",
    "0041_row_macs",
    "0042_key_backends",
    "0043_approval_digests",
    "0044_idempotency_keys",
    "0045_signing_provenance",
    "0046_audit_nodes",
    "0056_notices",
    "0060_journals",
    "0065_api_keys",
    "0075_audit_by_filter",
    "0076_budgets",
    "0080_row_counts",
    "0081_transport_authority",
    "0082_token_domains",
    "0084_audit_ledger",
    "0085_activity",
    "0086_manifests_signed",
    "0087_decisions_together",
    "0088_mailboxes",
    "0089_second_factor",
    "0090_audit_targets",
    "0091_identity_providers",
    "0092_detokenize_grants",
    "0093_passkeys",
    "0094_approval_signatures",
    "0098_one_key_a_passkey",
    "0099_recovery",
    "0100_witnesses",
    "0101_token_key_versions",
    "0102_moved_token_profiles",
    "0103_audit_archives",
    "0104_refused_batches",
    "0105_members_of_decisions",
    "0106_lists_of_one_name",
];

/// The text is kept whole, as its own checksum.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS migrations (name TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL)";

/// To be called in a transaction that writes. Answers how many were missing. With a name in `absent`, a database in which
/// there is nothing yet is refused by that name; the end of the transaction then takes back what was made.
pub(crate) async fn run(tx: &mut Tx, absent: Option<&str>) -> Result<usize, OpenError> {
    tx.lock_migrations().await?;
    tx.script(tx.backend().migration_text(TABLE)).await?;
    let applied: Vec<Named> = sql("SELECT name, text FROM migrations ORDER BY name").all(tx).await?;
    if let Some(name) = absent.filter(|_| applied.is_empty()) {
        return Err(OpenError::Absent(name.to_owned()));
    }
    refuse_foreign(&applied)?;
    let is_missing = |migration: &&Migration| !applied.iter().any(|old| old.name == migration.name);
    let mut missing = 0;
    for migration in MIGRATIONS.iter().filter(is_missing) {
        apply(tx, migration).await?;
        missing += 1;
    }
    triggers::check(tx, &texts(tx)).await?;
    tables::changes::forget_foreign(tx).await?;
    Ok(missing)
}

/// Refuses a database that is not of this release, or has other triggers than its own. Nothing is changed.
async fn expect_current(tx: &mut Tx, name: &str) -> Result<(), OpenError> {
    let applied = sql("SELECT name, text FROM migrations ORDER BY name").all::<Named>(tx).await;
    let is_absent = |error: &StoreError| matches!(error, StoreError::Internal(text) if text.contains("migrations"));
    let applied = match applied {
        // There is no such table.
        Err(error) if is_absent(&error) => return Err(OpenError::Absent(name.to_owned())),
        applied => applied?,
    };
    refuse_foreign(&applied)?;
    let is_missing = |migration: &&Migration| !applied.iter().any(|old| old.name == migration.name);
    if MIGRATIONS.iter().any(|migration| is_missing(&migration)) {
        return Err(OpenError::Older(name.to_owned()));
    }
    triggers::check(tx, &texts(tx)).await
}

/// A file and what authenticates its rows.
pub(crate) fn look_at_file(
    path: &Path,
    keys: &dyn RowKeys,
    name: &str,
) -> Result<(DatabaseFile, Authenticator), OpenError> {
    let file = DatabaseFile::look(path)?;
    let mut tx = Tx::on_sqlite(file.connect_reader()?, Backend::Sqlite.begin_read(), Authenticator::default())?;
    // No statement on SQLite waits.
    let outcome = wait(look(&mut tx, keys, name), Duration::MAX);
    let authenticator = outcome.ok_or_else(|| StoreError::Internal("a look that waits".into()))??;
    tx.into_sqlite()?.run("ROLLBACK")?;
    Ok((file, authenticator))
}

/// Refuses what is not of this release; what authenticates the rows.
pub(crate) async fn look(tx: &mut Tx, keys: &dyn RowKeys, name: &str) -> Result<Authenticator, OpenError> {
    expect_current(tx, name).await?;
    row_keys::expect(tx, keys).await
}

/// Of all migrations. Each by itself: in which lines are whose begins anew with each.
fn texts(tx: &Tx) -> String {
    MIGRATIONS.iter().map(|migration| tx.backend().migration_text(migration.text)).collect()
}

/// What the database has: a migration that ran, or a trigger.
struct Named {
    name: String,
    text: String,
}

impl FromColumns for Named {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Named { name: columns.get("name")?, text: columns.get("text")? })
    }
}

/// A database that another release made must not be touched: what it holds would be misread.
fn refuse_foreign(applied: &[Named]) -> Result<(), OpenError> {
    for old in applied {
        match MIGRATIONS.iter().find(|migration| migration.name == old.name) {
            None => return Err(OpenError::Newer(old.name.clone())),
            Some(known) if known.text != old.text => return Err(OpenError::Changed(old.name.clone())),
            Some(_) => {}
        }
    }
    Ok(())
}

async fn apply(tx: &mut Tx, migration: &Migration) -> Result<(), StoreError> {
    tx.script(tx.backend().migration_text(migration.text)).await?;
    sql("INSERT INTO migrations (name, text) VALUES ($1, $2)")
        .bind(migration.name)
        .bind(migration.text)
        .execute(tx)
        .await?;
    tracing::info!(migration = migration.name, "migrated the database");
    Ok(())
}
