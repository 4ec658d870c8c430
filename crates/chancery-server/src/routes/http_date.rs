//! Dates as HTTP headers have them.

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
pub(crate) fn http_date(second: i64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (day, rest) = (second.div_euclid(86_400), second.rem_euclid(86_400));
    let (year, month, date) = civil(day);
    let name =
        |names: &[&'static str], index: i64| usize::try_from(index).ok().and_then(|index| names.get(index).copied());
    format!(
        "{}, {date:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        name(&DAYS, day.rem_euclid(7)).unwrap_or_default(),
        name(&MONTHS, month - 1).unwrap_or_default(),
        rest / 3_600,
        rest / 60 % 60,
        rest % 60
    )
}

/// Year, month and day of the month of a day since 1970-01-01. Years are counted from March, so that the day that leap
/// years add is a year's last.
const fn civil(day: i64) -> (i64, i64, i64) {
    /// From 0000-03-01 to 1970-01-01.
    const BEFORE: i64 = 719_468;
    const FOUR_CENTURIES: i64 = 146_097;
    let day = day + BEFORE;
    let (era, in_era) = (day.div_euclid(FOUR_CENTURIES), day.rem_euclid(FOUR_CENTURIES));
    let year = (in_era - in_era / 1_460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let date = in_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, date)
}

#[test]
fn dates_are_those_of_the_standard() {
    for (second, text) in [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ] {
        assert_eq!(http_date(second), text);
    }
}
