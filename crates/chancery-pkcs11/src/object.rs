//! Objects: what a certificate and its key are to PKCS#11.

use std::collections::BTreeMap;

use chancery_types::{ServiceId, wire::signing_policies::SigningPolicy};
use cryptoki_sys::*;
use der::Encode as _;
use x509_cert::Certificate;

use crate::public_key::PublicKey;

/// An object and all its attributes.
pub(crate) struct Object {
    attributes: BTreeMap<CK_ATTRIBUTE_TYPE, Vec<u8>>,
    /// What signs, where it is a private key.
    pub(crate) key: Option<Key>,
}

/// A private key: what a service signs with.
pub(crate) struct Key {
    pub(crate) service: ServiceId,
    pub(crate) service_name: String,
    pub(crate) policies: Vec<SigningPolicy>,
    pub(crate) public: PublicKey,
    /// The same as its certificate has it.
    pub(crate) spki: Vec<u8>,
}

/// An attribute of an object.
pub(crate) enum Value<'object> {
    Is(&'object [u8]),
    /// It has one that nobody is told.
    Sensitive,
    Absent,
}

/// How an object is called: its label, and the id that a certificate and its keys share.
#[derive(Clone, Copy)]
pub(crate) struct Name<'a> {
    pub(crate) label: &'a str,
    pub(crate) id: &'a [u8],
}

/// What is secret of a private key.
const SECRETS: [CK_ATTRIBUTE_TYPE; 7] =
    [CKA_VALUE, CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT];

/// What says what is in a certificate without reading it.
const CATEGORY_OF_USER: CK_ULONG = 1;
const CATEGORY_OF_AUTHORITY: CK_ULONG = 2;

impl Object {
    /// A service's certificate, or an authority's.
    pub(crate) fn certificate(
        certificate: &Certificate,
        der: &[u8],
        name: Name<'_>,
        is_authority: bool,
    ) -> der::Result<Self> {
        let tbs = certificate.tbs_certificate();
        let category = if is_authority { CATEGORY_OF_AUTHORITY } else { CATEGORY_OF_USER };
        let object = Self::new(CKO_CERTIFICATE, name, false)
            .with(CKA_CERTIFICATE_TYPE, number(CKC_X_509))
            .with(CKA_CERTIFICATE_CATEGORY, number(category))
            .with(CKA_TRUSTED, no())
            .with(CKA_SUBJECT, tbs.subject().to_der()?)
            .with(CKA_ISSUER, tbs.issuer().to_der()?)
            .with(CKA_SERIAL_NUMBER, tbs.serial_number().to_der()?)
            .with(CKA_PUBLIC_KEY_INFO, tbs.subject_public_key_info().to_der()?)
            .with(CKA_VALUE, der.to_vec());
        Ok(object)
    }

    /// The public key of a service.
    pub(crate) fn public_key(certificate: &Certificate, public: &PublicKey, name: Name<'_>) -> der::Result<Self> {
        let object = Self::new(CKO_PUBLIC_KEY, name, false)
            .with_key(certificate, public)?
            .with(CKA_VERIFY, yes())
            .with(CKA_VERIFY_RECOVER, no())
            .with(CKA_ENCRYPT, no())
            .with(CKA_WRAP, no())
            .with(CKA_TRUSTED, no());
        Ok(object)
    }

    /// The private key of a service.
    pub(crate) fn private_key(certificate: &Certificate, key: Key, name: Name<'_>) -> der::Result<Self> {
        let mechanisms = key.mechanisms().flat_map(CK_ULONG::to_ne_bytes).collect();
        let object = Self::new(CKO_PRIVATE_KEY, name, true)
            .with_key(certificate, &key.public)?
            .with(CKA_SIGN, yes())
            .with(CKA_SIGN_RECOVER, no())
            .with(CKA_DECRYPT, no())
            .with(CKA_UNWRAP, no())
            .with(CKA_SENSITIVE, yes())
            .with(CKA_ALWAYS_SENSITIVE, yes())
            .with(CKA_EXTRACTABLE, no())
            .with(CKA_NEVER_EXTRACTABLE, yes())
            .with(CKA_ALWAYS_AUTHENTICATE, no())
            .with(CKA_WRAP_WITH_TRUSTED, no())
            .with(CKA_ALLOWED_MECHANISMS, mechanisms);
        Ok(Self { key: Some(key), ..object })
    }

    fn new(class: CK_OBJECT_CLASS, name: Name<'_>, is_private: bool) -> Self {
        Self { attributes: BTreeMap::new(), key: None }
            .with(CKA_CLASS, number(class))
            .with(CKA_TOKEN, yes())
            .with(CKA_PRIVATE, vec![CK_BBOOL::from(is_private)])
            .with(CKA_MODIFIABLE, no())
            .with(CKA_COPYABLE, no())
            .with(CKA_DESTROYABLE, no())
            .with(CKA_LABEL, name.label.as_bytes().to_vec())
            .with(CKA_ID, name.id.to_vec())
    }

    fn with(mut self, attribute: CK_ATTRIBUTE_TYPE, value: Vec<u8>) -> Self {
        self.attributes.insert(attribute, value);
        self
    }

    /// What public and private keys both have.
    fn with_key(self, certificate: &Certificate, public: &PublicKey) -> der::Result<Self> {
        let tbs = certificate.tbs_certificate();
        let object = self
            .with(CKA_SUBJECT, tbs.subject().to_der()?)
            .with(CKA_PUBLIC_KEY_INFO, tbs.subject_public_key_info().to_der()?)
            .with(CKA_DERIVE, no())
            .with(CKA_LOCAL, no())
            .with(CKA_KEY_GEN_MECHANISM, number(CK_UNAVAILABLE_INFORMATION));
        Ok(match public {
            PublicKey::Rsa { modulus, exponent } => object
                .with(CKA_KEY_TYPE, number(CKK_RSA))
                .with(CKA_MODULUS, modulus.clone())
                .with(CKA_MODULUS_BITS, number(8 * modulus.len() as CK_ULONG))
                .with(CKA_PUBLIC_EXPONENT, exponent.clone()),
            PublicKey::Ec { parameters, point, .. } => object
                .with(CKA_KEY_TYPE, number(CKK_EC))
                .with(CKA_EC_PARAMS, parameters.clone())
                .with(CKA_EC_POINT, point.clone()),
            PublicKey::Ed25519 { parameters, point } => object
                .with(CKA_KEY_TYPE, number(CKK_EC_EDWARDS))
                .with(CKA_EC_PARAMS, parameters.clone())
                .with(CKA_EC_POINT, point.clone()),
        })
    }

    pub(crate) fn value(&self, attribute: CK_ATTRIBUTE_TYPE) -> Value<'_> {
        match self.attributes.get(&attribute) {
            Some(bytes) => Value::Is(bytes),
            None if self.key.is_some() && SECRETS.contains(&attribute) => Value::Sensitive,
            None => Value::Absent,
        }
    }

    /// Whether it has all these attributes.
    pub(crate) fn is(&self, wanted: &[(CK_ATTRIBUTE_TYPE, &[u8])]) -> bool {
        wanted.iter().all(|(attribute, value)| self.attributes.get(attribute).is_some_and(|has| has == value))
    }
}

fn yes() -> Vec<u8> {
    vec![CK_TRUE]
}

fn no() -> Vec<u8> {
    vec![CK_FALSE]
}

fn number(value: CK_ULONG) -> Vec<u8> {
    value.to_ne_bytes().to_vec()
}
