//! `/api/v2/identities/{uuid}/mailbox` behind the door.

use chancery_store::tables;
use chancery_types::{
    Action, Base64, IdentityId, NoticeKind, Perm,
    wire::{
        Empty,
        mailboxes::{PersonalMailbox, SetMailbox},
        notices::DeliveryState,
    },
};
use uuid::Uuid;

use super::{
    code,
    stored_mailbox::{AHEAD_MS, Pending, StoredMailbox, Wanted},
};
use crate::{
    Caller, Error, Event, Grant, Limits, Meaning, Notices, Result,
    notices::{
        mail::check_address,
        targets::{check_services, state},
    },
};

/// For how long a code is good.
const CODE_MS: i64 = 15 * 60 * 1_000;

const MINUTE_MS: i64 = 60 * 1_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

impl Notices {
    /// Where an identity has what concerns it sent: its own, or anybody's for whoever manages identities. One that was never
    /// set has no address.
    pub async fn mailbox(&self, caller: &Caller, id: IdentityId) -> Result<PersonalMailbox> {
        let grant = self.grant_any_mailbox(caller, id, Action::MailboxRead).await?;
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let stored = StoredMailbox::load(tx, id).await?;
                let deliveries = state(tx, id.into()).await?;
                stored.body(tx, deliveries).await
            })
        });
        read.await
    }

    /// Sets it. Another address than the confirmed one is mailed a code, and counts once that was entered; until then all
    /// stays as it is.
    pub async fn set_mailbox(&self, caller: &Caller, id: IdentityId, request: SetMailbox) -> Result<PersonalMailbox> {
        let grant = self.grant_own_mailbox(caller, id, Action::MailboxSet).await?;
        if !self.context.outbound.sends_mails() {
            let message = "This server sends no mails: it was started without an SMTP relay; --smtp-host names one.";
            return Err(Error::state(message));
        }
        let SetMailbox { address, kinds, service_uuids, enabled } = request;
        check_address("/address", &address)?;
        if kinds.len() > NoticeKind::ALL.len() {
            return Err(Error::too_large("/kinds", format!("There are {} kinds.", NoticeKind::ALL.len())));
        }
        let (code, now_ms) = (code::new(), self.context.clock.now_ms());
        let pending = Pending {
            code: Base64(code::hash(&self.context.custodian, id, &address, &code).to_vec()),
            address: address.clone(),
            wanted: Wanted { kinds, services: service_uuids },
            enabled: enabled.unwrap_or(true),
            expires_at_ms: now_ms.saturating_add(CODE_MS),
            tries: 0,
        };
        let ((event, told), limits) = (mailbox_event(Action::MailboxSet, id).told(), self.context.limits.clone());
        let work = self.context.commit(&grant, event, move |tx| {
            Box::pin(async move {
                tables::turns::take(tx, tables::mailboxes::TURN).await?;
                check_services(tx, &pending.wanted.services).await?;
                let mut stored = StoredMailbox::load(tx, id).await?;
                let before = stored.body(tx, DeliveryState::default()).await?;
                if stored.address.is_none() {
                    check_count(tables::mailboxes::count(tx).await?, &limits)?;
                }
                let is_new = stored.set(pending, now_ms, &limits)?;
                let after = stored.body(tx, DeliveryState::default()).await?;
                told.changed(&before, &after, &limits)?;
                stored.put(tx).await?;
                Ok((PersonalMailbox { deliveries: state(tx, id.into()).await?, ..after }, is_new))
            })
        });
        let (body, is_new) = work.await?;
        if is_new {
            self.mail_code(&address, &code).await?;
        }
        Ok(body)
    }

    /// Removes it, with what waits for it: one's own, or anybody's for whoever manages identities.
    pub async fn remove_mailbox(&self, caller: &Caller, id: IdentityId) -> Result<Empty> {
        let grant = self.grant_any_mailbox(caller, id, Action::MailboxRemove).await?;
        let ((event, told), limits) = (mailbox_event(Action::MailboxRemove, id).told(), self.context.limits.clone());
        let work = self.context.commit(&grant, event, move |tx| {
            Box::pin(async move {
                tables::turns::take(tx, tables::mailboxes::TURN).await?;
                let stored = StoredMailbox::existing(tx, id).await?;
                told.changed(&stored.body(tx, DeliveryState::default()).await?, &Empty {}, &limits)?;
                StoredMailbox::empty(id, stored.sent).put(tx).await?;
                tables::deliveries::end(tx, id.into()).await?;
                Ok(Empty {})
            })
        });
        work.await
    }

    /// Where somebody's mails go it decides alone, also where two are logged in; nobody does so for another.
    pub(super) async fn grant_own_mailbox(&self, caller: &Caller, id: IdentityId, action: Action) -> Result<Grant> {
        if let Some(grant) = self.context.grant_member(caller, id, action) {
            return Ok(grant);
        }
        let refusal = "A mailbox is set and confirmed by the person whose it is, logged in by a password.";
        Err(self.context.refused(caller, mailbox_event(action, id), Error::forbidden(refusal)).await)
    }

    async fn grant_any_mailbox(&self, caller: &Caller, id: IdentityId, action: Action) -> Result<Grant> {
        match self.context.grant_member(caller, id, action) {
            Some(grant) => Ok(grant),
            None => self.context.grant(caller, Perm::IdentityManage, action, Some(id.into())).await,
        }
    }
}

impl StoredMailbox {
    /// Sets what is wanted; whether it is for a new address, which has to be confirmed.
    fn set(&mut self, pending: Pending, now_ms: i64, limits: &Limits) -> Result<bool> {
        if self.address.as_ref() == Some(&pending.address) {
            (self.content.wanted, self.content.pending) = (pending.wanted, None);
            self.is_enabled = pending.enabled;
            return Ok(false);
        }
        // What lies further ahead is of a clock that was wrong.
        let (after_ms, until_ms) = (now_ms.saturating_sub(HOUR_MS), now_ms.saturating_add(AHEAD_MS));
        self.sent.retain(|at_ms| *at_ms > after_ms && *at_ms <= until_ms);
        let max = limits.notices.mailbox_codes_per_hour;
        let is_full = self.sent.len() >= max as usize;
        let free_at_ms = match (self.sent.last(), self.sent.first()) {
            (_, Some(first_ms)) if is_full => first_ms.saturating_add(HOUR_MS),
            (Some(last_ms), _) => last_ms.saturating_add(MINUTE_MS),
            (None, _) => now_ms,
        };
        if free_at_ms > now_ms {
            let wait_s = u32::try_from((free_at_ms - now_ms).min(HOUR_MS).div_euclid(1_000)).unwrap_or(3_600) + 1;
            let message = format!("At most one code is mailed in a minute, and {max} in an hour.");
            return Err(Error::busy(message, wait_s));
        }
        self.sent.push(now_ms);
        self.content.pending = Some(pending);
        Ok(true)
    }
}

/// Refuses one mailbox more than there may be.
pub(super) fn check_count(count: i64, limits: &Limits) -> Result<()> {
    let max = limits.notices.mailboxes_max;
    if count >= i64::from(max) {
        let message = format!("There are {max} mailboxes of people already, and no more are taken.");
        return Err(Error::new(Meaning::TooLarge, message));
    }
    Ok(())
}

pub(super) fn mailbox_event(action: Action, id: IdentityId) -> Event {
    Event::new(action).on(Uuid::from(id))
}
