//! Syslog messages (RFC 5424).

use std::fmt::Write as _;

use chancery_types::SyslogBody;

use super::{cef, item::Item};
use crate::{Result, time::rfc3339_ms};

/// The facility "log audit" (RFC 5424, table 1).
const FACILITY: u8 = 13;

/// Severities (RFC 5424, table 2).
const WARNING: u8 = 4;
const INFORMATIONAL: u8 = 6;

/// The structured data's name. 32473 is the number that IANA keeps for examples (RFC 5612): Chancery has none of its own.
const STRUCTURED: &str = "chancery@32473";

/// The items as messages.
pub(super) fn messages(items: &[Item], body: SyslogBody, host: &str, ledger: &str) -> Result<Vec<String>> {
    items.iter().map(|item| message(item, body, host, ledger)).collect()
}

fn message(item: &Item, body: SyslogBody, host: &str, ledger: &str) -> Result<String> {
    let priority = FACILITY * 8 + if item.is_refusal() { WARNING } else { INFORMATIONAL };
    let (time, host) = (rfc3339_ms(item.at_ms), printable(host, 255));
    let node = item.node.map_or_else(|| "-".to_owned(), |node| node.to_string());
    let mut text = format!("<{priority}>1 {time} {host} chancery {node} {} [{STRUCTURED}", item.kind());
    // Writing into a string never fails. No value has a character that is to be escaped.
    let _written = write!(text, " id=\"{}\" node=\"{node}\" ledger=\"{}\"", item.uuid, printable(ledger, 255));
    if let Some(sequence) = item.sequence() {
        let _written = write!(text, " sequence=\"{sequence}\"");
    }
    text.push_str("] ");
    match body {
        SyslogBody::Json => text.push_str(&ascii(&item.line)),
        SyslogBody::Cef => {
            let line = cef::line(item)?;
            if !line.is_ascii() {
                // What is UTF-8 begins with a byte order mark (RFC 5424, 6.4).
                text.push('\u{feff}');
            }
            text.push_str(&line);
        }
    }
    Ok(text)
}

/// A member of the header: printable ASCII, or `-` for nothing.
fn printable(text: &str, max: usize) -> String {
    let plain: String =
        text.chars().filter(|character| character.is_ascii_graphic() && !"\"\\]".contains(*character)).collect();
    let plain: String = plain.chars().take(max).collect();
    if plain.is_empty() { "-".to_owned() } else { plain }
}

/// The same JSON in ASCII, so that it needs no byte order mark, which parsers of JSON do not take.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if matches!(character, ' '..='~') {
            text.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _written = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_header_its_data_and_its_line() {
        let item = Item::of_checkpoint("ü\n", 1_767_225_600_000);
        let message = message(&item, SyslogBody::Json, "kms 1", "chancery.invalid/x/audit").unwrap();
        let head = "<110>1 2026-01-01T00:00:00.000Z kms1 chancery - AuditCheckpoint [chancery@32473 id=\"";
        assert!(message.starts_with(head), "{message}");
        let tail = "\" node=\"-\" ledger=\"chancery.invalid/x/audit\"] {\"checkpoint\":\"\\u00fc\\n\"}";
        assert!(message.ends_with(tail), "{message}");
    }

    #[test]
    fn json_becomes_ascii_and_stays_the_same() {
        let value = serde_json::json!({"ä": "🂡\u{7f}"});
        let text = ascii(&value.to_string());
        assert!(text.is_ascii() && !text.contains('\u{7f}'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
