//! Texts from elsewhere on a terminal.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
};

pub(crate) use chancery_types::{Shown, ShownName, shell_word};
use chancery_types::{hides, wire::ObjInfo};

/// Columns of a line where there is no terminal that says its own.
const COLUMNS: usize = 80;
/// The fewest that are thought of.
const COLUMNS_MIN: usize = 40;
/// The most of a label on a terminal.
const LABEL_MAX: usize = 48;
/// Blanks in a row that are shown as they are; more of them are counted.
const BLANKS_MAX: usize = 2;

/// What stands behind a label, in lines: a text that is longer than a line goes on below itself, so that no text, however it
/// is filled, begins a line of its own as a label does.
pub(crate) fn labelled(label: &str, text: &str) -> Vec<String> {
    let columns = columns().saturating_sub(label.len()).max(COLUMNS_MIN / 2);
    let indent = " ".repeat(label.len());
    let folded = folded(&without_gaps(text), columns).into_iter().enumerate();
    folded.map(|(at, line)| format!("{}{line}", if at == 0 { label } else { &indent })).collect()
}

/// The same for what people look at in passing: a program that reads it, or writes it to a file, gets each text as one line.
pub(crate) fn described(label: &str, text: &str) -> Vec<String> {
    if io::stdout().is_terminal() { labelled(label, text) } else { vec![format!("{label}{}", without_gaps(text))] }
}

/// A label that others may have made up: no longer than leaves room behind it on a terminal.
pub(crate) fn label(text: &str) -> String {
    let shown = without_gaps(text);
    if !io::stdout().is_terminal() || shown.chars().count() <= LABEL_MAX {
        return shown;
    }
    shown.chars().take(LABEL_MAX - 1).chain(['\u{2026}']).collect()
}

/// Labels with what stands behind them.
pub(crate) fn in_lines(lines: &[(&'static str, String)]) -> Vec<String> {
    let line = |(label, text): &(&'static str, String)| {
        let padded = format!("{label:<12}");
        // Digests are compared as a whole, and nothing stands there that anybody else has written.
        if matches!(*label, "digest" | "approves" | "manifest") {
            return vec![format!("{padded}{}", Shown(text))];
        }
        labelled(&padded, text)
    };
    lines.iter().flat_map(line).collect()
}

fn columns() -> usize {
    let own = rustix::termios::tcgetwinsize(io::stdout()).or_else(|_| rustix::termios::tcgetwinsize(io::stderr()));
    own.ok().map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(COLUMNS).max(COLUMNS_MIN)
}

/// The text as it is shown, with gaps counted: those of blanks, which could push words to where a line of ours would be, and
/// blanks of other kinds.
fn without_gaps(text: &str) -> String {
    let (mut shown, mut blanks) = (String::with_capacity(text.len()), 0);
    let end_gap = |shown: &mut String, blanks: &mut usize| {
        match *blanks {
            few @ 0..=BLANKS_MAX => shown.push_str(&" ".repeat(few)),
            many => shown.push_str(&format!("[{many} blanks]")),
        }
        *blanks = 0;
    };
    for character in text.chars() {
        if character == ' ' {
            blanks += 1;
            continue;
        }
        end_gap(&mut shown, &mut blanks);
        if hides(character) || character.is_whitespace() {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    end_gap(&mut shown, &mut blanks);
    shown
}

/// Columns of a character, at most: what is not ASCII may be twice as wide, and nothing is wider.
const fn width_of(character: char) -> usize {
    if character.is_ascii() { 1 } else { 2 }
}

/// Lines of at most so many columns, ended at a blank where there is one.
fn folded(text: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut line, mut width, mut blank) = (Vec::new(), String::new(), 0, None);
    for character in text.chars() {
        if width + width_of(character) > columns {
            let rest = match blank.take() {
                Some(at) => line.split_off(at),
                None => String::new(),
            };
            lines.push(std::mem::replace(&mut line, rest.trim_start_matches(' ').to_owned()).trim_end().to_owned());
            width = line.chars().map(width_of).sum();
        }
        if character == ' ' {
            blank = Some(line.len());
        }
        line.push(character);
        width += width_of(character);
    }
    lines.push(line);
    lines
}

/// Those who act together, each as one.
pub(crate) fn together<T>(identities: &[ObjInfo<T>]) -> String {
    names(identities.iter().map(|one| one.name.as_str()), " and ")
}

/// Names in a line, so that none of them can be taken for two.
pub(crate) fn names<'a>(names: impl IntoIterator<Item = &'a str>, between: &str) -> String {
    names.into_iter().map(|name| ShownName(name).to_string()).collect::<Vec<_>>().join(between)
}

/// JSON as it is shown: what turns the direction of writing or is invisible stands as an escape, as JSON has them, so that no
/// value looks like another.
pub(crate) fn escaped_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if hides(character) {
            let units =
                character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            shown.push_str(&units);
        } else {
            shown.push(character);
        }
    }
    shown
}

/// A path as one word of a shell's line.
pub(crate) fn path_word(path: &Path) -> String {
    shell_word(&path.display().to_string()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_begins_a_line_as_a_label_does() {
        let filled = format!("setup.exe{}provenance  verified: by the server", " ".repeat(59));
        for text in [
            format!("{filled}, {filled}").as_str(),
            &format!("{}provenance  verified: by the server", "x".repeat(68)),
            &format!("{} provenance  verified: by the server", "x ".repeat(33)),
            &format!("{}provenance  verified: by the server", "\u{3000}".repeat(34)),
            &format!("{}provenance  verified: by the server", "発".repeat(34)),
        ] {
            let lines = labelled("file        ", text);
            assert!(lines[0].starts_with("file        ") && lines.len() > 1, "{lines:?}");
            assert!(lines[1..].iter().all(|line| line.starts_with("            ")), "{lines:?}");
            assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{lines:?}");
        }
        assert!(labelled("file        ", &filled)[0].starts_with("file        setup.exe[59 blanks]provenance"));
    }

    #[test]
    fn what_is_short_is_shown_as_it_is() {
        for text in ["", "app.tar", "a  of two", "Größe 発行者"] {
            assert_eq!(labelled("file  ", text), [format!("file  {text}")]);
        }
        assert_eq!(without_gaps("a\u{a0}b   "), "a\\u{a0}b[3 blanks]");
        assert_eq!(folded("one two three", 8), ["one two", "three"]);
        assert_eq!(folded("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }
}
