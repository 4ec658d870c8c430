//! `bench profiles`: batches of card numbers through the tokenization engine, without HTTP, beside the bare FF1 kernel in
//! the same run. The core measures itself, in a test of its release build: no door leads to an engine without a caller.

use serde_json::{Value, json};

use super::report::Report;
use crate::{Result, sh};

const TEST: &str = "tokenization::engine::measure::measure_card_templates";

/// A batch costs at most so many times what the kernel alone does.
const RATIO_MAX: f64 = 2.0;

pub(super) fn run() -> Result<Report> {
    let figures = sh::root().join("target/profiles-figures.json");
    let test =
        ["test", "--quiet", "--release", "--package", "chancery-core", "--lib", "--", "--exact", TEST, "--ignored"];
    sh::output(sh::cargo().args(test).env("CHANCERY_FIGURES", &figures))?;
    parse(&std::fs::read_to_string(&figures).map_err(|error| format!("{}: {error}", figures.display()))?)
}

/// One JSON object: `rows` with nanoseconds per value.
fn parse(written: &str) -> Result<Report> {
    let figures: Value = serde_json::from_str(written).map_err(|error| format!("{error}: {written}"))?;
    let rows = figures["rows"].as_array().ok_or_else(|| format!("no rows: {written}"))?;
    let mut report = Report::new(&["10,000 values of", "what", "ns/value", "values/s", "times the kernel"]);
    for row in rows {
        let ns = |what: &str| row[what].as_f64().ok_or_else(|| format!("no {what}: {row}"));
        let kernel = ns("kernel")?;
        for what in ["kernel", "tokenize", "detokenize"] {
            let ns = ns(what)?;
            report.row([row["template"].clone(), json!(what), json!(ns), json!(1e9 / ns), json!(ns / kernel)]);
        }
        let name = row["template"].as_str().unwrap_or_default();
        report.at_most(&format!("{name}: tokenize"), Some(ns("tokenize")? / kernel), "times the kernel", RATIO_MAX);
    }
    Ok(report)
}

#[test]
fn figures_become_rows_and_goals() {
    let figures = r#"{"rows": [{"template": "cards", "kernel": 10.0, "tokenize": 15.0, "detokenize": 25.0}]}"#;
    let table = parse(figures).expect("figures").table();
    assert!(table.contains("goal: cards: tokenize 1.50 times the kernel (goal <= 2): met"), "{table}");
    assert!(parse("{}").is_err());
}
