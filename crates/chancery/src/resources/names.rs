//! Names for uuids, and uuids for names.

use std::{cell::RefCell, collections::HashMap};

use chancery_client::escaped;
use chancery_types::ObjectId;
use serde_json::Value;

use super::{List, Resource, find, show};
use crate::{
    client::{
        connection::{Answer, Connection},
        exit::{Exit, told_with},
    },
    failure::Failure,
    shown::ShownName,
};

/// Candidates that a refusal names.
const CANDIDATES_MAX: usize = 10;

/// Members that hold the uuids of others, and of which kind.
const REFERENCES: [(&str, &str); 29] = [
    ("roleUuid", "role"),
    ("roleUuids", "role"),
    ("nextRoleUuids", "role"),
    ("submitterRoleUuids", "role"),
    ("keyUuid", "key"),
    ("keyTypeUuid", "key-type"),
    ("keyTypeUuids", "key-type"),
    ("certProfileUuid", "cert-profile"),
    ("serviceUuid", "service"),
    ("serviceUuids", "service"),
    ("policyUuid", "policy"),
    ("policyUuids", "policy"),
    ("signingPolicyUuid", "policy"),
    ("preApprovalUuid", "proposal"),
    ("grantUuid", "proposal"),
    ("repeatsUuid", "request"),
    ("requestUuid", "request"),
    ("targetUuid", "notice-target"),
    ("issuerUuid", "cert"),
    ("authorityUuid", "cert"),
    ("certificateUuid", "cert"),
    ("previousCertificateUuid", "cert"),
    ("submitterUuid", "identity"),
    ("identityUuid", "identity"),
    ("providerUuid", "identity-provider"),
    ("bindingUuid", "identity-binding"),
    ("tweakDomain", "profile"),
    ("tokenProfileUuid", "profile"),
    ("tokenProfileUuids", "profile"),
];

/// What is counted in the audit, by token profiles; their records have no names.
const OF_TOKEN_PROFILES: [&str; 10] = [
    "Tokenize",
    "Detokenize",
    "PartialDetokenize",
    "BatchTokenize",
    "BatchDetokenize",
    "TrackTokenize",
    "TrackDetokenize",
    "Rewrap",
    "TokenRead",
    "TokenizedRead",
];

/// The kinds of what notices are about that have a name of their own, as lists have them.
const OF_NOTICES: [(&str, &str); 6] = [
    ("Certificate", "cert"),
    ("Identity", "identity"),
    ("Proposal", "proposal"),
    ("SigningPolicy", "policy"),
    ("SigningRequest", "request"),
    ("TokenProfile", "profile"),
];

/// Names that are asked for one by one, at most: a pre-approval has up to 10,000 requests.
const LOOKUPS_MAX: usize = 100;

