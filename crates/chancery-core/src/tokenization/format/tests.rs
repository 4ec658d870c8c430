use serde_json::{Value, json};

use super::*;
use crate::Meaning;

fn compile(members: &Value) -> Result<Format> {
    let mut wire = json!({"alphabet": "Decimal", "minLength": 6, "maxLength": 19});
    for (name, value) in members.as_object().unwrap() {
        wire[name] = value.clone();
    }
    Format::compile(&serde_json::from_value(wire).unwrap(), &Limits::default())
}

#[test]
fn refusals_name_the_member() {
    let cases = json!([
        ["alphabet", {"alphabet": "00"}, "different characters"],
        ["minLength", {"minLength": 0}, "at least 1"],
        ["minLength", {"minLength": 20}, "at most maxLength"],
        ["maxLength", {"maxLength": 513}, "at most 512"],
        ["maxLength", {"maxLength": u32::MAX}, "at most 512"],
        ["keepLeading", {"keepLeading": 6}, "less than minLength"],
        ["keepLeading", {"keepLeading": u32::MAX}, "less than minLength"],
        ["keepTrailing", {"keepLeading": 3, "keepTrailing": 3}, "less than minLength"],
        ["keepTrailing", {"keepTrailing": u32::MAX}, "less than minLength"],
        ["passThrough", {"passThrough": " 7-"}, "'7' is in the alphabet"],
        ["luhn", {"alphabet": "LowerHex", "luhn": "Valid"}, "Decimal"],
        ["luhn", {"alphabet": "LowerHex", "luhn": "Invalid"}, "Decimal"],
        ["tokenLength", {"tokenLength": 19}, "greater than maxLength"],
        ["tokenLength", {"tokenLength": 513}, "at most 512"],
        ["tokenLength", {"tokenLength": 20, "keepLeading": 1}, "keepLeading 0"],
        ["tokenLength", {"tokenLength": 20, "keepTrailing": 1}, "keepTrailing 0"],
        ["tokenLength", {"tokenLength": 20, "luhn": "Valid"}, "luhn Ignore"],
        ["tokenLength", {"tokenLength": 20, "passThrough": "-"}, "empty passThrough"],
        ["tokenLength", {"tokenLength": 21, "versionPrefix": 2}, "versionPrefix together"],
        ["versionPrefix", {"versionPrefix": 0}, "1 to 4"],
        ["versionPrefix", {"versionPrefix": 5}, "1 to 4"],
        ["versionPrefix", {"versionPrefix": u32::MAX}, "1 to 4"],
        ["versionPrefix", {"minLength": 7, "versionPrefix": 1, "luhn": "Valid"}, "luhn Ignore"],
        ["versionPrefix", {"minLength": 7, "versionPrefix": 1, "luhn": "Invalid"}, "luhn Ignore"],
    ]);
    for case in cases.as_array().unwrap() {
        let error = compile(&case[1]).unwrap_err();
        assert_eq!(error.meaning(), Meaning::Value, "{case}");
        assert_eq!(error.field(), Some(format!("/format/{}", case[0].as_str().unwrap()).as_str()), "{case}");
        assert!(error.message().contains(case[2].as_str().unwrap()), "{case}: {error}");
    }
}

#[test]
fn ff1_needs_a_million_values_and_the_refusal_names_the_number() {
    let cases = json!([
        [{"minLength": 5}, "10^5 = 100000 "],
        [{"minLength": 6, "keepTrailing": 1}, "10^5 = 100000 "],
        [{"minLength": 6, "luhn": "Valid"}, "10^5 = 100000 "],
        [{"minLength": 6, "luhn": "Invalid"}, "10^5 = 100000 "],
        [{"minLength": 2, "luhn": "Valid", "keepLeading": 1}, "10^0 = 1 "],
        [{"alphabet": "01", "minLength": 19}, "2^19 = 524288 "],
        [{"alphabet": "LowerAlpha", "minLength": 4}, "26^4 = 456976 "],
    ]);
    for case in cases.as_array().unwrap() {
        let error = compile(&case[0]).unwrap_err();
        assert_eq!((error.meaning(), error.field()), (Meaning::Value, Some("/format/minLength")), "{case}");
        assert!(error.message().contains(case[1].as_str().unwrap()), "{case}: {error}");
    }
    let accepted = json!([
        [{"minLength": 6}, 6],
        [{"minLength": 7, "luhn": "Valid"}, 6],
        [{"minLength": 11, "keepLeading": 2, "keepTrailing": 3}, 6],
        [{"alphabet": "01", "minLength": 20, "maxLength": 20}, 20],
        [{"minLength": 1, "tokenLength": 20}, 20],
        [{"minLength": 512, "maxLength": 512}, 512],
        [{"maxLength": 511, "tokenLength": 512}, 512],
    ]);
    for case in accepted.as_array().unwrap() {
        assert_eq!(compile(&case[0]).unwrap().encrypted_at_min(), case[1].as_u64().unwrap() as usize, "{case}");
    }
}

#[test]
fn lengths_and_pass_through_may_grow_and_nothing_else_may_change() {
    let fixed = json!({"minLength": 7, "maxLength": 12, "tokenLength": 16});
    let free = json!({"minLength": 9, "maxLength": 12, "keepTrailing": 1, "passThrough": "-", "luhn": "Valid"});
    let cases = json!([
        [free, {}, null],
        [free, {"minLength": 8}, null],
        [free, {"maxLength": 19, "passThrough": "/ -"}, null],
        [free, {"minLength": 10}, "minLength"],
        [free, {"maxLength": 11}, "maxLength"],
        [free, {"passThrough": " "}, "passThrough"],
        [free, {"keepTrailing": 0, "keepLeading": 1}, "keepLeading"],
        [free, {"keepTrailing": 0}, "keepTrailing"],
        [free, {"luhn": "Invalid"}, "luhn"],
        [free, {"luhn": "Ignore", "alphabet": "1234567890"}, "alphabet"],
        [free, {"alphabet": "0123456789"}, null],
        [free, {"luhn": "Ignore", "keepTrailing": 0, "passThrough": "", "tokenLength": 16}, "keepTrailing"],
        [fixed, {"maxLength": 13}, null],
        [fixed, {"minLength": 6}, "minLength"],
        [fixed, {"tokenLength": 17}, "tokenLength"],
        [free, {"luhn": "Ignore", "versionPrefix": 1}, "luhn"],
        [fixed, {"versionPrefix": 1}, "versionPrefix"],
    ]);
    for case in cases.as_array().unwrap() {
        let mut changed = case[0].clone();
        changed.as_object_mut().unwrap().extend(case[1].as_object().unwrap().clone());
        let orphans = compile(&changed).unwrap().orphans_tokens_of(&compile(&case[0]).unwrap());
        let member = case[2].as_str().map(|member| format!("/format/{member}"));
        assert_eq!(orphans, member.as_deref(), "{case}");
    }
}
