//! The examples of the OpenAPI document: of each operation one call of docs/INTERFACE.md, as it was sent and answered. The file
//! is compared with what the server answers by its shape, since ids, moments and keys are others each time.

use std::{collections::BTreeMap, env, fs};

use chancery_testkit::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::is_at;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/openapi/examples.json");

/// Writes what has changed its shape, instead of complaining.
const WRITE: &str = "CHANCERY_WRITE_EXAMPLES";

/// Where the document itself is.
const DOCUMENT: &str = "/openapi.json";

/// Characters of an answer's text, and items of its lists, at most: an example is to be read.
const TEXT_MAX: usize = 200;
const ITEMS_MAX: usize = 2;

#[derive(Clone, Default, Serialize, Deserialize)]
struct Call {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
}

/// The calls so far, by method and path.
pub(super) struct Recorded {
    calls: BTreeMap<String, Call>,
    /// Those of the document, those with fewer parameters first.
    operations: Vec<(String, String)>,
}

impl Recorded {
    pub(super) fn new() -> Self {
        let document = serde_json::to_value(chancery_server::openapi()).unwrap();
        let paths = document["paths"].as_object().unwrap();
        let mut operations: Vec<_> = paths
            .iter()
            .flat_map(|(path, item)| item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone())))
            .collect();
        operations.sort_by_key(|(_, path)| path.matches('{').count());
        Self { calls: BTreeMap::new(), operations }
    }

    /// A call that succeeded. Of several calls of an operation the one counts that says the most.
    pub(super) fn add(&mut self, method: &str, path: &str, request: &str, answer: &Value) {
        let mut operations = self.operations.iter();
        let operation = operations.find(|(its, template)| its.eq_ignore_ascii_case(method) && is_at(path, template));
        // Pages of the console are no operations; and the document is not its own example.
        let Some((its, template)) = operation.filter(|(_, template)| template != DOCUMENT) else { return };
        let answer = (!answer.is_null()).then(|| readable(answer));
        let call = Call { request: serde_json::from_str(request).ok(), answer };
        let known = self.calls.entry(format!("{its} {template}")).or_default();
        if known.answer.is_none() && known.request.is_none() || call.says() > known.says() {
            *known = call;
        }
    }

    /// Compares all of them with the file.
    pub(super) fn end(self) {
        let kept: BTreeMap<String, Call> = serde_json::from_str(&fs::read_to_string(FILE).unwrap()).unwrap();
        let is_alike = |name: &str, call: &Call| {
            kept.get(name).is_some_and(|kept| {
                same_shape(kept.request.as_ref(), call.request.as_ref())
                    && same_shape(kept.answer.as_ref(), call.answer.as_ref())
            })
        };
        let others: Vec<_> =
            self.calls.iter().filter(|(name, call)| !is_alike(name, call)).map(|(name, _)| name).collect();
        let gone: Vec<_> = kept.keys().filter(|name| !self.calls.contains_key(*name)).collect();
        if env::var_os(WRITE).is_none() {
            let says = format!("{FILE}: run the test with {WRITE}=1, then `cargo xtask openapi`");
            assert!(others.is_empty() && gone.is_empty(), "{others:?}, {gone:?} {says}");
            return;
        }
        let written: BTreeMap<_, _> = self
            .calls
            .iter()
            .map(|(name, call)| (name, if is_alike(name, call) { &kept[name] } else { call }))
            .collect();
        fs::write(FILE, serde_json::to_string_pretty(&written).unwrap() + "\n").unwrap();
    }
}

impl Call {
    /// How many members it has. Those of an inclusion proof do not count: whether it is there already is a matter of
    /// moments, and would make another call the example from time to time.
    fn says(&self) -> usize {
        fn count(value: &Value) -> usize {
            match value {
                Value::Object(members) => {
                    let of_member =
                        |(name, value): (&String, _)| if name == "inclusionProof" { 0 } else { 1 + count(value) };
                    members.iter().map(of_member).sum()
                }
                Value::Array(items) => items.first().map_or(0, count),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
            }
        }
        self.request.as_ref().map_or_else(|| self.answer.as_ref().map_or(0, count), count)
    }
}

/// An answer with the first items of its lists, and the beginnings of its texts.
fn readable(value: &Value) -> Value {
    match value {
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), readable(value))).collect(),
        Value::Array(items) => items.iter().take(ITEMS_MAX).map(readable).collect(),
        Value::String(text) if text.chars().count() > TEXT_MAX => {
            Value::String(text.chars().take(TEXT_MAX).chain(['…']).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Whether both have the same members. What is not known yet, or none of a list, is like anything.
fn same_shape(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            one.len() == other.len() && one.iter().all(|(name, value)| same_shape(Some(value), other.get(name)))
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            one.iter().zip(other).all(|(one, other)| same_shape(Some(one), Some(other)))
        }
        (Some(Value::Null), Some(_)) | (Some(_), Some(Value::Null)) => true,
        (Some(one), Some(other)) => std::mem::discriminant(one) == std::mem::discriminant(other),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

#[test]
fn every_body_of_the_document_has_an_example() {
    let document = serde_json::to_value(chancery_server::openapi()).unwrap();
    let mut missing = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap().iter().filter(|(path, _)| *path != DOCUMENT) {
        for (method, operation) in item.as_object().unwrap() {
            for body in [&operation["requestBody"], &operation["responses"]["200"]] {
                let content = &body["content"]["application/json"];
                if content.is_object() && content["example"].is_null() {
                    missing.push(format!("{method} {path}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no example: {missing:#?}");
}

#[test]
fn the_examples_are_as_their_schemas_say() {
    let program = r##"
import json, sys, jsonschema_rs
document = json.load(sys.stdin)
checked, faults = 0, []
for path, item in document["paths"].items():
    for method, operation in item.items():
        for body in [operation.get("requestBody", {}), operation["responses"].get("200", {})]:
            content = body.get("content", {}).get("application/json", {})
            if "example" not in content:
                continue
            schema = {**content["schema"], "components": document["components"]}
            errors = jsonschema_rs.Draft202012Validator(schema).iter_errors(content["example"])
            faults += [f"{method} {path}: {error}" for error in errors]
            checked += 1
print(checked if not faults else "\n".join(faults))
"##;
    let document = serde_json::to_string(&chancery_server::openapi()).unwrap();
    let said = Tool::new("python").args(["-c", program]).input(document).run().text();
    assert!(said.trim().parse::<usize>().is_ok_and(|checked| checked > 150), "{said}");
}
