//! `chancery backup FILE`

use chancery_core::Host;

use crate::{cli::Backup, failure::Failure, installation, output};

pub(crate) async fn run(command: Backup) -> Result<(), Failure> {
    let settings = command.installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let copied = chancery.backup(&Host::running("chancery backup"), &command.file).await;
    chancery.shut_down().await;
    copied?;
    output::line(format_args!("Copied the store to {}. The root key is not in it.", command.file.display()))?;
    Ok(())
}
