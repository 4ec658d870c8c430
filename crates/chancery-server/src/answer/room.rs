//! Room for answers. A large one is in memory until whoever asked for it has taken it, and who takes nothing could ask for
//! one after the other: so they have shares, as bodies that come have.

use axum::{
    body::{Body, Bytes, HttpBody as _},
    http::{HeaderValue, header},
    response::Response,
};
use chancery_core::{BodyLimits, Error, Party, RequestId};
use futures::{FutureExt as _, stream};
use http_body_util::BodyExt as _;

use super::render;
use crate::{
    headers,
    shares::{Share, Shares},
};

/// From here on an answer counts. Smaller ones are bounded by the calls that a source may have at a time.
const LARGE: u64 = 4 * 1024;

/// What a caller may hold although others hold all there is: who takes its answers is not refused because of those who do not.
const OWN: usize = 16 * 1024 * 1024;

/// Bytes that are handed to the connection at a time. It takes some ahead, and these are its own.
const PIECE: usize = 64 * 1024;

/// Answers that are made for one caller are all of the interface's own paths.
const API: &str = "/api/v2";

/// A large answer, and for whom it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Large {
    pub(crate) whose: Party,
    pub(crate) id: RequestId,
}

/// The room that there is.
pub(crate) struct AnswerRoom {
    own: Shares<Party>,
    common: Shares<Party>,
    each_max: usize,
}

/// An answer in its share of the room.
struct Kept {
    bytes: Bytes,
    _share: Share<Party>,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

pub(crate) fn is_large(answer: &Response) -> bool {
    answer.body().size_hint().exact().is_some_and(|bytes| bytes > LARGE)
}

/// In the place of an answer, with the headers that all have.
fn refused(error: &Error, id: RequestId) -> Response {
    let mut answer = render(error, API, id);
    headers::complete(answer.headers_mut(), id);
    answer
}

impl AnswerRoom {
    pub(crate) fn new(limits: &BodyLimits) -> Self {
        let each_max = limits.answer_memory_per_caller_max;
        let common = Shares::new(limits.answer_memory_max, each_max);
        Self { own: Shares::new(usize::MAX, OWN.min(each_max)), common, each_max }
    }

    fn share(&self, whose: Party, bytes: usize) -> Option<Share<Party>> {
        let mut own = self.own.of(whose);
        if own.grow(bytes) {
            return Some(own);
        }
        let mut common = self.common.of(whose);
        // One alone has room whatever its length.
        common.grow(bytes.min(self.each_max)).then_some(common)
    }

    /// Lets a large answer through where there is room for it until it is taken, and refuses it else.
    pub(crate) fn let_through(&self, mut answer: Response) -> Response {
        let Some(Large { whose, id }) = answer.extensions_mut().remove() else { return answer };
        let (mut head, body) = answer.into_parts();
        // Whatever has a length is in memory as a whole.
        let Some(Ok(body)) = body.collect().now_or_never() else {
            return refused(&Error::internal("an answer of a known length is not there"), id);
        };
        let bytes = body.to_bytes();
        let Some(share) = self.share(whose, bytes.len()) else {
            let refusal = "Too much of what was answered has not been taken yet; take it, and try again.";
            return refused(&Error::busy(refusal, 1), id);
        };
        head.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(bytes.len()));
        let kept = Bytes::from_owner(Kept { bytes, _share: share });
        let pieces = (0..kept.len()).step_by(PIECE);
        let pieces = pieces.map(move |at| Ok::<_, Error>(kept.slice(at..kept.len().min(at + PIECE))));
        Response::from_parts(head, Body::from_stream(stream::iter(pieces)))
    }
}
