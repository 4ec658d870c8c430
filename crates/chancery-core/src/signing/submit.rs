//! Submitting a signing request; where no approvals are needed it is signed at once.

use std::sync::Arc;

use chancery_keys::{Digest, hash, random};
use chancery_types::{
    Action, ExistingSignature, HashType, Perm, SigningRequestId,
    wire::signing_requests::{SubmitRequest, Submitted},
};
use uuid::Uuid;

use super::{
    claim::Claim,
    embedded::{self, Container},
    manifest,
    new_request::NewRequest,
    page_hashes::PageHashes,
    pipeline::{Failure, Logged, Prepared},
    policy_rules,
    program::{self, Program},
    provenance::Proven,
    service::Policy,
    submission::{Contents, Submission},
    submitters,
    target::Found,
};
use crate::{
    Caller, Error, Event, Grant, Meaning, Result, Signing,
    approval::{ATTEMPTS_MAX, Facts, Standing, Transition, requirement, too_many_attempts},
    base::text::check_name,
};

/// More than this many bytes are hashed on the bounded pool.
const HASH_INLINE_MAX: usize = 64 * 1024;

/// A submission that its policy takes.
pub(super) struct Checked {
    pub(super) name: String,
    pub(super) contents: Contents,
    pub(super) claim: Claim,
    pub(super) provenance: Option<Proven>,
    pub(super) existing_signature: Option<ExistingSignature>,
    pub(super) program: Option<Program>,
    /// The failed request that it repeats.
    pub(super) repeats: Option<SigningRequestId>,
}

impl Signing {
    /// Submits a signing request.
    pub async fn submit_signing_request(
        self: &Arc<Self>,
        caller: &Caller,
        request: SubmitRequest,
    ) -> Result<Submitted> {
        self.submit(caller, request, None).await
    }

    /// Submits a request, or one that failed again.
    pub(super) async fn submit(
        self: &Arc<Self>,
        caller: &Caller,
        request: SubmitRequest,
        repeats: Option<SigningRequestId>,
    ) -> Result<Submitted> {
        let (with_pages, pages) = (request.with_page_hashes, request.page_hashes);
        let (program_name, program_url) = (request.program_name, request.program_url);
        let submission = Submission::of(request.upload_data, request.digest, request.items)?;
        let SubmitRequest { name, service_uuid, policy_uuid, existing_signature, note, metadata, provenance, .. } =
            request;
        let action = Action::SigningRequestSubmit;
        let grant = Arc::new(self.context.grant(caller, Perm::SigningSubmit, action, Some(service_uuid.into())).await?);
        let mut target = self.target(service_uuid, policy_uuid).await?;
        if let Err(refusal) = caller.check_policy(service_uuid, target.policy.id) {
            return Err(self.context.refused(caller, Event::new(action).on(Uuid::from(service_uuid)), refusal).await);
        }
        check_name("/name", &name, &self.context.limits)?;
        let claim = Claim::new(note, metadata, &self.context.limits)?;
        if let Err(refusal) = policy_rules::check_submitter(&target.policy.rules, caller) {
            return Err(self.context.refused(caller, Event::new(action).on(Uuid::from(service_uuid)), refusal).await);
        }
        if !matches!(submission, Submission::Manifest(_)) {
            policy_rules::check_file_name(&target.policy.rules, &name)?;
        }
        submission.check(&target, &self.context.limits)?;
        let has_payload = matches!(submission, Submission::Payload(_));
        let existing_signature = embedded::existing(target.policy.choice.format, existing_signature, has_payload)?;
        let pages = PageHashes::of(target.policy.choice.format, has_payload, with_pages, pages)?;
        let program = program::program(target.policy.choice.format, program_name, program_url, &self.context.limits)?;
        let contents = self.contents(submission, &target.policy, existing_signature, pages).await?;
        let provenance = self.provenance(provenance, &target.policy, &contents).await?;
        let checked = Checked { name, contents, claim, provenance, existing_signature, program, repeats };
        // Each time somebody else took the last use of a pre-approval or changed the target, so it ends by itself.
        for _ in 0..ATTEMPTS_MAX {
            if let Some(submitted) = self.submit_checked(caller, &grant, &target, &checked).await? {
                return Ok(submitted);
            }
            self.targets.forget(|_, stale| target.is(stale));
            target = self.target(service_uuid, policy_uuid).await?;
        }
        Err(too_many_attempts())
    }

    /// Signs where nobody is waited for, and stores; none where the pre-approval that was to be used is so no more.
    async fn submit_checked(
        self: &Arc<Self>,
        caller: &Caller,
        grant: &Arc<Grant>,
        target: &Found,
        checked: &Checked,
    ) -> Result<Option<Submitted>> {
        let now_ms = self.context.clock.now_ms();
        let id = SigningRequestId::in_time(now_ms, random());
        let submitters_id = submitters::set_id(caller);
        let mut facts = facts(caller, &target.policy, self.context.hardened, now_ms);
        let mut approved = facts.take(Transition::Submit).map_err(Error::internal)?;
        let mut pre_approved = None;
        if let (None, Some(digest)) = (&approved, checked.approvable()) {
            let digest = digest.as_bytes().to_vec();
            pre_approved = self.approvals.pre_approved((caller, grant), target.policy.id, digest, now_ms).await?;
            if let Some(pre_approved) = &pre_approved {
                facts.standing = Standing::New;
                approved = facts.take(Transition::SubmitPreApproved(pre_approved)).map_err(Error::internal)?;
            }
        }
        if approved.is_some() {
            // Stored as signed, or not at all.
            facts.take(Transition::Sign).map_err(Error::internal)?;
        }
        let submitters = (!self.stored_submitters.has(submitters_id)).then(|| submitters::members(caller));
        let new =
            NewRequest::new(id, checked, target, (submitters_id, submitters), (facts.standing, pre_approved), now_ms)?;
        let event = Event::new(Action::SigningRequestSubmit).on(Uuid::from(id)).json(new.recorded(checked)?);
        let stored = match approved {
            None => self.store_new(grant, event, new, None).await?,
            Some(approved) => {
                let how = (checked.existing_signature, checked.program.as_ref());
                let by = caller.members().iter().map(|member| member.id).collect();
                let prepared = Prepared::submitted(target, (id, by), &checked.contents, how, now_ms)?;
                let (signing, grant) = (Arc::clone(self), Arc::clone(grant));
                // Where it cannot be signed, or its file not carry the signature, nothing is submitted.
                let store = move |signed: Result<Logged, Failure>| async move {
                    let logged = signed.map_err(Failure::refusal)?;
                    signing.store_new(&grant, event, new, Some(logged)).await
                };
                prepared.approved(approved).sign(self, store).await?
            }
        };
        Ok(stored.then_some(Submitted { uuid: id, warnings: Vec::new() }))
    }

