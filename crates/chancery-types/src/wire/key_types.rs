//! Bodies under `/api/v2/key-types`.

use serde::{Deserialize, Serialize};

use super::ObjInfo;
use crate::{Curve, KeyAlgorithm, KeyTypeId, KeyUsage};

/// A key type in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeyTypeStub {
    /// Name and id.
    pub obj_info: ObjInfo<KeyTypeId>,
    /// Algorithm and size.
    pub parameters: KeyParameters,
    /// What its keys may be used for.
    pub usages: Vec<KeyUsage>,
    /// Whether it came with Chancery.
    pub system: bool,
}

/// Algorithm and size of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeyParameters {
    /// The algorithm family.
    pub key_algorithm: KeyAlgorithm,
    /// Bits of the modulus, of the curve's field or of the secret; for ML-DSA the number of the parameter set.
    pub key_size: u32,
    /// The curve, for `Ec`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}
