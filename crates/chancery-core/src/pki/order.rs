//! What certificate is wanted: a request's members, read and checked before anything is done.

pub(super) mod csr;
mod lost;
mod successor;

use std::sync::Arc;

use chancery_keys::{KeySpec, Purpose, RsaSize, SignatureScheme};
use chancery_types::{
    CertificateId, Curve, HashType, KeyId,
    wire::{
        approval::ApprovalRules,
        x509::{CertParams, KeyParams, NewKey, ValidityPeriod},
    },
};

use super::{
    alt_name::{ALT_NAMES_MAX, AltName},
    cert_profile::{Authority, CertProfile},
    certificate::Serial,
    dn::DistinguishedName,
    validity::Period,
};
use crate::{Error, Result, keys::key_type};

/// The members that `generate` and `deploy` have in common. JSON pointers in refusals start at the object that holds
/// them.
pub(crate) struct Wanted<'a> {
    pub(crate) profile: Arc<CertProfile>,
    pub(crate) issuer: Option<CertificateId>,
    pub(crate) subject: Option<&'a str>,
    pub(crate) new_key: &'a NewKey,
    pub(crate) key_params: Option<&'a KeyParams>,
    pub(crate) cert_params: &'a CertParams,
    pub(crate) trust: bool,
}

/// A certificate to be made.
pub(crate) struct Order {
    pub(crate) profile: Arc<CertProfile>,
    pub(crate) issuer: Option<CertificateId>,
    pub(crate) subject: DistinguishedName,
    /// Whether the common name, being the profile's, is followed by the beginning of the serial number.
    pub(crate) numbered: bool,
    pub(crate) alt_names: Vec<AltName>,
    /// Of the new key, or of the given one.
    pub(crate) spec: KeySpec,
    /// Whether a new key is kept.
    pub(crate) save_key: bool,
    /// The key to be certified where it is no new one.
    pub(crate) given: Option<GivenKey>,
    pub(crate) period: Period,
    /// The hash asked for; by default that of the signing key.
    pub(crate) hash: Option<HashType>,
    pub(crate) trust: bool,
    /// What the authority demands whose place it takes: so will it.
    pub(crate) inherits: Option<ApprovalRules>,
}

/// A key that exists already.
#[derive(Clone, Debug)]
pub(crate) struct GivenKey {
    /// Its SubjectPublicKeyInfo in DER.
    pub(crate) spki: Vec<u8>,
    /// Its id, if it is one of ours.
    pub(crate) id: Option<KeyId>,
}

impl Order {
    /// Reads what is wanted. In hardened mode RSA begins at 3072 bits.
    pub(crate) fn read(wanted: Wanted<'_>, hardened: bool) -> Result<Self> {
        let Wanted { profile, issuer, subject, new_key, key_params, cert_params, trust } = wanted;
        if profile.authority == Authority::Root && issuer.is_some() {
            return Err(Error::value(
                "/issuerUuid",
                "A root is self-signed; leave issuerUuid out or choose another profile.",
            ));
        }
        let profile = profile.narrowed(cert_params)?;
        let spec = kind_of_key(&profile, new_key, key_params, hardened)?;
        let asked = alt_names(cert_params.subject_alt_names.as_deref().unwrap_or_default())?;
        let numbered = subject.is_none() && (asked.is_empty() || profile.is_authority());
        let subject = match subject {
            Some(line) => line.parse(),
            None if numbered => DistinguishedName::common(begun(&profile.name)),
            // Alternative names say who a leaf is.
            None => Ok(DistinguishedName::empty()),
        };
        let subject = subject.map_err(|reason| Error::value(super::SUBJECT, reason.to_string()))?;
        Ok(Self {
            issuer,
            alt_names: profile.names(&subject, asked)?,
            numbered,
            subject,
            spec,
            save_key: new_key.save.unwrap_or(true),
            given: None,
            period: cert_params.validity_period.as_ref().map_or(Ok(profile.validity), period)?,
            hash: cert_params.hash_algorithm,
            trust,
            inherits: None,
            profile,
        })
    }

