//! A command of a resource, done.

use std::{
    io::{self, BufRead as _, IsTerminal as _},
    path::Path,
};

use chancery_client::{ClientError, Destination, escaped};
use chancery_types::wire::proposals::Proposal;
use clap::{ArgMatches, FromArgMatches as _};
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::{
    Answered, Column, Effect, List, Named, OneOf, Resource, Verb, Whose, access,
    agree::{self, One},
    body::{body_of, query_of},
    budgets, effect,
    names::{Names, read_page, uuid_in},
    proposal, record, show, told_once,
};
use crate::{
    client::{
        connection::{Answer, Connection, Output, ServerOptions, logged_in},
        exit::{Exit, told_with, usage},
        inputs::name_and_value,
    },
    denied::Denials,
    destination,
    failure::{Failure, While as _},
    output,
    shown::{Shown, escaped_json},
};

/// The objects of a page at most, as the interface has it.
const PAGE_MAX: usize = 1_000;

/// Runs what was matched for a resource.
pub(crate) fn run(resource: &'static Resource, matches: &ArgMatches) -> Result<(), Failure> {
    let Some((name, matches)) = matches.subcommand() else { return Err(usage("a subcommand is needed")) };
    let options = ServerOptions::from_arg_matches(matches)?;
    logged_in(&options, |connection| match (name, resource.list) {
        ("list", Some(list)) => listed(resource, &list, matches, connection),
        _ => {
            let verb = resource.verbs.iter().find(|verb| verb.name == name);
            done(resource, verb.ok_or_else(|| usage(format!("{name}: no such command")))?, matches, connection)
        }
    })
}

fn listed(resource: &Resource, list: &List, matches: &ArgMatches, connection: &Connection) -> Result<(), Failure> {
    let names = Names::new(connection);
    let limit = matches.get_one::<usize>("limit").copied().unwrap_or(list.limit);
    let query = query_of_list(list, matches, &names)?;
    let (mut shown, mut after) = (Vec::new(), None);
    loop {
        let mut query = query.clone();
        query.push(("pageSize".to_owned(), (limit - shown.len()).clamp(1, PAGE_MAX).to_string()));
        query.extend(after.take().map(|after| ("after".to_owned(), after)));
        let answer = read_page(connection, list, &query)?;
        if connection.output == Output::Json {
            answer.print()?;
        }
        shown.extend(list.items_of(&answer.response));
        after = answer.response["next"].as_str().map(str::to_owned);
        if after.is_none() || shown.len() >= limit {
            break;
        }
    }
    if connection.output == Output::Table {
        let mut titles: Vec<_> = resource.columns.iter().map(|column| column.title).collect();
        if shown.iter().any(|item| !uuid_in(item).is_empty()) {
            titles.push("UUID");
        }
        let rows: Vec<_> = shown.iter().take(limit).map(|item| row(resource, item, &names)).collect();
        show::table(&titles, &rows)?;
    }
    if after.is_some() {
        output::note(format_args!("There are more than {limit}: --limit NUMBER shows them."));
    }
    Ok(())
}

/// What the list is asked for.
fn query_of_list(list: &List, matches: &ArgMatches, names: &Names<'_>) -> Result<Vec<(String, String)>, Failure> {
    let mut query = Vec::new();
    if let Some((member, text)) = list.search.and_then(|member| Some((member, matches.get_one::<String>("search")?))) {
        query.push((member.to_owned(), text.clone()));
    }
    for filter in list.filters {
        let Some(text) = matches.get_one::<String>(filter.flag) else { continue };
        query.push(match filter.of.and_then(super::find) {
            Some(kind) => (filter.member.to_owned(), names.resolve(kind, text)?),
            // The one member whose names are the caller's: metadata.NAME=VALUE.
            None if filter.member == "metadata" => {
                let (name, value) = name_and_value(text).map_err(|why| usage(format!("--metadata {text}: {why}")))?;
                (format!("metadata.{name}"), value)
            }
            None => (filter.member.to_owned(), text.clone()),
        });
    }
    Ok(query)
}

/// Who approves what: their names stand in lists and sentences beside one another, and so look there as they do here.
const NAMED_TOGETHER: [&str; 2] = ["identity", "role"];

