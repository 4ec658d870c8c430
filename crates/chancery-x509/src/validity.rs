//! From when until when a certificate is valid.
//!
//! X.509 knows whole seconds. `notAfter` is the start plus the period, so that a year from 1 March 2026, noon, ends on
//! 1 March 2027, noon. Certificates are not backdated: what is signed under a certificate cannot be older than it.

use std::fmt;

use chancery_types::{ValidityUnit, wire::x509::ValidityPeriod};
use jiff::Span;
use x509_cert::time::Time;

use crate::time::{EPOCH, civil};

/// A validity period as a request or a profile states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// How many.
    pub amount: i64,
    /// Of what.
    pub unit: ValidityUnit,
}

impl Period {
    /// This many calendar years.
    pub const fn years(amount: i64) -> Self {
        Self { amount, unit: ValidityUnit::Year }
    }

    /// Reads the amount: decimal digits of a positive whole number.
    pub fn parse(amount: &str, unit: ValidityUnit) -> Result<Self, ValidityError> {
        if amount.is_empty() || !amount.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ValidityError::NotWhole);
        }
        match amount.parse() {
            Ok(0) => Err(ValidityError::Zero),
            Ok(amount) => Ok(Self { amount, unit }),
            Err(_) => Err(ValidityError::TooFar),
        }
    }

    /// The period as calendar and clock units. An amount beyond what the calendar holds is an error.
    fn span(self) -> Result<Span, jiff::Error> {
        let zero = Span::new();
        match self.unit {
            ValidityUnit::Millisecond => zero.try_milliseconds(self.amount),
            ValidityUnit::Second => zero.try_seconds(self.amount),
            ValidityUnit::Minute => zero.try_minutes(self.amount),
            ValidityUnit::Hour => zero.try_hours(self.amount),
            ValidityUnit::Day => zero.try_days(self.amount),
            ValidityUnit::Week => zero.try_weeks(self.amount),
            ValidityUnit::Month => zero.try_months(self.amount),
            ValidityUnit::Year => zero.try_years(self.amount),
        }
    }
}

impl From<Period> for ValidityPeriod {
    fn from(period: Period) -> Self {
        Self { unit: period.unit, amount: period.amount.to_string() }
    }
}

/// First and last second of a certificate's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    not_before_s: i64,
    not_after_s: i64,
}

impl Validity {
    /// From this moment for this period; fractions of a second are cut off at both ends.
    pub fn starting(now_ms: i64, period: Period) -> Result<Self, ValidityError> {
        let not_before_s = now_ms.div_euclid(1_000);
        let start = civil(not_before_s).map_err(|_| ValidityError::TooFar)?;
        let end = period.span().and_then(|span| start.checked_add(span)).map_err(|_| ValidityError::TooFar)?;
        let not_after_s = end.duration_since(EPOCH).as_secs();
        if not_after_s <= not_before_s {
            return Err(ValidityError::UnderASecond);
        }
        Ok(Self { not_before_s, not_after_s })
    }

    /// The life of a certificate that exists already.
    pub const fn between(not_before_s: i64, not_after_s: i64) -> Self {
        Self { not_before_s, not_after_s }
    }

    /// First second, since 1970 UTC.
    pub const fn not_before_s(self) -> i64 {
        self.not_before_s
    }

    /// Last second, since 1970 UTC.
    pub const fn not_after_s(self) -> i64 {
        self.not_after_s
    }

    /// Whether a certificate of this life may be issued by one of that life.
    pub const fn within(self, issuer: Self) -> bool {
        issuer.not_before_s <= self.not_before_s && self.not_after_s <= issuer.not_after_s
    }

    /// Whether the moment lies in this life.
    pub const fn contains(self, now_ms: i64) -> bool {
        let now_s = now_ms.div_euclid(1_000);
        self.not_before_s <= now_s && now_s <= self.not_after_s
    }
}

/// The second as certificates say it: UTCTime until 2049, GeneralizedTime from 2050 (RFC 5280, 4.1.2.5).
pub fn x509_time(second: i64) -> der::Result<Time> {
    let moment = std::time::Duration::from_secs(u64::try_from(second).map_err(|_| der::ErrorKind::DateTime)?);
    Ok(Time::from(der::DateTime::from_unix_duration(moment)?))
}

/// Why a period makes no validity.
#[expect(missing_docs, reason = "the text of each says what it is")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidityError {
    NotWhole,
    Zero,
    UnderASecond,
    TooFar,
}

impl fmt::Display for ValidityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotWhole => "The amount is not a positive whole number in decimal digits.",
            Self::Zero => "The amount is zero; a positive whole number is expected.",
            Self::UnderASecond => "The period is shorter than a second, the least that a certificate can be valid.",
            Self::TooFar => "The period ends after the year 9999, the last that a certificate can name.",
        })
    }
}

