//! `chancery identity api-key`: the keys of an identity, of which each is found by two names.

use clap::{ArgMatches, Command, FromArgMatches as _, Subcommand as _};
use serde_json::{Map, Value, json};

use crate::{
    cli::api_key::{ApiKeyChange, ApiKeyCommand, ApiKeyCreate, ApiKeyDelete, ApiKeyRotate, OneKey, Terms},
    client::{
        connection::{Answer, Connection, Output, logged_in},
        consent,
        exit::{Exit, told_with},
        inputs::from_now,
    },
    failure::Failure,
    output,
    resources::{self, Whose, names::Names, show, told_once},
    shown::{Shown, shell_word},
};

const ABOUT: &str = "The API keys of an identity, by which programs log in";

/// Adds it to the commands that the table makes of identities.
pub(super) fn added(command: Command) -> Command {
    let below = Command::new("api-key").about(ABOUT).subcommand_required(true).arg_required_else_help(true);
    command.subcommand(ApiKeyCommand::augment_subcommands(below))
}

/// Runs it, where the line has it.
pub(super) fn run(matches: &ArgMatches) -> Option<Result<Exit, Failure>> {
    let ("api-key", below) = matches.subcommand()? else { return None };
    let done = ApiKeyCommand::from_arg_matches(below).map_err(Failure::from).and_then(|command| match command {
        ApiKeyCommand::List(list) => logged_in(&list.server, |connection| {
            let answer = connection.call("GET", &keys_of(connection, &list.identity)?, None)?;
            listed(connection, &answer)
        }),
        ApiKeyCommand::Create(create) => logged_in(&create.server, |connection| created(connection, &create)),
        ApiKeyCommand::Change(change) => logged_in(&change.one.server, |connection| changed(connection, &change)),
        ApiKeyCommand::Rotate(rotate) => logged_in(&rotate.one.server, |connection| rotated(connection, &rotate)),
        ApiKeyCommand::Delete(delete) => logged_in(&delete.one.server, |connection| deleted(connection, &delete)),
    });
    Some(done.map(|()| Exit::Done))
}

fn keys_of(connection: &Connection, identity: &str) -> Result<String, Failure> {
    Ok(format!("/api/v2/identities/{}/api-keys", resolved(connection, "identity", identity)?))
}

fn resolved(connection: &Connection, kind: &str, text: &str) -> Result<String, Failure> {
    let kind = resources::find(kind).ok_or("there is no such kind")?;
    Names::new(connection).resolve(kind, text)
}

/// Where the key is that is meant.
fn path_of(connection: &Connection, one: &OneKey) -> Result<String, Failure> {
    found(connection, one).map(|(path, _)| path)
}

/// The same, and the key as the list has it.
fn found(connection: &Connection, one: &OneKey) -> Result<(String, Value), Failure> {
    let keys = keys_of(connection, &one.identity)?;
    let listed = connection.get(&keys)?;
    let known = listed["results"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_meant = |key: &&Value| {
        let is = |member: &str| key["objInfo"][member].as_str().is_some_and(|text| text.eq_ignore_ascii_case(&one.key));
        is("uuid") || key["objInfo"]["name"].as_str() == Some(&one.key)
    };
    let found = known.iter().find(is_meant).and_then(|key| Some((key, key["objInfo"]["uuid"].as_str()?)));
    match found {
        Some((key, uuid)) => Ok((format!("{keys}/{uuid}"), key.clone())),
        None => {
            let message = format!("{}: {} has no API key of this name", one.key, one.identity);
            Err(told_with(Exit::Usage, message, "chancery identity api-key list shows those that there are."))
        }
    }
}

fn listed(connection: &Connection, answer: &Answer) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return answer.print();
    }
    let text = |key: &Value, pointer: &str| key.pointer(pointer).map_or_else(|| "-".to_owned(), show::text);
    let row = |key: &Value| {
        let networks = key["networks"].as_array().map(Vec::as_slice).unwrap_or_default();
        let networks: Vec<_> = networks.iter().map(show::text).collect();
        vec![
            text(key, "/objInfo/name"),
            text(key, "/expiresAt"),
            text(key, "/lastUsedAt"),
            text(key, "/previous/until"),
            text(key, "/previous/lastUsedAt"),
            if networks.is_empty() { "-".to_owned() } else { networks.join(" ") },
            if key["scope"].is_object() { "restricted" } else { "-" }.to_owned(),
            text(key, "/objInfo/uuid"),
        ]
    };
    let keys = answer.response["results"].as_array();
    let titles = ["NAME", "ENDS", "LAST USED", "OLD SECRET ENDS", "OLD LAST USED", "NETWORKS", "SCOPE", "UUID"];
    show::table(&titles, &keys.into_iter().flatten().map(row).collect::<Vec<_>>())
}

