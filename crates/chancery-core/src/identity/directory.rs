//! Every role and identity, compiled: what a session may do is read from here and needs no storage.

mod past;
mod read;

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use chancery_store::tables;
use chancery_types::{
    ApiKeyId, IdentityId, IdentityKind, PasskeyId, Perm, RecoveredBy, RoleId, SecondFactor,
    wire::audit::{AuditIdentity, AuditPasskey, AuditRole, LoginWay},
};
use uuid::Uuid;

use super::{
    api_key::{self, Key, KeyHash, Keys},
    login::{self, LoginsRequired, Seat, SeatProof},
    rules::RoleRules,
};
use crate::{
    Error, Member, Result,
    context::{
        bounds::Bounds,
        caller::Standing,
        changes::{Change, ChangeKind},
        quarantine::{Quarantine, is_lasting},
        record::RecordedIdentities,
        storage::{MayRead, Storage},
        terms::Terms,
    },
};

/// What a session must know of an identity.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) kind: IdentityKind,
    pub(crate) locked: bool,
    /// When it was created, or its password last reset by somebody else.
    pub(crate) trusted_since: i64,
    /// Since when it logs in with one-time codes.
    pub(crate) totp_confirmed_at: Option<i64>,
    /// Those that were confirmed.
    pub(crate) passkeys: Vec<PasskeyId>,
    /// Each with the time since when it is held.
    pub(crate) roles: Vec<(RoleId, i64)>,
    /// Who answered for its recovery on the host, which nobody has acknowledged yet, and when that was.
    pub(crate) recovered: Option<(RecoveredBy, i64)>,
    /// From where and when it may act.
    pub(crate) bounds: Option<Arc<Bounds>>,
}

/// What a session must know of a role.
#[derive(Clone, Debug)]
pub(crate) struct Role {
    pub(crate) name: String,
    pub(crate) rules: RoleRules,
}

/// All of them, and which edition this is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Directory {
    pub(crate) edition: u64,
    roles: HashMap<RoleId, Arc<Role>>,
    identities: HashMap<IdentityId, Arc<Identity>>,
    keys: Keys,
}

/// A seat with what counts of it now.
struct Present<'d> {
    seat: Seat,
    identity: &'d Identity,
    kind: IdentityKind,
    key: Option<Terms>,
}

impl LoginsRequired for Directory {
    fn logins_required(&self, role: RoleId) -> Option<u32> {
        self.roles.get(&role).map(|role| role.rules.logins_required)
    }
}

impl Directory {
    /// Reads all at once; where that fails because of one of them, one after the other.
    pub(super) async fn load(storage: &Storage, by: &impl MayRead, quarantine: &Quarantine) -> Result<Self> {
        match Self::load_all(storage, by).await {
            Err(failure) if is_lasting(&failure) => Self::load_what_can_be_read(storage, by, quarantine).await,
            outcome => outcome,
        }
    }

    async fn load_what_can_be_read(storage: &Storage, by: &impl MayRead, quarantine: &Quarantine) -> Result<Self> {
        let ids = storage.read(by, |tx| {
            Box::pin(async move { Ok::<_, Error>((tables::roles::ids(tx).await?, tables::identities::ids(tx).await?)) })
        });
        let ((roles, identities), mut directory) = (ids.await?, Self::default());
        for id in quarantine.ids(ChangeKind::Role, roles) {
            let read = storage.read(by, move |tx| Box::pin(async move { Role::read(tx, id).await })).await;
            if let Some(Some(role)) = quarantine.sort_out(Change::of(ChangeKind::Role, id).object(), read)? {
                directory.roles.insert(id.into(), Arc::new(role));
            }
        }
        for id in quarantine.ids(ChangeKind::Identity, identities) {
            let read = storage.read(by, move |tx| Box::pin(async move { Identity::read(tx, id.into()).await })).await;
            if let Some(Some(identity)) = quarantine.sort_out(Change::of(ChangeKind::Identity, id).object(), read)? {
                let keys =
                    storage.read(by, move |tx| Box::pin(async move { api_key::read(tx, id.into()).await })).await;
                let keys = quarantine.sort_out(Change::of(ChangeKind::ApiKeys, id).object(), keys)?;
                directory.keys.set(id.into(), keys.unwrap_or_default());
                directory.identities.insert(id.into(), Arc::new(identity));
            }
        }
        Ok(directory)
    }

