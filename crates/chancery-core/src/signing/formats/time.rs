//! Times as X.509 and CMS write them: UTCTime through 2049, GeneralizedTime from 2050 on.

use std::time::Duration;

use der::{
    DateTime,
    asn1::{GeneralizedTime, UtcTime},
};
use x509_cert::time::Time;

/// The encoding of a time in milliseconds since the epoch; the milliseconds are cut off.
pub(super) fn encode(at_ms: i64) -> der::Result<Time> {
    let ms = u64::try_from(at_ms).map_err(|_| der::Error::from(der::ErrorKind::DateTime))?;
    let date = DateTime::from_unix_duration(Duration::from_secs(ms / 1_000))?;
    if date.year() <= UtcTime::MAX_YEAR {
        UtcTime::from_date_time(date).map(Time::UtcTime)
    } else {
        Ok(Time::GeneralTime(GeneralizedTime::from_date_time(date)))
    }
}

#[cfg(test)]
mod tests {
    use der::Encode;

    use super::*;

    #[test]
    fn two_digits_of_the_year_through_2049() {
        let at = |ms: i64| String::from_utf8(encode(ms).unwrap().to_der().unwrap()[2..].to_vec()).unwrap();
        assert_eq!(at(0), "700101000000Z");
        assert_eq!(at(2_524_607_999_999), "491231235959Z");
        assert_eq!(at(2_524_608_000_000), "20500101000000Z");
        assert!(encode(-1).is_err());
    }
}
