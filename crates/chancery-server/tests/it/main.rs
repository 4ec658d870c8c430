//! The server through its front door, on real storage.

mod app;
mod certificates;
mod client;
mod interface;
mod listen;
mod routes;
