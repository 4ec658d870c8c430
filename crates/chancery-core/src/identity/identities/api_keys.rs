//! `/api/v2/identities/{uuid}/api-keys` behind the door.

use std::collections::HashMap;

use chancery_store::{
    Tx, name_key,
    tables::{self, api_keys::Row},
};
use chancery_types::{
    Action, ApiKeyId, IdentityId, IdentityKind,
    wire::{
        Empty, ObjInfo,
        api_keys::{
            ApiKey, ApiKeyCreated, ApiKeyScope, ApiKeys, CreateApiKey, PatchApiKey, PreviousSecret, RotateApiKey,
        },
        identities::FirstApiKey,
    },
};
use serde_json::json;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    holders::check_takes_programs,
    previous_secret::{self, check_is_present_secret},
    stored_identity::existing,
};
use crate::{
    Caller, Error, Event, Grant, Identities, Limits, Meaning, Network, Result,
    base::text::{check_name, check_renamed},
    context::changes::{Change, ChangeKind},
    identity::{
        administration::name_taken,
        api_key::{Content, FIRST_NAME, new_secret},
        passkeys::check_may_give_way_in,
    },
    time::{parse_rfc3339, rfc3339_ms},
};

/// For how long the secret of before goes on where nobody says otherwise, and at most: a day and 30 days.
const OVERLAP_S: u32 = 24 * 3_600;
const OVERLAP_S_MAX: u32 = 30 * OVERLAP_S;

/// The evidence that the caller may do something with keys of an identity.
struct MayUseKeys {
    grant: Grant,
    /// Whether by being the identity, or by showing the key, and not by a permission.
    own: bool,
    /// Which secret of the key was shown, where that is the reason.
    shown: Option<u32>,
}

/// A key that is not stored yet.
pub(super) struct NewApiKey {
    pub(super) row: Row,
    /// What it is restricted to, which has to be there.
    pub(super) scope: Option<ApiKeyScope>,
    pub(super) secret: Zeroizing<String>,
}

impl Identities {
    /// GET /api/v2/identities/{uuid}/api-keys.
    pub async fn api_keys(&self, caller: &Caller, id: IdentityId) -> Result<ApiKeys> {
        let may = self.may_use_keys(caller, id, None, Action::ApiKeyRead).await?;
        let (now, identity) = (self.context.clock.now_ms(), Uuid::from(id));
        let read = self.context.storage.read(&may.grant, move |tx| {
            Box::pin(async move {
                existing(tx, identity).await?;
                let rows = tables::api_keys::of_identity(tx, identity).await?;
                Ok::<_, Error>((rows, tables::api_key_uses::of_identity(tx, identity).await?))
            })
        });
        let (rows, uses) = read.await?;
        let uses: HashMap<_, _> = uses.into_iter().map(|row| ((row.key_id, row.version), row.used_at_ms)).collect();
        let used = |id: Uuid, version: u32| {
            let here = self.state.key_uses.last(id.into(), version);
            uses.get(&(id, version)).copied().max(here).map(rfc3339_ms)
        };
        let shown = |row: &Row| {
            let mut key = shown(row, now)?;
            key.last_used_at = used(row.id, row.version);
            if let Some(previous) = &mut key.previous {
                previous.last_used_at = used(row.id, row.version.saturating_sub(1));
            }
            Ok(key)
        };
        Ok(ApiKeys { results: rows.iter().map(shown).collect::<Result<_>>()? })
    }

