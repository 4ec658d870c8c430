//! Whom a server's certificate may be of, where nobody says it: the authorities that the system's programs trust.

use std::{env, fs, path::PathBuf};

/// Where systems keep them: Debian and its kin, Red Hat and its kin.
const PLACES: [&str; 2] = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"];

/// The authorities that the system trusts, PEM: those of `SSL_CERT_FILE`, or where the system keeps them. None where there
/// is no such file.
#[must_use]
pub fn system_authorities() -> Option<String> {
    let named = env::var_os("SSL_CERT_FILE").map(PathBuf::from);
    named.into_iter().chain(PLACES.map(PathBuf::from)).find_map(|path| fs::read_to_string(path).ok())
}
