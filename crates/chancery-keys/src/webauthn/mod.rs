//! Passkeys (Web Authentication Level 3): whether one was made for this site, and whether one has signed a challenge.
//!
//! Small, because less is needed than there is: no attestation is asked for or looked at, so nothing is known of the
//! make of an authenticator; whoever uses it is always recognised by it (user verification); no page in a frame of
//! another site takes part; and three algorithms are all that is taken.

mod cbor;
mod cose;
mod parts;

use chancery_types::{Curve, HashType};
use thiserror::Error;

pub use self::cose::PASSKEY_ALGORITHMS;
use self::parts::{AuthenticatorData, Ceremony, authenticator_data, check_client_data};
use crate::{Input, KeySpec, SignatureScheme, WeakKey, check_public_key, hash, kind_of_public_key, verify};

/// Why an origin has no passkeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoPasskeys {
    /// Browsers offer them on https alone.
    #[error("passkeys are for pages that begin with https://")]
    Scheme,
    /// Addresses change hands.
    #[error("passkeys are for a DNS name, and for no IP address")]
    Host,
}

/// The site that passkeys are for, as its address says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelyingParty {
    origin: String,
    id: String,
}

/// Why something does not come from a passkey of this site, or not for this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotGenuine {
    /// Cut, too long, or in no form that authenticators write.
    #[error("it cannot be read")]
    Form,
    /// A registration in the place of an assertion, or the other way.
    #[error("it is of another ceremony")]
    Type,
    /// Of something else, or of another time.
    #[error("it is of another challenge")]
    Challenge,
    /// Of another site, or of one in a frame.
    #[error("it was made on a page of another origin")]
    Origin,
    /// For another site.
    #[error("it is for another relying party")]
    RelyingParty,
    /// Nobody touched the authenticator.
    #[error("nobody was present")]
    NotPresent,
    /// Neither PIN nor finger.
    #[error("the user was not verified")]
    NotVerified,
    /// Of an algorithm that was not asked for, or such that anybody could sign with it.
    #[error("the public key is none that is taken")]
    Key,
    /// It was one that can be copied to other devices, and is none now, or the other way.
    #[error("whether it can be copied is not as it was")]
    Backup,
    /// Two have the same key: one of them is a copy.
    #[error("its counter has not grown, so there is a copy of it")]
    SignCount,
    /// Changed, or made with another key.
    #[error("the signature is wrong")]
    Signature,
}

impl RelyingParty {
    /// The site at this origin: `https`, a DNS name, and perhaps a port.
    pub fn of_origin(origin: &str) -> Result<Self, NoPasskeys> {
        let origin = origin.trim_end_matches('/').to_ascii_lowercase();
        let authority = origin.strip_prefix("https://").ok_or(NoPasskeys::Scheme)?;
        let (id, port) = match authority.rsplit_once(':') {
            Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, Some(port)),
            Some(_) => return Err(NoPasskeys::Host),
            None => (authority, None),
        };
        let is_label = |label: &str| {
            !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        // What ends with a number is an IPv4 address to browsers, in whatever form.
        let last = id.rsplit('.').next().unwrap_or_default();
        let is_name = id.split('.').all(is_label) && !last.bytes().all(|byte| byte.is_ascii_digit());
        if !is_name || last.starts_with("0x") {
            return Err(NoPasskeys::Host);
        }
        let id = id.to_owned();
        // Browsers leave out the port that goes without saying.
        let origin = match port {
            None | Some("443") => format!("https://{id}"),
            Some(port) => format!("https://{id}:{port}"),
        };
        Ok(Self { origin, id })
    }

    /// What browsers say of where a page is from.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Its name among passkeys: the host.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    fn id_hash(&self) -> [u8; 32] {
        sha256(self.id.as_bytes())
    }
}

/// What a browser answers where a passkey was made.
#[derive(Clone, Copy, Debug)]
pub struct Registration<'a> {
    /// `clientDataJSON`.
    pub client_data: &'a [u8],
    /// `attestationObject`.
    pub attestation_object: &'a [u8],
}

/// What a browser answers where a passkey has signed.
#[derive(Clone, Copy, Debug)]
pub struct Assertion<'a> {
    /// `clientDataJSON`.
    pub client_data: &'a [u8],
    /// `authenticatorData`.
    pub authenticator_data: &'a [u8],
    /// `signature`.
    pub signature: &'a [u8],
}

