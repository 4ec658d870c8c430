//! Manifests: as they are to be written anew, and as they are.

use std::collections::BTreeMap;

use crate::Unfit;

pub(super) const CREATED_BY: &str = "Created-By: Chancery\r\n";
/// Bytes of a line, without its end.
const LINE_MAX: usize = 72;
/// Of an attribute's name.
const NAME_MAX: usize = 70;

/// A manifest that was there before.
pub(super) struct Manifest {
    /// The main section, with the empty line at its end.
    pub(super) main: String,
    /// What the other sections say besides names and digests.
    pub(super) sections: BTreeMap<String, String>,
}

impl Manifest {
    /// It is written anew, so its lines may be cut inside a character, as tools that count bytes do.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unfit> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => cut_between_characters(bytes)?,
        };
        let mut sections = text.replace("\r\n", "\n").replace('\r', "\n");
        while sections.contains("\n\n\n") {
            sections = sections.replace("\n\n\n", "\n\n");
        }
        // An attribute without a value ends with a blank.
        let mut parts = sections.split("\n\n").map(|part| part.trim_end_matches('\n')).filter(|part| !part.is_empty());
        let main = match parts.next() {
            Some(main) if main.starts_with("Name:") => return Err(NO_MAIN),
            Some(main) => format!("{}\r\n\r\n", main.replace('\n', "\r\n")),
            None => format!("Manifest-Version: 1.0\r\n{CREATED_BY}\r\n"),
        };
        check(&main)?;
        let mut sections = BTreeMap::<String, String>::new();
        for part in parts {
            let (name, others) = named(part)?;
            let others = others.iter().filter(|(name, _)| !name.to_ascii_uppercase().contains("-DIGEST"));
            let others = others.map(|(name, value)| line(name, value)).collect::<Result<String, _>>()?;
            // Two of one name count together.
            sections.entry(name).or_default().push_str(&others);
        }
        Ok(Self { main, sections })
    }
}

/// The same text with its lines put together and cut again.
fn cut_between_characters(bytes: &[u8]) -> Result<String, Unfit> {
    let mut whole: Vec<Vec<u8>> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match (line.strip_prefix(b" "), whole.last_mut()) {
            (Some(more), Some(before)) => before.extend_from_slice(more),
            (None, _) | (_, None) => whole.push(line.to_vec()),
        }
    }
    let mut text = String::new();
    for line in whole {
        let line = String::from_utf8(line).map_err(|_| Unfit("The archive's manifest is not UTF-8."))?;
        text += &cut(&line);
    }
    Ok(text)
}

const NO_MAIN: Unfit = Unfit("The archive's manifest has no main section.");
const NO_NAME: Unfit = Unfit("A section of the archive's manifest has no name.");
const HALF_A_LINE: Unfit = Unfit("The archive's manifest begins a section with half a line.");
const LONG_LINE: Unfit = Unfit("The archive's manifest has a line of more than 510 bytes, which Java does not read.");
/// Java reads a line and its end into 512 bytes.
const READ_MAX: usize = 510;
const ODD_LINE: Unfit = Unfit("The archive's manifest has odd lines.");

/// A manifest that stays: its sections byte for byte, each with the empty line at its end.
pub(super) struct Raw<'a> {
    pub(super) main: &'a str,
    pub(super) sections: BTreeMap<String, &'a str>,
}

impl<'a> Raw<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Unfit> {
        let mut parts = split(text)?.into_iter();
        let main = parts.next().filter(|main| !main.starts_with("Name:")).ok_or(NO_MAIN)?;
        check(main)?;
        let mut sections = BTreeMap::new();
        for part in parts {
            let (name, _) = named(part)?;
            if sections.insert(name, part).is_some() {
                return Err(Unfit("The archive's manifest has two sections of one name."));
            }
        }
        Ok(Self { main, sections })
    }
}

/// The sections, each ending with one empty line: what else there may be, verifiers read in more than one way.
fn split(text: &str) -> Result<Vec<&str>, Unfit> {
    let odd = Unfit("The archive's manifest is not laid out as signers write it, so no signature can be added.");
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').ok_or(odd)?;
        let content = content.strip_suffix('\r').unwrap_or(content);
        if content.contains('\r') || (content.is_empty() && start == at) {
            return Err(odd);
        }
        at += line.len();
        if content.is_empty() {
            parts.push(&text[start..at]);
            start = at;
        }
    }
    if start == text.len() { Ok(parts) } else { Err(odd) }
}

/// The attributes of a section, their lines put together.
pub(super) fn attributes(section: &str) -> Result<Vec<(String, String)>, Unfit> {
    let mut attributes: Vec<(String, String)> = Vec::new();
    for line in lines(section) {
        match (line?, attributes.last_mut()) {
            (Line::Begins(name, value), _) => attributes.push((name.to_owned(), value.to_owned())),
            (Line::GoesOn(more), Some((_, value))) => value.push_str(more),
            (Line::GoesOn(_), None) => return Err(HALF_A_LINE),
        }
    }
    Ok(attributes)
}

/// Which entry a section is of, which its first line says, and its other attributes.
fn named(section: &str) -> Result<(String, Vec<(String, String)>), Unfit> {
    let mut attributes = attributes(section)?.into_iter();
    let name = attributes.next().filter(|(name, _)| name == "Name").ok_or(NO_NAME)?.1;
    let others: Vec<_> = attributes.collect();
    if others.iter().any(|(name, _)| name == "Name") { Err(NO_NAME) } else { Ok((name, others)) }
}

