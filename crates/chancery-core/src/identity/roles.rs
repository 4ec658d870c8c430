//! `/api/v2/roles` behind the door.

use std::collections::BTreeMap;

use chancery_keys::RelyingParty;
use chancery_store::{
    Tx, name_key,
    tables::{self, roles::Row},
};
use chancery_types::{
    Action, Perm, RoleId, SecondFactor,
    wire::{
        Empty, ListQuery, ObjInfo, Results,
        reports::AccessEffect,
        roles::{CreateRole, PatchRole, Role, RoleCreated, RoleStub},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    administration::name_taken,
    identities::{check_may_give, check_named},
    rules::RoleRules,
};
use crate::{
    Caller, Error, Event, Grant, Identities, Limits, Result,
    base::{
        list::Page,
        text::{check_own_name, check_own_name_anew},
    },
    context::changes::{Change, ChangeKind},
    identity::effect::{self, named},
};

impl Identities {
    /// POST /api/v2/roles.
    pub async fn create_role(&self, caller: &Caller, body: CreateRole) -> Result<RoleCreated> {
        let (id, now) = (RoleId::from_random(chancery_keys::random()), self.context.clock.now_ms());
        let (limits, granter, party) = (self.context.limits.clone(), caller.clone(), self.relying_party());
        let event = Event::new(Action::RoleCreate)
            .on(Uuid::from(id))
            .detail(json!({
                "name": body.name, "loginsRequired": body.logins_required, "perms": body.perms,
                "management": body.management, "secondFactor": body.second_factor,
            }))
            .changes(Change::of(ChangeKind::Role, id));
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                check_own_name("/name", &body.name, &limits)?;
                let rules = RoleRules::create(&granter, &body, now)?;
                check_has_passkeys(rules.second_factor, party)?;
                let row = row_of(id, body.name, &rules)?;
                tables::roles::insert(tx, &row).await.map_err(name_taken)
            })
        })
        .await?;
        Ok(RoleCreated { uuid: id })
    }

    /// GET /api/v2/roles/stubs.
    pub async fn role_stubs(&self, caller: &Caller, query: &ListQuery) -> Result<Results<RoleStub>> {
        let grant = self.context.grant_to_all(caller);
        let page = Page::of(query, &self.context.limits)?;
        let (search, rows) = (page.search.clone(), page.rows());
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::roles::list(tx, Some(&search), &rows).await?) })
        });
        let stub = |row: Row| RoleStub {
            obj_info: ObjInfo { name: row.name, uuid: row.id.into() },
            logins_required: row.logins_required,
            system: row.system,
        };
        page.answer(listed.await?, |row| Ok(stub(row)))
    }

    /// GET /api/v2/roles/{uuid}.
    pub async fn role(&self, caller: &Caller, id: RoleId) -> Result<Role> {
        let grant = self.grant_administration(caller, Action::RoleRead, Some(id.into())).await?;
        self.context.storage.read(&grant, move |tx| Box::pin(async move { body_of(existing(tx, id).await?) })).await
    }

    /// PATCH /api/v2/roles/{uuid}.
    pub async fn change_role(&self, caller: &Caller, id: RoleId, body: PatchRole) -> Result<Role> {
        let (now, limits, granter) = (self.context.clock.now_ms(), self.context.limits.clone(), caller.clone());
        let (directory, party) = (self.state.directory.load_full(), self.relying_party());
        let event = Event::new(Action::RoleChange).on(Uuid::from(id)).changes(Change::of(ChangeKind::Role, id));
        let (event, told) = event.told();
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let row = changeable(tx, id).await?;
                let rules = rules_of(&row)?;
                let next = rules.patch(Some(&granter), &body, now)?;
                if next.second_factor > rules.second_factor {
                    check_has_passkeys(next.second_factor, party)?;
                }
                let effect = effect::of_role(&directory, id, &next);
                if next.logins_required != rules.logins_required {
                    check_nobody_holds(tx, id, "loginsRequired can be changed").await?;
                }
                if next.logins_required != rules.logins_required || rules.is_weakened_by(&next) {
                    check_named(tx, &granter, id).await?;
                }
                let name = renamed(tx, &granter, (&row, &rules), body, &limits).await?;
                let before = body_of(row.clone())?;
                let row = row_of(id, name, &next)?;
                tables::roles::update(tx, &row).await.map_err(name_taken)?;
                let after = body_of(row)?;
                told.changed_for(&before, &after, &limits, &effect)?;
                Ok(after)
            })
        })
        .await
    }

    /// Who would gain and lose what if a role permitted this. Refused as the change is, where somebody is to make it.
    pub(crate) async fn role_effect(
        &self,
        grant: &Grant,
        granter: Option<&Caller>,
        id: RoleId,
        perms: Vec<Perm>,
    ) -> Result<AccessEffect> {
        let row = self.context.storage.read(grant, move |tx| Box::pin(changeable(tx, id))).await;
        let rules = rules_of(&row.map_err(|refusal| named(refusal, "/roleUuid"))?)?;
        let body = PatchRole { perms: Some(perms), ..PatchRole::default() };
        let next = rules.patch(granter, &body, self.context.clock.now_ms())?;
        Ok(effect::of_role(&self.state.directory.load(), id, &next))
    }

    /// DELETE /api/v2/roles/{uuid}.
    pub async fn delete_role(&self, caller: &Caller, id: RoleId) -> Result<Empty> {
        let event = Event::new(Action::RoleDelete).on(Uuid::from(id)).changes(Change::of(ChangeKind::Role, id));
        let ((event, told), limits) = (event.told(), self.context.limits.clone());
        self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let before = body_of(changeable(tx, id).await?)?;
                told.changed(&before, &Empty {}, &limits)?;
                check_nobody_holds(tx, id, "a role can be deleted").await?;
                tables::roles::delete(tx, id.into()).await?;
                Ok(Empty {})
            })
        })
        .await
    }
}

