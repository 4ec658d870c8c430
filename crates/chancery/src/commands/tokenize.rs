//! `chancery tokenize`, `chancery detokenize` and `chancery rewrap`: values there, back, and on, in batches.

use std::path::Path;

use chancery_client::ClientError;
use chancery_types::{Base64, ErrorCode};
use serde_json::{Map, Value};

use super::bulk;
use crate::{
    cli::{
        client::Tokenize,
        tokens::{Values, VersionedTokens},
    },
    client::{
        connection::{Connection, Output, ServerOptions, logged_in},
        exit::{Exit, told_with, usage},
        inputs::{lines_of_input, still_read},
    },
    failure::{Failure, While as _},
    output,
    resources::{self, names::Names},
    shown::Shown,
};

/// Values of a call: far below what a batch may have, so that a pipe is answered soon.
const BATCH: usize = 1_000;

/// From values to tokens, from tokens to values, or from tokens to those of the newest key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    There,
    Back,
    On,
}

impl Way {
    /// The call of one value; what is rewrapped has none.
    const fn one(self) -> Option<(&'static str, &'static str, &'static str)> {
        match self {
            Self::There => Some(("tokenize", "message", "token")),
            Self::Back => Some(("detokenize", "token", "message")),
            Self::On => None,
        }
    }

    const fn many(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::There => ("batch-tokenize", "messages", "tokens"),
            Self::Back => ("batch-detokenize", "tokens", "messages"),
            Self::On => ("rewrap", "tokens", "tokens"),
        }
    }
}

/// What is done with all values.
struct Task<'a> {
    connection: &'a Connection,
    /// Where the profile is.
    profile: String,
    way: Way,
    /// Members of every call besides the values.
    besides: Map<String, Value>,
}

pub(crate) fn run(command: &Tokenize, way: Way) -> Result<Exit, Failure> {
    let files = &command.files;
    if !files.column.is_empty() || !files.fixed_width.is_empty() {
        return bulk::run(command, way);
    }
    if way != Way::There && (!command.metadata.is_empty() || command.expires_at.is_some()) {
        return Err(usage("--metadata and --expires-at are of new tokens: of tokenize"));
    }
    if way != Way::Back && command.grant.is_some() {
        return Err(usage("--grant is of detokenize"));
    }
    let mut besides = with_grant(with_version(command.key_version), command.grant.as_deref());
    if !command.metadata.is_empty() {
        let metadata = command.metadata.iter().map(|(name, value)| (name.clone(), value.as_str().into()));
        besides.insert("metadata".to_owned(), Value::Object(metadata.collect()));
    }
    if let Some(end) = &command.expires_at {
        besides.insert("expiresAt".to_owned(), end.as_str().into());
    }
    let profile = command.profile.as_deref().unwrap_or_default();
    values(&command.server, profile, way, besides, &command.values)
}

pub(crate) fn rewrap(command: &VersionedTokens) -> Result<Exit, Failure> {
    let Values { values: given, profile, server } = &command.values;
    values(server, profile, Way::On, with_version(command.key_version), given)
}

/// The same with the member that names the grant, where one is given.
pub(super) fn with_grant(mut besides: Map<String, Value>, grant: Option<&str>) -> Map<String, Value> {
    besides.extend(grant.map(|grant| ("grantUuid".to_owned(), grant.into())));
    besides
}

/// The member that names the version of the key, where one is given.
pub(super) fn with_version(version: Option<u32>) -> Map<String, Value> {
    version.map(|version| ("keyVersion".to_owned(), version.into())).into_iter().collect()
}

fn values(
    server: &ServerOptions,
    profile: &str,
    way: Way,
    besides: Map<String, Value>,
    given: &[String],
) -> Result<Exit, Failure> {
    logged_in(server, |connection| {
        let kind = resources::find("profile").ok_or("there is no such kind")?;
        let profile = format!("/api/v2/token-profiles/{}", Names::new(connection).resolve(kind, profile)?);
        let task = Task { connection, profile, way, besides };
        let made = match (given, way.one()) {
            ([], _) => lines(&task),
            // One value needs no right to batches.
            ([one], Some(call)) => single(&task, call, one),
            (several, _) => several.chunks(BATCH).enumerate().try_for_each(|(done, values)| {
                still_read().and_then(|()| batch(&task, values, ("value", done * BATCH)))
            }),
        };
        if let (Err(_), Some(file)) = (&made, given.iter().find(|value| Path::new(value).is_file())) {
            output::note(format!("chancery: {file} is a file here. Add --column NAME to have a column of it done."));
        }
        made.and_then(|()| still_read()).map(|()| Exit::Done)
    })
}

fn lines(task: &Task<'_>) -> Result<(), Failure> {
    let (mut waiting, mut done) = (Vec::new(), 0);
    for line in lines_of_input() {
        let line = line?;
        // A byte order mark is none of the first value.
        let is_first = done == 0 && waiting.is_empty();
        waiting.push(if is_first { line.trim_start_matches('\u{feff}').to_owned() } else { line });
        if waiting.len() == BATCH {
            batch(task, &waiting, ("line", done))?;
            done += waiting.len();
            waiting.clear();
        }
    }
    if waiting.is_empty() { Ok(()) } else { batch(task, &waiting, ("line", done)) }
}

