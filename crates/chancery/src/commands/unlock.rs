//! `chancery unlock NAME`

use chancery_core::Host;

use crate::{cli::Unlock, failure::Failure, installation};

pub(crate) async fn run(command: Unlock) -> Result<(), Failure> {
    let settings = command.options.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let unlocked = chancery.unlock_from_host(&Host::running("chancery unlock"), &command.name).await;
    chancery.shut_down().await;
    unlocked?;
    println!("{} can log in again.", command.name);
    Ok(())
}
