//! What an entry of the log says: a leaf of the tree, in the one encoding that is ever hashed.
//!
//! A leaf is one JSON object without white space, its members in the order of the structs here, digests and hashes in
//! lower-case hexadecimal, times as the interface says them. Whoever knows the facts can write the same bytes again.
//! The encoding is frozen: another one gets another `version`.

use chancery_types::{HashType, SigningFormat};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use chancery_x509::time::rfc3339;

use crate::hexadecimal;

/// Of the encoding.
const VERSION: u32 = 1;

/// Bytes of what opens an internal leaf.
pub const SALT_LEN: usize = 32;

/// A leaf as it is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Leaf {
    /// A signature was made.
    Signature(SignatureLeaf),
    /// A certificate was issued.
    Certificate(CertificateLeaf),
    /// Something that the log does not tell.
    Commitment(CommitmentLeaf),
}

/// That a signature was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignatureLeaf {
    /// Of the encoding.
    pub version: u32,
    /// When, in RFC 3339, to the second: `decidedAt` of the signing request.
    pub time: String,
    /// The form of the signature.
    pub format: SigningFormat,
    /// What hashed the content.
    pub hash: HashType,
    /// The digest of the content.
    pub digest: String,
    /// SHA-256 of the signing certificate in DER.
    pub certificate: String,
    /// SHA-256 of the signature as the signing request has it.
    pub signature: String,
}

/// That a certificate was issued.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertificateLeaf {
    /// Of the encoding.
    pub version: u32,
    /// When: the beginning of its validity.
    pub time: String,
    /// `X.509`.
    pub format: String,
    /// SHA-256 of the certificate in DER.
    pub certificate: String,
    /// SHA-256 of its issuer's certificate in DER; of itself where it is self-signed.
    pub issuer: String,
}

/// That there is something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommitmentLeaf {
    /// Of the encoding.
    pub version: u32,
    /// SHA-256 of the salt and the leaf that is not told.
    pub commitment: String,
}

/// What is to be known of a signature.
#[derive(Clone, Copy, Debug)]
pub struct SignatureFacts<'a> {
    /// Seconds since 1970 UTC.
    pub time_s: i64,
    /// The form of the signature.
    pub format: SigningFormat,
    /// What hashed the content.
    pub hash: HashType,
    /// The digest of the content.
    pub digest: &'a [u8],
    /// SHA-256 of the certificate.
    pub certificate: [u8; 32],
    /// SHA-256 of the signature.
    pub signature: [u8; 32],
}

impl Leaf {
    /// The leaf of a signature.
    pub fn of_signature(facts: SignatureFacts<'_>) -> Self {
        Self::Signature(SignatureLeaf {
            version: VERSION,
            time: rfc3339(facts.time_s),
            format: facts.format,
            hash: facts.hash,
            digest: hexadecimal(facts.digest),
            certificate: hexadecimal(&facts.certificate),
            signature: hexadecimal(&facts.signature),
        })
    }

    /// The leaf of a certificate that begins at this second.
    pub fn of_certificate(not_before_s: i64, der: &[u8], issuer_der: &[u8]) -> Self {
        Self::Certificate(CertificateLeaf {
            version: VERSION,
            time: rfc3339(not_before_s),
            format: "X.509".to_owned(),
            certificate: hexadecimal(&sha256(der)),
            issuer: hexadecimal(&sha256(issuer_der)),
        })
    }

    /// The leaf that stands for this one where the log does not tell it.
    pub fn hidden(&self, salt: &[u8; SALT_LEN]) -> serde_json::Result<Self> {
        let commitment = Sha256::new_with_prefix(salt).chain_update(self.to_bytes()?).finalize();
        Ok(Self::Commitment(CommitmentLeaf { version: VERSION, commitment: hexadecimal(&commitment) }))
    }

    /// The bytes that are hashed.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote, and nothing else.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let leaf: Self = serde_json::from_slice(bytes).ok()?;
        (leaf.to_bytes().ok()? == bytes).then_some(leaf)
    }
}

/// SHA-256.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature() -> Leaf {
        Leaf::of_signature(SignatureFacts {
            time_s: 0,
            format: SigningFormat::Cms,
            hash: HashType::Sha2_256,
            digest: &[1, 2],
            certificate: [3; 32],
            signature: [4; 32],
        })
    }

    #[test]
    fn the_encoding_is_frozen() {
        let (three, four) = ("03".repeat(32), "04".repeat(32));
        let text = |leaf: &Leaf| String::from_utf8(leaf.to_bytes().unwrap()).unwrap();
        let expected = format!(
            r#"{{"kind":"signature","version":1,"time":"1970-01-01T00:00:00Z","format":"CMS","hash":"Sha2_256","digest":"0102","certificate":"{three}","signature":"{four}"}}"#
        );
        assert_eq!(text(&signature()), expected);
        let hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"; // SHA-256 of "x"
        let expected = format!(
            r#"{{"kind":"certificate","version":1,"time":"1970-01-01T00:00:00Z","format":"X.509","certificate":"{hash}","issuer":"{hash}"}}"#
        );
        assert_eq!(text(&Leaf::of_certificate(0, b"x", b"x")), expected);
        let hidden = text(&signature().hidden(&[9; SALT_LEN]).unwrap());
        assert!(hidden.starts_with(r#"{"kind":"commitment","version":1,"commitment":""#), "{hidden}");
        assert_eq!(hidden.len(), 113, "no more than the commitment");
    }

    #[test]
    fn what_was_written_is_read_and_nothing_else() {
        let bytes = signature().to_bytes().unwrap();
        assert_eq!(Leaf::from_bytes(&bytes), Some(signature()));
        let text = String::from_utf8(bytes).unwrap();
        for other in [
            text.replace(':', ": "),
            text.replace(r#""kind":"signature","#, "").replace('}', r#","kind":"signature"}"#),
            text.replace('}', r#","name":"x"}"#),
            text.replace(r#""digest":"0102","#, ""),
        ] {
            assert_eq!(Leaf::from_bytes(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn a_hidden_leaf_depends_on_salt_and_content() {
        let hidden = |salt: u8| signature().hidden(&[salt; SALT_LEN]).unwrap();
        assert_ne!(hidden(1), hidden(2));
        assert_ne!(Leaf::of_certificate(0, b"x", b"x").hidden(&[1; SALT_LEN]).unwrap(), hidden(1));
    }
}
