//! CSV (RFC 4180): fields with a delimiter between them, in quotes where they need them.

use std::{borrow::Cow, ops::Range};

use memchr::{memchr, memchr_iter, memchr2};

use super::{Cell, Format, IvCell, Kind, Row, Split, row_of, whole_lines};
use crate::answers::Text;

/// The columns of a CSV file.
pub(crate) struct Csv {
    delimiter: u8,
    columns: usize,
    /// How many fields a row has; none where no names say so.
    fields: Option<usize>,
    /// What is read of each row, by the number of the field from 0.
    wanted: Vec<(usize, Part)>,
    reads_ivs: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Value(usize),
    Iv(usize),
}

/// A quote that is not closed.
struct Unclosed;

/// Why a row would be read otherwise than whoever wrote it meant it.
const BEHIND: &str = "A quote is not closed, or something stands behind it.";
const LONE_RETURN: &str = "A carriage return without a line feed: rows end with LF or CRLF.";

impl Csv {
    /// Of which fields, from 0, the values are; and of which the initialization vectors that are read with them. `fields`:
    /// how many a row has, where names say so.
    pub(crate) fn new(delimiter: u8, fields: Option<usize>, values: &[usize], ivs: &[Option<usize>]) -> Self {
        let value = values.iter().enumerate().map(|(column, field)| (*field, Part::Value(column)));
        let iv = ivs.iter().enumerate().filter_map(|(column, field)| Some(((*field)?, Part::Iv(column))));
        let mut wanted: Vec<_> = value.chain(iv).collect();
        wanted.sort_unstable_by_key(|(field, _)| *field);
        let reads_ivs = ivs.iter().any(Option::is_some);
        Self { delimiter, columns: values.len(), fields, wanted, reads_ivs }
    }

