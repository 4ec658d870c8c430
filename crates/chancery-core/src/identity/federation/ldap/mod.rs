//! Directories: POST /home/v1/login with `authType` `ldap`.
//!
//! The directory says whether the password is right and whose it is, by an id that is never given twice; here it is looked at
//! whom that id stands for, and at the one-time code of whoever has a second factor here. Whoever tries is not known, so the
//! directory is asked so many times at once, and not at all for a name that came with too many wrong passwords.

mod described;
mod refusal;
mod state;
mod stored;

use std::time::Instant;

use chancery_ldap::{Account, Address, Answer, DistinguishedName, Filter, Question, check_username, counted_username};
use chancery_store::{name_key, tables};
use chancery_types::{
    Action, IdentityBindingId, IdentityProviderId,
    wire::{
        ObjInfo,
        audit::{AuditToken, LoginWay},
        login::{AuthCredentials, LoginRequest},
    },
};
use state::NameHash;
use stored::AccountContent;
use tracing::{info, warn};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{
    LdapPlace, NoAnswer,
    claims::TokenRefusal,
    exchange::Exchanged,
    stored::{OurSecret, ProviderContent},
    trusted::{Refused, Trusted},
};
use crate::{
    Error, Identities, LoggedIn, Result, Source, Visitor,
    context::record::Nobody,
    identity::{
        SigningIn,
        one_time_code::{Asked, Code, Looked, code_of},
        prove::{Proved, refused},
    },
};

pub(crate) use refusal::LdapRefusal;
pub(super) use state::LdapState;
pub(super) use stored::LdapContent;

/// Bytes of a password.
const PASSWORD_MAX: usize = 1_024;

/// What refusals say in `Retry-After` where the directory is at fault.
const RETRY_AFTER_S: u32 = 10;

/// What somebody typed.
struct Typed {
    provider: Uuid,
    username: String,
    password: Zeroizing<Vec<u8>>,
    code: Option<Code>,
}

/// A login that is under way.
struct Attempt {
    typed: Typed,
    source: Source,
    /// What wrong passwords are counted under.
    counted: NameHash,
}

impl Identities {
    /// Logs in whom an account of a directory stands for, on the session that the cookie names, or on a new one.
    pub async fn log_in_by_ldap(
        &self,
        visitor: &Visitor,
        cookie: Option<&str>,
        request: LoginRequest,
    ) -> Result<LoggedIn> {
        let began = Instant::now();
        self.count_try(visitor, Action::Login)?;
        let typed = Typed::of(request.auth_credentials)?;
        let now = self.context.logs_in_now().await?;
        let none = || {
            let message = "Nobody logs in by such a directory; GET /home/v1/login/oidc says by which they do.";
            Error::selection("/authCredentials/providerUuid", message)
        };
        let trusted = self.trusted_by_id(typed.provider).await?.filter(|trusted| trusted.row.is_enabled);
        let trusted = trusted.ok_or_else(none)?;
        let ldap = ProviderContent::of(&trusted.row)?.ldap.ok_or_else(none)?;
        let counted = self.counted_as(&typed);
        let attempt = Attempt { typed, source: visitor.request.counted_as(), counted };
        let outcome = match self.prove_by_ldap(&attempt, trusted, ldap).await? {
            Ok(proved) => {
                let present = cookie.map(|cookie| self.cookie_key(cookie));
                self.admit(&now, &visitor.request, present, proved).await
            }
            Err(refused) => Err(self.refused_by_ldap(visitor, &attempt.typed, refused)),
        };
        if outcome.is_err() {
            // A directory answers faster where it has no such entry, or need not look at a password.
            state::wait_to_refuse(began).await;
        }
        outcome
    }

    /// The directories by which people may log in, for whoever is about to.
    pub(super) async fn directories(&self) -> Result<Vec<ObjInfo<IdentityProviderId>>> {
        let read = self.context.storage.read(&SigningIn::to_prove(), |tx| {
            Box::pin(async move { tables::identity_providers::all_of_directories(tx).await })
        });
        let rows = read.await.map_err(Error::from)?;
        let named = |row: tables::identity_providers::Row| ObjInfo { name: row.name, uuid: row.id.into() };
        Ok(rows.into_iter().filter(|row| row.is_enabled).map(named).collect())
    }

