//! `chancery cert request`: a key that is made here and stays here, and a certificate for it.

use std::{fs, os::unix::fs::OpenOptionsExt as _, path::Path};

use chancery_types::{CertificateId, wire::x509::DownloadFormat};
use rcgen::{CertificateParams, DistinguishedName, KeyPair, RsaKeySize};
use serde_json::{Map, Value, json};

use crate::{
    cli::client::{CertRequest, KeyKind},
    client::{
        connection::{Connection, Output, logged_in},
        exit::{Exit, told_with, usage},
        inputs::{read_file, validity},
    },
    failure::{Failure, While as _},
    output, private_file,
    resources::{self, names::Names},
    shown::Shown,
};

pub(crate) fn run(command: &CertRequest) -> Result<(), Failure> {
    logged_in(&command.server, |connection| {
        let body = body(command, connection)?;
        let answer = connection.call("POST", "/api/v2/x509/requests", Some(&body))?;
        for warning in answer.response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            output::note(format_args!("chancery: {}", Shown(warning)));
        }
        let Some(uuid) = answer.response["certificateUuid"].as_str() else {
            let proposal = answer.response["uuid"].as_str().unwrap_or_default();
            let next = format!(
                "Once it is issued (chancery proposal show {proposal} says certificateUuid): chancery cert download UUID \
                 --format chain --out {}",
                command.out.display()
            );
            return Err(told_with(
                Exit::Waiting,
                format!("the certificate waits for approvals: proposal {proposal}"),
                next,
            ));
        };
        let id: CertificateId = uuid.parse()?;
        let chain = connection.client.download_certificate(id, DownloadFormat::Chain)?;
        let out = command.out.display().to_string();
        private_file::replace_readable(&command.out, &chain).doing(format!("--out {out}"))?;
        match connection.output {
            Output::Json => answer.print(),
            Output::Table => output::line(format!("issued {uuid}: {}", Shown(&out))),
        }
    })
}

fn body(command: &CertRequest, connection: &Connection) -> Result<Value, Failure> {
    let names = Names::new(connection);
    let resolve = |kind: &str, name: &str| names.resolve(resources::find(kind).ok_or("there is no such kind")?, name);
    // A service stands for the authority that issued its certificate.
    let issuer =
        resolve("ca", &command.issuer).or_else(|first| resolve("service", &command.issuer).map_err(|_| first))?;
    let profile = resolve("cert-profile", &command.profile)?;
    let mut params = Map::new();
    if !command.san.is_empty() {
        params.insert("subjectAltNames".to_owned(), command.san.clone().into());
    }
    if let Some(span) = &command.validity {
        params.insert("validityPeriod".to_owned(), validity(span)?);
    }
    let mut body = json!({"serviceOrIssuerUuid": issuer, "certProfileUuid": profile, "csr": csr(command)?});
    if !params.is_empty() {
        body["certParams"] = params.into();
    }
    if let Some(subject) = &command.subject {
        body["subjectOneline"] = subject.as_str().into();
    }
    Ok(body)
}

/// The request that is given, or one by a new key. Subject and names are told beside it, where the server checks them.
fn csr(command: &CertRequest) -> Result<String, Failure> {
    if let Some(path) = &command.csr {
        let text = read_file("--csr", path)?;
        return String::from_utf8(text).map_err(|_| usage(format!("--csr {}: PEM is expected", path.display())));
    }
    let path = command.key_out.as_deref().ok_or_else(|| usage("--key-out FILE is needed"))?;
    let key = new_key(command.key).doing("making a key")?;
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    let request = params.serialize_request(&key).doing("making a request")?;
    keep(path, &key.serialize_pem())?;
    request.pem().doing("making a request")
}

fn new_key(kind: KeyKind) -> Result<KeyPair, rcgen::Error> {
    match kind {
        KeyKind::EcP256 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256),
        KeyKind::EcP384 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384),
        KeyKind::Ed25519 => KeyPair::generate_for(&rcgen::PKCS_ED25519),
        KeyKind::Rsa3072 => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_3072),
    }
}

/// Before anything is issued for it; and never over another key.
fn keep(path: &Path, pem: &str) -> Result<(), Failure> {
    use std::io::Write as _;
    let doing = || format!("--key-out {}", path.display());
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).doing(doing())?;
    file.write_all(pem.as_bytes()).and_then(|()| file.sync_all()).doing(doing())
}
