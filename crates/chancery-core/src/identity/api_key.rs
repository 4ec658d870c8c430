//! API keys, compiled: which secrets they have, from where and until when each may be used, and for what.

use std::{collections::HashMap, sync::Arc};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::is_same_hash;
use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    ApiKeyId, IdentityId,
    wire::{
        api_keys::{API_KEY_LEN, ApiKeyScope},
        audit::AuditApiKey,
    },
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{Error, Identities, Network, Result, base::sharded::Sharded, context::terms::Terms};

/// What tells a key from a bearer token, which is a JWT and begins with `eyJ`.
const PREFIX: &str = "chk_";

/// What the key is called that an application gets when it is made, where nobody says otherwise.
pub(super) const FIRST_NAME: &str = "first key";

/// The keyed hash of a secret.
pub(super) type KeyHash = [u8; 32];

/// A new secret: nobody guesses 32 random bytes, so a keyed hash is enough to keep.
pub(super) fn new_secret() -> Zeroizing<String> {
    let random = Zeroizing::new(chancery_keys::random::<32>());
    Zeroizing::new(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(*random)))
}

/// Whether a bearer is an API key, or would be one.
pub(super) fn is_one(bearer: &str) -> bool {
    bearer.starts_with(PREFIX)
}

impl Identities {
    /// What of an API key is kept. Those of a release that knew one key for each identity have no prefix, and hashes of
    /// another kind.
    pub(super) fn api_key_hash(&self, api_key: &str) -> KeyHash {
        if is_one(api_key) {
            self.context.custodian.api_key_hash(api_key.as_bytes())
        } else {
            self.context.custodian.keyed_hash("api key", api_key.as_bytes())
        }
    }
}

/// What a key's row says in JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Content {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) networks: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scope: Option<ApiKeyScope>,
    /// When somebody else last made a secret of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) given_at_ms: Option<i64>,
}

impl Content {
    pub(super) fn of(row: &tables::api_keys::Row) -> Result<Self> {
        serde_json::from_str(&row.content).map_err(Error::internal)
    }

    pub(super) fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

/// One key.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) id: ApiKeyId,
    pub(super) identity: IdentityId,
    pub(super) name: String,
    /// Which secret is the present one.
    version: u32,
    hash: KeyHash,
    /// The secret of before, and until when it goes on.
    previous: Option<(KeyHash, i64)>,
    /// When it was made, or somebody else last made a secret of it.
    trusted_since: i64,
    expires_at: Option<i64>,
    networks: Vec<Network>,
    scope: Option<ApiKeyScope>,
}

impl Key {
    pub(super) fn of(row: &tables::api_keys::Row) -> Result<Self> {
        let Content { networks, scope, given_at_ms } = Content::of(row)?;
        let hash = |hash: &[u8]| hash.try_into().map_err(Error::internal);
        let previous = match (&row.previous_hash, row.previous_until_ms) {
            (Some(previous), Some(until)) => Some((hash(previous)?, until)),
            (Some(_) | None, _) => None,
        };
        Ok(Self {
            id: row.id.into(),
            identity: row.identity_id.into(),
            name: row.name.clone(),
            version: row.version,
            hash: hash(&row.key_hash)?,
            previous,
            trusted_since: given_at_ms.unwrap_or(row.created_at_ms),
            expires_at: row.expires_at_ms,
            networks: networks.iter().map(|network| network.parse().map_err(Error::internal)).collect::<Result<_>>()?,
            scope,
        })
    }

    /// Which of its secrets has this hash.
    pub(super) fn version_of(&self, hash: &KeyHash) -> Option<u32> {
        let is_previous = self.previous.is_some_and(|(previous, _)| is_same_hash(&previous, hash));
        match is_same_hash(&self.hash, hash) {
            true => Some(self.version),
            false => is_previous.then(|| self.version.saturating_sub(1)),
        }
    }

    /// The hashes of its secrets.
    fn hashes(&self) -> impl Iterator<Item = KeyHash> {
        [Some(self.hash), self.previous.map(|(hash, _)| hash)].into_iter().flatten()
    }

    /// What one of its secrets may be used for; none where there is no such secret any more.
    pub(super) fn terms(&self, version: u32) -> Option<Terms> {
        let secret_ends_at = if version == self.version {
            i64::MAX
        } else {
            self.previous.filter(|_| version.checked_add(1) == Some(self.version))?.1
        };
        Some(Terms {
            id: self.id,
            version,
            trusted_since: self.trusted_since,
            ends_at: self.expires_at.unwrap_or(i64::MAX).min(secret_ends_at),
            networks: self.networks.clone(),
            scope: self.scope.clone(),
        })
    }

    /// As audit records name one of its secrets.
    pub(super) fn recorded(&self, version: u32) -> AuditApiKey {
        AuditApiKey { uuid: self.id, name: self.name.clone(), version }
    }
}

/// All keys, found by the hashes of their secrets.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    of: HashMap<IdentityId, Vec<Arc<Key>>>,
    /// By the first half of the hash; the whole is compared in constant time.
    by_hash: HashMap<[u8; 16], Arc<Key>>,
}