/// What the options say of a key, as members of a body.
fn terms(connection: &Connection, terms: &Terms) -> Result<Map<String, Value>, Failure> {
    let mut body = Map::new();
    if let Some(end) = end(terms)? {
        body.insert("expiresAt".to_owned(), end.into());
    }
    if !terms.network.is_empty() {
        body.insert("networks".to_owned(), json!(terms.network));
    }
    let mut scope = Map::new();
    for (kind, member, names) in [
        ("profile", "tokenProfileUuids", &terms.profile),
        ("policy", "policyUuids", &terms.policy),
        ("service", "serviceUuids", &terms.service),
    ] {
        if !names.is_empty() {
            let uuids = names.iter().map(|name| resolved(connection, kind, name)).collect::<Result<Vec<_>, _>>()?;
            scope.insert(member.to_owned(), json!(uuids));
        }
    }
    if !scope.is_empty() {
        body.insert("scope".to_owned(), scope.into());
    }
    Ok(body)
}

fn end(terms: &Terms) -> Result<Option<String>, Failure> {
    let Some(span) = terms.expires_in else { return Ok(terms.expires_at.clone()) };
    from_now("--expires-in", span).map(Some)
}

fn created(connection: &Connection, create: &ApiKeyCreate) -> Result<(), Failure> {
    let mut body = terms(connection, &create.terms)?;
    body.insert("name".to_owned(), create.name.as_str().into());
    let (path, body) = (keys_of(connection, &create.identity)?, Value::from(body));
    let whose = Whose { identity: &create.identity, key: &create.name, goes_on: false };
    told_once(connection, whose, create.out.as_deref(), || Ok(connection.call("POST", &path, Some(&body))?))
}

fn changed(connection: &Connection, change: &ApiKeyChange) -> Result<(), Failure> {
    let mut body = terms(connection, &change.terms)?;
    if let Some(name) = &change.name {
        body.insert("name".to_owned(), name.as_str().into());
    }
    for (is_given, member, value) in [
        (change.no_end, "expiresAt", Value::Null),
        (change.any_network, "networks", json!([])),
        (change.no_scope, "scope", Value::Null),
    ] {
        if is_given {
            body.insert(member.to_owned(), value);
        }
    }
    let answer = connection.call("PATCH", &path_of(connection, &change.one)?, Some(&body.into()))?;
    if connection.output == Output::Json {
        return answer.print();
    }
    show::details(&answer.response, &Names::new(connection))
}

fn rotated(connection: &Connection, rotate: &ApiKeyRotate) -> Result<(), Failure> {
    let mut body = Map::new();
    if let Some(overlap) = rotate.overlap {
        body.insert("overlapSeconds".to_owned(), overlap.as_secs().into());
    }
    let (path, key) = found(connection, &rotate.one)?;
    let until = key.pointer("/previous/until").and_then(Value::as_str);
    if let Some(until) = until.filter(|_| !rotate.yes) {
        let used = key.pointer("/previous/lastUsedAt").and_then(Value::as_str);
        let used = used.map_or_else(String::new, |at| format!(", and was last used at {at}"));
        let says = format!("the secret of before the last rotation goes on until {until}{used}. This ends it at once.");
        output::note(Shown(&format!("{}: {says}", rotate.one.key)));
        let look = format!("Look at it with: chancery identity api-key list {}", shell_word(&rotate.one.identity));
        consent::asked("rotate", &look)?;
    }
    let (path, body) = (format!("{path}/rotate"), Value::from(body));
    let goes_on = rotate.overlap.is_none_or(|overlap| !overlap.is_zero());
    let whose = Whose { identity: &rotate.one.identity, key: &rotate.one.key, goes_on };
    told_once(connection, whose, rotate.out.as_deref(), || Ok(connection.call("POST", &path, Some(&body))?))
}

fn deleted(connection: &Connection, delete: &ApiKeyDelete) -> Result<(), Failure> {
    let path = path_of(connection, &delete.one)?;
    if !delete.yes {
        output::note("An API key that is deleted cannot be had back; what it began ends within a second.");
        let look = format!("Look at it with: chancery identity api-key list {}", shell_word(&delete.one.identity));
        consent::asked("delete", &look)?;
    }
    let answer = connection.call("DELETE", &path, None)?;
    if connection.output == Output::Json {
        return answer.print();
    }
    output::line(format_args!("deleted: {}", Shown(&delete.one.key)))
}
