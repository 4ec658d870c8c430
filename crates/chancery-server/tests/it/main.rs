//! The server through its front door, on real storage.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod app;
mod audit_catalogue;
mod authenticator;
mod bodies;
mod certificates;
mod client;
mod client_certificates;
mod directories;
mod every_endpoint;
mod guards;
mod idempotency;
mod interface;
mod journeys;
mod key_backend;
mod listen;
mod people;
mod recovery;
mod routes;
mod second_factor;
mod signed_approvals;
mod signing;
mod template;
mod unknown_members;
mod workloads;
