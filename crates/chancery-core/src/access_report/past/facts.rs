//! Roles, identities and token profiles as they were: what there is now, with the records of changes undone. What a record
//! does not say, or says otherwise than it is, makes its object uncertain.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chancery_store::tables::audit::Row;
use chancery_types::{
    Action, IdentityId, IdentityKind, Perm, RoleId, TokenProfileId,
    wire::{ObjInfo, audit::AuditRecord, reports::UncertainAccess, token_profiles::ControlRule},
};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    Past,
    object::{KIND, Kind, LOCKED, LOGINS, NAME, Object, read},
};
use crate::{
    Error, Result,
    context::changes::ChangeKind,
    identity::{Directory, Identity, Role, rights::AccessState},
    time::parse_rfc3339,
};

/// Objects of an answer of which something is uncertain.
const UNCERTAIN_MAX: usize = 100;

/// A record of a change, of the store or of an archive.
pub(super) struct Told {
    /// When, and its number.
    pub(super) at: (i64, i64),
    action: String,
    object: Option<Uuid>,
    /// None where it cannot be read.
    detail: Option<Value>,
}

impl From<Row> for Told {
    fn from(Row { seq, record, unreadable }: Row) -> Self {
        let detail = serde_json::from_str(&record.detail).ok().filter(|_| unreadable.is_none());
        Self { at: (record.at_ms, seq), action: record.action, object: record.object, detail }
    }
}

impl Told {
    /// That of an archive, where it has a time.
    pub(super) fn archived(record: AuditRecord) -> Option<Self> {
        let AuditRecord { number, time, action, object_uuid, detail, .. } = record;
        Some(Self {
            at: (parse_rfc3339(&time)?, number),
            action: action.as_str().to_owned(),
            object: object_uuid.map(Into::into),
            detail: Some(detail),
        })
    }
}

/// What a record says was done to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Made,
    Changed,
    Deleted,
}

/// Everything that makes, changes or deletes such an object, but for what makes the first identities.
pub(super) const UNDONE: [(Action, Kind, Done); 13] = [
    (Action::RoleCreate, Kind::Role, Done::Made),
    (Action::RoleChange, Kind::Role, Done::Changed),
    (Action::RoleDelete, Kind::Role, Done::Deleted),
    (Action::IdentityCreate, Kind::Identity, Done::Made),
    (Action::IdentityChange, Kind::Identity, Done::Changed),
    (Action::IdentityLock, Kind::Identity, Done::Changed),
    (Action::IdentityUnlock, Kind::Identity, Done::Changed),
    (Action::IdentityRecover, Kind::Identity, Done::Changed),
    (Action::IdentityDelete, Kind::Identity, Done::Deleted),
    (Action::TokenProfileCreate, Kind::Profile, Done::Made),
    (Action::TokenProfileChange, Kind::Profile, Done::Changed),
    (Action::ControlRulesChange, Kind::Profile, Done::Changed),
    (Action::TokenProfileDelete, Kind::Profile, Done::Deleted),
];

/// Tables of rows that somebody may have repaired by hand, with the kind whose id their keys begin with.
const TABLES: [(&str, Kind); 4] = [
    ("roles", Kind::Role),
    ("identities", Kind::Identity),
    ("identity_roles", Kind::Identity),
    ("token_profiles", Kind::Profile),
];

/// What objects in quarantine are called.
const QUARANTINED: [(ChangeKind, Kind); 3] =
    [(ChangeKind::Role, Kind::Role), (ChangeKind::Identity, Kind::Identity), (ChangeKind::TokenProfile, Kind::Profile)];

/// Why something is uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Doubt {
    Unreadable,
    LeftOut,
    TooLong,
    Otherwise,
    Missing,
    ByHand,
    Quarantined,
}

/// All objects, as they were before the last record that was undone.
#[derive(Default)]
pub(super) struct Facts {
    objects: BTreeMap<(Kind, Uuid), Object>,
    /// With the name that a record has.
    uncertain: BTreeMap<(Kind, Uuid), (String, Doubt)>,
    /// Where it is not known of which object.
    unknown: BTreeSet<Doubt>,
}

/// The same, as rights are computed of it.
#[derive(Default)]
struct Known {
    roles: Vec<(RoleId, Role)>,
    identities: Vec<(IdentityId, Identity)>,
    profiles: Vec<(ObjInfo<TokenProfileId>, Vec<ControlRule>)>,
}

