//! `/api/v2/notice-targets` and `/api/v2/notices/undelivered` behind the door.

use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    Action, IdentityId, NoticeTargetId, Perm, ServiceId, WebhookShape,
    wire::{
        Empty, Items, ListQuery, ObjInfo, Results,
        notices::{
            CreateNoticeTarget, DeliveryState, Mailbox, NoticeTarget, NoticeTested, PatchNoticeTarget,
            UndeliveredNotice, UndeliveredQuery, Webhook,
        },
    },
};
use serde_json::json;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    mail::check_address,
    personal,
    stored_target::{Access, Content, StoredTarget, shown_url},
};
use crate::{
    Caller, Error, Event, Grant, Notices, Result,
    base::{
        list::{InOrder, Page, items},
        text::{check_name, check_renamed},
    },
    context::record::{Draft, QUEUE},
    identity::name_taken,
    outbound::{Attempt, check_key, check_url, url_in_records},
    time::rfc3339_ms,
};

/// Services that one target may choose.
const SERVICES_MAX: usize = 100;

impl Notices {
    /// Makes a target. What Chancery tells leaves it by that, so it takes two persons.
    pub async fn create_notice_target(&self, caller: &Caller, request: CreateNoticeTarget) -> Result<NoticeTarget> {
        let id = NoticeTargetId::from_random(chancery_keys::random());
        let grant = self.grant_notices(caller, Action::NoticeTargetCreate, None).await?;
        let CreateNoticeTarget { name, webhook, email, secret, kinds, service_uuids, enabled } = request;
        check_name("/name", &name, &self.context.limits)?;
        let secret = secret.map(|secret| Zeroizing::new(secret.0));
        let access = Access::of(webhook.as_ref(), secret);
        check_where(webhook.as_ref(), email.as_ref(), &access)?;
        let sealed = self.seal_access(id, &access)?;
        let webhook = webhook.map(|webhook| Webhook { url: shown_url(&webhook), ..webhook });
        let content = Content { webhook, email, has_secret: access.secret.is_some(), kinds, services: service_uuids };
        let row = tables::notice_targets::Row {
            id: id.into(),
            name_key: name_key(&name),
            name,
            is_enabled: enabled.unwrap_or(true),
            content: String::new(),
            secret: Some(sealed),
            created_at_ms: self.context.clock.now_ms(),
        };
        let mut detail = json!({"name": row.name, "kinds": content.kinds, "serviceUuids": content.services});
        if let Some(webhook) = &content.webhook {
            (detail["url"], detail["shape"]) = (json!(url_in_records(&webhook.url)), json!(webhook.shape));
        }
        if let Some(email) = &content.email {
            detail["address"] = json!(email.address);
        }
        if !row.is_enabled {
            detail["enabled"] = json!(false);
        }
        let event = Event::new(Action::NoticeTargetCreate).on(Uuid::from(id)).detail(detail);
        let max = self.context.limits.notices.targets_max;
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    tables::turns::take(tx, "notice targets").await?;
                    if tables::notice_targets::count(tx).await? >= i64::from(max) {
                        let message = format!("There are {max} targets of notices already, and no more are taken.");
                        return Err(Error::too_large("", message));
                    }
                    check_services(tx, &content.services).await?;
                    let target = StoredTarget { row, content };
                    let body = target.body(DeliveryState::default());
                    let row = target.into_row()?;
                    tables::notice_targets::insert(tx, &row).await.map_err(name_taken)?;
                    tables::deliveries::begin(tx, QUEUE, row.id).await?;
                    Ok(body)
                })
            })
            .await
    }

    /// The targets that there are, by name.
    pub async fn notice_targets(&self, caller: &Caller, query: &ListQuery) -> Result<Results<NoticeTarget>> {
        let grant = self.context.grant(caller, Perm::SystemManage, Action::NoticeTargetRead, None).await?;
        let page = Page::of(query, &self.context.limits)?;
        let (term, rows) = (page.term(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                let listed = tables::notice_targets::list(tx, term.as_deref(), &rows).await?;
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
    pub async fn notice_target(&self, caller: &Caller, id: NoticeTargetId) -> Result<NoticeTarget> {
        let grant = self.context.grant(caller, Perm::SystemManage, Action::NoticeTargetRead, Some(id.into())).await?;
        self.context
            .storage
            .read(&grant, move |tx| Box::pin(async move { Ok(load(tx, id).await?.body(state(tx, id.into()).await?)) }))
            .await
    }

    /// Changes a target.
    pub async fn change_notice_target(
        &self,
        caller: &Caller,
        id: NoticeTargetId,
        request: PatchNoticeTarget,
    ) -> Result<NoticeTarget> {
        let grant = self.grant_notices(caller, Action::NoticeTargetChange, Some(id)).await?;
        let PatchNoticeTarget { name, webhook, email, secret, kinds, service_uuids, enabled } = request;
        let target = self.context.storage.read(&grant, move |tx| Box::pin(load(tx, id))).await?;
        let mut access = self.open_access(&target)?;
        let StoredTarget { row: before, mut content } = target;
        name.as_ref().map_or(Ok(()), |name| check_renamed("/name", name, &before.name, &self.context.limits))?;
        check_kind(&content, webhook.is_some(), email.is_some())?;
        if let Some(secret) = secret {
            access.secret = Some(Zeroizing::new(secret.0));
        }
        if let Some(webhook) = webhook {
            access.url = Zeroizing::new(webhook.url.clone());
            content.webhook = Some(webhook);
        } else if let Some(webhook) = &mut content.webhook {
            webhook.url.clone_from(&access.url);
        }
        content.email = email.or(content.email);
        check_where(content.webhook.as_ref(), content.email.as_ref(), &access)?;
        content.webhook = content.webhook.map(|webhook| Webhook { url: shown_url(&webhook), ..webhook });
        content.has_secret = access.secret.is_some();
        content.kinds = kinds.unwrap_or(content.kinds);
        content.services = service_uuids.unwrap_or(content.services);
        let sealed = Some(self.seal_access(id, &access)?);
        let ((event, told), limits) =
            (notice_event(Action::NoticeTargetChange, id).told(), self.context.limits.clone());
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    let old = load(tx, id).await?;
                    if old.row != before {
                        return Err(Error::state("The target was changed by somebody else at the same time."));
                    }
                    check_services(tx, &content.services).await?;
                    let row = tables::notice_targets::Row {
                        name: name.unwrap_or_else(|| before.name.clone()),
                        is_enabled: enabled.unwrap_or(before.is_enabled),
                        secret: sealed,
                        ..before
                    };
                    let new = StoredTarget { row, content };
                    told.changed(&old.in_records(None), &new.in_records(Some(&old)), &limits)?;
                    let is = new.body(DeliveryState::default());
                    tables::notice_targets::update(tx, &new.into_row()?).await.map_err(name_taken)?;
                    tables::deliveries::try_at_once(tx, id.into()).await?;
                    Ok(NoticeTarget { deliveries: state(tx, id.into()).await?, ..is })
                })
            })
            .await
    }

    /// Removes a target, and what waits for it.
    pub async fn delete_notice_target(&self, caller: &Caller, id: NoticeTargetId) -> Result<Empty> {
        let grant = self.grant_notices(caller, Action::NoticeTargetDelete, Some(id)).await?;
        let ((event, told), limits) =
            (notice_event(Action::NoticeTargetDelete, id).told(), self.context.limits.clone());
        self.context
            .commit(&grant, event, move |tx| {
                Box::pin(async move {
                    let before = load(tx, id).await?.in_records(None);
                    told.changed(&before, &Empty {}, &limits)?;
                    tables::deliveries::end(tx, id.into()).await?;
                    tables::notice_targets::delete(tx, id.into()).await?;
                    Ok(Empty {})
                })
            })
            .await
    }

    /// Sends a notice of the kind `Test` to a target at once, and answers what came back. It is recorded, and not stored.
    pub async fn test_notice_target(&self, caller: &Caller, id: NoticeTargetId) -> Result<NoticeTested> {
        let grant = self.grant_notices(caller, Action::NoticeTargetTest, Some(id)).await?;
        let target = self.context.storage.read(&grant, move |tx| Box::pin(load(tx, id))).await?;
        let notice = tables::notices::Row { seq: 0, notice: Draft::test().row(self.context.clock.now_ms(), None)? };
        let notice = super::shown(self.context.outbound.console(), notice)?;
        let Attempt { delivered, status, answer } = self.post_notice(&target, &notice).await?;
        let detail = json!({"name": target.row.name, "delivered": delivered, "status": status});
        let event = notice_event(Action::NoticeTargetTest, id).detail(detail);
        self.context.commit(&grant, event, |_| Box::pin(async { Ok(()) })).await?;
        Ok(NoticeTested { uuid: notice.uuid, delivered, status, answer })
    }

    /// What targets have not taken yet, the newest first.
    pub async fn undelivered_notices(
        &self,
        caller: &Caller,
        query: UndeliveredQuery,
    ) -> Result<Items<UndeliveredNotice>> {
        let grant = self.context.grant(caller, Perm::SystemManage, Action::NoticeTargetRead, None).await?;
        let UndeliveredQuery { target_uuid, page, page_size, after } = query;
        let query = ListQuery { page, page_size, after, search: None };
        let rows = Page::in_order(InOrder::Newest, &query, &self.context.limits)?.rows();
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                let listed = tables::deliveries::list(tx, target_uuid.map(Uuid::from), &rows).await?;
                let mut notices = Vec::with_capacity(listed.rows.len());
                for row in &listed.rows {
                    let notice = tables::notices::by_seq(tx, row.item).await?;
                    notices.push(notice.ok_or_else(|| Error::internal("what waits has no notice"))?);
                }
                Ok((listed, notices))
            })
        });
        let (listed, notices) = listed.await?;
        let mut notices = notices.into_iter();
        items(listed, |row| {
            let notice = notices.next().ok_or_else(|| Error::internal("what waits has no notice"))?;
            Ok(UndeliveredNotice {
                notice: super::shown(self.context.outbound.console(), notice)?,
                target_uuid: row.target.into(),
                identity: self.identity_told(&row),
                attempts: row.attempts.try_into().map_err(Error::internal)?,
                tried_again_at: rfc3339_ms(row.due_at_ms),
                error: row.error,
            })
        })
    }

    /// Whose own mailbox a delivery is for.
    fn identity_told(&self, row: &tables::deliveries::Row) -> Option<ObjInfo<IdentityId>> {
        let uuid = IdentityId::from(row.target);
        let name = self.identities.state.name_of(uuid).filter(|_| row.queue == personal::QUEUE)?;
        Some(ObjInfo { name, uuid })
    }

    /// Whoever decides what leaves Chancery, and to whom, are two persons.
    async fn grant_notices(&self, caller: &Caller, action: Action, id: Option<NoticeTargetId>) -> Result<Grant> {
        let alone = "What Chancery tells to whom is decided by two persons in one session.";
        self.context.grant_to_two(caller, Perm::SystemManage, (action, id.map(Uuid::from)), alone).await
    }
}

