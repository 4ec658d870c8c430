//! How the server is configured: flags, before environment variables (`CHANCERY_…`), before a TOML file, before
//! defaults. Each setting has one name in all of them.

mod addresses;
mod journal;
mod limits;
mod recorded;
mod smtp;
mod witnesses;
mod words;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use chancery_core::{JournalConfig, Limits, StoreUrl, Witness};
use chancery_server::{Bounds, Network};
use clap::Args;
use serde::Deserialize;

pub(crate) use self::{
    smtp::{Smtp, SmtpTls},
    words::{Flush, LogFormat},
};
use crate::{
    bounded,
    client::exit::as_usage,
    failure::{Failure, While as _},
};

/// Whoever stops a server waits for it.
const DRAIN_DELAY_MAX: Duration = Duration::from_hours(1);

/// What is wrong with roots and no authorities.
const ROOTS_ALONE: &str = "--time-stamp-roots: there are no authorities to trust for it; --time-stamp-urls names them";

/// RSA keys of each size that are made ahead: those of two authorities and two services, about what somebody deploys in a
/// row.
const RSA_POOL: usize = 4;

/// The settings of a server and of the commands beside it, as given.
#[derive(Args, Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Options {
    /// TOML file with settings, named as the flags are.
    #[arg(long, value_name = "FILE", env = "CHANCERY_CONFIG")]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,
    /// Folder of the installation [default: ./chancery-data].
    #[arg(long, value_name = "DIR", env = "CHANCERY_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Where the rows are: an SQLite file, or postgres://USER@HOST/DATABASE [default: chancery.db in the data folder].
    #[arg(long, value_name = "STORE", env = "CHANCERY_STORE", hide_env_values = true)]
    pub(crate) store: Option<String>,
    /// Who flushes SQLite's log before a change is answered: Chancery's own flush, or that of the SQLite library in each
    /// commit [default: own].
    #[arg(long, value_name = "WHO", env = "CHANCERY_SQLITE_FLUSH")]
    pub(crate) sqlite_flush: Option<Flush>,
    /// File with the root key (mode 0600), outside the data folder. quickstart alone has a default.
    #[arg(long, value_name = "FILE", env = "CHANCERY_ROOT_KEY")]
    pub(crate) root_key: Option<PathBuf>,
    /// Where to serve the interface over TLS [default: 127.0.0.1:8443].
    #[arg(long, value_name = "HOST:PORT", env = "CHANCERY_LISTEN")]
    pub(crate) listen: Option<String>,
    /// Where to serve what is public over plain HTTP: revocation lists, OCSP, authorities, time stamps, the log.
    #[arg(long, value_name = "HOST:PORT", env = "CHANCERY_PUBLIC_LISTEN")]
    pub(crate) public_listen: Option<SocketAddr>,
    /// Where to serve the interface over plain HTTP, on loopback only: for benchmarks and a proxy on the same host.
    #[arg(long, value_name = "HOST:PORT", env = "CHANCERY_PLAIN_LISTEN")]
    pub(crate) plain_listen: Option<SocketAddr>,
    /// Where to serve the interface over TLS to clients that are asked for a certificate, by which they may log in.
    #[arg(long, value_name = "HOST:PORT", env = "CHANCERY_CLIENT_CERT_LISTEN")]
    pub(crate) client_cert_listen: Option<SocketAddr>,
    /// Where relying parties reach the public endpoints, such as `http://pki.example.org`: fills CDP and AIA.
    #[arg(long, value_name = "URL", env = "CHANCERY_PUBLIC_URL")]
    pub(crate) public_url: Option<String>,
    /// Name of the transparency log, the first line of its checkpoints; fixed once it has entries [default: the public
    /// URL without its scheme, and /log].
    #[arg(long, value_name = "NAME", env = "CHANCERY_LOG_NAME")]
    pub(crate) log_name: Option<String>,
    /// Certificate chain of the TLS socket, PEM; otherwise one is made on first start.
    #[arg(long, value_name = "FILE", env = "CHANCERY_TLS_CERT", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key of the TLS socket, PEM.
    #[arg(long, value_name = "FILE", env = "CHANCERY_TLS_KEY", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// A further name or address of this server, for the TLS certificate that is made on first start.
    #[arg(long, value_name = "NAME", env = "CHANCERY_TLS_NAME", value_delimiter = ',')]
    pub(crate) tls_name: Option<Vec<String>>,
    /// Proxies and balancers that say from whom connections and requests are: networks such as 10.0.0.0/8, or addresses.
    #[arg(long, value_name = "NETWORK", env = "CHANCERY_TRUSTED_PROXIES", value_delimiter = ',')]
    pub(crate) trusted_proxies: Option<Vec<String>>,
    /// How long to say that the server is not ready, when it is told to stop, before it takes no more connections: until
    /// balancers have noticed [default: 0].
    #[arg(long, value_name = "SECONDS", env = "CHANCERY_DRAIN_DELAY")]
    pub(crate) drain_delay: Option<u64>,
    /// Time-stamping authorities elsewhere, for signatures where none is deployed here: tried in this order.
    #[arg(long, value_name = "URL", env = "CHANCERY_TIME_STAMP_URLS", value_delimiter = ',')]
    pub(crate) time_stamp_urls: Option<Vec<String>>,
    /// Roots that their certificates must lead to, PEM; otherwise any authority at these addresses is taken.
    #[arg(long, value_name = "FILE", env = "CHANCERY_TIME_STAMP_ROOTS")]
    pub(crate) time_stamp_roots: Option<PathBuf>,
    /// Where people reach this server, such as `https://kms.example.org`: notices then have a link to the console.
    #[arg(long, value_name = "URL", env = "CHANCERY_PUBLIC_ORIGIN")]
    pub(crate) public_origin: Option<String>,
    /// Folder of the journal of tokenize and detokenize calls, of this server alone [default: journal in the data folder].
    #[arg(long, value_name = "DIR", env = "CHANCERY_JOURNAL_DIR")]
    pub(crate) journal_dir: Option<PathBuf>,
    /// How many days the journal is kept, 1 to 3660 [default: 400].
    #[arg(long, value_name = "DAYS", env = "CHANCERY_JOURNAL_KEEP_DAYS")]
    pub(crate) journal_keep_days: Option<u32>,
    /// Folder of the files that targets of the audit records append to, as `{"file": {"name": …}}`; none has one without it.
    #[arg(long, value_name = "DIR", env = "CHANCERY_AUDIT_FILES")]
    pub(crate) audit_files: Option<PathBuf>,
    /// Networks that notices and audit records may be sent to although they are not public, such as 10.1.2.0/24, or addresses.
    #[arg(long, value_name = "NETWORK", env = "CHANCERY_NOTICE_NETWORKS", value_delimiter = ',')]
    pub(crate) notice_networks: Option<Vec<String>>,
    /// Networks in which identity providers and directories may be asked although they are not public, such as 10.1.2.0/24.
    #[arg(long, value_name = "NETWORK", env = "CHANCERY_PROVIDER_NETWORKS", value_delimiter = ',')]
    pub(crate) provider_networks: Option<Vec<String>>,
    /// Authorities that identity providers must have their TLS certificates from, PEM [default: the system's].
    #[arg(long, value_name = "FILE", env = "CHANCERY_PROVIDER_CA")]
    pub(crate) provider_ca: Option<PathBuf>,
    /// Authorities that targets of notices and of the audit records must have their TLS certificates from, PEM [default: the system's].
    #[arg(long, value_name = "FILE", env = "CHANCERY_NOTICE_CA")]
    pub(crate) notice_ca: Option<PathBuf>,
    /// Delivers no notices, mails and audit records and asks no witness: for a copy of an installation, such as a drill's.
    #[arg(long, env = "CHANCERY_NO_DELIVERIES", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) no_deliveries: Option<bool>,
    /// A witness that cosigns checkpoints of the transparency log and of the audit ledger: its key, NAME+ID+KEY, a blank, and its
    /// https address. Repeated for several.
    #[arg(long, value_name = "VKEY URL", env = "CHANCERY_WITNESS", value_delimiter = ',')]
    pub(crate) witness: Option<Vec<String>>,
    /// The relay that notices are mailed by: its name or address. It may be in a private network.
    #[arg(long, value_name = "HOST", env = "CHANCERY_SMTP_HOST")]
    pub(crate) smtp_host: Option<String>,
    /// Its port [default: 587, 465 with --smtp-tls tls, 25 with --smtp-tls none].
    #[arg(long, value_name = "PORT", env = "CHANCERY_SMTP_PORT")]
    pub(crate) smtp_port: Option<u16>,
    /// How the connection to it is encrypted [default: starttls].
    #[arg(long, value_name = "MODE", env = "CHANCERY_SMTP_TLS")]
    pub(crate) smtp_tls: Option<SmtpTls>,
    /// As whom to log in to it, if at all.
    #[arg(long, value_name = "NAME", env = "CHANCERY_SMTP_USER")]
    pub(crate) smtp_user: Option<String>,
    /// File with the password for that.
    #[arg(long, value_name = "FILE", env = "CHANCERY_SMTP_PASSWORD_FILE")]
    pub(crate) smtp_password_file: Option<PathBuf>,
    /// From whom mails are, such as `Chancery <chancery@example.org>`.
    #[arg(long, value_name = "ADDRESS", env = "CHANCERY_SMTP_FROM")]
    pub(crate) smtp_from: Option<String>,
    /// Lifetime of a bearer token in seconds [default: 600].
    #[arg(long, value_name = "SECONDS", env = "CHANCERY_TOKEN_LIFETIME")]
    pub(crate) token_lifetime: Option<u64>,
    /// RSA keys of each size that are made ahead, once the size was asked for; 0 for none [default: 4].
    #[arg(long, value_name = "NUMBER", env = "CHANCERY_RSA_POOL")]
    pub(crate) rsa_pool: Option<u8>,
    /// A limit, as NAME=NUMBER; several by commas or by repeating. docs/OPERATING.md lists them.
    #[arg(long, value_name = "NAME=NUMBER", env = "CHANCERY_LIMIT", value_delimiter = ',')]
    pub(crate) limit: Option<Vec<String>>,
    /// What to log: error, warn, info, debug or trace, also by module [default: info].
    #[arg(long, value_name = "LEVEL", env = "CHANCERY_LOG_LEVEL")]
    pub(crate) log_level: Option<String>,
    /// What to log where nothing is said.
    #[arg(skip)]
    #[serde(skip)]
    pub(crate) log_level_default: Option<&'static str>,
    /// How to log [default: text].
    #[arg(long, value_name = "FORMAT", env = "CHANCERY_LOG_FORMAT")]
    pub(crate) log_format: Option<LogFormat>,
}

