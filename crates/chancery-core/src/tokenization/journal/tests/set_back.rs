//! A journal that somebody put back together with what the store knew of it then.

use chancery_journal::Event as Told;
use chancery_store::{generated_sql, sql};
use chancery_types::{Action, JournalStanding, wire::journal::SearchJournal};
use chancery_verify::ledger::{Demand, TOLERANCE_MS};

use super::*;
use crate::{Error, audit::journal::known};

async fn run(chancery: &Chancery, statements: &'static [&'static str]) {
    let write = chancery.storage.store().write(move |tx| {
        Box::pin(async move {
            for statement in statements {
                generated_sql((*statement).to_owned()).execute(tx).await?;
            }
            Ok::<_, Error>(())
        })
    });
    write.await.unwrap();
}

fn copied(from: &std::path::Path, to: &std::path::Path) {
    let _none_before = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

async fn missed(chancery: &Chancery) -> usize {
    told(chancery, Action::JournalMiss).await
}

async fn told(chancery: &Chancery, action: Action) -> usize {
    let text = "SELECT detail FROM audit WHERE action = $1";
    let read = chancery.storage.store().read(move |tx| {
        Box::pin(async move { Ok::<Vec<String>, Error>(sql(text).bind(action.as_str()).all(tx).await?) })
    });
    read.await.unwrap().len()
}

#[tokio::test]
async fn a_journal_that_was_put_back_with_its_row_is_found_by_the_newest_checkpoint() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    let folder = tempfile::tempdir().unwrap();
    let (there, copy) = (folder.path().join("journal"), folder.path().join("copy"));
    let chancery = installation.node_with_journal(there.clone()).await;
    let id = profile(&chancery, &caller, &json!({})).await;
    let token = testing::tokenize(&chancery, &caller, id).await.unwrap();
    chancery.shut_down().await;
    drop(chancery);
    copied(&there, &copy);
    let others = &installation.chancery;
    run(others, &["CREATE TABLE kept AS SELECT * FROM journals"]).await;

    let chancery = installation.node_with_journal(there.clone()).await;
    testing::detokenize(&chancery, &caller, id, &token).await.unwrap();
    chancery.audit.anchor_journal().await.unwrap();
    chancery.audit.sequence_ledger().await.unwrap();
    chancery.shut_down().await;
    drop(chancery);
    assert_eq!(others.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap().walked.faults, []);
    copied(&copy, &there);
    run(others, &["DELETE FROM journals", "INSERT INTO journals SELECT * FROM kept"]).await;
    let faults = others.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap().walked.faults;
    assert!(!faults.is_empty(), "the newest checkpoint knows more");
    // Another node, which makes the next checkpoint, does not sign that it goes less far.
    let key = others.audit.ledger.0.key.clone();
    others.audit.sequence_ledger().await.unwrap();
    let read = others.storage.store().read(move |tx| Box::pin(async move { known::all(tx, &key).await }));
    // Another journal of the installation may come first.
    assert!(read.await.unwrap().iter().any(|row| row.record > 1));

    let chancery = installation.node_with_journal(there.clone()).await;
    assert_eq!(missed(&chancery).await, 1);
    let asked: SearchJournal = request!({"tokenProfileUuid": id, "token": token});
    let answer = chancery.tokens.search_journal(&caller, asked).await.unwrap();
    let is_told = answer.journals[0].faults.iter().any(|fault| fault.contains("JournalMiss"));
    assert!(!answer.complete && is_told, "{answer:?}");
    let on_host = others.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap();
    assert!(on_host.faults().iter().any(|fault| fault.contains("JournalMiss")), "{on_host:?}");
    chancery.audit.sequence_ledger().await.unwrap();
    testing::tokenize(&chancery, &caller, id).await.unwrap();
    chancery.audit.anchor_journal().await.unwrap();
    let verified = chancery.audit.verify_ledger(&HOST, None, (&[], &Demand::default()), TOLERANCE_MS).await.unwrap();
    assert_eq!(verified.faults, [], "what is told is no fault of the ledger");
}

