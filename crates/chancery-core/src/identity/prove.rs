//! Whether somebody who logs in is who they say: by a password, or by an API key.

use std::{net::IpAddr, time::Duration};

use chancery_store::{
    StoreError, Tx, name_key,
    tables::{self, identities::Row},
};
use chancery_types::{
    Action, AuthType, Base64, IdentityId,
    wire::{
        audit::{AuditApiKey, LoginWay},
        login::{LoginRequest, PasskeyProof},
    },
};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    api_key::{Key, KeyHash},
    federation::{self, Exchanged},
    one_time_code::{Asked, Code, Looked, code_of},
    passkeys::{ShownPasskey, SignedLogin},
    sign_in::SigningIn,
};
use crate::{
    Error, Identities, Meaning, RequestInfo, Result, Visitor,
    context::{bounds::Bounds, record::Nobody, terms::RefusedKey},
};

/// Who says to be whom, and the proof.
pub(super) enum Proof {
    /// All factors in one, and of which secret the code is to be.
    Password(PasswordProof, Asked),
    ApiKey {
        hash: KeyHash,
    },
}

/// A name, the password, and the second factors that go with it.
pub(super) struct PasswordProof {
    name_key: String,
    password: Zeroizing<Vec<u8>>,
    code: Option<Code>,
    passkey: Option<Box<ShownPasskey>>,
    /// Whether somebody types it on the host, which is no network, and where help does not wait for hours.
    is_on_host: bool,
}

impl PasswordProof {
    /// The same, with what a passkey has signed.
    pub(super) fn showing(self, passkey: Option<Box<ShownPasskey>>) -> Self {
        Self { passkey, ..self }
    }

    pub(super) fn of(name: &str, password: Base64, code: Option<Code>) -> Self {
        Self { name_key: name_key(name), password: Zeroizing::new(password.0), code, passkey: None, is_on_host: false }
    }

    /// The same, typed on the host.
    pub(super) fn on_host(self) -> Self {
        Self { is_on_host: true, ..self }
    }
}

/// An identity whose proof was right.
pub(super) struct Proved {
    pub(super) row: Row,
    /// As the audit records name it.
    pub(super) login: LoginWay,
    /// The step of the one-time code that was right; it has to be taken with what the proof is for.
    pub(super) step: Option<i64>,
    /// What a login by a provider's token rests on.
    pub(super) exchanged: Option<Box<Exchanged>>,
    /// The passkey that has signed; that has to be taken, too.
    pub(super) passkey: Option<Box<SignedLogin>>,
}

impl Proved {
    /// By one proof alone.
    pub(super) const fn by(row: Row, login: LoginWay) -> Self {
        Self { row, login, step: None, exchanged: None, passkey: None }
    }
}

impl Identities {
    /// Counts a try of an address before anything is looked at.
    pub(super) fn count_try(&self, visitor: &Visitor, action: Action) -> Result<()> {
        let (source, now_ms) = (visitor.request.counted_as(), self.context.clock.now_ms());
        let attempt = self.state.rate().attempt(source, now_ms, self.context.limits.logins.per_minute);
        attempt.map_err(|retry_after_s| {
            self.context.counters.refused_nobody(visitor.request.source, Nobody::TooOften(action), now_ms);
            Error::busy("Too many logins were tried from this address; try again.", retry_after_s)
        })
    }

    /// The identity, if the proof is right, for a login or what takes the same proof; else a refusal that is counted and says
    /// nothing.
    pub(super) async fn proved(&self, visitor: &Visitor, action: Action, proof: &Proof) -> Result<Proved> {
        match self.prove(action, proof, &visitor.request).await? {
            Ok(proved) => Ok(proved),
            Err(who) => {
                self.context.counters.refused_nobody(visitor.request.source, who, self.context.clock.now_ms());
                // The work is the same for all but for a microsecond or two. Timers have whole milliseconds, so where in one of
                // them the call began is added to each answer, and hides those from all who do not try a million times.
                tokio::time::sleep(Duration::from_millis(1)).await;
                Err(refused())
            }
        }
    }

