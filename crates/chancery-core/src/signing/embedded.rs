//! Formats whose signature goes into the file: the file's digest at submission, the signed file when it is fetched. It is
//! made anew each time from what is stored, the payload and the CMS, and always comes out the same. It is also made, and
//! read again, before a signature counts: a request is never signed whose file cannot carry its signature.

use std::{io::Cursor, sync::Arc};

use chancery_formats::{Contents, Error as Fault, Existing, File, Format, Hash, Unfit};
use chancery_keys::Digest;
use chancery_types::{ExistingSignature, HashType, SigningFormat, SigningRequestId, SigningRequestState};
use serde_json::json;

use super::{algorithms::Choice, payload::Stored, stored_request::StoredRequest};
use crate::{Caller, Error, Grant, Result, Signing};

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

/// What comes of reading a file.
type Read<T> = std::result::Result<T, Fault>;

/// A file that its signature goes into.
#[derive(Clone)]
pub(super) struct Container {
    format: Format,
    with: HashType,
    existing: Option<ExistingSignature>,
    file: Arc<Vec<u8>>,
}

impl Container {
    /// The file of a request under this policy, where its signature goes into it.
    pub(super) fn of(choice: Choice, existing: Option<ExistingSignature>, file: &Arc<Vec<u8>>) -> Option<Self> {
        let format = container(choice.format)?;
        Some(Self { format, with: choice.hash, existing, file: Arc::clone(file) })
    }

    /// The file that was uploaded with a request, where its signature goes into it.
    pub(super) fn of_stored(stored: &StoredRequest, file: &Arc<Vec<u8>>) -> Result<Option<Self>> {
        let existing = stored.row.existing_signature.as_deref().map(str::parse).transpose().map_err(Error::internal)?;
        Ok(Self::of(stored.policy.choice, existing, file))
    }

    /// The digest that stands for the file; `None` for one that cannot be read.
    pub(super) fn digest(&self) -> Option<Vec<u8>> {
        self.read(|file| file.digest()).ok()
    }

    /// What the file says of itself; `None` for one that cannot be read.
    pub(super) fn contents(&self) -> Option<Contents> {
        self.read(|file| Ok(file.contents())).ok()
    }

    /// Does something with the file.
    fn read<T>(&self, then: impl FnOnce(File<'_>) -> Read<T>) -> Read<T> {
        // No policy has another hash: see `HASHES`.
        let hash = if self.with == HashType::Sha2_512 {
            Hash::Sha512
        } else if self.with == HashType::Sha2_384 {
            Hash::Sha384
        } else {
            Hash::Sha256
        };
        let existing = match self.existing {
            Some(ExistingSignature::Append) => Existing::Append,
            Some(ExistingSignature::Replace) | None => Existing::Replace,
        };
        then(File::read(self.format, &self.file.as_slice(), hash, existing)?)
    }

    /// The signed file, as a verifier reads it again: with this digest.
    fn signed(&self, cms: &[u8], digest: &[u8]) -> Read<Vec<u8>> {
        self.read(|file| {
            if file.digest()? != digest {
                return Err(Unfit("The file has another digest than the one that was signed.").into());
            }
            let mut signed = Cursor::new(Vec::new());
            file.finish(cms, &mut signed)?;
            Ok(signed.into_inner())
        })
    }
}

/// What is in memory is always read and written; only the file itself can be at fault.
fn refusal(fault: Fault, refuse: impl FnOnce(&'static str) -> Error) -> Error {
    match fault {
        Fault::Unfit(unfit) => refuse(unfit.0),
        Fault::Io(error) => Error::internal(error),
    }
}

impl Signing {
    /// The digest that stands for a file. Where people are waited for before it is signed, a signature is tried first.
    pub(super) async fn file_digest(&self, container: Container, waits: bool) -> Result<Digest> {
        let with = container.with;
        let digest = move || {
            container.read(|file| {
                let digest = file.digest()?;
                if waits {
                    file.try_finish()?;
                }
                Ok(digest)
            })
        };
        let digest = self.context.pool.run(digest).await?;
        let digest = digest.map_err(|fault| refusal(fault, |why| Error::value("/uploadData", why)))?;
        Digest::new(with, &digest).map_err(Error::internal)
    }

    /// The hashes of the pages of a program.
    pub(super) async fn computed_page_hashes(&self, file: Arc<Vec<u8>>) -> Result<Vec<u8>> {
        // Of SHA-256, whatever the digest of the whole is made with.
        let container = Container { format: Format::Pe, with: HashType::Sha2_256, existing: None, file };
        let computed = self.context.pool.run(move || container.read(|file| file.page_hashes())).await?;
        computed.map_err(|fault| refusal(fault, |why| Error::value("/withPageHashes", why)))
    }

    /// Puts a signature into its file. What keeps it out is a sentence for a person.
    pub(super) async fn embed(
        &self,
        container: Container,
        cms: Vec<u8>,
        digest: Vec<u8>,
    ) -> Result<std::result::Result<Vec<u8>, &'static str>> {
        match self.context.pool.run(move || container.signed(&cms, &digest)).await? {
            Ok(signed) => Ok(Ok(signed)),
            Err(Fault::Unfit(unfit)) => Ok(Err(unfit.0)),
            Err(Fault::Io(error)) => Err(Error::internal(error)),
        }
    }

    /// The file of a request as it was uploaded, where its signature goes into it.
    pub(super) async fn stored_container(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<Container>> {
        if container(stored.policy.choice.format).is_none() {
            return Ok(None);
        }
        // What cannot be read fails where the signature is put into it, as any file that cannot carry one.
        match self.payload_as_stored(grant, stored).await? {
            Some(Stored::Approved(payload) | Stored::Unreadable(payload)) => Container::of_stored(stored, &payload),
            None => Ok(None),
        }
    }

    /// The signed file of a request, under its name.
    pub async fn signed_file(&self, caller: &Caller, id: SigningRequestId) -> Result<(String, Vec<u8>)> {
        let (grant, mut stored) = self.readable_request(caller, id).await?;
        if container(stored.policy.choice.format).is_none() {
            return Err(Error::state("The signature stands apart from its file; the request's detail has it."));
        }
        if stored.row.items > 0 {
            return Err(Error::state("A manifest has a signature for each of its items; they are under …/items."));
        }
        let state = stored.row.state.parse::<SigningRequestState>().map_err(Error::internal)?;
        let (SigningRequestState::Signed, Some(cms)) = (state, stored.row.signature.take()) else {
            return Err(Error::state("The request is not signed."));
        };
        let _turn = self.context.turn_to_read_upload(caller).await?;
        let Some(container) = self.stored_container(&grant, &stored).await? else {
            let message = "Only a digest was submitted; whoever has the file puts the signature into it.";
            return Err(Error::state(message));
        };
        let (digest, name) = (hex::encode(&stored.row.digest), stored.row.name);
        let signed = self.embed(container, cms, stored.row.digest).await?.map_err(Error::state)?;
        self.tell_of_download(
            &grant,
            id,
            json!({"name": name, "digest": digest, "bytes": signed.len(), "signed": true}),
        )
        .await?;
        Ok((name, signed))
    }
}
