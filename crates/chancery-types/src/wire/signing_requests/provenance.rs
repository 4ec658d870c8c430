//! What verified provenance says of a build.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where the files of a request were built. One of the policy's issuers signed it; texts are as it wrote them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Provenance {
    /// Which issuer, by its name in the policy at that time.
    pub issuer: String,
    /// SHA-256 of the issuer's public key (SubjectPublicKeyInfo in DER), in hexadecimal digits.
    pub issuer_key_sha256: String,
    /// `https://slsa.dev/provenance/v1` or `https://slsa.dev/provenance/v0.2`.
    pub predicate_type: String,
    /// What built it.
    pub builder_id: String,
    /// How it was built.
    pub build_type: String,
    /// This build among those of the builder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invocation_id: Option<String>,
    /// When the build began, as written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_on: Option<String>,
    /// When it ended, as written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_on: Option<String>,
    /// What it was built from: the first 20.
    pub sources: Vec<ProvenanceSource>,
    /// How many sources there are.
    pub sources_total: u32,
    /// SHA-256 of the envelope, in hexadecimal digits.
    pub envelope_sha256: String,
}

/// What something was built from, such as a repository at a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProvenanceSource {
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Its digests in hexadecimal digits, by names such as `gitCommit` and `sha256`.
    pub digest: BTreeMap<String, String>,
}
