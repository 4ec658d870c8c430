//! What somebody does who would rather hide records than change them.

use chancery_types::wire::audit::AuditQuery;

use super::*;

on_both!(
    a_record_that_cannot_be_read_hides_no_other,
    records_that_a_search_does_not_find_are_named,
    records_that_a_search_finds_for_somebody_else_are_named,
    an_id_in_capitals_and_a_moved_time_hide_nothing,
    a_place_without_a_record_hides_no_other,
    a_record_of_tomorrow_is_named,
    records_of_a_copy_that_are_no_leaves_are_named,
    no_change_is_made_whose_record_a_trigger_keeps_out,
    a_place_that_no_checkpoint_covers_is_named_and_stops_nothing,
    records_that_wait_for_long_are_named,
);

/// Somebody takes the next leaf's place, with a number that no record has.
async fn a_place_that_no_checkpoint_covers_is_named_and_stops_nothing(installation: Installation) {
    let chancery = &installation.chancery;
    let last = filled(chancery).await;
    let next = leaf(chancery, last).await + 1;
    alter(
        chancery,
        vec![
            format!("INSERT INTO audit_leaves (number, leaf) VALUES ({}, {next})", last + 1_000),
            format!("INSERT INTO audit_leaves (number, leaf) VALUES ({}, {})", last + 1_001, next + 50),
        ],
    )
    .await;
    let ghosts = [1_000, 1_001].map(|beyond| LedgerFault::Misplaced { number: last + beyond });
    assert_eq!(faults(chancery, &[]).await, ghosts);
    append(chancery, "after").await;
    chancery.audit.sequence_ledger().await.unwrap();
    assert_eq!(leaf(chancery, last + 1).await, next, "its place is its own");
    // They stay to be seen.
    assert_eq!(faults(chancery, &[]).await, ghosts);
    assert_eq!(verified(chancery, &[]).await.newer, 0);
}

async fn records_that_wait_for_long_are_named(installation: Installation) {
    let chancery = &installation.chancery;
    let last = filled(chancery).await;
    append(chancery, "first").await;
    installation.clock.advance_ms(TOLERANCE_MS);
    append(chancery, "second").await;
    assert_eq!(faults(chancery, &[]).await, [], "a server at work may be as late");
    installation.clock.advance_ms(90_000);
    append(chancery, "third").await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::Waiting { number: last + 1, seconds: 150 }]);
}

/// What SQLite keeps in any column, PostgreSQL in none.
#[tokio::test]
async fn what_cannot_be_read_is_named() {
    let installation = Installation::new().await;
    let chancery = &installation.chancery;
    let last = filled(chancery).await;
    let change = |statement: &str| vec![statement.to_owned()];
    alter(chancery, vec![format!("UPDATE audit_leaves SET leaf = 'x' WHERE number = {last}")]).await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::Misplaced { number: last }, LedgerFault::Unread]);
    alter(chancery, change("UPDATE audit_checkpoints SET checkpoint = CAST(checkpoint AS BLOB) WHERE number = 2"))
        .await;
    assert!(faults(chancery, &[]).await.contains(&LedgerFault::NoNote { number: 2 }));
}

async fn a_record_that_cannot_be_read_hides_no_other(installation: Installation) {
    let caller = installation.administrators().await;
    let chancery = &installation.chancery;
    let number = filled(chancery).await - 3;
    let (leaf_of_broken, leaf_of_forged) = (leaf(chancery, number).await, leaf(chancery, number - 2).await);
    for broken in ["outcome = 'Fine'", "action = ''", "identities = '['", "account = '{'", "detail = ''"] {
        let forged = number - 2;
        alter(
            chancery,
            vec![
                format!("UPDATE audit SET {broken} WHERE seq = {number}"),
                format!("UPDATE audit SET source = '192.0.2.66' WHERE seq = {forged}"),
            ],
        )
        .await;
        let changed = [(leaf_of_forged, forged), (leaf_of_broken, number)];
        let changed = changed.map(|(leaf, number)| LedgerFault::Changed { leaf, number });
        assert_eq!(faults(chancery, &[]).await, changed, "{broken}");
        let listed = chancery.audit.audit_records(&caller, AuditQuery::default()).await.unwrap();
        let told = listed.items.iter().find(|record| record.number == number).unwrap();
        assert!(told.detail["unreadable"].as_str().unwrap().starts_with("column "), "{told:?}");
        assert!(listed.items.iter().any(|record| record.number == forged));
    }
}

