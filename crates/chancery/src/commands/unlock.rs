//! `chancery unlock NAME`

use chancery_core::{Error, Host, Meaning};

use crate::{cli::Unlock, client::exit::usage, failure::Failure, installation, output, shown::Shown};

pub(crate) async fn run(command: Unlock) -> Result<(), Failure> {
    let settings = command.installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let unlocked = chancery.identities.unlock_from_host(&Host::running("chancery unlock"), &command.name).await;
    chancery.shut_down().await;
    let name = Shown(&command.name);
    // A server alone knows of wrong passwords, which it forgives then.
    let told = |error: Error| -> Failure {
        let is_nobody = matches!(error.meaning(), Meaning::NotFound | Meaning::Selection);
        if is_nobody { usage(format!("{name}: {error}")) } else { error.into() }
    };
    let done = if unlocked.map_err(told)? {
        format!("Unlocked {name}.")
    } else {
        format!("{name} was not locked; delays after wrong passwords end.")
    };
    output::line(format!("{done} A running server lets that identity log in within a second."))
}
