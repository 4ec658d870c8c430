//! A signature on its way: from C_SignInit to what the server is asked for.

use std::sync::Arc;

use chancery_types::{HashType, wire::signing_policies::SigningPolicy};
use cryptoki_sys::*;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use crate::{
    failure::{Failure, Result},
    mechanism::{self, Mechanism, Parameters, Scheme},
    object::{Key, Object},
    public_key::PublicKey,
};

/// Bytes of a payload at most, as a server has it unless it is told otherwise.
const PAYLOAD_MAX: usize = 64 * 1024 * 1024;

/// The longest thing that a caller hashed: a DigestInfo of SHA-512.
const HASHED_MAX: usize = 83;

pub(crate) struct Operation {
    object: Arc<Object>,
    mechanism: &'static Mechanism,
    hash: Option<HashType>,
    input: Input,
    /// Whether parts have come: then C_Sign is no end of it (PKCS #11 3.1, section 5.13.2).
    pub(crate) is_in_parts: bool,
}

/// What has come so far.
enum Input {
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
    /// As it is, up to a length.
    Whole(Vec<u8>, usize),
}

/// What the server is to sign.
pub(crate) struct Wanted<'key> {
    pub(crate) key: &'key Key,
    pub(crate) policy: &'key SigningPolicy,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Digest(Vec<u8>),
    Message(Vec<u8>),
}

impl Operation {
    pub(crate) fn begin(object: Arc<Object>, code: CK_MECHANISM_TYPE, parameters: Parameters) -> Result<Self> {
        let mechanism = mechanism::find(code)?;
        let key = object.key.as_ref().ok_or(CKR_KEY_HANDLE_INVALID)?;
        if !key.public.signs_by(mechanism.scheme) {
            return Err(CKR_KEY_TYPE_INCONSISTENT.into());
        }
        let hash = mechanism.hash_with(parameters)?;
        let fitting = key.policies.iter().filter(|policy| does(policy, mechanism.scheme));
        if !fitting.clone().any(|policy| hash.is_none_or(|hash| policy.hash_algorithm == hash)) {
            let of_parameters = mechanism.hash.is_none() && fitting.count() > 0;
            let code = if of_parameters { CKR_MECHANISM_PARAM_INVALID } else { CKR_MECHANISM_INVALID };
            return Err(Failure::new(code, format!("the service has no such policy: {}", key.offers())));
        }
        let input = match (mechanism.hash, mechanism.scheme) {
            (Some(HashType::Sha2_384), _) => Input::Sha384(Sha384::new()),
            (Some(HashType::Sha2_512), _) => Input::Sha512(Sha512::new()),
            (Some(_), _) => Input::Sha256(Sha256::new()),
            (None, Scheme::Eddsa) => Input::Whole(Vec::new(), PAYLOAD_MAX),
            (None, Scheme::RsaPkcs | Scheme::RsaPss | Scheme::Ecdsa) => Input::Whole(Vec::new(), HASHED_MAX),
        };
        Ok(Self { object, mechanism, hash, input, is_in_parts: false })
    }

    /// A part of what is signed.
    pub(crate) fn update(&mut self, part: &[u8]) -> Result<()> {
        match &mut self.input {
            Input::Sha256(state) => state.update(part),
            Input::Sha384(state) => state.update(part),
            Input::Sha512(state) => state.update(part),
            Input::Whole(data, max) if data.len() + part.len() > *max => {
                let says = format!("this mechanism takes at most {max} bytes: hash them, or use one that does");
                return Err(Failure::new(CKR_DATA_LEN_RANGE, says));
            }
            Input::Whole(data, _) => data.extend_from_slice(part),
        }
        Ok(())
    }

    /// The key that signs.
    pub(crate) fn public(&self) -> Result<&PublicKey> {
        Ok(&self.key()?.public)
    }

    /// What is asked of the server for what has come.
    pub(crate) fn wanted(&mut self) -> Result<Wanted<'_>> {
        let hashed = match &mut self.input {
            Input::Sha256(state) => state.finalize_reset().to_vec(),
            Input::Sha384(state) => state.finalize_reset().to_vec(),
            Input::Sha512(state) => state.finalize_reset().to_vec(),
            Input::Whole(data, _) => std::mem::take(data),
        };
        let key = self.key()?;
        let (hash, content) = match self.mechanism.scheme {
            Scheme::Eddsa => (None, Content::Message(hashed)),
            Scheme::RsaPkcs if self.hash.is_none() => {
                let refused = || {
                    let says =
                        "CKM_RSA_PKCS takes a DigestInfo of SHA-256, SHA-384 or SHA-512 in DER, and nothing else";
                    Failure::told(CKR_DATA_INVALID, says)
                };
                let (hash, digest) = mechanism::digest_info(&hashed).ok_or_else(refused)?;
                (Some(hash), Content::Digest(digest.to_vec()))
            }
            Scheme::RsaPkcs | Scheme::RsaPss | Scheme::Ecdsa => (self.hash, Content::Digest(hashed)),
        };
        let fits = |policy: &&SigningPolicy| {
            does(policy, self.mechanism.scheme)
                && hash.is_none_or(|hash| policy.hash_algorithm == hash)
                && match &content {
                    Content::Digest(digest) => digest.len() == policy.hash_algorithm.digest_len(),
                    Content::Message(_) => true,
                }
        };
        let policy = key.policies.iter().filter(fits).min_by_key(|policy| policy.num_approvals);
        let unfit = || {
            let says = format!("the service signs no digest of this hash or length: {}", key.offers());
            Failure::told(if hash.is_some() { CKR_DATA_INVALID } else { CKR_DATA_LEN_RANGE }, says)
        };
        Ok(Wanted { key, policy: policy.ok_or_else(unfit)?, content })
    }

    fn key(&self) -> Result<&Key> {
        self.object.key.as_ref().ok_or_else(|| CKR_KEY_HANDLE_INVALID.into())
    }
}

/// Whether signatures under a policy are of this scheme; which key it is of is known before.
fn does(policy: &SigningPolicy, scheme: Scheme) -> bool {
    let is_sha2 = mechanism::Hash::ALL.iter().any(|known| known.hash == policy.hash_algorithm);
    match scheme {
        Scheme::RsaPkcs => is_sha2 && !policy.rsa_pss,
        Scheme::RsaPss => is_sha2 && policy.rsa_pss,
        Scheme::Ecdsa | Scheme::Eddsa => is_sha2,
    }
}

impl Key {
    /// The mechanisms that its policies do.
    pub(crate) fn mechanisms(&self) -> impl Iterator<Item = CK_MECHANISM_TYPE> {
        let offered = mechanism::ALL.iter().filter(|mechanism| {
            self.public.signs_by(mechanism.scheme)
                && self.policies.iter().any(|policy| {
                    does(policy, mechanism.scheme) && mechanism.hash.is_none_or(|hash| hash == policy.hash_algorithm)
                })
        });
        offered.map(|mechanism| mechanism.code)
    }

    /// What its policies do, for people.
    fn offers(&self) -> String {
        let each = self.policies.iter().map(|policy| {
            let padding = if policy.rsa_pss { " with PSS" } else { "" };
            format!("{} does {}{padding}", policy.obj_info.name, policy.hash_algorithm)
        });
        each.collect::<Vec<_>>().join(", ")
    }
}
