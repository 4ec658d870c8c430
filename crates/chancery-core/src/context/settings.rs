//! The settings of an installation: GET and PATCH /api/v2/system/settings, and `chancery settings` on the host.

use std::sync::Arc;

use chancery_store::{StoreError, Tx, tables};
use chancery_types::{
    Action, FreshFactorFor, IdentityId, Perm,
    wire::system::{AuditRetention, PatchSettings, Settings as Body},
};
use serde_json::json;

use super::{
    Caller, Context, Event, Host,
    changes::{Change, ChangeKind},
    record::Told,
    retention,
    storage::{MayRead, Storage},
};
use crate::{Error, Limits, Result, base::clock::ms};

const DEMO: &str = "demo";
/// The identities that a demonstration began with.
const DEMO_IDENTITIES: &str = "demoIdentities";
const API_ACCESS: &str = "apiAccess";
const FRESH_FACTOR_FOR: &str = "freshFactorFor";
const AUDIT_RETENTION: &str = "auditRetention";

/// The settings that are kept in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Whether the interface answers more than logins, health, public PKI endpoints and the settings.
    pub(crate) api_access: bool,
    /// Whether this is a demonstration.
    pub(crate) demo: bool,
    /// What takes a fresh second factor, each once and in order.
    pub(crate) fresh_factor_for: Vec<FreshFactorFor>,
    /// For how long audit records are at hand, and how long they are kept.
    pub(crate) audit_retention: AuditRetention,
}

impl Settings {
    pub(crate) async fn load(storage: &Storage, by: &impl MayRead) -> Result<Self> {
        storage.read(by, |tx| Box::pin(Self::read(tx))).await
    }

    async fn read(tx: &mut Tx) -> Result<Self> {
        let (api_access, demo) = (is_set(tx, API_ACCESS).await?, is_set(tx, DEMO).await?);
        let fresh_factor_for = match tables::settings::value(tx, FRESH_FACTOR_FOR).await {
            // It takes something: whoever writes the database does not end it.
            Err(StoreError::Unauthentic(_)) => FreshFactorFor::ALL.to_vec(),
            stored => stored?.map_or(Ok(Vec::new()), |value| serde_json::from_str(&value)).map_err(Error::internal)?,
        };
        let audit_retention = match tables::settings::value(tx, AUDIT_RETENTION).await {
            // Whoever writes the database has nothing moved or removed.
            Err(StoreError::Unauthentic(_)) => AuditRetention::default(),
            stored => {
                let read = stored?.map(|value| serde_json::from_str(&value)).transpose();
                read.map_err(Error::internal)?.unwrap_or_default()
            }
        };
        Ok(Self { api_access, demo, fresh_factor_for, audit_retention })
    }
}

/// What was never set is off.
async fn is_set(tx: &mut Tx, name: &str) -> Result<bool> {
    let stored = match tables::settings::value(tx, name).await {
        // Off as well: these settings give something.
        Err(StoreError::Unauthentic(_)) => None,
        stored => stored?,
    };
    stored.map_or(Ok(false), |value| serde_json::from_str(&value).map_err(Error::internal))
}

