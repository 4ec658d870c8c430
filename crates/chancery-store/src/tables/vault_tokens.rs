//! Tokens of Random profiles: found by keyed hashes, sealed.
//!
//! Works here are of up to 100,000 rows, so statements take many rows at a time: as few round trips as PostgreSQL needs,
//! as few parameters as SQLite allows (32,766; it looks each up by its name, one after the other, when it prepares). A
//! statement takes a power of two of rows, so that there are only a few texts, which both databases keep prepared.

use std::fmt::Write;

use uuid::Uuid;

use crate::{Bind, Columns, FromColumns, Statement, StoreError, Tx, Value, generated_sql, sql};

/// The most rows of one statement.
const ROWS_MAX: usize = 512;

/// A keyed hash.
pub type Hash = [u8; 16];

/// A token as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Finds it by its token.
    pub token_hash: Hash,
    /// Finds it by its message.
    pub message_hash: Option<Hash>,
    /// The key version that sealed it.
    pub key_version: u32,
    /// Token, message and metadata.
    pub sealed: Vec<u8>,
    /// When it was made, in milliseconds since the epoch.
    pub created_at_ms: i64,
    /// From when on it is as if it were not there.
    pub expires_at_ms: Option<i64>,
}

/// What new rows have in common.
#[derive(Debug, Clone, Copy)]
pub struct Common {
    /// The profile whose tokens they are.
    pub domain: Uuid,
    /// See [`Row::key_version`].
    pub key_version: u32,
    /// See [`Row::created_at_ms`].
    pub created_at_ms: i64,
    /// See [`Row::expires_at_ms`].
    pub expires_at_ms: Option<i64>,
}

/// What each new row has of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct New {
    /// See [`Row::token_hash`].
    pub token_hash: Hash,
    /// See [`Row::message_hash`].
    pub message_hash: Option<Hash>,
    /// See [`Row::sealed`].
    pub sealed: Vec<u8>,
}

/// A row sealed anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resealed {
    /// Which row.
    pub token_hash: Hash,
    /// What it was sealed under until now.
    pub old_version: u32,
    /// The new seal.
    pub sealed: Vec<u8>,
}

const COLUMNS: &str = "token_hash, message_hash, key_version, sealed, created_at_ms, expires_at_ms";
const DELETE: &str = "DELETE FROM vault_tokens WHERE token_hash = $1 AND (expires_at_ms IS NULL OR expires_at_ms > $2)";
const FIRST_EXPIRED: &str =
    "SELECT expires_at_ms FROM vault_tokens WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT 1";
const DELETE_EXPIRED: &str = "DELETE FROM vault_tokens WHERE token_hash IN (SELECT token_hash FROM vault_tokens \
    WHERE expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2)";
const DELETE_OF_DOMAIN: &str = "DELETE FROM vault_tokens WHERE token_hash IN (SELECT token_hash FROM vault_tokens \
    WHERE domain = $1 LIMIT $2)";
const NEXT_DOMAIN: &str = "SELECT domain FROM vault_tokens WHERE domain > $1 ORDER BY domain LIMIT 1";
const DOMAIN_USERS: &str = "SELECT COUNT(*) FROM token_profiles WHERE id = $1 OR tweak_domain = $1";
const ANY_OF_DOMAIN: &str = "SELECT domain FROM vault_tokens WHERE domain = $1 LIMIT 1";
const COUNT: &str = "SELECT COUNT(*) FROM vault_tokens WHERE domain = $1";

/// Adds rows, but for those whose token or message is there already; how many were added. Rows in the order of their
/// hashes keep two writers from waiting for each other.
pub async fn insert(tx: &mut Tx, common: &Common, rows: &[New]) -> Result<u64, StoreError> {
    let mut added = 0;
    for rows in chunks(rows) {
        let text = format!(
            "INSERT INTO vault_tokens (domain, key_version, created_at_ms, expires_at_ms, token_hash, message_hash, \
             sealed) VALUES {} ON CONFLICT DO NOTHING",
            tuples("$1, $2, $3, $4, ", 5, 3, rows.len())
        );
        let mut statement = generated_sql(text)
            .bind(common.domain)
            .bind(common.key_version)
            .bind(common.created_at_ms)
            .bind(common.expires_at_ms);
        for row in rows {
            statement = statement
                .bind(&row.token_hash[..])
                .bind(row.message_hash.as_ref().map(|hash| &hash[..]))
                .bind(&row.sealed);
        }
        added += statement.execute(tx).await?;
    }
    Ok(added)
}

