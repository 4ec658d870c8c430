//! Records as logs of OpenTelemetry: the body of an `ExportLogsServiceRequest` in the JSON encoding of OTLP (numbers of 64
//! bits are texts there), and what a collector answers.

use serde_json::{Map, Value, json};

use super::item::Item;
use crate::{
    Error, Result,
    outbound::{Posted, beginning},
};

/// Bytes of an answer that are read at least: one that says why it rejects something may be long.
pub(super) const ANSWER_MAX: usize = 64 * 1024;

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

/// Why a collector did not take all that it was sent, although it answers 200. Taken is what is answered by nothing at all, or
/// by an object of JSON that rejects none: a page to log in answers 200, too.
pub(super) fn not_taken(posted: &Posted) -> Option<String> {
    let shown = || beginning(&posted.body);
    if !posted.is_whole {
        return Some(format!("what it answered is not all there: {}", shown()));
    }
    if posted.body.is_empty() {
        return None;
    }
    let Ok(Value::Object(answer)) = serde_json::from_slice(&posted.body) else {
        return Some(format!("what it answered is none of OTLP in JSON: {}", shown()));
    };
    ["partialSuccess", "partial_success"].iter().filter_map(|name| answer.get(*name)).find_map(
        |partial| match partial {
            Value::Null => None,
            Value::Object(partial) => rejected(partial),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Some(format!("what it answered is none of OTLP: {}", shown()))
            }
        },
    )
}

/// How many it rejected, and why.
fn rejected(partial: &Map<String, Value>) -> Option<String> {
    let member = |names: [&'static str; 2]| names.into_iter().filter_map(move |name| partial.get(name));
    let count = member(["rejectedLogRecords", "rejected_log_records"]).find(|count| !is_none(count))?;
    let count = count.as_str().map_or_else(|| count.to_string(), str::to_owned);
    let why = member(["errorMessage", "error_message"]).find_map(Value::as_str).unwrap_or("it does not say why");
    Some(format!("{count} records were rejected: {why}"))
}

/// A number of 64 bits is a text or a number.
fn is_none(count: &Value) -> bool {
    match count {
        Value::Null => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text == "0",
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        not_taken(&Posted { status: 200, body: text.as_bytes().to_vec(), is_whole: true })
    }

    #[test]
    fn what_a_collector_rejects_is_found() {
        let why = Some("3 records were rejected: why".to_owned());
        for answer in [
            r#"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"why"}}"#,
            r#"{"partialSuccess":{"rejectedLogRecords":3,"errorMessage":"why"}}"#,
            r#"{"partial_success":{"rejected_log_records":"3","error_message":"why"}}"#,
            r#"{"partialSuccess":null,"partial_success":{"rejectedLogRecords":0,"rejected_log_records":3,"errorMessage":"why"}}"#,
        ] {
            assert_eq!(found(answer), why, "{answer}");
        }
        for (answer, count) in [
            (r#"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":null}}"#, "3"),
            (r#"{"partialSuccess":{"rejectedLogRecords":3.0}}"#, "3.0"),
            (r#"{"partialSuccess":{"rejectedLogRecords":"many","errorMessage":7}}"#, "many"),
            (r#"{"partialSuccess":{"rejectedLogRecords":-1}}"#, "-1"),
            (r#"{"partialSuccess":{"rejectedLogRecords":true}}"#, "true"),
        ] {
            let why = format!("{count} records were rejected: it does not say why");
            assert_eq!(found(answer), Some(why), "{answer}");
        }
        let long = "x".repeat(5_000);
        let answer = format!(r#"{{"partialSuccess":{{"errorMessage":"{long}","rejectedLogRecords":"3"}}}}"#);
        assert_eq!(found(&answer), Some(format!("3 records were rejected: {long}")));
    }

    #[test]
    fn what_is_no_answer_of_otlp_takes_nothing() {
        for answer in ["<html>sign in</html>", "[]", "null", "7", "\n\u{3}", " ", r#"{"partialSuccess":"#] {
            assert_eq!(found(answer), Some(format!("what it answered is none of OTLP in JSON: {answer}")));
        }
        for answer in [r#"{"partialSuccess":7}"#, r#"{"partial_success":[]}"#] {
            assert_eq!(found(answer), Some(format!("what it answered is none of OTLP: {answer}")));
        }
        for body in ["", "{}"] {
            let cut = Posted { status: 200, body: body.as_bytes().to_vec(), is_whole: false };
            assert_eq!(not_taken(&cut), Some(format!("what it answered is not all there: {body}")));
        }
    }

    #[test]
    fn what_rejects_none_is_taken() {
        for none in ["0", "\"0\"", "0.0", "null"] {
            let answer = format!(r#"{{"partialSuccess":{{"rejectedLogRecords":{none},"errorMessage":"slow"}}}}"#);
            assert_eq!(found(&answer), None, "{answer}");
        }
        for answer in ["", "{}", r#"{"partialSuccess":{}}"#, r#"{"partialSuccess":null}"#, r#"{"partial_success":{}}"#]
        {
            assert_eq!(found(answer), None, "{answer}");
        }
    }
}
