//! Budgets of Control Rules and of policies, as they are typed and as they are shown.

use serde_json::{Value, json};

use super::{names::Names, show};
use crate::{client::exit::usage, failure::Failure};

/// `COUNT/PERIOD`, or `COUNT/PERIOD/each`.
pub(crate) fn read(text: &str) -> Result<Value, Failure> {
    let parts: Vec<_> = text.split('/').collect();
    let (count, per, each) = match parts.as_slice() {
        [count, per] => (count, per, false),
        [count, per, "each"] => (count, per, true),
        _ => {
            return Err(usage(format!(
                "--budget {text}: COUNT/PERIOD is expected, such as 1000/Minute or 500/Day/each"
            )));
        }
    };
    let count: u64 = count.parse().map_err(|_| usage(format!("--budget {text}: {count} is no number")))?;
    let mut budget = json!({"count": count, "per": per});
    if each {
        budget["each"] = true.into();
    }
    Ok(budget)
}

/// A budget as it is typed.
pub(crate) fn typed(budget: &Value) -> String {
    let each = if budget["each"] == true { "/each" } else { "" };
    format!("{}/{}{each}", budget["count"], budget["per"].as_str().unwrap_or_default())
}

/// Writes what of them is used: of rules each with its role and operation, which policies have not.
pub(crate) fn shown(response: &Value, of_rules: bool, names: &Names<'_>) -> Result<(), Failure> {
    let all = response["budgets"].as_array().into_iter().flatten();
    let named = |kind: &str, value: &Value| {
        let uuid = value.as_str().unwrap_or_default();
        names.name_of(kind, uuid).unwrap_or_else(|| uuid.to_owned())
    };
    let row = |one: &Value| {
        let whose =
            if one["identityUuid"].is_null() { "all".to_owned() } else { named("identity", &one["identityUuid"]) };
        let rule = of_rules.then(|| [named("role", &one["roleUuid"]), show::text(&one["operation"])]);
        let use_of = [&one["used"], &one["left"], &one["endsAt"]].map(show::text);
        rule.into_iter().flatten().chain([typed(one), whose]).chain(use_of).collect()
    };
    let titles: &[&str] = if of_rules { &["ROLE", "OPERATION"] } else { &[] };
    let titles = [titles, &["BUDGET", "WHOSE", "USED", "LEFT", "UNTIL"]].concat();
    show::table(&titles, &all.map(row).collect::<Vec<_>>())
}
