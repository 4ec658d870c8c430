//! Confirming an address by the code that was mailed to it.

use std::sync::Arc;

use chancery_keys::is_same_hash;
use chancery_store::tables;
use chancery_types::{
    Action, Base64, IdentityId,
    wire::{
        mailboxes::{ConfirmMailbox, PersonalMailbox},
        notices::DeliveryState,
    },
};

use super::{
    QUEUE, code,
    mailboxes::{check_count, mailbox_event},
    stored_mailbox::StoredMailbox,
};
use crate::{
    Caller, Error, Notices, Result,
    context::storage::{Background, Evidence, MayRead},
    notices::targets::state,
};

/// Codes that may be entered for one that was mailed.
pub(super) const TRIES_MAX: u32 = 5;

/// Counts the codes that are entered, also wrong ones. Made only here.
pub(crate) struct CountingTries(());

impl Evidence for CountingTries {}
impl MayRead for CountingTries {}
impl Background for CountingTries {}

impl Notices {
    /// Confirms the new address by its code: from now on notices go there.
    pub async fn confirm_mailbox(
        &self,
        caller: &Caller,
        id: IdentityId,
        request: ConfirmMailbox,
    ) -> Result<PersonalMailbox> {
        let grant = self.grant_own_mailbox(caller, id, Action::MailboxConfirm).await?;
        let hash = match self.try_code(id, &request.code).await? {
            Ok(hash) => hash,
            Err(refusal) => {
                return Err(self.context.refused(caller, mailbox_event(Action::MailboxConfirm, id), refusal).await);
            }
        };
        let (now_ms, limits) = (self.context.clock.now_ms(), self.context.limits.clone());
        let (event, told) = mailbox_event(Action::MailboxConfirm, id).told();
        let work = self.context.commit(&grant, event, move |tx| {
            Box::pin(async move {
                tables::turns::take(tx, tables::mailboxes::TURN).await?;
                let mut stored = StoredMailbox::load(tx, id).await?;
                let before = stored.body(tx, DeliveryState::default()).await?;
                let pending = stored.content.pending.take().filter(|pending| pending.code == hash);
                let pending = pending.ok_or_else(|| Error::state("Another address was set at the same time."))?;
                if stored.address.is_none() {
                    check_count(tables::mailboxes::count(tx).await?, &limits)?;
                    tables::deliveries::begin(tx, QUEUE, id.into()).await?;
                }
                (stored.address, stored.confirmed_at_ms) = (Some(pending.address), Some(now_ms));
                (stored.content.wanted, stored.is_enabled) = (pending.wanted, pending.enabled);
                let after = stored.body(tx, DeliveryState::default()).await?;
                told.changed(&before, &after, &limits)?;
                stored.put(tx).await?;
                tables::deliveries::try_at_once(tx, id.into()).await?;
                Ok(PersonalMailbox { deliveries: state(tx, id.into()).await?, ..after })
            })
        });
        work.await
    }

    /// Counts a try, and answers what of the code is kept where it is the right one, or why it is not. A try counts whatever
    /// comes of it, so this is stored before the code is used.
    async fn try_code(&self, id: IdentityId, given: &str) -> Result<Result<Base64>> {
        let Some(entered) = code::entered(given) else {
            let message = "A code has eight digits and letters, such as 7KDM-Q2XF; it is in the mail.";
            return Ok(Err(Error::value("/code", message)));
        };
        let (custodian, now_ms) = (Arc::clone(&self.context.custodian), self.context.clock.now_ms());
        let tried = self.context.storage.background(&CountingTries(()), move |tx| {
            Box::pin(async move {
                tables::turns::take(tx, tables::mailboxes::TURN).await?;
                let mut stored = StoredMailbox::load(tx, id).await?;
                let Some(pending) = &mut stored.content.pending else {
                    return Ok(Err(Error::state("No address waits to be confirmed; set one first.")));
                };
                if pending.expires_at_ms <= now_ms {
                    return Ok(Err(Error::state("The code was good for 15 minutes; set the address again.")));
                }
                if pending.tries >= TRIES_MAX {
                    return Ok(Err(Error::state("Too many wrong codes were entered; set the address again.")));
                }
                pending.tries += 1;
                let left = TRIES_MAX - pending.tries;
                let hash = code::hash(&custodian, id, &pending.address, &entered);
                let kept = pending.code.clone();
                stored.put(tx).await?;
                let is_right = is_same_hash(&kept.0, &hash);
                Ok::<_, Error>(if is_right { Ok(kept) } else { Err(wrong(left)) })
            })
        });
        tried.await
    }
}

fn wrong(left: u32) -> Error {
    let left = match left {
        0 => "set the address again".to_owned(),
        1 => "one more try is left".to_owned(),
        _ => format!("{left} more tries are left"),
    };
    Error::value("/code", format!("This is not the code that was mailed; {left}."))
}