impl Doubt {
    const fn why(self) -> &'static str {
        match self {
            Self::Unreadable => "The audit record of a change cannot be read.",
            Self::LeftOut => "The audit record of a change does not have all that was changed.",
            Self::TooLong => "It was too long for the audit record of a change, which has only its hash.",
            Self::Otherwise => "It is not what an audit record says it became, as if it was changed without one.",
            Self::Missing => {
                "It was changed and is gone, or cannot be read, and no audit record says that it was deleted."
            }
            Self::ByHand => "A row was repaired by hand, and no audit record says what it was before.",
            Self::Quarantined => "It cannot be read now, and so it is not known from what to go back.",
        }
    }
}

impl Facts {
    /// What there is now.
    pub(super) fn of(now: &AccessState) -> Result<Self> {
        let mut facts = Self::default();
        for (id, role) in now.directory.roles() {
            let plain = [(NAME, json!(role.name)), (LOGINS, json!(role.rules.logins_required))];
            facts.insert((Kind::Role, id.into()), plain, role.rules.perms.keys())?;
        }
        for (id, identity) in now.directory.identities() {
            let plain = [(NAME, json!(identity.name)), (KIND, json!(identity.kind)), (LOCKED, json!(identity.locked))];
            facts.insert((Kind::Identity, id.into()), plain, identity.roles.iter().map(|(role, _)| role))?;
        }
        for (info, rules) in &now.profiles {
            facts.insert((Kind::Profile, info.uuid.into()), [(NAME, json!(info.name))], rules)?;
        }
        Ok(facts)
    }

