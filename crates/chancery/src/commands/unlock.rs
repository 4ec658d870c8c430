//! `chancery unlock NAME`

use chancery_core::Host;

use crate::{cli::Unlock, failure::Failure, installation};

pub(crate) async fn run(command: Unlock) -> Result<(), Failure> {
    let settings = command.options.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    chancery.unlock_from_host(&Host::running("chancery unlock"), &command.name).await?;
    println!("{} can log in again.", command.name);
    Ok(())
}
