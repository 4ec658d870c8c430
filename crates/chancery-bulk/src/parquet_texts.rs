//! Columns of texts, in each of the three ways in which Arrow keeps them.

use std::sync::Arc;

use arrow_array::{
    ArrayRef,
    builder::{LargeStringBuilder, StringBuilder, StringViewBuilder},
    cast::AsArray as _,
};
use arrow_schema::DataType;

/// Bytes that there is room for at first for each text.
const ROOM: usize = 20;

/// Whether a column is of texts.
pub(crate) const fn is_of_texts(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// The texts of a column, which is one of texts.
pub(crate) fn texts(array: &ArrayRef) -> Vec<Option<&str>> {
    if let Some(array) = array.as_string_opt::<i32>() {
        return array.iter().collect();
    }
    if let Some(array) = array.as_string_opt::<i64>() {
        return array.iter().collect();
    }
    array.as_string_view_opt().map(|array| array.iter().collect()).unwrap_or_default()
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
    use arrow_array::Array as _;

    use super::*;

    #[test]
    fn texts_come_back_in_the_way_they_were_kept() {
        let expected = [Some("one"), None, Some(""), Some("a text that is longer than a view holds itself")];
        for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
            let mut made = NewTexts::new(&data_type, 1);
            expected.iter().for_each(|text| made.push(*text));
            let made = made.finish();
            assert!(is_of_texts(made.data_type()));
            assert_eq!((made.data_type(), texts(&made)), (&data_type, expected.to_vec()));
        }
    }
}
