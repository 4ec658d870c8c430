//! The door: what an open installation is made of.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use chancery_journal::Journal;
use chancery_keys::{Custodian, KeyBackend, RootKeySource};
use chancery_store::{StoreUrl, tables};
use chancery_types::{CertProfileId, CertificateId, IdentityId, KeyId, ServiceId, TokenProfileId};
use tokio::{sync::Mutex, time::timeout};
use tracing::{error, warn};
use uuid::Uuid;

use crate::{
    Clock, Error, Limits, OpenFailure, Result,
    access::Budgets,
    approval::{IdLocks, proposals::Effects},
    audit::{Activity, Anchored, ClockWatch, Counters, Found, JournalConfig, Ledger, Shipping, open_journal},
    base::{list::ReadTurns, pool::Pool},
    changes::{Change, ChangeKind, Following, FollowingChanges},
    custody::Custody,
    health::WriteProbe,
    identity::{IdentityState, PasswordWork, Passwords, ProviderTransport, Rate},
    log::{Log, Witness, Witnesses},
    notices::{NoticeConfig, Notices},
    pki::{self, FoundExpiring, KeptLists, OcspAnswers, ReadyAuthorities, ReadyCertProfiles},
    quarantine::Quarantine,
    settings::Settings,
    signing::{self, Outside, OutsideAuthorities, ReadyTargets, StoredSubmitters},
    storage::Storage,
    tokenization::{self, TokenProfiles},
};

/// What an installation is opened with.
pub struct Config {
    /// Where the rows are.
    pub store: StoreUrl,
    /// Where the root key comes from.
    pub root_key: RootKeySource,
    /// Time.
    pub clock: Clock,
    /// Limits.
    pub limits: Limits,
    /// What one try of a password costs.
    pub password_work: PasswordWork,
    /// Whether weak algorithms and self-approval are refused (section 8 of the interface's decisions).
    pub hardened: bool,
    /// Where relying parties reach the public endpoints, such as `http://pki.example.org`: fills CDP and AIA.
    pub public_url: Option<String>,
    /// The time-stamping authorities elsewhere, for signatures where there is none here.
    pub outside_stamps: Option<OutsideAuthorities>,
    /// The name of the transparency log; by default it comes from `public_url`.
    pub log_name: Option<String>,
    /// RSA keys of each size to be made ahead, once the size was asked for; 0: none.
    pub rsa_pool: usize,
    /// What makes and keeps new keys for signatures; without it the database does, sealed.
    pub key_backend: Option<Arc<dyn KeyBackend>>,
    /// How notices leave the server.
    pub notices: NoticeConfig,
    /// How the keys of identity providers are fetched; a process without fetches none.
    pub providers: Option<Arc<dyn ProviderTransport>>,
    /// Where calls of the data plane are recorded; a process without makes none.
    pub journal: Option<JournalConfig>,
    /// Who is asked for cosignatures of checkpoints.
    pub witnesses: Vec<Witness>,
}

