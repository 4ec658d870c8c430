//! The usual body, read quickly: one flat object of strings without escapes, arrays of such, words and whole numbers.
//!
//! That is every call of the hot path, where the general parser costs more than the encryption. Whatever is unusual, also
//! whatever is wrong, is left to the general parser, which alone knows how to refuse.

use std::borrow::Cow;

use super::{
    VALUES_MAX,
    tree::{EvenStrings, Number, Tree, has_duplicates},
};

/// The document, exactly as the general parser reads it; `None` where it has to.
pub(super) fn scan(text: &str) -> Option<Tree<'_>> {
    let mut scanner = Scanner { text, at: 0 };
    let object = scanner.object()?;
    scanner.skip_space();
    (scanner.at == text.len()).then_some(object)
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn object(&mut self) -> Option<Tree<'a>> {
        self.skip_space();
        self.expect(b'{')?;
        let (mut members, mut values) = (Vec::new(), 1);
        loop {
            self.skip_space();
            let name = Cow::Borrowed(self.string()?);
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            let value = self.value()?;
            values += 1 + value.strings();
            members.push((name, value));
            if !self.goes_on(b'}')? {
                break;
            }
        }
        (values <= VALUES_MAX && !has_duplicates(&members)).then_some(Tree::Object(members))
    }

    fn value(&mut self) -> Option<Tree<'a>> {
        match self.peek()? {
            b'"' => Some(Tree::String(Cow::Borrowed(self.string()?))),
            b'[' => self.strings(),
            b'1'..=b'9' => self.number(),
            b't' => self.word("true", Tree::Bool(true)),
            b'f' => self.word("false", Tree::Bool(false)),
            b'n' => self.word("null", Tree::Null),
            _ => None,
        }
    }

    /// An array of at least one string.
    fn strings(&mut self) -> Option<Tree<'a>> {
        self.expect(b'[')?;
        if let Some(elements) = self.even_strings() {
            return Some(Tree::EvenStrings(elements));
        }
        let mut elements = Vec::new();
        loop {
            self.skip_space();
            elements.push(self.string()?);
            if !self.goes_on(b']')? {
                return Some(Tree::Strings(elements));
            }
        }
    }

    /// The rest of an array, where its elements are several of equally many bytes and nothing stands between them.
    fn even_strings(&mut self) -> Option<EvenStrings<'a>> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = plain_length(rest.get(1..)?);
        let step = length + EvenStrings::AROUND;
        let mut count = 0;
        for element in rest.chunks_exact(step) {
            let [b'"', text @ .., b'"', after] = element else { return None };
            if !is_plain(text) {
                return None;
            }
            count += 1;
            match after {
                b',' => {}
                b']' if count > 1 => {
                    let json = self.text.get(self.at..self.at + count * step - 1)?;
                    self.at += count * step;
                    return Some(EvenStrings { json, length });
                }
                _ => return None,
            }
        }
        None
    }

    /// After an element: whether a comma follows, or else the end.
    fn goes_on(&mut self, end: u8) -> Option<bool> {
        self.skip_space();
        let next = self.peek()?;
        self.at += 1;
        (next == b',' || next == end).then_some(next == b',')
    }

    fn string(&mut self) -> Option<&'a str> {
        self.expect(b'"')?;
        let start = self.at;
        self.at += plain_length(&self.text.as_bytes()[start..]);
        let text = self.text.get(start..self.at)?;
        self.expect(b'"')?;
        Some(text)
    }

    /// A whole number that surely fits.
    fn number(&mut self) -> Option<Tree<'a>> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let ends = !matches!(rest.as_bytes().get(length), Some(b'.' | b'e' | b'E'));
        let number = rest[..length].parse().ok().filter(|_| ends && length < 19)?;
        self.at += length;
        Some(Tree::Number(Number::Unsigned(number)))
    }

    fn word(&mut self, word: &str, tree: Tree<'a>) -> Option<Tree<'a>> {
        let found = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        found.then_some(tree)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        let found = self.peek() == Some(byte);
        self.at += 1;
        found.then_some(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// How many bytes stand before the first that ends a string or needs care: a quote, a backslash, a control character.
fn plain_length(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return index * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let rest = words.len() * 8;
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    rest + bytes[rest..].iter().position(is_special).unwrap_or(bytes.len() - rest)
}

/// Whether none ends a string or needs care.
fn is_plain(text: &[u8]) -> bool {
    match text.last_chunk::<8>() {
        Some(last) => {
            let special = |word: &[u8; 8]| special_bytes(u64::from_le_bytes(*word));
            text.as_chunks::<8>().0.iter().fold(special(last), |any, word| any | special(word)) == 0
        }
        None => plain_length(text) == text.len(),
    }
}

/// Eight bytes at once: the high bit of each that is special. A borrow may set bits above the lowest one set, never below,
/// so the lowest is right.
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGHS: u64 = ONES << 7;
    const fn below(word: u64, bound: u64) -> u64 {
        word.wrapping_sub(ONES * bound) & !word & HIGHS
    }
    below(word ^ (ONES * b'"' as u64), 1) | below(word ^ (ONES * b'\\' as u64), 1) | below(word, 0x20)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::tree::parse_generally, *};

    /// The tree as text, with arrays of strings written alike.
    fn shown(tree: &Tree<'_>) -> String {
        match tree {
            Tree::Null => "null".into(),
            Tree::Bool(value) => value.to_string(),
            Tree::Number(Number::Unsigned(value)) => value.to_string(),
            Tree::Number(Number::Signed(value)) => format!("{value}i"),
            Tree::Number(Number::Float(value)) => format!("{value}f"),
            Tree::String(text) | Tree::Parameter(text) => format!("{text:?}"),
            Tree::Array(elements) => format!("{:?}", elements.iter().map(shown).collect::<Vec<_>>()),
            Tree::Strings(elements) => {
                format!("{:?}", elements.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>())
            }
            Tree::EvenStrings(elements) => {
                assert_eq!(elements.iter().count(), elements.len());
                format!("{:?}", elements.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>())
            }
            Tree::Object(members) => {
                format!("{:?}", members.iter().map(|(name, value)| (name, shown(value))).collect::<Vec<_>>())
            }
        }
    }

    fn reads_as_the_general_parser(text: &str) -> bool {
        let Some(scanned) = scan(text) else { return false };
        let general = parse_generally(text).map_err(|error| error.message().to_owned());
        assert_eq!(Ok(shown(&scanned)), general.map(|tree| shown(&tree)), "{text}");
        true
    }

    #[test]
    fn the_usual_bodies_are_read() {
        for usual in [
            r#"{"message":"4111111111111111"}"#,
            " { \"tokens\" : [ \"1\" , \"zwölf\" ,\"\"],\n\t\"ivs\":[\"AAAA\"],\"partial\":true} \r\n",
            r#"{"keyVersion":2,"partial":false,"iv":null}"#,
            r#"{"a":100000000000000000}"#,
        ] {
            assert!(reads_as_the_general_parser(usual), "{usual}");
        }
    }

    #[test]
    fn the_rest_is_left_to_the_general_parser() {
        for unusual in [
            "",
            "{",
            "{}",
            "[]",
            "\"\"",
            "{\"a\":[]}",
            "{\"a\":[1]}",
            "{\"a\":{}}",
            "{\"a\":\"\\n\"}",
            "{\"a\":\"\n\"}",
            "{\"a\":\"1\",\"a\":\"2\"}",
            "{\"a\":\"1\",}",
            "{\"a\":[\"1\",]}",
            "{\"a\":01}",
            "{\"a\":1.0}",
            "{\"a\":1e1}",
            "{\"a\":-1}",
            "{\"a\":1234567890123456789}",
            "{\"a\":tru}",
            "{\"a\":nul",
            "{\"a\":\"1\"}}",
            "{\"a\" \"1\"}",
            "{\"a\":\"1\"",
            "{\"a\":[\"1\"",
            "{\"a\":[\"1",
            "{a:1}",
            "\u{feff}{\"a\":1}",
            "{\"a\":\"1\"}\u{a0}",
        ] {
            assert!(scan(unusual).is_none(), "{unusual}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn what_is_read_is_what_the_general_parser_reads(
            text in r#"\{( ?"[a-c]{1,2}" ?: ?("[ -~ü\n\\]{0,20}"|\["[0-9"]{0,9}"(, ?"[a-zß\\]{0,17}"){0,3}\]|[0-9]{1,20}(\.0)?|true|null|nul|\{\}) ?,?){1,4}\}? ?"#,
        ) {
            reads_as_the_general_parser(&text);
        }

        #[test]
        fn the_first_special_byte_is_found(bytes: Vec<u8>, at in 0usize..64, special in prop::sample::select(vec![b'"', b'\\', 0, 0x1f, 0x20, 0x7f])) {
            let mut bytes = bytes;
            if at < bytes.len() {
                bytes[at] = special;
            }
            let simple = bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20));
            prop_assert_eq!(plain_length(&bytes), simple.unwrap_or(bytes.len()));
        }
    }
}
