//! Texts that nobody may see by accident.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroizing;

/// A secret that travels as text: wiped when it is dropped, read and never written.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// The text. Whoever calls this is responsible for where it goes.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Says that there is one, never which.
impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText")
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = SecretText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<SecretText, E> {
                Ok(SecretText(Zeroizing::new(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Visitor)
    }
}

#[cfg(feature = "schema")]
impl utoipa::PartialSchema for SecretText {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .description(Some("a secret: it is never answered"))
            .write_only(true)
            .into()
    }
}

#[cfg(feature = "schema")]
impl utoipa::ToSchema for SecretText {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_does_not_tell() {
        let secret: SecretText = serde_json::from_str("\"hunter2\"").unwrap();
        assert_eq!((secret.expose(), format!("{secret:?}").as_str()), ("hunter2", "SecretText"));
    }
}
