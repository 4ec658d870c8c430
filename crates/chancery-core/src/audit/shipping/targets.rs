//! `/api/v2/audit/targets` behind the door.

use std::mem;

use chancery_store::{
    Tx, name_key,
    tables::{self, audit_ledger, audit_targets as table},
};
use chancery_types::{
    Action, AuditTargetId, Perm,
    wire::{
        Empty, ListQuery, Results,
        audit_targets::{
            AuditTarget, AuditTargetTested, CreateAuditTarget, FileReceiver, HttpReceiver, PatchAuditTarget,
            ShippingState, SyslogReceiver,
        },
    },
};
use serde_json::json;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    item::Item,
    stored_target::{Receiver, StoredTarget, shown},
};
use crate::{
    Audit, Caller, Error, Event, Grant, Result,
    base::{
        list::Page,
        text::{check_name, check_renamed},
    },
    identity::name_taken,
    outbound::{Attempt, check_key, check_url},
};

/// Bytes of a token of OTLP.
const TOKEN_MAX: usize = 4_096;

/// Characters of a file's name.
const FILE_NAME_MAX: usize = 64;

/// Who may see where the records go, and how far they are.
const READERS: [Perm; 2] = [Perm::SystemManage, Perm::AuditRead];

impl Audit {
    /// Makes a target. What Chancery records leaves it by that, so it takes two persons.
    pub async fn create_audit_target(&self, caller: &Caller, request: CreateAuditTarget) -> Result<AuditTarget> {
        let id = AuditTargetId::from_random(chancery_keys::random());
        let grant = self.grant_audit_targets(caller, Action::AuditTargetCreate, None).await?;
        let CreateAuditTarget { name, syslog, webhook, otlp, file, secret, enabled, first_sequence } = request;
        check_name("/name", &name, &self.context.limits)?;
        let receiver = one_of(syslog, webhook, otlp, file)?
            .ok_or_else(|| Error::value("/webhook", "A target needs `syslog`, `webhook`, `otlp` or `file`."))?;
        let secret = secret.map(|secret| Zeroizing::new(secret.0));
        check_receiver(&receiver)?;
        check_secret(&receiver, secret.as_deref().map(Vec::as_slice))?;
        let row = table::Row {
            id: id.into(),
            name_key: name_key(&name),
            name,
            is_enabled: enabled.unwrap_or(true),
            content: String::new(),
            secret: secret.map(|secret| self.seal_target_secret(id, &secret)).transpose()?,
            created_at_ms: self.context.clock.now_ms(),
        };
        let mut detail =
            json!({"name": row.name, "receiver": receiver.in_records(None), "firstSequence": first_sequence});
        if !row.is_enabled {
            detail["enabled"] = json!(false);
        }
        let event = Event::new(Action::AuditTargetCreate).on(Uuid::from(id)).detail(detail);
        let max = self.context.limits.notices.targets_max;
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    tables::turns::take(tx, "audit targets").await?;
                    if table::count(tx).await? >= i64::from(max) {
                        let message =
                            format!("There are {max} targets of the audit records already; no more are taken.");
                        return Err(Error::too_large("", message));
                    }
                    check_alone(tx, row.id, &receiver).await?;
                    let first = first_leaf(tx, first_sequence).await?;
                    let row = StoredTarget { row, receiver }.into_row()?;
                    table::insert(tx, &row).await.map_err(name_taken)?;
                    table::begin(tx, row.id, first).await?;
                    let shipping = state(tx, row.id).await?;
                    Ok(StoredTarget::from_row(row)?.body(shipping))
                })
            })
            .await
    }

    /// The targets that there are, by name.
    pub async fn audit_targets(&self, caller: &Caller, query: &ListQuery) -> Result<Results<AuditTarget>> {
        let grant = self.context.grant_any(caller, &READERS, Action::AuditTargetRead, None).await?;
        let page = Page::of(query, &self.context.limits)?;
        let (term, rows) = (page.term(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                let listed = table::list(tx, term.as_deref(), &rows).await?;
                let mut states = Vec::with_capacity(listed.rows.len());
                for row in &listed.rows {
                    states.push(state(tx, row.id).await?);
                }
                Ok((listed, states))
            })
        });
        let (listed, states) = listed.await?;
        let mut states = states.into_iter();
        page.answer(listed, |row| Ok(StoredTarget::from_row(row)?.body(states.next().unwrap_or_default())))
    }

    /// One target; never its secret.
    pub async fn audit_target(&self, caller: &Caller, id: AuditTargetId) -> Result<AuditTarget> {
        let grant = self.context.grant_any(caller, &READERS, Action::AuditTargetRead, Some(id.into())).await?;
        self.context
            .storage
            .read(&grant, move |tx| Box::pin(async move { Ok(load(tx, id).await?.body(state(tx, id.into()).await?)) }))
            .await
    }

    /// Changes a target. It has the records as far as before, and is tried again at once.
    pub async fn change_audit_target(
        &self,
        caller: &Caller,
        id: AuditTargetId,
        request: PatchAuditTarget,
    ) -> Result<AuditTarget> {
        let grant = self.grant_audit_targets(caller, Action::AuditTargetChange, Some(id)).await?;
        let PatchAuditTarget { name, syslog, webhook, otlp, file, secret, enabled } = request;
        let StoredTarget { row: before, receiver } =
            self.context.storage.read(&grant, move |tx| Box::pin(load(tx, id))).await?;
        name.as_ref().map_or(Ok(()), |name| check_renamed("/name", name, &before.name, &self.context.limits))?;
        let was = receiver.clone();
        let receiver = changed(receiver, one_of(syslog, webhook, otlp, file)?)?;
        check_receiver(&receiver)?;
        if before.secret.is_some() && secret.is_none() {
            check_stays(&was, &receiver)?;
        }
        let mut sealed = before.secret.clone();
        if let Some(secret) = secret.map(|secret| Zeroizing::new(secret.0)) {
            check_secret(&receiver, Some(&secret))?;
            sealed = Some(self.seal_target_secret(id, &secret)?);
        }
        let ((event, told), limits) = (event(Action::AuditTargetChange, id).told(), self.context.limits.clone());
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    tables::turns::take(tx, "audit targets").await?;
                    check_alone(tx, id.into(), &receiver).await?;
                    let old = load(tx, id).await?;
                    if old.row != before {
                        return Err(Error::state("The target was changed by somebody else at the same time."));
                    }
                    let row = table::Row {
                        name: name.unwrap_or_else(|| before.name.clone()),
                        is_enabled: enabled.unwrap_or(before.is_enabled),
                        secret: sealed,
                        ..before
                    };
                    let new = StoredTarget { row, receiver };
                    let state_of = ShippingState::default;
                    let is = new.in_records(Some(&old.receiver), state_of());
                    told.changed(&old.in_records(None, state_of()), &is, &limits)?;
                    let is = new.body(state_of());
                    table::update(tx, &new.into_row()?).await.map_err(name_taken)?;
                    table::try_at_once(tx, id.into()).await?;
                    Ok(AuditTarget { shipping: state(tx, id.into()).await?, ..is })
                })
            })
            .await
    }

    /// Removes a target, and how far it has the records.
    pub async fn delete_audit_target(&self, caller: &Caller, id: AuditTargetId) -> Result<Empty> {
        let grant = self.grant_audit_targets(caller, Action::AuditTargetDelete, Some(id)).await?;
        let ((event, told), limits) = (event(Action::AuditTargetDelete, id).told(), self.context.limits.clone());
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    let before = load(tx, id).await?.in_records(None, state(tx, id.into()).await?);
                    told.changed(&before, &Empty {}, &limits)?;
                    table::end(tx, id.into()).await?;
                    table::delete(tx, id.into()).await?;
                    Ok(Empty {})
                })
            })
            .await
    }

    /// Sends something that is no record to a target at once, and answers what came back. It is recorded.
    pub async fn test_audit_target(&self, caller: &Caller, id: AuditTargetId) -> Result<AuditTargetTested> {
        let grant = self.grant_audit_targets(caller, Action::AuditTargetTest, Some(id)).await?;
        let target = self.context.storage.read(&grant, move |tx| Box::pin(load(tx, id))).await?;
        let items = vec![Item::test(self.context.clock.now_ms())];
        let Attempt { delivered, status, answer } = self.send_to_target(&target, items).await?;
        let detail = json!({"name": target.row.name, "delivered": delivered, "status": status});
        let event = event(Action::AuditTargetTest, id).detail(detail);
        self.context.commit(&grant, event, |_| Box::pin(async { Ok(()) })).await?;
        Ok(AuditTargetTested { delivered, status, answer })
    }

    /// Whoever decides where the records go are two persons.
    async fn grant_audit_targets(&self, caller: &Caller, action: Action, id: Option<AuditTargetId>) -> Result<Grant> {
        let alone = "Where audit records go is decided by two persons in one session.";
        self.context.grant_to_two(caller, Perm::SystemManage, (action, id.map(Uuid::from)), alone).await
    }
}

