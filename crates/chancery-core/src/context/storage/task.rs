//! What is done under no caller's grant, in the background or for anybody who asks. Only the file that does a task's work can
//! make its type, so nobody else can present it as evidence; beside the type stands what it may read and record.

use std::borrow::Cow;

use chancery_types::Action;
use uuid::Uuid;

use super::{Evidence, MayCommit};
use crate::context::record::Actor;

/// A task that writes what needs no record, or appends records by itself.
pub(crate) trait Background: Evidence {}

/// A task that records something.
pub(crate) trait Recording: Evidence {
    /// How the audit records call it.
    const NAME: &'static str;
    /// What it may record.
    const ACTIONS: &'static [Action];
}

impl<T: Recording> MayCommit for T {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor> {
        Cow::Owned(Actor::of_task(node, self))
    }

    fn covers(&self, action: Action) -> bool {
        T::ACTIONS.contains(&action)
    }
}