fn notice_event(action: Action, id: NoticeTargetId) -> Event {
    Event::new(action).on(Uuid::from(id))
}

async fn load(tx: &mut Tx, id: NoticeTargetId) -> Result<StoredTarget> {
    let row = tables::notice_targets::by_id(tx, id.into()).await?;
    StoredTarget::from_row(row.ok_or_else(|| Error::not_found("target of notices"))?)
}

/// Where the deliveries to a target, or to somebody's own mailbox, stand.
pub(super) async fn state(tx: &mut Tx, target: Uuid) -> Result<DeliveryState> {
    let Some(state) = tables::deliveries::state(tx, target).await? else { return Ok(DeliveryState::default()) };
    let count = |count: i64| u64::try_from(count).map_err(Error::internal);
    Ok(DeliveryState {
        waiting: count(tables::deliveries::waiting(tx, target).await?)?,
        delivered: count(state.delivered)?,
        given_up: count(state.given_up)?,
        failures: count(state.failures)?,
        tried_again_at: (state.failures > 0).then(|| rfc3339_ms(state.due_at_ms)),
        delivered_at: state.delivered_at_ms.map(rfc3339_ms),
        error: state.error,
        failed_at: state.failed_at_ms.map(rfc3339_ms),
    })
}

/// One of the two, with all that it needs.
fn check_where(webhook: Option<&Webhook>, email: Option<&Mailbox>, access: &Access) -> Result<()> {
    let secret = access.secret.as_deref().map(Vec::as_slice);
    match (webhook, email) {
        (Some(webhook), None) => {
            check_url("/webhook/url", &webhook.url)?;
            check_secret(secret, webhook.shape)
        }
        (None, Some(email)) if secret.is_none() => check_address("/email/address", &email.address),
        (None, Some(_)) => Err(Error::value("/secret", "Mails are not signed: a mailbox has no secret.")),
        (Some(_), Some(_)) => Err(Error::value("/email", "A target is a webhook or a mailbox, not both.")),
        (None, None) => {
            Err(Error::value("/webhook", "A target is a webhook or a mailbox; it needs `webhook` or `email`."))
        }
    }
}

