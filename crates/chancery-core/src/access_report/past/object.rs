//! One role, identity or token profile, by those members alone that rights follow from, and its changes undone.

use std::collections::BTreeMap;

use chancery_types::wire::token_profiles::ControlRule;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::context::record::shortened;

/// Members of records.
pub(super) const NAME: &str = "/objInfo/name";
pub(super) const LOGINS: &str = "/loginsRequired";
pub(super) const KIND: &str = "/kind";
pub(super) const LOCKED: &str = "/locked";

/// What rights follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Role,
    Identity,
    Profile,
}

/// An object, as bodies of the interface have it.
#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) plain: BTreeMap<&'static str, Value>,
    /// Its permissions, roles or rules. One that was too long for a record stands here by its hash: the record that added it
    /// has the same.
    pub(super) list: Vec<Value>,
}

/// Elements of a list, with the places where they are.
type Elements = Vec<(usize, Value)>;

impl Kind {
    /// The member that is a list.
    const fn list(self) -> &'static str {
        match self {
            Self::Role => "/perms",
            Self::Identity => "/roleUuids",
            Self::Profile => "/controlRules",
        }
    }

    /// All others.
    const fn plain(self) -> &'static [&'static str] {
        match self {
            Self::Role => &[NAME, LOGINS],
            Self::Identity => &[NAME, KIND, LOCKED],
            Self::Profile => &[NAME],
        }
    }

    /// An element of the list as this release writes it: the same may be written in another way by an older one.
    fn element(self, value: &Value) -> Value {
        let rule: Option<ControlRule> = (self == Self::Profile).then(|| read(Some(value))).flatten();
        rule.and_then(|rule| serde_json::to_value(rule).ok()).unwrap_or_else(|| value.clone())
    }

    /// The elements on one side of a change: one, or all of a list that an older release told whole.
    fn elements(self, side: Option<&Value>, place: usize) -> Elements {
        match side {
            None => Vec::new(),
            Some(Value::Array(all)) => all.iter().map(|one| self.element(one)).enumerate().collect(),
            Some(one) => vec![(place, self.element(one))],
        }
    }
}

impl Object {
    /// Gives back what these changes say was before; whether it is what they say it was afterwards.
    pub(super) fn change_back(&mut self, kind: Kind, changes: &[Value]) -> bool {
        let mut fits = true;
        let (mut gone, mut new) = (Elements::new(), Elements::new());
        for change in changes {
            let (before, after) = (change.get("before"), change.get("after"));
            let Some(member) = change["member"].as_str() else { return false };
            if let Some(plain) = kind.plain().iter().find(|plain| **plain == member) {
                fits &= self.plain.get(plain).map(shortened).as_ref() == after;
                match before {
                    Some(value) => self.plain.insert(plain, value.clone()),
                    None => self.plain.remove(plain),
                };
            } else if member == "/objInfo" {
                // Of what was deleted.
                let name = before.and_then(|info| info.get("name"));
                self.plain.extend(name.map(|name| (NAME, name.clone())));
            } else if let Some(place) = member.strip_prefix(kind.list()) {
                // A list that was only put in another order is told whole, on both sides.
                if !place.is_empty() || before.is_none() || after.is_none() {
                    let place = place.strip_prefix('/').and_then(|place| place.parse().ok()).unwrap_or(0);
                    gone.extend(kind.elements(before, place));
                    new.extend(kind.elements(after, place));
                }
            }
        }
        self.list_back(gone, &new) && fits
    }

    /// Takes out of the list what is new, and puts in what is gone; whether all that is new was there.
    fn list_back(&mut self, mut gone: Elements, new: &Elements) -> bool {
        let mut fits = true;
        for (_, value) in new {
            match self.list.iter().position(|one| shortened(one) == *value) {
                Some(place) => drop(self.list.remove(place)),
                None => fits = false,
            }
        }
        gone.sort_by_key(|(place, _)| *place);
        for (place, value) in gone {
            self.list.insert(place.min(self.list.len()), value);
        }
        fits
    }

    /// The elements of its list that can be read, and whether these are all.
    pub(super) fn elements<T: DeserializeOwned>(&self) -> (Vec<T>, bool) {
        let read: Vec<T> = self.list.iter().filter_map(|value| read(Some(value))).collect();
        let is_whole = read.len() == self.list.len();
        (read, is_whole)
    }
}

/// A value, where it is there and is what it should be.
pub(super) fn read<T: DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    T::deserialize(value?).ok()
}