/// Which installation a command beside the server works on: what else the server is told means nothing to it.
#[derive(Args, Clone, Debug)]
pub(crate) struct HostOptions {
    /// TOML file with the server's settings.
    #[arg(long, value_name = "FILE", env = "CHANCERY_CONFIG")]
    config: Option<PathBuf>,
    /// Folder of the installation [default: ./chancery-data].
    #[arg(long, value_name = "DIR", env = "CHANCERY_DATA")]
    data: Option<PathBuf>,
    /// Where the rows are: an SQLite file, or postgres://USER@HOST/DATABASE [default: chancery.db in the data folder].
    #[arg(long, value_name = "STORE", env = "CHANCERY_STORE", hide_env_values = true)]
    store: Option<String>,
    /// File with the root key.
    #[arg(long, value_name = "FILE", env = "CHANCERY_ROOT_KEY")]
    root_key: Option<PathBuf>,
}

impl HostOptions {
    /// The settings in force; those of the server come from the file.
    pub(crate) fn resolve(self) -> Result<Settings, Failure> {
        let Self { config, data, store, root_key } = self;
        Options { config, data, store, root_key, ..Options::default() }.resolve()
    }
}

/// Limits and proxies in the words in which they were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) limits: Vec<String>,
    pub(crate) proxies: Vec<String>,
}

