//! The commands that talk to a server, but for those of resources, which `resources/` makes from a table.

use std::{path::PathBuf, time::Duration};

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use super::witnesses::WitnessOptions;
use crate::client::{
    connection::ServerOptions,
    inputs::{duration, interval, name_and_value},
};

/// `login`.
#[derive(Args)]
pub(crate) struct Login {
    /// Who logs in, in this order; who is not named is asked for.
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Files with the passwords, in the order of the names; otherwise they are asked for.
    #[arg(long, value_name = "FILE")]
    pub(crate) password_file: Vec<PathBuf>,
    /// One-time codes of those who have a second factor, in the order of the names; otherwise they are asked for.
    #[arg(long, value_name = "CODE")]
    pub(crate) totp: Vec<String>,
    /// Logs a workload in by a token of an identity provider, which stands in this file (- for standard input), for as long
    /// as a bearer token lives.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["names", "password_file", "totp", "api_key_file"])]
    pub(crate) oidc_token: Option<PathBuf>,
    /// Logs in by the passwords of this directory (LDAP), which is an identity provider: its name or uuid. The names are those
    /// that it knows.
    #[arg(long, value_name = "DIRECTORY", conflicts_with_all = ["api_key_file", "oidc_token", "client_cert"])]
    pub(crate) ldap: Option<String>,
    /// Logs in by this client certificate, PEM, with what stands between it and its authority, at the address of
    /// --client-cert-listen. It is one of two logins where a role takes two.
    #[arg(
        long,
        value_name = "FILE",
        requires = "client_key",
        conflicts_with_all = ["names", "password_file", "totp", "api_key_file", "oidc_token"]
    )]
    pub(crate) client_cert: Option<PathBuf>,
    /// The key of the certificate, PEM, without a passphrase.
    #[arg(long, value_name = "FILE", requires = "client_cert")]
    pub(crate) client_key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `logout`.
#[derive(Args)]
pub(crate) struct Logout {
    /// Forgets the server too: its address and its authority.
    #[arg(long)]
    pub(crate) forget: bool,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// A command with no options of its own.
#[derive(Args)]
pub(crate) struct Plain {
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `sign`.
#[derive(Args)]
pub(crate) struct Sign {
    /// The files.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The service that signs: name or uuid. Repeated, each file goes to the first one whose format fits it.
    #[arg(long, value_name = "NAME", required = true)]
    pub(crate) service: Vec<String>,
    /// Its policy: name or uuid [default: the only one].
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,
    /// Where the signed file goes, or the signature that stands apart (- for standard output); with several files a folder
    /// [default: the file itself; beside it FILE.p7s (CMS) or FILE.sig (Raw)].
    #[arg(short, long, value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// The format that is expected: another one is refused before anything is submitted.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Waits until people have approved it.
    #[arg(long)]
    pub(crate) wait: bool,
    /// How long to wait at most, such as 90s, 30m, 8h [default: until the request or the login ends].
    #[arg(long, value_name = "SPAN", requires = "wait", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Goes on with this request of the file, which was submitted before: with the same options as then. What they said
    /// about it stays as it was said then.
    #[arg(long, value_name = "UUID")]
    pub(crate) request: Option<String>,
    /// All files by one request, which people approve together: its digest is that of the lines that sha256sum prints.
    #[arg(long)]
    pub(crate) manifest: bool,
    /// What approvers see as the name [default: the file's].
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// What approvers shall know about it: your claim.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// A name and a value that approvers see likewise, such as commit=0a1b2c; repeated for several.
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value)]
    pub(crate) metadata: Vec<(String, String)>,
    /// SLSA provenance of the files, a DSSE envelope, signed by an issuer that the policy names. For files that carry their
    /// signature with --upload.
    #[arg(long, value_name = "FILE", conflicts_with = "request")]
    pub(crate) provenance: Option<PathBuf>,
    /// The program's name that Windows shows; it is signed.
    #[arg(long, value_name = "TEXT")]
    pub(crate) program_name: Option<String>,
    /// Where there is more about the program; it is signed.
    #[arg(long, value_name = "URL")]
    pub(crate) program_url: Option<String>,
    /// Signs the hashes of a program's pages too.
    #[arg(long)]
    pub(crate) page_hashes: bool,
    /// Puts the signature beside the one that the file has; otherwise it takes its place.
    #[arg(long)]
    pub(crate) append: bool,
    /// Sends the file instead of its digest, up to 64 MiB: for policies and keys that want it.
    #[arg(long)]
    pub(crate) upload: bool,
    /// The trusted root that the signature has to lead to, PEM or DER [default: the service's].
    #[arg(long, value_name = "FILE")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// The forms of signatures.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Apart from the file, with certificates.
    Cms,
    /// Apart from the file, the bare signature.
    Raw,
    /// In programs: exe, dll, sys.
    Authenticode,
    /// In Windows installers.
    Msi,
    /// In PowerShell scripts.
    Powershell,
    /// In Java archives.
    Jar,
}