async fn records_that_a_search_does_not_find_are_named(installation: Installation) {
    let _caller = installation.administrators().await;
    let chancery = &installation.chancery;
    chancery.audit.sequence_ledger().await.unwrap();
    assert_eq!(faults(chancery, &[]).await, []);
    let named = placed(chancery).await.into_iter().filter(|placed| placed.row.record.identities.contains("Admin"));
    let named: Vec<_> = named.map(|placed| placed.row.seq).collect();
    assert!(named.len() > 1, "{named:?}");
    alter(chancery, vec![format!("DELETE FROM audit_identities WHERE seq = {}", named[1])]).await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::Unfindable { number: named[1] }]);
    alter(chancery, vec!["DELETE FROM audit_identities".to_owned()]).await;
    assert!(faults(chancery, &[]).await.len() >= named.len());
}

async fn records_that_a_search_finds_for_somebody_else_are_named(installation: Installation) {
    let _caller = installation.administrators().await;
    let chancery = &installation.chancery;
    filled(chancery).await;
    let placed = placed(chancery).await;
    let numbers = |named: bool| {
        let of = placed.iter().filter(move |placed| placed.row.record.identities.contains("Admin") == named);
        of.map(|placed| placed.row.seq)
    };
    let (another, own) = (numbers(false).next_back().unwrap(), numbers(true).next_back().unwrap());
    let named = placed.iter().find(|placed| placed.row.seq == own).unwrap();
    let identities: Vec<serde_json::Value> = serde_json::from_str(&named.row.record.identities).unwrap();
    let identity = identities[0]["uuid"].as_str().unwrap();
    let put = |number: &str| {
        format!(
            "INSERT INTO audit_identities (identity, at_ms, seq) SELECT '{identity}', at_ms, {number} FROM audit \
             WHERE seq = {another}"
        )
    };
    alter(chancery, vec![put("seq")]).await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::Misattributed { number: another }]);
    alter(chancery, vec![put("98765")]).await;
    let both = [another, 98_765].map(|number| LedgerFault::Misattributed { number });
    assert_eq!(faults(chancery, &[]).await, both);
    alter(chancery, vec![format!("DELETE FROM audit_identities WHERE seq IN ({another}, 98765)")]).await;
    alter(chancery, vec![format!("UPDATE audit SET identities = '[]' WHERE seq = {own}")]).await;
    assert!(faults(chancery, &[]).await.contains(&LedgerFault::Misattributed { number: own }));
    if !installation.is_on_postgres() {
        alter(chancery, vec![put("'none'")]).await;
        assert!(faults(chancery, &[]).await.contains(&LedgerFault::Illegible));
    }
}

async fn an_id_in_capitals_and_a_moved_time_hide_nothing(installation: Installation) {
    let _caller = installation.administrators().await;
    let chancery = &installation.chancery;
    chancery.audit.sequence_ledger().await.unwrap();
    let placed = placed(chancery).await;
    let named = placed.iter().find(|placed| placed.row.record.identities.contains("Admin")).unwrap().row.seq;
    let on_one = placed.iter().find(|placed| placed.row.record.object.is_some()).unwrap();
    let (number, leaf) = (on_one.row.seq, on_one.leaf.unwrap().try_into().unwrap());
    alter(chancery, vec![format!("UPDATE audit_identities SET at_ms = at_ms + 1 WHERE seq = {named}")]).await;
    let moved = [LedgerFault::Unfindable { number: named }, LedgerFault::Misattributed { number: named }];
    assert_eq!(faults(chancery, &[]).await, moved);
    alter(
        chancery,
        vec![
            format!("UPDATE audit_identities SET at_ms = at_ms - 1 WHERE seq = {named}"),
            format!("UPDATE audit SET object = UPPER(object) WHERE seq = {number}"),
        ],
    )
    .await;
    assert_eq!(faults(chancery, &[]).await, [LedgerFault::Changed { leaf, number }]);
}