/// The settings in force.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) data: PathBuf,
    pub(crate) store: StoreUrl,
    /// Where the root key is, if that was said.
    pub(crate) root_key: Option<PathBuf>,
    pub(crate) listen: String,
    pub(crate) public_listen: Option<SocketAddr>,
    pub(crate) plain_listen: Option<SocketAddr>,
    pub(crate) client_cert_listen: Option<SocketAddr>,
    pub(crate) public_url: Option<String>,
    pub(crate) log_name: Option<String>,
    /// Certificate chain and private key, if they are given.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    pub(crate) tls_names: Vec<String>,
    pub(crate) drain_delay: Duration,
    pub(crate) time_stamp_urls: Vec<String>,
    pub(crate) time_stamp_roots: Option<PathBuf>,
    pub(crate) public_origin: Option<String>,
    pub(crate) journal: JournalConfig,
    pub(crate) audit_files: Option<PathBuf>,
    pub(crate) notice_networks: Vec<Network>,
    pub(crate) no_deliveries: bool,
    pub(crate) witnesses: Vec<Witness>,
    pub(crate) notice_ca: Option<PathBuf>,
    pub(crate) provider_networks: Vec<Network>,
    pub(crate) provider_ca: Option<PathBuf>,
    pub(crate) smtp: Option<Smtp>,
    pub(crate) rsa_pool: usize,
    pub(crate) limits: Limits,
    pub(crate) given: Given,
    pub(crate) bounds: Bounds,
    pub(crate) log_level: String,
    pub(crate) log_format: LogFormat,
}

