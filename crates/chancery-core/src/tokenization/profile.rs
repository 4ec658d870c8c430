//! A token profile compiled for use: everything that a call needs, with no look at the store.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use chancery_keys::{Custodian, DataKey, KeyRef, SealedKey};
use chancery_store::{Tx, tables};
use chancery_types::{
    Durability, KeyId, KeyState, KeyUsage, RoleId, TokenAlgorithm, TokenProfileId,
    wire::token_profiles::{ControlRule, GrantRules},
};
use uuid::Uuid;

use super::{
    engine::{Engine, IvKind, TokenSource, cipher, one_way},
    mask::Reveals,
    shared::Shared,
    spec::ProfileSpec,
    vault::Vault,
    versions::Versions,
};
use crate::{
    Error, Limits, Result,
    context::up_to_date::{DetokenizesNow, TokenizesNow},
    keys::StoredKey,
    tokenization::rules::{Call, DetokenizeGrant, KeyStanding, MayAsk, TokenRules, TokenizeGrant, Unpaid},
};

/// A compiled profile.
pub(crate) struct Profile {
    pub(crate) id: TokenProfileId,
    pub(crate) name: String,
    /// As people wrote them, for reports.
    pub(crate) control_rules: Vec<ControlRule>,
    /// The stored version that this was compiled from.
    pub(crate) version: i64,
    /// Which initialization vectors are drawn, if any.
    pub(crate) iv: Option<IvKind>,
    pub(crate) tokens: TokenSource,
    pub(crate) key: KeyId,
    /// The profile whose tokens it makes: itself, or the one that it shares them with.
    pub(crate) domain: TokenProfileId,
    /// Whether it had another key, or made and read others' tokens, before.
    pub(crate) has_moved: bool,
    rules: TokenRules,
    standing: KeyStanding,
    /// Whether calls wait until their record is on the disk.
    pub(crate) is_durable: bool,
    /// Whether the store knows that tokens were made with the key version that makes them now.
    used: AtomicBool,
}

/// The rows that a profile is compiled from, read in one transaction.
pub(crate) struct ProfileRows {
    profile: tables::token_profiles::Row,
    key: Arc<tables::keys::Row>,
    /// From the oldest to the newest that is read.
    versions: Vec<Arc<tables::key_versions::Row>>,
    /// What it and the profiles that share its tokens show of them.
    together: Reveals,
}

/// Keys and versions that were read already: many profiles share one.
pub(crate) struct KeyRows {
    keys: HashMap<Uuid, Arc<tables::keys::Row>>,
    versions: HashMap<(Uuid, u32), Arc<tables::key_versions::Row>>,
    /// How many a profile reads at most.
    versions_max: u32,
}

impl ProfileRows {
    /// Reads what belongs to a profile.
    pub(super) async fn load(
        tx: &mut Tx,
        profile: tables::token_profiles::Row,
        known: &mut KeyRows,
        shared: &Shared,
    ) -> Result<Self> {
        let key = known.key(tx, profile.key_id).await?;
        // A profile that shares the vault may seal its rows under a newer one, and be gone afterwards.
        let is_vaulted = profile.algorithm == TokenAlgorithm::Random.as_str();
        let last = profile.min_decrypt_version.saturating_add(known.versions_max.saturating_sub(1));
        let newest = if is_vaulted { key.current_version.min(last) } else { 0 };
        let newest = newest.max(profile.key_version);
        let mut versions = Vec::new();
        for version in profile.min_decrypt_version..=newest {
            versions.push(known.version(tx, profile.key_id, version).await?);
        }
        Ok(Self { together: shared.with(&profile), profile, key, versions })
    }

    pub(crate) fn id(&self) -> TokenProfileId {
        self.profile.id.into()
    }
}

impl KeyRows {
    pub(super) fn new(versions_max: u32) -> Self {
        Self { keys: HashMap::new(), versions: HashMap::new(), versions_max }
    }

    async fn key(&mut self, tx: &mut Tx, id: Uuid) -> Result<Arc<tables::keys::Row>> {
        if let Some(row) = self.keys.get(&id) {
            return Ok(Arc::clone(row));
        }
        let row = Arc::new(tables::keys::by_id(tx, id).await?.ok_or_else(missing_key)?);
        self.keys.insert(id, Arc::clone(&row));
        Ok(row)
    }

    async fn version(&mut self, tx: &mut Tx, id: Uuid, version: u32) -> Result<Arc<tables::key_versions::Row>> {
        if let Some(row) = self.versions.get(&(id, version)) {
            return Ok(Arc::clone(row));
        }
        let row = Arc::new(tables::key_versions::one(tx, id, version).await?.ok_or_else(missing_key)?);
        self.versions.insert((id, version), Arc::clone(&row));
        Ok(row)
    }
}

