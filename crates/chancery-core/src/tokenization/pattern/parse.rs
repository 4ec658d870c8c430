//! The syntax of patterns: text to parts, in one pass.

use super::{Flaw, Group, Part, Symbols, dates::Dates, numbers::Numbers};
use crate::tokenization::alphabet::{self, Alphabet};

/// Characters that stand for themselves only with a backslash before them.
const RESERVED: &str = r"{}[]<>\";

/// What a byte of 0xF8 and above marks in a tweak is a class, and there are eight such bytes.
const CLASSES_MAX: usize = 8;

/// The parts of a pattern, each with its position.
pub(super) fn parse(text: &str) -> Result<Vec<(usize, Part)>, Flaw> {
    let characters: Vec<char> = text.chars().collect();
    let mut reader = Reader { characters: &characters, at: 0 };
    let mut parts = Vec::new();
    while let Some(character) = reader.peek() {
        let position = reader.at;
        let part = match character {
            '{' => Part::Encrypted(reader.group('}')?),
            '[' => Part::Kept(reader.group(']')?),
            '<' => reader.check()?,
            _ => Part::Literal(reader.literal()?),
        };
        parts.push((position, part));
    }
    Ok(parts)
}

struct Reader<'p> {
    characters: &'p [char],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn flaw<T>(&self, message: impl Into<String>) -> Result<T, Flaw> {
        Err(Flaw { position: self.at, message: message.into() })
    }

    /// Takes `expected` if it comes next.
    fn take(&mut self, expected: &str) -> bool {
        let found = expected.chars().enumerate().all(|(index, c)| self.characters.get(self.at + index) == Some(&c));
        if found {
            self.at += expected.chars().count();
        }
        found
    }

    fn expect(&mut self, expected: &str, message: &str) -> Result<(), Flaw> {
        if self.take(expected) { Ok(()) } else { self.flaw(message) }
    }

    /// Takes characters as long as they are such ones.
    fn run(&mut self, such: impl Fn(char) -> bool) -> String {
        let run: String = self.characters[self.at..].iter().take_while(|&&character| such(character)).collect();
        self.at += run.chars().count();
        run
    }

    fn literal(&mut self) -> Result<Vec<char>, Flaw> {
        let mut literal = Vec::new();
        while let Some(character) = self.peek() {
            match character {
                '{' | '[' | '<' => break,
                '}' | ']' | '>' => {
                    return self.flaw(format!("{character} ends nothing; write \\{character} for the character."));
                }
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(escaped) if RESERVED.contains(escaped) => literal.push(escaped),
                        _ => return self.flaw(format!("a backslash stands before one of {RESERVED} only.")),
                    }
                }
                _ => literal.push(character),
            }
            self.at += 1;
        }
        Ok(literal)
    }

    fn check(&mut self) -> Result<Part, Flaw> {
        self.expect("<iban>", "the check digits that there are: <iban>; write \\< for the character.")?;
        Ok(Part::Check)
    }

    /// A group with its brackets.
    fn group(&mut self, close: char) -> Result<Group, Flaw> {
        self.at += 1;
        let group = match self.peek() {
            Some(digit) if digit.is_ascii_digit() => Group::Numbers(self.numbers()?),
            _ if self.take("date:") => Group::Date(self.date(close)?),
            _ => Group::Symbols(self.symbols(close == '}')?),
        };
        if self.peek() != Some(close) {
            return self.flaw(format!("{close} is missing here."));
        }
        self.at += 1;
        Ok(group)
    }

    fn numbers(&mut self) -> Result<Numbers, Flaw> {
        let mut ranges: Vec<(usize, String, String)> = Vec::new();
        loop {
            let position = self.at;
            let first = self.run(|character| character.is_ascii_digit());
            let last = if self.take("..") { self.run(|character| character.is_ascii_digit()) } else { first.clone() };
            ranges.push((position, first, last));
            if !self.take(",") {
                break;
            }
        }
        let ranges: Vec<_> = ranges.iter().map(|(at, first, last)| (*at, first.as_str(), last.as_str())).collect();
        Numbers::new(&ranges)
    }

    fn date(&mut self, close: char) -> Result<Dates, Flaw> {
        let position = self.at;
        let layout = self.run(|character| character != ',' && character != close);
        let range = self.take(",").then(|| self.run(|character| character != close));
        Dates::new(&layout, range.as_deref(), position)
    }

    fn symbols(&mut self, encrypted: bool) -> Result<Symbols, Flaw> {
        let start = self.at;
        let mut classes = vec![self.class()?];
        while self.take("|") {
            if !encrypted {
                self.at -= 1;
                return self.flaw("a kept group has no classes; join the symbols with +.");
            }
            classes.push(self.class()?);
        }
        let flaw = |message: String| Err(Flaw { position: start, message });
        let mut sorted: Vec<char> = classes.iter().flatten().copied().collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return flaw(format!("{:?} occurs twice among the symbols of this group.", twice[0]));
        }
        if classes.len() > CLASSES_MAX {
            return flaw(format!("a group has at most {CLASSES_MAX} classes."));
        }
        if encrypted && classes.iter().any(|class| class.len() < 2) {
            return flaw("encrypted symbols need at least two in each class, else nothing is encrypted.".into());
        }
        self.expect(":", "after the symbols comes : and how many there are, like :4 or :4..8.")?;
        let (min, max) = self.lengths()?;
        let classes = classes.into_iter().map(|class| Alphabet::index(class.into())).collect();
        Ok(Symbols { classes, min, max })
    }

    /// Sets joined with `+`.
    fn class(&mut self) -> Result<Vec<char>, Flaw> {
        let mut symbols = self.set()?;
        while self.take("+") {
            symbols.extend(self.set()?);
        }
        Ok(symbols)
    }

    fn set(&mut self) -> Result<Vec<char>, Flaw> {
        if self.take("'") {
            return self.quoted();
        }
        let start = self.at;
        let name = self.run(|character| character.is_ascii_alphanumeric());
        alphabet::built_in(&name).ok_or_else(|| Flaw {
            position: start,
            message: format!(
                "a group begins with an alphabet ({}, or characters in single quotes), a number or date:.",
                alphabet::names()
            ),
        })
    }

    fn quoted(&mut self) -> Result<Vec<char>, Flaw> {
        let mut symbols = Vec::new();
        loop {
            match self.peek() {
                None => return self.flaw("the closing quote is missing."),
                Some('\'') => break,
                Some('\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(escaped @ ('\'' | '\\')) => symbols.push(escaped),
                        _ => return self.flaw("between quotes a backslash stands before ' or \\ only."),
                    }
                }
                Some(symbol) => symbols.push(symbol),
            }
            self.at += 1;
        }
        if symbols.is_empty() {
            return self.flaw("there is nothing between the quotes.");
        }
        self.at += 1;
        Ok(symbols)
    }

    fn lengths(&mut self) -> Result<(usize, usize), Flaw> {
        let start = self.at;
        let min = self.length()?;
        let max = if self.take("..") { self.length()? } else { min };
        if min == 0 || min > max {
            return Err(Flaw {
                position: start,
                message: "a group has at least one symbol, and its shortest length comes first.".into(),
            });
        }
        Ok((min, max))
    }

    fn length(&mut self) -> Result<usize, Flaw> {
        let position = self.at;
        let digits = self.run(|character| character.is_ascii_digit());
        // Of more digits than that none is a length that any limit accepts.
        let length = (1..=6).contains(&digits.len()).then(|| digits.parse().ok()).flatten();
        length.ok_or_else(|| Flaw { position, message: "a length is a whole number of up to six digits.".into() })
    }
}
