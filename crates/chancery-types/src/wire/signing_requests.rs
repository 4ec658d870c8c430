//! Signing requests: submit, read, approve, deny.

mod contents;
mod decisions;
mod provenance;
mod query;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ObjInfo, log::InclusionProof};
use crate::{
    ApprovalState, Base64, ExistingSignature, HashType, IdentityId, PolicyId, ProposalId, RoleId, ServiceId,
    SigningFormat, SigningRequestId, SigningRequestState,
};

pub use contents::{
    ContentEntry, ContentKind, ContentProperty, ContentSignature, ItemChange, ManifestChanges, UploadContents,
};
pub use decisions::{
    Approval, ApprovalCount, ApproveRequest, Approved, BatchDecideRequest, BatchDecided, BatchDecidedItem,
    DecideRequest, Denied, Statement,
};
pub use provenance::{Provenance, ProvenanceSource};
pub use query::{Include, SigningRequestInclude, SigningRequestQuery};

/// Body of a submission: either the payload, or its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SubmitRequest {
    /// What approvers will see; 1 to 255 characters.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// The service whose key shall sign.
    pub service_uuid: ServiceId,
    /// One of that service's policies.
    pub policy_uuid: PolicyId,
    /// The payload; empty is a payload too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_data: Option<Base64>,
    /// In the place of `uploadData`: the payload's digest under the policy's hash, for formats that embed the image's
    /// digest. The payload then never travels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Base64>,
    /// In the place of both: a manifest, 1 to 10,000 named digests that are approved together and signed each by
    /// itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<ManifestItem>>,
    /// What becomes of the signature that the uploaded file has already; by default it is replaced. For formats that
    /// embed only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existing_signature: Option<ExistingSignature>,
    /// Whether the signature shall cover the hashes of the uploaded program's pages besides its digest (`Authenticode`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_page_hashes: bool,
    /// The same for a `digest`: the hashes themselves, for each page its place in the file (4 bytes, the least significant
    /// first) and its SHA-256, and at the end the place behind the last page with 32 zeros.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_hashes: Option<Base64>,
    /// The program's name, which Windows shows when it asks whether to run it; 1 to 255 characters. It is signed; for
    /// `Authenticode`, `Msi` and `Powershell` only. No pre-approval applies to a request with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub program_name: Option<String>,
    /// Where there is more about the program: an address with `http://` or `https://`, at most 2,048 characters. As for
    /// `programName`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(max_length = 2048))]
    pub program_url: Option<String>,
    /// What approvers shall know about it, shown as the submitter's claim; at most 4 KiB, without control characters (but
    /// tabs and line feeds) and those that turn the direction of a text or have no width.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Names and values, such as a commit and a build, shown likewise; at most 64, and 4 KiB as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    /// Where the file comes from, under the signature of one of the policy's `provenanceIssuers`: SLSA provenance (v1 or
    /// v0.2) in an in-toto statement in a DSSE envelope, at most 1 MiB. The file, or each of a manifest, is among its
    /// subjects: by SHA-256 of an upload; by a digest itself, which is that of the file for `Raw` and `Cms` alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Base64>,
}

impl SubmitRequest {
    /// A submission of this name to a policy, of nothing yet.
    #[must_use]
    pub const fn new(name: String, service_uuid: ServiceId, policy_uuid: PolicyId) -> Self {
        Self {
            name,
            service_uuid,
            policy_uuid,
            upload_data: None,
            digest: None,
            items: None,
            existing_signature: None,
            with_page_hashes: false,
            page_hashes: None,
            program_name: None,
            program_url: None,
            note: None,
            metadata: None,
            provenance: None,
        }
    }
}

/// One item of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ManifestItem {
    /// Its name, unique in the manifest; 1 to 255 characters. The policy's `fileNames` apply to it.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 255))]
    pub name: String,
    /// Its digest, as `digest` of a request.
    pub digest: Base64,
}

/// One item of a manifest, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SignedItem {
    /// Its name.
    pub name: String,
    /// Its digest.
    pub digest: Base64,
    /// Where it stands: as the request, but `Failed` where it alone could not be signed.
    pub state: SigningRequestState,
    /// Its signature; null until it is signed.
    pub signature: Option<Base64>,
    /// The proof that its signature is in the transparency log; only with `?include=inclusionProof`, and null until a
    /// checkpoint covers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<InclusionProof>))]
    pub inclusion_proof: Option<Option<InclusionProof>>,
    /// What it is beside the last manifest that was signed under the policy; only with `?include=changes`, and for whoever
    /// may approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<ItemChange>,
}

/// How far the items of a manifest are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ManifestSummary {
    /// Items.
    pub total: u32,
    /// Items that are signed.
    pub signed: u32,
    /// Items that could not be signed.
    pub failed: u32,
}

/// Which items of a manifest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "schema", into_params(parameter_in = Query))]
pub struct ItemsQuery {
    /// Page number, from 1.
    #[cfg_attr(feature = "schema", param(minimum = 1), schema(minimum = 1))]
    pub page: Option<u32>,
    /// Items a page, 1 to 1,000, which is also the default.
    #[cfg_attr(feature = "schema", param(minimum = 1, maximum = 1000), schema(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// In the place of `page`: the `next` of an answer to the same query.
    pub after: Option<String>,
    /// `inclusionProof` for the proofs that the signatures are in the transparency log, `changes` for what is new since the
    /// last manifest.
    #[cfg_attr(feature = "schema", param(inline))]
    pub include: Option<IncludeOfItems>,
}

