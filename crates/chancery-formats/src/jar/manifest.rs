//! Manifests: as they are to be written anew, and as they are.

use std::collections::BTreeMap;

use crate::Unfit;

pub(super) const CREATED_BY: &str = "Created-By: Chancery\r\n";
/// Bytes of a line, without its end.
const LINE_MAX: usize = 72;

/// A manifest that was there before.
pub(super) struct Manifest {
    /// The main section, with the empty line at its end.
    pub(super) main: String,
    /// What the other sections say besides names and digests.
    pub(super) sections: BTreeMap<String, String>,
}

impl Manifest {
    pub(super) fn read(text: &str) -> Result<Self, Unfit> {
        let mut sections = text.replace("\r\n", "\n").replace('\r', "\n");
        while sections.contains("\n\n\n") {
            sections = sections.replace("\n\n\n", "\n\n");
        }
        let mut parts = sections.split("\n\n").map(str::trim_end).filter(|part| !part.is_empty());
        let main = match parts.next() {
            Some(main) if main.starts_with("Name:") => return Err(NO_MAIN),
            Some(main) => format!("{}\r\n\r\n", main.replace('\n', "\r\n")),
            None => format!("Manifest-Version: 1.0\r\n{CREATED_BY}\r\n"),
        };
        let mut sections = BTreeMap::<String, String>::new();
        for part in parts {
            let (name, others): (Vec<_>, Vec<_>) = attributes(part)?.into_iter().partition(|(name, _)| name == "Name");
            let [(_, name)] = &name[..] else { return Err(NO_NAME) };
            let others = others.iter().filter(|(name, _)| !name.to_ascii_uppercase().contains("-DIGEST"));
            let others = others.map(|(name, value)| line(name, value)).collect::<Result<String, _>>()?;
            // Two of one name count together.
            sections.entry(name.clone()).or_default().push_str(&others);
        }
        Ok(Self { main, sections })
    }
}

const NO_MAIN: Unfit = Unfit("The archive's manifest has no main section.");
const NO_NAME: Unfit = Unfit("A section of the archive's manifest has no name.");

/// A manifest that stays: its sections byte for byte, each with the empty line at its end.
pub(super) struct Raw<'a> {
    pub(super) main: &'a str,
    pub(super) sections: BTreeMap<String, &'a str>,
}

impl<'a> Raw<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Unfit> {
        let mut parts = split(text)?.into_iter();
        let main = parts.next().filter(|main| !main.starts_with("Name:")).ok_or(NO_MAIN)?;
        let mut sections = BTreeMap::new();
        for part in parts {
            let names: Vec<_> = attributes(part)?.into_iter().filter(|(name, _)| name == "Name").collect();
            let [(_, name)] = &names[..] else { return Err(NO_NAME) };
            if sections.insert(name.clone(), part).is_some() {
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
    for line in section.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix(' '), attributes.last_mut()) {
            (Some(more), Some((_, value))) => value.push_str(more),
            (Some(_), None) => return Err(Unfit("The archive's manifest begins a section with half a line.")),
            (None, _) => {
                let (name, value) = line.split_once(": ").ok_or(Unfit("The archive's manifest has odd lines."))?;
                attributes.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    Ok(attributes)
}

/// An attribute, in lines of at most 72 bytes, the further ones beginning with a space.
pub(super) fn line(name: &str, value: &str) -> Result<String, Unfit> {
    if value.chars().any(char::is_control) {
        return Err(Unfit("The archive has an entry or a manifest with control characters."));
    }
    let mut text = String::new();
    let mut len = 0;
    for symbol in format!("{name}: {value}").chars() {
        if len + symbol.len_utf8() > LINE_MAX {
            text.push_str("\r\n ");
            len = 1;
        }
        text.push(symbol);
        len += symbol.len_utf8();
    }
    Ok(text + "\r\n")
}
