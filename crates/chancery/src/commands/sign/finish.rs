//! A signature is verified, and then put where it belongs: whole or not at all.

use std::{io, io::Write as _};

use chancery_client::{FileError, Readers};
use chancery_core::Clock;
use chancery_types::{
    SigningFormat,
    wire::{signing_requests::SigningRequest, x509::DownloadFormat},
};
use chancery_verify::{Trust, read_certificates, read_links, verify_raw, verify_raw_digest, verify_signature};
use chancery_x509::time::parse_rfc3339;

use super::plan::{Job, digest, upload};
use crate::{
    bounded,
    cli::client::Sign,
    client::{
        connection::Connection,
        exit::{Exit, told, told_with},
    },
    failure::{Failure, While as _},
};

/// `chain` is the service's certificate and its issuers, as [`chain`] has them.
pub(super) fn finish(command: &Sign, job: &Job, request: &SigningRequest, chain: &[Vec<u8>]) -> Result<(), Failure> {
    job.original.refuse_changed()?;
    verify(command, job, request, chain)?;
    let original = job.original.metadata()?;
    // A signature that stands apart is for everybody; a signed file is for the readers of what it was.
    let readers = if job.form.is_apart() { Readers::Mask } else { Readers::Of(&original) };
    let written = job.destination.fill_for(readers, |file| {
        if job.form.is_apart() {
            refuse_another_digest(command, job)?;
            file.write_all(&request.signature.0)?;
        } else {
            let finished = job.original.finish_into(job.form, &job.digest, &request.signature.0, file);
            finished.map_err(|error| match error {
                FileError::Unfit(why) => told(Exit::Failed, why.to_string()),
                FileError::Io(error) => error.into(),
            })?;
        }
        // Reading and writing take their time, too.
        job.original.refuse_changed()
    });
    written.map_err(|failure| match failure.downcast::<io::Error>() {
        Ok(error) => {
            let message = format!("{} could not be written: {error}", job.out.display());
            told_with(Exit::Failed, message, "It is signed already.")
        }
        Err(failure) => failure,
    })
}

/// What stands apart is of the file as it is, and not only as it was.
fn refuse_another_digest(command: &Sign, job: &Job) -> Result<(), Failure> {
    if digest(command, &job.original, job.form)? == job.digest {
        return Ok(());
    }
    Err(told(Exit::Failed, "the file was changed while it was signed; nothing was written"))
}

/// Against the digest that was made here, and a root: the one that is given, or the one that the service's certificate leads
/// to.
fn verify(command: &Sign, job: &Job, request: &SigningRequest, chain: &[Vec<u8>]) -> Result<(), Failure> {
    let root = match &command.root {
        Some(path) => bounded::file("--root", path)?,
        None => chain.last().cloned().ok_or("the service's certificate has no issuer")?,
    };
    let roots = read_links(&root).doing("the trusted root")?;
    let decided = request.decided_at.as_deref().and_then(parse_rfc3339);
    // The policy says which hashes and keys are good enough; here it counts whether this is the signature.
    let trust =
        Trust { allow_weak: true, ..Trust::code_signing(&roots, decided.unwrap_or_else(|| Clock::System.now_ms())) };
    let (signature, format) = (&request.signature.0, request.signing_format);
    let verified = match format {
        SigningFormat::Raw if command.upload => {
            let content = upload(&job.original)?;
            verify_raw(signature, &content, request.hash_algorithm, chain, &trust).map(drop)
        }
        SigningFormat::Raw => {
            verify_raw_digest(signature, &job.digest, request.hash_algorithm, chain, &trust).map(drop)
        }
        SigningFormat::Cms
        | SigningFormat::Authenticode
        | SigningFormat::Msi
        | SigningFormat::Powershell
        | SigningFormat::JavaJar => verify_signature(signature, format, |_| job.digest.clone(), &trust).map(drop),
    };
    verified.map_err(|why| {
        let message = format!("the signature is not good: {why}");
        told_with(Exit::Failed, message, "Nothing was written. Is --root the root of the service's certificate?")
    })
}

/// The service's certificate and its issuers, the root last.
pub(super) fn chain(connection: &Connection, job: &Job) -> Result<Vec<Vec<u8>>, Failure> {
    let id = job.service.certificate_uuid.ok_or("the service has no certificate")?;
    let file = connection.client.download_certificate(id, DownloadFormat::Chain).doing("the service's certificate")?;
    read_certificates(&file).doing("the service's certificate")
}
