//! `chancery recover`: a person who has lost every way in is let in again, on the host. Two others answer for it; where there
//! are none, whoever has the host does so alone, and nobody misses that ([`acknowledge`] ends the alarm).

use std::{borrow::Cow, net::Ipv4Addr, sync::Arc};

use chancery_store::{
    Tx,
    tables::{self, identities::Row},
};
use chancery_types::{
    Action, Base64, IdentityId, IdentityKind, Perm, RecoveredBy,
    wire::{
        ObjInfo,
        audit::AuditIdentity,
        identities::{Identity, Recovery},
    },
};
use serde_json::json;
use tracing::warn;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    Authenticated, Directory,
    administration::{end_sessions, take_turn},
    identities::{check_holds_as_much, existing, kind_of, read, recovery_of},
    login::Seat,
    one_time_code::{Asked, code_of},
    password::{check_new, new_password},
    prove::{PasswordProof, Proof, Proved, expect_unchanged},
};
use crate::{
    Caller, Error, Event, Host, Identities, Meaning, RequestId, RequestInfo, Result, Visitor,
    base::{clock::ms, text},
    context::{
        caller::Shows,
        changes::{Change, ChangeKind},
        record::{Actor, RecordedIdentities},
        storage::{Evidence, MayCommit, Vouches},
    },
    moment_ms,
    time::rfc3339_ms,
};

/// How long an alarm stays where nobody can end it who was not recovered: long enough for whoever looks once a day.
const ALARM_MS: i64 = 24 * 60 * 60 * 1_000;

/// Somebody who answers for a recovery, and the proof.
pub struct Answering {
    name: String,
    password: Zeroizing<String>,
    totp: Option<String>,
}

impl Answering {
    /// By password, and the one-time code of somebody who has a second factor.
    #[must_use]
    pub fn new(name: impl Into<String>, password: impl Into<String>, totp: Option<String>) -> Self {
        Self { name: name.into(), password: Zeroizing::new(password.into()), totp }
    }
}

/// Who is to be let in again, and who answers for it.
pub struct Recover {
    /// The identity's name, in any letter case.
    pub name: String,
    /// Two others; in an emergency one or none.
    pub by: Vec<Answering>,
    /// Why fewer than two answer for it.
    pub emergency: Option<String>,
    /// Whether the password stays: only the second factors are lost.
    pub keeps_password: bool,
}

/// What came of it.
pub struct Recovered {
    /// The identity as it is now.
    pub identity: Identity,
    /// The password for one use, unless the old one stays.
    pub password: Option<Zeroizing<String>>,
}

/// The evidence for a recovery: whoever runs the command, and those who have proved that they answer for it. Made only here.
pub(crate) struct AnsweredFor {
    host: Host,
    identities: RecordedIdentities,
}

impl Evidence for AnsweredFor {}
impl Vouches for AnsweredFor {}

/// Whoever runs the command and those who answer for it together.
impl MayCommit for AnsweredFor {
    fn actor(&self, node: Uuid) -> Cow<'_, Actor> {
        Cow::Owned(Actor::of_answered(node, self, &self.host, self.identities.clone()))
    }

    fn covers(&self, action: Action) -> bool {
        action == Action::IdentityRecover
    }
}

/// Those who answer, as they have proved themselves.
struct Answered {
    by: RecoveredBy,
    proved: Vec<Proved>,
    seats: Vec<Seat>,
    /// The session that two of them would have.
    caller: Option<Caller>,
}

impl Identities {
    /// The people who could answer for a recovery of this identity, by name.
    pub async fn who_answers_for(&self, host: &Host, name: &str) -> Result<Vec<String>> {
        let id = self.named_by_host(host, name).await?.into();
        let directory = self.state.directory.load();
        let mut names: Vec<_> = could_answer(&directory).filter(|(one, _)| *one != id).map(|(_, name)| name).collect();
        names.sort();
        Ok(names)
    }

    /// Takes the second factors of a person away, and its networks and hours, and gives a password for one use; ends its sessions
    /// and API keys. A lock stays.
    pub async fn recover_from_host(&self, host: &Host, recover: Recover) -> Result<Recovered> {
        let id = self.named_by_host(host, &recover.name).await?;
        match self.recover(host, id, recover).await {
            Err(error) if [Meaning::Unauthenticated, Meaning::Forbidden].contains(&error.meaning()) => {
                Err(self.context.refused_to(host, Event::new(Action::IdentityRecover).on(id), error).await)
            }
            done => done,
        }
    }

