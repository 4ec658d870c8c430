//! X.509 certificates (RFC 5280, 4.1): serial numbers, what an issuer lends to those below it, and the signed whole.

use chancery_types::CertKeyUsage;
use der::{
    Decode, Encode, Sequence, Tag, Tagged,
    asn1::{AnyRef, BitString, ObjectIdentifier, OctetString},
    oid::AssociatedOid,
};
use sha2::{Digest, Sha256};
use spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::{
    ext::{
        Extension,
        pkix::{AuthorityKeyIdentifier, BasicConstraints, KeyUsages, SubjectKeyIdentifier, name::GeneralName},
    },
    name::Name,
    serial_number::SerialNumber,
};

use crate::{
    name_constraints::{self, Breach, NameConstraints},
    validity::Validity,
};

/// id-pkix-ocsp-nocheck (RFC 6960, 4.2.2.2.1).
pub const OCSP_NO_CHECK: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.48.1.5");

/// TLS servers (RFC 5280, 4.2.1.12).
pub const SERVER_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
/// TLS clients.
pub const CLIENT_AUTH: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");
/// Code signing.
pub const CODE_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3");
/// Time stamping.
pub const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");
/// OCSP responders.
pub const OCSP_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.9");

/// A serial number. Ours have 20 bytes of which 158 bits are random: the top bit is clear, so that the number is positive,
/// and the next one is set, so that it always has 20 bytes and is never zero. Those of certificates from elsewhere may be
/// shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Serial {
    bytes: [u8; 20],
    len: usize,
}

impl Serial {
    /// Shapes random bytes into a serial number.
    pub const fn from_random(mut bytes: [u8; 20]) -> Self {
        bytes[0] = bytes[0] & 0x3f | 0x40;
        Self { bytes, len: bytes.len() }
    }

    /// Reads a serial number back from the store.
    pub fn from_hex(text: &str) -> Option<Self> {
        let read = hex::decode(text).ok()?;
        let mut bytes = [0; 20];
        bytes.get_mut(..read.len()).filter(|bytes| !bytes.is_empty())?.copy_from_slice(&read);
        Some(Self { bytes, len: read.len() })
    }

    /// Upper-case hexadecimal digits, as OpenSSL prints them.
    pub fn to_hex(self) -> String {
        hex::encode_upper(self.as_bytes())
    }

    /// The number, most significant byte first.
    pub const fn as_bytes(&self) -> &[u8] {
        self.bytes.split_at(self.len).0
    }

    /// As certificates have it.
    pub fn to_x509(self) -> der::Result<SerialNumber> {
        SerialNumber::new(self.as_bytes())
    }
}

/// A serial number as the store has it: the byte that only says that the number is positive is left out.
pub fn serial_text(serial: &SerialNumber) -> String {
    match serial.as_bytes() {
        [0, rest @ ..] if !rest.is_empty() => hex::encode_upper(rest),
        bytes => hex::encode_upper(bytes),
    }
}

/// What an issuer lends to the certificates that it signs.
#[derive(Clone, Debug)]
pub struct Issuer {
    /// Its subject.
    pub name: Name,
    /// Its subject key identifier, or what stands for it where it has none.
    pub key_identifier: Vec<u8>,
    /// From when until when it is valid.
    pub validity: Validity,
    /// How many authorities may stand below it; `None` for any number.
    pub path_len: Option<u8>,
    /// Whether it may issue at all.
    pub is_authority: bool,
    /// What it and what issued it constrain of the names below.
    pub name_constraints: Vec<NameConstraints>,
}

