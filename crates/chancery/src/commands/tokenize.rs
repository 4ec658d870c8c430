//! `chancery tokenize` and `chancery detokenize`: values there and back, in batches.

use std::io::{self, BufRead as _};

use chancery_types::Base64;
use serde_json::{Value, json};

use super::bulk;
use crate::{
    cli::client::Tokenize,
    client::{
        connection::{Connection, Output, logged_in},
        exit::{Exit, usage},
    },
    failure::{Failure, While as _},
    output,
    resources::{self, names::Names, show},
    shown::Shown,
};

/// Values of a call: far below what a batch may have, so that a pipe is answered soon.
const BATCH: usize = 1_000;

/// From values to tokens, or from tokens to values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    There,
    Back,
}

impl Way {
    const fn one(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::There => ("tokenize", "message", "token"),
            Self::Back => ("detokenize", "token", "message"),
        }
    }

    const fn many(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::There => ("batch-tokenize", "messages", "tokens"),
            Self::Back => ("batch-detokenize", "tokens", "messages"),
        }
    }
}

pub(crate) fn run(command: &Tokenize, way: Way) -> Result<Exit, Failure> {
    let files = &command.files;
    if !files.column.is_empty() || !files.fixed_width.is_empty() {
        return bulk::run(command, way);
    }
    logged_in(&command.server, |connection| {
        let kind = resources::find("profile").ok_or("there is no such kind")?;
        let profile = command.profile.as_deref().unwrap_or_default();
        let profile = Names::new(connection).resolve(kind, profile)?;
        let profile = format!("/api/v2/token-profiles/{profile}");
        if command.values.is_empty() {
            return lines(connection, &profile, way).map(|()| Exit::Done);
        }
        match command.values.as_slice() {
            // One value needs no right to batches.
            [one] => single(connection, &profile, way, one)?,
            several => several.chunks(BATCH).try_for_each(|values| batch(connection, &profile, way, values))?,
        }
        Ok(Exit::Done)
    })
}

fn lines(connection: &Connection, profile: &str, way: Way) -> Result<(), Failure> {
    let mut waiting = Vec::new();
    for line in io::stdin().lock().lines() {
        waiting.push(line.doing("standard input")?);
        if waiting.len() == BATCH {
            batch(connection, profile, way, &waiting)?;
            waiting.clear();
        }
    }
    if waiting.is_empty() { Ok(()) } else { batch(connection, profile, way, &waiting) }
}

fn single(connection: &Connection, profile: &str, way: Way, value: &str) -> Result<(), Failure> {
    let (path, from, to) = way.one();
    let (value, iv) = parts(way, value)?;
    let mut body = json!({ from: value });
    if let Some(iv) = iv {
        body["iv"] = iv.into();
    }
    let answer = connection.call("POST", &format!("{profile}/{path}"), Some(&body))?;
    if connection.output == Output::Json {
        return answer.print();
    }
    put(&answer.response[to], answer.response.get("iv"))
}

/// All of them or none: where one of them is no value, the batch is refused with its place.
fn batch(connection: &Connection, profile: &str, way: Way, values: &[String]) -> Result<(), Failure> {
    let (path, from, to) = way.many();
    let parts = values.iter().map(|value| parts(way, value)).collect::<Result<Vec<_>, _>>()?;
    let texts: Vec<_> = parts.iter().map(|(text, _)| *text).collect();
    let mut body = json!({ from: texts });
    let ivs: Vec<_> = parts.iter().filter_map(|(_, iv)| *iv).collect();
    if !ivs.is_empty() {
        if ivs.len() != parts.len() {
            return Err(usage("some tokens have an initialization vector behind a tab, and some have not"));
        }
        body["ivs"] = ivs.into();
    }
    let answer = connection.call("POST", &format!("{profile}/{path}"), Some(&body))?;
    if connection.output == Output::Json {
        return answer.print();
    }
    let made = answer.response[to].as_array().ok_or("the answer has no values")?;
    if made.len() != values.len() {
        return Err("the answer has another number of values".into());
    }
    let ivs = answer.response["ivs"].as_array();
    made.iter().enumerate().try_for_each(|(index, made)| put(made, ivs.and_then(|ivs| ivs.get(index))))
}

/// A token, and the initialization vector that a tab parts from it.
fn parts(way: Way, value: &str) -> Result<(&str, Option<&str>), Failure> {
    match value.split_once('\t').filter(|_| way == Way::Back) {
        Some((token, iv)) if Base64::decode(iv).is_some() => Ok((token, Some(iv))),
        Some((_, iv)) => Err(usage(format!("{iv}: no initialization vector (base64)"))),
        None => Ok((value, None)),
    }
}

/// One value is one line, whatever is in it.
fn put(made: &Value, iv: Option<&Value>) -> Result<(), Failure> {
    let made = show::text(made);
    match iv.and_then(Value::as_str) {
        Some(iv) => output::line(format!("{}\t{}", Shown(&made), Shown(iv))),
        None => output::line(Shown(&made)),
    }
}
