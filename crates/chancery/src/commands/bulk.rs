//! `chancery tokenize` and `chancery detokenize` of columns of a file: from options to a job, and what became of it.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread::sleep,
    time::{Duration, Instant},
};

use chancery_bulk::{BulkError, Column, Format, Job, Place, Progress, Summary, Watch};
use chancery_client::{ClientError, Destination};
use serde_json::json;

use super::tokenize::{Way, for_want_of_grant};
use crate::{
    cli::client::{FileFormat, Files, Tokenize},
    client::{
        connection::{Connection, Output, logged_in},
        exit::{Exit, passes, told_with, usage},
    },
    failure::{Failure, describe},
    output,
    resources::{self, names::Names},
    shown::Shown,
};

/// How often progress is told to a terminal, and to a file.
const TELL_EVERY: Duration = Duration::from_millis(200);
const LOG_EVERY: Duration = Duration::from_secs(30);

/// The longest that one call may take, however much patience there is with a server that gives no answer.
const CALL_MAX: Duration = Duration::from_secs(60);

/// The first wait for a server that cannot be reached before anything is begun, and the longest.
const BEGIN_WAIT: Duration = Duration::from_millis(500);
const BEGIN_WAIT_MAX: Duration = Duration::from_secs(15);

pub(super) fn run(command: &Tokenize, way: Way) -> Result<Exit, Failure> {
    let (since, mut has_begun, mut wait) = (Instant::now(), false, BEGIN_WAIT);
    loop {
        match attempt(command, way, &mut has_begun) {
            // What has begun has its own patience.
            Err(failure) if !has_begun && passes(&failure) && since.elapsed() + wait < command.files.patience => {
                output::note(format_args!("chancery: {}; trying again", Shown(&describe(failure.as_ref()))));
                sleep(wait);
                wait = (wait * 2).min(BEGIN_WAIT_MAX);
            }
            done => return done,
        }
    }
}

fn attempt(command: &Tokenize, way: Way, has_begun: &mut bool) -> Result<Exit, Failure> {
    logged_in(&command.server, |connection| {
        connection.client.set_patience(command.files.patience.min(CALL_MAX));
        let job = job(command, way, connection)?;
        *has_begun = true;
        let teller = Teller { is_terminal: io::stderr().is_terminal(), since: Instant::now(), told: Mutex::default() };
        let outcome = chancery_bulk::run(&connection.client, &job, &teller);
        teller.end_line();
        match outcome {
            Ok(summary) => report(connection, &job, summary),
            Err(error) => Err(failure(error, &job)),
        }
    })
}

fn job(command: &Tokenize, way: Way, connection: &Connection) -> Result<Job, Failure> {
    let files = &command.files;
    let [input] = command.values.as_slice() else {
        return Err(usage("with --column or --fixed-width one file is expected, or - for standard input"));
    };
    let place = |path: &Path| if path == Path::new("-") { Place::Standard } else { Place::File(path.to_owned()) };
    let input = place(Path::new(input));
    let is_standard = |path: &&Path| matches!(Destination::find(path), Ok(Destination::Standard));
    let output = files.out.as_deref().filter(|path| !is_standard(path)).map_or(Place::Standard, place);
    let rejects = match (&files.rejects, &output) {
        (Some(path), _) => Some(path.clone()),
        // Beside a device there is no place for them.
        (None, Place::File(path))
            if !matches!(Destination::find(path), Ok(Destination::Into(_) | Destination::Standard)) =>
        {
            Some(with_end(path, ".rejects"))
        }
        (None, Place::File(_)) => None,
        (None, Place::Standard) => None,
    };
    Ok(Job {
        way: if way == Way::There { chancery_bulk::Way::Tokenize } else { chancery_bulk::Way::Detokenize },
        columns: columns(command, connection)?,
        format: format(files, &input)?,
        input,
        output,
        rejects,
        connections: files.connections,
        batch: files.batch,
        patience: files.patience,
        key_version: command.key_version,
        grant: command.grant.as_deref().map(str::parse).transpose()?,
        restarts: files.restart,
    })
}

