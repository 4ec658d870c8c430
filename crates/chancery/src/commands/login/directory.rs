//! `chancery login --ldap`: by the passwords of a directory, for one person or two.

use chancery_client::Client;
use chancery_types::IdentityProviderId;

use crate::{
    client::exit::{Exit, told_with},
    failure::{Failure, While as _},
};

/// The directory of this name or uuid, among those that the server tells anybody.
pub(super) fn find(client: &Client, named: &str) -> Result<IdentityProviderId, Failure> {
    let directories = client.directories().doing("asking for the directories")?;
    let is_meant = |name: &str, uuid: &IdentityProviderId| {
        name.to_lowercase() == named.to_lowercase() || uuid.to_string().eq_ignore_ascii_case(named)
    };
    if let Some(found) = directories.iter().find(|directory| is_meant(&directory.name, &directory.uuid)) {
        return Ok(found.uuid);
    }
    let names: Vec<_> = directories.iter().map(|directory| directory.name.as_str()).collect();
    let next = if names.is_empty() {
        "Nobody logs in by a directory at this server.".to_owned()
    } else {
        format!("These are there: {}.", names.join(", "))
    };
    Err(told_with(Exit::Usage, format!("--ldap {named}: there is no such directory"), next))
}
