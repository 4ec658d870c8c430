//! What is done under no caller's grant, in the background or for anybody who asks: these tasks and no others. Only the
//! file that does a task's work can make its type, so nobody else can present it as evidence. Here is what each may read
//! and record.

use std::borrow::Cow;

use chancery_types::Action;
use uuid::Uuid;

use super::{
    MayCommit, MayRead, Opening,
    evidence::{Connections, sealed::Evidence},
};
use crate::{
    access::LeasingBudgets,
    audit::{
        Actor, KeepingArchives, KeepingJournal, SequencingLedger, ShippingAudit, WatchingClock, WritingActivity,
        WritingCounts,
    },
    chancery::ShuttingDown,
    changes::FollowingChanges,
    health::Probing,
    idempotency::KeepingAnswers,
    identity::{KeepingSessions, SigningIn},
    keys::OpeningKeys,
    log::{AskingWitnesses, PublishingLog, SequencingLog},
    notices::{CountingTries, DeliveringNotices},
    pki::{AnsweringOcsp, CompilingAuthorities, CompilingProfiles, MakingTransport, PublishingLists, WatchingExpiry},
    rows::{Migrating, Watching},
    signing::{CompilingTargets, Stamping},
    tokenization::TidyingVaults,
};

/// A task that writes what needs no record, or appends records by itself.
pub(crate) trait Background: Evidence {}

/// A task that records something.
pub(crate) trait Recording: Evidence {
    /// How the audit records call it.
    const NAME: &'static str;
    /// What it may record.
    const ACTIONS: &'static [Action];
}

impl<T: Recording> MayCommit for T {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor> {
        Cow::Owned(Actor::of_task(node, self))
    }

    fn covers(&self, action: Action) -> bool {
        T::ACTIONS.contains(&action)
    }
}

