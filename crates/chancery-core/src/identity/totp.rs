//! The second factor of those who log in by a password: one-time codes (RFC 6238), from the enrolment to the end.
//!
//! Nobody has to be logged in for that, since a role may demand a code of whoever logs in: each call proves everything by
//! itself, as a login does.

use chancery_keys::{TOTP_DIGITS, TOTP_SECRET_LEN, TOTP_STEP_S, base32};
use chancery_store::{Tx, tables};
use chancery_types::{
    Action, IdentityId, IdentityKind,
    wire::{
        audit::AuditIdentity,
        identities::Identity,
        login::{HomeAnswer, HomeStatus, TotpCredentials, TotpSecret},
    },
};
use qrcodegen::{QrCode, QrCodeEcc};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    Vouched,
    administration::{end_sessions, take_turn},
    identities::{check_holds_as_much, existing, read},
    one_time_code::{Asked, code_of, context},
    prove::{PasswordProof, Proof, Proved, expect_unchanged, refused},
};
use crate::{
    Caller, Error, Event, Identities, RequestInfo, Result, Visitor,
    base::{clock::ms, text::percent_encoded},
    context::changes::{Change, ChangeKind},
    time::rfc3339_ms,
};

impl Identities {
    /// POST /home/v1/login/totp: a new secret, which counts once one of its codes has confirmed it. Whoever has a factor
    /// already, codes or a confirmed passkey, shows it here; so whoever has the new secret has shown it.
    pub async fn enrol_totp(&self, visitor: &Visitor, body: TotpCredentials) -> Result<TotpSecret> {
        let proved = self.prove_for(visitor, Action::TotpEnrol, Asked::ActiveOrPasskey, body).await?;
        let (id, name) = (proved.row.id, proved.row.name.clone());
        let event = Event::new(Action::TotpEnrol).on(id);
        let by = self.vouch_for(&visitor.request, &proved);
        if proved.row.kind.parse::<IdentityKind>().map_err(Error::internal)? == IdentityKind::Application {
            let refusal = Error::forbidden("A second factor is a person's; an application logs in by an API key.");
            return Err(self.context.refused_to(&by, event, refusal).await);
        }
        let secret = Zeroizing::new(chancery_keys::random::<TOTP_SECRET_LEN>());
        let sealed = self.context.custodian.seal_value(context(&id), secret.as_slice()).map_err(Error::internal)?;
        let until_ms = self.context.clock.now_ms().saturating_add(ms(self.context.limits.logins.totp_pending_max));
        let done = self.context.commit(&by, event, move |tx| {
            Box::pin(async move {
                take_turn(tx).await?;
                expect_unchanged(tx, &proved).await?;
                expect_no_passkey_meanwhile(tx, &proved).await?;
                Ok(tables::identities::set_totp_pending(tx, id, &sealed, until_ms).await?)
            })
        });
        self.or_too_late(&visitor.request, Action::TotpEnrol, (id, &name), done.await)?;
        let text = base32(secret.as_slice());
        let uri = uri(&name, text.as_str());
        Ok(TotpSecret {
            message: "Success".to_owned(),
            status: HomeStatus::Success,
            qr_code: qr_code(&uri),
            uri,
            secret: text.to_string(),
            expires_at: rfc3339_ms(until_ms),
        })
    }

    /// POST /home/v1/login/totp/confirm: from now on a login takes a code of the new secret.
    pub async fn confirm_totp(&self, visitor: &Visitor, body: TotpCredentials) -> Result<HomeAnswer> {
        let mut proved = self.prove_for(visitor, Action::TotpConfirm, Asked::Pending, body).await?;
        let (id, name, now) = (proved.row.id, proved.row.name.clone(), self.context.clock.now_ms());
        let by = self.vouch_for(&visitor.request, &proved);
        let event = Event::new(Action::TotpConfirm).on(id).changes(Change::of(ChangeKind::Identity, id));
        let done = self.context.commit(&by, event, move |tx| {
            Box::pin(async move {
                take_turn(tx).await?;
                let step = proved.step.take();
                expect_unchanged(tx, &proved).await?;
                let pending = proved.row.totp_pending.as_deref().unwrap_or_default();
                let step = step.ok_or_else(|| Error::internal("a confirmed secret has a step"))?;
                if tables::identities::confirm_totp(tx, id, pending, step, now).await? {
                    Ok(())
                } else {
                    Err(refused())
                }
            })
        });
        self.or_too_late(&visitor.request, Action::TotpConfirm, (id, &name), done.await)?;
        Ok(done_so())
    }