fn event(action: Action, id: AuditTargetId) -> Event {
    Event::new(action).on(Uuid::from(id))
}

async fn load(tx: &mut Tx, id: AuditTargetId) -> Result<StoredTarget> {
    let row = table::by_id(tx, id.into()).await?;
    StoredTarget::from_row(row.ok_or_else(|| Error::not_found("target of the audit records"))?)
}

/// How far a target has the records.
async fn state(tx: &mut Tx, target: Uuid) -> Result<ShippingState> {
    let Some(state) = table::state(tx, target).await? else { return Ok(ShippingState::default()) };
    Ok(shown(state, audit_ledger::leaves(tx).await?))
}

/// The first leaf that a target gets: what was removed is not to be had.
async fn first_leaf(tx: &mut Tx, asked: Option<u64>) -> Result<i64> {
    let leaves = audit_ledger::leaves(tx).await?;
    let Some(asked) = asked else { return Ok(leaves) };
    let first = i64::try_from(asked).ok().filter(|first| *first <= leaves);
    let removed = audit_ledger::removed(tx).await?;
    first.map(|first| first.max(removed)).ok_or_else(|| {
        Error::value("/firstSequence", format!("The next record has the sequence {leaves}; none is higher yet."))
    })
}

/// At most one of them.
fn one_of(
    syslog: Option<SyslogReceiver>,
    webhook: Option<HttpReceiver>,
    otlp: Option<HttpReceiver>,
    file: Option<FileReceiver>,
) -> Result<Option<Receiver>> {
    let (otlp, webhook) = (otlp.map(Receiver::Otlp), webhook.map(Receiver::Webhook));
    let mut given = [syslog.map(Receiver::Syslog), otlp, webhook, file.map(Receiver::File)].into_iter().flatten();
    let first = given.next();
    match given.next() {
        Some(second) => Err(Error::value(second.field(), "A target is one of `syslog`, `webhook`, `otlp` and `file`.")),
        None => Ok(first),
    }
}

