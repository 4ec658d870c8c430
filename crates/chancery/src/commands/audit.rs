//! `chancery audit verify-journal`: whether the journal of the data plane is what it was; and `chancery audit verify`: whether the
//! audit records are. `chancery audit who` is in `audit_who`. What else there is of audit records is in the table of
//! `resources/`.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use chancery_core::{Chancery, Host, JournalState, KeptArchives, OtherJournal};
use chancery_verify::{
    ledger::{Demand, LedgerCopy, LedgerFault, LedgerState, Witnessed, verify_ledger},
    log::{LogKey, is_note},
};
use chancery_x509::time::rfc3339_ms;
use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use serde_json::json;

use super::audit_who;
use crate::{
    bounded,
    cli::audit::{AuditArchive, AuditVerify, AuditVerifyJournal, JournalPlace},
    client::exit::{Exit, as_usage, told_with, usage},
    failure::Failure,
    installation, output,
    shown::{Shown, escaped_json},
};

const LEDGER: &str =
    "Checks that no audit record was changed, removed, inserted or moved: in an export, or in this database";

const LEDGER_EXAMPLE: &str = "Exit codes: 0 nothing was, 1 something was: each line names a place, 2 it cannot be read\n\nExample:\n  chancery audit verify audit.jsonl --checkpoint audit.checkpoint --key \"$(cat audit.key)\"";

/// Lines of faults that are shown: whoever renumbers everything makes one for each record.
const FAULTS_SHOWN: usize = 20;
const LATE_SHOWN: usize = 3;

const VERIFY: &str =
    "Checks the journal of tokenize and detokenize calls on this host: each record, and that none is missing";

const VERIFY_EXAMPLE: &str = "Exit codes: 0 it is whole, 1 it is not: each line names a place\n\nExample:\n  chancery audit verify-journal --data chancery-data --root-key chancery-data/root.key";

const ARCHIVE: &str = "Moves audit records into archives, and removes archives, as the settings say: what the server does by itself once its clock \
                       has gone on for six hours";

const ARCHIVE_EXAMPLE: &str =
    "Example:\n  chancery audit archive --data chancery-data --root-key chancery-data/root.key";

/// Adds them to the commands that the table makes of audit records.
pub(super) fn added(command: Command) -> Command {
    let who = audit_who::added(Command::new("who"));
    let verify =
        AuditVerifyJournal::augment_args(Command::new("verify-journal")).about(VERIFY).after_help(VERIFY_EXAMPLE);
    let ledger = AuditVerify::augment_args(Command::new("verify")).about(LEDGER).after_help(LEDGER_EXAMPLE);
    let archive = AuditArchive::augment_args(Command::new("archive")).about(ARCHIVE).after_help(ARCHIVE_EXAMPLE);
    command.subcommand(who).subcommand(ledger).subcommand(verify).subcommand(archive)
}

/// One of them, where the line has one.
pub(super) fn run(matches: &ArgMatches) -> Option<Result<Exit, Failure>> {
    Some(match matches.subcommand()? {
        ("who", below) => audit_who::run(below),
        ("verify", below) => AuditVerify::from_arg_matches(below)
            .map_err(Failure::from)
            .and_then(|command| block(verify_records(command))),
        ("archive", below) => {
            AuditArchive::from_arg_matches(below).map_err(Failure::from).and_then(|command| block(archive(command)))
        }
        ("verify-journal", below) => AuditVerifyJournal::from_arg_matches(below)
            .map_err(Failure::from)
            .and_then(|command| block(verify(command))),
        _ => return None,
    })
}

pub(super) fn block(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(command)
}

async fn archive(command: AuditArchive) -> Result<Exit, Failure> {
    let settings = command.installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let kept = chancery.audit.keep_archives_now(&Host::running("chancery audit archive")).await;
    chancery.shut_down().await;
    let KeptArchives { made, removed, waits_for } = kept?;
    output::line(json!({"archivesMade": made, "archivesRemoved": removed, "waitsFor": waits_for}))?;
    if !waits_for.is_empty() {
        let targets = waits_for.join(", ");
        output::note(Shown(&format!(
            "The next archive stays until these targets have got its records, or are deleted: {targets}"
        )));
    }
    Ok(Exit::Done)
}

