//! `chancery init`

use std::path::{Path, PathBuf, absolute};

use chancery_core::{FirstIdentity, Host, Provision, create_root_key};
use chancery_types::RoleId;

use crate::{
    cli::Init,
    data_lock::DataLock,
    failure::{Failure, While as _},
    installation,
    password_input::password,
    settings::Settings,
};

pub(crate) async fn run(command: Init) -> Result<(), Failure> {
    let Init { admin1, admin1_password_file, admin2, admin2_password_file, options } = command;
    let settings = options.resolve()?;
    let root_key = settings.root_key.clone().ok_or("--root-key FILE is needed; keep it outside the data folder")?;
    refuse_inside(&root_key, &settings.data)?;
    // Passwords first: where one is missing nothing has been made yet.
    let first = administrator(admin1, admin1_password_file.as_deref(), "CHANCERY_ADMIN1_PASSWORD")?;
    let second = administrator(admin2, admin2_password_file.as_deref(), "CHANCERY_ADMIN2_PASSWORD")?;
    installation::make_data_folder(&settings.data)?;
    let _held = DataLock::take(&settings.data)?;
    if !root_key.exists() {
        create_root_key(&root_key)?;
        println!("Made the root key {}. Without it nothing in the store can be read: keep a copy.", root_key.display());
    }
    provision(&settings, &root_key, vec![first, second]).await?;
    println!("Made the installation in {}.", settings.data.display());
    println!("API access is off; `chancery settings --api-access on` switches it on.");
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

fn administrator(name: String, file: Option<&Path>, variable: &str) -> Result<FirstIdentity, Failure> {
    let password = password(&name, file, variable)?;
    Ok(FirstIdentity::new(name, password, &[RoleId::ADMINISTRATOR, RoleId::SECURITY_OFFICER]))
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
