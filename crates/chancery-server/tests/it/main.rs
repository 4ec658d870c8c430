//! The server through its front door, on real storage.

mod app;
mod client;
mod listen;
mod routes;
