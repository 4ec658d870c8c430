//! What a change changed: each member that is another one, as it was and as it is.

use std::sync::{Arc, OnceLock};

use chancery_types::{HashType, wire::reports::AccessEffect};
use chancery_verify::hexadecimal;
use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::recorded_effect;
use crate::{Error, Limits, Result};

/// Bytes of one value, as JSON, that a record repeats; of a longer one it has the hash.
const VALUE_MAX: usize = 1_024;

/// What a work finds out about what it changes, for its record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(Arc<Found>);

#[derive(Debug, Default)]
struct Found {
    object: OnceLock<Uuid>,
    members: OnceLock<Map<String, Value>>,
}

impl Told {
    /// The object was this, and is that: as bodies of the interface, which hold no secrets.
    pub(crate) fn changed(&self, before: &impl Serialize, after: &impl Serialize, limits: &Limits) -> Result<()> {
        self.set(difference(before, after, limits)?)
    }

    /// The same, and more that its work has found out.
    pub(crate) fn changed_and<const N: usize>(
        &self,
        before: &impl Serialize,
        after: &impl Serialize,
        limits: &Limits,
        more: [(&str, Value); N],
    ) -> Result<()> {
        let mut members = difference(before, after, limits)?;
        members.extend(more.into_iter().map(|(name, value)| (name.to_owned(), value)));
        self.set(members)
    }

    /// The same, and who gains and loses what by it, where anybody does.
    pub(crate) fn changed_for(
        &self,
        before: &impl Serialize,
        after: &impl Serialize,
        limits: &Limits,
        effect: &AccessEffect,
    ) -> Result<()> {
        let mut members = difference(before, after, limits)?;
        members.extend(recorded_effect(effect)?.map(|effect| ("effect".to_owned(), effect)));
        self.set(members)
    }

    /// More members of the detail, such as the object's name.
    pub(crate) fn members<const N: usize>(&self, members: [(&str, Value); N]) -> Result<()> {
        self.set(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Which object it is, where its work gives it its id.
    pub(crate) fn object(&self, object: impl Into<Uuid>) -> Result<()> {
        self.0.object.set(object.into()).map_err(|_| Error::internal("a work told twice of which object it is"))
    }

    fn set(&self, members: Map<String, Value>) -> Result<()> {
        self.0.members.set(members).map_err(|_| Error::internal("a work told twice what it changed"))
    }

    /// The object that was told.
    pub(super) fn told_object(&self) -> Option<Uuid> {
        self.0.object.get().copied()
    }

    /// The detail of a record with what was told.
    pub(super) fn add_to(&self, detail: &str) -> Result<String> {
        let Some(told) = self.0.members.get() else { return Ok(detail.to_owned()) };
        let detail = serde_json::from_str(detail).map_err(Error::internal)?;
        Ok(with(detail, told.clone()).to_string())
    }
}

/// A detail and more members of it.
pub(super) fn with(detail: Value, told: Map<String, Value>) -> Value {
    let mut members = match detail {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    members.extend(told);
    Value::Object(members)
}

/// `{"name": …, "changes": [{"member": …, "before": …, "after": …}]}`, and how many of them were left out.
pub(super) fn difference(
    before: &impl Serialize,
    after: &impl Serialize,
    limits: &Limits,
) -> Result<Map<String, Value>> {
    let value = |body: Result<Value, serde_json::Error>| body.map_err(Error::internal);
    let (before, after) = (value(serde_json::to_value(before))?, value(serde_json::to_value(after))?);
    let mut changes = Changes { members: Vec::new(), bytes: 0, bytes_max: limits.lists.audit_changes_max, left_out: 0 };
    changes.compare("", Some(&before), Some(&after));
    let name = [&before, &after].into_iter().find_map(|body| body["objInfo"]["name"].as_str());
    let mut told = Map::new();
    if let Some(name) = name {
        told.insert("name".to_owned(), json!(name));
    }
    told.insert("changes".to_owned(), Value::Array(changes.members));
    if changes.left_out > 0 {
        told.insert("changesLeftOut".to_owned(), json!(changes.left_out));
    }
    Ok(told)
}

struct Changes {
    members: Vec<Value>,
    bytes: usize,
    bytes_max: usize,
    left_out: usize,
}

impl Changes {
    fn compare(&mut self, member: &str, before: Option<&Value>, after: Option<&Value>) {
        match (before, after) {
            (before, after) if before == after => {}
            (Some(Value::Object(before)), Some(Value::Object(after))) => {
                let added = after.keys().filter(|name| !before.contains_key(*name));
                for name in before.keys().chain(added) {
                    self.compare(&format!("{member}/{}", escaped(name)), before.get(name), after.get(name));
                }
            }
            (Some(Value::Array(before)), Some(Value::Array(after))) => self.compare_lists(member, before, after),
            // Of what was made or deleted, too: a list that is told whole would soon be too long for its record.
            (Some(Value::Array(before)), None) if !before.is_empty() => self.compare_lists(member, before, &[]),
            (None, Some(Value::Array(after))) if !after.is_empty() => self.compare_lists(member, &[], after),
            (before, after) => self.push(member, before, after),
        }
    }

    /// Elements that are gone, by the place where they were, and new ones, by the place where they are. A list in another
    /// order is told whole.
    fn compare_lists(&mut self, member: &str, before: &[Value], after: &[Value]) {
        let gone = without(before, after);
        let new = without(after, before);
        if gone.is_empty() && new.is_empty() {
            let whole = |list: &[Value]| Value::Array(list.to_vec());
            return self.push(member, Some(&whole(before)), Some(&whole(after)));
        }
        let mut places: Vec<usize> = gone.iter().chain(&new).copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            let was = gone.contains(&place).then(|| &before[place]);
            let is = new.contains(&place).then(|| &after[place]);
            self.push(&format!("{member}/{place}"), was, is);
        }
    }

    fn push(&mut self, member: &str, before: Option<&Value>, after: Option<&Value>) {
        let mut change = Map::from_iter([("member".to_owned(), json!(member))]);
        for (name, value) in [("before", before), ("after", after)] {
            if let Some(value) = value {
                change.insert(name.to_owned(), shortened(value));
            }
        }
        let change = Value::Object(change);
        self.bytes += change.to_string().len();
        if self.bytes > self.bytes_max {
            self.left_out += 1;
        } else {
            self.members.push(change);
        }
    }
}

/// The places of elements that the other list has not, or not as often.
fn without(list: &[Value], other: &[Value]) -> Vec<usize> {
    let key = |(place, value): (usize, &Value)| (value.to_string(), place);
    let sorted = |list: &[Value]| {
        let mut keys: Vec<_> = list.iter().enumerate().map(key).collect();
        keys.sort_unstable();
        keys
    };
    let others = sorted(other);
    let mut rest = others.iter().map(|(text, _)| text).peekable();
    let mut missing = Vec::new();
    for (text, place) in &sorted(list) {
        while rest.next_if(|other| *other < text).is_some() {}
        if rest.next_if(|other| *other == text).is_none() {
            missing.push(*place);
        }
    }
    missing
}

/// A value, or where it is long its hash.
pub(crate) fn shortened(value: &Value) -> Value {
    let text = value.to_string();
    if text.len() <= VALUE_MAX {
        return value.clone();
    }
    let hash = chancery_keys::hash(HashType::Sha2_256, text.as_bytes());
    json!({"bytes": text.len(), "sha256": hexadecimal(hash.as_bytes())})
}

/// A name as a JSON pointer has it.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &Value, after: &Value) -> Value {
        Value::Object(difference(before, after, &Limits::default()).unwrap())
    }

