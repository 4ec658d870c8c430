//! What of a request is not as it seems: its own words beside what is computed.

use chancery_types::{SigningFormat, hides, wire::signing_requests::SigningRequest};

const DECEIVES: &str = "the name has a line break, several blanks in a row, blanks of another kind, or characters that are \
    invisible or turn the writing round";

const IMITATES: &str = "the submitter's words imitate the marks of what was computed: what they say there is a claim";

/// Formats by the endings of names.
const ENDINGS: [(&str, SigningFormat); 8] = [
    ("msi", SigningFormat::Msi),
    ("msp", SigningFormat::Msi),
    ("exe", SigningFormat::Authenticode),
    ("dll", SigningFormat::Authenticode),
    ("sys", SigningFormat::Authenticode),
    ("ps1", SigningFormat::Powershell),
    ("psm1", SigningFormat::Powershell),
    ("jar", SigningFormat::JavaJar),
];

/// As the console says them.
pub(super) fn of_words(request: &SigningRequest) -> Vec<String> {
    let deceives = deceives(&request.name).then(|| DECEIVES.to_owned());
    let metadata = request.metadata.iter().flatten().flat_map(|(name, value)| [name, value]);
    let mut claims = std::iter::once(&request.name).chain(&request.note).chain(metadata);
    let imitates = claims.any(|text| text.chars().any(is_mark)).then(|| IMITATES.to_owned());
    [deceives, of_ending(request), imitates].into_iter().flatten().collect()
}

/// Whether a name may look like another one, or like more than a name.
fn deceives(name: &str) -> bool {
    name.contains("  ")
        || name.chars().any(|character| hides(character) || character.is_whitespace() && character != ' ')
}

/// A name that promises another kind of file than the one that is signed.
fn of_ending(request: &SigningRequest) -> Option<String> {
    let format = request.signing_format;
    let promised = promised(&request.name).filter(|promised| *promised != format && request.manifest.is_none())?;
    Some(format!("the name ends as files of {promised} do, but it will be signed as {format}"))
}

fn promised(name: &str) -> Option<SigningFormat> {
    let (_, ending) = name.trim_end().rsplit_once('.')?;
    ENDINGS.into_iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, format)| format)
}

/// The marks with which the console says what it computed and what holds.
const fn is_mark(character: char) -> bool {
    matches!(
        character,
        '\u{25a0}'
            | '\u{25a1}'
            | '\u{25aa}'
            | '\u{25c6}'
            | '\u{25c7}'
            | '\u{2705}'
            | '\u{2713}'
            | '\u{2714}'
            | '\u{2611}'
            | '\u{1f5f8}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_promises_the_format_of_its_ending() {
        assert_eq!(promised("tool 1.2.EXE "), Some(SigningFormat::Authenticode));
        assert_eq!(promised("setup.msi"), Some(SigningFormat::Msi));
        assert_eq!(promised("release.tar"), None);
        assert_eq!(promised("exe"), None);
    }

    #[test]
    fn marks_of_the_console_are_known() {
        assert!("\u{25a0} computed".chars().any(is_mark));
        assert!(!"[x] computed - *".chars().any(is_mark));
    }
}
