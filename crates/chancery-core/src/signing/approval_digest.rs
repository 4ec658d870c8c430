//! What an approval is of. The digest of a payload says nothing of what else a signature covers: hashes of pages that came
//! with a digest, a program's name and address. Whoever submits could add them behind the digest that approvers compare, so
//! one digest covers all of it.

use chancery_types::Base64;
use chancery_verify::{Content, approval_digest};

use super::{program::Program, stored_request::StoredRequest};
use crate::{Error, Grant, Result, Signing, approval::other_digest};

/// What is signed besides a digest.
#[derive(Clone, Copy)]
pub(super) struct Besides<'a> {
    /// Hashes of pages that were not computed from an upload, which says all of them.
    pub(super) given_page_hashes: Option<&'a [u8]>,
    pub(super) program: Option<&'a Program>,
}

impl<'a> Besides<'a> {
    /// Of a stored request. Only of an upload it is known what becomes of a signature that the file has already, and its
    /// pages say their hashes.
    pub(super) fn of(stored: &StoredRequest, page_hashes: Option<&'a [u8]>, program: Option<&'a Program>) -> Self {
        Self { given_page_hashes: page_hashes.filter(|_| stored.row.existing_signature.is_none()), program }
    }

    /// What an approval is of, in the words of statements: `items` is 0 where it is no manifest.
    pub(super) fn content(self, items: u32) -> Content {
        let Self { given_page_hashes, program } = self;
        let has = |part: fn(&Program) -> &Option<String>| program.is_some_and(|program| part(program).is_some());
        let with = [given_page_hashes.is_some(), has(|program| &program.name), has(|program| &program.url)];
        Content::new((items > 0).then_some(items), with)
    }

    /// What an approval is of; none where that is the digest itself.
    pub(super) fn approval_digest(self, digest: &[u8]) -> Option<Vec<u8>> {
        let Self { given_page_hashes, program } = self;
        let name = program.and_then(|program| program.name.as_deref()).map(str::as_bytes);
        let url = program.and_then(|program| program.url.as_deref()).map(str::as_bytes);
        let parts = [("pageHashes", given_page_hashes), ("programName", name), ("programUrl", url)];
        let parts: Vec<_> = parts.into_iter().filter_map(|(part, content)| Some((part, content?))).collect();
        (!parts.is_empty()).then(|| approval_digest(digest, parts))
    }
}

impl Signing {
    /// What an approval of a stored request is of: made from what would be signed, so that nothing is approved whose parts
    /// are no longer those that the request's row stands for.
    pub(super) async fn approval_digest(
        &self,
        grant: &Grant,
        stored: &StoredRequest,
        page_hashes: Option<&[u8]>,
        program: Option<&Program>,
    ) -> Result<Vec<u8>> {
        let row = &stored.row;
        let found = Besides::of(stored, page_hashes, program).approval_digest(&row.digest);
        // A row without one may be of a time before there was any; nothing was approved then that is not approved now.
        if row.approval_digest.is_some() && row.approval_digest != found {
            let id = row.id;
            let refused = self
                .context
                .storage
                .read(grant, move |tx| Box::pin(async move { Err(tx.refuse("signing_requests", id)) }));
            return Ok(refused.await?);
        }
        Ok(found.unwrap_or_else(|| row.digest.clone()))
    }

    /// What is approved, where the approver says it.
    pub(super) async fn expect_approval_digest(
        &self,
        grant: &Grant,
        stored: &StoredRequest,
        said: Option<&Base64>,
    ) -> Result<Vec<u8>> {
        let page_hashes = self.stored_page_hashes(grant, stored).await?;
        let program = self.stored_program(grant, stored).await?;
        let expected = self.approval_digest(grant, stored, page_hashes.as_deref(), program.as_ref()).await?;
        match said {
            Some(Base64(said)) if *said == expected => Ok(expected),
            None => Ok(expected),
            Some(Base64(said)) if *said == stored.row.digest => {
                let message = "Nothing was approved: this digest alone does not cover all that would be signed, which is also \
                               the hashes of pages, or the program's name and address, that came with it; the detail shows \
                               them, and its approvalDigest covers them too.";
                Err(Error::value("/digest", message))
            }
            Some(Base64(other)) => {
                let message = "This is not the digest of the request, so nothing was approved; its detail has it as \
                               approvalDigest.";
                Err(other_digest(message, other))
            }
        }
    }
}
