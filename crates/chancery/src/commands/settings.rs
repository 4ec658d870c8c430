//! `chancery settings`

use chancery_core::Host;
use chancery_types::wire::system::PatchSettings;

use crate::{
    cli::{FreshFactors, Settings, Switch},
    failure::Failure,
    installation, output,
};

pub(crate) async fn run(command: Settings) -> Result<(), Failure> {
    let settings = command.installation.resolve()?;
    let chancery = installation::open_existing(&settings).await?;
    let patch = PatchSettings {
        api_access: command.api_access.map(|switch| matches!(switch, Switch::On)),
        audit_retention: command.audit_retention,
        fresh_factor_for: command.fresh_factor_for.map(|FreshFactors(what)| what),
    };
    let in_force = chancery.change_host_settings(&Host::running("chancery settings"), patch).await;
    chancery.shut_down().await;
    let in_force = in_force?;
    output::line(serde_json::to_string_pretty(&in_force)?)?;
    Ok(())
}
