//! `--file`: whether the file that an approver has is the one that shall be signed, and what that means: of most formats only
//! a part of a file is signed.

use std::path::Path;

use chancery_types::{ExistingSignature, HashType, SigningFormat, wire::signing_requests::SigningRequest};
use chancery_verify::hexadecimal;

use crate::{
    client::{
        connection::Connection,
        exit::{Exit, told},
    },
    commands::sign::{FILE_SHA256, FILE_SIZE},
    failure::{Failure, While as _},
    original::{Form, Original},
    shown::Shown,
};

/// Whether this is the file of which the digest is, and are the page hashes where these are signed too.
pub(super) fn file(request: &SigningRequest, path: &Path) -> Result<Vec<String>, Failure> {
    let doing = || format!("--file {}", path.display());
    let original = Original::open(path).doing("--file")?;
    let form = |existing| Form { format: request.signing_format, hash: request.hash_algorithm, existing };
    let replaced = form(ExistingSignature::Replace);
    let is_it = |form| original.digest(form).map(|digest| digest == request.digest.0);
    // Where the new signature is put beside another one, the digest of some formats is another.
    let is_beside = || !replaced.is_apart() && is_it(form(ExistingSignature::Append)).unwrap_or(false);
    if !is_it(replaced).doing(doing())? && !is_beside() {
        let message = format!("{}: this is not the file that shall be signed; nothing was decided", doing());
        return Err(told(Exit::Failed, message));
    }
    if let Some(pages) = &request.page_hashes
        && original.page_hashes(replaced).doing(doing())? != pages.0
    {
        let message =
            format!("{}: the page hashes that shall be signed are of another program; nothing was decided", doing());
        return Err(told(Exit::Failed, message));
    }
    let name = path.display();
    if is_all_signed(request.signing_format) {
        return Ok(vec![format!("The file {name} is the one that shall be signed, byte for byte.")]);
    }
    let of = request.signing_format;
    let mut said = vec![format!("The part of {name} that {of} signs is the one that shall be signed.")];
    said.push(about_the_rest(&original, request).doing(doing())?);
    Ok(said)
}

pub(super) const REST_MAY_DIFFER: &str =
    "The rest of the file (signatures and what stands in their place, a checksum) is not signed and may differ.";

/// Whether the digest is of the whole file. That of other formats leaves out where a signature stands, and a checksum.
pub(super) const fn is_all_signed(format: SigningFormat) -> bool {
    matches!(format, SigningFormat::Cms | SigningFormat::Raw)
}

/// What is known of the bytes that a format does not sign.
fn about_the_rest(original: &Original, request: &SigningRequest) -> Result<String, Failure> {
    let claimed = |name| request.metadata.as_ref().and_then(|metadata| metadata.get(name));
    let size = original.len().to_string();
    let sha256 = match claimed(FILE_SHA256) {
        Some(_) => Some(hexadecimal(&original.plain_digest(HashType::Sha2_256)?)),
        None => None,
    };
    let is_other = claimed(FILE_SIZE).is_some_and(|said| *said != size)
        || claimed(FILE_SHA256).zip(sha256.as_ref()).is_some_and(|(said, own)| !said.eq_ignore_ascii_case(own));
    Ok(if is_other {
        "The rest of the file is not signed, and is another than the submitter claims (fileSize, fileSha256)."
            .to_owned()
    } else if sha256.is_some() {
        "The rest is not signed; the file as a whole has the SHA-256 that the submitter claims.".to_owned()
    } else {
        REST_MAY_DIFFER.to_owned()
    })
}

/// Whether a manifest has this file, under whatever name.
pub(super) fn item(connection: &Connection, request: &SigningRequest, path: &Path) -> Result<Vec<String>, Failure> {
    let doing = || format!("--file {}", path.display());
    let original = Original::open(path).doing("--file")?;
    let form = |existing| Form { format: request.signing_format, hash: request.hash_algorithm, existing };
    let mut own = vec![original.digest(form(ExistingSignature::Replace)).doing(doing())?];
    own.extend(original.digest(form(ExistingSignature::Append)).ok());
    let items = connection.client.signed_items(request.uuid)?;
    if let Some(item) = items.iter().find(|item| own.contains(&item.digest.0)) {
        let name = Shown(&item.name);
        return Ok(vec![if is_all_signed(request.signing_format) {
            format!("The manifest has this file as {name}.")
        } else {
            format!("The manifest has what {} signs of this file as {name}.", request.signing_format)
        }]);
    }
    Err(told(Exit::Failed, format!("{}: the manifest has no such file; nothing was decided", doing())))
}