fn columns(command: &Tokenize, connection: &Connection) -> Result<Vec<Column>, Failure> {
    let kind = resources::find("profile").ok_or("there is no such kind")?;
    let names = Names::new(connection);
    let files = &command.files;
    let mut columns = Vec::new();
    for text in files.column.iter().chain(&files.fixed_width) {
        let (name, profile) = text.split_once('=').map_or((text.as_str(), None), |(name, own)| (name, Some(own)));
        let missing = || usage(format!("{name}: by which profile? Give --profile NAME, or {name}=NAME"));
        let profile = profile.or(command.profile.as_deref()).ok_or_else(missing)?;
        columns.push(Column::new(name, names.resolve(kind, profile)?.parse()?));
    }
    for text in &files.iv_column {
        let (column, name) = match (text.split_once('='), columns.as_slice()) {
            (Some(parts), _) => parts,
            (None, [one]) => (one.name.as_str(), text.as_str()),
            (None, _) => return Err(usage(format!("--iv-column {text}: of which column? COLUMN={text} is expected"))),
        };
        let (column, name) = (column.to_owned(), name.to_owned());
        let found = columns.iter_mut().find(|known| known.name == column);
        found.ok_or_else(|| usage(format!("--iv-column {text}: {column} is no --column")))?.iv_name = name;
    }
    Ok(columns)
}

fn format(files: &Files, input: &Place) -> Result<Format, Failure> {
    if !files.fixed_width.is_empty() {
        return Ok(Format::FixedWidth);
    }
    let of_name = match input {
        Place::File(path) => Format::of_name(path),
        Place::Standard => Some(Format::CSV),
    };
    let format = match (files.format, of_name) {
        (Some(FileFormat::Jsonl), _) => Format::JsonLines,
        (Some(FileFormat::Parquet), _) => Format::Parquet,
        (Some(FileFormat::Csv), Some(format @ Format::Csv { .. })) | (None, Some(format)) => format,
        (Some(FileFormat::Csv), _) => Format::CSV,
        (None, None) => {
            let message = "the file's name does not say what is in it: .csv, .tsv, .jsonl, .ndjson or .parquet is expected, with \
                 .gz or .zst behind it if it is compressed";
            return Err(told_with(Exit::Usage, message, "Say it: --format csv, jsonl or parquet."));
        }
    };
    let Format::Csv { delimiter, .. } = format else {
        if files.delimiter.is_some() || files.no_header {
            return Err(usage("--delimiter and --no-header are for CSV files"));
        }
        return Ok(format);
    };
    let delimiter = match files.delimiter.as_deref().map(str::as_bytes) {
        None => delimiter,
        Some(b"tab" | b"\\t") => b'\t',
        Some([one]) => *one,
        Some(_) => return Err(usage("--delimiter: one ASCII character is expected, or tab")),
    };
    Ok(Format::Csv { delimiter, has_names: !files.no_header })
}

fn report(connection: &Connection, job: &Job, summary: Summary) -> Result<Exit, Failure> {
    let Summary { rows, bad, .. } = summary;
    let rejects = job.rejects.as_ref().filter(|_| bad > 0).map(|path| path.display().to_string());
    match &job.output {
        Place::Standard => {}
        Place::File(_) if connection.output == Output::Json => {
            output::line(json!({"rows": rows, "bad": bad, "rejects": rejects}))?;
        }
        Place::File(path) => {
            output::line(format!(
                "{} written to {}",
                output::counted(rows, "row"),
                Shown(&path.display().to_string())
            ))?;
        }
    }
    match rejects {
        Some(rejects) => {
            output::note(format!(
                "chancery: {} {} refused: {} has {}",
                output::counted(bad, "row"),
                if bad == 1 { "was" } else { "were" },
                Shown(&rejects),
                if bad == 1 { "it, with its reason" } else { "them, each with its reason" }
            ));
            Ok(Exit::RowsRefused)
        }
        None => Ok(Exit::Done),
    }
}

