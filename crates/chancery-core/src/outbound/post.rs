//! One post, mail or message on its way, and what came back.

use std::{borrow::Cow, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chancery_keys::hmac_sha256;
use chancery_types::SyslogTransport;
use zeroize::Zeroizing;

use super::Secrets;
use crate::{Result, base::error::reason};

/// Characters of an answer, or of a reason, that are kept.
const SHOWN_MAX: usize = 300;

/// Bytes of an answer in which these are looked for, so that what was struck out leaves enough.
const LOOKED_AT: usize = 16 * 1024;

/// What is posted.
pub struct Post {
    /// Where.
    pub url: Zeroizing<String>,
    /// Header fields; the content type is JSON unless one of them is it.
    pub headers: Vec<(&'static str, String)>,
    /// JSON, or what a header field says that it is.
    pub body: Vec<u8>,
    /// Bytes of the answer that are read.
    pub answer_max: usize,
    /// How long all of it may take.
    pub wait: Duration,
}

/// What came back.
pub struct Posted {
    /// The HTTP status, or the reply code of SMTP.
    pub status: u16,
    /// The beginning of the body, or what the relay replied.
    pub body: Vec<u8>,
    /// Whether that is all of it: it was neither longer, nor did it break off.
    pub is_whole: bool,
}

/// What is mailed. All words in it are ours.
pub struct Mail {
    /// To whom: one address.
    pub to: String,
    /// What stands before the `@` of its `Message-ID`, in letters, digits, hyphens and dots: what comes twice has the same.
    pub id: String,
    /// When it happened, in milliseconds since 1970 UTC.
    pub at_ms: i64,
    /// One line of ASCII.
    pub subject: String,
    /// Lines of ASCII.
    pub text: String,
    /// How long one step of the exchange may take.
    pub wait: Duration,
}

/// What is sent to a receiver of syslog.
pub struct Syslog {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Messages (RFC 5424).
    pub messages: Vec<String>,
    /// By which protocol it takes them.
    pub transport: SyslogTransport,
    /// How long all of it may take.
    pub wait: Duration,
}

/// What is appended to a file of audit records.
pub struct Append {
    /// The file's name in the folder, without what says its type: ASCII letters, digits, hyphens and underscores.
    pub name: String,
    /// Whole lines.
    pub lines: Vec<u8>,
}

/// How notices and audit records travel. Core knows no HTTP, no SMTP and no TLS.
pub trait NoticeTransport: Send + Sync {
    /// Posts to a webhook and answers what came back, whatever the status. It follows no redirect, and connects only to
    /// addresses that are allowed. It may block.
    ///
    /// # Errors
    /// Whatever was in the way, in words for an administrator.
    fn post(&self, post: Post) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>>;

    /// Whether there is a relay.
    fn sends_mails(&self) -> bool;

    /// Hands a mail to the relay and answers its reply, whatever its code. It may block.
    ///
    /// # Errors
    /// Whatever was in the way, in words for an administrator.
    fn mail(&self, mail: Mail) -> Result<Posted, Box<dyn std::error::Error + Send + Sync>>;

    /// Sends messages over one TLS connection, and waits until the receiver has acknowledged each (RELP), or has closed the
    /// connection as well and so has read all of them (RFC 5425, 4.4). It connects only to addresses that are allowed. It may block.
    ///
    /// # Errors
    /// Whatever was in the way, in words for an administrator.
    fn syslog(&self, syslog: Syslog) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// Appends lines to a file, all of them on the disk before it answers, and none cut: a line that was begun before and not
    /// ended is taken away. It may block.
    ///
    /// # Errors
    /// Whatever was in the way, in words for an administrator.
    fn append(&self, append: Append) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;
}

/// What came of an attempt.
pub(crate) struct Attempt {
    pub(crate) delivered: bool,
    pub(crate) status: Option<u16>,
    /// What was answered, or why nothing was.
    pub(crate) answer: String,
}

impl Attempt {
    /// It was taken, and nothing was answered.
    pub(crate) const fn taken() -> Self {
        Self { delivered: true, status: None, answer: String::new() }
    }

    /// It was not taken, for a reason that may repeat these secrets.
    pub(crate) fn refused(status: Option<u16>, why: &str, secrets: &Secrets) -> Self {
        Self { delivered: false, status, answer: shown(why, secrets) }
    }

    /// Why it was not taken, with the status of this protocol.
    pub(crate) fn why(&self, protocol: &str) -> String {
        let Self { status, answer, .. } = self;
        let text = status.map_or_else(|| answer.clone(), |status| format!("{protocol} {status} {answer}"));
        text.trim_end().to_owned()
    }
}

/// What an answer came to: that of a webhook or of a relay is good from 200 to 299. It may repeat these secrets.
pub(crate) fn attempt(
    posted: std::result::Result<Posted, Box<dyn std::error::Error + Send + Sync>>,
    secrets: &Secrets,
) -> Attempt {
    match posted {
        Ok(Posted { status, body, .. }) => Attempt {
            delivered: (200..300).contains(&status),
            status: Some(status),
            answer: shown(&beginning(&body), secrets),
        },
        Err(why) => Attempt::refused(None, &reason(&*why), secrets),
    }
}

/// What is looked at of an answer.
pub(crate) fn beginning(body: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)])
}

/// The header fields of Standard Webhooks: HMAC-SHA-256 over id, time and body.
pub(crate) fn signed(key: &[u8], id: &str, now_s: i64, body: &[u8]) -> Vec<(&'static str, String)> {
    let message = [format!("{id}.{now_s}.").as_bytes(), body].concat();
    let tag = STANDARD.encode(hmac_sha256(key, &message));
    vec![
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", now_s.to_string()),
        ("webhook-signature", format!("v1,{tag}")),
    ]
}

/// A text from outside, without secrets, short and on one line.
fn shown(text: &str, secrets: &Secrets) -> String {
    let visible = |character: char| if chancery_types::hides(character) { ' ' } else { character };
    secrets.struck_out(text).trim().chars().map(visible).take(SHOWN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification (standard-webhooks, "Signature scheme"), with its reference library's result.
    #[test]
    fn the_signature_is_that_of_standard_webhooks() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let body = br#"{"test": 2432232314}"#;
        let headers = signed(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(headers[2].1, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn an_answer_is_kept_short_and_on_one_line() {
        let none = Secrets::default();
        assert_eq!(shown("no\r\nsuch\u{202e}hook\n", &none), "no  such hook");
        assert_eq!(shown(&"x".repeat(1_000), &none).len(), SHOWN_MAX);
        let secrets = Secrets::default().and_key(&[b'k'; 4_096]);
        assert_eq!(shown(&"k".repeat(4_000), &secrets), "…");
    }
}