/// The rows of these tokens, in no order; expired ones too.
pub async fn by_tokens(tx: &mut Tx, hashes: &[Hash]) -> Result<Vec<Row>, StoreError> {
    by_hashes(tx, COLUMNS, "token_hash", hashes).await
}

/// The rows of these messages, in no order; expired ones too.
pub async fn by_messages(tx: &mut Tx, hashes: &[Hash]) -> Result<Vec<Row>, StoreError> {
    by_hashes(tx, COLUMNS, "message_hash", hashes).await
}

/// Which of these tokens are taken, in no order; by expired rows too.
pub async fn taken(tx: &mut Tx, hashes: &[Hash]) -> Result<Vec<Hash>, StoreError> {
    let rows: Vec<TokenHash> = by_hashes(tx, "token_hash", "token_hash", hashes).await?;
    Ok(rows.into_iter().map(|TokenHash(hash)| hash).collect())
}

/// Takes their messages from the rows of these messages that have expired, so that new ones can take their place. The tokens stay
/// until they are [removed](delete_expired): a clock may be wrong.
pub async fn release_expired_messages(tx: &mut Tx, hashes: &[Hash], now_ms: i64) -> Result<(), StoreError> {
    for hashes in chunks(hashes) {
        let text = format!(
            "UPDATE vault_tokens SET message_hash = NULL WHERE expires_at_ms <= $1 AND message_hash IN ({})",
            parameters(2, hashes.len())
        );
        bind_hashes(generated_sql(text).bind(now_ms), hashes).execute(tx).await?;
    }
    Ok(())
}

/// Puts new seals in the place of those of another version; how many rows were still of the old version.
pub async fn reseal(tx: &mut Tx, new_version: u32, rows: &[Resealed]) -> Result<u64, StoreError> {
    let mut changed = 0;
    for rows in chunks(rows) {
        let text = format!(
            "UPDATE vault_tokens SET key_version = $1, sealed = new.column3 FROM (VALUES {}) AS new \
             WHERE token_hash = new.column1 AND key_version = new.column2",
            tuples("", 2, 3, rows.len())
        );
        let mut statement = generated_sql(text).bind(new_version);
        for row in rows {
            statement = statement.bind(&row.token_hash[..]).bind(row.old_version).bind(&row.sealed);
        }
        changed += statement.execute(tx).await?;
    }
    Ok(changed)
}

/// Removes a token that has not expired; whether there was one.
pub async fn delete(tx: &mut Tx, token_hash: &Hash, now_ms: i64) -> Result<bool, StoreError> {
    Ok(sql(DELETE).bind(&token_hash[..]).bind(now_ms).execute(tx).await? == 1)
}

/// Whether anything has expired.
pub async fn any_expired(tx: &mut Tx, now_ms: i64) -> Result<bool, StoreError> {
    Ok(sql(FIRST_EXPIRED).bind(now_ms).optional::<i64>(tx).await?.is_some())
}

/// Removes some of what has expired, the oldest first; how many rows.
pub async fn delete_expired(tx: &mut Tx, now_ms: i64, rows_max: u32) -> Result<u64, StoreError> {
    sql(DELETE_EXPIRED).bind(now_ms).bind(rows_max).execute(tx).await
}

/// Removes some rows of a domain; how many.
pub async fn delete_of_domain(tx: &mut Tx, domain: &str, rows_max: u32) -> Result<u64, StoreError> {
    sql(DELETE_OF_DOMAIN).bind(domain).bind(rows_max).execute(tx).await
}

/// The first domain after this one (at first `""`) that has tokens.
pub async fn next_domain(tx: &mut Tx, after: &str) -> Result<Option<String>, StoreError> {
    sql(NEXT_DOMAIN).bind(after).optional(tx).await
}

