//! Text files in pieces: takes the values out of the rows of a piece, has the server make tokens of them, and puts these into the
//! rows.

use crate::{
    answers::{Answers, Outcome, Text},
    calls::{Calls, Texts, Values},
    compression::Compression,
    error::Result,
    input::Piece,
    job::{Job, Way},
    output::Made,
    text::{Cell, Format, Kind, Row, Split, doubled},
};

use chancery_types::Base64;

/// Bytes that there is room for at first for each value: as many as a row has, but long rows have other things in them.
const ROOM_MAX: usize = 64;

/// What is needed for every piece of a file.
pub(crate) struct TextFile<'a> {
    pub(crate) job: &'a Job,
    pub(crate) format: &'a dyn Format,
    pub(crate) calls: &'a [Calls<'a>],
    pub(crate) compression: Compression,
}

/// Something that is put in the place of bytes of a row.
struct Edit<'a> {
    start: usize,
    end: usize,
    what: What<'a>,
}

enum What<'a> {
    /// Of which column.
    Value(usize, Cell, Text<'a>),
    /// Of which column.
    Iv(usize, Option<Text<'a>>),
    Nothing,
}

/// The answers of one column, value after value.
struct Stream<'a> {
    answers: &'a [Answers],
    call: usize,
    index: usize,
}

impl<'a> Stream<'a> {
    fn next(&mut self) -> Outcome<'a> {
        while let Some(answers) = self.answers.get(self.call) {
            if self.index < answers.len() {
                self.index += 1;
                return answers.at(self.index - 1);
            }
            (self.call, self.index) = (self.call + 1, 0);
        }
        Outcome::Refused("The server did not answer it.")
    }
}

impl TextFile<'_> {
    pub(crate) fn make(&self, piece: &Piece) -> Result<Made> {
        let mut split = Split::default();
        split.rows.reserve(piece.rows);
        split.cells.reserve(piece.rows * self.calls.len());
        self.format.split(&piece.bytes, &mut split);
        self.refuse_what_is_no_text(&piece.bytes, &mut split);
        let answers = self.calls.iter().enumerate().map(|(column, calls)| {
            let values = self.values(&piece.bytes, &split, column, calls.has_ivs);
            calls.make(&values)
        });
        let answers = answers.collect::<Result<Vec<_>>>()?;
        let mut made = Rows { file: self, piece, split: &split, made: Made::default(), at: 0 }.write(&answers);
        made.output = self
            .compression
            .compress(made.output)
            .map_err(|source| crate::BulkError::File { file: "compressing".to_owned(), source })?;
        let calls = answers.into_iter().flatten().flat_map(|answers| answers.keys).collect();
        Ok(Made { input: piece.end, read: piece.read, line: piece.next_line, calls, ..made })
    }

    /// A call is JSON, and so UTF-8: values that are not would spoil the call of all others.
    fn refuse_what_is_no_text(&self, bytes: &[u8], split: &mut Split) {
        let columns = self.calls.len();
        let reads_ivs = !split.ivs.is_empty();
        if std::str::from_utf8(bytes).is_ok() && !reads_ivs {
            return;
        }
        let mut refused = Vec::new();
        for row in 0..split.rows.len() {
            for column in 0..columns {
                let cell = split.cells[row * columns + column];
                if cell.kind == Kind::Kept {
                    continue;
                }
                let is_text = std::str::from_utf8(&bytes[cell.start..cell.end]).is_ok();
                let lacks_iv = reads_ivs && self.calls[column].has_ivs && {
                    let iv = std::str::from_utf8(&bytes[split.ivs[row * columns + column].value.clone()]);
                    !iv.is_ok_and(|iv| !iv.is_empty() && Base64::decode(iv).is_some())
                };
                if !is_text || lacks_iv {
                    let reason =
                        if is_text { "There is no initialization vector in base64." } else { "It is not UTF-8." };
                    refused.push((row, column, reason));
                    split.cells[row * columns..][..columns].fill(Cell::default());
                }
            }
        }
        let refused =
            refused.into_iter().map(|(row, column, reason)| crate::text::Bad { row, column, reason: reason.into() });
        split.bad.extend(refused);
        split.bad.sort_by_key(|bad| bad.row);
        split.bad.dedup_by_key(|bad| bad.row);
    }

    fn values(&self, bytes: &[u8], split: &Split, column: usize, has_ivs: bool) -> Values {
        let rows = split.rows.len();
        let of_row = bytes.len() / rows.max(1);
        let mut values = Values { texts: Texts::with_capacity(rows, rows * of_row.min(ROOM_MAX)), ..Values::default() };
        // Where nothing in the whole piece needs an escape, no value does.
        let is_plain = bytes
            .iter()
            .fold(true, |plain, byte| plain & (*byte >= 0x20 || *byte == b'\n') & (*byte != b'"') & (*byte != b'\\'));
        let columns = self.calls.len();
        for (row, cell) in split.cells.iter().skip(column).step_by(columns).enumerate() {
            let text = &bytes[cell.start..cell.end];
            match cell.kind {
                Kind::Kept => continue,
                Kind::Json => values.texts.push_json(text),
                Kind::Plain if is_plain => values.texts.push_json(text),
                Kind::Plain => values.texts.push(&String::from_utf8_lossy(text)),
                Kind::Quoted => values.texts.push(&String::from_utf8_lossy(&doubled(text))),
            }
            if has_ivs && self.job.way == Way::Detokenize {
                values.ivs.push_json(&bytes[split.ivs[row * columns + column].value.clone()]);
            }
        }
        values
    }
}

