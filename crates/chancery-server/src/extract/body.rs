//! The body of a request: content type, then size, then syntax. Every body of every route is read here: within its size,
//! in its time, from its sender's share of the room.
//!
//! Of a body larger than [`SMALL`] nothing is taken before it is known that its caller may make the call: see [`Gate`].
//! What is larger than [`IN_MEMORY_MAX`] waits on disk until the last byte has come, so that slow senders hold no memory,
//! and is then worked with only as long as there is room: see [`Room`].

mod arrival;
mod demand;
mod gate;
mod secret;
mod spool;

use std::sync::atomic::AtomicUsize;

use axum::{
    BoxError,
    body::{Bytes, HttpBody},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use chancery_core::{Error, Limits, Meaning};
use chancery_types::IdentityId;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use tokio::{sync::OwnedSemaphorePermit, task::spawn_blocking};

use crate::{answer::Failure, app::App, decode, shares::Share};
use arrival::{Arriving, patiently};
use spool::Spool;

pub(crate) use gate::Gate;
pub(in crate::extract) use gate::keep_caller;
pub(crate) use secret::{SecretBody, VisitorBody, VisitorBodyOrEmpty, VisitorBytes};

/// Bytes of a body that is kept in memory while it comes: a batch of 100,000 card numbers, for which the way over the disk
/// would cost a quarter more.
const IN_MEMORY_MAX: usize = 2 * 1024 * 1024;

/// Bytes of a body for which no room is made ahead, and which may come before it is known whether the call is allowed.
const SMALL: usize = 64 * 1024;

/// Bytes of a piece on disk.
const PIECE: usize = 256 * 1024;

/// A place among the few large bodies that are in memory at a time; the handler keeps it as long as it works with one.
#[expect(dead_code, reason = "held, never read")]
pub(crate) struct Room(Option<OwnedSemaphorePermit>);

/// A body like most.
pub(crate) struct Body<T>(pub(crate) T);

/// A body of which every member is optional, so that none at all counts as `{}`.
pub(crate) struct BodyOrEmpty<T>(pub(crate) T);

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
                let gate = Gate::Route(&head);
                let (body, room) =
                    receive((&head.headers, &mut body), app, gate, (max, $if_empty), $read).await?;
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

/// Whether large bodies have a place to wait in: a server without one would refuse them all, as long as it runs.
///
/// # Errors
///
/// Where no file can be made in the folder for temporary files, which the error names.
pub fn check_temporary_folder() -> std::io::Result<()> {
    spool::Spool::file().map(drop)
}

/// Waits for a body of at most `max` bytes and reads it.
pub(crate) async fn receive<T, B>(
    (headers, body): (&HeaderMap, &mut B),
    app: &App,
    gate: Gate<'_>,
    (max, if_empty): (usize, &[u8]),
    read: fn(&[u8]) -> Result<T, Error>,
) -> Result<(T, Room), Error>
where
    T: Send + 'static,
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    check_content_type(headers)?;
    let announced = check_announced_size(headers, max)?;
    let mut sender = Sender { app, gate, known: None };
    if announced > SMALL as u64 {
        Box::pin(sender.admit()).await?;
    }
    let arrived = AtomicUsize::new(0);
    let body = Arriving::new(body, max, &arrived);
    match patiently(collect(body, &mut sender), &arrived, &app.limits().bodies).await? {
        Received::InMemory(bytes, _share) => {
            let json = if bytes.is_empty() { if_empty } else { &bytes };
            Ok((read(json)?, Room(None)))
        }
        Received::OnDisk(spool, _share) => Box::pin(read_back(spool, app, read)).await,
    }
}

/// SHA-256 of a body that nobody works with: of one as large as any may be, nothing of which is kept.
pub(crate) async fn digest_of_body(
    headers: &HeaderMap,
    body: &mut axum::body::Body,
    app: &App,
) -> Result<[u8; 32], Error> {
    let max = app.limits().signing_body_max.max(app.limits().batch_body_max);
    check_announced_size(headers, max)?;
    let arrived = AtomicUsize::new(0);
    let mut body = Arriving::new(body, max, &arrived);
    let digested = async {
        let mut digest = Sha256::new();
        while let Some(data) = body.next().await? {
            digest.update(&data);
        }
        Ok(digest.finalize().into())
    };
    patiently(digested, &arrived, &app.limits().bodies).await
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

/// Who sends a body.
struct Sender<'a> {
    app: &'a App,
    gate: Gate<'a>,
    /// Once they were asked whether they may.
    known: Option<IdentityId>,
}

