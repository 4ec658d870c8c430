//! Tables and details for people. Whatever comes from the server is escaped.

use std::io::{self, IsTerminal as _};

use serde_json::Value;

use super::names::Names;
use crate::{
    failure::Failure,
    output,
    shown::{Shown, ShownName, described, label},
};

/// Bold where a person looks at it; nothing where a program does, or where colours are not wanted (no-color.org).
fn bold(text: &str) -> String {
    let is_wanted = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if is_wanted { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Writes rows under their titles.
pub(crate) fn table(titles: &[&str], rows: &[Vec<String>]) -> Result<(), Failure> {
    let rows: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(|cell| Shown(cell).to_string()).collect()).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row: &Vec<String>| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default().max(titles[column].chars().count())
    };
    let widths: Vec<_> = (0..titles.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    output::line(bold(&line(titles.to_vec())))?;
    rows.iter().try_for_each(|row| output::line(line(row.iter().map(String::as_str).collect())))
}

/// The members of an object in lines, with names beside the uuids of others.
pub(crate) fn members(value: &Value, names: &Names<'_>) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    collect("", value, names, &mut lines);
    lines
}

/// Writes an object, a member a line, with names beside the uuids of others.
pub(crate) fn details(value: &Value, names: &Names<'_>) -> Result<(), Failure> {
    let mut lines = members(value, names);
    lines.sort_by_key(|(member, _)| match member.as_str() {
        "name" => 0,
        "uuid" => 1,
        _ => 2,
    });
    let width = lines.iter().map(|(member, _)| label(member).chars().count()).max().unwrap_or_default();
    for (member, text) in lines {
        let label = format!("{:<width$}  ", label(&member));
        let below = " ".repeat(label.chars().count());
        for (at, part) in text.trim_end().split('\n').enumerate() {
            let lines = described(if at == 0 { &label } else { &below }, part);
            // Of a text of several lines an empty one stands behind the label's blanks, too.
            lines.iter().try_for_each(|line| output::line(if at == 0 { line.trim_end() } else { line }))?;
        }
    }
    Ok(())
}

fn collect(member: &str, value: &Value, names: &Names<'_>, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            // Others, such as who approved: their names stand beside one another.
            let is_reference = !member.is_empty() && members.contains_key("uuid");
            for (name, value) in members {
                if is_reference && name == "name" && value.is_string() {
                    lines.push((format!("{member}.{name}"), self::name(value)));
                    continue;
                }
                // Every object says its name and id in there; both are its own.
                let below = match name.as_str() {
                    "objInfo" => member.to_owned(),
                    name if member.is_empty() => name.to_owned(),
                    name => format!("{member}.{name}"),
                };
                collect(&below, value, names, lines);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            for (index, item) in items.iter().enumerate() {
                collect(&format!("{member}[{index}]"), item, names, lines);
            }
        }
        // What is proposed is a text, so that people approve each of its bytes; it is an object all the same.
        Value::String(text) if member == "content" && text.starts_with('{') => match serde_json::from_str(text) {
            Ok(content) => collect(member, &content, names, lines),
            Err(_) => lines.push((member.to_owned(), text.clone())),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            let line = (member.to_owned(), names.beside(member, value));
            // `objInfo` repeats what stands beside it.
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
}

/// A name in one cell, which others may share with it.
pub(crate) fn name(value: &Value) -> String {
    value.as_str().map_or_else(|| text(value), |name| ShownName(name).to_string())
}

/// A value in one cell.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Object(members) => members.get("name").map_or_else(|| value.to_string(), name),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