    fn insert<const N: usize>(
        &mut self,
        key: (Kind, Uuid),
        plain: [(&'static str, Value); N],
        list: impl IntoIterator<Item = impl Serialize>,
    ) -> Result<()> {
        let list = list.into_iter().map(serde_json::to_value).collect::<Result<_, _>>().map_err(Error::internal)?;
        self.objects.insert(key, Object { plain: plain.into(), list });
        Ok(())
    }

    /// Undoes what a record tells of.
    pub(super) fn undo(&mut self, told: &Told) {
        let Told { action, object, detail, .. } = told;
        let known = UNDONE.iter().find(|(known, ..)| known.as_str() == action);
        let Some((_, kind, done)) = known.copied() else { return self.undo_of_several(action, detail.as_ref()) };
        let Some(id) = *object else {
            self.unknown.insert(Doubt::Unreadable);
            return;
        };
        let key = (kind, id);
        let Some(detail) = detail else { return self.doubt(key, "", Doubt::Unreadable) };
        match done {
            // Whatever is not known of it: at that moment it was not there.
            Done::Made => {
                self.objects.remove(&key);
                self.uncertain.remove(&key);
            }
            Done::Changed => self.change_back(key, detail),
            Done::Deleted => {
                if self.objects.insert(key, Object::default()).is_some() {
                    self.doubt(key, "", Doubt::Otherwise);
                }
                self.change_back(key, detail);
            }
        }
    }

    /// An archive cannot be read, and what was changed nobody knows.
    pub(super) fn doubt_archive(&mut self) {
        self.unknown.insert(Doubt::Unreadable);
    }

    /// Undoes what is told of several objects at once.
    fn undo_of_several(&mut self, action: &str, detail: Option<&Value>) {
        match detail {
            None => drop(self.unknown.insert(Doubt::Unreadable)),
            Some(detail) if action == Action::RowsAuthenticate.as_str() => self.doubt_repaired(detail),
            // Before the first identities there were none.
            Some(_) => {
                self.objects.retain(|(kind, _), _| *kind != Kind::Identity);
                self.uncertain.retain(|(kind, _), _| *kind != Kind::Identity);
            }
        }
    }

    /// Gives an object back what it was before a change.
    fn change_back(&mut self, key: (Kind, Uuid), detail: &Value) {
        let name = detail["name"].as_str().unwrap_or_default();
        if let Some((known, _)) = self.uncertain.get_mut(&key) {
            name.clone_into(known);
        }
        let Some(object) = self.objects.get_mut(&key) else { return self.doubt(key, name, Doubt::Missing) };
        let fits = detail["changes"].as_array().map(|changes| object.change_back(key.0, changes));
        if fits == Some(false) {
            self.doubt(key, name, Doubt::Otherwise);
        }
        if fits.is_none() || !detail["changesLeftOut"].is_null() {
            self.doubt(key, name, Doubt::LeftOut);
        }
    }

    /// Rows were taken as somebody wrote them by hand. Where none is named, they were taken as an older release wrote them.
    fn doubt_repaired(&mut self, detail: &Value) {
        let Some(named) = detail["named"].as_array() else { return };
        let mut told = 0;
        for row in named.iter().filter_map(Value::as_str) {
            let mut parts = row.split('/');
            let kind = parts.next().and_then(|table| TABLES.iter().find(|(known, _)| *known == table));
            let id = parts.next().and_then(|id| id.parse().ok());
            if let (Some((_, kind)), Some(id)) = (kind, id) {
                told += 1;
                self.doubt((*kind, id), "", Doubt::ByHand);
            }
        }
        let all: u64 = TABLES.iter().filter_map(|(table, _)| detail["rows"][table].as_u64()).sum();
        if all > told {
            self.unknown.insert(Doubt::ByHand);
        }
    }

    /// What cannot be read now may have been there.
    pub(super) fn doubt_quarantined(&mut self, kind: &str, id: Option<Uuid>) {
        let Some((_, kind)) = QUARANTINED.iter().find(|(known, _)| known.as_str() == kind) else { return };
        match id {
            Some(id) => self.doubt((*kind, id), "", Doubt::Quarantined),
            None => drop(self.unknown.insert(Doubt::Quarantined)),
        }
    }

    /// What is first found out about it stays.
    fn doubt(&mut self, key: (Kind, Uuid), name: &str, doubt: Doubt) {
        self.uncertain.entry(key).or_insert_with(|| (name.to_owned(), doubt));
    }

    /// What is known of that moment, and what is not.
    pub(super) fn into_past(mut self, moment: String) -> Past {
        let mut known = Known::default();
        for (key, object) in &self.objects {
            if known.add(*key, object) != Some(true) {
                self.uncertain.entry(*key).or_insert_with(|| (String::new(), Doubt::TooLong));
            }
        }
        let Known { roles, identities, mut profiles } = known;
        profiles.sort_by(|(one, _), (other, _)| (&one.name, one.uuid).cmp(&(&other.name, other.uuid)));
        let state = AccessState { directory: Arc::new(Directory::of_past(roles, identities)), profiles };
        let (uncertain, uncertain_left_out) = self.into_uncertain();
        Past { moment, state, uncertain, uncertain_left_out }
    }

    /// What is uncertain, by name, as far as an answer has it, and how much more there is.
    fn into_uncertain(self) -> (Vec<UncertainAccess>, u64) {
        let Self { objects, uncertain, unknown } = self;
        let mut of_objects: Vec<_> = uncertain
            .into_iter()
            .map(|(key, (name, doubt))| {
                let known = objects.get(&key).and_then(|object| read(object.plain.get(NAME)));
                (ObjInfo { name: known.unwrap_or(name), uuid: key.1.into() }, doubt)
            })
            .collect();
        of_objects.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
        let left_out = (unknown.len() + of_objects.len()).saturating_sub(UNCERTAIN_MAX) as u64;
        let of_objects = of_objects.into_iter().map(|(info, doubt)| (Some(info), doubt));
        let all = unknown.into_iter().map(|doubt| (None, doubt)).chain(of_objects);
        let uncertain = |(object, doubt): (_, Doubt)| UncertainAccess { object, why: doubt.why().to_owned() };
        (all.take(UNCERTAIN_MAX).map(uncertain).collect(), left_out)
    }
}

impl Known {
    /// Adds an object; whether all of it is known. None where that is too little to say what it was.
    fn add(&mut self, (kind, id): (Kind, Uuid), object: &Object) -> Option<bool> {
        let name = read(object.plain.get(NAME))?;
        match kind {
            Kind::Role => {
                let logins = read(object.plain.get(LOGINS))?;
                let (perms, is_whole) = object.elements::<String>();
                // A spelling that this release does not know means nothing here, as in rows of roles.
                let perms = perms.iter().filter_map(|perm| perm.parse::<Perm>().ok());
                self.roles.push((id.into(), Role::of_past(name, logins, perms)));
                Some(is_whole)
            }
            Kind::Identity => {
                let (of, locked) = (read::<IdentityKind>(object.plain.get(KIND))?, read(object.plain.get(LOCKED))?);
                let (held, is_whole) = object.elements::<RoleId>();
                self.identities.push((id.into(), Identity { locked, ..Identity::of_past(name, of, held) }));
                Some(is_whole)
            }
            Kind::Profile => {
                let (rules, is_whole) = object.elements();
                self.profiles.push((ObjInfo { name, uuid: id.into() }, rules));
                Some(is_whole)
            }
        }
    }
}
