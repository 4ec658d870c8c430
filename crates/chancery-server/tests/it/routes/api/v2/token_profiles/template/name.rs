//! GET /api/v2/token-profiles/template/{name}.

use serde_json::json;

use super::super::{Bench, rules};

/// Its table of templates, with a message and a token for each, is what is replayed here.
const INTERFACE: &str = include_str!("../../../../../../../../../docs/INTERFACE.md");

/// Template, message and token.
fn examples() -> Vec<[&'static str; 3]> {
    let table = INTERFACE.split_once("| template | message | token |\n|---|---|---|\n").unwrap().1;
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let cell = |text: &'static str| text.trim().trim_matches('`');
    rows.map(|row| {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(cell).collect();
        cells.try_into().unwrap()
    })
    .collect()
}

/// What a value looks like: tokens look like their messages.
fn look(value: &str) -> String {
    let kind = |character: char| match character {
        '0'..='9' => '0',
        'A'..='Z' => 'A',
        other => other,
    };
    value.chars().map(kind).collect()
}

#[tokio::test]
async fn each_template_makes_a_profile_that_works_as_its_example_says() {
    let bench = Bench::new().await;
    let names = bench.admin.get("/api/v2/token-profiles/template/names").await.response()["names"].clone();
    assert_eq!(names, json!(examples().iter().map(|example| example[0]).collect::<Vec<_>>()));
    for [name, message, shown] in examples() {
        let path = format!("/api/v2/token-profiles/template/{}", name.replace(' ', "%20"));
        let mut draft = bench.admin.get(&path).await.response().clone();
        assert_eq!(draft["objInfo"]["name"], name);
        let key_type = "AES-256 Tokenization";
        draft["keyUuid"] = json!(super::super::new_key(&bench.admin, &format!("key for {name}"), key_type).await);
        draft["controlRules"] = rules(&["Tokenize", "Detokenize"]);
        let profile = bench.profile(draft.clone()).await;
        assert_eq!(profile.read().await["security"]["domainSize"], draft["security"]["domainSize"]);
        let token = profile.tokenize(message).await;
        assert_ne!(token, message, "{name}");
        // Of free text, and of the hexadecimal digits of a UUID, nothing but the length stays.
        match name {
            "free text" | "UUID" | "e-mail address" => {
                assert_eq!((token.len(), shown.len()), (message.len(), message.len()))
            }
            _ => assert_eq!((look(&token), look(shown)), (look(message), look(message)), "{name}"),
        }
        let reply = profile.call("detokenize", json!({"token": token})).await;
        assert_eq!(reply.response()["message"], message, "{name}");
        // What is shown was made under another key, but is a token of the format: it stands for some message, unless
        // tokens are kept in a vault.
        if draft["algorithm"] == "Random" {
            let reply = profile.call("detokenize", json!({"token": shown})).await;
            reply.refused(400, "InvalidValue", Some("/token"));
            continue;
        }
        let reply = profile.call("detokenize", json!({"token": shown})).await;
        assert_eq!(reply.response()["message"].as_str().unwrap().len(), message.len(), "{name}");
    }
}

#[tokio::test]
async fn names_are_found_in_any_letter_case_and_others_are_not() {
    let bench = Bench::new().await;
    let reply = bench.admin.get("/api/v2/token-profiles/template/Card%20Number%20Keep%206%2B4").await;
    assert_eq!(reply.response()["format"]["keepLeading"], 6);
    for unknown in ["ssn", "card%20number", "%FF"] {
        let reply = bench.admin.get(&format!("/api/v2/token-profiles/template/{unknown}")).await;
        reply.refused(404, "InvalidSelection", None);
    }
}
