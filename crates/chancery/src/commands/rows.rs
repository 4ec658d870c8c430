//! `chancery rows list` and `chancery rows authenticate`

use std::{collections::BTreeMap, process::ExitCode};

use chancery_core::{Chancery, Host, RefusedRow};
use serde_json::json;

use crate::{
    cli::{Rows, RowsAuthenticate, RowsCommand, RowsList},
    client::exit::as_usage,
    failure::Failure,
    installation, output,
    settings::HostOptions,
    shown::escaped_json,
};

/// What whoever reads the list need not see: hashes that could be guessed at.
const SECRET: [&str; 4] = ["password", "api_key_hash", "key_hash", "previous_hash"];

/// Characters of a column that are shown: enough to tell one from another, and a list of payloads stays readable.
const SHOWN_MAX: usize = 200;

pub(crate) async fn run(command: Rows) -> Result<ExitCode, Failure> {
    match command.what {
        RowsCommand::List(RowsList { installation }) => {
            // Exit code 1 says that there are some, so nothing else ends with it.
            looked_at(installation).await.map_err(|why| as_usage(&why))
        }
        RowsCommand::Authenticate(RowsAuthenticate { rows, yes, installation }) => {
            let chancery = installation::open_existing(&installation.resolve()?).await?;
            let done = authenticate(&chancery, &Host::running("chancery rows authenticate"), &rows, yes).await;
            chancery.shut_down().await;
            done
        }
    }
}

async fn looked_at(installation: HostOptions) -> Result<ExitCode, Failure> {
    let chancery = installation::open_to_judge(&installation.resolve()?).await?;
    let done = list(&chancery, &Host::running("chancery rows list")).await;
    chancery.shut_down().await;
    done
}

async fn list(chancery: &Chancery, host: &Host) -> Result<ExitCode, Failure> {
    let rows = chancery.foreign_rows(host).await?;
    rows.iter().try_for_each(show)?;
    Ok(if rows.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All that are refused, where none is named.
async fn authenticate(chancery: &Chancery, host: &Host, named: &[String], yes: bool) -> Result<ExitCode, Failure> {
    let mut rows = chancery.foreign_rows(host).await?;
    for wanted in named {
        if !rows.iter().any(|row| name(row) == *wanted) {
            return Err(format!("{wanted} is no row that is refused; chancery rows list has them").into());
        }
    }
    rows.retain(|row| named.is_empty() || named.contains(&name(row)));
    rows.iter().try_for_each(show)?;
    let count = rows.len() as u64;
    if count == 0 {
        output::note(format_args!("No row is refused."));
        return Ok(ExitCode::SUCCESS);
    }
    if rows.iter().any(|row| row.parts().is_some()) {
        output::note(format_args!("Rows with `parts` are not taken: mend first how many belong to them."));
        return Ok(ExitCode::FAILURE);
    }
    if !yes {
        output::note(format_args!(
            "Nothing was changed. If all of this is as it should be, repeat the command with --yes ({}).",
            output::counted(count, "row")
        ));
        return Ok(ExitCode::FAILURE);
    }
    chancery.authenticate_rows(host, rows).await?;
    output::note(format_args!(
        "{} {} from now on as {}. A running server follows within a second.",
        output::counted(count, "row"),
        if count == 1 { "counts" } else { "count" },
        if count == 1 { "it stands" } else { "they stand" },
    ));
    Ok(ExitCode::SUCCESS)
}

fn name(row: &RefusedRow) -> String {
    format!("{}/{}", row.row().table, row.row().id)
}

/// A line of JSON.
fn show(row: &RefusedRow) -> Result<(), Failure> {
    let shown = |(column, value): (&'static str, Option<String>)| {
        let value = value.map(|value| match value.char_indices().nth(SHOWN_MAX) {
            _ if SECRET.contains(&column) => "(not shown)".to_owned(),
            Some((end, _)) => format!("{}… ({} characters)", &value[..end], value.chars().count()),
            None => value,
        });
        (column, value)
    };
    let columns: BTreeMap<_, _> = row.columns().map(shown).collect();
    let mut line = json!({"row": name(row), "columns": columns});
    if let Some((parts, count)) = row.parts() {
        line["parts"] = json!({parts: count});
    }
    output::line(escaped_json(&line.to_string()))
}
