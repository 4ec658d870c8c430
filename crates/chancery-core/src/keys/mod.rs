//! The inventory of keys: data keys, and the keys of authorities and services. What is done with them is custody's.

pub(crate) mod key_type;
mod new_key;
mod stored;

use std::sync::Arc;

use chancery_keys::{CustodyError, KeyRef, KeySpec, Purpose, RsaBatch, SIGNED_TOGETHER};
use chancery_store::{StoreError, Tx, name_key, tables};
use chancery_types::{
    Action, KeyId, KeyState, KeyUsage, Perm,
    wire::{
        ListQuery, Results,
        key_types::KeyTypeStub,
        keys::{CreateKey, Key, KeyStub, PatchKey},
    },
};
use serde_json::json;
use uuid::Uuid;

use crate::{
    Caller, Context, Error, Event, Result, Visitor,
    base::{
        list::Page,
        text::{check_name, check_renamed},
    },
    context::{
        changes::{Change, ChangeKind},
        storage::{Evidence, MayRead},
    },
    custody::{RsaPoolLevels, Signer},
};

pub(crate) use new_key::NewKey;
pub(crate) use stored::{StoredKey, check_use};

/// Opens keys that sign, for whoever may have something signed. Made only here.
pub(crate) struct OpeningKeys(());

impl Evidence for OpeningKeys {}
impl MayRead for OpeningKeys {}

/// The keys that people have made.
pub struct Keys {
    context: Arc<Context>,
}

impl Keys {
    pub(crate) fn new(context: &Arc<Context>) -> Self {
        Self { context: Arc::clone(context) }
    }
}

impl AsRef<Context> for Keys {
    fn as_ref(&self) -> &Context {
        &self.context
    }
}

impl Keys {
    /// The key types that there are, by name.
    pub async fn key_type_stubs(&self, _caller: &Caller, query: &ListQuery) -> Result<Results<KeyTypeStub>> {
        let page = Page::of(query, &self.context.limits)?;
        page.cut(key_type::all().map(key_type::stub), |stub| &stub.obj_info)
    }

