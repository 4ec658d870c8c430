//! People's own mailboxes: each may have what concerns it sent to one address that it confirmed.
//!
//! There may be thousands, so the transaction of a change reads none of them. It leaves a row for its notice (`fan_outs`);
//! a task adds the deliveries afterwards, for whoever may see the notice and has to do with it (`concern`), and both are
//! looked at again when a mail is sent. Deliveries wait in the same outbox as those of targets, in a queue of their own.

mod code;
mod concern;
mod confirm;
mod fan_out;
mod mailboxes;
mod send;
mod stored_mailbox;

#[cfg(test)]
mod tests;

pub(super) use self::{fan_out::record_given_up, stored_mailbox::StoredMailbox};

/// The queue of the outbox in which notices for people's own mailboxes wait.
pub(super) const QUEUE: &str = "mailbox";
