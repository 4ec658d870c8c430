//! From the bytes that were sent to certificates that can be kept.

use chancery_keys::{KeySpec, check_public_key, kind_of_public_key};
use chancery_types::hides;
use chancery_x509::{certificate::subject_stays_as_it_is, has_high_oid, has_padded_oid};
use der::{
    Decode, Encode, Reader, SliceReader, Tag, TagNumber, Tagged,
    asn1::{AnyRef, ObjectIdentifier, Utf8StringRef},
};
use sha2::{Digest, Sha256};
use x509_cert::{
    Certificate, TbsCertificate,
    ext::pkix::{
        AuthorityInfoAccessSyntax, AuthorityKeyIdentifier, BasicConstraints, CrlDistributionPoints, ExtendedKeyUsage,
        IssuerAltName, KeyUsage, SubjectAltName, SubjectInfoAccessSyntax, SubjectKeyIdentifier, name::GeneralName,
    },
    time::Time,
};

use super::{CERTIFICATES, verifiers};
use crate::{
    Error, Limits, Result,
    pki::{
        alt_name::AltName,
        certificate::{Signed, serial_text},
        csr::base64,
        dn::{DistinguishedName, FoundName},
        name_constraints::NameConstraints,
        validity::Validity,
    },
};

/// id-signedData (RFC 5652, 5.1).
const SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");

/// A certificate from elsewhere, read but not verified.
pub(super) struct Foreign {
    pub(super) der: Vec<u8>,
    pub(super) parsed: Certificate,
    pub(super) signed: Signed,
    pub(super) spki: Vec<u8>,
    pub(super) spec: KeySpec,
    pub(super) subject: FoundName,
    /// What people call it where its subject is empty: an alternative name.
    alone: Option<String>,
    pub(super) serial: String,
    pub(super) validity: Validity,
    /// Whether it says that it is a certificate authority.
    pub(super) is_authority: bool,
    /// Its key usages, where it limits them.
    pub(super) usage: Option<KeyUsage>,
}

/// Reads one text of certificates: no two alike, at least one.
pub(super) fn certificates(text: &str, limits: &Limits) -> Result<Vec<Foreign>> {
    if text.len() > limits.imports.import_max {
        return Err(Error::too_large(
            CERTIFICATES,
            format!("Certificates have at most {} bytes.", limits.imports.import_max),
        ));
    }
    read_all(ders(text, limits)?, CERTIFICATES, limits)
}

/// Reads certificates that came in the member at `field`, and leaves out what is there twice.
pub(super) fn read_all(ders: Vec<Vec<u8>>, field: &str, limits: &Limits) -> Result<Vec<Foreign>> {
    check_count(ders.len(), field, limits)?;
    let mut read: Vec<Foreign> = Vec::new();
    for (index, der) in ders.into_iter().enumerate() {
        if read.iter().all(|other| other.der != der) {
            read.push(
                Foreign::read(der).map_err(|why| {
                    Error::value(field.to_owned(), format!("Certificate number {}: {why}", index + 1))
                })?,
            );
        }
    }
    if read.is_empty() { Err(Error::value(field.to_owned(), "There is no certificate.")) } else { Ok(read) }
}

fn check_count(count: usize, field: &str, limits: &Limits) -> Result<()> {
    let max = limits.imports.import_certificates_max;
    if count <= max {
        return Ok(());
    }
    Err(Error::too_large(field.to_owned(), format!("At most {max} certificates are imported at once.")))
}

/// The certificates of a text: PEM blocks with anything between them (RFC 7468, 2), or base64.
fn ders(text: &str, limits: &Limits) -> Result<Vec<Vec<u8>>> {
    let malformed = || {
        Error::malformed(CERTIFICATES, "Certificates are expected: PEM, or DER of a certificate or PKCS#7 in base64.")
    };
    if !text.contains("-----BEGIN ") {
        let bytes = base64(text).ok_or_else(malformed)?;
        return of_block(bytes, limits);
    }
    let mut found = Vec::new();
    let mut blocks = text.split("-----BEGIN ");
    blocks.next();
    for block in blocks {
        let (label, rest) = block.split_once("-----").ok_or_else(malformed)?;
        let (inner, _) = rest.split_once(&format!("-----END {label}-----")).ok_or_else(malformed)?;
        match label {
            "CERTIFICATE" | "X509 CERTIFICATE" | "PKCS7" | "CMS" => {
                found.extend(of_block(base64(inner).ok_or_else(malformed)?, limits)?);
            }
            label if label.ends_with("PRIVATE KEY") => {
                let message = "There is a private key beside the certificates. It was not kept: leave it out here. An \
                               authority with its key is imported by POST /api/v2/x509/import-key (chancery ca import-key), \
                               which takes the key as a member of its own.";
                return Err(Error::value(CERTIFICATES, message));
            }
            _ => return Err(Error::value(CERTIFICATES, "The PEM holds something else than certificates or PKCS#7.")),
        }
        check_count(found.len(), CERTIFICATES, limits)?;
    }
    Ok(found)
}