    /// Counts a proof that was right when it was looked at, and not any more when it was to be taken.
    pub(super) fn or_too_late<T>(
        &self,
        request: &RequestInfo,
        action: Action,
        (id, name): (Uuid, &str),
        done: Result<T>,
    ) -> Result<T> {
        done.inspect_err(|error| {
            if error.meaning() == Meaning::Unauthenticated {
                let who = Nobody::Unproved(action, id.into(), name.to_owned());
                self.context.counters.refused_nobody(request.source, who, self.context.clock.now_ms());
            }
        })
    }

    pub(super) fn proof(&self, request: LoginRequest) -> Result<Proof> {
        let credentials = request.auth_credentials;
        let missing = |member: &str| {
            let message = format!("authType {} needs this member.", request.auth_type);
            Error::malformed(format!("/authCredentials/{member}"), message)
        };
        match request.auth_type {
            AuthType::Userpass => {
                let name = credentials.username.ok_or_else(|| missing("username"))?;
                let password = credentials.password.ok_or_else(|| missing("password"))?;
                let code = credentials.totp.map(|code| code_of("/authCredentials/totp", code)).transpose()?;
                let passkey = self.shown_in("/authCredentials/passkey", credentials.passkey)?;
                Ok(Proof::Password(PasswordProof::of(&name, password, code).showing(passkey), Asked::Active))
            }
            AuthType::Apikey => {
                let api_key = Zeroizing::new(credentials.api_key.ok_or_else(|| missing("apiKey"))?);
                Ok(Proof::ApiKey { hash: self.api_key_hash(&api_key) })
            }
            // That is a matter of the connection: log_in_by_certificate. And a directory's: log_in_by_ldap.
            AuthType::Certificate | AuthType::Ldap => {
                Err(Error::value("/authType", "A certificate is a matter of the connection, and ldap of a directory."))
            }
        }
    }

    /// What a passkey has signed, as this member of a body has it.
    pub(super) fn shown_in(&self, member: &str, proof: Option<PasskeyProof>) -> Result<Option<Box<ShownPasskey>>> {
        let shown = proof.map(|proof| self.shown_passkey(&proof).map(Box::new)).transpose();
        shown.map_err(|refusal| refusal.under(member))
    }

    /// The identity, if the proof is right and it may log in now; else who was refused. Unknown, wrong, locked and delayed
    /// take the same time: there is always one look into the store, one Argon2 run for a password, one look at a code, one at
    /// the passkey that was shown, and one at whether there is any, where that is asked.
    pub(super) async fn prove(
        &self,
        action: Action,
        proof: &Proof,
        request: &RequestInfo,
    ) -> Result<Result<Proved, Nobody>> {
        match proof {
            Proof::ApiKey { hash } => self.prove_by_key(*hash, request).await,
            Proof::Password(proof, asked) => {
                let row = self.named(&proof.name_key).await?;
                match self.check_factors(row, proof, *asked, request).await? {
                    Some(proved) => Ok(Ok(proved)),
                    None => Ok(Err(self.refused_login(action, &proof.name_key).await?)),
                }
            }
        }
    }