impl Options {
    /// The settings in force: what the flags and the environment leave open comes from the file, then from defaults. What
    /// cannot be in force is a wrong use.
    pub(crate) fn resolve(self) -> Result<Settings, Failure> {
        self.settled().map_err(|why| as_usage(&why))
    }

    fn settled(self) -> Result<Settings, Failure> {
        let file = match &self.config {
            Some(path) => Self::read(path).doing(format!("configuration {}", path.display()))?,
            None => Self::default(),
        };
        self.or(file).check()
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let read = toml::from_str(&bounded::open_text(path)?);
        // The library draws the place over several lines; the first one names it.
        read.map_err(|error: toml::de::Error| {
            let place = error.to_string();
            format!("{}: {}", place.lines().next().unwrap_or_default(), error.message()).into()
        })
    }

    /// Takes from `other` what is not given here.
    fn or(self, mut other: Self) -> Self {
        // A bearer token's lifetime has two names.
        if limits::names(self.limit.as_deref(), limits::TOKEN_LIFETIME) {
            other.token_lifetime = None;
        }
        if self.token_lifetime.is_some() {
            other.limit = other.limit.map(|given| limits::without(given, limits::TOKEN_LIFETIME));
        }
        Self {
            config: self.config,
            data: self.data.or(other.data),
            store: self.store.or(other.store),
            sqlite_flush: self.sqlite_flush.or(other.sqlite_flush),
            root_key: self.root_key.or(other.root_key),
            listen: self.listen.or(other.listen),
            public_listen: self.public_listen.or(other.public_listen),
            plain_listen: self.plain_listen.or(other.plain_listen),
            client_cert_listen: self.client_cert_listen.or(other.client_cert_listen),
            public_url: self.public_url.or(other.public_url),
            log_name: self.log_name.or(other.log_name),
            tls_cert: self.tls_cert.or(other.tls_cert),
            tls_key: self.tls_key.or(other.tls_key),
            tls_name: self.tls_name.or(other.tls_name),
            trusted_proxies: self.trusted_proxies.or(other.trusted_proxies),
            drain_delay: self.drain_delay.or(other.drain_delay),
            time_stamp_urls: self.time_stamp_urls.or(other.time_stamp_urls),
            time_stamp_roots: self.time_stamp_roots.or(other.time_stamp_roots),
            public_origin: self.public_origin.or(other.public_origin),
            journal_dir: self.journal_dir.or(other.journal_dir),
            journal_keep_days: self.journal_keep_days.or(other.journal_keep_days),
            audit_files: self.audit_files.or(other.audit_files),
            notice_networks: self.notice_networks.or(other.notice_networks),
            notice_ca: self.notice_ca.or(other.notice_ca),
            no_deliveries: self.no_deliveries.or(other.no_deliveries),
            provider_networks: self.provider_networks.or(other.provider_networks),
            provider_ca: self.provider_ca.or(other.provider_ca),
            witness: self.witness.or(other.witness),
            smtp_host: self.smtp_host.or(other.smtp_host),
            smtp_port: self.smtp_port.or(other.smtp_port),
            smtp_tls: self.smtp_tls.or(other.smtp_tls),
            smtp_user: self.smtp_user.or(other.smtp_user),
            smtp_password_file: self.smtp_password_file.or(other.smtp_password_file),
            smtp_from: self.smtp_from.or(other.smtp_from),
            token_lifetime: self.token_lifetime.or(other.token_lifetime),
            rsa_pool: self.rsa_pool.or(other.rsa_pool),
            limit: limits::merged(self.limit, other.limit),
            log_level: self.log_level.or(other.log_level),
            log_level_default: self.log_level_default,
            log_format: self.log_format.or(other.log_format),
        }
    }

