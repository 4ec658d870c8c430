//! The format of a profile's messages and tokens.

use serde::{Deserialize, Deserializer, Serialize};

use super::super::present;
use crate::Luhn;

/// The format of messages and tokens. All lengths count symbols of the
/// alphabet, or characters (Unicode scalar values) where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TokenFormat {
    /// `Decimal`, `LowerHex`, `UpperHex`, `LowerAlpha`, `UpperAlpha`, `Alphabetic`, `AlphaNumeric`, `Printable`, or
    /// the symbols themselves: 2 to 65,536 different characters. `null` for AesSiv, AesGcm and Hmac, which take any text,
    /// and with a pattern.
    #[serde(default)]
    pub alphabet: Option<String>,
    /// The shortest message.
    pub min_length: u32,
    /// The longest message.
    pub max_length: u32,
    /// So many symbols at the start stay in clear.
    #[serde(default, deserialize_with = "null_is_default")]
    pub keep_leading: u32,
    /// So many symbols at the end stay in clear.
    #[serde(default, deserialize_with = "null_is_default")]
    pub keep_trailing: u32,
    /// Characters outside the alphabet that may stand anywhere and stay where they are.
    #[serde(default, deserialize_with = "null_is_default")]
    pub pass_through: String,
    /// What messages and tokens have to do with the Luhn check digit.
    #[serde(default = "Luhn::none", deserialize_with = "null_is_ignore")]
    pub luhn: Luhn,
    /// The length of every token, whatever its message's.
    #[serde(default)]
    pub token_length: Option<u32>,
    /// The pattern of structured values: literals, `{group}` encrypted, `[group]` kept, `<iban>` check digits. Alphabet and
    /// lengths follow from it.
    #[serde(default)]
    pub pattern: Option<String>,
    /// So many symbols in front of each Ff1 token say the key version.
    #[serde(default)]
    pub version_prefix: Option<u32>,
}

/// What a format shall be. Members that are absent stay as they are in a change, and take their defaults in a new profile;
/// there Ff1 and Random need `alphabet`, `minLength` and `maxLength`, or `pattern`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchTokenFormat {
    /// See [`TokenFormat::alphabet`].
    pub alphabet: Option<String>,
    /// See [`TokenFormat::min_length`].
    pub min_length: Option<u32>,
    /// See [`TokenFormat::max_length`].
    pub max_length: Option<u32>,
    /// See [`TokenFormat::keep_leading`].
    pub keep_leading: Option<u32>,
    /// See [`TokenFormat::keep_trailing`].
    pub keep_trailing: Option<u32>,
    /// See [`TokenFormat::pass_through`].
    pub pass_through: Option<String>,
    /// See [`TokenFormat::luhn`].
    pub luhn: Option<Luhn>,
    /// `null` makes tokens as long as their messages.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub token_length: Option<Option<u32>>,
    /// `null` takes the pattern away.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub pattern: Option<Option<String>>,
    /// `null` takes the prefix away.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub version_prefix: Option<Option<u32>>,
}

impl From<TokenFormat> for PatchTokenFormat {
    /// Names every member.
    fn from(format: TokenFormat) -> Self {
        let TokenFormat {
            alphabet,
            min_length,
            max_length,
            keep_leading,
            keep_trailing,
            pass_through,
            luhn,
            token_length,
            pattern,
            version_prefix,
        } = format;
        Self {
            alphabet,
            min_length: Some(min_length),
            max_length: Some(max_length),
            keep_leading: Some(keep_leading),
            keep_trailing: Some(keep_trailing),
            pass_through: Some(pass_through),
            luhn: Some(luhn),
            token_length: Some(token_length),
            pattern: Some(pattern),
            version_prefix: Some(version_prefix),
        }
    }
}

fn null_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

fn null_is_ignore<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Luhn, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_else(Luhn::none))
}

impl Luhn {
    /// What a format that says nothing about Luhn means.
    const fn none() -> Self {
        Self::Ignore
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    #[test]
    fn a_format_needs_only_lengths() {
        let short: TokenFormat = from_value(json!({"minLength": 6, "maxLength": 9})).unwrap();
        let long = json!({"alphabet": null, "minLength": 6, "maxLength": 9, "keepLeading": null, "luhn": null,
            "keepTrailing": null, "passThrough": null, "tokenLength": null, "pattern": null, "versionPrefix": null});
        assert_eq!(short, from_value(long).unwrap());
        assert_eq!((short.keep_leading, short.pass_through.as_str(), short.luhn), (0, "", Luhn::Ignore));
    }
}