/// A certificate, or those of PKCS#7.
fn of_block(der: Vec<u8>, limits: &Limits) -> Result<Vec<Vec<u8>>> {
    let unreadable = || Error::value(CERTIFICATES, "There are bytes that are neither a certificate nor PKCS#7 in DER.");
    let parts = Vec::<AnyRef<'_>>::from_der(&der).map_err(|_| unreadable())?;
    match parts.as_slice() {
        [content_type, content] if content_type.tag() == Tag::ObjectIdentifier => {
            let is_signed_data = content_type.decode_as::<ObjectIdentifier>() == Ok(SIGNED_DATA);
            let found =
                is_signed_data.then(|| of_signed_data(content.value(), limits.imports.import_certificates_max).ok());
            found.flatten().ok_or_else(unreadable)
        }
        _ => Ok(vec![der]),
    }
}

/// The certificates of SignedData (RFC 5652, 5.1), of which nothing else matters here; one more than `max` at most.
fn of_signed_data(der: &[u8], max: usize) -> der::Result<Vec<Vec<u8>>> {
    const SET: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber(0) };
    let parts = Vec::<AnyRef<'_>>::from_der(der)?;
    let mut found = Vec::new();
    for set in parts.iter().filter(|part| part.tag() == SET) {
        let mut reader = SliceReader::new(set.value())?;
        while !reader.is_finished() && found.len() <= max {
            found.push(AnyRef::decode(&mut reader)?.to_der()?);
        }
    }
    Ok(found)
}

/// Why a certificate is not kept.
pub(super) type Why = String;

impl Foreign {
    fn read(der: Vec<u8>) -> Result<Self, Why> {
        // As a reason, and not a refusal of its own: in an extension that nobody reads it does no harm.
        let has_high_oid = has_high_oid(&der);
        Self::read_known(der).map_err(|why| {
            let reason = " It has an object identifier that begins with 2 and a number of 40 or more, such as 2.999.1, \
                          which is not read here.";
            if has_high_oid { why + reason } else { why }
        })
    }

    fn read_known(der: Vec<u8>) -> Result<Self, Why> {
        let unreadable = |_| "this is no X.509 certificate in DER.".to_owned();
        let parsed = Certificate::from_der(&der).map_err(unreadable)?;
        let signed = Signed::from_der(&der).map_err(unreadable)?;
        if has_padded_oid(&der) {
            return Err(
                "an object identifier in it begins an arc with a zero, which is not DER (X.690, 8.19.2).".to_owned()
            );
        }
        let tbs = parsed.tbs_certificate();
        if *tbs.signature() != signed.algorithm {
            return Err("its two signature algorithms differ (RFC 5280, 4.1.1.2).".to_owned());
        }
        let spki = tbs.subject_public_key_info().to_der().map_err(unreadable)?;
        let spec = kind_of_public_key(&spki).ok_or_else(|| {
            "its key is of no kind that is known here: RSA with 2048, 3072 or 4096 bits and an exponent from 65537 to 2^33, \
             EC on P-256, P-384 or P-521 with its point uncompressed, Ed25519, or ML-DSA."
                .to_owned()
        })?;
        check_public_key(&spki).map_err(|weak| format!("its key {weak}."))?;
        let serial = tbs.serial_number();
        let positive = serial.as_bytes().first().is_some_and(|first| first & 0x80 == 0);
        let text = serial_text(serial);
        if !positive || text.len() > 40 {
            return Err("its serial number is negative or longer than 20 bytes.".to_owned());
        }
        let mut ids: Vec<_> = tbs.extensions().into_iter().flatten().map(|extension| extension.extn_id).collect();
        ids.sort_unstable();
        if ids.windows(2).any(|two| two[0] == two[1]) {
            return Err("it has an extension twice.".to_owned());
        }
        let second = |time: Time| i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
        let names = check_extensions(tbs)?;
        let constraints = tbs.get_extension::<BasicConstraints>().map_err(unreadable)?;
        let usage = tbs.get_extension::<KeyUsage>().map_err(unreadable)?;
        let is_authority = constraints.is_some_and(|(_, constraints)| constraints.ca);
        let subject = FoundName::from(tbs.subject());
        let alone = names.first().filter(|_| !is_authority).map(ToString::to_string);
        if tbs.subject().is_empty() && alone.is_none() {
            return Err("its subject is empty.".to_owned());
        }
        if has_hidden(&subject) {
            return Err("its subject has a control, format or zero-width character.".to_owned());
        }
        Ok(Self {
            spki,
            spec,
            serial: text,
            validity: Validity::between(second(tbs.validity().not_before), second(tbs.validity().not_after)),
            is_authority,
            alone: alone.filter(|_| tbs.subject().is_empty()),
            usage: usage.map(|(_, usage)| usage),
            subject,
            signed,
            der,
            parsed,
        })
    }

