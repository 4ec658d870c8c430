//! Where the data lies: a SQLite file or a PostgreSQL database.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

use crate::{OpenError, postgres};

/// A parsed `--store` value. Its `Debug` and `Display` leave the user name, the password and the parameters out.
#[derive(Clone)]
pub struct StoreUrl {
    place: Place,
    must_exist: bool,
    is_read_only: bool,
}

#[derive(Clone)]
pub(crate) enum Place {
    File(PathBuf, SqliteFlush),
    /// The same database on each of these hosts, of which one can be written.
    Servers(Vec<Url>),
}

/// Who flushes SQLite's log, before a change is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SqliteFlush {
    /// The store, beside its writer, which has the next changes meanwhile. When a flush fails, the log is written again.
    #[default]
    Own,
    /// SQLite, in each commit (`synchronous = FULL`).
    Library,
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
    "target_session_attrs",
    "user",
];

impl StoreUrl {
    /// An SQLite file, made when it does not exist.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let place = Place::File(path.into(), SqliteFlush::default());
        StoreUrl { place, must_exist: false, is_read_only: false }
    }

    /// The same, with this way to flush; it means nothing to PostgreSQL.
    #[must_use]
    pub fn flushed_by(self, flush: SqliteFlush) -> Self {
        let place = match self.place {
            Place::File(path, _) => Place::File(path, flush),
            Place::Servers(addresses) => Place::Servers(addresses),
        };
        StoreUrl { place, ..self }
    }

    /// How that is done with an SQLite file.
    #[must_use]
    pub const fn flush(&self) -> Option<SqliteFlush> {
        match &self.place {
            Place::File(_, flush) => Some(*flush),
            Place::Servers(_) => None,
        }
    }

    /// The same, where nothing is to be made: a database that no installation is in yet is refused as it is.
    #[must_use]
    pub fn existing(self) -> Self {
        StoreUrl { must_exist: true, ..self }
    }

    /// The same, to be read alone: of what is there nothing is changed, nor anything made beside it.
    #[must_use]
    pub fn read_only(self) -> Self {
        StoreUrl { must_exist: true, is_read_only: true, ..self }
    }

    /// Whether it is.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The SQLite file, `None` for a PostgreSQL database.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::File(path, _) => Some(path),
            Place::Servers(_) => None,
        }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    pub(crate) const fn must_exist(&self) -> bool {
        self.must_exist
    }
}

impl FromStr for StoreUrl {
    type Err = OpenError;

    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`, or the path of an SQLite file. Several hosts are
    /// given as to libpq: `HOST:PORT,HOST:PORT`, or `?host=A,B&port=1,2`.
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
    let mut addresses = Vec::new();
    for text in each_host(text) {
        let address = Url::parse(&text).map_err(|_| malformed())?;
        if !(2..).contains(&address.path().len()) {
            return Err(OpenError::Url("an address without the name of a database".into()));
        }
        if let Some((name, _)) = address.query_pairs().find(|(name, _)| !PARAMETERS.contains(&&**name)) {
            return Err(OpenError::Url(format!("an address with the unknown parameter {name}")));
        }
        addresses.extend(each_named_host(&without_session_attributes(address)?).ok_or_else(malformed)?);
    }
    let addresses: Vec<Url> = addresses.into_iter().map(with_tls).collect();
    for address in &addresses {
        postgres::options(address).map_err(|_| malformed())?;
    }
    Ok(StoreUrl { place: Place::Servers(addresses), must_exist: false, is_read_only: false })
}

/// An address for each host of `postgres://USER@A:1,B:2/DATABASE`.
fn each_host(text: &str) -> Vec<String> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    hosts.split(',').map(|host| format!("{scheme}://{user}{host}{tail}")).collect()
}

