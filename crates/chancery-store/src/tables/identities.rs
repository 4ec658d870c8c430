//! Identities: persons and applications, in one table.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, name_key, sql};

/// An identity as stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// Its name in one letter case; unique.
    pub name_key: String,
    /// Person or application.
    pub kind: String,
    /// The password's PHC string.
    pub password: Option<String>,
    /// The keyed hash of the one API key that it had under a release which knew no others; at the next start it becomes a row
    /// of `api_keys`.
    pub api_key_hash: Option<Vec<u8>>,
    /// Whether it may not log in.
    pub locked: bool,
    /// When it was created.
    pub created_at_ms: i64,
    /// When its password was last set, after the first one.
    pub password_changed_at_ms: Option<i64>,
    /// When its password was last set by somebody else.
    pub password_reset_at_ms: Option<i64>,
    /// The sealed secret of its one-time codes.
    pub totp_secret: Option<Vec<u8>>,
    /// The last step of it whose code was accepted.
    pub totp_used_step: Option<i64>,
    /// Since when its codes are demanded.
    pub totp_confirmed_at_ms: Option<i64>,
    /// A sealed secret that no code has confirmed yet.
    pub totp_pending: Option<Vec<u8>>,
    /// Until when one may.
    pub totp_pending_until_ms: Option<i64>,
    /// Until when its password sets another one, where it is for one use and logs nobody in.
    pub password_once_until_ms: Option<i64>,
    /// How it was recovered on the host, as JSON, until somebody has acknowledged that.
    pub recovery: Option<String>,
    /// From which networks and in which hours it may act, as JSON.
    pub bounds: Option<String>,
}

impl Row {
    /// One to which nothing has happened yet, and which nobody logs in as.
    #[must_use]
    pub fn new(id: Uuid, name: String, kind: &str, created_at_ms: i64) -> Self {
        Self {
            id,
            name_key: name_key(&name),
            name,
            kind: kind.to_owned(),
            password: None,
            api_key_hash: None,
            locked: false,
            created_at_ms,
            password_changed_at_ms: None,
            password_reset_at_ms: None,
            totp_secret: None,
            totp_used_step: None,
            totp_confirmed_at_ms: None,
            totp_pending: None,
            totp_pending_until_ms: None,
            password_once_until_ms: None,
            recovery: None,
            bounds: None,
        }
    }
}

macro_rules! columns {
    () => {
        "id, name, name_key, kind, password, api_key_hash, locked, created_at_ms, password_changed_at_ms, \
         password_reset_at_ms, totp_secret, totp_used_step, totp_confirmed_at_ms, totp_pending, totp_pending_until_ms, \
         password_once_until_ms, recovery, bounds, mac"
    };
}

const COLUMNS: &str = columns!();
const DELETE: &str = "DELETE FROM identities WHERE id = $1";
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM identities WHERE id = $1");
const BY_NAME: &str = concat!("SELECT ", columns!(), " FROM identities WHERE name_key = $1");
const ID_BY_NAME: &str = "SELECT id FROM identities WHERE name_key = $1";
const WITH_API_KEY: &str = "SELECT id FROM identities WHERE api_key_hash IS NOT NULL ORDER BY id";
const ALL: &str = concat!("SELECT ", columns!(), " FROM identities ORDER BY id");
const COUNT: &str = "SELECT COUNT(*) FROM identities";

/// Adds an identity; [`StoreError::Conflict`] when the name is taken.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// Gives it another name; [`StoreError::Conflict`] when that is taken.
pub async fn rename(tx: &mut Tx, id: Uuid, name: &str, name_key: &str) -> Result<(), StoreError> {
    change(tx, id, |row| {
        name.clone_into(&mut row.name);
        name_key.clone_into(&mut row.name_key);
    })
    .await
}

/// Locks or unlocks it.
pub async fn set_locked(tx: &mut Tx, id: Uuid, locked: bool) -> Result<(), StoreError> {
    change(tx, id, |row| row.locked = locked).await
}

/// Gives it another password; `reset_at_ms` where somebody else did so, `once_until_ms` where it is for one use.
pub async fn set_password(
    tx: &mut Tx,
    id: Uuid,
    password: &str,
    changed_at_ms: i64,
    (reset_at_ms, once_until_ms): (Option<i64>, Option<i64>),
) -> Result<(), StoreError> {
    change(tx, id, |row| {
        row.password = Some(password.to_owned());
        row.password_changed_at_ms = Some(changed_at_ms);
        row.password_reset_at_ms = reset_at_ms.or(row.password_reset_at_ms);
        row.password_once_until_ms = once_until_ms;
    })
    .await
}

/// Begins trust in it anew: what waited before is not for it to decide.
pub async fn begin_trust_anew(tx: &mut Tx, id: Uuid, at_ms: i64) -> Result<(), StoreError> {
    change(tx, id, |row| row.password_reset_at_ms = Some(at_ms)).await
}

