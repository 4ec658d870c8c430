//! `chancery activity`: how much was done in the last day.

use chancery_types::wire::activity::{Activity, ActivityHour};

use crate::{
    client::{
        connection::{Output, ServerOptions, logged_in},
        exit::Exit,
    },
    failure::Failure,
    resources::show,
};

/// A line for each hour in which something was done, and one for the whole day.
pub(crate) fn run(options: &ServerOptions) -> Result<Exit, Failure> {
    logged_in(options, |connection| {
        let answer = connection.call("GET", "/api/v2/activity", None)?;
        if connection.output == Output::Json {
            answer.print()?;
            return Ok(Exit::Done);
        }
        let Activity { hours } = serde_json::from_value(answer.response)?;
        let busy = hours.iter().filter(|hour| counts(hour) != [0; 4]);
        let mut rows: Vec<_> = busy.map(|hour| line(&hour.starts_at, counts(hour))).collect();
        let sums = hours.iter().map(counts).fold([0; 4], |[a, b, c, d], [e, f, g, h]| [a + e, b + f, c + g, d + h]);
        rows.push(line("all 24 hours", sums));
        show::table(&["HOUR FROM", "TOKENIZED", "DETOKENIZED", "SIGNED", "CERTIFICATES"], &rows)?;
        Ok(Exit::Done)
    })
}

const fn counts(hour: &ActivityHour) -> [u64; 4] {
    [hour.tokenized, hour.detokenized, hour.signed, hour.issued]
}

fn line(from: &str, counts: [u64; 4]) -> Vec<String> {
    [from.to_owned()].into_iter().chain(counts.map(|count| count.to_string())).collect()
}
