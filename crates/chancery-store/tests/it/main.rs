//! The store's conformance suite: each test runs on SQLite and on PostgreSQL, unless only one of them has what it is
//! about.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod harness;

mod audit_index;
mod authority;
mod backup;
mod certificates;
mod changes;
mod durability;
mod groups;
mod lists;
mod look;
mod migrations;
mod outage;
mod outbox;
mod parts;
mod power_cut;
mod row_keys;
mod submitters;
mod values;
mod vault;
mod writes;
