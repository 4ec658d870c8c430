//! Which signing requests a list shall have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{ProposalId, SigningRequestState};

/// Filter of a list of signing requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct SigningRequestQuery {
    /// Only requests in this state.
    pub state: Option<SigningRequestState>,
    /// Only requests that this pre-approval stood in for.
    pub pre_approval_uuid: Option<ProposalId>,
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1), schema(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000), schema(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
    /// A case-insensitive part of the name, the note, or a value of the metadata.
    pub search: Option<String>,
    /// Only requests with these in their metadata: `metadata.NAME=VALUE`, several of which all hold.
    #[cfg_attr(feature = "schema", param(value_type = Option<std::collections::BTreeMap<String, String>>, style = Form))]
    pub metadata: Option<BTreeMap<String, String>>,
}

/// What to answer besides the usual.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct SigningRequestInclude {
    /// `uploadData` for the payload, `provenance` for the envelope of the provenance, `contents` for what is inside of the
    /// payload, and what is new in a manifest.
    #[cfg_attr(feature = "schema", param(inline))]
    pub include: Option<Include>,
}

wire_enum! {
    /// Parts of a signing request that are answered on demand only.
    pub enum Include {
        /// The payload.
        UploadData = "uploadData",
        /// The envelope of the provenance.
        Provenance = "provenance",
        /// What is inside of what is signed.
        Contents = "contents",
    }
}
