//! What may be granted to whom: the rules for roles and for those who hold them.

use std::collections::BTreeMap;

use chancery_types::{
    Perm, RoleId,
    wire::roles::{CreateRole, PatchRole},
};

use super::Caller;
use crate::{Error, Result};

/// A role as it is stored, without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleRules {
    pub(crate) logins_required: u32,
    /// Each permission with the time since when the role has it.
    pub(crate) perms: BTreeMap<Perm, i64>,
    pub(super) management: bool,
}

impl RoleRules {
    /// A new role that this caller may make.
    pub(super) fn create(caller: &Caller, body: &CreateRole, now: i64) -> Result<Self> {
        let nothing = Self { logins_required: body.logins_required, perms: BTreeMap::new(), management: false };
        nothing.changed(caller, Some(body.logins_required), Some(&body.perms), Some(body.management), now)
    }

    /// The role as this caller may change it.
    pub(super) fn patch(&self, caller: &Caller, body: &PatchRole, now: i64) -> Result<Self> {
        self.changed(caller, body.logins_required, body.perms.as_deref(), body.management, now)
    }

    fn changed(
        &self,
        caller: &Caller,
        logins_required: Option<u32>,
        perms: Option<&[Perm]>,
        management: Option<bool>,
        now: i64,
    ) -> Result<Self> {
        let next = Self {
            logins_required: logins_required.unwrap_or(self.logins_required),
            perms: perms.map_or_else(|| self.perms.clone(), |perms| self.granted(perms, now)),
            management: management.unwrap_or(self.management),
        };
        self.check_grants(caller, &next, perms.unwrap_or_default())?;
        next.check()?;
        Ok(next)
    }

    /// What is kept is held since it was granted, what is new since now.
    fn granted(&self, perms: &[Perm], now: i64) -> BTreeMap<Perm, i64> {
        perms.iter().map(|perm| (*perm, self.perms.get(perm).copied().unwrap_or(now))).collect()
    }

