//! `chancery audit who`: who has made or read a token, asked of a server, or of the journal's files on this host.

use std::ops::RangeInclusive;

use chancery_core::{Host, JournalEntry};
use chancery_types::{
    JournalStanding,
    wire::journal::{JournalCalls, SearchJournal, SearchedJournal},
};
use chancery_x509::time::{parse_rfc3339, rfc3339_ms};
use clap::{ArgMatches, Args as _, Command, FromArgMatches as _, parser::ValueSource};
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::audit::{block, not_looked_through, open, tell_faults};
use crate::{
    cli::audit::{AuditWho, JournalPlace, OF_HOST, OF_SERVER},
    client::{
        connection::{Connection, Output, ServerOptions, logged_in},
        exit::{Exit, ends_with, exit_of, usage},
        inputs::{lines_of_input, still_read},
    },
    failure::{Failure, While as _},
    output,
    resources::{self, names::Names, show},
    shown::{Shown, ShownName, escaped_json},
};

const WHO: &str = "Shows who has made or read a token: by a server's journal, or by the files of one on this host";

const EXAMPLE: &str = "A server looks through its own journal, and says which others there are: ask each by --server. With \
    --data, --root-key or --journal-dir the files on this host are read, and each call is a line of JSON.\n\n\
    Exit codes: 0 somebody has, 1 not everything was looked through, or nothing could be, or it is not whole, 2 \
    nobody has\n\n\
    Example:\n  chancery audit who 4111110000001111 --profile 'demo cards'";

/// Calls that are asked for at a time: the most that a server answers.
const PAGE: u32 = 1_000;

/// Places of one call that are shown.
const PLACES_SHOWN: usize = 5;

pub(super) fn added(command: Command) -> Command {
    AuditWho::augment_args(command).about(WHO).after_help(EXAMPLE)
}

pub(super) fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let is_of_host = is_of_host(matches)?;
    let AuditWho { token, profile, from, to, place, server } = AuditWho::from_arg_matches(matches)?;
    let asked = Asked { token: token.map_or_else(first_line, Ok)?, profile, from, to };
    let outcome = if is_of_host { block(on_host(asked, place)) } else { at_server(&asked, &server) };
    // Where nobody could look it is not said that nobody has.
    outcome.map_err(|why| if exit_of(&why) == Exit::Usage { ends_with(Exit::Failed, &why) } else { why })
}

/// What is asked.
struct Asked {
    token: String,
    profile: String,
    from: Option<String>,
    to: Option<String>,
}

/// Whether the files on this host are meant. What is said on the line counts more than the environment, and there the host.
fn is_of_host(matches: &ArgMatches) -> Result<bool, Failure> {
    let given =
        |names: &[&str], source: ValueSource| names.iter().any(|name| matches.value_source(name) == Some(source));
    match (given(&OF_HOST, ValueSource::CommandLine), given(&OF_SERVER, ValueSource::CommandLine)) {
        (true, true) => {
            Err(usage("either a server is asked (--server …), or the files here (--data, --journal-dir …)"))
        }
        (true, false) => Ok(true),
        (false, true) => Ok(false),
        (false, false) => Ok(given(&OF_HOST, ValueSource::EnvVariable)),
    }
}

fn first_line() -> Result<String, Failure> {
    lines_of_input().next().unwrap_or_else(|| Err(usage("the token is missing: as TOKEN, or a line of standard input")))
}

/// Asks a server, as often as it needs to look through its journal.
fn at_server(asked: &Asked, server: &ServerOptions) -> Result<Exit, Failure> {
    logged_in(server, |connection| {
        let kind = resources::find("profile").ok_or("there is no such kind")?;
        let id = Names::new(connection).resolve(kind, &asked.profile)?;
        let mut question = SearchJournal {
            token_profile_uuid: id.parse().map_err(|_| usage(format!("--profile {}", asked.profile)))?,
            token: asked.token.clone(),
            from: asked.from.clone(),
            to: asked.to.clone(),
            page_size: Some(PAGE),
            after: None,
        };
        let (mut rows, mut found, mut faults) = (Vec::new(), 0, Vec::new());
        let last = loop {
            still_read()?;
            let answer = one_answer(connection, &question)?;
            found += answer.items.len();
            faults.extend(answer.journals.iter().flat_map(|journal| journal.faults.clone()));
            if connection.output == Output::Table {
                rows.extend(answer.items.iter().map(row));
            }
            match answer.next.clone() {
                Some(next) => question.after = Some(next),
                None => break answer,
            }
        };
        if connection.output == Output::Table && found > 0 {
            show::table(&["WHEN", "WHO", "WHAT", "OUTCOME", "SEEN", "FROM", "AT", "OF", "REQUEST"], &rows)?;
        }
        last.journals.iter().for_each(|journal| tell(journal, asked.from.as_deref()));
        faults.iter().for_each(|fault| output::note(format_args!("Not whole: {}.", Shown(fault))));
        Ok(match (last.complete, found) {
            (false, _) => Exit::Failed,
            (true, 0) => {
                output::note("Nobody: this token is in none of the journals.");
                Exit::Usage
            }
            (true, _) => Exit::Done,
        })
    })
}