/// Lists are read once for each command.
pub(crate) struct Names<'a> {
    connection: &'a Connection,
    known: RefCell<HashMap<&'static str, HashMap<String, String>>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self { connection, known: RefCell::default() }
    }

    /// A value as it is shown: where its member refers to others, with their names.
    pub(crate) fn beside(&self, member: &str, value: &Value) -> String {
        let last = member.rsplit(['.', ']']).find(|part| !part.is_empty()).unwrap_or(member);
        let last = last.split('[').next().unwrap_or(last);
        let Some((_, kind)) = REFERENCES.iter().find(|(name, _)| *name == last) else { return show::text(value) };
        let one = |value: &Value| {
            let uuid = show::text(value);
            match self.name_of(kind, &uuid) {
                Some(name) => format!("{} ({uuid})", ShownName(&name)),
                None => uuid,
            }
        };
        match value {
            Value::Array(items) => items.iter().map(one).collect::<Vec<_>>().join(", "),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => one(value),
        }
    }

    /// The name alone, for a column.
    pub(crate) fn short(&self, member: &str, uuid: &str) -> Option<String> {
        let (_, kind) = REFERENCES.iter().find(|(name, _)| *name == member)?;
        self.name_of(kind, uuid).map(|name| ShownName(&name).to_string())
    }

    /// What a record of the audit is about: the name that it had then, where the record has one. Of a notice the name that
    /// it has now.
    pub(crate) fn object_of_record(&self, record: &Value) -> String {
        let Some(uuid) = record["objectUuid"].as_str() else { return show::text(&Value::Null) };
        if let Some(kind) = record["objectKind"].as_str() {
            let name = OF_NOTICES.iter().find(|(of, _)| *of == kind).and_then(|(_, kind)| self.name_of(kind, uuid));
            return name.map_or_else(|| uuid.to_owned(), |name| format!("{} ({uuid})", ShownName(&name)));
        }
        let told = [&record["detail"]["name"], &record["detail"]["subject"]].into_iter().find_map(Value::as_str);
        let name = match record["action"].as_str().unwrap_or_default() {
            // Its name in the detail is the policy's.
            "SigningPolicyCreate" => self.name_of("service", uuid),
            action if OF_TOKEN_PROFILES.contains(&action) => self.name_of("profile", uuid),
            "Login" => record["identities"][0]["name"].as_str().map(str::to_owned),
            _ => told.map(str::to_owned),
        };
        name.map_or_else(|| uuid.to_owned(), |name| format!("{} ({uuid})", ShownName(&name)))
    }

    /// A name, where it can be had: who may not read the list sees the uuid alone.
    pub(crate) fn name_of(&self, kind: &str, uuid: &str) -> Option<String> {
        if uuid.parse::<ObjectId>().is_err() {
            return None;
        }
        let resource = find(kind)?;
        if resource.is_endless {
            return self.name_of_one(resource, uuid);
        }
        let mut known = self.known.borrow_mut();
        let names = known.entry(resource.name).or_insert_with(|| {
            let listed = resource.list.map(|list| self.all(&list, None, None));
            let found = listed.and_then(Result::ok).unwrap_or_default();
            found.iter().map(|item| (uuid_in(item), name_in(item))).collect()
        });
        names.get(uuid).cloned()
    }

    /// Where lists may have millions: each by itself.
    fn name_of_one(&self, resource: &'static Resource, uuid: &str) -> Option<String> {
        let mut known = self.known.borrow_mut();
        let names = known.entry(resource.name).or_default();
        if !names.contains_key(uuid) {
            if names.len() >= LOOKUPS_MAX {
                return None;
            }
            let item = self.connection.get(&resource.item?.replace("{}", uuid)).ok()?;
            names.insert(uuid.to_owned(), name_in(&item));
        }
        names.get(uuid).cloned()
    }

    /// The uuid of what is called so: a uuid as it is, or the one object of exactly this name.
    pub(crate) fn resolve(&self, resource: &Resource, text: &str) -> Result<String, Failure> {
        self.resolve_among(resource, None, text)
    }

    /// The same, where of several only those count that a query's member and value let through, such as what still waits.
    pub(crate) fn resolve_among(
        &self,
        resource: &Resource,
        among: Option<(&str, &str)>,
        text: &str,
    ) -> Result<String, Failure> {
        if text.parse::<ObjectId>().is_ok() {
            return Ok(text.to_ascii_lowercase());
        }
        let Some(list) = resource.list else {
            let message = format!("{text}: {} is told by its uuid", resource.one);
            return Err(told_with(Exit::Usage, message, "A list has it."));
        };
        let mut found = self.all(&list, Some(text), among)?;
        if among.is_some() && called(&found, text).is_empty() {
            // The server says why it cannot be done with another one.
            found = self.all(&list, Some(text), None)?;
        }
        match called(&found, text).as_slice() {
            [one] => Ok(uuid_in(one)),
            [] => Err(self.no_such(resource, text, &found)),
            several => {
                // What is done to only some of them is done to the one that is meant.
                if let Some(current) = current(several).filter(|_| among.is_none()) {
                    return Ok(uuid_in(current));
                }
                let message = format!("{text}: there are {} of this name", several.len());
                Err(told_with(Exit::Usage, message, format!("Say which, by its uuid:{}", candidates(several))))
            }
        }
    }

    /// The one authority whose key is kept here, where nobody named one.
    pub(crate) fn only_issuer(&self, flag: &str) -> Result<String, Failure> {
        let Some((resource, list)) = find("ca").and_then(|resource| Some((resource, resource.list?))) else {
            return Err("there are no objects of the kind ca".into());
        };
        let mut issuers = Vec::new();
        for item in self.all(&list, None, None)? {
            let path = resource.item.map(|path| path.replace("{}", &uuid_in(&item))).unwrap_or_default();
            if self.connection.get(&path)?["keyUuid"].is_string() {
                issuers.push(item);
            }
        }
        match issuers.iter().collect::<Vec<_>>().as_slice() {
            [one] => Ok(uuid_in(one)),
            [] => Err(told_with(Exit::Usage, "there is no authority whose key is kept here", "chancery ca list")),
            several => {
                let message = format!("--{flag} NAME is needed: there are {} authorities", several.len());
                Err(told_with(Exit::Usage, message, format!("Say which, by its name or uuid:{}", candidates(several))))
            }
        }
    }

    fn no_such(&self, resource: &Resource, text: &str, similar: &[Value]) -> Failure {
        let message =
            format!("{text}: there is no such {}", resource.one.trim_start_matches("a ").trim_start_matches("an "));
        let similar: Vec<_> = similar.iter().collect();
        let next = if similar.is_empty() {
            format!("chancery {} list shows those that you may see.", resource.name)
        } else {
            format!("Did you mean one of these?{}", candidates(&similar))
        };
        told_with(Exit::Usage, message, next)
    }

    /// All of a list, page by page.
    fn all(&self, list: &List, search: Option<&str>, among: Option<(&str, &str)>) -> Result<Vec<Value>, Failure> {
        let mut found = Vec::new();
        let mut after = None;
        loop {
            let mut query = Vec::new();
            query.extend(list.search.zip(search).map(|(member, text)| (member.to_owned(), text.to_owned())));
            query.extend(among.map(|(member, value)| (member.to_owned(), value.to_owned())));
            query.extend(after.take().map(|after| ("after".to_owned(), after)));
            let answer = read_page(self.connection, list, &query)?;
            found.extend(list.items_of(&answer.response));
            match answer.response["next"].as_str() {
                Some(next) => after = Some(next.to_owned()),
                None => return Ok(found),
            }
        }
    }
}