/// Keys that were opened already for other profiles that are compiled together: what is prepared of them is shared.
#[derive(Default)]
pub(crate) struct OpenKeys(HashMap<KeyRef, Arc<DataKey>>);

impl OpenKeys {
    fn open(&mut self, custodian: &Custodian, sealed: &SealedKey) -> Result<Arc<DataKey>> {
        if let Some(key) = self.0.get(sealed.key()) {
            return Ok(Arc::clone(key));
        }
        let key = Arc::new(custodian.open_data_key(sealed)?);
        self.0.insert(*sealed.key(), Arc::clone(&key));
        Ok(key)
    }
}

fn missing_key() -> Error {
    Error::internal("the key of a stored token profile is missing")
}

impl Profile {
    /// Compiles the rules and opens the key's versions.
    pub(crate) fn compile(
        rows: &ProfileRows,
        custodian: &Custodian,
        opened: &mut OpenKeys,
        limits: &Limits,
    ) -> Result<Self> {
        let ProfileRows { profile, key, versions, together } = rows;
        let (id, spec, stored_key) = (rows.id(), ProfileSpec::from_row(profile)?, StoredKey::from_row(key)?);
        let (shape, rules) = spec.compile(limits)?;
        let open = |row: &Arc<_>| opened.open(custodian, &stored_key.sealed(row)?);
        let keys = Versions::new(spec.min_decrypt_version, versions.iter().map(open).collect::<Result<_>>()?)?;
        let keys = keys.made_with(spec.key_version)?;
        let tokens = if spec.algorithm == TokenAlgorithm::Random {
            let kept = (spec.deterministic == Some(true), spec.life()?);
            let vault = Vault::new(shape, spec.domain(id), (spec.key, &keys), kept, custodian)?;
            TokenSource::Vault(Arc::new(vault))
        } else {
            TokenSource::Cipher(cipher(spec.algorithm, shape, spec.domain(id), &keys)?)
        };
        Ok(Self {
            id,
            name: profile.name.clone(),
            version: profile.version,
            iv: spec.iv_kind(),
            tokens,
            key: spec.key,
            domain: spec.domain(id),
            has_moved: profile.moves.is_some(),
            control_rules: spec.control_rules,
            rules: rules.beside(*together),
            standing: KeyStanding {
                tokenize: stored_key.usages.contains(&KeyUsage::Tokenize),
                detokenize: stored_key.usages.contains(&KeyUsage::Detokenize),
                enabled: stored_key.state == KeyState::Enabled,
            },
            is_durable: spec.durability == Durability::Durable,
            used: AtomicBool::new(profile.used && profile.last_key_version == Some(profile.key_version)),
        })
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        self.tokens.engine()
    }

    /// Whether a caller with these roles may tokenize now.
    pub(crate) fn may_tokenize(
        &self,
        _now: &TokenizesNow,
        roles: &[RoleId],
        call: Call,
    ) -> Result<Unpaid<TokenizeGrant>> {
        self.rules.tokenize(roles, call, self.standing)
    }

    /// Whether, and how far, a caller with these roles may detokenize now.
    pub(crate) fn may_detokenize(
        &self,
        _now: &DetokenizesNow,
        roles: &[RoleId],
        call: Call,
    ) -> Result<Unpaid<DetokenizeGrant>> {
        if self.engine().is_one_way() {
            return Err(one_way());
        }
        self.rules.detokenize(roles, call, self.standing)
    }

    /// Whether a caller with these roles may detokenize in full now, under a grant to one of them.
    pub(crate) fn may_detokenize_by_grant(
        &self,
        _now: &DetokenizesNow,
        roles: &[RoleId],
        role: RoleId,
        call: Call,
    ) -> Result<Unpaid<DetokenizeGrant>> {
        if self.engine().is_one_way() {
            return Err(one_way());
        }
        self.rules.detokenize_by_grant(roles, role, call, self.standing)
    }

    /// For which role a caller asks for approvals, and what they take.
    pub(crate) fn may_ask(&self, roles: &[RoleId], named: Option<RoleId>) -> Result<(RoleId, &GrantRules, MayAsk)> {
        self.rules.may_ask(roles, named)
    }

    /// Whether any of its rules is about what these roles detokenize by such a call, though it be refused.
    pub(crate) fn has_detokenize_rule(&self, roles: &[RoleId], call: Call) -> bool {
        !self.engine().is_one_way() && self.rules.has_detokenize_rule(roles, call)
    }

    /// Whether the store knows that tokens were made with the key version that makes them now.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// The store knows from now on.
    pub(crate) fn set_used(&self) {
        self.used.store(true, Ordering::Relaxed);
    }
}