/// `tokenize` and `detokenize`.
#[derive(Args)]
#[command(group = ArgGroup::new("columns").args(["column", "fixed_width"]))]
pub(crate) struct Tokenize {
    /// The values; otherwise the lines of standard input. Arguments can be read by everybody on this machine. With --column
    /// or --fixed-width: the one file, or - for standard input.
    #[arg(value_name = "VALUE")]
    pub(crate) values: Vec<String>,
    /// The token profile: name or uuid.
    #[arg(long, value_name = "NAME", required_unless_present = "columns")]
    pub(crate) profile: Option<String>,
    /// Something to keep beside new tokens of a vault (Random), such as source=payroll; repeated for several.
    #[arg(long, value_name = "NAME=VALUE", value_parser = name_and_value, conflicts_with = "columns")]
    pub(crate) metadata: Vec<(String, String)>,
    /// Until when new tokens of a vault live, such as 2030-01-31T12:00:00Z.
    #[arg(long, value_name = "TIME", conflicts_with = "columns")]
    pub(crate) expires_at: Option<String>,
    /// For detokenize: the version of the key, where tokens do not tell it and the profile reads several.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) key_version: Option<u32>,
    /// For detokenize: the grant under which values are shown in full, as chancery grant request names it.
    #[arg(long, value_name = "UUID")]
    pub(crate) grant: Option<String>,
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// What is asked for of a whole file.
#[derive(Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct Files {
    /// A column of the file, with a profile of its own where there is a =; repeated for several. In JSON lines the name of a
    /// member, or a path such as card.pan; in a CSV file without names a number from 1.
    #[arg(long, value_name = "NAME[=PROFILE]")]
    pub(crate) column: Vec<String>,
    /// The same where every field has its place in the line, in bytes from 1; repeated for several.
    #[arg(long, value_name = "START:LENGTH[=PROFILE]")]
    pub(crate) fixed_width: Vec<String>,
    /// Where the rows go; .gz and .zst are compressed. It has its name only when it is whole [default: standard output].
    #[arg(short, long, value_name = "FILE", requires = "columns")]
    pub(crate) out: Option<PathBuf>,
    /// What the file is [default: what its name says; CSV for standard input].
    #[arg(long, value_name = "FORMAT", requires = "column")]
    pub(crate) format: Option<FileFormat>,
    /// What stands between two fields of a CSV file: one character, or tab [default: a comma, in .tsv a tab].
    #[arg(long, value_name = "CHARACTER", requires = "column")]
    pub(crate) delimiter: Option<String>,
    /// The first row of the CSV file does not name the columns.
    #[arg(long, requires = "column")]
    pub(crate) no_header: bool,
    /// The column of the initialization vectors, where the profile has such [default: COLUMN_iv].
    #[arg(long, value_name = "[COLUMN=]NAME", requires = "column")]
    pub(crate) iv_column: Vec<String>,
    /// Where rows go that cannot be done, each with its line and the reason [default: FILE.rejects beside --out; to standard
    /// output the first such row ends the command].
    #[arg(long, value_name = "FILE", requires = "columns")]
    pub(crate) rejects: Option<PathBuf>,
    /// How many calls are made at a time.
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub(crate) connections: usize,
    /// Values of one call; with less than 10,000, rows are also written in such portions. Where a budget lets through fewer
    /// values at once, give fewer still: an interrupted run goes on behind the last portion that was answered whole.
    #[arg(long, value_name = "NUMBER", default_value_t = 10_000)]
    pub(crate) batch: usize,
    /// How long to go on with a server that puts off or cannot be reached.
    #[arg(long, value_name = "SPAN", default_value = "10m", value_parser = duration)]
    pub(crate) patience: Duration,
    /// Begins anew. Otherwise a run that was interrupted is taken up where it stopped, by the same command.
    #[arg(long, requires = "columns")]
    pub(crate) restart: bool,
}

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// Fields with a delimiter between them.
    Csv,
    /// A JSON object a line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
}