fn one_answer(connection: &Connection, question: &SearchJournal) -> Result<JournalCalls, Failure> {
    let body: Value = serde_json::to_value(question)?;
    let answer = connection.call("POST", "/api/v2/audit/journal/search", Some(&body))?;
    if connection.output == Output::Json {
        answer.print()?;
    }
    JournalCalls::deserialize(&answer.response).doing("the calls as the server has them")
}

fn row(call: &chancery_types::wire::journal::JournalCall) -> Vec<String> {
    let who = call
        .identities
        .iter()
        .map(|one| one.name.as_deref().map_or_else(|| one.uuid.to_string(), |name| ShownName(name).to_string()));
    let mut places: Vec<_> = call.indexes.iter().take(PLACES_SHOWN).map(ToString::to_string).collect();
    if call.matches as usize > places.len() {
        places.push("…".to_owned());
    }
    vec![
        call.time.clone(),
        who.collect::<Vec<_>>().join(" + "),
        call.action.to_string(),
        call.outcome.to_string(),
        call.view.to_string(),
        call.source.clone(),
        places.join(","),
        call.values.to_string(),
        call.request_id.clone(),
    ]
}

/// Tells what of a journal the answer does not say.
fn tell(journal: &SearchedJournal, from: Option<&str>) {
    let SearchedJournal { uuid, host, standing, written_at, removed_before, .. } = journal;
    let host = Shown(host);
    match standing {
        JournalStanding::Searched => {}
        JournalStanding::NotWhole => output::note(format_args!("Not whole: the journal of {host} ({uuid}).")),
        JournalStanding::Elsewhere => output::note(format_args!(
            "Not looked through: the journal of {host} ({uuid}), last heard of {written_at}. Ask its own server."
        )),
        JournalStanding::Missing => output::note(format_args!(
            "Not looked through: the journal that {host} had ({uuid}) is missing; it went up to {written_at}."
        )),
    }
    let begins_late = |removed: &&String| {
        let ms = |text: &str| parse_rfc3339(text).unwrap_or(i64::MIN);
        from.is_none_or(|from| ms(from) < ms(removed))
    };
    if let Some(removed) = removed_before.as_ref().filter(begins_late) {
        output::note(format_args!(
            "Calls before {removed} are removed from the journal of {host}: their time was over."
        ));
    }
}

async fn on_host(asked: Asked, place: JournalPlace) -> Result<Exit, Failure> {
    let Asked { token, profile, from, to } = asked;
    let time_ms = times(from.as_deref(), to.as_deref())?;
    let (chancery, folder) = open(place).await?;
    let (mut count, mut failed) = (0_u64, None);
    let mut show = |entry: JournalEntry| {
        count += 1;
        if failed.is_none() {
            failed = output::line(escaped_json(&shown(&entry))).err();
        }
    };
    let host = Host::running("chancery audit who");
    let state = chancery.tokens.who_had_token(&host, &folder, (&profile, &token), time_ms, &mut show).await;
    chancery.shut_down().await;
    let state = state?;
    failed.map_or(Ok(()), Err)?;
    let is_whole = tell_faults(&state);
    for other in &state.others {
        output::note(format_args!("Not looked through: {}.", not_looked_through(other)));
    }
    if !is_whole || !state.others.is_empty() {
        return Ok(Exit::Failed);
    }
    if count == 0 {
        let values = state.walked.values;
        output::note(format_args!("Nobody: none of the {values} tokens in the journal is this one."));
        return Ok(Exit::Usage);
    }
    Ok(Exit::Done)
}

fn times(from: Option<&str>, to: Option<&str>) -> Result<Option<RangeInclusive<i64>>, Failure> {
    let moment = |flag: &str, text: Option<&str>, otherwise: i64| match text {
        None => Ok(otherwise),
        Some(text) => {
            let wrong = || Failure::from(format!("--{flag} {text}: a moment has the form 2026-11-25T08:00:00Z"));
            parse_rfc3339(text).ok_or_else(wrong)
        }
    };
    let times = moment("from", from, i64::MIN)?..=moment("to", to, i64::MAX)?;
    Ok((from.is_some() || to.is_some()).then_some(times))
}

fn shown(entry: &JournalEntry) -> String {
    let identities: Vec<_> = entry.identities.iter().map(|(uuid, name)| json!({"uuid": uuid, "name": name})).collect();
    json!({
        "time": rfc3339_ms(entry.time_ms),
        "action": entry.action,
        "outcome": entry.outcome,
        "view": entry.view,
        "identities": identities,
        "source": entry.source,
        "tokenProfileUuid": entry.profile,
        "session": entry.session,
        "requestId": entry.request_id,
        "keyVersion": entry.key_version,
        "values": entry.values,
        "index": entry.index,
        "segment": entry.segment,
        "record": entry.record,
    })
    .to_string()
}
