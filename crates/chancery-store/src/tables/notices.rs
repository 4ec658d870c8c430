//! What happened that people want to hear of.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// A notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Its id, by which doubles are known.
    pub id: Uuid,
    /// When it happened.
    pub at_ms: i64,
    /// What happened.
    pub kind: String,
    /// What kind of object it is about.
    pub object_kind: Option<String>,
    /// Which one.
    pub object: Option<Uuid>,
    /// The service that the object belongs to.
    pub service_id: Option<Uuid>,
    /// More, as JSON; never a secret.
    pub detail: String,
}

/// A notice as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its number. On PostgreSQL it counts up with the start of the works, not with their commits, and may have gaps.
    pub seq: i64,
    /// What it says.
    pub notice: Notice,
}

macro_rules! columns {
    () => {
        "seq, id, at_ms, kind, object_kind, object, service_id, detail"
    };
}

const INSERT: &str = "INSERT INTO notices (id, at_ms, kind, object_kind, object, service_id, detail) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING seq";
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM notices WHERE id = $1");
const BY_SEQ: &str = concat!("SELECT ", columns!(), " FROM notices WHERE seq = $1");
const SINCE: &str = concat!("SELECT ", columns!(), " FROM notices WHERE at_ms >= $1 ORDER BY at_ms, seq LIMIT $2");
const PRUNE: &str = "DELETE FROM notices WHERE seq IN \
    (SELECT seq FROM notices WHERE at_ms < $1 ORDER BY at_ms, seq LIMIT $2)";

/// Adds a notice, and answers its number.
pub async fn insert(tx: &mut Tx, notice: Notice) -> Result<i64, StoreError> {
    let Notice { id, at_ms, kind, object_kind, object, service_id, detail } = notice;
    let insert = sql(INSERT).bind(id).bind(at_ms).bind(kind).bind(object_kind).bind(object).bind(service_id);
    insert.bind(detail).one(tx).await
}

/// The notice with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The notice with this number.
pub async fn by_seq(tx: &mut Tx, seq: i64) -> Result<Option<Row>, StoreError> {
    sql(BY_SEQ).bind(seq).optional(tx).await
}

/// The first notices of this moment and later.
pub async fn since(tx: &mut Tx, at_ms: i64, limit: u32) -> Result<Vec<Row>, StoreError> {
    sql(SINCE).bind(at_ms).bind(limit).all(tx).await
}

/// Removes notices from before this moment, some at a time; how many.
pub async fn prune(tx: &mut Tx, before_ms: i64, limit: u32) -> Result<u64, StoreError> {
    sql(PRUNE).bind(before_ms).bind(limit).execute(tx).await
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        let notice = Notice {
            id: columns.get("id")?,
            at_ms: columns.get("at_ms")?,
            kind: columns.get("kind")?,
            object_kind: columns.optional("object_kind")?,
            object: columns.optional("object")?,
            service_id: columns.optional("service_id")?,
            detail: columns.get("detail")?,
        };
        Ok(Self { seq: columns.get("seq")?, notice })
    }
}
