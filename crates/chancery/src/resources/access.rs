//! `chancery audit access`: a line for each right of each identity.

use serde_json::Value;

use super::show;
use crate::{
    client::connection::{Connection, Output},
    failure::Failure,
    output,
    shown::{Shown, ShownName},
};

/// Identities of a page.
const PAGE: usize = 200;

/// Shows all pages of a report: in JSON as they come, otherwise in one table. What cannot be known of a moment before is told
/// below it: whoever keeps the table keeps that too.
pub(super) fn shown(connection: &Connection, path: &str) -> Result<(), Failure> {
    let join = if path.contains('?') { '&' } else { '?' };
    let (mut rows, mut after) = (Vec::new(), String::new());
    let last = loop {
        let answer = connection.call("GET", &format!("{path}{join}pageSize={PAGE}{after}"), None)?;
        if connection.output == Output::Json {
            answer.print()?;
        }
        for identity in answer.response["results"].as_array().into_iter().flatten() {
            rows.extend(identity["rights"].as_array().into_iter().flatten().map(|right| row(identity, right)));
        }
        match answer.response["next"].as_str() {
            Some(next) => after = format!("&after={}", chancery_client::escaped(next)),
            None => break answer.response,
        }
    };
    if connection.output == Output::Table {
        show::table(&["WHO", "LOCKED", "CAN", "WITH", "SEES", "BY ROLE", "LOGINS"], &rows)?;
        tell_uncertain(&last)?;
    }
    Ok(())
}

/// Tells what cannot be known of the moment that an answer is about.
pub(super) fn tell_uncertain(answer: &Value) -> Result<(), Failure> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for one in answer["uncertain"].as_array().into_iter().flatten() {
        let name = one["object"].get("name").map(|name| format!("{}: ", ShownName(&text(name)))).unwrap_or_default();
        output::line(Shown(&format!("not certain: {name}{}", text(&one["why"]))))?;
    }
    if let Some(more) = answer["uncertainLeftOut"].as_u64() {
        output::line(format!("not certain: {more} more"))?;
    }
    Ok(())
}

fn row(identity: &Value, right: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let with = if right["perm"].is_null() { &right["tokenProfile"]["name"] } else { &right["perm"] };
    let sees = if let Some(mask) = right["mask"].as_object() {
        match mask.get("mask").and_then(Value::as_str) {
            Some(template) => template.to_owned(),
            None => format!("{} from {}", mask["reveal"], text(&mask["revealFrom"])),
        }
    } else if let Some(count) = right["numApprovals"].as_u64() {
        format!("all, with {count} approvals")
    } else if right["right"] == "Detokenize" {
        "all".to_owned()
    } else {
        String::new()
    };
    vec![
        text(&identity["objInfo"]["name"]),
        identity["locked"].to_string(),
        text(&right["right"]),
        text(with),
        sees,
        text(&right["role"]["name"]),
        right["loginsRequired"].to_string(),
    ]
}
