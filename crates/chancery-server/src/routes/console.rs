//! The web console: a page and its files, which call the same interface as every client. Nothing here knows who asks.

use std::{collections::HashMap, str::FromStr, sync::LazyLock};

use axum::{
    http::{
        HeaderMap, HeaderName, HeaderValue,
        header::{ACCEPT, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY},
    },
    response::{IntoResponse, Response},
};
use chancery_core::{Error, RequestId};

use crate::{answer::Failure, extract::InPath, middleware::no_such_path, static_text::StaticText};

/// Name, type and content of everything in `console/`, by the build script.
const FILES: &[(&str, &str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/console_files.rs"));

const START: &str = "index.html";
/// The page about the interface, which needs no login.
const DOCUMENTATION: &str = "docs/index.html";

/// Scripts, styles and calls of this server only; no script that is written in the page, none that is made of text
/// (Trusted Types without a policy), no form that sends by itself, no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// What a program reads that asks for the start and wants no page.
const FOR_PROGRAMS: &str = "Chancery, a key-management server. This is its console, for browsers.\n\
                            Programs begin at /openapi.json, people who write them at /docs.\n";

/// A file of the console.
struct File {
    content_type: &'static str,
    text: StaticText,
}

static BY_NAME: LazyLock<HashMap<&str, File>> = LazyLock::new(|| {
    let file = |&(name, content_type, bytes)| (name, File { content_type, text: StaticText::new(bytes) });
    FILES.iter().map(file).collect()
});

/// A file that there is.
pub(crate) struct Known(&'static File);

impl FromStr for Known {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        BY_NAME.get(name).map(Self).ok_or(())
    }
}

/// Whether it is a browser that asks for a page.
pub(crate) fn is_browser(headers: &HeaderMap) -> bool {
    let mut accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepts.any(|value| value.contains("text/html"))
}

/// The console's page for a browser; a word on where to begin for anybody else.
pub(crate) async fn start(headers: HeaderMap) -> Result<Response, Failure> {
    let mut answer = if is_browser(&headers) {
        page(START, &headers).await?
    } else {
        ([(CONTENT_TYPE, "text/plain; charset=utf-8")], FOR_PROGRAMS).into_response()
    };
    answer.headers_mut().append(VARY, ACCEPT.into());
    Ok(answer)
}

/// The console's page, which says what was refused, in the place of the usual answer and with its status and headers. No script
/// has called, so none could show it.
pub(crate) fn refused(refusal: &Error, id: RequestId, usual: Response) -> Response {
    let Some(page) = BY_NAME.get(START).and_then(|page| str::from_utf8(page.text.bytes()).ok()) else { return usual };
    let told = serde_json::json!({
        "status": usual.status().as_u16(),
        "errorCode": refusal.meaning().error_code(),
        "message": refusal.message(),
        "requestId": id.to_string(),
        "retryAfter": refusal.retry_after_s(),
    });
    let meta = format!("<meta name=\"refusal\" content=\"{}\">\n</head>", escaped(&told.to_string()));
    let (mut head, _) = usual.into_parts();
    for (name, value) in about("text/html; charset=utf-8") {
        head.headers.insert(name, HeaderValue::from_static(value));
    }
    head.headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, page.replacen("</head>", &meta, 1).into())
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            letter => safe.push(letter),
        }
    }
    safe
}

/// The page about the interface.
pub(crate) async fn documentation(headers: &HeaderMap) -> Result<Response, Failure> {
    page(DOCUMENTATION, headers).await
}

async fn page(name: &str, headers: &HeaderMap) -> Result<Response, Failure> {
    let Some(page) = BY_NAME.get(name) else { return Err(no_such_path().await) };
    Ok(answer(page, headers))
}

/// One of its files.
pub(crate) async fn file(InPath(Known(file)): InPath<Known>, headers: HeaderMap) -> Response {
    answer(file, &headers)
}

/// What every file of the console says of itself.
const fn about(content_type: &'static str) -> [(HeaderName, &'static str); 4] {
    const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
    const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
    [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
        (CROSS_ORIGIN_RESOURCE_POLICY, "same-origin"),
        (CONTENT_TYPE, content_type),
    ]
}

fn answer(file: &'static File, headers: &HeaderMap) -> Response {
    (about(file.content_type), file.text.answer(headers)).into_response()
}
