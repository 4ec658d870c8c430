//! Custody: the only place in Chancery where key bytes exist in clear.
//!
//! A [`Custodian`] is made from the [`RootKey`] and alone turns a [`SealedKey`], the form in which keys are stored, into
//! an open one. There is one type of open key for each [`Purpose`], which can do what the purpose needs and nothing
//! else: [`SigningKey`], [`DataKey`], [`BearerKey`], [`RowKey`], [`JournalKey`]. Open keys have no Debug, no Clone and no serialisation, and their
//! bytes are wiped when they are dropped. Keys for signatures may be elsewhere: in a [`KeyBackend`], which signs with them
//! itself.
//!
//! ```
//! use chancery_keys::{Custodian, Input, KeyRef, KeySpec, Purpose, RootKey, RsaBatch, SignatureScheme};
//! use chancery_types::{Curve, HashType, KeyId};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("root.key");
//! let custodian = Custodian::new(RootKey::create_file(&path)?)?;
//! let id = KeyId::from_random(chancery_keys::random());
//! let spec = KeySpec::Ec(Curve::P256);
//! let new = custodian.generate(KeyRef { id, version: 1, purpose: Purpose::Sign, spec })?;
//! let key = custodian.open_signing_key(&new.sealed, RsaBatch::Never)?;
//! let scheme = SignatureScheme::for_key(spec, HashType::Sha2_256, false)?;
//! let signature = key.sign(scheme, Input::Message(b"to whom it may concern"))?;
//! # assert!(signature.len() > 60);
//! # Ok(())
//! # }
//! ```
//!
//! Times are given in; randomness comes from AWS-LC. What is absent: rules about who may use a key and when (they are
//! core's), and anything about where sealed keys are kept (the store's).

mod backend;
pub mod bearer;
mod custodian;
mod data;
mod envelope;
mod error;
mod generate;
mod hash;
mod id_token;
mod import;
mod journal;
mod mac;
mod random;
mod root;
mod rows;
mod scratch;
mod sealed;
mod secret;
mod sign;
mod spec;
mod totp;
mod transport;
mod webauthn;

pub use backend::{Answer, Backend, Cause, CustodyError, KeyBackend, KeyHandle};
pub use bearer::{BearerError, BearerKey};
pub use chancery_ff1 as ff1;
pub use custodian::{Context, Custodian, Generated, OtherRootKey};
pub use data::{
    Aes256Siv, DataError, DataKey, HmacSha256, NotAuthentic, VAULT_HASH_LEN, VaultIndex, VaultSeal, XAES_NONCE_LEN,
    Xaes256Gcm,
};
pub use error::{Failed, GenerateError, OpenError, SignError};
pub use hash::{Digest, DigestLength, Hasher, hash};
pub use id_token::{Claims, IdTokenError, KeySetError, ProviderKeys, claimed_issuer};
pub use import::{ForeignKey, ImportError, Pkcs12};
pub use journal::{JOURNAL_MAC_LEN, JOURNAL_TAG_LEN, JournalKey};
pub use mac::{hmac_sha256, is_same_hash};
pub use random::random;
pub use root::{RootKey, RootKeyFileError, RootKeyId, RootKeySource};
pub use rows::{ROW_TAG_LEN, RowKey};
pub use scratch::ScratchKey;
pub use sealed::{KeyRef, OwnKey, Purpose, SealedKey};
pub use secret::Secret;
pub use sign::{
    Input, NamedAlgorithm, RsaBatch, SIGNED_TOGETHER, SignatureScheme, SigningKey, ToSign, Together, Unsupported,
    VerifyError, WeakKey, check_public_key, is_anyones_key, is_short_rsa_key, kind_of_public_key, named_hash,
    sign_together, verify,
};
pub use spec::{AesSize, KeySpec, MlDsaSet, RsaSize};
pub use totp::{TOTP_DIGITS, TOTP_SECRET_LEN, TOTP_STEP_S, Totp, base32};
pub use transport::TransportKey;
pub use webauthn::{
    Assertion, NewPasskey, NoPasskeyKey, NoPasskeys, NotGenuine, PASSKEY_ALGORITHMS, Passkey, Registration,
    RelyingParty, SignCount, check_passkey_key, verify_assertion, verify_registration,
};
