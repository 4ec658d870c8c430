//! What a token profile shall be: as create and PATCH say it, checked as far as it can be without looking at the store.

use chancery_types::{
    Durability, KeyId, TokenAlgorithm, TokenProfileId,
    wire::{
        ObjInfo,
        token_profiles::{ControlRule, CreateTokenProfile, PatchName, PatchTokenProfile, TokenFormat, TokenProfile},
        x509::ValidityPeriod,
    },
};
use chancery_x509::validity::Period;

use super::{
    advisor::{self, Case},
    engine::IvKind,
    key_move::Made,
    mask::Reveals,
    shape::{Shape, new_format, patched_format, takes_text},
    vault,
};
use crate::{
    Error, Limits, Result,
    base::text::{check_name, check_renamed, check_stored_name},
    tokenization::rules::{TokenRules, check_masks},
};

/// A token profile in the interface's words, without its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProfileSpec {
    pub(crate) name: String,
    pub(crate) algorithm: TokenAlgorithm,
    pub(crate) key: KeyId,
    pub(crate) key_version: u32,
    pub(crate) min_decrypt_version: u32,
    pub(crate) tweak_domain: Option<TokenProfileId>,
    pub(crate) format: TokenFormat,
    pub(crate) use_iv: bool,
    pub(crate) deterministic: Option<bool>,
    pub(crate) time_to_live: Option<ValidityPeriod>,
    pub(crate) durability: Durability,
    pub(crate) control_rules: Vec<ControlRule>,
}

impl ProfileSpec {
    /// What `create` asks for. `newest` is the version of the key that is taken where none is named.
    pub(crate) fn new(request: CreateTokenProfile, newest: u32, limits: &Limits) -> Result<Self> {
        let CreateTokenProfile {
            obj_info,
            algorithm,
            key_uuid,
            key_version,
            min_decrypt_version,
            tweak_domain,
            format,
            use_iv,
            deterministic,
            time_to_live,
            durability,
            control_rules,
        } = request;
        check_name("/objInfo/name", &obj_info.name, limits)?;
        let key_version = key_version.unwrap_or(newest);
        Ok(Self {
            name: obj_info.name,
            algorithm,
            key: key_uuid,
            key_version,
            min_decrypt_version: min_decrypt_version.unwrap_or(key_version),
            tweak_domain,
            format: new_format(algorithm, format, limits)?,
            use_iv: use_iv.unwrap_or_default(),
            deterministic: deterministic.or(default_deterministic(algorithm)),
            time_to_live,
            durability: durability.unwrap_or(Durability::Written),
            control_rules: control_rules.unwrap_or_default(),
        })
    }

    /// This profile with what `patch` changes. A new key comes with its newest version unless one is named, a new
    /// algorithm of the other kind with its own format.
    pub(crate) fn patched(&self, patch: PatchTokenProfile, newest: u32, limits: &Limits) -> Result<Self> {
        let PatchTokenProfile {
            obj_info,
            algorithm,
            key_uuid,
            key_version,
            min_decrypt_version,
            tweak_domain,
            format,
            use_iv,
            deterministic,
            time_to_live,
            durability,
            control_rules,
            give_up_tokens: _,
        } = patch;
        let old = self.clone();
        let name = obj_info.and_then(|PatchName { name }| name).unwrap_or_else(|| old.name.clone());
        check_renamed("/objInfo/name", &name, &old.name, limits)?;
        let algorithm = algorithm.unwrap_or(old.algorithm);
        let key = key_uuid.unwrap_or(old.key);
        let (version, min_version) =
            if key == old.key { (old.key_version, Some(old.min_decrypt_version)) } else { (newest, None) };
        let key_version = key_version.unwrap_or(version);
        let format = if takes_text(algorithm) == takes_text(old.algorithm) {
            patched_format(old.format, format.unwrap_or_default(), limits)?
        } else {
            new_format(algorithm, format, limits)?
        };
        let (old_deterministic, old_time_to_live) = if algorithm == old.algorithm {
            (old.deterministic, old.time_to_live)
        } else {
            (default_deterministic(algorithm), None)
        };
        Ok(Self {
            name,
            algorithm,
            key,
            key_version,
            min_decrypt_version: min_decrypt_version.or(min_version).unwrap_or(key_version),
            tweak_domain: tweak_domain.unwrap_or(old.tweak_domain),
            format,
            use_iv: use_iv.unwrap_or(old.use_iv),
            deterministic: deterministic.or(old_deterministic),
            time_to_live: time_to_live.unwrap_or(old_time_to_live),
            durability: durability.unwrap_or(old.durability),
            control_rules: control_rules.unwrap_or(old.control_rules),
        })
    }

