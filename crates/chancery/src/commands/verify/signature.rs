//! Signatures: with the detail of their request and the log's proof, or alone.

use std::{collections::HashSet, path::Path};

use chancery_client::{File, FileError};
use chancery_core::Clock;
use chancery_types::{
    ExistingSignature, HashType, IdentityId, SigningFormat, SigningRequestState,
    wire::{
        Items,
        signing_requests::{SignedItem, SigningRequest},
    },
};
use chancery_verify::{
    ApproverKeys, NotApproved, SignatureFacts, Stamp, ToApprove, Trust, certificate_of_signer, content_hash,
    hexadecimal,
    log::{LogKey, verify_logged_signature},
    manifest_digest, read_cms, verify_approvals, verify_by_signer, verify_raw, verify_signature,
};
use chancery_x509::{
    cms::ContentInfo,
    time::{parse_rfc3339 as moment_ms, rfc3339},
};
use der::{Decode as _, oid::db::rfc5911::ID_DATA};

use super::{
    Findings, Trouble, certificates, from_hex, logged, not, read, refused, response, text, trust::Trusted, unreadable,
    witnessed,
};
use crate::{cli::Verify, failure::While as _};

/// A CMS that stands apart from its content, as of now or of its time stamp, and without any log.
pub(super) fn alone(command: &Verify, path: &Path) -> Result<Findings, Trouble> {
    let signature = read_cms(&read(path)?).doing(format!("--signature {}", path.display()))?;
    refuse_unsupported(&signature)?;
    let content = command.file.as_deref().map(read).transpose()?;
    let given = given_digest(command)?;
    if content.is_none() && given.is_none() {
        return Err(nothing_given());
    }
    let digest = |with| match (&content, given) {
        (Some(content), _) => content_hash(with, content),
        (None, given) => given.unwrap_or_default(),
    };
    let trusted = Trusted::read(command)?.ok_or_else(|| unreadable("--root FILE is needed: whom you trust"))?;
    checked(&signature, SigningFormat::Cms, digest, &trusted.at(Clock::System.now_ms()), "now")
}

/// What may well be good, and is not looked at here: that is no verdict.
fn refuse_unsupported(signature: &[u8]) -> Result<(), Trouble> {
    let ContentInfo { content: signed, .. } = ContentInfo::from_der(signature).doing("--signature")?;
    let why = match signed.signer_infos.as_slice().len() {
        1 if signed.content_type() != ID_DATA => {
            format!("its content is of the type {}, which is not supported", signed.content_type())
        }
        1 if signed.certificates.iter().all(|all| all.is_empty()) => {
            "its signer's certificate is not in it, which is not supported".to_owned()
        }
        1 => return Ok(()),
        signers => format!("it has {signers} signers, and only one is supported"),
    };
    Err(unreadable(&format!("--signature: {why}")))
}

/// A signing request, or an item of a manifest: content, signature, log.
pub(super) fn of_request(command: &Verify, request: SigningRequest, key: &LogKey) -> Result<Findings, Trouble> {
    let mut findings = Findings::new();
    // What people approved: of a manifest all of it.
    let approved = request.clone();
    let request = match (&command.items, &command.item) {
        // A file with lines as those of a manifest has the digest of one.
        (Some(_), _) | (_, Some(_)) if request.manifest.is_none() => {
            return Err(unreadable("--items and --item say nothing of the bundle: it is no manifest"));
        }
        (Some(items), Some(name)) => item(request, items, name, &mut findings)?,
        _ if request.manifest.is_some() => {
            return Err(unreadable("--items FILE and --item NAME are needed: the request is a manifest"));
        }
        _ => request,
    };
    // Files that carry their signature inside may be of any size, and their digest is all that is looked at.
    let apart = matches!(request.signing_format, SigningFormat::Raw | SigningFormat::Cms);
    let content = command.file.as_deref().filter(|_| apart).map(read).transpose()?;
    let is_what_was_signed = match (command.file.as_deref(), given_digest(command)?) {
        (Some(path), _) => is_of_file(&request, path, content.as_deref())?,
        (None, Some(digest)) => digest == request.digest.0,
        (None, None) => return Err(nothing_given()),
    };
    if !is_what_was_signed {
        return Err(not("the content is not the one that was signed"));
    }
    findings.push((
        "content",
        format!("the digest of {} is the one that was signed; the name is the bundle's", request.name),
    ));
    let given = command.certificate.as_deref().map(certificates).transpose()?;
    let certificate = signer(&request, given.as_deref())?;
    // What the bundle shows of the signature is what the signature says, whoever approved it.
    let facts = SignatureFacts::read(&request).map_err(refused)?;
    findings.extend(approvals(command, (&approved, &request), (&certificate, facts), key)?);
    let at_ms = request.decided_at.as_deref().and_then(moment_ms).ok_or_else(|| unreadable("decidedAt is missing"))?;
    let signature = &request.signature.0;
    match (Trusted::read(command)?, request.signing_format) {
        (None, _) => findings.push(("signature", "not checked: no --root".to_owned())),
        (Some(trusted), SigningFormat::Raw) => findings.push(match content {
            Some(content) => {
                let chain = given.unwrap_or_default();
                let verified = verify_raw(signature, &content, request.hash_algorithm, &chain, &trusted.at(at_ms));
                let verified = verified.map_err(refused)?;
                ("signature", told(&verified.signer, verified.chain_len, "when it was logged"))
            }
            None => {
                return Err(unreadable("--file FILE is needed: a raw signature is not checked by the digest alone"));
            }
        }),
        (Some(trusted), format) => {
            let digest = |_| request.digest.0.clone();
            findings.extend(checked(signature, format, digest, &trusted.at(at_ms), "when it was logged")?);
        }
    }
    let findings = logged(findings, verify_logged_signature(&request, &certificate, key))?;
    let note = request.inclusion_proof.as_ref().map(|proof| proof.checkpoint.as_str()).unwrap_or_default();
    witnessed(findings, &command.cosigned.demand()?, note)
}

