//! Any text to base64url text: AesSiv, AesGcm and Hmac.
//!
//! token = base64url without padding of: key version (4 bytes, big-endian) ‖ sealed
//!
//! sealed is V ‖ C of AES-256-SIV (RFC 5297), or ciphertext ‖ tag of XAES-256-GCM under the iv, with
//! domain (16 bytes) ‖ key version (4 bytes, big-endian) as associated data; or HMAC-SHA-256 of
//! domain ‖ key version ‖ message. The layout is frozen: any change would orphan every token.

use std::{iter, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_keys::{Aes256Siv, DataKey, HmacSha256, NotAuthentic, Xaes256Gcm};
use chancery_types::{TokenProfileId, wire::Texts};

use super::{
    super::{
        batch,
        refusal::BadValue,
        text_format::TextFormat,
        versions::{VersionNumbers, Versions},
    },
    Cipher, Engine, Iv, Outcome, Values,
};
use crate::{
    Error, Result,
    tokenization::rules::{DetokenizeGrant, TokenizeGrant, View},
};

/// One of the ciphers under one profile's key, by version.
pub(crate) struct TextEngine {
    format: TextFormat,
    domain: TokenProfileId,
    ciphers: Versions<TextCipher>,
}

/// A cipher under one version of a key.
pub(crate) enum TextCipher {
    AesSiv(Box<Aes256Siv>),
    AesGcm(Xaes256Gcm),
    Hmac(Box<HmacSha256>),
}

/// Bytes in front of what is sealed.
const HEADER: usize = 4;

/// Bytes that sealing adds: V of SIV, the tag of GCM.
const SEAL: usize = 16;

impl TextEngine {
    /// The cipher of each version of the key is made by `cipher`.
    pub(crate) fn new(
        format: TextFormat,
        domain: TokenProfileId,
        keys: &Versions<Arc<DataKey>>,
        cipher: impl Fn(&DataKey) -> Result<TextCipher>,
    ) -> Result<Self> {
        Ok(Self { format, domain, ciphers: keys.try_map(|key| cipher(key))? })
    }

    pub(crate) fn tokenize<'v, V>(&self, _grant: &TokenizeGrant, messages: V, ivs: &[Iv]) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str>,
    {
        let mut outcome = Outcome::default();
        let associated_data = self.associated_data(self.ciphers.newest());
        let mut sealed = Vec::new();
        for (index, message) in messages.enumerate() {
            if let Err(bad) = self.format.check(message) {
                outcome.refuse(bad);
                continue;
            }
            sealed.clear();
            self.ciphers.of_newest().seal(&associated_data, ivs.get(index), message.as_bytes(), &mut sealed)?;
            let token = [&self.ciphers.newest().to_be_bytes()[..], &sealed].concat();
            outcome.texts.push_with(|out| URL_SAFE_NO_PAD.encode_string(token, out));
        }
        Ok(outcome)
    }

    /// Where `version` is given, each token must be of it.
    pub(crate) fn detokenize<'v, V>(
        &self,
        grant: &DetokenizeGrant,
        tokens: V,
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome>
    where
        V: Iterator<Item = &'v str>,
    {
        if self.is_one_way() {
            return Err(one_way());
        }
        let mut outcome = Outcome::default();
        for (index, token) in tokens.enumerate() {
            match self.open_one(token, ivs.get(index), version) {
                Ok(message) => show(grant.view(), &message, &mut outcome.texts),
                Err(bad) => outcome.refuse(bad),
            }
        }
        Ok(outcome)
    }

    fn open_one(&self, token: &str, iv: Option<&Option<Iv>>, asked: Option<u32>) -> Result<String, BadValue> {
        let bytes_max = (HEADER + SEAL + self.format.bytes_max()).div_ceil(3) * 4;
        if token.len() > bytes_max {
            return Err(BadValue::TooLarge { bytes_max });
        }
        let iv = match iv {
            Some(None) => return Err(BadValue::Iv { bytes: chancery_keys::XAES_NONCE_LEN }),
            Some(Some(iv)) => Some(iv),
            None => None,
        };
        // Only the one spelling that we write is taken: no padding, no stray bits at the end.
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| BadValue::NoSuchToken)?;
        let (header, sealed) = bytes.split_first_chunk::<HEADER>().ok_or(BadValue::NoSuchToken)?;
        let version = u32::from_be_bytes(*header);
        let cipher = self.ciphers.told(version, asked)?;
        let message = cipher.open(&self.associated_data(version), iv, sealed).map_err(|_| BadValue::NotAuthentic)?;
        let message = String::from_utf8(message).map_err(|_| BadValue::NotAuthentic)?;
        self.format.check(&message)?;
        Ok(message)
    }

    fn associated_data(&self, version: u32) -> [u8; 20] {
        let mut data = [0; 20];
        data[..16].copy_from_slice(self.domain.as_bytes());
        data[16..].copy_from_slice(&version.to_be_bytes());
        data
    }
}