impl Keys {
    pub(super) fn set(&mut self, identity: IdentityId, keys: Vec<Key>) {
        for key in self.of.remove(&identity).unwrap_or_default() {
            key.hashes().for_each(|hash| drop(self.by_hash.remove(&first_half(&hash))));
        }
        let keys: Vec<_> = keys.into_iter().map(Arc::new).collect();
        for key in &keys {
            key.hashes().for_each(|hash| drop(self.by_hash.insert(first_half(&hash), Arc::clone(key))));
        }
        if !keys.is_empty() {
            self.of.insert(identity, keys);
        }
    }

    /// The key of an identity.
    pub(super) fn find(&self, identity: IdentityId, id: ApiKeyId) -> Option<&Key> {
        self.of.get(&identity)?.iter().find(|key| key.id == id).map(|key| &**key)
    }

    /// The key with this secret, and which of its secrets that is.
    pub(super) fn by_hash(&self, hash: &KeyHash) -> Option<(&Key, u32)> {
        let key = self.by_hash.get(&first_half(hash))?;
        Some((key, key.version_of(hash)?))
    }
}

fn first_half(hash: &KeyHash) -> [u8; 16] {
    *hash.first_chunk().expect("16 of 32 bytes")
}

/// The keys of an identity, as they are stored.
pub(super) async fn read(tx: &mut Tx, identity: IdentityId) -> Result<Vec<Key>> {
    tables::api_keys::of_identity(tx, identity.into()).await?.iter().map(Key::of).collect()
}

/// The row of a key that nobody described.
fn first(identity: Uuid, hash: &[u8], now: i64) -> Result<tables::api_keys::Row> {
    Ok(tables::api_keys::Row {
        id: ApiKeyId::from_random(chancery_keys::random()).into(),
        identity_id: identity,
        name: FIRST_NAME.to_owned(),
        name_key: name_key(FIRST_NAME),
        key_hash: hash.to_vec(),
        version: 1,
        created_at_ms: now,
        rotated_at_ms: None,
        expires_at_ms: None,
        previous_hash: None,
        previous_until_ms: None,
        content: Content::default().to_json()?,
    })
}

/// Makes rows of the keys that a former release kept with the identities.
pub(super) async fn take_over(tx: &mut Tx, now: i64) -> Result<()> {
    for identity in tables::identities::with_api_key(tx).await? {
        let taken = match tables::identities::take_api_key(tx, identity).await {
            // Nobody acts in its name until it is restored, and the next start looks again.
            Err(chancery_store::StoreError::Unauthentic(_)) => continue,
            taken => taken?,
        };
        if let Some(hash) = taken {
            // One of the name was taken over before, and somebody put the older row back: it adds nothing.
            tables::api_keys::insert_if_new(tx, &first(identity, &hash, now)?).await?;
        }
    }
    Ok(())
}

/// When secrets were last used on this node, since that was last written down.
#[derive(Debug, Default)]
pub(super) struct Uses(Sharded<HashMap<(ApiKeyId, u32), i64>>);

/// Uses nearer to each other than this are not told apart.
const USE_STEP_MS: i64 = 1_000;

impl Uses {
    pub(super) fn note(&self, terms: &Terms, now: i64) {
        let mut own = self.0.own();
        let used_at = own.entry((terms.id, terms.version)).or_insert(now);
        if now.saturating_sub(*used_at) >= USE_STEP_MS {
            *used_at = now;
        }
    }

    /// The last use that is not written down.
    pub(super) fn last(&self, id: ApiKeyId, version: u32) -> Option<i64> {
        self.0.all().filter_map(|uses| uses.get(&(id, version)).copied()).max()
    }

    /// Takes all of them out, to be written down.
    pub(super) fn take(&self) -> Vec<tables::api_key_uses::Row> {
        let mut all: HashMap<(ApiKeyId, u32), i64> = HashMap::new();
        for mut uses in self.0.all() {
            for (key, used_at) in uses.drain() {
                all.entry(key).and_modify(|last| *last = used_at.max(*last)).or_insert(used_at);
            }
        }
        let mut rows: Vec<_> = all
            .into_iter()
            .map(|((id, version), used_at_ms)| tables::api_key_uses::Row { key_id: id.into(), version, used_at_ms })
            .collect();
        // In one order on all nodes, so that no two of them wait for each other.
        rows.sort_unstable_by_key(|row| (row.key_id, row.version));
        rows
    }

    /// Puts back what could not be written down.
    pub(super) fn put_back(&self, rows: &[tables::api_key_uses::Row]) {
        let mut own = self.0.own();
        for row in rows {
            let used_at = own.entry((row.key_id.into(), row.version)).or_insert(row.used_at_ms);
            *used_at = row.used_at_ms.max(*used_at);
        }
    }
}

/// Whether this can be a key at all: others are refused unseen.
pub(super) fn has_its_length(bearer: &str) -> bool {
    bearer.len() == API_KEY_LEN
}

#[cfg(test)]
mod tests {
    use chancery_types::{
        Action, AuthType, IdentityKind, RoleId,
        wire::login::{AuthCredentials, LoginRequest},
    };

