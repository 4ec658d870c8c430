//! What somebody agrees to before it is done: what is lost by it, or what it means for others.

use serde_json::Value;

use super::{Question, Resource, Verb};
use crate::{
    client::{connection::Connection, consent},
    failure::Failure,
    output,
    shown::Shown,
};

/// What it is done to.
#[derive(Clone, Copy)]
pub(super) struct One<'a> {
    /// As it was named.
    pub(super) name: &'a str,
    pub(super) uuid: &'a str,
    pub(super) path: &'a str,
}

/// Asks whoever is there, unless that was agreed to on the command line. What the server wants to have said of it the body
/// says afterwards.
pub(super) fn asked(
    connection: &Connection,
    (resource, verb): (&Resource, &Verb),
    one: One<'_>,
    body: Option<&mut Value>,
    is_agreed: bool,
) -> Result<(), Failure> {
    let questions = questions(connection, verb, one.path, body.as_deref())?;
    let kept = |(at, value): (&str, &str)| body.as_deref().and_then(|body| body.pointer(at)?.as_str()) == Some(value);
    let lost = verb.loses.filter(|loss| !loss.unless.is_some_and(kept)).map(|loss| loss.says);
    let says: Vec<_> = lost.into_iter().chain(questions.iter().map(|question| question.says)).collect();
    if !is_agreed && !says.is_empty() {
        let One { name, uuid, .. } = one;
        // What there is one of has neither.
        let whose = if uuid.is_empty() { String::new() } else { format!("{name} ({uuid}): ") };
        for says in says {
            output::note(Shown(&format!("{whose}{says}")));
        }
        let show = format!("chancery {} show {uuid}", resource.name);
        consent::asked(verb.name, &format!("Look at it first ({})", show.trim_end()))?;
    }
    if let Some(members) = body.and_then(Value::as_object_mut) {
        for member in questions.iter().filter_map(|question| question.agrees) {
            members.entry(member).or_insert(true.into());
        }
    }
    Ok(())
}

fn questions(connection: &Connection, verb: &Verb, path: &str, body: Option<&Value>) -> Result<Vec<Question>, Failure> {
    match (&verb.asks, body) {
        (Some(asks), Some(body)) if asks.about.iter().any(|member| body.get(member).is_some()) => {
            Ok((asks.what)(&connection.get(path)?, body))
        }
        _ => Ok(Vec::new()),
    }
}