impl Sender<'_> {
    async fn admit(&mut self) -> Result<IdentityId, Error> {
        match self.known {
            Some(known) => Ok(known),
            None => Ok(*self.known.insert(self.gate.open(self.app).await?)),
        }
    }
}

/// A body that has come in full, and the share that it is held from, where it is large.
enum Received {
    InMemory(Bytes, Option<Share<IdentityId>>),
    OnDisk(Spool, Share<IdentityId>),
}

/// Most bodies are one piece, and stay where they are; the future is small for their sake.
async fn collect<B>(mut body: Arriving<'_, B>, sender: &mut Sender<'_>) -> Result<Received, Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    match body.next().await? {
        Some(only) if body.has_ended() && only.len() <= SMALL => Ok(Received::InMemory(only, None)),
        Some(first) => Box::pin(collect_pieces(first, body, sender)).await,
        None => Ok(Received::InMemory(Bytes::new(), None)),
    }
}

async fn collect_pieces<B>(first: Bytes, mut body: Arriving<'_, B>, sender: &mut Sender<'_>) -> Result<Received, Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let mut memory = Vec::new();
    let mut large: Option<Large> = None;
    let mut next = Some(first);
    while let Some(data) = next {
        if large.is_none() && memory.len() + data.len() > SMALL {
            let begun = Large::begin(sender).await?;
            if begun.memory.is_some() {
                // Whoever has sent so much sends the rest, and it need not move again and again as it grows.
                memory.reserve_exact(data.len() + body.rest_min().min(IN_MEMORY_MAX));
            }
            large = Some(begun);
        }
        memory.extend_from_slice(&data);
        if let Some(large) = &mut large {
            large.spill(&mut memory).await?;
        }
        next = body.next().await?;
    }
    match large {
        Some(large) => large.end(memory).await,
        None => Ok(Received::InMemory(memory.into(), None)),
    }
}

/// A large body on its way.
struct Large {
    /// The share of the memory, as long as it is in memory.
    memory: Option<Share<IdentityId>>,
    /// The share of the disk.
    disk: Share<IdentityId>,
    spool: Option<Spool>,
}

impl Large {
    /// Only for whoever may make the call. Where their memory is used up it goes to the disk at once.
    async fn begin(sender: &mut Sender<'_>) -> Result<Self, Error> {
        let who = sender.admit().await?;
        let mut memory = sender.app.body_memory(who);
        let memory = memory.grow(IN_MEMORY_MAX).then_some(memory);
        Ok(Self { memory, disk: sender.app.body_disk(who), spool: None })
    }

    /// Moves what has come to the disk, once it is too much for the memory.
    async fn spill(&mut self, memory: &mut Vec<u8>) -> Result<(), Error> {
        let bound = if self.memory.is_some() { IN_MEMORY_MAX } else { PIECE };
        if memory.len() > bound { self.write(memory).await } else { Ok(()) }
    }

    async fn write(&mut self, memory: &mut Vec<u8>) -> Result<(), Error> {
        if !self.disk.grow(memory.len() + Spool::OVERHEAD) {
            return Err(Error::busy("Too much is on its way in large bodies; try again.", 1));
        }
        let spool = match &mut self.spool {
            Some(spool) => spool,
            None => self.spool.insert(Spool::new().map_err(Error::unavailable)?),
        };
        spool.write(memory).await.map_err(Error::unavailable)?;
        if self.memory.take().is_some() {
            memory.shrink_to(PIECE);
        }
        Ok(())
    }

    async fn end(mut self, mut memory: Vec<u8>) -> Result<Received, Error> {
        if self.spool.is_some() {
            self.write(&mut memory).await?;
        }
        match self.spool {
            Some(spool) => Ok(Received::OnDisk(spool, self.disk)),
            None => Ok(Received::InMemory(memory.into(), self.memory)),
        }
    }
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

/// The size that is announced, if one is. Refuses before the first byte, so that a client that waits for `100 Continue`
/// sends nothing in vain.
fn check_announced_size(headers: &HeaderMap, max: usize) -> Result<u64, Error> {
    let announced = gate::announced(headers).unwrap_or_default();
    if announced > max as u64 { Err(too_large(max)) } else { Ok(announced) }
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
}