    fn counted_as(&self, typed: &Typed) -> NameHash {
        let message = [typed.provider.as_bytes(), counted_username(&typed.username).as_bytes()].concat();
        self.context.custodian.keyed_hash("user name of a directory", &message)
    }

    fn refused_by_ldap(&self, visitor: &Visitor, typed: &Typed, who: Refused) -> Error {
        let Refused { identity, why, .. } = who;
        info!(request = %visitor.request.id, provider = %typed.provider, why = why.as_str(), "a login by a directory was refused");
        let hash = self.context.custodian.keyed_hash("login name", name_key(&typed.username).as_bytes());
        let identity = identity.map(|(id, name)| (id.into(), name));
        let who = Nobody::Ldap(identity, typed.provider.into(), hash, why.as_str());
        self.context.counters.refused_nobody(visitor.request.source, who, self.context.clock.now_ms());
        told(why)
    }

    /// Looks at all factors whatever comes of one of them, as with passwords of ours.
    async fn prove_by_ldap(
        &self,
        attempt: &Attempt,
        Trusted { row, bindings }: Trusted,
        ldap: LdapContent,
    ) -> Result<Result<Proved, Refused>> {
        let (typed, state) = (&attempt.typed, &self.state.provider_keys.ldap);
        let delayed = || state.delays().delayed(attempt.counted, attempt.source, self.context.clock.now_ms());
        let wrong = || state.delays().wrong(attempt.counted, attempt.source, self.context.clock.now_ms());
        if delayed() {
            return Ok(Err(LdapRefusal::Delayed.into()));
        }
        let subject = match self.ask(attempt, &row, &ldap).await? {
            Ok(subject) => subject,
            Err(why) => {
                self.look_at_code(None, Asked::Active, typed.code.as_ref())?;
                // A directory that is away has looked at no password.
                if why != TokenRefusal::Provider {
                    wrong();
                }
                return Ok(Err(why.into()));
            }
        };
        let whose = self.whose(bindings, |content| content.subject.as_deref() == Some(&*subject)).await?;
        let looked =
            self.look_at_code(whose.as_ref().ok().map(|(identity, _)| identity), Asked::Active, typed.code.as_ref())?;
        let (identity, binding) = match whose {
            Ok(bound) => bound,
            Err(refused) => return Ok(Err(refused)),
        };
        let step = match looked {
            Looked::Wrong => {
                wrong();
                return Ok(Err(Refused::known(&identity, LdapRefusal::Totp.into())));
            }
            Looked::Right(step) => Some(step),
            Looked::Needless => None,
        };
        // Asked again: others may have guessed wrong meanwhile, and a guess among many that run side by side must not slip
        // through.
        if delayed() {
            return Ok(Err(Refused::known(&identity, LdapRefusal::Delayed.into())));
        }
        state.delays().right(attempt.counted, attempt.source);
        let account =
            AuditToken { binding_uuid: IdentityBindingId::from(binding.id), issuer: row.issuer.clone(), subject };
        let login = LoginWay::ldap(account, step.is_some());
        let exchanged = Exchanged { provider: row, binding, used: None, issued: Vec::new(), refusal: refused };
        Ok(Ok(Proved { step, exchanged: Some(Box::new(exchanged)), ..Proved::by(identity, login) }))
    }

    /// The subject of the account whose password is right.
    async fn ask(
        &self,
        attempt: &Attempt,
        row: &tables::identity_providers::Row,
        ldap: &LdapContent,
    ) -> Result<Result<String, TokenRefusal>> {
        let state = &self.state.provider_keys.ldap;
        if state.is_paused(row, self.context.clock.now_ms()) {
            return Ok(Err(TokenRefusal::Provider));
        }
        let call = Call {
            place: LdapPlace {
                address: Address::parse(&ldap.url).map_err(Error::internal)?,
                authorities: ldap.authorities.clone(),
            },
            account: self.account(row.id, &ldap.account)?,
            id_attribute: ldap.id_attribute.to_string(),
            username: attempt.typed.username.clone(),
            password: attempt.typed.password.clone(),
        };
        let wait = self.context.limits.logins.provider_wait_max;
        let place = state.lane.place(attempt.source)?;
        let asked = match self.state.provider_keys.transport() {
            Ok(transport) => {
                let job = move || transport.ask_directory(&call.place, &call.question(wait.as_secs()), wait);
                place.run(job).await?
            }
            Err(why) => Err(NoAnswer::NotReached(why.into())),
        };
        drop(place);
        Ok(match asked {
            Ok(Answer::Is(value)) => ldap.subject(&value).ok_or_else(|| LdapRefusal::NoId.into()),
            Ok(Answer::Not(refusal)) => {
                info!(provider = %row.id, ?refusal, "a directory let nobody in");
                Err(LdapRefusal::from(&refusal).into())
            }
            Err(no_answer) => {
                let why = state.at_fault(row, &no_answer, self.context.clock.now_ms());
                warn!(provider = %row.id, url = ldap.url, why, "a directory could not be asked");
                Err(TokenRefusal::Provider)
            }
        })
    }