/// Whoever finds the lost files and puts them in the place of those that went on without them loses what these have.
#[tokio::test]
async fn a_journal_that_went_on_from_a_former_place_is_told() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    let folder = tempfile::tempdir().unwrap();
    let [there, first, found] = ["journal", "first", "found"].map(|name| folder.path().join(name));
    let node = async || installation.node_with_journal(there.clone()).await;
    let stopped = async |chancery: std::sync::Arc<Chancery>| {
        chancery.audit.anchor_journal().await.unwrap();
        chancery.shut_down().await;
    };
    let chancery = node().await;
    let id = profile(&chancery, &caller, &json!({})).await;
    let token = testing::tokenize(&chancery, &caller, id).await.unwrap();
    stopped(chancery).await;
    copied(&there, &first);
    let chancery = node().await;
    for _ in 0..4 {
        testing::tokenize(&chancery, &caller, id).await.unwrap();
    }
    stopped(chancery).await;
    copied(&there, &found);
    let chancery = node().await;
    assert_eq!(missed(&chancery).await, 0, "it goes on where it was");
    stopped(chancery).await;

    copied(&first, &there);
    let chancery = node().await;
    assert_eq!(missed(&chancery).await, 1);
    testing::detokenize(&chancery, &caller, id, &token).await.unwrap();
    stopped(chancery).await;
    copied(&found, &there);
    let chancery = node().await;
    assert_eq!(missed(&chancery).await, 2, "it has more records, and others");
    stopped(chancery).await;
    let chancery = node().await;
    assert_eq!(missed(&chancery).await, 2, "it is told once");
}

#[tokio::test]
async fn that_it_can_be_written_again_is_told_by_the_next_process_too() {
    let installation = Installation::new().await;
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("journal");
    let chancery = installation.node_with_journal(there.clone()).await;
    for trouble in [Told::Changed(1), Told::Trouble("no space left".to_owned())] {
        assert_eq!(told(&chancery, Action::JournalResume).await, 0);
        chancery.audit.tell_of_journal(trouble).await.unwrap();
    }
    chancery.shut_down().await;
    drop(chancery);
    let chancery = installation.node_with_journal(there.clone()).await;
    // The node looks after its journal each second by itself.
    let is_told = async {
        while told(&chancery, Action::JournalResume).await == 0 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(30), is_told).await.unwrap();
    chancery.shut_down().await;
    drop(chancery);
    let chancery = installation.node_with_journal(there.clone()).await;
    chancery.audit.look_at_journal().await.unwrap();
    assert_eq!(told(&chancery, Action::JournalResume).await, 1, "it is told once");
    chancery.audit.tell_of_journal(Told::Changed(1)).await.unwrap();
    chancery.shut_down().await;
    drop(chancery);
    let chancery = installation.node_with_journal(there).await;
    chancery.audit.look_at_journal().await.unwrap();
    assert_eq!(told(&chancery, Action::JournalResume).await, 1, "what was written otherwise stays so");
}

#[tokio::test]
async fn a_journal_whose_row_was_taken_away_is_still_missed() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("journal");
    let chancery = installation.node_with_journal(there.clone()).await;
    let id = profile(&chancery, &caller, &json!({})).await;
    let token = testing::tokenize(&chancery, &caller, id).await.unwrap();
    chancery.audit.anchor_journal().await.unwrap();
    chancery.audit.sequence_ledger().await.unwrap();
    let asked = || -> SearchJournal { request!({"tokenProfileUuid": id, "token": token}) };
    chancery.shut_down().await;
    drop(chancery);
    let others = &installation.chancery;
    run(others, &["DELETE FROM journals"]).await;
    let key = others.audit.ledger.0.key.clone();
    let read = others.storage.store().read(move |tx| Box::pin(async move { known::all(tx, &key).await }));
    assert!(read.await.unwrap().iter().any(|row| row.host == "unknown"), "the checkpoint knows it");

    fs::remove_dir_all(&there).unwrap();
    fs::create_dir(&there).unwrap();
    let empty = others.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap_err().to_string();
    assert!(empty.contains("There is no journal in"), "{empty}");
    let before = missed(others).await;
    let chancery = installation.node_with_journal(there.clone()).await;
    assert!(missed(&chancery).await > before, "its row is gone, and it is told");
    let answer = chancery.tokens.search_journal(&caller, asked()).await.unwrap();
    assert!(!answer.complete && answer.items.is_empty(), "{answer:?}");
    assert!(answer.journals.iter().any(|one| one.standing == JournalStanding::Missing), "{answer:?}");
    let named = (&*id.to_string(), &*token);
    let on_host = others.tokens.who_had_token(&HOST, &there, named, None, &mut |_| {}).await.unwrap();
    assert!(!on_host.others.is_empty(), "a journal that is not here was not looked through: {on_host:?}");
    let on_host = others.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap();
    assert!(on_host.others.iter().any(|other| other.is_missed_here), "{on_host:?}");
    // It is told once.
    let told = missed(&chancery).await;
    chancery.shut_down().await;
    drop(chancery);
    let chancery = installation.node_with_journal(there).await;
    assert_eq!(missed(&chancery).await, told);
}
