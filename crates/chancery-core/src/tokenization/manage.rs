//! Door methods for those who manage token profiles.

use chancery_keys::{KeySpec, Purpose, random};
use chancery_store::{StoreError, Tx, name_key, tables};
use chancery_types::{
    Action, KeyState, Perm, TokenAlgorithm, TokenProfileId,
    wire::{
        ListQuery, ObjInfo, Results,
        reports::AccessEffect,
        token_profiles::{
            ControlRule, CreateTokenProfile, PatchPermissions, PatchTokenProfile, TemplateNames, TokenProfile,
            TokenProfileStub, TokenProfileTemplate,
        },
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    key_move::{self, Made},
    shared,
    spec::ProfileSpec,
    stored_profile, templates,
};
use crate::{
    Caller, Error, Event, Grant, Limits, Result, Tokens,
    approval::requirement,
    base::list::Page,
    context::changes::{Change, ChangeKind},
    identity::{
        Directory,
        effect::{self, named},
    },
    keys::{StoredKey, key_type},
};

impl Tokens {
    /// The token profiles that there are, by name.
    pub async fn token_profile_stubs(&self, caller: &Caller, query: &ListQuery) -> Result<Results<TokenProfileStub>> {
        let grant = self.context.grant_to_all(caller);
        let page = Page::of(query, &self.context.limits)?;
        let (term, rows) = (page.search.clone(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::token_profiles::list(tx, Some(&term), &rows).await?) })
        });
        page.answer(listed.await?, stored_profile::stub)
    }

    /// Makes a token profile.
    pub async fn create_token_profile(&self, caller: &Caller, request: CreateTokenProfile) -> Result<TokenProfile> {
        let grant = self.context.grant(caller, Perm::TokenizationManage, Action::TokenProfileCreate, None).await?;
        // Before the store is looked at; which version of the key it will be does not matter for the rules.
        let draft = ProfileSpec::new(request.clone(), 1, &self.context.limits)?;
        draft.check(&self.context.limits)?;
        let id = TokenProfileId::from_random(random());
        let (now_ms, limits) = (self.context.clock.now_ms(), self.context.limits.clone());
        let info = ObjInfo { name: request.obj_info.name.clone(), uuid: id };
        let effect = effect::of_rules(&self.identities.state.directory.load(), &info, &[], &draft.control_rules);
        let event = profile_event(Action::TokenProfileCreate, id)
            .detail(json!({"name": info.name, "keyUuid": request.key_uuid}))
            .changed(&json!({}), &request, &self.context.limits)?
            .effect(&effect)?;
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    shared::take_turn(tx).await?;
                    let key = key(tx, &draft).await?;
                    let spec = ProfileSpec::new(request, key.current_version, &limits)?;
                    check_references(tx, id, &spec, None, &key, &limits).await?;
                    insert(tx, id, &spec, now_ms).await?;
                    spec.into_wire(id, &limits)
                })
            })
            .await
    }

    /// A token profile in full.
    pub async fn token_profile(&self, caller: &Caller, id: TokenProfileId) -> Result<TokenProfile> {
        let grant =
            self.context.grant(caller, Perm::TokenizationManage, Action::TokenProfileRead, Some(id.into())).await?;
        let row = self.context.storage.read(&grant, move |tx| Box::pin(load(tx, id))).await?;
        ProfileSpec::from_row(&row)?.into_wire(id, &self.context.limits)
    }

    /// Changes some members of a token profile and checks all of them as create does.
    pub async fn change_token_profile(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: PatchTokenProfile,
    ) -> Result<TokenProfile> {
        self.change(caller, id, Action::TokenProfileChange, request).await
    }

    /// Replaces all Control Rules of a token profile.
    pub async fn change_permissions(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        request: PatchPermissions,
    ) -> Result<TokenProfile> {
        let PatchPermissions { control_rules } = request;
        let request = PatchTokenProfile { control_rules: Some(control_rules), ..PatchTokenProfile::default() };
        self.change(caller, id, Action::ControlRulesChange, request).await
    }

    async fn change(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        action: Action,
        request: PatchTokenProfile,
    ) -> Result<TokenProfile> {
        let grant = self.context.grant(caller, Perm::TokenizationManage, action, Some(id.into())).await?;
        let (limits, directory) = (self.context.limits.clone(), self.identities.state.directory.load_full());
        let (event, told) = profile_event(action, id).told();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    shared::take_turn(tx).await?;
                    let gives_up = request.give_up_tokens.unwrap_or_default();
                    let (row, old, spec) = changed(tx, id, request, &limits).await?;
                    let mut warnings = key_move::check(&old, &spec, Made::of(&row), gives_up, &limits)?;
                    warnings.extend(shared::left_behind(tx, id, &old, &spec, &limits).await?);
                    match tables::token_profiles::update(tx, &spec.changed_row(&row)?).await {
                        Err(StoreError::Conflict(_)) => Err(name_taken()),
                        Ok(false) => {
                            Err(Error::state("The profile was changed or first used at the same time; try again."))
                        }
                        done => Ok(done?),
                    }?;
                    let effect = effect_of(&directory, id, &old, &spec.control_rules);
                    let (before, after) = (old.into_wire(id, &limits)?, spec.into_wire(id, &limits)?);
                    told.changed_for(&before, &after, &limits, &effect)?;
                    Ok(TokenProfile { warnings, ..after })
                })
            })
            .await
    }

    /// Who would gain and lose what if these were the rules of a profile. Refused as the change is.
    pub(crate) async fn rules_effect(
        &self,
        grant: &Grant,
        id: TokenProfileId,
        rules: Vec<ControlRule>,
    ) -> Result<AccessEffect> {
        let limits = self.context.limits.clone();
        let request = PatchTokenProfile { control_rules: Some(rules), ..PatchTokenProfile::default() };
        let read = self
            .context
            .storage
            .read(grant, move |tx| Box::pin(async move { changed(tx, id, request, &limits).await }));
        let (_, old, next) = read.await.map_err(|refusal| named(refusal, "/tokenProfileUuid"))?;
        Ok(effect_of(&self.identities.state.directory.load(), id, &old, &next.control_rules))
    }

    /// Removes a token profile. Nothing can read its tokens any more.
    pub async fn delete_token_profile(&self, caller: &Caller, id: TokenProfileId) -> Result<()> {
        let action = Action::TokenProfileDelete;
        let grant = self.context.grant(caller, Perm::TokenizationManage, action, Some(id.into())).await?;
        let (limits, directory) = (self.context.limits.clone(), self.identities.state.directory.load_full());
        let (event, told) = profile_event(action, id).told();
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    let row = load(tx, id).await?;
                    let rules: Vec<ControlRule> = serde_json::from_str(&row.control_rules).map_err(Error::internal)?;
                    let effect =
                        effect::of_rules(&directory, &ObjInfo { name: row.name.clone(), uuid: id }, &rules, &[]);
                    let before = json!({"objInfo": {"name": row.name}, "keyUuid": row.key_id, "controlRules": rules});
                    told.changed_for(&before, &json!({}), &limits, &effect)?;
                    if tables::token_profiles::delete(tx, id.into()).await? { Ok(()) } else { Err(no_such_profile()) }
                })
            })
            .await
    }

    /// The names of the built-in templates.
    pub fn token_template_names(&self, _caller: &Caller) -> TemplateNames {
        TemplateNames { names: templates::names().map(str::to_owned).collect() }
    }

    /// A built-in template: what to send to create a profile, but for the key and the rules.
    pub fn token_template(&self, _caller: &Caller, name: &str) -> Result<TokenProfileTemplate> {
        templates::by_name(name, &self.context.limits)?.ok_or_else(|| Error::not_found("template"))
    }
}

