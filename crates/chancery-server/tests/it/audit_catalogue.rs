//! docs/AUDIT.md against the records that the tests leave: its tables list every action once, and no record has a member
//! or an object that they do not list. Every test on SQLite is checked when its installation is dropped, and the examples
//! of docs/INTERFACE.md through the interface.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::LazyLock,
};

use chancery_types::Action;
use serde_json::{Value, json};

use crate::template;

const DOCUMENT: &str = include_str!("../../../../docs/AUDIT.md");

/// Each record of a store once: its object as a truth value, and of its detail the members, each with its JSON type.
const RECORDS: &str = "SELECT DISTINCT json_object('action', action, 'outcome', outcome, \
    'object', json(CASE WHEN object IS NULL THEN 'false' ELSE 'true' END), \
    'members', json((SELECT json_group_object(key, type) FROM json_each(detail) WHERE key IS NOT NULL))) FROM audit";

static LISTED: LazyLock<BTreeMap<Action, Listed>> = LazyLock::new(|| listed(DOCUMENT).into_iter().collect());

/// Whether something is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Never,
    Sometimes,
    Always,
}

/// A line of the tables.
#[derive(Debug)]
struct Listed {
    object: Presence,
    /// With `Sometimes`: absent or null in some records.
    members: BTreeMap<&'static str, Presence>,
}

/// The lines that begin with an action: `` | `Action` | when | object | detail | who | ``. An object or a member with a
/// question mark is there sometimes.
fn listed(document: &'static str) -> Vec<(Action, Listed)> {
    let rows = document.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let ["", action, _, object, members, _, ""] = cells[..] else { panic!("not five cells: {row}") };
        let action = action.trim_matches('`').parse().unwrap_or_else(|_| panic!("no action: {row}"));
        let object = match object {
            "—" => Presence::Never,
            object if object.ends_with('?') => Presence::Sometimes,
            _ => Presence::Always,
        };
        let members = members.split(", ").filter(|member| *member != "—").map(|member| {
            let name = member.strip_prefix('`').and_then(|member| member.split_once('`'));
            match name {
                Some((name, "")) => (name, Presence::Always),
                Some((name, "?")) => (name, Presence::Sometimes),
                Some(_) | None => panic!("not a member of a detail: {member}: {row}"),
            }
        });
        (action, Listed { object, members: members.collect() })
    })
    .collect()
}

/// What a refusal may say.
const OF_REFUSALS: [&str; 7] = ["nameHash", "apiKey", "providerUuid", "subjectHash", "certificate", "way", "why"];

/// What of a record is not as listed: `members` has each member of its detail, with the type `null` where it is null.
fn fault(action: Action, outcome: &str, has_object: bool, members: &BTreeMap<String, String>) -> Option<String> {
    let Listed { object, members: listed } = &LISTED[&action];
    if let Some(unknown) = members.keys().find(|name| !listed.contains_key(name.as_str())) {
        return Some(format!("the member {unknown} is not listed"));
    }
    let is_counted = ["session", "values"].iter().all(|name| listed.get(name) == Some(&Presence::Always));
    if outcome != "Success" && !is_counted {
        let told = members.keys().find(|name| !OF_REFUSALS.contains(&name.as_str()));
        return told.map(|name| format!("a refusal says nothing more, and this one has {name}"));
    }
    let missing = listed.iter().find(|(name, presence)| {
        **presence == Presence::Always && members.get(**name).is_none_or(|kind| kind == "null")
    });
    match (missing, object, has_object) {
        (Some((name, _)), _, _) => Some(format!("the member {name} is missing or null, and not marked with ?")),
        (None, Presence::Never, true) => Some("it has an object, and none is listed".to_owned()),
        (None, Presence::Always, false) => Some("it has no object, and one is listed".to_owned()),
        (None, ..) => None,
    }
}

fn faults(records: impl IntoIterator<Item = Value>) -> BTreeSet<String> {
    let fault = |record: Value| {
        let action = record["action"].as_str().unwrap().parse().unwrap();
        let members = serde_json::from_value(record["members"].clone()).unwrap();
        let fault = fault(action, record["outcome"].as_str().unwrap(), record["object"].as_bool().unwrap(), &members)?;
        Some(format!("{action}: {fault}: {record}"))
    };
    records.into_iter().filter_map(fault).collect()
}

/// Fails where a record of the interface is not as docs/AUDIT.md says.
pub(crate) fn check(records: &[Value]) {
    let records = records.iter().map(|record| {
        let kind = |value: &Value| if value.is_null() { "null" } else { "some" };
        let members = record["detail"].as_object().into_iter().flatten();
        let members: BTreeMap<_, _> = members.map(|(name, value)| (name, kind(value))).collect();
        let object = record.get("objectUuid").is_some();
        json!({"action": record["action"], "outcome": record["outcome"], "object": object, "members": members})
    });
    let faults = faults(records);
    assert!(faults.is_empty(), "docs/AUDIT.md does not list what was recorded: {faults:#?}");
}

/// Fails where a record of a SQLite file is not as docs/AUDIT.md says.
pub(crate) fn check_file(store: &Path) {
    let records = template::sqlite(store).arg(RECORDS).run().text();
    let faults = faults(records.lines().map(|line| serde_json::from_str(line).unwrap()));
    assert!(faults.is_empty(), "docs/AUDIT.md does not list what was recorded: {faults:#?}");
}

#[test]
fn every_action_is_listed_once() {
    let mut actions: Vec<_> = listed(DOCUMENT).into_iter().map(|(action, _)| action).collect();
    actions.sort_unstable();
    assert_eq!(actions, Action::ALL);
}

#[test]
fn what_is_not_as_listed_is_found() {
    let of = |action, outcome, has_object, members: &[(&str, &str)]| {
        let owned = |(name, kind): &(&str, &str)| ((*name).to_owned(), (*kind).to_owned());
        fault(action, outcome, has_object, &members.iter().map(owned).collect()).unwrap_or_default()
    };
    let rotated = [("name", "text"), ("version", "integer")];
    assert_eq!(of(Action::KeyRotate, "Success", true, &rotated), "");
    assert_eq!(of(Action::KeyRotate, "NotAuthorized", true, &[]), "");
    assert!(of(Action::KeyRotate, "Success", false, &rotated).contains("no object"));
    assert!(of(Action::KeyRotate, "Success", true, &rotated[..1]).contains("version"));
    assert!(of(Action::KeyRotate, "Success", true, &[("name", "null"), rotated[1]]).contains("name"));
    assert!(of(Action::KeyRotate, "Success", true, &[rotated[0], rotated[1], ("secret", "text")]).contains("secret"));
    assert!(of(Action::KeyRotate, "NotAuthorized", true, &rotated).contains("refusal"));
    assert!(of(Action::Backup, "Success", true, &[("file", "text")]).contains("has an object"));
    assert!(of(Action::Tokenize, "NotAuthorized", true, &[]).contains("session"));
}