/// The certificate of whoever signed: the one in the signature, and of a raw one, which has none, the one that is given.
fn signer(request: &SigningRequest, given: Option<&[Vec<u8>]>) -> Result<Vec<u8>, Trouble> {
    let given = given.and_then(|chain| chain.first());
    if request.signing_format == SigningFormat::Raw {
        let needed = || unreadable("--certificate FILE is needed: a raw signature does not carry it");
        return given.cloned().ok_or_else(needed);
    }
    let carried = certificate_of_signer(&request.signature.0).map_err(refused)?;
    if given.is_some_and(|given| *given != carried) {
        return Err(not("--certificate is not the one that the signature carries"));
    }
    Ok(carried)
}

/// Who approved, by keys that whoever verifies has pinned: of a manifest the whole, of which one item is looked at.
fn approvals(
    command: &Verify,
    (approved, signed): (&SigningRequest, &SigningRequest),
    (certificate, facts): (&[u8], SignatureFacts),
    key: &LogKey,
) -> Result<Findings, Trouble> {
    let Some(path) = &command.approver_keys else { return Ok(Findings::new()) };
    let approvers: ApproverKeys = text(path)?.parse().doing(format!("--approver-keys {}", path.display()))?;
    let required = command.approvals.ok_or_else(|| unreadable("--approvals COUNT is needed"))?;
    // People approved what this key would sign, so it has to have signed that, whether a root is trusted or not.
    if signed.signing_format != SigningFormat::Raw {
        let digest = |_| signed.digest.0.clone();
        verify_by_signer(&signed.signature.0, signed.signing_format, digest, certificate).map_err(refused)?;
    }
    let pages = match (&signed.page_hashes, command.file.as_deref()) {
        (Some(_), Some(path)) => Some(page_hashes(signed, path)?),
        _ => None,
    };
    let what = ToApprove { request: approved, certificate, facts, page_hashes: pages.as_deref() };
    let verified = verify_approvals(what, key, &approvers, required);
    let told = |session: Vec<IdentityId>| {
        let names: Vec<_> = session.iter().map(ToString::to_string).collect();
        ("approved", format!("by {}", names.join(" and ")))
    };
    let verified = verified.map_err(|why| {
        if matches!(why, NotApproved::PageHashes) && pages.is_none() {
            return unreadable("--file FILE is needed: the hashes of pages are signed, and follow from the file");
        }
        not(&why)
    })?;
    Ok(verified.into_iter().map(told).collect())
}

/// The hashes of the pages of a program.
fn page_hashes(request: &SigningRequest, path: &Path) -> Result<Vec<u8>, Trouble> {
    let (format, hash) = (request.signing_format, request.hash_algorithm);
    let hashes = File::open(path, format, hash, ExistingSignature::Replace).and_then(|mut file| file.page_hashes());
    hashes.map_err(|error| unread(path, error))
}

