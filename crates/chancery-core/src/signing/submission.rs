//! What is submitted: one of a payload, a digest and a manifest, as it is handed in and as its policy takes it.

use std::sync::Arc;

use chancery_keys::Digest;
use chancery_store::tables::signing_items::Item;
use chancery_types::{Base64, HashType, wire::signing_requests::ManifestItem};
use chancery_verify::manifest_digest;

use super::{algorithms::Choice, formats, policy_rules, target::Target};
use crate::{Error, Limits, Result, approval::hexadecimal_hint};

/// What is to be signed, as it was handed in.
pub(super) enum Submission {
    Payload(Arc<Vec<u8>>),
    Digest(Vec<u8>),
    Manifest(Vec<ManifestItem>),
}

impl Submission {
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
            Self::Digest(digest) => check_length(hash, digest).map_err(|message| Error::value("/digest", message)),
        }
    }
}

/// Refuses a digest that is none of this hash, in words.
pub(super) fn check_length(hash: HashType, digest: &[u8]) -> Result<(), String> {
    let (expected, found) = (hash.digest_len(), digest.len());
    let hint = hexadecimal_hint(digest);
    // 64 hexadecimal digits, which are a SHA-256, are 48 bytes of base64, as many as a SHA-384 has.
    if expected == found && hint.is_empty() {
        return Ok(());
    }
    if expected == found {
        return Err(format!("This is no digest of {hash}.{hint}"));
    }
    Err(format!("A digest of {hash} has {expected} bytes, not {found}.{hint}"))
}

/// What is to be signed, as its policy takes it.
pub(super) enum Contents {
    /// A payload or a digest.
    One { digest: Digest, payload: Option<Arc<Vec<u8>>>, page_hashes: Option<Vec<u8>> },
    /// The items of a manifest.
    Each(Vec<Item>),
}

/// As it is stored beside the request.
type Parts = (Option<Arc<Vec<u8>>>, Option<Vec<u8>>, Vec<Item>);

impl Contents {
    /// What people approve, and how many items a manifest has.
    pub(super) fn digest(&self) -> (Vec<u8>, usize) {
        match self {
            Self::One { digest, .. } => (digest.as_bytes().to_vec(), 0),
            Self::Each(items) => {
                let lines = items.iter().map(|item| (item.name.as_str(), item.digest.as_slice()));
                (manifest_digest(lines), items.len())
            }
        }
    }

    /// The digest that a pre-approval may be of: nobody has seen page hashes that came with one, and a digest of a text
    /// says nothing of a manifest that reads the same.
    pub(super) fn approvable(&self) -> Option<Digest> {
        match self {
            Self::One { digest, payload, page_hashes } if page_hashes.is_none() || payload.is_some() => Some(*digest),
            Self::One { .. } | Self::Each(_) => None,
        }
    }

    /// Hashes of pages that came with a digest; those of an upload follow from it.
    pub(super) fn given_page_hashes(&self) -> Option<&[u8]> {
        match self {
            Self::One { payload: None, page_hashes, .. } => page_hashes.as_deref(),
            Self::One { .. } | Self::Each(_) => None,
        }
    }

    pub(super) fn parts(&self) -> Parts {
        match self {
            Self::One { payload, page_hashes, .. } => (payload.clone(), page_hashes.clone(), Vec::new()),
            Self::Each(items) => (None, None, items.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use chancery_keys::hash;

    use super::*;

    #[test]
    fn a_digest_in_hexadecimal_is_none_of_a_longer_hash() {
        let digest = hash(HashType::Sha2_256, b"x");
        let Base64(taken) = Base64::decode(&hex::encode(digest.as_bytes())).unwrap();
        for with in [HashType::Sha2_256, HashType::Sha2_384] {
            let refusal = check_length(with, &taken).unwrap_err();
            assert!(refusal.contains("this looks like hexadecimal"), "{refusal}");
        }
        let longer = hash(HashType::Sha2_384, b"x");
        assert_eq!(check_length(HashType::Sha2_384, longer.as_bytes()), Ok(()));
        let refusal = check_length(HashType::Sha2_256, longer.as_bytes()).unwrap_err();
        assert!(!refusal.contains("hexadecimal"), "{refusal}");
    }
}
