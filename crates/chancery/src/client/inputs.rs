//! What is given on the command line besides options: questions to a person, bodies in files, spans of time.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead as _, IsTerminal as _},
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use chancery_core::rfc3339;
use chancery_types::ValidityUnit;
use serde_json::{Value, json};

use super::exit::{Exit, told_with, usage};
use crate::{
    bounded,
    failure::{Failure, While as _},
    output,
};

/// Bytes of a file that an option names, at most: what becomes a part of a call, which the server takes no larger.
const FILE_MAX: u64 = 1 << 20;

/// Whether there is a person to ask.
pub(crate) fn somebody_is_there() -> bool {
    io::stdin().is_terminal()
}

/// Asks for a line that may be seen.
pub(crate) fn ask(question: &str) -> Result<String, Failure> {
    output::question(question)?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(usage("nothing was answered"));
    }
    Ok(line.trim().to_owned())
}

/// Ends what would go on answering for as long as there is something to ask: nobody reads it any more.
pub(crate) fn still_read() -> Result<(), Failure> {
    if output::was_read() {
        return Ok(());
    }
    Err(told_with(Exit::Failed, "standard output: Broken pipe", "Whoever read it stopped. What follows was not sent."))
}

/// The lines of standard input, for as long as somebody reads what is answered. One that is no text is told by its number.
pub(crate) fn lines_of_input() -> impl Iterator<Item = Result<String, Failure>> {
    io::stdin().lock().lines().enumerate().map(|(number, line)| {
        still_read()?;
        match line {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err("it is not UTF-8".into()),
            line => line.map_err(Failure::from),
        }
        .doing(format!("standard input, line {}", number + 1))
    })
}

/// What an option names: a file, or standard input where it is called `-`.
pub(crate) fn read_file(option: &str, path: &Path) -> Result<Vec<u8>, Failure> {
    let wrong = |why: &dyn fmt::Display| usage(format!("{option} {}: {why}", path.display()));
    let read = if path == Path::new("-") {
        bounded::read(io::stdin().lock(), FILE_MAX)
    } else {
        File::open(path).and_then(|file| bounded::read(file, FILE_MAX))
    };
    read.map_err(|error| wrong(&error))
}

/// The same, of a text.
pub(crate) fn read_text(option: &str, path: &Path) -> Result<String, Failure> {
    let content = read_file(option, path)?;
    bounded::as_text(content).map_err(|error| usage(format!("{option} {}: {error}", path.display())))
}

/// A body of the interface.
pub(crate) fn read_body(path: &Path) -> Result<Value, Failure> {
    let text = read_file("--file", path)?;
    // Some editors begin a text by a byte order mark, which is none of JSON's (RFC 8259, 8.1).
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
    let mut parsed: Value =
        serde_json::from_slice(text).map_err(|error| usage(format!("--file {}: no JSON: {error}", path.display())))?;
    // What `--output json` printed has the object in its envelope.
    let is_envelope = ["success", "errorCode", "response"].iter().all(|member| parsed.get(member).is_some());
    let body = if is_envelope { parsed["response"].take() } else { parsed };
    if body.is_object() {
        return Ok(body);
    }
    Err(usage(format!("--file {}: an object is expected, {{…}}", path.display())))
}

/// `NAME=VALUE`.
pub(crate) fn name_and_value(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE is expected")?;
    if name.is_empty() { Err("NAME=VALUE is expected".to_owned()) } else { Ok((name.to_owned(), value.to_owned())) }
}

/// A digest as tools print it: a SHA-256, or a longer one.
pub(crate) fn digest_digits(text: &str) -> Result<String, String> {
    if matches!(text.len(), 64 | 96 | 128) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(text.to_owned());
    }
    Err("64 hexadecimal digits are expected, or 96 or 128 of a longer digest".to_owned())
}

/// Spans of any length, of clocks; and those of calendars, where these count.
const CLOCK_SPANS: &str = "90s, 10m, 12h, 30d, 6w";
const CALENDAR_SPANS: &str = "90s, 10m, 12h, 30d, 6w, 3mo, 1y";

/// A number with its unit, as the examples have them.
fn span(text: &str, examples: &str) -> Result<(u64, ValidityUnit), String> {
    let expected = || format!("{text}: a number and a unit are expected, such as {examples}");
    let digits = text.find(|character: char| !character.is_ascii_digit()).ok_or_else(expected)?;
    let (number, unit) = text.split_at(digits);
    let unit = match unit {
        "s" => ValidityUnit::Second,
        "m" => ValidityUnit::Minute,
        "h" => ValidityUnit::Hour,
        "d" => ValidityUnit::Day,
        "w" => ValidityUnit::Week,
        "mo" => ValidityUnit::Month,
        "y" => ValidityUnit::Year,
        _ => return Err(expected()),
    };
    Ok((number.parse().map_err(|_| expected())?, unit))
}

/// A span of time as the interface has it.
pub(crate) fn validity(text: &str) -> Result<Value, Failure> {
    let (amount, unit) = span(text, CALENDAR_SPANS).map_err(usage)?;
    Ok(json!({"unit": unit, "amount": amount.to_string()}))
}

/// A time to wait.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (amount, unit) = span(text, CLOCK_SPANS)?;
    let seconds = match unit {
        ValidityUnit::Second => 1,
        ValidityUnit::Minute => 60,
        ValidityUnit::Hour => 3_600,
        ValidityUnit::Day => 86_400,
        ValidityUnit::Week => 604_800,
        ValidityUnit::Millisecond | ValidityUnit::Month | ValidityUnit::Year => {
            return Err(format!("{text}: months and years have no set length; expected is such as {CLOCK_SPANS}"));
        }
    };
    let seconds = amount.checked_mul(seconds).ok_or_else(|| format!("{text}: too long"))?;
    Ok(Duration::from_secs(seconds))
}

/// The moment so far from now on, as the interface takes it.
pub(crate) fn from_now(flag: &str, span: Duration) -> Result<String, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let second = now.checked_add(span).and_then(|end| i64::try_from(end.as_secs()).ok());
    let moment = second.map(rfc3339).filter(|moment| !moment.is_empty());
    moment.ok_or_else(|| usage(format!("{flag}: too long")))
}

/// A time between two looks, of which a server has to answer each.
pub(crate) fn interval(text: &str) -> Result<Duration, String> {
    let span = duration(text)?;
    if span.is_zero() { Err(format!("{text}: at least 1s is expected")) } else { Ok(span) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_a_unit() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7_200)));
        for wrong in ["", "5", "m", "5 m", "-5m", "1y", "5x", "99999999999999999999s", "9999999999999999999w"] {
            let refusal = duration(wrong).unwrap_err();
            // What is named as an example is taken.
            assert!(!refusal.contains("1y,") && !refusal.contains("3mo"), "{refusal}");
        }
        assert_eq!(validity("3mo").unwrap(), json!({"unit": "Month", "amount": "3"}));
        assert!(validity("three").is_err());
        assert!(interval("0s").unwrap_err().contains("at least 1s") && interval("1s").is_ok());
    }

    #[test]
    fn a_value_may_have_an_equals_sign() {
        assert_eq!(name_and_value("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
        assert!(name_and_value("=b").is_err() && name_and_value("a").is_err());
    }
}