/// An address for each host of `?host=A,B&port=1,2`: one port for all, or one for each.
fn each_named_host(address: &Url) -> Option<Vec<Url>> {
    const LISTS: [&str; 3] = ["host", "hostaddr", "port"];
    let lists = address.query_pairs().filter(|(name, _)| LISTS.contains(&&**name));
    let hosts = lists.map(|(_, value)| value.split(',').count()).max().unwrap_or(1);
    let nth = |index: usize, value: &str| match value.split(',').collect::<Vec<_>>().as_slice() {
        [one] => Some((*one).to_owned()),
        each if each.len() == hosts => Some(each[index].to_owned()),
        _ => None,
    };
    let named = |index: usize| {
        let mut one = address.clone();
        one.set_query(None);
        for (name, value) in address.query_pairs() {
            let value = if LISTS.contains(&&*name) { nth(index, &value)? } else { value.into_owned() };
            one.query_pairs_mut().append_pair(&name, &value);
        }
        Some(one)
    };
    (0..hosts).map(named).collect()
}

/// The one that can be written is always looked for, whatever else would be allowed.
fn without_session_attributes(mut address: Url) -> Result<Url, OpenError> {
    const NAME: &str = "target_session_attrs";
    let pairs: Vec<(String, String)> = address.query_pairs().into_owned().collect();
    if let Some((_, value)) =
        pairs.iter().find(|(name, value)| name == NAME && !["any", "primary", "read-write"].contains(&value.as_str()))
    {
        return Err(OpenError::Url(format!("an address with {NAME}={value}: the database must be writable")));
    }
    if pairs.iter().any(|(name, _)| name == NAME) {
        let others = pairs.iter().filter(|(name, _)| name != NAME);
        address.set_query(None);
        for (name, value) in others {
            address.query_pairs_mut().append_pair(name, value);
        }
    }
    Ok(address)
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
        match &self.place {
            Place::File(path, _) => write!(f, "{}", path.display()),
            Place::Servers(addresses) => {
                let host = |address: &Url| match (address.host_str().unwrap_or(""), address.port()) {
                    (host, Some(port)) => format!("{host}:{port}"),
                    (host, None) => host.to_owned(),
                };
                let hosts: Vec<_> = addresses.iter().map(host).collect();
                write!(f, "postgres://{}{}", hosts.join(","), addresses.first().map_or("", |address| address.path()))
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
        assert_eq!(url.to_string(), "postgres://db.example:5432/chancery");
        assert_eq!(format!("{url:?}"), "StoreUrl(postgres://db.example:5432/chancery)");
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
            let Place::Servers(addresses) = url.place else { panic!("{text} is a server") };
            let address = addresses.first().expect("one");
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
    fn several_hosts_are_several_addresses() {
        let all = |text: &str| {
            let url: StoreUrl = text.parse().expect(text);
            let Place::Servers(addresses) = url.place else { panic!("{text} is a server") };
            addresses.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let tls = "sslmode=verify-full";
        assert_eq!(
            all("postgres://clerk@a:1,b:2/x?target_session_attrs=read-write"),
            [format!("postgres://clerk@a:1/x?{tls}"), format!("postgres://clerk@b:2/x?{tls}")]
        );
        assert_eq!(
            all("postgres:///x?host=a,b&port=7"),
            [format!("postgres:///x?host=a&port=7&{tls}"), format!("postgres:///x?host=b&port=7&{tls}")]
        );
        assert_eq!(all("postgres:///x?host=/one,/two&port=1,2").len(), 2);
        for refused in
            ["postgres:///x?host=a,b&port=1,2,3", "postgres://a,b/x?target_session_attrs=standby", "postgres://a,b:y/x"]
        {
            assert!(refused.parse::<StoreUrl>().is_err(), "{refused}");
        }
        let shown: StoreUrl = "postgres://clerk:s3cret@a:1,b:2/x".parse().expect("two hosts");
        assert_eq!(shown.to_string(), "postgres://a:1,b:2/x");
    }

    #[test]
    fn anything_without_a_scheme_is_a_path() {
        let url: StoreUrl = "data/chancery.db".parse().expect("a path");
        assert_eq!(url.path(), Some(Path::new("data/chancery.db")));
    }
}
