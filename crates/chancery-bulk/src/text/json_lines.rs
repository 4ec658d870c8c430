//! JSON lines: an object a line. Values are found by the names of members, and all else stays byte for byte.

use std::ops::Range;

use memchr::memchr2;

use super::{Cell, Format, IvCell, Kind, Row, Split, lines, whole_lines};
use crate::answers::Text;

/// What is done with the initialization vectors of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ivs {
    Read,
    Written,
}

/// The members of a file of JSON lines.
pub(crate) struct JsonLines {
    wanted: Vec<Member>,
    /// What to call the members of the initialization vectors that are written.
    iv_names: Vec<String>,
    columns: usize,
    reads_ivs: bool,
}

struct Member {
    path: Vec<String>,
    column: usize,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Value,
    /// The initialization vector that is read.
    Iv,
    /// Where one will be written, so that there may be none.
    NewIv,
}

/// Something in the row is no JSON.
struct Damaged;

/// A way through one row.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    wanted: &'a [Member],
    found: Vec<Found>,
}

/// A member that is wanted.
struct Found {
    /// Which of the wanted ones.
    index: usize,
    value: Range<usize>,
    /// The member with the comma before it.
    cut: Range<usize>,
}

impl JsonLines {
    /// `names` and `iv_names` are paths with points between their members. `ivs` says where those are read, and where they are
    /// written.
    pub(crate) fn new(names: &[&str], ivs: &[Option<Ivs>], iv_names: &[&str]) -> Self {
        let path = |name: &str| name.split('.').map(str::to_owned).collect();
        let value =
            names.iter().enumerate().map(|(column, name)| Member { path: path(name), column, what: What::Value });
        let iv = ivs.iter().zip(iv_names).enumerate().filter_map(|(column, (ivs, name))| {
            let what = if (*ivs)? == Ivs::Read { What::Iv } else { What::NewIv };
            Some(Member { path: path(name), column, what })
        });
        let last = |name: &&str| name.rsplit('.').next().unwrap_or_default().to_owned();
        Self {
            wanted: value.chain(iv).collect(),
            iv_names: iv_names.iter().map(last).collect(),
            columns: names.len(),
            reads_ivs: ivs.contains(&Some(Ivs::Read)),
        }
    }

    fn row(&self, bytes: &[u8], row: Row, split: &mut Split) {
        split.rows.push(row);
        let (cells, ivs) = (split.cells.len(), split.ivs.len());
        split.cells.resize(cells + self.columns, Cell::default());
        if self.reads_ivs {
            split.ivs.resize(ivs + self.columns, IvCell::default());
        }
        let text = &bytes[..row.end];
        if text[row.start..].trim_ascii().is_empty() {
            return;
        }
        let mut walk = Walk { bytes: text, at: row.start, wanted: &self.wanted, found: Vec::new() };
        if walk.whole().is_err() {
            return split.refuse(self.columns, 0, "The line is no JSON object.");
        }
        for (index, member) in self.wanted.iter().enumerate() {
            let mut found = walk.found.iter().filter(|found| found.index == index);
            let reason = match (found.next(), found.next()) {
                (None, _) if member.what != What::Value => continue,
                (Some(_), _) if member.what == What::NewIv => {
                    "The row has a member already where the initialization vector would be written."
                }
                (Some(found), None) if member.what == What::Iv && bytes[found.cut.start] != b',' => {
                    "The initialization vector stands before everything else."
                }
                (Some(found), None) if member.what == What::Iv => {
                    split.ivs[ivs + member.column] = match bytes[found.value.start] {
                        b'"' => IvCell { value: found.value.start + 1..found.value.end - 1, cut: found.cut.clone() },
                        _ => IvCell { value: 0..0, cut: found.cut.clone() },
                    };
                    continue;
                }
                (Some(found), None) => match value(bytes, &found.value) {
                    Ok(cell) => {
                        split.cells[cells + member.column] = cell;
                        continue;
                    }
                    Err(reason) => reason,
                },
                (None, _) => "The row has no such member.",
                (Some(_), Some(_)) => "The row has this member twice.",
            };
            return split.refuse(self.columns, member.column, reason);
        }
    }
}

