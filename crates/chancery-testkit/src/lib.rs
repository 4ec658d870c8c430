//! What the tests of several crates need: a private PostgreSQL, outside tools, an authenticator of passkeys, temporary
//! folders, free ports.
//!
//! It is a crate because the test binaries of several crates share it; it is a dev-dependency only, so nothing of it is
//! in the product. It knows nothing of ours. When something is missing on the machine, it panics with a sentence that
//! says what: a test that cannot run has failed.
#![expect(clippy::missing_panics_doc, reason = "everything here panics when the machine lacks something")]

mod authenticator;
mod folder;
mod guard;
mod identity_provider;
mod postgres;
mod slapd;
mod tool;

pub use authenticator::Authenticator;
pub use folder::{TempDir, free_port, temp_dir};
pub use identity_provider::{CLIENT_SECRET, IdentityProvider};
pub use postgres::{Database, Postgres};
pub use slapd::{Account, Slapd};
pub use tool::{Ran, Tool};
