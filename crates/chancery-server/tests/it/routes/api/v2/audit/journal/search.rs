//! POST /api/v2/audit/journal/search.

use chancery_types::RoleId;
use serde_json::{Value, json};

use crate::{
    app::{PASSWORD, TestApp},
    client::Client,
    guards::token_profile,
};

const SEARCH: &str = "/api/v2/audit/journal/search";

/// A profile under which administrators make and read tokens, and a token.
async fn profile_and_token(admin: &Client) -> (String, String) {
    let uuid = token_profile(admin).await;
    let rules = ["Tokenize", "Detokenize"].map(|one| json!({"roleUuid": RoleId::ADMINISTRATOR, "operation": one}));
    let path = format!("/api/v2/token-profiles/{uuid}");
    admin.patch(&format!("{path}/permissions"), json!({"controlRules": rules})).await.response();
    let answer = admin.post(&format!("{path}/tokenize"), json!({"message": "4111111111111111"})).await;
    (uuid, answer.response()["token"].as_str().unwrap().to_owned())
}

fn standings(response: &Value) -> Vec<&str> {
    let journals = response["journals"].as_array().unwrap();
    let mut standings: Vec<_> = journals.iter().map(|one| one["standing"].as_str().unwrap()).collect();
    // All began at one moment of the test's clock.
    standings.sort_unstable();
    standings
}

#[tokio::test]
async fn an_auditor_learns_who_had_a_token_and_that_question_is_in_the_records() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (uuid, token) = profile_and_token(&admin).await;
    admin.post(&format!("/api/v2/token-profiles/{uuid}/detokenize"), json!({"token": token})).await.response();
    let wrong = json!({"token": "411111111111111X"});
    let refused = admin.post(&format!("/api/v2/token-profiles/{uuid}/detokenize"), wrong).await;
    refused.refused(400, "InvalidValue", Some("/token"));
    admin.create_person("ann", &[RoleId::AUDITOR]).await;
    let ann = app.nobody();
    assert_eq!(ann.log_in("ann", PASSWORD).await.status, 200);

    let first = ann.post(SEARCH, json!({"tokenProfileUuid": uuid, "token": token, "pageSize": 1})).await;
    let first = first.response().clone();
    assert_eq!((&first["items"][0]["action"], &first["complete"]), (&json!("Tokenize"), &json!(false)));
    let next = json!({"tokenProfileUuid": uuid, "token": token, "after": first["next"]});
    let rest = ann.post(SEARCH, next).await.response().clone();
    let call = &rest["items"][0];
    assert_eq!(
        (&call["action"], &call["outcome"], &call["view"]),
        (&json!("Detokenize"), &json!("Success"), &json!("Full"))
    );
    let names: Vec<_> =
        call["identities"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Admin1", "Admin2"]);
    assert_eq!((rest["items"].as_array().unwrap().len(), rest.get("next")), (1, None));
    // The installation was made by a server of its own, which is gone: nobody knows that its journal is.
    assert_eq!((standings(&rest), &rest["complete"]), (vec!["Elsewhere", "Searched"], &json!(false)));

    let records = ann.get("/api/v2/audit?action=JournalSearch").await.response()["items"].clone();
    assert_eq!(records.as_array().unwrap().len(), 2);
    assert_eq!((&records[0]["identities"][0]["name"], &records[0]["objectUuid"]), (&json!("ann"), &json!(uuid)));
    assert_eq!((&records[0]["detail"]["further"], &records[1]["detail"]["further"]), (&json!(true), &json!(false)));
    assert!(!records.to_string().contains(&token));
}

#[tokio::test]
async fn another_server_says_that_it_does_not_have_the_journal() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (uuid, token) = profile_and_token(&admin).await;
    let other = Client::new(app.other_node().await).with_bearer(admin.bearer.as_deref().unwrap());
    let question = json!({"tokenProfileUuid": uuid, "token": token});
    let there = other.post(SEARCH, question.clone()).await.response().clone();
    assert_eq!((&there["items"], &there["complete"]), (&json!([]), &json!(false)));
    assert_eq!(standings(&there), ["Elsewhere", "Elsewhere", "Searched"]);
    let here = admin.post(SEARCH, question).await.response().clone();
    assert_eq!(
        (here["items"].as_array().unwrap().len(), standings(&here)),
        (1, vec!["Elsewhere", "Elsewhere", "Searched"])
    );
}

#[tokio::test]
async fn a_wrong_question_is_refused_at_its_member_and_not_recorded() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (uuid, token) = profile_and_token(&admin).await;
    let nobody = "00000000-0000-0000-0000-0000000000aa";
    for (body, code, field) in [
        (json!({"token": token}), "ArgumentParseError", "/tokenProfileUuid"),
        (json!({"tokenProfileUuid": uuid}), "ArgumentParseError", "/token"),
        (json!({"tokenProfileUuid": "cards", "token": token}), "InvalidSelection", "/tokenProfileUuid"),
        (json!({"tokenProfileUuid": nobody, "token": token}), "InvalidSelection", "/tokenProfileUuid"),
        (json!({"tokenProfileUuid": uuid, "token": ""}), "InvalidValue", "/token"),
        (json!({"tokenProfileUuid": uuid, "token": token, "pageSize": 0}), "InvalidValue", "/pageSize"),
        (json!({"tokenProfileUuid": uuid, "token": token, "from": "now"}), "InvalidValue", "/from"),
        (json!({"tokenProfileUuid": uuid, "token": token, "after": "x"}), "InvalidValue", "/after"),
        // A misspelt bound would otherwise be answered as if there were none.
        (
            json!({"tokenProfileUuid": uuid, "token": token, "until": "2026-01-01T00:00:00Z"}),
            "ArgumentParseError",
            "/until",
        ),
    ] {
        let refused = admin.post(SEARCH, body.clone()).await;
        refused.refused(400, code, Some(field));
    }
    assert_eq!(admin.get("/api/v2/audit?action=JournalSearch").await.response()["items"], json!([]));
}
