//! `chancery verify`: checks without any installation, with files and a key that one trusts.
//!
//! Exit codes: 0 verified, 1 not verified, 2 what was given could not be read.

use std::{fs, path::Path, process::ExitCode};

use chancery_types::{Base64, wire::x509};
use chancery_verify::{
    NotVerified,
    ledger::Demand,
    log::{Cosigned, LogKey, Logged, NotLogged, verify_log_consistency, verify_logged_certificate},
    path::Link,
    read_certificates,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    bounded,
    cli::Verify,
    client::exit::tell,
    failure::{Failure, While as _},
    output,
    shown::Shown,
};

mod heeded;
mod missing;
mod signature;
mod trust;

/// Why nothing was verified.
enum Trouble {
    /// The evidence is bad.
    NotVerified(String),
    /// There is no evidence that can be read.
    Unreadable(Failure),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Self::Unreadable(failure)
    }
}

fn unreadable(why: &str) -> Trouble {
    Trouble::Unreadable(why.into())
}

fn not(why: &(impl ToString + ?Sized)) -> Trouble {
    Trouble::NotVerified(why.to_string())
}

/// A signature that is not accepted: it is bad, or nothing that can be looked at here.
fn refused(why: NotVerified) -> Trouble {
    if why.is_verdict() { not(&why) } else { Trouble::Unreadable(why.into()) }
}

