//! The private key of an authority from elsewhere, and the certificate that it belongs to.

use chancery_keys::{ForeignKey, ImportError, KeySpec, Pkcs12, RsaSize, Secret};
use chancery_types::{SecretText, wire::import::ImportAuthority};
use x509_cert::ext::pkix::{KeyUsages, SubjectKeyIdentifier};

use super::{
    CERTIFICATES,
    read::{self, Foreign},
};
use crate::{Error, Limits, Result};

const KEY: &str = "/privateKey";
const PKCS12: &str = "/pkcs12";
const PASSWORD: &str = "/password";

/// A key, open only inside chancery-keys' own type, with its certificate among others.
pub(super) struct Material {
    pub(super) key: ForeignKey,
    pub(super) certificates: Vec<Foreign>,
    /// Which of them is the key's.
    pub(super) subject: usize,
    /// The member that held the key.
    pub(super) field: &'static str,
    /// Whether the key travelled encrypted.
    pub(super) encrypted: bool,
}

impl Material {
    /// Decrypts and reads what was sent, and finds the certificate of the key.
    pub(super) fn open(request: &ImportAuthority, limits: &Limits, hardened: bool) -> Result<Self> {
        let ImportAuthority { pkcs12, private_key, password, certificates } = request;
        let password = password.as_ref().map(password_bytes).transpose()?;
        let encrypted = password.is_some();
        let work_max = limits.imports.import_iterations_max;
        let (key, mut ders, field) = match (pkcs12, private_key) {
            (Some(file), None) => {
                let file = checked(file, PKCS12, limits)?;
                let password = password.ok_or_else(|| Error::malformed(PASSWORD, "A PKCS#12 file has a password."))?;
                let Pkcs12 { key, certificates } =
                    Pkcs12::open(file, &password, work_max).map_err(|why| refused(why, PKCS12))?;
                (key, certificates, PKCS12)
            }
            (None, Some(key)) => {
                let text = checked(key, KEY, limits)?;
                let key = ForeignKey::open(text, password.as_ref(), work_max).map_err(|why| refused(why, KEY))?;
                (key, Vec::new(), KEY)
            }
            (Some(_), Some(_)) => {
                return Err(Error::value(PKCS12, "Either pkcs12 or privateKey is expected, not both."));
            }
            (None, None) => {
                return Err(Error::malformed(
                    KEY,
                    "A private key is expected: privateKey, or pkcs12 with its password.",
                ));
            }
        };
        if hardened && key.spec() == KeySpec::Rsa(RsaSize::Bits2048) {
            return Err(Error::selection(field, "In hardened mode RSA keys have at least 3072 bits."));
        }
        let mut read = Vec::new();
        if let Some(text) = certificates {
            read = read::certificates(text, limits)?;
        }
        // Those of the file that were sent beside it too are there already.
        ders.retain(|der| read.iter().all(|other| other.der != *der));
        if !ders.is_empty() {
            read.extend(read::read_all(ders, field, limits)?);
        }
        let subject = own_certificate(&key, &read, field)?;
        Ok(Self { key, certificates: read, subject, field, encrypted })
    }
}

/// The one certificate whose public key is the key's: that of an authority.
fn own_certificate(key: &ForeignKey, certificates: &[Foreign], field: &'static str) -> Result<usize> {
    let own = |(_, certificate): &(usize, &Foreign)| certificate.spki == key.public_key_spki();
    let mut own = certificates.iter().enumerate().filter(own);
    let Some((place, certificate)) = own.next() else {
        return Err(Error::value(field, "The private key belongs to none of the certificates."));
    };
    if own.next().is_some() {
        let message = "Several certificates are of this private key; the one to issue by is sent alone, and the others \
                       may be imported without the key.";
        return Err(Error::value(CERTIFICATES, message));
    }
    let signs = certificate.usage.is_none_or(|usage| usage.0.contains(KeyUsages::KeyCertSign));
    if !certificate.is_authority || !signs {
        let message = "The certificate of the key is no certificate authority (basicConstraints, keyUsage); other keys \
                       are made here.";
        return Err(Error::value(CERTIFICATES, message));
    }
    certificate.check_as_issuer().map_err(|why| Error::value(CERTIFICATES, format!("The authority: {why}")))?;
    Ok(place)
}

/// What the two people should know.
pub(super) fn warnings(certificate: &Foreign, spec: KeySpec, encrypted: bool) -> Vec<String> {
    let mut warnings = vec![
        "The key existed outside of this installation: whoever had it then can issue in this authority's name. Destroy \
         all copies that are not sealed backups."
            .to_owned(),
        "Revocations from before are not known here: import the certificates that the authority issued and revoke them \
         again, before its next revocation list takes the place of the last one."
            .to_owned(),
    ];
    if !encrypted {
        warnings.push("The key was sent without a password; send it encrypted.".to_owned());
    }
    if spec == KeySpec::Rsa(RsaSize::Bits2048) {
        warnings.push("RSA with 2048 bits is weak by today's measure; 3072 or more are advised.".to_owned());
    }
    if certificate.usage.is_some_and(|usage| !usage.0.contains(KeyUsages::CRLSign)) {
        let text =
            "The authority's key usages do not allow it to sign revocation lists: relying parties will refuse them.";
        warnings.push(text.to_owned());
    }
    let identifier = certificate.parsed.tbs_certificate().get_extension::<SubjectKeyIdentifier>();
    if !matches!(identifier, Ok(Some(_))) {
        let text = "The authority's certificate has no subject key identifier, which strict relying parties demand.";
        warnings.push(text.to_owned());
    }
    warnings
}

fn checked<'a>(text: &'a SecretText, field: &'static str, limits: &Limits) -> Result<&'a str> {
    if text.expose().len() > limits.imports.import_max {
        return Err(Error::too_large(field, format!("This has at most {} bytes.", limits.imports.import_max)));
    }
    Ok(text.expose())
}

fn password_bytes(text: &SecretText) -> Result<Secret> {
    const MAX: usize = 1_024;
    let bytes = (text.expose().len() <= 2 * MAX).then(|| Secret::from_base64(text.expose())).flatten();
    bytes.ok_or_else(|| Error::malformed(PASSWORD, "A password in base64 is expected, of at most 1,024 characters."))
}

/// Where what is wrong lies.
fn refused(why: ImportError, field: &'static str) -> Error {
    let message = why.to_string();
    match why {
        ImportError::NotBase64 => Error::malformed(field, message),
        ImportError::PasswordMissing => Error::malformed(PASSWORD, message),
        ImportError::WrongPassword | ImportError::PasswordNeedless => Error::value(PASSWORD, message),
        ImportError::TooMuchWork => Error::too_large(field, message),
        ImportError::OtherPem
        | ImportError::Traditional
        | ImportError::Unreadable
        | ImportError::UnreadablePkcs12
        | ImportError::Legacy
        | ImportError::UnknownEncryption
        | ImportError::NoMac
        | ImportError::NotOneKey
        | ImportError::Kind
        | ImportError::Weak(_) => Error::value(field, message),
    }
}
