//! `chancery unlock NAME [--totp]`

use chancery_core::Host;

use crate::{cli::Unlock, failure::Failure, installation, output};

pub(crate) async fn run(command: Unlock) -> Result<(), Failure> {
    let settings = command.installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let host = Host::running("chancery unlock");
    let unlocked = async {
        chancery.unlock_from_host(&host, &command.name).await?;
        if command.totp {
            chancery.reset_totp_from_host(&host, &command.name).await?;
        }
        Ok::<_, Failure>(())
    };
    let unlocked = unlocked.await;
    chancery.shut_down().await;
    unlocked?;
    if command.totp {
        output::line(format_args!("Took the second factor of {} away: its password is enough now.", command.name))?;
    }
    output::line(format_args!(
        "Unlocked {}. A running server lets that identity log in within a second.",
        command.name
    ))?;
    Ok(())
}
