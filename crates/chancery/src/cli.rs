//! The command line.

pub(crate) mod api_key;
pub(crate) mod audit;
pub(crate) mod cert;
pub(crate) mod client;
pub(crate) mod decide;
pub(crate) mod grant;
pub(crate) mod mailbox;
pub(crate) mod passkey;
pub(crate) mod recover;
pub(crate) mod tokens;
pub(crate) mod totp;
pub(crate) mod witnesses;

use std::path::PathBuf;

use chancery_types::{FreshFactorFor, wire::system::AuditRetention};
use clap::{Args, Parser, Subcommand, ValueEnum};

use self::witnesses::WitnessOptions;
use crate::settings::{HostOptions, Options};

/// A key-management server: tokenization, certificates, and code signing under approvals.
#[derive(Parser)]
#[command(version, about, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Client(Box<ClientCommand>),
    #[command(flatten)]
    Host(Box<HostCommand>),
}

/// As somebody who talks to a server. The commands of resources come besides.
#[derive(Subcommand)]
pub(crate) enum ClientCommand {
    /// Logs in to a server. Roles that take two logins are logged in to by two people, one after the other, within five
    /// minutes; the command says who is missing. A passkey needs a browser: roles that demand one are had at the console
    /// alone.
    #[command(
        after_help = "Example:\n  chancery login --server https://127.0.0.1:8443 --ca ca.pem Admin1 Admin2 --password-file one --password-file two"
    )]
    Login(client::Login),
    /// One-time codes (TOTP) as one's own second factor. No login is needed: the password is asked for each time.
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Totp(totp::Totp),
    /// Sets one's own password, by the present one, and ends one's sessions. A password for one use, which others gave, does this
    /// alone. No login is needed.
    #[command(
        after_help = "Example:\n  chancery password carol --password-file new-password --new-password-file newer-password"
    )]
    Password(totp::OwnPassword),
    /// Ends the session.
    #[command(after_help = "Example:\n  chancery logout")]
    Logout(client::Logout),
    /// Shows the servers that you have logged in to, and whether the logins still hold.
    #[command(after_help = "Example:\n  chancery status")]
    Status(client::Plain),
    /// Shows who is logged in, and what they may do.
    #[command(after_help = "Example:\n  chancery whoami")]
    Whoami(client::Plain),
    /// Shows how much all servers together have done in each hour of the last day. An hour in which nothing was
    /// done has no line.
    #[command(after_help = "Example:\n  chancery activity")]
    Activity(client::Plain),
    /// Signs files: only their digests travel, whatever their size. Waits for approvals with --wait, verifies what it got, and
    /// writes it whole or not at all.
    #[command(
        after_help = "Example:\n  chancery sign release.tar --service 'demo signing' --policy 'demo signing' --note 'the fix of ticket 7' --metadata commit=0a1b2c"
    )]
    Sign(Box<client::Sign>),
    /// Approves signing requests, each as it is shown; without a name, shows what waits.
    #[command(after_help = "Example:\n  chancery approve app.tar --note 'built from the tag' --yes")]
    Approve(decide::Approve),
    /// Denies signing requests; without a name, shows what waits.
    #[command(after_help = "Example:\n  chancery deny wrong.tar --note 'not from the tag' --yes")]
    Deny(decide::Decide),
    /// Turns values into tokens, a line each; where tokens have initialization vectors, a tab and the vector behind them. Or
    /// columns of a file: CSV, JSON lines, fixed width, also in gzip or zstd, or Parquet, of any size.
    #[command(
        after_help = "Single values: chancery tokenize --profile 'demo cards' 4111111111111111 5555555555554444\n\nExample:\n  chancery tokenize --profile 'demo cards' --column pan cards.csv -o tokens.csv.gz"
    )]
    Tokenize(Box<client::Tokenize>),
    /// Turns tokens back into values, a line each. A line may have a tab and the initialization vector behind the token. Or
    /// columns of a file, as tokenize.
    #[command(
        after_help = "Single tokens: chancery detokenize --profile 'demo cards' 4111111111111111\n\nExample:\n  chancery detokenize --profile 'demo cards' --column pan tokens.csv.gz -o cards-again.csv"
    )]
    Detokenize(Box<client::Tokenize>),
    /// Makes of tokens those that the newest version of the profile's key makes, a line each, without showing a value. After
    /// chancery key rotate and chancery profile change --key-version.
    #[command(
        after_help = "Example:\n  chancery rewrap --profile 'mail addresses' < mail-tokens.txt > mail-tokens.new"
    )]
    Rewrap(tokens::VersionedTokens),
    /// What a vault has of tokens that were drawn at random.
    Token(tokens::Token),
    /// The data of cards' tracks (ISO/IEC 7813): track 1, track 2 or both, a line each.
    Track(tokens::Track),
    /// Control Rules of token profiles: which role may do what with them.
    Rule(client::Rule),
    /// Approvals of detokenizing in full, where a Control Rule demands them.
    Grant(grant::Grant),
    /// Your mailbox: where what concerns you is sent by e-mail.
    Mailbox(mailbox::Mailbox),
    /// Passkeys of people, with which they sign approvals.
    Passkey(passkey::Passkey),
    /// The transparency log.
    Log(client::Log),
    /// Writes the completions for a shell to standard output.
    #[command(after_help = "Example:\n  chancery completions bash")]
    Completions(client::Completions),
    /// Writes the manual pages of all commands to a folder.
    #[command(after_help = "Example:\n  chancery man man1")]
    Man(client::Man),
}

