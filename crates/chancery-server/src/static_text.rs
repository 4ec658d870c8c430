//! Texts that are the same for everybody: sent compressed to whoever takes that, and not again to whoever has them.
//!
//! Nothing here depends on who asks or holds a secret, so that the length of what is compressed tells nothing.

use std::{borrow::Cow, fmt::Write as _, io::Write as _, sync::OnceLock};

use axum::{
    http::{
        HeaderMap, HeaderName, StatusCode,
        header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, ETAG, IF_NONE_MATCH, VARY},
    },
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

pub(crate) struct StaticText {
    bytes: Cow<'static, [u8]>,
    /// Of its content: a browser asks for each file again with its tag, and a new release is seen at once.
    tag: String,
    /// Made when it is first asked for.
    gzip: OnceLock<Gzip>,
}

struct Gzip {
    bytes: Vec<u8>,
    /// Other bytes need another tag (RFC 9110 section 8.8.3.3).
    tag: String,
}

impl StaticText {
    pub(crate) fn new(content: impl Into<Cow<'static, [u8]>>) -> Self {
        let bytes = content.into();
        let tag = tag(&bytes, "");
        Self { bytes, tag, gzip: OnceLock::new() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What is sent to whoever asked with these headers. The type of the content is the caller's to add.
    pub(crate) fn answer(&'static self, headers: &HeaderMap) -> Response {
        let gzip = takes_gzip(headers).then(|| self.gzip.get_or_init(|| Gzip::of(&self.bytes)));
        let (bytes, tag) = gzip.map_or((&*self.bytes, &self.tag), |gzip| (&gzip.bytes, &gzip.tag));
        let about = [(CACHE_CONTROL, "no-cache"), (ETAG, tag.as_str()), (VARY, "accept-encoding")];
        if has(headers, tag) {
            return (StatusCode::NOT_MODIFIED, about).into_response();
        }
        match gzip {
            Some(_) => (about, [(CONTENT_ENCODING, "gzip")], bytes).into_response(),
            None => (about, bytes).into_response(),
        }
    }
}

impl Gzip {
    fn of(bytes: &[u8]) -> Self {
        let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::best());
        // Memory takes everything that is written to it.
        let _infallible = encoder.write_all(bytes);
        Self { tag: tag(bytes, "-gzip"), bytes: encoder.finish().unwrap_or_default() }
    }
}

fn tag(bytes: &[u8], ending: &str) -> String {
    let mut tag = String::from("\"");
    for byte in &Sha256::digest(bytes)[..16] {
        let _infallible = write!(tag, "{byte:02x}");
    }
    tag + ending + "\""
}

/// Whether whoever asks has it already (RFC 9110 section 13.1.2).
fn has(headers: &HeaderMap, tag: &str) -> bool {
    list(headers, IF_NONE_MATCH).any(|known| known.strip_prefix("W/").unwrap_or(known) == tag || known == "*")
}

/// Whether whoever asks says that it takes gzip (RFC 9110 section 12.5.3). Who says nothing gets the text as it is.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let weight_of = |coding: &str| {
        list(headers, ACCEPT_ENCODING).find_map(|taken| {
            let (name, weight) = taken.split_once(';').unwrap_or((taken, ""));
            let weight = weight.trim().strip_prefix(['q', 'Q']).map_or("1", |weight| weight.trim_start_matches('='));
            name.trim().eq_ignore_ascii_case(coding).then(|| weight.parse::<f32>().unwrap_or(0.0))
        })
    };
    weight_of("gzip").or_else(|| weight_of("x-gzip")).or_else(|| weight_of("*")).is_some_and(|weight| weight > 0.0)
}

/// The members of a header that is a list.
fn list(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|members| members.split(',')).map(str::trim)
}
