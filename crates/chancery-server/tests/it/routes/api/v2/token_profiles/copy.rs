//! POST /api/v2/token-profiles/{uuid}/copy.

use serde_json::{Value, json};

use super::{Bench, NOTHING, OWN_ROLE, rules};
use crate::idempotency::keyed;

#[tokio::test]
async fn a_copy_has_the_members_of_the_original_but_for_what_is_sent() {
    let bench = Bench::new().await;
    let cards = bench.profile(json!({})).await;
    let token = cards.tokenize("4111111111111111").await;
    // What the used profile itself may not become, its copy may.
    let format = json!({"keepTrailing": 0, "luhn": "Invalid"});
    cards.patch(json!({"format": format})).await.refused(409, "InvalidState", Some("/format/keepTrailing"));
    let reply = cards.call("copy", json!({"objInfo": {"name": "cards without ends"}, "format": format})).await;
    let copy = reply.response().clone();
    let mut expected = cards.read().await;
    expected["objInfo"] = json!({"name": "cards without ends", "uuid": copy["objInfo"]["uuid"]});
    expected["format"]["keepTrailing"] = json!(0);
    expected["format"]["luhn"] = json!("Invalid");
    expected["security"] = copy["security"].clone();
    assert_eq!(copy, expected);
    assert_eq!(copy["security"]["domainSize"], "1000000000000");

    // Same format, same key: its tokens are its own all the same.
    let reply = cards.call("copy", json!({"objInfo": {"name": "cards of the shop"}})).await;
    let path = format!("/api/v2/token-profiles/{}/detokenize", reply.response()["objInfo"]["uuid"].as_str().unwrap());
    let message = bench.admin.post(&path, json!({"token": token})).await.response()["message"].clone();
    assert_ne!(message, "4111111111111111");
    // Unless they are to be shared.
    let shared =
        json!({"objInfo": {"name": "cards shared"}, "tweakDomain": cards.id, "controlRules": rules(&["Detokenize"])});
    let reply = cards.call("copy", shared).await;
    let path = format!("/api/v2/token-profiles/{}/detokenize", reply.response()["objInfo"]["uuid"].as_str().unwrap());
    assert_eq!(bench.admin.post(&path, json!({"token": token})).await.response()["message"], "4111111111111111");
    // The copy of one that shares does not: that must be asked for.
    let id = reply.response()["objInfo"]["uuid"].as_str().unwrap().to_owned();
    let again =
        bench.admin.post(&format!("/api/v2/token-profiles/{id}/copy"), json!({"objInfo": {"name": "own"}})).await;
    assert_eq!(again.response()["tweakDomain"], Value::Null);
}

#[tokio::test]
async fn a_copy_is_checked_as_a_new_profile() {
    let bench = Bench::new().await;
    let cards = bench.profile(json!({})).await;
    for (changes, status, code, field) in [
        (json!({}), 400, "ArgumentParseError", Some("/objInfo/name")),
        (json!({"objInfo": {}}), 400, "ArgumentParseError", Some("/objInfo/name")),
        (json!({"objInfo": {"name": ""}}), 400, "InvalidValue", Some("/objInfo/name")),
        (json!({"objInfo": {"name": "CARDS"}}), 409, "AlreadyExists", Some("/objInfo/name")),
        (json!({"objInfo": {"name": "b"}, "format": {"minLength": 5}}), 400, "InvalidValue", Some("/format/minLength")),
        (json!({"objInfo": {"name": "b"}, "keyUuid": NOTHING}), 400, "InvalidSelection", Some("/keyUuid")),
        (json!({"objInfo": {"name": "b"}, "keyVersion": 2}), 400, "InvalidSelection", Some("/keyVersion")),
        (json!({"objInfo": {"name": "b"}, "tweakDomain": NOTHING}), 400, "InvalidSelection", Some("/tweakDomain")),
        (
            json!({"objInfo": {"name": "b"}, "controlRules": [{"roleUuid": NOTHING, "operation": "Batch"}]}),
            400,
            "InvalidSelection",
            Some("/controlRules/0/roleUuid"),
        ),
    ] {
        cards.call("copy", changes.clone()).await.refused(status, code, field);
    }
    let nothing =
        bench.admin.post(&format!("/api/v2/token-profiles/{NOTHING}/copy"), json!({"objInfo": {"name": "b"}})).await;
    nothing.refused(404, "InvalidSelection", None);
    let rule = json!({"roleUuid": OWN_ROLE, "operation": "Tokenize"});
    assert_eq!(cards.read().await["controlRules"][0], rule);
}

#[tokio::test]
async fn a_repeated_call_makes_one_copy() {
    let bench = Bench::new().await;
    let path = bench.profile(json!({})).await.path("copy");
    let body = json!({"objInfo": {"name": "copy"}});
    let first = keyed(&bench.admin, &path, "c", &body).await.response().clone();
    assert_eq!(*keyed(&bench.admin, &path, "c", &body).await.response(), first);
}
