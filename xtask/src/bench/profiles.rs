//! `bench profiles`: batches of card numbers through the tokenization engine, without HTTP, beside the bare FF1 kernel in
//! the same run; and new tokens into a vault. The core measures itself, in tests of its release build: no door leads to
//! an engine without a caller.

use serde_json::{Value, json};

use super::{Pace, report::Report};
use crate::{Result, sh};

const TEMPLATES: &str = "tokenization::engine::measure::measure_card_templates";
const VAULTS: &str = "tokenization::vault::measure::measure_new_tokens";

/// A batch costs at most so many times what the kernel alone does.
const RATIO_MAX: f64 = 2.0;

/// New tokens per second in a vault on SQLite.
const NEW_TOKENS_MIN: f64 = 20_000.0;

pub(super) fn run(_pace: Pace) -> Result<Report> {
    let mut report = parse(&figures(TEMPLATES)?)?;
    add_vaults(&mut report, &figures(VAULTS)?)?;
    Ok(report)
}

/// What a measuring test writes.
fn figures(test: &str) -> Result<String> {
    let file = sh::root().join("target/profiles-figures.json");
    let arguments =
        ["test", "--quiet", "--release", "--package", "chancery-core", "--lib", "--", "--exact", test, "--ignored"];
    sh::output(sh::cargo().args(arguments).env("CHANCERY_FIGURES", &file))?;
    std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
}

/// One JSON object: of each kind of profile the new tokens per second.
fn add_vaults(report: &mut Report, written: &str) -> Result {
    let figures: Value = serde_json::from_str(written).map_err(|error| format!("{error}: {written}"))?;
    for (kind, rate) in figures.as_object().ok_or_else(|| format!("no object: {written}"))? {
        let rate = rate.as_f64().ok_or_else(|| format!("no rate: {written}"))?;
        let name = format!("Random, {kind}");
        report.row([json!(name), json!("tokenize"), json!(1e9 / rate), json!(rate), Value::Null]);
        report.at_least(&format!("{name}: new tokens"), Some(rate), "tokens/s", NEW_TOKENS_MIN);
    }
    Ok(())
}

/// One JSON object: `rows` with nanoseconds per value, and `patterns`, of which nothing is demanded.
fn parse(written: &str) -> Result<Report> {
    let figures: Value = serde_json::from_str(written).map_err(|error| format!("{error}: {written}"))?;
    let all = |member: &str| figures[member].as_array().ok_or_else(|| format!("no {member}: {written}"));
    let (rows, patterns) = (all("rows")?, all("patterns")?);
    let mut report = Report::new(&["10,000 values of", "what", "ns/value", "values/s", "times the kernel"]);
    for row in rows.iter().chain(patterns) {
        let ns = |what: &str| row[what].as_f64().ok_or_else(|| format!("no {what}: {row}"));
        let kernel = ns("kernel")?;
        for what in ["kernel", "tokenize", "detokenize"] {
            let ns = ns(what)?;
            report.row([row["template"].clone(), json!(what), json!(ns), json!(1e9 / ns), json!(ns / kernel)]);
        }
    }
    for row in rows {
        let (name, ratio) = (row["template"].as_str().unwrap_or_default(), |what: &str| row[what].as_f64());
        let ratio = ratio("tokenize").zip(ratio("kernel")).map(|(tokenize, kernel)| tokenize / kernel);
        report.at_most(&format!("{name}: tokenize"), ratio, "times the kernel", RATIO_MAX);
    }
    Ok(report)
}

#[test]
fn figures_become_rows_and_goals() {
    let figures = r#"{"rows": [{"template": "cards", "kernel": 10.0, "tokenize": 15.0, "detokenize": 25.0}],
        "patterns": [{"template": "numbers", "kernel": 10.0, "tokenize": 50.0, "detokenize": 50.0}]}"#;
    let table = parse(figures).expect("figures").table();
    assert!(table.contains("goal: cards: tokenize 1.50 times the kernel (goal <= 2): met"), "{table}");
    assert!(table.contains("numbers") && !table.contains("goal: numbers"), "{table}");
    assert!(parse("{}").is_err());
}

#[test]
fn a_slow_vault_misses_its_goal() {
    let mut report = Report::new(&["10,000 values of", "what", "ns/value", "values/s", "times the kernel"]);
    add_vaults(&mut report, r#"{"deterministic": 30000.0, "other": 10000.0}"#).expect("figures");
    let table = report.table();
    assert!(table.contains("Random, deterministic: new tokens 30000.00 tokens/s (goal >= 20000): met"), "{table}");
    assert!(table.contains("Random, other: new tokens 10000.00 tokens/s (goal >= 20000): NOT met"), "{table}");
    assert!(add_vaults(&mut report, "[]").is_err());
}