/// As somebody with a shell on the server's host.
#[derive(Subcommand)]
pub(crate) enum HostCommand {
    /// Serves the installation.
    #[command(
        after_help = "Example:\n  chancery serve --data chancery-data --root-key /etc/chancery/root.key --listen 0.0.0.0:8443"
    )]
    Serve(Serve),
    /// Makes a new installation with two administrators; API access is off.
    #[command(
        after_help = "Example:\n  chancery init --data new-data --root-key new.key --admin1-password-file one --admin2-password-file two"
    )]
    Init(Init),
    /// Makes and serves a demonstration, and tries it out. Never for production: one file holds both halves of dual
    /// control.
    #[command(after_help = "Example:\n  chancery quickstart")]
    Quickstart(Serve),
    /// Shows the settings of the installation, or changes them; a running server follows within a second.
    #[command(
        after_help = "Example:\n  chancery settings --data chancery-data --root-key chancery-data/root.key --api-access on"
    )]
    Settings(Settings),
    /// Takes an administrative lock and a login delay off an identity.
    #[command(
        after_help = "Example:\n  chancery unlock Approver1 --data chancery-data --root-key chancery-data/root.key"
    )]
    Unlock(Unlock),
    /// Lets a person in again who has lost every way in: takes the second factors away, and gives a password for one use. Two
    /// others answer for it, by their own. Raises an alarm until somebody acknowledges it. Exit codes: 0 recovered, 1 failed, 2
    /// the command line is wrong, or somebody is missing, 5 refused.
    #[command(
        after_help = "Example:\n  chancery recover carol --by Admin1 --password-file one --by Admin2 --password-file two --out once --data chancery-data --root-key chancery-data/root.key"
    )]
    Recover(recover::Recover),
    /// Lists the rows of the database that Chancery refuses because it did not write them, or takes them for good after a
    /// repair by hand.
    Rows(Rows),
    /// Copies the store of a running SQLite installation to a new file. The root key is not in it: keep it elsewhere.
    #[command(
        after_help = "Example:\n  chancery backup copy.db --data chancery-data --root-key chancery-data/root.key"
    )]
    Backup(Backup),
    /// Checks a signature or a certificate without any server, and against the transparency log. Exit codes: 0 verified, 1
    /// not verified, 2 what was given could not be read.
    #[command(
        after_help = "Example:\n  chancery verify --signature release.tar.p7s --file release.tar --root root.pem"
    )]
    Verify(Verify),
}

/// `serve` and `quickstart`.
#[derive(Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) options: Options,
}

