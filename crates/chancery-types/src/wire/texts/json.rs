//! Arrays of texts of equally many bytes from JSON and to it, without a look at each byte's meaning: what goes through
//! serde value by value costs more than the encryption.

use super::{Ends, Texts};

/// Bytes around each text: two quotes, and a comma or the array's end.
const AROUND: usize = 3;

/// Reads strings of equally many bytes without escapes, with nothing but a comma between two; none where it is anything
/// else. Whether there are escapes or control characters is whoever hands it over has to know.
pub(super) fn read(json: &str) -> Option<Texts> {
    let bytes = json.as_bytes();
    let length = bytes.get(1..)?.iter().position(|byte| *byte == b'"')?;
    let step = length + AROUND;
    // There is no comma after the last.
    if !(bytes.len() + 1).is_multiple_of(step) {
        return None;
    }
    let count = (bytes.len() + 1) / step;
    let mut buffer = vec![0; count * length];
    let mut is_even = true;
    for (index, element) in bytes.chunks(step).enumerate() {
        is_even &= element[0] == b'"'
            && element[length + 1] == b'"'
            && element.get(length + 2).is_none_or(|byte| *byte == b',');
        copy(&mut buffer[index * length..][..length], &element[1..=length]);
    }
    if !is_even {
        return None;
    }
    let mut ends = Ends::default();
    ends.push_even(count, length);
    Texts::from_buffer(String::from_utf8(buffer).ok()?, ends)
}

/// Appends the array as JSON.
pub(super) fn write_json(texts: &Texts, json: &mut Vec<u8>) -> serde_json::Result<()> {
    match texts.even(0..texts.len()) {
        Some((all, length)) if is_plain(all.as_bytes()) => {
            write_even(all.as_bytes(), length, texts.len(), json);
            Ok(())
        }
        Some(_) | None => serde_json::to_writer(json, texts),
    }
}

fn write_even(all: &[u8], length: usize, count: usize, json: &mut Vec<u8>) {
    json.push(b'[');
    let start = json.len();
    json.resize(start + count * (length + AROUND), b',');
    for (index, element) in json[start..].chunks_exact_mut(length + AROUND).enumerate() {
        element[0] = b'"';
        copy(&mut element[1..=length], &all[index * length..][..length]);
        element[length + 1] = b'"';
    }
    // In the place of the last comma.
    if let Some(last) = json.last_mut() {
        *last = b']';
    }
}

/// Whether nothing in it needs an escape.
fn is_plain(text: &[u8]) -> bool {
    let any_special =
        |text: &[u8]| text.iter().fold(false, |any, byte| any | (*byte < 0x20) | (*byte == b'"') | (*byte == b'\\'));
    let (chunks, rest) = text.as_chunks::<64>();
    !(chunks.iter().fold(false, |any, chunk| any | any_special(chunk)) | any_special(rest))
}

/// Copies a few bytes by words that overlap; the library's way for any number costs more than the bytes do.
#[inline]
fn copy(to: &mut [u8], from: &[u8]) {
    match (from.first_chunk::<8>(), from.last_chunk::<8>()) {
        (Some(first), Some(last)) if from.len() <= 16 && to.len() == from.len() => {
            if let Some(start) = to.first_chunk_mut() {
                *start = *first;
            }
            if let Some(end) = to.last_chunk_mut() {
                *end = *last;
            }
        }
        _ => to.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_even_is_not_read() {
        for bad in [
            "",
            "\"",
            "a",
            "\"a",
            "\"a\",",
            "\"a\",\"bc\"",
            "\"a\";\"b\"",
            "\"a\", \"b\"",
            "\"a\",xb\"",
            "\"ab\",\"é",
            "1,2",
        ] {
            assert!(read(bad).is_none(), "{bad}");
        }
        assert_eq!(read("\"\"").unwrap().len(), 1);
        assert_eq!(read("\"\",\"\"").unwrap().len(), 2);
    }

    proptest! {
        #[test]
        fn texts_of_one_length_are_read_and_written_as_serde_does(
            texts in (0_usize..40).prop_flat_map(|length| prop::collection::vec(prop::collection::vec("[0-9A-Za-zé \"\\\\\n]", length), 0..5)),
        ) {
            let texts: Texts = texts.iter().map(|characters| characters.concat()).collect();
            let general = serde_json::to_string(&texts).unwrap();
            let mut json = Vec::new();
            write_json(&texts, &mut json).unwrap();
            prop_assert_eq!(String::from_utf8(json).unwrap(), general.clone());
            let inside = &general[1..general.len() - 1];
            if texts.even(0..texts.len()).is_some() && !inside.contains('\\') {
                prop_assert_eq!(read(inside), Some(texts));
            }
        }
    }
}