    /// The fields of a row, for the names of columns; or why it is none.
    pub(crate) fn names(row: &[u8], delimiter: u8) -> Result<Vec<String>, &'static str> {
        let mut names = Vec::new();
        walk(row, 0..row.len(), delimiter, |field| {
            names.push(String::from_utf8_lossy(&unquoted(&row[field])).into_owned());
        })?;
        Ok(names)
    }

    /// A row without the initialization vectors that are read.
    pub(crate) fn without_ivs(&self, row: &[u8]) -> Vec<u8> {
        let (mut at, mut number, mut kept) = (0, 0, Vec::new());
        while let Some(field) = field(row, at..row.len(), self.delimiter) {
            let is_iv = |(wanted, part): &(usize, Part)| *wanted == number && matches!(part, Part::Iv(_));
            if !self.wanted.iter().any(is_iv) {
                kept.push(&row[field.clone()]);
            }
            if field.end == row.len() {
                break;
            }
            (at, number) = (field.end + 1, number + 1);
        }
        kept.join(&self.delimiter)
    }

    /// Where the first row ends, behind its line end.
    pub(crate) fn first_row(bytes: &[u8], delimiter: u8) -> Option<usize> {
        row_end(bytes, 0, delimiter).ok().flatten().map(|newline| newline + 1)
    }

    /// A row that was cut elsewhere than meant, or whose fields are not those of the names, has values where none are
    /// looked for: they would stay in clear.
    fn check(&self, bytes: &[u8], row: Row, is_plain: bool) -> Result<(), Cow<'static, str>> {
        if row.start == row.end {
            return Ok(());
        }
        let mut found = 0;
        if is_plain {
            found = memchr_iter(self.delimiter, &bytes[row.start..row.end]).count() + 1;
        } else {
            walk(bytes, row.start..row.end, self.delimiter, |_| found += 1)?;
        }
        match self.fields {
            Some(expected) if found != expected => {
                Err(format!("The row has {}, and there are {expected} names.", fields(found)).into())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// `is_plain`: whether the piece has neither quotes nor carriage returns that end no row.
    fn row(&self, bytes: &[u8], row: Row, is_plain: bool, split: &mut Split) {
        let (mut number, mut at) = (0, row.start);
        split.rows.push(row);
        let (cells, ivs) = (split.cells.len(), split.ivs.len());
        split.cells.resize(cells + self.columns, Cell::default());
        if self.reads_ivs {
            split.ivs.resize(ivs + self.columns, IvCell::default());
        }
        if bytes[row.end..row.next] == *b"\r" {
            return split.refuse(self.columns, 0, LONE_RETURN);
        }
        if let Err(reason) = self.check(bytes, row, is_plain) {
            return split.refuse(self.columns, 0, reason);
        }
        if row.start == row.end {
            return;
        }
        for &(wanted, part) in &self.wanted {
            let mut found = field(bytes, at..row.end, self.delimiter);
            while let Some(field) = found.as_ref().filter(|_| number < wanted) {
                if field.end == row.end {
                    let reason = format!("The row has {}; there is none of number {}.", fields(number + 1), wanted + 1);
                    return split.refuse(self.columns, part.column(), reason);
                }
                (at, number) = (field.end + 1, number + 1);
                found = self::field(bytes, at..row.end, self.delimiter);
            }
            let Some((cell, end)) = found.and_then(|field| Some((cell(bytes, field.clone())?, field.end))) else {
                return split.refuse(self.columns, part.column(), BEHIND);
            };
            match part {
                Part::Value(column) => split.cells[cells + column] = cell,
                Part::Iv(column) => {
                    // With the delimiter before it: the first field is none, which the columns' names have shown. With its
                    // quotes, also where nothing stands in them.
                    let cut = at.saturating_sub(1)..end;
                    split.ivs[ivs + column] = IvCell { value: cell.start..cell.end, cut };
                }
            }
        }
    }

    fn write(&self, text: &[u8], is_quoted: bool, out: &mut Vec<u8>) {
        let special = |byte: &u8| *byte == self.delimiter || *byte == b'"' || *byte == b'\n' || *byte == b'\r';
        if !is_quoted && !text.iter().any(special) {
            return out.extend_from_slice(text);
        }
        let around: &[u8] = if is_quoted { b"" } else { b"\"" };
        out.extend_from_slice(around);
        for part in text.split_inclusive(|byte| *byte == b'"') {
            out.extend_from_slice(part);
            if part.ends_with(b"\"") {
                out.push(b'"');
            }
        }
        out.extend_from_slice(around);
    }
}

impl Part {
    const fn column(self) -> usize {
        match self {
            Self::Value(column) | Self::Iv(column) => column,
        }
    }
}

impl Format for Csv {
    fn whole_rows(&self, bytes: &[u8]) -> Option<usize> {
        if memchr(b'"', bytes).is_none() {
            return whole_lines(bytes);
        }
        let mut whole = None;
        let mut at = 0;
        while let Ok(Some(newline)) = row_end(bytes, at, self.delimiter) {
            at = newline + 1;
            whole = Some(at);
        }
        whole
    }

    fn split(&self, bytes: &[u8], split: &mut Split) {
        if memchr(b'"', bytes).is_none() {
            let is_plain = !has_lone_return(bytes);
            return super::lines(bytes).for_each(|row| self.row(bytes, row, is_plain, split));
        }
        let mut at = 0;
        while at < bytes.len() {
            match row_end(bytes, at, self.delimiter) {
                Ok(newline) => {
                    let row = row_of(bytes, at, newline);
                    self.row(bytes, row, false, split);
                    at = row.next;
                }
                Err(Unclosed) => {
                    split.rows.push(row_of(bytes, at, None));
                    split.refuse(self.columns, 0, "A quote is not closed.");
                    return;
                }
            }
        }
    }

    fn put(&self, cell: Cell, value: &Text<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let mut scratch = String::new();
        let text = value.read(&mut scratch).ok_or("The answer is no text.")?;
        self.write(text, cell.kind == Kind::Quoted, out);
        Ok(())
    }

    fn iv_place(&self, row: Row, _cell: Cell) -> Option<usize> {
        Some(row.end)
    }

    fn put_iv(&self, _column: usize, iv: Option<&Text<'_>>, out: &mut Vec<u8>) {
        out.push(self.delimiter);
        // Base64, in which nothing needs quotes.
        out.extend_from_slice(iv.map_or("", |iv| iv.json).as_bytes());
    }

    fn put_bad(&self, row: &[u8], line: u64, column: &str, reason: &str, out: &mut Vec<u8>) {
        for part in [line.to_string().as_str(), column, reason] {
            self.write(part.as_bytes(), false, out);
            out.push(self.delimiter);
        }
        out.extend_from_slice(row);
        out.push(b'\n');
    }
}

/// What a field says.
pub(crate) fn unquoted(field: &[u8]) -> Cow<'_, [u8]> {
    match field.strip_prefix(b"\"").and_then(|field| field.strip_suffix(b"\"")) {
        Some(inside) => doubled(inside),
        None => Cow::Borrowed(field),
    }
}

