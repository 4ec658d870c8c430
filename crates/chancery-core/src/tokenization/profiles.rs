//! The compiled profiles of this node: what calls look at instead of the store.

use std::{collections::HashMap, sync::Arc};

use arc_swap::{ArcSwap, Guard};
use chancery_store::{Tx, tables};
use chancery_types::{KeyId, TokenProfileId};
use foldhash::fast::RandomState;
use tracing::error;
use uuid::Uuid;

use super::profile::{KeyRows, OpenKeys, Profile, ProfileRows};
use crate::{Chancery, Error, Result};

/// A compiled profile, or `None` for one that does not compile: the log says why, and only its own calls fail.
type Compiled = Option<Arc<Profile>>;

/// All profiles by id. Ids are of our own making, so no hash that withstands floods is needed.
type ById = HashMap<TokenProfileId, Compiled, RandomState>;

/// All profiles. Readers never wait; a change replaces the map.
#[derive(Default)]
pub(crate) struct TokenProfiles(ArcSwap<ById>);

/// All profiles at one moment.
pub(crate) struct Snapshot(Guard<Arc<ById>>);

impl Snapshot {
    /// The profile with this id, ready for use.
    pub(crate) fn find(&self, id: TokenProfileId) -> Result<&Arc<Profile>> {
        match self.0.get(&id) {
            Some(Some(profile)) => Ok(profile),
            Some(None) => Err(Error::internal("the token profile could not be compiled when it was loaded")),
            None => Err(Error::not_found("token profile")),
        }
    }
}

impl TokenProfiles {
    /// The profile with this id, ready for use.
    pub(crate) fn find(&self, id: TokenProfileId) -> Result<Arc<Profile>> {
        self.now().find(id).cloned()
    }

    /// All of them. For calls of which there are very many: who borrows a profile does not count as one of its users,
    /// whom the cores would have to count together.
    pub(crate) fn now(&self) -> Snapshot {
        Snapshot(self.0.load())
    }

    /// The profiles that a key backs.
    fn of_key(&self, key: KeyId) -> Vec<TokenProfileId> {
        let profiles = self.0.load();
        profiles.values().flatten().filter(|profile| profile.key == key).map(|profile| profile.id).collect()
    }

    /// Replaces or removes some profiles. Changes are applied one after the other, so nothing is lost in between.
    fn replace(&self, changed: Vec<(TokenProfileId, Option<Compiled>)>) {
        let mut profiles = HashMap::clone(&self.0.load());
        for (id, compiled) in changed {
            match compiled {
                Some(compiled) => profiles.insert(id, compiled),
                None => profiles.remove(&id),
            };
        }
        self.0.store(Arc::new(profiles));
    }
}

impl Chancery {
    /// Loads all token profiles.
    pub(crate) async fn load_token_profiles(&self) -> Result<()> {
        let rows = self.store.read(|tx| Box::pin(all_rows(tx))).await?;
        let mut keys = OpenKeys::default();
        let profiles = rows.iter().map(|rows| (rows.id(), self.compile_token_profile(rows, &mut keys))).collect();
        self.token_profiles.0.store(Arc::new(profiles));
        Ok(())
    }

    /// Brings one profile up to date with the store, or all of them.
    pub(crate) async fn reload_token_profile(&self, id: Option<TokenProfileId>) -> Result<()> {
        match id {
            Some(id) => self.reload_some(vec![id]).await,
            None => self.load_token_profiles().await,
        }
    }

    /// Brings the profiles that a key backs up to date with the store, or all of them.
    pub(crate) async fn reload_token_profiles_of(&self, key: Option<KeyId>) -> Result<()> {
        match key {
            Some(key) => self.reload_some(self.token_profiles.of_key(key)).await,
            None => self.load_token_profiles().await,
        }
    }

    async fn reload_some(&self, ids: Vec<TokenProfileId>) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let rows = self.store.read(move |tx| Box::pin(rows_of(tx, ids))).await?;
        let mut keys = OpenKeys::default();
        let mut compile = |rows: ProfileRows| self.compile_token_profile(&rows, &mut keys);
        let compiled = rows.into_iter().map(|(id, rows)| (id, rows.map(&mut compile)));
        self.token_profiles.replace(compiled.collect());
        Ok(())
    }

    fn compile_token_profile(&self, rows: &ProfileRows, keys: &mut OpenKeys) -> Compiled {
        match Profile::compile(rows, &self.custodian, keys, &self.limits) {
            Ok(profile) => Some(Arc::new(profile)),
            Err(failure) => {
                let profile = rows.id();
                error!(%profile, error = &failure as &dyn std::error::Error, "a token profile cannot be used");
                None
            }
        }
    }
}

async fn all_rows(tx: &mut Tx) -> Result<Vec<ProfileRows>> {
    let (mut all, mut keys) = (Vec::new(), KeyRows::default());
    for row in tables::token_profiles::all(tx).await? {
        all.push(ProfileRows::load(tx, row, &mut keys).await?);
    }
    Ok(all)
}

async fn rows_of(tx: &mut Tx, ids: Vec<TokenProfileId>) -> Result<Vec<(TokenProfileId, Option<ProfileRows>)>> {
    let (mut some, mut keys) = (Vec::new(), KeyRows::default());
    for id in ids {
        let row = tables::token_profiles::by_id(tx, Uuid::from(id)).await?;
        some.push((
            id,
            match row {
                Some(row) => Some(ProfileRows::load(tx, row, &mut keys).await?),
                None => None,
            },
        ));
    }
    Ok(some)
}
