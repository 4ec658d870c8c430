//! The signatures of one request: one, or one for each item of a manifest.

use chancery_keys::Digest;
use chancery_store::tables::signing_items::Item;
use chancery_types::{Base64, wire::signing_requests::ManifestSummary};
use futures::{StreamExt, stream};
use tokio::task;
use tracing::error;

use crate::{
    Error, Meaning, Result, Signing,
    signing::{
        algorithms::Choice,
        credential::{Outcome, Signer},
        formats::Content,
        program::Program,
    },
};

/// What became of one item.
#[derive(Debug)]
pub(in crate::signing) struct Finished {
    digest: Vec<u8>,
    /// None where it could not be made.
    signature: Option<Vec<u8>>,
}

/// What a key has put out for a request.
#[derive(Debug)]
pub(in crate::signing) enum Signatures {
    One {
        digest: Digest,
        signature: Vec<u8>,
    },
    /// What became of each item of a manifest, in their order.
    Each(Vec<Finished>),
}

impl Signatures {
    /// Each digest and signature, with its number.
    pub(super) fn numbered(&self) -> Vec<(u32, &[u8], &[u8])> {
        match self {
            Self::One { digest, signature } => vec![(0, digest.as_bytes(), signature)],
            Self::Each(items) => (0..)
                .zip(items)
                .filter_map(|(number, item)| Some((number, item.digest.as_slice(), item.signature.as_deref()?)))
                .collect(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.numbered().len()).unwrap_or(u32::MAX)
    }

    /// As it is stored: a request's signature, or those of its items.
    pub(super) fn stored(self) -> (Option<Vec<u8>>, Vec<Option<Vec<u8>>>) {
        match self {
            Self::One { signature, .. } => (Some(signature), Vec::new()),
            Self::Each(items) => (None, items.into_iter().map(|item| item.signature).collect()),
        }
    }

    /// What an approval answers: the signature, and how far the items of a manifest are.
    pub(in crate::signing) fn answered(signatures: Option<&Self>, items: u32) -> (Base64, Option<ManifestSummary>) {
        let manifest = (items > 0).then_some(ManifestSummary { total: items, signed: 0, failed: 0 });
        match signatures {
            None => (Base64(Vec::new()), manifest),
            Some(Self::One { signature, .. }) => (Base64(signature.clone()), manifest),
            Some(Self::Each(finished)) => {
                let signed = finished.iter().filter(|item| item.signature.is_some()).count();
                let signed = u32::try_from(signed).unwrap_or(u32::MAX);
                let failed = items.saturating_sub(signed);
                (Base64(Vec::new()), Some(ManifestSummary { total: items, signed, failed }))
            }
        }
    }
}

impl Signing {
    /// Signs all items, outside any transaction. A fault of one is its own; what keeps the key from signing keeps it
    /// from all of them.
    pub(super) async fn sign_items(
        &self,
        signer: &Signer,
        choice: Choice,
        items: Vec<Item>,
        program: Option<&Program>,
        at_ms: i64,
    ) -> Result<Outcome<Vec<Finished>>> {
        let sign = |item: Item| {
            async move {
                let digest = Digest::new(choice.hash, &item.digest).map_err(Error::internal)?;
                let program = program.cloned();
                let content = Content { digest, payload: None, page_hashes: None, program, at_ms };
                let made = self.make_signature(signer, choice, content).await;
                // Keys that sign at once never wait, and others want this thread.
                task::yield_now().await;
                let made = match made {
                    Err(fault) if fault.meaning() == Meaning::Internal => {
                        error!(error = &fault as &dyn std::error::Error, item = item.name, "an item was not signed");
                        Outcome::Signed(None)
                    }
                    other => other?.map(Some),
                };
                Ok::<_, Error>(made.map(|signature| Finished { digest: item.digest, signature }))
            }
        };
        // So many at a time that all cores have some: what others ask for in the meantime waits for about as long as those.
        let mut made = stream::iter(items).map(sign).buffered(signer.key.signs_at_once());
        let mut finished = Vec::new();
        while let Some(one) = made.next().await {
            match one? {
                Outcome::Signed(item) => finished.push(item),
                Outcome::Failed(reason) => return Ok(Outcome::Failed(reason)),
            }
        }
        if finished.iter().all(|item| item.signature.is_none()) {
            return Err(Error::internal("none of a manifest's items could be signed"));
        }
        Ok(Outcome::Signed(finished))
    }
}
