//! What the server answered to a batch, value by value, without a copy of any.
//!
//! serde would make of each value a text of its own, which costs more than tokenizing it: the two arrays are scanned here
//! instead, and only what stands around them goes through serde.

use std::{borrow::Cow, collections::HashMap, ops::Range, sync::Arc};

use chancery_client::ClientError;
use chancery_types::wire::{Envelope, ItemError};
use memchr::{memchr2, memmem};
use serde::Deserialize;

use crate::kept::Key;

/// The answer to one call.
pub(crate) struct Answers {
    json: Arc<String>,
    values: Vec<Span>,
    ivs: Option<Vec<Span>>,
    reasons: HashMap<usize, String>,
    /// The calls of which they are.
    pub(crate) keys: Vec<Key>,
}

/// A text of the answer, between its quotes.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    end: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    Plain,
    Escaped,
}

/// A text as it stands in JSON, without its quotes.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a> {
    pub(crate) json: &'a str,
    is_escaped: bool,
}

/// What became of one value.
pub(crate) enum Outcome<'a> {
    /// Its token, or its message; and with a token the initialization vector.
    Made(Text<'a>, Option<Text<'a>>),
    /// Why not.
    Refused(&'a str),
}

/// What stands around the arrays.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Around {
    pub(crate) key_version: Option<u32>,
    #[serde(default)]
    errors: Vec<ItemError>,
}

impl Text<'_> {
    /// The text itself, in `scratch` where it has escapes; none where they mean nothing.
    pub(crate) fn read<'s>(&'s self, scratch: &'s mut String) -> Option<&'s [u8]> {
        if !self.is_escaped {
            return Some(self.json.as_bytes());
        }
        *scratch = serde_json::from_str(&format!("\"{}\"", self.json)).ok()?;
        Some(scratch.as_bytes())
    }
}

impl<'a> Text<'a> {
    /// The same as a text.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        if !self.is_escaped {
            return Some(Cow::Borrowed(self.json));
        }
        let mut text = String::new();
        self.read(&mut text)?;
        Some(Cow::Owned(text))
    }
}

impl Answers {
    /// Reads the body of an answer to `count` values. `member` is the array's name.
    pub(crate) fn read(
        json: Vec<u8>,
        member: &str,
        has_ivs: bool,
        count: usize,
    ) -> Result<(Self, Around), ClientError> {
        let unexpected = |why: &str| ClientError::Unexpected { status: 200, why: why.to_owned() };
        // Once for all of them, which is cheaper than for each.
        let json = String::from_utf8(json).map_err(|_| unexpected("it is not UTF-8"))?;
        let bytes = json.as_bytes();
        let (values, at) = array(bytes, member, count).ok_or_else(|| unexpected(&format!("no array {member}")))?;
        let mut rest = [&bytes[..at.start], b"[]"].concat();
        let (ivs, end) = match array(&bytes[at.end..], "ivs", count).filter(|_| has_ivs) {
            None => (None, at.end),
            Some((ivs, inside)) => {
                rest.extend_from_slice(&bytes[at.end..at.end + inside.start]);
                rest.extend_from_slice(b"[]");
                let moved = ivs.into_iter().map(|iv| iv.moved(at.end)).collect::<Vec<_>>();
                (Some(moved), at.end + inside.end)
            }
        };
        rest.extend_from_slice(&bytes[end..]);
        if values.len() != count || ivs.as_ref().is_some_and(|ivs| ivs.len() != count) {
            return Err(unexpected("it has another number of values"));
        }
        let around: Envelope<Around> = serde_json::from_slice(&rest).map_err(|error| unexpected(&error.to_string()))?;
        let mut around = around.response;
        let reasons = around.errors.drain(..).map(|error| (error.index, error.message)).collect();
        Ok((Self { json: Arc::new(json), values, ivs, reasons, keys: Vec::new() }, around))
    }

    /// Of one value that was refused as a call by itself.
    pub(crate) fn refused(reason: String) -> Self {
        let values = vec![Span { start: 0, end: 0, kind: Kind::Null }];
        Self { json: Arc::default(), values, ivs: None, reasons: [(0, reason)].into(), keys: Vec::new() }
    }

    pub(crate) const fn json(&self) -> &Arc<String> {
        &self.json
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether each value has an initialization vector.
    pub(crate) const fn has_ivs(&self) -> bool {
        self.ivs.is_some()
    }

    /// Whether every value was made, and stands here as it is, with nothing beside it.
    pub(crate) fn are_plain(&self) -> bool {
        self.ivs.is_none() && self.values.iter().all(|value| value.kind == Kind::Plain)
    }

    /// The values as they stand here.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| self.text(value))
    }

    fn text(&self, span: &Span) -> &str {
        // Between two quotes, so at the ends of characters.
        self.json.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Those that were refused, and the answer does not say why: it says so of a bounded number only.
    pub(crate) fn without_reason(&self) -> Vec<usize> {
        let refused = self.values.iter().enumerate().filter(|(_, value)| value.kind == Kind::Null);
        refused.map(|(index, _)| index).filter(|index| !self.reasons.contains_key(index)).collect()
    }

    pub(crate) fn add_reason(&mut self, index: usize, reason: String) {
        self.reasons.insert(index, reason);
    }

    pub(crate) fn reason(&self, index: usize) -> &str {
        self.reasons.get(&index).map_or("The server refused it.", String::as_str)
    }

    pub(crate) fn at(&self, index: usize) -> Outcome<'_> {
        let text = |span: &Span| Text { json: self.text(span), is_escaped: span.kind == Kind::Escaped };
        match self.values.get(index) {
            Some(value) if value.kind != Kind::Null => {
                let iv = self.ivs.as_ref().and_then(|ivs| ivs.get(index)).filter(|iv| iv.kind != Kind::Null);
                Outcome::Made(text(value), iv.map(text))
            }
            Some(_) | None => Outcome::Refused(self.reason(index)),
        }
    }
}

