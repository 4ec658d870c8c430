//! Cosignatures (c2sp.org/tlog-cosignature) of Ed25519: the word of a witness that at a time it knew of no other history of a log
//! than that of the checkpoint.

use std::{fmt, str::FromStr};

use chancery_keys::{Input, is_anyones_key, verify};
use chancery_types::Base64;
use sha2::{Digest as _, Sha256};

use super::note::{self, SPKI, is_name, parts};

/// Seconds since 1970 that a cosignature can be of: up to the end of the year 9999. 0 is no time (c2sp.org/tlog-cosignature).
const TIMES: std::ops::RangeInclusive<u64> = 1..=253_402_300_799;

/// The type of signature: a timestamped Ed25519 signature by a witness.
const COSIGNATURE_V1: u8 = 4;

/// Bytes of a cosignature: the time and the signature.
const LEN: usize = 8 + 64;

/// The public key of a witness under its name: `NAME+ID+KEY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessKey {
    name: String,
    public_key: [u8; 32],
}

/// Why a text is no key of a witness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAWitnessKey {
    /// Not three parts.
    #[error("not of the form NAME+ID+KEY, as the operator of a witness tells it")]
    Form,
    /// A name that no note can carry.
    #[error("the name is empty, or has white space or a plus sign")]
    Name,
    /// Another kind of key.
    #[error("the key is none of a witness that cosigns by Ed25519 (type 4): its type is {0}")]
    Type(u8),
    /// Not base64, not 32 bytes, or everybody's.
    #[error("the key is not an Ed25519 key in base64, or one with which everybody can sign")]
    Key,
    /// The id is another key's or another name's.
    #[error("the id does not belong to the name and the key")]
    Id,
}

/// What claims to be a witness's cosignature is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cosignature of {0} is not its own")]
pub struct BadCosignature(pub String);

/// A cosignature that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cosigned {
    /// The witness's name.
    pub witness: String,
    /// When it cosigned, in seconds since 1970 UTC.
    pub time_s: u64,
    /// The line of the note, with its end.
    pub line: String,
}

impl WitnessKey {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256(name || 0x0A || 0x04 || key)[:4].
    fn id(&self) -> [u8; 4] {
        let hash = Sha256::new_with_prefix(&self.name).chain_update([b'\n', COSIGNATURE_V1]);
        let hash = hash.chain_update(self.public_key).finalize();
        [hash[0], hash[1], hash[2], hash[3]]
    }

    /// This witness's cosignature of a note, if it has one.
    ///
    /// # Errors
    ///
    /// [`BadCosignature`] where there is one that claims to be, and is not.
    pub fn find(&self, note: &str) -> Result<Option<Cosigned>, BadCosignature> {
        let bad = || BadCosignature(self.name.clone());
        let Some((text, signatures)) = parts(note) else { return Ok(None) };
        let mut found = None;
        for (name, id, signature) in signatures {
            if name != self.name || id != self.id() {
                continue;
            }
            let cosigned = self.check(text, &signature).ok_or_else(bad)?;
            if found.replace(cosigned).is_some() {
                return Err(bad());
            }
        }
        Ok(found)
    }

    fn check(&self, text: &str, signature: &[u8]) -> Option<Cosigned> {
        let bytes: &[u8; LEN] = signature.try_into().ok()?;
        let (time, ed25519) = bytes.split_first_chunk::<8>()?;
        let time_s = u64::from_be_bytes(*time);
        if !TIMES.contains(&time_s) {
            return None;
        }
        let message = format!("cosignature/v1\ntime {time_s}\n{text}");
        let spki = [&SPKI[..], &self.public_key].concat();
        verify(&spki, note::scheme().ok()?, Input::Message(message.as_bytes()), ed25519).ok()?;
        let line = Base64::encode(&[&self.id()[..], signature].concat());
        Some(Cosigned { witness: self.name.clone(), time_s, line: format!("\u{2014} {} {line}\n", self.name) })
    }
}

/// The key of a witness as text, which [`WitnessKey`] reads where the name is one.
#[must_use]
pub fn vkey(name: &str, public_key: [u8; 32]) -> String {
    WitnessKey { name: name.to_owned(), public_key }.to_string()
}

/// The cosignatures that these witnesses have put under a note; each counts once, whatever it is listed as.
///
/// # Errors
///
/// [`BadCosignature`] where one claims to be of a witness, and is not.
pub fn cosignatures(note: &str, witnesses: &[WitnessKey]) -> Result<Vec<Cosigned>, BadCosignature> {
    let mut found = Vec::new();
    for (place, witness) in witnesses.iter().enumerate() {
        // Two names for one key are one witness.
        if !witnesses[..place].iter().any(|before| before.public_key == witness.public_key) {
            found.extend(witness.find(note)?);
        }
    }
    Ok(found)
}

impl fmt::Display for WitnessKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = [&[COSIGNATURE_V1], &self.public_key[..]].concat();
        write!(f, "{}+{}+{}", self.name, hex::encode(self.id()), Base64::encode(&key))
    }
}

impl FromStr for WitnessKey {
    type Err = NotAWitnessKey;

