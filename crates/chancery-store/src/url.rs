//! Where the data lies: a SQLite file or a PostgreSQL database.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

use crate::{OpenError, postgres};

/// A parsed `--store` value. Its `Debug` and `Display` leave the user name, the password and the parameters out.
#[derive(Clone)]
pub struct StoreUrl(Place);

#[derive(Clone)]
pub(crate) enum Place {
    File(PathBuf),
    Server(Url),
}

/// The driver would log others with their values, and a misspelt `password` with them.
const PARAMETERS: &[&str] = &[
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "user",
];

impl StoreUrl {
    /// An SQLite file, made when it does not exist.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        StoreUrl(Place::File(path.into()))
    }

    /// The SQLite file, `None` for a PostgreSQL database.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.0 {
            Place::File(path) => Some(path),
            Place::Server(_) => None,
        }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.0
    }
}

impl FromStr for StoreUrl {
    type Err = OpenError;

    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`, or the path of an SQLite file.
    fn from_str(text: &str) -> Result<Self, OpenError> {
        let Some((scheme, _)) = text.split_once("://") else {
            return match text {
                "" => Err(OpenError::Url("an empty path".into())),
                path => Ok(Self::file(path)),
            };
        };
        match scheme {
            "postgres" | "postgresql" => server(text),
            // The text may hold a password: it is not repeated.
            _ => Err(OpenError::Url("a scheme that is not postgres".into())),
        }
    }
}

fn server(text: &str) -> Result<StoreUrl, OpenError> {
    let malformed = || OpenError::Url("a malformed address".into());
    let address = Url::parse(text).map_err(|_| malformed())?;
    if !(2..).contains(&address.path().len()) {
        return Err(OpenError::Url("an address without the name of a database".into()));
    }
    if let Some((name, _)) = address.query_pairs().find(|(name, _)| !PARAMETERS.contains(&&**name)) {
        return Err(OpenError::Url(format!("an address with the unknown parameter {name}")));
    }
    let address = with_tls(address);
    postgres::options(&address).map_err(|_| malformed())?;
    Ok(StoreUrl(Place::Server(address)))
}

/// Without a word about TLS the driver would fall back to plain text. Over a network the server's certificate is
/// checked instead, unless the address says otherwise with `sslmode`.
fn with_tls(mut address: Url) -> Url {
    let mut hosts: Vec<String> = address.host_str().map(str::to_owned).into_iter().collect();
    let named = |name: &str| {
        address.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned()).collect::<Vec<_>>()
    };
    hosts.extend(named("host"));
    hosts.extend(named("hostaddr"));
    if named("sslmode").is_empty() && !hosts.iter().all(|host| is_this_machine(host)) {
        address.query_pairs_mut().append_pair("sslmode", "verify-full");
    }
    address
}

/// A name or address of this machine, or the folder of a Unix socket, which may be percent-encoded.
fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.is_empty()
        || host == "localhost"
        || host.starts_with('/')
        || host.starts_with("%2F")
        || address.is_ok_and(|address| address.is_loopback())
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::File(path) => write!(f, "{}", path.display()),
            Place::Server(address) => {
                write!(f, "postgres://{}{}", address.host_str().unwrap_or(""), address.path())
            }
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_and_parameters_are_never_shown() {
        let url: StoreUrl = "postgres://clerk:s3cret@db.example:5432/chancery?password=s3cret&user=clerk"
            .parse()
            .expect("a good address");
        assert_eq!(url.to_string(), "postgres://db.example/chancery");
        assert_eq!(format!("{url:?}"), "StoreUrl(postgres://db.example/chancery)");
    }

    #[test]
    fn what_is_refused_does_not_repeat_the_password() {
        for text in [
            "mysql://clerk:s3cret@db/x",
            "postgres://clerk:s3cret@db:port/x",
            "postgres://clerk:s3cret@db",
            "postgres://clerk:s3cret@db/",
            "postgres://clerk@db/x?passwrod=s3cret",
            "",
        ] {
            let refusal = text.parse::<StoreUrl>().expect_err(text);
            assert!(!format!("{refusal} {refusal:?}").contains("s3cret"), "{refusal}");
        }
    }

    #[test]
    fn over_a_network_the_server_is_checked() {
        let mode = |text: &str| {
            let url: StoreUrl = text.parse().expect(text);
            let Place::Server(address) = url.0 else { panic!("{text} is a server") };
            let modes = address.query_pairs().filter(|(key, _)| key == "sslmode");
            modes.map(|(_, value)| value.into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(mode("postgres://db.example/x"), "verify-full");
        assert_eq!(mode("postgres:///x?host=db.example"), "verify-full");
        assert_eq!(mode("postgres://localhost/x?hostaddr=192.0.2.1"), "verify-full");
        assert_eq!(mode("postgres://db.example/x?sslmode=require"), "require");
        for local in
            ["127.0.0.1:5432/x", "[::1]/x", "localhost/x", "/x?host=/run/postgresql", "%2Frun%2Fpostgresql/x", "/x"]
        {
            assert_eq!(mode(&format!("postgres://{local}")), "", "{local}");
        }
    }

    #[test]
    fn anything_without_a_scheme_is_a_path() {
        let url: StoreUrl = "data/chancery.db".parse().expect("a path");
        assert_eq!(url.path(), Some(Path::new("data/chancery.db")));
    }
}