/// `init`.
#[derive(Args)]
pub(crate) struct Init {
    /// Name of the first administrator.
    #[arg(long, value_name = "NAME", default_value = "Admin1")]
    pub(crate) admin1: String,
    /// File with the first administrator's password; otherwise CHANCERY_ADMIN1_PASSWORD, otherwise it is asked for.
    #[arg(long, value_name = "FILE", env = "CHANCERY_ADMIN1_PASSWORD_FILE")]
    pub(crate) admin1_password_file: Option<PathBuf>,
    /// Name of the second administrator.
    #[arg(long, value_name = "NAME", default_value = "Admin2")]
    pub(crate) admin2: String,
    /// File with the second administrator's password; otherwise CHANCERY_ADMIN2_PASSWORD, otherwise it is asked for.
    #[arg(long, value_name = "FILE", env = "CHANCERY_ADMIN2_PASSWORD_FILE")]
    pub(crate) admin2_password_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// `settings`.
#[derive(Args)]
pub(crate) struct Settings {
    /// Switches API access on or off.
    #[arg(long, value_name = "SWITCH")]
    pub(crate) api_access: Option<Switch>,
    /// What takes a second factor of the last ten minutes: Decisions, Exports, Access, Custody, Rules, by commas; none for nothing.
    #[arg(long, value_name = "WHAT", value_parser = fresh_factors)]
    pub(crate) fresh_factor_for: Option<FreshFactors>,
    /// For how long audit records are at hand, and then kept in archives: card-data (92 days and 365), authorities (92 days, and two
    /// years beyond the last certificate of an authority or a time-stamping service), forever, or days: at hand, kept, and beyond authorities, by commas.
    #[arg(long, value_name = "WHICH", value_parser = audit_retention)]
    pub(crate) audit_retention: Option<AuditRetention>,
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}

/// What takes a fresh second factor.
#[derive(Clone)]
pub(crate) struct FreshFactors(pub(crate) Vec<FreshFactorFor>);

fn fresh_factors(text: &str) -> Result<FreshFactors, String> {
    if text == "none" {
        return Ok(FreshFactors(Vec::new()));
    }
    let all: Vec<_> = FreshFactorFor::ALL.iter().map(|what| what.as_str()).collect();
    let one = |word: &str| {
        word.trim().parse::<FreshFactorFor>().map_err(|_| format!("{word}: none, or some of {}", all.join(", ")))
    };
    text.split(',').map(one).collect::<Result<_, _>>().map(FreshFactors)
}

/// For how long audit records are kept: by name, or in days.
pub(crate) fn audit_retention(text: &str) -> Result<AuditRetention, String> {
    let of = |at_hand_days, keep_days, beyond_authorities_days| AuditRetention {
        at_hand_days,
        keep_days,
        beyond_authorities_days,
    };
    match text {
        // PCI DSS 10.5.1: twelve months, of which three at hand.
        "card-data" => return Ok(of(Some(92), Some(365), None)),
        // CA/Browser Forum Baseline Requirements 5.4.3: two years beyond the end.
        "authorities" => return Ok(of(Some(92), Some(365), Some(730))),
        "forever" => return Ok(AuditRetention::default()),
        _ => {}
    }
    let days = text.split(',').map(|days| days.trim().parse::<u32>()).collect::<Result<Vec<_>, _>>();
    match days.as_deref() {
        Ok([at_hand]) => Ok(of(Some(*at_hand), None, None)),
        Ok([at_hand, keep]) => Ok(of(Some(*at_hand), Some(*keep), None)),
        Ok([at_hand, keep, beyond]) => Ok(of(Some(*at_hand), Some(*keep), Some(*beyond))),
        Ok(_) | Err(_) => Err(format!(
            "{text}: card-data, authorities, forever, or days such as 92,365 (at hand, and kept) or 92,365,730 (and beyond \
             the end of authorities)"
        )),
    }
}

/// On or off.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Switch {
    /// On; `true` as commands on a server say it.
    #[value(alias = "true")]
    On,
    /// Off, or `false`.
    #[value(alias = "false")]
    Off,
}

/// `unlock`.
#[derive(Args)]
pub(crate) struct Unlock {
    /// The identity's name, in any letter case.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}

/// `rows`.
#[derive(Args)]
pub(crate) struct Rows {
    #[command(subcommand)]
    pub(crate) what: RowsCommand,
}

/// What to do with refused rows.
#[derive(Subcommand)]
pub(crate) enum RowsCommand {
    /// Lists them, as JSON, a row a line. Exit codes: 0 there are none, 1 there are some, 2 they cannot be read.
    #[command(after_help = "Example:\n  chancery rows list --data chancery-data --root-key chancery-data/root.key")]
    List(RowsList),
    /// Takes them for good as they stand, for every node: whatever they say holds from then on. Shows them first, and takes
    /// them only with --yes.
    #[command(
        after_help = "Example:\n  chancery rows authenticate --data chancery-data --root-key chancery-data/root.key"
    )]
    Authenticate(RowsAuthenticate),
}