impl Issuer {
    /// Reads an issuer off its chain, the issuer first and the root last: its path length is what all of them leave, and
    /// everybody's name constraints hold, the root's too.
    pub fn of_chain<'a>(chain: impl DoubleEndedIterator<Item = &'a [u8]>) -> der::Result<Self> {
        let mut links = chain.rev();
        let root = links.next().ok_or(der::ErrorKind::Failed)?;
        links.try_fold(Self::from_der(root)?, |above, link| {
            let own = Self::from_der(link)?;
            // What follows a change of key within one authority takes no place on a path (RFC 5280, 6.1.4, l).
            let left = above.path_len.map(|left| if own.name == above.name { left } else { left.saturating_sub(1) });
            let path_len = match (left, own.path_len) {
                (Some(left), Some(own)) => Some(left.min(own)),
                (left, own) => left.or(own),
            };
            let name_constraints = [above.name_constraints, own.name_constraints].concat();
            Ok(Self { path_len, name_constraints, ..own })
        })
    }

    /// Reads an issuer off its certificate.
    pub fn from_der(der: &[u8]) -> der::Result<Self> {
        let certificate = x509_cert::Certificate::from_der(der)?;
        let tbs = certificate.tbs_certificate();
        let second = |time: x509_cert::time::Time| {
            i64::try_from(time.to_unix_duration().as_secs()).map_err(|_| der::ErrorKind::DateTime)
        };
        let constraints = tbs.get_extension::<BasicConstraints>()?.map(|(_, constraints)| constraints);
        let key_identifier = match tbs.get_extension::<SubjectKeyIdentifier>()? {
            Some((_, identifier)) => identifier.0.into_bytes().to_vec(),
            None => key_identifier(tbs.subject_public_key_info()),
        };
        Ok(Self {
            name: tbs.subject().clone(),
            key_identifier,
            validity: Validity::between(second(tbs.validity().not_before)?, second(tbs.validity().not_after)?),
            path_len: constraints.as_ref().and_then(|constraints| constraints.path_len_constraint),
            is_authority: constraints.is_some_and(|constraints| constraints.ca),
            name_constraints: NameConstraints::of(tbs)?.into_iter().collect(),
        })
    }

    /// Whether a certificate below may bear these names. What follows a change of key within one authority may bear its
    /// name, whatever that is (RFC 5280, 6.1.3).
    pub fn check_names(&self, subject: &Name, alt_names: &[GeneralName], is_authority: bool) -> Result<(), Breach> {
        if is_authority && *subject == self.name {
            return Ok(());
        }
        name_constraints::check_new(&self.name_constraints, subject, alt_names, is_authority)
    }
}

/// `SEQUENCE { toBeSigned, signatureAlgorithm, signature }`: a certificate, a CRL or an OCSP answer.
#[expect(missing_docs, reason = "members are named as the standard names them")]
#[derive(Sequence)]
pub struct Signed {
    pub to_be_signed: der::Any,
    pub algorithm: AlgorithmIdentifierOwned,
    pub signature: BitString,
}

/// Puts a signature to what was signed.
pub fn assemble(to_be_signed: &[u8], algorithm: AlgorithmIdentifierOwned, signature: &[u8]) -> der::Result<Vec<u8>> {
    Signed { to_be_signed: der::Any::from_der(to_be_signed)?, algorithm, signature: BitString::from_bytes(signature)? }
        .to_der()
}

/// Whether a certificate's subject, read and written again, is the same bytes: reading brings the attributes of each of
/// its parts into the order that DER has them in (X.690, 11.6), whatever order they were in.
pub fn subject_stays_as_it_is(certificate: &[u8]) -> der::Result<bool> {
    let to_be_signed = Signed::from_der(certificate)?.to_be_signed.to_der()?;
    let members = Vec::<AnyRef<'_>>::from_der(&to_be_signed)?;
    // Behind the version, if there is one: serialNumber, signature, issuer, validity, subject.
    let mut members = members.iter().skip_while(|member| member.tag() != Tag::Integer);
    let subject = members.nth(4).ok_or(der::ErrorKind::Failed)?.to_der()?;
    Ok(Name::from_der(&subject)?.to_der()? == subject)
}

/// RFC 7093, method 1: the leftmost 160 bits of the SHA-256 hash of the public key's bits.
pub fn key_identifier(public_key: &SubjectPublicKeyInfoOwned) -> Vec<u8> {
    Sha256::digest(public_key.subject_public_key.raw_bytes())[..20].to_vec()
}