    /// POST /api/v2/identities/{uuid}/api-keys.
    pub async fn create_api_key(&self, caller: &Caller, id: IdentityId, body: CreateApiKey) -> Result<ApiKeyCreated> {
        let MayUseKeys { grant, own, .. } = self.may_use_keys(caller, id, None, Action::ApiKeyCreate).await?;
        let now = self.context.clock.now_ms();
        let NewApiKey { row, scope, secret } = self.new_api_key(id, body, now)?;
        let uuid = row.id.into();
        let freshness = self.context.freshness();
        let event = self.key_event(Action::ApiKeyCreate, id, row.id, own);
        let ((event, told), limits, granter) = (event.told(), self.context.limits.clone(), caller.clone());
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                existing(tx, row.identity_id).await?;
                check_takes_programs(tx, row.identity_id).await?;
                check_may_give_way_in(tx, &granter, row.identity_id, own, freshness).await?;
                check_scope(tx, scope.as_ref()).await?;
                if tables::api_keys::count(tx, row.identity_id).await? >= i64::from(limits.api_keys.keys_max) {
                    let message =
                        format!("An identity has at most {} API keys; delete one first.", limits.api_keys.keys_max);
                    return Err(Error::new(Meaning::TooLarge, message));
                }
                tables::api_keys::insert(tx, &row).await.map_err(name_taken)?;
                told.changed(&Empty {}, &shown(&row, now)?, &limits)
            })
        })
        .await?;
        Ok(ApiKeyCreated { uuid, api_key: secret.to_string(), previous_until: None, warnings: Vec::new() })
    }

    /// The key that an application is made with.
    pub(super) fn first_key(&self, identity: IdentityId, given: FirstApiKey, now: i64) -> Result<NewApiKey> {
        let FirstApiKey { name, expires_at, networks, scope } = given;
        let name = name.unwrap_or_else(|| FIRST_NAME.to_owned());
        self.new_api_key(identity, CreateApiKey { name, expires_at, networks, scope }, now)
    }

    /// A key, as it will be stored.
    fn new_api_key(&self, identity: IdentityId, body: CreateApiKey, now: i64) -> Result<NewApiKey> {
        check_name("/name", &body.name, &self.context.limits)?;
        let content = Content {
            networks: networks(&body.networks, &self.context.limits)?,
            scope: scope(body.scope, &self.context.limits)?,
            given_at_ms: None,
        };
        let secret = new_secret();
        let row = Row {
            id: ApiKeyId::from_random(chancery_keys::random()).into(),
            identity_id: identity.into(),
            name_key: name_key(&body.name),
            name: body.name,
            key_hash: self.api_key_hash(&secret).to_vec(),
            version: 1,
            created_at_ms: now,
            rotated_at_ms: None,
            expires_at_ms: body.expires_at.as_deref().map(|end| end_of(end, now)).transpose()?,
            previous_hash: None,
            previous_until_ms: None,
            content: content.to_json()?,
        };
        Ok(NewApiKey { row, scope: content.scope, secret })
    }

    /// PATCH /api/v2/identities/{uuid}/api-keys/{keyUuid}.
    pub async fn change_api_key(
        &self,
        caller: &Caller,
        id: IdentityId,
        key: ApiKeyId,
        body: PatchApiKey,
    ) -> Result<ApiKey> {
        let MayUseKeys { grant, own, .. } = self.may_use_keys(caller, id, None, Action::ApiKeyChange).await?;
        let now = self.context.clock.now_ms();
        let new_networks = body.networks.map(|given| networks(&given, &self.context.limits)).transpose()?;
        let new_scope = body.scope.map(|given| scope(given, &self.context.limits)).transpose()?;
        let new_end = body.expires_at.map(|given| given.map(|end| end_of(&end, now)).transpose()).transpose()?;
        let freshness = self.context.freshness();
        let event = self.key_event(Action::ApiKeyChange, id, key.into(), own);
        let ((event, told), limits, granter) = (event.told(), self.context.limits.clone(), caller.clone());
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let mut row = stored(tx, id, key).await?;
                check_may_give_way_in(tx, &granter, row.identity_id, own, freshness).await?;
                let before = shown(&row, now)?;
                let mut content = Content::of(&row)?;
                if let Some(name) = body.name {
                    check_renamed("/name", &name, &row.name, &limits)?;
                    row.name_key = name_key(&name);
                    row.name = name;
                }
                if let Some(scope) = new_scope {
                    check_scope(tx, scope.as_ref()).await?;
                    content.scope = scope;
                }
                content.networks = new_networks.unwrap_or(content.networks);
                row.expires_at_ms = new_end.unwrap_or(row.expires_at_ms);
                row.content = content.to_json()?;
                tables::api_keys::update(tx, &row).await.map_err(name_taken)?;
                let after = shown(&row, now)?;
                told.changed(&before, &after, &limits)?;
                Ok(after)
            })
        })
        .await
    }

    /// POST /api/v2/identities/{uuid}/api-keys/{keyUuid}/rotate.
    pub async fn rotate_api_key(
        &self,
        caller: &Caller,
        id: IdentityId,
        key: ApiKeyId,
        body: RotateApiKey,
    ) -> Result<ApiKeyCreated> {
        let MayUseKeys { grant, own, shown: by } =
            self.may_use_keys(caller, id, Some(key), Action::ApiKeyRotate).await?;
        let overlap_s = body.overlap_seconds.unwrap_or(OVERLAP_S);
        if overlap_s > OVERLAP_S_MAX {
            let message = format!("overlapSeconds is 0 to {OVERLAP_S_MAX}.");
            return Err(Error::value("/overlapSeconds", message));
        }
        let (now, secret) = (self.context.clock.now_ms(), new_secret());
        let hash = self.api_key_hash(&secret).to_vec();
        let freshness = self.context.freshness();
        let event = self.key_event(Action::ApiKeyRotate, id, key.into(), own);
        // Nobody is told of what a program does each day.
        let event = if by.is_some() { event.also("byItself", json!(true))? } else { event };
        let ((event, told), limits, granter) = (event.told(), self.context.limits.clone(), caller.clone());
        let (previous_until, warnings) = self
            .administer_with(caller, &grant, event, move |tx| {
                Box::pin(async move {
                    let mut row = stored(tx, id, key).await?;
                    check_is_present_secret(&row, by)?;
                    // A key that shows itself gives nobody more than whoever shows it has.
                    if by.is_none() {
                        check_may_give_way_in(tx, &granter, row.identity_id, own, freshness).await?;
                    }
                    if row.expires_at_ms.is_some_and(|end| end <= now) {
                        return Err(Error::state("The API key has ended; give it a later end, or make another one."));
                    }
                    let before = shown(&row, now)?;
                    let until = now.saturating_add(i64::from(overlap_s) * 1_000);
                    let until = row.expires_at_ms.map_or(until, |end| end.min(until));
                    let previous = std::mem::replace(&mut row.key_hash, hash);
                    row.previous_hash = (overlap_s > 0).then_some(previous);
                    row.previous_until_ms = (overlap_s > 0).then_some(until);
                    tables::api_key_uses::forget_before(tx, row.id, row.version).await?;
                    row.version =
                        row.version.checked_add(1).ok_or_else(|| Error::state("The API key cannot be rotated."))?;
                    row.rotated_at_ms = Some(now);
                    if !own {
                        // Whoever comes by it is nobody who was there before, as with a new key.
                        row.content = Content { given_at_ms: Some(now), ..Content::of(&row)? }.to_json()?;
                    }
                    tables::api_keys::update(tx, &row).await?;
                    told.changed(&before, &shown(&row, now)?, &limits)?;
                    Ok((row.previous_until_ms, previous_secret::ended(&before)))
                })
            })
            .await?;
        let previous_until = previous_until.map(rfc3339_ms);
        Ok(ApiKeyCreated { uuid: key, api_key: secret.to_string(), previous_until, warnings })
    }

    /// DELETE /api/v2/identities/{uuid}/api-keys/{keyUuid}. Sessions that it began end with it.
    pub async fn delete_api_key(&self, caller: &Caller, id: IdentityId, key: ApiKeyId) -> Result<Empty> {
        let MayUseKeys { grant, own, shown: by } =
            self.may_use_keys(caller, id, Some(key), Action::ApiKeyDelete).await?;
        let now = self.context.clock.now_ms();
        let event = self.key_event(Action::ApiKeyDelete, id, key.into(), own);
        let ((event, told), limits) = (event.told(), self.context.limits.clone());
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                let row = stored(tx, id, key).await?;
                check_is_present_secret(&row, by)?;
                told.changed(&shown(&row, now)?, &Empty {}, &limits)?;
                tables::api_keys::delete(tx, row.identity_id, row.id).await?;
                Ok(Empty {})
            })
        })
        .await
    }

    /// A person who logged in alone, by a password, may do with the own keys what a password could; an application that did
    /// so may look at them. Whoever shows a key with a call may replace or remove that one. All else takes Identity:Manage.
    async fn may_use_keys(
        &self,
        caller: &Caller,
        id: IdentityId,
        key: Option<ApiKeyId>,
        action: Action,
    ) -> Result<MayUseKeys> {
        let is_enough =
            action == Action::ApiKeyRead || caller.members().iter().all(|member| member.kind == IdentityKind::Person);
        if is_enough && let Some(grant) = self.context.grant_own(caller, id, action).await? {
            return Ok(MayUseKeys { grant, own: true, shown: None });
        }
        if let Some(grant) = key.and_then(|key| self.context.grant_shown_key(caller, (id, key), action)) {
            let shown = caller.shown_key().map(|(_, version)| version);
            return Ok(MayUseKeys { grant, own: true, shown });
        }
        let object = key.map_or(Uuid::from(id), Uuid::from);
        let grant = self.grant_administration(caller, action, Some(object)).await?;
        Ok(MayUseKeys { grant, own: false, shown: None })
    }

    fn key_event(&self, action: Action, identity: IdentityId, key: Uuid, own: bool) -> Event {
        let directory = self.state.directory.load();
        let name = directory.name(identity);
        Event::new(action)
            .on(key)
            .detail(json!({"identityUuid": identity, "identity": name, "own": own}))
            .changes(Change::of(ChangeKind::ApiKeys, identity))
    }
}