    /// Nobody grants what they do not hold. To ask for fewer logins grants everything to single persons.
    fn check_grants(&self, caller: &Caller, next: &Self, named: &[Perm]) -> Result<()> {
        let fewer_logins = next.logins_required < self.logins_required;
        let is_granted = |perm: &Perm| fewer_logins || !self.perms.contains_key(perm);
        if let Some(perm) = next.perms.keys().find(|perm| is_granted(perm) && !caller.has(**perm)) {
            let field = match named.iter().position(|named| named == perm) {
                Some(index) => format!("/perms/{index}"),
                None => "/loginsRequired".to_owned(),
            };
            return Err(cannot_grant(perm.as_str()).at(field));
        }
        if next.management && (fewer_logins || !self.management) && !caller.management() {
            return Err(cannot_grant("management").at("/management"));
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if !(1..=2).contains(&self.logins_required) {
            return Err(Error::value("/loginsRequired", "loginsRequired is 1 or 2."));
        }
        let dual = self.perms.keys().find(|perm| perm.needs_dual_login()).map(|perm| perm.as_str());
        match dual.or(self.management.then_some("management")) {
            Some(what) if self.logins_required < 2 => {
                Err(Error::value("/loginsRequired", format!("A role with {what} needs loginsRequired 2.")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Whether this caller may give the role to somebody, or make somebody's password who holds it.
    pub(super) fn check_held_by(&self, caller: &Caller) -> Result<()> {
        let nothing = Self { logins_required: self.logins_required, perms: BTreeMap::new(), management: false };
        let error = nothing.check_grants(caller, self, &[]);
        error.map_err(|error| Error::forbidden(error.message().to_owned()))
    }
}

fn cannot_grant(what: &str) -> Error {
    Error::forbidden(format!("Nobody can grant what they do not hold, and this session does not hold {what}."))
}

/// All roles of one identity ask for the same number of logins, and there is at least one.
pub(super) fn check_together(roles: &[(RoleId, RoleRules)]) -> Result<()> {
    let mut required = roles.iter().map(|(_, role)| role.logins_required);
    let Some(first) = required.next() else {
        return Err(Error::value("/roleUuids", "An identity has at least one role."));
    };
    if required.any(|other| other != first) {
        return Err(Error::value("/roleUuids", "All roles of one identity have the same loginsRequired."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{
        Meaning,
        identity::caller::{Shows, Standing},
        testing::request,
    };

    fn caller(perms: &[Perm], management: bool) -> Caller {
        let standing = Standing {
            session: uuid::Uuid::nil(),
            members: Vec::new(),
            roles: Vec::new(),
            perms: perms.iter().copied().collect(),
            management,
            recorded: crate::audit::Identities::default(),
            key: None,
        };
        Caller::new(request(), Arc::new(standing), Shows::Cookie)
    }

    fn body(logins_required: u32, perms: &[Perm], management: bool) -> CreateRole {
        CreateRole { name: "x".to_owned(), logins_required, perms: perms.to_vec(), management }
    }

    fn refusal<T>(result: Result<T>) -> Option<(Meaning, Option<String>)> {
        result.err().map(|error| (error.meaning(), error.field().map(str::to_owned)))
    }

    fn refused(meaning: Meaning, field: &str) -> Option<(Meaning, Option<String>)> {
        Some((meaning, Some(field.to_owned())))
    }

    #[test]
    fn powerful_roles_need_two_logins() {
        let all = caller(Perm::ALL, true);
        let single =
            [Perm::KeysAdd, Perm::CertManageGenerate, Perm::SigningSubmit, Perm::SigningApprove, Perm::AuditRead];
        assert_eq!(refusal(RoleRules::create(&all, &body(1, &single, false), 0)), None);
        for perm in Perm::ALL.iter().filter(|perm| !single.contains(perm)) {
            let expected = refused(Meaning::Value, "/loginsRequired");
            assert_eq!(refusal(RoleRules::create(&all, &body(1, &[*perm], false), 0)), expected, "{perm}");
            assert_eq!(refusal(RoleRules::create(&all, &body(2, &[*perm], false), 0)), None, "{perm}");
        }
        assert_eq!(
            refusal(RoleRules::create(&all, &body(1, &[], true), 0)),
            refused(Meaning::Value, "/loginsRequired")
        );
        for logins_required in [0, 3, u32::MAX] {
            let result = RoleRules::create(&all, &body(logins_required, &[], false), 0);
            assert_eq!(refusal(result), refused(Meaning::Value, "/loginsRequired"));
        }
    }

    #[test]
    fn nobody_grants_what_they_do_not_hold() {
        let officer = caller(&[Perm::IdentityManage, Perm::AuditRead], false);
        let create = |body| refusal(RoleRules::create(&officer, &body, 0));
        assert_eq!(create(body(1, &[Perm::AuditRead], false)), None);
        assert_eq!(
            create(body(1, &[Perm::AuditRead, Perm::SigningApprove], false)),
            refused(Meaning::Forbidden, "/perms/1")
        );
        assert_eq!(create(body(2, &[], true)), refused(Meaning::Forbidden, "/management"));
        let approvers =
            RoleRules::create(&caller(Perm::ALL, true), &body(2, &[Perm::SigningApprove], false), 5).unwrap();
        let patch = |patch: PatchRole| refusal(approvers.patch(&officer, &patch, 9));
        let perms = |perms: &[Perm]| PatchRole { perms: Some(perms.to_vec()), ..PatchRole::default() };
        assert_eq!(patch(perms(&[Perm::SigningApprove, Perm::AuditRead])), None, "what it has already is not granted");
        assert_eq!(patch(perms(&[Perm::AuditRead, Perm::KeysAdd])), refused(Meaning::Forbidden, "/perms/1"));
        let fewer = PatchRole { logins_required: Some(1), ..PatchRole::default() };
        assert_eq!(patch(fewer), refused(Meaning::Forbidden, "/loginsRequired"));
        assert_eq!(refusal(approvers.check_held_by(&officer)), Some((Meaning::Forbidden, None)));
    }

    #[test]
    fn a_permission_is_held_since_it_was_granted() {
        let all = caller(Perm::ALL, true);
        let role = RoleRules::create(&all, &body(1, &[Perm::SigningApprove], false), 5).unwrap();
        let perms = Some(vec![Perm::AuditRead, Perm::SigningApprove]);
        let patched = role.patch(&all, &PatchRole { perms, ..PatchRole::default() }, 9).unwrap();
        assert_eq!(patched.perms, BTreeMap::from([(Perm::SigningApprove, 5), (Perm::AuditRead, 9)]));
        let without = role.patch(&all, &PatchRole { perms: Some(vec![]), ..PatchRole::default() }, 9).unwrap();
        let again = PatchRole { perms: Some(vec![Perm::SigningApprove]), ..PatchRole::default() };
        assert_eq!(without.patch(&all, &again, 12).unwrap().perms, BTreeMap::from([(Perm::SigningApprove, 12)]));
    }

    #[test]
    fn roles_of_one_identity_agree_on_the_logins() {
        let role = |logins_required| {
            let rules = RoleRules { logins_required, perms: BTreeMap::new(), management: false };
            (RoleId::from_u128(1), rules)
        };
        assert!(check_together(&[role(1), role(1)]).is_ok());
        assert!(check_together(&[role(2)]).is_ok());
        for refused_together in [&[role(1), role(2)][..], &[]] {
            assert_eq!(refusal(check_together(refused_together)), refused(Meaning::Value, "/roleUuids"));
        }
    }
}