/// Lists tasks with the connections that they read on.
macro_rules! tasks {
    ($($(#[$doc:meta])* $task:ident: $connections:ident,)+) => {$(
        impl Evidence for $task {}
        $(#[$doc])*
        impl MayRead for $task {
            const CONNECTIONS: Connections = Connections::$connections;
        }
    )+};
}

tasks! {
    /// Loads what is compiled, and makes what a new installation needs.
    Opening: Followers,
    /// Follows what changes, and removes old changes.
    FollowingChanges: Followers,
    /// Tells of rows that were refused.
    Watching: Followers,
    /// Writes the counts of calls.
    WritingCounts: Others,
    /// Writes how much was done, and removes what is old of it.
    WritingActivity: Others,
    /// Takes a server that ends out of the list of those that write counts.
    ShuttingDown: Others,
    /// Tells of jumps of the clock.
    WatchingClock: Others,
    /// Keeps what is known of the journal, and tells what becomes of its files.
    KeepingJournal: Others,
    /// Finds out whether anything can be written.
    Probing: Others,
    /// Finds who logs in, while nobody is known.
    SigningIn: Data,
    /// Keeps how calls were answered that may be repeated.
    KeepingAnswers: Others,
    /// Finds sessions that other nodes began, writes down which were used, and forgets the others.
    KeepingSessions: Others,
    /// Gives entries of the log their places.
    SequencingLog: Others,
    /// Makes leaves of audit records.
    SequencingLedger: Others,
    /// Moves audit records into archives, and removes archives.
    KeepingArchives: Others,
    /// Ships audit records to targets elsewhere.
    ShippingAudit: Others,
    /// Asks witnesses elsewhere for cosignatures.
    AskingWitnesses: Others,
    /// Answers anybody who asks for the log.
    PublishingLog: Others,
    /// Opens keys that sign, for whoever may have something signed.
    OpeningKeys: Others,
    /// Compiles authorities, which stay for whoever needs them next.
    CompilingAuthorities: Others,
    /// Compiles certificate profiles, which stay as well.
    CompilingProfiles: Others,
    /// Answers anybody who asks for authorities and revocation lists, and signs these when they are due.
    PublishingLists: Others,
    /// Answers anybody who asks where certificates stand, and gives responders their certificates.
    AnsweringOcsp: Others,
    /// Makes what a node's own TLS socket presents.
    MakingTransport: Others,
    /// Tells of certificates and API keys that will end, and of what waited too long for its approvals.
    WatchingExpiry: Others,
    /// Delivers notices, and gives up what cannot be delivered.
    DeliveringNotices: Others,
    /// Counts the codes that are entered for mailboxes.
    CountingTries: Others,
    /// Compiles what policies sign with, which stays as well.
    CompilingTargets: Others,
    /// Gives time stamps to anybody, and to signatures.
    Stamping: Others,
    /// Removes what nobody can read from the vault, and lists of grants that ended.
    TidyingVaults: Others,
    /// Leases slices of budgets for calls, and gives them back.
    LeasingBudgets: Others,
}

impl Background for Opening {}
impl Background for FollowingChanges {}
impl Background for WritingCounts {}
impl Background for WritingActivity {}
impl Background for ShuttingDown {}
impl Background for Probing {}
impl Background for KeepingJournal {}
impl Background for KeepingAnswers {}
impl Background for KeepingSessions {}
impl Background for SequencingLog {}
impl Background for SequencingLedger {}
impl Background for KeepingArchives {}
impl Background for ShippingAudit {}
impl Background for AskingWitnesses {}
impl Background for WatchingExpiry {}
impl Background for DeliveringNotices {}
impl Background for CountingTries {}
impl Background for MakingTransport {}
impl Background for TidyingVaults {}
impl Background for LeasingBudgets {}
impl Background for WatchingClock {}

impl Recording for Watching {
    const NAME: &'static str = "server";
    const ACTIONS: &'static [Action] = &[Action::RowRefuse];
}

/// Built-in roles become what this release says they are.
impl Recording for Opening {
    const NAME: &'static str = "migration";
    const ACTIONS: &'static [Action] = &[Action::RoleCreate, Action::RoleChange];
}

impl Recording for ShuttingDown {
    const NAME: &'static str = "server";
    const ACTIONS: &'static [Action] = &[Action::ServerStop];
}

impl Recording for WatchingClock {
    const NAME: &'static str = "server";
    const ACTIONS: &'static [Action] = &[Action::ClockJump];
}

impl Recording for KeepingJournal {
    const NAME: &'static str = "journal";
    const ACTIONS: &'static [Action] =
        &[Action::JournalMiss, Action::JournalFail, Action::JournalResume, Action::JournalRemove];
}

impl Recording for SequencingLedger {
    const NAME: &'static str = "ledger";
    const ACTIONS: &'static [Action] = &[Action::LedgerFail, Action::LedgerResume];
}

impl Recording for KeepingArchives {
    const NAME: &'static str = "archives";
    const ACTIONS: &'static [Action] = &[Action::AuditArchive, Action::AuditArchiveRemove];
}

impl Recording for PublishingLists {
    const NAME: &'static str = "crl";
    const ACTIONS: &'static [Action] = &[Action::CrlSign];
}

impl Recording for AnsweringOcsp {
    const NAME: &'static str = "ocsp";
    const ACTIONS: &'static [Action] = &[Action::CertificateGenerate];
}

impl Recording for WatchingExpiry {
    const NAME: &'static str = "expiry";
    const ACTIONS: &'static [Action] =
        &[Action::CertificateExpiry, Action::ApiKeyExpiry, Action::SigningRequestExpire, Action::ProposalExpire];
}

impl Recording for LeasingBudgets {
    const NAME: &'static str = "budgets";
    const ACTIONS: &'static [Action] = &[Action::BudgetWarn];
}

impl Recording for DeliveringNotices {
    const NAME: &'static str = "notices";
    const ACTIONS: &'static [Action] = &[Action::NoticeGiveUp];
}

impl Recording for ShippingAudit {
    const NAME: &'static str = "shipping";
    const ACTIONS: &'static [Action] = &[Action::AuditTargetFail, Action::AuditTargetResume];
}

impl Recording for AskingWitnesses {
    const NAME: &'static str = "witnesses";
    const ACTIONS: &'static [Action] = &[Action::WitnessFail, Action::WitnessResume];
}

/// Gives rows of an older release their MACs, before there is an open store.
impl Evidence for Migrating {}
impl Recording for Migrating {
    const NAME: &'static str = "migration";
    const ACTIONS: &'static [Action] = &[Action::RowsAuthenticate];
}
