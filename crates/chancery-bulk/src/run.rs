//! A job from its beginning to its end.

use std::{fs, sync::atomic::AtomicBool};

use chancery_client::{Client, Destination};
use serde_json::json;

use crate::{
    calls::Calls,
    compression::Compression,
    error::{BulkError, OfFile as _, Result},
    head,
    input::{Identity, Pieces, open},
    job::{Column, Format, Job, Place, Progress, Summary, Watch, Way},
    journal::{Journal, Mark},
    kept::Kept,
    output::{Made, Output},
    parquet_file::ParquetFile,
    pipeline,
    places::Places,
    text_file::TextFile,
    waits::Waits,
};

/// Does a job. The output has its name only when it is whole; until then it is called `OUTPUT.part`, and a journal beside it
/// (`OUTPUT.part.json`) tells how far it is. The same job goes on there, unless it reads standard input or writes standard
/// output. What deterministic profiles make is then the same, byte for byte.
///
/// Values that are empty or null stay. Rows that cannot be done go to [`Job::rejects`].
///
/// # Errors
///
/// [`BulkError`]. What was written until then is kept for the next run.
pub fn run(client: &Client, job: &Job, watch: &dyn Watch) -> Result<Summary> {
    job.check()?;
    let places = Places::of(job)?;
    let stop = AtomicBool::new(false);
    let waits = Waits::new(job.patience, &stop, watch);
    let kept = Kept::new(places.answers.clone());
    let calls = job.columns.iter().map(|column| Calls::new(client, job, column, &waits, &kept));
    let calls = calls.collect::<Result<Vec<_>>>()?;
    check_ivs(job, &calls)?;
    let journal = journal(job, &places, &calls)?;
    let open = || Output::open(job, &places, journal, &kept);
    match job.format {
        Format::Parquet => run_parquet(job, &calls, open, watch, &stop),
        Format::Csv { .. } | Format::JsonLines | Format::FixedWidth => run_text(job, &calls, open, watch, &stop),
    }
}

fn run_text<'k>(
    job: &Job,
    calls: &[Calls<'_>],
    open_output: impl FnOnce() -> Result<Output<'k>>,
    watch: &dyn Watch,
    stop: &AtomicBool,
) -> Result<Summary> {
    let mut pieces = Pieces::new(open(&job.input)?, &job.input, job.fewer_rows());
    let head = head::read(job, calls, &mut pieces)?;
    let compression = compression(job);
    let mut output = open_output()?;
    let before = begin(&output, watch);
    if before.line == 0 {
        let (input, line) = pieces.place();
        let first = compression.compress(head.output).of(std::path::Path::new("compressing"))?;
        output.write(&Made { output: first, rejects: head.rejects, input, line, ..Made::default() }, || Ok(None))?;
    } else {
        pieces = pieces.at(&job.input, before.input, before.line)?;
    }
    let total = match &job.input {
        Place::File(path) => Some(fs::metadata(path).of(path)?.len()),
        Place::Standard => None,
    };
    let format = head.format.as_ref();
    let file = TextFile { job, format, calls, compression };
    let read = || pieces.next(format);
    let write = |made: Made| {
        output.write(&made, || Ok(None))?;
        watch.progress(&progress(&output, &before, total));
        Ok(())
    };
    match pipeline::run(job.connections, stop, read, |piece| file.make(&piece), write) {
        Ok(()) => done(output, job, &before, &[]),
        Err(failure) => {
            output.abandon(|| Ok(None));
            Err(failure)
        }
    }
}