/// Stores a new profile.
pub(super) async fn insert(tx: &mut Tx, id: TokenProfileId, spec: &ProfileSpec, now_ms: i64) -> Result<()> {
    match tables::token_profiles::insert(tx, &spec.new_row(id, now_ms)?).await {
        Err(StoreError::Conflict(_)) => Err(name_taken()),
        done => Ok(done?),
    }
}

/// A profile, and what it becomes by a patch, with all that is checked of that.
async fn changed(
    tx: &mut Tx,
    id: TokenProfileId,
    request: PatchTokenProfile,
    limits: &Limits,
) -> Result<(tables::token_profiles::Row, ProfileSpec, ProfileSpec)> {
    let row = load(tx, id).await?;
    let old = ProfileSpec::from_row(&row)?;
    let spec = next(tx, &old, request, limits).await?;
    spec.check(limits)?;
    if let Some(made) = Made::of(&row) {
        old.check_still_reads(id, &spec, made, limits)?;
    }
    let key = key(tx, &spec).await?;
    check_references(tx, id, &spec, Some(&old), &key, limits).await?;
    Ok((row, old, spec))
}

fn effect_of(directory: &Directory, id: TokenProfileId, old: &ProfileSpec, rules: &[ControlRule]) -> AccessEffect {
    effect::of_rules(directory, &ObjInfo { name: old.name.clone(), uuid: id }, &old.control_rules, rules)
}

/// What a profile becomes by a patch: a new key comes with its newest version.
pub(super) async fn next(
    tx: &mut Tx,
    old: &ProfileSpec,
    patch: PatchTokenProfile,
    limits: &Limits,
) -> Result<ProfileSpec> {
    let draft = old.patched(patch.clone(), old.key_version, limits)?;
    if draft.key == old.key {
        return Ok(draft);
    }
    let key = key(tx, &draft).await?;
    old.patched(patch, key.current_version, limits)
}

/// The key that a profile names.
pub(super) async fn key(tx: &mut Tx, spec: &ProfileSpec) -> Result<StoredKey> {
    let row = tables::keys::by_id(tx, spec.key.into()).await?;
    let row =
        row.ok_or_else(|| Error::selection("/keyUuid", "There is no such key; /api/v2/keys/stubs lists them."))?;
    StoredKey::from_row(&row)
}