impl Span {
    /// No answer is longer than the client takes, which is far below 4 GiB.
    fn of(range: Range<usize>, kind: Kind) -> Option<Self> {
        Some(Self { start: u32::try_from(range.start).ok()?, end: u32::try_from(range.end).ok()?, kind })
    }

    const fn moved(self, by: usize) -> Self {
        Self { start: self.start + by as u32, end: self.end + by as u32, kind: self.kind }
    }
}

/// The texts of the member `name`, and where its array stands. Within a text the quotes of a name would be escaped, so it
/// cannot be mistaken. About `count` are expected.
fn array(json: &[u8], name: &str, count: usize) -> Option<(Vec<Span>, Range<usize>)> {
    let head = format!("\"{name}\":[");
    let start = memmem::find(json, head.as_bytes())? + head.len() - 1;
    let (texts, end) = texts(json, start + 1, count)?;
    Some((texts, start..end))
}

/// Strings and nulls from behind the bracket, and where the array ends.
fn texts(json: &[u8], mut at: usize, count: usize) -> Option<(Vec<Span>, usize)> {
    let mut texts = Vec::with_capacity(count);
    if json.get(at) == Some(&b']') {
        return Some((texts, at + 1));
    }
    loop {
        match json.get(at)? {
            b'"' => {
                let start = at + 1;
                let mut end = start + memchr2(b'"', b'\\', json.get(start..)?)?;
                let kind = if json[end] == b'"' { Kind::Plain } else { Kind::Escaped };
                while json[end] == b'\\' {
                    end += 2;
                    end += memchr2(b'"', b'\\', json.get(end..)?)?;
                }
                texts.push(Span::of(start..end, kind)?);
                at = end + 1;
            }
            b'n' if json.get(at..at + 4) == Some(b"null") => {
                texts.push(Span::of(at..at, Kind::Null)?);
                at += 4;
            }
            _ => return None,
        }
        match json.get(at)? {
            b',' => at += 1,
            b']' => return Some((texts, at + 1)),
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(json: &str, has_ivs: bool, count: usize) -> Result<Vec<(String, String)>, ClientError> {
        let (answers, _) = Answers::read(json.into(), "tokens", has_ivs, count)?;
        let text = |text: Text<'_>| String::from_utf8(text.read(&mut String::new()).unwrap().to_vec()).unwrap();
        let one = |index| match answers.at(index) {
            Outcome::Made(token, iv) => (text(token), iv.map(text).unwrap_or_default()),
            Outcome::Refused(reason) => ("refused".into(), reason.to_owned()),
        };
        Ok((0..answers.len()).map(one).collect())
    }

    #[test]
    fn an_answer_is_read_value_by_value() {
        let json = r#"{"success":true,"errorCode":"Success","response":{"@type":"x","tokens":["1",null,"a\"\\\u00e9",null],"ivs":["QQ==",null,"Qg==",null],"keyVersion":3,"errors":[{"index":1,"errorCode":"InvalidValue","message":"no: \"tokens\":["}]}}"#;
        let made = |token: &str, iv: &str| (token.to_owned(), iv.to_owned());
        let refused = [made("refused", "no: \"tokens\":["), made("refused", "The server refused it.")];
        let [first, second] = refused;
        assert_eq!(read(json, true, 4).unwrap(), [made("1", "QQ=="), first, made("a\"\\é", "Qg=="), second]);
        let (answers, around) = Answers::read(json.into(), "tokens", true, 4).unwrap();
        assert_eq!((answers.without_reason(), around.key_version), (vec![3], Some(3)));
        let empty = r#"{"success":true,"errorCode":"Success","response":{"tokens":[]}}"#;
        assert_eq!(read(empty, false, 0).unwrap(), []);
        assert!(read(empty, false, 1).is_err());
    }

    #[test]
    fn what_is_no_answer_is_not_read() {
        for bad in [
            "",
            "{}",
            r#"{"tokens":["#,
            r#"{"tokens":["a"#,
            r#"{"tokens":["a\"#,
            r#"{"tokens":["a",]"#,
            r#"{"tokens":[1]"#,
        ] {
            assert!(read(bad, false, 1).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn texts_are_those_that_serde_reads(all in prop::collection::vec(prop::option::of(".*"), 0..9), rest in ".*") {
            let json = format!("{}{rest}", serde_json::to_string(&all).unwrap());
            let (spans, end) = texts(json.as_bytes(), 1, 0).unwrap();
            prop_assert_eq!(&json[end..], &rest);
            for (span, expected) in spans.iter().zip(&all) {
                let text = Text { json: &json[span.start as usize..span.end as usize], is_escaped: span.kind == Kind::Escaped };
                let mut scratch = String::new();
                let read = (span.kind != Kind::Null).then(|| text.read(&mut scratch).unwrap());
                prop_assert_eq!(read, expected.as_ref().map(String::as_bytes));
            }
        }
    }
}
