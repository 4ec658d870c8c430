//! Which certificate is renewed: the one that is named, or the one that has taken its place.

use chancery_client::escaped;
use chancery_types::{CertificateStatus, ObjectId, wire::x509::Certificate};
use chancery_verify::read_certificates;
use chancery_x509::{certificate::serial_text, time::parse_rfc3339};
use der::Decode as _;
use serde::Deserialize as _;
use serde_json::Value;

use super::{
    due::{Life, jitter_of},
    files::Files,
};
use crate::{
    client::{
        connection::Connection,
        exit::{Exit, told_with},
    },
    failure::{Failure, While as _},
    resources::{self, names::Names},
};

/// The certificate in the file, as the server has it; where there is no file yet, the one that is named.
pub(super) fn find(connection: &Connection, files: &Files, name: &str) -> Result<Certificate, Failure> {
    let Some(leaf) = files.leaf()? else { return named(connection, name) };
    let shown = files.cert.display();
    let serial = x509_cert::Certificate::from_der(&leaf).doing(format!("--cert-out {shown}"))?;
    let serial = serial_text(serial.tbs_certificate().serial_number());
    let listed = connection.get(&format!("/api/v2/x509?serialNumber={}", escaped(&serial)))?;
    for stub in listed["results"].as_array().into_iter().flatten() {
        let found = at(connection, stub["objInfo"]["uuid"].as_str().unwrap_or_default())?;
        if der_of(&found).as_ref() == Some(&leaf) {
            refuse_another(connection, files, &found, name)?;
            return Ok(found);
        }
    }
    let next = format!("Name another file, or remove this one if {name} shall take its place.");
    Err(told_with(Exit::Usage, format!("--cert-out {shown}: the server does not know this certificate"), next))
}

/// What is in a file, or is about to be, is the certificate that is named.
pub(super) fn refuse_another(
    connection: &Connection,
    files: &Files,
    found: &Certificate,
    name: &str,
) -> Result<(), Failure> {
    if is_successor(connection, found, name)? {
        return Ok(());
    }
    let message = format!("--cert-out {}: there is another certificate: {}", files.cert.display(), found.subject);
    Err(told_with(Exit::Usage, message, format!("Name that one, or another file than for {name}.")))
}

/// Whether a certificate is the one that is named, or has its name and subject.
fn is_successor(connection: &Connection, found: &Certificate, name: &str) -> Result<bool, Failure> {
    if name.parse::<ObjectId>().is_err() {
        return Ok(found.obj_info.name.eq_ignore_ascii_case(name) || found.subject == name);
    }
    if found.uuid.to_string().eq_ignore_ascii_case(name) {
        return Ok(true);
    }
    Ok(at(connection, name)?.subject == found.subject)
}

fn named(connection: &Connection, name: &str) -> Result<Certificate, Failure> {
    let kind = resources::find("cert").ok_or("there is no such kind")?;
    at(connection, &Names::new(connection).resolve(kind, name)?)
}

pub(super) fn at(connection: &Connection, uuid: &str) -> Result<Certificate, Failure> {
    let detail: Value = connection.get(&format!("/api/v2/x509/{}", escaped(uuid)))?;
    Certificate::deserialize(&detail).doing("the certificate as the server has it")
}

pub(super) fn der_of(certificate: &Certificate) -> Option<Vec<u8>> {
    read_certificates(certificate.certificate.as_ref()?.as_bytes()).ok()?.into_iter().next()
}

/// When it is valid, and where in a window it stands.
pub(super) fn life_of(certificate: &Certificate) -> Result<(Life, f64), Failure> {
    let moment = |text: &str| parse_rfc3339(text).ok_or_else(|| Failure::from(format!("{text}: no moment")));
    let life = Life { begin: moment(&certificate.not_before)?, end: moment(&certificate.not_after)? };
    Ok((life, jitter_of(&certificate.serial_number)))
}

/// Whoever took a certificate away decides whether there is another.
pub(super) fn refuse_revoked(certificate: &Certificate, files: &Files) -> Result<(), Failure> {
    match certificate.status {
        CertificateStatus::Valid | CertificateStatus::Expired => Ok(()),
        CertificateStatus::Revoked | CertificateStatus::Held => {
            let message = format!("{}: it is {}, and is not renewed", certificate.subject, certificate.status);
            let next = format!(
                "Where it shall be replaced all the same: rm -r {}, then chancery cert request into the same names.",
                files.to_remove()
            );
            Err(told_with(Exit::Refused, message, next))
        }
    }
}
