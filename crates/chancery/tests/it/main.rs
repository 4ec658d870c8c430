//! The `chancery` program as a process.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;
mod client_certificates;
mod clients;
mod commands;
mod console;
mod directories;
mod journal;
mod kill;
mod ledger;
mod log;
mod made;
mod memory;
mod nodes;
mod notices;
mod outage;
mod people;
mod pkcs11;
mod process;
mod quickstart;
mod recipes;
mod relay;
mod schemathesis;
mod serve;
mod shipping;
mod signals;
mod tour;
mod verify_paths;
mod web;
mod witnesses;
mod workloads;
