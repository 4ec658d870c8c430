//! Audit records of a release that had no index of their identities.

use chancery_store::tables::audit;
use chancery_store::{Page, Start, Store, generated_sql, sql};
use uuid::Uuid;

use crate::harness::{Fixture, read, write};
use crate::row_keys::keys;

on_both!(audit_records_from_before_their_index_are_found_by_identity,);

/// Two in one session, as records name them, and a name that is made to look like an id.
async fn audit_records_from_before_their_index_are_found_by_identity(f: Fixture) {
    let back = |is_postgres: bool| {
        let on = if is_postgres { " ON audit" } else { "" };
        let mut back = ["added", "removed"].map(|what| format!("DROP TRIGGER audit_identities_{what}{on}")).to_vec();
        if is_postgres {
            back.extend(["added", "removed"].map(|what| format!("DROP FUNCTION audit_identities_{what}")));
        }
        back.extend(["action", "node", "refused"].map(|index| format!("DROP INDEX audit_{index}")));
        back.push("DROP TABLE audit_identities".to_owned());
        back.push("DELETE FROM migrations WHERE name = '0075_audit_by_filter'".to_owned());
        back
    };
    let (one, two, other) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
    let identities = format!(
        r#"[{{"name":"a","uuid":"{one}"}},{{"name":"\"uuid\":\"{other}\"","uuid":"{two}","login":{{"way":"Password"}}}}]"#
    );
    let back = back(f.url.path().is_none());
    write(&f.store, move |tx| {
        Box::pin(async move {
            for statement in back {
                generated_sql(statement).execute(tx).await?;
            }
            sql("INSERT INTO audit (at_ms, request_id, source, identities, action, outcome, detail, count) \
                VALUES (5, 'r', '', $1, 'Login', 'Success', 'null', 1)")
            .bind(identities)
            .execute(tx)
            .await
        })
    })
    .await
    .unwrap();
    let store = Store::open(&f.url, keys()).await.unwrap();
    let page = Page { limit: 10, start: Start::Offset(0), count_max: 10, scan_max: 10 };
    for (identity, count) in [(one, 1), (two, 1), (other, 0)] {
        let (filter, page) = (audit::Filter { identity: Some(identity), ..audit::Filter::default() }, page.clone());
        let found =
            read(&store, move |tx| Box::pin(async move { audit::list(tx, filter, &page).await })).await.unwrap();
        assert_eq!(found.rows.len(), count, "{identity}");
    }
}