    fn check(self) -> Result<Settings, Failure> {
        let smtp = smtp::of(&self)?;
        let data = self.data.unwrap_or_else(|| PathBuf::from("./chancery-data"));
        let store = match self.store {
            Some(store) => store.parse().doing("--store")?,
            None => StoreUrl::file(data.join("chancery.db")),
        };
        let store = store.flushed_by(self.sqlite_flush.unwrap_or_default().into());
        if let Some(address) = self.plain_listen.filter(|address| !address.ip().is_loopback()) {
            return Err(format!("--plain-listen {address}: only a loopback address, since nothing is encrypted").into());
        }
        let tls = tls_files(self.tls_cert, self.tls_key)?;
        let (mut limits, mut bounds) = (Limits::default(), Bounds::default());
        let given = Given { limits: self.limit.unwrap_or_default(), proxies: self.trusted_proxies.unwrap_or_default() };
        limits::set_all(&mut limits, &mut bounds, &given.limits)?;
        self.token_lifetime
            .map_or(Ok(()), |seconds| limits::set_lifetime(&mut limits, &mut bounds, &given.limits, seconds))?;
        limits::check_together(&limits)?;
        if self.time_stamp_roots.is_some() && self.time_stamp_urls.as_ref().is_none_or(Vec::is_empty) {
            return Err(ROOTS_ALONE.into());
        }
        bounds.trusted_proxies = addresses::trusted_proxies(&given.proxies)?;
        let listen = self.listen.unwrap_or_else(|| "127.0.0.1:8443".to_owned());
        addresses::check_listen(&listen)?;
        self.public_url.as_deref().map_or(Ok(()), addresses::check_public_url)?;
        self.public_origin.as_deref().map_or(Ok(()), addresses::check_public_origin)?;
        Ok(Settings {
            journal: journal::of(&data, self.journal_dir, self.journal_keep_days)?,
            data,
            store,
            root_key: self.root_key,
            listen,
            public_listen: self.public_listen,
            plain_listen: self.plain_listen,
            client_cert_listen: self.client_cert_listen,
            public_url: self.public_url,
            log_name: self.log_name,
            tls,
            tls_names: self.tls_name.unwrap_or_default(),
            drain_delay: drain_delay(self.drain_delay)?,
            time_stamp_urls: self.time_stamp_urls.unwrap_or_default(),
            time_stamp_roots: self.time_stamp_roots,
            public_origin: self.public_origin,
            audit_files: self.audit_files,
            notice_networks: addresses::networks("--notice-networks", &self.notice_networks.unwrap_or_default())?,
            notice_ca: self.notice_ca,
            no_deliveries: self.no_deliveries.unwrap_or_default(),
            witnesses: witnesses::of(&self.witness.unwrap_or_default())?,
            provider_networks: addresses::networks("--provider-networks", &self.provider_networks.unwrap_or_default())?,
            provider_ca: self.provider_ca,
            smtp,
            rsa_pool: self.rsa_pool.map_or(RSA_POOL, usize::from),
            limits,
            given,
            bounds,
            log_level: self.log_level.unwrap_or_else(|| self.log_level_default.unwrap_or("info").to_owned()),
            log_format: self.log_format.unwrap_or_default(),
        })
    }
}

fn tls_files(certificate: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some((certificate, key))),
        (None, None) => Ok(None),
        (Some(_), None) | (None, Some(_)) => Err("--tls-cert and --tls-key go together".into()),
    }
}

