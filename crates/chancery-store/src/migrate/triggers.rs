//! Triggers: those of the migrations keep what is beside the audit records. Another one could keep a record out, or change
//! it, while the change that it tells of is made.

use std::collections::BTreeSet;

use super::Named;
use crate::backend::Backend;
use crate::{OpenError, Tx, sql};

/// With what each does: the whole statement, or the function that it calls.
const ON_SQLITE: &str = "SELECT name, sql AS text FROM sqlite_master WHERE type = 'trigger'";
const ON_POSTGRES: &str = "SELECT CAST(t.tgname AS TEXT) AS name, \
    CASE WHEN t.tgenabled = 'O' THEN p.prosrc ELSE 'DISABLED' END AS text \
    FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_proc AS p ON p.oid = t.tgfoid \
    WHERE NOT t.tgisinternal AND c.relnamespace = CAST(CAST(current_schema() AS TEXT) AS regnamespace) \
    UNION ALL SELECT CAST(rulename AS TEXT), 'A RULE' FROM pg_rules WHERE schemaname = current_schema()";

/// Refuses a database whose triggers are not those of these migrations, word by word.
pub(crate) async fn check(tx: &mut Tx, migrations: &str) -> Result<(), OpenError> {
    let mut missing: BTreeSet<&str> = migrations.lines().filter_map(made).collect();
    let text = match tx.backend() {
        Backend::Sqlite => ON_SQLITE,
        Backend::Postgres => ON_POSTGRES,
    };
    for Named { name, text } in sql(text).all(tx).await? {
        if !missing.remove(name.as_str()) || !migrations.contains(&text) {
            return Err(OpenError::Trigger(name));
        }
    }
    // Without those of other tables lists count wrongly, and nothing more.
    let of_audit = missing.into_iter().find(|name| name.starts_with("audit_"));
    of_audit.map_or(Ok(()), |name| Err(OpenError::NoTrigger(name.to_owned())))
}

/// The name of a trigger that this line makes.
fn made(line: &str) -> Option<&str> {
    line.strip_prefix("CREATE TRIGGER ")?.split(' ').next()
}
