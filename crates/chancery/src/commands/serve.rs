//! `chancery serve`

use chancery_core::Host;

use crate::{
    cli::Serve,
    failure::{Failure, While as _},
    installation, logging, quickstart,
    serving::{Reload, Serving, outlive_hang_ups},
    settings::Settings,
};

pub(crate) async fn run(command: Serve) -> Result<(), Failure> {
    outlive_hang_ups()?;
    let settings = command.options.clone().resolve()?;
    let log = logging::start(&settings)?;
    let chancery = installation::open_existing(&settings).await?;
    let host = Host::running("chancery serve");
    if chancery.is_new(&host).await? {
        return Err("the installation has no administrators yet: run `chancery init` first".into());
    }
    if chancery.host_settings(&host).demo {
        refuse_demo_file(&settings)?;
        chancery.end_demo(&host).await.doing("this installation is a demonstration")?;
    }
    let reload = Reload { options: command.options, log };
    Serving::start(chancery, &settings, reload).await?.until_told_to_stop().await;
    Ok(())
}

/// One file with both halves of dual control makes any installation a demonstration.
fn refuse_demo_file(settings: &Settings) -> Result<(), Failure> {
    let file = quickstart::state_file(&settings.data);
    if !file.exists() {
        return Ok(());
    }
    let file = file.display();
    Err(format!("this installation is a demonstration: change both passwords and remove {file} first").into())
}
