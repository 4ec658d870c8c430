//! Text as it is read: in pieces of whole rows.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::UNIX_EPOCH,
};

use chancery_types::Base64;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{
    compression::Plain,
    error::{BulkError, OfFile as _, Result},
    job::{PIECE_ROWS, Place},
    text::Format,
};

/// Bytes of a piece, if no row is longer.
const PIECE_MIN: usize = 128 << 10;
const PIECE_MAX: usize = 1 << 20;

/// Bytes of a row at most. Values have 64 KiB at most, and where a quote is not closed the rest of the file is a row.
pub(crate) const ROW_MAX: usize = 4 << 20;

/// Bytes from which a file is known again.
const HEAD: u64 = 64 * 1024;

/// By what a file is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    path: String,
    bytes: u64,
    modified: Option<u128>,
    head: String,
}

impl Identity {
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let file = File::open(path).of(path)?;
        let metadata = file.metadata().of(path)?;
        let mut head = Vec::new();
        file.take(HEAD).read_to_end(&mut head).of(path)?;
        Ok(Self {
            path: path.canonicalize().of(path)?.display().to_string(),
            bytes: metadata.len(),
            modified: modified(&metadata),
            head: Base64::encode(&Sha256::digest(&head)),
        })
    }
}

fn modified(metadata: &Metadata) -> Option<u128> {
    Some(metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos())
}

/// Some rows.
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    /// How many they are at most.
    pub(crate) rows: usize,
    /// The number of the first line, from 1.
    pub(crate) line: u64,
    /// The number of the line behind them.
    pub(crate) next_line: u64,
    /// Where they end in the plain input.
    pub(crate) end: u64,
    /// How much of the input itself was read.
    pub(crate) read: u64,
}

/// Cuts an input into pieces. Where they are cut depends only on the input, so that what is taken up again is cut as before.
pub(crate) struct Pieces {
    input: Plain,
    name: String,
    counter: Arc<AtomicU64>,
    rest: Vec<u8>,
    /// Bytes of a piece.
    piece: usize,
    fewer_rows: Option<usize>,
    line: u64,
    end: u64,
}

/// Opens what is to be read.
pub(crate) fn open(place: &Place) -> Result<Plain> {
    match place {
        Place::Standard => Plain::of_stream(io::stdin()).of(Path::new("standard input")),
        Place::File(path) => File::open(path).and_then(Plain::of_file).of(path),
    }
}

pub(crate) fn name(place: &Place) -> String {
    match place {
        Place::Standard => "standard input".to_owned(),
        Place::File(path) => path.display().to_string(),
    }
}

impl Pieces {
    /// From the beginning of the input.
    pub(crate) fn new(input: Plain, place: &Place, fewer_rows: Option<usize>) -> Self {
        let (counter, name, rest) = (input.counter(), name(place), Vec::new());
        Self { counter, input, name, rest, piece: PIECE_MAX, fewer_rows, line: 1, end: 0 }
    }

    /// From a place of the plain input on, in pieces as these, whose head was taken.
    pub(crate) fn at(&self, place: &Place, end: u64, line: u64) -> Result<Self> {
        let input = open(place)?.at(end).of(Path::new(&name(place)))?;
        Ok(Self { line, end, piece: self.piece, ..Self::new(input, place, self.fewer_rows) })
    }

    /// Where the next piece begins: the place in the plain input, and the number of the line.
    pub(crate) const fn place(&self) -> (u64, u64) {
        (self.end, self.line)
    }

    /// Takes what stands before the first row: up to where `whole` says that it ends.
    pub(crate) fn head(&mut self, whole: impl Fn(&[u8]) -> Option<usize>) -> Result<Vec<u8>> {
        let piece = self.cut(64 * 1024, whole)?;
        // By the first rows, which were read already.
        let of_row = self.rest.len() / usize::try_from(lines(&self.rest)).unwrap_or_default().max(1);
        let (rows, least) = self.fewer_rows.map_or((PIECE_ROWS, PIECE_MIN), |rows| (rows, 1));
        self.piece = (of_row * rows).clamp(least, PIECE_MAX);
        self.line += lines(&piece);
        self.end += piece.len() as u64;
        Ok(piece)
    }

    pub(crate) fn next(&mut self, format: &dyn Format) -> Result<Option<Piece>> {
        let bytes = self.cut(self.piece, |bytes| format.whole_rows(bytes))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let (line, rows) = (self.line, lines(&bytes));
        self.line += rows;
        self.end += bytes.len() as u64;
        let read = self.counter.load(Ordering::Relaxed);
        let rows = usize::try_from(rows).unwrap_or_default() + 1;
        Ok(Some(Piece { rows, line, next_line: self.line, end: self.end, read, bytes }))
    }

    fn cut(&mut self, mut size: usize, whole: impl Fn(&[u8]) -> Option<usize>) -> Result<Vec<u8>> {
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.reserve(size.saturating_sub(bytes.len()));
        loop {
            let missing = size.saturating_sub(bytes.len());
            let got = (&mut self.input).take(missing as u64).read_to_end(&mut bytes);
            let got = got.map_err(|error| self.failed(error))?;
            if let Some(end) = whole(&bytes[..bytes.len().min(size)]) {
                self.rest = bytes.split_off(end);
                return Ok(bytes);
            }
            if got < missing {
                return Ok(bytes);
            }
            if size >= ROW_MAX {
                let (name, line) = (&self.name, self.line);
                let why = "a row of more than 4 MiB begins there. Is a quote not closed, or is it another format?";
                return Err(BulkError::Damaged(format!("{name}, line {line}: {why}")));
            }
            size = ROW_MAX.min(size + PIECE_MAX);
        }
    }

    fn failed(&self, source: io::Error) -> BulkError {
        BulkError::File { file: format!("{}, after line {}", self.name, self.line.saturating_sub(1)), source }
    }
}

fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
