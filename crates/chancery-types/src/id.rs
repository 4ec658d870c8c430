//! Typed ids. Each kind of object has its own, so that a policy's id cannot be passed where a service's is meant.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use uuid::Uuid;

/// What an id in a body must look like; also the marker by which the server tells a malformed reference (an
/// InvalidSelection, like a reference to nothing) from a member of the wrong type.
pub const UUID_SHAPE: &[&str] = &["a UUID: 8-4-4-4-12 hexadecimal digits"];

/// A text that is not a UUID of the form 8-4-4-4-12.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAUuid;

impl fmt::Display for NotAUuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a UUID: 8-4-4-4-12 hexadecimal digits are expected")
    }
}

impl std::error::Error for NotAUuid {}

/// Parses 8-4-4-4-12 hexadecimal digits in any letter case; version bits are not checked.
fn parse(text: &str) -> Result<Uuid, NotAUuid> {
    // The crate also takes the braced, simple and URN forms, which the interface does not know.
    if text.len() != uuid::fmt::Hyphenated::LENGTH {
        return Err(NotAUuid);
    }
    Uuid::try_parse(text).map_err(|_| NotAUuid)
}

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// A built-in object's id.
            #[must_use]
            pub const fn from_u128(value: u128) -> Self {
                Self(Uuid::from_u128(value))
            }

            /// A version 4 UUID made of 16 random bytes.
            #[must_use]
            pub const fn from_random(bytes: [u8; 16]) -> Self {
                Self(uuid::Builder::from_random_bytes(bytes).into_uuid())
            }

            /// A version 7 UUID (RFC 9562): the time in milliseconds, then random bits. Rows whose ids follow the time lie
            /// side by side in an index.
            #[must_use]
            pub fn in_time(now_ms: i64, bytes: [u8; 16]) -> Self {
                let [_, _, _, _, _, _, random @ ..] = bytes;
                let ms = u64::try_from(now_ms).unwrap_or_default();
                Self(uuid::Builder::from_unix_timestamp_millis(ms, &random).into_uuid())
            }

            /// The 16 bytes, in network order.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl FromStr for $name {
            type Err = NotAUuid;

            fn from_str(text: &str) -> Result<Self, NotAUuid> {
                parse(text).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0.hyphenated(), f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.0.hyphenated().serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(|NotAUuid| de::Error::unknown_variant(&text, UUID_SHAPE))
            }
        }

        #[cfg(feature = "schema")]
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                // No `format: uuid`: some generators would hold us to RFC 9562's version bits, which are not checked.
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"))
                    .into()
            }
        }

        #[cfg(feature = "schema")]
        impl utoipa::ToSchema for $name {}
    )+};
}

ids! {
    /// A token profile.
    TokenProfileId,
    /// A key.
    KeyId,
    /// A key type.
    KeyTypeId,
    /// A certificate profile.
    CertProfileId,
    /// A certificate.
    CertificateId,
    /// A signing service.
    ServiceId,
    /// A signing policy.
    PolicyId,
    /// A signing request.
    SigningRequestId,
    /// Something that waits for approvals before it takes effect: a pre-approval, a changed policy.
    ProposalId,
    /// A role.
    RoleId,
    /// An identity: a person or an application.
    IdentityId,
    /// A key by which an identity logs in, and not one that encrypts or signs.
    ApiKeyId,
    /// An OpenID Connect provider whose tokens are taken.
    IdentityProviderId,
    /// Whose tokens of a provider stand for an identity.
    IdentityBindingId,
    /// A passkey of a person.
    PasskeyId,
    /// A target of notices.
    NoticeTargetId,
    /// A notice.
    NoticeId,
    /// A target of the audit records.
    AuditTargetId,
    /// Any object, where its kind does not matter.
    ObjectId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_hyphenated_form_in_any_case() {
        let id: KeyId = "0000ABCD-0000-0000-0000-00000000000f".parse().unwrap();
        assert_eq!(id.to_string(), "0000abcd-0000-0000-0000-00000000000f");
        for refused in [
            "",
            "0000abcd00000000000000000000000f",
            "{0000abcd-0000-0000-0000-00000000000f}",
            "urn:uuid:0000abcd-0000-0000-0000-00000000000f",
            "0000abcd-0000-0000-0000-00000000000g",
            "0000abcd-0000-0000-0000-0000000000000",
        ] {
            assert_eq!(refused.parse::<KeyId>(), Err(NotAUuid), "{refused}");
        }
    }
}