    use super::*;
    use crate::context::terms::RefusedKey;
    use crate::{
        Credentials, Event, Host, Meaning,
        testing::{Installation, request, visitor},
    };
    use std::net::IpAddr;

    fn source(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn key() -> Key {
        Key {
            id: ApiKeyId::from_u128(1),
            identity: IdentityId::from_u128(2),
            name: "a".to_owned(),
            version: 3,
            hash: [3; 32],
            previous: Some(([2; 32], 500)),
            trusted_since: 0,
            expires_at: Some(1_000),
            networks: vec!["10.0.0.0/8".parse().unwrap()],
            scope: None,
        }
    }

    #[test]
    fn a_secret_ends_with_its_key_or_after_its_rotation() {
        let key = key();
        let (inside, outside) = (source("::ffff:10.9.9.9"), source("192.0.2.1"));
        let check = |version, source, now| key.terms(version).map(|terms| terms.check(source, now));
        assert_eq!(check(3, inside, 999), Some(Ok(())));
        assert_eq!(check(3, inside, 1_000), Some(Err(RefusedKey::Expired)));
        assert_eq!(check(3, outside, 999), Some(Err(RefusedKey::Network)));
        assert_eq!(check(2, inside, 499), Some(Ok(())));
        assert_eq!(check(2, inside, 500), Some(Err(RefusedKey::Expired)));
        for version in [0, 1, 4, u32::MAX] {
            assert_eq!(check(version, inside, 0), None, "{version}");
        }
    }

    #[test]
    fn keys_are_found_by_their_hashes_and_gone_when_they_are_replaced() {
        let (mut keys, identity) = (Keys::default(), IdentityId::from_u128(2));
        keys.set(identity, vec![key()]);
        let version = |keys: &Keys, hash: [u8; 32]| keys.by_hash(&hash).map(|(_, version)| version);
        let mut alike = [3; 32];
        alike[31] = 4;
        let found = [[3; 32], [2; 32], [1; 32], alike].map(|hash| version(&keys, hash));
        assert_eq!(found, [Some(3), Some(2), None, None], "the half by which it is found is not enough");
        keys.set(identity, vec![Key { previous: None, ..key() }]);
        assert_eq!([[3; 32], [2; 32]].map(|hash| version(&keys, hash)), [Some(3), None]);
        keys.set(identity, Vec::new());
        assert_eq!(version(&keys, [3; 32]), None);
        assert!(keys.of.is_empty() && keys.by_hash.is_empty());
    }

    #[test]
    fn uses_are_taken_once_and_put_back() {
        let (uses, terms) = (Uses::default(), key().terms(3).unwrap());
        for now in [10_000, 10_500, 12_000] {
            uses.note(&terms, now);
        }
        let taken = uses.take();
        assert_eq!(taken.iter().map(|row| (row.version, row.used_at_ms)).collect::<Vec<_>>(), [(3, 12_000)]);
        assert!(uses.take().is_empty());
        uses.put_back(&taken);
        assert_eq!(uses.last(terms.id, 3), Some(12_000));
    }

    /// A key of a release that kept one with each identity logs in, once that is a row of its own.
    #[tokio::test]
    async fn a_key_of_a_former_release_is_the_first() {
        let installation = Installation::new().await;
        let chancery = &installation.chancery;
        let (id, secret) = (Uuid::from_u128(7), "2vQkq0bW1b1D1cQ0x2m8q1m7E1n5r3q9p0a8s7d6f5g");
        let row = tables::identities::Row {
            api_key_hash: Some(chancery.identities.api_key_hash(secret).to_vec()),
            ..tables::identities::Row::new(id, "till".to_owned(), IdentityKind::Application.as_str(), 0)
        };
        let role =
            tables::identity_roles::Row { identity_id: id, role_id: RoleId::APPLICATION.into(), assigned_at_ms: 0 };
        let host = Host::running("test");
        let before = chancery.commit(&host, Event::new(Action::IdentityUnlock), move |tx| {
            Box::pin(async move {
                tables::identities::insert(tx, &row).await?;
                Ok(tables::identity_roles::insert(tx, &role).await?)
            })
        });
        before.await.unwrap();
        let by_key = || LoginRequest {
            auth_credentials: AuthCredentials { api_key: Some(secret.to_owned()), ..AuthCredentials::default() },
            auth_type: AuthType::Apikey,
        };
        for _ in 0..2 {
            let node = installation.other_node().await;
            assert!(node.identities.log_in(&visitor(), None, by_key()).await.unwrap().answer.response.fully_logged_in);
            let bearer = node.identities.authenticate(request(), Credentials::Bearer(secret.into())).await;
            assert_eq!(bearer.unwrap_err().meaning(), Meaning::Unauthenticated, "nothing tells it from a bad token");
            let keys = node.identities.api_keys(&installation.administrators().await, id.into()).await.unwrap().results;
            assert_eq!(keys.iter().map(|key| key.obj_info.name.as_str()).collect::<Vec<_>>(), [FIRST_NAME]);
        }
    }
}
