//! The façade: an installation that is open, with all its domains. Their public methods are called the door, since nothing else
//! leads to the store and the keys.

mod compiled;
mod health;

use std::{
    any::{Any, TypeId},
    ops::Deref,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use chancery_keys::{Custodian, KeyBackend, RootKeySource};
use chancery_store::{StoreUrl, tables};
use chancery_types::Action;
use tokio::time::timeout;
use tracing::{error, warn};
use uuid::Uuid;

use self::health::WriteProbe;
use crate::{
    Approvals, Audit, Budgets, Clock, Context, Error, Identities, Keys, Limits, Log, Notices, OpenFailure, Pki,
    Reports, Result, Signing, Tokens,
    approval::{Domains, proposals::Effects},
    audit::{Found, JournalConfig, open_journal},
    base::{above::Above, list::ReadTurns, pool::Pool},
    context::{
        activity::Activity,
        changes::Compiled,
        clock_watch::ClockWatch,
        quarantine::Quarantine,
        record::Counters,
        settings::Settings,
        storage::{Background, Evidence, MayRead, Opening, Recording, Storage},
        told::Told,
    },
    custody::Custody,
    identity::{ControlRules, PasswordWork, ProviderTransport},
    log::Witness,
    notices::NoticeConfig,
    outbound::Outbound,
    pki,
    signing::{self, OutsideAuthorities},
    tokenization,
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
    pub(crate) context: Arc<Context>,
    /// Who may call.
    pub identities: Arc<Identities>,
    /// What waits for people.
    pub approvals: Arc<Approvals>,
    /// The keys that people have made.
    pub keys: Arc<Keys>,
    /// The transparency log.
    pub log: Arc<Log>,
    /// The records of what was done.
    pub audit: Arc<Audit>,
    pub(crate) budgets: Arc<Budgets>,
    /// Certificates.
    pub pki: Arc<Pki>,
    /// Code signing.
    pub signing: Arc<Signing>,
    /// Tokenization.
    pub tokens: Arc<Tokens>,
    /// Who hears of what happened.
    pub notices: Arc<Notices>,
    /// Who can do what.
    pub reports: Arc<Reports>,
    /// Whether it could write when it last tried for its own sake.
    pub(crate) write_probe: WriteProbe,
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

impl Evidence for ShuttingDown {}
impl MayRead for ShuttingDown {}
impl Background for ShuttingDown {}
impl Recording for ShuttingDown {
    const NAME: &'static str = "server";
    const ACTIONS: &'static [Action] = &[Action::ServerStop];
}

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

    /// What all domains stand on.
    async fn context(config: &Config) -> Result<(Arc<Context>, Opening), OpenFailure> {
        let Config { store, clock, limits, hardened, public_url, notices, rsa_pool, key_backend, .. } = config;
        let custodian = Arc::new(Custodian::new(config.root_key.load()?).map_err(Error::internal)?);
        let node = Uuid::from_bytes(chancery_keys::random());
        let (storage, opening, following) = Storage::open(node, store, &custodian, clock).await?;
        let pool = Arc::new(Pool::new(limits));
        let context = Context {
            settings: ArcSwap::from_pointee(Settings::load(&storage, &opening).await?),
            custody: Custody::new(&custodian, &pool, Pool::for_new_keys(limits), clock, *rsa_pool, key_backend.clone()),
            counters: Counters::new(node, limits),
            activity: Activity::default(),
            read_turns: ReadTurns::default(),
            outbound: Outbound::new(notices.transport.clone(), notices.console.clone()),
            quarantine: Quarantine::default(),
            clock_watch: ClockWatch::load(&storage, &opening).await?,
            told: Told::default(),
            compiled: Above::default(),
            is_closing: AtomicBool::new(false),
            clock: clock.clone(),
            limits: limits.clone(),
            hardened: *hardened,
            public_url: public_url.clone(),
            storage,
            custodian,
            pool,
            following,
            node,
        };
        Ok((Arc::new(context), opening))
    }

    async fn opened(config: Config) -> Result<Arc<Self>, OpenFailure> {
        let (context, opening) = Self::context(&config).await?;
        let Config { store, outside_stamps, providers, journal: kept, .. } = config;
        let opened = kept.as_ref().map(|kept| open_journal(kept, &context.custodian, &context.clock)).transpose()?;
        let (journal, found) = opened.map(Found::of).unzip();
        let identities = Arc::new(Identities::open(&context, &opening, config.password_work, providers).await?);
        let log = Arc::new(Log::open(&context, &opening, config.log_name.as_deref(), config.witnesses).await?);
        let approvals = Arc::new(Approvals::new(&context, &identities, &log, EFFECTS));
        let keys = Arc::new(Keys::new(&context));
        let budgets = Arc::new(Budgets::new(Arc::clone(&context), store.path()));
        let audit = Arc::new(Audit::open(&context, &identities, &opening, journal).await?);
        let pki = Arc::new(Pki::new(&context, &identities, &approvals, &keys));
        let signing = Arc::new(Signing::new(&context, &approvals, &budgets, &pki, outside_stamps));
        let tokens = Arc::new(Tokens::new(&context, &approvals, &audit, &budgets));
        let notices = Arc::new(Notices::new(&context, &approvals));
        let reports = Arc::new(Reports::new(&context, &identities, &audit, &signing, &tokens));
        let rules: Arc<dyn ControlRules> = tokens.clone();
        identities.rules.set(Arc::downgrade(&rules));
        let chancery = Arc::new(Self {
            context,
            identities,
            approvals,
            keys,
            log,
            audit,
            budgets,
            pki,
            signing,
            tokens,
            notices,
            reports,
            write_probe: WriteProbe::default(),
        });
        chancery.approvals.domains.set(Arc::downgrade(&chancery) as Weak<dyn Domains>);
        chancery.context.compiled.set(Arc::downgrade(&chancery) as Weak<dyn Compiled>);
        chancery.tokens.load_token_profiles(&opening).await?;
        chancery.audit.journal_begins(kept.as_ref(), found.as_ref()).await?;
        chancery.signing.tell_of_unreadable_policies(&opening).await?;
        Ok(chancery)
    }

    /// Begins what is done again and again until the last user is gone.
    fn begin_tasks(self: &Arc<Self>) {
        self.context.follow_changes();
        self.audit.watch_journal();
        self.context.watch_rows();
        self.context.watch_clock();
        self.context.flush_counters_each_second();
        self.context.write_activity_in_turn();
        self.identities.keep_sessions_in_turn();
        self.pki.warn_of_expiry();
        self.notices.tell_of_overdue_in_turn();
        self.tokens.tidy_vaults();
        self.tokens.forget_lists_of_grants_in_turn();
        self.budgets.forget_budgets_in_turn();
        self.log.sequence_log_in_turn();
        // Tests of this crate extend the ledger themselves: what they look at must not go on meanwhile, however slow they are.
        #[cfg(not(test))]
        self.audit.sequence_ledger_in_turn();
        self.audit.keep_archives_in_turn();
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
        if let Err(failure) = self.audit.anchor_journal().await {
            error!(error = &failure as &dyn std::error::Error, "how far the journal goes could not be noted");
        }
        if let Err(failure) = self.audit.tell_of_stop(&ShuttingDown(())).await {
            error!(error = &failure as &dyn std::error::Error, "the end of this server could not be recorded");
        }
        if let Err(failure) = &counts {
            error!(error = failure as &dyn std::error::Error, "the counts of the last calls could not be written");
        }
        if let Err(failure) = self.budgets.give_budgets_back().await {
            error!(error = &failure as &dyn std::error::Error, "what is left of budgets could not be given back");
        }
        if let Err(failure) = self.log.sequence_log().await {
            error!(error = &failure as &dyn std::error::Error, "the log could not be extended; the next start does it");
        }
        // After the log, whose extension counts what is in it.
        if let Err(failure) = self.write_activity().await {
            error!(error = &failure as &dyn std::error::Error, "how much was done in the last minute is not counted");
        }
        if let Err(failure) = self.identities.keep_sessions().await {
            error!(error = &failure as &dyn std::error::Error, "the last use of the sessions could not be written");
        }
        if let Err(failure) = self.identities.write_key_uses().await {
            error!(error = &failure as &dyn std::error::Error, "the last use of API keys could not be written");
        }
        // Last of what leaves records.
        if let Err(failure) = self.audit.sequence_ledger().await {
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
}

impl Domains for Chancery {
    fn of(&self, domain: TypeId) -> Option<&(dyn Any + Send + Sync)> {
        (domain == TypeId::of::<Pki>()).then_some(&*self.pki)
    }
}

impl Deref for Chancery {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl AsRef<Context> for Chancery {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use chancery_keys::{RootKey, SealedKey};
    use chancery_store::{OpenError, RowKeyError, sql};
    use chancery_types::Action;

    use super::*;
    use crate::context::changes::Change;
    use crate::context::changes::ChangeKind;
    use crate::{
        Event, Host,
        context::rows::{BEARER, BEARER_BEFORE, bearer_reference},
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
