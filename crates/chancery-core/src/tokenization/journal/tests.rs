use std::{fs, time::Duration};

use chancery_journal::Problem;
use chancery_types::{TokenProfileId, wire::token_profiles::BatchDetokenizeRequest};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::*;
use crate::{
    Caller, Chancery, Host, Meaning,
    testing::{self, Installation},
};

const HOST: Host = Host::running("test");
const CARD: &str = "4111111111111111";

/// What `with` adds to a profile for card numbers, with every rule for the administrators.
async fn profile(chancery: &Chancery, caller: &Caller, with: &Value) -> TokenProfileId {
    let id = testing::profile(chancery, caller, "cards").await;
    let rules = ["Tokenize", "Detokenize", "Batch"]
        .map(|operation| json!({"roleUuid": chancery_types::RoleId::ADMINISTRATOR, "operation": operation}));
    let mut patch = json!({"controlRules": rules, "format": {"passThrough": " -"}});
    with.as_object().unwrap().iter().for_each(|(name, value)| patch[name] = value.clone());
    chancery.tokens.change_token_profile(caller, id, serde_json::from_value(patch).unwrap()).await.unwrap();
    id
}

/// Who had a token: the action and the outcome of each call.
async fn who(chancery: &Chancery, folder: &std::path::Path, token: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut show = |entry: JournalEntry| {
        assert_eq!(
            entry.identities.iter().filter_map(|(_, name)| name.as_deref()).collect::<Vec<_>>(),
            ["Admin1", "Admin2"]
        );
        assert_eq!((entry.source.as_str(), entry.request_id.as_str()), ("192.0.2.1", &*format!("{:032x}", 0x7e57)));
        found.push((entry.action, entry.outcome));
    };
    let state = chancery.tokens.who_had_token(&HOST, folder, ("CARDS", token), None, &mut show).await.unwrap();
    assert_eq!(state.faults(), <[String; 0]>::default());
    found
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(action, outcome)| ((*action).to_owned(), (*outcome).to_owned())).collect()
}

macro_rules! request {
    ($($json:tt)+) => { serde_json::from_value(json!($($json)+)).unwrap() };
}

// Behind the macro, which it uses.
mod search;
mod set_back;

#[tokio::test]
async fn every_kind_of_call_is_recorded_before_its_answer_and_found_by_the_token() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    let folder = tempfile::tempdir().unwrap();
    let chancery = &installation.node_with_journal(folder.path().join("journal")).await;
    let folder = &folder.path().join("journal");
    let id = profile(chancery, &caller, &json!({})).await;
    let spaced =
        chancery.tokens.tokenize(&caller, id, request!({"message": "4111 1111 1111 1111"})).await.unwrap().token;
    let token = spaced.replace(' ', "");
    assert_eq!(who(chancery, folder, &token).await, pairs(&[("Tokenize", "Success")]), "spaces are nothing to it");
    let answer = chancery.tokens.detokenize(&caller, id, request!({"token": token})).await.unwrap();
    assert_eq!(answer.message, CARD);
    chancery.tokens.batch_tokenize(&caller, id, request!({"messages": ["5555555555554444", CARD]})).await.unwrap();
    let tokens: Vec<String> = (0..33_000).map(|number| format!("{number:016}")).chain([spaced.clone()]).collect();
    let batch: BatchDetokenizeRequest = request!({"tokens": tokens});
    chancery.tokens.batch_detokenize(&caller, id, batch).await.unwrap();
    let track = format!(";{CARD}=25121011000?");
    let track = chancery.tokens.track_tokenize(&caller, id, request!({"track": track})).await.unwrap().track;
    chancery.tokens.track_detokenize(&caller, id, request!({"track": track})).await.unwrap();
    chancery.tokens.rewrap(&caller, id, request!({"tokens": [token]})).await.unwrap();
    assert!(chancery.tokens.detokenize(&caller, id, request!({"token": token, "keyVersion": 7})).await.is_err());
    let expected = [
        "Tokenize",
        "Detokenize",
        "BatchTokenize",
        "BatchDetokenize",
        "TrackTokenize",
        "TrackDetokenize",
        "Rewrap",
        "Rewrap",
    ];
    let mut expected: Vec<_> = expected.iter().map(|action| (*action, "Success")).collect();
    expected.push(("Detokenize", "InvalidValue"));
    assert_eq!(who(chancery, folder, &token).await, pairs(&expected));
    assert_eq!(who(chancery, folder, "4111111111111112").await, [], "a token that nobody had");
    chancery.tokens.change_permissions(&caller, id, request!({"controlRules": []})).await.unwrap();
    let refused = testing::detokenize(chancery, &caller, id, &token).await.unwrap_err();
    assert_eq!(refused.meaning(), Meaning::Forbidden);
    let state = chancery.tokens.verify_journal(&HOST, folder, Vec::new(), &[]).await.unwrap();
    // Nine calls, of which one has three records because it has so many values: a segment was ended for them. Nothing was
    // read of the last one.
    assert_eq!((state.walked.faults.as_slice(), state.walked.records), (&[][..], 9 + 2 + 1));
    assert_eq!(state.walked.values, 1 + 1 + 2 + 33_001 + 1 + 1 + 2 + 1);
}