    /// Looks the key up in the store, so that one which another node has just made is known.
    async fn prove_by_key(&self, hash: KeyHash, request: &RequestInfo) -> Result<Result<Proved, Nobody>> {
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move {
                let row = tables::api_keys::by_hash(tx, &hash).await?;
                // Asked also where there is no such key, so that the answer takes the same time.
                let whose = row.as_ref().map_or(Uuid::nil(), |row| row.identity_id);
                let identity = tables::identities::by_id(tx, whose).await?;
                Ok::<_, Error>(row.zip(identity))
            })
        });
        let Some((row, identity)) = read.await? else { return Ok(Err(Nobody::Unknown)) };
        let key = Key::of(&row)?;
        let Some(version) = key.version_of(&hash) else { return Ok(Err(Nobody::Unknown)) };
        let now = self.context.clock.now_ms();
        let terms = key.terms(version).ok_or(RefusedKey::Expired);
        let admitted = match terms.and_then(|terms| terms.check(request.source, now).map(|()| terms)) {
            Ok(_) if identity.locked || !may_act(&identity, request.source, now)? => Err(RefusedKey::Identity),
            admitted => admitted,
        };
        match admitted {
            Ok(terms) => {
                self.state.key_uses.note(&terms, now);
                let login = LoginWay::api_key(key.recorded(version));
                Ok(Ok(Proved::by(identity, login)))
            }
            Err(why) => Ok(Err(Nobody::Key(key.identity, identity.name, key.recorded(version), why))),
        }
    }

    /// Whom a refused login was for: asked the same way for every name, so that the answer takes the same time.
    async fn refused_login(&self, action: Action, name_key: &str) -> Result<Nobody> {
        let hash = self.context.custodian.keyed_hash("login name", name_key.as_bytes());
        let row = self.named(name_key).await?;
        Ok(row.map_or(Nobody::Name(action, hash), |row| Nobody::Unproved(action, row.id.into(), row.name)))
    }

    async fn named(&self, name_key: &str) -> Result<Option<Row>> {
        // What cannot be a name is nobody's name; the store would refuse to look for a NUL.
        let name_key = if name_key.contains('\0') { String::new() } else { name_key.to_owned() };
        let decoy = self.decoy(&name_key);
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move {
                match tables::identities::id_by_name(tx, &name_key).await? {
                    Some(id) => tables::identities::by_id(tx, id).await,
                    // The decoy's row is read, and its MAC verified, for nothing, so that the answer takes the same time.
                    None => match tables::identities::by_id(tx, decoy).await {
                        Ok(_) | Err(StoreError::Unauthentic(_)) => Ok(None),
                        Err(failure) => Err(failure),
                    },
                }
            })
        });
        read.await.map_err(Error::from)
    }

    /// Whether somebody has a passkey that was confirmed; for whatever host, since a server of another origin must not demand
    /// less. Asked the same way for every name, so that the answer takes the same time.
    async fn has_confirmed_passkey(&self, row: Option<&Row>, name_key: &str) -> Result<bool> {
        let decoy = self.decoy(name_key);
        let id = row.map_or(decoy, |row| row.id);
        let read = self.context.storage.read(&SigningIn::to_prove(), move |tx| {
            Box::pin(async move { tables::passkeys::count_confirmed(tx, id).await })
        });
        Ok(read.await.map_err(Error::from)? > 0)
    }

    /// An identity whose row is read where nobody has this name: always the same for a name, as a name that somebody has
    /// is always the same identity's.
    fn decoy(&self, name_key: &str) -> Uuid {
        const AMONG: usize = 64;
        let directory = self.state.directory.load();
        let [number, ..] = self.context.custodian.keyed_hash("login decoy", name_key.as_bytes());
        let among = directory.identities().count().clamp(1, AMONG);
        directory.identities().nth(usize::from(number) % among).map_or(Uuid::nil(), |(id, _)| id.into())
    }

    /// Looks at all factors whatever comes of one of them, so that nobody learns which was wrong.
    async fn check_factors(
        &self,
        row: Option<Row>,
        proof: &PasswordProof,
        asked: Asked,
        request: &RequestInfo,
    ) -> Result<Option<Proved>> {
        let needs_factor =
            asked == Asked::ActiveOrPasskey && self.has_confirmed_passkey(row.as_ref(), &proof.name_key).await?;
        let source = request.counted_as();
        let delayed = |id: IdentityId| self.state.delays().delayed(id, source, self.context.clock.now_ms());
        let now = self.context.clock.now_ms();
        let may = match &row {
            Some(row) => is_open(row, now) && (proof.is_on_host || may_act(row, request.source, now)?),
            None => false,
        };
        let open = row.filter(|_| may);
        // Nobody is counted as somebody is, so that the answer takes the same time.
        let id = open.as_ref().map_or(Uuid::nil(), |row| row.id).into();
        let is_delayed = delayed(id);
        let admissible = open.filter(|_| !is_delayed);
        let hash = admissible.as_ref().and_then(|row| row.password.as_deref());
        let right = self.passwords.verify(source, proof.password.clone(), hash).await?;
        let looked = self.look_at_code(admissible.as_ref(), asked, proof.code.as_ref())?;
        let signed = match &proof.passkey {
            Some(shown) => Some(self.look_at_passkey(admissible.as_ref(), shown).await?),
            None => None,
        };
        let second = second_factor(looked, (asked, proof.code.is_some()), signed).filter(|_| right);
        let second = second.filter(|(_, step, passkey)| !needs_factor || step.is_some() || passkey.is_some());
        if !is_delayed && second.is_none() {
            self.state.delays().wrong(id, source, self.context.clock.now_ms());
        }
        let Some((row, (login, step, passkey))) = admissible.zip(second) else { return Ok(None) };
        // Asked again: others may have guessed wrong while this was being checked, and a guess among many that run
        // side by side must not slip through.
        if delayed(id) {
            return Ok(None);
        }
        self.state.delays().right(id, source);
        Ok(Some(Proved { step, passkey: passkey.map(Box::new), ..Proved::by(row, login) }))
    }
}