    /// Checks and compiles what needs no look at the store.
    pub(crate) fn compile(&self, limits: &Limits) -> Result<(Shape, TokenRules)> {
        check_stored_name("/objInfo/name", &self.name, limits)?;
        self.check_algorithm()?;
        self.check_vault_members()?;
        let shape = Shape::compile(self.algorithm, &self.format, limits)?;
        self.check_versions(&shape, limits)?;
        let rules = TokenRules::compile(&self.control_rules, shape.messages(), limits)?;
        Ok((shape, rules))
    }

    /// [`compile`](Self::compile) for what is to be stored: refuses also rules that would never show anything. Those that
    /// are stored already are followed, and mask every value.
    pub(crate) fn check(&self, limits: &Limits) -> Result<Shape> {
        self.check_beside(Reveals::default(), limits)
    }

    /// The same beside other profiles over the same tokens, whose partial rules show this.
    pub(crate) fn check_beside(&self, others: Reveals, limits: &Limits) -> Result<Shape> {
        let (shape, _) = self.compile(limits)?;
        check_masks(&self.control_rules, &shape, others)?;
        Ok(shape)
    }

    fn check_algorithm(&self) -> Result<()> {
        match (self.algorithm, self.use_iv) {
            (TokenAlgorithm::Random, true) => {
                Err(Error::value("/useIv", "Random goes with useIv false only: its tokens are random already."))
            }
            (TokenAlgorithm::AesGcm, false) => {
                Err(Error::value("/useIv", "AesGcm needs useIv true: its nonce is the iv."))
            }
            (TokenAlgorithm::AesSiv | TokenAlgorithm::Hmac, true) => {
                let message = format!("{} goes with useIv false only; AesGcm has an iv.", self.algorithm);
                Err(Error::value("/useIv", message))
            }
            (TokenAlgorithm::AesSiv | TokenAlgorithm::Hmac, false)
            | (TokenAlgorithm::AesGcm, true)
            | (TokenAlgorithm::Random, false)
            | (TokenAlgorithm::Ff1, _) => Ok(()),
        }
    }

    /// Which initialization vectors are drawn, if any.
    pub(crate) const fn iv_kind(&self) -> Option<IvKind> {
        match (self.use_iv, self.algorithm) {
            (false, _) => None,
            (true, TokenAlgorithm::AesGcm) => Some(IvKind::Xaes),
            (true, TokenAlgorithm::Ff1 | TokenAlgorithm::Random | TokenAlgorithm::AesSiv | TokenAlgorithm::Hmac) => {
                Some(IvKind::Ff1)
            }
        }
    }

    fn check_versions(&self, shape: &Shape, limits: &Limits) -> Result<()> {
        let (oldest, newest) = (self.min_decrypt_version, self.key_version);
        // A keyVersion that no key has is refused with the key at hand.
        if oldest > newest || oldest == 0 && newest > 0 {
            return Err(Error::value("/minDecryptVersion", "minDecryptVersion is at least 1 and at most keyVersion."));
        }
        if newest - oldest >= limits.profile_versions_max {
            let message = format!("A profile reads at most {} key versions.", limits.profile_versions_max);
            return Err(Error::too_large("/minDecryptVersion", message));
        }
        match shape {
            Shape::Symbols(format) => format.check_holds_version(newest),
            Shape::Pattern(_) | Shape::Text(_) => Ok(()),
        }
    }

    /// What only vaulted profiles have.
    fn check_vault_members(&self) -> Result<()> {
        let given = [("/deterministic", self.deterministic.is_some()), ("/timeToLive", self.time_to_live.is_some())];
        match given.into_iter().find(|(_, given)| *given) {
            Some((field, _)) if self.algorithm != TokenAlgorithm::Random => {
                Err(Error::value(field, "Only a Random profile has this member."))
            }
            Some(_) | None => self.life().map(drop),
        }
    }

