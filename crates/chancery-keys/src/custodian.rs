//! The custodian: holds the keys derived from the root key, and alone seals and opens.

use aws_lc_rs::hmac;
use chancery_types::KeyId;
use thiserror::Error;

use crate::{
    BearerKey, DataKey, Failed, GenerateError, JournalKey, KeyRef, OpenError, OwnKey, Purpose, RootKey, RootKeyId,
    RowKey, RsaBatch, SealedKey, Secret, SigningKey, VaultIndex, envelope::Envelope, generate::generate, random,
    root::Derivation,
};

/// Bytes that tell the key of a ticket from those of all others.
const TICKET_SALT_LEN: usize = 16;

/// What a sealed value is, and whose: a value sealed in one context does not open in another.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The kind of value, such as `"vault message"`. Each kind has a key of its own; part of the stored format.
    pub kind: &'static str,
    /// The row it belongs to, such as the bytes of its id.
    pub row: &'a [u8],
}

/// A new key: sealed, and its public half.
pub struct Generated {
    /// The key, to be stored.
    pub sealed: SealedKey,
    /// SubjectPublicKeyInfo in DER, for keys that have a public half.
    pub public_key: Option<Vec<u8>>,
}

/// The installation was made with another root key than the one loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this is another root key than the one this installation was made with")]
pub struct OtherRootKey;

/// Seals and opens keys and other small secrets under keys derived from the root key.
pub struct Custodian {
    root_key: RootKeyId,
    derivation: Derivation,
    keys: Envelope,
    keyed_hash: hmac::Key,
    api_keys: hmac::Key,
}

impl Custodian {
    /// Derives the custodian's keys. The root key itself is wiped.
    #[expect(clippy::needless_pass_by_value, reason = "the root key ends here")]
    pub fn new(root_key: RootKey) -> Result<Self, Failed> {
        let derivation = root_key.derivation();
        let root_key = derivation.root_key_id()?;
        let keys = Envelope::new(root_key, derivation.aes_256_gcm(&[b"sealed key"])?);
        let keyed_hash = derivation.hmac_sha_256(&[b"keyed hash"])?;
        let api_keys = derivation.hmac_sha_256(&[b"api key"])?;
        Ok(Self { root_key, derivation, keys, keyed_hash, api_keys })
    }

    /// The id to store when an installation is made, for [`expect_root_key`](Self::expect_root_key).
    #[must_use]
    pub const fn root_key_id(&self) -> RootKeyId {
        self.root_key
    }

    /// Whether this is the root key that the installation was made with. To be asked at start, so that a wrong file is
    /// told then and not by the first key that does not open.
    pub fn expect_root_key(&self, stored: RootKeyId) -> Result<(), OtherRootKey> {
        if stored == self.root_key { Ok(()) } else { Err(OtherRootKey) }
    }

    /// Makes a new key. RSA takes long (up to seconds): run it where waiting harms nobody.
    pub fn generate(&self, key: KeyRef) -> Result<Generated, GenerateError> {
        if !key.spec.fits(key.purpose) {
            return Err(GenerateError::Unfit { spec: key.spec, purpose: key.purpose });
        }
        let pair = generate(key.spec)?;
        Ok(Generated { sealed: self.seal_key(key, &pair.secret)?, public_key: pair.public_key })
    }

    pub(crate) fn seal_key(&self, key: KeyRef, secret: &Secret) -> Result<SealedKey, Failed> {
        Ok(SealedKey::from_parts(key, self.keys.seal(&key.associated_data(), secret.expose())?))
    }

    /// Opens a key for signatures. Opening parses and checks the key: keep what was opened rather than open it for each
    /// signature.
    pub fn open_signing_key(&self, sealed: &SealedKey, batch: RsaBatch) -> Result<SigningKey, OpenError> {
        SigningKey::new(*sealed.key(), &self.open(sealed, Purpose::Sign)?, batch)
    }

    /// Opens a key with which an installation signs for itself.
    pub fn open_own_key(&self, sealed: &SealedKey, own: OwnKey) -> Result<SigningKey, OpenError> {
        SigningKey::new(*sealed.key(), &self.open(sealed, own.purpose())?, RsaBatch::Never)
    }

    /// Opens a key for tokens.
    pub fn open_data_key(&self, sealed: &SealedKey) -> Result<DataKey, OpenError> {
        DataKey::new(*sealed.key(), self.open(sealed, Purpose::Data)?)
    }

