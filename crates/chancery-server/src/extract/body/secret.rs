//! Bodies that are wiped: those with secrets, and those of callers who are not known yet.

use std::{future, mem, sync::atomic::AtomicUsize};

use axum::{
    BoxError,
    body::{Bytes, HttpBody},
    extract::{FromRequest, Request},
};
use chancery_core::{Error, Meaning, Source};
use serde::de::DeserializeOwned;
use zeroize::Zeroizing;

use super::{
    SMALL,
    arrival::{Arriving, patiently},
    check_announced_size, check_content_type,
    gate::Gate,
};
use crate::{answer::Failure, app::App, decode, extract::visitor, shares::Share};

/// A body with secrets: it never waits on disk, and is wiped when it has been read.
pub(crate) struct SecretBody<T>(pub(crate) T);

/// A body of somebody who is not known yet: small, wiped, and held from the room of those who are not known.
pub(crate) struct VisitorBody<T>(pub(crate) T);

/// The same, where none at all counts as `{}`.
pub(crate) struct VisitorBodyOrEmpty<T>(pub(crate) T);

/// The same that is no JSON; what is too long or does not arrive is empty, for which its protocol has an answer.
pub(crate) struct VisitorBytes(pub(crate) Zeroizing<Vec<u8>>);

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for SecretBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        let max = app.limits().body_max;
        let (head, body) = request.into_parts();
        check_content_type(&head.headers)?;
        let is_large = check_announced_size(&head.headers, max)? > SMALL as u64;
        let gate = Gate::Route(&head);
        if is_large {
            gate.open(app).await?;
        }
        let bytes = collect(body, max, Room::Caller(gate, app, is_large)).await?;
        Ok(Self(decode::decode_secret(&bytes)?))
    }
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for VisitorBody<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        check_content_type(request.headers())?;
        Ok(Self(decode::decode_secret(&of_visitor(request, app).await?)?))
    }
}

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for VisitorBodyOrEmpty<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        check_content_type(request.headers())?;
        let bytes = of_visitor(request, app).await?;
        Ok(Self(decode::decode_secret(if bytes.is_empty() { b"{}" } else { &bytes })?))
    }
}

impl FromRequest<App> for VisitorBytes {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &App) -> Result<Self, Failure> {
        match of_visitor(request, app).await {
            Err(refusal) if refusal.meaning() == Meaning::Busy => Err(refusal.into()),
            Err(_) => Ok(Self(Zeroizing::default())),
            Ok(bytes) => Ok(Self(bytes)),
        }
    }
}

async fn of_visitor(request: Request, app: &App) -> Result<Zeroizing<Vec<u8>>, Error> {
    let max = app.limits().bodies.visitor_body_max;
    let (head, body) = request.into_parts();
    check_announced_size(&head.headers, max)?;
    let source = visitor::request_info(&head).counted_as();
    collect(body, max, Room::Visitor(app.visitor_bytes(source), app)).await
}

/// From whose room the bytes are.
enum Room<'a> {
    /// Of those who are not known yet.
    Visitor(Share<Source>, &'a App),
    /// Of somebody who is, and who is asked for more than a login where there is much to send.
    Caller(Gate<'a>, &'a App, bool),
}

impl<'a> Room<'a> {
    const fn app(&self) -> &'a App {
        match self {
            Self::Visitor(_, app) | Self::Caller(_, app, _) => app,
        }
    }

    /// Waits until others need the room more.
    fn taken_back(&self) -> impl Future<Output = ()> + use<> {
        let taken_back = match self {
            Self::Visitor(share, _) => Some(share.taken_back()),
            Self::Caller(..) => None,
        };
        async move {
            match taken_back {
                Some(taken_back) => taken_back.await,
                None => future::pending().await,
            }
        }
    }

    /// Holds `more` bytes, with which there are `all`.
    async fn hold(&mut self, more: usize, all: usize) -> Result<(), Error> {
        match self {
            Self::Visitor(share, _) => {
                if share.grow_fairly(more) {
                    Ok(())
                } else {
                    Err(too_much_on_its_way())
                }
            }
            Self::Caller(gate, app, is_open) => {
                if all > SMALL && !mem::replace(is_open, true) {
                    gate.open(app).await?;
                }
                Ok(())
            }
        }
    }
}

/// Collects a body in one place that is wiped. What the transport had in its own buffers is the transport's.
async fn collect<B>(body: B, max: usize, mut room: Room<'_>) -> Result<Zeroizing<Vec<u8>>, Error>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let arrived = AtomicUsize::new(0);
    let limits = &room.app().limits().bodies;
    let mut body = Arriving::new(body, max, &arrived);
    let taken_back = room.taken_back();
    let received = async {
        let mut memory = Zeroizing::new(Vec::new());
        while let Some(data) = body.next().await? {
            let all = memory.len() + data.len();
            if all > memory.capacity() {
                let larger = all.next_power_of_two().min(max);
                room.hold(larger - memory.capacity(), all).await?;
                // It moves to a new place, so that the old one can be wiped.
                let mut moved = Zeroizing::new(Vec::with_capacity(larger));
                moved.extend_from_slice(&memory);
                memory = moved;
            }
            memory.extend_from_slice(&data);
        }
        Ok(memory)
    };
    tokio::select! {
        biased;
        received = patiently(received, &arrived, limits) => received,
        () = taken_back => Err(too_much_on_its_way()),
    }
}

fn too_much_on_its_way() -> Error {
    Error::busy("Too much is on its way from callers who have not logged in; try again.", 1)
}
