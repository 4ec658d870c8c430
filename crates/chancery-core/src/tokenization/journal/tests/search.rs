//! Who had a token, asked by an auditor.

use chancery_types::{JournalView, wire::journal::JournalCalls};

use super::*;
use crate::{Limits, ListLimits, time::rfc3339_ms};

/// An answer for each record of the journal, since there is no time for more.
fn hasty() -> Limits {
    let lists = ListLimits { journal_search_max: Duration::ZERO, ..ListLimits::default() };
    Limits { lists, ..Limits::default() }
}

async fn ask(chancery: &Chancery, caller: &Caller, question: &Value) -> crate::Result<JournalCalls> {
    chancery.tokens.search_journal(caller, serde_json::from_value(question.clone()).unwrap()).await
}

/// All answers to a question.
async fn all(chancery: &Chancery, caller: &Caller, question: &Value) -> (Vec<JournalCalls>, Vec<String>) {
    let (mut question, mut answers) = (question.clone(), Vec::new());
    loop {
        let answer = ask(chancery, caller, &question).await.unwrap();
        question["after"] = json!(answer.next);
        let is_last = answer.next.is_none();
        assert!(is_last || !answer.complete, "nothing is complete that goes on");
        answers.push(answer);
        if is_last {
            let calls = answers.iter().flat_map(|answer| &answer.items);
            let actions = calls.map(|call| call.action.to_string()).collect();
            return (answers, actions);
        }
    }
}

/// In the order of their words: all began at one moment of the test's clock.
fn standings(answer: &JournalCalls) -> Vec<&'static str> {
    let mut standings: Vec<_> = answer.journals.iter().map(|journal| journal.standing.as_str()).collect();
    standings.sort_unstable();
    standings
}

/// The details of the questions that were recorded, oldest first.
async fn recorded(chancery: &Chancery) -> Vec<Value> {
    let text = "SELECT detail FROM audit WHERE action = 'JournalSearch' ORDER BY seq";
    let read = chancery.storage.store().read(move |tx| {
        Box::pin(async move { Ok::<Vec<String>, crate::Error>(chancery_store::sql(text).all(tx).await?) })
    });
    read.await.unwrap().iter().map(|detail| serde_json::from_str(detail).unwrap()).collect()
}

#[tokio::test]
async fn whoever_had_a_token_is_found_answer_by_answer_and_every_question_is_recorded() {
    let installation = Installation::with_limits(hasty()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({})).await;
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    for _ in 0..3 {
        testing::detokenize(chancery, &caller, id, &token).await.unwrap();
        chancery.tokens.tokenize(&caller, id, request!({"message": "5555555555554444"})).await.unwrap();
    }
    let tokens: Vec<String> =
        (0..20_000).map(|number| if number % 2 == 0 { token.clone() } else { format!("{number:016}") }).collect();
    chancery.tokens.batch_detokenize(&caller, id, request!({"tokens": tokens})).await.unwrap();
    let question = json!({"tokenProfileUuid": id, "token": format!("{}-{}", &token[..4], &token[4..])});
    let (answers, actions) = all(chancery, &caller, &question).await;
    assert_eq!(actions, ["Tokenize", "Detokenize", "Detokenize", "Detokenize", "BatchDetokenize", "BatchDetokenize"]);
    assert!(answers.len() >= 8, "each looked at one record: {}", answers.len());
    let last = answers.last().unwrap();
    assert!(last.complete && standings(last) == ["Searched"], "{last:?}");
    let calls: Vec<_> = answers.iter().flat_map(|answer| &answer.items).collect();
    let names: Vec<_> = calls[1].identities.iter().filter_map(|one| one.name.as_deref()).collect();
    assert_eq!(
        (names.as_slice(), calls[1].view, calls[0].view),
        (&["Admin1", "Admin2"][..], JournalView::Full, JournalView::None)
    );
    assert_eq!((calls[1].source.as_str(), calls[1].token_profile_uuid), ("192.0.2.1", id));
    // The batch has two records; of each the first hundred places are told.
    assert_eq!((calls[4].values, calls[4].matches, calls[5].matches), (20_000, 8_192, 1_808));
    assert_eq!((calls[4].indexes.len(), calls[4].indexes[99], calls[5].indexes[0]), (100, 198, 16_384));

    let details = recorded(chancery).await;
    assert_eq!(details.len(), answers.len());
    let hash = &details[0]["tokenHash"];
    assert!(hash.as_str().unwrap().len() == 32 && details.iter().all(|one| one["tokenHash"] == *hash));
    assert!(!details.iter().any(|one| one.to_string().contains(&token)), "{details:?}");
    assert_eq!((&details[0]["further"], &details[1]["further"]), (&json!(false), &json!(true)));
    assert_eq!(details[0]["name"], "cards");
}

