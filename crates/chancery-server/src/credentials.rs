//! What a request shows to say who calls: a bearer token or the session cookie.

use axum::http::{HeaderValue, Method, Uri, header, request::Parts};
use chancery_core::{Credentials, Error};

use crate::session_cookie;

/// The credentials of a request. If there is an Authorization header it alone decides, whatever it says.
pub(crate) fn of(parts: &Parts) -> Result<Credentials<'_>, Error> {
    let mut values = parts.headers.get_all(header::AUTHORIZATION).iter();
    if let Some(value) = values.next() {
        let bearer = if values.next().is_none() { bearer(value) } else { None };
        // A header that carries none is a token that is none of ours: refused, and counted, by the one who looks at it.
        return Ok(Credentials::Bearer(bearer.unwrap_or_default().into()));
    }
    let Some(cookie) = session_cookie::read(&parts.headers) else { return Ok(Credentials::None) };
    check_same_origin(parts)?;
    Ok(Credentials::Cookie(cookie.into()))
}

const SCHEME: &str = "Bearer ";

/// The token of the one Authorization header, if its scheme is Bearer (RFC 6750, 2.1; the scheme in any letter case).
fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = str::from_utf8(value.as_bytes()).ok()?.split_at_checked(SCHEME.len())?;
    scheme.eq_ignore_ascii_case(SCHEME).then(|| token.trim())
}

/// Refuses a call that a page of another origin made: a browser sends the cookie along without asking, and to a page of
/// another origin of this site SameSite=Strict makes no difference. Also a GET may do something: an export is recorded in the
/// names of the session. What sends neither header is no browser, or one that keeps SameSite=Strict.
pub(crate) fn check_same_origin(parts: &Parts) -> Result<(), Error> {
    let site_is_ours = match parts.headers.get("sec-fetch-site") {
        None => true,
        Some(site) => site == "same-origin" || site == "none",
    };
    // Browsers do not send it with every GET, so it is no more than a second look at what changes something.
    let is_write = parts.method != Method::GET && parts.method != Method::HEAD;
    let origin_is_ours = match parts.headers.get(header::ORIGIN).filter(|_| is_write) {
        None => true,
        Some(origin) => own_origin(parts).is_some_and(|own| origin.as_bytes().eq_ignore_ascii_case(own.as_bytes())),
    };
    if site_is_ours && origin_is_ours {
        return Ok(());
    }
    Err(Error::forbidden("A page of another origin must send a bearer token, not the session cookie."))
}

/// The origin that the request was sent to. The session cookie is sent over TLS only.
fn own_origin(parts: &Parts) -> Option<String> {
    let from_host = || parts.headers.get(header::HOST)?.to_str().ok().map(str::to_owned);
    let authority = Uri::authority(&parts.uri).map(ToString::to_string).or_else(from_host)?;
    let host = authority.strip_suffix(":443").unwrap_or(&authority);
    Some(format!("https://{host}"))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn credentials(method: &str, headers: &[(&str, &str)]) -> Result<Credentials<'static>, Error> {
        let mut request = Request::builder().method(method).uri("/api/v2/x").header("Host", "kms.example:8443");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        of(&request.body(()).unwrap().into_parts().0).map(Credentials::into_owned)
    }

    const COOKIE: (&str, &str) = ("Cookie", "a=b; __Host-chancery=s3ss10n");

    #[test]
    fn a_bearer_header_alone_decides() {
        let (bearer, nothing) = (Credentials::Bearer("abc".into()), Credentials::Bearer("".into()));
        assert_eq!(credentials("POST", &[("Authorization", "Bearer abc"), COOKIE]).unwrap(), bearer);
        assert_eq!(credentials("POST", &[("Authorization", "bEARER  abc ")]).unwrap(), bearer);
        for bad in ["", "Bearer", "Basic abc", "Bearer\u{e9} abc"] {
            assert_eq!(credentials("POST", &[("Authorization", bad), COOKIE]).unwrap(), nothing, "{bad}");
        }
        let twice = [("Authorization", "Bearer abc"), ("Authorization", "Bearer abc")];
        assert_eq!(credentials("POST", &twice).unwrap(), nothing);
    }

    #[test]
    fn the_cookie_counts_where_no_other_origin_made_the_call() {
        let cookie = Credentials::Cookie("s3ss10n".into());
        for ours in [
            &[COOKIE][..],
            &[COOKIE, ("Origin", "https://KMS.example:8443"), ("Sec-Fetch-Site", "same-origin")],
            &[COOKIE, ("Sec-Fetch-Site", "none")],
        ] {
            assert_eq!(credentials("POST", ours).unwrap(), cookie, "{ours:?}");
        }
        for foreign in [
            [COOKIE, ("Origin", "https://evil.example:8443")],
            [COOKIE, ("Origin", "https://kms.example")],
            [COOKIE, ("Origin", "http://kms.example:8443")],
            [COOKIE, ("Origin", "null")],
        ] {
            assert!(credentials("POST", &foreign).is_err(), "{foreign:?}");
            assert_eq!(credentials("GET", &foreign).unwrap(), cookie, "older browsers: {foreign:?}");
        }
        for site in ["cross-site", "same-site"] {
            for method in ["GET", "HEAD", "POST", "DELETE"] {
                let said = ("Sec-Fetch-Site", site);
                assert!(credentials(method, &[COOKIE, said]).is_err(), "{method} {site}");
                let bearer = credentials(method, &[("Authorization", "Bearer abc"), COOKIE, said]);
                assert_eq!(bearer.unwrap(), Credentials::Bearer("abc".into()), "{method} {site}");
                assert_eq!(credentials(method, &[said]).unwrap(), Credentials::None, "{method} {site}");
            }
        }
        assert_eq!(credentials("POST", &[("Cookie", "other=1")]).unwrap(), Credentials::None);
    }
}
