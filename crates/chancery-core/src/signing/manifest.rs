//! Manifests: requests with many named digests, approved together, each signed by itself. How they are checked and read.

use std::collections::HashSet;

use chancery_store::{
    Position, Start,
    tables::{self, signing_items::Item},
};
use chancery_types::{
    Base64, SigningRequestId, SigningRequestState,
    wire::{
        Items, ListQuery,
        signing_requests::{IncludeOfItems, ItemsQuery, ManifestItem, SignedItem},
    },
};

use super::{
    contents::Last, payload::approved_items, policy_rules, read_requests::sees_all, service::Policy,
    submission::check_length,
};
use crate::{
    Caller, Error, Limits, Result, Signing,
    base::{
        list::{InOrder, Page, items},
        text::{check_name, folded},
    },
    log::inclusion_proofs,
};

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
        check_item_name(&field("name"), &name, limits)?;
        policy_rules::check_file_name(&policy.rules, &name)
            .map_err(|refusal| refusal.under(&format!("/items/{index}")))?;
        check_length(hash, &digest).map_err(|message| Error::value(field("digest"), message))?;
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

/// A name as `sha256sum` prints it: with a backslash in it, it prints another line, and another digest would come of the
/// files than people approve.
fn check_item_name(field: &str, name: &str, limits: &Limits) -> Result<()> {
    check_name(field, name, limits)?;
    if name.contains('\\') {
        let why = "A name of a manifest has no backslash, which sha256sum and its like print as two, behind one more.";
        return Err(Error::value(field, why));
    }
    Ok(())
}

impl Signing {
    /// The items of a manifest that the caller may read, in their order.
    pub async fn signing_items(
        &self,
        caller: &Caller,
        id: SigningRequestId,
        query: ItemsQuery,
    ) -> Result<Items<SignedItem>> {
        let (grant, stored) = self.readable_request(caller, id).await?;
        let ItemsQuery { page, page_size, after, include } = query;
        // Signatures are large: never all of them at once.
        let page_size = page_size.or(Some(self.context.limits.page_size_max));
        let query = ListQuery { page, page_size, after, search: None };
        let rows = Page::in_order(InOrder::Number, &query, &self.context.limits)?.rows();
        // The log numbers a request's signatures from 0, in the order of the items, whose numbers are from 1.
        let first = match rows.start {
            Start::Offset(number) | Start::After(Position::Number(number)) => u32::try_from(number).unwrap_or(u32::MAX),
            Start::After(Position::Name(..) | Position::Newest(..)) => u32::MAX,
        };
        let numbers = first..first.saturating_add(rows.limit);
        let row = stored.row.clone();
        let shows_changes = include == Some(IncludeOfItems::Changes) && sees_all(&grant);
        let read = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                approved_items(tx, &row).await?;
                let listed = tables::signing_items::list(tx, id.into(), &rows).await?;
                let proofs = match include {
                    None | Some(IncludeOfItems::Changes) => None,
                    Some(IncludeOfItems::InclusionProof) => Some(inclusion_proofs(tx, id.into(), numbers).await?),
                };
                let last = if shows_changes { Some(Last::before(tx, &row).await?) } else { None };
                Ok((listed, proofs, last))
            })
        });
        let (listed, mut proofs, last) = read.await?;
        let state = stored.facts(self.context.hardened, self.context.clock.now_ms()).standing.words().0;
        let mut item = |(number, row): (u32, tables::signing_items::Row)| SignedItem {
            change: last.as_ref().map(|last| last.change(&row.name, &row.digest)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_manifest_is_one_that_sha256sum_prints_as_it_is() {
        let check = |name: &str| check_item_name("/items/0/name", name, &Limits::default());
        assert!(check("dist/a b.tar").is_ok());
        for name in ["dist\\a.tar", "\\", "a\nb", "a\rb"] {
            assert_eq!(check(name).unwrap_err().field(), Some("/items/0/name"), "{name:?}");
        }
    }
}
