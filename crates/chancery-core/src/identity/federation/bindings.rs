//! `/api/v2/identity-bindings` behind the door.

use std::collections::BTreeMap;

use chancery_store::{Tx, name_key, tables};
use chancery_types::{
    Action, IdentityBindingId, IdentityKind, Perm,
    wire::{
        Empty, ListQuery, Results,
        identity_providers::{CreateIdentityBinding, IdentityBinding, IdentityBindingQuery},
    },
};
use serde_json::json;
use uuid::Uuid;

use super::{
    certificates,
    stored::{BindingContent, ProviderContent, binding},
};
use crate::{
    Caller, Error, Event, Identities, Result,
    base::{list::Page, text::check_name},
    identity::{
        administration::{end_sessions, name_taken},
        identities::{check_holds_as_much, check_takes_programs, kind_of},
    },
};

/// Claims that a binding names, and bytes of a name or a value.
const CLAIMS_MAX: usize = 20;
const TEXT_MAX: usize = 1_024;

/// Claims whose values a provider gives to one thing, and never to another: a repository, a project, an account. What names
/// an owner, an actor or a run says nothing of whose code runs.
const IDS: [&str; 4] = ["repository_id", "project_id", "oid", "/kubernetes.io/serviceaccount/uid"];

impl Identities {
    /// POST /api/v2/identity-bindings. Whoever makes one could act as the identity by it, so they hold as much.
    pub async fn create_identity_binding(
        &self,
        caller: &Caller,
        body: CreateIdentityBinding,
    ) -> Result<IdentityBinding> {
        let grant = self.grant_administration(caller, Action::IdentityBindingCreate, None).await?;
        let CreateIdentityBinding { name, identity_uuid, provider_uuid, subject, claims } = body;
        check_name("/name", &name, &self.context.limits)?;
        check_texts(subject.as_deref(), &claims)?;
        let row = tables::identity_bindings::Row {
            id: IdentityBindingId::from_random(chancery_keys::random()).into(),
            name_key: name_key(&name),
            name,
            identity_id: identity_uuid.into(),
            provider_id: provider_uuid.into(),
            content: BindingContent { subject, claims }.to_json()?,
            created_at_ms: self.context.clock.now_ms(),
        };
        let made = binding(&row)?;
        let detail = json!({"identityUuid": identity_uuid});
        let (event, told) = Event::new(Action::IdentityBindingCreate).on(row.id).detail(detail).told();
        let (granter, limits) = (caller.clone(), self.context.limits.clone());
        self.administer_with(caller, &grant, event, move |tx| {
            Box::pin(async move {
                check_can_log_in(tx, &row).await?;
                check_holds_as_much(tx, &granter, row.identity_id).await?;
                let max = limits.logins.identity_bindings_max;
                if tables::identity_bindings::count(tx, row.provider_id).await? >= i64::from(max) {
                    let message = format!("{max} bindings belong to this provider already, and no more are taken.");
                    return Err(Error::too_large("", message));
                }
                if tables::identity_bindings::has_same(tx, row.provider_id, &row.content).await? {
                    let message =
                        "Such tokens of this provider stand for an identity already; delete that binding first.";
                    return Err(Error::exists("/subject", message));
                }
                told.changed(&Empty {}, &made, &limits)?;
                tables::identity_bindings::insert(tx, &row).await.map_err(name_taken)?;
                Ok(made)
            })
        })
        .await
    }

    /// GET /api/v2/identity-bindings.
    pub async fn identity_bindings(
        &self,
        caller: &Caller,
        query: IdentityBindingQuery,
    ) -> Result<Results<IdentityBinding>> {
        let grant = self.context.grant(caller, Perm::IdentityManage, Action::IdentityBindingRead, None).await?;
        let IdentityBindingQuery { page, page_size, after, search, identity_uuid } = query;
        let page = Page::of(&ListQuery { page, page_size, after, search }, &self.context.limits)?;
        let (term, rows, identity) = (page.term(), page.rows(), identity_uuid.map(Uuid::from));
        let listed = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move { Ok(tables::identity_bindings::list(tx, term.as_deref(), identity, &rows).await?) })
        });
        page.answer(listed.await?, |row| binding(&row))
    }

    /// GET /api/v2/identity-bindings/{uuid}.
    pub async fn identity_binding(&self, caller: &Caller, id: IdentityBindingId) -> Result<IdentityBinding> {
        let grant = self.grant_administration(caller, Action::IdentityBindingRead, Some(id.into())).await?;
        let read = self.context.storage.read(&grant, move |tx| {
            Box::pin(async move {
                let row = tables::identity_bindings::by_id(tx, id.into()).await?;
                binding(&row.ok_or_else(|| Error::not_found("identity binding"))?)
            })
        });
        read.await
    }

    /// DELETE /api/v2/identity-bindings/{uuid}. Ends the sessions of the identity.
    pub async fn delete_identity_binding(&self, caller: &Caller, id: IdentityBindingId) -> Result<Empty> {
        let (event, told) = Event::new(Action::IdentityBindingDelete).on(Uuid::from(id)).told();
        let (id, limits) = (Uuid::from(id), self.context.limits.clone());
        let done = self.administer(caller, event, move |tx| {
            Box::pin(async move {
                let row = tables::identity_bindings::by_id(tx, id).await?;
                let row = row.ok_or_else(|| Error::not_found("identity binding"))?;
                let of = [("identityUuid", json!(row.identity_id))];
                told.changed_and(&binding(&row)?, &Empty {}, &limits, of)?;
                tables::identity_bindings::delete(tx, id).await?;
                end_sessions(tx, row.identity_id).await?;
                Ok(Empty {})
            })
        });
        let done = done.await?;
        self.context.catch_up_with_own_change().await;
        Ok(done)
    }
}