/// `rule`.
#[derive(Args)]
pub(crate) struct Rule {
    #[command(subcommand)]
    pub(crate) what: RuleCommand,
}

/// What to do with the Control Rules of a token profile.
#[derive(Subcommand)]
pub(crate) enum RuleCommand {
    /// Lists them.
    #[command(after_help = "Example:\n  chancery rule list 'demo cards'")]
    List(RuleList),
    /// Shows how much of their budgets is used.
    #[command(after_help = "Example:\n  chancery rule budgets 'demo cards'")]
    Budgets(RuleList),
    /// Adds one.
    #[command(
        after_help = "Example:\n  chancery rule create 'demo cards' --role Auditor --operation PartialDetokenize --mask FirstSixLastFour"
    )]
    Create(RuleChange),
    /// Takes one away: the one that has all that is said.
    #[command(
        after_help = "Example:\n  chancery rule delete 'demo cards' --role Auditor --operation PartialDetokenize"
    )]
    Delete(RuleChange),
    /// Replaces all of them by those of a file: {"controlRules": [...]}.
    #[command(after_help = "Example:\n  chancery rule replace 'demo cards' --file rules.json")]
    Replace(RuleReplace),
}

/// `rule list`.
#[derive(Args)]
pub(crate) struct RuleList {
    /// The token profile: name or uuid.
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: String,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `rule create` and `rule delete`.
#[derive(Args)]
pub(crate) struct RuleChange {
    /// The token profile: name or uuid.
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: String,
    /// The role that may: name or uuid.
    #[arg(long, value_name = "NAME")]
    pub(crate) role: String,
    /// What it may, such as Tokenize, Detokenize, PartialDetokenize, Batch.
    #[arg(long, value_name = "OPERATION")]
    pub(crate) operation: String,
    /// How many characters it sees (PartialDetokenize).
    #[arg(long, value_name = "NUMBER")]
    pub(crate) reveal: Option<u32>,
    /// From which end they are counted (PartialDetokenize): Start or End.
    #[arg(long, value_name = "SIDE")]
    pub(crate) reveal_from: Option<String>,
    /// What it sees, by its name (PartialDetokenize), such as FirstSixLastFour, LastFour, EmailDomain.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["reveal", "reveal_from"])]
    pub(crate) mask: Option<String>,
    /// How many values it lets through, such as 1000/Minute, 20000/Day, or 500/Hour/each for each identity; repeat it.
    #[arg(long, value_name = "COUNT/PERIOD")]
    pub(crate) budget: Vec<String>,
    /// How many people approve before somebody detokenizes in full (Detokenize). Of which roles: rule replace.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) approvals: Option<u32>,
    /// Changes nothing: shows who would gain and who would lose what.
    #[arg(long)]
    pub(crate) preview: bool,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `rule replace`.
#[derive(Args)]
pub(crate) struct RuleReplace {
    /// The token profile: name or uuid.
    #[arg(value_name = "PROFILE")]
    pub(crate) profile: String,
    /// The file, or - for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Changes nothing: shows who would gain and who would lose what.
    #[arg(long)]
    pub(crate) preview: bool,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `log`.
#[derive(Args)]
pub(crate) struct Log {
    #[command(subcommand)]
    pub(crate) what: LogCommand,
}

/// What to do with the transparency log.
#[derive(Subcommand)]
pub(crate) enum LogCommand {
    /// Keeps the log's checkpoints, and proves of each new one that the log only grew. Exit code 1: it did not; 10: it is
    /// another log.
    #[command(after_help = "Example:\n  chancery log watch --once")]
    Watch(LogWatch),
}

/// `log watch`.
#[derive(Args)]
pub(crate) struct LogWatch {
    /// The log's key, NAME+ID+KEY, as you keep it [default: the one that was kept the first time at this address].
    #[arg(long, value_name = "KEY")]
    pub(crate) log_key: Option<String>,
    /// How often to look: every second at most.
    #[arg(long, value_name = "SPAN", default_value = "60s", value_parser = interval)]
    pub(crate) interval: Duration,
    /// Looks once.
    #[arg(long)]
    pub(crate) once: bool,
    #[command(flatten)]
    pub(crate) cosigned: WitnessOptions,
    #[command(flatten)]
    pub(crate) server: ServerOptions,
}

/// `completions`.
#[derive(Args)]
pub(crate) struct Completions {
    /// The shell.
    pub(crate) shell: clap_complete::Shell,
}

/// `man`.
#[derive(Args)]
pub(crate) struct Man {
    /// The folder that they go to; it is made where it is not there.
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}
