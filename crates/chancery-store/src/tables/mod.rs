//! One file a table.
//!
//! A file has the table's columns as `pub struct Row`, the SQL texts as consts, and free async functions that take
//! `&mut Tx` first: `insert(tx, &row)`, `by_id(tx, id)`, `list(tx, …)`. No rule lives here: a function does what its
//! name says and answers what it found.
//!
//! ```no_run
//! use chancery_store::{Columns, FromColumns, StoreError, Tx, sql};
//! use uuid::Uuid;
//!
//! /// A role as stored.
//! pub struct Row {
//!     /// Its id.
//!     pub id: Uuid,
//!     /// Its name as people wrote it.
//!     pub name: String,
//!     /// Logins that it takes.
//!     pub logins_required: u32,
//! }
//!
//! const INSERT: &str = "INSERT INTO roles (id, name, logins_required) VALUES ($1, $2, $3)";
//! const BY_ID: &str = "SELECT id, name, logins_required FROM roles WHERE id = $1";
//!
//! /// Adds a role; [`StoreError::Conflict`] when the name is taken.
//! pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
//!     sql(INSERT).bind(row.id).bind(&row.name).bind(row.logins_required).execute(tx).await?;
//!     Ok(())
//! }
//!
//! /// The role with this id.
//! pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
//!     sql(BY_ID).bind(id).optional(tx).await
//! }
//!
//! impl FromColumns for Row {
//!     fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
//!         let logins_required = columns.get("logins_required")?;
//!         Ok(Row { id: columns.get("id")?, name: columns.get("name")?, logins_required })
//!     }
//! }
//! ```
//!
//! SQL that runs on both databases:
//! - types TEXT, BIGINT, BYTEA, and `seq SERIAL_KEY` for a primary key that counts up; nothing else (no BOOLEAN, no
//!   JSON, no timestamps);
//! - parameters `$1`, `$2` …; `RETURNING`; `ON CONFLICT (column) DO NOTHING` and `DO UPDATE`; `CASE`, `COALESCE`,
//!   `COUNT(*)`;
//! - `SUM` and `MAX` of whole numbers as `CAST(SUM(x) AS BIGINT)`; never a bare comparison or `EXISTS` as a column:
//!   PostgreSQL answers BOOLEAN;
//! - lists with optional filters, search and pages by [`crate::List`];
//! - what many works write and none looks at by [`crate::Statement::later`] instead of `execute`, so that on SQLite they
//!   share a savepoint;
//! - nothing after a statement that failed: where a conflict is expected, say `ON CONFLICT DO NOTHING` and look at the
//!   number of rows;
//! - compare-and-swap as `UPDATE … WHERE id = $1 AND state = $2`, and look at the number of rows: PostgreSQL runs works
//!   side by side;
//! - a decision that rests on rows which the work does not change ("is this the last holder?") takes [`turns::take`]
//!   first;
//! - no row that every work of a kind has to lock until its commit, but for [`turns`]: a node that stands still would hold
//!   up all others.

// system
pub mod activity;
pub mod changes;
pub mod idempotency_keys;
pub mod nodes;
pub mod settings;
pub mod transport_authorities;
pub mod turns;

// audit
pub mod audit;
pub mod audit_archives;
pub mod audit_ledger;
pub mod audit_targets;
pub mod journals;

// notices
pub mod deliveries;
pub mod detokenize_grants;
pub mod fan_outs;
pub mod mailboxes;
pub mod notice_targets;
pub mod notices;

// identity
pub mod api_key_uses;
pub mod api_keys;
pub mod bearer_keys;
pub mod identities;
pub mod identity_bindings;
pub mod identity_providers;
pub mod identity_roles;
pub mod passkeys;
pub mod roles;
pub mod sessions;
pub mod used_tokens;

// keys
pub mod key_versions;
pub mod keys;

// tokenization
pub mod budget_leases;
pub mod token_profiles;
pub mod vault_tokens;

// pki
pub mod cert_profiles;
pub mod certificates;
pub mod crls;
pub mod ocsp_responders;
pub(crate) mod revocations;

// signing
pub mod approval_signatures;
pub mod decisions;
pub mod named_roles;
pub mod pre_approvals;
pub mod proposals;
pub mod services;
pub mod signing_claims;
pub mod signing_items;
pub mod signing_policies;
pub mod signing_provenance;
pub mod signing_requests;
pub mod submitter_sets;
pub mod time_stamping_services;

// transparency log, and the trees of both logs
pub mod log_entries;
pub mod logs;
pub mod tiles;
pub mod witnesses;

// what is sent elsewhere, of every kind
pub mod waits;

use crate::authority::{Authority, Table};

/// The tables whose rows carry authority. What is in none of them needs no MAC: a test names each and says why.
pub(crate) const AUTHORITY: &[Table] = &[
    settings::Row::TABLE,
    identities::Row::TABLE,
    identity_roles::Row::TABLE,
    api_keys::Row::TABLE,
    roles::Row::TABLE,
    sessions::Row::TABLE,
    sessions::Seat::TABLE,
    keys::Row::TABLE,
    key_versions::Row::TABLE,
    token_profiles::Row::TABLE,
    cert_profiles::Row::TABLE,
    certificates::Row::TABLE,
    revocations::Row::TABLE,
    crls::Release::TABLE,
    ocsp_responders::Row::TABLE,
    services::Row::TABLE,
    time_stamping_services::Row::TABLE,
    signing_policies::Row::TABLE,
    signing_requests::Row::TABLE,
    signing_requests::PageHashes::TABLE,
    signing_claims::Claim::TABLE,
    signing_provenance::Row::TABLE,
    signing_requests::Program::TABLE,
    submitter_sets::Set::TABLE,
    submitter_sets::Member::TABLE,
    decisions::on_requests::Decided::TABLE,
    decisions::on_requests::By::TABLE,
    proposals::Row::TABLE,
    decisions::on_proposals::Decided::TABLE,
    decisions::on_proposals::By::TABLE,
    approval_signatures::Row::TABLE,
    pre_approvals::Row::TABLE,
    pre_approvals::Digest::TABLE,
    detokenize_grants::Row::TABLE,
    detokenize_grants::Tokens::TABLE,
    notice_targets::Row::TABLE,
    mailboxes::Row::TABLE,
    audit_targets::Row::TABLE,
    identity_providers::Row::TABLE,
    identity_bindings::Row::TABLE,
    passkeys::Row::TABLE,
    journals::Row::TABLE,
];