/// Refuses what nobody could log in by.
async fn check_can_log_in(tx: &mut Tx, row: &tables::identity_bindings::Row) -> Result<()> {
    let identity = tables::identities::by_id(tx, row.identity_id).await?;
    let identity = identity.ok_or_else(|| Error::selection("/identityUuid", "There is no such identity."))?;
    let provider = tables::identity_providers::by_id(tx, row.provider_id).await?;
    let provider = provider.ok_or_else(|| Error::selection("/providerUuid", "There is no such identity provider."))?;
    let (provider, asked) = (ProviderContent::of(&provider)?, BindingContent::of(row)?);
    if let Some(ldap) = &provider.ldap {
        return ldap.check_asked(&asked);
    }
    if provider.authority.is_some() {
        // Whoever has the key of a certificate is who it says, a person as well as a program.
        return certificates::check_asked(&asked);
    }
    check_asked(asked.subject.as_deref(), &asked.claims)?;
    let is_of_people = provider.client.is_some();
    if !is_of_people || kind_of(&identity)? != IdentityKind::Person {
        return check_takes_programs(tx, row.identity_id).await;
    }
    if asked.subject.is_some() {
        return Ok(());
    }
    let message = "A person who logs in by the provider is bound by the subject that it never gives to anybody else.";
    Err(Error::value("/subject", message))
}

/// Refuses what no token and no certificate says.
fn check_texts(subject: Option<&str>, claims: &BTreeMap<String, String>) -> Result<()> {
    let is_text = |text: &str| !text.is_empty() && text.len() <= TEXT_MAX && !text.contains('\0');
    let what = format!("has 1 to {TEXT_MAX} characters, and is compared letter by letter.");
    if subject.is_some_and(|subject| !is_text(subject)) {
        return Err(Error::value("/subject", format!("A subject {what}")));
    }
    if claims.len() > CLAIMS_MAX {
        return Err(Error::too_large("/claims", format!("A binding names at most {CLAIMS_MAX} claims.")));
    }
    if let Some((name, _)) = claims.iter().find(|(name, value)| !is_text(name) || !is_text(value)) {
        let place = name.replace('~', "~0").replace('/', "~1");
        return Err(Error::value(format!("/claims/{place}"), format!("The name and the value of a claim {what}")));
    }
    Ok(())
}

/// Refuses what would be about no token in particular.
fn check_asked(subject: Option<&str>, claims: &BTreeMap<String, String>) -> Result<()> {
    if subject.is_none() && !claims.keys().any(|name| IDS.contains(&name.as_str())) {
        let message = format!("Without a subject the claims name something by its id: one of {}.", IDS.join(", "));
        return Err(Error::value("/subject", message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_binding_is_about_somebody_in_particular() {
        let claims = |named: &[(&str, &str)]| {
            named.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<BTreeMap<_, _>>()
        };
        check_asked(Some("repo:octo/app:ref:refs/heads/main"), &claims(&[])).unwrap();
        for id in IDS {
            check_asked(None, &claims(&[(id, "74"), ("ref", "refs/heads/main")])).unwrap();
        }
        let refused = |subject, named: &[_]| {
            let named = claims(named);
            let checked = check_texts(subject, &named).and_then(|()| check_asked(subject, &named));
            checked.unwrap_err().field().map(str::to_owned)
        };
        for named in [&[][..], &[("ref", "refs/heads/main")], &[("repository", "octo/app")], &[("actor_id", "7")]] {
            assert_eq!(refused(None, named).as_deref(), Some("/subject"), "{named:?}");
        }
        assert_eq!(refused(Some(""), &[]).as_deref(), Some("/subject"));
        assert_eq!(refused(Some("x"), &[("/a", "")]).as_deref(), Some("/claims/~1a"));
    }
}
