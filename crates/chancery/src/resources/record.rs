//! Who did what a record of the audit tells.

use serde_json::Value;

use super::show;
use crate::shown::ShownName;

/// Those in whose name it was done; of a command on the host the account of the operating system; Chancery, where it did
/// something by itself.
pub(super) fn by(record: &Value) -> String {
    let identities = record["identities"].as_array().into_iter().flatten().map(show::text);
    let all: Vec<_> = identities.chain(account(&record["account"])).collect();
    if all.is_empty() { nobody(record) } else { all.join(", ") }
}

fn account(account: &Value) -> Option<String> {
    let host = account["host"].as_str()?;
    let name = account["name"].as_str().map(|name| ShownName(name).to_string());
    let name = name.or_else(|| account["uid"].as_u64().map(|uid| format!("uid {uid}")))?;
    Some(format!("{name} on {} (host)", ShownName(host)))
}

/// A request has the address that it came from, a task its name as `requestId`, and a command of a release that noted no
/// account several words.
fn nobody(record: &Value) -> String {
    let is_empty = |member: &str| record[member].as_str().is_none_or(str::is_empty);
    let by = match record["requestId"].as_str().unwrap_or_default() {
        "" => "-",
        command if command.contains(' ') => "(host)",
        _ if is_empty("source") => "Chancery",
        _ => "-",
    };
    by.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whoever_did_it_is_named_also_where_it_is_no_identity() {
        let account = json!({"uid": 0, "name": "root", "host": "vm"});
        let ann = json!([{"name": "Ann", "uuid": "x"}, {"name": "Bob, Eve", "uuid": "y"}]);
        for (record, by_whom) in [
            (json!({"identities": ann, "requestId": "x", "source": "::1"}), "Ann, \"Bob, Eve\""),
            (
                json!({"identities": [], "requestId": "chancery unlock", "source": "", "account": account}),
                "root on vm (host)",
            ),
            (
                json!({"identities": [], "requestId": "chancery init", "account": {"uid": 7, "host": "vm"}}),
                "uid 7 on vm (host)",
            ),
            (json!({"identities": [{"name": "Ann"}], "account": account}), "Ann, root on vm (host)"),
            (json!({"identities": [], "requestId": "chancery unlock", "source": ""}), "(host)"),
            (json!({"identities": [], "requestId": "crl", "source": ""}), "Chancery"),
            (json!({"identities": [], "requestId": "x", "source": "192.0.2.1"}), "-"),
            (json!({"identities": [], "requestId": "", "source": ""}), "-"),
        ] {
            assert_eq!(by(&record), by_whom, "{record}");
        }
    }
}
