//! The headers that every answer has.

use std::{mem, sync::LazyLock};

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use chancery_core::RequestId;

pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What every answer says unless its handler says otherwise: answers are not to be kept, guessed at, framed or run. The
/// request's id takes its place at the end.
static USUAL: LazyLock<HeaderMap> = LazyLock::new(|| {
    const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    let mut headers = HeaderMap::with_capacity(16);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REQUEST_ID, HeaderValue::from_static(""));
    headers
});

static OF_JSON: LazyLock<HeaderMap> = LazyLock::new(|| {
    let mut headers = USUAL.clone();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers
});

/// Those of a JSON answer, all but the id: a copy costs less than to put them together for every answer.
pub(crate) fn of_json() -> HeaderMap {
    OF_JSON.clone()
}

/// Completes the headers of an answer.
pub(crate) fn complete(headers: &mut HeaderMap, id: RequestId) {
    let Ok(id) = HeaderValue::from_bytes(&id.digits()) else { return };
    if let Some(place) = headers.get_mut(REQUEST_ID) {
        *place = id;
    } else {
        // The handler's few join the copy of the usual ones, which costs less than the other way round. `extend` puts
        // the first of each name in the place of a usual one, and keeps those of the same name that follow.
        let own = mem::replace(headers, USUAL.clone());
        headers.extend(own);
        headers.insert(REQUEST_ID, id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_handler_says_counts() {
        let mut of_page = HeaderMap::new();
        of_page.insert(header::CACHE_CONTROL, HeaderValue::from_static("max-age=60"));
        of_page.append(header::SET_COOKIE, HeaderValue::from_static("a=b"));
        of_page.append(header::SET_COOKIE, HeaderValue::from_static("c=d"));
        for (mut headers, kept, cookies) in [(of_page, "max-age=60", 2), (of_json(), "no-store", 0)] {
            complete(&mut headers, RequestId(0xabc));
            assert_eq!(headers[header::CACHE_CONTROL], kept);
            assert_eq!(headers[header::X_FRAME_OPTIONS], "DENY");
            assert_eq!(headers.get_all(header::SET_COOKIE).iter().count(), cookies);
            let ids: Vec<_> = headers.get_all(REQUEST_ID).iter().collect();
            assert_eq!(ids, ["00000000000000000000000000000abc"]);
        }
    }
}
