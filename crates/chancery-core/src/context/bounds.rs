//! From where and when an identity may log in and act. Hours are in UTC, as all times of the interface.

use std::{fmt, net::IpAddr, str::FromStr};

use chancery_store::tables::identities::Row;
use serde::{Deserialize, Serialize};

use crate::{Error, Limits, Network, NotANetwork, Result};

const MINUTE_MS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;
/// 1970-01-01 was a Thursday, and weeks begin with Monday.
const FIRST_WEEKDAY: i64 = 3;
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// As they are stored: each as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    #[serde(default)]
    pub(crate) networks: Vec<String>,
    #[serde(default)]
    pub(crate) hours: Vec<String>,
}

impl Kept {
    /// As the row has them; none where there are none.
    pub(crate) fn of(row: &Row) -> Result<Self> {
        let kept = row.bounds.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        Ok(kept.unwrap_or_default())
    }

    /// With others in their place, as somebody wrote them.
    pub(crate) fn with(self, networks: Option<&[String]>, hours: Option<&[String]>, limits: &Limits) -> Result<Self> {
        let refusal = |error: NotANetwork| format!("Here {error}.");
        let networks =
            networks.map(|given| canonical::<Network, _>("/networks", given, limits, refusal)).transpose()?;
        let hours =
            hours.map(|given| canonical::<Hours, _>("/hours", given, limits, |error: NoHours| error.to_string()));
        Ok(Self { networks: networks.unwrap_or(self.networks), hours: hours.transpose()?.unwrap_or(self.hours) })
    }

    /// Adds those that there are to the detail of a record.
    pub(crate) fn tell(&self, detail: &mut serde_json::Value) {
        for (member, given) in [("networks", &self.networks), ("hours", &self.hours)] {
            if !given.is_empty() {
                detail[member] = serde_json::json!(given);
            }
        }
    }

    /// As the row has them.
    pub(crate) fn stored(&self) -> Result<Option<String>> {
        if *self == Self::default() {
            return Ok(None);
        }
        serde_json::to_string(self).map(Some).map_err(Error::internal)
    }
}

fn canonical<T, E>(field: &str, given: &[String], limits: &Limits, why: impl Fn(E) -> String) -> Result<Vec<String>>
where
    T: FromStr<Err = E> + fmt::Display,
{
    let max = limits.logins.identity_bounds_max;
    if given.len() > max {
        return Err(Error::too_large(field, format!("An identity has at most {max} of them.")));
    }
    let one = |(index, text): (usize, &String)| {
        let parsed: T = text.parse().map_err(|error| Error::value(format!("{field}/{index}"), why(error)))?;
        Ok(parsed.to_string())
    };
    given.iter().enumerate().map(one).collect()
}

/// Compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    networks: Vec<Network>,
    hours: Vec<Hours>,
}

impl Bounds {
    /// Of an identity that has some.
    pub(crate) fn of(row: &Row) -> Result<Option<Self>> {
        if row.bounds.is_none() {
            return Ok(None);
        }
        Self::compiled(&Kept::of(row)?).map(Some)
    }

    pub(crate) fn compiled(kept: &Kept) -> Result<Self> {
        let parsed = |text: &String| text.parse().map_err(Error::internal);
        let networks = kept.networks.iter().map(parsed).collect::<Result<_>>()?;
        let hours = kept.hours.iter().map(|text| text.parse().map_err(Error::internal)).collect::<Result<_>>()?;
        Ok(Self { networks, hours })
    }

    /// Whether somebody may act from this address now.
    pub(crate) fn admit(&self, source: IpAddr, now_ms: i64) -> bool {
        let minute = now_ms.div_euclid(MINUTE_MS);
        (self.networks.is_empty() || self.networks.iter().any(|network| network.holds(source)))
            && (self.hours.is_empty() || self.hours.iter().any(|hours| hours.hold(minute)))
    }
}

/// A part of the week that comes again each week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hours {
    /// The first and the last day, from Monday on; the last may be before the first.
    days: (u8, u8),
    /// The minutes of the day from which and until which. Where the second is not after the first it is of the next day.
    minutes: (u16, u16),
}

/// What was given names no hours.
#[derive(Debug, thiserror::Error)]
#[error("Hours are days and times in UTC, such as Mon-Fri 07:00-19:00, Sat 08:00-12:00, or 22:00-06:00 for every day.")]
struct NoHours;

impl Hours {
    /// Whether this minute since 1970 is one of them.
    fn hold(self, minute: i64) -> bool {
        let (day, of_day) = (minute.div_euclid(DAY_MINUTES), minute.rem_euclid(DAY_MINUTES));
        let (from, to) = (i64::from(self.minutes.0), i64::from(self.minutes.1));
        if from < to {
            return self.has_day(day) && (from..to).contains(&of_day);
        }
        (self.has_day(day) && of_day >= from) || (self.has_day(day - 1) && of_day < to)
    }

