//! Bodies under `/api/v2/token-profiles`: here the profiles, in `calls.rs` what is done with them.

mod calls;
mod format;
mod grants;
mod preview;
mod vault;

pub use self::{calls::*, format::*, grants::*, preview::*, vault::*};

use serde::{Deserialize, Serialize};

use super::{ObjInfo, present, x509::ValidityPeriod};
use crate::{
    BudgetPeriod, Durability, IdentityId, KeyId, MaskTemplate, Operation, RevealFrom, RoleId, TokenAlgorithm,
    TokenProfileId,
};

/// A token profile, as it is read; the same text may be written back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenProfile {
    /// Name and id.
    pub obj_info: ObjInfo<TokenProfileId>,
    /// How messages become tokens.
    pub algorithm: TokenAlgorithm,
    /// The backing key.
    pub key_uuid: KeyId,
    /// The version of the key that makes tokens.
    pub key_version: u32,
    /// The oldest version of the key whose tokens are read.
    pub min_decrypt_version: u32,
    /// Another profile whose tokens this one shares on purpose; `null` is the profile's own id.
    pub tweak_domain: Option<TokenProfileId>,
    /// The format rules.
    pub format: TokenFormat,
    /// Whether each tokenization draws a random `iv`.
    pub use_iv: bool,
    /// For Random: whether the same message always has the same token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deterministic: Option<bool>,
    /// For Random: how long a token can be read; absent is for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<ValidityPeriod>,
    /// What calls wait for before they are answered; absent is `Written`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// Which roles may do what.
    pub control_rules: Vec<ControlRule>,
    /// What the service thinks of the profile's safety.
    pub security: TokenSecurity,
    /// Only in the answer to what makes or changes it: what that means for tokens that are there and for those who read
    /// them, and the members of the body that are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a new token profile shall be. Members that are only answered (`objInfo.uuid`, `security`, `warnings`) may be sent and mean
/// nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateTokenProfile {
    /// The name; unique, 1 to 255 characters.
    pub obj_info: NameOnly,
    /// How messages become tokens.
    pub algorithm: TokenAlgorithm,
    /// The backing key.
    pub key_uuid: KeyId,
    /// A version of the key; by default the newest.
    #[serde(default)]
    pub key_version: Option<u32>,
    /// The oldest version of the key whose tokens are read; by default `keyVersion`.
    #[serde(default)]
    pub min_decrypt_version: Option<u32>,
    /// Another profile whose tokens this one shall share; to do so it has the same key, and a format that fits.
    #[serde(default)]
    pub tweak_domain: Option<TokenProfileId>,
    /// The format rules. AesSiv, AesGcm and Hmac need none: they take `minLength` and `maxLength` only.
    #[serde(default)]
    pub format: Option<PatchTokenFormat>,
    /// Whether each tokenization draws a random `iv`.
    #[serde(default)]
    pub use_iv: Option<bool>,
    /// For Random: whether the same message always has the same token; `true` by default.
    #[serde(default)]
    pub deterministic: Option<bool>,
    /// For Random: how long a token can be read; by default for ever.
    #[serde(default)]
    pub time_to_live: Option<ValidityPeriod>,
    /// What calls wait for before they are answered; `Written` by default.
    #[serde(default)]
    pub durability: Option<Durability>,
    /// Which roles may do what; by default nobody may do anything.
    #[serde(default)]
    pub control_rules: Option<Vec<ControlRule>>,
}

/// An object's name where its id is not the caller's to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NameOnly {
    /// The name.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
}

/// One role's right to one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ControlRule {
    /// The role.
    pub role_uuid: RoleId,
    /// The operation.
    pub operation: Operation,
    /// For PartialDetokenize, where there is no `mask`: how many symbols are revealed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveal: Option<u32>,
    /// For PartialDetokenize: at which end; `End` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reveal_from: Option<RevealFrom>,
    /// For PartialDetokenize: the one character that stands for each hidden symbol; `*` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask_char: Option<String>,
    /// For PartialDetokenize, in the place of `reveal` and `revealFrom`: what is revealed, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<MaskTemplate>,
    /// How many values it lets through; without budgets any number. All of them have to have room for a call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub budgets: Vec<Budget>,
    /// For Detokenize: how many people approve before. Without it nobody is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<GrantRules>,
}

/// So many values, or signatures, in each window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Budget {
    /// How many, 1 to 1,000,000,000,000.
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1_000_000_000_000_u64))]
    pub count: u64,
    /// How long a window is.
    pub per: BudgetPeriod,
    /// Whether each identity has as many: each holder of a Control Rule's role, each submitter to a policy. Otherwise all of
    /// them share them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub each: bool,
}