    async fn load_all(storage: &Storage, by: &impl MayRead) -> Result<Self> {
        let read = storage.read(by, |tx| {
            Box::pin(async move {
                let roles = tables::roles::all(tx).await?;
                let identities = tables::identities::all(tx).await?;
                let keys = (tables::api_keys::all(tx).await?, tables::passkeys::all(tx).await?);
                Ok::<_, Error>((roles, identities, tables::identity_roles::all(tx).await?, keys))
            })
        });
        let (roles, identities, assignments, (keys, passkeys)) = read.await?;
        let mut passkeys_of: HashMap<Uuid, Vec<tables::passkeys::Row>> = HashMap::new();
        for row in passkeys {
            passkeys_of.entry(row.identity_id).or_default().push(row);
        }
        let mut held: HashMap<Uuid, Vec<(RoleId, i64)>> = HashMap::new();
        for row in assignments {
            held.entry(row.identity_id).or_default().push((row.role_id.into(), row.assigned_at_ms));
        }
        let identity = |row: tables::identities::Row| {
            let roles = held.remove(&row.id).unwrap_or_default();
            let passkeys = passkeys_of.remove(&row.id).unwrap_or_default();
            Ok((row.id.into(), Arc::new(Identity::of(row, roles, &passkeys)?)))
        };
        let mut keys_of: HashMap<IdentityId, Vec<Key>> = HashMap::new();
        for row in keys {
            keys_of.entry(row.identity_id.into()).or_default().push(Key::of(&row)?);
        }
        let mut keys = Keys::default();
        keys_of.into_iter().for_each(|(identity, of)| keys.set(identity, of));
        Ok(Self {
            edition: 0,
            keys,
            roles: roles.into_iter().map(|row| Ok((row.id.into(), Arc::new(Role::of(row)?)))).collect::<Result<_>>()?,
            identities: identities.into_iter().map(identity).collect::<Result<_>>()?,
        })
    }

    /// The next edition, with one role as it is stored now.
    pub(super) fn with_role(&self, id: RoleId, role: Option<Role>) -> Self {
        let mut next = self.next();
        match role {
            Some(role) => drop(next.roles.insert(id, Arc::new(role))),
            None => drop(next.roles.remove(&id)),
        }
        next
    }

    /// The next edition, with one identity as it is stored now, and no keys where it is gone.
    pub(super) fn with_identity(&self, id: IdentityId, identity: Option<Identity>) -> Self {
        let mut next = self.next();
        match identity {
            Some(identity) => drop(next.identities.insert(id, Arc::new(identity))),
            None => {
                next.identities.remove(&id);
                next.keys.set(id, Vec::new());
            }
        }
        next
    }

    /// The next edition, with the API keys of one identity as they are stored now.
    pub(super) fn with_keys(&self, id: IdentityId, keys: Vec<Key>) -> Self {
        let mut next = self.next();
        next.keys.set(id, keys);
        next
    }

    /// The API key with this secret, and which of its secrets that is.
    pub(super) fn key(&self, hash: &KeyHash) -> Option<(&Key, u32)> {
        self.keys.by_hash(hash)
    }

    /// An API key of an identity.
    pub(super) fn key_by_id(&self, identity: IdentityId, id: ApiKeyId) -> Option<&Key> {
        self.keys.find(identity, id)
    }

    /// The seat of somebody who shows this secret of a key with a call from this address: with all roles of the identity.
    pub(super) fn seat_of_key(&self, key: &Key, version: u32, source: IpAddr) -> Seat {
        let roles = self.identities.get(&key.identity).map(|identity| identity.roles.as_slice()).unwrap_or_default();
        let login = LoginWay::api_key(key.recorded(version));
        let proof = SeatProof { login, source, trusted_since: None, shown_at: None };
        let roles = roles.iter().map(|(role, _)| *role).collect();
        Seat { identity: key.identity, roles, at: i64::MAX, proof: Some(proof) }
    }

