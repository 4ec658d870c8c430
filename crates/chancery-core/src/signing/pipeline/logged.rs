//! Where signatures are stored: the one place that all of them pass. Outside of it a key has made something that nobody
//! has seen; inside it is decided whether that counts, in the transaction that also stores the request.

use chancery_store::{Tx, tables::signing_items};
use chancery_types::SigningRequestId;
use uuid::Uuid;

use super::items::Signatures;
use crate::{
    Result,
    budgets::Counted,
    log::{
        self, Leaf, NewEntry,
        leaf::{SignatureFacts, sha256},
    },
    signing::{policy_rules, target::Found},
};

/// Signatures of one request that a key has made, and that are worth nothing until they are stored.
pub(super) struct Signed {
    pub(super) target: Found,
    pub(super) request: SigningRequestId,
    pub(super) at_ms: i64,
    pub(super) signatures: Signatures,
    pub(super) counted: Counted,
}

/// The same signatures, with what the log will say of them.
pub(in crate::signing) struct Logged {
    target: Found,
    at_ms: i64,
    signatures: Signatures,
    /// One for each signature.
    entries: Vec<NewEntry>,
    counted: Counted,
}

/// Signatures that may be stored.
#[must_use = "the log has to tell of them"]
pub(in crate::signing) struct Admitted {
    entries: Vec<NewEntry>,
    items: Vec<Option<Vec<u8>>>,
    counted: Counted,
}

impl Signed {
    /// With what the log will say of them: that needs no transaction. A request's signatures are numbered in the order of
    /// its items.
    pub(super) fn logged(self) -> Result<Logged> {
        let Self { target, request, at_ms, signatures, counted } = self;
        let (policy, certificate) = (&target.policy, target.certificate_sha256);
        let entry = |(item, digest, signature): (u32, &[u8], &[u8])| {
            let leaf = Leaf::of_signature(SignatureFacts {
                time_s: at_ms.div_euclid(1_000),
                format: policy.choice.format,
                hash: policy.choice.hash,
                digest,
                certificate,
                signature: sha256(signature),
            });
            NewEntry::new(request, item, &leaf, policy.log)
        };
        let entries = signatures.numbered().into_iter().map(entry).collect::<Result<_>>()?;
        Ok(Logged { target, at_ms, signatures, entries, counted })
    }
}

impl Logged {
    pub(in crate::signing) const fn signatures(&self) -> &Signatures {
        &self.signatures
    }

    pub(in crate::signing) fn count(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    /// Lets them count: what they were made with may still sign, and the policy's rates allow them. To be called in the
    /// transaction that stores them with their request; where it refuses, nothing is stored. Answers the signature of a
    /// request without items, which stands in its row.
    pub(in crate::signing) async fn admit(self, tx: &mut Tx) -> Result<(Option<Vec<u8>>, Admitted)> {
        let count = self.count();
        let Self { target, at_ms, signatures, entries, counted } = self;
        target.check_usable(tx, at_ms).await?;
        policy_rules::check_rate(tx, &target.policy, count, at_ms).await?;
        let (signature, items) = signatures.stored();
        Ok((signature, Admitted { entries, items, counted }))
    }
}

impl Admitted {
    /// Stores them, and lets the log tell of them. After the compare-and-swap of their request: whoever loses that has no
    /// entry that could meet the winner's. Answers how they are counted, for the end of the transaction's work.
    pub(in crate::signing) async fn store(self, tx: &mut Tx, request: Uuid) -> Result<Counted> {
        log::append(tx, self.entries).await?;
        signing_items::insert_results(tx, request, &self.items).await?;
        Ok(self.counted)
    }
}