wire_enum! {
    /// Parts of a manifest's items that are answered on demand only.
    pub enum IncludeOfItems {
        /// The proofs of inclusion in the transparency log.
        InclusionProof = "inclusionProof",
        /// What is new since the last manifest.
        Changes = "changes",
    }
}

/// Answer to a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Submitted {
    /// The new request.
    pub uuid: SigningRequestId,
    /// What somebody should know about it, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a list says of a signing request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SigningRequestStub {
    /// Its name and id.
    pub obj_info: ObjInfo<SigningRequestId>,
    /// Its id.
    pub uuid: SigningRequestId,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: SigningRequestState,
    /// What the approvers have said.
    pub approval_state: ApprovalState,
    /// The service whose key signs.
    pub service_uuid: ServiceId,
    /// The policy it is under.
    pub policy_uuid: PolicyId,
    /// When it was submitted (RFC 3339, UTC).
    pub submitted_at: String,
    /// What an approval is of: see there in the detail.
    pub approval_digest: Base64,
    /// The pre-approval in the place of its approvals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_approval_uuid: Option<ProposalId>,
    /// What the submitter said about it: nothing that anybody checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Names and values that the submitter gave it: nothing that anybody checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
}

/// One signing request in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SigningRequest {
    /// Its name and id.
    pub obj_info: ObjInfo<SigningRequestId>,
    /// Its id.
    pub uuid: SigningRequestId,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: SigningRequestState,
    /// What the approvers have said.
    pub approval_state: ApprovalState,
    /// Why it failed; only in the state `Failed`, which is also that of a request whose time to wait is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The service whose key signs.
    pub service_uuid: ServiceId,
    /// The policy it is under.
    pub policy_uuid: PolicyId,
    /// The same as `policyUuid`.
    pub signing_policy_uuid: PolicyId,
    /// The form of the signature.
    pub signing_format: SigningFormat,
    /// The hash that `digest` was made with.
    pub hash_algorithm: HashType,
    /// The payload's digest. Of a manifest, SHA-256 of its lines: each a digest in hexadecimal digits, two spaces, a name
    /// and a line feed, as `sha256sum` and its like print them.
    pub digest: Base64,
    /// What people approve: `digest`, where nothing else is signed that the payload does not say. With `pageHashes` that
    /// came with a digest, `programName` or `programUrl` it covers these too: SHA-256 of the line `chancery approval 1`,
    /// then of lines as those of a manifest, with the names `digest`, `pageHashes`, `programName` and `programUrl` and
    /// (but for the first) SHA-256 of each.
    pub approval_digest: Base64,
    /// The hashes of the program's pages, where they are signed too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_hashes: Option<Base64>,
    /// The program's name that is signed too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_name: Option<String>,
    /// The program's address that is signed too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_url: Option<String>,
    /// How far the items of a manifest are; their signatures are under `…/items`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<ManifestSummary>,
    /// The signature; empty until it is signed.
    pub signature: Base64,
    /// When it was submitted (RFC 3339, UTC).
    pub submitted_at: String,
    /// All identities of the session that submitted it.
    pub submitted_by: Vec<ObjInfo<IdentityId>>,
    /// What the submitter said about it: nothing that anybody checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Names and values that the submitter gave it: nothing that anybody checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<BTreeMap<String, String>>,
    /// Where it was built, as its provenance says: the server verified that one of the policy's issuers signed that, and
    /// that it is of what is to be signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The envelope of the provenance; only with `?include=provenance`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance_envelope: Option<Base64>,
    /// When it was signed, denied or failed (RFC 3339, UTC).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<String>,
    /// When it stops waiting for approvals (RFC 3339, UTC); absent where it waits for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// How many approvals it takes.
    pub approvals_required: u32,
    /// Of which roles the next approval has to come; absent where any approver will do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_role_uuids: Option<Vec<RoleId>>,
    /// Whether it waits, and the rules take an approval of the session that asks.
    #[serde(default)]
    pub may_approve: bool,
    /// What people have decided, oldest first.
    pub approvals: Vec<Approval>,
    /// The pre-approval that stood in for its approvals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pre_approval_uuid: Option<ProposalId>,
    /// The failed request that it repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats_uuid: Option<SigningRequestId>,
    /// The proof that the signature is in the transparency log; null until a checkpoint covers it, within a second.
    #[serde(default)]
    pub inclusion_proof: Option<InclusionProof>,
    /// How many bytes were uploaded; absent where digests alone were submitted, so that nobody here has seen the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_size: Option<u64>,
    /// The payload; only with `?include=uploadData`, and where it was uploaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_data: Option<Base64>,
    /// What is in the payload; only with `?include=contents`, and where it was uploaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<UploadContents>,
    /// What is new in a manifest; only with `?include=contents`, and for whoever may approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_changes: Option<ManifestChanges>,
}
