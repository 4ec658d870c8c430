//! POST /home/v1/login and /home/v1/logout: the proof, the state machine, the new session.

use std::{borrow::Cow, sync::Arc};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chancery_store::tables;
use chancery_types::{
    Action, IdentityId, IdentityKind,
    wire::{
        ObjInfo,
        audit::AuditIdentity,
        login::{LoginAnswer, LoginRequest, LoginState, SessionAnswer, SessionState},
    },
};
use serde_json::json;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    Credentials,
    administration::take_turn,
    api_key,
    login::{self, Next, Refusal, Seat, SeatProof, State},
    prove::{Proof, Proved, expect_unchanged, may_act, refused},
    sessions::{CookieHash, Key, Session},
};
use crate::{
    Error, Event, Identities, Meaning, Member, RequestInfo, Result, Visitor,
    context::{
        caller::Standing,
        changes::{Change, ChangeKind},
        record::{Actor, RecordedIdentities},
        storage::{Connections, Evidence, MayCommit, MayRead, Vouches},
        up_to_date::LogsInNow,
    },
};

/// A login that succeeded: what to answer, and the cookie to set.
pub struct LoggedIn {
    /// The body of the answer.
    pub answer: LoginAnswer,
    /// The secret of the session, which takes the place of the one that the client had.
    pub cookie: String,
    /// The session, which is not its cookie.
    pub(super) session: Uuid,
}

/// Finds who logs in, while nobody is known. Made only here.
pub(crate) struct SigningIn(());

impl Evidence for SigningIn {}
impl Vouches for SigningIn {}
impl MayRead for SigningIn {
    const CONNECTIONS: Connections = Connections::Data;
}

impl SigningIn {
    /// To look at the proof.
    pub(super) const fn to_prove() -> Self {
        Self(())
    }
}

/// The evidence of who logs in or out: somebody whose proof was right, or who shows a session. Made only here.
pub(crate) struct Vouched(Actor);

impl Evidence for Vouched {}
/// Who logs in or out is known, and is no caller yet, or any more.
impl MayCommit for Vouched {
    fn actor(&self, _: Uuid) -> Cow<'_, Actor> {
        Cow::Borrowed(self.actor())
    }

    fn covers(&self, action: Action) -> bool {
        use Action as A;
        matches!(action, A::Login | A::Logout | A::PasswordChange | A::TotpEnrol | A::TotpConfirm | A::TotpRemove)
    }
}

impl Vouched {
    pub(super) fn new(node: Uuid, request: &RequestInfo, identities: &[AuditIdentity]) -> Self {
        Self(Actor::signing_in(node, &SigningIn(()), request, RecordedIdentities::new(identities)))
    }

    /// In whose name it happens.
    pub(crate) const fn actor(&self) -> &Actor {
        &self.0
    }
}

impl Identities {
    /// Logs an identity in on the session that the cookie names, or on a new one.
    pub async fn log_in(&self, visitor: &Visitor, cookie: Option<&str>, request: LoginRequest) -> Result<LoggedIn> {
        self.count_try(visitor, Action::Login)?;
        let proof = self.proof(request)?;
        let now = self.context.logs_in_now().await?;
        let proved = self.proved(visitor, Action::Login, &proof).await?;
        if matches!(proof, Proof::Password(..)) {
            self.refuse_one_time(&visitor.request, Action::Login, &proved).await?;
        }
        self.admit(&now, &visitor.request, cookie.map(|cookie| self.cookie_key(cookie)), proved).await
    }

    fn cookie_hash(&self, cookie: &str) -> CookieHash {
        self.context.custodian.keyed_hash("session cookie", cookie.as_bytes())
    }

    pub(super) fn cookie_key(&self, cookie: &str) -> Key {
        Key::Cookie(self.cookie_hash(cookie))
    }