    fn next(&self) -> Self {
        Self { edition: self.edition + 1, ..self.clone() }
    }

    /// The name of an identity, for the audit records.
    pub(super) fn name(&self, id: IdentityId) -> Option<&str> {
        self.identities.get(&id).map(|identity| identity.name.as_str())
    }

    /// Who answered for the recovery of an identity, which nobody has acknowledged yet.
    pub(super) fn recovered(&self, id: IdentityId) -> Option<(RecoveredBy, i64)> {
        self.identities.get(&id)?.recovered
    }

    /// When the first of all recoveries was that nobody has acknowledged yet.
    pub(super) fn first_recovery(&self) -> Option<i64> {
        self.identities.values().filter_map(|identity| identity.recovered).map(|(_, at_ms)| at_ms).min()
    }

    /// Since when an identity logs in with one-time codes.
    pub(super) fn totp_confirmed_at(&self, id: IdentityId) -> Option<i64> {
        self.identities.get(&id)?.totp_confirmed_at
    }

    /// All identities, in no order.
    pub(crate) fn identities(&self) -> impl Iterator<Item = (IdentityId, &Arc<Identity>)> {
        self.identities.iter().map(|(id, identity)| (*id, identity))
    }

    /// All roles, in no order.
    pub(crate) fn roles(&self) -> impl Iterator<Item = (RoleId, &Role)> {
        self.roles.iter().map(|(id, role)| (*id, &**role))
    }

    /// The role with this id.
    pub(crate) fn role(&self, id: RoleId) -> Option<&Role> {
        self.roles.get(&id).map(|role| &**role)
    }

    /// A seat as audit records name it, with those of its roles that are among these.
    pub(super) fn recorded(&self, seat: &Seat, counting: &[RoleId]) -> AuditIdentity {
        let name = |id: RoleId| self.roles.get(&id).map(|role| role.name.clone()).unwrap_or_default();
        let roles = seat.roles.iter().filter(|role| counting.contains(role));
        AuditIdentity {
            name: self.name(seat.identity).unwrap_or_default().to_owned(),
            uuid: seat.identity,
            login: seat.proof.as_ref().map(|proof| proof.login.clone()),
            source: seat.proof.as_ref().map(|proof| proof.source.to_string()),
            roles: roles.map(|role| AuditRole { uuid: *role, name: name(*role) }).collect(),
        }
    }

    /// What these seats amount to now: nothing when one of them is locked or gone, or when no role is satisfied. A role
    /// counts where it was held at login and still is.
    pub(super) fn standing(&self, session: Uuid, seats: &[Seat]) -> Option<Standing> {
        let mut present = seats.iter().map(|seat| self.present(seat)).collect::<Option<Vec<_>>>()?;
        let seats: Vec<_> = present.iter().map(|present| present.seat.clone()).collect();
        let roles = login::satisfied(&seats, self);
        // A key stands for one identity, which acts alone: its terms would be nobody else's.
        if roles.is_empty() || (present.len() > 1 && present.iter().any(|present| present.key.is_some())) {
            return None;
        }
        let second_factor_at = seats.iter().map(Seat::factor_at).collect::<Option<Vec<_>>>();
        let second_factor_at = second_factor_at.and_then(|at| at.into_iter().min());
        let granted = |role: &RoleId| self.roles.get(role).map(|role| &role.rules);
        let members = present.iter().map(|present| self.member(present, &roles)).collect();
        let bounds = present.iter().filter_map(|present| present.identity.bounds.clone()).collect();
        let key = present.pop().and_then(|present| present.key);
        let perms = roles.iter().filter_map(granted).flat_map(|role| role.perms.keys().copied());
        let is_left = |perm: &Perm| match &key {
            Some(key) if key.is_restricted() => *perm == Perm::SigningSubmit && key.signs(),
            Some(_) | None => true,
        };
        Some(Standing {
            session,
            members,
            perms: perms.filter(is_left).collect(),
            management: key.is_none() && roles.iter().filter_map(granted).any(|role| role.management),
            recorded: RecordedIdentities::new(
                &seats.iter().map(|seat| self.recorded(seat, &roles)).collect::<Vec<_>>(),
            ),
            key: key.map(Arc::new),
            second_factor_at,
            bounds,
            by_token: seats.iter().any(|seat| seat.proof.as_ref().is_some_and(|proof| proof.login.is_of_a_program())),
            roles,
        })
    }