/// Where a target is from now on. Its secret is for its kind, so it stays of that.
fn changed(before: Receiver, asked: Option<Receiver>) -> Result<Receiver> {
    let Some(asked) = asked else { return Ok(before) };
    if mem::discriminant(&before) != mem::discriminant(&asked) {
        return Err(Error::value(asked.field(), "A target stays of its kind: make another one."));
    }
    Ok(asked)
}

/// Two targets that write into one file would mix their records.
async fn check_alone(tx: &mut Tx, target: Uuid, receiver: &Receiver) -> Result<()> {
    let Receiver::File(FileReceiver { name }) = receiver else { return Ok(()) };
    for row in table::all(tx).await? {
        let StoredTarget { row, receiver } = StoredTarget::from_row(row)?;
        // Some systems have files whose names differ in letter case for one.
        if let Receiver::File(other) = receiver
            && row.id != target
            && other.name.eq_ignore_ascii_case(name)
        {
            return Err(Error::value("/file/name", format!("The target {} has this file.", row.name)));
        }
    }
    Ok(())
}

/// A secret that is stored goes to nobody whom it was not given for: whoever does not know it could have it sent to a host of
/// his own.
fn check_stays(was: &Receiver, is: &Receiver) -> Result<()> {
    if was.url().map(origin) == is.url().map(origin) {
        return Ok(());
    }
    let field = match is {
        Receiver::Syslog(_) | Receiver::File(_) => return Ok(()),
        Receiver::Webhook(_) => "/webhook/url",
        Receiver::Otlp(_) => "/otlp/url",
    };
    Err(Error::value(field, "Another host or port takes the secret anew: say `secret` as well."))
}