    /// The proof was right: asks the state machine, and begins the session that it decides on, in the place of the present one
    /// where it says so.
    pub(super) async fn admit(
        &self,
        _now: &LogsInNow,
        request: &RequestInfo,
        present: Option<Key>,
        proved: Proved,
    ) -> Result<LoggedIn> {
        let Proved { row, login, .. } = &proved;
        let present = match present {
            Some(key) => self.live_session(key).await?,
            None => None,
        };
        let (id, now) = (IdentityId::from(row.id), self.context.clock.now_ms());
        let directory = self.state.directory.load_full();
        let held = self.roles_of(id).await?;
        let kind = if login.is_of_a_program() {
            IdentityKind::Application
        } else {
            row.kind.parse().map_err(Error::internal)?
        };
        // What it holds now was given before, whatever the clock said then: one that was ahead shuts nobody out.
        let at = held.iter().map(|role| role.assigned_at_ms).fold(now, i64::max);
        let roles = held.iter().map(|role| role.role_id.into());
        let able: Vec<_> = roles.filter(|role| directory.counts(kind, *role)).collect();
        let roles: Vec<_> = able.iter().copied().filter(|role| directory.is_satisfied(*role, Some(login))).collect();
        let trusted_since = proved.exchanged.as_ref().map(|exchanged| exchanged.trusted_since()).transpose()?;
        let proof = SeatProof { login: login.clone(), source: request.source, trusted_since, shown_at: Some(now) };
        let seat = Seat { identity: id, roles, at, proof: Some(proof) };
        let recorded = AuditIdentity { name: row.name.clone(), ..directory.recorded(&seat, &seat.roles) };
        let by = Vouched::new(self.context.node, request, &[recorded]);
        // Passwords and keys were looked at with it already, so that nobody learns whether they were right.
        if !may_act(row, request.source, now)? {
            return Err(self.context.refused_to(&by, Event::new(Action::Login).on(row.id), refused()).await);
        }
        if seat.roles.is_empty() && !held.is_empty() {
            let event = Event::new(Action::Login).on(row.id);
            let refusal = if able.is_empty() { not_a_person() } else { refused() };
            return Err(self.context.refused_to(&by, event, refusal).await);
        }
        let present_state = present.as_ref().map(|session| &session.state);
        let next = login::log_in(present_state, seat, &*directory, now, &self.context.limits);
        let (state, replaced) = match next {
            Ok(Next::Begin(state)) => (state, None),
            Ok(Next::Advance(state)) => (state, present.map(|session| session.id)),
            Err(why) => {
                let event = Event::new(Action::Login).on(row.id);
                return Err(self.context.refused_to(&by, event, not_admitted(why)).await);
            }
        };
        self.begin(&by, request, proved, (state, replaced)).await
    }

    async fn roles_of(&self, id: IdentityId) -> Result<Vec<tables::identity_roles::Row>> {
        let read = self.context.storage.read(&SigningIn(()), move |tx| {
            Box::pin(async move { tables::identity_roles::of_identity(tx, id.into()).await })
        });
        read.await.map_err(Error::from)
    }

    async fn begin(
        &self,
        by: &Vouched,
        request: &RequestInfo,
        proved: Proved,
        (state, replaced): (State, Option<Uuid>),
    ) -> Result<LoggedIn> {
        let session = Uuid::from_bytes(chancery_keys::random());
        let cookie = URL_SAFE_NO_PAD.encode(*Zeroizing::new(chancery_keys::random::<32>()));
        let (row, seats) = Session::rows(session, &self.cookie_hash(&cookie), &state, self.context.clock.now_ms())?;
        let standing = self.state.directory.load().standing(session, &state.seats);
        let mut event = Event::new(Action::Login)
            .on(proved.row.id)
            .detail(json!({"session": session, "fullyLoggedIn": standing.is_some()}))
            .changes(Change::of(ChangeKind::Session, session));
        if let Some(replaced) = replaced {
            event = event.changes(Change::of(ChangeKind::Session, replaced));
        }
        let (id, name) = (proved.row.id, proved.row.name.clone());
        let begun = self.context.commit(by, event, move |tx| {
            Box::pin(async move {
                take_turn(tx).await?;
                expect_unchanged(tx, &proved).await?;
                if let Some(replaced) = replaced
                    && !tables::sessions::delete(tx, replaced).await?
                {
                    return Err(Error::new(Meaning::Unauthenticated, "The session has ended meanwhile; log in again."));
                }
                Ok(tables::sessions::insert(tx, &row, &seats).await?)
            })
        });
        self.or_too_late(request, Action::Login, (id, &name), begun.await)?;
        let response = self.login_state(standing.as_ref());
        Ok(LoggedIn { answer: LoginAnswer { message: "Success".to_owned(), response }, cookie, session })
    }

