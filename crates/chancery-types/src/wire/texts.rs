//! Many texts in one buffer: the values of a batch.

mod ends;
mod json;

use std::{fmt, ops::Range};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, DeserializeSeed, SeqAccess},
    ser::SerializeSeq,
};

pub use ends::Ends;
use json::write_json;

/// An array of strings and nulls, kept in one buffer: a batch of 100,000 values costs two allocations that grow
/// instead of 100,000. Nulls occur in answers only; a request with one is refused.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Texts {
    buffer: String,
    ends: Ends,
}

impl Texts {
    /// The name under which it asks a deserializer for itself. One that holds the array's JSON may then hand that over:
    /// strings of equally many bytes without escapes, with nothing but a comma between two. Read string by string, a batch
    /// takes 14 % more processor time (decision 0158).
    pub const NAME: &'static str = "chancery::Texts";

    /// An empty array with room for texts of `bytes` bytes together.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        Self { buffer: String::with_capacity(bytes), ends: Ends::default() }
    }

    /// The texts that stand one after the other in `buffer`.
    ///
    /// `None` unless the ends are in order, on characters' boundaries and the last one at the buffer's end.
    #[must_use]
    pub fn from_buffer(buffer: String, ends: Ends) -> Option<Self> {
        ends.fit(&buffer).then_some(Self { buffer, ends })
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes the texts have together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.buffer.len()
    }

    /// How many bytes the texts of some elements have together.
    #[must_use]
    pub fn bytes_of(&self, range: Range<usize>) -> usize {
        let end = range.end.checked_sub(1).and_then(|last| self.ends.at(last));
        end.map_or(0, |(end, _)| end.saturating_sub(self.ends.start(range.start)))
    }

    /// Some elements one after the other, and how many bytes each has, if all are texts of equally many.
    #[must_use]
    pub fn even(&self, range: Range<usize>) -> Option<(&str, usize)> {
        let length = self.ends.even(range.clone())?;
        let start = self.ends.start(range.start);
        Some((&self.buffer[start..start + range.len() * length], length))
    }

    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len(), true);
    }

    /// Appends the text that `write` appends to the buffer; `write` must leave what is there already.
    pub fn push_with(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.buffer);
        self.ends.push(self.buffer.len(), true);
    }

    /// Appends a null.
    pub fn push_null(&mut self) {
        self.ends.push(self.buffer.len(), false);
    }

    /// Appends all elements of another array.
    pub fn append(&mut self, other: &Self) {
        self.ends.append(&other.ends);
        self.buffer.push_str(&other.buffer);
    }

    /// The element at `index`: `None` past the end, `Some(None)` for a null.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<Option<&str>> {
        let (end, is_text) = self.ends.at(index)?;
        Some(is_text.then(|| &self.buffer[self.ends.start(index)..end]))
    }

    /// Appends the array as JSON, as serde would.
    ///
    /// # Errors
    ///
    /// serde's, which has none for texts.
    pub fn write_json(&self, json: &mut Vec<u8>) -> serde_json::Result<()> {
        write_json(self, json)
    }

    /// All elements in order; a null is `None`.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> + Clone {
        (0..self.len()).map(|index| self.at(index).flatten())
    }
}

/// Says how many there are, never which: they may be card numbers.
impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Texts({})", self.len())
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text.as_ref()));
        all
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(Some(self.len()))?;
        for element in self.iter() {
            array.serialize_element(&element)?;
        }
        array.end()
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(Self::NAME, Array)
    }
}

/// An array, of whatever strings; from a deserializer that knows [`Texts::NAME`] also its JSON.
struct Array;

impl<'de> de::Visitor<'de> for Array {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of strings")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Texts, D::Error> {
        deserializer.deserialize_seq(self)
    }

    fn visit_str<E: de::Error>(self, json: &str) -> Result<Texts, E> {
        json::read(json).ok_or_else(|| E::invalid_type(de::Unexpected::Other("a string"), &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Texts, A::Error> {
        let mut texts = Texts::default();
        while array.next_element_seed(Element(&mut texts))?.is_some() {}
        Ok(texts)
    }
}

/// Appends one string of the array.
struct Element<'t>(&'t mut Texts);

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl de::Visitor<'_> for Element<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.0.push(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_of_strings_there_and_back() {
        let json = r#"["one","","zwölf\"\\\n"]"#;
        let texts: Texts = serde_json::from_str(json).unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [Some("one"), Some(""), Some("zwölf\"\\\n")]);
        assert_eq!(serde_json::to_string(&texts).unwrap(), json);
        assert_eq!(texts.at(2), Some(Some("zwölf\"\\\n")));
        assert_eq!(texts.at(3), None);
    }

    #[test]
    fn a_buffer_is_taken_over_if_its_ends_fit() {
        let of = |text: &str, all: &[(usize, bool)]| {
            let mut ends = Ends::default();
            all.iter().for_each(|&(end, is_text)| ends.push(end, is_text));
            Texts::from_buffer(text.into(), ends)
        };
        let texts = of("aéb", &[(1, true), (1, false), (3, true), (4, true)]).unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [Some("a"), None, Some("é"), Some("b")]);
        assert_eq!(of("", &[]), Some(Texts::default()));
        assert_eq!(of("éé", &[(2, true), (4, true)]), Some(["é", "é"].into_iter().collect()));
        let unfit: [&[_]; 5] = [
            &[],
            &[(1, true)],
            &[(2, true), (4, true)],
            &[(3, true), (1, true), (4, true)],
            &[(1, true), (2, true), (3, true), (4, true)],
        ];
        for ends in unfit {
            assert_eq!(of("aéb", ends), None, "{ends:?}");
        }
    }

    #[test]
    fn elements_of_one_length_are_found_as_one_text() {
        let mut texts: Texts = ["a", "bc", "dé", "fgh", "", ""].into_iter().collect();
        texts.push_null();
        for (range, even, bytes) in [
            (0..1, Some(("a", 1)), 1),
            (1..2, Some(("bc", 2)), 2),
            (2..4, Some(("défgh", 3)), 6),
            (4..6, Some(("", 0)), 0),
            (0..2, None, 3),
            (4..7, None, 0),
            (3..3, None, 0),
            (0..0, None, 0),
            (0..8, None, 0),
        ] {
            assert_eq!(texts.even(range.clone()), even, "{range:?}");
            assert_eq!(texts.bytes_of(range.clone()), bytes, "{range:?}");
        }
    }

    #[test]
    fn nulls_are_written_and_not_read() {
        let mut texts: Texts = ["a"].into_iter().collect();
        texts.push_null();
        let mut all: Texts = ["b"].into_iter().collect();
        all.append(&texts);
        all.push_with(|buffer| buffer.push('c'));
        assert_eq!(serde_json::to_string(&all).unwrap(), r#"["b","a",null,"c"]"#);
        for bad in ["[null]", "[1]", "{}", "\"a\"", "[\"a\",true]"] {
            assert!(serde_json::from_str::<Texts>(bad).is_err(), "{bad}");
        }
    }
}