    /// Refuses a subject that could not stand as the issuer of what is issued here: it is copied byte for byte.
    pub(super) fn check_as_issuer(&self) -> Result<(), Why> {
        let name = self.parsed.tbs_certificate().subject();
        let refused = |why: String| format!("its subject cannot stand as an issuer: {why}");
        DistinguishedName::taken(name).map_err(|why| refused(why.to_string()))?;
        if subject_stays_as_it_is(&self.der) == Ok(true) {
            return Ok(());
        }
        Err(refused("The attributes of one of its parts are not in the order of DER (X.690, 11.6).".to_owned()))
    }

    /// SHA-256 of the whole certificate.
    pub(super) fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(&self.der).into()
    }

    /// What people call it: the common name, or else the beginning of the subject.
    pub(super) fn name(&self, max: usize) -> String {
        match &self.alone {
            Some(name) => name.chars().take(max).collect(),
            None => name_of(&self.subject, max),
        }
    }

    /// The name and the subject of its issuer, as the inventory has them.
    pub(super) fn issuer_names(&self, name_max: usize) -> (String, String) {
        let issuer = FoundName::from(self.parsed.tbs_certificate().issuer());
        (name_of(&issuer, name_max), issuer.to_string())
    }

    /// Whether it names itself as its issuer.
    pub(super) fn is_self_issued(&self) -> bool {
        self.parsed.tbs_certificate().issuer() == self.parsed.tbs_certificate().subject()
    }
}

fn name_of(subject: &FoundName, max: usize) -> String {
    subject.common_name().unwrap_or_else(|| subject.to_string()).chars().take(max).collect()
}

/// Whether a name has characters that people do not see.
fn has_hidden(name: &FoundName) -> bool {
    name.attributes().into_iter().any(|(_, value)| value.is_some_and(|text| text.chars().any(hides)))
}

/// The same of an alternative name.
fn hides_something(name: &GeneralName) -> bool {
    match name {
        GeneralName::DnsName(text) | GeneralName::Rfc822Name(text) | GeneralName::UniformResourceIdentifier(text) => {
            text.as_str().chars().any(hides)
        }
        GeneralName::DirectoryName(name) => has_hidden(&FoundName::from(name)),
        GeneralName::OtherName(name) => {
            name.value.decode_as::<Utf8StringRef<'_>>().is_ok_and(|text| text.as_str().chars().any(hides))
        }
        GeneralName::EdiPartyName(_) | GeneralName::IpAddress(_) | GeneralName::RegisteredId(_) => false,
    }
}