    #[test]
    fn members_and_elements_that_differ_are_told_as_they_were_and_as_they_are() {
        let before = json!({
            "objInfo": {"name": "old"}, "same": [1], "rules": [{"r": "a"}, {"r": "b"}, {"r": "c"}], "gone": null, "a/b": 1,
        });
        let after = json!({
            "objInfo": {"name": "new"}, "same": [1], "rules": [{"r": "b"}, {"r": "c"}, {"r": "d"}], "a/b": 2, "added": {},
        });
        assert_eq!(
            told(&before, &after),
            json!({"name": "old", "changes": [
                {"member": "/a~1b", "before": 1, "after": 2},
                {"member": "/gone", "before": null},
                {"member": "/objInfo/name", "before": "old", "after": "new"},
                {"member": "/rules/0", "before": {"r": "a"}},
                {"member": "/rules/2", "after": {"r": "d"}},
                {"member": "/added", "after": {}},
            ]})
        );
        assert_eq!(
            told(&json!({"l": [1, 1, 2]}), &json!({"l": [1, 2, 3]})),
            json!({"changes": [{"member": "/l/1", "before": 1}, {"member": "/l/2", "after": 3}]})
        );
        assert_eq!(
            told(&json!({"l": [1, 1], "none": [], "o": {"l": [1]}}), &json!({"m": [2]})),
            json!({"changes": [
                {"member": "/l/0", "before": 1}, {"member": "/l/1", "before": 1}, {"member": "/none", "before": []},
                {"member": "/o", "before": {"l": [1]}}, {"member": "/m/0", "after": 2},
            ]})
        );
        let turned = told(&json!({"l": [1, 2]}), &json!({"l": [2, 1]}));
        assert_eq!(turned, json!({"changes": [{"member": "/l", "before": [1, 2], "after": [2, 1]}]}));
    }

    #[test]
    fn a_record_stays_small_whatever_changes() {
        let long = told(&json!({"x": "a"}), &json!({"x": "b".repeat(2_000)}));
        assert_eq!(long["changes"][0]["after"]["bytes"], 2_002);
        let many: Vec<_> = (0..5_000).map(|n| json!({"role": n})).collect();
        let told = told(&json!({"rules": []}), &json!({"rules": many}));
        assert!(told.to_string().len() < 20_000);
        let (kept, left_out) = (told["changes"].as_array().unwrap().len(), told["changesLeftOut"].as_u64().unwrap());
        assert_eq!(kept as u64 + left_out, 5_000);
    }
}