async fn a_record_of_tomorrow_is_named(installation: Installation) {
    let chancery = &installation.chancery;
    filled(chancery).await;
    let forged = record("never was", chancery.clock.now_ms() + 86_400_000);
    let write = chancery.storage.store().write(move |tx| Box::pin(audit::append(tx, forged)));
    write.await.map_err(Error::from).unwrap();
    chancery.audit.sequence_ledger().await.unwrap();
    let number = placed(chancery).await.last().unwrap().row.seq;
    let found = faults(chancery, &[]).await;
    let [LedgerFault::Early { leaf: at, number: early, seconds, .. }] = found[..] else { panic!("{found:?}") };
    assert_eq!((at, early), (leaf(chancery, number).await, number));
    assert!((86_300..=86_400).contains(&seconds), "{seconds}");
}

async fn a_place_without_a_record_hides_no_other(installation: Installation) {
    let caller = installation.administrators().await;
    let chancery = &installation.chancery;
    let placed = placed(chancery).await;
    let named = placed.iter().find(|placed| placed.row.record.identities.contains("Admin")).unwrap();
    let identities: Vec<serde_json::Value> = serde_json::from_str(&named.row.record.identities).unwrap();
    let identity = identities[0]["uuid"].as_str().unwrap();
    let query = || AuditQuery { identity_uuid: Some(identity.parse().unwrap()), ..AuditQuery::default() };
    let before = chancery.audit.audit_records(&caller, query()).await.unwrap().items;
    let number = named.row.seq;
    let statement = format!(
        "INSERT INTO audit_identities (identity, at_ms, seq) SELECT identity, at_ms, 99999 FROM audit_identities \
         WHERE seq = {number}"
    );
    alter(chancery, vec![statement]).await;
    assert!(faults(chancery, &[]).await.contains(&LedgerFault::Misattributed { number: 99_999 }));
    let listed = chancery.audit.audit_records(&caller, query()).await.unwrap().items;
    assert!(before.iter().all(|record| listed.iter().any(|one| one.number == record.number)));
    let told = listed.iter().find(|record| record.number == 99_999).unwrap();
    assert!(told.detail["unreadable"].is_string(), "{told:?}");
}

async fn records_of_a_copy_that_are_no_leaves_are_named(installation: Installation) {
    let chancery = &installation.chancery;
    let last = filled(chancery).await;
    append(chancery, "after the newest checkpoint").await;
    let lines = lines(chancery).await;
    assert_eq!(of_lines(chancery, &lines, &[]).faults, [], "an export has leaves alone");
    let place = lines.iter().position(|line| line.starts_with(&format!("{{\"number\":{last},"))).unwrap();
    let (record, _) = lines[place].rsplit_once(",\"leaf\":").unwrap();
    for number in [last, last + 1, 1, 0, -3, i64::MAX] {
        let forged = record.replacen(&format!("\"number\":{last}"), &format!("\"number\":{number}"), 1);
        for end in ["}", ",\"leaf\":null}", ",\"leaf\":999999}"] {
            for place in [0, place, place + 1] {
                let mut with = lines.clone();
                with.insert(place, format!("{forged}{end}"));
                let found = of_lines(chancery, &with, &[]).faults;
                assert_eq!(found, [LedgerFault::Outside { number }], "{forged}{end}");
            }
        }
    }
}

async fn no_change_is_made_whose_record_a_trigger_keeps_out(installation: Installation) {
    let chancery = &installation.chancery;
    let statements = if installation.is_on_postgres() {
        vec![
            "CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$".to_owned(),
            "CREATE TRIGGER quiet BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION quiet()".to_owned(),
        ]
    } else {
        vec!["CREATE TRIGGER quiet BEFORE INSERT ON audit BEGIN SELECT RAISE(IGNORE); END".to_owned()]
    };
    let count = placed(chancery).await.len();
    alter(chancery, statements).await;
    let refused = record("kept out", chancery.clock.now_ms());
    let write = chancery.storage.store().write(move |tx| Box::pin(audit::append(tx, refused)));
    write.await.map_err(Error::from).unwrap_err();
    assert_eq!(placed(chancery).await.len(), count);
    let refused = installation.opened_again().await.map(drop).unwrap_err().to_string();
    assert!(refused.contains("Chancery did not make so: quiet."), "{refused}");
}