#[tokio::test]
async fn a_time_and_a_size_bound_what_is_answered_and_wrong_ones_are_refused() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({})).await;
    let mut token = String::new();
    for _ in 0..5 {
        token = testing::tokenize(chancery, &caller, id).await.unwrap();
    }
    let question = |more: Value| {
        let mut question = json!({"tokenProfileUuid": id, "token": token});
        more.as_object().unwrap().iter().for_each(|(name, value)| question[name] = value.clone());
        question
    };
    let first = ask(chancery, &caller, &question(json!({"pageSize": 2}))).await.unwrap();
    assert_eq!((first.items.len(), first.complete), (2, false));
    let (answers, actions) = all(chancery, &caller, &question(json!({"pageSize": 2}))).await;
    assert_eq!((answers.len(), actions.len()), (3, 5));
    let now = rfc3339_ms(installation.clock.now_ms());
    for (more, count) in [
        (json!({"from": now}), 5),
        (json!({"to": now}), 0),
        (json!({"from": "2001-01-01T00:00:00Z", "to": "2099-01-01T00:00:00Z"}), 5),
        (json!({"from": "2099-01-01T00:00:00Z"}), 0),
    ] {
        let answer = ask(chancery, &caller, &question(more.clone())).await.unwrap();
        assert_eq!((answer.items.len(), answer.complete), (count, true), "{more}");
    }
    let next = first.next.unwrap();
    let changed = format!("{}{}", if next.starts_with('A') { 'B' } else { 'A' }, &next[1..]);
    let other = testing::profile(chancery, &caller, "others").await;
    for (more, field) in [
        (json!({"token": ""}), "/token"),
        (json!({"token": "4".repeat(65_537)}), "/token"),
        (json!({"pageSize": 0}), "/pageSize"),
        (json!({"pageSize": 1_001}), "/pageSize"),
        (json!({"from": "yesterday"}), "/from"),
        (json!({"to": "2026"}), "/to"),
        (json!({"from": now, "to": now}), "/to"),
        (json!({"after": "AAAA"}), "/after"),
        (json!({"after": changed}), "/after"),
        // Of another question, it would leave out a part of the journal.
        (json!({"after": next, "token": "4111111111111112"}), "/after"),
        (json!({"after": next, "tokenProfileUuid": other}), "/after"),
        (json!({"after": next, "from": now}), "/after"),
        (json!({"tokenProfileUuid": "00000000-0000-0000-0000-0000000000aa"}), "/tokenProfileUuid"),
    ] {
        let refused = ask(chancery, &caller, &question(more.clone())).await.unwrap_err();
        assert_eq!(refused.field(), Some(field), "{more}");
    }
    assert!(ask(chancery, &caller, &question(json!({"after": next}))).await.is_ok());
}

#[tokio::test]
async fn an_answer_says_which_journals_it_does_not_speak_for() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({})).await;
    let folder = tempfile::tempdir().unwrap();
    let other = installation.node_with_journal(folder.path().join("journal")).await;
    let token = testing::tokenize(&other, &caller, id).await.unwrap();
    let question = json!({"tokenProfileUuid": id, "token": token});
    let here = ask(chancery, &caller, &question).await.unwrap();
    assert_eq!((here.items.len(), here.complete), (0, false), "the call was at the other one");
    assert_eq!(standings(&here), ["Elsewhere", "Searched"]);
    let there = ask(&other, &caller, &question).await.unwrap();
    assert_eq!((there.items.len(), there.complete), (1, false));
    assert_eq!(standings(&there), ["Elsewhere", "Searched"]);
    // Where it goes on at one is nothing to the other.
    let mut small = question.clone();
    small["pageSize"] = json!(1);
    testing::tokenize(&other, &caller, id).await.unwrap();
    small["after"] = json!(ask(&other, &caller, &small).await.unwrap().next.unwrap());
    let refused = ask(chancery, &caller, &small).await.unwrap_err();
    assert_eq!(refused.field(), Some("/after"));

    // It loses its journal, and begins another one.
    other.shut_down().await;
    drop(other);
    fs::remove_dir_all(folder.path().join("journal")).unwrap();
    installation.clock.advance_ms(3_600_000);
    let caller = installation.administrators().await;
    let other = installation.node_with_journal(folder.path().join("journal")).await;
    let answer = ask(&other, &caller, &question).await.unwrap();
    assert_eq!(standings(&answer), ["Elsewhere", "Missing", "Searched"]);
    // A journal that ended long before, and one that began long after, have nothing of the time.
    installation.clock.advance_ms(3_600_000);
    let caller = installation.administrators().await;
    let mut later = question.clone();
    later["from"] = json!(rfc3339_ms(installation.clock.now_ms()));
    let answer = ask(&other, &caller, &later).await.unwrap();
    assert_eq!(standings(&answer), ["Elsewhere", "Searched"]);
    let mut earlier = question.clone();
    earlier["to"] = json!(rfc3339_ms(testing::START_MS + 60_000));
    let answer = ask(chancery, &caller, &earlier).await.unwrap();
    assert_eq!(standings(&answer), ["Missing", "Searched"]);
}

