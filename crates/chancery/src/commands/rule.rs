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
    resources::{self, budgets, effect, names::Names, show},
};

pub(crate) fn run(command: RuleCommand) -> Result<Exit, Failure> {
    let done = match command {
        RuleCommand::List(RuleList { profile, server }) => logged_in(&server, |connection| {
            let answer = connection.call("GET", &path(&id_of(connection, &profile)?), None)?;
            shown(connection, &answer)
        }),
        RuleCommand::Budgets(RuleList { profile, server }) => logged_in(&server, |connection| {
            let answer = connection.call("GET", &format!("{}/budgets", path(&id_of(connection, &profile)?)), None)?;
            used(connection, &answer)
        }),
        RuleCommand::Create(change) => logged_in(&change.server, |connection| create(connection, &change)),
        RuleCommand::Delete(change) => logged_in(&change.server, |connection| delete(connection, &change)),
        RuleCommand::Replace(RuleReplace { profile, file, preview, server }) => logged_in(&server, |connection| {
            let id = id_of(connection, &profile)?;
            replace(connection, &id, &read_body(&file)?, preview)
        }),
    };
    done.map(|()| Exit::Done)
}

fn id_of(connection: &Connection, profile: &str) -> Result<String, Failure> {
    let kind = resources::find("profile").ok_or("there is no such kind")?;
    Names::new(connection).resolve(kind, profile)
}

fn path(id: &str) -> String {
    format!("/api/v2/token-profiles/{id}")
}

/// The profile, the rules that it has, and the one that is meant.
fn rules_and_one(connection: &Connection, change: &RuleChange) -> Result<(String, Vec<Value>, Value), Failure> {
    let id = id_of(connection, &change.profile)?;
    let kind = resources::find("role").ok_or("there is no such kind")?;
    let role = Names::new(connection).resolve(kind, &change.role)?;
    let rules = connection.get(&path(&id))?["controlRules"].as_array().cloned().unwrap_or_default();
    let mut one = json!({"roleUuid": role, "operation": change.operation});
    if let Some(reveal) = change.reveal {
        one["reveal"] = reveal.into();
    }
    if let Some(side) = &change.reveal_from {
        one["revealFrom"] = side.as_str().into();
    }
    if let Some(mask) = &change.mask {
        one["mask"] = mask.as_str().into();
    }
    let budgets = change.budget.iter().map(|text| budgets::read(text)).collect::<Result<Vec<_>, _>>()?;
    if !budgets.is_empty() {
        one["budgets"] = budgets.into();
    }
    if let Some(count) = change.approvals {
        one["approval"] = json!({"numApprovals": count});
    }
    Ok((id, rules, one))
}

fn create(connection: &Connection, change: &RuleChange) -> Result<(), Failure> {
    let (id, mut rules, one) = rules_and_one(connection, change)?;
    let is_same = |rule: &&Value| has_all_of(rule, &one) && sees(rule) == sees(&one);
    if let Some(same) = rules.iter().find(is_same) {
        let (message, next) = if same["budgets"] == one["budgets"] && same["approval"] == one["approval"] {
            ("has this rule already", "chancery rule list shows those that there are.")
        } else {
            (
                "has this rule with other budgets or approvals",
                "Delete that one first; or chancery rule replace puts all rules at once.",
            )
        };
        return Err(told_with(Exit::Usage, format!("{} {message}", change.profile), next));
    }
    rules.push(one);
    replace(connection, &id, &json!({"controlRules": rules}), change.preview)
}

fn delete(connection: &Connection, change: &RuleChange) -> Result<(), Failure> {
    let (id, rules, one) = rules_and_one(connection, change)?;
    let (meant, left): (Vec<_>, Vec<_>) = rules.into_iter().partition(|rule| has_all_of(rule, &one));
    match meant.as_slice() {
        [] => {
            let message = format!("{} has no such rule", change.profile);
            Err(told_with(Exit::Usage, message, "chancery rule list shows those that there are."))
        }
        [first, others @ ..] if others.iter().any(|other| other != first) => {
            let line = |rule: &Value| match rule["mask"].as_str() {
                Some(mask) => format!("\n    --mask {mask}"),
                None => format!("\n    --reveal {} --reveal-from {}", show::text(&rule["reveal"]), from(rule)),
            };
            let next = format!("Say which:{}", meant.iter().map(line).collect::<String>());
            Err(told_with(Exit::Usage, format!("{} has {} such rules", change.profile, meant.len()), next))
        }
        _ => replace(connection, &id, &json!({"controlRules": left}), change.preview),
    }
}

fn used(connection: &Connection, answer: &Answer) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return answer.print();
    }
    budgets::shown(&answer.response, true, &Names::new(connection))
}

/// Whether a rule has all that is said of the one that is meant.
fn has_all_of(rule: &Value, meant: &Value) -> bool {
    let is_same = |member: &str| meant[member].is_null() || rule[member] == meant[member];
    is_same("roleUuid")
        && is_same("operation")
        && is_same("reveal")
        && is_same("mask")
        && (meant["revealFrom"].is_null() || from(rule) == from(meant))
}

/// What a partial rule shows; empty for others.
fn sees(rule: &Value) -> String {
    match (rule["mask"].as_str(), rule["reveal"].as_u64()) {
        (Some(mask), _) => mask.to_owned(),
        (None, Some(reveal)) => format!("{reveal} from {}", from(rule)),
        (None, None) => String::new(),
    }
}

/// From which end the characters are counted: the interface's own default where nothing is said.
fn from(rule: &Value) -> &str {
    rule["revealFrom"].as_str().unwrap_or("End")
}

/// Puts all rules, or shows what that would do.
fn replace(connection: &Connection, id: &str, body: &Value, is_preview: bool) -> Result<(), Failure> {
    let change = json!({"tokenProfileUuid": id, "controlRules": body["controlRules"]});
    if is_preview {
        return effect::preview(connection, &change);
    }
    let foreseen = effect::foreseen(connection, Some(&change))?;
    let answer = connection.call("PATCH", &format!("{}/permissions", path(id)), Some(body))?;
    foreseen.tell(&answer);
    shown(connection, &answer)
}

fn shown(connection: &Connection, answer: &Answer) -> Result<(), Failure> {
    if connection.output == Output::Json {
        return answer.print();
    }
    let names = Names::new(connection);
    let row = |rule: &Value| {
        let role = rule["roleUuid"].as_str().unwrap_or_default();
        let role = names.name_of("role", role).unwrap_or_else(|| role.to_owned());
        let sees = Some(sees(rule)).filter(|sees| !sees.is_empty()).unwrap_or_else(|| "-".to_owned());
        let budgets: Vec<_> = rule["budgets"].as_array().into_iter().flatten().map(budgets::typed).collect();
        let budgets = if budgets.is_empty() { "-".to_owned() } else { budgets.join(", ") };
        let approvals =
            rule["approval"]["numApprovals"].as_u64().map_or_else(|| "-".to_owned(), |count| count.to_string());
        vec![role, show::text(&rule["operation"]), sees, budgets, approvals]
    };
    let rules = answer.response["controlRules"].as_array();
    show::table(
        &["ROLE", "OPERATION", "SEES", "BUDGETS", "APPROVALS"],
        &rules.into_iter().flatten().map(row).collect::<Vec<_>>(),
    )
}
