//! The body of a request: content type, then size, then syntax.

use std::time::Duration;

use axum::{
    body::{Body as Raw, Bytes},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use chancery_core::{Error, Limits, Meaning};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tokio::time;

use crate::{answer::Failure, app::App, decode};

/// The slowest sender that is waited for, in bytes a second, after [`GRACE`].
const SLOWEST: u64 = 64 * 1024;

/// What any sender may take, however little it has to send.
const GRACE: Duration = Duration::from_secs(20);

macro_rules! bodies {
    ($($(#[$meta:meta])* $name:ident: $limit:ident, $empty:expr;)+) => {$(
        $(#[$meta])*
        pub(crate) struct $name<T>(pub(crate) T);

        impl<T: DeserializeOwned> FromRequest<App> for $name<T> {
            type Rejection = Failure;

            async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
                let Limits { $limit: max, .. } = *app.limits();
                let bytes = read(request, max).await?;
                let json = if $empty && bytes.is_empty() { b"{}" } else { bytes.as_ref() };
                Ok(Self(decode::decode(json)?))
            }
        }
    )+};
}

bodies! {
    /// A body like most.
    Body: body_max, false;
    /// A body of which every member is optional, so that none at all counts as `{}`.
    BodyOrEmpty: body_max, true;
    /// A body with many values.
    BatchBody: batch_body_max, false;
    /// A body with a payload to sign.
    SigningBody: signing_body_max, false;
}

async fn read(request: Request, max: usize) -> Result<Bytes, Error> {
    check_content_type(request.headers())?;
    check_announced_size(request.headers(), max)?;
    let patience = GRACE + Duration::from_secs(max as u64 / SLOWEST);
    match time::timeout(patience, collect(request.into_body(), max)).await {
        Ok(body) => body,
        Err(_) => Err(Error::new(Meaning::Malformed, "The body did not arrive in time.")),
    }
}

async fn collect(body: Raw, max: usize) -> Result<Bytes, Error> {
    match Limited::new(body, max).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(max)),
        Err(_) => Err(Error::new(Meaning::Malformed, "The body did not arrive in full.")),
    }
}

/// A missing content type counts as JSON; JSON has no other encoding than UTF-8 (RFC 8259, 8.1).
fn check_content_type(headers: &HeaderMap) -> Result<(), Error> {
    let refusal = || Error::new(Meaning::ContentType, "The content type must be application/json.");
    let Some(content_type) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let mut parts = content_type.to_str().map_err(|_| refusal())?.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|media_type| media_type.eq_ignore_ascii_case("application/json"));
    let is_utf8 = parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
            value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => true,
    });
    if is_json && is_utf8 { Ok(()) } else { Err(refusal()) }
}

/// Refuses before the first byte, so that a client that waits for `100 Continue` sends nothing in vain.
fn check_announced_size(headers: &HeaderMap, max: usize) -> Result<(), Error> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    match announced {
        Some(length) if length > max as u64 => Err(too_large(max)),
        _ => Ok(()),
    }
}

fn too_large(max: usize) -> Error {
    Error::new(Meaning::TooLarge, format!("The body is larger than {max} bytes."))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_json_in_utf8_is_taken() {
        let check = |value: &'static str| {
            check_content_type(&HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(value))]))
        };
        for taken in ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\";v=1"] {
            assert!(check(taken).is_ok(), "{taken}");
        }
        for refused in ["text/json", "application/jsonp", "application/json; charset=latin1", "", "multipart/form-data"]
        {
            assert_eq!(check(refused).unwrap_err().meaning(), Meaning::ContentType, "{refused}");
        }
        assert!(check_content_type(&HeaderMap::new()).is_ok());
    }

    #[tokio::test]
    async fn the_limit_is_exact_also_without_an_announced_length() {
        let stream =
            |bytes: usize| Raw::from_stream(futures::stream::iter([Ok::<_, std::io::Error>(vec![b' '; bytes])]));
        assert_eq!(collect(stream(16), 16).await.unwrap().len(), 16);
        assert_eq!(collect(stream(17), 16).await.unwrap_err().meaning(), Meaning::TooLarge);
    }
}
