//! The first identities of an installation, made by somebody with a shell on the host.

use chancery_store::{
    name_key,
    tables::{self, identities, identity_roles},
};
use chancery_types::{Action, IdentityId, IdentityKind, RoleId};
use serde_json::json;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{administration::take_turn, password};
use crate::{
    Error, Event, Host, Identities, Limits, Result,
    base::text::check_own_name,
    context::{
        changes::{Change, ChangeKind},
        settings,
    },
};

/// An identity that an installation begins with.
pub struct FirstIdentity {
    name: String,
    password: Zeroizing<String>,
    roles: Vec<RoleId>,
}

impl FirstIdentity {
    /// A person with these built-in roles.
    #[must_use]
    pub fn new(name: impl Into<String>, password: impl Into<String>, roles: &[RoleId]) -> Self {
        Self { name: name.into(), password: Zeroizing::new(password.into()), roles: roles.to_vec() }
    }

    /// Refuses names that none can have, and one for two: before anything is made.
    pub fn check_names(names: &[&str], limits: &Limits) -> Result<()> {
        for (number, name) in names.iter().enumerate() {
            check_own_name("/name", name, limits).map_err(|refusal| refusal.naming(name))?;
            if names[..number].iter().any(|other| name_key(other) == name_key(name)) {
                return Err(Error::exists("/name", format!("{name}: two identities cannot have one name.")));
            }
        }
        Ok(())
    }
}

/// What an installation begins with.
pub struct Provision {
    /// The first identities: at least two, of whom each can stand for the other.
    pub identities: Vec<FirstIdentity>,
    /// Whether API access is on.
    pub api_access: bool,
    /// Whether this is a demonstration, of which one file holds both halves of dual control.
    pub demo: bool,
}

impl Identities {
    /// Whether nobody can log in yet, because there is no identity.
    pub async fn is_new(&self, host: &Host) -> Result<bool> {
        let any = self.context.storage.read(host, |tx| Box::pin(async move { identities::any(tx).await }));
        Ok(!any.await.map_err(Error::from)?)
    }

    /// Makes the first identities and settings. InvalidState where there are identities already. Answers their ids.
    pub async fn provision(&self, host: &Host, provision: Provision) -> Result<Vec<IdentityId>> {
        let Provision { identities: first, api_access, demo } = provision;
        let mut people = Vec::new();
        for identity in first {
            people.push(self.first_row(identity).await?);
        }
        let ids: Vec<Uuid> = people.iter().map(|(row, _)| row.id).collect();
        let names: Vec<_> = people.iter().map(|(row, _)| row.name.clone()).collect();
        let mut event = Event::new(Action::Provision)
            .detail(json!({"identities": names, "apiAccess": api_access, "demo": demo}))
            .changes(Change::all(ChangeKind::Settings));
        for id in &ids {
            event = event.changes(Change::of(ChangeKind::Identity, *id));
        }
        let demo_ids: Vec<IdentityId> = ids.iter().copied().filter(|_| demo).map(IdentityId::from).collect();
        let provisioned = self.context.commit(host, event, move |tx| {
            Box::pin(async move {
                take_turn(tx).await?;
                if identities::any(tx).await? {
                    return Err(Error::state("The installation has identities already."));
                }
                settings::write(tx, api_access, demo).await?;
                settings::note_demo_identities(tx, &demo_ids).await?;
                for (row, roles) in &people {
                    identities::insert(tx, row).await?;
                    for role in roles {
                        tables::identity_roles::insert(tx, role).await?;
                    }
                }
                Ok(())
            })
        });
        provisioned.await?;
        Ok(ids.into_iter().map(IdentityId::from).collect())
    }

    async fn first_row(&self, first: FirstIdentity) -> Result<(identities::Row, Vec<identity_roles::Row>)> {
        check_own_name("/name", &first.name, &self.context.limits)?;
        password::check_new("/password", first.password.as_bytes(), &self.context.limits)?;
        let (id, now) = (Uuid::from(IdentityId::from_random(chancery_keys::random())), self.context.clock.now_ms());
        let hash = self.passwords.hash(first.password).await?;
        let roles = first.roles.into_iter();
        let roles =
            roles.map(|role| identity_roles::Row { identity_id: id, role_id: role.into(), assigned_at_ms: now });
        let row = identities::Row::new(id, first.name, IdentityKind::Person.as_str(), now);
        let row = identities::Row { password: Some(hash), ..row };
        Ok((row, roles.collect()))
    }
}