    fn account(&self, provider: Uuid, content: &AccountContent) -> Result<FoundBy> {
        Ok(match content {
            AccountContent::Named { user_dn } => {
                FoundBy::Name(DistinguishedName::parse(user_dn).map_err(Error::internal)?)
            }
            AccountContent::Searched { bind_dn, bind_password, base_dn, filter } => FoundBy::Search {
                bind_dn: bind_dn.clone(),
                bind_password: self.open_our_secret(OurSecret::ServiceAccount, provider, bind_password)?,
                base: base_dn.clone(),
                filter: Filter::parse(filter).map_err(Error::internal)?,
            },
        })
    }
}

/// What a thread needs to ask.
struct Call {
    place: LdapPlace,
    account: FoundBy,
    id_attribute: String,
    username: String,
    password: Zeroizing<Vec<u8>>,
}

enum FoundBy {
    Name(DistinguishedName),
    Search { bind_dn: String, bind_password: chancery_keys::Secret, base: String, filter: Filter },
}

impl Call {
    fn question(&self, wait_s: u64) -> Question<'_> {
        let account = match &self.account {
            FoundBy::Name(name) => Account::Named(name),
            FoundBy::Search { bind_dn, bind_password, base, filter } => {
                Account::Searched { bind_dn, bind_password: bind_password.expose(), base, filter }
            }
        };
        Question {
            account,
            username: &self.username,
            password: &self.password,
            id_attribute: &self.id_attribute,
            time_limit_s: u32::try_from(wait_s).unwrap_or(u32::MAX >> 1).max(1),
        }
    }
}

impl Typed {
    /// Refuses what no directory is asked. A bind with a name and no password succeeds everywhere, and proves nothing
    /// (RFC 4513, 5.1.2); behind a NUL some directories do not look.
    fn of(credentials: AuthCredentials) -> Result<Self> {
        let missing = |member: &str| {
            let message = "authType ldap needs this member.";
            Error::malformed(format!("/authCredentials/{member}"), message)
        };
        let provider = credentials.provider_uuid.ok_or_else(|| missing("providerUuid"))?.into();
        let username = credentials.username.ok_or_else(|| missing("username"))?;
        let password = Zeroizing::new(credentials.password.ok_or_else(|| missing("password"))?.0);
        let code = credentials.totp.map(|code| code_of("/authCredentials/totp", code)).transpose()?;
        if credentials.passkey.is_some() {
            let message = "A passkey goes with a password of this installation, and not with that of a directory.";
            return Err(Error::value("/authCredentials/passkey", message));
        }
        check_username(&username)
            .map_err(|why| Error::value("/authCredentials/username", format!("This cannot be used: {why}.")))?;
        if password.is_empty() || password.len() > PASSWORD_MAX || password.contains(&0) {
            let message = format!("The password of a directory has 1 to {PASSWORD_MAX} bytes, and no NUL.");
            return Err(Error::value("/authCredentials/password", message));
        }
        Ok(Self { provider, username, password, code })
    }
}

/// What whoever logs in is told: that the directory is away; all else as of passwords of ours.
fn told(why: TokenRefusal) -> Error {
    if why != TokenRefusal::Provider {
        return refused();
    }
    let message = "The directory cannot be reached, or does not answer as it should. Log in in another way, or later.";
    Error::out_of_reach(message, RETRY_AFTER_S)
}
