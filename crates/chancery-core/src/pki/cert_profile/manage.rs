//! Door methods for certificate profiles.

use std::sync::Arc;

use chancery_keys::random;
use chancery_store::{StoreError, Tx, name_key, tables};
use chancery_types::{
    Action, CertProfileId, Perm,
    wire::{
        ListQuery, Results,
        approval::{ApprovalRules, ProposedCertProfile},
        cert_profiles::{CertProfile as Text, CreateCertProfile, PatchCertProfile},
        x509::CertProfileStub,
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{BUILT_IN, CertProfile, built_in};
use crate::{
    Caller, Error, Event, Limits, Pki, Result,
    approval::{Requirement, requirement},
    base::{
        list::Page,
        text::{check_name, check_renamed},
    },
    context::{
        changes::{Change, ChangeKind},
        storage::{Evidence, MayRead},
    },
    pki::proposals::cert_profile::effect_of,
};

/// Compiles certificate profiles, which stay for whoever needs them next. Made only here.
pub(crate) struct CompilingProfiles(());

impl Evidence for CompilingProfiles {}
impl MayRead for CompilingProfiles {}

impl Pki {
    /// The certificate profiles that there are, by name.
    pub async fn cert_profile_stubs(&self, caller: &Caller, query: &ListQuery) -> Result<Results<CertProfileStub>> {
        let grant = self.context.grant_to_all(caller);
        let page = Page::of(query, &self.context.limits)?;
        let read = self
            .context
            .read_list(caller, &grant, |tx| Box::pin(async move { Ok(tables::cert_profiles::all(tx).await?) }));
        let rows = read.await?;
        let own = rows.iter().map(|row| Ok(CertProfile::from_row(row, &self.context.limits)?.stub()));
        let own = own.collect::<Result<Vec<_>>>()?;
        page.cut(BUILT_IN.iter().map(|profile| profile.stub()).chain(own), |stub| &stub.obj_info)
    }

    /// A certificate profile in full.
    pub async fn cert_profile(&self, caller: &Caller, id: CertProfileId) -> Result<Text> {
        let grant = self.context.grant_to_all(caller);
        Ok(self.find_cert_profile(&grant, id).await?.ok_or_else(|| Error::not_found("certificate profile"))?.text())
    }

    /// Makes a certificate profile.
    pub async fn create_cert_profile(&self, caller: &Caller, request: CreateCertProfile) -> Result<Text> {
        let grant = self.context.grant(caller, Perm::CertManageManage, Action::CertProfileCreate, None).await?;
        let id = CertProfileId::from_random(random());
        check_name("/objInfo/name", &request.obj_info.name, &self.context.limits)?;
        let profile = CertProfile::read(id, request, &self.context.limits)?;
        check_own_name(&profile.name)?;
        let (now_ms, max) = (self.context.clock.now_ms(), self.context.limits.cert_profiles_max);
        let event = Event::new(Action::CertProfileCreate).on(Uuid::from(id)).detail(json!({"name": profile.name}));
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    // So that two who make the last one at the same time do not both see room for it.
                    tables::turns::take(tx, "cert_profiles").await?;
                    if tables::cert_profiles::count(tx).await? >= i64::from(max) {
                        return Err(Error::too_large(
                            "",
                            format!("There are {max} certificate profiles, the most there can be."),
                        ));
                    }
                    requirement::check_roles(tx, "/approval", &profile.approval.approval_steps).await?;
                    match tables::cert_profiles::insert(tx, &profile.row(now_ms)?).await {
                        Err(StoreError::Conflict(_)) => Err(name_taken()),
                        done => Ok(done?),
                    }?;
                    Ok(profile.text())
                })
            })
            .await
    }

    /// Changes some members of a certificate profile and checks all of them as create does. What was issued stays. Where
    /// its certificates take approvals, so does the change.
    pub async fn change_cert_profile(
        &self,
        caller: &Caller,
        id: CertProfileId,
        request: PatchCertProfile,
    ) -> Result<Text> {
        let grant =
            self.context.grant(caller, Perm::CertManageManage, Action::CertProfileChange, Some(id.into())).await?;
        check_not_built_in(id)?;
        let limits = self.context.limits.clone();
        let before =
            self.find_cert_profile(&grant, id).await?.ok_or_else(|| Error::not_found("certificate profile"))?.text();
        let name = request.obj_info.as_ref().map_or(before.obj_info.name.as_str(), |info| info.name.as_str());
        check_renamed("/objInfo/name", name, &before.obj_info.name, &limits)?;
        let after = CertProfile::read(id, before.clone().patched(request.clone()), &limits)?.text();
        let requirement = Requirement::all([&before.approval]);
        if !requirement.is_none() {
            if before == after {
                return Ok(before);
            }
            let new = ProposedCertProfile { before, after };
            return Box::pin(self.propose_cert_profile(caller, &grant, &requirement, new)).await;
        }
        let event = event(Action::CertProfileChange, id).changed(&before, &after, &limits)?;
        let new = ProposedCertProfile { before, after };
        let directory = self.identities.state.directory.load_full();
        let event = event.effect(&effect_of(&directory, &new.after.obj_info.name, &new))?;
        self.context.commit(&grant, event, move |tx| Box::pin(change(tx, new, limits))).await
    }

    /// Removes a certificate profile under which no certificate was stored.
    pub async fn delete_cert_profile(&self, caller: &Caller, id: CertProfileId) -> Result<()> {
        let action = Action::CertProfileDelete;
        let grant = self.context.grant(caller, Perm::CertManageManage, action, Some(id.into())).await?;
        check_not_built_in(id)?;
        let (event, told) = event(action, id).told();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    told.members([("name", json!(load(tx, id).await?.name))])?;
                    if tables::cert_profiles::delete(tx, id.into()).await? {
                        return Ok(());
                    }
                    let message = "Certificates name this profile, so it stays; it can be disabled (enabled: false).";
                    Err(Error::state(message))
                })
            })
            .await
    }

    /// The profile under which a request wants to issue.
    pub(in crate::pki) async fn issuing_profile(&self, id: CertProfileId) -> Result<Arc<CertProfile>> {
        const FIELD: &str = "/certProfileUuid";
        let found = match built_in(id).or_else(|| self.cert_profiles.find(&id)) {
            Some(ready) => ready,
            None => {
                let read = self.cert_profiles.generation();
                let found = self.find_cert_profile(&CompilingProfiles(()), id).await?.ok_or_else(|| {
                    let message = "There is no such certificate profile; /api/v2/x509/cert-profiles/stubs lists them.";
                    Error::selection(FIELD, message)
                })?;
                self.cert_profiles.keep(read, id, &found);
                found
            }
        };
        if !found.enabled {
            return Err(Error::state(format!("The profile {} is disabled.", found.name)).at(FIELD));
        }
        Ok(found)
    }

    pub(in crate::pki) async fn find_cert_profile(
        &self,
        by: &impl MayRead,
        id: CertProfileId,
    ) -> Result<Option<Arc<CertProfile>>> {
        if let Some(built_in) = built_in(id) {
            return Ok(Some(built_in));
        }
        let row = self
            .context
            .storage
            .read(by, move |tx| Box::pin(async move { tables::cert_profiles::by_id(tx, id.into()).await }));
        let row = row.await?;
        row.map(|row| CertProfile::from_row(&row, &self.context.limits).map(Arc::new)).transpose()
    }
}

