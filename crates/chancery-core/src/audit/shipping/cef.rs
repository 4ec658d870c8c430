//! A record in the Common Event Format, which many collectors know.

use std::fmt::Write as _;

use chancery_types::wire::audit::AuditRecord;

use super::item::{Content, Item};
use crate::Result;

/// How grave it is, from 0 to 10.
const USUAL: u8 = 3;
const REFUSED: u8 = 6;

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
        let _written = write!(line, "{space}{name}={}", escaped(value));
    }
    Ok(line)
}

fn of_record(members: &mut Vec<(&'static str, String)>, leaf: i64, record: &AuditRecord) -> Result<()> {
    let json = |value| serde_json::to_string(value).map_err(crate::Error::internal);
    members.extend([("cn1Label", "sequence".to_owned()), ("cn1", leaf.to_string())]);
    members.extend([("act", record.action.to_string()), ("outcome", record.outcome.to_string())]);
    let names: Vec<_> = record.identities.iter().map(|identity| identity.name.as_str()).collect();
    if !names.is_empty() {
        members.push(("suser", names.join(", ")));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped() {
        assert_eq!(escaped("a=b\\c|d\r\n\u{7}"), "a\\=b\\\\c|d\\r\\n ");
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
