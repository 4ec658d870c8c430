//! What a proposal that takes effect changes: for its audit record, and for what is compiled.

use super::content::Content;
use crate::{
    Event, Limits, Result,
    changes::{Change, ChangeKind},
    pki::approval::issuer_change,
};

impl Content {
    /// The event of the last approval.
    pub(super) fn taking_effect(&self, event: Event, limits: &Limits) -> Result<Event> {
        match self {
            Self::CertProfile(new) => {
                let change = Change::of(ChangeKind::CertProfile, new.after.obj_info.uuid);
                Ok(event.changed(&new.before, &new.after, limits)?.changes(change))
            }
            Self::Issuer(id, new) => Ok(event.changed(&new.before, &new.after, limits)?.changes(issuer_change(*id))),
            Self::Policy(new) => {
                let change = Change::of(ChangeKind::SigningService, new.after.service_uuid);
                Ok(event.changed(&new.before, &new.after, limits)?.changes(change))
            }
            Self::Certificate(new) => Ok(match new.request.of_service() {
                Some(wanted) => event.changes(Change::of(ChangeKind::SigningService, wanted.service())),
                None => event,
            }),
            Self::PreApproval(_) => Ok(event),
        }
    }
}
