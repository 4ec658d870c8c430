//! What the commands share that talk to a server.

pub(crate) mod address;
pub(crate) mod connection;
pub(crate) mod consent;
pub(crate) mod exit;
pub(crate) mod inputs;
pub(crate) mod servers;
pub(crate) mod target;
pub(crate) mod trouble;
