//! `chancery cert request`: a key that is made here and stays here, and a certificate for it.

use std::{fs, path::Path};

use chancery_client::{ClientError, Destination};
use chancery_types::{CertificateId, ErrorCode, wire::x509::DownloadFormat};
use chancery_x509::{alt_name::AltName, dn::DistinguishedName, pem};
use der::{Decode as _, EncodePem as _, pem::LineEnding};
use serde_json::{Map, Value, json};

use super::{key, pkcs12, renew::refuse_link_of_renewal};
use crate::{
    cli::cert::CertRequest,
    client::{
        connection::{Connection, Output, logged_in},
        exit::{Exit, exit_of, next_of, told_with, usage},
        inputs::{read_file, validity},
    },
    destination,
    failure::{Failure, While as _, describe},
    output,
    resources::{self, names::Names},
    shown::Shown,
};

pub(super) fn run(command: &CertRequest) -> Result<Exit, Failure> {
    if let Some(path) = &command.csr_out {
        return write_request(command, path);
    }
    let path = command.out.as_deref().ok_or_else(|| usage("--out FILE is needed"))?;
    let out = destination::find("--out", path)?;
    for (option, path) in [("--out", Some(path)), ("--p12", command.pkcs12.p12.as_deref())] {
        path.map_or(Ok(()), |path| refuse_link_of_renewal(option, path))?;
    }
    if out == Destination::Standard && command.server.output == Output::Json {
        return Err(usage("--out -: with --output json standard output has the server's answers"));
    }
    command.key_out.as_deref().map_or(Ok(()), |path| refuse_key_out(path, &out))?;
    refuse_p12(command, &out)?;
    let password = pkcs12::password(&command.pkcs12)?;
    logged_in(&command.server, |connection| {
        let body = body(command, connection)?;
        let answer = connection.call("POST", "/api/v2/x509/requests", Some(&body));
        let mut answer = answer.map_err(|error| not_issued(error, command.key_out.as_deref()))?;
        answer.tell_warnings();
        let path = path.display().to_string();
        let Some(uuid) = answer.response["certificateUuid"].as_str() else {
            let proposal = answer.response["uuid"].as_str().unwrap_or_default();
            let next = format!(
                "Once it is issued (chancery proposal show {proposal} says certificateUuid): chancery cert download UUID \
                 --format chain --out {path}{}",
                packed(command)
            );
            return Err(told_with(
                Exit::Waiting,
                format!("the certificate waits for approvals: proposal {proposal}"),
                next,
            ));
        };
        let fetched = fetch(command, connection, uuid.parse()?, (path.as_str(), &out), password.as_deref());
        fetched.map_err(|failure| {
            let next =
                format!("It is issued: chancery cert download {uuid} --format chain --out FILE{}", packed(command));
            told_with(exit_of(&failure), describe(failure.as_ref()), next)
        })?;
        match connection.output {
            Output::Json => answer.print()?,
            Output::Table if out == Destination::Standard => output::note(format_args!("issued {uuid}")),
            Output::Table => output::line(format!("issued {uuid}: {}", Shown(&path)))?,
        }
        Ok(Exit::Done)
    })
}

/// Makes a key and a request for it, for an authority elsewhere.
fn write_request(command: &CertRequest, path: &Path) -> Result<Exit, Failure> {
    let out = destination::find("--csr-out", path)?;
    let key_out = command.key_out.as_deref().ok_or_else(|| usage("--key-out FILE is needed"))?;
    refuse_key_out(key_out, &out)?;
    let subject = match &command.subject {
        Some(line) => line.parse::<DistinguishedName>().map_err(|error| usage(format!("--subject {line}: {error}")))?,
        None => DistinguishedName::empty(),
    };
    let name = |text: &String| text.parse::<AltName>().map_err(|error| usage(format!("--san {text}: {error}")));
    let names = command.san.iter().map(name).collect::<Result<Vec<_>, _>>()?;
    if subject.is_empty() && names.is_empty() {
        return Err(usage("--csr-out: a request needs a name: --subject, --san or both"));
    }
    let key = key::new_key(command.key).doing("making a key")?;
    let request = key::named_request(&key, &subject, &names)?;
    key::keep(key_out, &key.serialize_pem())?;
    if let Err(error) = out.write(request.as_bytes()) {
        // A key without its request would stand in the way of the next try. Why that failed is what somebody has to know.
        let _left_behind = fs::remove_file(key_out);
        return Err(error).doing(format!("--csr-out {}", path.display()));
    }
    if out != Destination::Standard {
        output::line(format!("written: {}", Shown(&path.display().to_string())))?;
    }
    Ok(Exit::Done)
}