    /// Where a session stands that has this standing, or none yet.
    fn login_state(&self, standing: Option<&Standing>) -> LoginState {
        LoginState {
            fully_logged_in: standing.is_some(),
            hardened: self.context.hardened,
            management: standing.is_some_and(|standing| standing.management),
            perms: standing.iter().flat_map(|standing| standing.perms.iter()).collect(),
        }
    }

    /// Where the session stands that the credentials belong to: nobody's, where there is none. It is a question and no use of
    /// the session, so that a page which asks does not keep it from running out.
    pub async fn session_state(&self, request: RequestInfo, credentials: Credentials<'_>) -> Result<SessionAnswer> {
        let answer = |response| Ok(SessionAnswer { message: "Success".to_owned(), response });
        if matches!(credentials, Credentials::None) {
            return answer(SessionState::default());
        }
        if let Credentials::Bearer(bearer) = &credentials
            && api_key::is_one(bearer)
        {
            return match self.by_api_key(request, bearer, self.context.clock.now_ms()) {
                Ok(standing) => answer(self.state_of_key(&standing)),
                Err(error) if error.meaning() == Meaning::Unauthenticated => answer(SessionState::default()),
                Err(error) => Err(error),
            };
        }
        let session = match self.session_of(&request, &credentials).await {
            Ok(shown) => shown.session,
            Err(error) if error.meaning() == Meaning::Unauthenticated => return answer(SessionState::default()),
            Err(error) => return Err(error),
        };
        self.check_seats(&session.state.seats)?;
        let directory = self.state.directory.load();
        let standing = session.standing(&directory);
        let now = self.context.clock.now_ms();
        if standing.as_ref().is_some_and(|standing| !standing.admits(request.source, now)) {
            return answer(SessionState::default());
        }
        let named = |seat: &Seat| ObjInfo {
            name: directory.name(seat.identity).unwrap_or_default().to_owned(),
            uuid: seat.identity,
        };
        let LoginState { fully_logged_in, hardened, management, perms } = self.login_state(standing.as_deref());
        let identities = session.state.seats.iter().map(named).collect();
        answer(SessionState { fully_logged_in, hardened, management, perms, identities })
    }

    /// Where somebody stands who shows an API key.
    fn state_of_key(&self, standing: &Standing) -> SessionState {
        let LoginState { fully_logged_in, hardened, management, perms } = self.login_state(Some(standing));
        let identities = standing.members.iter().map(Member::named).collect();
        SessionState { fully_logged_in, hardened, management, perms, identities }
    }

    /// Ends the session, half open or complete, that the credentials belong to.
    pub async fn log_out(&self, request: RequestInfo, credentials: Credentials<'_>) -> Result<()> {
        if let Credentials::Bearer(bearer) = &credentials
            && api_key::is_one(bearer)
        {
            self.by_api_key(request, bearer, self.context.clock.now_ms())?;
            return Err(Error::new(
                Meaning::Unauthenticated,
                "An API key that is shown with a call has no session to end.",
            ));
        }
        let session = self.session_of(&request, &credentials).await?.session;
        let proved = self.vouched(&request, &session);
        let id = session.id;
        let event =
            Event::new(Action::Logout).detail(json!({"session": id})).changes(Change::of(ChangeKind::Session, id));
        self.context
            .commit(&proved, event, move |tx| {
                Box::pin(async move {
                    tables::sessions::delete(tx, id).await?;
                    Ok(())
                })
            })
            .await
    }

    fn vouched(&self, request: &RequestInfo, session: &Arc<Session>) -> Vouched {
        let directory = self.state.directory.load();
        let recorded = |seat: &Seat| directory.recorded(seat, &seat.roles);
        let identities: Vec<_> = session.state.seats.iter().map(recorded).collect();
        Vouched::new(self.context.node, request, &identities)
    }
}

fn not_a_person() -> Error {
    Error::new(
        Meaning::Unauthenticated,
        "All roles here take two logins, which are two persons'; an application or a key is none of them.",
    )
}

fn not_admitted(why: Refusal) -> Error {
    Error::new(
        Meaning::Unauthenticated,
        match why {
            Refusal::SameIdentity => "This identity has logged in on this session already; it counts once.",
            Refusal::NothingWaiting => {
                "This identity holds no role that waits for a further login on this session; log out to begin another."
            }
        },
    )
}
