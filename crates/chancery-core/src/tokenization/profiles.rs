//! The compiled profiles of this node: what calls look at instead of the store.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use arc_swap::{ArcSwap, Guard};
use chancery_store::{Tx, tables};
use chancery_types::{KeyId, TokenProfileId};
use foldhash::fast::RandomState;
use uuid::Uuid;

use super::{
    profile::{KeyRows, OpenKeys, Profile, ProfileRows},
    shared::Shared,
};
use crate::{
    Error, Result, Tokens,
    context::{
        changes::{Change, ChangeKind},
        quarantine::{Object, closed, is_lasting},
        storage::MayRead,
    },
};

/// A compiled profile, or `None` for one that cannot be read or does not compile: only its own calls fail.
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
            Some(None) => Err(closed()),
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

    /// All that are in use, by name.
    pub(crate) fn all(&self) -> Vec<Arc<Profile>> {
        let mut all: Vec<_> = self.0.load().values().flatten().cloned().collect();
        all.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
        all
    }

    /// Takes a profile that cannot be read out of use.
    pub(crate) fn close(&self, id: TokenProfileId) {
        self.replace(vec![(id, Some(None))]);
    }

    /// The profiles that a key backs.
    fn of_key(&self, key: KeyId) -> Vec<TokenProfileId> {
        let profiles = self.0.load();
        profiles.values().flatten().filter(|profile| profile.key == key).map(|profile| profile.id).collect()
    }

    /// The key and the domain of a profile's tokens, where it is in use.
    fn tokens_of(&self, id: TokenProfileId) -> Option<(KeyId, TokenProfileId)> {
        let profiles = self.0.load();
        profiles.get(&id).and_then(Option::as_ref).map(|profile| (profile.key, profile.domain))
    }

    /// The profiles that are known never to have made or read a token of this one. Of one that was deleted, or cannot be read,
    /// nobody knows which tokens it had, nor of one that had others before.
    pub(crate) fn with_other_tokens(&self, id: TokenProfileId) -> HashSet<TokenProfileId> {
        let profiles = self.0.load();
        let Some(asked) = profiles.get(&id).and_then(Option::as_ref).filter(|asked| !asked.has_moved) else {
            return HashSet::new();
        };
        let is_other = |profile: &&Arc<Profile>| {
            profile.id != id && !profile.has_moved && (profile.key, profile.domain) != (asked.key, asked.domain)
        };
        profiles.values().flatten().filter(is_other).map(|profile| profile.id).collect()
    }

    /// The other profiles whose tokens are one of these.
    fn sharing(&self, id: TokenProfileId, tokens: [Option<(KeyId, TokenProfileId)>; 2]) -> Vec<TokenProfileId> {
        let profiles = self.0.load();
        let shares =
            |profile: &&Arc<Profile>| profile.id != id && tokens.contains(&Some((profile.key, profile.domain)));
        profiles.values().flatten().filter(shares).map(|profile| profile.id).collect()
    }

    /// The profiles that are not among these.
    fn others_than(&self, ids: &HashSet<TokenProfileId>) -> Vec<TokenProfileId> {
        self.0.load().keys().copied().filter(|id| !ids.contains(id)).collect()
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

impl Tokens {
    /// Loads all token profiles: at once, or one after the other where that fails because of one of them.
    pub(crate) async fn load_token_profiles(&self, by: &impl MayRead) -> Result<()> {
        let versions_max = self.context.limits.profile_versions_max;
        let rows = match self.context.storage.read(by, move |tx| Box::pin(all_rows(tx, versions_max))).await {
            Err(failure) if is_lasting(&failure) => return self.load_profiles_one_by_one(by).await,
            rows => rows?,
        };
        let mut keys = OpenKeys::default();
        let profiles = rows.iter().map(|rows| (rows.id(), self.compile_token_profile(rows, &mut keys))).collect();
        self.token_profiles.0.store(Arc::new(profiles));
        Ok(())
    }

    async fn load_profiles_one_by_one(&self, by: &impl MayRead) -> Result<()> {
        let ids = self
            .context
            .storage
            .read(by, |tx| Box::pin(async move { Ok::<_, Error>(tables::token_profiles::ids(tx).await?) }));
        let stored: Vec<TokenProfileId> =
            self.context.quarantine.ids(ChangeKind::TokenProfile, ids.await?).into_iter().map(Into::into).collect();
        let gone = self.token_profiles.others_than(&stored.iter().copied().collect());
        self.reload_one_by_one(by, stored).await?;
        self.token_profiles.replace(gone.into_iter().map(|id| (id, None)).collect());
        Ok(())
    }

    /// Brings one profile up to date with the store, or all of them.
    pub(crate) async fn reload_token_profile(&self, by: &impl MayRead, id: Option<TokenProfileId>) -> Result<()> {
        match id {
            Some(id) => {
                // Those that share its tokens, before or after, show less or more of them now.
                let before = self.token_profiles.tokens_of(id);
                self.reload_some(by, vec![id]).await?;
                let tokens = [before, self.token_profiles.tokens_of(id)];
                self.reload_some(by, self.token_profiles.sharing(id, tokens)).await
            }
            None => self.load_token_profiles(by).await,
        }
    }

    /// Brings the profiles that a key backs up to date with the store, or all of them.
    pub(crate) async fn reload_token_profiles_of(&self, by: &impl MayRead, key: Option<KeyId>) -> Result<()> {
        match key {
            Some(key) => self.reload_some(by, self.token_profiles.of_key(key)).await,
            None => self.load_token_profiles(by).await,
        }
    }

    async fn reload_some(&self, by: &impl MayRead, ids: Vec<TokenProfileId>) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let (named, versions_max) = (ids.clone(), self.context.limits.profile_versions_max);
        let rows = match self.context.storage.read(by, move |tx| Box::pin(rows_of(tx, named, versions_max))).await {
            Err(failure) if is_lasting(&failure) => return self.reload_one_by_one(by, ids).await,
            rows => rows?,
        };
        self.take_in(rows);
        Ok(())
    }

    async fn reload_one_by_one(&self, by: &impl MayRead, ids: Vec<TokenProfileId>) -> Result<()> {
        let versions_max = self.context.limits.profile_versions_max;
        for id in ids {
            let rows = self.context.storage.read(by, move |tx| Box::pin(rows_of(tx, vec![id], versions_max))).await;
            match self.context.quarantine.sort_out(object(id), rows)? {
                Some(rows) => self.take_in(rows),
                None => self.token_profiles.close(id),
            }
        }
        Ok(())
    }

    fn take_in(&self, rows: Vec<(TokenProfileId, Option<ProfileRows>)>) {
        let mut keys = OpenKeys::default();
        let mut compile = |rows: ProfileRows| self.compile_token_profile(&rows, &mut keys);
        let compiled = rows.into_iter().map(|(id, rows)| {
            if rows.is_none() {
                self.context.quarantine.lift(object(id));
            }
            (id, rows.map(&mut compile))
        });
        self.token_profiles.replace(compiled.collect());
    }

    fn compile_token_profile(&self, rows: &ProfileRows, keys: &mut OpenKeys) -> Compiled {
        let id = object(rows.id());
        match Profile::compile(rows, &self.context.custodian, keys, &self.context.limits) {
            Ok(profile) => {
                self.context.quarantine.lift(id);
                Some(Arc::new(profile))
            }
            Err(failure) => {
                self.context.quarantine.put(id, &failure);
                None
            }
        }
    }
}

/// What a profile is in quarantine as.
fn object(id: TokenProfileId) -> Object {
    Change::of(ChangeKind::TokenProfile, id).object()
}

async fn all_rows(tx: &mut Tx, versions_max: u32) -> Result<Vec<ProfileRows>> {
    let (mut all, mut keys) = (Vec::new(), KeyRows::new(versions_max));
    let rows = tables::token_profiles::all(tx).await?;
    let shared = Shared::of(&rows);
    for row in rows {
        all.push(ProfileRows::load(tx, row, &mut keys, &shared).await?);
    }
    Ok(all)
}

async fn rows_of(
    tx: &mut Tx,
    ids: Vec<TokenProfileId>,
    versions_max: u32,
) -> Result<Vec<(TokenProfileId, Option<ProfileRows>)>> {
    let (mut some, mut keys, mut shared) = (Vec::new(), KeyRows::new(versions_max), Shared::default());
    for id in ids {
        let row = tables::token_profiles::by_id(tx, Uuid::from(id)).await?;
        some.push((
            id,
            match row {
                Some(row) => {
                    shared.read(tx, &row).await?;
                    Some(ProfileRows::load(tx, row, &mut keys, &shared).await?)
                }
                None => None,
            },
        ));
    }
    Ok(some)
}
