//! From flags to the bodies of the interface.

use std::{path::Path, time::Duration};

use chancery_types::Base64;
use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::{Kind, Member, Verb, budgets, names::Names, show};
use crate::{
    cli::audit_retention,
    client::{
        exit::usage,
        inputs::{from_now, read_body, read_file, read_text, validity},
    },
    failure::Failure,
    password_input::without_line_end,
};

/// Stands for no word at all, where a list is to be emptied.
const NOTHING: &str = "none";

/// What is sent: the file's members, and over them those of flags. Nothing is sent where the call has no body. `present` is
/// the object as it is.
pub(super) fn body_of(
    verb: &Verb,
    matches: &ArgMatches,
    names: &Names<'_>,
    present: impl FnOnce() -> Result<Value, Failure>,
) -> Result<Option<Value>, Failure> {
    if !matches!(verb.method, "POST" | "PATCH" | "PUT") {
        return Ok(None);
    }
    let file = matches.try_get_one::<String>("file").ok().flatten();
    let mut body = file.map_or_else(|| Ok(Value::Object(Map::new())), |file| read_body(Path::new(file)))?;
    for (pointer, fixed) in verb.fixed {
        if body.pointer(pointer).is_none() {
            put(&mut body, pointer, serde_json::from_str(fixed)?);
        }
    }
    let members = verb.members.iter().filter(|member| member.at.starts_with('/'));
    let given = members.map(|member| Ok((member.at, value_of(member, matches, names)?)));
    let given: Vec<_> = given.collect::<Result<_, Failure>>()?;
    let given: Vec<_> = given.into_iter().filter_map(|(at, value)| Some((at, value?))).collect();
    if let Some(whole) = verb.keeps.filter(|whole| body.pointer(whole).is_none()) {
        let is_part = |at: &str| at.strip_prefix(whole).is_some_and(|rest| rest.starts_with('/'));
        if given.iter().any(|(at, _)| is_part(at)) && given.iter().all(|(at, _)| *at != whole) {
            let rest = present()?.pointer(whole).cloned().unwrap_or_default();
            put(&mut body, whole, rest);
        }
    }
    for (at, value) in given {
        put(&mut body, at, value);
    }
    Ok(Some(body))
}

/// The query that flags give a call.
pub(super) fn query_of(verb: &Verb, matches: &ArgMatches, names: &Names<'_>) -> Result<String, Failure> {
    let mut parts = Vec::new();
    for member in verb.members.iter().filter(|member| !member.at.starts_with('/')) {
        if let Some(value) = value_of(member, matches, names)? {
            let text = show::text(&value);
            parts.push(format!("{}={}", member.at, chancery_client::escaped(&text)));
        }
    }
    Ok(if parts.is_empty() { String::new() } else { format!("?{}", parts.join("&")) })
}

fn value_of(member: &Member, matches: &ArgMatches, names: &Names<'_>) -> Result<Option<Value>, Failure> {
    let text = || matches.get_one::<String>(member.flag);
    let texts = || matches.get_many::<String>(member.flag);
    Ok(match member.kind {
        Kind::Text => text().map(|text| text.as_str().into()),
        Kind::Number => matches.get_one::<i64>(member.flag).map(|number| (*number).into()),
        Kind::Switch => matches.get_one::<bool>(member.flag).map(|switch| (*switch).into()),
        // An empty text stands for none of them.
        Kind::Texts => {
            texts().map(|texts| texts.filter(|text| !text.is_empty()).map(|text| Value::from(text.as_str())).collect())
        }
        Kind::Words | Kind::Budgets if texts().is_some_and(|texts| texts.eq([NOTHING])) => Some(json!([])),
        Kind::Words => texts().map(|texts| texts.map(|text| Value::from(text.as_str())).collect()),
        Kind::Of(kind) => text().map(|text| resolved(kind, text, names)).transpose()?,
        Kind::Issuer => Some(match text() {
            Some(text) => resolved("ca", text, names)?,
            None => names.only_issuer(member.flag)?.into(),
        }),
        Kind::SomeOf(kind) => texts()
            .map(|texts| texts.map(|text| resolved(kind, text, names)).collect::<Result<Value, _>>())
            .transpose()?,
        Kind::Budgets => {
            texts().map(|texts| texts.map(|text| budgets::read(text)).collect::<Result<Value, _>>()).transpose()?
        }
        Kind::Retention => text().map(|text| audit_retention(text)).transpose().map_err(usage)?.map(|kept| json!(kept)),
        Kind::Span => text().map(|text| validity(text)).transpose()?,
        Kind::FromNow => {
            let span = matches.get_one::<Duration>(member.flag);
            span.map(|span| from_now(&format!("--{}", member.flag), *span)).transpose()?.map(Value::from)
        }
        Kind::FileText => text().map(|file| file_text(member, file)).transpose()?,
        Kind::SecretText => text().map(|file| secret_text(member, file)).transpose()?,
        Kind::FileBytes => text().map(|file| file_bytes(member, file)).transpose()?,
        Kind::Secret => text().map(|file| secret(member, file)).transpose()?,
        Kind::Key => text().map(|file| key(member, file)).transpose()?,
        Kind::Json => text().map(|text| json(member, text)).transpose()?,
    })
}

