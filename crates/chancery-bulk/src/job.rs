//! What is to be done, and what became of it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use chancery_types::{ProposalId, TokenProfileId};
use serde::Serialize;

use crate::error::{BulkError, Result};

/// Rows of a piece, about: as many as the usual call has values. Larger pieces make calls no larger, and what is kept of
/// each row no smaller.
pub(crate) const PIECE_ROWS: usize = 10_000;

/// Columns of one file at most.
pub(crate) const COLUMNS_MAX: usize = 32;

/// Connections of one job at most: more only stand in each other's way.
const CONNECTIONS_MAX: usize = 16;

/// Values of one call at most, as the interface has it.
const BATCH_MAX: usize = 100_000;

/// Endings of files that are compressed in ways in which nothing is written.
const NOT_WRITTEN: [&str; 8] = ["7z", "br", "bz2", "lz4", "lzma", "rar", "xz", "zip"];

/// From values to tokens, or from tokens to values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Way {
    /// From values to tokens.
    Tokenize,
    /// From tokens to values.
    Detokenize,
}

/// A column, and by which profile.
#[derive(Clone, Debug, Serialize)]
pub struct Column {
    /// Its name; its number from 1 in a CSV file without names; a path such as `card.pan` in JSON lines; `START:LENGTH` in
    /// bytes, from 1, where the width is fixed.
    pub name: String,
    /// The token profile.
    pub profile: TokenProfileId,
    /// The column of the initialization vectors, where the profile has such.
    pub iv_name: String,
}

impl Column {
    /// A column whose initialization vectors, if there are any, are in `NAME_iv`.
    #[must_use]
    pub fn new(name: impl Into<String>, profile: TokenProfileId) -> Self {
        let name = name.into();
        Self { iv_name: format!("{name}_iv"), name, profile }
    }
}

/// How rows stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Format {
    /// Fields with a delimiter between them (RFC 4180), in quotes where they need them.
    Csv {
        /// What stands between two fields: one ASCII character.
        delimiter: u8,
        /// Whether the first row names the columns.
        has_names: bool,
    },
    /// A JSON object a line.
    JsonLines,
    /// Lines in which every field has its place.
    FixedWidth,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// What people call it.
    const fn kind(self) -> &'static str {
        match self {
            Self::Csv { .. } => "CSV",
            Self::JsonLines => "JSON lines",
            Self::FixedWidth => "lines of fixed width",
            Self::Parquet => "Parquet",
        }
    }

    /// CSV with commas and names.
    pub const CSV: Self = Self::Csv { delimiter: b',', has_names: true };

    /// What a file's name says, without `.gz` or `.zst` behind it.
    #[must_use]
    pub fn of_name(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(&name);
        Some(match name.rsplit_once('.')?.1 {
            "csv" => Self::CSV,
            "tsv" | "tab" => Self::Csv { delimiter: b'\t', has_names: true },
            "jsonl" | "ndjson" => Self::JsonLines,
            "parquet" => Self::Parquet,
            _ => return None,
        })
    }
}

/// Where rows come from or go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Standard input, or standard output.
    Standard,
    /// A file. As an output it has its name only when it is whole.
    File(PathBuf),
}

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Job {
    /// In which direction.
    pub way: Way,
    /// Which columns; all others stay as they are.
    pub columns: Vec<Column>,
    /// Of the input and of the output.
    pub format: Format,
    /// Plain, gzip or zstd: its first bytes say which.
    pub input: Place,
    /// Plain, gzip or zstd: its name says which.
    pub output: Place,
    /// Where rows go that are refused; none with an output that is no file: the first such row then ends the job.
    pub rejects: Option<PathBuf>,
    /// How many calls are made at a time.
    pub connections: usize,
    /// Values of one call, and with less than 10,000 also about the rows that are written together: what a piece of the
    /// input was answered is written when all of it is. So where a budget lets through fewer, this is to be fewer still.
    pub batch: usize,
    /// How long to go on with a server that puts off or cannot be reached.
    pub patience: Duration,
    /// For tokens that do not tell by which version of the key they were made.
    pub key_version: Option<u32>,
    /// For detokenizing in full where a Control Rule demands approvals.
    pub grant: Option<ProposalId>,
    /// Begins anew where an interrupted run would be taken up.
    pub restarts: bool,
}

