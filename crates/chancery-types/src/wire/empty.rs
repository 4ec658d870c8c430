//! An object without members.

use serde::{Deserialize, Serialize};

/// The payload of calls that have nothing to tell, and the body of calls that need to be told nothing: absent, or an
/// object of which no member is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Empty {}
