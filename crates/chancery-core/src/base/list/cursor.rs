//! Cursors: where a list goes on, as callers hand it back.

use chancery_store::Position;
use chancery_types::Base64;
use uuid::Uuid;

use crate::{Error, Result};

/// In which order a list is, and so what its cursors hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InOrder {
    /// By name, then uuid.
    Name,
    /// By number.
    Number,
    /// The newest first.
    Newest,
}

/// A position as text.
pub(super) fn write(position: &Position) -> String {
    Base64::encode(&match position {
        Position::Name(name, id) => [id.as_bytes(), name.as_bytes()].concat(),
        Position::Number(number) => number.to_be_bytes().to_vec(),
        Position::Newest(moment, number) => [moment.to_be_bytes(), number.to_be_bytes()].concat(),
    })
}

/// A position in a list of this order: what [`write`] made of one.
pub(super) fn read(order: InOrder, text: &str) -> Result<Position> {
    // A plus sign means a space in a query, and `next` is often put there as it is.
    Base64::decode(&text.replace(' ', "+"))
        .and_then(|Base64(bytes)| position(order, &bytes))
        .ok_or_else(|| Error::value("/after", "The `next` of an answer to the same query is expected."))
}

fn position(order: InOrder, bytes: &[u8]) -> Option<Position> {
    match order {
        InOrder::Name => {
            let (id, name) = bytes.split_at_checked(16)?;
            let name = std::str::from_utf8(name).ok()?.to_owned();
            (!name.contains('\0')).then_some(Position::Name(name, Uuid::from_slice(id).ok()?))
        }
        InOrder::Number => Some(Position::Number(number(bytes)?)),
        InOrder::Newest => {
            let (moment, second) = bytes.split_at_checked(8)?;
            Some(Position::Newest(number(moment)?, number(second)?))
        }
    }
}

fn number(bytes: &[u8]) -> Option<i64> {
    bytes.try_into().ok().map(i64::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Meaning;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let id = Uuid::from_u128(u128::MAX);
        for (order, position) in [
            (InOrder::Name, Position::Name("ünï".to_owned(), id)),
            (InOrder::Name, Position::Name(String::new(), id)),
            (InOrder::Number, Position::Number(-1)),
            (InOrder::Newest, Position::Newest(i64::MAX, 7)),
        ] {
            let text = write(&position);
            assert_eq!(read(order, &text).unwrap(), position);
            assert_eq!(read(order, &text.replace('+', " ")).unwrap(), position, "as a query turns it");
        }
    }

    #[test]
    fn what_is_no_cursor_of_the_list_is_refused() {
        let of_names = write(&Position::Name("x".to_owned(), Uuid::nil()));
        let nul = write(&Position::Name("\0".to_owned(), Uuid::nil()));
        for (order, text) in [
            (InOrder::Name, ""),
            (InOrder::Name, "!"),
            (InOrder::Name, "AAAA"),
            (InOrder::Name, &nul),
            (InOrder::Number, &of_names),
            (InOrder::Newest, &of_names),
        ] {
            let error = read(order, text).unwrap_err();
            assert_eq!((error.meaning(), error.field()), (Meaning::Value, Some("/after")), "{text}");
        }
    }
}