/// Checks what a profile refers to, and binds its key to the algorithm. What has not changed is not checked again: a
/// profile may outlive a role or the profile whose tokens it shares, and what was read can be written back.
pub(super) async fn check_references(
    tx: &mut Tx,
    id: TokenProfileId,
    spec: &ProfileSpec,
    old: Option<&ProfileSpec>,
    key: &StoredKey,
    limits: &Limits,
) -> Result<()> {
    let others = shared::others(tx, id, spec).await?;
    spec.check_beside(shared::shown_by_all(&others), limits)?;
    if tables::token_profiles::name_taken(tx, &name_key(&spec.name), id.into()).await? {
        return Err(name_taken());
    }
    let same_key =
        |old: &ProfileSpec| (old.key, old.key_version, old.algorithm) == (spec.key, spec.key_version, spec.algorithm);
    if !old.is_some_and(same_key) {
        check_key(spec, key)?;
        if !tables::keys::bind_algorithm(tx, spec.key.into(), spec.algorithm.as_str()).await? {
            let message = "The key is bound to another algorithm, the first that used it: make another key.";
            return Err(Error::value("/keyUuid", message));
        }
    }
    if old.is_none_or(|old| old.tweak_domain != spec.tweak_domain) {
        check_tweak_domain(tx, id, spec.tweak_domain).await?;
    }
    shared::check_reads(tx, id, spec, old, &others, limits).await?;
    let known = old.map_or(&[][..], |old| &old.control_rules);
    check_roles(tx, &spec.control_rules, known).await
}

fn check_key(spec: &ProfileSpec, key: &StoredKey) -> Result<()> {
    let fits = match spec.algorithm {
        TokenAlgorithm::Ff1 | TokenAlgorithm::Random | TokenAlgorithm::AesSiv => matches!(key.spec, KeySpec::Aes(_)),
        TokenAlgorithm::AesGcm => key.spec == KeySpec::Aes(chancery_keys::AesSize::Bits256),
        TokenAlgorithm::Hmac => key.spec == KeySpec::Hmac256,
    };
    if key.purpose != Purpose::Data || !fits {
        let message = format!("{} does not work with a key of type {}.", spec.algorithm, key_type::name(key.spec));
        return Err(Error::value("/keyUuid", message));
    }
    if !(1..=key.current_version).contains(&spec.key_version) {
        let message = format!("The key has the versions 1 to {}.", key.current_version);
        return Err(Error::selection("/keyVersion", message));
    }
    if key.state != KeyState::Enabled {
        return Err(Error::state("The key is disabled.").at("/keyUuid"));
    }
    Ok(())
}

/// Tokens are shared with a profile, not with what that one shares: otherwise a name would not say which domain it is.
async fn check_tweak_domain(tx: &mut Tx, id: TokenProfileId, domain: Option<TokenProfileId>) -> Result<()> {
    let Some(domain) = domain.filter(|domain| *domain != id) else { return Ok(()) };
    let other = tables::token_profiles::by_id(tx, domain.into()).await?;
    let other = other.ok_or_else(|| Error::selection("/tweakDomain", "There is no such token profile."))?;
    match other.tweak_domain {
        Some(its) if its != other.id => {
            let message = format!("That profile shares the tokens of {its}; name that one.");
            Err(Error::value("/tweakDomain", message))
        }
        Some(_) | None => Ok(()),
    }
}

async fn check_roles(tx: &mut Tx, rules: &[ControlRule], known: &[ControlRule]) -> Result<()> {
    for (index, rule) in rules.iter().enumerate() {
        let is_known = |before: &ControlRule| before.role_uuid == rule.role_uuid;
        let checked = known.iter().any(is_known) || rules[..index].iter().any(is_known);
        if !checked && tables::roles::by_id(tx, rule.role_uuid.into()).await?.is_none() {
            let message = "There is no such role; /api/v2/roles/stubs lists them.";
            return Err(Error::selection(format!("/controlRules/{index}/roleUuid"), message));
        }
        let demand = |rule: &ControlRule| rule.approval.clone();
        if let Some(approval) = &rule.approval
            && !known.iter().filter_map(demand).any(|before| before.approval_steps == approval.approval_steps)
        {
            let at = format!("/controlRules/{index}/approval");
            requirement::check_roles(tx, &at, &approval.approval_steps).await?;
        }
    }
    Ok(())
}

pub(super) async fn load(tx: &mut Tx, id: TokenProfileId) -> Result<tables::token_profiles::Row> {
    tables::token_profiles::by_id(tx, id.into()).await?.ok_or_else(no_such_profile)
}

fn no_such_profile() -> Error {
    Error::not_found("token profile")
}

fn name_taken() -> Error {
    Error::exists("/objInfo/name", "Another token profile has this name.")
}

pub(super) fn profile_event(action: Action, id: TokenProfileId) -> Event {
    Event::new(action).on(Uuid::from(id)).changes(Change::of(ChangeKind::TokenProfile, id))
}
