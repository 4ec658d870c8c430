//! One-time codes of a second factor: HOTP (RFC 4226) with the time as its counter, TOTP (RFC 6238), by HMAC-SHA-1.
//!
//! SHA-1 is what every authenticator knows. Its collisions are of no use against HMAC.

use aws_lc_rs::{constant_time::verify_slices_are_equal, hmac};
use zeroize::Zeroizing;

/// Bytes of a secret: those of SHA-1, as RFC 4226 recommends (section 4, R6).
pub const TOTP_SECRET_LEN: usize = 20;

/// Digits of a code.
pub const TOTP_DIGITS: usize = 6;

/// Seconds for which a code is shown.
pub const TOTP_STEP_S: i64 = 30;

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// An open secret, which makes codes.
pub struct Totp(hmac::Key);

impl Totp {
    /// The secret is the caller's to wipe; what is made of it here is wiped on drop by AWS-LC.
    #[must_use]
    pub fn new(secret: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret))
    }

    /// In which step a moment lies, in milliseconds since 1970 UTC.
    #[must_use]
    pub const fn step_at(now_ms: i64) -> i64 {
        now_ms.div_euclid(TOTP_STEP_S * 1_000)
    }

    /// The code of a step.
    #[must_use]
    pub fn code(&self, step: i64) -> Zeroizing<[u8; TOTP_DIGITS]> {
        let mut code = Zeroizing::new([0; TOTP_DIGITS]);
        write_digits(self.truncated(step), code.as_mut_slice());
        code
    }

    /// The step whose code this is: that of the moment, the one before or the one after, if it is later than `used`. All
    /// three are made and compared, whichever it is.
    #[must_use]
    pub fn step_of(&self, code: &[u8; TOTP_DIGITS], now_ms: i64, used: Option<i64>) -> Option<i64> {
        let now = Self::step_at(now_ms);
        let mut found = None;
        for step in [now.saturating_sub(1), now, now.saturating_add(1)] {
            let is_it = verify_slices_are_equal(self.code(step).as_slice(), code).is_ok();
            if is_it & used.is_none_or(|used| step > used) {
                found = Some(step);
            }
        }
        found
    }

    /// 31 bits of the counter's HMAC (RFC 4226, section 5.3).
    fn truncated(&self, counter: i64) -> u32 {
        let tag = hmac::sign(&self.0, &counter.to_be_bytes());
        let tag = tag.as_ref();
        let offset = usize::from(tag[TOTP_SECRET_LEN - 1] & 15);
        let four = tag[offset..].first_chunk().expect("an offset of at most 15 leaves 5 bytes of 20");
        u32::from_be_bytes(*four) & 0x7fff_ffff
    }
}

/// The last decimal digits of a number, as ASCII.
fn write_digits(mut number: u32, digits: &mut [u8]) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).expect("a digit");
        number /= 10;
    }
}

/// Bytes in base32 (RFC 4648, section 6) without padding, which authenticators do without.
#[must_use]
pub fn base32(bytes: &[u8]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(bytes.len().div_ceil(5) * 8));
    for group in bytes.chunks(5) {
        let mut five = [0; 8];
        five[3..3 + group.len()].copy_from_slice(group);
        let bits = u64::from_be_bytes(five);
        for place in 0..(group.len() * 8).div_ceil(5) {
            text.push(char::from(BASE32[usize::try_from(bits >> (35 - 5 * place) & 31).expect("five bits")]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of both RFCs for SHA-1.
    const SECRET: &[u8] = b"12345678901234567890";

    /// RFC 4226, appendix D: counter, HMAC, truncated value, HOTP.
    #[test]
    fn vectors_of_rfc_4226() {
        let totp = Totp::new(SECRET);
        for (counter, mac, truncated, code) in [
            (0_i64, "cc93cf18508d94934c64b65d8ba7667fb7cde4b0", 1_284_755_224, b"755224"),
            (1, "75a48a19d4cbe100644e8ac1397eea747a2d33ab", 1_094_287_082, b"287082"),
            (2, "0bacb7fa082fef30782211938bc1c5e70416ff44", 137_359_152, b"359152"),
            (3, "66c28227d03a2d5529262ff016a1e6ef76557ece", 1_726_969_429, b"969429"),
            (4, "a904c900a64b35909874b33e61c5938a8e15ed1c", 1_640_338_314, b"338314"),
            (5, "a37e783d7b7233c083d4f62926c7a25f238d0316", 868_254_676, b"254676"),
            (6, "bc9cd28561042c83f219324d3c607256c03272ae", 1_918_287_922, b"287922"),
            (7, "a4fb960c0bc06e1eabb804e5b397cdc4b45596fa", 82_162_583, b"162583"),
            (8, "1b3c89f65e6c9e883012052823443f048b4332db", 673_399_871, b"399871"),
            (9, "1637409809a679dc698207310c8c7fc07290d9e5", 645_520_489, b"520489"),
        ] {
            assert_eq!(hex::encode(hmac::sign(&totp.0, &counter.to_be_bytes()).as_ref()), mac, "{counter}");
            assert_eq!((totp.truncated(counter), &*totp.code(counter)), (truncated, code), "{counter}");
        }
    }

    /// RFC 6238, appendix B, the rows of SHA-1: time in seconds, step, eight digits.
    #[test]
    fn vectors_of_rfc_6238() {
        let totp = Totp::new(SECRET);
        for (seconds, step, code) in [
            (59_i64, 0x1, b"94287082"),
            (1_111_111_109, 0x0235_23ec, b"07081804"),
            (1_111_111_111, 0x0235_23ed, b"14050471"),
            (1_234_567_890, 0x0273_ef07, b"89005924"),
            (2_000_000_000, 0x03f9_40aa, b"69279037"),
            (20_000_000_000, 0x27bc_86aa, b"65353130"),
        ] {
            assert_eq!(Totp::step_at(seconds * 1_000), step, "{seconds}");
            let mut digits = [0; 8];
            write_digits(totp.truncated(step), &mut digits);
            assert_eq!((&digits, &*totp.code(step)), (code, code.last_chunk().unwrap()), "{seconds}");
        }
    }

    #[test]
    fn a_code_is_that_of_three_steps_and_of_none_that_was_used() {
        let (totp, now_ms) = (Totp::new(SECRET), 1_234_567_890_000);
        let now = Totp::step_at(now_ms);
        for distance in -3..=3 {
            let code = *totp.code(now + distance);
            let found = totp.step_of(&code, now_ms, None);
            assert_eq!(found, (distance.abs() < 2).then_some(now + distance), "{distance}");
            for used in [now + distance, now + distance + 1] {
                assert_eq!(totp.step_of(&code, now_ms, Some(used)), None, "{distance}");
            }
            assert_eq!(totp.step_of(&code, now_ms, Some(now + distance - 1)), found, "{distance}");
        }
        assert_eq!(totp.step_of(&[0; TOTP_DIGITS], now_ms, None), None, "no digits");
        for now_ms in [i64::MIN, -1, 0, i64::MAX] {
            assert_eq!(totp.step_of(&[0; TOTP_DIGITS], now_ms, None), None, "{now_ms}");
        }
    }

    /// RFC 4648, section 10, without the padding.
    #[test]
    fn vectors_of_rfc_4648() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "MY"),
            (b"fo", "MZXQ"),
            (b"foo", "MZXW6"),
            (b"foob", "MZXW6YQ"),
            (b"fooba", "MZXW6YTB"),
            (b"foobar", "MZXW6YTBOI"),
            (SECRET, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"),
        ] {
            assert_eq!(base32(bytes).as_str(), text);
        }
    }
}