/// What a role is called from now on. Policies, approvals and rules show roles by their names: two that changed theirs would
/// be given for each other. So whoever renames one holds what it gave before.
async fn renamed(
    tx: &mut Tx,
    granter: &Caller,
    (row, rules): (&Row, &RoleRules),
    body: PatchRole,
    limits: &Limits,
) -> Result<String> {
    let mut given = [("/name", body.name), ("/objInfo/name", body.obj_info.and_then(|info| info.name))];
    if let Some((field, _)) = given.iter().find(|(_, name)| name.as_ref().is_some_and(|name| *name != row.name)) {
        check_may_give(tx, granter, row.id.into(), rules).await.map_err(|refusal| refusal.at(*field))?;
    }
    // Also the one that does not count is a name.
    for (field, name) in &given {
        name.as_ref().map_or(Ok(()), |name| check_own_name_anew(field, name, &row.name, limits))?;
    }
    let name = given.iter_mut().find_map(|(_, name)| name.take());
    Ok(name.unwrap_or_else(|| row.name.clone()))
}

async fn existing(tx: &mut Tx, id: RoleId) -> Result<Row> {
    tables::roles::by_id(tx, id.into()).await?.ok_or_else(|| Error::not_found("role"))
}

async fn changeable(tx: &mut Tx, id: RoleId) -> Result<Row> {
    let row = existing(tx, id).await?;
    if row.system {
        return Err(Error::state("A built-in role cannot be changed or deleted; make another one."));
    }
    Ok(row)
}

/// Refuses to demand passkeys where there can be none: nobody would hold the role.
fn check_has_passkeys(demanded: SecondFactor, party: Result<RelyingParty>) -> Result<()> {
    match demanded {
        SecondFactor::None | SecondFactor::Totp => Ok(()),
        SecondFactor::WebAuthn => party.map(drop).map_err(|refusal| refusal.at("/secondFactor")),
    }
}

async fn check_nobody_holds(tx: &mut Tx, id: RoleId, what: &str) -> Result<()> {
    if tables::identity_roles::holders(tx, id.into()).await? > 0 {
        return Err(Error::state(format!("Somebody holds this role; {what} only while nobody does.")));
    }
    Ok(())
}

pub(super) fn rules_of(row: &Row) -> Result<RoleRules> {
    let stored: BTreeMap<String, i64> = serde_json::from_str(&row.perms).map_err(Error::internal)?;
    // A spelling that this release does not know was granted by a newer one, and means nothing here.
    let known = |(perm, since): (String, i64)| Some((perm.parse::<Perm>().ok()?, since));
    Ok(RoleRules {
        logins_required: row.logins_required,
        perms: stored.into_iter().filter_map(known).collect(),
        management: row.management,
        second_factor: match &row.second_factor {
            Some(factor) => factor.parse().map_err(Error::internal)?,
            None => SecondFactor::None,
        },
    })
}

fn row_of(id: RoleId, name: String, rules: &RoleRules) -> Result<Row> {
    let perms: BTreeMap<_, _> = rules.perms.iter().map(|(perm, since)| (perm.as_str(), since)).collect();
    Ok(Row {
        id: id.into(),
        name_key: name_key(&name),
        name,
        logins_required: rules.logins_required,
        perms: serde_json::to_string(&perms).map_err(Error::internal)?,
        management: rules.management,
        system: false,
        second_factor: match rules.second_factor {
            SecondFactor::None => None,
            factor @ (SecondFactor::Totp | SecondFactor::WebAuthn) => Some(factor.as_str().to_owned()),
        },
    })
}

pub(super) fn body_of(row: Row) -> Result<Role> {
    let rules = rules_of(&row)?;
    Ok(Role {
        obj_info: ObjInfo { name: row.name, uuid: row.id.into() },
        logins_required: rules.logins_required,
        perms: rules.perms.into_keys().collect(),
        management: rules.management,
        second_factor: rules.second_factor,
        system: row.system,
    })
}
