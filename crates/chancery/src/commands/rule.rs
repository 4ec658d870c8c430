//! `chancery rule`: Control Rules, which the interface replaces all at once.

use serde_json::{Value, json};

use crate::{
    cli::client::{RuleChange, RuleCommand, RuleList, RuleReplace},
    client::{
        connection::{Answer, Connection, Output, logged_in},
        exit::{Exit, told_with},
        inputs::read_body,
    },
    failure::Failure,
    resources::{self, names::Names, show},
};

pub(crate) fn run(command: RuleCommand) -> Result<Exit, Failure> {
    let done = match command {
        RuleCommand::List(RuleList { profile, server }) => logged_in(&server, |connection| {
            let answer = connection.call("GET", &path(connection, &profile)?, None)?;
            shown(connection, &answer)
        }),
        RuleCommand::Create(change) => logged_in(&change.server, |connection| create(connection, &change)),
        RuleCommand::Delete(change) => logged_in(&change.server, |connection| delete(connection, &change)),
        RuleCommand::Replace(RuleReplace { profile, file, server }) => logged_in(&server, |connection| {
            let answer = replace(connection, &path(connection, &profile)?, &read_body(&file)?)?;
            shown(connection, &answer)
        }),
    };
    done.map(|()| Exit::Done)
}

fn path(connection: &Connection, profile: &str) -> Result<String, Failure> {
    let kind = resources::find("profile").ok_or("there is no such kind")?;
    Ok(format!("/api/v2/token-profiles/{}", Names::new(connection).resolve(kind, profile)?))
}

/// The rules that there are, and the one that is meant.
fn rules_and_one(connection: &Connection, change: &RuleChange) -> Result<(String, Vec<Value>, Value), Failure> {
    let path = path(connection, &change.profile)?;
    let kind = resources::find("role").ok_or("there is no such kind")?;
    let role = Names::new(connection).resolve(kind, &change.role)?;
    let rules = connection.get(&path)?["controlRules"].as_array().cloned().unwrap_or_default();
    let mut one = json!({"roleUuid": role, "operation": change.operation});
    if let Some(reveal) = change.reveal {
        one["reveal"] = reveal.into();
    }
    if let Some(side) = &change.reveal_from {
        one["revealFrom"] = side.as_str().into();
    }
    Ok((path, rules, one))
}

fn create(connection: &Connection, change: &RuleChange) -> Result<(), Failure> {
    let (path, mut rules, one) = rules_and_one(connection, change)?;
    if rules.iter().any(|rule| has_all_of(rule, &one) && rule["reveal"] == one["reveal"] && from(rule) == from(&one)) {
        let message = format!("{} has this rule already", change.profile);
        return Err(told_with(Exit::Usage, message, "chancery rule list shows those that there are."));
    }
    rules.push(one);
    shown(connection, &replace(connection, &path, &json!({"controlRules": rules}))?)
}

fn delete(connection: &Connection, change: &RuleChange) -> Result<(), Failure> {
    let (path, rules, one) = rules_and_one(connection, change)?;
    let (meant, left): (Vec<_>, Vec<_>) = rules.into_iter().partition(|rule| has_all_of(rule, &one));
    match meant.as_slice() {
        [] => {
            let message = format!("{} has no such rule", change.profile);
            Err(told_with(Exit::Usage, message, "chancery rule list shows those that there are."))
        }
        [first, others @ ..] if others.iter().any(|other| other != first) => {
            let line =
                |rule: &Value| format!("\n    --reveal {} --reveal-from {}", show::text(&rule["reveal"]), from(rule));
            let next = format!("Say which:{}", meant.iter().map(line).collect::<String>());
            Err(told_with(Exit::Usage, format!("{} has {} such rules", change.profile, meant.len()), next))
        }
        _ => shown(connection, &replace(connection, &path, &json!({"controlRules": left}))?),
    }
}

/// Whether a rule has all that is said of the one that is meant.
fn has_all_of(rule: &Value, meant: &Value) -> bool {
    let is_same = |member: &str| meant[member].is_null() || rule[member] == meant[member];
    is_same("roleUuid")
        && is_same("operation")
        && is_same("reveal")
        && (meant["revealFrom"].is_null() || from(rule) == from(meant))
}

/// From which end the characters are counted: the interface's own default where nothing is said.
fn from(rule: &Value) -> &str {
    rule["revealFrom"].as_str().unwrap_or("End")
}

fn replace(connection: &Connection, path: &str, body: &Value) -> Result<Answer, Failure> {
    Ok(connection.call("PATCH", &format!("{path}/permissions"), Some(body))?)
}

fn shown(connection: &Connection, answer: &Answer) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return answer.print();
    }
    let names = Names::new(connection);
    let row = |rule: &Value| {
        let role = rule["roleUuid"].as_str().unwrap_or_default();
        let role = names.name_of("role", role).unwrap_or_else(|| role.to_owned());
        let from = if rule["reveal"].is_null() { "-" } else { from(rule) };
        vec![role, show::text(&rule["operation"]), show::text(&rule["reveal"]), from.to_owned()]
    };
    let rules = answer.response["controlRules"].as_array();
    show::table(&["ROLE", "OPERATION", "REVEAL", "FROM"], &rules.into_iter().flatten().map(row).collect::<Vec<_>>())
}
