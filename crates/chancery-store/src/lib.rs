//! Rows in, rows out: SQLite and PostgreSQL behind one SQL text.
//!
//! [`Store::read`] and [`Store::write`] run a *work*: a closure that gets a [`Tx`] and calls the functions of [`tables`]. The store knows no rule and no open
//! key: it stores texts, numbers and sealed bytes, and says what the database said.

mod backend;
mod error;
mod group;
mod migrate;
mod statement;
mod store;
pub mod tables;
mod tx;
mod url;
mod work;

pub use error::{OpenError, StoreError};
pub use statement::{Bind, Bound, Column, Columns, FromColumns, Statement, generated_sql, sql};
pub use store::Store;
pub use tx::Tx;
pub use url::StoreUrl;