    /// What is to be signed, by its digest; a large payload is hashed, and a manifest checked, on the bounded pool.
    async fn contents(
        &self,
        submission: Submission,
        policy: &Policy,
        existing: Option<ExistingSignature>,
        pages: PageHashes,
    ) -> Result<Contents> {
        let with: HashType = policy.choice.hash;
        let container = match &submission {
            Submission::Payload(payload) => Container::of(policy.choice, existing, payload),
            Submission::Digest(_) | Submission::Manifest(_) => None,
        };
        let (digest, payload) = match (submission, container) {
            (Submission::Manifest(_), _) if !matches!(pages, PageHashes::None) => {
                return Err(Error::value("/pageHashes", "The items of a manifest are signed without page hashes."));
            }
            (Submission::Manifest(items), _) => {
                let (policy, limits) = (policy.clone(), self.context.limits.clone());
                let items = self.context.pool.run(move || manifest::check(items, &policy, &limits)).await??;
                return Ok(Contents::Each(items));
            }
            (Submission::Digest(digest), _) => (Digest::new(with, &digest).map_err(Error::internal)?, None),
            (Submission::Payload(payload), Some(container)) => {
                (self.file_digest(container, policy.num_approvals > 0).await?, Some(payload))
            }
            (Submission::Payload(payload), None) if payload.len() <= HASH_INLINE_MAX => {
                (hash(with, &payload), Some(payload))
            }
            (Submission::Payload(payload), None) => {
                let hashed = Arc::clone(&payload);
                (self.context.pool.run(move || hash(with, &hashed)).await?, Some(payload))
            }
        };
        let page_hashes = self.page_hashes(pages, payload.as_ref()).await?;
        Ok(Contents::One { digest, payload, page_hashes })
    }

    /// False where the pre-approval is used up, or what would sign is no longer as it was: the next attempt finds out
    /// which.
    async fn store_new(
        &self,
        grant: &Grant,
        event: Event,
        new: Box<NewRequest>,
        logged: Option<Logged>,
    ) -> Result<bool> {
        // The store has one writer, for which another's small request waits: for one of these, and not for as many as there are.
        let _alone =
            if new.is_large() { Some(self.large_payloads.acquire().await.map_err(Error::internal)?) } else { None };
        let (effects, hardened, submitters_id) = (self.approvals.effects, self.context.hardened, new.submitters_id());
        let committed =
            self.context.commit(grant, event, move |tx| Box::pin(new.insert(tx, logged, effects, hardened))).await;
        self.stored_submitters.learn(submitters_id, committed.is_ok());
        match committed {
            Ok(()) => Ok(true),
            Err(error) if error.meaning() == Meaning::State => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl Checked {
    /// The digest that a pre-approval may be of: whoever made that saw no name and no address of a program.
    fn approvable(&self) -> Option<Digest> {
        if self.program.is_some() { None } else { self.contents.approvable() }
    }
}

fn facts(caller: &Caller, policy: &Policy, hardened: bool, now_ms: i64) -> Facts {
    Facts {
        standing: Standing::New,
        submitted_at: now_ms,
        submitters: caller.members().iter().map(|member| member.id).collect(),
        approvals: Vec::new(),
        steps: requirement::steps(&policy.rules.approval_steps),
        required_at_submission: policy.num_approvals,
        required_now: policy.num_approvals,
        self_approval: policy.self_approval(hardened),
        demands_passkeys: policy.rules.signed_approvals,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use chancery_types::{Base64, wire::signing_requests::SubmitRequest};
    use tokio::time::timeout;

    use crate::{signing::testing::Builds, testing::Installation};

    #[tokio::test]
    async fn one_large_payload_is_stored_at_a_time_and_a_small_one_waits_for_none() {
        let installation = Installation::new().await;
        let (chancery, caller) = (&installation.chancery, &installation.administrators().await);
        let builds = Builds::deployed(chancery, caller).await;
        let large = || SubmitRequest {
            upload_data: Some(Base64(vec![1; 2 << 20])),
            ..SubmitRequest::new("large".to_owned(), builds.service, builds.policy)
        };
        let another = chancery.signing.large_payloads.acquire().await.unwrap();
        builds.submit(chancery, caller).await.unwrap();
        let waits = chancery.signing.submit_signing_request(caller, large());
        assert!(timeout(Duration::from_millis(500), waits).await.is_err());
        drop(another);
        chancery.signing.submit_signing_request(caller, large()).await.unwrap();
    }
}
