//! Token profiles.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, sql};

/// A token profile as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// How messages become tokens.
    pub algorithm: String,
    /// The backing key.
    pub key_id: Uuid,
    /// The key version that makes tokens.
    pub key_version: u32,
    /// The oldest key version whose tokens are read.
    pub min_decrypt_version: u32,
    /// The key version that made the first token.
    pub first_key_version: Option<u32>,
    /// The profile whose tokens it shares; none for its own.
    pub tweak_domain: Option<Uuid>,
    /// The format, as JSON.
    pub format: String,
    /// Whether each tokenization draws an initialization vector.
    pub use_iv: bool,
    /// Whether the same message always has the same token, where the algorithm leaves that open.
    pub deterministic: Option<bool>,
    /// How long a token can be read, as JSON; none for ever.
    pub time_to_live: Option<String>,
    /// The Control Rules, as JSON.
    pub control_rules: String,
    /// Whether a token was ever given out.
    pub used: bool,
    /// Counts the changes.
    pub version: i64,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// What calls wait for, where that is more than that their record is written.
    pub durability: Option<String>,
    /// The newest key version that made a token; none also in rows of releases that did not note it.
    pub last_key_version: Option<u32>,
    /// How often it was given another key, or the tokens of another profile; none where it never was.
    pub moves: Option<u32>,
}

/// What lists show of a token profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StubRow {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// How messages become tokens.
    pub algorithm: String,
    /// The format, as JSON.
    pub format: String,
    /// Whether each tokenization draws an initialization vector.
    pub use_iv: bool,
    /// The version of the key that makes tokens.
    pub key_version: u32,
    /// The oldest version that is read.
    pub min_decrypt_version: u32,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, name_key, algorithm, key_id, key_version, min_decrypt_version, first_key_version, \
             tweak_domain, format, use_iv, deterministic, time_to_live, control_rules, used, version, created_at_ms, \
             durability, last_key_version, moves, mac FROM token_profiles ",
            $rest
        )
    };
}

const DELETE: &str = "DELETE FROM token_profiles WHERE id = $1";
const BY_ID: &str = select!("WHERE id = $1");
pub(crate) const BEGINS: &str = select!("WHERE id = $1 AND key_id = $2 AND tweak_domain IS NULL");
pub(crate) const JOINS: &str = select!("WHERE key_id = $1 AND tweak_domain = $2");
const ALL: &str = select!("ORDER BY id");
const NAME_TAKEN: &str = "SELECT COUNT(*) FROM token_profiles WHERE name_key = $1 AND id <> $2";

/// Adds a profile; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Writes everything that can change, if version and uses are still those of `row`; whether they were. The version is
/// counted up. [`StoreError::Conflict`] when the name is taken.
pub async fn update(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let new = row.clone();
    amend(tx, vec![row.id.into_value()], |old: &mut Row| {
        let stands = |row: &Row| (row.version, row.used, row.last_key_version);
        if stands(old) != stands(&new) {
            return false;
        }
        *old = Row {
            first_key_version: old.first_key_version,
            // Before the version moves: a row that does not tell it has made tokens up to this one.
            last_key_version: old.last_key_version.or(old.used.then_some(old.key_version)),
            created_at_ms: old.created_at_ms,
            version: old.version + 1,
            moves: if (old.key_id, old.tweak_domain) == (new.key_id, new.tweak_domain) {
                old.moves
            } else {
                Some(old.moves.unwrap_or_default().saturating_add(1))
            },
            ..new
        };
        true
    })
    .await
}

/// Notes that a token was made by this version of a profile, with the key version that it has; whether it is still the
/// version.
pub async fn mark_used(tx: &mut Tx, id: Uuid, version: i64) -> Result<bool, StoreError> {
    amend(tx, vec![id.into_value()], |row: &mut Row| {
        row.used = true;
        row.first_key_version = row.first_key_version.or(Some(row.key_version));
        row.last_key_version = Some(row.key_version);
        row.version == version
    })
    .await
}

/// Removes a profile; whether there was one.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(DELETE).bind(id).execute(tx).await? == 1)
}

/// The profile with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The profiles whose tokens are those of a key in a domain, which is the id of the profile that it began with.
pub async fn of_domain(tx: &mut Tx, key_id: Uuid, domain: Uuid) -> Result<Vec<Row>, StoreError> {
    let mut rows = sql(BEGINS).bind(domain).bind(key_id).authentic(tx).await?;
    rows.extend(sql(JOINS).bind(key_id).bind(domain).authentic::<Row>(tx).await?);
    Ok(rows)
}

/// The id of every profile, as it is stored: for whoever has to go round one that cannot be read.
pub async fn ids(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    sql("SELECT id FROM token_profiles ORDER BY id").all(tx).await
}

/// Every profile.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
}

/// Whether a profile other than this one has the name.
pub async fn name_taken(tx: &mut Tx, name_key: &str, id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(NAME_TAKEN).bind(name_key).bind(id).one::<i64>(tx).await? > 0)
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<StubRow>, StoreError> {
    let columns = "id, name, algorithm, format, use_iv, key_version, min_decrypt_version";
    List::new(columns, "token_profiles", Order::Name("name_key", "id")).search("name_key", term).page(tx, page).await
}

authority!(Row, "token_profiles", keys 1, {
    id, name, name_key, algorithm, key_id, key_version, min_decrypt_version, first_key_version, tweak_domain, format,
    use_iv, deterministic, time_to_live, control_rules, used, version, created_at_ms, durability,
    last_key_version, moves,
});

impl FromColumns for StubRow {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            name: columns.get("name")?,
            algorithm: columns.get("algorithm")?,
            format: columns.get("format")?,
            use_iv: columns.get("use_iv")?,
            key_version: columns.get("key_version")?,
            min_decrypt_version: columns.get("min_decrypt_version")?,
        })
    }
}