/// Notes how it was recovered on the host, or that this was acknowledged.
pub async fn set_recovery(tx: &mut Tx, id: Uuid, recovery: Option<&str>) -> Result<(), StoreError> {
    change(tx, id, |row| row.recovery = recovery.map(str::to_owned)).await
}

/// Sets from where and when it may act; from everywhere and always with none.
pub async fn set_bounds(tx: &mut Tx, id: Uuid, bounds: Option<&str>) -> Result<(), StoreError> {
    change(tx, id, |row| row.bounds = bounds.map(str::to_owned)).await
}

/// Keeps a sealed secret of one-time codes until one of them confirms it.
pub async fn set_totp_pending(tx: &mut Tx, id: Uuid, sealed: &[u8], until_ms: i64) -> Result<(), StoreError> {
    change(tx, id, |row| {
        row.totp_pending = Some(sealed.to_owned());
        row.totp_pending_until_ms = Some(until_ms);
    })
    .await
}

/// Ends a secret of one-time codes that waits to be confirmed.
pub async fn end_totp_pending(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    change(tx, id, |row| {
        row.totp_pending = None;
        row.totp_pending_until_ms = None;
    })
    .await
}

/// Makes the pending secret the one whose codes are demanded; whether it was still this one.
pub async fn confirm_totp(
    tx: &mut Tx,
    id: Uuid,
    pending: &[u8],
    used_step: i64,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let confirmed = amend(tx, vec![id.into_value()], |row: &mut Row| {
        let is_it = row.totp_pending.as_deref() == Some(pending);
        if is_it {
            row.totp_secret = row.totp_pending.take();
            row.totp_pending_until_ms = None;
            row.totp_used_step = Some(used_step);
            row.totp_confirmed_at_ms = Some(now_ms);
        }
        is_it
    });
    confirmed.await
}

/// Notes that the code of a step was accepted; whether this is the first one of that step, or a later one.
pub async fn use_totp_step(tx: &mut Tx, id: Uuid, step: i64) -> Result<bool, StoreError> {
    let noted = amend(tx, vec![id.into_value()], |row: &mut Row| {
        let is_new = row.totp_used_step.is_none_or(|used| step > used);
        if is_new {
            row.totp_used_step = Some(step);
        }
        is_new
    });
    noted.await
}

/// Takes the second factor away, and one that is pending.
pub async fn remove_totp(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    change(tx, id, |row| {
        row.totp_secret = None;
        row.totp_used_step = None;
        row.totp_confirmed_at_ms = None;
        row.totp_pending = None;
        row.totp_pending_until_ms = None;
    })
    .await
}

async fn change(tx: &mut Tx, id: Uuid, change: impl FnOnce(&mut Row) + Send) -> Result<(), StoreError> {
    let changed = amend(tx, vec![id.into_value()], |row| {
        change(row);
        true
    });
    changed.await.map(drop)
}

/// Removes it, its roles and its sessions.
pub async fn delete(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    sql(DELETE).bind(id).execute(tx).await?;
    Ok(())
}

/// The identity with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The identity with this name key.
pub async fn by_name(tx: &mut Tx, name_key: &str) -> Result<Option<Row>, StoreError> {
    sql(BY_NAME).bind(name_key).optional(tx).await
}

/// The id of the identity with this name key; whether the row is what it says is asked with the row.
pub async fn id_by_name(tx: &mut Tx, name_key: &str) -> Result<Option<Uuid>, StoreError> {
    sql(ID_BY_NAME).bind(name_key).optional(tx).await
}

/// The ids of those whose row has the API key of a former release.
pub async fn with_api_key(tx: &mut Tx) -> Result<Vec<Uuid>, StoreError> {
    sql(WITH_API_KEY).all(tx).await
}

/// Takes the API key of a former release out of its row, and answers it.
pub async fn take_api_key(tx: &mut Tx, id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
    let mut taken = None;
    change(tx, id, |row| taken = row.api_key_hash.take()).await?;
    Ok(taken)
}

/// The id of every identity, as it is stored: for whoever has to go round one that cannot be read.
pub async fn ids(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    sql("SELECT id FROM identities ORDER BY id").all(tx).await
}

/// Every identity.
pub async fn all(tx: &mut Tx) -> Result<Vec<Row>, StoreError> {
    sql(ALL).all(tx).await
}

/// Whether there is any.
pub async fn any(tx: &mut Tx) -> Result<bool, StoreError> {
    Ok(sql(COUNT).one::<i64>(tx).await? > 0)
}

/// A page of those whose name contains the term, by name.
pub async fn list(tx: &mut Tx, term: Option<&str>, page: &Page) -> Result<Listed<Row>, StoreError> {
    List::new(COLUMNS, "identities", Order::Name("name_key", "id")).search("name_key", term).page(tx, page).await
}

authority!(Row, "identities", keys 1, {
    id, name, name_key, kind, password, api_key_hash, locked, created_at_ms, password_changed_at_ms,
    password_reset_at_ms, totp_secret, totp_used_step, totp_confirmed_at_ms, totp_pending, totp_pending_until_ms,
    password_once_until_ms, recovery, bounds,
});
