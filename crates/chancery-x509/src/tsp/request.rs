//! What is asked of a time-stamping authority (RFC 3161, 2.4.1).

use chancery_keys::Digest;
use chancery_types::HashType;
use der::{
    Any, Decode, Sequence,
    asn1::{Int, ObjectIdentifier, OctetString},
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::ext::Extension;

use super::{
    oid::Oid,
    response::{FailInfo, Rejection},
};

/// Bytes of a nonce at most: clients send 8 to 20.
const NONCE_MAX: usize = 128;

/// ```text
/// TimeStampReq ::= SEQUENCE {
///   version        INTEGER { v1(1) },
///   messageImprint MessageImprint,
///   reqPolicy      TSAPolicyId OPTIONAL,
///   nonce          INTEGER OPTIONAL,
///   certReq        BOOLEAN DEFAULT FALSE,
///   extensions     [0] IMPLICIT Extensions OPTIONAL }
/// ```
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Debug, Sequence)]
pub struct TimeStampReq {
    pub version: u8,
    pub message_imprint: MessageImprint,
    #[asn1(optional = "true")]
    pub req_policy: Option<Oid>,
    #[asn1(optional = "true")]
    pub nonce: Option<Int>,
    #[asn1(default = "Default::default")]
    pub cert_req: bool,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true", optional = "true")]
    pub extensions: Option<Vec<Extension>>,
}

/// ```text
/// MessageImprint ::= SEQUENCE { hashAlgorithm AlgorithmIdentifier, hashedMessage OCTET STRING }
/// ```
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Clone, Debug, PartialEq, Eq, Sequence)]
pub struct MessageImprint {
    pub hash_algorithm: AlgorithmIdentifierOwned,
    pub hashed_message: OctetString,
}

/// The hashes that a stamp may rest on for as long as it is to last. SHA-1 and MD5 are not among them.
const HASHES: [(HashType, ObjectIdentifier); 6] = [
    (HashType::Sha2_256, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1")),
    (HashType::Sha2_384, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2")),
    (HashType::Sha2_512, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3")),
    (HashType::Sha3_256, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.8")),
    (HashType::Sha3_384, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.9")),
    (HashType::Sha3_512, ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.10")),
];

/// The hash that an identifier names.
pub fn hash_of(oid: ObjectIdentifier) -> Option<HashType> {
    HASHES.iter().find(|(_, known)| *known == oid).map(|(hash, _)| *hash)
}

impl MessageImprint {
    /// Of a digest by one of the hashes above, written as most do.
    pub fn of(digest: &Digest) -> der::Result<Self> {
        let known = HASHES.iter().find(|(hash, _)| *hash == digest.hash());
        let (_, oid) = known.ok_or_else(|| der::Error::from(der::ErrorKind::Failed))?;
        Ok(Self {
            hash_algorithm: AlgorithmIdentifierOwned { oid: *oid, parameters: Some(Any::null()) },
            hashed_message: OctetString::new(digest.as_bytes())?,
        })
    }

    fn check(&self) -> Result<(), Rejection> {
        let known = hash_of(self.hash_algorithm.oid);
        let bare = self.hash_algorithm.parameters.as_ref().is_none_or(|parameters| *parameters == Any::null());
        let Some(hash) = known.filter(|_| bare) else {
            let message = "The imprint is by SHA-256, SHA-384, SHA-512 or SHA-3 of these lengths.";
            return Err(Rejection::new(FailInfo::BadAlg, message));
        };
        if self.hashed_message.as_bytes().len() != hash.digest_len() {
            return Err(Rejection::new(FailInfo::BadDataFormat, "The imprint is not as long as its hash."));
        }
        Ok(())
    }
}

/// Reads a request; what one authority answers and another does not is left to the authority.
pub fn read(der: &[u8]) -> Result<TimeStampReq, Rejection> {
    let request = TimeStampReq::from_der(der)
        .map_err(|_| Rejection::new(FailInfo::BadDataFormat, "This is no TimeStampReq in DER."))?;
    if request.version != 1 {
        return Err(Rejection::new(FailInfo::BadRequest, "The version of a request is 1."));
    }
    request.message_imprint.check()?;
    if request.nonce.as_ref().is_some_and(|nonce| nonce.as_bytes().len() > NONCE_MAX) {
        return Err(Rejection::new(FailInfo::BadRequest, "A nonce has at most 128 bytes."));
    }
    // Whether critical or not (RFC 3161, 2.4.1).
    if request.extensions.is_some() {
        return Err(Rejection::new(FailInfo::UnacceptedExtension, "No extension is known here."));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use chancery_testkit::Tool;
    use der::Encode;

    use super::*;

    fn query(options: &str) -> Vec<u8> {
        let tool = Tool::new("openssl").args(["ts", "-query", "-data", "/dev/null"]).args(options.split(' '));
        tool.run().stdout
    }

    fn refused(der: &[u8]) -> FailInfo {
        read(der).unwrap_err().failure
    }

    #[test]
    fn what_openssl_asks_is_read() {
        let request = read(&query("-sha256 -cert -tspolicy 2.25.77")).unwrap();
        assert_eq!(request.req_policy, Some("2.25.77".parse().unwrap()));
        assert!(request.cert_req && request.nonce.is_some());
        let request = read(&query("-sha3-512 -no_nonce")).unwrap();
        assert!(!request.cert_req && request.nonce.is_none());
        for hash in ["-sha384", "-sha512", "-sha3-256", "-sha3-384"] {
            read(&query(hash)).unwrap();
        }
        for hash in ["-sha1", "-md5", "-sha224", "-ripemd160", "-sha512-256"] {
            assert_eq!(refused(&query(hash)), FailInfo::BadAlg, "{hash}");
        }
    }

    #[test]
    fn what_is_not_as_it_should_be_has_its_reason() {
        let good = || read(&query("-sha256")).unwrap();
        let refused_with = |change: fn(&mut TimeStampReq)| {
            let mut request = good();
            change(&mut request);
            refused(&request.to_der().unwrap())
        };
        assert_eq!(refused_with(|request| request.version = 2), FailInfo::BadRequest);
        assert_eq!(refused_with(|request| request.nonce = Some(Int::new(&[1; 129]).unwrap())), FailInfo::BadRequest);
        assert_eq!(refused_with(|request| request.extensions = Some(Vec::new())), FailInfo::UnacceptedExtension);
        let short = |request: &mut TimeStampReq| {
            request.message_imprint.hashed_message = OctetString::new([0; 31]).unwrap();
        };
        assert_eq!(refused_with(short), FailInfo::BadDataFormat);
        let parameters = |request: &mut TimeStampReq| {
            request.message_imprint.hash_algorithm.parameters = Some(Any::from_der(&[2, 1, 1]).unwrap());
        };
        assert_eq!(refused_with(parameters), FailInfo::BadAlg);
        for none in [&b""[..], b"{}", &good().to_der().unwrap()[1..], &[0x30; 100]] {
            assert_eq!(refused(none), FailInfo::BadDataFormat);
        }
    }
}
