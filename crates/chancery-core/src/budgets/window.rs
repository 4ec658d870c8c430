//! Windows of time: each begins where the one before it ends, in UTC, and none depends on when somebody began.

use chancery_types::BudgetPeriod;
use chancery_x509::time::civil;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;

/// From when until when the window is that this moment is in, in milliseconds since 1970 UTC.
pub(super) fn around(per: BudgetPeriod, now_ms: i64) -> (i64, i64) {
    let of = |length_ms: i64| {
        let start = now_ms.div_euclid(length_ms).saturating_mul(length_ms);
        (start, start.saturating_add(length_ms))
    };
    match per {
        BudgetPeriod::Minute => of(MINUTE_MS),
        BudgetPeriod::Hour => of(60 * MINUTE_MS),
        BudgetPeriod::Day => of(DAY_MS),
        // A clock beyond the calendar has days, and no months.
        BudgetPeriod::Month => month(now_ms).unwrap_or_else(|| of(DAY_MS)),
    }
}

fn month(now_ms: i64) -> Option<(i64, i64)> {
    let today = civil(now_ms.div_euclid(1_000)).ok()?;
    let start = now_ms.div_euclid(DAY_MS).saturating_sub(i64::from(today.day()) - 1).saturating_mul(DAY_MS);
    Some((start, start.saturating_add(i64::from(today.days_in_month()) * DAY_MS)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{parse_rfc3339, rfc3339_ms};

    #[test]
    fn windows_are_those_of_the_clock_and_the_calendar() {
        use BudgetPeriod::{Day, Hour, Minute, Month};
        for (per, now, start, end) in [
            (Minute, "2026-06-21T12:00:00.500Z", "2026-06-21T12:00:00.000Z", "2026-06-21T12:01:00.000Z"),
            (Minute, "2026-06-21T12:00:59.999Z", "2026-06-21T12:00:00.000Z", "2026-06-21T12:01:00.000Z"),
            (Hour, "2026-06-21T12:59:59Z", "2026-06-21T12:00:00.000Z", "2026-06-21T13:00:00.000Z"),
            (Day, "2026-06-21T12:00:00Z", "2026-06-21T00:00:00.000Z", "2026-06-22T00:00:00.000Z"),
            (Month, "2028-02-29T23:59:59Z", "2028-02-01T00:00:00.000Z", "2028-03-01T00:00:00.000Z"),
            (Month, "2026-12-01T00:00:00Z", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
            (Day, "1969-12-31T12:00:00Z", "1969-12-31T00:00:00.000Z", "1970-01-01T00:00:00.000Z"),
        ] {
            let (found_start, found_end) = around(per, parse_rfc3339(now).unwrap());
            assert_eq!((rfc3339_ms(found_start).as_str(), rfc3339_ms(found_end).as_str()), (start, end), "{per} {now}");
        }
    }
}