fn fetch(
    command: &CertRequest,
    connection: &Connection,
    id: CertificateId,
    (path, out): (&str, &Destination),
    password: Option<&str>,
) -> Result<(), Failure> {
    let chain = connection.client.download_certificate(id, DownloadFormat::Chain)?;
    out.write(&chain).doing(format!("--out {path}"))?;
    if let (Some(path), Some(key), Some(password)) = (&command.pkcs12.p12, &command.key_out, password) {
        let key = key::read("--key-out", key)?;
        pkcs12::write(path, &pkcs12::made(&key, &chain, password)?)?;
    }
    Ok(())
}

/// How the PKCS#12 file is made by hand that was asked for.
fn packed(command: &CertRequest) -> String {
    let key = command.key_out.as_deref().unwrap_or(Path::new("KEY")).display();
    let p12 = command.pkcs12.p12.as_deref();
    p12.map(|p12| format!("; openssl pkcs12 -export -inkey {key} -in FILE -out {}", p12.display())).unwrap_or_default()
}

/// The file with the key takes no other's place.
fn refuse_p12(command: &CertRequest, out: &Destination) -> Result<(), Failure> {
    let (Some(place), Some(path)) = (pkcs12::refuse_place(&command.pkcs12)?, &command.pkcs12.p12) else {
        return Ok(());
    };
    let key = command.key_out.as_deref().map(|path| destination::find("--key-out", path)).transpose()?;
    if place == *out || Some(place) == key {
        return Err(usage(format!("--p12 {}: key or certificate would go to the same file", path.display())));
    }
    if command.key_out.is_none() {
        return Err(usage("--p12 takes a key that is made here: --key-out FILE"));
    }
    Ok(())
}

/// A key goes to a file of its own.
fn refuse_key_out(path: &Path, out: &Destination) -> Result<(), Failure> {
    let place = destination::find("--key-out", path)?;
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
        ClientError::NotLoggedIn { .. }
        | ClientError::Authority(_)
        | ClientError::Certificate(_)
        | ClientError::NotSent(_) => true,
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
    let needed =
        |flag: &str, name: &Option<String>| name.clone().ok_or_else(|| usage(format!("{flag} NAME is needed")));
    let (issuer, profile) = (needed("--issuer", &command.issuer)?, needed("--profile", &command.profile)?);
    let issuer = resolve("ca", &issuer).or_else(|first| resolve("service", &issuer).map_err(|_| first))?;
    let profile = resolve("cert-profile", &profile)?;
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

/// The one request of a file, without what else is in it: that may be its private key.
fn request_in(path: &Path, file: &[u8]) -> Result<String, Failure> {
    let wrong = |why: &str| usage(format!("--csr {}: {why}", path.display()));
    let found = if x509_cert::request::CertReq::from_der(file).is_ok() {
        Ok(vec![file.to_vec()])
    } else {
        pem::blocks(file, &["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"])
    };
    let found = found.map_err(|damaged| wrong(&damaged.to_string()))?;
    match found.as_slice() {
        [request] => {
            let request = x509_cert::request::CertReq::from_der(request).map_err(|error| wrong(&error.to_string()))?;
            request.to_pem(LineEnding::LF).doing("the request as PEM")
        }
        [] => Err(wrong("there is no PKCS#10 request in it (-----BEGIN CERTIFICATE REQUEST-----)")),
        _ => Err(wrong("there are several requests in it")),
    }
}

/// The request that is given, or one by a new key.
fn csr(command: &CertRequest) -> Result<String, Failure> {
    if let Some(path) = &command.csr {
        return request_in(path, &read_file("--csr", path)?);
    }
    let path = command.key_out.as_deref().ok_or_else(|| usage("--key-out FILE is needed"))?;
    let key = key::new_key(command.key).doing("making a key")?;
    let request = key::request(&key)?;
    key::keep(path, &key.serialize_pem())?;
    Ok(request)
}
