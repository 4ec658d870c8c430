//! Messages in, tokens out, and back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    Base64, ProposalId,
    wire::{ItemError, Texts},
};

/// A message to tokenize.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenizeRequest {
    /// The message.
    #[cfg_attr(feature = "schema", schema(example = "4111111111111111"))]
    pub message: String,
    /// The version of the key, which can only be the one that makes tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// For Random: what to keep with a new token, at most 4 KiB of JSON; sealed like the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub metadata: Option<Map<String, Value>>,
    /// For Random: from when on there shall be no such token, in RFC 3339; not later than the profile's `timeToLive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// `api.v2.dp.TokenizationResponse`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "@type", rename = "api.v2.dp.TokenizationResponse", rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenizationResponse {
    /// The token.
    pub token: String,
    /// The initialization vector, where the profile uses one: detokenize needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iv: Option<Base64>,
    /// The version of the key, where the profile reads several: detokenize needs it unless the token tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
}

/// A token to turn back.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DetokenizeRequest {
    /// The token.
    pub token: String,
    /// The initialization vector that came with it, where the profile uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iv: Option<Base64>,
    /// The version of the key that made the token, where it does not tell and the profile reads several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// The grant under which all of it is shown, where a Control Rule demands approvals for that. Without it a mask applies
    /// where the caller has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_uuid: Option<ProposalId>,
}

/// `api.v2.dp.DetokenizationResponse`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "@type", rename = "api.v2.dp.DetokenizationResponse")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DetokenizationResponse {
    /// The message, masked where only a partial rule allows the caller.
    pub message: String,
}

/// Messages to tokenize.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchTokenizeRequest {
    /// The messages.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub messages: Texts,
    /// Whether bad values leave a `null` instead of failing the call.
    #[serde(default)]
    pub partial: Option<bool>,
    /// The version of the key, which can only be the one that makes tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// For Random: what to keep with each new token, at most 4 KiB of JSON; sealed like the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    pub metadata: Option<Map<String, Value>>,
    /// For Random: from when on there shall be no such token, in RFC 3339; not later than the profile's `timeToLive`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// `api.v2.dp.BatchTokenizationResponse`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "@type", rename = "api.v2.dp.BatchTokenizationResponse", rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchTokenizationResponse {
    /// The tokens, in the order of the messages.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Option<String>>))]
    pub tokens: Texts,
    /// The initialization vectors, in the same order, where the profile uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ivs: Option<Vec<Option<Base64>>>,
    /// The version of the key of all tokens, where the profile reads several: detokenize needs it unless each token tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// With `partial`: what was wrong with the values that are `null`, the first hundred of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ItemError>,
}

/// Tokens to turn back.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDetokenizeRequest {
    /// The tokens.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub tokens: Texts,
    /// The initialization vectors that came with them, in the same order, where the profile uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ivs: Option<Vec<Base64>>,
    /// Whether bad values leave a `null` instead of failing the call.
    #[serde(default)]
    pub partial: Option<bool>,
    /// The version of the key that made the token, where it does not tell and the profile reads several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// The grant under which all of it is shown, where a Control Rule demands approvals for that. Without it a mask applies
    /// where the caller has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_uuid: Option<ProposalId>,
}

/// `api.v2.dp.BatchDetokenizationResponse`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "@type", rename = "api.v2.dp.BatchDetokenizationResponse")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BatchDetokenizationResponse {
    /// The messages, in the order of the tokens; masked where only a partial rule allows the caller.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Option<String>>))]
    pub messages: Texts,
    /// With `partial`: what was wrong with the values that are `null`, the first hundred of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ItemError>,
}

/// Payment card track data to tokenize.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrackTokenizeRequest {
    /// Track 1, track 2 or both (ISO/IEC 7813).
    #[cfg_attr(feature = "schema", schema(example = ";4111111111111111=25121010000012345678?"))]
    pub track: String,
    /// The version of the key, which can only be the one that makes tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
}

/// `api.v2.dp.TrackTokenizationResponse`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "@type", rename = "api.v2.dp.TrackTokenizationResponse", rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrackTokenizationResponse {
    /// The track data with the token in the place of the account number.
    pub track: String,
    /// The initialization vector, where the profile uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iv: Option<Base64>,
    /// The version of the key, where the profile reads several: detokenize needs it unless the token tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
}

/// Tokens that shall become tokens of the newest key version.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RewrapRequest {
    /// The tokens.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub tokens: Texts,
    /// The initialization vectors that came with them, in the same order, where the profile uses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ivs: Option<Vec<Base64>>,
    /// The version of the key that made the tokens, where they do not tell and the profile reads several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// Whether bad values leave a `null` instead of failing the call.
    #[serde(default)]
    pub partial: Option<bool>,
}

/// `api.v2.dp.RewrapResponse`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "@type", rename = "api.v2.dp.RewrapResponse", rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RewrapResponse {
    /// The new tokens, in the order of the old ones; one that was of the newest version already is the same.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Option<String>>))]
    pub tokens: Texts,
    /// The initialization vectors, in the same order, where the profile uses them: those that were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ivs: Option<Vec<Option<Base64>>>,
    /// The version of the key that all tokens are of now; those of a shared vault may be of a newer one.
    pub key_version: u32,
    /// With `partial`: what was wrong with the values that are `null`, the first hundred of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ItemError>,
}

/// Tokenized track data to turn back.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrackDetokenizeRequest {
    /// The tokenized track data.
    pub track: String,
    /// The initialization vector that came with it, where the profile uses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iv: Option<Base64>,
    /// The version of the key that made the token, where it does not tell and the profile reads several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// The grant under which all of it is shown, where a Control Rule demands approvals for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_uuid: Option<ProposalId>,
}

/// `api.v2.dp.TrackDetokenizationResponse`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "@type", rename = "api.v2.dp.TrackDetokenizationResponse")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrackDetokenizationResponse {
    /// The original track data.
    pub track: String,
}

/// A response that is mostly one array of texts.
pub trait BatchResponse: Serialize {
    /// The array's member.
    const MEMBER: &'static str;

    /// The array.
    fn texts(&mut self) -> &mut Texts;
}

impl BatchResponse for BatchTokenizationResponse {
    const MEMBER: &'static str = "tokens";

    fn texts(&mut self) -> &mut Texts {
        &mut self.tokens
    }
}

impl BatchResponse for BatchDetokenizationResponse {
    const MEMBER: &'static str = "messages";

    fn texts(&mut self) -> &mut Texts {
        &mut self.messages
    }
}

impl BatchResponse for RewrapResponse {
    const MEMBER: &'static str = "tokens";

    fn texts(&mut self) -> &mut Texts {
        &mut self.tokens
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_carry_their_type() {
        let answer = TokenizationResponse { token: "1".into(), iv: None, key_version: None };
        assert_eq!(
            serde_json::to_value(answer).unwrap(),
            json!({"@type": "api.v2.dp.TokenizationResponse", "token": "1"})
        );
    }
}
