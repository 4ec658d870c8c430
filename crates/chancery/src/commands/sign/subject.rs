//! What one request is of: a file, or many of them as a manifest, which people approve together.

use std::fmt::Write as _;

use chancery_types::{
    Base64, SigningRequestId, SigningRequestState,
    wire::signing_requests::{ManifestItem, SignedItem, SigningRequest},
};
use chancery_verify::manifest_digest;

use super::{finish, plan::Job, refuse_another, take};
use crate::{
    cli::client::Sign,
    client::{
        connection::Connection,
        exit::{Exit, exit_of, tell, told, told_with, usage},
    },
    failure::{Failure, While as _},
    shown::shell_word,
};

/// Names of a manifest that a message has.
const NAMES_SHOWN: usize = 3;

pub(super) enum Subject {
    File(Box<Job>),
    Manifest(Vec<Job>),
}

/// What a manifest cannot have.
pub(super) fn refuse_options(command: &Sign) -> Result<(), Failure> {
    let without = [
        ("--upload", command.upload, "only digests are in it"),
        ("--page-hashes", command.page_hashes, "its items have no page hashes"),
    ];
    match without.iter().find(|(_, is_given, _)| command.manifest && *is_given) {
        Some((option, _, why)) => Err(usage(format!("{option} and --manifest: {why}"))),
        None => Ok(()),
    }
}

/// All of its files go one way: a request has one policy.
pub(super) fn refuse_several_policies(jobs: &[Job]) -> Result<(), Failure> {
    let Some((first, others)) = jobs.split_first() else { return Ok(()) };
    let other = others.iter().find(|job| job.policy.obj_info.uuid != first.policy.obj_info.uuid);
    let Some(other) = other else { return Ok(()) };
    let goes = |job: &Job| format!("{} goes to {}", job.original.shown(), job.service.obj_info.name);
    let message = format!("--manifest: {}, and {}", goes(first), goes(other));
    Err(told_with(Exit::Usage, message, "A manifest is of one service: make one for each. Nothing was submitted."))
}

/// The items as they are submitted: each by the name that it has on the command line, so that `sha256sum` prints the same.
pub(super) fn items(jobs: &[Job]) -> Result<Vec<ManifestItem>, Failure> {
    let item = |job: &Job| Ok(ManifestItem { name: item_name(job)?, digest: Base64(job.digest.clone()) });
    jobs.iter().map(item).collect()
}

fn item_name(job: &Job) -> Result<String, Failure> {
    let refused = |why: &str| Err(usage(format!("{}: the name {why}", job.original.shown())));
    match job.original.path().to_str() {
        None => refused("is not UTF-8, which a manifest's names are"),
        Some(name) if name.contains('\\') => {
            refused("has a backslash, which a manifest's names have not: sha256sum prints them otherwise")
        }
        Some(name) => Ok(name.to_owned()),
    }
}

/// What approvers see as the name of a manifest, where nobody says one.
pub(super) fn manifest_name(jobs: &[Job]) -> String {
    match jobs {
        [] => String::new(),
        [only] => only.name.clone(),
        [first, others @ ..] => format!("{} and {} more", first.name, others.len()),
    }
}

impl Subject {
    /// For messages.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::File(job) => job.original.shown(),
            Self::Manifest(jobs) => {
                let mut shown = String::from("manifest of ");
                for (index, job) in jobs.iter().take(NAMES_SHOWN).enumerate() {
                    // Writing to a String cannot fail.
                    let _ = write!(shown, "{}{}", if index > 0 { ", " } else { "" }, job.original.shown());
                }
                if let Some(more) = jobs.len().checked_sub(NAMES_SHOWN).filter(|more| *more > 0) {
                    let _ = write!(shown, " and {more} more");
                }
                shown
            }
        }
    }

    /// The line that goes on with its request.
    pub(super) fn line(&self, request: SigningRequestId) -> String {
        let (files, job) = match self {
            Self::File(job) => (shell_word(&job.original.shown()).into_owned(), Some(&**job)),
            Self::Manifest(jobs) => ("FILE\u{2026} --manifest".to_owned(), jobs.first()),
        };
        let policy =
            |job: &Job| format!(" --service {} --policy {}", job.service.obj_info.uuid, job.policy.obj_info.uuid);
        format!("chancery sign {files} --request {request}{}", job.map(policy).unwrap_or_default())
    }

    /// A signature of something else is none, whatever it is.
    pub(super) fn refuse_another(&self, command: &Sign, request: &SigningRequest) -> Result<(), Failure> {
        let jobs = match self {
            Self::File(job) => return refuse_another(command, job, request),
            Self::Manifest(jobs) => jobs,
        };
        let names = jobs.iter().map(item_name).collect::<Result<Vec<_>, _>>()?;
        let own = manifest_digest(names.iter().zip(jobs).map(|(name, job)| (name.as_str(), job.digest.as_slice())));
        let is_it = request.manifest.is_some()
            && request.digest.0 == own
            && jobs.iter().all(|job| job.policy.obj_info.uuid == request.policy_uuid);
        if is_it {
            return Ok(());
        }
        Err(told(Exit::Failed, "it is of other files, or in another order, or under another policy"))
    }

    /// Verifies what was signed, and writes it. Of a manifest, what becomes of one file is no matter of another's.
    pub(super) fn take(
        &self,
        command: &Sign,
        connection: &Connection,
        request: &SigningRequest,
    ) -> Result<(), Failure> {
        let jobs = match self {
            Self::File(job) => return take(command, connection, job, request, &finish::chain(connection, job)?),
            Self::Manifest(jobs) => jobs,
        };
        let items = connection.client.signed_items(request.uuid).doing("the manifest's signatures")?;
        let [first, ..] = jobs.as_slice() else { return Ok(()) };
        if items.len() != jobs.len() {
            return Err(told(Exit::Failed, "the manifest has another number of items"));
        }
        let chain = finish::chain(connection, first)?;
        let mut failures = Vec::new();
        for (job, item) in jobs.iter().zip(items) {
            let taken = signed_item(job, item, request).and_then(|one| take(command, connection, job, &one, &chain));
            failures.extend(taken.doing(job.original.shown()).err());
        }
        let Some(first) = failures.first() else { return Ok(()) };
        failures.iter().for_each(tell);
        Err(told(exit_of(first), format!("{} of {} files have no signature", failures.len(), jobs.len())))
    }
}

/// An item's signature, as that of a request of its own.
fn signed_item(job: &Job, item: SignedItem, request: &SigningRequest) -> Result<SigningRequest, Failure> {
    if item.name != item_name(job)? || item.digest.0 != job.digest {
        return Err(told(Exit::Failed, "the manifest has another item in its place"));
    }
    match (item.state, item.signature) {
        (SigningRequestState::Signed, Some(signature)) => {
            Ok(SigningRequest { digest: item.digest, signature, manifest: None, ..request.clone() })
        }
        (state, _) => Err(told(Exit::Failed, format!("it could not be signed: {state}"))),
    }
}