    /// The seats that these identities would have if they logged in now, each with all its roles and all its factors. None
    /// where one of them is gone.
    pub(super) fn seats(&self, identities: &[IdentityId]) -> Option<Vec<Seat>> {
        let seat = |id: &IdentityId| {
            let identity = self.identities.get(id)?;
            let roles = identity.roles.iter().map(|(role, _)| *role).collect();
            let login = match (identity.passkeys.first(), identity.totp_confirmed_at) {
                (Some(uuid), _) => LoginWay::password_and_passkey(AuditPasskey { uuid: *uuid, name: String::new() }),
                (None, Some(_)) => LoginWay::password_and_totp(),
                (None, None) => LoginWay::password(),
            };
            let proof =
                Some(SeatProof { login, source: Ipv4Addr::UNSPECIFIED.into(), trusted_since: None, shown_at: None });
            Some(Seat { identity: *id, roles, at: i64::MAX, proof })
        };
        identities.iter().map(seat).collect()
    }

    /// A person with all its roles, also those that it can use only together with another one. None where it is locked,
    /// gone or no person.
    pub(crate) fn person(&self, id: IdentityId) -> Option<Member> {
        self.person_in(&self.seats(&[id])?.pop()?)
    }

    /// The same with those roles alone that the seat's login satisfies.
    pub(super) fn person_in(&self, seat: &Seat) -> Option<Member> {
        let present = self.present(seat).filter(|present| present.kind == IdentityKind::Person)?;
        Some(self.member(&present, &present.seat.roles))
    }

    /// Whether an identity of this kind can log in with the role: two logins are two persons, who alone have second factors.
    pub(crate) fn counts(&self, kind: IdentityKind, role: RoleId) -> bool {
        match kind {
            IdentityKind::Person => true,
            IdentityKind::Application => self.logins_required(role).is_some_and(|required| required < 2),
        }
    }

    /// Whether who logged in so has what the role demands besides a password. A session that a former release began says
    /// nothing of that.
    pub(super) fn is_satisfied(&self, role: RoleId, login: Option<&LoginWay>) -> bool {
        let demanded = self.roles.get(&role).map(|role| role.rules.second_factor).unwrap_or_default();
        login.map_or(demanded == SecondFactor::None, |login| login.satisfies(demanded))
    }

