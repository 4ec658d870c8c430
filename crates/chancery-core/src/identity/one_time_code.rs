//! Whether a one-time code is right, asked with the same work for everybody.

use chancery_keys::{Context, Custodian, TOTP_DIGITS, TOTP_SECRET_LEN, Totp};
use chancery_store::tables;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::{Error, Identities, Result};

/// Part of the stored format.
const SEALED: &str = "totp secret";

/// A code as it is typed.
pub(super) type Code = Zeroizing<[u8; TOTP_DIGITS]>;

/// Of which secret a code is to be, and what besides a password is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Of the one whose codes logins take, where there is one.
    Active,
    /// The same; and whoever has no such secret, and a passkey that was confirmed, shows that. Else a password alone would
    /// give codes to whoever found it out, and what codes open with them.
    ActiveOrPasskey,
    /// Of the one that waits for the code which confirms it.
    Pending,
}

/// What came of looking at a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looked {
    /// The identity has no second factor.
    Needless,
    /// It is the code of this step, and none of this or a later one was accepted before.
    Right(i64),
    /// Wrong, used, or missing.
    Wrong,
}

/// The sealed secret that is looked at where there is none, so that the answer takes the same time.
pub(super) fn no_ones(custodian: &Custodian) -> Result<Vec<u8>> {
    let secret = Zeroizing::new(chancery_keys::random::<TOTP_SECRET_LEN>());
    custodian.seal_value(context(&Uuid::nil()), secret.as_slice()).map_err(Error::internal)
}

pub(super) const fn context(id: &Uuid) -> Context<'_> {
    Context { kind: SEALED, row: id.as_bytes() }
}

/// The digits of a code; spaces between them are for people.
pub(super) fn code_of(field: &str, text: String) -> Result<Code> {
    let text = Zeroizing::new(text);
    let mut code = Zeroizing::new([0; TOTP_DIGITS]);
    let mut digits = code.iter_mut();
    for byte in text.bytes().filter(|byte| *byte != b' ') {
        match digits.next().filter(|_| byte.is_ascii_digit()) {
            Some(digit) => *digit = byte,
            None => return Err(no_code(field)),
        }
    }
    match digits.next() {
        Some(_) => Err(no_code(field)),
        None => Ok(code),
    }
}

fn no_code(field: &str) -> Error {
    Error::malformed(field, "A one-time code has six digits.")
}

impl Identities {
    /// Looks at a code of this identity, with the same work whether there is an identity, a secret or a code.
    pub(super) fn look_at_code(
        &self,
        row: Option<&tables::identities::Row>,
        asked: Asked,
        code: Option<&Code>,
    ) -> Result<Looked> {
        // No digit is a zero byte.
        const NONE: [u8; TOTP_DIGITS] = [0; TOTP_DIGITS];
        let now = self.context.clock.now_ms();
        let pending = |row: &tables::identities::Row| row.totp_pending_until_ms.is_some_and(|until| now < until);
        let sealed = row.and_then(|row| match asked {
            Asked::Active | Asked::ActiveOrPasskey => Some((row.id, row.totp_secret.as_deref()?, row.totp_used_step)),
            Asked::Pending => Some((row.id, row.totp_pending.as_deref().filter(|_| pending(row))?, None)),
        });
        let (id, bytes, used) = sealed.unwrap_or((Uuid::nil(), &self.state.no_ones_totp, None));
        let secret = self.context.custodian.open_value(context(&id), bytes).map_err(Error::internal)?;
        let step = Totp::new(secret.expose()).step_of(code.map_or(&NONE, |code| &**code), now, used);
        Ok(match (sealed, asked, step) {
            (None, Asked::Active | Asked::ActiveOrPasskey, _) => Looked::Needless,
            (Some(_), _, Some(step)) => Looked::Right(step),
            (None, Asked::Pending, _) | (Some(_), _, None) => Looked::Wrong,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    #[test]
    fn six_digits_are_a_code() {
        for text in ["287082", "287 082", " 287082 "] {
            assert_eq!(*code_of("/totp", text.to_owned()).unwrap(), *b"287082", "{text:?}");
        }
        for text in ["", "28708", "2870821", "28708x", "28708\0", "２８７０８２", "-87082", "+28708"] {
            let error = code_of("/totp", text.to_owned()).unwrap_err();
            assert_eq!((error.meaning(), error.field()), (Meaning::Malformed, Some("/totp")), "{text:?}");
        }
    }
}