/// Host and port of an address of https.
fn origin(url: &str) -> (String, u16) {
    const HTTPS: u16 = 443;
    let rest = url.strip_prefix("https://").unwrap_or(url);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // An address of IPv6 has colons between brackets.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().unwrap_or_default()),
        _ => (authority, HTTPS),
    };
    (host.to_ascii_lowercase(), port)
}

/// Whether it may be sent to is found out when its name is resolved.
fn check_receiver(receiver: &Receiver) -> Result<()> {
    let SyslogReceiver { host, port, .. } = match receiver {
        Receiver::Webhook(receiver) => return check_url("/webhook/url", &receiver.url),
        Receiver::Otlp(receiver) => return check_url("/otlp/url", &receiver.url),
        Receiver::File(receiver) => return check_file_name(&receiver.name),
        Receiver::Syslog(receiver) => receiver,
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
    // A port has a member of its own.
    let is_address = !host.contains(':') || host.parse::<std::net::Ipv6Addr>().is_ok();
    if host.is_empty() || host.len() > 253 || !host.bytes().all(is_plain) || !is_address {
        let message = "This is a name such as logs.example.org, or an address such as 192.0.2.1 or 2001:db8::1; the port is in `port`.";
        return Err(Error::value("/syslog/host", message));
    }
    if *port == 0 {
        return Err(Error::value("/syslog/port", "A port is a number from 1 to 65535."));
    }
    Ok(())
}

/// It names a file of one folder, and none that is hidden or looks like an option.
fn check_file_name(name: &str) -> Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if name.is_empty() || name.len() > FILE_NAME_MAX || name.starts_with('-') || !name.bytes().all(is_plain) {
        let message = format!(
            "This is the name of a file without `.jsonl`: 1 to {FILE_NAME_MAX} letters, digits, hyphens and underscores of ASCII, \
             the first one no hyphen; its folder is the server's --audit-files."
        );
        return Err(Error::value("/file/name", message));
    }
    Ok(())
}

fn check_secret(receiver: &Receiver, secret: Option<&[u8]>) -> Result<()> {
    match (receiver, secret) {
        (Receiver::Webhook(_), Some(key)) => check_key(key),
        (Receiver::Webhook(_), None) => {
            Err(Error::value("/secret", "A webhook needs a secret, by which posts are signed."))
        }
        (Receiver::Syslog(_), Some(_)) => Err(Error::value("/secret", "A receiver of syslog has no secret.")),
        (Receiver::File(_), Some(_)) => Err(Error::value("/secret", "A file has no secret.")),
        (Receiver::Otlp(_), Some(token))
            if token.is_empty() || token.len() > TOKEN_MAX || !token.iter().all(u8::is_ascii_graphic) =>
        {
            let message = format!("A token has 1 to {TOKEN_MAX} printable characters of ASCII, without spaces.");
            Err(Error::value("/secret", message))
        }
        (Receiver::Syslog(_) | Receiver::File(_), None) | (Receiver::Otlp(_), _) => Ok(()),
    }
}
