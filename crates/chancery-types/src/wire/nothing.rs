//! A body without members.

use serde::{Deserialize, Serialize};

/// The body of a call that needs none: absent, or an object of which no member is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Nothing {}