#[tokio::test]
async fn a_journal_that_is_not_as_it_was_written_makes_no_answer_complete() {
    let installation = Installation::with_limits(hasty()).await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({})).await;
    let mut token = String::new();
    for _ in 0..3 {
        token = testing::tokenize(chancery, &caller, id).await.unwrap();
    }
    let folder = chancery.audit.journal.as_ref().unwrap().folder().to_owned();
    let segment = folder.join("0000000000000001.journal");
    let question = json!({"tokenProfileUuid": id, "token": token});
    let first = ask(chancery, &caller, &question).await.unwrap();
    assert_eq!(first.items.len(), 1);
    // The second of three records, in its middle: the newest one the server looks at itself.
    let bytes = fs::read(&segment).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    let mut changed = bytes.clone();
    changed[end - 250] ^= 1;
    use std::os::unix::fs::FileExt as _;
    fs::OpenOptions::new().write(true).open(&segment).unwrap().write_all_at(&changed[..=end - 200], 0).unwrap();
    let mut question = question.clone();
    question["after"] = json!(first.next);
    let (answers, _) = all(chancery, &caller, &question).await;
    let last = answers.last().unwrap();
    assert!(!last.complete && standings(last) == ["NotWhole"], "{last:?}");
    let faults: Vec<_> = answers.iter().flat_map(|answer| &answer.journals[0].faults).collect();
    assert!(faults.iter().any(|fault| fault.starts_with("segment 1, record ")), "{faults:?}");
}

#[tokio::test]
async fn calls_under_profiles_that_share_the_tokens_are_found_also_of_deleted_ones() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({})).await;
    let copy = chancery
        .tokens
        .copy_token_profile(&caller, id, request!({"objInfo": {"name": "copy"}, "tweakDomain": id}))
        .await
        .unwrap();
    let rules = json!([{"roleUuid": chancery_types::RoleId::ADMINISTRATOR, "operation": "Detokenize"}]);
    let copy = copy.obj_info.uuid;
    chancery.tokens.change_permissions(&caller, copy, request!({"controlRules": rules})).await.unwrap();
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    assert_eq!(testing::detokenize(chancery, &caller, copy, &token).await.unwrap(), CARD);
    for asked in [id, copy] {
        let answer = ask(chancery, &caller, &json!({"tokenProfileUuid": asked, "token": token})).await.unwrap();
        let profiles: Vec<_> = answer.items.iter().map(|call| call.token_profile_uuid).collect();
        assert_eq!(profiles, [id, copy]);
    }
    chancery.tokens.delete_token_profile(&caller, copy).await.unwrap();
    for asked in [id, copy] {
        let answer = ask(chancery, &caller, &json!({"tokenProfileUuid": asked, "token": token})).await.unwrap();
        assert_eq!((answer.items.len(), answer.complete), (2, true));
    }
}

/// Whoever read by a profile that has other tokens now is found, whichever of the two is asked about.
#[tokio::test]
async fn calls_under_a_profile_that_shared_the_tokens_once_are_found() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({})).await;
    let request = request!({"objInfo": {"name": "reports"}, "tweakDomain": id});
    let reports = chancery.tokens.copy_token_profile(&caller, id, request).await.unwrap().obj_info.uuid;
    let rules = json!([{"roleUuid": chancery_types::RoleId::ADMINISTRATOR, "operation": "Detokenize"}]);
    chancery.tokens.change_permissions(&caller, reports, request!({"controlRules": rules})).await.unwrap();
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    testing::detokenize(chancery, &caller, reports, &token).await.unwrap();
    let read =
        async |profile| ask(chancery, &caller, &json!({"tokenProfileUuid": profile, "token": token})).await.unwrap();
    let others = testing::profile(chancery, &caller, "others").await;
    assert_eq!(read(others).await.items.len(), 0, "it never had such tokens");
    for domain in [others, reports] {
        chancery.tokens.change_token_profile(&caller, reports, request!({"tweakDomain": domain})).await.unwrap();
        for asked in [id, reports] {
            let answer = read(asked).await;
            assert_eq!((answer.items.len(), answer.complete), (2, true), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn one_search_at_a_time_has_a_core_and_whoever_goes_away_gives_it_back() {
    let installation = Installation::new().await;
    let (chancery, caller) = (&installation.chancery, installation.administrators().await);
    let id = profile(chancery, &caller, &json!({})).await;
    let token = testing::tokenize(chancery, &caller, id).await.unwrap();
    let question = json!({"tokenProfileUuid": id, "token": token});
    let (one, other) = tokio::join!(ask(chancery, &caller, &question), ask(chancery, &caller, &question));
    assert_eq!((one.unwrap().items.len(), other.unwrap().items.len()), (1, 1));
    for _ in 0..20 {
        let given_up = timeout(Duration::from_micros(300), ask(chancery, &caller, &question)).await;
        drop(given_up);
    }
    assert!(ask(chancery, &caller, &question).await.unwrap().complete);
}