    /// Makes a data key.
    pub async fn create_key(&self, caller: &Caller, request: CreateKey) -> Result<Key> {
        let grant = self.context.grant(caller, Perm::KeysAdd, Action::KeyCreate, None).await?;
        let CreateKey { name, key_type_uuid, usages } = request;
        check_name("/name", &name, &self.context.limits)?;
        let spec = key_type::by_id(key_type_uuid).ok_or_else(|| {
            Error::selection("/keyTypeUuid", "There is no such key type; /api/v2/key-types/stubs lists them.")
        })?;
        if key_type::purpose(spec) != Purpose::Data {
            return Err(Error::value(
                "/keyTypeUuid",
                format!(
                    "Keys of type {} are made together with their certificate; data keys are of type {}.",
                    key_type::name(spec),
                    key_type::names(Purpose::Data)
                ),
            ));
        }
        let usages = check_usages(usages.as_deref().unwrap_or(key_type::usages(spec)), spec)?;
        let (key, now_ms) = (self.new_key(spec).await?, self.context.clock.now_ms());
        let id = key.id();
        let event = key_event(Action::KeyCreate, id).detail(json!({"name": name, "keyType": key_type::name(spec)}));
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    if !key.insert(tx, &name, &usages, now_ms).await? {
                        return Err(name_taken());
                    }
                    detail(tx, id).await
                })
            })
            .await
    }

    /// The keys that there are, by name.
    pub async fn key_stubs(&self, caller: &Caller, query: &ListQuery) -> Result<Results<KeyStub>> {
        let grant = self.context.grant(caller, Perm::KeysAdd, Action::KeyRead, None).await?;
        let page = Page::of(query, &self.context.limits)?;
        let (term, rows) = (page.search.clone(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::keys::list(tx, Some(&term), &rows).await?) })
        });
        page.answer(listed.await?, |row| Ok(StoredKey::from_row(&row)?.stub()))
    }

    /// A key; never its secret.
    pub async fn key(&self, caller: &Caller, id: KeyId) -> Result<Key> {
        let grant = self.context.grant(caller, Perm::KeysAdd, Action::KeyRead, Some(id.into())).await?;
        self.context.storage.read(&grant, move |tx| Box::pin(detail(tx, id))).await
    }

    /// Renames a key, or changes what it may be used for.
    pub async fn change_key(&self, caller: &Caller, id: KeyId, request: PatchKey) -> Result<Key> {
        let grant = self.context.grant(caller, Perm::KeysAdd, Action::KeyChange, Some(id.into())).await?;
        let PatchKey { name, usages } = request;
        let limits = self.context.limits.clone();
        let (event, told) = key_event(Action::KeyChange, id).told();
        let (are_two, manages_trust) = (caller.are_two_persons(), caller.manages_trust());
        let changed = self.context.commit(&grant, event, move |tx| {
            Box::pin(async move {
                let before = detail(tx, id).await?;
                let mut row = load(tx, id).await?;
                let key = StoredKey::from_row(&row)?;
                if let Some(name) = name {
                    check_renamed("/name", &name, &row.name, &limits)?;
                    row.name_key = name_key(&name);
                    row.name = name;
                    if key.purpose == Purpose::Data && tables::keys::name_taken(tx, &row.name_key, row.id).await? {
                        return Err(name_taken());
                    }
                }
                if let Some(usages) = usages {
                    let usages = check_usages(&usages, key.spec)?;
                    if !are_two && usages.iter().any(|usage| !key.usages.contains(usage)) {
                        return Err(takes_two_persons("/usages"));
                    }
                    if !manages_trust && key.usages.iter().any(|usage| !usages.contains(usage)) {
                        check_data_key(&key, "/usages")?;
                    }
                    row.usages = new_key::usages_text(&usages);
                }
                update(tx, &row).await?;
                let after = detail(tx, id).await?;
                told.changed(&before, &after, &limits)?;
                Ok(after)
            })
        });
        self.context.or_refused(caller, key_event(Action::KeyChange, id), changed.await).await
    }

    /// Switches a key off: nothing uses it until it is enabled again.
    pub async fn disable_key(&self, caller: &Caller, id: KeyId) -> Result<Key> {
        self.set_key_state(caller, id, KeyState::Disabled, Action::KeyDisable).await
    }

    /// Switches a key on again. Somebody had a reason to switch it off, so that takes two persons.
    pub async fn enable_key(&self, caller: &Caller, id: KeyId) -> Result<Key> {
        if caller.has(Perm::KeysAdd) && !caller.are_two_persons() {
            let event = key_event(Action::KeyEnable, id);
            return Err(self.context.refused(caller, event, takes_two_persons("")).await);
        }
        self.set_key_state(caller, id, KeyState::Enabled, Action::KeyEnable).await
    }

    async fn set_key_state(&self, caller: &Caller, id: KeyId, state: KeyState, action: Action) -> Result<Key> {
        let grant = self.context.grant(caller, Perm::KeysAdd, action, Some(id.into())).await?;
        let ((event, told), limits) = (key_event(action, id).told(), self.context.limits.clone());
        let manages_trust = caller.manages_trust();
        let changed = self.context.commit(&grant, event, move |tx| {
            Box::pin(async move {
                let before = detail(tx, id).await?;
                let mut row = load(tx, id).await?;
                if state == KeyState::Disabled && !manages_trust {
                    check_data_key(&StoredKey::from_row(&row)?, "")?;
                }
                row.state = state.as_str().to_owned();
                update(tx, &row).await?;
                let after = detail(tx, id).await?;
                told.changed(&before, &after, &limits)?;
                Ok(after)
            })
        });
        self.context.or_refused(caller, key_event(action, id), changed.await).await
    }

    /// Adds a version to a data key. No token profile changes by that: each goes on with the version that it names.
    pub async fn rotate_key(&self, caller: &Caller, id: KeyId) -> Result<Key> {
        let grant = self.context.grant(caller, Perm::KeysAdd, Action::KeyRotate, Some(id.into())).await?;
        let row = self.context.storage.read(&grant, move |tx| Box::pin(load(tx, id))).await?;
        let key = StoredKey::from_row(&row)?;
        check_rotation(&key)?;
        let (from, version) = (key.current_version, key.current_version + 1);
        let made = self.context.custody.generate(KeyRef { id, version, purpose: key.purpose, spec: key.spec }).await?;
        let now_ms = self.context.clock.now_ms();
        let event = key_event(Action::KeyRotate, id).detail(json!({"name": row.name, "version": version}));
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    if !tables::keys::rotate(tx, id.into(), from, version).await? {
                        return Err(Error::state("The key was rotated by somebody else at the same time."));
                    }
                    tables::key_versions::insert(tx, &new_key::version_row(made, now_ms)).await?;
                    detail(tx, id).await
                })
            })
            .await
    }

    /// How many RSA keys lie ready.
    #[must_use]
    pub fn rsa_pool_levels(&self, _visitor: &Visitor) -> RsaPoolLevels {
        self.context.custody.rsa_pool_levels()
    }

    /// The newest version of a signing key, if its state and usages allow that it signs. They are read from the store each
    /// time: no signature is made with a key that was disabled before.
    pub(crate) async fn signing_key(&self, id: KeyId) -> Result<Signer> {
        self.signer_of(id, RsaBatch::Never).await
    }

    /// The same for one that signs content.
    pub(crate) async fn content_signing_key(&self, id: KeyId) -> Result<Signer> {
        self.signer_of(id, self.content_batch()).await
    }

    /// Whether keys that sign content may do so in batches (docs/decisions/0011-rsa-in-groups.md).
    fn content_batch(&self) -> RsaBatch {
        let is_off = self.context.hardened || self.context.limits.rsa_group_max < *SIGNED_TOGETHER.start();
        if is_off { RsaBatch::Never } else { RsaBatch::Allowed }
    }

    async fn signer_of(&self, id: KeyId, batch: RsaBatch) -> Result<Signer> {
        let (key, version) = self
            .context
            .storage
            .read(&OpeningKeys(()), move |tx| {
                Box::pin(async move {
                    let key = StoredKey::from_row(&load(tx, id).await?)?;
                    let version = tables::key_versions::one(tx, id.into(), key.current_version).await?;
                    Ok::<_, Error>((key, version))
                })
            })
            .await?;
        key.check_use(KeyUsage::Sign)?;
        let missing = || CustodyError::Destroyed(format!("key {id} has no current version").into());
        let version = version.ok_or_else(missing)?;
        self.context.custody.signer(&key.version(version), batch).await
    }
}

