//! Passwords: Argon2id, kept as PHC strings. A try takes tens of milliseconds, on a pool that passwords have to themselves.

use argon2::{
    Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version,
    password_hash::{self, phc::PasswordHash},
};
use chancery_keys::base32;
use zeroize::Zeroizing;

use crate::{
    Error, Limits, Result, Source,
    base::pool::{Party, Pool},
};

/// What one try of a password costs: Argon2id with one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordWork {
    memory_kib: u32,
    passes: u32,
}

impl Default for PasswordWork {
    /// OWASP's first choice.
    fn default() -> Self {
        Self { memory_kib: 19 * 1024, passes: 2 }
    }
}

impl PasswordWork {
    /// As little as the algorithm allows, for installations that guard nothing: tests make thousands of logins.
    pub const TRIFLING: Self = Self { memory_kib: 8, passes: 1 };

    /// What is checked where no password could be right, so that the answer takes the same time. Its parameters and lengths
    /// must be those of [`hash`]; a test compares them.
    fn nobodys(self) -> String {
        let Self { memory_kib, passes } = self;
        let (salt, hash) = ("A".repeat(22), "A".repeat(43));
        format!("$argon2id$v=19$m={memory_kib},t={passes},p={LANES}${salt}${hash}")
    }
}

const LANES: u32 = 1;

/// Where passwords are hashed and tried.
pub(crate) struct Passwords {
    pool: Pool,
    work: PasswordWork,
    /// Made once: making it would take time that somebody's hash does not.
    nobodys: String,
}

impl Passwords {
    pub(crate) fn new(limits: &Limits, work: PasswordWork) -> Self {
        Self { pool: Pool::for_passwords(limits), work, nobodys: work.nobodys() }
    }

    /// The PHC string of a new password.
    pub(super) async fn hash(&self, password: impl AsRef<[u8]> + Send + 'static) -> Result<String> {
        let (salt, work) = (chancery_keys::random(), self.work);
        self.pool.run(move || hash(password.as_ref(), &salt, work)).await?
    }

    /// Whether the password is the one hashed, for somebody who is not known yet. With `None` the answer is no, after the
    /// same work.
    pub(super) async fn verify(
        &self,
        source: Source,
        password: impl AsRef<[u8]> + Send + 'static,
        hash: Option<&str>,
    ) -> Result<bool> {
        let (is_somebodys, hash) = (hash.is_some(), hash.unwrap_or(&self.nobodys).to_owned());
        let verified = self.pool.run_for(Party::Source(source), move || verify(password.as_ref(), &hash)).await??;
        Ok(verified && is_somebodys)
    }
}

/// Checks a new password and gives its text.
pub(crate) fn check_new<'a>(field: &str, password: &'a [u8], limits: &Limits) -> Result<&'a str> {
    let text = std::str::from_utf8(password)
        .map_err(|_| Error::value(field, "A password is base64 of a text in UTF-8; these bytes are not."))?;
    let length = text.chars().count();
    if length < limits.password_min || length > limits.password_max {
        let (min, max) = (limits.password_min, limits.password_max);
        return Err(Error::value(field, format!("A password has {min} to {max} characters.")));
    }
    Ok(text)
}

fn hash(password: &[u8], salt: &[u8; 16], work: PasswordWork) -> Result<String> {
    let params =
        Params::new(work.memory_kib, work.passes, LANES, None).map_err(|error| Error::internal(error.to_string()))?;
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash: PasswordHash =
        argon2.hash_password_with_salt(password, salt).map_err(|error| Error::internal(error.to_string()))?;
    Ok(hash.to_string())
}

fn verify(password: &[u8], hash: &str) -> Result<bool> {
    match Argon2::default().verify_password(password, hash) {
        Ok(()) => Ok(true),
        Err(password_hash::Error::PasswordInvalid) => Ok(false),
        Err(error) => Err(Error::internal(error.to_string())),
    }
}

/// Bytes of a password that is made: 24 letters and digits.
const PASSWORD_LEN: usize = 15;

/// Letters and digits in groups, which somebody can read out and type.
pub(super) fn new_password() -> Zeroizing<String> {
    let text = base32(Zeroizing::new(chancery_keys::random::<PASSWORD_LEN>()).as_slice());
    let mut grouped = Zeroizing::new(String::with_capacity(2 * text.len()));
    for (number, letter) in text.chars().enumerate() {
        if number > 0 && number % 4 == 0 {
            grouped.push('-');
        }
        grouped.push(letter);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    #[test]
    fn only_the_password_hashed_is_right() {
        let work = PasswordWork::default();
        let phc = hash(b"correct horse", &[7; 16], work).unwrap();
        assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
        assert!(verify(b"correct horse", &phc).unwrap());
        assert!(!verify(b"correct horsf", &phc).unwrap());
        assert!(!verify(b"", &phc).unwrap());
    }

    #[test]
    fn nobodys_hash_costs_the_same_work() {
        let parameters = |phc: &str| {
            let hash = PasswordHash::new(phc).unwrap();
            let lengths = (hash.salt.unwrap().len(), hash.hash.unwrap().len());
            (hash.algorithm, hash.version, hash.params.to_string(), lengths)
        };
        for work in [PasswordWork::default(), PasswordWork::TRIFLING] {
            let (nobodys, somebodys) = (parameters(&work.nobodys()), parameters(&hash(b"x", &[0; 16], work).unwrap()));
            assert_eq!(nobodys, somebodys);
        }
    }

    #[test]
    fn a_broken_hash_in_the_store_is_our_fault_and_lets_nobody_in() {
        assert_eq!(verify(b"x", "$argon2id$").unwrap_err().meaning(), Meaning::Internal);
    }

    #[test]
    fn new_passwords_have_12_characters_or_more() {
        let limits = Limits::default();
        let check = |password: &[u8]| check_new("/password", password, &limits).map(str::to_owned);
        assert_eq!(check("ääääääääääää".as_bytes()).unwrap(), "ääääääääääää");
        assert!(check(&[b'x'; 1_024]).is_ok());
        for refused in ["äääääääääää".as_bytes(), &[b'x'; 1_025], &[0xff; 12], b""] {
            let error = check(refused).unwrap_err();
            assert_eq!((error.meaning(), error.field()), (Meaning::Value, Some("/password")));
        }
    }

    #[test]
    fn passwords_that_are_made_can_be_typed_and_are_never_the_same() {
        let (one, another) = (new_password(), new_password());
        assert_ne!(*one, *another);
        assert!(one.split('-').all(|part| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphanumeric())));
        assert_eq!(one.split('-').count(), 6);
        check_new("/password", one.as_bytes(), &Limits::default()).unwrap();
    }
}