fn row(resource: &Resource, item: &Value, names: &Names<'_>) -> Vec<String> {
    let cell = |column: &Column| {
        match column.at {
            "/objectUuid" => return names.object_of_record(item),
            "/identities" => return record::by(item),
            _ => {}
        }
        if column.only_while.is_some_and(|at| !is_so(item.pointer(at))) {
            return show::text(&Value::Null);
        }
        let member = column.at.rsplit('/').next().unwrap_or_default();
        let value = item.pointer(column.at).unwrap_or(&Value::Null);
        if column.at == "/objInfo/name" && NAMED_TOGETHER.contains(&resource.name) {
            return show::name(value);
        }
        let name = value.as_str().and_then(|uuid| names.short(member, uuid));
        name.unwrap_or_else(|| show::text(value))
    };
    resource.columns.iter().map(cell).chain([uuid_in(item)]).collect()
}

/// Whether it is there, and neither false nor 0.
fn is_so(value: Option<&Value>) -> bool {
    value.is_some_and(|value| value.as_bool().unwrap_or_else(|| value.as_u64() != Some(0) && !value.is_null()))
}

/// Audit records, as lines, while they come.
fn exported(connection: &Connection, query: &str, matches: &ArgMatches) -> Result<(), Failure> {
    let out = matches.get_one::<String>("out").map_or("-", String::as_str);
    let destination = destination::find("--out", Path::new(out))?;
    let mut records = connection.client.export_audit_of(query)?;
    let written = if destination == Destination::Standard && io::stdout().is_terminal() {
        // No record moves the cursor.
        io::BufReader::new(records).lines().try_for_each(|line| output::line(escaped_json(&line?)))
    } else {
        destination.fill(|file| io::copy(&mut records, file).map(drop)).map_err(Failure::from)
    };
    written.doing(format!("--out {out}"))
}

fn downloaded(connection: &Connection, verb: &Verb, path: &str, matches: &ArgMatches) -> Result<(), Failure> {
    let out = matches.get_one::<String>("out").map_or("-", String::as_str);
    let destination = destination::find("--out", Path::new(out))?;
    let content = connection.client.body(verb.method, path, None)?;
    destination.write(&content).doing(format!("--out {out}"))
}

fn done(resource: &Resource, verb: &Verb, matches: &ArgMatches, connection: &Connection) -> Result<(), Failure> {
    let names = Names::new(connection);
    let named = matches.try_get_one::<String>("name-or-uuid").ok().flatten();
    if let (None, Some(one_of)) = (named, &verb.one_of) {
        return choices(connection, one_of);
    }
    let uuid = named.map(|name| uuid_of(resource, verb, name, &names)).transpose()?;
    let path = uuid.as_ref().map_or_else(|| verb.path.to_owned(), |uuid| verb.path.replace("{}", uuid));
    let mut body = body_of(verb, matches, &names, || Ok(connection.get(&path)?))?;
    let path = path + &query_of(verb, matches, &names)?;
    if verb.answer == Answered::File {
        return downloaded(connection, verb, &path, matches);
    }
    if verb.answer == Answered::Rights {
        return access::shown(connection, &path);
    }
    if verb.answer == Answered::Effect {
        return effect::since(connection, &body.unwrap_or_else(|| json!({})));
    }
    if verb.answer == Answered::Export {
        return exported(connection, path.strip_prefix(verb.path).unwrap_or_default(), matches);
    }
    let change = change_of(verb, uuid.as_deref(), body.as_ref());
    if verb.effect.is_some() && matches.get_flag("preview") {
        let message = || usage("--preview shows who gains and loses what: what would change of that is not given");
        return effect::preview(connection, &change.ok_or_else(message)?);
    }
    if verb.loses.is_some() || verb.asks.is_some() {
        let one =
            One { name: named.map_or("", String::as_str), uuid: uuid.as_deref().unwrap_or_default(), path: &path };
        agree::asked(connection, (resource, verb), one, body.as_mut(), matches.get_flag("yes"))?;
    }
    if verb.decides {
        let digest = shown_first(connection, &names, uuid.as_deref().unwrap_or_default())?;
        let is_bound = verb.members.iter().any(|member| member.at == "/digest");
        if let Some(members) = body.get_or_insert_with(|| json!({})).as_object_mut().filter(|_| is_bound) {
            members.entry("digest").or_insert(digest.into());
        }
    }
    if verb.answer == Answered::FirstKey
        && let Some(out) = place_of_key(matches, body.as_ref())?
    {
        return told_once(connection, whose_key(body.as_ref()), out, || {
            Ok(connection.call(verb.method, &path, body.as_ref())?)
        });
    }
    let foreseen = effect::foreseen(connection, change.as_ref())?;
    let mut answer = match (connection.call(verb.method, &path, body.as_ref()), &verb.one_of) {
        (Err(ClientError::Refused { status: 404, .. }), Some(one_of)) => {
            return Err(none_of(connection, one_of, named.map_or("", String::as_str))?);
        }
        (answer, _) => answer?,
    };
    answer.tell_warnings();
    foreseen.tell(&answer);
    told(&answer, (connection.output, verb), named.map_or("", String::as_str), &names)
}

