//! The payload of calls that have nothing to tell.

use serde::{Deserialize, Serialize};

/// `{}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Empty {}