/// `rows list`.
#[derive(Args)]
pub(crate) struct RowsList {
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}

/// `rows authenticate`.
#[derive(Args)]
pub(crate) struct RowsAuthenticate {
    /// Which rows, as TABLE/KEY of the list; all refused ones, where none is named.
    #[arg(value_name = "ROW")]
    pub(crate) rows: Vec<String>,
    /// Takes them.
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}

/// `backup`.
#[derive(Args)]
pub(crate) struct Backup {
    /// The file to make; it must not exist.
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) installation: HostOptions,
}

/// `verify`.
#[derive(Args)]
pub(crate) struct Verify {
    /// The log's public key, NAME+ID+KEY, as you keep it.
    #[arg(long, value_name = "KEY")]
    pub(crate) log_key: Option<String>,
    /// What GET answered of the signing request or the certificate: JSON, with the inclusion proof.
    #[arg(long, value_name = "FILE")]
    pub(crate) bundle: Option<PathBuf>,
    /// In the place of a bundle: a CMS signature that stands apart from its file, in DER or PEM. It is checked as of now, or of its
    /// time stamp, and without the log.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bundle", "consistency", "items", "item"])]
    pub(crate) signature: Option<PathBuf>,
    /// What GET …/items?include=inclusionProof answered, where the bundle is a manifest: all pages, in their order.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) items: Option<Vec<PathBuf>>,
    /// Which of them.
    #[arg(long, value_name = "NAME")]
    pub(crate) item: Option<String>,
    /// What was signed; with a certificate, the certificate itself and nothing else.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The digest of what was signed, in hexadecimal.
    #[arg(long, value_name = "HEX", conflicts_with = "file")]
    pub(crate) digest: Option<String>,
    /// The trusted root, PEM or DER, or several in PEM, with any text around them: checks the signature and its
    /// certificates too.
    #[arg(long, value_name = "FILE")]
    pub(crate) root: Option<PathBuf>,
    /// The trusted roots of time-stamping authorities, as --root: there must be a time stamp then, and it says when it was
    /// signed, so that the certificate may have expired since.
    #[arg(long, value_name = "FILE")]
    pub(crate) tsa_root: Option<PathBuf>,
    /// What the signer's certificate must be for: codeSigning, emailProtection, documentSigning, clientAuth, serverAuth, an
    /// object identifier, or any [default: codeSigning].
    #[arg(long, value_name = "PURPOSE")]
    pub(crate) purpose: Option<String>,
    /// Revocation lists, PEM or DER. Where they are given, they must say of every certificate below a root that it is not
    /// revoked.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) crl: Option<Vec<PathBuf>>,
    /// Takes signatures over MD5, RIPEMD-160 and SHA-1, and RSA keys of less than 2048 bits, all the same.
    #[arg(long)]
    pub(crate) allow_weak: bool,
    /// The signing certificate, for raw signatures: PEM or DER, issuers after it.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// The certificate's issuer, PEM or DER: checks that the log names it.
    #[arg(long, value_name = "FILE")]
    pub(crate) issuer: Option<PathBuf>,
    /// The approvers whom you trust, as a file: a line `origin https://…`, where their console is, and lines `approver UUID
    /// KEY`, as chancery passkey pins prints them. Then approvals of the signing request must be signed by their passkeys, as many
    /// as --approvals says.
    #[arg(long, value_name = "FILE")]
    pub(crate) approver_keys: Option<PathBuf>,
    /// How many approvals there must be, with --approver-keys: of a bundle anybody may have left some out.
    #[arg(long, value_name = "COUNT", requires = "approver_keys", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) approvals: Option<u32>,
    /// Two checkpoints: whether the log only grew between them.
    #[arg(long, num_args = 2, value_names = ["OLDER", "NEWER"], conflicts_with_all = ["bundle", "items", "item"])]
    pub(crate) consistency: Option<Vec<PathBuf>>,
    /// Where the log's tiles are: a folder, or http://HOST/log.
    #[arg(long, value_name = "PLACE")]
    pub(crate) log: Option<String>,
    #[command(flatten)]
    pub(crate) cosigned: WitnessOptions,
}
