//! Rows of text: where the values stand in them, and what comes in their place. All other bytes stay as they are.

mod csv;
mod fixed_width;
mod json_lines;

pub(crate) use self::{
    csv::{Csv, doubled},
    fixed_width::FixedWidth,
    json_lines::{Ivs, JsonLines},
};

use std::ops::Range;

use crate::answers::Text;

/// A row.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) start: usize,
    /// Before its line end.
    pub(crate) end: usize,
    /// Where the next one starts.
    pub(crate) next: usize,
}

/// Where the value of a column stands in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It stays: it is empty, or null, or the row is refused.
    #[default]
    Kept,
    /// The bytes are the text.
    Plain,
    /// Between quotes, in which two quotes are one.
    Quoted,
    /// Between quotes of JSON.
    Json,
}

/// The initialization vector of a token, and what goes with it when it is taken out of the row.
#[derive(Clone, Default)]
pub(crate) struct IvCell {
    pub(crate) value: Range<usize>,
    pub(crate) cut: Range<usize>,
}

/// Where everything stands in a piece.
#[derive(Default)]
pub(crate) struct Split {
    pub(crate) rows: Vec<Row>,
    /// Of every row one for each column.
    pub(crate) cells: Vec<Cell>,
    /// Likewise, where columns have initialization vectors that are read.
    pub(crate) ivs: Vec<IvCell>,
    /// Rows that are none, in their order.
    pub(crate) bad: Vec<Bad>,
}

/// Why a row is refused.
pub(crate) struct Bad {
    pub(crate) row: usize,
    /// Which of the columns.
    pub(crate) column: usize,
    pub(crate) reason: String,
}

impl Split {
    /// Takes the last row's values back.
    pub(crate) fn refuse(&mut self, columns: usize, column: usize, reason: impl Into<String>) {
        let row = self.rows.len() - 1;
        self.cells.truncate(row * columns);
        self.cells.resize((row + 1) * columns, Cell::default());
        if !self.ivs.is_empty() {
            self.ivs.truncate(row * columns);
            self.ivs.resize((row + 1) * columns, IvCell::default());
        }
        self.bad.push(Bad { row, column, reason: reason.into() });
    }
}

/// What is known of one of the formats.
pub(crate) trait Format: Sync {
    /// Where the last row ends that is whole.
    fn whole_rows(&self, bytes: &[u8]) -> Option<usize>;

    /// Finds the values. The last row may have no line end.
    fn split(&self, bytes: &[u8], split: &mut Split);

    /// Appends what comes in the place of a value; the reason where it cannot.
    fn put(&self, cell: Cell, value: &Text<'_>, out: &mut Vec<u8>) -> Result<(), &'static str>;

    /// Where the initialization vector goes; none where there is nothing to put.
    fn iv_place(&self, row: Row, cell: Cell) -> Option<usize>;

    /// Appends the initialization vector; none where the value stayed.
    fn put_iv(&self, column: usize, iv: Option<&Text<'_>>, out: &mut Vec<u8>);

    /// Appends a refused row to the file of these.
    fn put_bad(&self, row: &[u8], line: u64, column: &str, reason: &str, out: &mut Vec<u8>);
}

/// A row without its line end.
fn row_of(bytes: &[u8], start: usize, newline: Option<usize>) -> Row {
    let (end, next) = newline.map_or((bytes.len(), bytes.len()), |newline| (newline, newline + 1));
    let has_return = end > start && bytes[end - 1] == b'\r';
    Row { start, end: if has_return { end - 1 } else { end }, next }
}

/// Rows that end wherever a line does.
fn lines(bytes: &[u8]) -> impl Iterator<Item = Row> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let row = row_of(bytes, at, memchr::memchr(b'\n', rest).map(|found| at + found));
        at = row.next;
        Some(row)
    })
}

fn whole_lines(bytes: &[u8]) -> Option<usize> {
    memchr::memrchr(b'\n', bytes).map(|newline| newline + 1)
}