/// An open installation.
pub struct Chancery {
    pub(crate) storage: Storage,
    pub(crate) custodian: Arc<Custodian>,
    pub(crate) clock: Clock,
    pub(crate) limits: Limits,
    pub(crate) hardened: bool,
    pub(crate) public_url: Option<String>,
    pub(crate) pool: Arc<Pool>,
    /// For passwords alone.
    pub(crate) passwords: Passwords,
    pub(crate) counters: Counters,
    pub(crate) activity: Activity,
    pub(crate) custody: Arc<Custody>,
    pub(crate) identity: IdentityState,
    pub(crate) token_profiles: TokenProfiles,
    pub(crate) budgets: Budgets,
    /// Previews of token profiles in the current minute.
    pub(crate) previews: std::sync::Mutex<Rate<IdentityId>>,
    pub(crate) settings: ArcSwap<Settings>,
    /// Held for a request or a proposal while an approval of it is worked on.
    pub(crate) decision_locks: IdLocks,
    /// What proposals do, in the words of whoever proposes them.
    pub(crate) effects: Effects,
    pub(crate) read_turns: ReadTurns,
    pub(crate) outside_stamps: Option<Outside>,
    pub(crate) log: Log,
    pub(crate) ledger: Ledger,
    /// Revocation lists that were signed already.
    pub(crate) kept_lists: KeptLists,
    /// Held while an OCSP responder's certificate is made.
    pub(crate) ocsp_turn: Mutex<()>,
    /// OCSP answers that were signed already.
    pub(crate) ocsp_answers: Arc<OcspAnswers>,
    /// Authorities that issued something.
    pub(crate) authorities: ReadyAuthorities,
    pub(crate) targets: ReadyTargets,
    pub(crate) stored_submitters: StoredSubmitters,
    /// Certificate profiles of people's own under which something was issued.
    pub(crate) cert_profiles: ReadyCertProfiles,
    pub(crate) notices: Notices,
    pub(crate) shipping: Shipping,
    pub(crate) witnesses: Witnesses,
    pub(crate) journal: Option<Arc<Journal>>,
    /// What the store knows of it.
    pub(crate) anchored: Anchored,
    /// How many certificates end soon.
    pub(crate) expiring: FoundExpiring,
    /// How far the compiled state has followed the store.
    pub(crate) following: Following,
    /// What of the compiled state cannot be read.
    pub(crate) quarantine: Quarantine,
    /// What this server calls itself in the store until it ends.
    pub(crate) node: Uuid,
    /// Whether it has told that it serves.
    pub(crate) serves: AtomicBool,
    pub(crate) clock_watch: ClockWatch,
    /// Whether it could write when it last tried for its own sake.
    pub(crate) write_probe: WriteProbe,
    /// Whether it is shutting down: nothing is done in turn any more.
    pub(crate) is_closing: AtomicBool,
}

/// What takes effect once it is approved: each kind of proposal, from the domain that proposes it.
const EFFECTS: Effects = Effects {
    pre_approval: signing::proposals::pre_approval::READ,
    policy: signing::proposals::policy::READ,
    certificate: pki::proposals::certificate::READ,
    cert_profile: pki::proposals::cert_profile::READ,
    issuer: pki::proposals::issuer::READ,
    detokenize_grant: tokenization::DETOKENIZE_GRANT,
};

/// How long the end of a server may take to write down what is only in memory, and then to close the store: some commits,
/// and the log of a file. Whoever stops a server waits for this.
const WRITE_DOWN_TIME: Duration = Duration::from_secs(4);
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// Writes down what is only in memory when a server ends. Made only here.
pub(crate) struct ShuttingDown(());

impl Chancery {
    /// Opens an installation, or begins a new one in an empty store: loads the compiled state and follows the store. One whose
    /// store is to be read alone does nothing by itself, and so neither changes nor signs what somebody is to judge.
    pub async fn open(config: Config) -> Result<Arc<Self>, OpenFailure> {
        // In a box: the future of whoever opens one has no room for all of this.
        let chancery = Box::pin(Self::opened(config)).await?;
        if !chancery.storage.is_read_only() {
            chancery.begin_tasks();
        }
        Ok(chancery)
    }

