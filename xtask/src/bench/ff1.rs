//! `bench ff1`: FF1 by every kernel, beside the `fpe` crate and the machine's bare AES. The crate measures itself, so that
//! xtask need not be built with ciphers.

use serde_json::Value;

use super::{Pace, report::Report};
use crate::{Result, sh};

const COLUMNS: [&str; 6] = ["name", "ns_per_value", "values_per_s", "times_fpe", "percent_of_bound", "ns_per_block"];

pub(super) fn run(_pace: Pace) -> Result<Report> {
    let bench = ["bench", "--quiet", "--package", "chancery-ff1", "--bench", "ff1", "--", "--json"];
    parse(&sh::output(sh::cargo().args(bench))?)
}

/// The bench prints one JSON object: rows with the members of [`COLUMNS`], and goals with `at_most` or `at_least`.
fn parse(printed: &str) -> Result<Report> {
    let printed: Value = serde_json::from_str(printed).map_err(|error| format!("{error}: {printed}"))?;
    let list = |name: &str| printed[name].as_array().ok_or_else(|| format!("the bench printed no {name}"));
    let mut report = Report::new(&COLUMNS);
    for row in list("rows")? {
        report.row(COLUMNS.map(|column| row[column].clone()));
    }
    for goal in list("goals")? {
        let (Some(name), Some(unit)) = (goal["name"].as_str(), goal["unit"].as_str()) else {
            return Err(format!("not a goal: {goal}"));
        };
        match (goal["at_least"].as_f64(), goal["at_most"].as_f64()) {
            (Some(bound), None) => report.at_least(name, goal["value"].as_f64(), unit, bound),
            (None, Some(bound)) => report.at_most(name, goal["value"].as_f64(), unit, bound),
            _ => return Err(format!("a goal without one bound: {goal}")),
        }
    }
    Ok(report)
}

#[test]
fn a_goal_of_an_absent_kernel_is_not_met() {
    let printed = r#"{"rows": [{"name": "a", "ns_per_value": 20.0}],
        "goals": [{"name": "speed", "value": null, "unit": "x", "at_least": 250.0}]}"#;
    let table = parse(printed).expect("rows and goals").table();
    assert!(table.contains("goal: speed absent x (goal >= 250): NOT met"), "{table}");
    assert!(parse(&printed.replace("at_least", "at")).is_err());
}