fn drain_delay(seconds: Option<u64>) -> Result<Duration, Failure> {
    let drain_delay = Duration::from_secs(seconds.unwrap_or_default());
    if drain_delay > DRAIN_DELAY_MAX {
        let most = DRAIN_DELAY_MAX.as_secs();
        return Err(format!("--drain-delay {}: at most {most} seconds", drain_delay.as_secs()).into());
    }
    Ok(drain_delay)
}

#[cfg(test)]
mod tests {
    use chancery_core::SqliteFlush;

    use super::*;

    fn settings(flags: Options, file: &str) -> Result<Settings, Failure> {
        flags.or(toml::from_str(file)?).check()
    }

    #[test]
    fn flags_come_before_the_file_and_the_file_before_defaults() {
        let file =
            "listen = \"0.0.0.0:1\"\ndata = \"/from/file\"\nlimit = [\"page-size-max=7\"]\nlog-format = \"json\"";
        let flags = Options { listen: Some("127.0.0.1:2".to_owned()), token_lifetime: Some(60), ..Options::default() };
        let settings = settings(flags, file).unwrap();
        assert_eq!(settings.listen, "127.0.0.1:2");
        assert_eq!(settings.data, PathBuf::from("/from/file"));
        assert_eq!(settings.store.path(), Some(Path::new("/from/file/chancery.db")));
        assert_eq!((settings.limits.page_size_max, settings.limits.token_lifetime), (7, Duration::from_secs(60)));
        assert_eq!((settings.log_format, settings.log_level.as_str()), (LogFormat::Json, "info"));
    }

    #[test]
    fn a_limit_takes_back_no_other_one() {
        let flags = Options { limit: Some(vec!["name-max=200".to_owned()]), ..Options::default() };
        let limits = settings(flags, "limit = [\"name-max=100\", \"password-min=40\"]").unwrap().limits;
        assert_eq!((limits.name_max, limits.password_min), (200, 40));
    }

    #[test]
    fn the_two_names_of_a_lifetime_come_in_the_same_order() {
        let lifetime = |flags, file| settings(flags, file).map(|settings| settings.limits.token_lifetime.as_secs());
        let as_limit = || Options { limit: Some(vec!["token-lifetime=90".to_owned()]), ..Options::default() };
        let as_flag = || Options { token_lifetime: Some(60), ..Options::default() };
        assert_eq!(lifetime(as_limit(), "token-lifetime = 60").unwrap(), 90);
        assert_eq!(lifetime(as_flag(), "limit = [\"token-lifetime=90\"]").unwrap(), 60);
        let both = Options { token_lifetime: Some(60), ..as_limit() };
        let refused = lifetime(both, "").unwrap_err();
        let told = crate::failure::describe(refused.as_ref());
        assert_eq!(told, "--token-lifetime 60: --limit token-lifetime=… is given too");
    }

    #[test]
    fn the_flush_of_sqlite_goes_with_the_store() {
        for (file, expected) in [
            ("", SqliteFlush::Own),
            ("sqlite-flush = \"own\"", SqliteFlush::Own),
            ("sqlite-flush = \"library\"", SqliteFlush::Library),
        ] {
            assert_eq!(settings(Options::default(), file).unwrap().store.flush(), Some(expected), "{file}");
            let elsewhere = Options { store: Some("postgres://localhost/x".to_owned()), ..Options::default() };
            assert_eq!(settings(elsewhere, file).unwrap().store.flush(), None);
        }
        assert!(settings(Options::default(), "sqlite-flush = \"never\"").is_err());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refused = |flags, file: &str| settings(flags, file).unwrap_err().to_string();
        let plain = Options { plain_listen: Some(([0, 0, 0, 0], 80).into()), ..Options::default() };
        assert!(refused(plain, "").contains("only a loopback address"));
        assert!(refused(Options::default(), "lisen = \"x\"").contains("unknown field `lisen`"));
        assert!(refused(Options::default(), "tls-cert = \"x\"").contains("go together"));
        assert!(refused(Options::default(), "limit = [\"no-such=1\"]").contains("--limit no-such=1"));
        let nothing_between = refused(Options::default(), "limit = [\"password-max=20\", \"password-min=21\"]");
        assert!(nothing_between.contains("password-min=21"), "{nothing_between}");
        assert!(refused(Options::default(), "time-stamp-roots = \"x\"").contains("--time-stamp-urls"));
    }
}
