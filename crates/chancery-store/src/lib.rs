//! Rows in, rows out: SQLite and PostgreSQL behind one SQL text.
//!
//! [`Store::read`] and [`Store::write`] run a *work*: a closure that gets a [`Tx`] and calls the functions of
//! [`tables`]. The store knows no rule and no open key: it stores texts, numbers and sealed bytes, and says what the
//! database said.

/// So that what the tests outside use is the same here.
#[cfg(test)]
extern crate self as chancery_store;

mod authority;
mod backend;
mod backup;
mod error;
mod flush;
mod group;
mod in_place;
mod list;
mod migrate;
mod postgres;
mod readers;
mod refused_rows;
mod row;
mod row_keys;
mod search;
mod sqlite;
mod stamp;
mod statement;
mod store;
pub mod tables;
mod tx;
mod undo;
mod url;
mod value;
mod wal;
mod work;

pub use authority::{RowMac, TAG_LEN, Table, Unauthentic};
pub use backup::BackupError;
pub use error::{OpenError, StoreError};
pub use group::Announced;
pub use list::{List, Listed, Order, Page, Position, Start};
pub use refused_rows::RefusedRow;
pub use row::{Column, Columns, FromColumns, Stored};
pub use row_keys::{NewRowKey, RowKeyError, RowKeys, SealedRowKey, authority_tables};
pub use search::{name_key, pattern};
pub use statement::{Statement, generated_sql, sql};
pub use store::Store;
pub use tx::Tx;
pub use url::{SqliteFlush, StoreUrl};
pub use value::{Bind, Value};
