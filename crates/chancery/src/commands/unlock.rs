//! `chancery unlock NAME`

use chancery_core::Host;

use crate::{cli::Unlock, failure::Failure, installation, output, shown::Shown};

pub(crate) async fn run(command: Unlock) -> Result<(), Failure> {
    let settings = command.installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let unlocked = chancery.identities.unlock_from_host(&Host::running("chancery unlock"), &command.name).await;
    chancery.shut_down().await;
    let name = Shown(&command.name);
    // A server alone knows of wrong passwords, which it forgives then.
    let done = if unlocked? {
        format!("Unlocked {name}.")
    } else {
        format!("{name} was not locked; delays after wrong passwords end.")
    };
    output::line(format!("{done} A running server lets that identity log in within a second."))
}