/// A string; null and the empty one stay.
fn value(bytes: &[u8], place: &Range<usize>) -> Result<Cell, &'static str> {
    let json = &bytes[place.clone()];
    let inside = place.start + 1..place.end - 1;
    match json {
        b"null" | b"\"\"" => Ok(Cell { start: place.start, end: place.end, kind: Kind::Kept }),
        [b'"', ..] => {
            let is_plain = json[1..json.len() - 1].iter().all(|byte| *byte >= 0x20 && *byte != b'\\');
            // Otherwise it would be the whole call that is no JSON.
            if !is_plain && serde_json::from_slice::<String>(json).is_err() {
                return Err("The string has an escape or a character that JSON does not have.");
            }
            Ok(Cell { start: inside.start, end: inside.end, kind: Kind::Json })
        }
        _ => Err("A string is expected."),
    }
}

impl Walk<'_> {
    fn whole(&mut self) -> Result<(), Damaged> {
        self.blanks();
        self.object(u64::MAX, 0)?;
        self.blanks();
        if self.at == self.bytes.len() { Ok(()) } else { Err(Damaged) }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Damaged> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        Err(Damaged)
    }

    /// `open` are the wanted ones, as bits, whose paths have led here.
    fn object(&mut self, open: u64, depth: usize) -> Result<(), Damaged> {
        self.expect(b'{')?;
        let mut from = self.at;
        self.blanks();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.blanks();
            let name = self.string()?;
            let here = self.of_name(open, depth, name);
            self.blanks();
            self.expect(b':')?;
            self.blanks();
            let start = self.at;
            let (ending, deeper) = self.ending(here, depth);
            if deeper != 0 && self.peek() == Some(b'{') {
                self.object(deeper, depth + 1)?;
            } else {
                self.skip()?;
            }
            for index in (0..self.wanted.len()).filter(|index| ending & (1 << index) != 0) {
                self.found.push(Found { index, value: start..self.at, cut: from..self.at });
            }
            self.blanks();
            from = self.at;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) | None => return Err(Damaged),
            }
        }
    }

    /// Which of the open ones have this name here.
    fn of_name(&self, open: u64, depth: usize, name: Range<usize>) -> u64 {
        let raw = &self.bytes[name.clone()];
        let decoded = memchr::memchr(b'\\', raw)
            .and_then(|_| serde_json::from_slice::<String>(&self.bytes[name.start - 1..=name.end]).ok());
        let name = decoded.as_ref().map_or(raw, String::as_bytes);
        let is_here = |index: &usize| {
            open & (1 << index) != 0 && self.wanted[*index].path.get(depth).is_some_and(|part| part.as_bytes() == name)
        };
        (0..self.wanted.len()).filter(is_here).fold(0, |all, index| all | 1 << index)
    }

    /// Those whose path ends here, and those whose path goes on.
    fn ending(&self, here: u64, depth: usize) -> (u64, u64) {
        let ends = |index: &usize| self.wanted[*index].path.len() == depth + 1;
        let ending = (0..self.wanted.len()).filter(ends).fold(0, |all, index| all | 1 << index) & here;
        (ending, here & !ending)
    }

    /// A string, without its quotes.
    fn string(&mut self) -> Result<Range<usize>, Damaged> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let rest = self.bytes.get(self.at..).ok_or(Damaged)?;
            self.at += memchr2(b'"', b'\\', rest).ok_or(Damaged)?;
            if self.bytes[self.at] == b'"' {
                self.at += 1;
                return Ok(start..self.at - 1);
            }
            self.at += 2;
        }
    }

    /// Any value.
    fn skip(&mut self) -> Result<(), Damaged> {
        match self.peek().ok_or(Damaged)? {
            b'"' => self.string().map(drop),
            b'{' | b'[' => self.nested(),
            _ => {
                let start = self.at;
                let is_inside = |byte: &u8| !b",}] \t\r\n\"{[".contains(byte);
                self.at += self.bytes[start..].iter().take_while(|byte| is_inside(byte)).count();
                if self.at == start { Err(Damaged) } else { Ok(()) }
            }
        }
    }

    fn nested(&mut self) -> Result<(), Damaged> {
        let mut depth = 0_usize;
        loop {
            match self.peek().ok_or(Damaged)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(());
            }
        }
    }
}

impl Format for JsonLines {
    fn whole_rows(&self, bytes: &[u8]) -> Option<usize> {
        whole_lines(bytes)
    }

    fn split(&self, bytes: &[u8], split: &mut Split) {
        lines(bytes).for_each(|row| self.row(bytes, row, split));
    }

    fn put(&self, _cell: Cell, value: &Text<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
        out.extend_from_slice(value.json.as_bytes());
        Ok(())
    }