/// Refuses a section that Java cannot read, without keeping what it says.
fn check(section: &str) -> Result<(), Unfit> {
    let mut begun = false;
    for line in lines(section) {
        match line? {
            Line::Begins(..) => begun = true,
            Line::GoesOn(_) if begun => {}
            Line::GoesOn(_) => return Err(HALF_A_LINE),
        }
    }
    Ok(())
}

enum Line<'a> {
    /// The name of an attribute, and its value or the first part of it.
    Begins(&'a str, &'a str),
    /// More of the value.
    GoesOn(&'a str),
}

fn lines(section: &str) -> impl Iterator<Item = Result<Line<'_>, Unfit>> {
    let lines = section.lines().filter(|line| !line.is_empty());
    lines.map(|line| match line.strip_prefix(' ') {
        _ if line.len() > READ_MAX => Err(LONG_LINE),
        Some(more) => Ok(Line::GoesOn(more)),
        None => {
            let attribute = line.split_once(": ").filter(|(name, _)| is_name(name));
            attribute.map(|(name, value)| Line::Begins(name, value)).ok_or(ODD_LINE)
        }
    })
}

/// Whether Java takes this for the name of an attribute (`java.util.jar.Attributes.Name`).
fn is_name(name: &str) -> bool {
    (1..=NAME_MAX).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// An attribute, in lines of at most 72 bytes, the further ones beginning with a space.
pub(super) fn line(name: &str, value: &str) -> Result<String, Unfit> {
    if value.chars().any(|one| one.is_control() && one != '\t') {
        return Err(Unfit("The archive has an entry or a manifest with control characters."));
    }
    Ok(cut(&format!("{name}: {value}")))
}

fn cut(whole: &str) -> String {
    let mut text = String::new();
    let mut len = 0;
    for symbol in whole.chars() {
        if len + symbol.len_utf8() > LINE_MAX {
            text.push_str("\r\n ");
            len = 1;
        }
        text.push(symbol);
        len += symbol.len_utf8();
    }
    text + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_as_jdks_write_them_keep_what_they_say() {
        // The JDK's jar writes an attribute without a value as it stands, also at the end of a section.
        let text = "Manifest-Version: 1.0\r\nClass-Path: \r\n\r\nName: com/x/\r\nSealed: true\r\nTitle: \r\n\r\n";
        let read = Manifest::read(text.as_bytes()).unwrap();
        assert_eq!(read.main, "Manifest-Version: 1.0\r\nClass-Path: \r\n\r\n");
        assert_eq!(read.sections["com/x/"], "Sealed: true\r\nTitle: \r\n");
        // And cuts lines by bytes.
        let (name, long) = ("X-Long", "\u{e4}".repeat(60));
        let line = format!("{name}: {long}").into_bytes();
        let (first, rest) = line.split_at(LINE_MAX - 1);
        let cut = [b"Main-Class: A\r\n", first, b"\r\n ", rest, b"\r\n\r\n"].concat();
        assert!(std::str::from_utf8(&cut).is_err(), "it is cut inside a character");
        let read = Manifest::read(&cut).unwrap();
        let expected = vec![("Main-Class".to_owned(), "A".to_owned()), (name.to_owned(), long)];
        assert_eq!(attributes(&read.main).unwrap(), expected);
        assert!(read.main.lines().all(|line| line.len() <= LINE_MAX));
        assert!(Manifest::read(b"X: \xff\xfe\r\n\r\n").is_err(), "no text at all");
    }

    #[test]
    fn a_section_begins_with_the_name_of_its_entry_and_has_no_other() {
        let text = |section: &str| format!("Manifest-Version: 1.0\r\n\r\n{section}\r\n\r\n");
        for odd in ["X: 1\r\nName: a", "Name: a\r\nName: b", "X: 1"] {
            assert!(Manifest::read(text(odd).as_bytes()).is_err(), "{odd:?}");
            assert!(Raw::read(&text(odd)).is_err(), "{odd:?}");
        }
        let good = text("Name: a\r\nX: 1");
        assert_eq!(Manifest::read(good.as_bytes()).unwrap().sections["a"], "X: 1\r\n");
        assert!(Raw::read(&good).unwrap().sections.contains_key("a"));
    }

    #[test]
    fn a_main_section_that_java_cannot_read_is_refused() {
        let long = format!("{}: 1", "x".repeat(NAME_MAX + 1));
        let odd = [" x", "no colon", "Class-Path:", ": 1", "a.b: 1", "a:b: 1", "\u{feff}Manifest-Version: 1.0", &long];
        for line in odd {
            for text in [format!("{line}\r\n\r\n"), format!("{line}\r\nManifest-Version: 1.0\r\n\r\n")] {
                assert!(Manifest::read(text.as_bytes()).is_err(), "{text:?}");
                assert!(Raw::read(&text).is_err(), "{text:?}");
            }
        }
        let long = format!("{}: 1\r\n 2\r\n\r\n", "x".repeat(NAME_MAX));
        for text in ["Manifest-Version: 1.0\r\nA_b-C: \r\n d\r\n\r\n", &long] {
            assert_eq!(Manifest::read(text.as_bytes()).unwrap().main, text);
            assert_eq!(Raw::read(text).unwrap().main, text);
        }
    }
}