/// Only data keys have versions: a certificate names its one public key.
fn check_rotation(key: &StoredKey) -> Result<()> {
    if key.purpose != Purpose::Data {
        return Err(Error::state("The key belongs to a certificate; a new certificate brings a new key."));
    }
    if key.state == KeyState::Disabled {
        return Err(Error::state("The key is disabled."));
    }
    Ok(())
}

/// Usages without repetition, in the interface's order; each must be the type's.
fn check_usages(usages: &[KeyUsage], spec: KeySpec) -> Result<Vec<KeyUsage>> {
    let allowed = key_type::usages(spec);
    if let Some((index, usage)) = usages.iter().enumerate().find(|(_, usage)| !allowed.contains(usage)) {
        let allowed: Vec<_> = allowed.iter().map(|usage| usage.as_str()).collect();
        let message = format!("Keys of type {} allow {}, not {usage}.", key_type::name(spec), allowed.join(" and "));
        return Err(Error::value(format!("/usages/{index}"), message));
    }
    Ok(allowed.iter().copied().filter(|usage| usages.contains(usage)).collect())
}

/// Refuses one person who would stop an authority, a responder, a stamp or a service by its key.
fn check_data_key(key: &StoredKey, field: &str) -> Result<()> {
    if key.purpose == Purpose::Data {
        return Ok(());
    }
    let message = "The key of a certificate is kept from signing by two persons, as its certificate is revoked: \
        a session of a role with two logins and CertManage:Manage.";
    Err(forbidden_at(field, message))
}

fn takes_two_persons(field: &str) -> Error {
    let message = "To let a key do again what it was kept from takes two persons: a session of a role with two logins.";
    forbidden_at(field, message)
}

fn forbidden_at(field: &str, message: &'static str) -> Error {
    let refusal = Error::forbidden(message);
    if field.is_empty() { refusal } else { refusal.at(field) }
}

fn name_taken() -> Error {
    Error::exists("/name", "Another data key has this name.")
}

fn key_event(action: Action, id: KeyId) -> Event {
    Event::new(action).on(Uuid::from(id)).changes(Change::of(ChangeKind::Key, id))
}

async fn load(tx: &mut Tx, id: KeyId) -> Result<tables::keys::Row> {
    tables::keys::by_id(tx, id.into()).await?.ok_or_else(|| Error::not_found("key"))
}

async fn detail(tx: &mut Tx, id: KeyId) -> Result<Key> {
    let row = load(tx, id).await?;
    let versions = tables::key_versions::of_key(tx, id.into()).await?;
    Ok(StoredKey::from_row(&row)?.detail(&versions))
}

/// Writes a changed key. Whether its name is free was asked before; two who take it at the same time meet here.
async fn update(tx: &mut Tx, row: &tables::keys::Row) -> Result<()> {
    match tables::keys::update(tx, row).await {
        Err(StoreError::Conflict(_)) => Err(name_taken()),
        done => Ok(done?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::{Limits, testing::Installation};

    #[tokio::test]
    async fn nothing_is_signed_in_batches_in_hardened_mode_or_where_they_are_turned_off() {
        assert_eq!(Installation::new().await.chancery.keys.content_batch(), RsaBatch::Allowed);
        let hardened = Installation::new().await.hardened_node().await;
        assert_eq!(hardened.keys.content_batch(), RsaBatch::Never);
        for (rsa_group_max, expected) in [(1, RsaBatch::Never), (2, RsaBatch::Never), (3, RsaBatch::Allowed)] {
            let limits = Limits { rsa_group_max, ..Limits::default() };
            assert_eq!(
                Installation::with_limits(limits).await.chancery.keys.content_batch(),
                expected,
                "{rsa_group_max}"
            );
        }
    }
}
