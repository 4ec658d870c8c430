//! What a pattern's parts must be together: every value is taken apart in one way, and there is something to encrypt.

use super::{Element, End, Flaw, Group, Part, iban};

/// Puts the parts together. Every refusal names the position.
pub(super) fn check(parts: Vec<(usize, Part)>) -> Result<Vec<Element>, Flaw> {
    if !parts.iter().any(|(_, part)| matches!(part, Part::Encrypted(_))) {
        let message = "a pattern encrypts at least one group, like {Decimal:9}.".into();
        return Err(Flaw { position: 0, message });
    }
    for (position, part) in &parts {
        check_size(*position, part)?;
    }
    check_iban(&parts)?;
    let ends = (0..parts.len()).map(|index| end(&parts, index)).collect::<Result<Vec<_>, _>>()?;
    Ok(parts.into_iter().zip(ends).map(|((position, part), end)| Element { part, position, end }).collect())
}

/// Encrypted numbers that can have one value only would stay in clear.
fn check_size(position: usize, part: &Part) -> Result<(), Flaw> {
    let size = match part {
        Part::Encrypted(Group::Numbers(numbers)) => numbers.size(),
        Part::Encrypted(Group::Date(dates)) => dates.size(),
        Part::Encrypted(Group::Symbols(_)) | Part::Literal(_) | Part::Kept(_) | Part::Check => return Ok(()),
    };
    if size >= 2 {
        return Ok(());
    }
    Err(Flaw { position, message: "an encrypted group has at least two values.".into() })
}

/// Where a part ends must follow from what comes after it.
fn end(parts: &[(usize, Part)], index: usize) -> Result<End, Flaw> {
    let (position, part) = &parts[index];
    if let Some(length) = part.fixed_length() {
        return Ok(End::Length(length));
    }
    let after = &parts[index + 1..];
    let lengths: Option<usize> = after.iter().map(|(_, part)| part.fixed_length()).sum();
    match (after.first(), lengths) {
        (_, Some(length)) => Ok(End::Before(length)),
        (Some((_, next)), None) if !part.overlaps(next) => Ok(End::Foreign),
        (_, None) => Err(Flaw {
            position: *position,
            message:
                "where this group ends cannot be told: after a group of several lengths comes a character that it \
                      cannot hold, or nothing but groups of one length."
                    .into(),
        }),
    }
}

/// The check digits are counted over digits and capital letters, and stand after two of them.
fn check_iban(parts: &[(usize, Part)]) -> Result<(), Flaw> {
    let mut checks = parts.iter().enumerate().filter(|(_, (_, part))| *part == Part::Check);
    let Some((index, &(position, _))) = checks.next() else { return Ok(()) };
    if let Some((_, &(position, _))) = checks.next() {
        return Err(Flaw { position, message: "<iban> occurs once.".into() });
    }
    let before: Option<usize> = parts[..index].iter().map(|(_, part)| part.fixed_length()).sum();
    if before != Some(iban::BEFORE) {
        return Err(Flaw { position, message: "before <iban> stands the country: always two characters.".into() });
    }
    match parts.iter().find(|(_, part)| !part.characters().all(iban::holds)) {
        None => Ok(()),
        Some(&(position, _)) => Err(Flaw {
            position,
            message: "an IBAN has digits and capital letters only; others may pass through (passThrough).".into(),
        }),
    }
}

impl Part {
    /// Whether a value of this part could go on with the first character of the next.
    fn overlaps(&self, next: &Self) -> bool {
        let (Self::Encrypted(group) | Self::Kept(group)) = self else { return false };
        match next {
            Self::Literal(literal) => literal.first().is_some_and(|&first| group.has(first)),
            Self::Encrypted(_) | Self::Kept(_) | Self::Check => next.characters().any(|first| group.has(first)),
        }
    }

    /// All characters that it may hold.
    fn characters(&self) -> Box<dyn Iterator<Item = char> + '_> {
        let digits = '0'..='9';
        match self {
            Self::Literal(literal) => Box::new(literal.iter().copied()),
            Self::Encrypted(Group::Symbols(symbols)) | Self::Kept(Group::Symbols(symbols)) => {
                Box::new(symbols.symbols())
            }
            Self::Encrypted(Group::Date(dates)) | Self::Kept(Group::Date(dates)) => {
                Box::new(digits.chain(dates.separators()))
            }
            Self::Encrypted(Group::Numbers(_)) | Self::Kept(Group::Numbers(_)) | Self::Check => Box::new(digits),
        }
    }
}
