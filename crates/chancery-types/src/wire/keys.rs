//! Bodies under `/api/v2/keys`.

use serde::{Deserialize, Serialize};

use super::{ObjInfo, key_types::KeyParameters};
use crate::{Base64, KeyId, KeyState, KeyTypeId, KeyUsage, Origin, TokenAlgorithm};

/// What a new data key shall be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CreateKey {
    /// The name; unique among data keys, 1 to 255 characters.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// Its key type, one for tokenization.
    pub key_type_uuid: KeyTypeId,
    /// What it may be used for, a subset of the type's usages; by default all of them.
    #[serde(default)]
    pub usages: Option<Vec<KeyUsage>>,
}

/// What is to be changed of a key. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PatchKey {
    /// A new name.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// What it may be used for from now on, a subset of the type's usages.
    #[serde(default)]
    pub usages: Option<Vec<KeyUsage>>,
}

/// A key in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeyStub {
    /// Name and id.
    pub obj_info: ObjInfo<KeyId>,
    /// Its key type.
    pub key_type_uuid: KeyTypeId,
    /// Algorithm and size.
    pub parameters: KeyParameters,
    /// What it may be used for.
    pub usages: Vec<KeyUsage>,
    /// Whether it may be used at all.
    pub state: KeyState,
}

/// A key; its secret is never answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Key {
    /// Its id, as in `objInfo`.
    pub uuid: KeyId,
    /// Name and id.
    pub obj_info: ObjInfo<KeyId>,
    /// Its key type.
    pub key_type_uuid: KeyTypeId,
    /// Algorithm and size.
    pub parameters: KeyParameters,
    /// What it may be used for.
    pub usages: Vec<KeyUsage>,
    /// Whether it may be used at all.
    pub state: KeyState,
    /// Where it was made: an imported key existed outside of this installation.
    pub origin: Origin,
    /// The token algorithm that this data key is bound to: the first that used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_algorithm: Option<TokenAlgorithm>,
    /// The newest version.
    pub current_version: u32,
    /// All versions, the oldest first.
    pub versions: Vec<KeyVersion>,
    /// Only in the answer to what makes or changes it: the members of the body that are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A version of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeyVersion {
    /// Its number, from 1.
    pub version: u32,
    /// When it was made: RFC 3339, UTC.
    pub created_at: String,
    /// The public half (SubjectPublicKeyInfo in DER), if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_key: Option<Base64>,
}
