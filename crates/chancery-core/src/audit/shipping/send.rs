//! Some items on their way to one receiver.

use std::time::Duration;

use zeroize::Zeroizing;

use super::{
    item::Item,
    otlp,
    stored_target::{Receiver, StoredTarget},
    syslog,
};
use crate::{
    Chancery, Error, Result,
    error::reason,
    notices::{Attempt, Post, Syslog, attempt, signed},
    storage::host_name,
};

impl Chancery {
    /// Sends items to a target, and answers what came of it. An error is ours: there is no room, or no transport.
    pub(super) async fn send_to_target(&self, target: &StoredTarget, items: Vec<Item>) -> Result<Attempt> {
        let transport = self.notices.transport()?;
        let (wait, answer_max) = (self.limits.notices.wait_max, self.limits.notices.answer_max);
        let secret = self.open_target_secret(target)?;
        let (now_ms, host) = (self.clock.now_ms(), host_name());
        let ledger = self.ledger.0.key.name().to_owned();
        let receiver = target.receiver.clone();
        let pool = &self.shipping.pool;
        match receiver {
            Receiver::Syslog(receiver) => {
                let frames = syslog::frames(&items, receiver.body, &host, &ledger)?;
                let (host, port) = (receiver.host, receiver.port);
                let sent = pool.run(move || transport.syslog(Syslog { host, port, frames, wait })).await?;
                Ok(sent.map_or_else(|why| Attempt::refused(None, &reason(&*why)), |()| Attempt::taken()))
            }
            Receiver::Webhook(receiver) => {
                let body = webhook_body(&items, &ledger);
                let key = secret.ok_or_else(|| Error::internal("a webhook has a secret"))?;
                let headers = signed(&key, &batch_id(&items), now_ms.div_euclid(1_000), &body);
                let post = post(receiver.url, headers, body, (answer_max, wait));
                Ok(attempt(pool.run(move || transport.post(post)).await?))
            }
            Receiver::Otlp(receiver) => {
                let body = otlp::body(&items, &host, &ledger, now_ms)?;
                let post = post(receiver.url, bearer(secret)?, body, (answer_max, wait));
                let posted = pool.run(move || transport.post(post)).await?;
                let rejected = posted.as_ref().ok().and_then(|posted| otlp::rejected(&posted.body));
                let mut attempt = attempt(posted);
                if let Some((count, why)) = rejected.filter(|_| attempt.delivered) {
                    attempt = Attempt::refused(attempt.status, &format!("{count} records were rejected: {why}"));
                }
                Ok(attempt)
            }
        }
    }
}

fn post(
    url: String,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
    (answer_max, wait): (usize, Duration),
) -> Post {
    Post { url: Zeroizing::new(url), headers, body, answer_max, wait }
}

/// The token of a collector.
fn bearer(token: Option<Zeroizing<Vec<u8>>>) -> Result<Vec<(&'static str, String)>> {
    let Some(token) = token else { return Ok(Vec::new()) };
    let token = std::str::from_utf8(&token).map_err(Error::internal)?;
    Ok(vec![("authorization", format!("Bearer {token}"))])
}

/// What a post is known by: the first of its items and how many there are, so that the same post has the same id.
fn batch_id(items: &[Item]) -> String {
    let first = items.first().map(|item| item.uuid.to_string()).unwrap_or_default();
    format!("{first}.{}", items.len())
}

fn webhook_body(items: &[Item], ledger: &str) -> Vec<u8> {
    let items: Vec<_> = items.iter().map(Item::posted).collect();
    let ledger = serde_json::Value::from(ledger);
    format!("{{\"ledger\":{ledger},\"items\":[{}]}}", items.join(",")).into_bytes()
}
