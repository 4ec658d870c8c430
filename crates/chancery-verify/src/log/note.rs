//! Signed notes (c2sp.org/signed-note) with one Ed25519 key.

use std::{fmt, str::FromStr};

use chancery_keys::{Input, KeySpec, SignatureScheme, is_anyones_key, verify};
use chancery_types::{Base64, HashType};
use sha2::{Digest as _, Sha256};

/// The type of signature: Ed25519.
const ED25519: u8 = 1;

/// What stands before the key in a SubjectPublicKeyInfo of Ed25519.
pub(super) const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// More signatures than any note that is worth reading has.
const SIGNATURES_MAX: usize = 100;

/// The public key of a log under its name, as notes are verified with: `NAME+ID+KEY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogKey {
    name: String,
    public_key: [u8; 32],
}

/// Why a text is no key of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotALogKey {
    /// Not three parts.
    #[error("not of the form NAME+ID+KEY, as /log/vkey answers it")]
    Form,
    /// A name that no note can carry.
    #[error("the name is empty, or has white space or a plus sign")]
    Name,
    /// Not Ed25519, not base64, or everybody's.
    #[error("the key is not an Ed25519 key in base64, or one with which everybody can sign")]
    Key,
    /// The id is another key's or another name's.
    #[error("the id does not belong to the name and the key")]
    Id,
}

/// Why a note is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSigned {
    /// Not a text with signatures.
    #[error("not a signed note")]
    Form,
    /// Others may have signed it.
    #[error("it has no signature of this log key")]
    Unknown,
    /// What claims to be the key's signature is not.
    #[error("the signature is not the log key's")]
    Signature,
}

/// Whether a note can carry this name: part of one line, and of a key's text.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '+')
}

impl LogKey {
    /// The key of this name. `None` where no note can carry the name.
    pub fn new(name: &str, public_key: [u8; 32]) -> Option<Self> {
        is_name(name).then(|| Self { name: name.to_owned(), public_key })
    }

    /// The name, which is the origin of the log's checkpoints too.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256(name || 0x0A || type || key)[:4].
    fn id(&self) -> [u8; 4] {
        let hash =
            Sha256::new_with_prefix(&self.name).chain_update([b'\n', ED25519]).chain_update(self.public_key).finalize();
        [hash[0], hash[1], hash[2], hash[3]]
    }

    /// The text with a signature of this key's over it.
    pub fn note(&self, text: &str, signature: &[u8]) -> String {
        let signature = [&self.id()[..], signature].concat();
        format!("{text}\n\u{2014} {} {}\n", self.name, Base64::encode(&signature))
    }

    /// The text of a note that this key has signed.
    pub fn open<'n>(&self, note: &'n str) -> Result<&'n str, NotSigned> {
        let (text, signatures) = parts(note).ok_or(NotSigned::Form)?;
        let mut found = None;
        for (name, id, signature) in signatures {
            if name == self.name && id == self.id() && found.replace(signature).is_some() {
                return Err(NotSigned::Form);
            }
        }
        let signature = found.ok_or(NotSigned::Unknown)?;
        self.check(text, &signature).map(|()| text)
    }

    fn check(&self, text: &str, signature: &[u8]) -> Result<(), NotSigned> {
        let scheme = scheme().map_err(|_| NotSigned::Signature)?;
        let spki = [&SPKI[..], &self.public_key].concat();
        verify(&spki, scheme, Input::Message(text.as_bytes()), signature).map_err(|_| NotSigned::Signature)
    }
}

/// Whether a text is a note with signatures, whosever they are.
#[must_use]
pub fn is_note(text: &str) -> bool {
    parts(text).is_some()
}

/// Name, id and signature.
pub(super) type Line<'n> = (&'n str, [u8; 4], Vec<u8>);

/// The text of a note, and its signatures.
pub(super) fn parts(note: &str) -> Option<(&str, Vec<Line<'_>>)> {
    if note.chars().any(|c| c.is_ascii_control() && c != '\n') {
        return None;
    }
    let blank = note.rfind("\n\n")?;
    let (text, signatures) = (&note[..=blank], &note[blank + 2..]);
    let signatures = signatures.strip_suffix('\n')?;
    if signatures.split('\n').count() > SIGNATURES_MAX {
        return None;
    }
    let line = |line| {
        let (name, signature) = str::strip_prefix(line, "\u{2014} ")?.split_once(' ')?;
        let Base64(bytes) = Base64::decode(signature)?;
        let (id, signature) = bytes.split_first_chunk::<4>()?;
        Some((name, *id, signature.to_vec()))
    };
    Some((text, signatures.split('\n').map(line).collect::<Option<_>>()?))
}

