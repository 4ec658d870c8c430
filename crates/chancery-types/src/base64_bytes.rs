//! Bytes that travel as base64.

use std::fmt;

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Standard base64 (RFC 4648, section 4); padding is written, and optional when read.
const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Bytes that travel as standard base64 (RFC 4648, section 4). Line breaks are ignored when read, since common tools
/// wrap their output; any other foreign character is refused.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Base64(pub Vec<u8>);

impl Base64 {
    /// The text on the wire.
    #[must_use]
    pub fn encode(bytes: &[u8]) -> String {
        ENGINE.encode(bytes)
    }

    /// The bytes that a text on the wire stands for; `None` where it is not base64.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        if !text.contains(['\n', '\r']) {
            return ENGINE.decode(text).ok().map(Self);
        }
        let joined: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
        ENGINE.decode(joined).ok().map(Self)
    }
}

/// Says how many bytes there are, never which: they may be a password or a payload.
impl fmt::Debug for Base64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Base64({} bytes)", self.0.len())
    }
}

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&Self::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Base64;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string of standard base64")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Base64, E> {
                Base64::decode(text).ok_or_else(|| E::invalid_value(de::Unexpected::Other("other text"), &self))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for Base64 {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .description(Some("standard base64 (RFC 4648, section 4); padding is optional, line breaks are ignored"))
            .content_encoding("base64")
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for Base64 {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_optional_and_line_breaks_are_ignored() {
        for text in ["aGk=", "aGk", "aG\nk=\n", "aG\r\nk="] {
            assert_eq!(Base64::decode(text), Some(Base64(b"hi".to_vec())), "{text:?}");
        }
        for junk in ["aGk =", "a-k=", "a", "aGk==", "=aGk", "aGl=k"] {
            assert_eq!(Base64::decode(junk), None, "{junk:?}");
        }
    }
}
