//! Rows that others belong to: whoever deletes one of those leaves every MAC good.

use chancery_store::tables::decisions::{self, Decision, On};
use chancery_store::tables::proposals;
use chancery_store::tables::submitter_sets::{self, Submitter};
use chancery_store::{Store, StoreError, Unauthentic, generated_sql};
use uuid::Uuid;

use crate::harness::{Fixture, read, write};

on_both!(
    what_lost_a_part_is_told_once_listed_and_forgiven_when_that_is_back,
    nobody_decides_twice_while_the_first_time_is_taken_out_and_put_back
);

const SET: Uuid = Uuid::from_u128(1);
const PROPOSAL: Uuid = Uuid::from_u128(2);
const ANN: Uuid = Uuid::from_u128(0xa);
const BOB: Uuid = Uuid::from_u128(0xb);

fn proposal() -> proposals::Row {
    proposals::Row {
        id: PROPOSAL,
        kind: "PreApproval".into(),
        service_id: None,
        policy_id: None,
        profile_id: None,
        issuer_id: None,
        certificate_id: None,
        name: "p".into(),
        name_key: "p".into(),
        content: "{}".into(),
        state: "Approval".into(),
        reason: None,
        required_at_submission: 1,
        submitted_at_ms: 1,
        decided_at_ms: None,
        expires_at_ms: None,
        version: 1,
        token_profile_id: None,
    }
}

fn submission() -> Decision {
    Decision {
        subject_id: PROPOSAL,
        version: 1,
        decision: "Submit".into(),
        note: String::new(),
        roles: "[]".into(),
        decided_at_ms: 1,
        statement_digest: None,
        statement_rows: None,
        members: Some(2),
    }
}

fn approval(version: i64) -> Decision {
    Decision { version, decision: "Approve".into(), members: Some(1), ..submission() }
}

/// Ann and Bob submit, and propose.
async fn fill(store: &Store) {
    let filled = write(store, |tx| {
        Box::pin(async move {
            let members = [(ANN, "ann"), (BOB, "bob")].map(|(id, name)| Submitter { id, name: name.to_owned() });
            submitter_sets::insert(tx, SET, &members).await?;
            proposals::insert(tx, &proposal()).await?;
            decisions::insert(tx, On::Proposal, &submission()).await?;
            for (id, name) in [(ANN, "ann"), (BOB, "bob")] {
                decisions::insert_identity(tx, On::Proposal, &submission(), id, name).await?;
            }
            Ok(())
        })
    });
    filled.await.unwrap();
}

/// Reads what belongs together, as whoever decides does.
async fn look(store: &Store) -> Result<(), StoreError> {
    let looked = read(store, |tx| {
        Box::pin(async move {
            submitter_sets::members(tx, SET).await?;
            let decisions = decisions::of(tx, On::Proposal, PROPOSAL).await?;
            if decisions.is_empty() { Err(proposals::refused(tx, PROPOSAL)) } else { Ok(()) }
        })
    });
    looked.await
}

async fn run(store: &Store, text: String) {
    write(store, move |tx| Box::pin(generated_sql(text).execute(tx))).await.unwrap();
}

async fn what_lost_a_part_is_told_once_listed_and_forgiven_when_that_is_back(f: Fixture) {
    fill(&f.store).await;
    look(&f.store).await.unwrap();
    assert_eq!(f.store.look_at_all_rows().await.unwrap(), []);
    let (decision, identities) = (format!("{PROPOSAL}/1"), "proposal_identities");
    let of_bob = format!("identity_id = '{BOB}'");
    for (deleted, table, id, parts) in [
        (
            vec![("submitter_set_members", of_bob.as_str())],
            "submitter_sets",
            SET.to_string(),
            ("submitter_set_members", 1),
        ),
        (vec![(identities, of_bob.as_str())], "proposal_decisions", decision.clone(), (identities, 1)),
        (vec![(identities, "1 = 1")], "proposal_decisions", decision, (identities, 0)),
        (
            vec![(identities, "1 = 1"), ("proposal_decisions", "1 = 1")],
            "proposals",
            PROPOSAL.to_string(),
            ("proposal_decisions", 0),
        ),
    ] {
        for (from, which) in &deleted {
            run(&f.store, format!("CREATE TABLE kept_{from} AS SELECT * FROM {from} WHERE {which}")).await;
            run(&f.store, format!("DELETE FROM {from} WHERE {which}")).await;
        }
        let row = Unauthentic { table, id };
        for told in [vec![row.clone()], vec![]] {
            let refusal = look(&f.store).await.unwrap_err();
            assert!(matches!(&refusal, StoreError::Unauthentic(refused) if *refused == row), "{refusal}");
            assert_eq!(f.store.newly_unauthentic(), told);
            assert_eq!((f.store.look_at_refused().await.unwrap(), f.store.unauthentic()), (0, vec![row.clone()]));
        }
        let listed = f.store.look_at_all_rows().await.unwrap();
        let [found] = &listed[..] else { panic!("{listed:?}") };
        assert_eq!((found.row(), found.parts()), (&row, Some(parts)));
        for (from, _) in deleted.iter().rev() {
            run(&f.store, format!("INSERT INTO {from} SELECT * FROM kept_{from}")).await;
            run(&f.store, format!("DROP TABLE kept_{from}")).await;
        }
        assert_eq!((f.store.look_at_refused().await.unwrap(), f.store.unauthentic()), (1, vec![]));
        assert_eq!(f.store.look_at_all_rows().await.unwrap(), []);
        look(&f.store).await.unwrap();
    }
}

/// The table's key keeps them apart, and is gone meanwhile.
async fn nobody_decides_twice_while_the_first_time_is_taken_out_and_put_back(f: Fixture) {
    fill(&f.store).await;
    let approve = async |version: i64, by: Uuid| {
        let approved = write(&f.store, move |tx| {
            Box::pin(async move {
                decisions::insert(tx, On::Proposal, &approval(version)).await?;
                decisions::insert_identity(tx, On::Proposal, &approval(version), by, "cid").await
            })
        });
        approved.await
    };
    let (cid, dan) = (Uuid::from_u128(0xc), Uuid::from_u128(0xd));
    approve(2, cid).await.unwrap();
    approve(3, cid).await.unwrap_err();
    for statement in [
        "CREATE TABLE others AS SELECT * FROM proposal_identities",
        "DROP TABLE proposal_identities",
        "ALTER TABLE others RENAME TO proposal_identities",
    ] {
        run(&f.store, statement.to_owned()).await;
    }
    approve(3, dan).await.unwrap();
    look(&f.store).await.unwrap();
    approve(4, cid).await.unwrap();
    let row = Unauthentic { table: "proposal_decisions", id: PROPOSAL.to_string() };
    assert!(matches!(look(&f.store).await.unwrap_err(), StoreError::Unauthentic(refused) if refused == row));
    assert_eq!(f.store.newly_unauthentic(), [row]);
}