/// How a failure ends the command, and what to do next.
fn failure(error: BulkError, job: &Job) -> Failure {
    let is_kept = matches!(&job.output, Place::File(path) if with_end(path, ".part.json").exists());
    let is_file = |path: &Path| path.metadata().map_or(true, |found| found.is_file());
    let nothing = match &job.output {
        Place::File(path) if is_file(path) => "Nothing was written.",
        Place::File(_) | Place::Standard => "What was written until then is not all of it.",
    };
    let go_on = if is_kept { "The same command goes on where this one stopped." } else { nothing };
    let mended = if is_kept { "Mend the file, and begin anew: add --restart." } else { nothing };
    match error {
        BulkError::Job(message) => usage(message),
        BulkError::Journal(message) => {
            let next = "Run the earlier command again to go on with it; or add --restart to begin anew.";
            told_with(Exit::Usage, message, next)
        }
        BulkError::Row { .. } => {
            let next = "Correct it, or give --rejects FILE for such rows.";
            told_with(Exit::Refused, error.to_string(), next)
        }
        BulkError::File { ref source, .. } if is_of_content(source) => {
            told_with(Exit::Failed, describe(&error), mended)
        }
        BulkError::File { ref source, .. } if source.kind() == io::ErrorKind::BrokenPipe => {
            told_with(Exit::Failed, describe(&error), format!("Whoever read it stopped. {go_on}"))
        }
        BulkError::File { .. } => {
            let next = format!("Look whether the file is there, may be used, and has room on its disk. {go_on}");
            told_with(Exit::Failed, describe(&error), next)
        }
        BulkError::KeyVersion { .. } => {
            let next =
                "What is written so far has tokens of the earlier one. To begin anew with the later one add --restart.";
            told_with(Exit::Refused, error.to_string(), next)
        }
        BulkError::Changed(_) => told_with(Exit::Failed, error.to_string(), "Begin anew: add --restart."),
        BulkError::Damaged(message) => told_with(Exit::Failed, message, mended),
        BulkError::Call { source: ClientError::Refused { status: 429, .. }, .. } => {
            let next = "What is answered is written when a whole portion is: where a budget is less than that, give a \
                        smaller --batch, and --restart once.";
            told_with(Exit::Refused, describe(&error), format!("{go_on} {next}"))
        }
        BulkError::Call { ref column, ref source } => match wants_grant(job, column, source) {
            Some(next) => told_with(Exit::Refused, describe(&error), next),
            None => stopped(error, is_kept.then_some(go_on)),
        },
        BulkError::Stopped => stopped(error, is_kept.then_some(go_on)),
    }
}

/// What to do where the column's profile demands a grant.
fn wants_grant(job: &Job, column: &str, refused: &ClientError) -> Option<String> {
    let profile = job.columns.iter().find(|one| one.name == column)?.profile;
    for_want_of_grant(refused, &profile.to_string())
}

fn stopped(error: BulkError, go_on: Option<&str>) -> Failure {
    if let Some(go_on) = go_on {
        output::note(format!("chancery: {go_on}"));
    }
    error.into()
}

/// Whether a file could be read, and is not what it is said to be.
fn is_of_content(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    [InvalidData, InvalidInput, UnexpectedEof].contains(&error.kind())
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Tells on standard error how far it is.
struct Teller {
    is_terminal: bool,
    since: Instant,
    told: Mutex<Option<Instant>>,
}

impl Teller {
    /// What comes next on standard error begins a line.
    fn end_line(&self) {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_terminal && told.is_some() {
            output::note("");
        }
    }
}

impl Watch for Teller {
    fn progress(&self, progress: &Progress) {
        let every = if self.is_terminal { TELL_EVERY } else { LOG_EVERY };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.unwrap_or(self.since).elapsed() < every {
            return;
        }
        *told = Some(Instant::now());
        let line = line(progress, self.since.elapsed());
        if self.is_terminal {
            // Over the line before.
            output::part(&format!("\r{line:<70}"));
        } else {
            output::note(line);
        }
    }

    fn note(&self, note: &str) {
        self.end_line();
        output::note(format!("chancery: {note}"));
    }
}

fn line(progress: &Progress, elapsed: Duration) -> String {
    let Progress { rows, bad, rows_before, read, read_before, total } = *progress;
    let seconds = elapsed.as_secs_f64().max(0.001);
    let rate = (rows + bad).saturating_sub(rows_before) as f64 / seconds;
    let mut line = format!("{}, {rate:.0} a second", output::counted(rows, "row"));
    if let Some(total) = total.filter(|total| *total > 0) {
        let speed = read.saturating_sub(read_before) as f64 / seconds;
        line += &format!(", {:.0} %", read.min(total) as f64 * 100.0 / total as f64);
        // A run that goes on has read nothing of its own at first, and nobody knows how fast it is.
        if speed > 0.0 {
            line += &format!(", {:.0} s left", total.saturating_sub(read) as f64 / speed);
        }
    }
    if bad > 0 {
        line += &format!(", {bad} refused");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_rate_and_time_left() {
        let progress = Progress { rows: 4_000, bad: 10, rows_before: 10, read: 60, read_before: 20, total: Some(100) };
        let line = line(&progress, Duration::from_secs(2));
        assert_eq!(line, "4000 rows, 2000 a second, 60 %, 2 s left, 10 refused");
        let taken_up = Progress { rows: 20, read: 20, bad: 0, ..progress };
        assert_eq!(super::line(&taken_up, Duration::from_secs(2)), "20 rows, 5 a second, 20 %");
    }
}
