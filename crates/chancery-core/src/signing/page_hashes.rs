//! The hashes of a program's pages, which Authenticode can sign besides the digest of the whole: Windows checks them when it
//! loads a page. Computed from an upload, or submitted together with a digest; kept with the request either way, so that
//! what is signed is what approvers saw.

use std::sync::Arc;

use chancery_formats::is_page_hashes;
use chancery_store::tables;
use chancery_types::{Base64, SigningFormat};

use super::stored_request::StoredRequest;
use crate::{Error, Grant, Result, Signing};

/// What a submission says of them.
pub(super) enum PageHashes {
    None,
    Compute,
    Given(Vec<u8>),
}

impl PageHashes {
    pub(super) fn of(format: SigningFormat, payload: bool, asked: bool, given: Option<Base64>) -> Result<Self> {
        let field = if asked { "/withPageHashes" } else { "/pageHashes" };
        match (asked, given) {
            (false, None) => Ok(Self::None),
            (true, _) | (_, Some(_)) if format != SigningFormat::Authenticode => {
                Err(Error::value(field, "Only programs (Authenticode) have pages."))
            }
            (_, Some(_)) if payload => {
                Err(Error::value("/pageHashes", "The hashes of an upload are computed: say withPageHashes."))
            }
            (true, _) if !payload => {
                Err(Error::value(field, "A digest has no pages: whoever submits it sends pageHashes along."))
            }
            (_, Some(Base64(given))) if is_page_hashes(&given) => Ok(Self::Given(given)),
            (_, Some(_)) => {
                let message = "These are no page hashes: entries of 36 bytes (a place and a SHA-256), in the order of the \
                               places, from 0 on, the last one without a hash; at most 1 MiB.";
                Err(Error::value("/pageHashes", message))
            }
            (true, None) => Ok(Self::Compute),
        }
    }
}

impl Signing {
    /// The hashes themselves.
    pub(super) async fn page_hashes(
        &self,
        said: PageHashes,
        payload: Option<&Arc<Vec<u8>>>,
    ) -> Result<Option<Vec<u8>>> {
        match (said, payload) {
            (PageHashes::None, _) | (PageHashes::Compute, None) => Ok(None),
            (PageHashes::Given(given), _) => Ok(Some(given)),
            (PageHashes::Compute, Some(payload)) => self.computed_page_hashes(Arc::clone(payload)).await.map(Some),
        }
    }

    /// Those that are kept with a request.
    pub(super) async fn stored_page_hashes(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<Vec<u8>>> {
        if stored.policy.choice.format != SigningFormat::Authenticode {
            return Ok(None);
        }
        let id = stored.row.id;
        self.context
            .storage
            .read(grant, move |tx| Box::pin(async move { Ok(tables::signing_requests::page_hashes(tx, id).await?) }))
            .await
    }
}
