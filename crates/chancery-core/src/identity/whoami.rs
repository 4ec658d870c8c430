//! GET /api/v2/whoami behind the door.

use chancery_types::wire::{
    audit::LoginWay,
    identities::TotpState,
    whoami::{Myself, WhoAmI},
};

use super::sessions::Key;
use crate::{Caller, Error, Identities, Result, base::clock::ms, context::caller::Shows, time::rfc3339_ms};

impl Identities {
    /// Who calls, as it stands now.
    pub async fn whoami(&self, caller: &Caller) -> Result<WhoAmI> {
        // Another node may have ended the session since: nobody is told of rights that are gone.
        let caller = self.still(caller).await.ok_or_else(Error::unauthenticated)?;
        let (unused_ends_at, session_ends_at) = match caller.shows() {
            Shows::ApiKey => (None, None),
            Shows::Token { .. } | Shows::Cookie => {
                let session = self.live_session(Key::Id(caller.session())).await?;
                let session = session.ok_or_else(Error::unauthenticated)?;
                let after = |since: i64, span| Some(rfc3339_ms(since.saturating_add(ms(span))));
                let unused = after(session.last_used_at(), self.context.limits.idle_max);
                (unused, after(session.state.opened_at, self.context.limits.session_max))
            }
        };
        let token_expires_at = match caller.shows() {
            Shows::Token { expires_at } => Some(rfc3339_ms(expires_at)),
            Shows::Cookie | Shows::ApiKey => None,
        };
        // Such a session has no cookie, and nothing prolongs its token.
        let is_exchanged =
            caller.recorded().read()?.iter().any(|one| one.login.as_ref().is_some_and(LoginWay::is_exchanged));
        let (unused_ends_at, session_ends_at) = if is_exchanged {
            (token_expires_at.clone(), token_expires_at.clone())
        } else {
            (unused_ends_at, session_ends_at)
        };
        let directory = self.state.directory.load();
        let totp = |id| {
            let confirmed_at = rfc3339_ms(directory.totp_confirmed_at(id)?);
            Some(TotpState { confirmed_at })
        };
        let identities = caller.recorded().read()?.into_iter().zip(caller.members()).map(|(recorded, member)| Myself {
            uuid: member.id,
            name: recorded.name,
            kind: member.kind,
            login: recorded.login,
            source: recorded.source,
            totp: totp(member.id),
            roles: recorded.roles,
        });
        Ok(WhoAmI {
            session_uuid: (!caller.bears_key()).then(|| caller.session().into()),
            identities: identities.collect(),
            perms: caller.perms().collect(),
            management: caller.management(),
            token_expires_at,
            unused_ends_at,
            session_ends_at,
        })
    }
}