fn single(task: &Task<'_>, call: (&str, &str, &str), value: &str) -> Result<(), Failure> {
    let (path, from, to) = call;
    let (value, iv) = parts(task.way, value)?;
    let mut body = Value::Object(task.besides.clone());
    body[from] = value.into();
    if let Some(iv) = iv {
        body["iv"] = iv.into();
    }
    let answer = task.connection.call("POST", &format!("{}/{path}", task.profile), Some(&body));
    let answer = answer.map_err(|refused| ask_first(refused, &task.profile, Failure::from))?;
    if task.connection.output == Output::Json {
        return answer.print();
    }
    output::line(line_of(task.way, &answer.response[to], answer.response.get("iv"), "the value")?)
}

/// All of them or none: where one of them is no value, the batch is refused with its place. `before` is what a place is
/// called, and how many were in earlier batches.
fn batch(task: &Task<'_>, values: &[String], before: (&str, usize)) -> Result<(), Failure> {
    let Task { connection, profile, way, besides } = task;
    let way = *way;
    let place = |index: usize| format!("{} {}", before.0, before.1 + index + 1);
    let (path, from, to) = way.many();
    let parts = values.iter().enumerate().map(|(index, value)| parts(way, value).doing(place(index)));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    let texts: Vec<_> = parts.iter().map(|(text, _)| *text).collect();
    let mut body = Value::Object(besides.clone());
    body[from] = texts.into();
    let ivs: Vec<_> = parts.iter().filter_map(|(_, iv)| *iv).collect();
    if !ivs.is_empty() {
        if ivs.len() != parts.len() {
            return Err(usage("some tokens have an initialization vector behind a tab, and some have not"));
        }
        body["ivs"] = ivs.into();
    }
    let answer = connection.call("POST", &format!("{profile}/{path}"), Some(&body));
    let answer = answer.map_err(|refused| ask_first(refused, profile, |refused| with_places(refused, place)))?;
    if connection.output == Output::Json {
        return answer.print();
    }
    let made = answer.response[to].as_array().ok_or("the answer has no values")?;
    let ivs = answer.response["ivs"].as_array();
    if made.len() != values.len() || ivs.is_some_and(|ivs| ivs.len() != values.len()) {
        return Err("the answer has another number of values".into());
    }
    let iv = |index: usize| ivs.and_then(|ivs| ivs.get(index));
    let lines = made.iter().enumerate().map(|(index, made)| line_of(way, made, iv(index), &place(index)));
    // In one write: there are many.
    output::line(lines.collect::<Result<Vec<_>, _>>()?.join("\n"))
}

/// A refusal for want of approvals, with what to do about it.
fn ask_first(refused: ClientError, profile: &str, other: impl FnOnce(ClientError) -> Failure) -> Failure {
    match for_want_of_grant(&refused, profile.rsplit('/').next().unwrap_or_default()) {
        Some(next) => told_with(Exit::Refused, refused.to_string(), next),
        None => other(refused),
    }
}

/// What to do about a refusal for want of approvals, if it is one.
pub(super) fn for_want_of_grant(refused: &ClientError, profile: &str) -> Option<String> {
    let ClientError::Refused { error_code: ErrorCode::NotAuthorized, response, .. } = refused else { return None };
    (response.field.as_deref() == Some("/grantUuid")).then(|| {
        format!(
            "Ask for them: chancery grant request {profile} --reason TEXT --max-values NUMBER --lifetime 8h\nThen name what it \
             answers with: --grant UUID"
        )
    })
}

/// A refusal with what is wrong with each value, by its place in the whole input.
fn with_places(refused: ClientError, place: impl Fn(usize) -> String) -> Failure {
    let wrong = match &refused {
        ClientError::Refused { response, .. } => {
            let one = |error: &chancery_types::wire::ItemError| format!("{}: {}", place(error.index), error.message);
            response.errors.iter().map(one).collect::<Vec<_>>()
        }
        ClientError::Transport(_)
        | ClientError::NotLoggedIn { .. }
        | ClientError::Unexpected { .. }
        | ClientError::Authority(_)
        | ClientError::Certificate(_)
        | ClientError::NotSent(_) => Vec::new(),
    };
    if wrong.is_empty() { refused.into() } else { told_with(Exit::Refused, refused.to_string(), wrong.join("\n")) }
}

/// A token, and the initialization vector that a tab parts from it.
pub(super) fn parts(way: Way, value: &str) -> Result<(&str, Option<&str>), Failure> {
    match value.split_once('\t').filter(|_| way != Way::There) {
        Some((token, iv)) if Base64::decode(iv).is_some() => Ok((token, Some(iv))),
        Some((_, iv)) => Err(usage(format!("{iv}: no initialization vector (base64)"))),
        None => Ok((value, None)),
    }
}

/// One value is one line, as it is; on a terminal with escapes. What the line could not be read back from is refused.
pub(super) fn line_of(way: Way, made: &Value, iv: Option<&Value>, place: &str) -> Result<String, Failure> {
    let made = made.as_str().ok_or_else(|| format!("{place}: the answer has no value"))?;
    let iv = iv.and_then(Value::as_str).map(|iv| format!("\t{iv}")).unwrap_or_default();
    if output::is_terminal() {
        return Ok(format!("{}{iv}", Shown(made)));
    }
    // A token ends at a tab, where an initialization vector begins.
    if made.contains('\n') || made.ends_with('\r') || way != Way::Back && made.contains('\t') {
        let message = format!("{place}: there is a line end or a tab in it, which a line cannot hold");
        return Err(told_with(Exit::Usage, message, "--output json answers with values as they are."));
    }
    Ok(format!("{made}{iv}"))
}