/// Two quotes are one.
pub(crate) fn doubled(inside: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'"', inside).is_none() {
        return Cow::Borrowed(inside);
    }
    let mut text = Vec::with_capacity(inside.len());
    let mut bytes = inside.iter();
    while let Some(byte) = bytes.next() {
        text.push(*byte);
        if *byte == b'"' {
            bytes.next();
        }
    }
    Cow::Owned(text)
}

/// Where the newline of the row is that starts at `at`; none where the bytes end before.
fn row_end(bytes: &[u8], mut at: usize, delimiter: u8) -> Result<Option<usize>, Unclosed> {
    loop {
        if bytes.get(at) == Some(&b'"') {
            at = closing(bytes, at + 1).ok_or(Unclosed)? + 1;
        }
        let Some(found) = bytes.get(at..).and_then(|rest| memchr2(delimiter, b'\n', rest)) else { return Ok(None) };
        at += found;
        if bytes[at] == b'\n' {
            return Ok(Some(at));
        }
        at += 1;
    }
}

/// Where the quote is that closes a field.
fn closing(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr(b'"', bytes.get(at..)?)?;
        if bytes.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// The field that starts there, with its quotes.
fn field(bytes: &[u8], row: Range<usize>, delimiter: u8) -> Option<Range<usize>> {
    let inside = &bytes[..row.end];
    let from = match inside.get(row.start) {
        Some(b'"') => closing(inside, row.start + 1)? + 1,
        Some(_) | None => row.start,
    };
    let end = memchr(delimiter, &inside[from..]).map_or(row.end, |found| from + found);
    Some(row.start..end)
}

/// Goes through the fields of a row, whose last one ends where it ends; an error where somebody else would find others.
fn walk(
    bytes: &[u8],
    row: Range<usize>,
    delimiter: u8,
    mut each: impl FnMut(Range<usize>),
) -> Result<(), &'static str> {
    let mut at = row.start;
    loop {
        let field = field(bytes, at..row.end, delimiter).ok_or(BEHIND)?;
        let cell = cell(bytes, field.clone()).ok_or(BEHIND)?;
        // Within quotes it is part of the value.
        if cell.start == field.start && memchr(b'\r', &bytes[field.clone()]).is_some() {
            return Err(LONE_RETURN);
        }
        let end = field.end;
        each(field);
        if end == row.end {
            return Ok(());
        }
        at = end + 1;
    }
}

/// Whether a carriage return stands elsewhere than before a line feed.
fn has_lone_return(bytes: &[u8]) -> bool {
    memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}

fn fields(count: usize) -> String {
    if count == 1 { "1 field".to_owned() } else { format!("{count} fields") }
}