impl Engine for TextEngine {
    fn work(&self, values: &Texts) -> usize {
        batch::work(values, |bytes| 100 + bytes / 2)
    }

    fn is_decimal(&self) -> bool {
        false
    }

    fn is_one_way(&self) -> bool {
        match self.ciphers.of_newest() {
            TextCipher::Hmac(_) => true,
            TextCipher::AesSiv(_) | TextCipher::AesGcm(_) => false,
        }
    }

    fn versions(&self) -> VersionNumbers {
        self.ciphers.numbers()
    }

    fn tells_version(&self) -> bool {
        true
    }
}

impl Cipher for TextEngine {
    fn make(&self, grant: &TokenizeGrant, messages: Values<'_>, ivs: &[Iv]) -> Result<Outcome> {
        match messages {
            Values::One(message) => self.tokenize(grant, iter::once(message), ivs),
            Values::Some(texts, range) => self.tokenize(grant, batch::values(texts, range), ivs),
        }
    }

    fn open(
        &self,
        grant: &DetokenizeGrant,
        tokens: Values<'_>,
        ivs: &[Option<Iv>],
        version: Option<u32>,
    ) -> Result<Outcome> {
        match tokens {
            Values::One(token) => self.detokenize(grant, iter::once(token), ivs, version),
            Values::Some(texts, range) => self.detokenize(grant, batch::values(texts, range), ivs, version),
        }
    }
}

impl TextCipher {
    /// Appends what is sealed.
    fn seal(&self, associated_data: &[u8], iv: Option<&Iv>, message: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::AesSiv(siv) => out.extend(siv.seal(associated_data, message)?),
            Self::AesGcm(gcm) => {
                let Some(Iv::Xaes(nonce)) = iv else { return Err(Error::internal("AesGcm without a nonce")) };
                out.extend(message);
                gcm.seal(nonce, associated_data, out)?;
            }
            Self::Hmac(hmac) => out.extend(hmac.code(&[associated_data, message])),
        }
        Ok(())
    }

    fn open(&self, associated_data: &[u8], iv: Option<&Iv>, sealed: &[u8]) -> Result<Vec<u8>, NotAuthentic> {
        match self {
            Self::AesSiv(siv) => siv.open(associated_data, sealed),
            Self::AesGcm(gcm) => {
                let Some(Iv::Xaes(nonce)) = iv else { return Err(NotAuthentic) };
                let mut message = sealed.to_vec();
                gcm.open(nonce, associated_data, &mut message)?;
                Ok(message)
            }
            Self::Hmac(_) => Err(NotAuthentic),
        }
    }
}

/// Why nobody may detokenize under Hmac.
pub(crate) fn one_way() -> Error {
    Error::forbidden("Hmac is one-way: nothing leads from its tokens back to their messages.")
}

fn show(view: &View, message: &str, texts: &mut Texts) {
    match view {
        View::Full => texts.push(message),
        View::Partial(mask) => texts.push_with(|out| {
            let symbols = message.chars().map(|character| (character, true));
            mask.append(out, symbols, TextFormat::candidates);
        }),
    }
}

#[cfg(test)]
mod tests;