    async fn recover(&self, host: &Host, id: Uuid, recover: Recover) -> Result<Recovered> {
        let Recover { name: _, by, emergency, keeps_password } = recover;
        check_reason(emergency.as_deref(), by.len(), &self.context.limits)?;
        let answered = self.answered(id, by).await?;
        let password = if keeps_password { None } else { Some(new_password()) };
        let now = self.context.clock.now_ms();
        let named = |proved: &Proved| ObjInfo { name: proved.row.name.clone(), uuid: proved.row.id.into() };
        let identities = answered.proved.iter().map(named).collect();
        let recovery = Recovery { recovered_at: rfc3339_ms(now), by: answered.by, identities, reason: emergency };
        let identity = self.let_in(host, id, answered, recovery, password.clone()).await?;
        Ok(Recovered { identity, password })
    }

    async fn let_in(
        &self,
        host: &Host,
        id: Uuid,
        answered: Answered,
        recovery: Recovery,
        password: Option<Zeroizing<String>>,
    ) -> Result<Identity> {
        let hash = match password {
            Some(password) => {
                check_new("/password", password.as_bytes(), &self.context.limits)?;
                Some(self.passwords.hash(password).await?)
            }
            None => None,
        };
        let (now, limits) = (self.context.clock.now_ms(), self.context.limits.clone());
        let until = now.saturating_add(ms(limits.logins.one_time_password_max));
        let stored = serde_json::to_string(&recovery).map_err(Error::internal)?;
        let detail = json!({"by": recovery.by, "reason": recovery.reason, "keepsPassword": hash.is_none()});
        let event = Event::new(Action::IdentityRecover).on(id).detail(detail);
        let (event, told) = event.changes(Change::of(ChangeKind::Identity, id)).told();
        let Answered { proved, seats, caller, .. } = answered;
        let evidence = AnsweredFor { host: host.clone(), identities: self.recorded(&seats, &proved) };
        self.context
            .commit(&evidence, event, move |tx| {
                Box::pin(async move {
                    take_turn(tx).await?;
                    for one in &proved {
                        expect_unchanged(tx, one).await?;
                    }
                    if let Some(caller) = &caller {
                        check_holds_as_much(tx, caller, id).await?;
                    }
                    let row = existing(tx, id).await?;
                    if kind_of(&row)? == IdentityKind::Application {
                        return Err(Error::state("People are let in again; an application gets another API key."));
                    }
                    let before = read(tx, id).await?;
                    tables::identities::remove_totp(tx, id).await?;
                    let passkeys = tables::passkeys::delete_of_identity(tx, id).await?;
                    if let Some(hash) = &hash {
                        tables::identities::set_password(tx, id, hash, now, (Some(now), Some(until))).await?;
                        tables::api_keys::delete_of_identity(tx, id).await?;
                    } else {
                        // Somebody may know it: what waited before is not for whoever comes by it now.
                        tables::identities::begin_trust_anew(tx, id, now).await?;
                    }
                    tables::identities::set_bounds(tx, id, None).await?;
                    tables::identities::set_recovery(tx, id, Some(&stored)).await?;
                    end_sessions(tx, id).await?;
                    let after = read(tx, id).await?;
                    told.changed_and(&before, &after, &limits, [("passkeys", json!(passkeys))])?;
                    Ok(after)
                })
            })
            .await
    }