/// What has waited for one would go to the other.
fn check_kind(content: &Content, webhook: bool, email: bool) -> Result<()> {
    if email && content.webhook.is_some() {
        return Err(Error::value("/email", "This target is a webhook, and stays one."));
    }
    if webhook && content.email.is_some() {
        return Err(Error::value("/webhook", "This target is a mailbox, and stays one."));
    }
    Ok(())
}

fn check_secret(secret: Option<&[u8]>, shape: WebhookShape) -> Result<()> {
    match (secret, shape) {
        (Some(secret), _) => check_key(secret),
        (None, WebhookShape::Chancery) => {
            Err(Error::value("/secret", "A webhook of the shape Chancery needs a secret, by which notices are signed."))
        }
        (None, _) => Ok(()),
    }
}

pub(super) async fn check_services(tx: &mut Tx, services: &[ServiceId]) -> Result<()> {
    if services.len() > SERVICES_MAX {
        return Err(Error::too_large("/serviceUuids", format!("At most {SERVICES_MAX} services are chosen.")));
    }
    for (place, service) in services.iter().enumerate() {
        if tables::services::by_id(tx, (*service).into()).await?.is_none() {
            return Err(Error::selection(format!("/serviceUuids/{place}"), "There is no such signing service."));
        }
    }
    Ok(())
}
