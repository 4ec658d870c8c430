//! Who submits signing requests: the identities of a session with their names at that time, stored once for all requests
//! that they submit.

use uuid::Uuid;

use crate::statement::parameters;
use crate::value::Bind;
use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, sql};

/// An identity of a session that submits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitter {
    /// The identity.
    pub id: Uuid,
    /// Its name at that time.
    pub name: String,
}

const INSERT: &str = "INSERT INTO submitter_sets (id) VALUES ($1) ON CONFLICT (id) DO NOTHING";
const INSERT_MEMBER: &str = "INSERT INTO submitter_set_members (set_id, identity_id, identity_name) \
    VALUES ($1, $2, $3) ON CONFLICT (set_id, identity_id) DO NOTHING";
const MEMBERS: &str = "SELECT identity_id, identity_name FROM submitter_set_members \
    WHERE set_id = $1 ORDER BY identity_name, identity_id";

/// Adds a set, or leaves it as it is: its members belong to its id for ever.
pub async fn insert(tx: &mut Tx, id: Uuid, members: &[Submitter]) -> Result<(), StoreError> {
    sql(INSERT).bind(id).later(tx).await?;
    for member in members {
        sql(INSERT_MEMBER).bind(id).bind(member.id).bind(&member.name).later(tx).await?;
    }
    Ok(())
}

/// The members of a set.
pub async fn members(tx: &mut Tx, id: Uuid) -> Result<Vec<Submitter>, StoreError> {
    sql(MEMBERS).bind(id).all(tx).await
}

/// The sets in which one of these identities is.
pub(crate) async fn of_any(tx: &mut Tx, identities: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
    let places = parameters(1, identities.len());
    let text = format!("SELECT DISTINCT set_id FROM submitter_set_members WHERE identity_id IN ({places})");
    let values: Vec<_> = identities.iter().map(|id| (*id).into_value()).collect();
    generated_sql(text).bind_all(&values).all(tx).await
}

impl FromColumns for Submitter {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { id: columns.get("identity_id")?, name: columns.get("identity_name")? })
    }
}
