//! Mails to people's own mailboxes.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use chancery_store::tables::{self, deliveries::Row};
use chancery_types::wire::notices::Notice;
use futures::{TryStreamExt as _, stream};
use tracing::error;
use uuid::Uuid;

use super::{QUEUE, StoredMailbox, code, concern::Subject};
use crate::{
    Error, Notices, Result,
    context::{background::Recurring as _, quarantine::is_lasting},
    notices::{DeliveringNotices, MAILS_MAX, mail},
    outbound::Attempt,
};

/// How often it is looked what is due.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Mailboxes of one look.
const TOGETHER: u32 = 1_000;

/// What is due to a mailbox: what is still for its identity, and the numbers of what is not any more.
pub(in crate::notices) type Still = (Vec<(Row, tables::notices::Row)>, Vec<i64>);

impl Notices {
    /// Looks twice a second, until the last user of this Chancery is gone.
    pub(in crate::notices) fn mail_to_persons_in_turn(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "mailing to people", |notices| Box::pin(notices.mail_to_persons()));
    }

    /// Delivers what is due to people's own mailboxes, to as many at a time as mails are handed to the relay: so none waits
    /// for its place there until that is refused. Mails to targets are delivered beside.
    async fn mail_to_persons(&self) -> Result<()> {
        let now_ms = self.context.clock.now_ms();
        let ready = self.context.storage.read(&DeliveringNotices(()), move |tx| {
            Box::pin(async move { Ok::<_, Error>(tables::deliveries::ready(tx, QUEUE, now_ms, TOGETHER).await?) })
        });
        let each = stream::iter(ready.await?.into_iter().map(Ok));
        each.try_for_each_concurrent(MAILS_MAX, |mailbox| self.mail_to_person(mailbox)).await
    }

    /// Delivers all that is due to a mailbox. One that cannot be read holds up no others.
    async fn mail_to_person(&self, mailbox: Uuid) -> Result<()> {
        while !self.context.is_closing.load(Ordering::Relaxed) {
            match self.deliver_some(mailbox).await {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(failure) if is_lasting(&failure) => {
                    if self.state.tells_of_mailboxes(self.context.clock.now_ms()) {
                        error!(%mailbox, error = &failure as &dyn std::error::Error, "nothing can be mailed to a mailbox");
                    }
                    return Ok(());
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    /// Looks again at what is due to a mailbox: its identity may have lost a role since, or have decided already.
    pub(in crate::notices) async fn still_for(
        &self,
        mailbox: &StoredMailbox,
        due: Vec<(Row, tables::notices::Row)>,
    ) -> Result<Still> {
        let (directory, rules) = (self.identities.state.directory.load_full(), self.rules_of_concern());
        let mailbox = mailbox.clone();
        let looked = self.context.storage.read(&DeliveringNotices(()), move |tx| {
            Box::pin(async move {
                let (mut still, mut dropped) = (Vec::new(), Vec::new());
                for (row, notice) in due {
                    let is_wanted = mailbox.wants(&notice.notice);
                    let subject = match is_wanted {
                        true => Subject::read(tx, notice.notice.clone(), rules).await?,
                        false => None,
                    };
                    if subject.is_some_and(|subject| subject.is_for(&directory, mailbox.identity())) {
                        still.push((row, notice));
                    } else {
                        dropped.push(row.seq);
                    }
                }
                Ok::<_, Error>((still, dropped))
            })
        });
        looked.await
    }

    /// Mails a notice to a mailbox.
    pub(in crate::notices) async fn mail_notice(&self, mailbox: &StoredMailbox, notice: &Notice) -> Result<Attempt> {
        let address = mailbox.address.as_deref().ok_or_else(|| Error::internal("a mailbox has no address"))?;
        self.send_mail(mail::personal(address, mailbox.identity(), notice, self.context.limits.notices.wait_max)?).await
    }

    /// Mails a code to an address that nobody has confirmed.
    pub(super) async fn mail_code(&self, address: &str, code: &str) -> Result<()> {
        let (now_ms, wait) = (self.context.clock.now_ms(), self.context.limits.notices.wait_max);
        let Attempt { delivered, status, answer } =
            self.send_mail(mail::with_code(address, &code::shown(code), now_ms, wait)).await?;
        match status {
            _ if delivered => Ok(()),
            Some(500..=599) => {
                let message = format!("The mail relay does not take this address, so no code was sent ({answer}).");
                Err(Error::value("/address", message))
            }
            Some(_) | None => {
                let message =
                    format!("The mail relay did not take the mail with the code; try again later ({answer}).");
                Err(Error::out_of_reach(message, 60))
            }
        }
    }
}
