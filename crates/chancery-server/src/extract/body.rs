//! The body of a request: content type, then size, then syntax.
//!
//! What is larger than [`IN_MEMORY_MAX`] waits on disk until the last byte has come, so that slow senders hold no memory,
//! and is then worked with only as long as there is room: see [`Room`].

mod spool;

use std::{future::poll_fn, pin::pin, task::Poll, time::Duration};

use axum::{
    BoxError,
    body::{Body as Raw, Bytes, HttpBody},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use chancery_core::{Error, Limits, Meaning};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tokio::{sync::OwnedSemaphorePermit, task::spawn_blocking, time};
use zeroize::Zeroizing;

use crate::{answer::Failure, app::App, decode};
use spool::Spool;

/// The slowest sender that is waited for, in bytes a second, after [`GRACE`].
const SLOWEST: u64 = 64 * 1024;

/// What any sender may take, however little it has to send.
const GRACE: Duration = Duration::from_secs(20);

/// Bytes of a body that is kept in memory while it comes: a batch of 100,000 card numbers, for which the way over the disk
/// would cost a quarter more.
const IN_MEMORY_MAX: usize = 2 * 1024 * 1024;

/// Bytes of a body for which no room is made ahead.
const SMALL: usize = 64 * 1024;

/// A place among the few large bodies that are in memory at a time; the handler keeps it as long as it works with one.
#[expect(dead_code, reason = "held, never read")]
pub(crate) struct Room(Option<OwnedSemaphorePermit>);

/// A body like most.
pub(crate) struct Body<T>(pub(crate) T);

/// A body of which every member is optional, so that none at all counts as `{}`.
pub(crate) struct BodyOrEmpty<T>(pub(crate) T);

/// A body with secrets: it never waits on disk, and is wiped when it has been read.
pub(crate) struct SecretBody<T>(pub(crate) T);

/// A body with a few samples.
pub(crate) struct PreviewBody<T>(pub(crate) T);

/// A body with many values.
pub(crate) struct BatchBody<T>(pub(crate) T, pub(crate) Room);

/// A body with a payload to sign, and a sentence on each of its members that nobody knows.
pub(crate) struct SigningBody<T>(pub(crate) T, pub(crate) Vec<String>, pub(crate) Room);

/// A body like most, and a sentence on each of its members that nobody knows.
pub(crate) struct NotedBody<T>(pub(crate) T, pub(crate) Vec<String>);

macro_rules! bodies {
    ($($name:ident: $limit:ident, $if_empty:expr, $read:path, $make:expr;)+) => {$(
        impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for $name<T> {
            type Rejection = Failure;

            async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
                let Limits { $limit: max, .. } = *app.limits();
                let (head, mut body) = request.into_parts();
                let (body, room) = receive(&head.headers, &mut body, app, (max, $if_empty), $read).await?;
                Ok($make(body, room))
            }
        }
    )+};
}

bodies! {
    Body: body_max, b"", decode::decode, |body, _| Self(body);
    BodyOrEmpty: body_max, b"{}", decode::decode, |body, _| Self(body);
    NotedBody: body_max, b"", decode::decode_noting, |(body, unknown), _| Self(body, unknown);
    PreviewBody: preview_body_max, b"", decode::decode, |body, _| Self(body);
    BatchBody: batch_body_max, b"", decode::decode, Self;
    SigningBody: signing_body_max, b"", decode::decode_noting, |(body, unknown), room| Self(body, unknown, room);
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for SecretBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        let max = app.limits().body_max.min(IN_MEMORY_MAX);
        check_content_type(request.headers())?;
        check_announced_size(request.headers(), max)?;
        let bytes = patiently(collect_secret(request.into_body(), max), max).await?;
        Ok(Self(decode::decode_secret(&bytes)?))
    }
}

/// Collects a body in one place that is wiped. What the transport had in its own buffers is the transport's.
async fn collect_secret(body: Raw, max: usize) -> Result<Zeroizing<Vec<u8>>, Error> {
    // As large as it may become, so that it never moves and leaves no copy behind.
    let mut memory = Zeroizing::new(Vec::with_capacity(max));
    let mut body = Limited::new(body, max);
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|error| broken(&*error, max))?.into_data() {
            memory.extend_from_slice(&data);
        }
    }
    Ok(memory)
}

/// Waits for a body of at most `max` bytes and reads it.
pub(crate) async fn receive<T, B>(
    headers: &HeaderMap,
    body: &mut B,
    app: &App,
    (max, if_empty): (usize, &[u8]),
    read: fn(&[u8]) -> Result<T, Error>,
) -> Result<(T, Room), Error>
where
    T: Send + 'static,
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    check_content_type(headers)?;
    check_announced_size(headers, max)?;
    match patiently(collect(body, max), max).await? {
        Received::InMemory(bytes) => {
            let json = if bytes.is_empty() { if_empty } else { &bytes };
            Ok((read(json)?, Room(None)))
        }
        Received::OnDisk(spool) => Box::pin(read_back(spool, app, read)).await,
    }
}

/// Reads a body that waited on disk.
async fn read_back<T: Send + 'static>(
    spool: Spool,
    app: &App,
    read: fn(&[u8]) -> Result<T, Error>,
) -> Result<(T, Room), Error> {
    let room = app.room_for_large_body().await?;
    let bytes = spool.read_back().await.map_err(Error::unavailable)?;
    // Tens of mebibytes take long enough to keep a thread from its other connections.
    let decoded = spawn_blocking(move || read(&bytes)).await.map_err(Error::internal)?;
    Ok((decoded?, Room(Some(room))))
}

