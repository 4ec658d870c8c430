//! What leaves the server: how posts, mails and messages travel, and what an attempt came to. Core knows no HTTP, no SMTP and
//! no TLS.

mod address;
mod delay;
mod post;
mod secrets;

use std::sync::Arc;

use crate::{Error, Result};

pub use self::post::{Append, Mail, NoticeTransport, Post, Posted, Syslog};
pub(crate) use self::{
    address::{changed_url_in_records, check_key, check_url, url_in_records},
    delay::{delay_ms, jitter, next_delay_ms},
    post::{Attempt, attempt, beginning, signed},
    secrets::Secrets,
};

/// By what things leave, and what they say of where people find more.
pub(crate) struct Outbound {
    transport: Option<Arc<dyn NoticeTransport>>,
    console: Option<String>,
}

impl Outbound {
    pub(crate) fn new(transport: Option<Arc<dyn NoticeTransport>>, console: Option<String>) -> Self {
        let console = console.map(|console| console.trim_end_matches('/').to_owned());
        Self { transport, console }
    }

    /// What sends, on a server that does.
    pub(crate) fn transport(&self) -> Result<Arc<dyn NoticeTransport>> {
        let transport = self.transport.clone();
        let message =
            "Nothing is delivered from here: a command on the host never does, nor a server with --no-deliveries.";
        transport.ok_or_else(|| Error::state(message))
    }

    /// Where people reach the console, where that was said; without a slash at its end.
    pub(crate) fn console(&self) -> Option<&str> {
        self.console.as_deref()
    }

    /// Whether mails can be sent.
    pub(crate) fn sends_mails(&self) -> bool {
        self.transport.as_ref().is_some_and(|transport| transport.sends_mails())
    }
}
