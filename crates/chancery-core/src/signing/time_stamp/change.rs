//! Changing a time-stamping authority: the policy that its stamps name, and whether it is the default one.

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, Perm, ServiceId,
    wire::services::{ChangeService, ChangeTimeStamping, ChangedService, StampsUnder},
};
use serde_json::json;
use uuid::Uuid;

use super::{
    deploy::{TOPIC, UNREADABLE, check_policy},
    oid::Oid,
};
use crate::{
    Caller, Error, Event, Limits, Result, Signing,
    context::{record::Told, storage::Opening},
};

impl Signing {
    /// Changes a time-stamping authority, from the next stamp on. Its stamps that exist stay as they are.
    pub async fn change_service(
        &self,
        caller: &Caller,
        service: ServiceId,
        request: ChangeService,
    ) -> Result<ChangedService> {
        let action = Action::ServiceChange;
        let grant = self.context.grant(caller, Perm::ServicesDeploy, action, Some(service.into())).await?;
        let wanted = request.timestamping;
        self.context.storage.read(&grant, move |tx| Box::pin(present(tx, service))).await?;
        wanted.policy_oid.as_deref().map(check_policy).transpose()?;
        let ((event, told), limits) = (Event::new(action).on(Uuid::from(service)).told(), self.context.limits.clone());
        let row =
            self.context.commit(&grant, event, move |tx| Box::pin(store(tx, service, wanted, told, limits))).await?;
        Ok(ChangedService { service_uuid: service, timestamping: stamps_under(&row) })
    }

    /// Tells the operator of authorities whose stamps many verifiers cannot read.
    pub(crate) async fn tell_of_unreadable_policies(&self, opening: &Opening) -> Result<()> {
        let rows = self
            .context
            .storage
            .read(opening, |tx| Box::pin(async move { tables::time_stamping_services::all(tx).await }))
            .await;
        for row in rows.map_err(Error::from)?.iter().filter(|row| !is_readable(&row.policy_oid)) {
            tracing::warn!(service = %row.service_id, policy = %row.policy_oid, "{UNREADABLE}");
        }
        Ok(())
    }
}

/// What is told of a service, if it is an authority whose stamps many verifiers cannot read.
pub(in crate::signing) async fn unreadable_policy(tx: &mut Tx, service: ServiceId) -> Result<Option<String>> {
    let row = tables::time_stamping_services::by_service(tx, service.into()).await?;
    Ok(row.filter(|row| !is_readable(&row.policy_oid)).map(|_| UNREADABLE.to_owned()))
}

fn is_readable(policy_oid: &str) -> bool {
    policy_oid.parse::<Oid>().is_ok_and(|oid| oid.is_readable())
}

fn stamps_under(row: &tables::time_stamping_services::Row) -> StampsUnder {
    StampsUnder { policy_oid: row.policy_oid.clone(), default: row.is_default }
}

async fn present(tx: &mut Tx, service: ServiceId) -> Result<tables::time_stamping_services::Row> {
    if let Some(row) = tables::time_stamping_services::by_service(tx, service.into()).await? {
        return Ok(row);
    }
    let is_there = tables::services::by_id(tx, service.into()).await?.is_some();
    let message = "This is no time-stamping authority; of other services the policies are changed.";
    Err(if is_there { Error::value("/timestamping", message) } else { Error::not_found("service") })
}

/// The row as it is to be.
fn changed(
    present: &tables::time_stamping_services::Row,
    wanted: &ChangeTimeStamping,
) -> Result<tables::time_stamping_services::Row> {
    if wanted.default == Some(false) && present.is_default {
        let message = "There is always a default authority: make another one the default instead.";
        return Err(Error::value("/timestamping/default", message));
    }
    Ok(tables::time_stamping_services::Row {
        service_id: present.service_id,
        policy_oid: wanted.policy_oid.clone().unwrap_or_else(|| present.policy_oid.clone()),
        is_default: present.is_default || wanted.default == Some(true),
    })
}

/// Stores the change of what is there now.
async fn store(
    tx: &mut Tx,
    service: ServiceId,
    wanted: ChangeTimeStamping,
    told: Told,
    limits: Limits,
) -> Result<tables::time_stamping_services::Row> {
    tables::turns::take(tx, TOPIC).await?;
    let present = present(tx, service).await?;
    let row = changed(&present, &wanted)?;
    let name = tables::services::by_id(tx, service.into()).await?.ok_or_else(|| Error::not_found("service"))?.name;
    let body = |row| json!({"objInfo": {"name": name}, "timestamping": stamps_under(row)});
    told.changed(&body(&present), &body(&row), &limits)?;
    if wanted.default == Some(true) {
        tables::time_stamping_services::clear_default(tx).await?;
    }
    if tables::time_stamping_services::change(tx, &row).await? { Ok(row) } else { Err(Error::not_found("service")) }
}
