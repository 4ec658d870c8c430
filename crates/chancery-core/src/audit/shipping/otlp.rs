//! Records as logs of OpenTelemetry: the body of an `ExportLogsServiceRequest` in the JSON encoding of OTLP (numbers of 64
//! bits are texts there), and what a collector answers.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::item::Item;
use crate::{Error, Result};

/// Severity numbers of the data model of logs: INFO and WARN.
const INFO: (u8, &str) = (9, "INFO");
const WARN: (u8, &str) = (13, "WARN");

const NS_OF_MS: i64 = 1_000_000;

/// The body that is posted.
pub(super) fn body(items: &[Item], host: &str, ledger: &str, now_ms: i64) -> Result<Vec<u8>> {
    let records: Vec<_> = items.iter().map(|item| record(item, now_ms)).collect();
    let resource = [
        text("service.name", "chancery"),
        text("service.version", env!("CARGO_PKG_VERSION")),
        text("host.name", host),
        text("chancery.ledger", ledger),
    ];
    let body = json!({"resourceLogs": [{
        "resource": {"attributes": resource},
        "scopeLogs": [{"scope": {"name": "chancery.audit"}, "logRecords": records}],
    }]});
    serde_json::to_vec(&body).map_err(Error::internal)
}

fn record(item: &Item, now_ms: i64) -> Value {
    let (severity, word) = if item.is_refusal() { WARN } else { INFO };
    let mut attributes = vec![text("log.record.uid", &item.uuid.to_string())];
    if let Some(node) = item.node {
        attributes.push(text("chancery.node", &node.to_string()));
    }
    if let Some(sequence) = item.sequence() {
        attributes.push(json!({"key": "chancery.sequence", "value": {"intValue": sequence.to_string()}}));
    }
    json!({
        "timeUnixNano": nanoseconds(item.at_ms),
        "observedTimeUnixNano": nanoseconds(now_ms),
        "severityNumber": severity,
        "severityText": word,
        "eventName": item.kind(),
        "body": {"stringValue": item.line},
        "attributes": attributes,
    })
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn nanoseconds(ms: i64) -> String {
    ms.max(0).saturating_mul(NS_OF_MS).to_string()
}

/// What a collector says that it did not take, although it answers 200: how many, and why.
pub(super) fn rejected(answer: &[u8]) -> Option<(u64, String)> {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Answer {
        partial_success: Option<Partial>,
    }
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Partial {
        #[serde(deserialize_with = "number")]
        rejected_log_records: u64,
        error_message: String,
    }
    let Answer { partial_success } = serde_json::from_slice(answer).ok()?;
    let Partial { rejected_log_records, error_message } = partial_success?;
    (rejected_log_records > 0).then_some((rejected_log_records, error_message))
}

/// A number of 64 bits: a text, or a number.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_collector_rejects_is_found() {
        let found = |text: &str| rejected(text.as_bytes());
        let some = Some((3, "why".to_owned()));
        assert_eq!(found(r#"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"why"}}"#), some);
        assert_eq!(found(r#"{"partialSuccess":{"rejectedLogRecords":3,"errorMessage":"why"}}"#), some);
        for nothing in ["", "{}", "[]", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":{"errorMessage":"slow"}}"#] {
            assert_eq!(found(nothing), None, "{nothing}");
        }
    }
}