    /// Opens a key for bearer tokens.
    pub fn open_bearer_key(&self, sealed: &SealedKey) -> Result<BearerKey, OpenError> {
        BearerKey::new(*sealed.key(), &self.open(sealed, Purpose::Bearer)?)
    }

    /// Opens the key that authenticates rows.
    pub fn open_row_key(&self, sealed: &SealedKey) -> Result<RowKey, OpenError> {
        RowKey::new(*sealed.key(), &self.open(sealed, Purpose::Rows)?)
    }

    /// Opens the key of a journal.
    pub fn open_journal_key(&self, sealed: &SealedKey) -> Result<JournalKey, OpenError> {
        JournalKey::new(*sealed.key(), &self.open(sealed, Purpose::Journal)?)
    }

    /// Seals a key for bearer tokens anew, as another version: the seal says of which kind of database it is.
    pub fn reseal_bearer_key(&self, sealed: &SealedKey, version: u32) -> Result<SealedKey, OpenError> {
        let secret = self.open(sealed, Purpose::Bearer)?;
        self.seal_key(KeyRef { version, ..*sealed.key() }, &secret).map_err(|Failed| OpenError::Unusable)
    }

    fn open(&self, sealed: &SealedKey, expected: Purpose) -> Result<Secret, OpenError> {
        let key = sealed.key();
        if key.purpose != expected {
            return Err(OpenError::Purpose { expected, found: key.purpose });
        }
        self.keys.open(&key.associated_data(), sealed.as_bytes())
    }

    /// Seals a small secret that is not a key. At most 2^32 values of one kind (see the envelope's nonces).
    pub fn seal_value(&self, context: Context<'_>, value: &[u8]) -> Result<Vec<u8>, Failed> {
        self.values(context.kind)?.seal(context.row, value)
    }

    /// Opens what [`seal_value`](Self::seal_value) sealed in the same context.
    pub fn open_value(&self, context: Context<'_>, sealed: &[u8]) -> Result<Secret, OpenError> {
        self.values(context.kind).map_err(|Failed| OpenError::Unusable)?.open(context.row, sealed)
    }

    /// Seals what somebody carries for us until they bring it back, such as in a cookie. Each has a key of its own, since
    /// anybody may ask for any number of them.
    pub fn seal_ticket(&self, kind: &'static str, content: &[u8]) -> Result<Vec<u8>, Failed> {
        let salt: [u8; TICKET_SALT_LEN] = random();
        Ok([&salt[..], &self.tickets(kind, &salt)?.seal(&[], content)?].concat())
    }

    /// Opens what [`seal_ticket`](Self::seal_ticket) sealed as the same kind, on whatever node.
    pub fn open_ticket(&self, kind: &'static str, sealed: &[u8]) -> Result<Secret, OpenError> {
        let (salt, sealed) = sealed.split_first_chunk().ok_or(OpenError::Format)?;
        self.tickets(kind, salt).map_err(|Failed| OpenError::Unusable)?.open(&[], sealed)
    }

    fn tickets(&self, kind: &'static str, salt: &[u8; TICKET_SALT_LEN]) -> Result<Envelope, Failed> {
        // The salt has one length, so the parts are unambiguous.
        let key = self.derivation.aes_256_gcm(&[b"sealed ticket: ", salt, kind.as_bytes()])?;
        Ok(Envelope::new(self.root_key, key))
    }

    fn values(&self, kind: &'static str) -> Result<Envelope, Failed> {
        Ok(Envelope::new(self.root_key, self.derivation.aes_256_gcm(&[b"sealed value: ", kind.as_bytes()])?))
    }

    /// Finds the rows of a vault, as far as they belong to this key, whatever its version.
    pub fn vault_index(&self, vault: &[u8; 16], key: KeyId) -> Result<VaultIndex, Failed> {
        // The ids have one length, so the parts are unambiguous.
        Ok(VaultIndex::new(self.derivation.hmac_sha_256(&[b"vault index", vault, key.as_bytes()])?))
    }