/// Reads every extension that is looked at when something is issued by the certificate or in its place, so that none of
/// them fails then, and those by which relying parties find their way to its issuer; of an authority also what they refuse.
/// Answers the alternative names.
fn check_extensions(tbs: &TbsCertificate) -> Result<Vec<AltName>, Why> {
    let unreadable = |name: &'static str| move |_| format!("its {name} cannot be read (RFC 5280, 4.2.1).");
    let basic = tbs.get_extension::<BasicConstraints>().map_err(unreadable("basicConstraints"))?;
    tbs.get_extension::<KeyUsage>().map_err(unreadable("keyUsage"))?;
    tbs.get_extension::<ExtendedKeyUsage>().map_err(unreadable("extKeyUsage"))?;
    tbs.get_extension::<AuthorityKeyIdentifier>().map_err(unreadable("authorityKeyIdentifier"))?;
    tbs.get_extension::<IssuerAltName>().map_err(unreadable("issuerAltName"))?;
    tbs.get_extension::<AuthorityInfoAccessSyntax>().map_err(unreadable("authorityInfoAccess"))?;
    tbs.get_extension::<SubjectInfoAccessSyntax>().map_err(unreadable("subjectInfoAccess"))?;
    tbs.get_extension::<CrlDistributionPoints>().map_err(unreadable("cRLDistributionPoints"))?;
    let constraints = NameConstraints::of(tbs);
    let constraints =
        constraints.map_err(|_| "its name constraints cannot be read (RFC 5280, 4.2.1.10).".to_owned())?;
    if constraints.is_some_and(|constraints| constraints.is_empty()) {
        return Err("its name constraints are empty (RFC 5280, 4.2.1.10).".to_owned());
    }
    let identifier = tbs.get_extension::<SubjectKeyIdentifier>().map_err(unreadable("subjectKeyIdentifier"))?;
    if identifier.is_some_and(|(_, identifier)| !IDENTIFIER_LENGTHS.contains(&identifier.0.as_bytes().len())) {
        return Err("its subjectKeyIdentifier is empty or longer than 64 bytes.".to_owned());
    }
    let names = tbs.get_extension::<SubjectAltName>().map_err(unreadable("subjectAltName"))?;
    let names = names.map(|(_, SubjectAltName(names))| names).unwrap_or_default();
    if names.iter().any(hides_something) {
        return Err("an alternative name has a control, format or zero-width character.".to_owned());
    }
    if basic.is_some_and(|(_, constraints)| constraints.ca) {
        verifiers::check(tbs)?;
    }
    Ok(names.iter().filter_map(|name| AltName::taken(name).ok()).collect())
}

/// Bytes of a subjectKeyIdentifier: a hash, as a rule of 20.
const IDENTIFIER_LENGTHS: std::ops::RangeInclusive<usize> = 1..=64;

#[cfg(test)]
mod tests {
    use super::*;

    /// An authority that OpenSSL made: C=DE, O=A+CN=Root.
    const AUTHORITY: &str = "\
        3082019130820136a003020102021438761fc2b5a3b3d3cca623ec13197c7e5e0223f3300a06082a8648ce3d0403023026310b30\
        0906035504061302444531173008060355040a0c0141300b06035504030c04526f6f74301e170d3236313133303130303535395a\
        170d3336313132373130303535395a3026310b300906035504061302444531173008060355040a0c0141300b06035504030c0452\
        6f6f743059301306072a8648ce3d020106082a8648ce3d0301070342000460375de8d240c5536da94b0ab2ca4e2e38fb1df24fb7\
        5eec49d5c7bcb733312e6edbd443f1f7822208a3efceb20c586176be55dc36b438119b39114df830a999a3423040300f0603551d\
        130101ff040530030101ff300e0603551d0f0101ff040403020106301d0603551d0e04160414e311d461bb3667049c388d09eedc\
        6fb7055babd9300a06082a8648ce3d04030203490030460221008a5279b7aefeb0b351faf374fb0528cdf42dc87b7a521837b7bc\
        778986b7226a022100ea873c961b35223f2da36459692e933c4e865593da3426e663babee7f0f5b787";

    #[test]
    fn a_subject_that_is_not_in_the_order_of_der_cannot_stand_as_an_issuer() {
        let mut der = hex::decode(AUTHORITY).unwrap();
        Foreign::read(der.clone()).unwrap().check_as_issuer().unwrap();
        // The last part of the subject begins with O. Whether the signature is good is not looked at here.
        der[136..159].rotate_left(10);
        let why = Foreign::read(der).unwrap().check_as_issuer().unwrap_err();
        assert!(why.contains("cannot stand as an issuer: The attributes of one of its parts"), "{why}");
    }
}