    /// What people call the certificate: the common name, or as much of the subject as a name may have; without a subject
    /// its first alternative name.
    pub(crate) fn name(&self, max: usize) -> String {
        let beside = || self.alt_names.first().filter(|_| self.subject.is_empty()).map(ToString::to_string);
        let whole = || beside().unwrap_or_else(|| self.subject.to_string()).chars().take(max).collect();
        self.subject.common_name().unwrap_or_else(whole)
    }

    /// The subject in one line, as it can be told before there is a serial number.
    pub(crate) fn subject_to_be(&self) -> String {
        let more = if self.numbered { " (and 8 digits of the serial number)" } else { "" };
        format!("{}{more}", self.subject)
    }

    /// Gives the subject the beginning of the serial number, where it is to have it.
    pub(super) fn number(&mut self, serial: Serial) -> Result<()> {
        if let Some(name) = self.subject.common_name().filter(|_| self.numbered) {
            let name = format!("{name} {}", &serial.to_hex()[..DIGITS]);
            self.subject = DistinguishedName::common(&name).map_err(Error::internal)?;
        }
        Ok(())
    }

    /// What somebody should know about the certificate that will be made.
    pub(crate) fn warnings(&self, has_public_url: bool) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.numbered {
            let text = "The request names no subject, so its common name is that of the profile and the beginning of the \
                        serial number.";
            warnings.push(text.to_owned());
        }
        if self.issuer.is_none() && self.subject.is_empty() {
            let text = "The certificate is self-signed and has no subject, so its issuer has no name, which strict verifiers \
                        refuse (RFC 5280, 4.1.2.4): name an issuer or a subject.";
            warnings.push(text.to_owned());
        }
        if self.spec == KeySpec::Rsa(RsaSize::Bits2048) {
            warnings.push("RSA with 2048 bits is weak by today's measure; 3072 or more are advised.".to_owned());
        }
        if self.given.is_none() && !self.save_key {
            let text = "newKey.save is false, so the private key is neither kept nor answered, and nobody can use the \
                        certificate; for a key that is elsewhere send a PKCS#10 request.";
            warnings.push(text.to_owned());
        }
        let urls = &self.profile.urls;
        if self.issuer.is_some() && !has_public_url && (urls.crl.is_none() || urls.issuer.is_none()) {
            warnings.push(
                "No publicUrl is configured (--public-url), so the certificate does not say where its \
                 issuer's CRL and certificate are."
                    .to_owned(),
            );
        }
        if self.trust && !self.profile.is_authority() {
            warnings.push("trustCert has no effect: only a certificate authority can issue certificates.".to_owned());
        }
        warnings
    }
}

fn kind_of_key(
    profile: &CertProfile,
    new_key: &NewKey,
    key_params: Option<&KeyParams>,
    hardened: bool,
) -> Result<KeySpec> {
    let (field, spec) = match (new_key.key_type_uuid, key_params) {
        (Some(_), Some(_)) => {
            return Err(Error::value(
                "/keyParams",
                "The key type says it all; keyParams is only for requests without one.",
            ));
        }
        (Some(id), None) => ("/newKey/keyTypeUuid", key_type::by_id(id).ok_or_else(unknown_key_type)?),
        (None, Some(params)) => ("/keyParams", by_params(params)?),
        (None, None) => {
            return Err(Error::malformed(
                "/newKey/keyTypeUuid",
                "A key type is expected: the uuid of one of the key types.",
            ));
        }
    };
    if key_type::purpose(spec) != Purpose::Sign {
        let (name, allowed) = (key_type::name(spec), key_type::names(Purpose::Sign));
        return Err(Error::value(field, format!("{name} keys do not sign; these do: {allowed}.")));
    }
    check_kind_of_key(profile, spec, field, hardened)?;
    Ok(spec)
}