    /// Has each of them prove who they are, and that they may answer for it: for two, as a session of both would.
    async fn answered(&self, id: Uuid, by: Vec<Answering>) -> Result<Answered> {
        let mut proved: Vec<Proved> = Vec::new();
        for one in by {
            let one = self.proved_on_host(one).await?;
            if one.row.id == id || proved.iter().any(|known| known.row.id == one.row.id) {
                let message = format!("{}: two others answer for a recovery, each once.", one.row.name);
                return Err(Error::value("/by", message));
            }
            proved.push(one);
        }
        let directory = self.state.directory.load();
        let seats = proved.iter().map(|one| seat_of(&directory, one)).collect::<Option<Vec<_>>>();
        let seats = seats.ok_or_else(|| Error::state("Somebody who answers for it was removed meanwhile."))?;
        self.check_seats(&seats)?;
        for (one, seat) in proved.iter().zip(&seats) {
            let since = directory.person_in(seat).and_then(|person| person.trusted_since(Perm::IdentityManage));
            let Some(since) = since else {
                return Err(Error::forbidden(format!(
                    "{} cannot answer for it: that takes a person with {}, by a role that demands no passkey.",
                    one.row.name,
                    Perm::IdentityManage
                )));
            };
            if one.row.recovery.is_some() {
                return Err(Error::forbidden(format!(
                    "{} was recovered, and nobody has acknowledged that yet: such a person answers for nobody.",
                    one.row.name
                )));
            }
            if !was_there(since, &directory) {
                return Err(Error::forbidden(format!(
                    "{} manages identities only since after a recovery that nobody has acknowledged yet, and answers for \
                     nobody until then.",
                    one.row.name
                )));
            }
        }
        let by = match seats.len() {
            0 => RecoveredBy::Host,
            1 => RecoveredBy::One,
            _ => RecoveredBy::Two,
        };
        let caller = if by == RecoveredBy::Two { Some(session_of(&directory, &seats)?) } else { None };
        drop(directory);
        Ok(Answered { by, proved, seats, caller })
    }

    async fn proved_on_host(&self, answering: Answering) -> Result<Proved> {
        let Answering { name, password, totp } = answering;
        let code = totp.map(|code| code_of("/totp", code)).transpose().map_err(|error| error.naming(&name))?;
        let password = Base64(password.as_bytes().to_vec());
        let proof = Proof::Password(PasswordProof::of(&name, password, code).on_host(), Asked::Active);
        let proved = self.prove(Action::IdentityRecover, &proof, &on_host()).await?;
        let proved = proved.map_err(|_| {
            let message = format!(
                "{name} is not proved: unknown name, wrong password or one-time code, or not allowed to log in now."
            );
            Error::new(Meaning::Unauthenticated, message)
        })?;
        if proved.row.password_once_until_ms.is_some() {
            let message = format!("The password of {name} is for one use: it sets another one, which answers then.");
            return Err(Error::forbidden(message));
        }
        Ok(proved)
    }

    /// Those who answer, as records name them.
    fn recorded(&self, seats: &[Seat], proved: &[Proved]) -> RecordedIdentities {
        let directory = self.state.directory.load();
        let recorded = |(seat, proved): (&Seat, &Proved)| AuditIdentity {
            name: proved.row.name.clone(),
            source: None,
            ..directory.recorded(seat, &seat.roles)
        };
        RecordedIdentities::new(&seats.iter().zip(proved).map(recorded).collect::<Vec<_>>())
    }

    /// How many were recovered on the host, by who answered for it, and nobody has acknowledged it yet.
    pub fn recoveries(&self, _: &Visitor) -> Vec<(RecoveredBy, usize)> {
        let directory = self.state.directory.load();
        let is_of = |one: &super::Identity, by| one.recovered.is_some_and(|(recovered, _)| recovered == by);
        let count = |by: RecoveredBy| directory.identities().filter(|(_, one)| is_of(one, by)).count();
        RecoveredBy::ALL.iter().map(|by| (*by, count(*by))).collect()
    }
}

/// Ends the alarm: somebody has looked who was not recovered, and who managed identities before; else the recovered could make
/// somebody who does. Where there is nobody else, it stays for a day at least.
pub(super) async fn acknowledge(
    tx: &mut Tx,
    caller: &Caller,
    directory: &Directory,
    row: &Row,
    now_ms: i64,
) -> Result<()> {
    let Some(recovery) = recovery_of(row)? else {
        let message = "There is no recovery to acknowledge.";
        return Err(Error::state(message).at("/recoveryAcknowledged"));
    };
    let mut has_other = false;
    for member in caller.members() {
        let was_there = member.trusted_since(Perm::IdentityManage).is_some_and(|since| was_there(since, directory));
        has_other |= was_there && existing(tx, member.id.into()).await?.recovery.is_none();
    }
    if !has_other && could_answer(directory).next().is_some() {
        let message =
            "A recovery is acknowledged by somebody who was not recovered, and who managed identities before.";
        return Err(Error::forbidden(message).at("/recoveryAcknowledged"));
    }
    let until = at_ms(&recovery)?.saturating_add(ALARM_MS);
    if !has_other && now_ms < until {
        let message = format!(
            "All who may were recovered themselves, or came later, so the alarm stays for a day: until {}.",
            rfc3339_ms(until)
        );
        return Err(Error::state(message).at("/recoveryAcknowledged"));
    }
    Ok(tables::identities::set_recovery(tx, row.id, None).await?)
}

