//! Moments as the calendar and the interface say them.

use std::ops::RangeInclusive;

use jiff::{
    SignedDuration,
    civil::{DateTime, date},
};

/// Where seconds are counted from.
pub const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

/// The years of four digits, 0000 to 9999, which RFC 3339 has: an offset may lead out of them.
const YEARS_MS: RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// The second as date and time in UTC. Civil, since a jiff `Timestamp` ends a day before X.509's last second,
/// 9999-12-31 23:59:59, which is also the last of civil time.
pub fn civil(second: i64) -> Result<DateTime, jiff::Error> {
    EPOCH.checked_add(SignedDuration::from_secs(second))
}

/// The second as the interface says it: RFC 3339, UTC. Empty for what no calendar has.
pub fn rfc3339(second: i64) -> String {
    civil(second).map_or_else(|_| String::new(), |moment| format!("{moment}Z"))
}

/// The millisecond as the interface says it: RFC 3339, UTC.
pub fn rfc3339_ms(ms: i64) -> String {
    let moment = civil(ms.div_euclid(1_000))
        .ok()
        .and_then(|moment| moment.checked_add(SignedDuration::from_millis(ms.rem_euclid(1_000))).ok());
    moment.map_or_else(String::new, |moment| format!("{moment:.3}Z"))
}

/// The millisecond that a text of RFC 3339 (section 5.6) names; fractions of it are cut off. Forms of ISO 8601 that are none of it are
/// refused: without seconds, without a colon in the offset, with a comma, or with a blank in the place of `T`.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    const SECONDS: usize = "2026-06-21T12:00:00".len();
    const DIGITS: usize = 9;
    let (moment, rest) = text.split_at_checked(SECONDS)?;
    let is_like = |(byte, shape): (u8, u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        b'T' => byte.eq_ignore_ascii_case(&b'T'),
        mark => byte == mark,
    };
    if !moment.bytes().zip(*b"0000-00-00T00:00:00").all(is_like) {
        return None;
    }
    let end = rest.find(|character: char| character != '.' && !character.is_ascii_digit())?;
    let (fraction, offset) = rest.split_at(end);
    if !fraction.is_empty() {
        let digits = fraction.strip_prefix('.')?;
        if digits.is_empty() || digits.contains('.') {
            return None;
        }
    }
    let kept = &fraction[..fraction.len().min(1 + DIGITS)];
    let moment: DateTime = format!("{moment}{kept}").parse().ok()?;
    moment.duration_since(EPOCH).checked_sub(offset_of(offset)?).and_then(|since| {
        // Rounded towards the past also before 1970.
        let ms = since.as_nanos().div_euclid(1_000_000);
        i64::try_from(ms).ok().filter(|ms| YEARS_MS.contains(ms))
    })
}

/// `Z`, or hours and minutes.
fn offset_of(text: &str) -> Option<SignedDuration> {
    if text.eq_ignore_ascii_case("z") {
        return Some(SignedDuration::ZERO);
    }
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let number = |digits: &str, end: i64| {
        let is_two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|number| is_two && *number < end)
    };
    let minutes = number(hours, 24)? * 60 + number(minutes, 60)?;
    match text.as_bytes()[0] {
        b'+' => Some(SignedDuration::from_mins(minutes)),
        b'-' => Some(SignedDuration::from_mins(-minutes)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_the_epoch_to_the_last_second_of_x509() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(253_402_300_799), "9999-12-31T23:59:59Z");
        assert_eq!(rfc3339(253_402_300_800), "");
    }

    #[test]
    fn milliseconds_go_both_ways() {
        assert_eq!(rfc3339_ms(1_782_043_200_005), "2026-06-21T12:00:00.005Z");
        assert_eq!(parse_rfc3339("2026-06-21T12:00:00.005Z"), Some(1_782_043_200_005));
        assert_eq!(parse_rfc3339("2026-06-21T14:00:00+02:00"), Some(1_782_043_200_000));
        let of_day = |text: &str| parse_rfc3339(&format!("2026-06-21{text}"));
        let noon = Some(1_782_043_200_000);
        for same in ["t12:00:00z", "T12:00:00.0009999999999999Z", "T07:30:00-04:30", "T12:00:00+00:00", "T11:59:60Z"] {
            assert_eq!(of_day(same), if same.contains("60") { Some(1_782_043_199_000) } else { noon }, "{same}");
        }
        assert_eq!(parse_rfc3339("9999-12-31T23:59:59.999Z"), Some(253_402_300_799_999));
        assert_eq!(parse_rfc3339("0000-01-01T00:00:00Z").map(rfc3339_ms).as_deref(), Some("0000-01-01T00:00:00.000Z"));
        assert_eq!(parse_rfc3339("1969-12-31T23:59:59.9995Z"), Some(-1));
        for bad in [
            "",
            "2026-06-21",
            "yesterday",
            "2026-06-21T12:00:00",
            "2026-06-21 12:00:00Z",
            "2026-06-21T12:00Z",
            "20260621T120000Z",
            "2026-06-21T12:00:00,5Z",
            "2026-06-21T12:00:00.Z",
            "2026-06-21T12:00:00.1.2Z",
            "2026-06-21T12:00:00+0200",
            "2026-06-21T12:00:00+24:00",
            "2026-06-21T12:00:00+02",
            "2026-06-21T12:00:00+02:60",
            "2026-06-21T12:00:00Z[Europe/Berlin]",
            "2026-02-30T12:00:00Z",
            "2026-06-21T24:00:00Z",
            "2026-06-21T12:00:00+ü:00",
            "9999-12-31T23:59:59-00:01",
            "0000-01-01T00:00:00+00:01",
            "+002026-06-21T12:00:00Z",
            "2026-06-21T12:00:00 02:00",
        ] {
            assert_eq!(parse_rfc3339(bad), None, "{bad}");
        }
    }
}
