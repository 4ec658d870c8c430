//! `chancery serve`

use chancery_core::Host;

use crate::{
    cli::Serve,
    data_lock::DataLock,
    failure::{Failure, While as _},
    installation, logging, quickstart,
    serving::{Reload, Serving, Sockets, outlive_hang_ups},
    settings::Settings,
};

pub(crate) async fn run(command: Serve) -> Result<(), Failure> {
    outlive_hang_ups()?;
    let settings = command.options.clone().resolve()?;
    let log = logging::start(&settings)?;
    installation::expect_existing(&settings)?;
    installation::make_data_folder(&settings.data)?;
    let mut lock = DataLock::take(&settings)?;
    let sockets = Sockets::bind(&settings).await?;
    lock.serves_at(&format!("https://{}", sockets.address()?))?;
    let chancery = installation::open_existing_to_serve(&settings).await?;
    let host = Host::running("chancery serve");
    if chancery.identities.is_new(&host).await? {
        return Err("the installation has no administrators yet: run `chancery init` first".into());
    }
    if chancery.host_settings(&host).demo {
        refuse_demo_file(&settings)?;
        chancery.end_demo(&host).await.doing("this installation is a demonstration")?;
    }
    let reload = Reload { options: command.options, log };
    Serving::start((chancery, &host), sockets, &settings, reload).await?.until_told_to_stop().await;
    Ok(())
}

/// One file with both halves of dual control makes any installation a demonstration.
fn refuse_demo_file(settings: &Settings) -> Result<(), Failure> {
    let Some(file) = quickstart::state_files(&settings.data).into_iter().find(|file| file.exists()) else {
        return Ok(());
    };
    let file = file.display();
    let how = "`chancery password NAME` while `chancery quickstart` runs, then by hand";
    Err(format!(
        "this installation is a demonstration: change the passwords of all three and remove {file} first ({how})"
    )
    .into())
}
