//! `chancery verify`: checks without any installation, with files and a key that one trusts.
//!
//! Exit codes: 0 verified, 1 not verified, 2 what was given could not be read.

use std::{fs, path::Path, process::ExitCode};

use chancery_client::{File, FileError};
use chancery_core::{
    LogKey, Logged, NotLogged, certificate_of_signer, content_hash, moment_ms, read_certificates, verify_detached,
    verify_detached_digest, verify_log_consistency, verify_logged_certificate, verify_logged_signature, verify_raw,
};
use chancery_types::{
    ExistingSignature, SigningFormat,
    wire::{signing_requests::SigningRequest, x509},
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    cli::Verify,
    failure::{Failure, While as _, describe},
};

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

/// What was found, a line each.
type Findings = Vec<(&'static str, String)>;

pub(crate) fn run(command: &Verify) -> ExitCode {
    match check(command) {
        Ok(findings) => {
            for (what, found) in findings {
                println!("{what:<12}{found}");
            }
            println!("verified");
            ExitCode::SUCCESS
        }
        Err(Trouble::NotVerified(why)) => {
            eprintln!("chancery: not verified: {why}");
            ExitCode::from(1)
        }
        Err(Trouble::Unreadable(failure)) => {
            eprintln!("chancery: {}", describe(failure.as_ref()));
            ExitCode::from(2)
        }
    }
}

fn check(command: &Verify) -> Result<Findings, Trouble> {
    let key: LogKey = command.log_key.parse().doing("--log-key")?;
    if let (Some(checkpoints), Some(log)) = (&command.consistency, &command.log) {
        return consistency(checkpoints, log, &key);
    }
    let path =
        command.bundle.as_deref().ok_or_else(|| unreadable("--bundle FILE or --consistency OLDER NEWER is needed"))?;
    let mut bundle: Value = serde_json::from_slice(&read(path)?).doing(format!("--bundle {}", path.display()))?;
    if let Some(response) = bundle.get_mut("response") {
        bundle = response.take();
    }
    if bundle.get("serviceUuid").is_some() {
        signature(command, &parsed(bundle, path)?, &key)
    } else {
        certificate(command, &parsed(bundle, path)?, &key)
    }
}

fn parsed<T: DeserializeOwned>(bundle: Value, path: &Path) -> Result<T, Failure> {
    let doing = format!("--bundle {}: neither a signing request nor a certificate", path.display());
    serde_json::from_value(bundle).doing(doing)
}

/// A signing request: content, signature, log.
fn signature(command: &Verify, request: &SigningRequest, key: &LogKey) -> Result<Findings, Trouble> {
    let mut findings = Findings::new();
    // Files that carry their signature inside may be of any size, and their digest is all that is looked at.
    let apart = matches!(request.signing_format, SigningFormat::Raw | SigningFormat::Cms);
    let content = command.file.as_deref().filter(|_| apart).map(read).transpose()?;
    let digest = match (command.file.as_deref(), &command.digest) {
        (Some(path), _) => digest_of(request, path, content.as_deref())?,
        (None, Some(digest)) => from_hex(digest).ok_or_else(|| unreadable("--digest: not hexadecimal"))?,
        (None, None) => return Err(unreadable("--file FILE or --digest HEX is needed: what was signed")),
    };
    if digest != request.digest.0 {
        return Err(not("the content is not the one that was signed"));
    }
    findings.push(("content", format!("the digest of {} is the one that was signed", request.name)));
    let given = command.certificate.as_deref().map(certificates).transpose()?;
    let certificate = match (&given, request.signing_format) {
        (Some(chain), _) => chain.first().cloned().unwrap_or_default(),
        (None, SigningFormat::Raw) => {
            return Err(unreadable("--certificate FILE is needed: a raw signature does not carry it"));
        }
        (None, _) => certificate_of_signer(&request.signature.0).map_err(|why| not(&why))?,
    };
    let time_ms =
        request.decided_at.as_deref().and_then(moment_ms).ok_or_else(|| unreadable("decidedAt is missing"))?;
    let Some(root) = command.root.as_deref() else {
        findings.push(("signature", "not checked: no --root".to_owned()));
        return logged(findings, verify_logged_signature(request, &certificate, key));
    };
    let root = text(root)?;
    let signature = &request.signature.0;
    let verified = match (request.signing_format, &content) {
        (SigningFormat::Cms, Some(content)) => Some(verify_detached(signature, content, &root, time_ms)),
        (SigningFormat::Cms, None) => Some(verify_detached_digest(signature, &digest, &root, time_ms)),
        (SigningFormat::Raw, Some(content)) => {
            Some(verify_raw(signature, content, request.hash_algorithm, &given.unwrap_or_default(), &root, time_ms))
        }
        _ => None,
    };
    findings.push(match verified {
        Some(verified) => {
            let verified = verified.map_err(|why| not(&why))?;
            let chain = format!("{} certificates up to the trusted root", verified.chain_len);
            ("signature", format!("of {}, {chain}, valid when it was logged", verified.signer))
        }
        // Those are checked in the file, by what runs it: osslsigncode, signtool, jarsigner.
        None => ("signature", format!("not checked here: {} without its file", request.signing_format)),
    });
    logged(findings, verify_logged_signature(request, &certificate, key))
}

/// The digest that stands for a content: of a file that carries its signature inside, without that.
fn digest_of(request: &SigningRequest, path: &Path, content: Option<&[u8]>) -> Result<Vec<u8>, Trouble> {
    let (format, hash) = (request.signing_format, request.hash_algorithm);
    let digest = match content {
        Some(content) => Ok(content_hash(hash, content)),
        None => File::open(path, format, hash, ExistingSignature::Replace).and_then(|mut file| file.digest()),
    };
    digest.map_err(|error| match error {
        FileError::Unfit(unfit) => not(&format!("the file: {unfit}")),
        FileError::Io(error) => unreadable(&format!("{}: {error}", path.display())),
    })
}

/// A certificate: the one in the bundle, or the one that is given.
fn certificate(command: &Verify, bundle: &x509::Certificate, key: &LogKey) -> Result<Findings, Trouble> {
    let chain = match command.file.as_deref() {
        Some(path) => certificates(path)?,
        None => read_certificates(bundle.certificate.as_bytes()).doing("the bundle's certificate")?,
    };
    let issuer = command.issuer.as_deref().map(certificates).transpose()?;
    let issuer = issuer.as_ref().and_then(|chain| chain.first());
    let der = chain.first().ok_or_else(|| unreadable("there is no certificate"))?;
    let proof = bundle.inclusion_proof.as_ref().ok_or(NotLogged::NoProof).map_err(|why| not(&why))?;
    let findings = vec![("certificate", bundle.subject.clone())];
    logged(findings, verify_logged_certificate(der, issuer.map(Vec::as_slice), proof, key))
}

fn logged(mut findings: Findings, outcome: Result<Logged, NotLogged>) -> Result<Findings, Trouble> {
    let Logged { index, checkpoint } = outcome.map_err(|why| not(&why))?;
    findings.push(("log", format!("entry {index} of {} in {}", checkpoint.size, checkpoint.origin)));
    Ok(findings)
}

fn consistency(checkpoints: &[std::path::PathBuf], log: &str, key: &LogKey) -> Result<Findings, Trouble> {
    let [older, newer] = checkpoints else { return Err(unreadable("--consistency takes two files")) };
    let (older, newer) = (text(older)?, text(newer)?);
    let place = log.trim_end_matches('/');
    let fetch = |name: &str| {
        if place.starts_with("http://") {
            chancery_client::public_file(&format!("{place}/tile/{name}")).map_err(|error| error.to_string())
        } else if place.contains("://") {
            Err("only http:// and folders are read: tiles need no protection, they are checked".to_owned())
        } else {
            fs::read(format!("{place}/tile/{name}")).map_err(|error| error.to_string())
        }
    };
    match verify_log_consistency(&older, &newer, key, fetch) {
        Ok((older, newer)) => Ok(vec![
            ("older", format!("{} entries of {}", older.size, older.origin)),
            ("newer", format!("{} entries, beginning with the same {}", newer.size, older.size)),
        ]),
        Err(unread @ NotLogged::Tile(..)) => Err(Trouble::Unreadable(unread.into())),
        Err(why) => Err(not(&why)),
    }
}

fn certificates(path: &Path) -> Result<Vec<Vec<u8>>, Failure> {
    read_certificates(&read(path)?).doing(path.display().to_string())
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(path).doing(path.display().to_string())
}

fn text(path: &Path) -> Result<String, Failure> {
    String::from_utf8(read(path)?).doing(path.display().to_string())
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<_>> = text.trim().chars().map(|c| c.to_digit(16)).collect();
    let (pairs, rest) = digits.as_deref()?.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| (high << 4 | low) as u8).collect())
}
