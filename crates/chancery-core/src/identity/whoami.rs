//! GET /api/v2/whoami behind the door.

use chancery_types::wire::whoami::{Myself, WhoAmI};

use super::{Caller, sessions::Key};
use crate::{
    Chancery, Error, Result,
    clock::ms,
    time::rfc3339_ms,
};

impl Chancery {
    /// Who calls, as the session stands now.
    pub async fn whoami(&self, caller: &Caller) -> Result<WhoAmI> {
        // Another node may have ended it since: nobody is told of rights that are gone.
        self.expect_to_stand(caller).await?;
        let session = self.live_session(Key::Id(caller.session())).await?.ok_or_else(Error::unauthenticated)?;
        let ends_after = |since: i64, span| rfc3339_ms(since.saturating_add(ms(span)));
        let identities = caller.recorded().read()?.into_iter().zip(caller.members()).map(|(recorded, member)| Myself {
            uuid: member.id,
            name: recorded.name,
            kind: member.kind,
            login: recorded.login,
            source: recorded.source,
            roles: recorded.roles,
        });
        Ok(WhoAmI {
            session_uuid: caller.session().into(),
            identities: identities.collect(),
            perms: caller.perms().collect(),
            management: caller.management(),
            token_expires_at: caller.token_expires_at().map(rfc3339_ms),
            unused_ends_at: ends_after(session.last_used_at(), self.limits.idle_max),
            session_ends_at: ends_after(session.state.opened_at, self.limits.session_max),
        })
    }
}
