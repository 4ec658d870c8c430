//! docs/PERFORMANCE.md, made of what the benchmarks wrote.

use std::{fmt::Write, fs};

use serde_json::Value;

use super::{ALL, Pace};
use crate::{Result, sh};

const HEAD: &str = "# Performance

`cargo xtask bench report` makes this file of what `cargo xtask bench all` measured; do not edit it. To run it again:

```sh
cargo xtask bench all      # about half an hour on an idle machine, or one benchmark: cargo xtask bench sign
cargo xtask bench report   # writes this file
```

Each benchmark starts the release server with its database in a new folder, drives it with wrk (from Debian's packages)
on the same machine, and measures beside it, in turns, a bound or a peer: the ratio is what counts, since absolute
figures are the machine's. Client and server share the cores. CPU is the server's processor time, from the kernel's
accounts. Figures are medians of the rounds. What is signed, issued or put into a vault is flushed to the disk, with
its audit record, before it is answered. No RSA keys are made ahead (`--rsa-pool 0`): for some seconds after the start
that would take a core.
";

const PUBLISHED: &str = "
## What others publish

Not measured here; for orientation.

| what | rate | source |
|---|---|---|
| OpenBao, P-256 certificates issued and stored | 2,170/s | the project's published figure |
| step-ca, certificates | 730/s | a run on two cores, during Chancery's design |
| cfssl, certificates | 240/s | a run on two cores, during Chancery's design; see above where it is installed |
| the `fpe` crate behind an axum server, 16 digits | about 0.2 million/s | a run on two cores, during Chancery's design; measured anew above |
";

pub(super) fn write() -> Result {
    let pace = Pace { quick: false };
    let mut machines = Vec::new();
    let mut sections = String::new();
    for bench in ALL {
        let file = pace.file(bench.name);
        let Ok(text) = fs::read_to_string(&file) else {
            println!("{} was not run: left out", bench.name);
            continue;
        };
        let figures: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let machine = machine(&figures["machine"]);
        if !machines.contains(&machine) {
            machines.push(machine);
        }
        section(bench.title, bench.name, &figures, &mut sections);
    }
    if machines.is_empty() {
        return Err("nothing was measured; `cargo xtask bench all` does".to_owned());
    }
    let text = format!("{HEAD}\nMachine: {}.\n{sections}{PUBLISHED}", machines.join("; "));
    let file = sh::root().join("docs/PERFORMANCE.md");
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("written: docs/PERFORMANCE.md");
    Ok(())
}

fn machine(machine: &Value) -> String {
    let text = |name: &str| machine[name].as_str().unwrap_or("unknown").to_owned();
    let number = |name: &str| machine[name].as_u64().unwrap_or_default();
    format!("{}, {} cores, {} GiB, Linux {}", text("cpu"), number("cores"), number("memoryGiB"), text("kernel"))
}

fn section(title: &str, name: &str, figures: &Value, text: &mut String) {
    let list = |name: &str| figures[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let _ = write!(text, "\n## {title}\n\n`cargo xtask bench {name}`\n\n");
    let columns: Vec<_> = list("columns").iter().filter_map(Value::as_str).collect();
    line(text, columns.iter().map(|column| (*column).to_owned()));
    line(text, columns.iter().map(|_| "---".to_owned()));
    for row in list("rows") {
        line(text, columns.iter().map(|column| cell(&row[*column])));
    }
    for note in list("notes").iter().filter_map(Value::as_str) {
        let _ = write!(text, "\n{note}\n");
    }
    if list("goals").is_empty() {
        return;
    }
    text.push('\n');
    line(text, ["goal", "bound", "measured", ""].map(str::to_owned));
    line(text, ["---"; 4].map(str::to_owned));
    for goal in list("goals") {
        let word = |name: &str| goal[name].as_str().unwrap_or_default();
        let verdict = if goal["met"] == true { "met" } else { "**not met**" };
        let bound = format!("{} {}", word("goal"), word("unit"));
        line(text, [word("name"), bound.trim_end(), &cell(&goal["value"]), verdict].map(str::to_owned));
    }
}

fn line(text: &mut String, cells: impl IntoIterator<Item = String>) {
    let cells: Vec<_> = cells.into_iter().map(|cell| cell.replace('|', "\\|")).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// Numbers with about three digits, whole ones in groups.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.abs() < 10.0 => format!("{float:.2}"),
            Some(float) if number.is_f64() && float.abs() < 100.0 => format!("{float:.1}"),
            Some(float) => grouped(float),
            None => number.to_string(),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = if number < 0.0 { "-".to_owned() } else { String::new() };
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[test]
fn figures_become_a_section() {
    let figures = serde_json::json!({
        "columns": ["case", "per second"], "rows": [{"case": "a | b", "per second": 1_234_567.8}, {"case": "c"}],
        "notes": ["Slow disk."],
        "goals": [{"name": "speed", "goal": ">= 2", "unit": "/s", "value": 1.5, "met": false}],
    });
    let mut text = String::new();
    section("Title", "name", &figures, &mut text);
    let expected = "\n## Title\n\n`cargo xtask bench name`\n\n| case | per second |\n| --- | --- |\n\
        | a \\| b | 1,234,568 |\n| c |  |\n\nSlow disk.\n\n| goal | bound | measured |  |\n| --- | --- | --- | --- |\n\
        | speed | >= 2 /s | 1.50 | **not met** |\n";
    assert_eq!(text, expected);
}

#[test]
fn numbers_read_well() {
    let cells = [0.123, 12.34, 999.6, -1_000.0].map(|number| cell(&Value::from(number)));
    assert_eq!(cells, ["0.12", "12.3", "1,000", "-1,000"]);
    assert_eq!(cell(&Value::from(10_000)), "10,000");
}
