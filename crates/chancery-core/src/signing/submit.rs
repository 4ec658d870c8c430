//! Submitting a signing request; where no approvals are needed it is signed at once.

use std::sync::Arc;

use chancery_keys::{Digest, hash, random};
use chancery_store::{
    Tx, name_key,
    tables::{self, signing_items::Item, submitter_sets::Submitter},
};
use chancery_types::{
    Action, ExistingSignature, HashType, Perm, SigningRequestId,
    wire::signing_requests::{SubmitRequest, Submitted},
};
use uuid::Uuid;

use super::{
    algorithms::Choice,
    approval_digest::Besides,
    claim::Claim,
    credential::Prepared,
    embedded::{self, Container},
    formats::{self, Content},
    made::{Made, Told, Usable},
    manifest::{self, Output},
    matter::Matter,
    pages::PageHashes,
    policy_rules,
    program::{self, Program},
    service::Policy,
    subject::Subject,
    submitters,
    target::Found,
};
use crate::{
    Caller, Chancery, Error, Event, Grant, Meaning, Result,
    approval::{
        ATTEMPTS_MAX, Facts, PreApproved, Standing, Transition, proposals::Effects, requirement, too_many_attempts,
    },
    pool::Signing,
    text::check_name,
};

/// More than this many bytes are hashed on the bounded pool.
const HASH_INLINE_MAX: usize = 64 * 1024;

/// A submission that its policy takes.
struct Checked {
    name: String,
    matter: Matter,
    claim: Claim,
    existing_signature: Option<ExistingSignature>,
    program: Option<Program>,
    /// The failed request that it repeats.
    repeats: Option<SigningRequestId>,
}

/// A request that is ready to be stored.
struct NewRequest {
    target: Found,
    row: tables::signing_requests::Row,
    payload: Option<Arc<Vec<u8>>>,
    page_hashes: Option<Vec<u8>>,
    program: Option<Program>,
    claim: Claim,
    items: Vec<Item>,
    item_signatures: Vec<Option<Vec<u8>>>,
    /// Of the set that the row names; none where that is stored.
    submitters: Option<Vec<Submitter>>,
    /// The signature, if there is one already.
    made: Option<Told>,
    /// What stands in for its approvals.
    pre_approved: Option<PreApproved>,
    effects: Effects,
    hardened: bool,
    now_ms: i64,
}

