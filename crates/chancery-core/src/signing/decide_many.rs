//! Deciding on many signing requests in one call, each by itself, unless the call has the digest of one statement over them.

use std::sync::Arc;

use chancery_types::{
    ApprovalState, Decision, ErrorCode, RequestDecision, SigningRequestId, SigningRequestState,
    wire::signing_requests::{BatchDecideRequest, BatchDecided, BatchDecidedItem},
};
use futures::{StreamExt, stream};
use tracing::error;

use super::{read_requests::may_read, statement::Says, stored_request::StoredRequest};
use crate::{Caller, Error, Grant, Meaning, Result, Signing, approval::Standing};

/// Requests that are worked on at a time: enough to share the store's flushes.
pub(super) const PARALLEL: usize = 16;

impl Signing {
    /// Approves or denies many requests; what is refused for one leaves the others as they are, or all of them where they are
    /// one statement.
    pub async fn batch_decide_signing_requests(
        self: &Arc<Self>,
        caller: &Caller,
        request: BatchDecideRequest,
    ) -> Result<BatchDecided> {
        let BatchDecideRequest { uuids, decision, note, digest } = request;
        let grant = Arc::new(self.decision_grant(caller, decision.into(), None).await?);
        if uuids.len() > self.context.limits.decisions_max {
            let message = format!("At most {} requests are decided in one call.", self.context.limits.decisions_max);
            return Err(Error::too_large("/uuids", message));
        }
        let note = self.approvals.note(note)?;
        if let Some(digest) = digest {
            return Box::pin(self.decide_as_one(caller, &grant, (uuids, decision), &note, &digest)).await;
        }
        let decided = stream::iter(uuids).map(|id| self.decide_one(caller, &grant, id, decision, &note));
        Ok(BatchDecided { results: decided.buffered(PARALLEL).collect().await, digest: None })
    }

    async fn decide_one(
        self: &Arc<Self>,
        caller: &Caller,
        grant: &Arc<Grant>,
        id: SigningRequestId,
        decision: Decision,
        note: &str,
    ) -> BatchDecidedItem {
        let decided = match decision {
            Decision::Approve => Box::pin(self.approve(caller, grant, id, Says::note(note), None))
                .await
                .map(|done| (done.state, done.approval_state)),
            Decision::Deny => self
                .end(caller, grant, id, RequestDecision::Deny, note)
                .await
                .map(|done| (done.state, done.approval_state)),
        };
        let (error_code, message, (state, approval_state)) = match decided {
            Ok(words) => (ErrorCode::Success, None, words),
            Err(refusal) => {
                if refusal.meaning() == Meaning::Internal {
                    // The answer as a whole succeeds, so nobody further out sees the cause.
                    error!(error = &refusal as &dyn std::error::Error, request = %id, "a request was not decided");
                }
                let words = self.words(caller, grant, id).await;
                (refusal.meaning().error_code(), Some(refusal.message().to_owned()), words)
            }
        };
        BatchDecidedItem { uuid: id, error_code, message, state, approval_state }
    }

    /// Where a request stands; `None` where there is none that this caller may read.
    async fn words(
        &self,
        caller: &Caller,
        grant: &Grant,
        id: SigningRequestId,
    ) -> (SigningRequestState, ApprovalState) {
        let stored = self.context.storage.read(grant, move |tx| Box::pin(StoredRequest::load(tx, id))).await;
        let stored = stored.and_then(|stored| may_read(caller, grant, &stored).map(|()| stored));
        let (hardened, now_ms) = (self.context.hardened, self.context.clock.now_ms());
        stored.map_or(Standing::New, |stored| stored.facts(hardened, now_ms).standing).words()
    }
}