/// Writes the rows of a piece.
struct Rows<'a> {
    file: &'a TextFile<'a>,
    piece: &'a Piece,
    split: &'a Split,
    made: Made,
    /// Up to where the piece is written.
    at: usize,
}

impl<'a> Rows<'a> {
    fn write(mut self, answers: &'a [Vec<Answers>]) -> Made {
        let bytes = &self.piece.bytes;
        self.made.output.reserve(bytes.len() + bytes.len() / 8);
        let mut streams: Vec<_> = answers.iter().map(|answers| Stream { answers, call: 0, index: 0 }).collect();
        let mut damaged = self.split.bad.iter().peekable();
        let (mut line, mut counted) = (self.piece.line, 0);
        let mut edits = Vec::new();
        for (index, row) in self.split.rows.iter().enumerate() {
            let known = damaged.next_if(|bad| bad.row == index).map(|bad| (bad.column, bad.reason.as_str()));
            edits.clear();
            let bad = known.or(self.edits(index, &mut streams, &mut edits));
            let before = (self.made.output.len(), self.at);
            let bad = bad.or_else(|| self.apply(&edits).err());
            match bad {
                None => self.made.rows += u64::from(row.start < row.end),
                Some((column, reason)) => {
                    self.made.output.truncate(before.0);
                    self.made.output.extend_from_slice(&bytes[before.1..row.start]);
                    self.at = row.next;
                    line += memchr::memchr_iter(b'\n', &bytes[counted..row.start]).count() as u64;
                    counted = row.start;
                    self.refuse(*row, line, column, reason);
                }
            }
        }
        self.made.output.extend_from_slice(&bytes[self.at..]);
        self.made
    }

    /// What changes in a row; or in which column it was refused, and why.
    fn edits(&self, index: usize, streams: &mut [Stream<'a>], edits: &mut Vec<Edit<'a>>) -> Option<(usize, &'a str)> {
        let TextFile { job, format, calls, .. } = self.file;
        let (row, columns) = (self.split.rows[index], streams.len());
        let mut refused = None;
        for (column, stream) in streams.iter_mut().enumerate() {
            let cell = self.split.cells[index * columns + column];
            let mut made_iv = None;
            if cell.kind != Kind::Kept {
                match stream.next() {
                    Outcome::Made(text, iv) => {
                        made_iv = iv;
                        edits.push(Edit { start: cell.start, end: cell.end, what: What::Value(column, cell, text) });
                    }
                    Outcome::Refused(reason) => refused = refused.or(Some((column, reason))),
                }
            }
            if calls[column].has_ivs && row.start < row.end {
                edits.extend(match job.way {
                    Way::Tokenize => format.iv_place(row, cell).map(|place| Edit {
                        start: place,
                        end: place,
                        what: What::Iv(column, made_iv),
                    }),
                    Way::Detokenize => {
                        let cut = self.split.ivs.get(index * columns + column).map(|iv| iv.cut.clone());
                        let cut = cut.filter(|cut| !cut.is_empty());
                        cut.map(|cut| Edit { start: cut.start, end: cut.end, what: What::Nothing })
                    }
                });
            }
        }
        if edits.len() > 1 {
            // In a stable order: vectors that go to the same place stay in the order of their columns.
            edits.sort_by_key(|edit| edit.start);
        }
        refused
    }

    fn apply(&mut self, edits: &[Edit<'_>]) -> Result<(), (usize, &'static str)> {
        let out = &mut self.made.output;
        for edit in edits {
            if edit.start < self.at {
                return Err((0, "A value stands within what is its initialization vector."));
            }
            out.extend_from_slice(&self.piece.bytes[self.at..edit.start]);
            self.at = edit.end;
            match &edit.what {
                What::Value(column, cell, text) => {
                    self.file.format.put(*cell, text, out).map_err(|reason| (*column, reason))?;
                }
                What::Iv(column, iv) => self.file.format.put_iv(*column, iv.as_ref(), out),
                What::Nothing => {}
            }
        }
        Ok(())
    }

    fn refuse(&mut self, row: Row, line: u64, column: usize, reason: &str) {
        let column = &self.file.job.columns[column].name;
        let bytes = &self.piece.bytes[row.start..row.end];
        self.file.format.put_bad(bytes, line, column, reason, &mut self.made.rejects);
        self.made.bad += 1;
        if self.made.first_bad.is_none() {
            self.made.first_bad = Some((line, column.clone(), reason.to_owned()));
        }
    }
}