impl Chancery {
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
        let subject = Subject::of(request.upload_data, request.digest, request.items)?;
        let SubmitRequest { name, service_uuid, policy_uuid, existing_signature, note, metadata, .. } = request;
        let action = Action::SigningRequestSubmit;
        let grant = Arc::new(self.grant(caller, Perm::SigningSubmit, action, Some(service_uuid.into())).await?);
        let mut target = self.target(service_uuid, policy_uuid).await?;
        check_name("/name", &name, &self.limits)?;
        let claim = Claim::new(note, metadata, &self.limits)?;
        if let Err(refusal) = policy_rules::check_submitter(&target.policy.rules, caller) {
            return Err(self.refused(caller, Event::new(action).on(Uuid::from(service_uuid)), refusal).await);
        }
        if !matches!(subject, Subject::Manifest(_)) {
            policy_rules::check_file_name(&target.policy.rules, &name)?;
        }
        subject.check(&target, &self.limits)?;
        let has_payload = matches!(subject, Subject::Payload(_));
        let existing_signature = embedded::existing(target.policy.choice.format, existing_signature, has_payload)?;
        let pages = PageHashes::of(target.policy.choice.format, has_payload, with_pages, pages)?;
        let program = program::program(target.policy.choice.format, program_name, program_url, &self.limits)?;
        let matter = self.matter(subject, &target.policy, existing_signature, pages).await?;
        let checked = Checked { name, matter, claim, existing_signature, program, repeats };
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
        let now_ms = self.clock.now_ms();
        let id = SigningRequestId::in_time(now_ms, random());
        let submitters_id = submitters::set_id(caller);
        let mut row = checked.row(id, &target.policy, submitters_id, now_ms)?;
        let mut facts = new_request(caller, &target.policy, self.hardened, now_ms);
        facts.take(Transition::Submit).map_err(Error::internal)?;
        let mut pre_approved = None;
        if let (Standing::Pending, Some(digest)) = (facts.standing, checked.approvable()) {
            let digest = digest.as_bytes().to_vec();
            pre_approved = self.pre_approved(caller, target.policy.id, digest, now_ms).await?;
            if let Some(pre_approved) = &pre_approved {
                facts.standing = Standing::New;
                facts.take(Transition::SubmitPreApproved(pre_approved)).map_err(Error::internal)?;
            }
        }
        row.pre_approval_id = pre_approved.as_ref().map(|one| one.id().into());
        let signs = facts.standing == Standing::Approved;
        if signs {
            row.decided_at_ms = Some(now_ms);
            facts.take(Transition::Sign).map_err(Error::internal)?;
        }
        row.state = facts.standing.words().0.as_str().to_owned();
        let event = Event::new(Action::SigningRequestSubmit).on(Uuid::from(id)).json(checked.matter.recorded(
            &row,
            checked.program.as_ref(),
            &checked.claim,
        )?);
        let (payload, page_hashes, items) = checked.matter.parts();
        let submitters = (!self.stored_submitters.has(submitters_id)).then(|| submitters::members(caller));
        let new = Box::new(NewRequest {
            target: target.clone(),
            row,
            payload,
            page_hashes,
            program: checked.program.clone(),
            claim: checked.claim.clone(),
            items,
            item_signatures: Vec::new(),
            submitters,
            made: None,
            pre_approved,
            effects: self.effects,
            hardened: self.hardened,
            now_ms,
        });
        let stored = if signs {
            self.sign_and_store(grant, event, new, checked).await
        } else {
            self.store_new(grant, event, new).await
        };
        Ok(stored?.then_some(Submitted { uuid: id, warnings: Vec::new() }))
    }

    /// What is to be signed, by its digest; a large payload is hashed, and a manifest checked, on the bounded pool.
    async fn matter(
        &self,
        subject: Subject,
        policy: &Policy,
        existing: Option<ExistingSignature>,
        pages: PageHashes,
    ) -> Result<Matter> {
        let with: HashType = policy.choice.hash;
        let container = match &subject {
            Subject::Payload(payload) => Container::of(policy.choice, existing, payload),
            Subject::Digest(_) | Subject::Manifest(_) => None,
        };
        let (digest, payload) = match (subject, container) {
            (Subject::Manifest(_), _) if !matches!(pages, PageHashes::None) => {
                return Err(Error::value("/pageHashes", "The items of a manifest are signed without page hashes."));
            }
            (Subject::Manifest(items), _) => {
                let (policy, limits) = (policy.clone(), self.limits.clone());
                let items = self.pool.run(move || manifest::check(items, &policy, &limits)).await??;
                return Ok(Matter::Each(items));
            }
            (Subject::Digest(digest), _) => (Digest::new(with, &digest).map_err(Error::internal)?, None),
            (Subject::Payload(payload), Some(container)) => {
                (self.file_digest(container, policy.num_approvals > 0).await?, Some(payload))
            }
            (Subject::Payload(payload), None) if payload.len() <= HASH_INLINE_MAX => {
                (hash(with, &payload), Some(payload))
            }
            (Subject::Payload(payload), None) => {
                let hashed = Arc::clone(&payload);
                (self.pool.run(move || hash(with, &hashed)).await?, Some(payload))
            }
        };
        let page_hashes = self.page_hashes(pages, payload.as_ref()).await?;
        Ok(Matter::One { digest, payload, page_hashes })
    }

    /// Signs and stores a request that waits for nobody. Where it cannot be signed, or its file not carry the signature,
    /// nothing is submitted.
    async fn sign_and_store(
        self: &Arc<Self>,
        grant: &Arc<Grant>,
        event: Event,
        mut new: Box<NewRequest>,
        checked: &Checked,
    ) -> Result<bool> {
        let (target, at_ms) = (new.target.clone(), new.now_ms);
        let (signer, choice) = (&target.signer, target.policy.choice);
        let container = checked.container(choice);
        let output = match &checked.matter {
            Matter::One { digest, payload, page_hashes } => {
                let needed = formats::needs_payload(choice.format, signer.credential.scheme(choice)?);
                let payload = payload.clone().filter(|_| needed);
                let (page_hashes, program) = (page_hashes.clone(), checked.program.clone());
                let content = Content { digest: *digest, payload, page_hashes, program, at_ms };
                let prepared = signer.prepare(choice, content)?.signed()?;
                if prepared.is_of_the_pool() && container.is_none() {
                    // The thread that signs also hands over to the store.
                    let (chancery, grant, stored_soon) = (Arc::clone(self), Arc::clone(grant), self.store.announce());
                    let then = move |prepared: Prepared, signature| {
                        let signature = prepared.finish(signature);
                        drop(stored_soon);
                        async move {
                            new.sign(Output::One(signature?))?;
                            chancery.store_new(&grant, event, new).await
                        }
                    };
                    return self.pool.run_then(Signing { of: prepared, then }).await?;
                }
                let signature = self.make(prepared).await?;
                if let Some(container) = container {
                    let embedded = self.embed(container, signature.clone(), new.row.digest.clone()).await?;
                    let _signed = embedded.map_err(|why| Error::value("/uploadData", why))?;
                }
                Output::One(signature)
            }
            Matter::Each(items) => {
                let program = checked.program.as_ref();
                Output::Each(self.sign_items(signer, choice, items.clone(), program, at_ms).await?.signed()?)
            }
        };
        new.sign(output)?;
        self.store_new(grant, event, new).await
    }

    /// False where the pre-approval is used up, or what would sign is no longer as it was: the next attempt finds out
    /// which.
    async fn store_new(&self, grant: &Grant, event: Event, new: Box<NewRequest>) -> Result<bool> {
        let submitters_id = new.row.submitters_id;
        let committed = self.commit(grant, event, move |tx| Box::pin(new.insert(tx))).await;
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
        if self.program.is_some() { None } else { self.matter.approvable() }
    }

    /// The file that the signature goes into.
    fn container(&self, choice: Choice) -> Option<Container> {
        match &self.matter {
            Matter::One { payload: Some(payload), .. } => Container::of(choice, self.existing_signature, payload),
            Matter::One { payload: None, .. } | Matter::Each(_) => None,
        }
    }

    /// As it is stored, but for where it stands.
    fn row(
        &self,
        id: SigningRequestId,
        policy: &Policy,
        submitters_id: Uuid,
        now_ms: i64,
    ) -> Result<tables::signing_requests::Row> {
        let (digest, items) = self.matter.digest();
        let besides = Besides { given_page_hashes: self.matter.given_page_hashes(), program: self.program.as_ref() };
        Ok(tables::signing_requests::Row {
            id: id.into(),
            service_id: policy.service.into(),
            policy_id: policy.id.into(),
            name_key: name_key(&self.name),
            name: self.name.clone(),
            state: String::new(),
            reason: None,
            approval_digest: besides.approval_digest(&digest),
            digest,
            signature: None,
            required_at_submission: policy.num_approvals,
            submitted_at_ms: now_ms,
            decided_at_ms: None,
            expires_at_ms: policy_rules::expiry(&policy.rules, now_ms).map_err(Error::internal)?,
            existing_signature: self.existing_signature.map(|existing| existing.as_str().to_owned()),
            pre_approval_id: None,
            repeats_id: self.repeats.map(Uuid::from),
            items: u32::try_from(items).map_err(Error::internal)?,
            submitters_id,
            version: 1,
        })
    }
}

