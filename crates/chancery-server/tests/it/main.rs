//! The server through its front door, on real storage.

mod app;
mod certificates;
mod client;
mod listen;
mod routes;
