//! `Idempotency-Key`: a POST that its sender may repeat without doing a thing twice (draft-ietf-httpapi-idempotency-key-header).
//!
//! Whoever repeats a call is answered before its handler is reached. Otherwise the handler's caller carries the call along,
//! and the transaction that changes something notes it (`chancery_core::IdempotentCall`).

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    Error as BodyError, Router,
    body::{Body, Bytes, HttpBody},
    extract::Request,
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode},
    response::{IntoResponse, Response},
};
use chancery_core::{Caller, Error, IdempotentCall, Meaning};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};
use sha2::{Digest as _, Sha256};
use tower::ServiceExt as _;
use tracing::error;

use super::{Exchange, Peer};
use crate::{
    answer::{Failure, HoldsSecret, written},
    app::App,
    credentials,
    extract::digest_of_body,
};

/// The header's name.
pub(crate) const NAME: &str = "idempotency-key";

/// Says that an answer was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Characters of a key.
pub(crate) const KEY_MAX: usize = 255;

/// What changes nothing and records each time who asked: it is asked again.
const RECORDED_READ: &str = "/api/v2/audit/journal/search";

/// Calls about the values of a profile need no key: values become the same tokens however often that is asked for, and such
/// calls are many. All others do, also those that change something there; but for a read that is recorded.
pub(crate) fn needs_no_key(path: &str) -> bool {
    if path == RECORDED_READ {
        return true;
    }
    let Some(call) = path.strip_prefix("/api/v2/token-profiles/") else { return false };
    !call.ends_with("/copy") && !call.ends_with("/tokens/delete") && !call.contains("/grants")
}

/// Whether a request is one that its sender may repeat.
pub(crate) fn is_repeatable(request: &Request) -> bool {
    let path = request.uri().path();
    !needs_no_key(path)
        && request.headers().contains_key(NAME)
        && request.method() == Method::POST
        && (path.starts_with("/api/v2/") || path.starts_with("/cuserv/v1/"))
}

/// Answers a call that bears a key: as it was answered before, or by its route.
pub(crate) async fn answer(app: &App, router: Router, request: Request, peer: &Peer) -> Response {
    let exchange = Exchange::begin(request.method(), peer.source);
    let path = request.uri().path().to_owned();
    let (head, mut body) = request.into_parts();
    let begun = async {
        let caller = app.identities.authenticate(exchange.info, credentials::of(&head)?).await?;
        peer.is_known();
        let key = key(&head.headers)?;
        let target = head.uri.path_and_query().map_or(path.as_str(), |target| target.as_str());
        let call = Arc::new(IdempotentCall::new(&caller, head.method.as_str(), target, key));
        let Some(before) = app.made_before(&caller, &call).await? else { return Ok((caller, call, None)) };
        let answer = before.answer_to(digest_of_body(&head.headers, &mut body, app).await?)?;
        Ok::<_, Error>((caller, call, Some(answer)))
    };
    match begun.await {
        Err(refusal) => exchange.finish(Failure::from(refusal).into_response(), &path, "repeated"),
        Ok((_, _, Some(answer))) => {
            let mut answer = written(Ok(answer));
            answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
            exchange.finish(answer, &path, "repeated")
        }
        Ok((caller, call, None)) => {
            let body = Body::new(Digested { body, so_far: Sha256::new(), call: Arc::clone(&call) });
            let mut request = Request::from_parts(head, body);
            request.extensions_mut().insert(Arc::clone(&call));
            let answer = router.oneshot(request).await.unwrap_or_else(|never| match never {});
            keep(app, &caller, &call, answer).await
        }
    }
}

/// Keeps the answer of a call that has changed something, before anybody has it.
async fn keep(app: &App, caller: &Caller, call: &IdempotentCall, answer: Response) -> Response {
    if !call.is_made() {
        return answer;
    }
    let is_kept = answer.status() == StatusCode::OK && answer.extensions().get::<HoldsSecret>().is_none();
    let (head, body) = answer.into_parts();
    // Answers that tell of changes are in memory already.
    let bytes = match body.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(failure) => return Failure::from(Error::internal(failure)).into_response(),
    };
    if let Err(failure) = app.keep_answer(caller, call, is_kept.then_some(&bytes)).await {
        // The call is made all the same, and will not be made again.
        error!(error = &failure as &dyn std::error::Error, "the answer of a repeatable call could not be kept");
    }
    Response::from_parts(head, Body::from(bytes))
}

/// The one key that a request bears.
fn key(headers: &HeaderMap) -> Result<&[u8], Error> {
    let mut values = headers.get_all(NAME).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(Error::new(Meaning::Malformed, "There is more than one Idempotency-Key; one is taken."));
    };
    let key = value.as_bytes();
    if (1..=KEY_MAX).contains(&key.len()) && key.iter().all(u8::is_ascii_graphic) {
        return Ok(key);
    }
    let message = format!("An Idempotency-Key has 1 to {KEY_MAX} visible ASCII characters, such as a random UUID.");
    Err(Error::new(Meaning::Malformed, message))
}

/// A body of which the digest is taken while it is read.
struct Digested {
    body: Body,
    so_far: Sha256,
    call: Arc<IdempotentCall>,
}

impl HttpBody for Digested {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            self.so_far.update(data);
        }
        let is_read = matches!(polled, Poll::Ready(None)) || (polled.is_ready() && self.body.is_end_stream());
        if is_read {
            self.call.body_is(self.so_far.clone().finalize().into());
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_one_and_can_be_seen() {
        let of = |values: &[&'static str]| {
            let pair = |value: &&'static str| (HeaderName::from_static(NAME), HeaderValue::from_static(value));
            let mut headers = HeaderMap::new();
            for (name, value) in values.iter().map(pair) {
                headers.append(name, value);
            }
            key(&headers).map(<[u8]>::to_vec)
        };
        assert_eq!(of(&["9f2c"]).unwrap(), b"9f2c");
        assert_eq!(of(&["\"9f2c\""]).unwrap(), b"\"9f2c\"", "as the draft writes it, too");
        for bad in [&[""][..], &["a b"], &["a", "b"], &["a", "a"], &["\t"]] {
            assert_eq!(of(bad).unwrap_err().meaning(), Meaning::Malformed, "{bad:?}");
        }
    }
}