fn cell(bytes: &[u8], field: Range<usize>) -> Option<Cell> {
    let Range { start, end } = field;
    let is_quoted = bytes[start..end].first() == Some(&b'"');
    if !is_quoted {
        let kind = if start == end { Kind::Kept } else { Kind::Plain };
        return Some(Cell { start, end, kind });
    }
    let close = closing(&bytes[..end], start + 1).filter(|close| close + 1 == end)?;
    let kind = if start + 1 == close { Kind::Kept } else { Kind::Quoted };
    Some(Cell { start: start + 1, end: close, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(csv: &Csv, text: &str) -> Vec<String> {
        let mut split = Split::default();
        csv.split(text.as_bytes(), &mut split);
        let shown = |cell: &Cell| format!("{:?} {}", cell.kind, &text[cell.start..cell.end]);
        let bad = split.bad.iter().map(|bad| format!("row {}: {}", bad.row, bad.reason));
        split.cells.iter().map(shown).chain(bad).collect()
    }

    #[test]
    fn values_are_found_between_delimiters_and_quotes() {
        let csv = Csv::new(b',', None, &[1, 0], &[None, None]);
        let text = "a,b\r\n\"c,\"\"d\n\",e,f\n\n,\"\"\nx\"y,z";
        assert_eq!(
            values(&csv, text),
            [
                "Plain b",
                "Plain a",
                "Plain e",
                "Quoted c,\"\"d\n",
                "Kept ",
                "Kept ",
                "Kept ",
                "Kept ",
                "Plain z",
                "Plain x\"y"
            ]
        );
        let damaged = "a\n\"b\"c,d\ne,\"f\n";
        let found = values(&csv, damaged);
        assert_eq!(found.len(), 9, "{found:?}");
        assert!(found[6].contains("has 1 field;") && found[7].contains("behind it") && found[8].contains("not closed"));
        assert_eq!(csv.whole_rows(b"a,b\n\"c\n"), Some(4));
        assert_eq!(csv.whole_rows(b"a,b\nc"), Some(4));
        assert_eq!(csv.whole_rows(b"\"a\nb"), None);
    }

    /// A quote that stayed would make one field of all that follows.
    #[test]
    fn a_vector_is_cut_out_with_its_quotes() {
        let csv = Csv::new(b',', Some(4), &[1], &[Some(2)]);
        for (row, rest) in [
            ("1,\"\",\"\",x\n", "1,\"\",x\n"),
            ("1,a,\"QUJD\",x\n", "1,a,x\n"),
            ("1,a,QUJD,x\n", "1,a,x\n"),
            ("1,,,x\n", "1,,x\n"),
        ] {
            let mut split = Split::default();
            csv.split(row.as_bytes(), &mut split);
            let cut = split.ivs[0].cut.clone();
            assert_eq!(row[..cut.start].to_owned() + &row[cut.end..], rest, "{row:?}");
            assert!(split.bad.is_empty(), "{row:?}");
        }
    }

    #[test]
    fn names_are_read_with_and_without_quotes() {
        assert_eq!(Csv::names(b"a,\"b \"\"x\"\"\",,c", b',').unwrap(), ["a", "b \"x\"", "", "c"]);
        assert_eq!(Csv::names(b"pan,id\r4111,1", b','), Err(LONE_RETURN));
        assert_eq!(Csv::names(b"pan,\"id\n4111,1\n", b','), Err(BEHIND));
        assert_eq!(Csv::first_row(b"a,\"b\n\"\nc", b','), Some(7));
    }

    /// Whatever it is, no value is taken from such a row, and no byte of it is written.
    #[test]
    fn rows_that_were_cut_otherwise_than_meant_are_refused() {
        let csv = Csv::new(b',', Some(2), &[1], &[None]);
        for (row, reason) in [
            ("a,1\rb,2\n", LONE_RETURN),
            ("a,1\r", LONE_RETURN),
            ("\r\n\r", LONE_RETURN),
            ("a,1\r\r\n", LONE_RETURN),
            ("\"a\"\r1,2\n", BEHIND),
            ("\"a\"\"\",1\r2\n", LONE_RETURN),
            ("a\rb,\"2\"\n", LONE_RETURN),
            ("\"a\n1,2\nb,\"x,1\n", BEHIND),
            ("9,,1\n", "The row has 3 fields, and there are 2 names."),
            ("\"9,\",,\"1\"\n", "The row has 3 fields, and there are 2 names."),
            ("9\n", "The row has 1 field, and there are 2 names."),
        ] {
            let mut split = Split::default();
            csv.split(row.as_bytes(), &mut split);
            let last = split.rows.len() - 1;
            let found: Vec<_> = split.bad.iter().map(|bad| (bad.row, bad.reason.as_str())).collect();
            assert_eq!(found, [(last, reason)], "{row:?}");
            assert!(split.cells.iter().all(|cell| cell.kind == Kind::Kept), "{row:?}");
        }
        for row in ["a,1\r\n\r\n\nb,2", "\"a\rb\",1\n", "\"a\r\",\"\"\"1\r\"\r\n"] {
            let found = values(&csv, row);
            assert!(found.iter().all(|found| !found.starts_with("row")), "{row:?}: {found:?}");
        }
    }

    #[test]
    fn what_needs_quotes_gets_them() {
        let csv = Csv::new(b';', None, &[0], &[None]);
        let written = |text: &str, is_quoted| {
            let mut out = Vec::new();
            csv.write(text.as_bytes(), is_quoted, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!([written("a,b", false), written("a;b", false)], ["a,b", "\"a;b\""]);
        assert_eq!([written("a\"b", false), written("a\"b", true)], ["\"a\"\"b\"", "a\"\"b"]);
    }
}