/// A passkey that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPasskey {
    /// By which the authenticator knows it.
    pub credential_id: Vec<u8>,
    /// SubjectPublicKeyInfo in DER.
    pub public_key: Vec<u8>,
    /// Its counter.
    pub sign_count: SignCount,
    /// Whether it can be copied to other devices.
    pub is_backup_eligible: bool,
}

/// What is known of a passkey that is to have signed.
#[derive(Clone, Copy, Debug)]
pub struct Passkey<'a> {
    /// SubjectPublicKeyInfo in DER.
    pub public_key: &'a [u8],
    /// Whether it can be copied; none where that is not known.
    pub is_backup_eligible: Option<bool>,
}

/// How often a passkey has signed; 0 for ever of those that do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignCount(pub u32);

impl SignCount {
    /// Refuses what is not more than before (7.2, step 22), unless it never counts.
    pub fn follows(self, before: Self) -> Result<(), NotGenuine> {
        if self.0 > before.0 || (self.0 == 0 && before.0 == 0) { Ok(()) } else { Err(NotGenuine::SignCount) }
    }
}

/// Why a public key is none of a passkey; reads on after `the key`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoPasskeyKey {
    /// Of an algorithm that is not asked for, or no key at all.
    #[error("is no public key (SubjectPublicKeyInfo in DER) of a kind that passkeys have: P-256, Ed25519 or RSA")]
    Kind,
    /// Not its owner's alone.
    #[error(transparent)]
    Weak(#[from] WeakKey),
}

/// Refuses a SubjectPublicKeyInfo in DER with which no passkey signs, or with which anybody could.
pub fn check_passkey_key(public_key: &[u8]) -> Result<(), NoPasskeyKey> {
    scheme_of(public_key).ok_or(NoPasskeyKey::Kind)?;
    Ok(check_public_key(public_key)?)
}

/// Whether a passkey was made on a page of this site for this challenge (WebAuthn Level 3, 7.1).
pub fn verify_registration(
    party: &RelyingParty,
    challenge: &[u8],
    registration: Registration<'_>,
) -> Result<NewPasskey, NotGenuine> {
    check_client_data(registration.client_data, Ceremony::Create, party, challenge)?;
    let data = authenticator_data(registration.attestation_object).ok_or(NotGenuine::Form)?;
    let data = AuthenticatorData::read(data, party)?;
    let attested = data.attested()?;
    check_passkey_key(&attested.public_key).map_err(|_| NotGenuine::Key)?;
    Ok(NewPasskey {
        credential_id: attested.credential_id.to_vec(),
        public_key: attested.public_key,
        sign_count: SignCount(data.sign_count),
        is_backup_eligible: data.is_backup_eligible,
    })
}

/// Whether this passkey has signed this challenge on a page of this site (WebAuthn Level 3, 7.2). Its counter is for the
/// caller to compare.
pub fn verify_assertion(
    party: &RelyingParty,
    challenge: &[u8],
    passkey: Passkey<'_>,
    assertion: Assertion<'_>,
) -> Result<SignCount, NotGenuine> {
    check_client_data(assertion.client_data, Ceremony::Get, party, challenge)?;
    let data = AuthenticatorData::read(assertion.authenticator_data, party)?;
    data.check_assertion()?;
    if passkey.is_backup_eligible.is_some_and(|known| known != data.is_backup_eligible) {
        return Err(NotGenuine::Backup);
    }
    let scheme = scheme_of(passkey.public_key).ok_or(NotGenuine::Key)?;
    let message = [assertion.authenticator_data, &sha256(assertion.client_data)].concat();
    verify(passkey.public_key, scheme, Input::Message(&message), assertion.signature)
        .map_err(|_| NotGenuine::Signature)?;
    Ok(SignCount(data.sign_count))
}

/// How a key signs: as a passkey it has one algorithm.
fn scheme_of(public_key: &[u8]) -> Option<SignatureScheme> {
    let spec = kind_of_public_key(public_key)?;
    let hash = match spec {
        KeySpec::Ec(Curve::P256) | KeySpec::Rsa(_) => HashType::Sha2_256,
        // It is the one inside of the signature, and none is chosen.
        KeySpec::Ed25519 => HashType::Sha2_512,
        KeySpec::Ec(Curve::P384 | Curve::P521) | KeySpec::MlDsa(_) | KeySpec::Aes(_) | KeySpec::Hmac256 => return None,
    };
    SignatureScheme::for_key(spec, hash, false).ok()
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let digest = hash(HashType::Sha2_256, bytes);
    digest.as_bytes().try_into().expect("SHA-256 has 32 bytes")
}

#[cfg(test)]
mod tests;
