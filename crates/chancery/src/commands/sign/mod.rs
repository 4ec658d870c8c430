//! `chancery sign`: from files to signed files. Nothing is submitted before everything is planned that can be refused here;
//! nothing is written under its final name before it is verified.

mod finish;
mod plan;
pub(super) mod wait;

use std::path::Path;

use chancery_client::ClientError;
use chancery_types::{
    Base64, ExistingSignature, SigningRequestId,
    wire::signing_requests::{SigningRequest, SubmitRequest},
};

use self::{finish::finish, plan::Job, wait::Awaited};
use crate::{
    cli::client::Sign,
    client::{
        connection::{Connection, Output, logged_in},
        exit::{Exit, told, told_with, usage},
    },
    failure::{Failure, While as _},
    output,
    shown::Shown,
};

/// The longest payload that the interface takes.
const UPLOAD_MAX: u64 = 64 << 20;

/// Names under which a file's own properties stand in the metadata, unless the submitter says something else there.
pub(crate) const FILE_SIZE: &str = "fileSize";
pub(crate) const FILE_SHA256: &str = "fileSha256";

pub(crate) fn run(command: &Sign) -> Result<Exit, Failure> {
    if command.files.len() > 1 && (command.name.is_some() || command.request.is_some()) {
        return Err(usage("--name and --request are of one file"));
    }
    logged_in(&command.server, |connection| sign(command, connection))
}

fn sign(command: &Sign, connection: &mut Connection) -> Result<Exit, Failure> {
    let jobs = plan::jobs(command, connection)?;
    wait::refuse_too_long(command, connection)?;
    let mut begun = Vec::new();
    for job in jobs {
        let id = match &command.request {
            Some(uuid) => uuid.parse().map_err(|_| usage(format!("--request {uuid}: no UUID")))?,
            None => submit(command, connection, &job)?,
        };
        begun.push((job, id));
    }
    let mut waiting = Vec::new();
    for (mut job, id) in begun {
        let doing = job.path.display().to_string();
        match wait::for_signature(command, connection, &job, id).doing(doing.clone())? {
            Awaited::Signed(request) => {
                refuse_another(&job, &request)?;
                finish(command, connection, &mut job, &request).doing(doing)?;
                report(connection, &job, &request)?;
            }
            Awaited::Waits(says) => waiting.push(format!("{}: {says}", job.path.display())),
        }
    }
    if waiting.is_empty() { Ok(Exit::Done) } else { Err(still_waiting(&waiting)) }
}

fn still_waiting(waiting: &[String]) -> Failure {
    let next = "The request goes on waiting. Later, with the same options: chancery sign FILE --request UUID --wait";
    told_with(Exit::Waiting, waiting.join("\n"), next)
}

fn submit(command: &Sign, connection: &Connection, job: &Job) -> Result<SigningRequestId, Failure> {
    let mut metadata: std::collections::BTreeMap<_, _> = job.about.iter().cloned().collect();
    metadata.extend(command.metadata.iter().cloned());
    let is_inside = job.file.is_some();
    let request = SubmitRequest {
        name: command.name.clone().unwrap_or_else(|| job.name.clone()),
        service_uuid: job.service.obj_info.uuid,
        policy_uuid: job.policy.obj_info.uuid,
        upload_data: if command.upload { Some(upload(&job.path)?) } else { None },
        digest: (!command.upload).then(|| Base64(job.digest.clone())),
        items: None,
        existing_signature: (is_inside && command.append).then_some(ExistingSignature::Append),
        with_page_hashes: command.upload && command.page_hashes,
        page_hashes: job.page_hashes.clone().map(Base64),
        program_name: command.program_name.clone(),
        program_url: command.program_url.clone(),
        note: command.note.clone(),
        metadata: Some(metadata),
    };
    let submitted =
        connection.client.submit(&request).map_err(hinted).doing(format!("submitting {}", job.path.display()))?;
    for warning in &submitted.warnings {
        output::note(format_args!("chancery: {}", Shown(warning)));
    }
    Ok(submitted.uuid)
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

fn upload(path: &Path) -> Result<Base64, Failure> {
    let len = path.metadata().doing(path.display().to_string())?.len();
    if len > UPLOAD_MAX {
        return Err(usage(format!("{}: --upload takes files up to 64 MiB", path.display())));
    }
    Ok(Base64(std::fs::read(path).doing(path.display().to_string())?))
}

/// A signature of something else is none, whatever it is.
fn refuse_another(job: &Job, request: &SigningRequest) -> Result<(), Failure> {
    let is_same = request.digest.0 == job.digest && request.policy_uuid == job.policy.obj_info.uuid;
    if is_same {
        return Ok(());
    }
    let message =
        format!("{}: the request {} is of another file, or under another policy", job.path.display(), request.uuid);
    Err(told(Exit::Failed, message))
}

fn report(connection: &Connection, job: &Job, request: &SigningRequest) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return connection.call("GET", &format!("/api/v2/x509/signing-requests/{}", request.uuid), None)?.print();
    }
    let (file, out) = (job.path.display().to_string(), job.out.display().to_string());
    output::line(format!("{}: signed and verified: {}", Shown(&file), Shown(&out)))
}