/// Whether it logs in by its password at all.
fn is_open(row: &Row, now: i64) -> bool {
    !row.locked && row.password.is_some() && row.password_once_until_ms.is_none_or(|until| now < until)
}

/// Whether an identity may act from this address now.
pub(super) fn may_act(row: &Row, source: IpAddr, now: i64) -> Result<bool> {
    Ok(Bounds::of(row)?.is_none_or(|bounds| bounds.admit(source, now)))
}

/// What the second factors come to: how the login is called, the step of the code and the passkey that have to be taken. None
/// where one of them is wrong, or one is needed and not there. `signed` is what came of a passkey that was shown.
fn second_factor(
    looked: Looked,
    (asked, has_code): (Asked, bool),
    signed: Option<Option<SignedLogin>>,
) -> Option<(LoginWay, Option<i64>, Option<SignedLogin>)> {
    let step = match looked {
        Looked::Right(step) => Some(step),
        Looked::Needless => None,
        // A passkey takes the place of a code, and does not mend a wrong one. Nothing but a code of it confirms a new secret.
        Looked::Wrong if signed.is_some() && !has_code && asked != Asked::Pending => None,
        Looked::Wrong => return None,
    };
    match signed {
        // Whoever shows a passkey means to be known by it.
        Some(signed) => signed.map(|signed| (LoginWay::password_and_passkey(signed.recorded()), step, Some(signed))),
        None if step.is_some() => Some((LoginWay::password_and_totp(), step, None)),
        None => Some((LoginWay::password(), None, None)),
    }
}

/// Refuses a proof that rests on what was changed meanwhile: a lock, a new password or another second factor counts. A code
/// or a passkey's signature is taken here: of two that come with it at the same time, on whatever nodes, one is refused.
pub(super) async fn expect_unchanged(tx: &mut Tx, proved: &Proved) -> Result<()> {
    let Proved { row, login, step, exchanged, passkey } = proved;
    let now = tables::identities::by_id(tx, row.id).await?;
    let is_same = |now: &Row| !now.locked && now.password == row.password && now.totp_secret == row.totp_secret;
    if !now.as_ref().is_some_and(is_same) {
        return Err(refused());
    }
    if let Some(step) = step
        && !tables::identities::use_totp_step(tx, row.id, *step).await?
    {
        return Err(refused());
    }
    if let Some(passkey) = passkey
        && !passkey.take(tx).await?
    {
        return Err(refused());
    }
    if let Some(exchanged) = exchanged {
        federation::expect_unchanged(tx, exchanged).await?;
    }
    if let Some(key) = &login.api_key
        && !is_still_there(tx, row.id, key).await?
    {
        return Err(refused());
    }
    Ok(())
}

/// One wording for an unknown name, a wrong password, code or key, and a locked or delayed identity.
pub(super) fn refused() -> Error {
    let message = "The login is refused: unknown name, wrong password, code or key, or not allowed to log in now.";
    Error::new(Meaning::Unauthenticated, message)
}

/// Whether a key still has the secret that was shown: it may have been deleted or rotated meanwhile.
async fn is_still_there(tx: &mut Tx, identity: Uuid, key: &AuditApiKey) -> Result<bool> {
    let Some(row) = tables::api_keys::by_id(tx, identity, key.uuid.into()).await? else { return Ok(false) };
    Ok(Key::of(&row)?.terms(key.version).is_some())
}
