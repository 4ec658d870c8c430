//! Columns of texts, in each of the three ways in which Arrow keeps them.

use std::sync::Arc;

use arrow_array::{
    Array as _, ArrayRef, GenericStringArray, OffsetSizeTrait,
    builder::{LargeStringBuilder, StringBuilder, StringViewBuilder},
    cast::AsArray as _,
};
use arrow_schema::DataType;

use crate::calls::is_plain;

/// Bytes that there is room for at first for each text.
const ROOM: usize = 20;

/// Whether a column is of texts.
pub(crate) const fn is_of_texts(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The texts of a column, which is one of texts.
pub(crate) fn texts(array: &ArrayRef) -> Vec<Option<&str>> {
    let mut texts = Vec::with_capacity(array.len());
    for_each(array, |text| texts.push(text));
    texts
}

/// Looks at the texts of a column, one after the other.
pub(crate) fn for_each<'a>(array: &'a ArrayRef, look: impl FnMut(Option<&'a str>)) {
    if let Some(array) = array.as_string_opt::<i32>() {
        array.iter().for_each(look);
    } else if let Some(array) = array.as_string_opt::<i64>() {
        array.iter().for_each(look);
    } else if let Some(array) = array.as_string_view_opt() {
        array.iter().for_each(look);
    }
}

/// Whether it is seen at once that no text of a column has escapes in JSON.
pub(crate) fn are_plain(array: &ArrayRef) -> bool {
    fn are_plain<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> bool {
        let ends = array.value_offsets();
        let (start, end) = (ends[0].as_usize(), ends[array.len()].as_usize());
        is_plain(&array.value_data()[start..end])
    }
    array.as_string_opt::<i32>().map(are_plain).or_else(|| array.as_string_opt::<i64>().map(are_plain)) == Some(true)
}

/// A column of texts that is made.
pub(crate) enum NewTexts {
    Utf8(StringBuilder),
    Large(LargeStringBuilder),
    View(StringViewBuilder),
}

impl NewTexts {
    pub(crate) fn new(data_type: &DataType, count: usize) -> Self {
        if *data_type == DataType::LargeUtf8 {
            return Self::Large(LargeStringBuilder::with_capacity(count, count * ROOM));
        }
        if *data_type == DataType::Utf8View {
            return Self::View(StringViewBuilder::with_capacity(count));
        }
        Self::Utf8(StringBuilder::with_capacity(count, count * ROOM))
    }

    pub(crate) fn push(&mut self, text: Option<&str>) {
        match self {
            Self::Utf8(texts) => texts.append_option(text),
            Self::Large(texts) => texts.append_option(text),
            Self::View(texts) => texts.append_option(text),
        }
    }

    pub(crate) fn extend<'a>(&mut self, all: impl Iterator<Item = &'a str>) {
        match self {
            Self::Utf8(texts) => all.for_each(|text| texts.append_value(text)),
            Self::Large(texts) => all.for_each(|text| texts.append_value(text)),
            Self::View(texts) => all.for_each(|text| texts.append_value(text)),
        }
    }

    pub(crate) fn finish(self) -> ArrayRef {
        match self {
            Self::Utf8(mut texts) => Arc::new(texts.finish()),
            Self::Large(mut texts) => Arc::new(texts.finish()),
            Self::View(mut texts) => Arc::new(texts.finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_in_the_way_they_were_kept() {
        let expected = [Some("one"), None, Some(""), Some("a text that is longer than a view holds itself")];
        for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
            let mut made = NewTexts::new(&data_type, 1);
            expected.iter().for_each(|text| made.push(*text));
            made.extend(["more", "é"].into_iter());
            let made = made.finish();
            assert!(is_of_texts(made.data_type()));
            let expected = [&expected[..], &[Some("more"), Some("é")]].concat();
            assert_eq!((made.data_type(), texts(&made)), (&data_type, expected));
        }
    }

    #[test]
    fn texts_with_escapes_are_seen() {
        for data_type in [DataType::Utf8, DataType::LargeUtf8] {
            let mut made = NewTexts::new(&data_type, 1);
            made.extend(["\n", "one", "é", "", "\"", "two"].into_iter());
            let made = made.finish();
            for (start, length, expected) in
                [(1, 3, true), (0, 2, false), (1, 4, false), (3, 2, false), (5, 1, true), (2, 0, true)]
            {
                assert_eq!(are_plain(&made.slice(start, length)), expected, "{start} {length}");
            }
        }
    }
}
