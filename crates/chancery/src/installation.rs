//! Opening the installation that the settings name, as a `Chancery`: `open` makes it where there is none, `open_existing`
//! never does.

use std::{error::Error, fs, os::unix::fs::DirBuilderExt as _, path::Path, sync::Arc};

use chancery_core::{Chancery, Clock, Config, JournalConfig, OpenFailure, PasswordWork, RootKeySource};

use crate::{
    client::exit::{as_usage, usage},
    data_lock::expect_one_log,
    failure::{Failure, While as _},
    notices, providers,
    settings::Settings,
    time_stamps,
};

/// What is wrong without one.
fn no_root_key() -> Failure {
    usage("--root-key FILE is needed")
}

/// Opens it, with the root key that the settings name.
pub(crate) async fn open(settings: &Settings) -> Result<Arc<Chancery>, Failure> {
    let root_key = settings.root_key.as_deref().ok_or_else(no_root_key)?;
    open_with(settings, root_key).await
}

/// Opens it with this root key.
pub(crate) async fn open_with(settings: &Settings, root_key: &Path) -> Result<Arc<Chancery>, Failure> {
    open_as(settings, root_key, None).await
}

/// Opens it with this root key for a process that serves it: it alone writes the journal.
pub(crate) async fn open_to_serve(settings: &Settings, root_key: &Path) -> Result<Arc<Chancery>, Failure> {
    open_as(settings, root_key, Some(settings.journal.clone())).await
}

async fn open_as(
    settings: &Settings,
    root_key: &Path,
    journal: Option<JournalConfig>,
) -> Result<Arc<Chancery>, Failure> {
    let config = Config {
        store: settings.store.clone(),
        root_key: RootKeySource::File(root_key.to_owned()),
        clock: Clock::System,
        limits: settings.limits.clone(),
        password_work: PasswordWork::default(),
        hardened: false,
        public_url: settings.public_url.clone(),
        outside_stamps: time_stamps::outside(settings)?,
        log_name: settings.log_name.clone(),
        rsa_pool: settings.rsa_pool,
        key_backend: None,
        notices: notices::config(settings)?,
        providers: Some(providers::transport(settings)?),
        journal,
        witnesses: settings.witnesses.clone(),
    };
    let opened = Chancery::open(config).await;
    opened.doing(format!("opening the installation in {} with its store {}", settings.data.display(), settings.store))
}

/// Opens it, which exists, to serve it.
pub(crate) async fn open_existing_to_serve(settings: &Settings) -> Result<Arc<Chancery>, Failure> {
    let mut settings = settings.clone();
    settings.store = settings.store.existing();
    let root_key = settings.root_key.clone().ok_or_else(no_root_key)?;
    open_to_serve(&settings, &root_key).await
}

/// Opens it for a command, which works on an installation that exists and never makes one. One that cannot be opened for a reason that
/// says nothing of what is in it ends the command as a wrong use.
pub(crate) async fn open_existing(settings: &Settings) -> Result<Arc<Chancery>, Failure> {
    expect_there(settings)?;
    let mut settings = settings.clone();
    settings.store = settings.store.existing();
    open(&settings).await.map_err(told_as_not_there)
}

/// Opens it for a command that judges what is there: it is read alone, nothing is changed or signed. No verdict is mistaken for one
/// that nobody could reach.
pub(crate) async fn open_to_judge(settings: &Settings) -> Result<Arc<Chancery>, Failure> {
    expect_there(settings)?;
    let mut settings = settings.clone();
    settings.store = settings.store.read_only();
    // The log's name is the one that it has.
    (settings.log_name, settings.public_url) = (None, None);
    open(&settings).await.map_err(told_as_not_there)
}

fn told_as_not_there(why: Failure) -> Failure {
    let first: &(dyn Error + 'static) = why.as_ref();
    let mut causes = std::iter::successors(Some(first), |cause| (*cause).source());
    let opening = causes.find_map(|cause| cause.downcast_ref::<OpenFailure>());
    if opening.is_some_and(OpenFailure::is_out_of_reach) { as_usage(&why) } else { why }
}

/// Refuses settings that name no installation, or one beside whose server nobody may be, where that shows without opening it.
fn expect_there(settings: &Settings) -> Result<(), Failure> {
    expect_existing(settings)?;
    settings.store.path().map_or(Ok(()), expect_one_log)
}

/// Refuses settings that name no installation, where that shows without opening it.
pub(crate) fn expect_existing(settings: &Settings) -> Result<(), Failure> {
    let Some(path) = settings.store.path() else { return Ok(()) };
    match path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(usage(format!("there is no installation in {}; `chancery init` makes one", path.display()))),
        Err(why) => Err(usage(format!("{}: {why}", path.display()))),
    }
}

/// Makes the data folder, for its owner alone, unless it exists.
pub(crate) fn make_data_folder(data: &Path) -> Result<(), Failure> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(data);
    made.doing(format!("--data {}", data.display()))
}
