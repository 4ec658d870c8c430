//! Manifests: requests with many named digests, approved together, each signed by itself.

use std::collections::HashSet;

use chancery_keys::Digest;
use chancery_store::{
    Position, Start,
    tables::{self, signing_items::Item},
};
use chancery_types::{
    Base64, SigningRequestId, SigningRequestState,
    wire::{
        Items, ListQuery,
        signing_requests::{IncludeOfItems, ItemsQuery, ManifestItem, ManifestSummary, SignedItem},
    },
};
use futures::{StreamExt, stream};
use tokio::task;
use tracing::error;

use super::{
    algorithms::Choice,
    credential::{Outcome, Signer},
    formats::Content,
    made::Made,
    policy_rules,
    program::Program,
    service::Policy,
};
use crate::{
    Caller, Chancery, Error, Limits, Meaning, Result,
    list::{InOrder, Page, items},
    log::inclusion_proofs,
    text::{check_name, folded},
};

/// What became of one item.
#[derive(Debug)]
pub(crate) struct Finished {
    digest: Vec<u8>,
    /// None where it could not be made.
    signature: Option<Vec<u8>>,
}

/// What a key has put out for a request.
#[derive(Debug)]
pub(crate) enum Output {
    /// One signature.
    One(Vec<u8>),
    /// What became of each item of a manifest, in their order.
    Each(Vec<Finished>),
}

/// The items of a submission, checked, in their order.
pub(super) fn check(items: Vec<ManifestItem>, policy: &Policy, limits: &Limits) -> Result<Vec<Item>> {
    if items.is_empty() {
        return Err(Error::value("/items", "A manifest has at least one item."));
    }
    if items.len() > limits.manifest_items_max {
        let message = format!("A manifest has at most {} items.", limits.manifest_items_max);
        return Err(Error::too_large("/items", message));
    }
    let hash = policy.choice.hash;
    let mut names = HashSet::new();
    let item = |(index, ManifestItem { name, digest: Base64(digest) }): (usize, ManifestItem)| {
        let field = |member: &str| format!("/items/{index}/{member}");
        check_name(&field("name"), &name, limits)?;
        policy_rules::check_file_name(&policy.rules, &name)
            .map_err(|refusal| refusal.under(&format!("/items/{index}")))?;
        if digest.len() != hash.digest_len() {
            let message = format!("A digest of {hash} has {} bytes, not {}.", hash.digest_len(), digest.len());
            return Err(Error::value(field("digest"), message));
        }
        if !names.insert(folded(&name)) {
            return Err(Error::value(
                field("name"),
                "Another item has this name, or one that differs in letter case only.",
            ));
        }
        Ok(Item { name, digest })
    };
    items.into_iter().enumerate().map(item).collect()
}

impl Output {
    /// What is to be committed of it; the digest is that of a request without items.
    pub(super) fn made(&self, nothing: Made, digest: &[u8]) -> Made {
        match self {
            Self::One(signature) => nothing.with(digest, signature),
            Self::Each(items) => items.iter().fold(nothing, |made, item| match &item.signature {
                Some(signature) => made.with(&item.digest, signature),
                None => made.without(),
            }),
        }
    }

    /// As it is stored: a request's signature, or those of its items.
    pub(super) fn stored(self) -> (Option<Vec<u8>>, Vec<Option<Vec<u8>>>) {
        match self {
            Self::One(signature) => (Some(signature), Vec::new()),
            Self::Each(items) => (None, items.into_iter().map(|item| item.signature).collect()),
        }
    }

    /// What an approval answers: the signature, and how far the items of a manifest are.
    pub(super) fn told(output: Option<&Self>, items: u32) -> (Base64, Option<ManifestSummary>) {
        let manifest = (items > 0).then_some(ManifestSummary { total: items, signed: 0, failed: 0 });
        match output {
            None => (Base64(Vec::new()), manifest),
            Some(Self::One(signature)) => (Base64(signature.clone()), manifest),
            Some(Self::Each(finished)) => {
                let signed = finished.iter().filter(|item| item.signature.is_some()).count();
                let signed = u32::try_from(signed).unwrap_or(u32::MAX);
                let failed = items.saturating_sub(signed);
                (Base64(Vec::new()), Some(ManifestSummary { total: items, signed, failed }))
            }
        }
    }
}

impl Chancery {
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
        let mut made = stream::iter(items).map(sign).buffered(self.pool.signs_at_once(&signer.key));
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

    /// The items of a manifest that the caller may read, in their order.
    pub async fn signing_items(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        query: ItemsQuery,
    ) -> Result<Items<SignedItem>> {
        let stored = self.readable_request(caller, id).await?;
        let ItemsQuery { page, page_size, after, include } = query;
        // Signatures are large: never all of them at once.
        let page_size = page_size.or(Some(self.limits.page_size_max));
        let query = ListQuery { page, page_size, after, search: None };
        let rows = Page::in_order(InOrder::Number, &query, &self.limits)?.rows();
        // The log numbers a request's signatures from 0, in the order of the items, whose numbers are from 1.
        let first = match rows.start {
            Start::Offset(number) | Start::After(Position::Number(number)) => u32::try_from(number).unwrap_or(u32::MAX),
            Start::After(Position::Name(..) | Position::Newest(..)) => u32::MAX,
        };
        let numbers = first..first.saturating_add(rows.limit);
        let read = self.read_list(caller, move |tx| {
            Box::pin(async move {
                let listed = tables::signing_items::list(tx, id.into(), &rows).await?;
                let proofs = match include {
                    None => None,
                    Some(IncludeOfItems::InclusionProof) => Some(inclusion_proofs(tx, id.into(), numbers).await?),
                };
                Ok((listed, proofs))
            })
        });
        let (listed, mut proofs) = read.await?;
        let state = stored.facts(self.hardened, self.clock.now_ms()).standing.words().0;
        let mut item = |(number, row): (u32, tables::signing_items::Row)| SignedItem {
            name: row.name,
            digest: Base64(row.digest),
            state: if state == SigningRequestState::Signed && row.signature.is_none() {
                SigningRequestState::Failed
            } else {
                state
            },
            signature: row.signature.map(Base64),
            inclusion_proof: proofs.as_mut().map(|proofs| proofs.remove(&number)),
        };
        let mut numbers = first..;
        items(listed, |row| Ok(item((numbers.next().unwrap_or(u32::MAX), row))))
    }
}
