//! `chancery audit who` and `chancery audit verify-journal`: what the journal of the data plane says, read on the host. What
//! else there is of audit records is in the table of `resources/`.

use std::{ops::RangeInclusive, path::PathBuf};

use chancery_core::{Chancery, Host, JournalEntry, JournalState};
use chancery_x509::time::{parse_rfc3339, rfc3339_ms};
use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use serde_json::json;

use crate::{
    cli::audit::{AuditVerifyJournal, AuditWho, JournalPlace},
    client::exit::Exit,
    failure::Failure,
    installation, output,
    shown::escaped_json,
};

const WHO: &str = "Shows who has made or read a token, from the journal on this host: a line of JSON for each call";

const WHO_EXAMPLE: &str = "Exit codes: 0 somebody has, 1 the journal is not whole, 2 nobody has\n\nExample:\n  chancery audit who 4111110000001111 --profile 'demo cards' --data chancery-data --root-key chancery-data/root.key";

const VERIFY: &str =
    "Checks the journal of tokenize and detokenize calls on this host: each record, and that none is missing";

const VERIFY_EXAMPLE: &str = "Exit codes: 0 it is whole, 1 it is not: each line names a place\n\nExample:\n  chancery audit verify-journal --data chancery-data --root-key chancery-data/root.key";

/// Adds both to the commands that the table makes of audit records.
pub(super) fn added(command: Command) -> Command {
    let who = AuditWho::augment_args(Command::new("who")).about(WHO).after_help(WHO_EXAMPLE);
    let verify =
        AuditVerifyJournal::augment_args(Command::new("verify-journal")).about(VERIFY).after_help(VERIFY_EXAMPLE);
    command.subcommand(who).subcommand(verify)
}

/// One of both, where the line has one.
pub(super) fn run(matches: &ArgMatches) -> Option<Result<Exit, Failure>> {
    Some(match matches.subcommand()? {
        ("who", below) => {
            AuditWho::from_arg_matches(below).map_err(Failure::from).and_then(|command| block(who(command)))
        }
        ("verify-journal", below) => AuditVerifyJournal::from_arg_matches(below)
            .map_err(Failure::from)
            .and_then(|command| block(verify(command))),
        _ => return None,
    })
}

fn block(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(command)
}

async fn who(command: AuditWho) -> Result<Exit, Failure> {
    let AuditWho { token, profile, from, to, place } = command;
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
    let state = chancery.who_had_token(&host, &folder, (&profile, &token), time_ms, &mut show).await;
    chancery.shut_down().await;
    let state = state?;
    failed.map_or(Ok(()), Err)?;
    tell_faults(&state);
    if !state.faults.is_empty() {
        return Ok(Exit::Failed);
    }
    if count == 0 {
        let values = state.values;
        output::note(format_args!("Nobody: none of the {values} tokens in the journal is this one."));
        return Ok(Exit::Usage);
    }
    Ok(Exit::Done)
}

async fn verify(command: AuditVerifyJournal) -> Result<Exit, Failure> {
    let AuditVerifyJournal { head, place } = command;
    let (chancery, folder) = open(place).await?;
    let state = chancery.verify_journal(&Host::running("chancery audit verify-journal"), &folder, head).await;
    chancery.shut_down().await;
    let state = state?;
    tell_faults(&state);
    if state.unchecked > 0 {
        output::note(format_args!("{} heads are of records that are not there any more.", state.unchecked));
    }
    if !state.faults.is_empty() {
        return Ok(Exit::Failed);
    }
    let JournalState { journal, segments, records, values, head, .. } = state;
    let head = head.map(|head| head.to_string());
    let told = json!({"journal": journal, "segments": segments, "records": records, "values": values, "head": head});
    output::line(told)?;
    Ok(Exit::Done)
}

async fn open(place: JournalPlace) -> Result<(std::sync::Arc<Chancery>, PathBuf), Failure> {
    let JournalPlace { journal_dir, installation } = place;
    let settings = installation.resolve()?;
    installation::expect_existing(&settings)?;
    let folder = journal_dir.unwrap_or_else(|| settings.journal.folder.clone());
    if !folder.is_dir() {
        return Err(
            format!("there is no journal in {}: --journal-dir DIR names another folder", folder.display()).into()
        );
    }
    Ok((installation::open_existing(&settings).await?, folder))
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

fn tell_faults(state: &JournalState) {
    for fault in &state.faults {
        output::note(format_args!("Not whole: {fault}."));
    }
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
