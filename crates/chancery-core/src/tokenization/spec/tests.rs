use serde_json::{Value, json};

use super::*;
use crate::Meaning;

fn spec(members: &Value) -> ProfileSpec {
    let mut wire = json!({
        "objInfo": {"name": "profile"}, "algorithm": "AesSiv", "keyUuid": "00000000-0000-0000-0000-000000000001",
    });
    wire.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    ProfileSpec::new(serde_json::from_value(wire).unwrap(), 7, &Limits::default()).unwrap()
}

fn refusal(members: &Value) -> (Meaning, Option<String>) {
    let error = spec(members).compile(&Limits::default()).err().unwrap();
    (error.meaning(), error.field().map(str::to_owned))
}

#[test]
fn versions_default_to_the_newest() {
    let newest = spec(&json!({}));
    assert_eq!((newest.key_version, newest.min_decrypt_version), (7, 7));
    let pinned = spec(&json!({"keyVersion": 3}));
    assert_eq!((pinned.key_version, pinned.min_decrypt_version), (3, 3));
}

#[test]
fn a_profile_reads_at_most_100_key_versions() {
    for (oldest, newest) in [(1, 1), (1, 100), (901, 1_000)] {
        let members = json!({"keyVersion": newest, "minDecryptVersion": oldest});
        assert!(spec(&members).compile(&Limits::default()).is_ok(), "{members}");
    }
    for (oldest, newest, meaning) in
        [(1, 101, Meaning::TooLarge), (1, u32::MAX, Meaning::TooLarge), (0, 5, Meaning::Value), (6, 5, Meaning::Value)]
    {
        let refused = refusal(&json!({"keyVersion": newest, "minDecryptVersion": oldest}));
        assert_eq!(refused, (meaning, Some("/minDecryptVersion".to_owned())));
    }
}

#[test]
fn members_that_an_algorithm_does_not_have_are_refused() {
    let ttl = json!({"unit": "Day", "amount": "1"});
    for (members, field) in [
        (json!({"deterministic": true}), "/deterministic"),
        (json!({"deterministic": false}), "/deterministic"),
        (json!({"timeToLive": ttl}), "/timeToLive"),
        (json!({"useIv": true}), "/useIv"),
        (json!({"algorithm": "Hmac", "useIv": true}), "/useIv"),
        (json!({"algorithm": "AesGcm"}), "/useIv"),
        (json!({"algorithm": "AesGcm", "useIv": false}), "/useIv"),
    ] {
        assert_eq!(refusal(&members), (Meaning::Value, Some(field.to_owned())));
    }
    assert!(spec(&json!({"algorithm": "AesGcm", "useIv": true})).compile(&Limits::default()).is_ok());
}

#[test]
fn a_profile_of_a_release_that_took_blanks_around_names_goes_on() {
    let limits = Limits::default();
    let old = ProfileSpec { name: "cards ".to_owned(), ..spec(&json!({})) };
    old.compile(&limits).unwrap();
    let patch = |body: Value| old.patched(serde_json::from_value(body).unwrap(), 7, &limits);
    assert_eq!(patch(json!({"durability": "Written"})).unwrap().name, "cards ");
    assert_eq!(patch(json!({"objInfo": {"name": "cards "}})).unwrap().name, "cards ");
    assert_eq!(patch(json!({"objInfo": {"name": "cards"}})).unwrap().name, "cards");
    let refused = patch(json!({"objInfo": {"name": " cards"}})).unwrap_err();
    assert_eq!((refused.meaning(), refused.field()), (Meaning::Value, Some("/objInfo/name")));
}
