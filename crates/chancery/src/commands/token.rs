//! `chancery token` and `chancery track`: calls of one value each, for as many as there are lines.

use serde_json::{Map, Value, json};

use super::tokenize::{Way, line_of, parts, with_grant, with_version};
use crate::{
    cli::tokens::{GrantedTokens, TokenCommand, TokenDelete, TrackCommand, Values},
    client::{
        connection::{Answer, Connection, Output, logged_in},
        consent,
        exit::Exit,
        inputs::{lines_of_input, still_read},
    },
    failure::{Failure, While as _},
    output,
    resources::{self, names::Names, show},
    shown::Shown,
};

pub(crate) fn run(command: TokenCommand) -> Result<Exit, Failure> {
    match command {
        TokenCommand::Show(values) => shown(&values),
        TokenCommand::Exists(values) => each(&values, |connection, path, value, _| {
            let body = json!({"message": value});
            let answer = connection.call("POST", &format!("{path}/tokenized"), Some(&body))?;
            told(connection, &answer, || Ok(show::text(&answer.response["tokenized"])))
        }),
        TokenCommand::Delete(command) => delete(&command),
    }
}

fn delete(command: &TokenDelete) -> Result<Exit, Failure> {
    if !command.yes {
        output::note("Tokens that are deleted, and the values behind them, cannot be had back.");
        consent::asked("delete", "Look at them first (chancery token show)")?;
    }
    each(&command.values, |connection, path, value, _| {
        let body = json!({"token": value});
        let answer = connection.call("POST", &format!("{path}/tokens/delete"), Some(&body))?;
        told(connection, &answer, || Ok(format!("deleted: {}", Shown(value))))
    })
}

pub(crate) fn run_track(command: TrackCommand) -> Result<Exit, Failure> {
    match command {
        TrackCommand::Tokenize(values) => track(&values, Way::There, "track-tokenize", &Map::new()),
        TrackCommand::Detokenize(GrantedTokens { grant, tokens }) => {
            let besides = with_grant(with_version(tokens.key_version), grant.as_deref());
            track(&tokens.values, Way::Back, "track-detokenize", &besides)
        }
    }
}

fn track(values: &Values, way: Way, call: &str, besides: &Map<String, Value>) -> Result<Exit, Failure> {
    each(values, |connection, path, value, place| {
        let (track, iv) = parts(way, value)?;
        let mut body = Value::Object(besides.clone());
        body["track"] = track.into();
        if let Some(iv) = iv {
            body["iv"] = iv.into();
        }
        let answer = connection.call("POST", &format!("{path}/{call}"), Some(&body))?;
        told(connection, &answer, || line_of(way, &answer.response["track"], answer.response.get("iv"), place))
    })
}

fn shown(values: &Values) -> Result<Exit, Failure> {
    let mut rows = Vec::new();
    let is_table = values.server.output == Output::Table;
    each(values, |connection, path, value, _| {
        let body = json!({"token": value});
        let answer = connection.call("POST", &format!("{path}/tokens/read"), Some(&body))?;
        if !is_table {
            return answer.print();
        }
        let member = |name: &str| show::text(&answer.response[name]);
        let metadata = &answer.response["metadata"];
        let metadata = if metadata.is_null() { "-".to_owned() } else { metadata.to_string() };
        rows.push(vec![value.to_owned(), member("createdAt"), member("expiresAt"), member("keyVersion"), metadata]);
        Ok(())
    })?;
    if is_table {
        show::table(&["TOKEN", "MADE", "UNTIL", "KEY VERSION", "METADATA"], &rows)?;
    }
    Ok(Exit::Done)
}

/// Does something with every value, in their order; what fails is told with its place, and ends it.
fn each(
    values: &Values,
    mut act: impl FnMut(&Connection, &str, &str, &str) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    logged_in(&values.server, |connection| {
        let kind = resources::find("profile").ok_or("there is no such kind")?;
        let path = format!("/api/v2/token-profiles/{}", Names::new(connection).resolve(kind, &values.profile)?);
        let mut done = |number: usize, what: &str, value: &str| {
            let place = format!("{what} {}", number + 1);
            still_read()?;
            act(connection, &path, value, &place).doing(place)
        };
        if !values.values.is_empty() {
            values.values.iter().enumerate().try_for_each(|(number, value)| done(number, "value", value))?;
        } else {
            lines_of_input().enumerate().try_for_each(|(number, line)| done(number, "line", &line?))?;
        }
        still_read().map(|()| Exit::Done)
    })
}

fn told(
    connection: &Connection,
    answer: &Answer,
    line: impl FnOnce() -> Result<String, Failure>,
) -> Result<(), Failure> {
    match connection.output {
        Output::Json => answer.print(),
        Output::Table => output::line(line()?),
    }
}
