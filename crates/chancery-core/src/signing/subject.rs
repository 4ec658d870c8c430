//! What a submission hands in: one of a payload, a digest and a manifest, within its policy's limits.

use std::sync::Arc;

use chancery_types::{Base64, wire::signing_requests::ManifestItem};

use super::{algorithms::Choice, formats, policy_rules, target::Target};
use crate::{Error, Limits, Result};

/// What is to be signed, as it was submitted.
pub(super) enum Subject {
    Payload(Arc<Vec<u8>>),
    Digest(Vec<u8>),
    Manifest(Vec<ManifestItem>),
}

impl Subject {
    /// One of payload, digest and items.
    pub(super) fn of(
        upload_data: Option<Base64>,
        digest: Option<Base64>,
        items: Option<Vec<ManifestItem>>,
    ) -> Result<Self> {
        match (upload_data, digest, items) {
            (Some(Base64(payload)), None, None) => Ok(Self::Payload(Arc::new(payload))),
            (None, Some(Base64(digest)), None) => Ok(Self::Digest(digest)),
            (None, None, Some(items)) => Ok(Self::Manifest(items)),
            (None, None, None) => Err(Error::malformed("/uploadData", "Either uploadData, digest or items is needed.")),
            (Some(_), Some(_), _) => Err(Error::value("/digest", "Either uploadData or digest is given, not both.")),
            (_, _, Some(_)) => Err(Error::value("/items", "items stand in the place of uploadData and digest.")),
        }
    }

    /// Whether the policy and the key take it.
    pub(super) fn check(&self, target: &Target, limits: &Limits) -> Result<()> {
        let Choice { format, hash, .. } = target.policy.choice;
        let size_max = target.policy.rules.max_size;
        match self {
            Self::Payload(payload) if size_max.is_some_and(|max| payload.len() as u64 > max) => {
                let max = size_max.unwrap_or_default();
                Err(Error::too_large("/uploadData", format!("The policy takes payloads of at most {max} bytes.")))
            }
            Self::Manifest(_) if size_max.is_some() => {
                Err(Error::value("/items", "The policy limits the size of payloads, which digests do not tell."))
            }
            Self::Manifest(_)
                if formats::needs_payload(format, target.signer.credential.scheme(target.policy.choice)?) =>
            {
                Err(Error::value("/items", "This service's key signs messages, not digests."))
            }
            Self::Manifest(items) => policy_rules::check_count(&target.policy.rules, items.len()),
            Self::Digest(_) if size_max.is_some() => {
                let message =
                    "The policy limits the size of payloads, which a digest does not tell; uploadData is needed.";
                Err(Error::value("/digest", message))
            }
            Self::Payload(payload) if payload.len() > limits.payload_max => {
                let message = format!("A payload has at most {} bytes; larger ones go by digest.", limits.payload_max);
                Err(Error::too_large("/uploadData", message))
            }
            Self::Payload(_) => Ok(()),
            Self::Digest(_)
                if formats::needs_payload(format, target.signer.credential.scheme(target.policy.choice)?) =>
            {
                let message = "This service's key signs messages, not digests; uploadData is needed.";
                Err(Error::value("/digest", message))
            }
            Self::Digest(digest) if digest.len() != hash.digest_len() => {
                let message = format!("A digest of {hash} has {} bytes, not {}.", hash.digest_len(), digest.len());
                Err(Error::value("/digest", message))
            }
            Self::Digest(_) => Ok(()),
        }
    }
}
