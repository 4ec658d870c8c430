//! What a vault of tokens needs: tokens and messages are found by keyed hashes, and their rows are sealed.

use aws_lc_rs::{hkdf, hmac};
use zeroize::Zeroizing;

use super::{NotAuthentic, XAES_NONCE_LEN, Xaes256Gcm};
use crate::{Failed, KeyRef, random, root::Bytes};

/// Length of a keyed hash in bytes. Two of 2^40 tokens meet by chance once in 2^48 vaults.
pub const VAULT_HASH_LEN: usize = 16;

/// Tells the derived key from whatever else may be derived from the same key. Part of the stored format.
const LABEL: &[u8] = b"chancery Random vault";

/// Finds rows of one vault. It does not depend on a key's version, so that a token stays where it is when its row is
/// sealed anew, and the constraint that makes tokens unique holds across versions.
pub struct VaultIndex(hmac::Key);

impl VaultIndex {
    pub(crate) const fn new(key: hmac::Key) -> Self {
        Self(key)
    }

    /// Where a token is found.
    #[must_use]
    pub fn token(&self, token: &str) -> [u8; VAULT_HASH_LEN] {
        self.hash(b't', token)
    }

    /// Where the token of a message is found.
    #[must_use]
    pub fn message(&self, message: &str) -> [u8; VAULT_HASH_LEN] {
        self.hash(b'm', message)
    }

    fn hash(&self, kind: u8, text: &str) -> [u8; VAULT_HASH_LEN] {
        let mut code = hmac::Context::with_key(&self.0);
        code.update(&[kind]);
        code.update(text.as_bytes());
        *code.sign().as_ref().first_chunk().expect("HMAC-SHA-256 has 32 bytes")
    }
}

/// Seals the rows of one vault under one version of a key: XAES-256-GCM, so that nonces can be drawn for any number of
/// rows. The associated data are the vault, the key with its version, and the row.
pub struct VaultSeal {
    cipher: Xaes256Gcm,
    /// Vault, key and version.
    place: [u8; 36],
}

impl VaultSeal {
    /// The key is derived by HKDF-SHA-256 (RFC 5869).
    pub(super) fn derive(secret: &[u8], key: &KeyRef, vault: &[u8; 16]) -> Result<Self, Failed> {
        let mut derived = Zeroizing::new([0; 32]);
        let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(secret);
        extracted.expand(&[LABEL], Bytes(derived.len()))?.fill(&mut derived[..])?;
        let mut place = [0; 36];
        place[..16].copy_from_slice(vault);
        place[16..32].copy_from_slice(key.id.as_bytes());
        place[32..].copy_from_slice(&key.version.to_be_bytes());
        Ok(Self { cipher: Xaes256Gcm::new(&derived[..])?, place })
    }

    /// Seals what belongs to the row of this token: nonce ‖ ciphertext ‖ tag, 40 bytes more than the content.
    pub fn seal(&self, row: &[u8; VAULT_HASH_LEN], content: &[u8]) -> Result<Vec<u8>, Failed> {
        let nonce = random::<XAES_NONCE_LEN>();
        let mut text = Vec::with_capacity(content.len() + 16);
        text.extend_from_slice(content);
        self.cipher.seal(&nonce, &self.associated_data(row), &mut text)?;
        Ok([&nonce[..], &text].concat())
    }

    /// What was sealed for this row. It is wiped when it is dropped.
    pub fn open(&self, row: &[u8; VAULT_HASH_LEN], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, NotAuthentic> {
        let (nonce, text) = sealed.split_first_chunk().ok_or(NotAuthentic)?;
        let mut content = Zeroizing::new(text.to_vec());
        self.cipher.open(nonce, &self.associated_data(row), &mut content)?;
        Ok(content)
    }

    fn associated_data(&self, row: &[u8; VAULT_HASH_LEN]) -> [u8; 52] {
        let mut data = [0; 52];
        data[..36].copy_from_slice(&self.place);
        data[36..].copy_from_slice(row);
        data
    }
}