/// One page of a list: by the query of a GET, or by the body of a POST.
pub(crate) fn read_page(connection: &Connection, list: &List, query: &[(String, String)]) -> Result<Answer, Failure> {
    if list.method == "POST" {
        let member = |(name, value): &(String, String)| {
            let value = if name == "pageSize" {
                value.parse::<u64>().map_or(Value::Null, Value::from)
            } else {
                value.as_str().into()
            };
            (name.clone(), value)
        };
        let body: Value = Value::Object(query.iter().map(member).collect());
        return Ok(connection.call("POST", list.path, Some(&body))?);
    }
    let parts: Vec<_> = query.iter().map(|(name, value)| format!("{}={}", escaped(name), escaped(value))).collect();
    let path = if parts.is_empty() { list.path.to_owned() } else { format!("{}?{}", list.path, parts.join("&")) };
    Ok(connection.call("GET", &path, None)?)
}

/// Those of exactly this name, or where there are none, of this name in another letter case.
fn called<'v>(found: &'v [Value], text: &str) -> Vec<&'v Value> {
    let by = |matches: fn(&str, &str) -> bool| -> Vec<&Value> {
        found.iter().filter(|item| matches(&name_in(item), text) || matches(&longer_name(item), text)).collect()
    };
    let exact = by(|name, text| name == text);
    if exact.is_empty() { by(str::eq_ignore_ascii_case) } else { exact }
}

/// Of certificates of one name and one subject, the one that took the place of the others: the newest that is valid.
fn current<'v>(items: &[&'v Value]) -> Option<&'v Value> {
    let is_one_subject = items.iter().all(|item| item["subject"].is_string() && item["subject"] == items[0]["subject"]);
    let valid = items.iter().filter(|item| is_one_subject && item["status"] == "Valid");
    // Their ids are in the order in which they were made.
    valid.max_by_key(|item| (item["notBefore"].as_str().map(str::to_owned), uuid_in(item))).copied()
}

