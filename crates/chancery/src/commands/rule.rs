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
    rules.push(one);
    shown(connection, &replace(connection, &path, &json!({"controlRules": rules}))?)
}

fn delete(connection: &Connection, change: &RuleChange) -> Result<(), Failure> {
    let (path, rules, one) = rules_and_one(connection, change)?;
    let is_meant = |rule: &Value| {
        let is_same = |member: &str| rule[member] == one[member];
        is_same("roleUuid") && is_same("operation") && (change.reveal.is_none() || is_same("reveal"))
    };
    let left: Vec<_> = rules.iter().filter(|rule| !is_meant(rule)).cloned().collect();
    if left.len() == rules.len() {
        let message = format!("{} has no such rule", change.profile);
        return Err(told_with(Exit::Usage, message, "chancery rule list shows those that there are."));
    }
    shown(connection, &replace(connection, &path, &json!({"controlRules": left}))?)
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
        vec![role, show::text(&rule["operation"]), show::text(&rule["reveal"])]
    };
    let rules = answer.response["controlRules"].as_array();
    show::table(&["ROLE", "OPERATION", "REVEAL"], &rules.into_iter().flatten().map(row).collect::<Vec<_>>())
}
