//! The codes by which addresses are confirmed.

use chancery_keys::Custodian;
use chancery_types::IdentityId;
use zeroize::Zeroizing;

/// Digits and letters of which none looks like another one: five bits each.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";

/// Eight of them: with five tries of 2^40 codes nobody guesses one.
const LEN: u32 = 8;

/// A new code.
pub(super) fn new() -> Zeroizing<String> {
    let bits = chancery_keys::random::<5>().iter().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
    let symbol = |at: u32| char::from(ALPHABET[(bits >> (5 * at) & 31) as usize]);
    Zeroizing::new((0..LEN).map(symbol).collect())
}

/// As people read it.
pub(super) fn shown(code: &str) -> Zeroizing<String> {
    let (first, second) = code.split_at(code.len() / 2);
    Zeroizing::new(format!("{first}-{second}"))
}

/// What somebody entered as a code; none where it cannot be one.
pub(super) fn entered(text: &str) -> Option<Zeroizing<String>> {
    let code: String = text.chars().filter(|one| !matches!(one, ' ' | '-')).take(LEN as usize + 1).collect();
    let code = Zeroizing::new(code.to_ascii_uppercase());
    let is_one = code.len() == LEN as usize && code.bytes().all(|byte| ALPHABET.contains(&byte));
    is_one.then_some(code)
}

/// What of a code is kept: it is good for one identity and one address.
pub(super) fn hash(custodian: &Custodian, identity: IdentityId, address: &str, code: &str) -> [u8; 32] {
    let value = Zeroizing::new([&identity.as_bytes()[..], code.as_bytes(), address.as_bytes()].concat());
    custodian.keyed_hash("mailbox code", &value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_people_write_it() {
        let code = new();
        assert_eq!(code.len(), 8);
        assert_ne!(*code, *new());
        let shown = shown(&code);
        for written in [shown.to_string(), shown.to_lowercase(), format!(" {} ", shown.replace('-', " - "))] {
            assert_eq!(entered(&written).as_deref(), Some(&*code), "{written}");
        }
        for wrong in ["", "ABCD-EFG", "ABCD-EFGHJ", "ABCD-EFG0", "ABCD-EFGI", "ÄBCD-EFG", &"A".repeat(10_000)] {
            assert_eq!(entered(wrong), None, "{wrong}");
        }
    }
}