/// Ed25519, as notes are signed.
pub fn scheme() -> Result<SignatureScheme, chancery_keys::Unsupported> {
    SignatureScheme::for_key(KeySpec::Ed25519, HashType::Sha2_512, false)
}

/// The 32 bytes of an Ed25519 key.
pub fn raw_key(spki: &[u8]) -> Option<[u8; 32]> {
    spki.strip_prefix(&SPKI)?.try_into().ok()
}

impl fmt::Display for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = [&[ED25519], &self.public_key[..]].concat();
        write!(f, "{}+{}+{}", self.name, hex::encode(self.id()), Base64::encode(&key))
    }
}

impl FromStr for LogKey {
    type Err = NotALogKey;

    fn from_str(text: &str) -> Result<Self, NotALogKey> {
        let mut parts = text.trim().splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NotALogKey::Form);
        };
        let Base64(key) = Base64::decode(key).ok_or(NotALogKey::Key)?;
        let [ED25519, public_key @ ..] = key.as_slice() else { return Err(NotALogKey::Key) };
        if is_anyones_key(&[&SPKI[..], public_key].concat()) {
            return Err(NotALogKey::Key);
        }
        let key = Self::new(name, public_key.try_into().map_err(|_| NotALogKey::Key)?).ok_or(NotALogKey::Name)?;
        if hex::encode(key.id()) == id.to_ascii_lowercase() { Ok(key) } else { Err(NotALogKey::Id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector of Go's golang.org/x/mod/sumdb/note, which the specification was written from.
    const VKEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const NOTE: &str = "If you think cryptography is the answer to your problem,\n\
        then you don't know what your problem is.\n\n\
        \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    #[test]
    fn a_note_of_go_is_opened_and_written_again() {
        let key: LogKey = VKEY.parse().unwrap();
        let text = key.open(NOTE).unwrap();
        assert!(text.ends_with("problem is.\n"), "{text}");
        assert_eq!(key.to_string(), VKEY);
        let (_, line) = NOTE.rsplit_once(' ').unwrap();
        let Base64(signature) = Base64::decode(line.trim()).unwrap();
        assert_eq!(key.note(text, &signature[4..]), NOTE);
    }

    #[test]
    fn junk_behind_the_signatures_is_refused() {
        let key: LogKey = VKEY.parse().unwrap();
        let (_, own) = NOTE.split_at(NOTE.rfind('\u{2014}').unwrap());
        assert!(key.open(&format!("{NOTE}\u{2014} other AAAAAAAA\n")).is_ok(), "another signature");
        for junk in ["junk\n", "\n", "\u{2014} other *\n", "\u{2014} other AA==\n", own, "junk", &own.repeat(100)] {
            assert_eq!(key.open(&format!("{NOTE}{junk}")), Err(NotSigned::Form), "{junk:?}");
        }
    }

    #[test]
    fn a_changed_note_and_another_key_are_refused() {
        let key: LogKey = VKEY.parse().unwrap();
        assert_eq!(key.open(&NOTE.replace("think", "thank")), Err(NotSigned::Signature));
        assert_eq!(key.open(&NOTE.replace("\u{2014} Peter", "\u{2014} Pater")), Err(NotSigned::Unknown));
        assert!(is_note(NOTE));
        for form in ["", "\n\n", "text\n", "text\n\nno dash\n", "text\n\n\u{2014} a b", &NOTE.replace('\n', "\r\n")] {
            assert_eq!((key.open(form), is_note(form)), (Err(NotSigned::Form), false), "{form:?}");
        }
        let other = LogKey::new("PeterNeumann", [1; 32]).unwrap();
        assert_eq!(other.open(NOTE), Err(NotSigned::Unknown), "another id");
    }

    #[test]
    fn what_is_no_key_is_refused_with_its_reason() {
        let refused = |text: &str| text.parse::<LogKey>().unwrap_err();
        assert_eq!(refused("PeterNeumann"), NotALogKey::Form);
        assert_eq!(refused(&VKEY.replace("PeterNeumann", "")), NotALogKey::Name);
        assert_eq!(refused(&VKEY.replace("PeterNeumann", "a b")), NotALogKey::Name);
        assert_eq!(refused(&VKEY.replace("+ARpc", "+Arpc")), NotALogKey::Key);
        assert_eq!(refused(&VKEY.replace("PeterNeumann", "Other")), NotALogKey::Id);
        let of_order_1 = LogKey::new("a", std::array::from_fn(|at| u8::from(at == 0))).unwrap();
        assert_eq!(refused(&of_order_1.to_string()), NotALogKey::Key);
    }
}
