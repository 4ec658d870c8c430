//! `chancery sign`: from files to signed files. Nothing is submitted before everything is planned that can be refused here;
//! nothing is written under its final name before it is verified. What becomes of one file is no matter of another's.

mod finish;
mod plan;
mod subject;
pub(super) mod wait;

use chancery_client::{ClientError, Destination};
use chancery_types::{
    Base64, ExistingSignature, SigningRequestId,
    wire::signing_requests::{SigningRequest, SubmitRequest},
};

use self::{
    finish::finish,
    plan::{Job, unfit, upload},
    subject::Subject,
    wait::Pending,
};
use crate::{
    cli::client::Sign,
    client::{
        connection::{Connection, Output, logged_in},
        exit::{Exit, exit_of, tell, told, told_with, usage},
        inputs::read_file,
    },
    failure::{Failure, While as _},
    output,
    shown::Shown,
};

/// Names under which a file's own properties stand in the metadata.
pub(crate) const FILE_SIZE: &str = "fileSize";
pub(crate) const FILE_SHA256: &str = "fileSha256";

pub(crate) fn run(command: &Sign) -> Result<Exit, Failure> {
    if command.files.len() > 1 && !command.manifest && (command.name.is_some() || command.request.is_some()) {
        return Err(usage("--name and --request are of one file, or of a --manifest"));
    }
    subject::refuse_options(command)?;
    plan::refuse_out(command)?;
    logged_in(&command.server, |connection| sign(command, connection))
}

fn sign(command: &Sign, connection: &mut Connection) -> Result<Exit, Failure> {
    let jobs = plan::jobs(command, connection)?;
    wait::refuse_too_long(command, connection)?;
    if command.manifest {
        return manifest(command, connection, jobs);
    }
    let (mut begun, mut failures) = (Vec::new(), Failures::default());
    for (number, job) in jobs.into_iter().enumerate() {
        match request_of(command, connection, &job) {
            Ok(id) => begun.push(Pending::new(number, Subject::File(Box::new(job)), id)),
            Err(failure) => failures.add(number, failure),
        }
    }
    wait::until_decided(command, connection, begun, &mut failures);
    failures.end(command.files.len())
}

/// All files by one request.
fn manifest(command: &Sign, connection: &mut Connection, jobs: Vec<Job>) -> Result<Exit, Failure> {
    subject::refuse_several_policies(&jobs)?;
    let id = match &command.request {
        Some(uuid) => parsed(uuid)?,
        None => submit_manifest(command, connection, &jobs)?,
    };
    let mut failures = Failures::default();
    wait::until_decided(command, connection, vec![Pending::new(0, Subject::Manifest(jobs), id)], &mut failures);
    failures.end(1)
}

fn submit_manifest(command: &Sign, connection: &Connection, jobs: &[Job]) -> Result<SigningRequestId, Failure> {
    let [first, ..] = jobs else { return Err(usage("there are no files")) };
    jobs.iter().try_for_each(|job| refuse_provenance(command, job))?;
    jobs.iter().try_for_each(|job| job.original.refuse_changed())?;
    let name = command.name.clone().unwrap_or_else(|| subject::manifest_name(jobs));
    let request = SubmitRequest {
        items: Some(subject::items(jobs)?),
        program_name: command.program_name.clone(),
        program_url: command.program_url.clone(),
        note: command.note.clone(),
        metadata: Some(claims(command)?.collect()),
        provenance: envelope(command)?,
        ..SubmitRequest::new(name, first.service.obj_info.uuid, first.policy.obj_info.uuid)
    };
    let submitted = connection.client.submit(&request).doing("submitting the manifest")?;
    warn(&submitted.warnings);
    Ok(submitted.uuid)
}

/// What the submitter says. People compare what is computed of a file with the file that they have, so nobody says that.
fn claims(command: &Sign) -> Result<impl Iterator<Item = (String, String)>, Failure> {
    if let Some((name, _)) = command.metadata.iter().find(|(name, _)| [FILE_SIZE, FILE_SHA256].contains(&name.as_str()))
    {
        return Err(usage(format!("--metadata {name}: this is computed of the file; another name is expected")));
    }
    Ok(command.metadata.iter().cloned())
}

fn warn(warnings: &[String]) {
    for warning in warnings {
        output::note(format_args!("chancery: {}", Shown(warning)));
    }
}

/// What went wrong with which file, by its number on the command line.
#[derive(Default)]
pub(super) struct Failures(Vec<(usize, Failure)>);

impl Failures {
    pub(super) fn add(&mut self, number: usize, failure: Failure) {
        self.0.push((number, failure));
    }