/// Changes a profile that is as it was when the change was asked for.
pub(crate) async fn change(tx: &mut Tx, new: ProposedCertProfile, limits: Limits) -> Result<Text> {
    let row = check_change(tx, &new, &limits).await?;
    match tables::cert_profiles::update(tx, &row).await {
        Err(StoreError::Conflict(_)) => Err(name_taken()),
        Ok(false) => Err(changed_meanwhile()),
        done => Ok(done.map(drop)?),
    }?;
    Ok(new.after)
}

/// Whether a profile can change so; answers what is stored then.
pub(crate) async fn check_change(
    tx: &mut Tx,
    ProposedCertProfile { before, after }: &ProposedCertProfile,
    limits: &Limits,
) -> Result<tables::cert_profiles::Row> {
    let id = after.obj_info.uuid;
    let row = load(tx, id).await?;
    if CertProfile::from_row(&row, limits)?.text() != *before {
        return Err(changed_meanwhile());
    }
    let whole = after.clone().patched(PatchCertProfile::default());
    let changed = CertProfile { version: row.version, ..CertProfile::read(id, whole, limits)? };
    check_own_name(&changed.name)?;
    requirement::check_roles(tx, "/approval", &changed.approval.approval_steps).await?;
    let key = name_key(&changed.name);
    if tables::cert_profiles::all(tx).await?.iter().any(|other| other.name_key == key && other.id != row.id) {
        return Err(name_taken());
    }
    changed.row(row.created_at_ms)
}