    /// Whether they begin on this day since 1970.
    fn has_day(self, day: i64) -> bool {
        let (first, last) = (i64::from(self.days.0), i64::from(self.days.1));
        let weekday = (day + FIRST_WEEKDAY).rem_euclid(7);
        (weekday - first).rem_euclid(7) <= (last - first).rem_euclid(7)
    }
}

impl FromStr for Hours {
    type Err = NoHours;

    fn from_str(text: &str) -> Result<Self, NoHours> {
        let (days, times) =
            text.trim().split_once(' ').map_or((None, text.trim()), |(days, times)| (Some(days), times));
        let days = match days {
            None => (0, 6),
            Some(days) => {
                let (first, last) = days.split_once('-').unwrap_or((days, days));
                (weekday(first)?, weekday(last)?)
            }
        };
        let (from, to) = times.trim_start().split_once('-').ok_or(NoHours)?;
        let minutes = (minute(from)?, minute(to)?);
        // Nothing lasts from 24:00, and what begins and ends at one time would be a day or nothing.
        if i64::from(minutes.0) == DAY_MINUTES || minutes.0 == minutes.1 {
            return Err(NoHours);
        }
        Ok(Self { days, minutes })
    }
}

fn weekday(text: &str) -> Result<u8, NoHours> {
    let position = DAYS.iter().position(|day| day.eq_ignore_ascii_case(text)).ok_or(NoHours)?;
    u8::try_from(position).map_err(|_| NoHours)
}

/// `HH:MM`, up to 24:00.
fn minute(text: &str) -> Result<u16, NoHours> {
    let (hours, minutes) = text.split_once(':').ok_or(NoHours)?;
    let number = |text: &str| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|_| is_number).ok_or(NoHours)
    };
    match (number(hours)?, number(minutes)?) {
        (hours, minutes) if (hours < 24 && minutes < 60) || (hours, minutes) == (24, 0) => Ok(hours * 60 + minutes),
        _ => Err(NoHours),
    }
}

/// In one writing.
impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |day: u8| DAYS[usize::from(day) % DAYS.len()];
        match self.days {
            (0, 6) => {}
            (first, last) if first == last => write!(f, "{} ", name(first))?,
            (first, last) => write!(f, "{}-{} ", name(first), name(last))?,
        }
        let (from, to) = self.minutes;
        write!(f, "{:02}:{:02}-{:02}:{:02}", from / 60, from % 60, to / 60, to % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minutes since 1970 of a day in January 2026, whose first was a Thursday too.
    fn at(day: i64, hour: i64, minute: i64) -> i64 {
        (20_454 + day - 1) * DAY_MINUTES + hour * 60 + minute
    }

    #[test]
    fn hours_hold_from_the_first_minute_to_before_the_last() {
        for (hours, moment, expected) in [
            // The fifth was a Monday, the ninth a Friday.
            ("Mon-Fri 07:00-19:00", at(5, 7, 0), true),
            ("Mon-Fri 07:00-19:00", at(5, 6, 59), false),
            ("Mon-Fri 07:00-19:00", at(9, 18, 59), true),
            ("Mon-Fri 07:00-19:00", at(9, 19, 0), false),
            ("Mon-Fri 07:00-19:00", at(10, 12, 0), false),
            ("Sat 00:00-24:00", at(10, 23, 59), true),
            ("Sat 00:00-24:00", at(11, 0, 0), false),
            ("Fri-Mon 08:00-09:00", at(11, 8, 30), true),
            ("Fri-Mon 08:00-09:00", at(5, 8, 30), true),
            ("Fri-Mon 08:00-09:00", at(6, 8, 30), false),
            ("22:00-06:00", at(7, 23, 0), true),
            ("22:00-06:00", at(7, 5, 59), true),
            ("22:00-06:00", at(7, 6, 0), false),
            // The night belongs to the day on which it begins.
            ("Fri 22:00-06:00", at(10, 3, 0), true),
            ("Fri 22:00-06:00", at(9, 3, 0), false),
        ] {
            assert_eq!(hours.parse::<Hours>().unwrap().hold(moment), expected, "{hours} {moment}");
        }
    }

    #[test]
    fn they_are_shown_in_one_writing_and_what_is_none_is_refused() {
        for (text, shown) in [
            ("mon-fri  07:00-19:00", "Mon-Fri 07:00-19:00"),
            (" Mon-Sun 00:00-24:00", "00:00-24:00"),
            ("SAT 08:00-12:00 ", "Sat 08:00-12:00"),
            ("22:00-06:00", "22:00-06:00"),
        ] {
            assert_eq!(text.parse::<Hours>().unwrap().to_string(), shown);
        }
        for refused in [
            "",
            "Mon",
            "Mon-Fri",
            "07:00",
            "7:00-19:00",
            "07:00-19:60",
            "24:00-06:00",
            "07:00-24:01",
            "07:00-07:00",
            "Mo 07:00-19:00",
            "Mon-Fri-Sat 07:00-19:00",
            "Mon 07:00-19:00 UTC",
            "Mon +7:00-19:00",
            "Mon 07:00–19:00",
        ] {
            assert!(refused.parse::<Hours>().is_err(), "{refused}");
        }
    }
}