    fn present(&self, seat: &Seat) -> Option<Present<'_>> {
        let identity = self.identities.get(&seat.identity).filter(|identity| !identity.locked)?;
        // A session that a key or a passkey began ends with it.
        let login = seat.proof.as_ref().map(|proof| &proof.login);
        let key = match login.filter(|login| login.is_by_key()) {
            Some(login) => {
                let key = login.api_key.as_ref()?;
                Some(self.keys.find(seat.identity, key.uuid)?.terms(key.version)?)
            }
            None => None,
        };
        let passkey = login.and_then(|login| login.passkey.as_ref());
        if passkey.is_some_and(|passkey| !identity.passkeys.contains(&passkey.uuid)) {
            return None;
        }
        // Whoever comes by a key, or by a token of a provider, is a program, also in the name of a person.
        let is_of_a_program = login.is_some_and(LoginWay::is_of_a_program);
        let kind = if is_of_a_program { IdentityKind::Application } else { identity.kind };
        let still_held = |role: &RoleId| identity.roles.iter().any(|(held, since)| held == role && *since <= seat.at);
        let counts = |role: &RoleId| still_held(role) && self.counts(kind, *role) && self.is_satisfied(*role, login);
        let roles = seat.roles.iter().copied().filter(counts).collect();
        Some(Present { seat: Seat { roles, ..seat.clone() }, identity, kind, key })
    }

    fn member(&self, present: &Present<'_>, satisfied: &[RoleId]) -> Member {
        let Present { seat, identity, kind, key } = present;
        // Somebody else may have made the way in for themselves: whoever comes by it is nobody who was there before.
        let way_in =
            [key.as_ref().map(|key| key.trusted_since), seat.proof.as_ref().and_then(|proof| proof.trusted_since)];
        let trusted_since = way_in.into_iter().flatten().fold(identity.trusted_since, i64::max);
        let mut trusted: Vec<(Perm, i64)> = Vec::new();
        let counts = |id: &RoleId| seat.roles.contains(id) && satisfied.contains(id);
        let roles = identity.roles.iter().filter(|(id, _)| counts(id));
        let roles: Vec<_> = roles.map(|(id, since)| (*id, trusted_since.max(*since))).collect();
        for (id, assigned_at) in &roles {
            for (perm, granted_at) in self.roles.get(id).iter().flat_map(|role| &role.rules.perms) {
                let since = (*assigned_at).max(*granted_at);
                match trusted.iter_mut().find(|(known, _)| known == perm) {
                    Some((_, earliest)) => *earliest = since.min(*earliest),
                    None => trusted.push((*perm, since)),
                }
            }
        }
        let factor_at = seat.factor_at();
        Member { id: seat.identity, name: identity.name.clone(), kind: *kind, trusted, roles, factor_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADMIN: RoleId = RoleId::from_u128(1);
    const APPROVER: RoleId = RoleId::from_u128(2);
    const ALICE: IdentityId = IdentityId::from_u128(11);
    const BOB: IdentityId = IdentityId::from_u128(12);
    const SESSION: Uuid = Uuid::from_u128(99);

    fn role(logins_required: u32, perms: &[(Perm, i64)], management: bool) -> Option<Role> {
        let perms = perms.iter().copied().collect();
        let rules = RoleRules { logins_required, perms, management, second_factor: SecondFactor::None };
        Some(Role { name: "a role".to_owned(), rules })
    }

    fn person(trusted_since: i64, roles: &[(RoleId, i64)]) -> Option<Identity> {
        let (name, kind) = ("somebody".to_owned(), IdentityKind::Person);
        let roles = roles.to_vec();
        let passkeys = Vec::new();
        Some(Identity {
            name,
            kind,
            locked: false,
            trusted_since,
            totp_confirmed_at: None,
            passkeys,
            roles,
            recovered: None,
            bounds: None,
        })
    }

    fn seat(identity: IdentityId, roles: &[RoleId]) -> Seat {
        Seat { identity, roles: roles.to_vec(), at: 500, proof: None }
    }

    fn directory() -> Directory {
        Directory::default()
            .with_role(ADMIN, role(2, &[(Perm::SystemManage, 0), (Perm::SigningApprove, 300)], true))
            .with_role(APPROVER, role(1, &[(Perm::SigningApprove, 0)], false))
            .with_identity(ALICE, person(100, &[(ADMIN, 50), (APPROVER, 400)]))
            .with_identity(BOB, person(20, &[(ADMIN, 10)]))
    }

    fn both() -> [Seat; 2] {
        [seat(ALICE, &[ADMIN]), seat(BOB, &[ADMIN])]
    }

    #[test]
    fn permissions_are_those_of_the_satisfied_roles_only() {
        let directory = directory();
        assert!(directory.standing(SESSION, &both()[..1]).is_none(), "half open");
        let standing = directory.standing(SESSION, &both()).unwrap();
        assert_eq!((standing.roles.as_slice(), standing.management), (&[ADMIN][..], true));
        assert!(standing.perms.has(Perm::SystemManage) && !standing.perms.has(Perm::AuditRead));
        let standing = directory.standing(SESSION, &[seat(ALICE, &[APPROVER, ADMIN])]).unwrap();
        assert_eq!((standing.roles.as_slice(), standing.management), (&[APPROVER][..], false));
        assert!(standing.perms.has(Perm::SigningApprove) && !standing.perms.has(Perm::SystemManage));
    }

    #[test]
    fn what_is_withdrawn_is_gone_and_what_is_given_needs_a_new_login() {
        let withdrawn = directory().with_identity(BOB, person(20, &[]));
        assert!(withdrawn.standing(SESSION, &both()).is_none());
        let given_back = directory().with_identity(BOB, person(20, &[(ADMIN, 501)]));
        assert!(given_back.standing(SESSION, &both()).is_none());
        let given = directory().standing(SESSION, &[seat(ALICE, &[ADMIN]), seat(BOB, &[ADMIN])]).unwrap();
        assert_eq!(given.roles, [ADMIN], "alice got the other role after her login");
        let deleted = directory().with_role(ADMIN, None);
        assert!(deleted.standing(SESSION, &both()).is_none());
    }

    #[test]
    fn a_locked_or_removed_identity_ends_it_for_all() {
        let mut locked = person(20, &[(ADMIN, 10)]);
        locked.as_mut().unwrap().locked = true;
        assert!(directory().with_identity(BOB, locked).standing(SESSION, &both()).is_none());
        assert!(directory().with_identity(BOB, None).standing(SESSION, &both()).is_none());
    }

    #[test]
    fn an_application_is_no_second_person() {
        let mut application = person(20, &[(ADMIN, 10), (APPROVER, 10)]);
        application.as_mut().unwrap().kind = IdentityKind::Application;
        let directory = directory().with_identity(BOB, application);
        assert!(directory.standing(SESSION, &both()).is_none());
        let standing = directory.standing(SESSION, &[seat(BOB, &[ADMIN, APPROVER])]).unwrap();
        assert_eq!(standing.roles, [APPROVER], "roles with one login are an application's, too");
    }

    #[test]
    fn a_role_with_a_second_factor_counts_for_those_who_logged_in_with_it() {
        let mut demanding = role(1, &[(Perm::AuditRead, 0)], false);
        demanding.as_mut().unwrap().rules.second_factor = SecondFactor::Totp;
        let directory = directory().with_role(APPROVER, demanding);
        let roles = |login: Option<LoginWay>| {
            let proof = login.map(|login| SeatProof {
                login,
                source: Ipv4Addr::LOCALHOST.into(),
                trusted_since: None,
                shown_at: None,
            });
            let seat = Seat { proof, ..seat(ALICE, &[APPROVER]) };
            directory.standing(SESSION, &[seat]).map(|standing| standing.roles)
        };
        assert_eq!(roles(Some(LoginWay::password_and_totp())), Some(vec![APPROVER]));
        assert_eq!(roles(Some(LoginWay::password())), None);
        assert_eq!(roles(None), None, "a session of a former release");
    }

    #[test]
    fn trust_begins_with_the_latest_of_creation_reset_assignment_and_grant() {
        let standing = directory().standing(SESSION, &both()).unwrap();
        let since = |member: usize, perm| standing.members[member].trusted_since(perm);
        assert_eq!(since(0, Perm::SystemManage), Some(100), "alice's creation or reset");
        assert_eq!(since(1, Perm::SystemManage), Some(20), "bob's");
        assert_eq!(since(1, Perm::SigningApprove), Some(300), "the role got it later");
        assert_eq!(since(0, Perm::AuditRead), None);
        let standing = directory().standing(SESSION, &[seat(ALICE, &[APPROVER, ADMIN])]).unwrap();
        assert_eq!(
            standing.members[0].trusted_since(Perm::SigningApprove),
            Some(400),
            "an unsatisfied role is no grant"
        );
    }

    #[test]
    fn trust_begins_no_earlier_than_the_way_in_led_to_the_identity() {
        let since = |trusted_since| {
            let source = Ipv4Addr::LOCALHOST.into();
            let proof = Some(SeatProof { login: LoginWay::password(), source, trusted_since, shown_at: None });
            let standing = directory().standing(SESSION, &[Seat { proof, ..seat(ALICE, &[APPROVER]) }]).unwrap();
            let member = &standing.members[0];
            (member.trusted_since(Perm::SigningApprove), member.roles.clone())
        };
        assert_eq!(since(None), (Some(400), vec![(APPROVER, 400)]));
        assert_eq!(since(Some(399)), (Some(400), vec![(APPROVER, 400)]), "a binding from before the role");
        assert_eq!(since(Some(450)), (Some(450), vec![(APPROVER, 450)]), "somebody bound it since");
    }
}