    async fn opened(config: Config) -> Result<Arc<Self>, OpenFailure> {
        let (rsa_pool, backend, kept, http) = (config.rsa_pool, config.key_backend, config.journal, config.providers);
        let Config { store, root_key, clock, limits, hardened, public_url, outside_stamps, notices, .. } = config;
        let custodian = Arc::new(Custodian::new(root_key.load()?).map_err(Error::internal)?);
        let (node, quarantine) = (Uuid::from_bytes(chancery_keys::random()), Quarantine::default());
        let (storage, opening, following) = Storage::open(node, &store, &custodian, &clock).await?;
        let opened = kept.as_ref().map(|kept| open_journal(kept, &custodian, &clock)).transpose()?;
        let (journal, found) = opened.map(Found::of).unzip();
        let pool = Arc::new(Pool::new(&limits));
        let custody = Custody::new(&custodian, &pool, &clock, rsa_pool, backend);
        let chancery = Arc::new(Self {
            pool,
            passwords: Passwords::new(&limits, config.password_work),
            counters: Counters::new(node, &limits),
            activity: Activity::default(),
            identity: IdentityState::load(&storage, &opening, &custodian, &quarantine, (http, &limits), &clock).await?,
            token_profiles: TokenProfiles::default(),
            budgets: Budgets::new(node, store.path()),
            settings: ArcSwap::from_pointee(Settings::load(&storage, &opening).await?),
            log: Log::load(&storage, &opening, &custodian, &custody, config.log_name.as_deref(), public_url.as_deref())
                .await?,
            ledger: Ledger::load(&storage, &opening, &custodian, &custody, &clock).await?,
            custodian,
            custody,
            decision_locks: IdLocks::default(),
            effects: EFFECTS,
            read_turns: ReadTurns::default(),
            outside_stamps: outside_stamps.map(|authorities| Outside::new(authorities, &limits)),
            previews: std::sync::Mutex::default(),
            kept_lists: KeptLists::new(limits.revocation_lists_kept_max),
            ocsp_turn: Mutex::default(),
            ocsp_answers: Arc::default(),
            authorities: ReadyAuthorities::default(),
            targets: ReadyTargets::default(),
            stored_submitters: StoredSubmitters::default(),
            cert_profiles: ReadyCertProfiles::default(),
            notices: Notices::new(notices, &limits),
            shipping: Shipping::new(&limits),
            witnesses: Witnesses::new(config.witnesses, &limits),
            journal: journal.map(Arc::new),
            anchored: Anchored::default(),
            expiring: FoundExpiring::default(),
            following,
            quarantine,
            node,
            serves: AtomicBool::new(false),
            clock_watch: ClockWatch::default(),
            write_probe: WriteProbe::default(),
            is_closing: AtomicBool::new(false),
            storage,
            clock,
            limits,
            hardened,
            public_url,
        });
        chancery.load_token_profiles(&opening).await?;
        chancery.journal_begins(kept.as_ref(), found.as_ref()).await?;
        chancery.tell_of_unreadable_policies(&opening).await?;
        Ok(chancery)
    }

    /// Begins what is done again and again until the last user is gone.
    fn begin_tasks(self: &Arc<Self>) {
        self.follow_changes();
        self.watch_journal();
        self.watch_rows();
        self.watch_clock();
        self.flush_counters_each_second();
        self.write_activity_in_turn();
        self.keep_sessions_in_turn();
        self.warn_of_expiry();
        self.tell_of_overdue_in_turn();
        self.tidy_vaults();
        self.forget_lists_of_grants_in_turn();
        self.forget_budgets_in_turn();
        self.sequence_log_in_turn();
        // Tests of this crate extend the ledger themselves: what they look at must not go on meanwhile, however slow they are.
        #[cfg(not(test))]
        self.sequence_ledger_in_turn();
        self.keep_archives_in_turn();
    }

