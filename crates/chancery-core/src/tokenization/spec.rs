//! What a token profile shall be: as create and PATCH say it, checked as far as it can be without looking at the store.

use chancery_types::{
    KeyId, TokenAlgorithm, TokenProfileId,
    wire::{
        ObjInfo,
        token_profiles::{
            ControlRule, CreateTokenProfile, PatchName, PatchTokenFormat, PatchTokenProfile, TokenFormat, TokenProfile,
        },
    },
};

use super::{advisor, format::Format};
use crate::{
    Error, Limits, Result,
    access::{Messages, TokenRules},
    text::check_name,
};

/// A token profile in the interface's words, without its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProfileSpec {
    pub(crate) name: String,
    pub(crate) algorithm: TokenAlgorithm,
    pub(crate) key: KeyId,
    pub(crate) key_version: u32,
    pub(crate) tweak_domain: Option<TokenProfileId>,
    pub(crate) format: TokenFormat,
    pub(crate) use_iv: bool,
    pub(crate) control_rules: Vec<ControlRule>,
}

impl ProfileSpec {
    /// What `create` asks for. `newest` is the version of the key that is taken where none is named.
    pub(crate) fn new(request: CreateTokenProfile, newest: u32) -> Self {
        let CreateTokenProfile {
            obj_info,
            algorithm,
            key_uuid,
            key_version,
            tweak_domain,
            format,
            use_iv,
            control_rules,
        } = request;
        Self {
            name: obj_info.name,
            algorithm,
            key: key_uuid,
            key_version: key_version.unwrap_or(newest),
            tweak_domain,
            format,
            use_iv: use_iv.unwrap_or_default(),
            control_rules: control_rules.unwrap_or_default(),
        }
    }

    /// This profile with what `patch` changes. A new key comes with its newest version unless one is named.
    pub(crate) fn patched(&self, patch: PatchTokenProfile, newest: u32) -> Self {
        let PatchTokenProfile {
            obj_info,
            algorithm,
            key_uuid,
            key_version,
            tweak_domain,
            format,
            use_iv,
            control_rules,
        } = patch;
        let old = self.clone();
        let key = key_uuid.unwrap_or(old.key);
        let version = if key == old.key { old.key_version } else { newest };
        Self {
            name: obj_info.and_then(|PatchName { name }| name).unwrap_or(old.name),
            algorithm: algorithm.unwrap_or(old.algorithm),
            key,
            key_version: key_version.unwrap_or(version),
            tweak_domain: tweak_domain.unwrap_or(old.tweak_domain),
            format: patched_format(old.format, format.unwrap_or_default()),
            use_iv: use_iv.unwrap_or(old.use_iv),
            control_rules: control_rules.unwrap_or(old.control_rules),
        }
    }

    /// Checks and compiles what needs no look at the store.
    pub(crate) fn compile(&self, limits: &Limits) -> Result<(Format, TokenRules)> {
        check_name("/objInfo/name", &self.name, limits)?;
        self.check_algorithm()?;
        let format = Format::compile(&self.format, limits)?;
        let messages = Messages { length_min: format.min(), luhn: format.has_check_digit() };
        let rules = TokenRules::compile(&self.control_rules, messages, limits)?;
        Ok((format, rules))
    }

    fn check_algorithm(&self) -> Result<()> {
        match self.algorithm {
            TokenAlgorithm::Ff1 => Ok(()),
            TokenAlgorithm::Random | TokenAlgorithm::AesSiv | TokenAlgorithm::AesGcm | TokenAlgorithm::Hmac => {
                let message = format!("{} is not offered yet; Ff1 is.", self.algorithm);
                Err(Error::value("/algorithm", message))
            }
        }
    }

    /// The domain of the tweaks of the profile with this id.
    pub(crate) fn domain(&self, id: TokenProfileId) -> TokenProfileId {
        self.tweak_domain.unwrap_or(id)
    }

    /// Refuses to become `next` if that could not read the tokens that this profile has made.
    pub(crate) fn check_still_reads(&self, id: TokenProfileId, next: &Self, limits: &Limits) -> Result<()> {
        let (format, _) = self.compile(limits)?;
        let (next_format, _) = next.compile(limits)?;
        let changed = [
            ("/algorithm", self.algorithm != next.algorithm),
            ("/keyUuid", self.key != next.key),
            ("/keyVersion", self.key_version != next.key_version),
            ("/tweakDomain", self.domain(id) != next.domain(id)),
            ("/useIv", self.use_iv != next.use_iv),
            ("/format", !next_format.reads_tokens_of(&format)),
        ];
        match changed.into_iter().find(|(_, changed)| *changed) {
            None => Ok(()),
            Some((field, _)) => {
                let message =
                    "The profile has made tokens, which this change would make unreadable; make a new profile instead.";
                Err(Error::state(message).at(field))
            }
        }
    }

    /// The profile as it is answered.
    pub(crate) fn into_wire(self, id: TokenProfileId, limits: &Limits) -> Result<TokenProfile> {
        let (format, _) = self.compile(limits)?;
        let shares_domain = self.domain(id) != id;
        Ok(TokenProfile {
            security: advisor::advise(&format, self.use_iv, shares_domain, &self.control_rules),
            obj_info: ObjInfo { name: self.name, uuid: id },
            algorithm: self.algorithm,
            key_uuid: self.key,
            key_version: self.key_version,
            tweak_domain: self.tweak_domain,
            format: self.format,
            use_iv: self.use_iv,
            control_rules: self.control_rules,
        })
    }
}

fn patched_format(old: TokenFormat, patch: PatchTokenFormat) -> TokenFormat {
    let PatchTokenFormat {
        alphabet,
        min_length,
        max_length,
        keep_leading,
        keep_trailing,
        pass_through,
        luhn,
        token_length,
        pattern,
    } = patch;
    TokenFormat {
        alphabet: alphabet.unwrap_or(old.alphabet),
        min_length: min_length.unwrap_or(old.min_length),
        max_length: max_length.unwrap_or(old.max_length),
        keep_leading: keep_leading.unwrap_or(old.keep_leading),
        keep_trailing: keep_trailing.unwrap_or(old.keep_trailing),
        pass_through: pass_through.unwrap_or(old.pass_through),
        luhn: luhn.unwrap_or(old.luhn),
        token_length: token_length.unwrap_or(old.token_length),
        pattern: pattern.unwrap_or(old.pattern),
    }
}
