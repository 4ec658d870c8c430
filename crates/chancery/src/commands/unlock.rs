//! `chancery unlock NAME`

use chancery_core::Host;

use crate::{cli::Unlock, failure::Failure, installation, output};

pub(crate) async fn run(command: Unlock) -> Result<(), Failure> {
    let settings = command.installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let unlocked = chancery.unlock_from_host(&Host::running("chancery unlock"), &command.name).await;
    chancery.shut_down().await;
    unlocked?;
    output::line(format_args!(
        "Unlocked {}. A running server lets that identity log in within a second.",
        command.name
    ))?;
    Ok(())
}
