//! The server through its front door, on real storage.

mod app;
mod certificates;
mod client;
mod interface;
mod journeys;
mod listen;
mod routes;
mod signing;