/// Who has a rule, and asks without the approvals that it takes, has tried to read these tokens.
#[tokio::test]
async fn a_call_that_lacks_its_approvals_is_found_by_the_token() {
    let installation = Installation::new().await;
    let (caller, folder) = (installation.administrators().await, tempfile::tempdir().unwrap());
    let chancery = &installation.node_with_journal(folder.path().join("journal")).await;
    let folder = &folder.path().join("journal");
    let rule = |operation: &str| json!({"roleUuid": chancery_types::RoleId::ADMINISTRATOR, "operation": operation});
    let mut rules = ["Tokenize", "Detokenize", "Batch"].map(rule);
    rules[1]["approval"] = json!({"numApprovals": 1});
    let id = profile(chancery, &caller, &json!({"controlRules": rules})).await;
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    let grant = "018f2c6e-0000-7000-8000-00000000000a";
    let track = format!(";{token}=25121011000?");
    assert!(chancery.tokens.detokenize(&caller, id, request!({"token": token})).await.is_err());
    assert!(chancery.tokens.detokenize(&caller, id, request!({"token": token, "grantUuid": grant})).await.is_err());
    assert!(chancery.tokens.batch_detokenize(&caller, id, request!({"tokens": [token]})).await.is_err());
    assert!(
        chancery.tokens.batch_detokenize(&caller, id, request!({"tokens": [token], "grantUuid": grant})).await.is_err()
    );
    assert!(chancery.tokens.track_detokenize(&caller, id, request!({"track": track})).await.is_err());
    assert!(chancery.tokens.rewrap(&caller, id, request!({"tokens": [token]})).await.is_err(), "takes no grant");
    let found = who(chancery, folder, &token).await;
    let actions: Vec<_> = found.iter().map(|(action, _)| action.as_str()).collect();
    let expected =
        ["Tokenize", "Detokenize", "Detokenize", "BatchDetokenize", "BatchDetokenize", "TrackDetokenize", "Rewrap"];
    assert_eq!(actions, expected);
    assert!(found[1..].iter().all(|(_, outcome)| outcome != "Success"), "{found:?}");
    // A grant that is none, where the rule takes none.
    let id = testing::profile(chancery, &caller, "without approvals").await;
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    assert!(chancery.tokens.detokenize(&caller, id, request!({"token": token, "grantUuid": grant})).await.is_err());
    assert!(chancery.tokens.detokenize(&caller, id, request!({"token": token, "keyVersion": 7})).await.is_err());
    let mut seen = Vec::new();
    let mut show = |entry: JournalEntry| seen.push((entry.action, entry.outcome, entry.view));
    chancery.tokens.who_had_token(&HOST, folder, ("without approvals", &token), None, &mut show).await.unwrap();
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen.iter().all(|(_, _, view)| view.is_none()), "nobody saw anything: {seen:?}");
}

#[tokio::test]
async fn a_durable_profile_waits_for_the_disk_and_says_so() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({"durability": "Durable"})).await;
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    assert_eq!(testing::detokenize(chancery, &caller, id, &token).await.unwrap(), CARD);
    let read = async || serde_json::to_value(chancery.tokens.token_profile(&caller, id).await.unwrap()).unwrap();
    assert_eq!(read().await["durability"], "Durable");
    let patch = request!({"durability": "Written"});
    chancery.tokens.change_token_profile(&caller, id, patch).await.unwrap();
    assert_eq!(read().await.get("durability"), None, "absent is Written");
    testing::tokenize(chancery, &caller, id).await.unwrap();
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_answered_and_the_alarm_is_raised() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    let folder = tempfile::tempdir().unwrap();
    let (there, away) = (folder.path().join("journal"), folder.path().join("away"));
    let chancery = &installation.node_with_journal(there.clone()).await;
    let id = profile(chancery, &caller, &json!({})).await;
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    fs::rename(&there, &away).unwrap();
    // Long before the segment is full, though no other one can be begun.
    let refusal = timeout(Duration::from_secs(10), async {
        loop {
            match testing::detokenize(chancery, &caller, id, &token).await {
                Ok(_) => sleep(Duration::from_millis(50)).await,
                Err(refusal) => break refusal,
            }
        }
    });
    let refusal = refusal.await.expect("nobody is answered whose record is in a file that is gone");
    assert_eq!((refusal.meaning(), refusal.retry_after_s()), (Meaning::Unavailable, Some(5)));
    let records = async |action: &'static str| {
        let text = "SELECT detail FROM audit WHERE action = $1 ORDER BY seq";
        let read = chancery.storage.store().read(move |tx| {
            Box::pin(
                async move { Ok::<Vec<String>, crate::Error>(chancery_store::sql(text).bind(action).all(tx).await?) },
            )
        });
        read.await.unwrap()
    };
    let until = async |action: &'static str| {
        while records(action).await.is_empty() {
            sleep(Duration::from_millis(50)).await;
        }
        records(action).await
    };
    let ready = async || chancery.readiness(&testing::visitor()).await;
    assert!(ready().await.unwrap_err().to_string().contains("journal"), "others have to take the calls");
    assert!(until("JournalFail").await[0].contains("\"why\""));
    let (numbers, is_failing) = chancery.audit.journal_numbers(&testing::visitor()).unwrap();
    assert!(numbers.failures > 0 && is_failing, "{numbers:?}");
    fs::rename(&away, &there).unwrap();
    until("JournalResume").await;
    // It may be a second ago that it looked at what others changed.
    let is_ready = async {
        while ready().await.is_err() {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(30), is_ready).await.expect("the calls may come back");
    assert_eq!(records("JournalMiss").await.len(), 1, "it is told once that the segment is gone");
    assert_eq!(testing::detokenize(chancery, &caller, id, &token).await.unwrap(), CARD);
    assert!(!chancery.audit.journal_numbers(&testing::visitor()).unwrap().1);
}