async fn stored(tx: &mut Tx, identity: IdentityId, key: ApiKeyId) -> Result<Row> {
    existing(tx, identity.into()).await?;
    let row = tables::api_keys::by_id(tx, identity.into(), key.into()).await?;
    row.ok_or_else(|| Error::not_found("API key of this identity"))
}

/// A moment that lies ahead.
fn end_of(text: &str, now: i64) -> Result<i64> {
    let end = parse_rfc3339(text)
        .ok_or_else(|| Error::value("/expiresAt", "expiresAt is a moment such as 2027-01-31T00:00:00Z (RFC 3339)."))?;
    if end <= now {
        return Err(Error::value("/expiresAt", "expiresAt must lie ahead; to end a key now, delete it."));
    }
    Ok(end)
}

/// The networks as they are kept.
fn networks(given: &[String], limits: &Limits) -> Result<Vec<String>> {
    let max = limits.api_keys.entries_max;
    if given.len() > max {
        return Err(Error::too_large("/networks", format!("An API key has at most {max} networks.")));
    }
    let network = |(index, text): (usize, &String)| {
        let network: Network = text.parse().map_err(|error: crate::NotANetwork| {
            Error::value(format!("/networks/{index}"), format!("Here {error}."))
        })?;
        Ok(network.to_string())
    };
    given.iter().enumerate().map(network).collect()
}