/// What was found, a line each.
type Findings = Vec<(&'static str, String)>;

pub(crate) fn run(command: &Verify) -> ExitCode {
    match check(command) {
        Ok(findings) => {
            let found = findings.iter().map(|(what, found)| format!("{what:<12}{}\n", Shown(found)));
            match output::line(found.collect::<String>() + "verified") {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => {
                    tell(&failure);
                    ExitCode::from(2)
                }
            }
        }
        Err(Trouble::NotVerified(why)) => {
            output::note(format_args!("chancery: not verified: {}", Shown(&why)));
            ExitCode::from(1)
        }
        Err(Trouble::Unreadable(failure)) => {
            tell(&failure);
            ExitCode::from(2)
        }
    }
}

fn check(command: &Verify) -> Result<Findings, Trouble> {
    let bundle =
        command.bundle.as_deref().map(|path| Ok::<_, Failure>((path, response("--bundle", path)?))).transpose()?;
    heeded::refuse_others(command, bundle.as_ref().map(|(_, bundle)| bundle))?;
    missing::refuse(command, bundle.as_ref().map(|(_, bundle)| bundle))?;
    if let Some(path) = &command.signature {
        return signature::alone(command, path);
    }
    let key = command.log_key.as_deref().ok_or_else(|| unreadable("--log-key KEY is needed"))?;
    let key: LogKey = key.parse().doing("--log-key")?;
    if let (Some(checkpoints), Some(log)) = (&command.consistency, &command.log) {
        let demand = command.cosigned.demand()?;
        return consistency(checkpoints, log, &key, &demand);
    }
    let (path, bundle) = bundle.ok_or_else(|| unreadable("--bundle FILE is needed"))?;
    if is_of_request(&bundle) {
        signature::of_request(command, parsed(bundle, path)?, &key)
    } else {
        certificate(command, &parsed(bundle, path)?, &key)
    }
}

/// What a bundle is it says itself, whoever wrote it.
fn is_of_request(bundle: &Value) -> bool {
    bundle.get("serviceUuid").is_some()
}

/// What a server answered, with or without its envelope.
fn response(option: &str, path: &Path) -> Result<Value, Failure> {
    let mut answer: Value = serde_json::from_slice(&read(path)?).doing(format!("{option} {}", path.display()))?;
    Ok(answer.get_mut("response").map(Value::take).unwrap_or(answer))
}

fn parsed<T: DeserializeOwned>(bundle: Value, path: &Path) -> Result<T, Failure> {
    let doing = format!("--bundle {}: neither a signing request nor a certificate", path.display());
    serde_json::from_value(bundle).doing(doing)
}

/// A certificate: the one in the bundle, or the one that is given.
fn certificate(command: &Verify, bundle: &x509::Certificate, key: &LogKey) -> Result<Findings, Trouble> {
    let chain = match command.file.as_deref() {
        Some(path) => certificates_alone(path)?,
        None => {
            let unsaved = || unreadable("the bundle has no certificate, for it was not saved: --file names it");
            let saved = bundle.certificate.as_deref().ok_or_else(unsaved)?;
            read_certificates(saved.as_bytes()).doing("the bundle's certificate")?
        }
    };
    let issuer = command.issuer.as_deref().map(certificates).transpose()?;
    let issuer = issuer.as_ref().and_then(|chain| chain.first());
    let der = chain.first().ok_or_else(|| unreadable("there is no certificate"))?;
    let proof = bundle.inclusion_proof.as_ref().ok_or(NotLogged::NoProof).map_err(|why| not(&why))?;
    let subject = Link::read(der).ok_or_else(|| unreadable("the certificate cannot be read"))?.subject_text();
    let findings = vec![("certificate", subject)];
    let logged = logged(findings, verify_logged_certificate(der, issuer.map(Vec::as_slice), proof, key))?;
    witnessed(logged, &command.cosigned.demand()?, &proof.checkpoint)
}

/// Whether as many witnesses have cosigned a checkpoint as are demanded.
fn witnessed(mut findings: Findings, demand: &Demand, note: &str) -> Result<Findings, Trouble> {
    if demand.count == 0 {
        return Ok(findings);
    }
    for Cosigned { witness, time_s, .. } in demand.meets(note).map_err(|why| not(&why))? {
        let time = chancery_core::rfc3339(i64::try_from(time_s).unwrap_or(i64::MAX));
        findings.push(("witness", format!("{witness}, at {time}")));
    }
    Ok(findings)
}

fn logged(mut findings: Findings, outcome: Result<Logged, NotLogged>) -> Result<Findings, Trouble> {
    let Logged { index, checkpoint } = outcome.map_err(|why| not(&why))?;
    findings.push(("log", format!("entry {index} of {} in {}", checkpoint.size, checkpoint.origin)));
    Ok(findings)
}

fn consistency(
    checkpoints: &[std::path::PathBuf],
    log: &str,
    key: &LogKey,
    demand: &Demand,
) -> Result<Findings, Trouble> {
    let [older, newer] = checkpoints else { return Err(unreadable("--consistency takes two files")) };
    let (older, newer) = (text(older)?, text(newer)?);
    let place = log.trim_end_matches('/');
    let fetch = |name: &str| {
        if place.starts_with("http://") {
            chancery_client::public_file(&format!("{place}/tile/{name}")).map_err(|error| error.to_string())
        } else if place.contains("://") {
            Err("only http:// and folders are read: tiles need no protection, they are checked".to_owned())
        } else {
            bounded::open(Path::new(&format!("{place}/tile/{name}"))).map_err(|error| error.to_string())
        }
    };
    match verify_log_consistency(&older, &newer, key, fetch) {
        Ok((old, new)) => {
            let findings = vec![
                ("older", format!("{} entries of {}", old.size, old.origin)),
                ("newer", format!("{} entries, beginning with the same {}", new.size, old.size)),
            ];
            witnessed(findings, demand, &newer)
        }
        Err(unread @ NotLogged::Tile(..)) => Err(Trouble::Unreadable(unread.into())),
        Err(why) => Err(not(&why)),
    }
}

/// The certificates of a file that has nothing else: what stood around them would count as verified, too.
fn certificates_alone(path: &Path) -> Result<Vec<Vec<u8>>, Trouble> {
    let (file, found) = (bounded::file("", path)?, certificates(path)?);
    let blocks =
        found.iter().map(|der| format!("-----BEGINCERTIFICATE-----{}-----ENDCERTIFICATE-----", Base64::encode(der)));
    let text: String = String::from_utf8_lossy(&file).split_whitespace().collect();
    if found == [file] || text == blocks.collect::<String>() {
        return Ok(found);
    }
    Err(unreadable(&format!("--file {}: something else than certificates stands in it", path.display())))
}

fn certificates(path: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    read_certificates(&bounded::file("", path)?).doing(path.display().to_string())
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).doing(path.display().to_string())
}

fn text(path: &Path) -> Result<String, Failure> {
    bounded::text("", path)
}

pub(super) fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<_>> = text.trim().chars().map(|c| c.to_digit(16)).collect();
    let (pairs, rest) = digits.as_deref()?.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| (high << 4 | low) as u8).collect())
}
