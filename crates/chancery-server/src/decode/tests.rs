use chancery_core::Meaning;
use chancery_types::{Base64, HashType, KeyId};
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Outer {
    name: String,
    #[serde(default)]
    count: Option<u32>,
    inner: Option<Inner>,
    list: Option<Vec<Inner>>,
    flag: Option<bool>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Inner {
    hash: Option<HashType>,
    #[serde(alias = "keyUuid")]
    key: Option<KeyId>,
    data: Option<Base64>,
}

fn refusal(body: &str) -> (Meaning, Option<String>, String) {
    let error = decode::<Outer>(body.as_bytes()).expect_err(body);
    (error.meaning(), error.field().map(str::to_owned), error.message().to_owned())
}

fn assert_refused(body: &str, meaning: Meaning, field: Option<&str>, message: &str) {
    assert_eq!(refusal(body), (meaning, field.map(str::to_owned), message.to_owned()), "{body}");
}

#[test]
fn a_body_is_read_and_unknown_members_are_ignored() {
    let body = r#"{"name":"caf\u00e9","unknown":{"deep":[1.5,null,true]},"inner":{"data":"aGk","hash":"Sha2_256"}}"#;
    let outer: Outer = decode(body.as_bytes()).unwrap();
    assert_eq!(outer.name, "café");
    let inner = outer.inner.unwrap();
    assert_eq!((inner.hash, inner.data), (Some(HashType::Sha2_256), Some(Base64(b"hi".to_vec()))));
}

#[test]
fn only_an_object_is_a_body() {
    for body in ["[1]", "null", "\"name\"", "1", "[{\"name\":\"x\"}]", "[\"x\",1,null,null,null]"] {
        assert_refused(body, Meaning::Malformed, None, "The body must be one JSON object.");
    }
    for body in ["", "{", "{}{}", "{} x", "{\"name\":}", "{'name':1}", "{\"name\":\"\u{1}\"}", "{\"a\":1e999}"] {
        let (meaning, field, message) = refusal(body);
        assert_eq!((meaning, field), (Meaning::Malformed, None), "{body}");
        assert!(message.starts_with("The body is not valid JSON (line 1"), "{message}");
    }
    assert!(refusal(" \r\n").2.ends_with("it is empty."));
    let error = decode::<Outer>(b"{\"name\":\"\xff\"}").unwrap_err();
    assert_eq!(error.message(), "The body is not valid UTF-8.");
}

#[test]
fn duplicates_are_refused_wherever_they_are() {
    for body in [
        r#"{"name":"x","name":"x"}"#,
        r#"{"name":"x","n\u0061me":"x"}"#,
        r#"{"name":"x","unknown":1,"unknown":2}"#,
        r#"{"name":"x","unknown":[{"a":{"b":1,"c":2,"b":1}}]}"#,
    ] {
        let (meaning, _, message) = refusal(body);
        assert_eq!(meaning, Meaning::Malformed, "{body}");
        assert!(message.contains("has a member twice"), "{message}");
    }
    assert_refused(
        r#"{"name":"x","inner":{"key":null,"keyUuid":null}}"#,
        Meaning::Malformed,
        Some("/inner/key"),
        "This member is given under two names.",
    );
}

#[test]
fn nesting_ends_at_32_levels() {
    let nested = |levels: usize| format!(r#"{{"name":"x","u":{}{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
    assert!(decode::<Outer>(nested(32).as_bytes()).is_ok());
    assert!(refusal(&nested(33)).2.contains("deeper than 32 levels"));
    assert!(refusal(&nested(100_000)).2.contains("deeper than 32 levels"));
}

#[test]
fn the_number_of_values_is_bounded() {
    // The object and the string count as well.
    let values = |n: usize| format!(r#"{{"name":"x","u":[{}1]}}"#, "1,".repeat(n - 1));
    assert!(decode::<Outer>(values(VALUES_MAX - 3).as_bytes()).is_ok());
    assert_eq!(refusal(&values(VALUES_MAX - 2)).0, Meaning::TooLarge);
}

#[test]
fn the_member_at_fault_is_named() {
    let malformed = Meaning::Malformed;
    assert_refused("{}", malformed, Some("/name"), "This member is missing.");
    assert_refused(r#"{"name":7}"#, malformed, Some("/name"), "Must be a string, not a number.");
    assert_refused(r#"{"name":null}"#, malformed, Some("/name"), "Must be a string, not null.");
    assert_refused(
        r#"{"name":"","count":-1}"#,
        malformed,
        Some("/count"),
        "Must be a whole number that is not negative and not too large.",
    );
    assert_refused(
        r#"{"name":"","count":1.0}"#,
        malformed,
        Some("/count"),
        "Must be a whole number that is not negative and not too large, not a number with a fraction or an exponent.",
    );
    assert_refused(r#"{"name":"","flag":"true"}"#, malformed, Some("/flag"), "Must be a boolean, not a string.");
    assert_refused(r#"{"name":"","inner":[]}"#, malformed, Some("/inner"), "Must be an object, not an array.");
    assert_refused(r#"{"name":"","list":{}}"#, malformed, Some("/list"), "Must be an array, not an object.");
    assert_refused(
        r#"{"name":"","list":[{},[null,null,null]]}"#,
        malformed,
        Some("/list/1"),
        "Must be an object, not an array.",
    );
    assert_refused(
        r#"{"name":"","list":[{},{"data":"@@"}]}"#,
        malformed,
        Some("/list/1/data"),
        "Must be a string of standard base64.",
    );
    assert_refused(
        r#"{"name":"","inner":{"hash":5}}"#,
        malformed,
        Some("/inner/hash"),
        "Must be a string, not a number.",
    );
}

#[test]
fn a_value_outside_its_enumeration_is_a_selection() {
    let (meaning, field, message) = refusal(r#"{"name":"","inner":{"hash":"SECRET"}}"#);
    assert_eq!((meaning, field.as_deref()), (Meaning::Selection, Some("/inner/hash")));
    assert!(message.starts_with("Must be one of Md5, RipeMd, Sha1, Sha2_224"), "{message}");
    assert!(!message.contains("SECRET"));
    assert_refused(
        r#"{"name":"","inner":{"key":"nope"}}"#,
        Meaning::Selection,
        Some("/inner/key"),
        "Must be a UUID: 8-4-4-4-12 hexadecimal digits.",
    );
}

#[test]
fn an_id_that_must_be_there_is_named_too() {
    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Ids {
        _key_uuid: KeyId,
        _list: Vec<KeyId>,
    }
    let id = "00000000-0000-0000-0000-000000000001";
    for (body, field) in [
        (json!({"keyUuid": "nope", "list": []}), "/keyUuid"),
        (json!({"keyUuid": id, "list": [id, "nope"]}), "/list/1"),
    ] {
        let error = decode::<Ids>(body.to_string().as_bytes()).unwrap_err();
        assert_eq!((error.meaning(), error.field()), (Meaning::Selection, Some(field)));
    }
}

#[test]
fn names_in_pointers_are_escaped() {
    #[derive(Debug, Deserialize)]
    struct Odd {
        #[serde(rename = "a/b~c")]
        _odd: u32,
    }
    for body in [json!({"a/b~c": "x"}), json!({})] {
        let error = decode::<Odd>(body.to_string().as_bytes()).unwrap_err();
        assert_eq!(error.field(), Some("/a~1b~0c"));
    }
}

#[test]
fn a_query_is_read_by_the_types_asked_for() {
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase")]
    struct Filter {
        page_size: Option<u32>,
        search: Option<String>,
        hash: Option<HashType>,
        all: Option<bool>,
        labels: Option<std::collections::BTreeMap<String, String>>,
    }
    let filter: Filter =
        decode_query("pageSize=50&search=a+b%26&labels.a=1&hash=Md5&all=true&unknown=1&labels.b.c=x&un.known=1")
            .unwrap();
    let labels = [("a", "1"), ("b.c", "x")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let expected = Filter {
        page_size: Some(50),
        search: Some("a b&".to_owned()),
        hash: Some(HashType::Md5),
        all: Some(true),
        labels: Some(labels.into()),
    };
    assert_eq!(filter, expected);
    assert_eq!(decode_query::<Filter>("search=50").unwrap().search.as_deref(), Some("50"));
    for (query, meaning, field) in [
        ("pageSize=x", Meaning::Value, Some("/pageSize")),
        ("pageSize=", Meaning::Value, Some("/pageSize")),
        ("pageSize=-1", Meaning::Value, Some("/pageSize")),
        ("pageSize=4294967296", Meaning::Value, Some("/pageSize")),
        ("all=1", Meaning::Value, Some("/all")),
        ("hash=md5", Meaning::Selection, Some("/hash")),
        ("page=1&page=1", Meaning::Value, None),
        ("labels.a=1&labels.a=2", Meaning::Value, None),
        ("labels=1&labels.a=2", Meaning::Value, None),
        ("labels=1", Meaning::Value, Some("/labels")),
    ] {
        let error = decode_query::<Filter>(query).unwrap_err();
        assert_eq!((error.meaning(), error.field()), (meaning, field), "{query}");
    }
}
