//! `chancery cert request`: a key that is made here and stays here, and a certificate for it.

use std::{fs, os::unix::fs::OpenOptionsExt as _, path::Path};

use chancery_client::ClientError;
use chancery_types::{CertificateId, ErrorCode, wire::x509::DownloadFormat};
use rcgen::{CertificateParams, DistinguishedName, KeyPair, RsaKeySize};
use serde_json::{Map, Value, json};

use crate::{
    cli::client::{CertRequest, KeyKind},
    client::{
        connection::{Connection, Output, logged_in},
        exit::{Exit, exit_of, next_of, told_with, usage},
        inputs::{read_file, validity},
    },
    destination::Destination,
    failure::{Failure, While as _, describe},
    output,
    resources::{self, names::Names},
    shown::Shown,
};

/// A key of Ed25519 as PKCS#8 has it (RFC 8410, section 7), up to the 32 bytes of the key itself, without what RFC 5958 adds
/// in version 2: OpenSSL 3.0 and GnuTLS do not read that.
const ED25519_V1: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
const ED25519_LEN: usize = 32;
/// What both versions have in common begins behind the version.
const AFTER_VERSION: usize = 5;

pub(crate) fn run(command: &CertRequest) -> Result<(), Failure> {
    let out = Destination::new("--out", &command.out)?;
    if out == Destination::Standard && command.server.output == Output::Json {
        return Err(usage("--out -: with --output json standard output has the server's answers"));
    }
    command.key_out.as_deref().map_or(Ok(()), |path| refuse_key_out(path, &out))?;
    logged_in(&command.server, |connection| {
        let body = body(command, connection)?;
        let answer = connection.call("POST", "/api/v2/x509/requests", Some(&body));
        let answer = answer.map_err(|error| not_issued(error, command.key_out.as_deref()))?;
        for warning in answer.response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            output::note(format_args!("chancery: {}", Shown(warning)));
        }
        let path = command.out.display().to_string();
        let Some(uuid) = answer.response["certificateUuid"].as_str() else {
            let proposal = answer.response["uuid"].as_str().unwrap_or_default();
            let next = format!(
                "Once it is issued (chancery proposal show {proposal} says certificateUuid): chancery cert download UUID \
                 --format chain --out {path}"
            );
            return Err(told_with(
                Exit::Waiting,
                format!("the certificate waits for approvals: proposal {proposal}"),
                next,
            ));
        };
        fetch(connection, uuid.parse()?, &out).doing(format!("--out {path}")).map_err(|failure| {
            let next = format!("It is issued: chancery cert download {uuid} --format chain --out FILE");
            told_with(exit_of(&failure), describe(failure.as_ref()), next)
        })?;
        match connection.output {
            Output::Json => answer.print(),
            Output::Table if out == Destination::Standard => {
                output::note(format_args!("issued {uuid}"));
                Ok(())
            }
            Output::Table => output::line(format!("issued {uuid}: {}", Shown(&path))),
        }
    })
}

fn fetch(connection: &Connection, id: CertificateId, out: &Destination) -> Result<(), Failure> {
    let chain = connection.client.download_certificate(id, DownloadFormat::Chain)?;
    Ok(out.write(&chain)?)
}

/// A key goes to a file of its own.
fn refuse_key_out(path: &Path, out: &Destination) -> Result<(), Failure> {
    let place = Destination::new("--key-out", path)?;
    let why = if place == *out {
        "the certificate would go to the same file"
    } else if path.symlink_metadata().is_ok() || !matches!(place, Destination::Replaced(_)) {
        "there is something already, and a key replaces nothing"
    } else {
        return Ok(());
    };
    let message = format!("--key-out {}: {why}", path.display());
    Err(told_with(Exit::Usage, message, "Name a file that is not there; nothing was asked of the server."))
}

/// A key for which nothing is issued goes, so that the command can be repeated; where nobody knows, it stays.
fn not_issued(error: ClientError, key: Option<&Path>) -> Failure {
    let is_refused = match &error {
        ClientError::Refused { error_code, .. } => *error_code != ErrorCode::InternalError,
        ClientError::NotLoggedIn { .. } | ClientError::Authority(_) => true,
        ClientError::Transport(_) | ClientError::Unexpected { .. } => false,
    };
    let failure = Failure::from(error);
    let Some(path) = key else { return failure };
    let shown = path.display();
    let stays = match is_refused.then(|| fs::remove_file(path)) {
        Some(Ok(())) => return failure,
        Some(Err(error)) => format!("The new key could not be removed: {shown}: {error}"),
        None => format!(
            "Whether it was issued nobody knows, so {shown} stays. If chancery cert list has no certificate for it, remove \
             it and repeat the command."
        ),
    };
    let first = next_of(&failure).map(|next| next + "\n").unwrap_or_default();
    told_with(exit_of(&failure), describe(failure.as_ref()), first + &stays)
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
    let request = params.serialize_request(&key).and_then(|request| request.pem()).doing("making a request")?;
    keep(path, &key.serialize_pem())?;
    Ok(request)
}

fn new_key(kind: KeyKind) -> Result<KeyPair, rcgen::Error> {
    match kind {
        KeyKind::EcP256 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256),
        KeyKind::EcP384 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384),
        KeyKind::Ed25519 => version_1(&KeyPair::generate_for(&rcgen::PKCS_ED25519)?),
        KeyKind::Rsa3072 => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_3072),
    }
}

/// The same key of Ed25519, which is written as everybody reads it.
fn version_1(key: &KeyPair) -> Result<KeyPair, rcgen::Error> {
    let common = &ED25519_V1[AFTER_VERSION..];
    let bytes = key.serialized_der().get(AFTER_VERSION..).and_then(|rest| rest.strip_prefix(common));
    let bytes = bytes.and_then(|rest| rest.get(..ED25519_LEN)).ok_or(rcgen::Error::CouldNotParseKeyPair)?;
    KeyPair::try_from([&ED25519_V1, bytes].concat())
}

/// Before anything is issued for it; and never over another key.
fn keep(path: &Path, pem: &str) -> Result<(), Failure> {
    use std::io::Write as _;
    let doing = || format!("--key-out {}", path.display());
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).doing(doing())?;
    let written = file.write_all(pem.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        // Half a key is none, and would stand in the way. Why it failed is what the caller has to know.
        let _left_behind = fs::remove_file(path);
    }
    written.doing(doing())
}
