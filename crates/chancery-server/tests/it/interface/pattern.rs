//! What an answer must look like. In a text, `…` stands for anything and `{name}` for the value of a variable, which
//! the first use sets. In JSON, a member `"…"` allows other members, a last item `"…"` other items.

use std::collections::HashMap;

use serde_json::Value;

/// The variables set so far.
pub(super) type Variables = HashMap<String, String>;

/// Puts the variables' values into a text of a request.
pub(super) fn fill(text: &str, variables: &Variables) -> String {
    variables.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

/// Compares an answer with what is expected of it; an error says where they differ.
pub(super) fn compare(at: &str, expected: &Value, actual: &Value, variables: &mut Variables) -> Result<(), String> {
    match (expected, actual) {
        (Value::String(pattern), _) if pattern == "…" => Ok(()),
        (Value::String(pattern), Value::String(text)) => compare_text(pattern, text, variables)
            .map_err(|()| format!("{at}: {text:?} was answered where {pattern:?} is documented")),
        (Value::Array(expected), Value::Array(actual)) => {
            let more = expected.last().is_some_and(|last| last == "…");
            let expected = &expected[..expected.len() - usize::from(more)];
            if actual.len() < expected.len() || (!more && actual.len() > expected.len()) {
                return Err(format!("{at}: {} items were answered, {} are documented", actual.len(), expected.len()));
            }
            let mut pairs = expected.iter().zip(actual).enumerate();
            pairs.try_for_each(|(index, (expected, actual))| {
                compare(&format!("{at}/{index}"), expected, actual, variables)
            })
        }
        (Value::Object(expected), Value::Object(actual)) => {
            let more = expected.contains_key("…");
            if let Some(name) = actual.keys().find(|name| !more && !expected.contains_key(*name)) {
                return Err(format!("{at}/{name}: answered, but not documented"));
            }
            for (name, expected) in expected.iter().filter(|(name, _)| *name != "…") {
                let actual = actual.get(name).ok_or_else(|| format!("{at}/{name}: documented, but not answered"))?;
                compare(&format!("{at}/{name}"), expected, actual, variables)?;
            }
            Ok(())
        }
        _ if expected == actual => Ok(()),
        _ => Err(format!("{at}: {actual} was answered where {expected} is documented")),
    }
}

/// Compares a text with a pattern and sets the variables that it names first.
pub(super) fn compare_text(pattern: &str, text: &str, variables: &mut Variables) -> Result<(), ()> {
    let pattern = fill(pattern, variables);
    let mut rest = text;
    let mut pieces = pieces(&pattern).into_iter().peekable();
    while let Some(piece) = pieces.next() {
        let wild = match piece {
            Piece::Literal(literal) => {
                rest = rest.strip_prefix(literal).ok_or(())?;
                continue;
            }
            Piece::Any => None,
            Piece::Variable(name) => Some(name),
        };
        let end = match pieces.peek() {
            Some(Piece::Literal(literal)) => rest.find(literal).ok_or(())?,
            Some(Piece::Any | Piece::Variable(_)) | None => rest.len(),
        };
        if let Some(name) = wild {
            variables.insert(name.to_owned(), rest[..end].to_owned());
        }
        rest = &rest[end..];
    }
    if rest.is_empty() { Ok(()) } else { Err(()) }
}

enum Piece<'a> {
    Literal(&'a str),
    Any,
    Variable(&'a str),
}

fn pieces(pattern: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(start) = rest.find(['…', '{']) {
        let (literal, special) = rest.split_at(start);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        rest = match special.strip_prefix('…') {
            Some(rest) => {
                pieces.push(Piece::Any);
                rest
            }
            None => {
                let (name, rest) = special[1..].split_once('}').expect("a variable ends with a brace");
                pieces.push(Piece::Variable(name));
                rest
            }
        };
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    pieces
}

#[test]
fn patterns_match_what_they_say_and_nothing_else() {
    let mut variables = Variables::new();
    assert_eq!(compare_text("id={id}; …", "id=abc; HttpOnly", &mut variables), Ok(()));
    assert_eq!(variables["id"], "abc");
    assert_eq!(compare_text("{id}", "abc", &mut variables), Ok(()));
    assert_eq!(compare_text("{id}", "abd", &mut variables), Err(()), "a variable keeps its value");
    assert_eq!(compare_text("abc", "abcd", &mut variables), Err(()));
    assert_eq!(fill("/keys/{id}", &variables), "/keys/abc");
    let expected = serde_json::json!({"a": [1, "…"], "…": "…"});
    let mut json = |actual| compare("", &expected, &actual, &mut variables);
    assert_eq!(json(serde_json::json!({"a": [1, 2, 3], "b": null})), Ok(()));
    assert!(json(serde_json::json!({"a": []})).unwrap_err().contains("items"));
    assert!(json(serde_json::json!({"b": 1})).unwrap_err().contains("/a"));
}