    /// Writes down what is still only in memory, and closes the store: an SQLite file is then whole by itself. To be called
    /// when the last request has been answered. It takes no longer than a few seconds, whatever the store does; the log
    /// has what could not be written.
    pub async fn shut_down(&self) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.custody.shut_down();
        if self.storage.is_read_only() {
            return self.storage.close().await;
        }
        let written = timeout(WRITE_DOWN_TIME, self.write_down()).await;
        if !matches!(written, Ok(true)) && timeout(CLOSE_TIME, self.log_unwritten_counts()).await.is_err() {
            error!("the counts of the last calls could neither be written nor logged");
        }
        if timeout(CLOSE_TIME, self.storage.close()).await.is_err() {
            warn!("the store did not close in time; nothing that was answered is lost");
        }
    }

    /// Whether all counts were written.
    async fn write_down(&self) -> bool {
        let counts = self.flush_counters(true).await;
        if let Err(failure) = self.anchor_journal().await {
            error!(error = &failure as &dyn std::error::Error, "how far the journal goes could not be noted");
        }
        if let Err(failure) = self.tell_of_stop(&ShuttingDown(())).await {
            error!(error = &failure as &dyn std::error::Error, "the end of this server could not be recorded");
        }
        if let Err(failure) = &counts {
            error!(error = failure as &dyn std::error::Error, "the counts of the last calls could not be written");
        }
        if let Err(failure) = self.give_budgets_back().await {
            error!(error = &failure as &dyn std::error::Error, "what is left of budgets could not be given back");
        }
        if let Err(failure) = self.sequence_log().await {
            error!(error = &failure as &dyn std::error::Error, "the log could not be extended; the next start does it");
        }
        // After the log, whose extension counts what is in it.
        if let Err(failure) = self.write_activity().await {
            error!(error = &failure as &dyn std::error::Error, "how much was done in the last minute is not counted");
        }
        if let Err(failure) = self.keep_sessions().await {
            error!(error = &failure as &dyn std::error::Error, "the last use of the sessions could not be written");
        }
        if let Err(failure) = self.write_key_uses().await {
            error!(error = &failure as &dyn std::error::Error, "the last use of API keys could not be written");
        }
        // Last of what leaves records.
        if let Err(failure) = self.sequence_ledger().await {
            error!(
                error = &failure as &dyn std::error::Error,
                "the audit ledger could not be extended; the next start does it"
            );
        }
        let node = self.node;
        let gone = self
            .storage
            .background(&ShuttingDown(()), move |tx| Box::pin(async move { tables::nodes::remove(tx, node).await }));
        if let Err(failure) = gone.await.map_err(Error::from) {
            error!(error = &failure as &dyn std::error::Error, "the end of this server could not be noted");
        }
        counts.is_ok()
    }

    /// The limits in force.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Brings one part of the compiled state up to date with the store.
    pub(crate) async fn apply(&self, by: &FollowingChanges, change: Change) -> Result<()> {
        match (change.kind, change.object) {
            (ChangeKind::Settings, _) => self.apply_settings(by).await,
            (ChangeKind::Role, Some(id)) => self.apply_role(by, id).await,
            (ChangeKind::Identity, Some(id)) => self.apply_identity(by, id).await,
            (ChangeKind::Session, Some(id)) => self.apply_session(by, id).await,
            (ChangeKind::ApiKeys, Some(id)) => self.apply_api_keys(by, id).await,
            (ChangeKind::Role | ChangeKind::Identity | ChangeKind::ApiKeys, None) => self.reload_directory(by).await,
            (ChangeKind::Session, None) => self.reload_sessions(by).await,
            (ChangeKind::Key, id) => {
                let id = id.map(KeyId::from);
                self.custody.close(id);
                self.authorities.forget(|_, authority| authority.has_key(id));
                self.targets.forget(|_, target| target.has_key(id));
                self.ocsp_answers.forget(None);
                self.reload_token_profiles_of(by, id).await
            }
            (ChangeKind::Revocation, id) => {
                self.ocsp_answers.forget(id);
                self.kept_lists.look_again();
                let id = id.map(CertificateId::from);
                self.authorities.forget(|_, authority| authority.rests_on(id));
                self.targets.forget(|_, target| target.rests_on(id));
                Ok(())
            }
            (ChangeKind::SigningService, id) => {
                let id = id.map(ServiceId::from);
                self.targets.forget(|(service, _), _| id.is_none_or(|id| id == *service));
                Ok(())
            }
            (ChangeKind::CertProfile, id) => {
                let id = id.map(CertProfileId::from);
                self.cert_profiles.forget(|known, _| id.is_none_or(|id| id == *known));
                Ok(())
            }
            (ChangeKind::TokenProfile, id) => self.reload_token_profile(by, id.map(TokenProfileId::from)).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chancery_keys::{RootKey, SealedKey};
    use chancery_store::{OpenError, RowKeyError, sql};
    use chancery_types::Action;

    use super::*;
    use crate::{
        Event, Host,
        rows::{BEARER, BEARER_BEFORE, bearer_reference},
    };

    const HOST: Host = Host::running("test");

    async fn open(folder: &Path, root_key: &str) -> Result<Arc<Chancery>, OpenFailure> {
        let root_key = folder.join(root_key);
        if !root_key.exists() {
            RootKey::create_file(&root_key).unwrap();
        }
        let config = Config {
            store: folder.join("chancery.db").display().to_string().parse().unwrap(),
            root_key: RootKeySource::File(root_key),
            clock: Clock::fixed(1_000),
            limits: Limits::default(),
            password_work: PasswordWork::TRIFLING,
            hardened: false,
            public_url: None,
            outside_stamps: None,
            log_name: None,
            rsa_pool: 0,
            key_backend: None,
            notices: crate::NoticeConfig::default(),
            providers: None,
            journal: None,
            witnesses: Vec::new(),
        };
        Chancery::open(config).await
    }

    #[tokio::test]
    async fn a_store_belongs_to_its_first_root_key() {
        let folder = tempfile::tempdir().unwrap();
        drop(open(folder.path(), "first").await.unwrap());
        drop(open(folder.path(), "first").await.unwrap());
        let refusal = open(folder.path(), "second").await.err().expect("another root key");
        assert!(matches!(refusal, OpenFailure::OtherRootKey(_)), "{refusal}");
    }

    async fn run(chancery: &Chancery, statements: &'static [&'static str]) {
        let run = chancery.storage.store().write(move |tx| {
            Box::pin(async move {
                for statement in statements {
                    sql(statement).execute(tx).await?;
                }
                Ok::<_, Error>(())
            })
        });
        run.await.unwrap();
    }

    const WITHOUT_MACS: &[&str] = &[
        "DELETE FROM row_keys",
        "UPDATE settings SET mac = NULL",
        "UPDATE roles SET mac = NULL",
        "INSERT INTO settings (name, value) VALUES ('x', '1')",
    ];

    /// Whoever takes it out would have all rows authenticated, were it made again.
    #[tokio::test]
    async fn a_key_for_rows_that_was_taken_out_is_not_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let chancery = open(folder.path(), "root").await.unwrap();
        run(&chancery, WITHOUT_MACS).await;
        drop(chancery);
        let refusal = open(folder.path(), "root").await.err().expect("its key is missing");
        assert!(matches!(refusal, OpenFailure::Store(OpenError::RowKey(RowKeyError::Missing))), "{refusal}");
    }

    #[tokio::test]
    async fn rows_of_a_release_without_macs_are_authenticated_once_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let chancery = open(folder.path(), "root").await.unwrap();
        let keys = chancery
            .storage
            .store()
            .read(|tx| Box::pin(tables::bearer_keys::all(tx)))
            .await
            .map_err(Error::from)
            .unwrap();
        let [key] = &keys[..] else { panic!("one key") };
        let sealed = SealedKey::from_parts(bearer_reference(key.id.into(), BEARER), key.sealed.clone());
        let before = chancery.custodian.reseal_bearer_key(&sealed, BEARER_BEFORE).unwrap().as_bytes().to_vec();
        let put_back = chancery.storage.store().write(move |tx| {
            Box::pin(async move {
                Ok::<_, Error>(sql("UPDATE bearer_keys SET sealed = $1").bind(before).execute(tx).await?)
            })
        });
        put_back.await.unwrap();
        run(&chancery, WITHOUT_MACS).await;
        drop(chancery);
        let chancery = open(folder.path(), "root").await.unwrap();
        assert_eq!(setting(&chancery).await.as_deref(), Some("1"));
        let told = "SELECT COUNT(*) FROM audit WHERE action = 'RowsAuthenticate' AND detail LIKE '%\"settings\":%'";
        let told = chancery
            .storage
            .store()
            .read(move |tx| Box::pin(async move { Ok::<i64, Error>(sql(told).one(tx).await?) }));
        assert_eq!(told.await.unwrap(), 1);
        run(&chancery, &["UPDATE settings SET value = '2' WHERE name = 'x'"]).await;
        drop(chancery);
        let chancery = open(folder.path(), "root").await.unwrap();
        let read = chancery
            .storage
            .store()
            .read(|tx| Box::pin(async move { Ok::<_, Error>(tables::settings::value(tx, "x").await?) }));
        assert_eq!(read.await.unwrap_err().meaning(), crate::Meaning::Unavailable);
    }

    #[tokio::test]
    async fn what_fails_leaves_neither_state_nor_record() {
        let folder = tempfile::tempdir().unwrap();
        let chancery = open(folder.path(), "root").await.unwrap();
        let commit = |fails: bool| {
            let event = Event::new(Action::SettingsChange).changes(Change::all(ChangeKind::Settings));
            chancery.commit(&HOST, event, move |tx| {
                Box::pin(async move {
                    tables::settings::set(tx, "x", "1").await?;
                    if fails { Err(Error::state("no")) } else { Ok(()) }
                })
            })
        };
        let start = chancery.applied();
        commit(true).await.unwrap_err();
        assert_eq!((setting(&chancery).await, chancery.applied() == start), (None, true));
        commit(false).await.unwrap();
        assert_eq!((setting(&chancery).await.as_deref(), chancery.applied() == start), (Some("1"), false));
    }

    async fn setting(chancery: &Chancery) -> Option<String> {
        let read = chancery
            .storage
            .store()
            .read(|tx| Box::pin(async move { Ok::<_, Error>(tables::settings::value(tx, "x").await?) }));
        read.await.unwrap()
    }
}
