//! What there is, by the sections of docs/INTERFACE.md. A line more here is a command more.

mod audit_targets;
mod certificates;
mod identities;
mod identity_providers;
mod keys;
mod notices;
mod settings;
mod signing;
mod tokens;

use super::{Column, Filter, Kind, Member, Resource};

/// All kinds.
pub(crate) fn all() -> impl Iterator<Item = &'static Resource> {
    let tables: [&'static [Resource]; 9] = [
        tokens::RESOURCES,
        keys::RESOURCES,
        certificates::RESOURCES,
        signing::RESOURCES,
        notices::RESOURCES,
        audit_targets::RESOURCES,
        identities::RESOURCES,
        settings::RESOURCES,
        identity_providers::RESOURCES,
    ];
    tables.into_iter().flatten()
}

const fn column(title: &'static str, at: &'static str) -> Column {
    Column { title, at, only_while: None }
}

/// One whose cells are empty where something is not so any more.
const fn column_while(title: &'static str, at: &'static str, only_while: &'static str) -> Column {
    Column { title, at, only_while: Some(only_while) }
}

const fn member(flag: &'static str, at: &'static str, kind: Kind, help: &'static str) -> Member {
    Member { flag, at, kind, help }
}

const fn filter(flag: &'static str, member: &'static str, help: &'static str) -> Filter {
    Filter { flag, member, of: None, help }
}

const fn filter_of(flag: &'static str, member: &'static str, kind: &'static str, help: &'static str) -> Filter {
    Filter { flag, member, of: Some(kind), help }
}

const NAME: Column = column("NAME", "/objInfo/name");