    /// POST /home/v1/login/totp/remove: a login takes the password alone, or with a passkey. Ends the identity's sessions.
    pub async fn remove_totp(&self, visitor: &Visitor, body: TotpCredentials) -> Result<HomeAnswer> {
        let proved = self.prove_for(visitor, Action::TotpRemove, Asked::ActiveOrPasskey, body).await?;
        let (id, name) = (proved.row.id, proved.row.name.clone());
        let by = self.vouch_for(&visitor.request, &proved);
        let event = Event::new(Action::TotpRemove).on(id);
        if proved.row.totp_secret.is_none() {
            return Err(self.context.refused_to(&by, event, no_second_factor()).await);
        }
        let done = self.context.commit(&by, event.changes(Change::of(ChangeKind::Identity, id)), move |tx| {
            Box::pin(async move {
                take_turn(tx).await?;
                expect_unchanged(tx, &proved).await?;
                tables::identities::remove_totp(tx, id).await?;
                end_sessions(tx, id).await
            })
        });
        self.or_too_late(&visitor.request, Action::TotpRemove, (id, &name), done.await)?;
        Ok(done_so())
    }

    /// DELETE /api/v2/identities/{uuid}/totp: for whoever has lost what makes the codes. Ends the identity's sessions.
    pub async fn reset_totp(&self, caller: &Caller, id: IdentityId) -> Result<Identity> {
        let (id, granter, limits) = (Uuid::from(id), caller.clone(), self.context.limits.clone());
        let event = Event::new(Action::TotpReset).on(id).changes(Change::of(ChangeKind::Identity, id));
        let (event, told) = event.told();
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let before = read(tx, id).await?;
                check_holds_as_much(tx, &granter, id).await?;
                let after = taken_away(tx, id).await?;
                told.changed(&before, &after, &limits)?;
                Ok(after)
            })
        })
        .await
    }

    async fn prove_for(
        &self,
        visitor: &Visitor,
        action: Action,
        asked: Asked,
        body: TotpCredentials,
    ) -> Result<Proved> {
        let proved = self.prove_beside_login(visitor, action, asked, body).await?;
        self.refuse_one_time(&visitor.request, action, &proved).await?;
        Ok(proved)
    }

    /// The proof for what stands beside the login: all that a login takes, in the same call.
    pub(super) async fn prove_beside_login(
        &self,
        visitor: &Visitor,
        action: Action,
        asked: Asked,
        body: TotpCredentials,
    ) -> Result<Proved> {
        self.count_try(visitor, action)?;
        let code = body.totp.map(|code| code_of("/totp", code)).transpose()?;
        let passkey = self.shown_in("/passkey", body.passkey)?;
        let proof = PasswordProof::of(&body.username, body.password, code).showing(passkey);
        self.context.logs_in_now().await?;
        self.proved(visitor, action, &Proof::Password(proof, asked)).await
    }

    /// The identity that has proved itself beside the login, as audit records name it: with no roles, since it does not log in.
    pub(super) fn vouch_for(&self, request: &RequestInfo, proved: &Proved) -> Vouched {
        let identity = AuditIdentity {
            name: proved.row.name.clone(),
            uuid: proved.row.id.into(),
            login: Some(proved.login.clone()),
            source: Some(request.source.to_string()),
            roles: Vec::new(),
        };
        Vouched::new(self.context.node, request, &[identity])
    }
}

/// Refuses a password alone where a passkey was confirmed since it was looked at: that has ended the secrets of before, and none
/// comes after it.
pub(super) async fn expect_no_passkey_meanwhile(tx: &mut Tx, proved: &Proved) -> Result<()> {
    let is_password_alone = proved.step.is_none() && proved.passkey.is_none();
    if is_password_alone && tables::passkeys::count_confirmed(tx, proved.row.id).await? > 0 {
        return Err(refused());
    }
    Ok(())
}

/// Ends a second factor, and the sessions that may rest on it; the identity after that.
async fn taken_away(tx: &mut Tx, id: Uuid) -> Result<Identity> {
    let row = existing(tx, id).await?;
    if row.totp_secret.is_none() && row.totp_pending.is_none() {
        return Err(no_second_factor());
    }
    tables::identities::remove_totp(tx, id).await?;
    end_sessions(tx, id).await?;
    read(tx, id).await
}

fn no_second_factor() -> Error {
    Error::state("There is no second factor to take away.")
}

pub(super) fn done_so() -> HomeAnswer {
    HomeAnswer { message: "Success".to_owned(), status: HomeStatus::Success, error_code: None }
}

/// What authenticators open. The parameters are said although they are the usual ones: some have others.
fn uri(name: &str, secret: &str) -> String {
    let label = percent_encoded(name);
    format!(
        "otpauth://totp/Chancery:{label}?secret={secret}&issuer=Chancery&algorithm=SHA1&digits={TOTP_DIGITS}\
         &period={TOTP_STEP_S}"
    )
}

/// What they scan: the rows, `1` where one is dark. None where it does not fit: the URI is there all the same.
fn qr_code(uri: &str) -> Vec<String> {
    let Ok(code) = QrCode::encode_text(uri, QrCodeEcc::Low) else { return Vec::new() };
    let rows = 0..code.size();
    rows.map(|y| (0..code.size()).map(|x| if code.get_module(x, y) { '1' } else { '0' }).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uri_takes_any_name() {
        assert_eq!(
            uri("Änne & Bob?", "GEZDGNBV"),
            "otpauth://totp/Chancery:%C3%84nne%20%26%20Bob%3F?secret=GEZDGNBV&issuer=Chancery&algorithm=SHA1&digits=6\
             &period=30"
        );
    }
}
