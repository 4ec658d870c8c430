//! When a certificate is due for its renewal.

use std::time::Duration;

/// Where nobody says otherwise: a window in the life of the certificate, about two thirds, so that a third is left for
/// whatever goes wrong. (RFC 9773 has servers tell such windows; certificates of one day would otherwise all come at once.)
const WINDOW_BEGIN: f64 = 0.62;
const WINDOW_LEN: f64 = 0.10;

/// Part of `before` by which a certificate is earlier than that at most.
const EARLIER_MAX: f64 = 0.10;

/// The validity of a certificate, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Life {
    pub(super) begin: i64,
    pub(super) end: i64,
}

/// From when on it is renewed. `jitter`, from 0 to 1, parts certificates that began together; of one certificate it is always
/// the same, so that a restart changes nothing. Never before half of the life: a certificate that is due as soon as it is
/// issued would be renewed for ever.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "milliseconds of some years, roughly")]
pub(super) fn due_ms(life: Life, before: Option<Duration>, jitter: f64) -> i64 {
    let whole = (life.end - life.begin).max(0);
    let after_begin = match before {
        None => whole as f64 * (WINDOW_BEGIN + WINDOW_LEN * jitter),
        Some(before) => whole as f64 - before.as_millis() as f64 * (1.0 + EARLIER_MAX * jitter),
    };
    life.begin + (after_begin as i64).max(whole / 2)
}

/// The part of a certificate's own between 0 and 1: of its serial number (hexadecimal digits), which is random.
pub(super) fn jitter_of(serial: &str) -> f64 {
    let last = serial.get(serial.len().saturating_sub(8)..).unwrap_or_default();
    f64::from(u32::from_str_radix(last, 16).unwrap_or_default()) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;
    const LIFE: Life = Life { begin: 10 * DAY, end: 100 * DAY };

    #[test]
    fn a_third_of_the_life_is_left() {
        let window = [0.0, 0.5, 1.0].map(|jitter| (due_ms(LIFE, None, jitter) - LIFE.begin) / DAY);
        assert_eq!(window, [55, 60, 64]);
    }

    #[test]
    fn what_is_told_counts_up_to_half_of_the_life() {
        let before = |days: u64, jitter| due_ms(LIFE, Some(Duration::from_secs(days * 86_400)), jitter) / DAY;
        assert_eq!((before(30, 0.0), before(30, 1.0), before(0, 1.0)), (70, 67, 100));
        assert_eq!((before(45, 1.0), before(90, 0.0), before(4_000, 0.5)), (55, 55, 55));
        let none = Life { begin: 5, end: 5 };
        assert_eq!(due_ms(none, None, 0.3), 5);
    }

    #[test]
    fn jitter_is_between_0_and_1() {
        assert_eq!((jitter_of(""), jitter_of("00ffffffff")), (0.0, 1.0));
        assert!((0.49..0.51).contains(&jitter_of("0102030480000000")) && jitter_of("7F") < 0.01);
    }
}
