//! `chancery init`

use std::path::{Path, PathBuf, absolute};

use chancery_core::{FirstIdentity, Host, Limits, Provision, create_root_key};
use chancery_types::RoleId;

use crate::{
    cli::Init,
    client::exit::{Exit, told_with, usage},
    data_lock::DataLock,
    failure::{Failure, While as _},
    installation, output,
    password_input::password,
    settings::Settings,
};

const HOST: Host = Host::running("chancery init");

pub(crate) async fn run(command: Init) -> Result<(), Failure> {
    let Init { admin1, admin1_password_file, admin2, admin2_password_file, options } = command;
    let settings = options.resolve()?;
    let root_key = settings.root_key.clone();
    let root_key = root_key.ok_or_else(|| usage("--root-key FILE is needed; keep it outside the data folder"))?;
    refuse_inside(&root_key, &settings.data)?;
    FirstIdentity::check_names(&[&admin1, &admin2], &settings.limits).doing("--admin1, --admin2")?;
    // Before anybody types a password: whose folder it is already, and what is in it.
    let held = settings.data.exists().then(|| DataLock::take(&settings)).transpose()?;
    refuse_new_key_of_old_store(&settings, &root_key)?;
    refuse_installation(&settings, &root_key).await?;
    // Passwords before the rest: where one is missing nothing has been made yet.
    let password_of = |name: &str, file: Option<PathBuf>, variable| {
        let password = password(name, file.as_deref(), variable)?;
        expect_length(name, &password, &settings.limits)?;
        Ok::<_, Failure>(password)
    };
    let first = password_of(&admin1, admin1_password_file, "CHANCERY_ADMIN1_PASSWORD")?;
    let second = password_of(&admin2, admin2_password_file, "CHANCERY_ADMIN2_PASSWORD")?;
    if first == second {
        output::note(
            "chancery: both administrators have the same password, so whoever knows it is both: change one of them.",
        );
    }
    let administrators = [(admin1, first), (admin2, second)]
        .map(|(name, password)| FirstIdentity::new(name, password, &[RoleId::ADMINISTRATOR, RoleId::SECURITY_OFFICER]));
    installation::make_data_folder(&settings.data)?;
    let _held = held.map_or_else(|| DataLock::take(&settings), Ok)?;
    if !root_key.exists() {
        create_root_key(&root_key)?;
        output::line(format_args!(
            "Made the root key {}. Without it nothing in the store can be read: keep a copy.",
            root_key.display()
        ))?;
    }
    provision(&settings, &root_key, administrators.into()).await?;
    output::line(format_args!("Made the installation in {}.", settings.data.display()))?;
    let (data, root_key) = (settings.data.display(), root_key.display());
    let store = store_option(&settings);
    output::line(format_args!(
        "API access is off; `chancery settings --data {data} --root-key {root_key}{store} --api-access on` switches it on."
    ))?;
    Ok(())
}

/// A copy of the data folder must not be enough to open the keys in it.
fn refuse_inside(root_key: &Path, data: &Path) -> Result<(), Failure> {
    let resolved = |path: &Path| -> std::io::Result<PathBuf> {
        let path = absolute(path)?;
        let existing = path.ancestors().find(|part| part.exists()).unwrap_or(Path::new("/"));
        let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
        Ok(existing.canonicalize()?.join(rest))
    };
    if resolved(root_key).doing("--root-key")?.starts_with(resolved(data).doing("--data")?) {
        return Err("--root-key: the root key must be kept outside the data folder".into());
    }
    Ok(())
}

/// A new root key could not open what is there.
fn refuse_new_key_of_old_store(settings: &Settings, root_key: &Path) -> Result<(), Failure> {
    match settings.store.path().filter(|path| path.exists() && !root_key.exists()) {
        Some(path) => {
            let message =
                format!("{} exists already, and the root key {} does not", path.display(), root_key.display());
            let next = "For what is there, name its root key with --root-key; for a new installation, another folder with --data.";
            Err(told_with(Exit::Failed, message, next))
        }
        None => Ok(()),
    }
}

/// Before anybody types a password for an installation that is there already.
async fn refuse_installation(settings: &Settings, root_key: &Path) -> Result<(), Failure> {
    if !settings.store.path().is_some_and(Path::exists) {
        return Ok(());
    }
    let chancery = installation::open_with(settings, root_key).await?;
    let (is_new, is_demo) = (chancery.identities.is_new(&HOST).await, chancery.host_settings(&HOST).demo);
    chancery.shut_down().await;
    if is_new? { Ok(()) } else { Err(there_is_one(settings, root_key, is_demo)) }
}

fn there_is_one(settings: &Settings, root_key: &Path, is_demo: bool) -> Failure {
    let (data, root_key) = (settings.data.display(), root_key.display());
    let store = store_option(settings);
    let what = if is_demo { "a demonstration" } else { "an installation" };
    let message = format!("there is {what} in {data} already; nothing was changed");
    let serve = if is_demo {
        format!("To serve it: chancery quickstart --data {data} --root-key {root_key}{store}")
    } else {
        format!("To serve it: chancery serve --data {data} --root-key {root_key}{store}")
    };
    let next = format!(
        "{serve}\nTo look at its settings: chancery settings --data {data} --root-key {root_key}{store}\n\
         For a new one beside it: another folder with --data, and another file with --root-key."
    );
    told_with(Exit::Failed, message, next)
}

/// An address may hold a password, so it is not repeated.
fn store_option(settings: &Settings) -> String {
    match settings.store.path() {
        Some(path) if path == settings.data.join("chancery.db") => String::new(),
        Some(path) => format!(" --store {}", path.display()),
        None => " --store ADDRESS".to_owned(),
    }
}

fn expect_length(name: &str, password: &str, limits: &Limits) -> Result<(), Failure> {
    let (min, max) = (limits.password_min, limits.password_max);
    if (min..=max).contains(&password.chars().count()) {
        return Ok(());
    }
    Err(format!("the password of {name} must have {min} to {max} characters").into())
}

async fn provision(settings: &Settings, root_key: &Path, identities: Vec<FirstIdentity>) -> Result<(), Failure> {
    let chancery = installation::open_with(settings, root_key).await?;
    let provision = Provision { identities, api_access: false, demo: false };
    // On PostgreSQL somebody may have been here before.
    let is_new = chancery.identities.is_new(&HOST).await;
    let is_demo = chancery.host_settings(&HOST).demo;
    let provisioned = match is_new {
        Ok(true) => chancery.identities.provision(&HOST, provision).await.map(drop).map_err(Failure::from),
        Ok(false) => Err(there_is_one(settings, root_key, is_demo)),
        Err(error) => Err(error.into()),
    };
    chancery.shut_down().await;
    provisioned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_key_stays_outside_the_data_folder() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        refuse_inside(&folder.path().join("root.key"), &data).unwrap();
        refuse_inside(&folder.path().join("data-key"), &data).unwrap();
        refuse_inside(&data.join("root.key"), &data).unwrap_err();
        std::fs::create_dir(&data).unwrap();
        std::os::unix::fs::symlink(&data, folder.path().join("link")).unwrap();
        refuse_inside(&folder.path().join("link/root.key"), &data).unwrap_err();
        refuse_inside(&data.join("../root.key"), &data).unwrap();
    }
}