#[tokio::test]
async fn a_node_whose_journal_is_gone_or_cut_off_says_so_at_its_start() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    let folder = tempfile::tempdir().unwrap();
    let (there, copy) = (folder.path().join("journal"), folder.path().join("copy"));
    let missed = async |chancery: &Chancery| {
        let text = "SELECT detail FROM audit WHERE action = 'JournalMiss' ORDER BY seq";
        let read = chancery.storage.store().read(move |tx| {
            Box::pin(async move { Ok::<Vec<String>, crate::Error>(chancery_store::sql(text).all(tx).await?) })
        });
        read.await.unwrap()
    };
    let chancery = installation.node_with_journal(there.clone()).await;
    let id = profile(&chancery, &caller, &json!({})).await;
    testing::tokenize(&chancery, &caller, id).await.unwrap();
    chancery.shut_down().await;
    drop(chancery);
    fs::rename(&there, &copy).unwrap();
    fs::create_dir(&there).unwrap();
    for file in fs::read_dir(&copy).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), there.join(file.file_name())).unwrap();
    }
    let chancery = installation.node_with_journal(there.clone()).await;
    assert_eq!(missed(&chancery).await, [] as [String; 0], "a copy is as good");
    testing::tokenize(&chancery, &caller, id).await.unwrap();
    chancery.shut_down().await;
    drop(chancery);
    // Set back to the copy: it goes less far than the store knows.
    fs::remove_dir_all(&there).unwrap();
    fs::rename(&copy, &there).unwrap();
    let chancery = installation.node_with_journal(there.clone()).await;
    let told = missed(&chancery).await;
    assert!(told.len() == 1 && told[0].contains("\"found\":"), "{told:?}");
    chancery.shut_down().await;
    drop(chancery);
    fs::remove_dir_all(&there).unwrap();
    let chancery = installation.node_with_journal(there.clone()).await;
    let told = missed(&chancery).await;
    assert!(told.len() == 2 && told[1].contains("\"found\":null"), "{told:?}");
    chancery.shut_down().await;
    drop(chancery);
    let chancery = installation.node_with_journal(there.clone()).await;
    assert_eq!(missed(&chancery).await.len(), 2, "it is told once");
}

#[tokio::test]
async fn a_journal_is_compared_with_what_the_store_knows() {
    let installation = Installation::new().await;
    let caller = installation.administrators().await;
    let folder = tempfile::tempdir().unwrap();
    let there = folder.path().join("journal");
    let chancery = installation.node_with_journal(there.clone()).await;
    let id = profile(&chancery, &caller, &json!({})).await;
    for _ in 0..3 {
        testing::tokenize(&chancery, &caller, id).await.unwrap();
    }
    chancery.shut_down().await;
    let chancery = &installation.chancery;
    let whole = chancery.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap();
    assert_eq!((whole.walked.faults.as_slice(), whole.walked.records), (&[][..], 3));
    // Cut off in the middle of the last record: without the store it would look like a process that was killed.
    let segment = there.join("0000000000000001.journal");
    let mut bytes = fs::read(&segment).unwrap();
    let last = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    bytes[last - 100..].fill(0);
    fs::write(&segment, bytes).unwrap();
    let cut = chancery.tokens.verify_journal(&HOST, &there, Vec::new(), &[]).await.unwrap();
    let fault = cut.walked.faults[0];
    assert_eq!((fault.segment, fault.record), (1, 3));
    assert!([Problem::Changed, Problem::CutOff].contains(&fault.problem), "{fault}");
}
