//! Formats whose signature goes into the file: the file's digest at submission, the signed file when it is fetched. It is
//! made anew each time from what is stored, the payload and the CMS, and always comes out the same.

use std::{io::Cursor, sync::Arc};

use chancery_formats::{Existing, File, Format, Hash};
use chancery_keys::Digest;
use chancery_store::tables;
use chancery_types::{ExistingSignature, HashType, SigningFormat, SigningRequestId, SigningRequestState};

use super::stored::StoredRequest;
use crate::{Caller, Chancery, Error, Result};

/// The container of a format; `None` where signatures stand apart.
pub(crate) const fn container(format: SigningFormat) -> Option<Format> {
    match format {
        SigningFormat::Raw | SigningFormat::Cms => None,
        SigningFormat::Authenticode => Some(Format::Pe),
        SigningFormat::Msi => Some(Format::Msi),
        SigningFormat::Powershell => Some(Format::Powershell),
        SigningFormat::JavaJar => Some(Format::Jar),
    }
}

/// The hashes of signatures inside files: what Windows and Java both take today.
pub(crate) const HASHES: [HashType; 3] = [HashType::Sha2_256, HashType::Sha2_384, HashType::Sha2_512];

/// What becomes of a signature that a file has already, as a submission says it; by default it is replaced.
pub(crate) fn existing(
    format: SigningFormat,
    asked: Option<ExistingSignature>,
    payload: bool,
) -> Result<Option<ExistingSignature>> {
    const FIELD: &str = "/existingSignature";
    match (container(format), asked) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(Error::value(FIELD, "Signatures of this service stand apart from their files.")),
        (Some(_), Some(_)) if !payload => {
            Err(Error::value(FIELD, "Whoever submits a digest finishes the file, and decides then."))
        }
        (Some(Format::Powershell), Some(ExistingSignature::Append)) => {
            let message = "Scripts have one signature; the existing one can only be replaced.";
            Err(Error::value(FIELD, message))
        }
        (Some(_), asked) => Ok(payload.then(|| asked.unwrap_or(ExistingSignature::Replace))),
    }
}

/// Reads a file.
pub(super) fn open<'a>(
    format: Format,
    with: HashType,
    existing: Option<ExistingSignature>,
    bytes: &'a &[u8],
) -> std::result::Result<File<'a>, chancery_formats::Error> {
    // No policy has another hash: see `HASHES`.
    let hash = if with == HashType::Sha2_512 {
        Hash::Sha512
    } else if with == HashType::Sha2_384 {
        Hash::Sha384
    } else {
        Hash::Sha256
    };
    let existing = match existing {
        Some(ExistingSignature::Append) => Existing::Append,
        Some(ExistingSignature::Replace) | None => Existing::Replace,
    };
    File::read(format, bytes, hash, existing)
}

/// What is in memory is always read and written; only the file itself can be at fault.
pub(super) fn refusal(error: chancery_formats::Error, refuse: impl FnOnce(&'static str) -> Error) -> Error {
    match error {
        chancery_formats::Error::Unfit(unfit) => refuse(unfit.0),
        chancery_formats::Error::Io(error) => Error::internal(error),
    }
}

impl Chancery {
    /// The digest that stands for a file.
    pub(super) async fn file_digest(
        &self,
        format: Format,
        with: HashType,
        existing: Option<ExistingSignature>,
        file: Arc<Vec<u8>>,
    ) -> Result<Digest> {
        let digest = move || open(format, with, existing, &file.as_slice())?.digest();
        let digest = self.pool.run(digest).await?;
        let digest = digest.map_err(|error| refusal(error, |why| Error::value("/uploadData", why)))?;
        Digest::new(with, &digest).map_err(Error::internal)
    }

    /// The signed file of a request, under its name.
    pub async fn signed_file(&self, caller: &Caller, id: SigningRequestId) -> Result<(String, Vec<u8>)> {
        let stored = self.readable_request(caller, id).await?;
        let StoredRequest { row, policy, .. } = stored;
        let Some(format) = container(policy.choice.format) else {
            return Err(Error::state("The signature stands apart from its file; the request's detail has it."));
        };
        if row.items > 0 {
            return Err(Error::state("A manifest has a signature for each of its items; they are under …/items."));
        }
        let state = row.state.parse::<SigningRequestState>().map_err(Error::internal)?;
        let (SigningRequestState::Signed, Some(cms)) = (state, row.signature) else {
            return Err(Error::state("The request is not signed."));
        };
        let payload = self.store.read(move |tx| Box::pin(tables::signing_requests::payload(tx, id.into()))).await?;
        let Some(payload) = payload else {
            let message = "Only a digest was submitted; whoever has the file puts the signature into it.";
            return Err(Error::state(message));
        };
        let existing = row.existing_signature.as_deref().map(str::parse).transpose().map_err(Error::internal)?;
        let with = policy.choice.hash;
        let finish = move || {
            let mut signed = Cursor::new(Vec::new());
            open(format, with, existing, &payload.as_slice())?.finish(&cms, &mut signed)?;
            Ok(signed.into_inner())
        };
        let signed = self.pool.run(finish).await?.map_err(|error| refusal(error, Error::state))?;
        Ok((row.name, signed))
    }
}
