//! `/api/v2/audit`.

use serde::{Deserialize, Serialize};

use crate::{Action, ErrorCode, IdentityId, ObjectId};

/// Which records; what is absent filters nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct AuditQuery {
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000. Without `page` and `pageSize` the newest 10,000 are answered.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
    /// Not before this moment (RFC 3339).
    pub from: Option<String>,
    /// Before this moment (RFC 3339).
    pub to: Option<String>,
    /// What was done or tried.
    pub action: Option<Action>,
    /// How it ended.
    pub outcome: Option<ErrorCode>,
    /// In whose name.
    pub identity_uuid: Option<IdentityId>,
    /// On which object.
    pub object_uuid: Option<ObjectId>,
}

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditRecord {
    /// Its number; later records have higher ones.
    pub number: i64,
    /// When (RFC 3339, UTC, to the millisecond).
    pub time: String,
    /// The id of the request, or the host command that did it.
    pub request_id: String,
    /// The address that the request came from; empty for what came from none.
    pub source: String,
    /// In whose name.
    pub identities: Vec<AuditIdentity>,
    /// What was done or tried.
    pub action: Action,
    /// On which object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_uuid: Option<ObjectId>,
    /// How it ended.
    pub outcome: ErrorCode,
    /// More about it: names, counts, ids; never a value, password or token.
    pub detail: serde_json::Value,
    /// How many calls it stands for.
    pub count: i64,
}

/// An identity as a record names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AuditIdentity {
    /// Its id.
    pub uuid: IdentityId,
    /// Its name at that time.
    pub name: String,
}
