//! What a benchmark found: rows of figures, and goals met or not.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::machine;

/// The findings of one benchmark.
#[derive(Default)]
pub(crate) struct Report {
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    goals: Vec<Goal>,
    notes: Vec<String>,
}

/// A figure to reach. `value` is absent where the machine lacks what the goal is about; then it is not met.
#[derive(Serialize)]
pub(super) struct Goal {
    name: String,
    value: Option<f64>,
    unit: String,
    /// Such as `>= 20` or `<= 2.5`.
    goal: String,
    met: bool,
}

impl Report {
    /// A report whose rows have these columns.
    pub(crate) fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&name| name.to_owned()).collect(), ..Self::default() }
    }

    /// Adds a row: one value a column.
    pub(crate) fn row(&mut self, values: impl IntoIterator<Item = Value>) {
        self.rows.push(values.into_iter().collect());
    }

    /// A goal that the value shall reach at least.
    pub(crate) fn at_least(&mut self, name: &str, value: Option<f64>, unit: &str, bound: f64) {
        let met = value.is_some_and(|value| value >= bound);
        self.goals.push(Goal { name: name.into(), value, unit: unit.into(), goal: format!(">= {bound}"), met });
    }

    /// A goal that the value shall not exceed.
    pub(crate) fn at_most(&mut self, name: &str, value: Option<f64>, unit: &str, bound: f64) {
        let met = value.is_some_and(|value| value <= bound);
        self.goals.push(Goal { name: name.into(), value, unit: unit.into(), goal: format!("<= {bound}"), met });
    }

    /// What a reader of the figures must know: a sentence.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// `{"machine", "columns", "rows", "goals", "notes"}`.
    pub(crate) fn json(&self) -> String {
        let row = |values: &Vec<Value>| self.columns.iter().cloned().zip(values.iter().cloned()).collect::<Map<_, _>>();
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        let Self { columns, goals, notes, .. } = self;
        let machine = machine::describe();
        format!("{:#}\n", json!({"machine": machine, "columns": columns, "rows": rows, "goals": goals, "notes": notes}))
    }

    /// The rows as a table, then notes and goals.
    pub(crate) fn table(&self) -> String {
        let cells = |values: &Vec<Value>| values.iter().map(cell).collect::<Vec<_>>();
        let lines: Vec<_> = std::iter::once(self.columns.clone()).chain(self.rows.iter().map(cells)).collect();
        let width =
            |column: usize| lines.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0);
        let widths: Vec<_> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            let padded: Vec<_> = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            text.push_str(padded.join("  ").trim_end());
            text.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        for goal in &self.goals {
            let value = goal.value.map_or("absent".to_owned(), |value| format!("{value:.2}"));
            let verdict = if goal.met { "met" } else { "NOT met" };
            let _ = writeln!(text, "goal: {} {} {} (goal {}): {verdict}", goal.name, value, goal.unit, goal.goal);
        }
        text
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => format!("{float:.2}"),
            Some(_) | None => number.to_string(),
        },
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}