/// Says in the log of a server that somebody was recovered, when it learns that.
pub(super) fn tell_of(before: Option<(RecoveredBy, i64)>, after: Option<(RecoveredBy, i64)>, name: &str) {
    if let Some((by, _)) = after.filter(|_| before != after) {
        warn!(
            identity = name,
            answered = by.as_str(),
            "was recovered on the host; an alarm until that is acknowledged"
        );
    }
}

/// Those who manage identities, were not recovered themselves, and did so before anybody was.
fn could_answer(directory: &Directory) -> impl Iterator<Item = (IdentityId, String)> {
    let may = |id: IdentityId| directory.person(id)?.trusted_since(Perm::IdentityManage);
    let open = directory.identities().filter(|(_, one)| !one.locked && one.recovered.is_none());
    let counts = move |id: IdentityId| may(id).is_some_and(|since| was_there(since, directory));
    open.filter(move |(id, _)| counts(*id)).map(|(id, one)| (id, one.name.clone()))
}

/// Whether somebody who manages identities since then did so before the first recovery that nobody has acknowledged yet: the
/// recovered make no witnesses of their own.
fn was_there(since_ms: i64, directory: &Directory) -> bool {
    directory.first_recovery().is_none_or(|recovered_ms| since_ms <= recovered_ms)
}

/// When it was.
pub(super) fn at_ms(recovery: &Recovery) -> Result<i64> {
    moment_ms(&recovery.recovered_at).ok_or_else(|| Error::internal("the moment of a recovery cannot be read"))
}

fn seat_of(directory: &Directory, proved: &Proved) -> Option<Seat> {
    let mut seat = directory.seats(&[proved.row.id.into()])?.pop()?;
    if let Some(proof) = &mut seat.proof {
        proof.login = proved.login.clone();
    }
    Some(seat)
}

/// The session that two of them would have: two persons, who manage identities.
fn session_of(directory: &Directory, seats: &[Seat]) -> Result<Caller> {
    let standing = directory.standing(Uuid::nil(), seats);
    let standing = standing.filter(|one| one.are_two_persons() && one.perms.has(Perm::IdentityManage));
    let standing = standing.ok_or_else(|| {
        Error::forbidden(format!("These two would have no session with {} together.", Perm::IdentityManage))
    })?;
    Ok(Caller::new(&Authenticated(()), on_host(), Arc::new(standing), Shows::Cookie))
}

/// What stands for a request, where there is none.
fn on_host() -> RequestInfo {
    RequestInfo { id: RequestId(u128::from_be_bytes(chancery_keys::random())), source: Ipv4Addr::LOCALHOST.into() }
}

fn check_reason(emergency: Option<&str>, answering: usize, limits: &crate::Limits) -> Result<()> {
    match (answering, emergency) {
        (2, None) => Ok(()),
        (2, Some(_)) => Err(Error::value("/emergency", "Two answer for it, so it is no emergency.")),
        (3.., _) => Err(Error::value("/by", "Two others answer for a recovery, and no more.")),
        (_, None) => Err(Error::state("Two others answer for a recovery; fewer only in an emergency.")),
        (_, Some(reason)) if reason.trim().is_empty() => {
            Err(Error::value("/emergency", "Say why fewer than two answer for it."))
        }
        (_, Some(reason)) => {
            text::check_note("/emergency", reason, limits)?;
            text::check_shown("/emergency", reason)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn fewer_than_two_say_why() {
        let check = |count, reason| {
            let refusal: Option<Error> = check_reason(reason, count, &Limits::default()).err();
            refusal.map(|error| (error.meaning(), error.field().map(str::to_owned)))
        };
        let value = |field: &str| Some((Meaning::Value, Some(field.to_owned())));
        assert_eq!((check(2, None), check(1, Some("x")), check(0, Some("both telephones"))), (None, None, None));
        assert_eq!(check(2, Some("x")), value("/emergency"));
        assert_eq!(check(3, None), value("/by"));
        assert_eq!((check(1, None), check(0, None)), (Some((Meaning::State, None)), Some((Meaning::State, None))));
        assert_eq!((check(0, Some(" ")), check(0, Some("a\u{202e}b"))), (value("/emergency"), value("/emergency")));
    }
}
