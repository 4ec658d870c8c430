//! What is inside of what people sign: of an upload, what the file says of itself; of a manifest, what is new since the
//! last one. Computed for whoever asks, from what is stored and will be signed, and kept nowhere.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use chancery_formats::FileKind;
use chancery_keys::hash;
use chancery_store::{
    Tx,
    tables::{self, signing_items::Item},
};
use chancery_types::{
    Base64, HashType, SigningRequestState,
    wire::{
        ObjInfo,
        signing_requests::{
            ContentEntry, ContentKind, ContentProperty, ContentSignature, Include, ItemChange, ManifestChanges,
            UploadContents,
        },
    },
};
use chancery_verify::{certificate_of_signer, path::Link};

use super::{embedded::Container, payload::approved_items, read_requests::sees_all, stored_request::StoredRequest};
use crate::{Caller, Error, Grant, Result, Signing, approval::moment};

/// Names that are gone and told of, and characters of a signer's name.
const GONE_NAMES_MAX: usize = 1_000;
const SUBJECT_MAX: usize = 256;

/// Parts of a request that are read on demand.
#[derive(Default)]
pub(super) struct OnDemand {
    pub(super) payload: Option<Vec<u8>>,
    pub(super) contents: Option<UploadContents>,
    pub(super) changes: Option<ManifestChanges>,
}

impl Signing {
    /// What is asked for besides the usual.
    pub(super) async fn on_demand(
        &self,
        caller: &Caller,
        grant: &Grant,
        stored: &StoredRequest,
        include: Option<Include>,
    ) -> Result<OnDemand> {
        match include {
            None | Some(Include::Provenance) => Ok(OnDemand::default()),
            // Read apart, and only now: it may be large.
            Some(Include::UploadData) => {
                let _turn = self.context.turn_to_read_upload(caller).await?;
                let payload = self.stored_payload(grant, stored).await?.map(Arc::unwrap_or_clone);
                Ok(OnDemand { payload, ..OnDemand::default() })
            }
            Some(Include::Contents) => {
                let _turn = self.context.turn_to_read_upload(caller).await?;
                let contents = self.upload_contents(grant, stored).await?;
                Ok(OnDemand { contents, changes: self.manifest_changes(grant, stored).await?, ..OnDemand::default() })
            }
        }
    }

    async fn upload_contents(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<UploadContents>> {
        let Some(payload) = self.stored_payload(grant, stored).await? else { return Ok(None) };
        let container = Container::of_stored(stored, &payload)?;
        self.context.pool.run(move || Some(looked_into(container.as_ref(), &payload))).await
    }

    /// What is new in a manifest, for those who may see the last one.
    async fn manifest_changes(&self, grant: &Grant, stored: &StoredRequest) -> Result<Option<ManifestChanges>> {
        if stored.row.items == 0 || !sees_all(grant) {
            return Ok(None);
        }
        let row = stored.row.clone();
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move {
                let items = approved_items(tx, &row).await?;
                Ok::<_, Error>(Last::before(tx, &row).await?.changes(&items))
            })
        });
        read.await.map(Some)
    }
}

/// The last manifest that was signed under a policy.
#[derive(Default)]
pub(super) struct Last {
    request: Option<tables::signing_requests::Row>,
    /// What was signed of it.
    digests: HashMap<String, Vec<u8>>,
}

impl Last {
    /// The last one before a manifest was decided on; of one that waits, the last one.
    pub(super) async fn before(tx: &mut Tx, row: &tables::signing_requests::Row) -> Result<Self> {
        let before_ms = row.decided_at_ms.unwrap_or(i64::MAX);
        let Some(id) = tables::signing_requests::last_manifest(tx, row.policy_id, before_ms).await? else {
            return Ok(Self::default());
        };
        let missing = || Error::internal("a manifest is not there");
        let request = tables::signing_requests::by_id(tx, id).await?.ok_or_else(missing)?;
        // Found by columns that nothing vouches for; the row as it was read has a MAC.
        if request.state != SigningRequestState::Signed.as_str() || request.policy_id != row.policy_id {
            return Err(tx.refuse("signing_requests", id).into());
        }
        let items = approved_items(tx, &request).await?;
        let signed = tables::signing_items::signed_numbers(tx, id).await?;
        let numbered = (1..).zip(items).filter(|(number, _)| signed.binary_search(number).is_ok());
        let digests = numbered.map(|(_, item)| (item.name, item.digest)).collect();
        Ok(Self { request: Some(request), digests })
    }

    /// What an item is beside it.
    pub(super) fn change(&self, name: &str, digest: &[u8]) -> ItemChange {
        match self.digests.get(name) {
            None => ItemChange::Added,
            Some(last) if last == digest => ItemChange::Same,
            Some(_) => ItemChange::Changed,
        }
    }

    fn changes(self, items: &[Item]) -> ManifestChanges {
        let count = |change| {
            let such = items.iter().filter(|item| self.change(&item.name, &item.digest) == change);
            u32::try_from(such.count()).unwrap_or(u32::MAX)
        };
        let [added, changed, same] = [ItemChange::Added, ItemChange::Changed, ItemChange::Same].map(count);
        let names: HashSet<_> = items.iter().map(|item| item.name.as_str()).collect();
        let mut gone_names: Vec<_> =
            self.digests.keys().filter(|name| !names.contains(name.as_str())).cloned().collect();
        let gone = u32::try_from(gone_names.len()).unwrap_or(u32::MAX);
        gone_names.sort_unstable();
        gone_names.truncate(GONE_NAMES_MAX);
        let since_signed_at = self.request.as_ref().and_then(|row| row.decided_at_ms).map(moment);
        let since = self.request.map(|row| ObjInfo { name: row.name, uuid: row.id.into() });
        ManifestChanges { since, since_signed_at, added, changed, same, gone, gone_names }
    }
}

/// What is in an upload; of a format that signs any file, its digest alone.
fn looked_into(container: Option<&Container>, payload: &[u8]) -> UploadContents {
    let found = container.and_then(Container::contents).unwrap_or_default();
    let property = |(name, value)| ContentProperty { name, value };
    UploadContents {
        sha256: Base64(hash(HashType::Sha2_256, payload).as_bytes().to_vec()),
        kind: found.kind.map(kind),
        machine: found.machine,
        properties: found.properties.into_iter().map(property).collect(),
        lines: found.lines,
        entries_total: found.entries_total,
        entries: found.entries.into_iter().map(|(name, size)| ContentEntry { name, size }).collect(),
        signatures_total: found.signatures_total,
        signatures: found.signatures.iter().map(|cms| ContentSignature { subject: subject(cms) }).collect(),
        is_cut: found.is_cut,
    }
}

const fn kind(kind: FileKind) -> ContentKind {
    match kind {
        FileKind::Program => ContentKind::Program,
        FileKind::Library => ContentKind::Library,
        FileKind::Driver => ContentKind::Driver,
        FileKind::Firmware => ContentKind::Firmware,
        FileKind::Installer => ContentKind::Installer,
        FileKind::Script => ContentKind::Script,
        FileKind::Archive => ContentKind::Archive,
    }
}

/// Who a signature says made it.
fn subject(cms: &[u8]) -> Option<String> {
    let certificate = certificate_of_signer(cms).ok()?;
    Some(Link::read(&certificate)?.subject_text().chars().take(SUBJECT_MAX).collect())
}
