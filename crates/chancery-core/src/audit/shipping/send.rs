//! Some items on their way to one receiver.

use std::time::Duration;

use chancery_types::{HashType, wire::audit_targets::SyslogReceiver};
use chancery_verify::hexadecimal;
use zeroize::Zeroizing;

use super::{
    item::Item,
    otlp,
    stored_target::{Receiver, StoredTarget},
    syslog,
};
use crate::{
    Audit, Error, Result,
    base::error::reason,
    context::storage::host_name,
    outbound::{Append, Attempt, Post, Secrets, Syslog, attempt, signed},
};

/// Why nothing was sent.
type Refusal = Box<dyn std::error::Error + Send + Sync>;

impl Audit {
    /// Sends items to a target, and answers what came of it. An error is ours: there is no room, or no transport.
    pub(super) async fn send_to_target(&self, target: &StoredTarget, items: Vec<Item>) -> Result<Attempt> {
        let transport = self.context.outbound.transport()?;
        let (wait, answer_max) = (self.context.limits.notices.wait_max, self.context.limits.notices.answer_max);
        let secret = self.open_target_secret(target)?;
        let (now_ms, host) = (self.context.clock.now_ms(), host_name());
        let ledger = self.ledger.0.key.name().to_owned();
        let receiver = target.receiver.clone();
        let pool = &self.shipping.pool;
        match receiver {
            Receiver::Syslog(receiver) => {
                let messages = syslog::messages(&items, receiver.body, &host, &ledger)?;
                let SyslogReceiver { host, port, transport: by, body: _ } = receiver;
                let syslog = Syslog { host, port, messages, transport: by, wait };
                Ok(of_nothing_answered(pool.run(move || transport.syslog(syslog)).await?))
            }
            Receiver::Webhook(receiver) => {
                let body = webhook_body(&items, &ledger);
                let key = secret.ok_or_else(|| Error::internal("a webhook has a secret"))?;
                let headers = signed(&key, &batch_id(&items), now_ms.div_euclid(1_000), &body);
                let secrets = Secrets::default().and_query(&receiver.url).and_key(&key);
                let post = post(receiver.url, headers, body, (answer_max, wait));
                Ok(attempt(pool.run(move || transport.post(post)).await?, &secrets))
            }
            Receiver::Otlp(receiver) => {
                let body = otlp::body(&items, &host, &ledger, now_ms)?;
                let secrets = Secrets::default().and_query(&receiver.url);
                let secrets = secret.iter().fold(secrets, |secrets, token| secrets.and_key(token));
                let answer_max = answer_max.max(otlp::ANSWER_MAX);
                let post = post(receiver.url, bearer(secret)?, body, (answer_max, wait));
                let posted = pool.run(move || transport.post(post)).await?;
                let not_taken = posted.as_ref().ok().and_then(otlp::not_taken);
                let attempt = attempt(posted, &secrets);
                let refused = |why: String| Attempt::refused(attempt.status, &why, &secrets);
                Ok(not_taken.filter(|_| attempt.delivered).map(refused).unwrap_or(attempt))
            }
            Receiver::File(receiver) => {
                let append = Append { name: receiver.name, lines: lines(&items) };
                Ok(of_nothing_answered(pool.run(move || transport.append(append)).await?))
            }
        }
    }
}

/// What came of what has no answer.
fn of_nothing_answered(sent: std::result::Result<(), Refusal>) -> Attempt {
    let refused = |why: Refusal| Attempt::refused(None, &reason(&*why), &Secrets::default());
    sent.map_or_else(refused, |()| Attempt::taken())
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

/// What a post is known by: a hash over the ids of all its items, each of which stands for one content. So the same post has
/// the same id, and no other has it. There is no dot in it, as it is signed with dots around.
fn batch_id(items: &[Item]) -> String {
    let ids: Vec<_> = items.iter().flat_map(|item| item.uuid.into_bytes()).collect();
    format!("msg_{}", hexadecimal(chancery_keys::hash(HashType::Sha2_256, &ids).as_bytes()))
}

/// Each item on a line, as it stands in a webhook's body.
fn lines(items: &[Item]) -> Vec<u8> {
    items.iter().flat_map(|item| (item.posted() + "\n").into_bytes()).collect()
}

fn webhook_body(items: &[Item], ledger: &str) -> Vec<u8> {
    let items: Vec<_> = items.iter().map(Item::posted).collect();
    let ledger = serde_json::Value::from(ledger);
    format!("{{\"ledger\":{ledger},\"items\":[{}]}}", items.join(",")).into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A checkpoint counts as an item, too: once its place is a record's, it is another post.
    #[test]
    fn an_id_stands_for_one_content() {
        let item = |text: &str| Item::of_checkpoint(text, 1);
        let id = |texts: &[&str]| batch_id(&texts.iter().map(|text| item(text)).collect::<Vec<_>>());
        let first = id(&["306", "307", "checkpoint"]);
        assert_eq!(first, id(&["306", "307", "checkpoint"]));
        for other in [&["306", "307", "308"][..], &["306", "307"], &["307", "306", "checkpoint"]] {
            assert_ne!(first, id(other), "{other:?}");
        }
        assert!(first.starts_with("msg_") && !first.contains('.'), "{first}");
    }
}
