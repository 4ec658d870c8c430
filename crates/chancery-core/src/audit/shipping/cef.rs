//! A record in the Common Event Format, which many collectors know.

use std::fmt::Write as _;

use chancery_types::wire::audit::AuditRecord;

use super::item::{Content, Item};
use crate::Result;

/// How grave it is, from 0 to 10.
const USUAL: u8 = 3;
const REFUSED: u8 = 6;

/// Bytes of a custom string at most, as it stands in the line: CEF has 4,000 characters.
const CUSTOM_MAX: usize = 4_000;

/// What a value ends with that was cut. Whoever wants all of it has the body in JSON.
const CUT: &str = "...(cut)";

/// One line: `CEF:0|vendor|product|version|id|name|severity|extension`.
pub(super) fn line(item: &Item) -> Result<String> {
    let severity = if item.is_refusal() { REFUSED } else { USUAL };
    let kind = item.kind();
    let mut line = format!("CEF:0|Chancery|Chancery|{}|{kind}|{kind}|{severity}|", env!("CARGO_PKG_VERSION"));
    let mut members = vec![("rt", item.at_ms.to_string()), ("externalId", item.uuid.to_string())];
    if let Some(node) = item.node {
        members.push(("deviceExternalId", node.to_string()));
    }
    match &item.content {
        Content::Record(leaf, record) => of_record(&mut members, *leaf, record)?,
        Content::Checkpoint | Content::Test => members.push(("msg", item.line.clone())),
    }
    for (place, (name, value)) in members.iter().enumerate() {
        let space = if place > 0 { " " } else { "" };
        // Writing into a string never fails.
        let _written = write!(line, "{space}{name}={}", cut(escaped(value), name));
    }
    Ok(line)
}

fn of_record(members: &mut Vec<(&'static str, String)>, leaf: i64, record: &AuditRecord) -> Result<()> {
    let json = |value| serde_json::to_string(value).map_err(crate::Error::internal);
    members.extend([("cn1Label", "sequence".to_owned()), ("cn1", leaf.to_string())]);
    members.extend([("act", record.action.to_string()), ("outcome", record.outcome.to_string())]);
    if !record.identities.is_empty() {
        let ids: Vec<_> = record.identities.iter().map(|identity| identity.uuid.to_string()).collect();
        let names: Vec<_> = record.identities.iter().map(|identity| apart(&identity.name)).collect();
        members.extend([("suid", ids.join(",")), ("suser", names.join(", "))]);
    }
    if !record.source.is_empty() {
        members.push(("src", record.source.clone()));
    }
    members.push(("cnt", record.count.to_string()));
    members.extend([("cs1Label", "requestId".to_owned()), ("cs1", record.request_id.clone())]);
    if let Some(object) = record.object_uuid {
        members.extend([("cs2Label", "objectUuid".to_owned()), ("cs2", object.to_string())]);
    }
    members.extend([("cs3Label", "detail".to_owned()), ("cs3", json(&record.detail)?)]);
    Ok(())
}

/// A name of several that commas part: a comma inside it has a backslash before it, and so has a backslash. CEF itself knows no
/// lists, so this is a second escape below that of its values.
fn apart(name: &str) -> String {
    name.replace('\\', "\\\\").replace(',', "\\,")
}

/// A value of the extension: backslash, equals sign and line ends are escaped.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '=' => text.push_str("\\="),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            other if other.is_control() => text.push(' '),
            other => text.push(other),
        }
    }
    text
}

/// A value that is escaped: a custom string is cut, between two characters and behind a whole escape.
fn cut(mut value: String, name: &str) -> String {
    if !matches!(name, "cs1" | "cs2" | "cs3") || value.len() <= CUSTOM_MAX {
        return value;
    }
    value.truncate(value.floor_char_boundary(CUSTOM_MAX - CUT.len()));
    let backslashes = value.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if backslashes % 2 == 1 {
        value.pop();
    }
    value + CUT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped() {
        assert_eq!(escaped("a=b\\c|d\r\n\u{7}"), "a\\=b\\\\c|d\\r\\n ");
    }

    fn of_people(names: &[&str]) -> String {
        let identities: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(number, name)| {
                let uuid = format!("00000000-0000-0000-0000-00000000000{}", number + 1);
                serde_json::json!({"name": name, "uuid": uuid})
            })
            .collect();
        let record = serde_json::json!({
            "number": 7, "time": "2026-06-21T12:00:00Z", "requestId": "r", "source": "192.0.2.1",
            "identities": identities, "action": "RoleRead", "outcome": "Success", "count": 1, "detail": {},
        });
        let mut members = Vec::new();
        of_record(&mut members, 7, &serde_json::from_value(record).unwrap()).unwrap();
        let value = |of: &str| members.iter().find(|(name, _)| *name == of).map(|(_, value)| escaped(value));
        format!("suid={} suser={}", value("suid").unwrap(), value("suser").unwrap())
    }

    #[test]
    fn one_person_never_looks_like_two() {
        const FIRST: &str = "suid=00000000-0000-0000-0000-000000000001";
        let both = format!("{FIRST},00000000-0000-0000-0000-000000000002 suser=Admin1, Admin2");
        assert_eq!(of_people(&["Admin1", "Admin2"]), both);
        // Backslashes twice: once to part the names, and CEF's own.
        assert_eq!(of_people(&["Admin1, Admin2"]), format!(r"{FIRST} suser=Admin1\\, Admin2"));
        assert_eq!(of_people(&[r"Admin1\, Admin2"]), format!(r"{FIRST} suser=Admin1\\\\\\, Admin2"));
        assert_eq!(of_people(&["a=b"]), format!(r"{FIRST} suser=a\=b"));
    }

    #[test]
    fn a_custom_string_is_cut() {
        let whole = "x".repeat(CUSTOM_MAX);
        assert_eq!(cut(whole.clone(), "cs3"), whole);
        assert_eq!(cut("x".repeat(9_000), "cs3").len(), CUSTOM_MAX);
        assert_eq!(cut("x".repeat(9_000), "msg").len(), 9_000, "a checkpoint is whole");
        for text in ["ä", "🂡", "\\", "=", "\n", "x=", "xä"] {
            let found = cut(escaped(&text.repeat(9_000)), "cs3");
            let kept = found.strip_suffix(CUT).unwrap();
            assert!(found.len() <= CUSTOM_MAX && found.len() > CUSTOM_MAX - 8, "{text}");
            let backslashes = kept.bytes().rev().take_while(|byte| *byte == b'\\').count();
            assert_eq!(backslashes % 2, 0, "{text}");
        }
    }

    #[test]
    fn what_is_no_record_is_a_message() {
        let line = line(&Item::of_checkpoint("a\nb=", 7)).unwrap();
        let version = env!("CARGO_PKG_VERSION");
        assert!(line.starts_with(&format!(
            "CEF:0|Chancery|Chancery|{version}|AuditCheckpoint|AuditCheckpoint|3|rt=7 externalId="
        )));
        assert!(line.ends_with(r#" msg={"checkpoint":"a\\nb\="}"#), "{line}");
    }
}
