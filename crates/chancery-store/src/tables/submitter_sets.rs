//! Who submits signing requests: the identities of a session with their names at that time, stored once for all requests
//! that they submit.

use uuid::Uuid;

use crate::authority::{Authority, authority};
use crate::statement::parameters;
use crate::value::Bind;
use crate::{StoreError, Tx, generated_sql, sql};

/// An identity of a session that submits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitter {
    /// The identity.
    pub id: Uuid,
    /// Its name at that time.
    pub name: String,
}

/// A set, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set {
    id: Uuid,
    /// How many it has: none is taken out of it.
    members: i64,
}

/// A member of a set, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    set_id: Uuid,
    identity_id: Uuid,
    identity_name: String,
}

const BY_ID: &str = "SELECT id, members, mac FROM submitter_sets WHERE id = $1";
const MEMBERS: &str = "SELECT set_id, identity_id, identity_name, mac FROM submitter_set_members \
    WHERE set_id = $1 ORDER BY identity_name, identity_id";

/// Adds a set, or leaves it as it is: its members belong to its id for ever.
pub async fn insert(tx: &mut Tx, id: Uuid, members: &[Submitter]) -> Result<(), StoreError> {
    let set = Set { id, members: i64::try_from(members.len()).unwrap_or(i64::MAX) };
    sql(Set::texts().insert_if_new()).bind_row(tx, &set, 1)?.later(tx).await?;
    for member in members {
        let member = Member { set_id: id, identity_id: member.id, identity_name: member.name.clone() };
        sql(Member::texts().insert_if_new()).bind_row(tx, &member, 1)?.later(tx).await?;
    }
    Ok(())
}

/// The members of a set: all of them, or [`StoreError::Unauthentic`].
pub async fn members(tx: &mut Tx, id: Uuid) -> Result<Vec<Submitter>, StoreError> {
    let members: Vec<Member> = sql(MEMBERS).bind(id).all(tx).await?;
    let Some(set) = sql(BY_ID).bind(id).optional::<Set>(tx).await? else {
        return Err(tx.refuse(Set::TABLE.name, id));
    };
    if i64::try_from(members.len()) != Ok(set.members) {
        return Err(tx.authenticator().refuse(&Set::TABLE, &[id.into_value().stored()]));
    }
    Ok(members.into_iter().map(|member| Submitter { id: member.identity_id, name: member.identity_name }).collect())
}

/// The sets in which one of these identities is.
pub(crate) async fn of_any(tx: &mut Tx, identities: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
    let places = parameters(1, identities.len());
    let text = format!("SELECT DISTINCT set_id FROM submitter_set_members WHERE identity_id IN ({places})");
    let values: Vec<_> = identities.iter().map(|id| (*id).into_value()).collect();
    generated_sql(text).bind_all(&values).all(tx).await
}

authority!(Set, "submitter_sets", keys 1, { id, members });
authority!(Member, "submitter_set_members", keys 2, { set_id, identity_id, identity_name });