/// The usage as the extension has it.
pub const fn usage_bit(usage: CertKeyUsage) -> KeyUsages {
    match usage {
        CertKeyUsage::DigitalSignature => KeyUsages::DigitalSignature,
        CertKeyUsage::NonRepudiation => KeyUsages::NonRepudiation,
        CertKeyUsage::KeyEncipherment => KeyUsages::KeyEncipherment,
        CertKeyUsage::DataEncipherment => KeyUsages::DataEncipherment,
        CertKeyUsage::KeyAgreement => KeyUsages::KeyAgreement,
        CertKeyUsage::KeyCertSign => KeyUsages::KeyCertSign,
        CertKeyUsage::CrlSign => KeyUsages::CRLSign,
    }
}

/// The extension by which certificates and CRLs name the key that signed them.
pub fn authority_key_identifier(identifier: &[u8]) -> der::Result<AuthorityKeyIdentifier> {
    Ok(AuthorityKeyIdentifier { key_identifier: Some(OctetString::new(identifier)?), ..Default::default() })
}

/// Wraps an extension's value.
pub fn extension<T: AssociatedOid + Encode>(critical: bool, value: &T) -> der::Result<Extension> {
    Ok(Extension { extn_id: T::OID, critical, extn_value: OctetString::new(value.to_der()?)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_are_positive_and_have_20_bytes() {
        for bytes in [[0; 20], [0xff; 20], [0x80; 20]] {
            let serial = Serial::from_random(bytes);
            let der = serial.to_x509().unwrap().to_der().unwrap();
            assert_eq!((der[0], der[1], der[2] & 0xc0), (2, 20, 0x40), "{bytes:?}");
            assert_eq!(Serial::from_hex(&serial.to_hex()), Some(serial));
        }
    }

    #[test]
    fn serials_from_elsewhere_have_up_to_20_bytes() {
        for (bytes, text) in [(&[1][..], "01"), (&[0xb3, 1], "B301"), (&[0], "00"), (&[0x7f; 20], &"7F".repeat(20))] {
            let serial = SerialNumber::new(bytes).unwrap();
            assert_eq!(serial_text(&serial), text);
            assert_eq!(Serial::from_hex(text).unwrap().to_x509().unwrap(), serial);
        }
        for text in ["", "0", "x", &"7F".repeat(21)] {
            assert_eq!(Serial::from_hex(text), None, "{text}");
        }
    }

    #[test]
    fn a_subject_whose_attributes_are_in_another_order_does_not_stay_as_it_is() {
        let tlv = |tag: u8, value: &[u8]| [&[tag, u8::try_from(value.len()).unwrap()], value].concat();
        let attribute = |kind: u8, value: &str| {
            let (kind, value) = (tlv(0x06, &[0x55, 4, kind]), tlv(0x0c, value.as_bytes()));
            tlv(0x30, &[kind, value].concat())
        };
        let (organization, common_name) = (attribute(10, "A"), attribute(3, "Root"));
        let name = |pair: [&[u8]; 2]| tlv(0x30, &tlv(0x31, &pair.concat()));
        let (sorted, swapped) = (name([&organization, &common_name]), name([&common_name, &organization]));
        let certificate = |version: &[u8], issuer: &[u8], subject: &[u8]| {
            let (serial, algorithm, other) = (tlv(0x02, &[1]), tlv(0x30, &[0x06, 3, 0x2b, 101, 112]), tlv(0x30, &[]));
            let members = [version, &serial, &algorithm, issuer, &other, subject, &other].concat();
            tlv(0x30, &[tlv(0x30, &members), algorithm, tlv(0x03, &[0])].concat())
        };
        for version in [&[][..], &[0xa0, 3, 2, 1, 2]] {
            for issuer in [&sorted, &swapped] {
                for (subject, stays) in [(&sorted, true), (&swapped, false)] {
                    assert_eq!(subject_stays_as_it_is(&certificate(version, issuer, subject)), Ok(stays));
                }
            }
        }
        assert!(subject_stays_as_it_is(&tlv(0x30, &[])).is_err());
    }
}
