//! `chancery init`

use std::path::{Path, PathBuf, absolute};

use chancery_core::{FirstIdentity, Host, Limits, Provision, create_root_key};
use chancery_types::RoleId;

use crate::{
    cli::Init,
    data_lock::DataLock,
    failure::{Failure, While as _},
    installation, output,
    password_input::password,
    settings::Settings,
};

pub(crate) async fn run(command: Init) -> Result<(), Failure> {
    let Init { admin1, admin1_password_file, admin2, admin2_password_file, options } = command;
    let settings = options.resolve()?;
    let root_key = settings.root_key.clone().ok_or("--root-key FILE is needed; keep it outside the data folder")?;
    refuse_inside(&root_key, &settings.data)?;
    // Before anybody types a password: whose folder it is already, and what is in it.
    let held = settings.data.exists().then(|| DataLock::take(&settings)).transpose()?;
    refuse_new_key_of_old_store(&settings, &root_key)?;
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
    // An address may hold a password, so it is not repeated.
    let store = match settings.store.path() {
        Some(path) if path == settings.data.join("chancery.db") => String::new(),
        Some(path) => format!(" --store {}", path.display()),
        None => " --store ADDRESS".to_owned(),
    };
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
            Err(format!("{} exists already, and the root key {} does not", path.display(), root_key.display()).into())
        }
        None => Ok(()),
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
    let provisioned = chancery.provision(&Host::running("chancery init"), provision).await;
    chancery.shut_down().await;
    provisioned?;
    Ok(())
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