async fn verify_records(command: AuditVerify) -> Result<Exit, Failure> {
    let AuditVerify { file, archives, checkpoint, key, tolerance, cosigned, installation } = command;
    let demand = cosigned.demand()?;
    let tolerance_ms = i64::from(tolerance) * 1_000;
    let witnesses = notes(&checkpoint)?;
    let state = match file {
        Some(file) => verify_export((&file, &archives), key, (&witnesses, &demand), tolerance_ms)?,
        None => {
            let settings = installation.resolve()?;
            let chancery = installation::open_to_judge(&settings).await?;
            let host = Host::running("chancery audit verify");
            let state = chancery.audit.verify_ledger(&host, key.as_ref(), (&witnesses, &demand), tolerance_ms).await;
            chancery.shut_down().await;
            state?
        }
    };
    tell_records(&state)
}

fn verify_export(
    (file, archives): (&Path, &[PathBuf]),
    key: Option<LogKey>,
    kept: (&[String], &Demand),
    tolerance_ms: i64,
) -> Result<LedgerState, Failure> {
    let name = || file.display().to_string();
    let mut copy = LedgerCopy::default();
    for (index, archive) in archives.iter().enumerate() {
        read_lines(archive, |line| copy.push_archived(index, line))?;
        if !copy.has_archive(index) {
            return Err(usage(format!("{} has no records of an archive", archive.display())));
        }
    }
    read_lines(file, |line| copy.push(line))?;
    if !copy.has_ledger() {
        let what = if copy.has_records() { "records alone, and nothing that proves them" } else { "no audit records" };
        let message = format!("{} has {what}", name());
        return Err(told_with(
            Exit::Usage,
            message,
            "Export them with --ledger true: chancery audit export --ledger true",
        ));
    }
    let key = match (key, copy.key()) {
        (Some(key), _) => key,
        (None, Some(named)) => {
            output::note(format_args!(
                "The key is the one that the export names, {named}: compare it with one that you kept."
            ));
            named.parse().map_err(|why| usage(format!("{}: the key of the ledger: {why}", name())))?
        }
        (None, None) => {
            return Err(usage(format!("{} has no key: is it whole, and made with --ledger true?", name())));
        }
    };
    Ok(verify_ledger(copy, &key, kept, tolerance_ms))
}

/// Reads the lines of an export, or of an archive.
fn read_lines(file: &Path, mut push: impl FnMut(&str)) -> Result<(), Failure> {
    let name = || file.display().to_string();
    let opened = File::open(file).map_err(|error| usage(format!("{}: {error}", name())))?;
    // Blank lines at the end are none of the export; before that one stands where something else stood.
    let (mut blank, mut is_first) = (Vec::new(), true);
    for line in BufReader::new(opened).lines() {
        let mut line = line.map_err(|error| usage(format!("{}: {error}", name())))?;
        // Some editors begin texts with a mark.
        if line.starts_with('\u{feff}') && std::mem::take(&mut is_first) {
            line.remove(0);
        }
        if line.trim().is_empty() {
            blank.push(line);
        } else {
            blank.drain(..).for_each(|line: String| push(&line));
            push(&line);
        }
    }
    Ok(())
}

/// A time of a cosignature. One that no calendar has is no time.
fn rfc3339(time_s: u64) -> String {
    chancery_core::rfc3339(i64::try_from(time_s).unwrap_or(i64::MAX))
}

fn tell_records(state: &LedgerState) -> Result<Exit, Failure> {
    let LedgerState { records, removed, newer, newest, witnessed, faults } = state;
    tell_ledger_faults(faults);
    if !faults.is_empty() {
        return Ok(Exit::Failed);
    }
    if *newer > 0 {
        output::note(format_args!(
            "Newer than the newest checkpoint, so that nothing proves them yet: {newer} records."
        ));
    }
    let leaves = newest.as_ref().map_or(0, |newest| newest.head.size);
    let newest = newest.as_ref().map(|newest| {
        json!({"number": newest.number, "records": newest.head.size, "time": newest.time, "origin": newest.head.origin})
    });
    let mut told = json!({"records": records, "newer": newer, "checkpoint": newest});
    if *removed > 0 {
        told["removed"] = json!(removed);
    }
    if let Some(Witnessed { checkpoint, cosigned }) = witnessed {
        let by: Vec<_> = cosigned.iter().map(|one| json!({"name": one.witness, "time": rfc3339(one.time_s)})).collect();
        // What came after it no witness has seen.
        let after = (leaves + newer).saturating_sub(checkpoint.head.size);
        told["witnessed"] =
            json!({"number": checkpoint.number, "records": checkpoint.head.size, "after": after, "by": by});
    }
    output::line(escaped_json(&told.to_string()))?;
    Ok(Exit::Done)
}