/// Refuses a kind of key that the installation or the profile does not allow; `field` is where it was named.
pub(super) fn check_kind_of_key(profile: &CertProfile, spec: KeySpec, field: &str, hardened: bool) -> Result<()> {
    if hardened && spec == KeySpec::Rsa(RsaSize::Bits2048) {
        return Err(Error::selection(field, "In hardened mode RSA keys have at least 3072 bits."));
    }
    profile.check_kind_of_key(spec, field)
}

fn unknown_key_type() -> Error {
    Error::selection("/newKey/keyTypeUuid", "There is no such key type; /api/v2/key-types/stubs lists them.")
}

fn by_params(params: &KeyParams) -> Result<KeySpec> {
    let spec = KeySpec::from_parameters(params.key_algorithm, params.key_size, params.curve);
    spec.filter(|spec| key_type::all().any(|offered| offered == *spec)).ok_or_else(|| {
        let message = "There are no such keys; /api/v2/key-types/stubs lists algorithms, sizes and curves.";
        Error::selection("/keyParams", message)
    })
}

pub(super) fn period(period: &ValidityPeriod) -> Result<Period> {
    let read = Period::parse(&period.amount, period.unit);
    read.map_err(|reason| Error::value(super::AMOUNT, reason.to_string()))
}

pub(super) fn alt_names(texts: &[String]) -> Result<Vec<AltName>> {
    const FIELD: &str = super::ALT_NAMES;
    if texts.len() > ALT_NAMES_MAX {
        return Err(Error::too_large(FIELD, format!("A certificate has at most {ALT_NAMES_MAX} alternative names.")));
    }
    let read = |(index, text): (usize, &String)| {
        text.parse::<AltName>().map_err(|reason| Error::value(format!("{FIELD}/{index}"), reason.to_string()))
    };
    texts.iter().enumerate().map(read).collect()
}

/// Digits of the serial number in a common name.
const DIGITS: usize = 8;

/// As much of a profile's name as leaves room for these digits in a common name of 64 characters.
fn begun(name: &str) -> &str {
    let end = name.char_indices().nth(64 - 1 - DIGITS).map_or(name.len(), |(end, _)| end);
    name[..end].trim_end()
}

/// How a key signs certificates, CRLs and OCSP answers: never with MD5, RIPEMD-160 or SHA-1, whatever is asked for.
pub(crate) fn scheme(signer: KeySpec, hash: Option<HashType>) -> Result<SignatureScheme> {
    const FIELD: &str = "/certParams/hashAlgorithm";
    let strong = |hash: &HashType| !hash.is_weak() && SignatureScheme::for_key(signer, *hash, false).is_ok();
    let hash = hash.unwrap_or_else(|| default_hash(signer));
    if !strong(&hash) {
        let allowed: Vec<_> = HashType::ALL.iter().filter(|hash| strong(hash)).map(|hash| hash.as_str()).collect();
        let allowed = allowed.join(", ");
        return Err(Error::selection(
            FIELD,
            format!("{signer} keys sign certificates with {allowed}, not with {hash}."),
        ));
    }
    SignatureScheme::for_key(signer, hash, false)
        .map_err(|unsupported| Error::selection(FIELD, unsupported.to_string()))
}

/// The hash of a key's own strength.
pub(crate) const fn default_hash(signer: KeySpec) -> HashType {
    match signer {
        KeySpec::Ec(Curve::P384) => HashType::Sha2_384,
        KeySpec::Ec(Curve::P521) | KeySpec::Ed25519 | KeySpec::MlDsa(_) => HashType::Sha2_512,
        KeySpec::Rsa(_) | KeySpec::Ec(Curve::P256) | KeySpec::Aes(_) | KeySpec::Hmac256 => HashType::Sha2_256,
    }
}

#[cfg(test)]
mod tests;