/// What of the budgets of a profile's rules is used now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenBudgets {
    /// The windows that are open now: one for each budget, or with `each` one for each identity that has used some of it,
    /// 1,000 at most, those that used most.
    pub budgets: Vec<BudgetUse>,
}

/// One window of a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BudgetUse {
    /// The role of the rule.
    pub role_uuid: RoleId,
    /// Its operation.
    pub operation: Operation,
    /// How many values the window has.
    pub count: u64,
    /// How long it is.
    pub per: BudgetPeriod,
    /// Whether each identity has as many.
    pub each: bool,
    /// Whose it is, with `each`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity_uuid: Option<IdentityId>,
    /// When it began (RFC 3339).
    pub starts_at: String,
    /// When it ends (RFC 3339).
    pub ends_at: String,
    /// How many are used; with several servers at most, since what another has set aside for itself counts.
    pub used: u64,
    /// How many are left; with several servers at least.
    pub left: u64,
}

/// What the service thinks of a profile's safety.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenSecurity {
    /// How many values the encrypted part of the shortest message can have: a decimal number; `null` for any text.
    pub domain_size: Option<String>,
    /// What to know before relying on the tokens; one sentence each.
    pub notes: Vec<String>,
}

/// What shall change in a token profile; members that are absent stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchTokenProfile {
    /// A new name.
    pub obj_info: Option<PatchName>,
    /// See [`TokenProfile::algorithm`].
    pub algorithm: Option<TokenAlgorithm>,
    /// See [`TokenProfile::key_uuid`].
    pub key_uuid: Option<KeyId>,
    /// See [`TokenProfile::key_version`].
    pub key_version: Option<u32>,
    /// See [`TokenProfile::min_decrypt_version`].
    pub min_decrypt_version: Option<u32>,
    /// `null` takes the domain back to the profile's own id.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub tweak_domain: Option<Option<TokenProfileId>>,
    /// What shall change in the format.
    pub format: Option<PatchTokenFormat>,
    /// See [`TokenProfile::use_iv`].
    pub use_iv: Option<bool>,
    /// See [`TokenProfile::deterministic`].
    pub deterministic: Option<bool>,
    /// `null` lets tokens be read for ever.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub time_to_live: Option<Option<ValidityPeriod>>,
    /// See [`TokenProfile::durability`].
    pub durability: Option<Durability>,
    /// Replaces all rules.
    pub control_rules: Option<Vec<ControlRule>>,
    /// Whether `minDecryptVersion` may go above a key version that made tokens, where tokens do not tell their version:
    /// those that are left then read as other, plausible messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub give_up_tokens: Option<bool>,
}

/// A new name, or the old one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchName {
    /// The name.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
}

/// Control Rules that replace all those before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchPermissions {
    /// Which roles may do what.
    pub control_rules: Vec<ControlRule>,
}

/// One line of the list of token profiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenProfileStub {
    /// Name and id.
    pub obj_info: ObjInfo<TokenProfileId>,
    /// How messages become tokens.
    pub algorithm: TokenAlgorithm,
    /// As in [`TokenFormat::alphabet`].
    pub alphabet: Option<String>,
    /// Whether each tokenization draws a random `iv`.
    pub use_iv: bool,
    /// The version of the key that makes tokens.
    pub key_version: u32,
    /// The oldest version whose tokens are read: where it is another than `keyVersion` and tokens do not tell theirs,
    /// calls that read tokens name it.
    pub min_decrypt_version: u32,
    /// Whether the profile is built in.
    pub system: bool,
}

/// The names of the built-in templates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TemplateNames {
    /// The names, in the order in which they are best read.
    pub names: Vec<String>,
}

/// A template: what to send to create a profile, but for the key and the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenProfileTemplate {
    /// The template's name.
    pub obj_info: NameOnly,
    /// What it is for, in one sentence.
    pub description: String,
    /// How messages become tokens.
    pub algorithm: TokenAlgorithm,
    /// The format rules.
    pub format: TokenFormat,
    /// Whether each tokenization draws a random `iv`.
    pub use_iv: bool,
    /// What the service thinks of the template's safety.
    pub security: TokenSecurity,
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn a_patch_tells_null_from_absent() {
        let patch: PatchTokenProfile = from_value(json!({"tweakDomain": null, "format": {}})).unwrap();
        assert_eq!(patch.tweak_domain, Some(None));
        assert_eq!(patch.format.unwrap().token_length, None);
        let patch: PatchTokenFormat = from_value(json!({"tokenLength": null})).unwrap();
        assert_eq!(patch.token_length, Some(None));
    }
}