/// Those that a wrong clock makes come last, and are few lines: one that was set makes one of each record.
fn tell_ledger_faults(faults: &[LedgerFault]) {
    let seconds = |fault: &LedgerFault| {
        let (LedgerFault::Late { seconds, .. } | LedgerFault::Early { seconds, .. }) = fault else { return None };
        Some(*seconds)
    };
    let (late, others): (Vec<_>, Vec<_>) = faults.iter().partition(|fault| seconds(fault).is_some());
    for (some, shown) in [(&others, FAULTS_SHOWN), (&late, LATE_SHOWN)] {
        some.iter().take(shown).for_each(|fault| output::note(format_args!("Not whole: {fault}.")));
        if let Some(more) = some.len().checked_sub(shown).filter(|more| *more > 0) {
            output::note(format_args!("Not whole: {more} more of this kind."));
        }
    }
    if let Some(most) = late.into_iter().filter_map(seconds).max() {
        output::note(format_args!(
            "A server whose clock was set makes records that are older than what was before them, or newer than what came \
             after: if records of ClockJump say that it was, --tolerance {most} allows for it. Otherwise they were inserted."
        ));
    }
}

/// Checkpoints that were kept. What is no note at all cannot be read, and says nothing of the records.
fn notes(files: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let note = |file: &PathBuf| {
        let text = bounded::text("--checkpoint", file).map_err(|why| as_usage(&why))?;
        let note = as_kept(&text);
        let wrong =
            || usage(format!("--checkpoint {}: it is no signed note, as audit checkpoint answers", file.display()));
        is_note(&note).then_some(note).ok_or_else(wrong)
    };
    files.iter().map(note).collect()
}

/// A note as it was signed, whatever tools and systems have made of the ends of its lines and of its own.
fn as_kept(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    format!("{}\n", text.trim_matches([' ', '\t', '\n']))
}

async fn verify(command: AuditVerifyJournal) -> Result<Exit, Failure> {
    let AuditVerifyJournal { head, checkpoint, place } = command;
    let checkpoints = notes(&checkpoint)?;
    let (chancery, folder) = open(place).await?;
    let host = Host::running("chancery audit verify-journal");
    let state = chancery.tokens.verify_journal(&host, &folder, head, &checkpoints).await;
    chancery.shut_down().await;
    let state = state?;
    let missed: Vec<_> = state.others.iter().filter(|other| other.is_missed_here).collect();
    missed.iter().for_each(|other| output::note(format_args!("Not whole: {}.", not_looked_through(other))));
    let is_whole = tell_faults(&state) && missed.is_empty();
    let walked = state.walked;
    if walked.unchecked > 0 {
        output::note(format_args!("Heads whose records could not be compared: {}.", walked.unchecked));
    }
    if !is_whole {
        return Ok(Exit::Failed);
    }
    let head = walked.head.map(|head| head.to_string());
    let told = json!({"journal": walked.journal, "segments": walked.segments, "records": walked.records, "values": walked.values, "head": head});
    output::line(told)?;
    Ok(Exit::Done)
}

pub(super) async fn open(place: JournalPlace) -> Result<(std::sync::Arc<Chancery>, PathBuf), Failure> {
    let JournalPlace { journal_dir, installation } = place;
    let settings = installation.resolve()?;
    let chancery = installation::open_to_judge(&settings).await?;
    let folder = journal_dir.unwrap_or_else(|| settings.journal.folder.clone());
    if !folder.is_dir() {
        return Err(usage(format!(
            "there is no journal in {}: --journal-dir DIR names another folder",
            folder.display()
        )));
    }
    Ok((chancery, folder))
}

/// What is said of a journal that was not looked through.
pub(super) fn not_looked_through(other: &OtherJournal) -> String {
    let OtherJournal { id, host, missing_from_ms, .. } = other;
    let host = Shown(host);
    missing_from_ms.map_or_else(
        || format!("the journal of {host} ({id}), which its own server has, or its files there"),
        |ms| format!("the journal that {host} had ({id}) is missing; it went up to {}", rfc3339_ms(ms)),
    )
}

/// Whether there are none.
pub(super) fn tell_faults(state: &JournalState) -> bool {
    let faults = state.faults();
    for fault in &faults {
        output::note(format_args!("Not whole: {fault}."));
    }
    faults.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_whatever_became_of_its_ends() {
        let note = "chancery.invalid/x/audit\n7\n\n\u{2014} chancery.invalid/x/audit AAAAAAAA\n";
        assert!(is_note(note));
        let (crlf, open) = (note.replace('\n', "\r\n"), note.trim_end());
        for kept in [note, &crlf, open, &format!("{note}\n"), &format!("\u{feff}\r\n{crlf}\r\n \n")] {
            assert_eq!(as_kept(kept), note, "{kept:?}");
        }
    }
}
