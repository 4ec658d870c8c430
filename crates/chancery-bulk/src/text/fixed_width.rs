//! Lines in which every field has its place, in bytes. Blanks around a value stay, and a token has the width of its value.

use super::{Cell, Format, Kind, Row, Split, lines, whole_lines};
use crate::answers::Text;

/// Also where the whole line is a text: the rest of such a character would go to the server, or spoil the call of all others.
const CUT: &str = "It is not UTF-8, or its place begins or ends within a character: places are counted in bytes.";

/// The places of the columns: where each starts, from 0, and its width.
pub(crate) struct FixedWidth {
    places: Vec<(usize, usize)>,
}

impl FixedWidth {
    /// Of names such as `11:16`; otherwise why they cannot be meant so.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Result<Self, String> {
        let place = |name: &str| {
            let (start, width) = name.split_once(':')?;
            let (start, width) = (start.parse::<usize>().ok()?.checked_sub(1)?, width.parse().ok()?);
            (width > 0 && start < 1 << 20 && width < 1 << 20).then_some((start, width))
        };
        let mut places: Vec<(usize, usize)> = Vec::new();
        for name in names {
            let expected =
                || format!("{name}: columns of fixed width are called START:LENGTH, in bytes, the first of which is 1");
            let (start, width) = place(name).ok_or_else(expected)?;
            let meets = |other: &&(usize, usize)| start < other.0 + other.1 && other.0 < start + width;
            if let Some((other, length)) = places.iter().find(meets) {
                return Err(format!("{name}: this column and {}:{length} have bytes in common", other + 1));
            }
            places.push((start, width));
        }
        Ok(Self { places })
    }
}

impl Format for FixedWidth {
    fn whole_rows(&self, bytes: &[u8]) -> Option<usize> {
        whole_lines(bytes)
    }

    fn split(&self, bytes: &[u8], split: &mut Split) {
        for row in lines(bytes) {
            split.rows.push(row);
            let columns = self.places.len();
            // The line of another system would stand within this one, and its values would stay in clear.
            if memchr::memchr(b'\r', &bytes[row.start..row.end]).is_some() || bytes[row.end..row.next] == *b"\r" {
                split.cells.resize(split.rows.len() * columns, Cell::default());
                split.refuse(columns, 0, "A carriage return without a line feed: lines end with LF or CRLF.");
                continue;
            }
            for (column, (start, width)) in self.places.iter().enumerate() {
                let start = row.start + start;
                if start + width > row.end {
                    let reason = format!("The line has {} bytes.", row.end - row.start);
                    split.refuse(columns, column, reason);
                    break;
                }
                let field = bytes[start..start + width].trim_ascii_end();
                let value = field.trim_ascii_start();
                if std::str::from_utf8(value).is_err() {
                    split.refuse(columns, column, CUT);
                    break;
                }
                let (start, end) = (start + field.len() - value.len(), start + field.len());
                let cell = if value.is_empty() { Cell::default() } else { Cell { start, end, kind: Kind::Plain } };
                split.cells.push(cell);
            }
        }
    }

    fn put(&self, cell: Cell, value: &Text<'_>, out: &mut Vec<u8>) -> Result<(), &'static str> {
        let mut scratch = String::new();
        let text = value.read(&mut scratch).ok_or("The answer is no text.")?;
        if text.len() != cell.end - cell.start {
            return Err("The token has another width than its value, and here the width is fixed.");
        }
        out.extend_from_slice(text);
        Ok(())
    }

    /// There is no room for one, so no job asks for it.
    fn iv_place(&self, _row: Row, _cell: Cell) -> Option<usize> {
        None
    }

    fn put_iv(&self, _column: usize, _iv: Option<&Text<'_>>, _out: &mut Vec<u8>) {}

    fn put_bad(&self, row: &[u8], line: u64, column: &str, reason: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{line}\t{column}\t{reason}\t").as_bytes());
        out.extend_from_slice(row);
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_place() {
        let fixed = FixedWidth::new(["3:4", "1:2"].into_iter()).unwrap();
        let text = "ab 12 x\ncd    \nef\n";
        let mut split = Split::default();
        fixed.split(text.as_bytes(), &mut split);
        let found: Vec<_> = split.cells.iter().map(|cell| (&text[cell.start..cell.end], cell.kind)).collect();
        let kept = ("", Kind::Kept);
        assert_eq!(found, [("12", Kind::Plain), ("ab", Kind::Plain), kept, ("cd", Kind::Plain), kept, kept]);
        assert_eq!((split.bad.len(), split.bad[0].row), (1, 2));
        for line in ["ab 12 x\rab 34 x\n", "ab 12 x\r", "\rab 12 x\r\n"] {
            let mut split = Split::default();
            fixed.split(line.as_bytes(), &mut split);
            assert!(split.bad.len() == 1 && split.bad[0].reason.contains("carriage return"), "{line:?}");
            assert_eq!(split.cells, [Cell::default(); 2], "{line:?}");
        }
        for (line, value) in [("ab   \t x\n", ""), ("ab\t\t\t\tx\n", ""), ("ab\t1\x0c x\n", "1"), ("ab ü \n", "ü")] {
            let mut split = Split::default();
            fixed.split(line.as_bytes(), &mut split);
            assert_eq!(&line[split.cells[0].start..split.cells[0].end], value, "{line:?}");
            assert!(split.cells.len() == 2 && split.bad.is_empty(), "{line:?}");
        }
        for line in ["ab12 ü\n", "aü12 x\n"] {
            let mut split = Split::default();
            fixed.split(line.as_bytes(), &mut split);
            assert!(split.bad.len() == 1 && split.bad[0].reason == CUT, "{line:?}");
            assert_eq!(split.cells, [Cell::default(); 2], "{line:?}");
        }
        for bad in ["0:4", "1:0", "1", "a:b", ""] {
            assert!(FixedWidth::new([bad].into_iter()).is_err(), "{bad}");
        }
        for (one, other, meet) in
            [("1:4", "5:1", false), ("5:1", "1:4", false), ("1:4", "4:1", true), ("2:1", "1:9", true)]
        {
            assert_eq!(FixedWidth::new([one, other].into_iter()).is_err(), meet, "{one} {other}");
        }
    }
}
