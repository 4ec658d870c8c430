//! What may be granted to whom: the rules for roles and for those who hold them.

use std::collections::BTreeMap;

use chancery_types::{
    Perm, RoleId, SecondFactor,
    wire::roles::{CreateRole, PatchRole},
};

use crate::{Caller, Error, Result};

/// A role as it is stored, without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleRules {
    pub(crate) logins_required: u32,
    /// Each permission with the time since when the role has it.
    pub(crate) perms: BTreeMap<Perm, i64>,
    pub(super) management: bool,
    /// What its holders log in with besides a password.
    pub(crate) second_factor: SecondFactor,
}

impl RoleRules {
    /// A new role that this caller may make.
    pub(super) fn create(caller: &Caller, body: &CreateRole, now: i64) -> Result<Self> {
        let nothing = Self {
            logins_required: body.logins_required,
            perms: BTreeMap::new(),
            management: false,
            second_factor: body.second_factor,
        };
        nothing.patch(
            Some(caller),
            &PatchRole { perms: Some(body.perms.clone()), management: Some(body.management), ..PatchRole::default() },
            now,
        )
    }

    /// The role as this caller may change it; as anybody may, where nobody does.
    pub(super) fn patch(&self, caller: Option<&Caller>, body: &PatchRole, now: i64) -> Result<Self> {
        let perms = body.perms.as_deref();
        let next = Self {
            logins_required: body.logins_required.unwrap_or(self.logins_required),
            perms: perms.map_or_else(|| self.perms.clone(), |perms| self.granted(perms, now)),
            management: body.management.unwrap_or(self.management),
            second_factor: body.second_factor.unwrap_or(self.second_factor),
        };
        caller.map_or(Ok(()), |caller| self.check_grants(caller, &next, perms.unwrap_or_default()))?;
        next.check()?;
        Ok(next)
    }

    /// What is kept is held since it was granted, what is new since now.
    fn granted(&self, perms: &[Perm], now: i64) -> BTreeMap<Perm, i64> {
        perms.iter().map(|perm| (*perm, self.perms.get(perm).copied().unwrap_or(now))).collect()
    }

    /// Whether the next one is had for less: with fewer logins by single persons, without a second factor by passwords.
    pub(super) fn is_weakened_by(&self, next: &Self) -> bool {
        next.logins_required < self.logins_required || next.second_factor < self.second_factor
    }

    /// Nobody grants what they do not hold. To ask for less grants everything to those who have only that.
    fn check_grants(&self, caller: &Caller, next: &Self, named: &[Perm]) -> Result<()> {
        let is_weakened = self.is_weakened_by(next);
        let is_granted = |perm: &Perm| is_weakened || !self.perms.contains_key(perm);
        if let Some(perm) = next.perms.keys().find(|perm| is_granted(perm) && !caller.has(**perm)) {
            let field = match named.iter().position(|named| named == perm) {
                Some(index) => format!("/perms/{index}"),
                None if next.logins_required < self.logins_required => "/loginsRequired".to_owned(),
                None => "/secondFactor".to_owned(),
            };
            return Err(cannot_grant(perm.as_str()).at(field));
        }
        if next.management && (is_weakened || !self.management) && !caller.management() {
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
        let nothing = Self { perms: BTreeMap::new(), management: false, ..self.clone() };
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
    use crate::identity::Authenticated;
    use crate::{
        Meaning,
        context::caller::{Shows, Standing},
        testing::request,
    };

    fn caller(perms: &[Perm], management: bool) -> Caller {
        let standing = Standing {
            session: uuid::Uuid::nil(),
            members: Vec::new(),
            roles: Vec::new(),
            perms: perms.iter().copied().collect(),
            management,
            recorded: crate::context::record::RecordedIdentities::default(),
            key: None,
            by_token: false,
            second_factor_at: None,
            bounds: Vec::new(),
        };
        Caller::new(&Authenticated(()), request(), Arc::new(standing), Shows::Cookie)
    }

    fn body(logins_required: u32, perms: &[Perm], management: bool) -> CreateRole {
        CreateRole {
            name: "x".to_owned(),
            logins_required,
            perms: perms.to_vec(),
            management,
            second_factor: SecondFactor::None,
        }
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
        let patch = |patch: PatchRole| refusal(approvers.patch(Some(&officer), &patch, 9));
        let perms = |perms: &[Perm]| PatchRole { perms: Some(perms.to_vec()), ..PatchRole::default() };
        assert_eq!(patch(perms(&[Perm::SigningApprove, Perm::AuditRead])), None, "what it has already is not granted");
        assert_eq!(patch(perms(&[Perm::AuditRead, Perm::KeysAdd])), refused(Meaning::Forbidden, "/perms/1"));
        let fewer = PatchRole { logins_required: Some(1), ..PatchRole::default() };
        assert_eq!(patch(fewer), refused(Meaning::Forbidden, "/loginsRequired"));
        assert_eq!(refusal(approvers.check_held_by(&officer)), Some((Meaning::Forbidden, None)));
    }

    #[test]
    fn whoever_takes_the_second_factor_away_grants_everything() {
        let (all, officer) = (caller(Perm::ALL, true), caller(&[Perm::IdentityManage], false));
        let demanding = CreateRole { second_factor: SecondFactor::Totp, ..body(2, &[Perm::SigningApprove], false) };
        let role = RoleRules::create(&all, &demanding, 0).unwrap();
        let without = PatchRole { second_factor: Some(SecondFactor::None), ..PatchRole::default() };
        assert_eq!(refusal(role.patch(Some(&officer), &without, 1)), refused(Meaning::Forbidden, "/secondFactor"));
        let role = role.patch(Some(&all), &without, 1).unwrap();
        assert_eq!(
            (role.second_factor, &role.perms),
            (SecondFactor::None, &BTreeMap::from([(Perm::SigningApprove, 0)]))
        );
        let demanded = PatchRole { second_factor: Some(SecondFactor::Totp), ..PatchRole::default() };
        assert_eq!(role.patch(Some(&officer), &demanded, 2).unwrap().second_factor, SecondFactor::Totp);
    }

    #[test]
    fn a_permission_is_held_since_it_was_granted() {
        let all = caller(Perm::ALL, true);
        let role = RoleRules::create(&all, &body(1, &[Perm::SigningApprove], false), 5).unwrap();
        let perms = Some(vec![Perm::AuditRead, Perm::SigningApprove]);
        let patched = role.patch(Some(&all), &PatchRole { perms, ..PatchRole::default() }, 9).unwrap();
        assert_eq!(patched.perms, BTreeMap::from([(Perm::SigningApprove, 5), (Perm::AuditRead, 9)]));
        let without = role.patch(Some(&all), &PatchRole { perms: Some(vec![]), ..PatchRole::default() }, 9).unwrap();
        let again = PatchRole { perms: Some(vec![Perm::SigningApprove]), ..PatchRole::default() };
        assert_eq!(without.patch(Some(&all), &again, 12).unwrap().perms, BTreeMap::from([(Perm::SigningApprove, 12)]));
    }

    #[test]
    fn roles_of_one_identity_agree_on_the_logins() {
        let role = |logins_required| {
            let (perms, second_factor) = (BTreeMap::new(), SecondFactor::None);
            (RoleId::from_u128(1), RoleRules { logins_required, perms, management: false, second_factor })
        };
        assert!(check_together(&[role(1), role(1)]).is_ok());
        assert!(check_together(&[role(2)]).is_ok());
        for refused_together in [&[role(1), role(2)][..], &[]] {
            assert_eq!(refusal(check_together(refused_together)), refused(Meaning::Value, "/roleUuids"));
        }
    }
}