    fn from_str(text: &str) -> Result<Self, NotAWitnessKey> {
        let mut parts = text.trim().splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NotAWitnessKey::Form);
        };
        let Base64(key) = Base64::decode(key).ok_or(NotAWitnessKey::Key)?;
        let public_key = match key.as_slice() {
            [COSIGNATURE_V1, public_key @ ..] => public_key,
            [other, ..] => return Err(NotAWitnessKey::Type(*other)),
            [] => return Err(NotAWitnessKey::Key),
        };
        if is_anyones_key(&[&SPKI[..], public_key].concat()) {
            return Err(NotAWitnessKey::Key);
        }
        if !is_name(name) {
            return Err(NotAWitnessKey::Name);
        }
        let public_key = public_key.try_into().map_err(|_| NotAWitnessKey::Key)?;
        let key = Self { name: name.to_owned(), public_key };
        if hex::encode(key.id()) == id.to_ascii_lowercase() { Ok(key) } else { Err(NotAWitnessKey::Id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checkpoint of the specification, signed and cosigned with the seeds 0, 1, … and 7, 7, … by Python's `cryptography`.
    const VKEY: &str = "witness.example.com/w1+8122a5ab+BOpKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs";
    const NOTE: &str = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
        \u{2014} example.com/behind-the-sofa H1no9Vbha/V7K+0nOUyOYWY2eeqkJO0R/8eVdJBP1U6klJ63rYHH36AjiNbqMeYZ5wXtNMpYFqOQG4s/igFrnBBp3AU=\n";
    const LINE: &str = "\u{2014} witness.example.com/w1 gSKlqwAAAABkGFDLWr4Jea05CAgwNVtwky0Jgz6WfX0QJgM//FkB/W9BoT9TX0DkTxG+2cT4p/ViKNhUM/SnUwFcYQzugGFQ15LwDw==\n";

    fn key() -> WitnessKey {
        VKEY.parse().unwrap()
    }

    #[test]
    fn a_cosignature_of_another_implementation_is_verified() {
        let found = cosignatures(&format!("{NOTE}{LINE}"), &[key()]).unwrap();
        let expected =
            Cosigned { witness: "witness.example.com/w1".to_owned(), time_s: 1_679_315_147, line: LINE.to_owned() };
        assert_eq!(found, [expected]);
        assert_eq!(key().to_string(), VKEY);
        assert_eq!(cosignatures(NOTE, &[key()]), Ok(Vec::new()), "nobody has cosigned");
        assert_eq!(cosignatures("no note", &[key()]), Ok(Vec::new()));
    }

    #[test]
    fn what_was_changed_is_refused_and_what_is_anothers_is_passed_over() {
        let whole = format!("{NOTE}{LINE}");
        for changed in [
            whole.replace("20852163", "20852164"),
            whole.replace("AAAABkGFDL", "AAAABkGFDM"),
            whole.replace("Wr4J", "Wr5J"),
            whole.replace("5LwDw==", "5Lw"),
            format!("{whole}{LINE}"),
        ] {
            let refused = cosignatures(&changed, &[key()]).unwrap_err();
            assert_eq!(refused, BadCosignature("witness.example.com/w1".to_owned()), "{changed}");
        }
        for other in [whole.replace("example.com/w1", "example.com/w2"), whole.replace("gSKlq", "gSKlr")] {
            assert_eq!(cosignatures(&other, &[key()]), Ok(Vec::new()), "{other}");
        }
    }

    #[test]
    fn a_witness_counts_once_whatever_it_calls_itself() {
        let alias = WitnessKey { name: "alias.example.com".to_owned(), ..key() };
        assert_eq!(cosignatures(&format!("{NOTE}{LINE}"), &[key(), alias.clone(), key()]).unwrap().len(), 1);
        let other = WitnessKey { public_key: [9; 32], ..alias };
        assert_eq!(cosignatures(&format!("{NOTE}{LINE}"), &[other, key()]).unwrap().len(), 1);
    }

    #[test]
    fn what_is_no_key_of_a_witness_is_refused_with_its_reason() {
        let refused = |text: &str| text.parse::<WitnessKey>().unwrap_err();
        assert_eq!(refused("witness.example.com/w1"), NotAWitnessKey::Form);
        assert_eq!(refused(&VKEY.replace("witness.example.com/w1", "")), NotAWitnessKey::Name);
        assert_eq!(refused(&VKEY.replace("w1+", "w2+")), NotAWitnessKey::Id);
        assert_eq!(refused(&VKEY.replace("+BOpK", "+!OpK")), NotAWitnessKey::Key);
        assert_eq!(refused(&VKEY.replace("+BOpK", "+BOpKAAAA")), NotAWitnessKey::Key);
        // A log's key, and a witness's of ML-DSA.
        assert_eq!(refused(&VKEY.replace("+BOpK", "+AepK")), NotAWitnessKey::Type(1));
        assert_eq!(refused(&VKEY.replace("+BOpK", "+BupK")), NotAWitnessKey::Type(6));
        let of_order_1 = WitnessKey { public_key: std::array::from_fn(|at| u8::from(at == 0)), ..key() };
        assert_eq!(refused(&of_order_1.to_string()), NotAWitnessKey::Key);
    }
}
