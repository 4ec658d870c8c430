//! The settings of an installation: GET and PATCH /api/v2/system/settings, and `chancery settings` on the host.

use std::sync::Arc;

use chancery_store::{StoreError, Tx, tables};
use chancery_types::{
    Action, IdentityId, Perm,
    wire::system::{PatchSettings, Settings as Body},
};
use serde_json::json;

use crate::{
    Caller, Chancery, Error, Event, Host, Limits, Result,
    audit::Told,
    changes::{Change, ChangeKind},
    storage::{MayRead, Storage},
};

const DEMO: &str = "demo";
/// The identities that a demonstration began with.
const DEMO_IDENTITIES: &str = "demoIdentities";
const API_ACCESS: &str = "apiAccess";

/// The settings that are kept in the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Whether the interface answers more than logins, health, public PKI endpoints and the settings.
    pub(crate) api_access: bool,
    /// Whether this is a demonstration.
    pub(crate) demo: bool,
}

impl Settings {
    pub(crate) async fn load(storage: &Storage, by: &impl MayRead) -> Result<Self> {
        storage.read(by, |tx| Box::pin(Self::read(tx))).await
    }

    async fn read(tx: &mut Tx) -> Result<Self> {
        Ok(Self { api_access: is_set(tx, API_ACCESS).await?, demo: is_set(tx, DEMO).await? })
    }
}

/// What was never set is off.
async fn is_set(tx: &mut Tx, name: &str) -> Result<bool> {
    let stored = match tables::settings::value(tx, name).await {
        // Off as well: both settings give something.
        Err(StoreError::Unauthentic(_)) => None,
        stored => stored?,
    };
    stored.map_or(Ok(false), |value| serde_json::from_str(&value).map_err(Error::internal))
}

pub(crate) async fn write(tx: &mut Tx, settings: Settings) -> Result<()> {
    let Settings { api_access, demo } = settings;
    tables::settings::set(tx, API_ACCESS, if api_access { "true" } else { "false" }).await?;
    tables::settings::set(tx, DEMO, if demo { "true" } else { "false" }).await?;
    Ok(())
}

/// Notes whose passwords stand in the file of a demonstration.
pub(crate) async fn note_demo_identities(tx: &mut Tx, identities: &[IdentityId]) -> Result<()> {
    Ok(tables::settings::set(tx, DEMO_IDENTITIES, &json!(identities).to_string()).await?)
}

/// Whose passwords stand, or stood, in the file of a demonstration.
pub(crate) async fn demo_identities(tx: &mut Tx) -> Result<Vec<IdentityId>> {
    let stored = tables::settings::value(tx, DEMO_IDENTITIES).await?;
    stored.map_or(Ok(Vec::new()), |value| serde_json::from_str(&value).map_err(Error::internal))
}

/// Takes the mark of a demonstration off.
pub(crate) async fn end_demo(tx: &mut Tx) -> Result<()> {
    Ok(tables::settings::set(tx, DEMO, "false").await?)
}

impl Chancery {
    /// The settings.
    pub async fn settings(&self, caller: &Caller) -> Result<Body> {
        self.grant(caller, Perm::SystemManage, Action::SettingsRead, None).await?;
        Ok(self.settings_body())
    }

    /// Changes settings.
    pub async fn change_settings(&self, caller: &Caller, patch: PatchSettings) -> Result<Body> {
        let grant = self.grant(caller, Perm::SystemManage, Action::SettingsChange, None).await?;
        if let Some(api_access) = patch.api_access {
            let (event, told) = changed(api_access).told();
            let limits = self.limits.clone();
            self.commit(&grant, event, move |tx| Box::pin(set_api_access(tx, api_access, told, limits))).await?;
        }
        Ok(self.settings_body())
    }

    /// The settings, for somebody on the host.
    pub fn host_settings(&self, _host: &Host) -> Body {
        self.settings_body()
    }

    /// Changes settings from the host; a server beside it sees them within a second.
    pub async fn change_host_settings(&self, host: &Host, patch: PatchSettings) -> Result<Body> {
        if let Some(api_access) = patch.api_access {
            let (event, told) = changed(api_access).told();
            let limits = self.limits.clone();
            self.commit(host, event, move |tx| Box::pin(set_api_access(tx, api_access, told, limits))).await?;
        }
        Ok(self.settings_body())
    }

    fn settings_body(&self) -> Body {
        let Settings { api_access, demo } = **self.settings.load();
        Body { api_access, hardened: self.hardened, demo }
    }

    /// The settings have changed.
    pub(crate) async fn apply_settings(&self, by: &impl MayRead) -> Result<()> {
        self.settings.store(Arc::new(Settings::load(&self.storage, by).await?));
        Ok(())
    }
}

fn changed(api_access: bool) -> Event {
    Event::new(Action::SettingsChange)
        .detail(json!({API_ACCESS: api_access}))
        .changes(Change::all(ChangeKind::Settings))
}

async fn set_api_access(tx: &mut Tx, api_access: bool, told: Told, limits: Limits) -> Result<()> {
    let before = is_set(tx, API_ACCESS).await?;
    told.changed(&json!({API_ACCESS: before}), &json!({API_ACCESS: api_access}), &limits)?;
    let demo = is_set(tx, DEMO).await?;
    write(tx, Settings { api_access, demo }).await
}
