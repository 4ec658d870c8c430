//! One's own password, beside the login. Nobody has to be logged in: who holds roles with two logins alone never is so by
//! themselves, and a password for one use does nothing else.

use chancery_store::tables;
use chancery_types::{
    Action, IdentityKind,
    wire::login::{ChangePassword, HomeAnswer, TotpCredentials},
};
use serde_json::json;
use zeroize::Zeroizing;

use super::{
    administration::{end_sessions, take_turn},
    identities::{kind_of, read},
    one_time_code::Asked,
    password::check_new,
    prove::{Proved, expect_unchanged},
    totp::{done_so, expect_no_passkey_meanwhile},
};
use crate::{
    Error, Event, Identities, RequestInfo, Result, Visitor,
    context::changes::{Change, ChangeKind},
};

impl Identities {
    /// POST /home/v1/login/password: another password, by the present one and the second factor. Ends the identity's sessions.
    pub async fn change_own_password(&self, visitor: &Visitor, body: ChangePassword) -> Result<HomeAnswer> {
        let ChangePassword { username, password, totp, passkey, new_password } = body;
        let new = Zeroizing::new(new_password.0);
        // Both are the caller's words, so this says nothing of anybody.
        check_new("/newPassword", &new, &self.context.limits)?;
        if *new == password.0 {
            return Err(Error::value("/newPassword", "The new password is the present one."));
        }
        let credentials = TotpCredentials { username, password, totp, passkey };
        let proved =
            self.prove_beside_login(visitor, Action::PasswordChange, Asked::ActiveOrPasskey, credentials).await?;
        let by = self.vouch_for(&visitor.request, &proved);
        let (id, name, now, limits) =
            (proved.row.id, proved.row.name.clone(), self.context.clock.now_ms(), self.context.limits.clone());
        let event = Event::new(Action::PasswordChange).on(id);
        if kind_of(&proved.row)? == IdentityKind::Application {
            let refusal = Error::forbidden("The password of an application is set by administrators.");
            return Err(self.context.refused_to(&by, event, refusal).await);
        }
        let hash = self.passwords.hash(new).await?;
        let event = event.detail(json!({"own": true})).changes(Change::of(ChangeKind::Identity, id));
        let (event, told) = event.told();
        let done = self.context.commit(&by, event, move |tx| {
            Box::pin(async move {
                take_turn(tx).await?;
                expect_unchanged(tx, &proved).await?;
                expect_no_passkey_meanwhile(tx, &proved).await?;
                let before = read(tx, id).await?;
                tables::identities::set_password(tx, id, &hash, now, (None, None)).await?;
                end_sessions(tx, id).await?;
                told.changed(&before, &read(tx, id).await?, &limits)
            })
        });
        self.or_too_late(&visitor.request, Action::PasswordChange, (id, &name), done.await)?;
        Ok(done_so())
    }

    /// Refuses a password for one use, which others know too, for anything but setting another one.
    pub(super) async fn refuse_one_time(&self, request: &RequestInfo, action: Action, proved: &Proved) -> Result<()> {
        if proved.row.password_once_until_ms.is_none() {
            return Ok(());
        }
        let by = self.vouch_for(request, proved);
        let refusal = Error::state("This password is for one use: it sets another one, and then that one logs in.");
        Err(self.context.refused_to(&by, Event::new(action).on(proved.row.id), refusal).await)
    }
}
