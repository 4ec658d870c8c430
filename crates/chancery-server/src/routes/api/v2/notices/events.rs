//! Notices as they happen: server-sent events.

use std::{convert::Infallible, pin::pin, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::{
        HeaderMap, HeaderName,
        header::{ACCEPT, CONTENT_TYPE},
    },
    response::{IntoResponse as _, Response},
};
use chancery_core::{Caller, Error, NoticeEvent, NoticeEventId, NoticeFollower};
use chancery_types::NoticeKind;
use futures::stream;
use tokio::time;

use crate::{answer::Failure, app::App, middleware::Peer};

const EVENT_STREAM: &str = "text/event-stream";
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// How often it is looked whether the server is about to stop.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// After how many milliseconds a browser asks again.
const RETRY_MS: u32 = 2_000;

/// Whether this is what is asked for.
pub(super) fn are_wanted(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted
        .any(|value| value.split(',').any(|one| one.split(';').next().is_some_and(|one| one.trim() == EVENT_STREAM)))
}

/// The stream. It ends when the session does, or when the server is about to stop.
pub(super) async fn events(
    app: App,
    (caller, peer): (&Caller, Option<&Peer>),
    kind: Option<NoticeKind>,
    headers: &HeaderMap,
) -> Result<Response, Failure> {
    let since = headers.get(LAST_EVENT_ID).map(|value| event_id(value.to_str().unwrap_or("?"))).transpose()?;
    let follower = app.notices.follow_notices(caller, kind, since.flatten()).await?;
    let lasting = peer.and_then(|peer| peer.connection.as_ref()).map(|connection| connection.lasting());
    let frames = stream::unfold((app, follower, lasting), |(app, mut follower, lasting)| async move {
        let frame = frame(&app, &mut follower).await?;
        Some((Ok::<_, Infallible>(frame), (app, follower, lasting)))
    });
    Ok(([(CONTENT_TYPE, EVENT_STREAM)], Body::from_stream(frames)).into_response())
}

/// A browser that has heard of no event yet may send an empty one.
fn event_id(text: &str) -> Result<Option<NoticeEventId>, Error> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some) }
}

async fn frame(app: &App, follower: &mut NoticeFollower) -> Option<Bytes> {
    let mut next = pin!(follower.next());
    let event = loop {
        if app.is_draining() {
            return None;
        }
        if let Ok(event) = time::timeout(LOOK_EVERY, next.as_mut()).await {
            break event?;
        }
    };
    let frame = match event {
        NoticeEvent::Begun(id) => format!("retry: {RETRY_MS}\nid: {id}\nevent: begun\ndata: {{}}\n\n"),
        NoticeEvent::Gap(id) => format!("id: {id}\nevent: gap\ndata: {{}}\n\n"),
        NoticeEvent::Beat => ": nothing new\n\n".to_owned(),
        // JSON has no line feeds but escaped ones.
        NoticeEvent::Notice(id, notice) => {
            format!("id: {id}\nevent: notice\ndata: {}\n\n", serde_json::to_string(&notice).ok()?)
        }
    };
    Some(frame.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_for_who_accepts_them() {
        let accepts = |value: &str| are_wanted(&HeaderMap::from_iter([(ACCEPT, value.parse().unwrap())]));
        assert!(accepts("text/event-stream") && accepts("application/json;q=0.5, text/event-stream;q=1"));
        assert!(!accepts("*/*") && !accepts("application/json") && !are_wanted(&HeaderMap::new()));
    }
}