pub(crate) async fn write(tx: &mut Tx, api_access: bool, demo: bool) -> Result<()> {
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

/// Which second factors are fresh at a moment: those of the last lifetime of a token.
#[derive(Clone, Copy)]
pub(crate) struct Freshness {
    now_ms: i64,
    lifetime_ms: i64,
}

impl Freshness {
    /// Whether one that was shown then is. One that lies ahead was shown to a clock that was wrong, and nobody knows how long ago.
    pub(crate) fn has(self, shown_at: Option<i64>) -> bool {
        shown_at.is_some_and(|at| at.abs_diff(self.now_ms) < self.lifetime_ms.unsigned_abs())
    }
}

impl Context {
    /// The settings.
    pub async fn settings(&self, caller: &Caller) -> Result<Body> {
        self.grant(caller, Perm::SystemManage, Action::SettingsRead, None).await?;
        Ok(self.settings_body())
    }

    /// Changes settings. What takes a fresh second factor is changed by who has one: so nobody demands what they cannot give, and
    /// nobody without it takes the demand back.
    pub async fn change_settings(&self, caller: &Caller, patch: PatchSettings) -> Result<Body> {
        let grant = self.grant(caller, Perm::SystemManage, Action::SettingsChange, None).await?;
        let checked = if patch.fresh_factor_for.is_some() {
            self.check_fresh_factor(caller)
        } else if patch.audit_retention.is_some() {
            // Whoever shortens it has records removed for good.
            self.check_fresh_factor_for(caller, Action::AuditExport)
        } else {
            Ok(())
        };
        if let Err(refusal) = checked {
            return Err(self.refused(caller, Event::new(Action::SettingsChange), refusal).await);
        }
        patch.audit_retention.iter().try_for_each(retention::check)?;
        if patch != PatchSettings::default() {
            let (event, told) = changed(&patch).told();
            let limits = self.limits.clone();
            self.commit(&grant, event, move |tx| Box::pin(change(tx, patch, told, limits))).await?;
        }
        Ok(self.settings_body())
    }

    /// The settings, for somebody on the host.
    pub fn host_settings(&self, _host: &Host) -> Body {
        self.settings_body()
    }

    /// Changes settings from the host; a server beside it sees them within a second.
    pub async fn change_host_settings(&self, host: &Host, patch: PatchSettings) -> Result<Body> {
        patch.audit_retention.iter().try_for_each(retention::check)?;
        if patch != PatchSettings::default() {
            let (event, told) = changed(&patch).told();
            let limits = self.limits.clone();
            self.commit(host, event, move |tx| Box::pin(change(tx, patch, told, limits))).await?;
        }
        Ok(self.settings_body())
    }

    /// What is fresh now.
    pub(crate) fn freshness(&self) -> Freshness {
        Freshness { now_ms: self.clock.now_ms(), lifetime_ms: ms(self.limits.token_lifetime) }
    }

    /// Refuses a session in which somebody has shown no second factor of ours within the lifetime of a token. After that the
    /// login steps may be repeated in the same browser, so it is exactly then that they can be.
    pub(crate) fn check_fresh_factor(&self, caller: &Caller) -> Result<()> {
        if self.freshness().has(caller.second_factor_at()) {
            return Ok(());
        }
        let seconds = self.limits.token_lifetime.as_secs();
        let time =
            if seconds.is_multiple_of(60) { format!("{} minutes", seconds / 60) } else { format!("{seconds} seconds") };
        Err(Error::forbidden(format!(
            "This takes a second factor (a one-time code or a passkey) of the last {time}, of everybody in the session: log \
             out, and log in again with one."
        )))
    }

    /// The same, where the settings say that this action takes one.
    pub(crate) fn check_fresh_factor_for(&self, caller: &Caller, action: Action) -> Result<()> {
        match action.fresh_factor_for() {
            Some(what) if self.settings.load().fresh_factor_for.contains(&what) => self.check_fresh_factor(caller),
            _ => Ok(()),
        }
    }

    fn settings_body(&self) -> Body {
        let Settings { api_access, demo, fresh_factor_for, audit_retention } = Settings::clone(&self.settings.load());
        Body { api_access, hardened: self.hardened, demo, fresh_factor_for, audit_retention }
    }

    /// The settings have changed.
    pub(crate) async fn apply_settings(&self, by: &impl MayRead) -> Result<()> {
        self.settings.store(Arc::new(Settings::load(&self.storage, by).await?));
        Ok(())
    }
}

fn changed(patch: &PatchSettings) -> Event {
    // What is absent stays, and is not told.
    Event::new(Action::SettingsChange).detail(json!(patch)).changes(Change::all(ChangeKind::Settings))
}

async fn change(tx: &mut Tx, patch: PatchSettings, told: Told, limits: Limits) -> Result<()> {
    let before = Settings::read(tx).await?;
    let mut after = Settings {
        api_access: patch.api_access.unwrap_or(before.api_access),
        fresh_factor_for: patch.fresh_factor_for.unwrap_or_else(|| before.fresh_factor_for.clone()),
        audit_retention: patch.audit_retention.unwrap_or(before.audit_retention),
        ..before
    };
    after.fresh_factor_for.sort_unstable();
    after.fresh_factor_for.dedup();
    let shown = |settings: &Settings| {
        json!({
            API_ACCESS: settings.api_access, FRESH_FACTOR_FOR: settings.fresh_factor_for,
            AUDIT_RETENTION: settings.audit_retention,
        })
    };
    told.changed(&shown(&before), &shown(&after), &limits)?;
    write(tx, after.api_access, after.demo).await?;
    tables::settings::set(tx, FRESH_FACTOR_FOR, &json!(after.fresh_factor_for).to_string()).await?;
    tables::settings::set(tx, AUDIT_RETENTION, &json!(after.audit_retention).to_string()).await?;
    Ok(())
}