    /// HMAC-SHA-256 of a value under a derived key: finds a secret's row, or names a value in a log, without telling
    /// the value. The same value has another hash in another context.
    #[must_use]
    pub fn keyed_hash(&self, context: &'static str, value: &[u8]) -> [u8; 32] {
        let mut hmac = hmac::Context::with_key(&self.keyed_hash);
        // The length makes the pair of context and value unambiguous.
        hmac.update(&(context.len() as u64).to_be_bytes());
        hmac.update(context.as_bytes());
        hmac.update(value);
        let tag = hmac.sign();
        tag.as_ref().try_into().expect("HMAC-SHA-256 has 32 bytes")
    }

    /// The hash by which the secret of an API key is found and kept: HMAC-SHA-256 under a derived key that is for nothing
    /// else.
    #[must_use]
    pub fn api_key_hash(&self, secret: &[u8]) -> [u8; 32] {
        let tag = hmac::sign(&self.api_keys, secret);
        tag.as_ref().try_into().expect("HMAC-SHA-256 has 32 bytes")
    }
}

#[cfg(test)]
mod tests {
    use chancery_types::Curve;

    use super::*;
    use crate::{AesSize, KeySpec, MlDsaSet, RsaSize};

    /// What a key would open to if it had been sealed with other content than its kind's.
    fn refusal(custodian: &Custodian, spec: KeySpec, purpose: Purpose, content: &[u8]) -> Option<OpenError> {
        let key = KeyRef { id: KeyId::from_random(random()), version: 1, purpose, spec };
        let sealed = custodian.keys.seal(&key.associated_data(), content).unwrap();
        let sealed = SealedKey::from_parts(key, sealed);
        match purpose {
            Purpose::Sign => custodian.open_signing_key(&sealed, RsaBatch::Allowed).err(),
            Purpose::Data => custodian.open_data_key(&sealed).err(),
            Purpose::Bearer => custodian.open_bearer_key(&sealed).err(),
            Purpose::Log => custodian.open_own_key(&sealed, OwnKey::Log).err(),
            Purpose::Ledger => custodian.open_own_key(&sealed, OwnKey::Ledger).err(),
            Purpose::Rows => custodian.open_row_key(&sealed).err(),
            Purpose::Journal => custodian.open_journal_key(&sealed).err(),
            Purpose::Transport => custodian.open_own_key(&sealed, OwnKey::Transport).err(),
        }
    }

    #[test]
    fn content_of_another_kind_is_no_key() {
        let directory = tempfile::tempdir().unwrap();
        let custodian = Custodian::new(RootKey::create_file(&directory.path().join("root.key")).unwrap()).unwrap();
        let kinds = [
            (KeySpec::Rsa(RsaSize::Bits2048), Purpose::Sign),
            (KeySpec::Rsa(RsaSize::Bits3072), Purpose::Sign),
            (KeySpec::Ec(Curve::P256), Purpose::Sign),
            (KeySpec::Ec(Curve::P384), Purpose::Sign),
            (KeySpec::Ec(Curve::P256), Purpose::Transport),
            (KeySpec::Ed25519, Purpose::Sign),
            (KeySpec::Ed25519, Purpose::Log),
            (KeySpec::Ed25519, Purpose::Ledger),
            (KeySpec::MlDsa(MlDsaSet::MlDsa44), Purpose::Sign),
            (KeySpec::MlDsa(MlDsaSet::MlDsa65), Purpose::Sign),
            (KeySpec::Aes(AesSize::Bits128), Purpose::Data),
            (KeySpec::Aes(AesSize::Bits256), Purpose::Data),
            (KeySpec::Hmac256, Purpose::Bearer),
            (KeySpec::Hmac256, Purpose::Rows),
            (KeySpec::Hmac256, Purpose::Journal),
        ];
        let contents = kinds.map(|(spec, _)| generate(spec).unwrap().secret);
        for (spec, purpose) in kinds {
            for (content, (made_for, _)) in contents.iter().zip(kinds) {
                // Symmetric keys of one length cannot be told apart by their content.
                let symmetric = !made_for.fits(Purpose::Sign) && !spec.fits(Purpose::Sign);
                let same = made_for == spec || symmetric && made_for.size() == spec.size();
                let expected = if same { None } else { Some(OpenError::Unusable) };
                assert_eq!(refusal(&custodian, spec, purpose, content.expose()), expected, "{made_for} as {spec}");
            }
            assert_eq!(refusal(&custodian, spec, purpose, b""), Some(OpenError::Unusable), "{spec}");
        }
    }
}