    /// How long tokens live, where they do not for ever.
    pub(crate) fn life(&self) -> Result<Option<Period>> {
        self.time_to_live.as_ref().map(vault::parse_life).transpose()
    }

    /// The domain of the tweaks of the profile with this id.
    pub(crate) fn domain(&self, id: TokenProfileId) -> TokenProfileId {
        self.tweak_domain.unwrap_or(id)
    }

    /// Refuses to become `next` if that could not read the tokens that this profile has `made`. Raising minDecryptVersion
    /// is how tokens are given up on purpose (`key_move` looks at that); it can be taken back as far as tokens go. In a vault
    /// others may have made older ones, and each tells its version.
    pub(crate) fn check_still_reads(&self, id: TokenProfileId, next: &Self, made: Made, limits: &Limits) -> Result<()> {
        let (shape, _) = self.compile(limits)?;
        let (next_shape, _) = next.compile(limits)?;
        let first = made.first.min(self.min_decrypt_version);
        let changed = [
            ("/algorithm", self.algorithm != next.algorithm),
            ("/keyUuid", self.key != next.key),
            ("/keyVersion", next.key_version < made.last),
            ("/minDecryptVersion", next.min_decrypt_version < first && self.algorithm != TokenAlgorithm::Random),
            ("/tweakDomain", self.domain(id) != next.domain(id)),
            ("/useIv", self.use_iv != next.use_iv),
        ];
        let changed = changed.into_iter().find_map(|(member, changed)| changed.then_some(member));
        match changed.or_else(|| next_shape.orphans_tokens_of(&shape)) {
            None => Ok(()),
            Some(field) => {
                let message = match field {
                    "/keyVersion" => format!(
                        "Tokens were made with version {} of the key, and none is made with an older one again. Older \
                         tokens move on by rewrapping, and minDecryptVersion gives up what is left of their versions.",
                        made.last
                    ),
                    "/minDecryptVersion" => {
                        format!("No token of this profile is of a version of the key before {first}.")
                    }
                    _ => "The profile has made tokens, which this change would make unreadable; make a new profile instead."
                        .to_owned(),
                };
                Err(Error::state(message).at(field))
            }
        }
    }

    /// Whether the same message always gives the same token.
    pub(crate) fn repeats(&self) -> bool {
        match self.algorithm {
            TokenAlgorithm::Ff1 => !self.use_iv,
            TokenAlgorithm::Random => self.deterministic.unwrap_or(true),
            TokenAlgorithm::AesSiv | TokenAlgorithm::Hmac => true,
            TokenAlgorithm::AesGcm => false,
        }
    }

    /// The profile as it is answered.
    pub(crate) fn into_wire(self, id: TokenProfileId, limits: &Limits) -> Result<TokenProfile> {
        let (shape, _) = self.compile(limits)?;
        let shares_domain = self.domain(id) != id;
        let security = advisor::advise(&Case {
            algorithm: self.algorithm,
            shape: &shape,
            repeats: self.repeats(),
            shares_domain,
            oldest_version: self.min_decrypt_version,
            rules: &self.control_rules,
        });
        Ok(TokenProfile {
            security,
            obj_info: ObjInfo { name: self.name, uuid: id },
            algorithm: self.algorithm,
            key_uuid: self.key,
            key_version: self.key_version,
            min_decrypt_version: self.min_decrypt_version,
            tweak_domain: self.tweak_domain,
            format: self.format,
            use_iv: self.use_iv,
            deterministic: self.deterministic,
            time_to_live: self.time_to_live,
            durability: Some(self.durability).filter(|durability| *durability != Durability::Written),
            control_rules: self.control_rules,
            warnings: Vec::new(),
        })
    }
}

/// What `deterministic` is where nothing is said.
const fn default_deterministic(algorithm: TokenAlgorithm) -> Option<bool> {
    match algorithm {
        TokenAlgorithm::Random => Some(true),
        TokenAlgorithm::Ff1 | TokenAlgorithm::AesSiv | TokenAlgorithm::AesGcm | TokenAlgorithm::Hmac => None,
    }
}

#[cfg(test)]
mod tests;
