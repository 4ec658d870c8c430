//! From the bytes of a request's body to a typed body, strictly.
//!
//! First [`tree`] (for the usual body [`scan`]) reads the whole document, so that duplicate members and deep nesting are
//! refused wherever they are, also in members that nobody asked for. Then [`deserializer`] walks the tree as serde asks,
//! remembering where it is: what serde finds wrong becomes an [`Error`] that names the member by its JSON pointer (RFC
//! 6901) and says what would have been accepted, and never repeats what was sent.

mod deserializer;
mod fault;
mod pointer;
mod scan;
mod surplus;
mod tree;

use std::{borrow::Cow, marker::PhantomData};

use chancery_core::{Error, Meaning};
use serde::de::DeserializeOwned;

use deserializer::Cursor;
use fault::Fault;
use pointer::Pointer;
use surplus::{Noted, Surplus};
use tree::{Tree, has_duplicates, malformed, parse};

/// The deepest nesting of arrays and objects that is read; the outermost object is the first level.
pub(crate) const DEPTH_MAX: usize = 32;

/// The most values (members, elements, objects and arrays) in one document. A body may hold two bytes a value, and a
/// value costs 32 bytes of memory here, so without this a body of 32 MiB would take half a gibibyte. The largest batch
/// needs a tenth of it.
pub(crate) const VALUES_MAX: usize = 1_000_000;

/// Reads `bytes` as one JSON object and that object as a `T`.
///
/// # Errors
///
/// `malformed` for anything that is no JSON object, for a missing member and for one of the wrong type; `selection` for
/// a value outside its enumeration; `too_large` beyond [`VALUES_MAX`].
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    read_object(&parse(bytes)?, Surplus::default())
}

/// The same, with a sentence on each member that was ignored because nobody knows it.
pub(crate) fn decode_noting<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Vec<String>), Error> {
    let noted = Noted::default();
    let body = read_object(&parse(bytes)?, Surplus::noted(&noted))?;
    Ok((body, noted.warnings()))
}

fn read_object<T: DeserializeOwned>(tree: &Tree<'_>, surplus: Surplus<'_>) -> Result<T, Error> {
    if !matches!(tree, Tree::Object(_)) {
        return Err(malformed("The body must be one JSON object."));
    }
    Cursor::new(tree, Pointer::ROOT, surplus).read(PhantomData).map_err(Fault::in_body)
}

/// The same for a body with secrets: what was copied to take escapes away is wiped.
pub(crate) fn decode_secret<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let tree = parse(bytes)?;
    let read = read_object(&tree, Surplus::default());
    tree.wipe();
    read
}

/// Reads the query of a URL as a `T`; the pointer in a refusal names the parameter.
///
/// # Errors
///
/// `value` for a parameter that is given twice, missing, or not of its type; `selection` for a value outside its
/// enumeration.
pub(crate) fn decode_query<T: DeserializeOwned>(query: &str) -> Result<T, Error> {
    let mut parameters: Vec<(Cow<'_, str>, Tree<'_>)> = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let value = Tree::Parameter(value);
        // `metadata.commit` is the member `commit` of the object `metadata`.
        let Some((object, member)) = name.split_once('.') else {
            parameters.push((name, value));
            continue;
        };
        let member = (Cow::Owned(member.to_owned()), value);
        match parameters.iter_mut().find(|(name, _)| name == object) {
            Some((_, Tree::Object(members))) => members.push(member),
            Some(_) | None => parameters.push((Cow::Owned(object.to_owned()), Tree::Object(vec![member]))),
        }
    }
    let twice = |tree: &Tree<'_>| matches!(tree, Tree::Object(members) if has_duplicates(members));
    if has_duplicates(&parameters) || parameters.iter().any(|(_, value)| twice(value)) {
        return Err(Error::new(Meaning::Value, "The query has a parameter twice."));
    }
    let tree = Tree::Object(parameters);
    Cursor::new(&tree, Pointer::ROOT, Surplus::default()).read(PhantomData).map_err(Fault::in_query)
}

#[cfg(test)]
mod tests;
