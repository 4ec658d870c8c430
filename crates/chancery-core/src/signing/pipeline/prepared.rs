//! What is to be signed, complete: from a submission, or as it was stored to wait for approvals.

use chancery_store::tables::signing_items::Item;
use chancery_types::{ExistingSignature, IdentityId, SigningRequestId};

use crate::{
    Grant, Result, Signing,
    signing::{
        embedded::Container,
        formats::{self, Content},
        payload::approved_items,
        program::Program,
        stored_request::StoredRequest,
        submission::Contents,
        target::Found,
    },
};

/// What one request wants to have signed, and what signs it.
pub(in crate::signing) struct Prepared {
    pub(super) target: Found,
    pub(super) request: SigningRequestId,
    /// Who submitted it.
    pub(super) submitters: Vec<IdentityId>,
    pub(super) work: Work,
    pub(super) at_ms: i64,
}

pub(super) enum Work {
    /// One signature, and the file that it goes into.
    One { content: Content, container: Option<Container> },
    /// One for each item of a manifest.
    Each { items: Vec<Item>, program: Option<Program> },
}

impl Work {
    /// How many signatures it takes.
    pub(super) const fn signatures(&self) -> usize {
        match self {
            Self::One { .. } => 1,
            Self::Each { items, .. } => items.len(),
        }
    }
}

impl Prepared {
    /// What is being submitted.
    pub(in crate::signing) fn submitted(
        target: &Found,
        (request, submitters): (SigningRequestId, Vec<IdentityId>),
        contents: &Contents,
        (existing, program): (Option<ExistingSignature>, Option<&Program>),
        at_ms: i64,
    ) -> Result<Self> {
        let (choice, program) = (target.policy.choice, program.cloned());
        let work = match contents {
            Contents::One { digest, payload, page_hashes } => {
                let container = payload.as_ref().and_then(|payload| Container::of(choice, existing, payload));
                let needed = formats::needs_payload(choice.format, target.signer.credential.scheme(choice)?);
                let (payload, page_hashes) = (payload.clone().filter(|_| needed), page_hashes.clone());
                Work::One { content: Content { digest: *digest, payload, page_hashes, program, at_ms }, container }
            }
            Contents::Each(items) => Work::Each { items: items.clone(), program },
        };
        Ok(Self { target: target.clone(), request, submitters, work, at_ms })
    }
}

impl Signing {
    /// What was submitted before, and approved as it is stored.
    pub(in crate::signing) async fn prepare_stored(
        &self,
        grant: &Grant,
        stored: &StoredRequest,
        target: Found,
        at_ms: i64,
    ) -> Result<Prepared> {
        let (id, choice) = (stored.row.id, target.policy.choice);
        let program = self.stored_program(grant, stored).await?;
        let work = if stored.row.items > 0 {
            let row = stored.row.clone();
            let items = self
                .context
                .storage
                .read(grant, move |tx| Box::pin(async move { approved_items(tx, &row).await }))
                .await?;
            Work::Each { items, program }
        } else {
            let digest = stored.digest()?;
            let needed = formats::needs_payload(choice.format, target.signer.credential.scheme(choice)?);
            let payload = if needed { self.stored_payload(grant, stored).await? } else { None };
            let page_hashes = self.stored_page_hashes(grant, stored).await?;
            let container = self.stored_container(grant, stored).await?;
            Work::One { content: Content { digest, payload, page_hashes, program, at_ms }, container }
        };
        Ok(Prepared { target, request: id.into(), submitters: stored.submitters().collect(), work, at_ms })
    }
}