/// Whether any profile can read the tokens of a domain.
pub async fn domain_is_used(tx: &mut Tx, domain: &str) -> Result<bool, StoreError> {
    Ok(sql(DOMAIN_USERS).bind(domain).one::<i64>(tx).await? > 0)
}

/// Whether a domain has tokens, expired ones too.
pub async fn any_of_domain(tx: &mut Tx, domain: Uuid) -> Result<bool, StoreError> {
    Ok(sql(ANY_OF_DOMAIN).bind(domain).optional::<String>(tx).await?.is_some())
}

/// How many tokens a domain has, expired ones too.
pub async fn count(tx: &mut Tx, domain: Uuid) -> Result<i64, StoreError> {
    sql(COUNT).bind(domain).one(tx).await
}

async fn by_hashes<R: FromColumns>(
    tx: &mut Tx,
    columns: &str,
    key: &str,
    hashes: &[Hash],
) -> Result<Vec<R>, StoreError> {
    let mut all = Vec::new();
    for hashes in chunks(hashes) {
        let text = format!("SELECT {columns} FROM vault_tokens WHERE {key} IN ({})", parameters(1, hashes.len()));
        all.extend(bind_hashes(generated_sql(text), hashes).all(tx).await?);
    }
    Ok(all)
}

fn bind_hashes(statement: Statement, hashes: &[Hash]) -> Statement {
    let values: Vec<Value> = hashes.iter().map(|hash| hash[..].into_value()).collect();
    statement.bind_all(&values)
}

/// Cuts rows into statements.
fn chunks<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = ROWS_MAX.min(1 << rows.len().checked_ilog2()?);
        let (chunk, rest) = rows.split_at(size);
        rows = rest;
        Some(chunk)
    })
}

/// `$first, $first+1 …`
fn parameters(first: usize, count: usize) -> String {
    let mut text = String::new();
    for parameter in first..first + count {
        let comma = if parameter == first { "" } else { ", " };
        write!(text, "{comma}${parameter}").expect("a String takes everything");
    }
    text
}

/// `(common$first, $first+1 …), (common…` for so many rows of so many parameters of their own.
fn tuples(common: &str, first: usize, width: usize, rows: usize) -> String {
    let mut text = String::new();
    for row in 0..rows {
        let comma = if row == 0 { "" } else { ", " };
        write!(text, "{comma}({common}{})", parameters(first + row * width, width)).expect("a String takes everything");
    }
    text
}

/// One column.
struct TokenHash(Hash);

impl FromColumns for TokenHash {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(hash(columns.get("token_hash")?)?))
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let token_hash = hash(columns.get("token_hash")?)?;
        let message_hash = columns.optional("message_hash")?.map(hash).transpose()?;
        // A value of another type is this row's damage alone, as a seal that was altered is: others of the same call are
        // read. An empty seal opens with no key.
        Ok(Self::whole(columns, token_hash, message_hash).unwrap_or(Self {
            token_hash,
            message_hash,
            key_version: 0,
            sealed: Vec::new(),
            created_at_ms: 0,
            expires_at_ms: None,
        }))
    }
}

impl Row {
    fn whole(columns: &Columns, token_hash: Hash, message_hash: Option<Hash>) -> Result<Self, StoreError> {
        Ok(Self {
            token_hash,
            message_hash,
            key_version: columns.get("key_version")?,
            sealed: columns.get("sealed")?,
            created_at_ms: columns.get("created_at_ms")?,
            expires_at_ms: columns.optional("expires_at_ms")?,
        })
    }
}

fn hash(bytes: Vec<u8>) -> Result<Hash, StoreError> {
    bytes.try_into().map_err(|_| StoreError::Internal("a keyed hash has not 16 bytes".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_of_few_sizes_and_leave_nothing_out() {
        let rows: Vec<usize> = (0..1_300).collect();
        let sizes: Vec<usize> = chunks(&rows).map(<[usize]>::len).collect();
        assert_eq!(sizes, [512, 512, 256, 16, 4]);
        assert_eq!(chunks(&rows).flatten().copied().collect::<Vec<_>>(), rows);
        assert_eq!(chunks(&rows[..0]).count(), 0);
        assert_eq!(tuples("$1, ", 2, 2, 2), "($1, $2, $3), ($1, $4, $5)");
    }
}