/// Waits for so many bytes as long as a slow sender may take. Most bodies are there with their heads, and need no timer.
async fn patiently<T>(received: impl Future<Output = Result<T, Error>>, max: usize) -> Result<T, Error> {
    let mut received = pin!(received);
    if let Poll::Ready(received) = poll_fn(|context| Poll::Ready(received.as_mut().poll(context))).await {
        return received;
    }
    let patience = GRACE + Duration::from_secs(max as u64 / SLOWEST);
    Box::pin(time::timeout(patience, received)).await.map_err(|_| late())?
}

/// A body that has come in full.
enum Received {
    InMemory(Bytes),
    OnDisk(Spool),
}

/// Most bodies are one piece, and stay where they are; the future is small for their sake.
async fn collect<B>(body: B, max: usize) -> Result<Received, Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let mut body = Limited::new(body, max);
    match next_piece(&mut body, max).await? {
        Some(only) if body.is_end_stream() && only.len() <= IN_MEMORY_MAX => Ok(Received::InMemory(only)),
        Some(first) => Box::pin(collect_pieces(first, body, max)).await,
        None => Ok(Received::InMemory(Bytes::new())),
    }
}

async fn collect_pieces<B>(first: Bytes, mut body: Limited<B>, max: usize) -> Result<Received, Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let mut memory = Vec::new();
    let mut disk: Option<Spool> = None;
    let mut next = Some(first);
    while let Some(data) = next {
        if memory.len() + data.len() > SMALL && memory.capacity() <= SMALL {
            // Whoever has sent so much sends the rest, and it need not move again and again as it grows.
            let announced = body.size_hint().lower().try_into().unwrap_or(IN_MEMORY_MAX);
            memory.reserve_exact(data.len() + announced.min(IN_MEMORY_MAX));
        }
        memory.extend_from_slice(&data);
        if memory.len() > IN_MEMORY_MAX {
            let spool = match &mut disk {
                Some(spool) => spool,
                None => disk.insert(Spool::new().map_err(Error::unavailable)?),
            };
            spool.write(&mut memory).await.map_err(Error::unavailable)?;
        }
        next = next_piece(&mut body, max).await?;
    }
    let Some(mut spool) = disk else { return Ok(Received::InMemory(memory.into())) };
    spool.write(&mut memory).await.map_err(Error::unavailable)?;
    Ok(Received::OnDisk(spool))
}

/// The next bytes of a body, if any are still to come; trailers are none.
async fn next_piece<B>(body: &mut Limited<B>, max: usize) -> Result<Option<Bytes>, Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let Some(frame) = body.frame().await else { return Ok(None) };
    let frame = frame.map_err(|error| broken(&*error, max))?;
    Ok(Some(frame.into_data().unwrap_or_default()))
}

/// A missing content type counts as JSON; JSON has no other encoding than UTF-8 (RFC 8259, 8.1).
fn check_content_type(headers: &HeaderMap) -> Result<(), Error> {
    let refusal = || Error::new(Meaning::ContentType, "The content type must be application/json.");
    let Some(content_type) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    if content_type == "application/json" {
        return Ok(());
    }
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

fn late() -> Error {
    Error::new(Meaning::Malformed, "The body did not arrive in time.")
}

fn broken(error: &(dyn std::error::Error + Send + Sync + 'static), max: usize) -> Error {
    if error.is::<LengthLimitError>() {
        too_large(max)
    } else {
        Error::new(Meaning::Malformed, "The body did not arrive in full.")
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

    /// A body that comes in pieces of this many bytes.
    fn pieces(sizes: &[usize]) -> Raw {
        let pieces: Vec<_> = sizes.iter().map(|size| Ok::<_, std::io::Error>(vec![b' '; *size])).collect();
        Raw::from_stream(futures::stream::iter(pieces))
    }

    async fn received(sizes: &[usize], max: usize) -> Result<(usize, bool), Error> {
        match collect(pieces(sizes), max).await? {
            Received::InMemory(bytes) => Ok((bytes.len(), false)),
            Received::OnDisk(spool) => Ok((spool.read_back().await.unwrap().len(), true)),
        }
    }

    #[tokio::test]
    async fn the_limit_is_exact_also_without_an_announced_length() {
        assert_eq!(received(&[7, 9], 16).await.unwrap(), (16, false));
        assert_eq!(received(&[7, 10], 16).await.unwrap_err().meaning(), Meaning::TooLarge);
    }

    #[tokio::test]
    async fn what_is_larger_waits_on_disk() {
        let max = 4 * IN_MEMORY_MAX;
        assert_eq!(received(&[IN_MEMORY_MAX], max).await.unwrap(), (IN_MEMORY_MAX, false));
        assert_eq!(received(&[IN_MEMORY_MAX, 1], max).await.unwrap(), (IN_MEMORY_MAX + 1, true));
        assert_eq!(received(&[IN_MEMORY_MAX + 5; 3], max).await.unwrap(), (3 * IN_MEMORY_MAX + 15, true));
        assert_eq!(received(&[IN_MEMORY_MAX + 5; 4], max).await.unwrap_err().meaning(), Meaning::TooLarge);
    }
}