fn resolved(kind: &str, text: &str, names: &Names<'_>) -> Result<Value, Failure> {
    let resource = super::find(kind).ok_or_else(|| format!("there are no objects of the kind {kind}"))?;
    names.resolve(resource, text).map(Value::from)
}

fn file_text(member: &Member, file: &str) -> Result<Value, Failure> {
    read_text(&format!("--{}", member.flag), Path::new(file)).map(Value::from)
}

fn file_bytes(member: &Member, file: &str) -> Result<Value, Failure> {
    let content = read_file(&format!("--{}", member.flag), Path::new(file))?;
    Ok(Base64::encode(&content).into())
}

fn secret_text(member: &Member, file: &str) -> Result<Value, Failure> {
    let Value::String(text) = file_text(member, file)? else { return Ok(Value::Null) };
    Ok(without_line_end(&text).into())
}

fn secret(member: &Member, file: &str) -> Result<Value, Failure> {
    let Value::String(text) = file_text(member, file)? else { return Ok(Value::Null) };
    Ok(Base64::encode(without_line_end(&text).as_bytes()).into())
}

fn key(member: &Member, file: &str) -> Result<Value, Failure> {
    let content = read_file(&format!("--{}", member.flag), Path::new(file))?;
    Ok(Base64::encode(without_text_end(&content)).into())
}

/// Without the line end with which editors and shells end a text. Bytes that are no text may end with anything.
fn without_text_end(content: &[u8]) -> &[u8] {
    std::str::from_utf8(content)
        .ok()
        .map(without_line_end)
        .filter(|text| !text.chars().any(char::is_control))
        .map_or(content, str::as_bytes)
}

fn json(member: &Member, text: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| usage(format!("--{} {text}: no JSON: {error}", member.flag)))
}

/// Puts a value where a pointer says, and makes the objects on the way.
fn put(body: &mut Value, pointer: &str, value: Value) {
    let mut place = body;
    for part in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[part];
    }
    *place = value;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_text_ends_with_a_line_end() {
        let cases: [(&[u8], &[u8]); 5] = [
            (b"whsec_a\n", b"whsec_a"),
            (b"a b\r\n", b"a b"),
            (b"a", b"a"),
            (b"a\x01\n", b"a\x01\n"),
            (b"\xff\n", b"\xff\n"),
        ];
        for (content, key) in cases {
            assert_eq!(without_text_end(content), key);
        }
    }

    #[test]
    fn members_come_where_pointers_say() {
        let mut body = json!({"objInfo": {"name": "a", "note": 1}, "b": null});
        put(&mut body, "/objInfo/name", "c".into());
        put(&mut body, "/b/d/e", 2.into());
        assert_eq!(body, json!({"objInfo": {"name": "c", "note": 1}, "b": {"d": {"e": 2}}}));
    }
}
