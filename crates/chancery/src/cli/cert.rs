//! The commands of certificates whose keys are made here and stay here.

use std::{path::PathBuf, time::Duration};

use clap::{Args, ValueEnum};

use crate::client::{connection::ServerOptions, inputs::duration};

/// `cert request`.
#[derive(Args)]
pub(crate) struct CertRequest {
    /// The authority that issues it, or a service of which it is: name or uuid.
    #[arg(long, value_name = "NAME", required_unless_present = "csr_out")]
    pub(crate) issuer: Option<String>,
    /// The certificate profile: name or uuid.
    #[arg(long, value_name = "NAME", required_unless_present = "csr_out")]
    pub(crate) profile: Option<String>,
    /// The subject, such as CN=www.example.org,O=Example.
    #[arg(long, value_name = "SUBJECT")]
    pub(crate) subject: Option<String>,
    /// An alternative name, such as DNS:www.example.org; repeated for several.
    #[arg(long, value_name = "NAME")]
    pub(crate) san: Vec<String>,
    /// How long it is valid, such as 90d [default: as the profile says].
    #[arg(long, value_name = "SPAN")]
    pub(crate) validity: Option<String>,
    /// A request that you have (PKCS#10, PEM), in the place of a new key.
    #[arg(long, value_name = "FILE", conflicts_with = "key_out")]
    pub(crate) csr: Option<PathBuf>,
    /// Where the new key goes (PKCS#8, PEM, mode 0600), which is made here and stays here; it must not exist.
    #[arg(long, value_name = "FILE", required_unless_present = "csr")]
    pub(crate) key_out: Option<PathBuf>,
    /// The kind of the new key.
    #[arg(long, value_name = "KIND", default_value = "ec-p256")]
    pub(crate) key: KeyKind,
    /// Where the certificate goes, with its issuers (PEM); - for standard output.
    #[arg(short, long, value_name = "FILE", required_unless_present = "csr_out")]
    pub(crate) out: Option<PathBuf>,
    /// Writes a request for the new key (PKCS#10, PEM) there, for another authority; - for standard output. No server is
    /// asked.
    #[arg(
        long,
        value_name = "FILE",
        requires = "key_out",
        conflicts_with_all = ["out", "csr", "issuer", "profile", "validity", "p12"]
    )]
    pub(crate) csr_out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) pkcs12: Pkcs12Options,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// Key and certificates in one file.
#[derive(Args)]
pub(crate) struct Pkcs12Options {
    /// Where key, certificate and issuers go besides, as one PKCS#12 file (mode 0600).
    #[arg(long, value_name = "FILE")]
    pub(crate) p12: Option<PathBuf>,
    /// File with the password of the PKCS#12 file; otherwise CHANCERY_P12_PASSWORD, otherwise it is asked for.
    #[arg(long, value_name = "FILE", requires = "p12")]
    pub(crate) p12_password_file: Option<PathBuf>,
}

/// `cert renew`.
#[derive(Args)]
pub(crate) struct CertRenew {
    /// Name or uuid of the certificate. Where --cert-out has one that took its place already, that one is renewed.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Another authority: name or uuid.
    #[arg(long, value_name = "NAME")]
    pub(crate) issuer: Option<String>,
    /// The certificate profile, for a certificate that was made elsewhere; others keep theirs.
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// How long it is valid, such as 90d [default: as the profile says].
    #[arg(long, value_name = "SPAN")]
    pub(crate) validity: Option<String>,
    /// The hash under its signature, such as Sha2_384.
    #[arg(long, value_name = "HASH")]
    pub(crate) hash: Option<String>,
    #[command(flatten)]
    pub(crate) files: RenewFiles,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// Where a renewed certificate goes, and when.
#[derive(Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct RenewFiles {
    /// Where the new certificate goes, with its issuers (PEM). The one that is there says when it is due.
    #[arg(long, value_name = "FILE")]
    pub(crate) cert_out: Option<PathBuf>,
    /// Has it issued for a new key, which is made here and goes there (PKCS#8, PEM). Key and certificate change at once; both
    /// names become links for that. Without this the key stays as it is.
    #[arg(long, value_name = "FILE", requires = "cert_out")]
    pub(crate) key_out: Option<PathBuf>,
    /// The kind of the new key [default: that of the one that is there; ec-p256].
    #[arg(long, value_name = "KIND", requires = "key_out")]
    pub(crate) key: Option<KeyKind>,
    /// The key that stays (PKCS#8, PEM), for --p12.
    #[arg(long, value_name = "FILE", requires = "p12", conflicts_with = "key_out")]
    pub(crate) key_in: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) pkcs12: Pkcs12Options,
    /// What a shell does afterwards, such as 'systemctl reload nginx'. It finds CHANCERY_CERT_FILE, CHANCERY_KEY_FILE,
    /// CHANCERY_P12_FILE, CHANCERY_CERT_UUID and CHANCERY_CERT_NOT_AFTER in its environment. Where it fails it is run again.
    #[arg(long, value_name = "COMMAND", requires = "cert_out")]
    pub(crate) hook: Option<String>,
    /// Renews only what ends within this time, such as 30d, and never before half of its life. Alone: exit code 0 where
    /// nothing is due.
    #[arg(long, value_name = "SPAN", requires = "cert_out", value_parser = duration)]
    pub(crate) before: Option<Duration>,
    /// Stays, and renews whenever it is due: as --before says, else at about two thirds of its life. It takes an API key.
    #[arg(long, requires = "cert_out")]
    pub(crate) watch: bool,
}

/// Kinds of keys that are made here.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyKind {
    /// ECDSA on P-256.
    EcP256,
    /// ECDSA on P-384.
    EcP384,
    /// Ed25519.
    Ed25519,
    /// RSA with 3072 bits.
    Rsa3072,
}