    /// The end of the command: of several files each failure is told, and the first one says the exit code.
    fn end(self, files: usize) -> Result<Exit, Failure> {
        let Self(mut failures) = self;
        failures.sort_by_key(|(number, _)| *number);
        let Some((_, first)) = failures.first() else { return Ok(Exit::Done) };
        if files > 1 {
            failures.iter().for_each(|(_, failure)| tell(failure));
            return Err(told(exit_of(first), format!("{} of {files} files are not signed", failures.len())));
        }
        Err(failures.swap_remove(0).1)
    }
}

/// The request that is given, or a new one.
fn request_of(command: &Sign, connection: &Connection, job: &Job) -> Result<SigningRequestId, Failure> {
    match &command.request {
        Some(uuid) => parsed(uuid),
        None => submit(command, connection, job),
    }
}

fn parsed(uuid: &str) -> Result<SigningRequestId, Failure> {
    uuid.parse().map_err(|_| usage(format!("--request {uuid}: no UUID")))
}

fn submit(command: &Sign, connection: &Connection, job: &Job) -> Result<SigningRequestId, Failure> {
    let mut metadata: std::collections::BTreeMap<_, _> = job.about.iter().cloned().collect();
    metadata.extend(claims(command)?);
    // Where a digest alone is submitted, whoever finishes the file decides what becomes of the other signature.
    let appends_there = command.upload && command.append && !job.form.is_apart();
    refuse_provenance(command, job)?;
    let content = command.upload.then(|| upload(&job.original)).transpose()?;
    job.original.refuse_changed()?;
    let request = SubmitRequest {
        name: command.name.clone().unwrap_or_else(|| job.name.clone()),
        service_uuid: job.service.obj_info.uuid,
        policy_uuid: job.policy.obj_info.uuid,
        upload_data: content.map(Base64),
        digest: (!command.upload).then(|| Base64(job.digest.clone())),
        items: None,
        existing_signature: appends_there.then_some(ExistingSignature::Append),
        with_page_hashes: command.upload && command.page_hashes,
        page_hashes: job.page_hashes.clone().map(Base64),
        program_name: command.program_name.clone(),
        program_url: command.program_url.clone(),
        note: command.note.clone(),
        metadata: Some(metadata),
        provenance: envelope(command)?,
    };
    let submitted =
        connection.client.submit(&request).map_err(hinted).doing(format!("submitting {}", job.original.shown()))?;
    warn(&submitted.warnings);
    Ok(submitted.uuid)
}

/// What goes along as provenance; the server says what is wrong with it.
fn envelope(command: &Sign) -> Result<Option<Base64>, Failure> {
    command.provenance.as_deref().map(|path| read_file("--provenance", path).map(Base64)).transpose()
}

/// What an envelope cannot be of.
fn refuse_provenance(command: &Sign, job: &Job) -> Result<(), Failure> {
    if command.provenance.is_none() || command.upload || job.form.is_apart() {
        return Ok(());
    }
    let why = "--provenance names a file by the digest of all its bytes; of a file that carries its signature that \
               needs the file: --upload sends it.";
    Err(usage(why))
}

/// Where a policy or a key wants the file itself, the way there is an option.
fn hinted(error: ClientError) -> Failure {
    let wants_file =
        matches!(&error, ClientError::Refused { response, .. } if response.field.as_deref() == Some("/digest"));
    if wants_file {
        return told_with(Exit::Refused, error.to_string(), "--upload sends the file itself, up to 64 MiB.");
    }
    error.into()
}

/// A signature of something else is none, whatever it is.
fn refuse_another(command: &Sign, job: &Job, request: &SigningRequest) -> Result<(), Failure> {
    if request.digest.0 != job.digest || request.policy_uuid != job.policy.obj_info.uuid {
        let next = "Name the file as it was submitted, and its policy; what was changed since is submitted anew, without --request.";
        return Err(told_with(Exit::Failed, "it is of another file, or under another policy", next));
    }
    let Some(Base64(pages)) = &request.page_hashes else {
        if command.page_hashes && !job.form.is_apart() {
            return Err(told(Exit::Failed, "it is without page hashes, and --page-hashes asks for them"));
        }
        return Ok(());
    };
    let own = job.page_hashes.clone().map_or_else(|| job.original.page_hashes(job.form), Ok);
    if own.map_err(|error| unfit(&job.original.shown(), error))? == *pages {
        return Ok(());
    }
    Err(told(Exit::Failed, "it is of the page hashes of another program"))
}

/// Verifies a signature, and writes it.
fn take(
    command: &Sign,
    connection: &Connection,
    job: &Job,
    request: &SigningRequest,
    chain: &[Vec<u8>],
) -> Result<(), Failure> {
    finish(command, job, request, chain)?;
    if connection.output == Output::Json {
        return Ok(());
    }
    let (file, out) = (job.original.shown(), job.out.display().to_string());
    let says = format!("{}: signed and verified: {}", Shown(&file), Shown(&out));
    if job.destination == Destination::Standard {
        output::note(says);
        return Ok(());
    }
    output::line(says)
}