impl NewRequest {
    /// With what a key has put out for it.
    fn sign(&mut self, output: Output) -> Result<()> {
        let nothing = Made::new(self.target.policy.clone(), self.now_ms);
        let made = output.made(nothing, &self.row.digest);
        self.made = Some(made.told(self.row.id.into(), self.target.certificate_sha256)?);
        (self.row.signature, self.item_signatures) = output.stored();
        Ok(())
    }

    async fn insert(self: Box<Self>, tx: &mut Tx) -> Result<()> {
        let now_ms = self.now_ms;
        let usable = Usable::as_read(tx, &self.target, now_ms).await?;
        if let Some(made) = self.made {
            made.allow(tx, usable).await?.tell(tx).await?;
        }
        if let Some(pre_approved) = self.pre_approved {
            pre_approved.redeem(tx, self.effects, self.row.id, self.hardened, now_ms).await?;
        }
        if let Some(submitters) = self.submitters {
            tables::submitter_sets::insert(tx, self.row.submitters_id, &submitters).await?;
        }
        tables::signing_requests::insert(tx, &self.row).await?;
        if !self.claim.is_empty() {
            self.claim.insert(tx, self.row.id, &self.row.name_key).await?;
        }
        tables::signing_items::insert(tx, self.row.id, &self.items).await?;
        tables::signing_items::insert_results(tx, self.row.id, &self.item_signatures).await?;
        if let Some(payload) = self.payload {
            tables::signing_requests::insert_payload(tx, self.row.id, &payload).await?;
        }
        if let Some(page_hashes) = self.page_hashes {
            tables::signing_requests::insert_page_hashes(tx, self.row.id, &page_hashes).await?;
        }
        if let Some(program) = self.program {
            let Program { name, url } = program;
            tables::signing_requests::insert_program(tx, self.row.id, name.as_deref(), url.as_deref()).await?;
        }
        Ok(())
    }
}

fn new_request(caller: &Caller, policy: &Policy, hardened: bool, now_ms: i64) -> Facts {
    Facts {
        standing: Standing::New,
        submitted_at: now_ms,
        submitters: caller.members().iter().map(|member| member.id).collect(),
        approvals: Vec::new(),
        steps: requirement::steps(&policy.rules.approval_steps),
        required_at_submission: policy.num_approvals,
        required_now: policy.num_approvals,
        self_approval: policy.self_approval(hardened),
    }
}