impl std::error::Error for ValidityError {}

#[cfg(test)]
mod tests {
    use der::Encode;
    use jiff::civil::DateTime;

    use super::*;
    use crate::time::rfc3339;

    fn ms(moment: &str) -> i64 {
        let civil: DateTime = moment.trim_end_matches('Z').parse().unwrap();
        i64::try_from(civil.duration_since(EPOCH).as_millis()).unwrap()
    }

    fn end(start: &str, amount: &str, unit: ValidityUnit) -> Result<String, ValidityError> {
        Ok(rfc3339(Validity::starting(ms(start), Period::parse(amount, unit)?)?.not_after_s()))
    }

    #[test]
    fn every_unit_is_calendar_arithmetic() {
        for (start, amount, unit, expected) in [
            ("2026-01-31T12:00:00.999Z", "1500", ValidityUnit::Millisecond, "2026-01-31T12:00:01Z"),
            ("2026-01-31T12:00:00Z", "1000", ValidityUnit::Millisecond, "2026-01-31T12:00:01Z"),
            ("2026-01-31T12:00:00Z", "1", ValidityUnit::Second, "2026-01-31T12:00:01Z"),
            ("2026-01-31T12:00:00Z", "90", ValidityUnit::Minute, "2026-01-31T13:30:00Z"),
            ("2026-01-31T12:00:00Z", "24", ValidityUnit::Hour, "2026-02-01T12:00:00Z"),
            ("2024-02-28T12:00:00Z", "1", ValidityUnit::Day, "2024-02-29T12:00:00Z"),
            ("2026-01-31T12:00:00Z", "2", ValidityUnit::Week, "2026-02-14T12:00:00Z"),
            ("2026-01-31T12:00:00Z", "1", ValidityUnit::Month, "2026-02-28T12:00:00Z"),
            ("2024-01-31T12:00:00Z", "1", ValidityUnit::Month, "2024-02-29T12:00:00Z"),
            ("2026-01-31T12:00:00Z", "13", ValidityUnit::Month, "2027-02-28T12:00:00Z"),
            ("2024-02-29T12:00:00Z", "1", ValidityUnit::Year, "2025-02-28T12:00:00Z"),
            ("2024-02-29T12:00:00Z", "4", ValidityUnit::Year, "2028-02-29T12:00:00Z"),
            ("2026-01-31T12:00:00Z", "007", ValidityUnit::Day, "2026-02-07T12:00:00Z"),
            ("2026-12-31T23:59:59Z", "7973", ValidityUnit::Year, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(end(start, amount, unit).as_deref(), Ok(expected), "{start} + {amount} {unit}");
        }
    }

    #[test]
    fn amounts_are_refused_for_their_reason() {
        for amount in ["", " ", "-1", "+1", "1.5", "1e3", "one", "1 ", "٣"] {
            assert_eq!(
                end("2026-01-31T12:00:00Z", amount, ValidityUnit::Day),
                Err(ValidityError::NotWhole),
                "{amount}"
            );
        }
        for amount in ["0", "000"] {
            assert_eq!(end("2026-01-31T12:00:00Z", amount, ValidityUnit::Day), Err(ValidityError::Zero));
        }
        let millisecond = ValidityUnit::Millisecond;
        assert_eq!(end("2026-01-31T12:00:00.999Z", "999", millisecond), Err(ValidityError::UnderASecond));
        for unit in ValidityUnit::ALL {
            for amount in ["9223372036854775807", "99999999999999999999999999"] {
                assert_eq!(end("2026-01-31T12:00:00Z", amount, *unit), Err(ValidityError::TooFar), "{amount} {unit}");
            }
        }
        assert_eq!(end("2026-12-31T23:59:59.5Z", "7974", ValidityUnit::Year), Err(ValidityError::TooFar));
        assert_eq!(end("9999-12-31T23:59:59Z", "1", ValidityUnit::Second), Err(ValidityError::TooFar));
    }

    #[test]
    fn utc_time_until_2049_and_generalized_time_from_2050() {
        for (moment, tag, text) in [
            ("2049-12-31T23:59:59Z", 0x17, "491231235959Z"),
            ("2050-01-01T00:00:00Z", 0x18, "20500101000000Z"),
            ("9999-12-31T23:59:59Z", 0x18, "99991231235959Z"),
        ] {
            let der = x509_time(ms(moment) / 1_000).unwrap().to_der().unwrap();
            assert_eq!((der[0], &der[2..]), (tag, text.as_bytes()), "{moment}");
        }
    }

    #[test]
    fn a_child_lives_within_its_issuer() {
        let issuer = Validity::between(100, 200);
        for (child, inside) in [((100, 200), true), ((99, 200), false), ((100, 201), false), ((150, 160), true)] {
            assert_eq!(Validity::between(child.0, child.1).within(issuer), inside, "{child:?}");
        }
    }
}
