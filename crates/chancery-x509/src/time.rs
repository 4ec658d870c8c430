//! Moments as the calendar and the interface say them.

use jiff::{
    SignedDuration, Timestamp,
    civil::{DateTime, date},
};

/// Where seconds are counted from.
pub const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

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

/// The millisecond that a text of RFC 3339 names; fractions of it are cut off.
#[must_use]
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
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
        for bad in ["", "2026-06-21", "yesterday", "2026-06-21T12:00:00"] {
            assert_eq!(parse_rfc3339(bad), None, "{bad}");
        }
    }
}