impl Job {
    /// A job from a file to a file, of the format that the input's name says, with the usual bounds.
    ///
    /// # Errors
    ///
    /// [`BulkError::Job`] where the name says no format.
    pub fn of_files(
        way: Way,
        columns: Vec<Column>,
        input: impl Into<PathBuf>,
        output: impl Into<PathBuf>,
    ) -> Result<Self> {
        let (input, output) = (input.into(), output.into());
        let format = Format::of_name(&input).ok_or_else(|| unknown_format(&input))?;
        let mut rejects = output.clone().into_os_string();
        rejects.push(".rejects");
        Ok(Self {
            way,
            columns,
            format,
            input: Place::File(input),
            output: Place::File(output),
            rejects: Some(rejects.into()),
            connections: 3,
            batch: 10_000,
            patience: Duration::from_secs(600),
            key_version: None,
            grant: None,
            restarts: false,
        })
    }

    /// Rows that are read, made and written together at most, where calls are smaller than usual: what is answered is
    /// written that much sooner.
    pub(crate) fn fewer_rows(&self) -> Option<usize> {
        (self.batch < PIECE_ROWS).then_some(self.batch)
    }

    pub(crate) fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(BulkError::Job(what));
        if self.columns.is_empty() || self.columns.len() > COLUMNS_MAX {
            return wrong(format!("1 to {COLUMNS_MAX} columns are expected"));
        }
        for (index, column) in self.columns.iter().enumerate() {
            if self.columns[..index].iter().any(|before| before.name == column.name) {
                return wrong(format!("column {}: named twice", column.name));
            }
        }
        if self.connections == 0 || self.connections > CONNECTIONS_MAX {
            return wrong(format!("1 to {CONNECTIONS_MAX} connections are expected"));
        }
        if self.batch == 0 || self.batch > BATCH_MAX {
            return wrong(format!("a batch of 1 to {BATCH_MAX} values is expected"));
        }
        match self.format {
            Format::Csv { delimiter, .. } if !delimiter.is_ascii() || b"\"\r\n".contains(&delimiter) => {
                return wrong("the delimiter is one ASCII character, and no quote or line end".into());
            }
            Format::Parquet if self.input == Place::Standard => {
                return wrong("Parquet cannot be read from standard input: its end comes first. Name the file.".into());
            }
            Format::Csv { .. } | Format::JsonLines | Format::FixedWidth | Format::Parquet => {}
        }
        match &self.output {
            Place::File(path) => self.check_ending(path),
            Place::Standard => Ok(()),
        }
    }

    /// An output's name says nothing else than what will be in it.
    fn check_ending(&self, path: &Path) -> Result<()> {
        let wrong = |what: String| Err(BulkError::Job(format!("{}: {what}", path.display())));
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default().to_ascii_lowercase();
        let is_packed = ["gz", "zst"].contains(&end.as_str());
        if NOT_WRITTEN.contains(&end.as_str()) || is_packed && self.format == Format::Parquet {
            let why = match self.format {
                Format::Parquet => "Parquet is compressed as the input is, and not once more",
                Format::Csv { .. } | Format::JsonLines | Format::FixedWidth => "it can be compressed as .gz or .zst",
            };
            return wrong(why.to_owned());
        }
        match Format::of_name(path).map(Format::kind) {
            Some(kind) if kind != self.format.kind() => {
                wrong(format!("the name says {kind}, and the output is {}, as the input", self.format.kind()))
            }
            Some(_) | None => Ok(()),
        }
    }
}

pub(crate) fn unknown_format(path: &Path) -> BulkError {
    let expected = ".csv, .tsv, .jsonl, .ndjson or .parquet, with .gz or .zst behind it if it is compressed";
    BulkError::Job(format!("{}: the name does not say the format: {expected}", path.display()))
}

/// How far a job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Rows that are written, those of earlier runs included.
    pub rows: u64,
    /// Rows that were refused, likewise.
    pub bad: u64,
    /// Rows of `rows` and `bad` that earlier runs did.
    pub rows_before: u64,
    /// Bytes of the input that were read, as they lie on the disk; rows where it is Parquet.
    pub read: u64,
    /// Of `read`, what earlier runs did.
    pub read_before: u64,
    /// Of how many; none where nobody knows.
    pub total: Option<u64>,
}

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Rows of the output.
    pub rows: u64,
    /// Rows that were refused.
    pub bad: u64,
    /// Rows of both that an earlier run did.
    pub rows_before: u64,
}

/// Whoever wants to see a job going on.
pub trait Watch: Sync {
    /// After each piece that is written.
    fn progress(&self, _progress: &Progress) {}

    /// Something that a person should know, in one sentence.
    fn note(&self, _note: &str) {}
}

/// Nobody watches.
pub struct Quiet;

impl Watch for Quiet {}