fn run_parquet<'k>(
    job: &Job,
    calls: &[Calls<'_>],
    open_output: impl FnOnce() -> Result<Output<'k>>,
    watch: &dyn Watch,
    stop: &AtomicBool,
) -> Result<Summary> {
    let file = ParquetFile::open(job, calls)?;
    let mut output = open_output()?;
    let before = begin(&output, watch);
    let mut footer = file.footer(before.footer.as_deref())?;
    if before.line == 0 {
        let magic = Made { output: file.magic(), line: 1, ..Made::default() };
        output.write(&magic, || footer.kept())?;
    }
    let mut groups = file.read(before.input)?;
    let total = Some(file.rows());
    let write = |(made, group): (Made, Option<_>)| {
        let group = footer.placed(group, output.mark().output)?;
        output.put(&made)?;
        // Not before it is there: the next run does again what could not be written, and it would be there twice.
        footer.add(group);
        output.save(|| footer.kept())?;
        watch.progress(&progress(&output, &before, total));
        Ok(())
    };
    match pipeline::run(job.connections, stop, || groups.next(), |rows| file.make(&rows), write) {
        Ok(()) => done(output, job, &before, &footer.bytes()?),
        Err(failure) => {
            output.abandon(|| footer.kept());
            Err(failure)
        }
    }
}

/// Tells where it goes on, or that it could not.
fn begin(output: &Output<'_>, watch: &dyn Watch) -> Mark {
    let mark = output.mark().clone();
    if mark.line > 0 {
        watch.note(&format!("going on behind {} rows that an earlier run has done", mark.rows + mark.bad));
    } else if !output.is_resumable() {
        watch.note("not from a file to files: should this be interrupted, it has to begin anew");
    }
    mark
}

fn progress(output: &Output<'_>, before: &Mark, total: Option<u64>) -> Progress {
    let mark = output.mark();
    Progress {
        rows: mark.rows,
        bad: mark.bad,
        rows_before: before.rows + before.bad,
        read: mark.read,
        read_before: before.read,
        total,
    }
}

fn done(output: Output<'_>, job: &Job, before: &Mark, tail: &[u8]) -> Result<Summary> {
    let Mark { rows, bad, .. } = *output.mark();
    output.finish(tail, job)?;
    Ok(Summary { rows, bad, rows_before: before.rows + before.bad })
}

fn compression(job: &Job) -> Compression {
    match &job.output {
        Place::File(path) if job.format != Format::Parquet => Compression::of_name(path),
        Place::File(_) | Place::Standard => Compression::None,
    }
}

/// Only what is read from a file and written to files can be taken up again.
fn journal(job: &Job, places: &Places, calls: &[Calls<'_>]) -> Result<Option<Journal>> {
    let (Place::File(input), Some(path)) = (&job.input, &places.journal) else { return Ok(None) };
    let rejects = match &places.rejects {
        Some(Destination::Replaced(path)) => Some(path.display().to_string()),
        Some(Destination::Into(_) | Destination::Standard) | None => None,
    };
    let versions: Vec<_> = calls.iter().map(|calls| calls.key_version).collect();
    let Job { way, columns, format, .. } = job;
    let job = json!({
        "way": way, "columns": columns, "format": format, "keyVersions": versions,
        "compression": compression(job), "rejects": rejects, "fewerRows": job.fewer_rows(),
    });
    Ok(Some(Journal::new(path.clone(), job, Identity::of(input)?)))
}

/// Whether initialization vectors have columns of their own.
fn check_ivs(job: &Job, calls: &[Calls<'_>]) -> Result<()> {
    for (index, column) in job.columns.iter().enumerate().filter(|(index, _)| calls[*index].has_ivs) {
        if job.format == Format::FixedWidth {
            let why = "its profile has initialization vectors, for which lines of fixed width have no room";
            return Err(BulkError::Job(format!("column {}: {why}", column.name)));
        }
        let other = |other: &Column| other.name == column.iv_name;
        let twice = job.columns[..index].iter().any(|before| before.iv_name == column.iv_name);
        if twice || job.columns.iter().any(other) {
            return Err(BulkError::Job(format!("{}: this column would have two meanings", column.iv_name)));
        }
        let is_sibling = |name: &str| name.rsplit_once('.').map(|(path, _)| path.to_owned());
        if job.format == Format::JsonLines
            && job.way == Way::Tokenize
            && is_sibling(&column.name) != is_sibling(&column.iv_name)
        {
            let why = "an initialization vector stands in the same object as its token";
            return Err(BulkError::Job(format!("{}: {why}", column.iv_name)));
        }
    }
    Ok(())
}