/// What the server answered.
fn told(answer: &Answer, (output, verb): (Output, &Verb), named: &str, names: &Names<'_>) -> Result<(), Failure> {
    match (output, verb.answer) {
        (Output::Json, _) => answer.print(),
        (Output::Table, Answered::Text(member)) => {
            let text = answer.response[member].as_str().unwrap_or_default();
            text.lines().try_for_each(|line| output::line(Shown(line)))
        }
        (Output::Table, Answered::Nothing(what)) => output::line(format!("{what}: {}", Shown(named))),
        (Output::Table, Answered::Budgets) => budgets::shown(&answer.response, false, names),
        (Output::Table, _) => show::details(&answer.response, names),
    }?;
    if let Some(proposal) = effect::waits_as(answer).filter(|_| verb.method != "GET") {
        output::note(format_args!(
            "Nothing has changed yet, this waits for approvals: chancery proposal show {proposal}"
        ));
    }
    if verb.answer == Answered::Tried && answer.response["delivered"] != true {
        return Err(told_with(Exit::Failed, "it was not delivered", "What stands above under answer says why."));
    }
    Ok(())
}

/// What a verb changes of who may do what, as the question what it will do has it.
fn change_of(verb: &Verb, uuid: Option<&str>, body: Option<&Value>) -> Option<Value> {
    let Effect { of, says, is_whole } = verb.effect?;
    let changed = if is_whole { body? } else { body?.get(says)? };
    Some(json!({of: uuid?, says: changed}))
}

/// Whose secret the one of a new identity is, as the body calls it.
fn whose_key(body: Option<&Value>) -> Whose<'_> {
    let text = |at: &str| body?.pointer(at)?.as_str();
    // A key is called this where nobody says otherwise.
    Whose {
        identity: text("/name").unwrap_or_default(),
        key: text("/apiKey/name").unwrap_or("first key"),
        goes_on: false,
    }
}

/// Where the secret of a new identity's API key goes; `None` where it gets none.
fn place_of_key<'a>(matches: &'a ArgMatches, body: Option<&Value>) -> Result<Option<Option<&'a Path>>, Failure> {
    let out = matches.get_one::<String>("out").map(Path::new);
    if body.is_some_and(|body| body["kind"] == "Application" && body["password"].is_null()) {
        return Ok(Some(out));
    }
    let message = "--out is for the secret of an API key: only an application without a password gets one";
    if out.is_some() { Err(usage(message)) } else { Ok(None) }
}

/// Shows a proposal before it is decided on, and answers what stands for all that was shown.
fn shown_first(connection: &Connection, names: &Names<'_>, uuid: &str) -> Result<String, Failure> {
    let found = connection.get(&format!("/api/v2/x509/proposals/{uuid}"))?;
    if connection.output == Output::Table {
        let proposal = Proposal::deserialize(&found).doing("the proposal as the server has it")?;
        let twice = Denials::new(connection).of_proposal(&proposal)?.lines;
        proposal::shown(&proposal, &twice, names).iter().try_for_each(output::line)?;
    }
    Ok(found["digest"].as_str().unwrap_or_default().to_owned())
}

/// What stands in the path for a name.
fn uuid_of(resource: &Resource, verb: &Verb, name: &str, names: &Names<'_>) -> Result<String, Failure> {
    match verb.named {
        Named::Own => names.resolve_among(resource, verb.among, name),
        Named::Of(kind) => names.resolve(super::find(kind).unwrap_or(resource), name),
        Named::Plain => Ok(escaped(name)),
    }
}

/// The names of which one can be taken, a line each.
fn choices(connection: &Connection, one_of: &OneOf) -> Result<(), Failure> {
    let answer = connection.call("GET", one_of.path, None)?;
    if connection.output == Output::Json {
        return answer.print();
    }
    names_in(&answer.response, one_of).try_for_each(|name| output::line(Shown(name)))
}

fn none_of(connection: &Connection, one_of: &OneOf, name: &str) -> Result<Failure, Failure> {
    let known = connection.get(one_of.path)?;
    let lines: String = names_in(&known, one_of).map(|name| format!("\n    {name}")).collect();
    let message = format!("{name}: there is no such {}", one_of.one);
    Ok(told_with(Exit::Usage, message, format!("Those that there are:{lines}")))
}

fn names_in<'a>(response: &'a Value, one_of: &OneOf) -> impl Iterator<Item = &'a str> {
    response[one_of.items].as_array().into_iter().flatten().filter_map(Value::as_str)
}
