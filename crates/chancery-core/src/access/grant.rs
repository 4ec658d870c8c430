//! The evidence that a caller may do something. Engines demand a [`Grant`], so a forgotten check does not compile.

use chancery_types::{Action, Perm};
use uuid::Uuid;

use crate::{Caller, Chancery, Error, Event, Result, audit::Actor};

/// A permission that was checked, and in whose name. Made only here.
#[derive(Debug)]
pub struct Grant {
    perm: Option<Perm>,
    actor: Actor,
}

impl Grant {
    /// What was granted; `None` where every fully logged-in caller may.
    #[must_use]
    pub const fn perm(&self) -> Option<Perm> {
        self.perm
    }

    /// In whose name.
    pub(crate) const fn actor(&self) -> &Actor {
        &self.actor
    }
}

impl Chancery {
    /// Checks that the caller holds `perm`. A refusal is audited as a failed `action` on `object`.
    pub(crate) async fn grant(
        &self,
        caller: &Caller,
        perm: Perm,
        action: Action,
        object: Option<Uuid>,
    ) -> Result<Grant> {
        self.grant_any(caller, &[perm], action, object).await
    }

    /// Checks that the caller holds one of `perms`, which are named in the refusal.
    pub(crate) async fn grant_any(
        &self,
        caller: &Caller,
        perms: &[Perm],
        action: Action,
        object: Option<Uuid>,
    ) -> Result<Grant> {
        if let Some(perm) = perms.iter().copied().find(|perm| caller.has(*perm)) {
            return Ok(Grant { perm: Some(perm), actor: Actor::of(caller) });
        }
        let names: Vec<_> = perms.iter().map(|perm| perm.as_str()).collect();
        let refusal = Error::forbidden(format!("This needs the permission {}.", names.join(" or ")));
        Err(self.refused(caller, Event::new(action).on(object), refusal).await)
    }

    /// What every fully logged-in caller may: stubs, services, policies, certificates.
    #[expect(clippy::unused_self, reason = "grants are given at the door")]
    pub(crate) fn grant_to_all(&self, caller: &Caller) -> Grant {
        Grant { perm: None, actor: Actor::of(caller) }
    }
}