/// The scope as it is kept.
fn scope(given: Option<ApiKeyScope>, limits: &Limits) -> Result<Option<ApiKeyScope>> {
    let Some(scope) = given else { return Ok(None) };
    let max = limits.api_keys.entries_max;
    let ApiKeyScope { token_profile_uuids: profiles, policy_uuids: policies, service_uuids: services } = &scope;
    for (member, entries) in
        [("tokenProfileUuids", profiles.len()), ("policyUuids", policies.len()), ("serviceUuids", services.len())]
    {
        if entries > max {
            let message = format!("An API key is restricted to at most {max} of these.");
            return Err(Error::too_large(format!("/scope/{member}"), message));
        }
    }
    if profiles.is_empty() && policies.is_empty() && services.is_empty() {
        let message = "The scope names nothing: give tokenProfileUuids, policyUuids or serviceUuids, or no scope.";
        return Err(Error::value("/scope", message));
    }
    Ok(Some(scope))
}

/// Refuses what a scope names that is not there.
pub(super) async fn check_scope(tx: &mut Tx, scope: Option<&ApiKeyScope>) -> Result<()> {
    let Some(ApiKeyScope { token_profile_uuids, policy_uuids, service_uuids }) = scope else { return Ok(()) };
    let absent = |member: &str, index: usize, what: &str| {
        Error::selection(format!("/scope/{member}/{index}"), format!("There is no such {what}."))
    };
    for (index, id) in token_profile_uuids.iter().enumerate() {
        let found = tables::token_profiles::by_id(tx, (*id).into()).await?;
        found.ok_or_else(|| absent("tokenProfileUuids", index, "token profile"))?;
    }
    for (index, id) in policy_uuids.iter().enumerate() {
        let found = tables::signing_policies::by_id(tx, (*id).into()).await?;
        found.ok_or_else(|| absent("policyUuids", index, "signing policy"))?;
    }
    for (index, id) in service_uuids.iter().enumerate() {
        let found = tables::services::by_id(tx, (*id).into()).await?;
        found.ok_or_else(|| absent("serviceUuids", index, "signing service"))?;
    }
    Ok(())
}

/// A key as the interface shows it, without its uses.
fn shown(row: &Row, now: i64) -> Result<ApiKey> {
    let Content { networks, scope, given_at_ms: _ } = Content::of(row)?;
    let previous_until = row.previous_until_ms.filter(|until| row.previous_hash.is_some() && now < *until);
    Ok(ApiKey {
        obj_info: ObjInfo { name: row.name.clone(), uuid: row.id.into() },
        version: row.version,
        created_at: rfc3339_ms(row.created_at_ms),
        rotated_at: row.rotated_at_ms.map(rfc3339_ms),
        expires_at: row.expires_at_ms.map(rfc3339_ms),
        last_used_at: None,
        previous: previous_until.map(|until| PreviousSecret { until: rfc3339_ms(until), last_used_at: None }),
        networks,
        scope,
    })
}
