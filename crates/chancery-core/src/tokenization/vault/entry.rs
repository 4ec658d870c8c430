//! What a row of the vault keeps under its seal.

use zeroize::Zeroizing;

/// The one layout that there is.
const LAYOUT: u8 = 1;

/// Token, message and metadata, without passThrough characters.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Debug))]
pub(crate) struct Entry<'a> {
    /// The token, so that the one of a message that came again can be given out, and rows can be found by other hashes
    /// one day.
    pub(crate) token: &'a str,
    pub(crate) message: &'a str,
    /// A JSON object; empty: none.
    pub(crate) metadata: &'a str,
}

impl<'a> Entry<'a> {
    /// Layout, then the lengths of token and message, then the texts.
    pub(crate) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let Self { token, message, metadata } = self;
        // At once as long as it will be: bytes that are moved would stay behind.
        let mut bytes = Zeroizing::new(Vec::with_capacity(9 + token.len() + message.len() + metadata.len()));
        bytes.push(LAYOUT);
        for text in [token, message] {
            let length = u32::try_from(text.len()).expect("limits keep values far below 4 GiB");
            bytes.extend_from_slice(&length.to_be_bytes());
        }
        [token, message, metadata].into_iter().for_each(|text| bytes.extend_from_slice(text.as_bytes()));
        bytes
    }

    /// Takes [`encode`](Self::encode) back; nothing for what it never made.
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (&[LAYOUT], bytes) = bytes.split_first_chunk()? else { return None };
        let (token, bytes) = bytes.split_first_chunk()?;
        let (message, bytes) = bytes.split_first_chunk()?;
        let length = |bytes: &[u8; 4]| usize::try_from(u32::from_be_bytes(*bytes)).ok();
        let (token, bytes) = bytes.split_at_checked(length(token)?)?;
        let (message, metadata) = bytes.split_at_checked(length(message)?)?;
        let text = |bytes| str::from_utf8(bytes).ok();
        Some(Self { token: text(token)?, message: text(message)?, metadata: text(metadata)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_and_nothing_else_is_one() {
        for (token, message, metadata) in
            [("", "", ""), ("4111", "4222", ""), ("häß", "🂡", r#"{"a":1}"#), ("1", "", "{}")]
        {
            let entry = Entry { token, message, metadata };
            let bytes = entry.encode();
            assert_eq!(Entry::decode(&bytes), Some(entry));
            for end in 0..bytes.len() - metadata.len() {
                assert_eq!(Entry::decode(&bytes[..end]), None, "{end}");
            }
        }
        assert_eq!(Entry::decode(&[2, 0, 0, 0, 0, 0, 0, 0, 0]), None, "another layout");
        assert_eq!(Entry::decode(&[1, 0, 0, 0, 1, 0, 0, 0, 0, 0xff]), None, "no text");
    }
}