fn candidates(items: &[&Value]) -> String {
    let shown = items.iter().take(CANDIDATES_MAX);
    let told = |item: &Value| {
        let state = item["state"].as_str().or(item["status"].as_str()).map(|state| format!("  {state}"));
        let until = item["notAfter"].as_str().map(|until| format!(" until {until}"));
        state.unwrap_or_default() + &until.unwrap_or_default()
    };
    let lines = shown.map(|item| format!("\n    {}  {}{}", uuid_in(item), longer_name(item), told(item)));
    let more = items.len().saturating_sub(CANDIDATES_MAX);
    lines.collect::<String>() + &if more > 0 { format!("\n    and {more} more") } else { String::new() }
}

/// Every object has its name and uuid in `objInfo`.
pub(crate) fn name_in(item: &Value) -> String {
    item["objInfo"]["name"].as_str().unwrap_or_default().to_owned()
}

/// With what tells objects of one name apart: the service of a policy, the subject of a certificate.
fn longer_name(item: &Value) -> String {
    match (item["serviceName"].as_str(), item["subject"].as_str()) {
        (Some(service), _) => format!("{service}/{}", name_in(item)),
        (None, Some(subject)) => subject.to_owned(),
        (None, None) => name_in(item),
    }
}

pub(crate) fn uuid_in(item: &Value) -> String {
    item["objInfo"]["uuid"].as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one(uuid: &str, subject: &str, begin: &str, status: &str) -> Value {
        json!({"objInfo": {"name": "a", "uuid": uuid}, "subject": subject, "notBefore": begin, "status": status})
    }

    /// Members of the interface that refer to others without a name beside them, and why.
    const BARE: [(&str, &str); 3] = [
        ("objectUuid", "of whatever kind the record is about: object_of_record"),
        ("serviceOrIssuerUuid", "is sent and never answered"),
        ("sessionUuid", "sessions have no names"),
    ];

    #[test]
    fn what_refers_to_others_has_their_names() {
        fn collect(schema: &Value, found: &mut std::collections::BTreeSet<String>) {
            match schema {
                Value::Object(members) => {
                    let properties = members.get("properties").and_then(Value::as_object);
                    let names = properties.into_iter().flat_map(|properties| properties.keys());
                    found.extend(names.filter(|name| name.ends_with("Uuid") || name.ends_with("Uuids")).cloned());
                    members.values().for_each(|below| collect(below, found));
                }
                Value::Array(items) => items.iter().for_each(|below| collect(below, found)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let document: Value = serde_json::from_str(include_str!("../../../../docs/openapi.json")).unwrap();
        let mut members = std::collections::BTreeSet::new();
        collect(&document["components"]["schemas"], &mut members);
        let is_known = |name: &&String| {
            REFERENCES.iter().any(|(known, _)| known == name) || BARE.iter().any(|(bare, _)| bare == name)
        };
        assert_eq!(members.iter().filter(|name| !is_known(name)).collect::<Vec<_>>(), Vec::<&String>::new());
        assert!(members.contains("roleUuids") && BARE.iter().all(|(bare, _)| members.contains(*bare)), "{members:?}");
        assert!(REFERENCES.iter().all(|(_, kind)| find(kind).is_some()));
    }

    #[test]
    fn of_certificates_of_one_name_the_newest_valid_one_counts() {
        let all = [
            one("1", "CN=a", "2026-01-01T00:00:00Z", "Valid"),
            one("3", "CN=a", "2026-03-01T00:00:00Z", "Revoked"),
            one("2", "CN=a", "2026-02-01T00:00:00Z", "Valid"),
            one("4", "CN=a,O=Other", "2026-04-01T00:00:00Z", "Valid"),
        ];
        let of = |indexes: &[usize]| {
            let items: Vec<_> = indexes.iter().map(|index| &all[*index]).collect();
            current(&items).map(uuid_in)
        };
        assert_eq!(of(&[0, 1, 2]).as_deref(), Some("2"));
        assert_eq!(of(&[0, 1]).as_deref(), Some("1"));
        assert_eq!((of(&[1, 1]), of(&[0, 2, 3])), (None, None));
        let policies = [json!({"objInfo": {"uuid": "1"}}), json!({"objInfo": {"uuid": "2"}})];
        assert_eq!(current(&policies.iter().collect::<Vec<_>>()), None);
    }
}