/// One item of a manifest, as if it were a request of its own.
fn item(
    request: SigningRequest,
    pages: &[impl AsRef<Path>],
    name: &str,
    findings: &mut Findings,
) -> Result<SigningRequest, Trouble> {
    let mut all: Vec<SignedItem> = Vec::new();
    for page in pages.iter().map(AsRef::as_ref) {
        let doing = format!("--items {}: not the items of a manifest", page.display());
        let page: Items<SignedItem> = serde_json::from_value(response("--items", page)?).doing(doing)?;
        all.extend(page.items);
    }
    // Nothing signs the names and their number: only the digest that people approved, which is that of all lines, binds them.
    let total = request.manifest.map(|manifest| manifest.total as usize);
    let names: HashSet<_> = all.iter().map(|item| item.name.as_str()).collect();
    let is_repeated = names.len() < all.len();
    let lines = all.iter().map(|item| (item.name.as_str(), item.digest.0.as_slice()));
    if is_repeated || manifest_digest(lines) != request.digest.0 {
        return Err(match total {
            Some(total) if is_repeated || all.len() > total => {
                not("there are other items than those of the manifest that was approved")
            }
            Some(total) if all.len() < total => unreadable(&format!(
                "--items: {} of {total} items are given, and all are needed, in their order: the digest that was approved \
                 is that of all",
                all.len()
            )),
            _ => not("the items are not those of the manifest that was approved"),
        });
    }
    // Approvers sign their number, too.
    if total.is_some_and(|total| total != all.len()) {
        return Err(not("the bundle says another number of items than there are"));
    }
    let digest = hexadecimal(&request.digest.0);
    findings.push((
        "manifest",
        format!("its {} items are the ones that were approved, if the bundle's digest is: {digest}", all.len()),
    ));
    let found = all.into_iter().find(|item| item.name == name);
    let item = found.ok_or_else(|| unreadable(&format!("--item {name}: there is no such item in --items")))?;
    let (SigningRequestState::Signed, Some(signature)) = (item.state, item.signature) else {
        return Err(not(&format!("the item {name} is not signed")));
    };
    let inclusion_proof = item.inclusion_proof.flatten();
    Ok(SigningRequest { name: item.name, digest: item.digest, signature, inclusion_proof, ..request })
}

fn checked(
    signature: &[u8],
    format: SigningFormat,
    digest: impl FnOnce(HashType) -> Vec<u8>,
    trust: &Trust<'_>,
    when: &str,
) -> Result<Findings, Trouble> {
    let good = verify_signature(signature, format, digest, trust).map_err(refused)?;
    let (when, stamp) = match good.stamp {
        Stamp::None => (when, "none".to_owned()),
        Stamp::Unchecked => (when, "not checked: no --tsa-root".to_owned()),
        Stamp::Good { at_ms, authority } => {
            ("when it was stamped", format!("{} by {authority}", rfc3339(at_ms.div_euclid(1_000))))
        }
    };
    let verified = good.verified;
    Ok(vec![("signature", told(&verified.signer, verified.chain_len, when)), ("time stamp", stamp)])
}

fn told(signer: &str, chain_len: usize, when: &str) -> String {
    format!("of {signer}, {chain_len} certificates up to the trusted root, valid {when}")
}

/// Whether a file is the one that a request is about.
fn is_of_file(request: &SigningRequest, path: &Path, content: Option<&[u8]>) -> Result<bool, Trouble> {
    let signed = &request.digest.0;
    if digest_of(request, path, content, ExistingSignature::Replace)? == *signed {
        return Ok(true);
    }
    if !matches!(request.signing_format, SigningFormat::JavaJar | SigningFormat::Msi) {
        return Ok(false);
    }
    // A signature that was put beside others is over what they are over: an archive's manifest, not a new one, and an
    // installer's properties too (MsiDigitalSignatureEx).
    match digest_of(request, path, content, ExistingSignature::Append) {
        Ok(digest) => Ok(digest == *signed),
        Err(Trouble::NotVerified(_)) => Ok(false),
        Err(unreadable) => Err(unreadable),
    }
}

/// The digest that stands for a content: of a file that carries its signature inside, without that.
fn digest_of(
    request: &SigningRequest,
    path: &Path,
    content: Option<&[u8]>,
    existing: ExistingSignature,
) -> Result<Vec<u8>, Trouble> {
    let (format, hash) = (request.signing_format, request.hash_algorithm);
    let digest = match content {
        Some(content) => Ok(content_hash(hash, content)),
        None => File::open(path, format, hash, existing).and_then(|mut file| file.digest()),
    };
    digest.map_err(|error| unread(path, error))
}

fn unread(path: &Path, error: FileError) -> Trouble {
    match error {
        FileError::Unfit(unfit) => not(&format!("the file: {unfit}")),
        FileError::Io(error) => unreadable(&format!("{}: {error}", path.display())),
    }
}

fn given_digest(command: &Verify) -> Result<Option<Vec<u8>>, Trouble> {
    let digest = command.digest.as_deref().map(|digest| from_hex(digest).ok_or(digest)).transpose();
    digest.map_err(|_| unreadable("--digest: not hexadecimal"))
}

fn nothing_given() -> Trouble {
    unreadable("--file FILE or --digest HEX is needed: what was signed")
}