    fn iv_place(&self, _row: Row, cell: Cell) -> Option<usize> {
        // Behind the closing quote.
        (cell.kind == Kind::Json).then_some(cell.end + 1)
    }

    fn put_iv(&self, column: usize, iv: Option<&Text<'_>>, out: &mut Vec<u8>) {
        if let Some(iv) = iv {
            let name = serde_json::Value::from(self.iv_names[column].as_str()).to_string();
            out.extend_from_slice(format!(",{name}:\"").as_bytes());
            out.extend_from_slice(iv.json.as_bytes());
            out.push(b'"');
        }
    }

    fn put_bad(&self, row: &[u8], line: u64, column: &str, reason: &str, out: &mut Vec<u8>) {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let row = match serde_json::from_slice::<serde::de::IgnoredAny>(row) {
            Ok(_) => row.to_vec(),
            Err(_) => quoted(&String::from_utf8_lossy(row)).into_bytes(),
        };
        let (column, reason) = (quoted(column), quoted(reason));
        let head = format!("{{\"line\":{line},\"column\":{column},\"reason\":{reason},\"row\":");
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(&row);
        out.extend_from_slice(b"}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(format: &JsonLines, text: &str) -> Vec<String> {
        let mut split = Split::default();
        format.split(text.as_bytes(), &mut split);
        let shown = |cell: &Cell| format!("{:?} {}", cell.kind, &text[cell.start..cell.end]);
        let bad = split.bad.iter().map(|bad| format!("{} {}", bad.row, bad.reason));
        split.cells.iter().map(shown).chain(bad).collect()
    }

    #[test]
    fn values_are_found_by_their_path() {
        let format = JsonLines::new(&["pan", "a.b"], &[], &["pan_iv", "a.b_iv"]);
        let text = r#" { "x": [1, {"pan": "no", "]": "}"}], "pan" : "41\u0031" , "a": {"pan": "no", "b": null, "c": {}} }
{"a":{"b":""},"p\u0061n":"7"}
"#;
        assert_eq!(values(&format, text), ["Json 41\\u0031", "Kept null", "Json 7", "Kept \"\""]);
    }

    #[test]
    fn rows_that_are_none_are_refused() {
        let format = JsonLines::new(&["pan"], &[], &["pan_iv"]);
        for (row, reason) in [
            ("[]", "no JSON object"),
            ("{\"pan\":\"1\"", "no JSON object"),
            ("{\"pan\":\"1\"}}", "no JSON object"),
            ("{\"pan\":\"1}", "no JSON object"),
            ("{\"pan\":}", "no JSON object"),
            ("{\"pan\":4111}", "string is expected"),
            ("{\"pan\":\"\\x\"}", "an escape"),
            ("{\"Pan\":\"1\"}", "no such member"),
            ("{\"pan\":\"1\",\"pan\":\"2\"}", "twice"),
            ("{\"pan\":{\"pan\":\"1\"}}", "string is expected"),
        ] {
            let found = values(&format, row);
            assert!(found.len() == 2 && found[0] == "Kept " && found[1].contains(reason), "{row}: {found:?}");
        }
        assert_eq!(values(&format, "\n  \n"), ["Kept ", "Kept "]);
    }

    #[test]
    fn a_vector_is_found_with_the_comma_before_it() {
        let format = JsonLines::new(&["pan"], &[Some(Ivs::Read)], &["pan_iv"]);
        let text = r#"{"pan":"1", "pan_iv":"QQ==","x":1}"#;
        let mut split = Split::default();
        format.split(text.as_bytes(), &mut split);
        assert_eq!(&text[split.ivs[0].value.clone()], "QQ==");
        assert_eq!(&text[split.ivs[0].cut.clone()], r#", "pan_iv":"QQ==""#);
    }

    #[test]
    fn no_vector_is_written_beside_another() {
        let format = JsonLines::new(&["pan", "a.b"], &[Some(Ivs::Written), None], &["pan_iv", "a.b_iv"]);
        let values = |text: &str| values(&format, text);
        assert_eq!(
            values(r#"{"pan":"1","a":{"b":"2","b_iv":"x"}}"#),
            ["Plain 1", "Plain 2"].map(|one| one.replace("Plain", "Json"))
        );
        for row in [r#"{"pan":"1","pan_iv":"QQ==","a":{"b":"2"}}"#, r#"{"p\u0061n_iv":null,"pan":"1","a":{"b":"2"}}"#] {
            let found = values(row);
            assert!(found.iter().any(|one| one.contains("a member already where")), "{found:?}");
        }
    }
}
