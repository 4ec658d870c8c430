//! What must not be kept of an answer. Whoever is posted to has seen the secret of the target, and may repeat it in an error;
//! what is kept of that goes into the log, into records, and with these to every other receiver.

use std::{
    collections::{BTreeSet, HashSet},
    hash::{BuildHasher as _, RandomState},
};

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD, URL_SAFE},
};
use chancery_verify::hexadecimal;
use zeroize::Zeroizing;

/// So many characters in a row are taken for part of a secret: answers are cut, and receivers shorten what they repeat. A
/// shorter secret is looked for as a whole.
const TOGETHER: usize = 8;

/// Values of a query that are shorter are numbers of versions and the like.
const VALUE_MIN: usize = 6;

/// What stands in the place of a secret.
const STRUCK: &str = "…";

/// Secrets that are looked for, as hashes of their parts: nothing else of them is kept.
#[derive(Default)]
pub(crate) struct Secrets {
    state: RandomState,
    parts: HashSet<u64>,
    lengths: BTreeSet<usize>,
}

impl Secrets {
    /// A key or a token: as it is where it is text, in base64 and in hex.
    pub(crate) fn and_key(mut self, key: &[u8]) -> Self {
        if let Some(text) =
            std::str::from_utf8(key).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            self.add(text);
        }
        for encoded in [STANDARD.encode(key), URL_SAFE.encode(key), hexadecimal(key)] {
            self.add(Zeroizing::new(encoded).trim_end_matches('='));
        }
        self
    }

    /// The values in the query of an address.
    pub(crate) fn and_query(mut self, url: &str) -> Self {
        let query = url.split_once('?').map_or("", |(_, query)| query);
        for pair in query.split('&') {
            let value = pair.split_once('=').map_or(pair, |(_, value)| value);
            if value.len() >= VALUE_MIN {
                self.add(value);
            }
        }
        self
    }

    /// All of an address behind its host.
    pub(crate) fn and_path(mut self, url: &str) -> Self {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        if let Some(begin) = rest.find(['/', '?']).filter(|begin| rest.len() > begin + VALUE_MIN) {
            self.add(&rest[begin..]);
        }
        self
    }

    /// A text of ASCII, and what it becomes within JSON and addresses.
    fn add(&mut self, text: &str) {
        let escaped = |plus: &str, slash: &str, equals: &str| {
            Zeroizing::new(text.replace('+', plus).replace('/', slash).replace('=', equals))
        };
        for form in [escaped("+", "/", "="), escaped("+", "\\/", "="), escaped("%2b", "%2f", "%3d")]
            .into_iter()
            .chain([escaped("\\u002b", "/", "\\u003d"), escaped("+", "/", "\\u003d")])
        {
            let form = Zeroizing::new(form.to_ascii_lowercase());
            let length = form.len().min(TOGETHER);
            if length > 0 {
                self.lengths.insert(length);
                let parts = form.as_bytes().windows(length).map(|part| self.state.hash_one(part));
                self.parts.extend(parts.collect::<Vec<_>>());
            }
        }
    }

    /// The text without them. Letter case makes no difference.
    pub(crate) fn struck_out(&self, text: &str) -> String {
        let lower = text.to_ascii_lowercase();
        let mut is_secret = vec![false; lower.len()];
        for length in &self.lengths {
            for (place, part) in lower.as_bytes().windows(*length).enumerate() {
                if self.parts.contains(&self.state.hash_one(part)) {
                    is_secret[place..place + length].fill(true);
                }
            }
        }
        let (mut left, mut before) = (String::with_capacity(text.len()), false);
        for (place, character) in text.char_indices() {
            match (is_secret[place], before) {
                (false, _) => left.push(character),
                (true, false) => left.push_str(STRUCK),
                (true, true) => {}
            }
            before = is_secret[place];
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_struck_out_in_whatever_form_it_comes() {
        let token = Secrets::default().and_key(b"glc_Zm9v+YmFy/eyJ0==");
        for (answer, left) in [
            ("no such token: Bearer glc_Zm9v+YmFy/eyJ0==", "no such token: Bearer …"),
            ("no such token: GLC_ZM9V+YMFY/EYJ0==, sorry", "no such token: …, sorry"),
            (r#"{"token":"glc_Zm9v+YmFy\/eyJ0=="}"#, r#"{"token":"…"}"#),
            (r#"{"token":"glc_Zm9v\u002BYmFy/eyJ0\u003d\u003D"}"#, r#"{"token":"…"}"#),
            ("?t=glc_Zm9v%2BYmFy%2FeyJ0%3D%3D", "?t=…"),
            ("Bearer glc_Zm9v", "Bearer …"),
            ("too many requests: ü", "too many requests: ü"),
        ] {
            assert_eq!(token.struck_out(answer), left);
        }
        let key = Secrets::default().and_key(&[0xfb; 32]);
        let (base64, url_safe) = (STANDARD.encode([0xfb; 32]), URL_SAFE.encode([0xfb; 32]));
        assert_eq!(key.struck_out(&format!("whsec_{base64}")), "whsec_…=");
        assert_eq!(key.struck_out(&format!("{url_safe} {}", "FB".repeat(32))), "…= …");
        assert_eq!(Secrets::default().and_key(b"7").struck_out("a7b"), "a…b");
    }

    #[test]
    fn of_an_address_what_may_be_secret_is_struck_out() {
        let url = "https://logs.example.org/v1/logs?api_key=0123456789ab&v=1";
        let query = Secrets::default().and_query(url);
        assert_eq!(query.struck_out(url), "https://logs.example.org/v1/logs?api_key=…&v=1");
        let slack = Secrets::default().and_path("https://hooks.example.org/services/T0/B0/abcdef");
        assert_eq!(slack.struck_out("POST /services/T0/B0/abcdef: no"), "POST …: no");
        assert_eq!(Secrets::default().and_path("https://a.example.org/").struck_out("a/b"), "a/b");
    }
}
