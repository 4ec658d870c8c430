//! A client of Chancery's REST interface: one session, one pinned certificate authority, typed calls.
//!
//! ```no_run
//! # fn main() -> Result<(), chancery_client::ClientError> {
//! let mut client = chancery_client::Client::new("https://127.0.0.1:8443", &std::fs::read("ca.pem").unwrap())?;
//! client.log_in("Admin1", "first password")?;
//! client.log_in("Admin2", "second password")?;
//! client.take_token()?;
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "async")]
mod asynchronous;
mod authorities;
mod bounded;
mod client_certificate;
#[cfg(unix)]
mod destination;
mod error;
mod files;
mod home;
mod operations;
mod public;
mod relp;
mod replace;
mod resolver;
mod retry;
mod saved;
mod syslog;
mod time_stamps;
mod tls_connector;
mod transport;
mod webhooks;

#[cfg(feature = "async")]
pub use asynchronous::AsyncClient;
pub use authorities::system_authorities;
pub use bounded::read_bounded;
pub use chancery_formats::Error as FileError;
#[cfg(unix)]
pub use destination::Destination;
pub use error::ClientError;
pub use files::{File, content_digest, file_digest};
pub use home::OidcLogin;
pub use operations::escaped;
pub use public::public_file;
pub use replace::{Readers, Writers, put_in_place, remove_unfinished, replace_file};
pub use saved::{
    CertificateFiles, DEFAULT_SERVER, SavedError, SavedServer, config_folder, only_saved_server, saved_server,
    saved_server_file, saved_servers,
};
pub use syslog::SyslogSender;
pub use time_stamps::StampFetcher;
pub use tls_connector::{Timed, TlsConnector, TlsStream};
pub use transport::{Client, Session};
pub use webhooks::{Allowed, WebhookPoster};
