//! Sessions, and who has logged in on them.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{StoreError, Tx, sql};

/// A session as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id, which is not its cookie.
    pub id: Uuid,
    /// The keyed hash of its cookie.
    pub cookie_hash: Vec<u8>,
    /// The first login.
    pub opened_at_ms: i64,
    /// The login that completed it.
    pub completed_at_ms: Option<i64>,
    /// The last use that was written down.
    pub last_used_at_ms: i64,
}

/// One identity of a session as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// The session.
    pub session_id: Uuid,
    /// The place in the order of logins.
    pub seat: i64,
    /// Who.
    pub identity_id: Uuid,
    /// The roles held at login, as JSON.
    pub roles: String,
}

const DELETE: &str = "DELETE FROM sessions WHERE id = $1";
const DELETE_OF_IDENTITY: &str = "DELETE FROM sessions WHERE id IN \
    (SELECT session_id FROM session_seats WHERE identity_id = $1) RETURNING CAST(id AS TEXT)";
const DELETE_ENDED: &str = "DELETE FROM sessions WHERE opened_at_ms < $1 OR last_used_at_ms < $2 \
    OR (completed_at_ms IS NULL AND opened_at_ms < $3) OR opened_at_ms > $4 OR last_used_at_ms > $4";
const BY_ID: &str = "SELECT id, cookie_hash, opened_at_ms, completed_at_ms, last_used_at_ms, mac FROM sessions \
    WHERE id = $1";
const BY_COOKIE: &str = "SELECT id, cookie_hash, opened_at_ms, completed_at_ms, last_used_at_ms, mac FROM sessions \
    WHERE cookie_hash = $1";
const ALL: &str =
    "SELECT id, cookie_hash, opened_at_ms, completed_at_ms, last_used_at_ms, mac FROM sessions ORDER BY id";
const SEATS: &str =
    "SELECT session_id, seat, identity_id, roles, mac FROM session_seats WHERE session_id = $1 ORDER BY seat";
const ALL_SEATS: &str = "SELECT session_id, seat, identity_id, roles, mac FROM session_seats ORDER BY session_id, seat";

/// Adds a session with its seats.
pub async fn insert(tx: &mut Tx, row: &Row, seats: &[Seat]) -> Result<(), StoreError> {
    authority::insert(tx, row).await?;
    for seat in seats {
        authority::insert(tx, seat).await?;
    }
    Ok(())
}

/// Ends a session; false when it had ended before.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<bool, StoreError> {
    Ok(sql(DELETE).bind(id).execute(tx).await? > 0)
}

/// Ends every session in which this identity sits, and answers which they were.
pub async fn delete_of_identity(tx: &mut Tx, identity_id: Uuid) -> Result<Vec<String>, StoreError> {
    sql(DELETE_OF_IDENTITY).bind(identity_id).all(tx).await
}

/// Removes what was opened, last used, or left half open before these times, and what was opened or used after the last one.
pub async fn delete_ended(
    tx: &mut Tx,
    [opened_ms, used_ms, half_open_ms, latest_ms]: [i64; 4],
) -> Result<u64, StoreError> {
    sql(DELETE_ENDED).bind(opened_ms).bind(used_ms).bind(half_open_ms).bind(latest_ms).execute(tx).await
}

/// Writes down that it was used.
pub async fn touch(tx: &mut Tx, id: Uuid, used_at_ms: i64) -> Result<(), StoreError> {
    let changed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        let is_later = row.last_used_at_ms < used_at_ms;
        row.last_used_at_ms = row.last_used_at_ms.max(used_at_ms);
        is_later
    });
    changed.await.map(drop)
}

/// The session with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The session whose cookie has this keyed hash.
pub async fn by_cookie(tx: &mut Tx, cookie_hash: &[u8]) -> Result<Option<Row>, StoreError> {
    sql(BY_COOKIE).bind(cookie_hash).optional(tx).await
}

/// The id of every session, as it is stored: for whoever has to go round one that cannot be read.
pub async fn ids(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    sql("SELECT id FROM sessions ORDER BY id").all(tx).await
}

/// Every session.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
}

/// The seats of one session, in the order of the logins.
pub async fn seats(tx: &mut Tx, session_id: Uuid) -> Result<Vec<Seat>, StoreError> {
    sql(SEATS).bind(session_id).all(tx).await
}

/// The seats of every session, in the order of the logins.
pub async fn all_seats(tx: &mut Tx) -> Result<Vec<Seat>, StoreError> {
    sql(ALL_SEATS).authentic(tx).await
}

authority!(Row, "sessions", keys 1, { id, cookie_hash, opened_at_ms, completed_at_ms, last_used_at_ms });

authority!(Seat, "session_seats", keys 2, { session_id, seat, identity_id, roles });
