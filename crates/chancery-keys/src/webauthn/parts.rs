//! What a browser and an authenticator say: client data (WebAuthn Level 3, 5.8.1) and authenticator data (6.1).

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;

use super::{
    NotGenuine, RelyingParty,
    cbor::{Key, Reader},
    cose,
};
use crate::is_same_hash;

/// Bytes of client data: those of browsers have some 200, and may have more members in time.
const CLIENT_DATA_MAX: usize = 4_096;

/// Bytes of an attestation object, and of authenticator data: statements with certificates have some 2,000.
const ATTESTATION_MAX: usize = 16_384;

/// Bytes of the name of a credential (WebAuthn Level 3, 7.1, step 26).
const CREDENTIAL_ID_MAX: usize = 1_023;

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ceremony {
    Create,
    Get,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: Option<bool>,
    /// Of the page around a frame: whatever it is.
    top_origin: Option<serde::de::IgnoredAny>,
}

/// Whether a browser says that it did this for this site with this challenge (7.1, steps 5 to 11; 7.2, steps 8 to 14).
pub(super) fn check_client_data(
    bytes: &[u8],
    ceremony: Ceremony,
    party: &RelyingParty,
    challenge: &[u8],
) -> Result<(), NotGenuine> {
    if bytes.len() > CLIENT_DATA_MAX {
        return Err(NotGenuine::Form);
    }
    let data: ClientData = serde_json::from_slice(bytes).map_err(|_| NotGenuine::Form)?;
    let expected = match ceremony {
        Ceremony::Create => "webauthn.create",
        Ceremony::Get => "webauthn.get",
    };
    if data.r#type != expected {
        return Err(NotGenuine::Type);
    }
    // As text: there is one spelling of a challenge.
    if !is_same_hash(data.challenge.as_bytes(), URL_SAFE_NO_PAD.encode(challenge).as_bytes()) {
        return Err(NotGenuine::Challenge);
    }
    // A page of somebody else may have us in a frame.
    if data.origin != party.origin() || data.cross_origin == Some(true) || data.top_origin.is_some() {
        return Err(NotGenuine::Origin);
    }
    Ok(())
}

/// What an authenticator says of itself and of what it was asked.
pub(super) struct AuthenticatorData<'a> {
    pub(super) sign_count: u32,
    pub(super) is_backup_eligible: bool,
    flags: u8,
    /// Behind the counter.
    rest: &'a [u8],
}

/// A new credential (6.5.1).
pub(super) struct Attested<'a> {
    pub(super) credential_id: &'a [u8],
    pub(super) public_key: Vec<u8>,
}

mod flag {
    pub(super) const USER_PRESENT: u8 = 1;
    pub(super) const USER_VERIFIED: u8 = 1 << 2;
    pub(super) const BACKUP_ELIGIBLE: u8 = 1 << 3;
    pub(super) const BACKED_UP: u8 = 1 << 4;
    pub(super) const ATTESTED: u8 = 1 << 6;
    pub(super) const EXTENSIONS: u8 = 1 << 7;
}

impl<'a> AuthenticatorData<'a> {
    /// Reads what is for this site; who held the authenticator was there, and was recognised by it.
    pub(super) fn read(bytes: &'a [u8], party: &RelyingParty) -> Result<Self, NotGenuine> {
        if bytes.len() > ATTESTATION_MAX {
            return Err(NotGenuine::Form);
        }
        let (rp_id_hash, rest) = bytes.split_first_chunk::<32>().ok_or(NotGenuine::Form)?;
        let (&[flags, a, b, c, d], rest) = rest.split_first_chunk::<5>().ok_or(NotGenuine::Form)?;
        if *rp_id_hash != party.id_hash() {
            return Err(NotGenuine::RelyingParty);
        }
        if flags & flag::USER_PRESENT == 0 {
            return Err(NotGenuine::NotPresent);
        }
        if flags & flag::USER_VERIFIED == 0 {
            return Err(NotGenuine::NotVerified);
        }
        let is_backup_eligible = flags & flag::BACKUP_ELIGIBLE != 0;
        if flags & flag::BACKED_UP != 0 && !is_backup_eligible {
            return Err(NotGenuine::Form);
        }
        Ok(Self { sign_count: u32::from_be_bytes([a, b, c, d]), is_backup_eligible, flags, rest })
    }

    /// The new credential that it names.
    pub(super) fn attested(&self) -> Result<Attested<'a>, NotGenuine> {
        if self.flags & flag::ATTESTED == 0 {
            return Err(NotGenuine::Form);
        }
        // The model of the authenticator (AAGUID) is what nobody has signed here.
        let (_, rest) = self.rest.split_first_chunk::<16>().ok_or(NotGenuine::Form)?;
        let (len, rest) = rest.split_first_chunk::<2>().ok_or(NotGenuine::Form)?;
        let len = usize::from(u16::from_be_bytes(*len));
        if !(1..=CREDENTIAL_ID_MAX).contains(&len) {
            return Err(NotGenuine::Form);
        }
        let (credential_id, rest) = rest.split_at_checked(len).ok_or(NotGenuine::Form)?;
        let (public_key, rest) = cose::read(rest).ok_or(NotGenuine::Key)?;
        self.check_end(rest)?;
        Ok(Attested { credential_id, public_key })
    }

    /// Whether nothing but what the flags say stands behind the counter of an assertion.
    pub(super) fn check_assertion(&self) -> Result<(), NotGenuine> {
        if self.flags & flag::ATTESTED != 0 {
            return Err(NotGenuine::Form);
        }
        self.check_end(self.rest)
    }

    /// Extensions, where the flags say so, and nothing else. None is asked for.
    fn check_end(&self, rest: &[u8]) -> Result<(), NotGenuine> {
        let mut reader = Reader::new(rest);
        if self.flags & flag::EXTENSIONS != 0 {
            reader.clone().map().and_then(|_| reader.skip()).ok_or(NotGenuine::Form)?;
        }
        if reader.rest().is_empty() { Ok(()) } else { Err(NotGenuine::Form) }
    }
}

/// The authenticator data of an attestation object (6.5.4). The statement is passed over: none is asked for.
pub(super) fn authenticator_data(attestation_object: &[u8]) -> Option<&[u8]> {
    if attestation_object.len() > ATTESTATION_MAX {
        return None;
    }
    let mut reader = Reader::new(attestation_object);
    let (mut has_format, mut has_statement, mut data) = (false, false, None);
    for _ in 0..reader.map()? {
        match reader.key()? {
            Key::Text("fmt") if !has_format => {
                reader.text()?;
                has_format = true;
            }
            Key::Text("attStmt") if !has_statement => {
                reader.clone().map()?;
                reader.skip()?;
                has_statement = true;
            }
            Key::Text("authData") if data.is_none() => data = Some(reader.bytes()?),
            Key::Text(_) | Key::Number(_) => return None,
        }
    }
    data.filter(|_| has_format && has_statement && reader.rest().is_empty())
}