/// What a profile demands; none where there is no such profile of people's own.
pub(crate) async fn approval_of(tx: &mut Tx, id: CertProfileId) -> Result<Option<ApprovalRules>> {
    let row = tables::cert_profiles::by_id(tx, id.into()).await?;
    let text: Option<CreateCertProfile> =
        row.map(|row| serde_json::from_str(&row.profile)).transpose().map_err(Error::internal)?;
    Ok(text.map(|text| text.approval))
}

fn changed_meanwhile() -> Error {
    Error::state("The profile was changed by somebody else at the same time.")
}

impl CertProfile {
    /// Parses a row. What does not parse was not written by us: InternalError.
    fn from_row(row: &tables::cert_profiles::Row, limits: &Limits) -> Result<Self> {
        let text: CreateCertProfile = serde_json::from_str(&row.profile).map_err(Error::internal)?;
        let profile = Self::read(row.id.into(), text, limits).map_err(Error::internal)?;
        Ok(Self { version: row.version, ..profile })
    }

    fn row(&self, created_at_ms: i64) -> Result<tables::cert_profiles::Row> {
        Ok(tables::cert_profiles::Row {
            id: self.id.into(),
            name: self.name.to_string(),
            name_key: name_key(&self.name),
            profile: serde_json::to_string(&self.text()).map_err(Error::internal)?,
            used: false,
            version: self.version,
            created_at_ms,
        })
    }

    /// Notes, in the transaction that stores a certificate, that the profile was used; refuses where it is no longer
    /// what the certificate was made by.
    pub(in crate::pki) async fn mark_used(&self, tx: &mut Tx) -> Result<()> {
        if self.system {
            return Ok(());
        }
        let row = tables::cert_profiles::by_id(tx, self.id.into()).await?;
        let same = match row {
            Some(row) if row.used => row.version == self.version,
            Some(_) => tables::cert_profiles::mark_used(tx, self.id.into(), self.version).await?,
            None => false,
        };
        if same { Ok(()) } else { Err(outdated()) }
    }

    /// Refuses where the profile is no longer what a certificate was made by.
    pub(in crate::pki) async fn check_current(&self, tx: &mut Tx) -> Result<()> {
        if self.system {
            return Ok(());
        }
        let row = tables::cert_profiles::by_id(tx, self.id.into()).await?;
        if row.is_some_and(|row| row.version == self.version) { Ok(()) } else { Err(outdated()) }
    }
}

fn outdated() -> Error {
    let message = "The certificate profile was changed or deleted at the same time; try again.";
    Error::state(message).at("/certProfileUuid")
}

/// What was compiled of the profile is stale after it.
fn event(action: Action, id: CertProfileId) -> Event {
    Event::new(action).on(Uuid::from(id)).changes(Change::of(ChangeKind::CertProfile, id))
}

async fn load(tx: &mut Tx, id: CertProfileId) -> Result<tables::cert_profiles::Row> {
    tables::cert_profiles::by_id(tx, id.into()).await?.ok_or_else(|| Error::not_found("certificate profile"))
}

fn check_not_built_in(id: CertProfileId) -> Result<()> {
    let message = "This certificate profile came with Chancery and stays as it is; make one of your own.";
    if built_in(id).is_some() { Err(Error::state(message)) } else { Ok(()) }
}

/// People choose profiles by name.
fn check_own_name(name: &str) -> Result<()> {
    let key = name_key(name);
    if BUILT_IN.iter().any(|profile| name_key(&profile.name) == key) { Err(name_taken()) } else { Ok(()) }
}

fn name_taken() -> Error {
    Error::exists("/objInfo/name", "Another certificate profile has this name.")
}
